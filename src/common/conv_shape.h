// SPDX-License-Identifier: Apache-2.0
// The sizes of a convolution by name, with every spatial dimension present: what its
// implementations work from.
#ifndef PRIM_COMMON_CONV_SHAPE_H
#define PRIM_COMMON_CONV_SHAPE_H

#include "impl.h"

/// Spatial triples are in the order depth, height, width; missing dimensions count as one element,
/// a kernel of 1, stride 1 and no padding.
enum { CONV_D, CONV_H, CONV_W, CONV_NSPATIAL };

typedef struct {
    int nspatial;      ///< spatial dimensions of the tensors, 1..3
    bool has_groups;   ///< the weights have a group dimension, be it 1
    prim_dim_t mb, g;  ///< images, groups
    prim_dim_t ic, oc; ///< channels of one group
    prim_dim_t in[CONV_NSPATIAL], out[CONV_NSPATIAL], kernel[CONV_NSPATIAL];
    prim_dim_t stride[CONV_NSPATIAL];
    prim_dim_t dilation[CONV_NSPATIAL]; ///< distance between taps, 1 is dense
    prim_dim_t pad[CONV_NSPATIAL];      ///< zeros in front; those behind follow from `out`
} conv_shape_t;

/// Of any direction: `ic`, `in` belong to src and its gradient, `oc`, `out` to dst and its
/// gradient.
void prim__conv_shape(conv_shape_t *shape, const prim_desc_t *pd);

/// The descriptor of SRC, WEIGHTS, BIAS or DST, or of its gradient in a backward pass without it.
const prim_memory_desc_t *prim__conv_md(const prim_desc_t *pd, int arg);

/// Declines a problem that asks for Winograd's algorithm, and resolves `auto` to direct: what the
/// implementations that sum products directly do first in init_pd.
prim_status_t prim__conv_take_direct(prim_desc_t *pd);

/// Declines a gradient by src to which a bias is added: a nested one, of a deconvolution.
prim_status_t prim__conv_require_no_bias(prim_desc_t *pd);

/// kernel[0]·kernel[1]·kernel[2], and the same of the output.
prim_dim_t prim__conv_taps(const conv_shape_t *shape);
prim_dim_t prim__conv_out_elems(const conv_shape_t *shape);

/// Gives src and dst (or their gradients) of layout `any` that of the other, or, if both are open,
/// row-major order; weights and bias of layout `any` become row-major.
prim_status_t prim__conv_set_row_major(prim_desc_t *pd);
/// Gives src and dst (or their gradients) of layout `any` that of the other, or, if both are open,
/// channels last (NHWC).
prim_status_t prim__conv_set_channels_last(prim_desc_t *pd);
/// Gives weights (or their gradient) of layout `any` the input channels innermost, behind the taps.
prim_status_t prim__conv_set_weights_channels_last(prim_desc_t *pd);

/// Every tap is 1 element wide, strides are 1 and nothing is padded: a matrix product over pixels.
bool prim__conv_is_pointwise(const conv_shape_t *shape);

/// Element strides of a plain [N, C, spatial…] tensor in the order n, c, d, h, w (0 for missing
/// ones), and of plain weights in the order g, o, i, d, h, w.
void prim__conv_data_strides(prim_dim_t strides[5], const prim_memory_desc_t *md);
void prim__conv_weights_strides(
        prim_dim_t strides[6], const prim_memory_desc_t *md, bool has_groups);

/// The first and one past the last output position o in 0..out of a spatial dimension for which the
/// tap's input position o·stride + tap·dilation − pad lies inside the source; first ≤ last.
void prim__conv_valid_range(
        const conv_shape_t *shape, int dim, prim_dim_t tap, prim_dim_t *first, prim_dim_t *last);

#endif
