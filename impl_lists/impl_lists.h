// SPDX-License-Identifier: Apache-2.0
// From the lists of one pass of an operation to the array that its schema refers to.
#ifndef PRIM_IMPL_LISTS_H
#define PRIM_IMPL_LISTS_H

#include "common/impl.h"

/// By prim_engine_kind_t. No engine is of the kind "any".
#if PRIM_GPU_RUNTIME_OCL
#define LISTS(cpu_list, gpu_list)                              \
    {                                                          \
        NULL, [PRIM_CPU] = (cpu_list), [PRIM_GPU] = (gpu_list) \
    }
#else
#define LISTS(cpu_list, gpu_list)                        \
    {                                                    \
        NULL, [PRIM_CPU] = (cpu_list), [PRIM_GPU] = NULL \
    }
#endif

extern const impl_t *const *const prim__bnorm_forward_lists[];
extern const impl_t *const *const prim__binary_lists[];
extern const impl_t *const *const prim__concat_lists[];
extern const impl_t *const *const prim__conv_forward_lists[];
extern const impl_t *const *const prim__eltwise_forward_lists[];
extern const impl_t *const *const prim__ip_forward_lists[];
extern const impl_t *const *const prim__lnorm_backward_lists[];
extern const impl_t *const *const prim__lnorm_forward_lists[];
extern const impl_t *const *const prim__matmul_lists[];
extern const impl_t *const *const prim__pool_forward_lists[];
extern const impl_t *const *const prim__prelu_forward_lists[];
extern const impl_t *const *const prim__reorder_lists[];
extern const impl_t *const *const prim__resampling_forward_lists[];
extern const impl_t *const *const prim__softmax_backward_lists[];
extern const impl_t *const *const prim__softmax_forward_lists[];
extern const impl_t *const *const prim__sum_lists[];

#endif
