// SPDX-License-Identifier: Apache-2.0
// From an operation to its list of implementations.
#include "impl_lists.h"

static const impl_t *const none[] = {NULL};

const impl_t *const *prim__impl_list(prim_engine_kind_t engine, prim_primitive_kind_t op)
{
    switch (op) {
    case PRIM_BATCH_NORMALIZATION: return prim__batch_normalization_list(engine);
    case PRIM_BINARY: return prim__binary_list(engine);
    case PRIM_CONCAT: return prim__concat_list(engine);
    case PRIM_CONVOLUTION: return prim__convolution_list(engine);
    case PRIM_ELTWISE: return prim__eltwise_list(engine);
    case PRIM_INNER_PRODUCT: return prim__inner_product_list(engine);
    case PRIM_MATMUL: return prim__matmul_list(engine);
    case PRIM_POOLING: return prim__pooling_list(engine);
    case PRIM_PRELU: return prim__prelu_list(engine);
    case PRIM_REORDER: return prim__reorder_list(engine);
    case PRIM_RESAMPLING: return prim__resampling_list(engine);
    case PRIM_SOFTMAX: return prim__softmax_list(engine);
    case PRIM_SUM: return prim__sum_list(engine);
    default: return none;
    }
}
