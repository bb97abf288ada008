// SPDX-License-Identifier: Apache-2.0
// Gradients of inner product as products of matrices over the same memory, with the channels and
// positions of an image as K:
//
//     diff_src [N×K]  = diff_dst [N×OC] · wei [OC×K]
//     diff_wei [OC×K] = diff_dstᵀ [OC×N] · src [N×K]
//
// A result that is contiguous along its columns is computed transposed: Cᵀ = Bᵀ·Aᵀ.
#ifndef PRIM_COMMON_IP_GRADIENT_AS_MATMUL_H
#define PRIM_COMMON_IP_GRADIENT_AS_MATMUL_H

#include "nested.h"

extern const op_schema_t prim__matmul_schema;

/// A part of a descriptor: plain data.
typedef struct {
    bool is_transposed;       ///< the result
    bool copies_diff;         ///< diff_dst is transposed into the scratchpad first
    size_t diff_offset_bytes; ///< of the scratchpad
} ip_gradient_t;

/// init_pd of a gradient that nests a matmul in slot 0: fixes all layouts. Declines what are no
/// matrices. `along_k`: of a gradient by the weights the matmul gets a copy of diff_dst, transposed
/// by a reorder in slot 1, so that its first operand is contiguous along the sums; its rows are
/// 16-byte aligned.
prim_status_t prim__ip_gradient_as_matmul_init_pd(
        ip_gradient_t *gradient, prim_desc_t *pd, bool along_k);
/// Everything but the gradient of the bias.
prim_status_t prim__ip_gradient_as_matmul_execute(
        const ip_gradient_t *gradient, const prim_t *primitive, const exec_ctx_t *ctx);

/// The descriptor of an implementation that is the nested matmul, with impl_t's functions for it.
typedef struct {
    prim_desc_t base;
    ip_gradient_t gradient;
} ip_gradient_pd_t;

_Static_assert(offsetof(ip_gradient_pd_t, base) == 0, "the base comes first");

prim_status_t prim__ip_gradient_matmul_init_pd(prim_desc_t *pd);
prim_status_t prim__ip_gradient_matmul_execute(const prim_t *primitive, const exec_ctx_t *ctx);

#endif
