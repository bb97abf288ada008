// SPDX-License-Identifier: Apache-2.0
// Copies operands of products to rows that start at multiples of 16 bytes, as tensor maps (TMA) and copies of 16 bytes
// need them. A work-item puts together 16 bytes of a row from two aligned loads of 16 bytes.
//
//     align_vecs(from, &rows, first, step, to);
//
// In a launch that also multiplies, ALIGNS, the first `ncopiers` work-groups copy a share each, and all wait for them.
// OpenCL does not promise that work-groups run beside each other: a group that has looked `copy_polls` times copies all
// rows itself, the same bytes to the same places.
//
//     ALIGN_SHARE(item, nitems, counting);  all work-items
//     has_copies = ALIGN_AWAIT;             work-item `counting`, then a barrier of local memory
//     ALIGN_REST(has_copies, item, nitems); all, before the first tensor copy
//
// -D: WIDE_LOADS or ASYNC_COPY (clh/unaligned.h); RELAXED_ATOMICS (clh/grid_slots.h); ALIGNS: 1 as above (optional, 0),
// with it RETARGET.
#ifndef CLH_ALIGN_ROWS_H
#define CLH_ALIGN_ROWS_H

#ifndef ALIGNS
#define ALIGNS 0
#endif

#include "clh/always_inline.h"
#include "clh/grid_slots.h"
#include "clh/nv/nv_mbarrier.h"
#include "clh/shared/matmul_align_data.h"
#include "clh/unaligned.h"

// Where a product of the operand starts, in bytes.
ALWAYS_INLINE long product_bytes(const ocl_align_rows_t *rows, int product)
{
    if (product == 0) return 0;
    const int nz = (int)rows->sizes.z, ny = (int)rows->sizes.y;
    const int rest = product / nz, x = rest / ny;
    return x * rows->strides.x + (rest - x * ny) * rows->strides.y + (product - rest * nz) * rows->strides.z;
}

// Starts the loads of a vector; its address, whose rest by 16 tells what is wanted of them.
ALWAYS_INLINE __global const uchar *load_vec(unaligned_t *x, __global const uchar *from,
        const ocl_align_rows_t *rows, int vec)
{
    const int row = vec / rows->row_vecs, at = (vec - row * rows->row_vecs) * 16;
    const int product = row < rows->nrows ? 0 : row / rows->nrows;
    from += product_bytes(rows, product) + (row - product * rows->nrows) * rows->pitch + at;
    load_unaligned(x, from, rows->row_bytes - at);
    return from;
}

// Vectors first, first + step, … of the copy, at_once ≤ ALIGN_AT_ONCE at most. All loads start before the first is used.
ALWAYS_INLINE void align_vecs(__global const uchar *from, const ocl_align_rows_t *rows, int first, int step,
        __global uint4 *to, const int at_once)
{
    if (first >= rows->nvecs) return;
    unaligned_t x[ALIGN_AT_ONCE];
    __global const uchar *places[ALIGN_AT_ONCE];
#pragma unroll
    for (int e = 0; e < ALIGN_AT_ONCE; ++e)
        if (e < at_once) places[e] = load_vec(&x[e], from, rows, min(first + e * step, rows->nvecs - 1));
#pragma unroll
    for (int e = 0; e < ALIGN_AT_ONCE; ++e) {
        const int vec = first + e * step;
        if (e < at_once && vec < rows->nvecs) to[vec] = unaligned_bytes(&x[e], places[e]);
    }
}

#if ALIGNS

typedef struct {
    __global const uchar *src, *wei;
    __global uint4 *to;   // rows of src, then those of weights
    __global uint *word;  // 0 before and after the kernel
    int ncopiers;         // 0: the copies are there
} copies_t;

ALWAYS_INLINE int align_group(void)
{
    return (int)(get_group_id(1) * get_num_groups(0) + get_group_id(0));
}

// Stores before it are seen by tensor copies after it, which read by a path of their own (the async proxy).
ALWAYS_INLINE void fence_tensor_copies(void)
{
#if RETARGET
    nv_fence_proxy_async_global();
#endif
}

// nvecs is below 2^31 - step · ALIGN_AT_ONCE.
ALWAYS_INLINE void align_rows(__global const uchar *from, const ocl_align_rows_t *rows, int first, int step,
        __global uint4 *to, const int at_once)
{
#pragma unroll 1
    for (; first < rows->nvecs; first += step * at_once) align_vecs(from, rows, first, step, to, at_once);
}

// One loop for both operands: this is most of a program's code.
ALWAYS_INLINE void align_part(const copies_t *of, const ocl_align_rows_t *src, const ocl_align_rows_t *wei,
        int first, int step, const int at_once)
{
    const ocl_align_rows_t a = *src, b = *wei;
#pragma unroll 1
    for (int w = 0; w < 2; ++w) {
        // By fields: an address that depends on w would put both into memory.
        const ocl_align_rows_t rows = {w ? b.sizes : a.sizes, w ? b.strides : a.strides, w ? b.pitch : a.pitch,
                w ? b.nrows : a.nrows, w ? b.row_bytes : a.row_bytes, w ? b.row_vecs : a.row_vecs,
                w ? b.nvecs : a.nvecs};
        align_rows(w ? of->wei : of->src, &rows, first, step, of->to + (w ? src->nvecs : 0), at_once);
    }
    fence_tensor_copies();
}

// In the word the lowest 12 bits count groups that have copied their share, the others groups that look no more. One
// work-item of a group counts both: whoever looks last clears the word, and no share may be counted behind that.
ALWAYS_INLINE void align_share(const copies_t *of, const ocl_align_rows_t *src, const ocl_align_rows_t *wei,
        int item, int nitems, int counting)
{
    const int group = align_group();
    if (group < of->ncopiers)
        align_part(of, src, wei, group * nitems + item, of->ncopiers * nitems, ALIGN_AT_ONCE);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    if (item == counting && group < of->ncopiers) {
        grid_fence();
        (void)atomic_inc(of->word);
    }
}

ALWAYS_INLINE bool copies_await(const copies_t *of, int max_polls)
{
    if (of->ncopiers == 0) return true;
    const uint all = (uint)of->ncopiers, ngroups = (uint)(get_num_groups(0) * get_num_groups(1));
    uint state = slot_read(of->word);
    for (int polls = 0; (state & 4095) < all && polls < max_polls; ++polls) state = slot_read(of->word);
    const bool have_come = (state & 4095) >= all;
    grid_fence();
    if (atomic_add(of->word, 1u << 12) >> 12 == ngroups - 1) (void)atomic_xchg(of->word, 0u);
    return have_come;
}

ALWAYS_INLINE void align_rest(const copies_t *of, const ocl_align_rows_t *src, const ocl_align_rows_t *wei,
        bool has_copies, int item, int nitems)
{
    if (!has_copies) align_part(of, src, wei, item, nitems, 1);
    barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    fence_tensor_copies();
}

// clang-format off
#define ALIGN_PARAMS \
    , __global const uchar *from_src, long from_src_off, __global const uchar *from_wei, long from_wei_off, \
    __global uchar *copies, long copies_off, ocl_align_rows_t src_rows, ocl_align_rows_t wei_rows, \
    __global uint *align_counters, int ncopiers, int copy_polls
#define ALIGN_SHARE(item, nitems, counting) \
    const copies_t all_copies = {from_src + from_src_off * ES, from_wei + from_wei_off * ES, \
            (__global uint4 *)(copies + copies_off), align_counters + ALIGN_COUNTER, ncopiers}; \
    align_share(&all_copies, &src_rows, &wei_rows, item, nitems, counting)
#define ALIGN_AWAIT copies_await(&all_copies, copy_polls)
#define ALIGN_REST(has_copies, item, nitems) align_rest(&all_copies, &src_rows, &wei_rows, has_copies, item, nitems)
// clang-format on

#else

#define ALIGN_PARAMS
#define ALIGN_SHARE(item, nitems, counting)
#define ALIGN_AWAIT true
#define ALIGN_REST(has_copies, item, nitems)

#endif

#endif
