// SPDX-License-Identifier: Apache-2.0
// The gradient of a depthwise convolution by src on GPUs, limited by the bandwidth of diff_dst and diff_src. A
// work-item computes TH rows × TW columns of VEC channels of diff_src; it slides down the rows of diff_dst whose windows
// meet them, so that each element of diff_dst is loaded into its registers once. Neighbouring work-items take
// neighbouring columns (NCHW) or, if CHANNELS_RUN, channels (NHWC), so that accesses are coalesced. Tiles start where
// row + pad_h and column + pad_w are multiples of the strides, so that all work-items meet the same taps.
//
//   data                     sizes and strides
//   diff_dst, diff_dst_off   [N, C, OH, OW] by strides, DIFF_DST_T
//   wei, wei_off             [C, KH, KW] by strides, WEI_T
//   diff_src, diff_src_off   [N, C, H, W] by strides, DIFF_SRC_T
// Grid: x ≥ data->nitems. Numerics: f32 fma, row by row of diff_dst.
// -D: DIFF_DST, WEI, DIFF_SRC, KH, KW, SH, SW, TH, TW (multiples of SH and SW; registers are addressed by them, so they
// are constants), CHANNELS_RUN, VEC (above 1 only with CHANNELS_RUN; channels, and strides of diff_dst and diff_src but
// those of channels are multiples of it).
#if !defined(DIFF_DST_DT) || !defined(WEI_DT) || !defined(DIFF_SRC_DT)
#error "ocl_conv_backward_data_depthwise needs DIFF_DST, WEI, DIFF_SRC"
#endif
#if !defined(KH) || !defined(KW) || !defined(SH) || !defined(SW) || !defined(TH) || !defined(TW) || \
        !defined(CHANNELS_RUN) || !defined(VEC)
#error "ocl_conv_backward_data_depthwise lacks an option"
#endif
#if TH % SH || TW % SW
#error "tiles are whole strides"
#endif
#if KH * KW * VEC > 64 || TH * TW * VEC > 64
#error "registers do not hold the window"
#endif
#if VEC > 1 && !CHANNELS_RUN
#error "vectors of channels need channels side by side"
#endif

#include "clh/channels.h"
#include "clh/shared/conv_backward_data_depthwise_data.h"
#include "clh/vec.h"

// Rows and columns of diff_dst in front of a tile whose windows reach it, and all that do.
#define ROWS_BEFORE ((KH - 1) / SH)
#define COLUMNS_BEFORE ((KW - 1) / SW)
#define ROWS (ROWS_BEFORE + (TH - 1) / SH + 1)
#define COLUMNS (COLUMNS_BEFORE + (TW - 1) / SW + 1)

typedef __constant const ocl_conv_backward_data_depthwise_data_t *data_t;

// The tile of a work-item: image, first channel, first row and column with their padding.
typedef struct {
    int n, c, h, w;
} place_t;

static inline place_t place_of(data_t data, int item)
{
    place_t place;
#if CHANNELS_RUN
    place.c = split_digit(&item, &data->channels) * VEC;
    place.w = split_digit(&item, &data->columns);
    place.h = split_digit(&item, &data->bands);
#else
    place.w = split_digit(&item, &data->columns);
    place.h = split_digit(&item, &data->bands);
    place.c = split_digit(&item, &data->channels);
#endif
    place.h = place.h * TH + data->pad_h / SH * SH;
    place.w = place.w * TW + data->pad_w / SW * SW;
    place.n = item;
    return place;
}

// Adds what row r of diff_dst, ROWS_BEFORE in front of the tile, gives to the rows of the tile.
static inline void add_row(floatv sums[TH][TW], const floatv *x, const floatv w[KH][KW], int r)
{
#pragma unroll
    for (int h = 0; h < TH; ++h) {
        const int kh = h - (r - ROWS_BEFORE) * SH;
        if (kh < 0 || kh >= KH) continue;
#pragma unroll
        for (int col = 0; col < TW; ++col) {
#pragma unroll
            for (int j = 0; j < COLUMNS; ++j) {
                const int kw = col - (j - COLUMNS_BEFORE) * SW;
                if (kw >= 0 && kw < KW) sums[h][col] = fma(x[j], w[kh][kw], sums[h][col]);
            }
        }
    }
}

static inline floatv load_diff(__global const DIFF_DST_T *p, bool is_aligned)
{
    return is_aligned ? VEC_FORM(DIFF_DST, LOAD)(AS_ALIGNED(DIFF_DST_T, VEC, p), 0) : VEC_FORM(DIFF_DST, LOAD)(p, 0);
}

// All loads are unconditional, so that they are in flight together.
static inline void slide(floatv sums[TH][TW], data_t data, const place_t *place, __global const DIFF_DST_T *diff_dst,
        const floatv w[KH][KW])
{
    const bool is_aligned = VEC == 1 || ARE_ALIGNED(DIFF_DST_T, VEC, diff_dst, 0);
    const int h0 = place->h / SH - ROWS_BEFORE, w0 = place->w / SW - COLUMNS_BEFORE;
    const int down = (int)data->dst_h, right = (int)data->dst_w;
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int h = clamp(h0 + r, 0, data->out_h - 1);
        floatv x[COLUMNS];
#pragma unroll
        for (int j = 0; j < COLUMNS; ++j) {
            const int col = clamp(w0 + j, 0, data->out_w - 1);
            x[j] = load_diff(diff_dst + (h * down + col * right), is_aligned);
            x[j] = h == h0 + r && col == w0 + j ? x[j] : 0.0f;
        }
        add_row(sums, x, w, r);
    }
}

static inline floatv load_weights(data_t data, __global const WEI_T *wei)
{
    float x[VEC];
#pragma unroll
    for (int i = 0; i < VEC; ++i) x[i] = WEI_LOAD(wei, i * data->wei_c);
    return vloadv(x);
}

__kernel void conv_backward_data_depthwise(data_t data, __global const DIFF_DST_T *diff_dst, long diff_dst_off,
        __global const WEI_T *wei, long wei_off, __global DIFF_SRC_T *diff_src, long diff_src_off)
{
    if ((long)get_global_id(0) >= data->nitems) return;
    const place_t place = place_of(data, (int)get_global_id(0));
    floatv sums[TH][TW], w[KH][KW];
    wei += wei_off + place.c * data->wei_c;
    diff_dst += diff_dst_off + place.n * data->dst_n + place.c * data->dst_c;
    diff_src += diff_src_off + place.n * data->src_n + place.c * data->src_c;
#pragma unroll
    for (int k = 0; k < KH * KW; ++k)
        w[k / KW][k % KW] = load_weights(data, wei + (k / KW * data->wei_h + k % KW * data->wei_w));
#pragma unroll
    for (int k = 0; k < TH * TW; ++k) sums[k / TW][k % TW] = 0.0f;
    slide(sums, data, &place, diff_dst, w);
    const bool is_aligned = VEC == 1 || ARE_ALIGNED(DIFF_SRC_T, VEC, diff_src, 0);
#pragma unroll
    for (int k = 0; k < TH * TW; ++k) {
        const int h = place.h + k / TW - data->pad_h, col = place.w + k % TW - data->pad_w;
        if (h < 0 || h >= data->in_h || col < 0 || col >= data->in_w) continue;
        __global DIFF_SRC_T *const to = diff_src + (h * data->src_h + col * data->src_w);
        if (is_aligned)
            VEC_FORM(DIFF_SRC, STORE)(AS_ALIGNED(DIFF_SRC_T, VEC, to), 0, sums[k / TW][k % TW]);
        else
            VEC_FORM(DIFF_SRC, STORE)(to, 0, sums[k / TW][k % TW]);
    }
}
