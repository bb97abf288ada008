// SPDX-License-Identifier: Apache-2.0
// What the schemas of products share: matmul, inner product, convolution and its transpose. Sets of
// data types for their tables (product_types_t), and the tensors of their gradients.
#ifndef PRIM_COMMON_OPS_PRODUCT_RULES_H
#define PRIM_COMMON_OPS_PRODUCT_RULES_H

#include "schema.h"

#define INT8_TYPES (1U << PRIM_S8 | 1U << PRIM_U8)
/// Every floating-point type; those that the library only stores are refused with their name.
#define FLOAT_TYPES                                                                            \
    (1U << PRIM_F16 | 1U << PRIM_BF16 | 1U << PRIM_F32 | 1U << PRIM_F64 | 1U << PRIM_F8_E5M2 | \
            1U << PRIM_F8_E4M3 | 1U << PRIM_F4_E2M1 | 1U << PRIM_F4_E3M0)

/// The tensors of the gradients by src and by weights, in the order of these.
extern const tensor_rule_t prim__product_data_tensors[], prim__product_weights_tensors[];
/// The bias is of nested problems alone: a deconvolution is the gradient of a convolution by src,
/// to which it adds one.
enum {
    PRODUCT_DATA_DIFF_DST,
    PRODUCT_DATA_WEI,
    PRODUCT_DATA_DIFF_SRC,
    PRODUCT_DATA_BIA,
    PRODUCT_NDATA_TENSORS
};
enum {
    PRODUCT_WEIGHTS_SRC,
    PRODUCT_WEIGHTS_DIFF_DST,
    PRODUCT_WEIGHTS_DIFF_WEI,
    PRODUCT_WEIGHTS_DIFF_BIA,
    PRODUCT_NWEIGHTS_TENSORS
};

/// PRIM_UNIMPLEMENTED if a tensor holds integers: for gradients.
prim_status_t prim__product_check_floats(const shapes_t *shapes);

#endif
