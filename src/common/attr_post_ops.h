// SPDX-License-Identifier: Apache-2.0
// Chains of post-ops as attributes hold them: their steps, and ownership.
#ifndef PRIM_COMMON_ATTR_POST_OPS_H
#define PRIM_COMMON_ATTR_POST_OPS_H

#include "prim/prim.h"

/// One step of a chain.
typedef struct {
    prim_primitive_kind_t kind; ///< PRIM_SUM, PRIM_ELTWISE, PRIM_BINARY, PRIM_PRELU;
                                ///< PRIM_CONVOLUTION: depthwise
    prim_alg_kind_t alg;        ///< eltwise, binary
    float alpha, beta;          ///< eltwise
    float scale;                ///< sum
    int32_t zero_point;         ///< sum
    prim_data_type_t data_type; ///< sum; undef: that of dst. Depthwise: of dst behind it
    prim_data_type_t weights_type, bias_type; ///< depthwise; undef: no bias
    int mask;                                 ///< prelu
    prim_dim_t kernel, stride, padding;       ///< depthwise
    /// Binary; prelu: filled when the problem's dst is known; depthwise: what it reads, filled
    /// likewise.
    prim_memory_desc_t src1_md;
    prim_memory_desc_t src2_md; ///< the condition of a select
} post_op_t;

struct prim_post_ops {
    int len;
    post_op_t *entries; ///< owned, `len` of them
};

enum { STEP_OPERANDS = 2 }; ///< that a step has at most

/// Post-ops that an operation takes; OR them together.
enum {
    ALLOW_SUM = 1,
    ALLOW_ELTWISE = 2,
    ALLOW_BINARY = 4,
    ALLOW_PRELU = 8,
    ALLOW_DEPTHWISE = 16,
    ALLOW_CHAIN = ALLOW_SUM | ALLOW_ELTWISE | ALLOW_BINARY | ALLOW_PRELU,
};

/// A copy in the caller's storage, which owns nothing yet. fini may be called on zeroes.
prim_status_t prim__post_ops_copy(prim_post_ops_t *post_ops, const prim_post_ops_t *from);
void prim__post_ops_fini(prim_post_ops_t *post_ops);

/// PRIM_INVALID_ARGUMENTS unless `alg` is an eltwise algorithm and the parameters are in its range:
/// a clip needs alpha <= beta, relu and elu that use dst for the gradient alpha >= 0.
prim_status_t prim__eltwise_check(prim_alg_kind_t alg, float alpha, float beta);

#endif
