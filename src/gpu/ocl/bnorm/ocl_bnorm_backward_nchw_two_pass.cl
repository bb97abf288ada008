// SPDX-License-Identifier: Apache-2.0
// Gradients of batch normalisation, NCHW with contiguous planes. Pass 1 sums planes, or pieces of them, from front to
// back; pass 2 computes diff_src from back to front, because the ends of src and diff_dst are then still in the cache.
//
//   BNORM_BACKWARD_INPUTS  [N, C, data->spatial]; see clh/bnorm_backward.h
//   mean                   [C] f32
//   partials               [N·data->npieces, C] float2: Σ y and Σ y·(src − mean) of a piece
//   parts                  [4, C] f32 from bnorm_backward_finish
//   BNORM_BACKWARD_OUTPUTS diff_src1 lies like src
// Grid: ROW_ITEMS work-items a piece, in work-groups of GROUP_ITEMS; ceil(N·C·npieces·ROW_ITEMS / GROUP_ITEMS)
// work-groups.
// Numerics: f32; VEC partial sums per work-item, then a tree over the work-items of a piece.
// -D: ROW_ITEMS, GROUP_ITEMS: powers of two; those of clh/bnorm_backward.h and clh/lanes.h.
#if !defined(ROW_ITEMS) || !defined(GROUP_ITEMS)
#error "ocl_bnorm_backward_nchw_two_pass needs ROW_ITEMS, GROUP_ITEMS"
#endif

#include "clh/bnorm_backward.h"
#include "clh/lanes.h"

#define ROWS (GROUP_ITEMS / ROW_ITEMS)

// A piece of a plane: `n` elements from those that the pointers point to; 0 behind the last piece.
typedef struct {
    __global const SRC_T *src;
    __global const DIFF_DST_T *diff_dst;
    __global const WS_T *ws;
    long src_at, diff_src_at; // of what is written, from the tensor's first element
    int c, n;
} piece_t;

static inline piece_t piece_of(__constant const ocl_bnorm_backward_data_t *data, int row, int nrows,
        __global const SRC_T *src, __global const DIFF_DST_T *diff_dst, __global const WS_T *ws)
{
    int index = clamp(row, 0, nrows - 1);
    const int c = take_digit(&index, data->src.channels);
    const int begin = take_digit(&index, data->npieces) * data->piece_elems, n = index;
    piece_t p;
    p.c = c;
    p.n = row >= 0 && row < nrows ? min(data->piece_elems, data->spatial - begin) : 0;
    p.src_at = channels_offset(&data->src, n, c) + begin;
    p.diff_src_at = channels_offset(&data->diff_src, n, c) + begin;
    p.src = src + p.src_at;
    p.diff_dst = diff_dst + channels_offset(&data->diff_dst, n, c) + begin;
    p.ws = ws;
#if WITH_RELU
    p.ws += channels_offset(&data->ws, n, c) + begin;
#endif
    return p;
}

// Elements that go as vectors: those of an aligned piece; the rest follows one by one.
static inline int vector_elems(const piece_t *p)
{
    const bool is_aligned =
            ARE_ALIGNED(SRC_T, VEC, p->src, 0) && ARE_ALIGNED(DIFF_DST_T, VEC, p->diff_dst, 0);
    return is_aligned ? p->n / VEC * VEC : 0;
}

static inline float2 sum_piece(const piece_t *p, float mean, int item)
{
    const int end = vector_elems(p), step = ROW_ITEMS * VEC;
    floatv sums = (floatv)(0.0f), products = (floatv)(0.0f);
    int i = item * VEC;
    for (; i + (AT_ONCE - 1) * step < end; i += AT_ONCE * step) {
        floatv x[AT_ONCE], y[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            x[k] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, p->src + i + k * step), 0);
            y[k] = gradients_at(AS_ALIGNED(DIFF_DST_T, VEC, p->diff_dst + i + k * step), p->ws, 0, i + k * step);
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            sums += y[k];
            products += y[k] * (x[k] - mean);
        }
    }
    for (; i < end; i += step) {
        const floatv y = gradients_at(p->diff_dst, p->ws, i, i);
        sums += y;
        products += y * (SRC_LOADV(p->src, i) - mean);
    }
    float2 total = (float2)(sum_lanes(sums), sum_lanes(products));
    for (i = end + item; i < p->n; i += AT_ONCE * ROW_ITEMS) {
        float x[AT_ONCE], y[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            const int at = min(i + k * ROW_ITEMS, p->n - 1);
            x[k] = SRC_LOAD(p->src, at);
            y[k] = gradient_at(p->diff_dst, p->ws, at, at);
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k)
            if (i + k * ROW_ITEMS < p->n) total += (float2)(y[k], y[k] * (x[k] - mean));
    }
    return total;
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void bnorm_backward_nchw_sums(
        BNORM_BACKWARD_INPUTS, __global const float *mean, long mean_off,
        __global float2 *partials, long partials_off)
{
#if ROW_ITEMS > 1
    __local float scratch[GROUP_ITEMS];
#endif
    const int id = (int)get_local_id(0), item = id & (ROW_ITEMS - 1);
    const int nrows = data->batch * data->npieces * data->src.channels;
    const int row = (int)get_group_id(0) * ROWS + id / ROW_ITEMS;
    const piece_t p = piece_of(data, row, nrows, src + src_off, diff_dst + diff_dst_off, ws + ws_off);
    float2 sums = sum_piece(&p, mean[mean_off + p.c], item);
#if ROW_ITEMS > 1
    sums.s0 = lanes_sum(sums.s0, scratch, ROW_ITEMS);
    sums.s1 = lanes_sum(sums.s1, scratch, ROW_ITEMS);
#endif
    if (item == 0 && row < nrows) partials[partials_off + row] = sums;
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void bnorm_backward_nchw_apply(
        BNORM_BACKWARD_INPUTS, __global const float *parts, long parts_off, BNORM_BACKWARD_OUTPUTS)
{
    const int id = (int)get_local_id(0), item = id & (ROW_ITEMS - 1);
    const int nrows = data->batch * data->npieces * data->src.channels, channels = data->src.channels;
    const int row = nrows - 1 - ((int)get_group_id(0) * ROWS + id / ROW_ITEMS);
    const piece_t p = piece_of(data, row, nrows, src + src_off, diff_dst + diff_dst_off, ws + ws_off);
    parts += parts_off + p.c;
    const float mean = parts[0], factor = parts[channels];
    const float slope = parts[2L * channels], rest = parts[3L * channels];
    diff_src += diff_src_off + p.diff_src_at;
#if WITH_ADDEND
    diff_src1 += diff_src1_off + p.src_at;
#endif
    const int end = ARE_ALIGNED(DIFF_SRC_T, VEC, diff_src, 0) ? vector_elems(&p) : 0;
    const int step = ROW_ITEMS * VEC;
    int i = item * VEC;
    // diff_src may be diff_dst: what is loaded ahead of a store is this work-item's own.
    for (; i < end; i += AT_ONCE * step) {
        floatv x[AT_ONCE], y[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            const int at = min(i + k * step, end - VEC);
            x[k] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, p.src + at), 0);
            y[k] = gradients_at(AS_ALIGNED(DIFF_DST_T, VEC, p.diff_dst + at), p.ws, 0, at);
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            const int at = i + k * step;
            if (at >= end) continue;
            const floatv z = factor * y[k] - slope * (x[k] - mean) - rest;
            VEC_FORM(DIFF_SRC, STORE)(AS_ALIGNED(DIFF_SRC_T, VEC, diff_src + at), 0, z);
#if WITH_ADDEND
            SRC_STOREV(diff_src1, at, y[k]);
#endif
        }
    }
    for (i = end + item; i < p.n; i += AT_ONCE * ROW_ITEMS) {
        float x[AT_ONCE], y[AT_ONCE];
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            const int at = min(i + k * ROW_ITEMS, p.n - 1);
            x[k] = SRC_LOAD(p.src, at);
            y[k] = gradient_at(p.diff_dst, p.ws, at, at);
        }
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            const int at = i + k * ROW_ITEMS;
            if (at >= p.n) continue;
            DIFF_SRC_STORE(diff_src, at, factor * y[k] - slope * (x[k] - mean) - rest);
#if WITH_ADDEND
            SRC_STORE(diff_src1, at, y[k]);
#endif
        }
    }
}
