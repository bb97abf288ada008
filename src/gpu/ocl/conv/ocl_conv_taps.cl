// SPDX-License-Identifier: Apache-2.0
// Sums of the products of single taps (ocl_conv_taps.h): an element of the result adds, for each tap, the product at the
// position that the tap brings there.
//
//   data               sizes
//   products, products_off   [N, channels, KD, KH, KW, in…] f32, contiguous
//   bia, bia_off       [channels], BIA_T, or null if !HAS_BIAS
//   dst, dst_off       [N, channels, out…] by strides, DST_T: dst, or diff_src if BACKWARD
//   POST_OPS           any
// Grid: x ≥ data->nelems. Limited by the bandwidth of the products, each of which is read once.
// Numerics: f32, tap by tap.
// -D: DST, BIA, HAS_BIAS, HAS_QUANT = 0; BACKWARD: tap k brings y to (y + pad − k·dilation)/stride where that is whole, else
//   to y·stride − pad + k·dilation.
#if !defined(BACKWARD) || !defined(DST_DT) || !defined(BIA_DT) || !defined(HAS_BIAS)
#error "ocl_conv_taps needs BACKWARD, DST, BIA, HAS_BIAS"
#endif

#include "clh/always_inline.h"
#include "clh/conv_epilogue.h"
#include "clh/divide.h"
#include "clh/shared/conv_taps_data.h"

// The first tap that meets an element, and the position of the products under it.
typedef struct {
    int tap, at;
} place_t;

ALWAYS_INLINE place_t place_of(__constant const ocl_conv_taps_data_t *data, const int d, int y)
{
#if BACKWARD
    const int step = data->tap_step[d];
    for (int tap = 0, at = y + data->pad[d]; tap < step && at >= 0; ++tap, at -= data->dilation[d]) {
        place_t place = {tap, at};
        if (divide_off(&place.at, data->stride[d]) == 0) return place;
    }
    const place_t none = {data->taps[d], 0};
    return none;
#else
    const place_t place = {0, y * data->stride[d].n - data->pad[d]};
    return place;
#endif
}

ALWAYS_INLINE bool next_tap(place_t *place, __constant const ocl_conv_taps_data_t *data, const int d)
{
    place->tap += data->tap_step[d];
    place->at += data->place_step[d];
    return place->tap < data->taps[d];
}

// Of the taps of one row of a window.
ALWAYS_INLINE float row_sum(__constant const ocl_conv_taps_data_t *data, __global const float *row, int npositions, place_t w)
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

__kernel void conv_sum_taps(__constant const ocl_conv_taps_data_t *data, __global const float *products, long products_off,
        __global const BIA_T *bia, long bia_off, __global DST_T *dst, long dst_off POST_OPS_PARAMS)
{
    CONV_EPILOGUE_DECLARE(epilogue, , bia + bia_off, dst);
    int rest = (int)get_global_id(0);
    if (rest >= data->nelems) return;
    long pos[2 + NSPATIAL];
    int y[NSPATIAL];
    for (int d = NSPATIAL - 1; d >= 0; --d) y[d] = divide_off(&rest, data->out[d]);
    const int c = divide_off(&rest, data->channels);
    pos[0] = rest;
    pos[1] = c;
    long off = dst_off + rest * data->dst_n + c * data->dst_c;
    for (int d = 0; d < NSPATIAL; ++d) off += y[d] * data->dst_s[d];
    for (int d = NSPATIAL - data->nspatial, i = 2; d < NSPATIAL; ++d) pos[i++] = y[d];

    const int row = data->in[2], plane = row * data->in[1], npositions = plane * data->in[0];
    products += products_off + ((long)rest * data->channels.n + c) * data->taps[0] * data->taps[1] * data->taps[2] * npositions;
    const place_t first_h = place_of(data, 1, y[1]), w = place_of(data, 2, y[2]);
    float sum = 0.0f;
    for (place_t d = place_of(data, 0, y[0]); d.tap < data->taps[0]; (void)next_tap(&d, data, 0)) {
        if (d.at < 0 || d.at >= data->in[0]) continue;
        for (place_t h = first_h; h.tap < data->taps[1]; (void)next_tap(&h, data, 1)) {
            if (h.at < 0 || h.at >= data->in[1]) continue;
            const int tap = (d.tap * data->taps[1] + h.tap) * data->taps[2];
            sum += row_sum(data, products + (long)tap * npositions + d.at * plane + h.at * row, npositions, w);
        }
    }
    DST_STORE(dst, off, conv_finish(&epilogue, sum, pos, off));
}
