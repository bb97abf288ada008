// SPDX-License-Identifier: Apache-2.0
// Tensors of an execution, read and written element by element as double.
#ifndef PRIM_CPU_REF_TENSOR_H
#define PRIM_CPU_REF_TENSOR_H

#include "common/impl.h"

/// A tensor and its bytes; data NULL: the problem has none.
typedef struct {
    void *data;
    const prim_memory_desc_t *md;
} ref_tensor_t;

ref_tensor_t prim__ref_tensor(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg);
double prim__ref_load(const ref_tensor_t *tensor, const prim_dim_t *position);
/// Nothing if the problem has no such tensor.
void prim__ref_store(const ref_tensor_t *tensor, const prim_dim_t *position, double x);

#endif
