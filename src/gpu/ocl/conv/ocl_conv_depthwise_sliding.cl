// SPDX-License-Identifier: Apache-2.0
// Depthwise convolution for GPUs, limited by the bandwidth of src and dst. A work-item computes TH rows ×
// TW columns of VEC channels of dst; its window slides down the rows, so that each element of src is loaded
// into its registers once. Neighbouring work-items take neighbouring columns (NCHW) or, if CHANNELS_RUN,
// channels (NHWC), so that accesses are coalesced. Without CHANNELS_RUN and with TW > 1 the columns of a
// work-item are loaded and stored as vectors.
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
// (registers are addressed by them, so they are constants), CHANNELS_RUN, VEC, those of clh/post_ops.h.
// VEC > 1 needs CHANNELS_RUN; channels, and strides but those of channels are multiples of it, and
// WEI_RUN says whether channels of weights have stride 1 and their taps multiples of it.
// With vectors of columns: TW 2 or 4, SW 1 or 2, PW (padding on the left, below KW), MIDDLE = SW·TW,
// RAGGED = 0; columns of src and dst have stride 1, all other strides are multiples of SW·TW and of TW, as
// is the width of dst, and SW times it is not above that of src.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BIA_DT) || !defined(DST_DT)
#error "ocl_conv_depthwise_sliding needs SRC, WEI, BIA, DST"
#endif
#if !defined(KH) || !defined(KW) || !defined(SH) || !defined(SW) || !defined(TH) || \
        !defined(TW) || !defined(CHANNELS_RUN) || !defined(HAS_BIAS) || !defined(VEC)
#error "ocl_conv_depthwise_sliding lacks an option"
#endif
#if KH * KW * VEC > 64 || TH * TW * VEC > 64
#error "registers do not hold the window"
#endif
#if VEC > 1 && (!CHANNELS_RUN || !defined(WEI_RUN))
#error "vectors of channels need channels side by side"
#endif
#if VEC == 1
#define WEI_RUN 0
#endif

#include "clh/channels.h"
#include "clh/conv_epilogue.h"
#include "clh/shared/conv_depthwise_sliding_data.h"
#include "clh/vec.h"
#include "clh/window_columns.h"

#define ROWS ((TH - 1) * SH + KH) // of src under a work-item's tile
#define COLUMNS ((TW - 1) * SW + KW)
#define COLUMN_VECTORS (!CHANNELS_RUN && TW > 1)
#if COLUMN_VECTORS && !defined(MIDDLE)
#error "ocl_conv_depthwise_sliding needs MIDDLE and PW for vectors"
#endif

// Elements of src and of weights that are loaded at once.
#if COLUMN_VECTORS
#define SRC_VEC (SW * TW)
#define SLIDE slide_columns
#else
#define SRC_VEC VEC
#define SLIDE slide
#endif
#define WEI_VEC (WEI_RUN ? VEC : 1)

// The tile of a work-item: its first row and column, first channel, and image.
typedef struct {
    int n, c, h, w;
} place_t;

static inline place_t place_of(__constant const ocl_conv_depthwise_sliding_data_t *data, int item)
{
    place_t place;
#if CHANNELS_RUN
    place.c = split_digit(&item, &data->channels) * VEC;
    place.w = split_digit(&item, &data->columns) * TW;
    place.h = split_digit(&item, &data->bands) * TH;
#else
    place.w = split_digit(&item, &data->columns) * TW;
    place.h = split_digit(&item, &data->bands) * TH;
    place.c = split_digit(&item, &data->channels);
#endif
    place.n = item;
    return place;
}

// Adds what row r of src under the tile gives to the rows of dst that it is under.
static inline void add_row(floatv sums[TH][TW], const floatv *x, const floatv w[KH][KW], int r)
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

// One tap of the work-item's channels.
static inline floatv load_weights(
        __constant const ocl_conv_depthwise_sliding_data_t *data, __global const WEI_T *wei, bool are_aligned)
{
#if VEC == 1
    return WEI_LOAD(wei, 0);
#else
#if WEI_RUN
    if (are_aligned) return WEI_LOADV(AS_ALIGNED(WEI_T, VEC, wei), 0);
#endif
    float x[VEC];
#pragma unroll
    for (int i = 0; i < VEC; ++i) x[i] = WEI_LOAD(wei, i * data->wei_c);
    return vloadv(x);
#endif
}

// Output (h, w) of the work-item, tap by tap: where src or the weights are not aligned to vectors.
static floatv sum_one(__constant const ocl_conv_depthwise_sliding_data_t *data, const place_t *place,
        __global const SRC_T *src, __global const WEI_T *wei, int h, int w)
{
    const int h0 = (place->h + h) * SH - data->geo.pad[1];
    const int w0 = (place->w + w) * SW - data->geo.pad[2];
    floatv sum = 0.0f;
#pragma unroll 1
    for (int i = max(-h0, 0); i < min(KH, data->geo.in[1] - h0); ++i)
#pragma unroll 1
        for (int j = max(-w0, 0); j < min(KW, data->geo.in[2] - w0); ++j)
            sum = fma(SRC_LOADV(src, (h0 + i) * data->geo.src_s[1] + (w0 + j) * data->geo.src_s[2]),
                    load_weights(data, wei + (i * data->wei_h + j * data->wei_w), false), sum);
    return sum;
}

#if COLUMN_VECTORS

// All loads are unconditional, so that they are in flight together.
static inline void slide_columns(float sums[TH][TW], __constant const ocl_conv_depthwise_sliding_data_t *data,
        const place_t *place, __global const SRC_T *src, const float w[KH][KW])
{
    const int h0 = place->h * SH - data->geo.pad[1], col = place->w * SW;
    const int height = data->geo.in[1], width = data->geo.in[2], step = (int)data->geo.src_s[1];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int h = clamp(h0 + r, 0, height - 1);
        __global const SRC_T *row = src + h * step;
        float x[WINDOW_COLUMNS];
        load_columns(x, row, col, width, false);
        for (int j = 0; j < WINDOW_COLUMNS; ++j) x[j] = h == h0 + r ? x[j] : 0.0f;
        add_row(sums, x, w, r);
    }
}

static inline void store_row(__global DST_T *dst, const float *x)
{
#if TW == 2
    DST_STORE2(dst, 0, (float2)(x[0], x[1]));
#else
    DST_STORE4(dst, 0, (float4)(x[0], x[1], x[2], x[3]));
#endif
}

#else

// All loads are unconditional, so that they are in flight together.
static inline void slide(floatv sums[TH][TW], __constant const ocl_conv_depthwise_sliding_data_t *data,
        const place_t *place, __global const SRC_T *src, const floatv w[KH][KW])
{
    const int h0 = place->h * SH - data->geo.pad[1], w0 = place->w * SW - data->geo.pad[2];
    const int height = data->geo.in[1], width = data->geo.in[2];
    const int down = (int)data->geo.src_s[1], right = (int)data->geo.src_s[2];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int h = clamp(h0 + r, 0, height - 1);
        floatv x[COLUMNS];
#pragma unroll
        for (int j = 0; j < COLUMNS; ++j) {
            const int col = clamp(w0 + j, 0, width - 1);
            x[j] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, src + (h * down + col * right)), 0);
            x[j] = h == h0 + r && col == w0 + j ? x[j] : 0.0f;
        }
        add_row(sums, x, w, r);
    }
}

#endif

// Element k of the tile, from its first one.
static inline long offset_of(__constant const ocl_conv_depthwise_sliding_data_t *data, int k)
{
    return k / TW * data->geo.dst_s[1] + k % TW * data->geo.dst_s[2];
}

static inline bool are_aligned(__global const SRC_T *src, __global const WEI_T *wei)
{
    const bool is_src = ARE_ALIGNED(SRC_T, SRC_VEC, src, 0);
    const bool are_weights = WEI_VEC == 1 || ARE_ALIGNED(WEI_T, WEI_VEC, wei, 0);
    return is_src && are_weights;
}

static inline bool is_there(__constant const ocl_conv_depthwise_sliding_data_t *data, const place_t *place, int k)
{
    return place->h + k / TW < data->geo.out[1] && place->w + k % TW < data->geo.out[2];
}

// Its value, which goes to dst[off].
static inline floatv finish(const conv_epilogue_t *epilogue,
        __constant const ocl_conv_depthwise_sliding_data_t *data,
        const place_t *place, floatv sums, int k, long off)
{
    long pos[4] = {place->n, place->c, place->h + k / TW, place->w + k % TW};
    if (data->geo.nspatial == 1) pos[2] = place->w + k % TW;
    float x[VEC];
    vstorev(sums, x);
#pragma unroll
    for (int i = 0; i < VEC; ++i) {
        pos[1] = place->c + i;
        x[i] = conv_finish(epilogue, x[i], pos, off + i);
    }
    return vloadv(x);
}

__kernel void conv_depthwise_sliding(__constant const ocl_conv_depthwise_sliding_data_t *data, __global const SRC_T *src,
        long src_off, __global const WEI_T *wei, long wei_off, __global const BIA_T *bia,
        long bia_off, __global DST_T *dst, long dst_off CONV_QUANT_PARAMS POST_OPS_PARAMS)
{
    CONV_EPILOGUE_DECLARE(epilogue, &data->quant, bia + bia_off, dst);
    if ((long)get_global_id(0) >= data->nitems) return;
    const place_t place = place_of(data, (int)get_global_id(0));
    floatv sums[TH][TW], w[KH][KW];
    wei += wei_off + place.c * data->wei_c;
    dst_off += place.n * data->geo.dst_n + place.c * data->geo.dst_c +
               place.h * data->geo.dst_s[1] + place.w * data->geo.dst_s[2];
    src += src_off + place.n * data->geo.src_n + place.c * data->geo.src_c;
    if (!are_aligned(src, wei)) {
#pragma unroll 1
        for (int k = 0; k < TH * TW; ++k) {
            if (!is_there(data, &place, k)) continue;
            const floatv sum = sum_one(data, &place, src, wei, k / TW, k % TW);
            const long off = dst_off + offset_of(data, k);
            DST_STOREV(dst, off, finish(&epilogue, data, &place, sum, k, off));
        }
        return;
    }
#pragma unroll
    for (int k = 0; k < KH * KW; ++k)
        w[k / KW][k % KW] =
                load_weights(data, wei + (k / KW * data->wei_h + k % KW * data->wei_w), true);
#pragma unroll
    for (int k = 0; k < TH * TW; ++k) sums[k / TW][k % TW] = 0.0f;
    SLIDE(sums, data, &place, src, w);
#pragma unroll
    for (int k = 0; k < TH * TW; ++k) {
        if (!is_there(data, &place, k)) continue;
        const long off = dst_off + offset_of(data, k);
        sums[k / TW][k % TW] = finish(&epilogue, data, &place, sums[k / TW][k % TW], k, off);
        if (!COLUMN_VECTORS) DST_STOREV(dst, off, sums[k / TW][k % TW]);
    }
#if COLUMN_VECTORS
#pragma unroll
    for (int r = 0; r < TH; ++r)
        if (place.h + r < data->geo.out[1]) store_row(dst + dst_off + r * data->geo.dst_s[1], sums[r]);
#endif
}
