// SPDX-License-Identifier: Apache-2.0
// Attributes and post-op chains as the implementations read them, and the checks that the
// operations' descriptor functions share.
#ifndef PRIM_COMMON_ATTR_H
#define PRIM_COMMON_ATTR_H

#include "prim/prim.h"
#include "status.h"

/// Scales or zero points of one argument. The values come at execution.
typedef struct {
    int arg; ///< PRIM_ARG_…
    int mask;
    prim_data_type_t data_type;
    int ngroups;          ///< 0, or 2 with `groups`
    prim_dim_t groups[2]; ///< block of the last two dimensions that shares a value
} quant_t;

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

struct prim_attr {
    prim_scratchpad_mode_t scratchpad_mode;
    prim_fpmath_mode_t fpmath_mode;
    bool fpmath_applies_to_int;
    bool is_deterministic;
    prim_accumulation_mode_t accumulation_mode;
    prim_tune_mode_t tune_mode; ///< how a descriptor comes about, no part of what it is
    int nscales, nzero_points;
    quant_t *scales, *zero_points; ///< owned, sorted by arg
    prim_post_ops_t post_ops;
};

/// Fresh attributes in the caller's storage; fini frees what they own and may be called on zeroes.
void prim__attr_init(prim_attr_t *attr);
prim_status_t prim__attr_copy(prim_attr_t *attr, const prim_attr_t *from);
void prim__attr_fini(prim_attr_t *attr);

/// The setting for an argument, or NULL when it is not set.
const quant_t *prim__attr_scale(const prim_attr_t *attr, int arg);
const quant_t *prim__attr_zero_point(const prim_attr_t *attr, int arg);
/// No scale, zero point or post-op at all.
bool prim__attr_is_plain(const prim_attr_t *attr);
enum { STEP_OPERANDS = 2 }; ///< that a step has at most

/// How many operands a step has: 0, 1, or 2 (select: src1 and the condition).
int prim__post_op_noperands(const post_op_t *entry);
/// The argument that holds operand `k` of entry `index` at execution; PRIM_ARG_UNDEF: the step has
/// not so many.
int prim__post_op_operand_arg(const post_op_t *entry, int index, int k);
/// The descriptor of operand `k`.
const prim_memory_desc_t *prim__post_op_operand_md(const post_op_t *entry, int k);
/// Whether `test` holds for some tensor that a step reads, an operand or what a depthwise step
/// starts from.
bool prim__post_ops_any_md(
        const prim_post_ops_t *post_ops, bool (*test)(const prim_memory_desc_t *md));
/// Whether some step has an operand.
bool prim__post_ops_have_operand(const prim_post_ops_t *post_ops);
/// The first entry that is a depthwise convolution; −1: none.
int prim__post_ops_find_depthwise(const prim_post_ops_t *post_ops);
/// The first sum of the chain, or NULL.
const post_op_t *prim__post_ops_find_sum(const prim_post_ops_t *post_ops);
/// Whether f(0) = 0 for certain: infinite and NaN parameters make 0·alpha something else.
bool prim__eltwise_keeps_zero(prim_alg_kind_t alg, float alpha, float beta);
/// Whether chain(0) may differ from 0, so that padding has to be cleared afterwards.
bool prim__post_ops_move_zero(const prim_post_ops_t *post_ops);

/// The shape that the values of `quant` have for a tensor of `md`: dims (groups applied) with 1
/// where the mask bit is clear. Returns the number of values.
prim_dim_t prim__quant_dims(prim_dims_t dims, const quant_t *quant, const prim_memory_desc_t *md);

/// Post-ops that an operation takes; OR them together.
enum {
    ALLOW_SUM = 1,
    ALLOW_ELTWISE = 2,
    ALLOW_BINARY = 4,
    ALLOW_PRELU = 8,
    ALLOW_DEPTHWISE = 16,
    ALLOW_CHAIN = ALLOW_SUM | ALLOW_ELTWISE | ALLOW_BINARY | ALLOW_PRELU,
};

/// Checks the chain against the destination (ranks, broadcast: PRIM_INVALID_ARGUMENTS), gives
/// binary operands of layout `any` row-major order, and fills the prelu operands' descriptors.
prim_status_t prim__post_ops_resolve(prim_post_ops_t *post_ops, const prim_memory_desc_t *dst_md);

#endif
