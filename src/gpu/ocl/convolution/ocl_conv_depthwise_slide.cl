// SPDX-License-Identifier: Apache-2.0
// Convolution with one filter a channel, for devices whose neighbouring items read neighbouring
// memory at once: an item slides down TH rows and TW columns of one channel of dst, and each element
// of src passes its registers once. Neighbouring items compute neighbouring columns, or channels if
// CHANNELS_RUN.
//
//   data           sizes and strides; channels count elements
//   src, src_off   [N, C, H, W] by strides, SRC_T
//   wei, wei_off   [C, KH, KW] by strides, WEI_T
//   bia, bia_off   [C], BIA_T, or null if !HAS_BIAS
//   dst, dst_off   [N, C, H, W] by strides, DST_T
//   CONV_QUANT     scales and zero points of clh/conv.h
//   POST_OPS       any
// Grid: x ≥ data->nitems. Numerics: f32 fma over the taps, row by row; exact for 8-bit integers and
// at most 256 taps.
// -D: SRC, WEI, BIA, DST, HAS_BIAS, HAS_QUANT (prim__ocl_conv_options()), KH, KW, SH, SW, TH, TW
// (registers are addressed by them, so they are constants), CHANNELS_RUN, those of clh/post_ops.h.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BIA_DT) || !defined(DST_DT)
#error "ocl_conv_depthwise_slide needs SRC, WEI, BIA, DST"
#endif
#if !defined(KH) || !defined(KW) || !defined(SH) || !defined(SW) || !defined(TH) || \
        !defined(TW) || !defined(CHANNELS_RUN) || !defined(HAS_BIAS)
#error "ocl_conv_depthwise_slide lacks an option"
#endif
#if KH * KW > 64 || TH * TW > 16
#error "registers do not hold the window"
#endif

#include "clh/conv_ends.h"

#define ROWS ((TH - 1) * SH + KH) // of src under an item's tile
#define COLUMNS ((TW - 1) * SW + KW)

typedef struct {
    conv_geo_t geo;
    long wei_c, wei_h, wei_w;
    long nitems;
    int channels;
    int nbands, ncolumns; // of TH rows, of TW columns
    int reserved;
    conv_quant_t quant;
} conv_data_t;

// The tile of an item: its first row and column, channel and image.
typedef struct {
    int n, c, h, w;
} place_t;

static inline int split(int *index, int n)
{
    const int quotient = *index / n, rest = *index - quotient * n;
    *index = quotient;
    return rest;
}

static inline place_t place_of(__constant const conv_data_t *data, int item)
{
    place_t place;
#if CHANNELS_RUN
    place.c = split(&item, data->channels);
    place.w = split(&item, data->ncolumns) * TW;
    place.h = split(&item, data->nbands) * TH;
#else
    place.w = split(&item, data->ncolumns) * TW;
    place.h = split(&item, data->nbands) * TH;
    place.c = split(&item, data->channels);
#endif
    place.n = item;
    return place;
}

// Adds what row r of src under the tile gives to the rows of dst that it is under.
static inline void add_row(float sums[TH][TW], const float *x, const float w[KH][KW], int r)
{
#pragma unroll
    for (int kh = 0; kh < KH; ++kh) {
        const int h = (r - kh) / SH;
        if (r < kh || (r - kh) % SH != 0 || h >= TH) continue;
#pragma unroll
        for (int kw = 0; kw < KW; ++kw) {
#pragma unroll
            for (int t = 0; t < TW; ++t) sums[h][t] = fma(x[t * SW + kw], w[kh][kw], sums[h][t]);
        }
    }
}

static inline void slide(float sums[TH][TW], __constant const conv_data_t *data,
        const place_t *place, __global const SRC_T *src, long src_off, const float w[KH][KW])
{
    const int h0 = place->h * SH - data->geo.pad[1], w0 = place->w * SW - data->geo.pad[2];
    src_off += place->n * data->geo.src_n + place->c * data->geo.src_c +
               h0 * data->geo.src_s[1] + w0 * data->geo.src_s[2];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const bool is_row = (uint)(h0 + r) < (uint)data->geo.in[1];
        const long row = src_off + r * data->geo.src_s[1];
        float x[COLUMNS];
#pragma unroll
        for (int j = 0; j < COLUMNS; ++j)
            x[j] = is_row && (uint)(w0 + j) < (uint)data->geo.in[2]
                           ? SRC_LOAD(src, row + j * data->geo.src_s[2])
                           : 0.0f;
        add_row(sums, x, w, r);
    }
}

__kernel void conv_depthwise_slide(__constant const conv_data_t *data, __global const SRC_T *src,
        long src_off, __global const WEI_T *wei, long wei_off, __global const BIA_T *bia,
        long bia_off, __global DST_T *dst, long dst_off CONV_QUANT_PARAMS POST_OPS_PARAMS)
{
    CONV_ENDS_DECLARE(ends, &data->quant, bia + bia_off, dst);
    if ((long)get_global_id(0) >= data->nitems) return;
    const place_t place = place_of(data, (int)get_global_id(0));
    float sums[TH][TW], w[KH][KW];
    wei_off += place.c * data->wei_c;
#pragma unroll
    for (int k = 0; k < KH * KW; ++k)
        w[k / KW][k % KW] =
                WEI_LOAD(wei, wei_off + k / KW * data->wei_h + k % KW * data->wei_w);
#pragma unroll
    for (int k = 0; k < TH * TW; ++k) sums[k / TW][k % TW] = 0.0f;
    slide(sums, data, &place, src, src_off, w);
    dst_off += place.n * data->geo.dst_n + place.c * data->geo.dst_c +
               place.h * data->geo.dst_s[1] + place.w * data->geo.dst_s[2];
#pragma unroll
    for (int k = 0; k < TH * TW; ++k) {
        const int h = place.h + k / TW, column = place.w + k % TW;
        if (h >= data->geo.out[1] || column >= data->geo.out[2]) continue;
        long pos[4] = {place.n, place.c, h, column};
        if (data->geo.nspatial == 1) pos[2] = column;
        const long off = dst_off + k / TW * data->geo.dst_s[1] + k % TW * data->geo.dst_s[2];
        DST_STORE(dst, off, conv_finish(&ends, sums[k / TW][k % TW], pos, off));
    }
}
