// SPDX-License-Identifier: Apache-2.0
// From the lists of one pass of an operation to the array that its schema refers to.
#ifndef PRIM_IMPL_LISTS_H
#define PRIM_IMPL_LISTS_H

#include "common/impl.h"
#include "operations.h"

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

#define DECLARE_LISTS(kind, direction, stem) \
    extern const impl_t *const *const prim__##stem##_lists[];
FOR_EACH_PASS(DECLARE_LISTS)

#endif
