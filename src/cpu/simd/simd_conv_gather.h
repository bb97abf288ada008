// SPDX-License-Identifier: Apache-2.0
// The operands of a convolution as a matrix product: source values under the taps and weights, put
// into the panels of the product.
#ifndef PRIM_CPU_SIMD_CONV_GATHER_H
#define PRIM_CPU_SIMD_CONV_GATHER_H

#include "common/conv_shape.h"
#include "simd_gemm.h"

/// How the weights are read.
typedef enum {
    SIMD_WEI_PANELS, ///< blocked by the product's nr columns, taps before input channels
    SIMD_WEI_WORDS,  ///< so are words, as the product takes them
    SIMD_WEI_LINEAR, ///< depth elements are at a constant distance
    SIMD_WEI_TAPS,   ///< those of the input channels of each tap are
} simd_conv_weights_t;

/// One execution. The depth of the product runs over taps and the words of input channels: p =
/// tap·tap_words + word, or word·taps + tap if `channels_lead`. Words of several elements end with
/// a tap, are read by taps, and their channels are contiguous in src.
typedef struct {
    conv_shape_t shape; ///< merged taps are one, and ic is that of all of them
    prim_dim_t merged_taps;
    simd_gemm_word_t word;
    prim_dim_t npixels, ntaps; ///< output positions of an image; taps
    prim_dim_t tap_words;      ///< of ic channels
    bool channels_lead;
    const void *src, *wei; ///< offset0 added
    prim_data_type_t src_dt, wei_dt;
    /// Zero point of src, a value of its type. Words of bytes keep it, and have it in the padding;
    /// floats are gathered without it.
    int src_zero;
    bool flips_src;            ///< words of bytes: s8 of src become u8 of the value + 128
    prim_dim_t src_strides[5]; ///< n, c, d, h, w
    prim_dim_t wei_strides[6]; ///< g, o, i, d, h, w; o of a panel for SIMD_WEI_PANELS
    simd_conv_weights_t weights;
    prim_dim_t wei_down; ///< distance of depth elements for SIMD_WEI_LINEAR
} simd_conv_t;

/// One product of it.
typedef struct {
    const simd_conv_t *conv;
    prim_dim_t first_pixel; ///< counted over all images
    prim_dim_t group;
} simd_conv_part_t;

/// Sources of the pixels i0..i0+ni for the depth p0..p0+np as panels [ceil(ni/width)][np][width],
/// zeros beyond ni; outside src zeros too, in bytes their zero point.
void prim__simd_conv_gather(const simd_conv_part_t *part, prim_dim_t i0, prim_dim_t ni,
        prim_dim_t p0, prim_dim_t np, int width, float *panels);

/// The same words by rows: word p0 + p of pixel i0 + i at rows[i*step + p].
void prim__simd_conv_gather_rows(const simd_conv_part_t *part, prim_dim_t i0, prim_dim_t ni,
        prim_dim_t p0, prim_dim_t np, float *rows, prim_dim_t step);

/// Weights of the output channels o0..o0+no of the group, in the same form.
void prim__simd_conv_gather_weights(const simd_conv_part_t *part, prim_dim_t o0, prim_dim_t no,
        prim_dim_t p0, prim_dim_t np, int width, float *panels);

#endif
