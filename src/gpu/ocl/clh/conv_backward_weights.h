// SPDX-License-Identifier: Apache-2.0
// The gradient of a convolution's weights as an implicit matrix product: what pixels and columns are, which elements
// of diff_dst and src meet in them, and where sums go. K counts the pixels of diff_dst (N·out…); a column is an input
// channel under a tap.
//
//     const pixel_t pixel = pixel_at(data, k);
//     const column_t column = column_at(data, n);
//     diff_dst[pixel.dst_off + m·dst_c]  is multiplied by
//     src[pixel.src_off + column.off]    if meets(data, &pixel, &column), else by zero
//
// Host side: ocl_conv_backward_weights.h.
// -D: BY_TAP (columns run over taps and, within a tap, channels; else the other way round), HAS_DEPTH (three spatial
// dimensions), INSIDE (no tap of any pixel lies outside src), LINEAR (pixels are equally far from each other in
// diff_dst and in src, whatever the image; needs INSIDE).
#ifndef CLH_CONV_BACKWARD_WEIGHTS_H
#define CLH_CONV_BACKWARD_WEIGHTS_H

#include "clh/divide.h"
#include "clh/shared/conv_backward_weights_data.h"

#if !defined(BY_TAP) || !defined(HAS_DEPTH) || !defined(INSIDE) || !defined(LINEAR)
#error "clh/conv_backward_weights.h needs BY_TAP, HAS_DEPTH, INSIDE, LINEAR"
#endif

typedef __constant const ocl_conv_backward_weights_data_t *sizes_t;

#define FIRST_AXIS (HAS_DEPTH ? 0 : 1)

typedef struct {
    int dst_off;          // of its first channel in diff_dst
    int src_off;          // of the position in src under the tap (0, 0, 0)
    int at[NSPATIAL];     // that position
    bool exists;          // there are so many
} pixel_t;

typedef struct {
    int off;          // what it adds to the offset in src
    int at[NSPATIAL]; // and to the position
} column_t;

static inline pixel_t pixel_at(sizes_t data, int k)
{
    pixel_t pixel;
    pixel.exists = k < data->npixels;
    k = pixel.exists ? k : 0;
#if LINEAR
    pixel.dst_off = k * data->dst_s[2];
    pixel.src_off = k * data->src_s[2];
    for (int s = 0; s < NSPATIAL; ++s) pixel.at[s] = 0;
#else
    pixel.dst_off = pixel.src_off = 0;
    for (int s = NSPATIAL - 1; s >= 0; --s) {
        pixel.at[s] = 0;
        if (s < FIRST_AXIS) continue;
        const int out = divide_off(&k, data->out[s]);
        pixel.at[s] = out * data->stride[s] - data->pad[s];
        pixel.dst_off += out * data->dst_s[s];
        pixel.src_off += pixel.at[s] * data->src_s[s];
    }
    pixel.dst_off += k * data->dst_n;
    pixel.src_off += k * data->src_n;
#endif
    return pixel;
}

// The channel and the taps of a column.
static inline int4 parts_of(sizes_t data, int n)
{
    int4 parts = (int4)(0);
#if BY_TAP
    parts.s3 = divide_off(&n, data->ic);
    parts.s2 = divide_off(&n, data->taps[2]);
    parts.s1 = divide_off(&n, data->taps[1]);
    parts.s0 = n;
#else
    parts.s2 = divide_off(&n, data->taps[2]);
    parts.s1 = divide_off(&n, data->taps[1]);
    parts.s0 = divide_off(&n, data->taps[0]);
    parts.s3 = n;
#endif
    return parts;
}

static inline column_t column_at(sizes_t data, int n)
{
    const int4 parts = parts_of(data, n);
    column_t column;
    column.at[0] = parts.s0 * data->dilation[0];
    column.at[1] = parts.s1 * data->dilation[1];
    column.at[2] = parts.s2 * data->dilation[2];
    column.off = parts.s3 * data->src_c;
    for (int s = FIRST_AXIS; s < NSPATIAL; ++s) column.off += column.at[s] * data->src_s[s];
    return column;
}

// Whether the column's tap of the pixel is an element of src.
static inline bool meets(sizes_t data, const pixel_t *pixel, const column_t *column)
{
    bool is_inside = pixel->exists;
#if !INSIDE
    for (int s = FIRST_AXIS; s < NSPATIAL; ++s)
        is_inside = is_inside & ((uint)(pixel->at[s] + column->at[s]) < (uint)data->in[s]);
#endif
    return is_inside;
}

// Offset of channel m of group g and a column in diff_weights.
static inline long weight_off(sizes_t data, int g, int m, int n)
{
    const int4 parts = parts_of(data, n);
    return g * data->wei_g + m * data->wei_o + parts.s3 * data->wei_i + parts.s0 * data->wei_s[0] +
           parts.s1 * data->wei_s[1] + parts.s2 * data->wei_s[2];
}

#endif
