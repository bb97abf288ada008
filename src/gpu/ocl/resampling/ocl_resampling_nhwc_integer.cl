// SPDX-License-Identifier: Apache-2.0
// Resampling by integer factors where channels are innermost (NHWC, nChw16c), for GPUs: a work-item computes
// ROWS × COLS blocks of outputs of one vector of channels and loads what they share once. For nearest it computes
// one column of blocks, so that adjacent work-items store adjacent vectors.
//
//   data           shapes and strides; src and dst have the same channel blocks
//   src, src_off   [N, C, D, IH, IW] of SRC_T by data->src; padded channels hold zeros
//   dst, dst_off   [N, C, D, OH, OW] of DST_T by data->dst; padded channels become 0
// Grid: x ≥ data->nitems. Numerics: weights and sums f32, along the width first.
// -D: SRC, DST (prim__ocl_options_type()), VEC, LINEAR, SCALE_H, SCALE_W (1 to 4), ROWS, COLS
// (1 for nearest).
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(VEC) || !defined(LINEAR)
#error "ocl_resampling_nhwc_integer needs SRC, DST, VEC, LINEAR"
#endif
#if !defined(SCALE_H) || !defined(SCALE_W) || !defined(ROWS) || !defined(COLS)
#error "ocl_resampling_nhwc_integer needs SCALE_H, SCALE_W, ROWS, COLS"
#endif

#include "clh/always_inline.h"
#include "clh/resampling_scale.h"

#define SRC_ROWS (ROWS + MORE(SCALE_H))
#define SRC_COLS (COLS + MORE(SCALE_W))

#if LINEAR
#define DST_COLS (COLS * SCALE_W)
#else
#define DST_COLS 1
#endif

// Blocks h … h + ROWS − 1 and w … w + COLS − 1 of a plane, outputs from column dst_w on.
ALWAYS_INLINE void make_blocks(__constant const ocl_scale_data_t *data,
        __global const SRC_T *src, __global DST_T *dst, int h, int w, int dst_w,
        bool is_aligned)
{
    floatv x[SRC_ROWS][SRC_COLS];
#pragma unroll
    for (int i = 0; i < SRC_ROWS; ++i) {
        const int row = clamp(h + i, 0, data->in_h - 1) * data->src.h;
#pragma unroll
        for (int j = 0; j < SRC_COLS; ++j) {
            const int off = row + clamp(w + j, 0, data->in_w - 1) * data->src.w;
            x[i][j] = is_aligned ? SRC_LOADV(AS_ALIGNED(SRC_T, VEC, src + off), 0)
                                 : SRC_LOADV(src, off);
        }
    }
#pragma unroll
    for (int i = 0; i < ROWS * SCALE_H; ++i) {
        const int above = i / SCALE_H, y = (h * SCALE_H + MIDDLE(SCALE_H)) + i;
        const int below = min(above + 1, SRC_ROWS - 1);
        if (y < 0 || y >= data->out_h) continue;
#pragma unroll
        for (int j = 0; j < DST_COLS; ++j) {
            const int left = j / SCALE_W, z = dst_w + j;
            const int right = min(left + 1, SRC_COLS - 1);
            if (z < 0 || z >= data->out_w) continue;
            const float share = SHARE(SCALE_W, j % SCALE_W);
            const floatv value = between(between(x[above][left], x[above][right], share),
                    between(x[below][left], x[below][right], share), SHARE(SCALE_H, i % SCALE_H));
            const int off = y * data->dst.h + z * data->dst.w;
            if (is_aligned)
                DST_STOREV(AS_ALIGNED(DST_T, VEC, dst + off), 0, value);
            else
                DST_STOREV(dst, off, value);
        }
    }
}

__kernel void resampling_nhwc_integer(__constant const ocl_scale_data_t *data,
        __global const SRC_T *src, long src_off, __global DST_T *dst, long dst_off)
{
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int c = split_digit(&index, &data->vecs) * VEC;
    const int piece = split_digit(&index, &data->pieces);
#if LINEAR
    const int w = piece * COLS + FIRST_BLOCK(SCALE_W), dst_w = w * SCALE_W + MIDDLE(SCALE_W);
#else
    const int w = piece / SCALE_W, dst_w = piece;
#endif
    const int h = split_digit(&index, &data->bands) * ROWS + FIRST_BLOCK(SCALE_H);
    const int d = split_digit(&index, &data->depth);
    const int block = split_digit(&index, &data->blocks), n = index;
    src += src_off + (n * data->src.n + block * data->src.block + d * data->src.d + c);
    dst += dst_off + (n * data->dst.n + block * data->dst.block + d * data->dst.d + c);
    if (ARE_ALIGNED(SRC_T, VEC, src, data->src.h | data->src.w)
            && ARE_ALIGNED(DST_T, VEC, dst, data->dst.h | data->dst.w))
        make_blocks(data, src, dst, h, w, dst_w, true);
    else
        make_blocks(data, src, dst, h, w, dst_w, false);
}
