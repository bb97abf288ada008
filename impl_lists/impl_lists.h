// SPDX-License-Identifier: Apache-2.0
// The functions behind prim__impl_list(), one for each operation.
#ifndef PRIM_IMPL_LISTS_H
#define PRIM_IMPL_LISTS_H

#include "common/impl.h"

#if PRIM_GPU_RUNTIME_OCL
#define LIST_FOR(engine) ((engine) == PRIM_CPU ? cpu : gpu)
#else
#define LIST_FOR(engine) ((void)(engine), cpu)
#endif

const impl_t *const *prim__batch_normalization_list(prim_engine_kind_t engine);
const impl_t *const *prim__binary_list(prim_engine_kind_t engine);
const impl_t *const *prim__concat_list(prim_engine_kind_t engine);
const impl_t *const *prim__convolution_list(prim_engine_kind_t engine);
const impl_t *const *prim__eltwise_list(prim_engine_kind_t engine);
const impl_t *const *prim__inner_product_list(prim_engine_kind_t engine);
const impl_t *const *prim__matmul_list(prim_engine_kind_t engine);
const impl_t *const *prim__pooling_list(prim_engine_kind_t engine);
const impl_t *const *prim__prelu_list(prim_engine_kind_t engine);
const impl_t *const *prim__reorder_list(prim_engine_kind_t engine);
const impl_t *const *prim__resampling_list(prim_engine_kind_t engine);
const impl_t *const *prim__softmax_list(prim_engine_kind_t engine);
const impl_t *const *prim__sum_list(prim_engine_kind_t engine);

#endif
