// SPDX-License-Identifier: Apache-2.0
// Resampling by integer factors, NCHW with contiguous rows, for GPUs: a work-item computes VEC adjacent outputs of
// ROWS·SCALE_H rows and loads what they share once.
//
//   data           shapes and strides; rows have stride 1
//   src, src_off   [N, C, D, IH, IW] of SRC_T by data->src
//   dst, dst_off   [N, C, D, OH, OW] of DST_T by data->dst
// Grid: x ≥ data->nitems. Numerics: weights and sums f32, along the width first.
// -D: SRC, DST (prim__ocl_options_type()), VEC = 4 or 8, LINEAR, SCALE_H (1 to 4), SCALE_W (1, 2 or
// 4, at most VEC), ROWS.
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(VEC) || !defined(LINEAR)
#error "ocl_resampling_nchw_integer needs SRC, DST, VEC, LINEAR"
#endif
#if !defined(SCALE_H) || !defined(SCALE_W) || !defined(ROWS) || VEC % SCALE_W != 0
#error "ocl_resampling_nchw_integer needs SCALE_H, SCALE_W, ROWS"
#endif

#include "clh/always_inline.h"
#include "clh/resampling_scale.h"

#define SRC_ROWS (ROWS + MORE(SCALE_H))
#define NEXT (LINEAR && SCALE_W > 1 ? 1 : 0) // columns on both sides of those under the work-item
#define COLS (VEC / SCALE_W)

// COLS columns of a row from x[NEXT] on, and their neighbours.
ALWAYS_INLINE void load_row(
        float *x, __global const SRC_T *row, int col, int width, bool is_aligned)
{
#if COLS > 1
    if (is_aligned) {
#if COLS == 2
        const float2 y = SRC_LOAD2(AS_ALIGNED(SRC_T, 2, row + col), 0);
        x[NEXT] = y.s0, x[NEXT + 1] = y.s1;
#elif COLS == 4
        const float4 y = SRC_LOAD4(AS_ALIGNED(SRC_T, 4, row + col), 0);
        x[NEXT] = y.s0, x[NEXT + 1] = y.s1, x[NEXT + 2] = y.s2, x[NEXT + 3] = y.s3;
#else
        const float8 y = SRC_LOAD8(AS_ALIGNED(SRC_T, 8, row + col), 0);
        x[NEXT] = y.s0, x[NEXT + 1] = y.s1, x[NEXT + 2] = y.s2, x[NEXT + 3] = y.s3;
        x[NEXT + 4] = y.s4, x[NEXT + 5] = y.s5, x[NEXT + 6] = y.s6, x[NEXT + 7] = y.s7;
#endif
#if LINEAR && SCALE_W > 1
        x[0] = SRC_LOAD(row, max(col - 1, 0));
        x[1 + COLS] = SRC_LOAD(row, min(col + COLS, width - 1));
#endif
        return;
    }
#endif
    for (int j = 0; j < COLS + 2 * NEXT; ++j)
        x[j] = SRC_LOAD(row, clamp(col + j - NEXT, 0, width - 1));
}

// VEC neighbours along a row.
ALWAYS_INLINE floatv stretch_row(const float *x)
{
    float y[VEC];
    for (int j = 0; j < VEC; ++j) {
        const int k = j % SCALE_W, at = j / SCALE_W + NEXT; // of the element that it belongs to
        const bool is_left = k < MIDDLE(SCALE_W);
        const float a = is_left ? x[at - NEXT] : x[at], b = is_left ? x[at] : x[at + NEXT];
        const float share = SHARE(SCALE_W, is_left ? k + SCALE_W - MIDDLE(SCALE_W) : k - MIDDLE(SCALE_W));
        y[j] = share == 0.0f ? a : (1.0f - share) * a + share * b;
    }
    return vloadv(y);
}

// Blocks of rows h … h + ROWS − 1, outputs w … w + VEC − 1 of them.
ALWAYS_INLINE void make_rows(__constant const ocl_scale_data_t *data,
        __global const SRC_T *src, __global DST_T *dst, int h, int w, bool is_aligned)
{
    float columns[SRC_ROWS][COLS + 2 * NEXT];
#pragma unroll
    for (int i = 0; i < SRC_ROWS; ++i) {
        __global const SRC_T *row = src + clamp(h + i, 0, data->in_h - 1) * data->src.h;
        load_row(columns[i], row, w / SCALE_W, data->in_w, is_aligned);
    }
    floatv x[SRC_ROWS];
#pragma unroll
    for (int i = 0; i < SRC_ROWS; ++i) x[i] = stretch_row(columns[i]);
#pragma unroll
    for (int i = 0; i < ROWS * SCALE_H; ++i) {
        const int above = i / SCALE_H, y = (h * SCALE_H + MIDDLE(SCALE_H)) + i;
        const int below = min(above + 1, SRC_ROWS - 1);
        if (y < 0 || y >= data->out_h) continue;
        const floatv value = between(x[above], x[below], SHARE(SCALE_H, i % SCALE_H));
        __global DST_T *to = dst + y * data->dst.h + w;
        if (is_aligned) {
            DST_STOREV(AS_ALIGNED(DST_T, VEC, to), 0, value);
            continue;
        }
        float values[VEC];
        vstorev(value, values);
#pragma unroll
        for (int j = 0; j < VEC; ++j)
            if (w + j < data->out_w) DST_STORE(to, j, values[j]);
    }
}

__kernel void resampling_nchw_integer(__constant const ocl_scale_data_t *data, __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off)
{
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int w = split_digit(&index, &data->pieces) * VEC;
    const int h = split_digit(&index, &data->bands) * ROWS + FIRST_BLOCK(SCALE_H);
    const int d = split_digit(&index, &data->depth);
    const int block = split_digit(&index, &data->blocks), n = index;
    src += src_off + (n * data->src.n + block * data->src.block + d * data->src.d);
    dst += dst_off + (n * data->dst.n + block * data->dst.block + d * data->dst.d);
    if (w + VEC <= data->out_w && ARE_ALIGNED(SRC_T, COLS, src, data->src.h)
            && ARE_ALIGNED(DST_T, VEC, dst, data->dst.h))
        make_rows(data, src, dst, h, w, true);
    else
        make_rows(data, src, dst, h, w, false);
}
