// SPDX-License-Identifier: Apache-2.0
// Copy over a loop nest whose innermost loop is contiguous in src and dst: contiguous runs are copied and, where
// types differ, converted (NHWC to nChw16c, permuted outer dimensions, windows of larger tensors).
//
//   nest           loop nest; tensor 0 dst, 1 src; NEST_INNER is the run, with both strides 1
//   src, src_off   elements of SRC_T
//   dst, dst_off   elements of DST_T; padding that belongs to dst becomes 0
//   n_inner, n_row           extents of the two innermost loops
//   per_inner, per_row       how much of each a work-item takes
//   chunks_inner, chunks_row ceil(n / per)
//   nitems         chunks_inner·chunks_row·outer
// Grid: x ≥ nitems. Numerics: f32; equal types keep every bit.
// -D: those of clh/convert.h, WITH_TAILS (some dimension has padding).
#ifndef WITH_TAILS
#error "ocl_nest_copy needs WITH_TAILS"
#endif

#include "clh/convert.h"
#include "clh/nest.h"

// How many elements of a run from index `first` lie before the padding of tail k.
static inline long count_inside(__constant const ocl_nest_t *nest, int k, long tail, long n)
{
    const long left = nest->limits[k] - tail;
    const long step = nest->multipliers[k][NEST_INNER];
    if (left <= 0) return 0;
    return step == 0 ? n : min(n, div_long(left + step - 1, step));
}

#if !WITH_TAILS
// One vector of each row, as many rows as make whole groups of AT_ONCE: the loads of a group come
// before its stores, so the memory has them in flight together. Returns how many were moved.
#define AT_ONCE 4
static inline long move_vectors(__constant const ocl_nest_t *nest, __global DST_T *dst,
        __global const SRC_T *src, long first_row, long end_row, convert_t convert)
{
    const long src_step = nest->strides[1][NEST_ROW], dst_step = nest->strides[0][NEST_ROW];
    const long rows = (end_row - first_row) / AT_ONCE * AT_ONCE;
    src += first_row * src_step;
    dst += first_row * dst_step;
    if (!CONVERT_ALIGNED(src, src_step, dst, dst_step)) return 0;
    for (long row = 0; row < rows; row += AT_ONCE) {
        CONVERT_VEC_T x[AT_ONCE];
        for (int k = 0; k < AT_ONCE; ++k)
            x[k] = convert_get(AS_ALIGNED(SRC_T, VEC, src + k * src_step), convert);
        for (int k = 0; k < AT_ONCE; ++k)
            convert_put(AS_ALIGNED(DST_T, VEC, dst + k * dst_step), x[k]);
        src += AT_ONCE * src_step;
        dst += AT_ONCE * dst_step;
    }
    return rows;
}
#endif

__kernel void nest_copy(__constant const ocl_nest_t *nest, __global const SRC_T *src, long src_off,
        __global DST_T *dst, long dst_off, long n_inner, long n_row, long per_inner, long per_row,
        long chunks_inner, long chunks_row, long nitems CONVERT_PARAMS)
{
    CONVERT_DECLARE;
    const long item = get_global_id(0);
    if (item >= nitems) return;
    const nest_piece_t piece = nest_piece(item, chunks_inner, chunks_row);
    const long inner = piece.x * per_inner, first_row = piece.y * per_row;
    const long end_row = min(first_row + per_row, n_row);
    const long n = min(per_inner, n_inner - inner);
    const nest_at_t at = nest_at(nest, piece.outer);
    dst += dst_off + at.offs[0] + inner;
    src += src_off + at.offs[1] + inner;
    long row = first_row;
#if !WITH_TAILS
    if (n == VEC) row += move_vectors(nest, dst, src, first_row, end_row, convert);
#endif
    for (; row < end_row; ++row) {
        __global DST_T *to = dst + row * nest->strides[0][NEST_ROW];
        __global const SRC_T *from = src + row * nest->strides[1][NEST_ROW];
#if !WITH_TAILS
        convert_row(to, from, n, convert);
#else
        long inside = n, written = n;
        for (int k = 0; k < NEST_TAILS; ++k) {
            const long tail = at.tails[k] + row * nest->multipliers[k][NEST_ROW]
                    + inner * nest->multipliers[k][NEST_INNER];
            const long count = count_inside(nest, k, tail, n);
            inside = min(inside, count);
            if (!nest->is_in_dst[k]) written = min(written, count);
        }
        convert_row(to, from, inside, convert);
        for (long i = inside; i < written; ++i) DST_STORE(to, i, 0.0f);
#endif
    }
}
