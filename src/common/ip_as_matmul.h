// SPDX-License-Identifier: Apache-2.0
// Inner product as a product of matrices: src is M×K with the channels and positions of an image as
// K, weights are K×N, bias is 1×N. The bytes stay where they are; only shapes and strides differ.
#ifndef PRIM_COMMON_IP_AS_MATMUL_H
#define PRIM_COMMON_IP_AS_MATMUL_H

#include "nested.h"

extern const op_schema_t prim__matmul_schema;

/// init_pd of an inner product that nests a matmul in slot 0: fixes the layouts of src, bias and
/// dst, and gives weights of layout `any` the one that the nested problem takes; with `along_k` it
/// is N×K. Declines when the layouts are not those of matrices.
prim_status_t prim__ip_as_matmul_init_pd(prim_desc_t *pd, bool along_k);
prim_status_t prim__ip_as_matmul_execute(const prim_t *primitive, const exec_ctx_t *ctx);

#endif
