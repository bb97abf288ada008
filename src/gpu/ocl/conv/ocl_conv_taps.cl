// SPDX-License-Identifier: Apache-2.0
// Sums of the products of single taps (ocl_conv_taps.h): an element of the result adds, for each tap, the product at the
// position that the tap brings there.
//
//   sizes              by value: no load precedes their first use
//   products, products_off   [N, channels, KD, KH, KW, in…] f32, contiguous
//   bia, bia_off       [channels], BIA_T, or null if !HAS_BIAS
//   dst, dst_off       [N, channels, out…] by strides, DST_T: dst, or diff_src if BACKWARD
//   POST_OPS           any
// Grid: x ≥ data->nelems. Limited by the bandwidth of the products, each of which is read once.
// Numerics: f32, tap by tap.
// -D: DST, BIA, HAS_BIAS, HAS_QUANT = 0; HAS_DEPTH: 0: depth is one element; STRIDED: 0: all strides are 1; BACKWARD: tap k brings y to (y + pad − k·dilation)/stride where that is whole, else
//   to y·stride − pad + k·dilation.
#if !defined(BACKWARD) || !defined(STRIDED) || !defined(HAS_DEPTH)
#error "ocl_conv_taps needs BACKWARD, STRIDED, HAS_DEPTH"
#endif
#if !defined(DST_DT) || !defined(BIA_DT) || !defined(HAS_BIAS)
#error "ocl_conv_taps needs DST, BIA, HAS_BIAS"
#endif

#include "clh/always_inline.h"
#include "clh/conv_epilogue.h"
#include "clh/divide.h"
#include "clh/shared/conv_taps_data.h"

typedef const ocl_conv_taps_data_t *data_t;

// The first tap that meets an element, and the position of the products under it.
typedef struct {
    int tap, at;
} place_t;

ALWAYS_INLINE void place_init(place_t *place, data_t data, const int d, int y)
{
#if BACKWARD && STRIDED
    const int step = data->tap_step[d];
    for (int tap = 0, at = y + data->pad[d]; tap < step && at >= 0; ++tap, at -= data->dilation[d]) {
        place->tap = tap;
        place->at = at;
        if (divide_off(&place->at, data->stride[d]) == 0) return;
    }
    place->tap = data->taps[d]; // none
#else
    place->tap = 0;
    place->at = BACKWARD ? y + data->pad[d] : y * data->stride[d].n - data->pad[d];
#endif
}

ALWAYS_INLINE bool next_tap(place_t *place, data_t data, const int d)
{
    place->tap += data->tap_step[d];
    place->at += data->place_step[d];
    return place->tap < data->taps[d];
}

// Of the taps of one row of a window.
ALWAYS_INLINE float row_sum(data_t data, __global const float *row, int npositions, place_t w)
{
    const int step = data->tap_step[2] * npositions + data->place_step[2];
    float sum = 0.0f;
    row += w.tap * npositions + w.at;
#pragma unroll 4
    for (; w.tap < data->taps[2]; row += step) {
        if (w.at >= 0 && w.at < data->in[2]) sum += *row;
        (void)next_tap(&w, data, 2);
    }
    return sum;
}

// Of the taps of one plane of a window.
ALWAYS_INLINE float plane_sum(data_t data, __global const float *plane, int npositions, place_t h, place_t w)
{
    float sum = 0.0f;
    for (; h.tap < data->taps[1]; (void)next_tap(&h, data, 1)) {
        if (h.at < 0 || h.at >= data->in[1]) continue;
        sum += row_sum(data, plane + h.tap * data->taps[2] * npositions + h.at * data->in[2], npositions, w);
    }
    return sum;
}

__kernel void conv_taps(const ocl_conv_taps_data_t sizes, __global const float *products, long products_off,
        __global const BIA_T *bia, long bia_off, __global DST_T *dst, long dst_off POST_OPS_PARAMS)
{
    data_t data = &sizes;
    CONV_EPILOGUE_DECLARE(epilogue, , bia + bia_off, dst);
    int rest = (int)get_global_id(0);
    if (rest >= data->nelems) return;
    const int x = divide_off(&rest, data->out[2]), y = divide_off(&rest, data->out[1]);
    const int z = HAS_DEPTH ? divide_off(&rest, data->out[0]) : 0, c = divide_off(&rest, data->channels), n = rest;

    const int plane = data->in[2] * data->in[1], npositions = plane * data->in[0], ntaps = data->taps[1] * data->taps[2];
    products += products_off + (n * data->channels.n + c) * data->taps[0] * ntaps * npositions;
    place_t h, w;
    place_init(&h, data, 1, y);
    place_init(&w, data, 2, x);
#if HAS_DEPTH
    float sum = 0.0f;
    place_t d;
    for (place_init(&d, data, 0, z); d.tap < data->taps[0]; (void)next_tap(&d, data, 0)) {
        if (d.at >= 0 && d.at < data->in[0])
            sum += plane_sum(data, products + d.tap * ntaps * npositions + d.at * plane, npositions, h, w);
    }
#else
    const float sum = plane_sum(data, products, npositions, h, w);
#endif
    const long space[NSPATIAL] = {z, y, x};
    long pos[2 + NSPATIAL] = {n, c};
    for (int i = 0; i < data->nspatial; ++i) pos[2 + i] = space[NSPATIAL - data->nspatial + i];
    const long off = dst_off + n * data->dst_n + c * data->dst_c + z * data->dst_s[0] + y * data->dst_s[1] + x * data->dst_s[2];
    DST_STORE(dst, off, conv_finish(&epilogue, sum, pos, off));
}
