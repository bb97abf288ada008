// SPDX-License-Identifier: Apache-2.0
// Copies src, weights or both so that rows start at multiples of 16 bytes, as tensor maps (TMA) and copies of 16
// bytes need them. One launch copies both. A work-item puts together 16 bytes of a row from two aligned loads of
// 16 bytes.
//
//   src, src_off   elements of ELEM_BYTES bytes, from any address on
//   wei, wei_off   the same
//   to, to_off     bytes, from a multiple of 16 on: rows of src, [product][row][row_vecs · 16 bytes], then those of
//                  weights; what follows a row's last element is undefined
//   src_rows, wei_rows   clh/shared/matmul_align_data.h
// Grid: x = ceil(src_rows.nvecs / (256 · 4)) + ceil(wei_rows.nvecs / (256 · 4)) work-groups of 256 work-items.
// Numerics: bytes are copied.
// -D: ELEM_BYTES; WIDE_LOADS (clh/unaligned.h).
// No device of CI reads so; checked with: -cl-std=CL1.2 -DELEM_BYTES=2 -DWIDE_LOADS=1
#ifndef ELEM_BYTES
#error "ocl_matmul_align needs ELEM_BYTES"
#endif

#include "clh/shared/matmul_align_data.h"
#include "clh/unaligned.h"

#define ITEMS 256
#define AT_ONCE 4 // vectors of a work-item

// Where a product of the operand starts, in bytes.
static inline long product_bytes(const ocl_align_rows_t *rows, int product)
{
    if (product == 0) return 0;
    const int nz = (int)rows->sizes.z, ny = (int)rows->sizes.y;
    const int rest = product / nz, x = rest / ny;
    return x * rows->strides.x + (rest - x * ny) * rows->strides.y + (product - rest * nz) * rows->strides.z;
}

static inline uint4 load_vec(__global const uchar *from, const ocl_align_rows_t *rows, int vec)
{
    const int row = vec / rows->row_vecs, at = (vec - row * rows->row_vecs) * 16;
    const int product = row < rows->nrows ? 0 : row / rows->nrows;
    from += product_bytes(rows, product) + (row - product * rows->nrows) * rows->pitch + at;
    unaligned_t x;
    load_unaligned(&x, from, rows->row_bytes - at);
    return unaligned_bytes(&x, from);
}

static inline void copy_rows(__global const uchar *from, const ocl_align_rows_t *rows, int group,
        __global uint4 *to)
{
    const int first = group * (ITEMS * AT_ONCE) + (int)get_local_id(0);
    uint4 x[AT_ONCE];
#pragma unroll
    for (int e = 0; e < AT_ONCE; ++e) {
        const int vec = first + e * ITEMS;
        x[e] = vec < rows->nvecs ? load_vec(from, rows, vec) : (uint4)(0);
    }
#pragma unroll
    for (int e = 0; e < AT_ONCE; ++e) {
        const int vec = first + e * ITEMS;
        if (vec < rows->nvecs) to[vec] = x[e];
    }
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void matmul_align(__global const uchar *src,
        long src_off, __global const uchar *wei, long wei_off, __global uchar *to, long to_off,
        ocl_align_rows_t src_rows, ocl_align_rows_t wei_rows)
{
    const int group = (int)get_group_id(0);
    const int src_groups = (src_rows.nvecs + ITEMS * AT_ONCE - 1) / (ITEMS * AT_ONCE);
    __global uint4 *vecs = (__global uint4 *)(to + to_off);
    if (group < src_groups) {
        copy_rows(src + src_off * ELEM_BYTES, &src_rows, group, vecs);
    } else {
        copy_rows(wei + wei_off * ELEM_BYTES, &wei_rows, group - src_groups, vecs + src_rows.nvecs);
    }
}
