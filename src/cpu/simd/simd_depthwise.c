// SPDX-License-Identifier: Apache-2.0
// The weights of a depthwise convolution.
#include "simd_depthwise.h"

#include "simd_float_rows.h"

/// Whether the taps of a channel, and the channels, are neighbours.
static bool has_rows_of_taps(const conv_shape_t *s, const prim_dim_t strides[6])
{
    prim_dim_t expected = 1;
    for (int d = CONV_W; d >= CONV_D; --d) {
        if (s->kernel[d] > 1 && strides[3 + d] != expected) return false;
        expected *= s->kernel[d];
    }
    return strides[0] == expected;
}

bool prim__simd_depthwise_has_window(const conv_shape_t *s)
{
    const prim_dim_t stride = s->stride[CONV_W], pad = s->pad[CONV_W];
    return s->kernel[CONV_D] == 1 && s->kernel[CONV_H] == 3 && s->kernel[CONV_W] == 3 &&
           s->dilation[CONV_W] == 1 && stride <= 2 && pad <= 1 &&
           (s->out[CONV_W] - 1) * stride - pad + 2 <= s->in[CONV_W];
}

void prim__simd_depthwise_weights(float *to, const conv_shape_t *s, const void *wei,
        const prim_memory_desc_t *md, bool is_last)
{
    const prim_dim_t ntaps = prim__conv_taps(s);
    prim_dim_t strides[6];
    prim__conv_weights_strides(strides, md, true);
    if (!is_last && has_rows_of_taps(s, strides)) {
        prim__simd_load_row(to, wei, md->data_type, md->offset0, 1, s->g * ntaps);
        return;
    }
    for (prim_dim_t tap = 0; tap < ntaps; ++tap) {
        prim_dim_t offset = md->offset0, rest = tap;
        for (int d = CONV_W; d >= CONV_D; --d) {
            offset += rest % s->kernel[d] * strides[3 + d];
            rest /= s->kernel[d];
        }
        if (is_last) {
            prim__simd_load_row(to + tap * s->g, wei, md->data_type, offset, strides[0], s->g);
            continue;
        }
        for (prim_dim_t c = 0; c < s->g; ++c)
            prim__simd_load_row(
                    to + c * ntaps + tap, wei, md->data_type, offset + c * strides[0], 1, 1);
    }
}
