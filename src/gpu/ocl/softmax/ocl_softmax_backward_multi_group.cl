// SPDX-License-Identifier: Apache-2.0
// The gradients of softmax and log-softmax along the contiguous axis for rows too long for one work-group. Several
// work-groups share a row: each holds a segment of dst and diff_dst in registers, exchanges its sum through a grid
// barrier (clh/grid_barrier.h), then stores its segment. Both are read once unless the registers are too few.
//
//   dst, dst_off               [nrows, n] DST_T: what the forward pass gave
//   diff_dst, diff_dst_off     [nrows, n] DIFF_DST_T
//   diff_src, diff_src_off     [nrows, n] DIFF_SRC_T; may be diff_dst
//   dst_row, diff_dst_row, diff_src_row   distance between rows in elements
//   n, npieces, piece_elems    elements of a row, its segments, elements of each segment but the last
//   barrier_slots, _off        [nrows, npieces] slots of the grid barrier, zero; see clh/grid_barrier.h
//   max_polls                  how often a slot is polled, see clh/grid_barrier.h
//   scratch, shared            SCRATCH_OF_A_ROW(GROUP_ITEMS) floats (clh/shared/scratch_data.h), one int
// Grid: nrows·npieces work-groups of GROUP_ITEMS work-items, those of a row adjacent.
// piece_elems ≤ PER_ITEM·VEC·GROUP_ITEMS, a multiple of VEC.
// Numerics: f32; sums per work-item, then per segment, then per row, in a fixed order. Segments of work-groups that
// did not report in time, and an own segment that does not fit registers, are read from memory again.
// -D: PER_ITEM: vectors of dst, and as many of diff_dst, that a work-item holds; GROUP_ITEMS: a power of two; AHEAD:
// work-groups that are resident at once, for one that begins when another ends the L2 cache is asked by that one; those
// of clh/grid_barrier.h, clh/softmax_backward_row.h and, with IS_RAW (then all types are SRC's), of clh/raw_vec.h.
#if !defined(PER_ITEM) || !defined(VEC) || !defined(GROUP_ITEMS) || !defined(AHEAD)
#error "ocl_softmax_backward_multi_group needs PER_ITEM, VEC, GROUP_ITEMS, AHEAD"
#endif

#include "clh/always_inline.h"
#include "clh/grid_barrier.h"
#include "clh/raw_vec.h"
#include "clh/shared/scratch_data.h"
#include "clh/softmax_backward_row.h"

#define STEP (GROUP_ITEMS * VEC)

// A row's segment: whole vectors.
static inline row_t piece_of(row_t row, int index, int piece_elems)
{
    const long at = (long)index * piece_elems;
    row.dst += at;
    row.diff_dst += at;
    row.diff_src += at;
    row.n = min(row.n - at, (long)piece_elems);
    return row;
}

static inline int place_of(int k)
{
    return (int)get_local_id(0) * VEC + k * STEP;
}

#if IS_RAW
// All loads without branches; zeros behind the end.
ALWAYS_INLINE void load_kept(rawv *y, rawv *g, const row_t *piece)
{
    const int n = (int)piece->n, first = place_of(0);
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        y[k] = rawv_load_streaming_or(piece->dst + first + k * STEP, place_of(k) < n, 0u);
        g[k] = rawv_load_streaming_or(piece->diff_dst + first + k * STEP, place_of(k) < n, 0u);
    }
}

static inline pair_t pair_of(rawv y, rawv g)
{
    const pair_t x = {rawv_to_floatv(y), rawv_to_floatv(g)};
    return x;
}

ALWAYS_INLINE float sum_of_kept(rawv *y, rawv *g, uint zero, __local float *scratch)
{
    float sum = 0.0f;
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
#if SRC_DT != DT_F32
        // By the sum before: all floats at once would need more registers than there are.
        rawv_hide(&y[k], zero & as_uint(sum));
        rawv_hide(&g[k], zero & as_uint(sum));
#endif
        sum += sum_lanes(terms(pair_of(y[k], g[k])));
    }
    return grid_group_sum(sum, scratch, GROUP_ITEMS);
}

ALWAYS_INLINE void store_kept(const row_t *piece, rawv *y, rawv *g, float sum, uint zero)
{
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        if (place_of(k) >= (int)piece->n) continue;
#if SRC_DT != DT_F32
        rawv_hide(&y[k], zero);
        rawv_hide(&g[k], zero);
#endif
        const floatv z = gradient(pair_of(y[k], g[k]), (floatv)(sum));
        rawv_store_streaming(rawv_of_floatv(z), piece->diff_src + place_of(k));
    }
}
#endif

// The same of a segment that is not kept.
ALWAYS_INLINE float sum_of_read(const row_t *piece, __local float *scratch)
{
    float sum = 0.0f;
#pragma unroll 1
    for (int i = place_of(0); i < (int)piece->n; i += STEP) sum += sum_lanes(terms(load_inside(piece, i)));
    return grid_group_sum(sum, scratch, GROUP_ITEMS);
}

ALWAYS_INLINE void store_read(const row_t *piece, float sum)
{
#pragma unroll 1
    for (int i = place_of(0); i < (int)piece->n; i += STEP)
        store_inside(piece, i, load_inside(piece, i), (floatv)(sum));
}

// Asks the L2 cache for n elements of a segment, by a work-item for each line of 8 vectors: so the memory has work
// while the sums of resident work-groups are on their way.
ALWAYS_INLINE void ask_for(__global const DST_T *dst, __global const DIFF_DST_T *diff_dst, int n)
{
#if CACHE_HINTS
    for (int i = 8 * place_of(0); i < n; i += 8 * STEP) {
        nv_prefetch_l2(dst + i);
        nv_prefetch_l2(diff_dst + i);
    }
#else
    (void)dst, (void)diff_dst, (void)n;
#endif
}

// The row's sum from the slots of all its groups; false if some are not posted.
ALWAYS_INLINE bool collect(float *sum, __global uint *slots, int npieces, int max_polls,
        __local float *scratch, __local int *shared)
{
    __local float *collected = scratch + SCRATCH_COLLECTED_AT(GROUP_ITEMS);
    if (get_local_id(0) < SLOT_STEP) {
        float own = 0.0f;
        bool is_whole = true;
        for (int p = SLOT_FIRST; p < npieces; p += SLOT_STEP) {
            float one;
            is_whole = grid_await(&one, slots + p, &max_polls) && is_whole;
            own += one;
        }
        is_whole = slots_all(is_whole);
        own = slots_sum(own);
        if (get_local_id(0) == 0) {
            *collected = own;
            *shared = is_whole;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *sum = *collected;
    return *shared;
}

// Of the row, computing the segments of groups that did not post in time.
ALWAYS_INLINE void collect_alone(float *sum, row_t row, __global uint *slots, int npieces, int piece_elems,
        __local float *scratch, __local int *shared)
{
    for (int at = 0; at < npieces; ++at) {
        if (!grid_is_missing(slots + at, 1, false, shared)) continue;
        const row_t piece = piece_of(row, at, piece_elems);
        const float part = sum_of_read(&piece, scratch);
        if (get_local_id(0) == 0 && grid_may_post(slots + at, 1)) grid_post(slots + at, part);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    (void)collect(sum, slots, npieces, 0, scratch, shared);
}

GROUP_SIZE __kernel void softmax_backward_multi_group(
        __global const DST_T *dst, long dst_off, __global const DIFF_DST_T *diff_dst, long diff_dst_off,
        __global DIFF_SRC_T *diff_src, long diff_src_off, long dst_row, long diff_dst_row, long diff_src_row, long n,
        int npieces, int piece_elems, __global uint *barrier_slots, long barrier_slots_off, int max_polls,
        __local float *scratch, __local int *shared)
{
    const int index = (int)((uint)get_group_id(0) / (uint)npieces);
    const int own = (int)get_group_id(0) - index * npieces;
    const nest_at_t at = {{index * diff_src_row, index * dst_row, index * diff_dst_row}};
    const row_t row = row_of(diff_src + diff_src_off, dst + dst_off, diff_dst + diff_dst_off, at, n);
    __global uint *slots = barrier_slots + barrier_slots_off + (long)index * npieces;
    const row_t piece = piece_of(row, own, piece_elems);
    float sum;
#if IS_RAW
    rawv y[PER_ITEM], g[PER_ITEM];
    if (piece.is_whole) {
        load_kept(y, g, &piece);
        sum = sum_of_kept(y, g, (uint)max_polls >> 31, scratch);
    } else
#endif
        sum = sum_of_read(&piece, scratch);
    if (get_local_id(0) == 0) grid_post(slots + own, sum);
    const int later = (int)get_group_id(0) + AHEAD;
    if (later < (int)get_num_groups(0)) {
        const int later_row = (int)((uint)later / (uint)npieces);
        const long first = (long)(later - later_row * npieces) * piece_elems;
        ask_for(dst + dst_off + later_row * dst_row + first, diff_dst + diff_dst_off + later_row * diff_dst_row + first,
                (int)min(n - first, (long)piece_elems));
    }
    const bool is_whole = collect(&sum, slots, npieces, max_polls, scratch, shared);
#if IS_RAW
    if (piece.is_whole && is_whole) {
        store_kept(&piece, y, g, sum, (uint)npieces >> 31);
        return;
    }
#endif
    // Few come here: what was kept is read again, which leaves registers to the others.
    if (!is_whole) collect_alone(&sum, row, slots, npieces, piece_elems, scratch, shared);
    store_read(&piece, sum);
}
