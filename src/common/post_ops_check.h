// SPDX-License-Identifier: Apache-2.0
// What a step of a chain reads, and chains against the problem that they follow.
#ifndef PRIM_COMMON_POST_OPS_CHECK_H
#define PRIM_COMMON_POST_OPS_CHECK_H

#include "attr_post_ops.h"

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

/// Checks the chain against the destination (ranks, broadcast: PRIM_INVALID_ARGUMENTS), gives
/// binary operands of layout `any` row-major order, and fills the prelu operands' descriptors.
prim_status_t prim__post_ops_resolve(prim_post_ops_t *post_ops, const prim_memory_desc_t *dst_md);

/// PRIM_UNIMPLEMENTED with a sentence if the chain holds a kind that is not in `allowed` (ALLOW_…).
prim_status_t prim__post_ops_check_kinds(
        const prim_post_ops_t *post_ops, const char *op, unsigned allowed);

#endif
