// SPDX-License-Identifier: Apache-2.0
// A problem as plain data: the operation with its parameters, and the tensors it works on.
#ifndef PRIM_COMMON_OP_DESC_H
#define PRIM_COMMON_OP_DESC_H

#include "prim/prim_types.h"

/// Spatial parameters, one entry for each spatial dimension (depth, height, width order, missing
/// ones at the front left out: a 2-D problem has [0] = height, [1] = width).
typedef struct {
    prim_dims_t strides, dilates, pad_l, pad_r;
    prim_dims_t kernel; ///< pooling only; convolutions read it from the weights
} spatial_params_t;

typedef struct {
    float alpha, beta;
} eltwise_params_t;

typedef struct {
    float epsilon;
    unsigned flags;    ///< prim_normalization_flags_t
    prim_dim_t groups; ///< of group normalisation; 0 of the others
} norm_params_t;

typedef struct {
    int axis; ///< softmax, concat
} axis_params_t;

typedef struct {
    int axis;
    int reserved; ///< 0
    prim_dim_t group_size;
} shuffle_params_t;

typedef struct {
    float factors[3]; ///< dst/src for each spatial dimension
} resampling_params_t;

typedef struct {
    float p, eps; ///< of the norms
} reduction_params_t;

typedef struct {
    prim_dim_t local_size;
    float alpha, beta, k;
    int reserved; ///< 0
} lrn_params_t;

/// Which operation, with what parameters. Plain bytes without gaps: an initialiser sets them all,
/// and they are compared and hashed whole.
typedef struct {
    prim_primitive_kind_t kind;
    prim_prop_kind_t prop_kind;
    prim_alg_kind_t alg_kind;
    int reserved; ///< 0
    union {
        spatial_params_t spatial;       ///< convolution, pooling; first, for it is the largest
        eltwise_params_t eltwise;       ///< eltwise
        norm_params_t norm;             ///< batch, layer and group normalisation
        axis_params_t axis;             ///< softmax, concat
        shuffle_params_t shuffle;       ///< shuffle
        resampling_params_t resampling; ///< resampling
        reduction_params_t reduction;   ///< reduction
        lrn_params_t lrn;               ///< local response normalisation
    } u;
} op_desc_t;

_Static_assert(
        sizeof(op_desc_t) == 4 * sizeof(int) + sizeof(spatial_params_t), "op_desc_t has gaps");

/// One tensor of a problem.
typedef struct {
    int arg; ///< PRIM_ARG_…
    bool is_output;
    bool is_on_peer; ///< lives on the other engine of a cross-engine reorder
    float scale;     ///< sum: the factor of this input; else 0
    prim_memory_desc_t md;
} tensor_t;

#endif
