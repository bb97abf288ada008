// SPDX-License-Identifier: Apache-2.0
/// @file prim_attr.h
/// Attributes of primitives and chains of post-ops. Part of prim.h, which includes it.
#ifndef PRIM_ATTR_H
#define PRIM_ATTR_H

#include "prim_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @defgroup attr Attributes
/// The result of a primitive with attributes is
///   x = scale_src·scale_wei·Σ(src − zp_src)(wei − zp_wei) + bias
///   dst = round(post_ops(x) / scale_dst + zp_dst)
/// where only what is set takes part; the rounding is to nearest, halves to even, and saturates.
/// Scale and zero-point values are passed at execution as PRIM_ARG_ATTR_SCALES | arg and
/// PRIM_ARG_ATTR_ZERO_POINTS | arg.
/// @{

/// The defaults: no scales, zero points or post-ops; scratchpads of the library; accumulation
/// strict; fpmath as prim_get_default_fpmath_mode() returns.
PRIM_API prim_status_t prim_attr_create(prim_attr_t **attr);
/// An independent copy, post-ops included.
PRIM_API prim_status_t prim_attr_clone(prim_attr_t **attr, const prim_attr_t *from);
/// Descriptors made with the attributes hold copies.
PRIM_API void prim_attr_destroy(prim_attr_t *attr);

/// Who provides the scratchpad of an execution: the library, or the user as argument
/// PRIM_ARG_SCRATCHPAD, of the size of PRIM_QUERY_SCRATCHPAD_MD.
PRIM_API prim_status_t prim_attr_set_scratchpad_mode(
        prim_attr_t *attr, prim_scratchpad_mode_t mode);
/// What prim_attr_set_scratchpad_mode() set.
PRIM_API prim_status_t prim_attr_get_scratchpad_mode(
        const prim_attr_t *attr, prim_scratchpad_mode_t *mode);
/// `apply_to_int` lets integer weights be converted to float (weight-only quantisation).
PRIM_API prim_status_t prim_attr_set_fpmath_mode(
        prim_attr_t *attr, prim_fpmath_mode_t mode, bool apply_to_int);
/// What prim_attr_set_fpmath_mode() set; both are written.
PRIM_API prim_status_t prim_attr_get_fpmath_mode(
        const prim_attr_t *attr, prim_fpmath_mode_t *mode, bool *apply_to_int);
/// The type that sums may be accumulated in; an implementation may use a more precise one.
PRIM_API prim_status_t prim_attr_set_accumulation_mode(
        prim_attr_t *attr, prim_accumulation_mode_t mode);
/// What prim_attr_set_accumulation_mode() set.
PRIM_API prim_status_t prim_attr_get_accumulation_mode(
        const prim_attr_t *attr, prim_accumulation_mode_t *mode);
/// Promises the same bits from run to run on the same device. Every implementation is
/// deterministic; what may change results is another tuned configuration, so tuning results are not
/// used.
PRIM_API prim_status_t prim_attr_set_deterministic(prim_attr_t *attr, bool deterministic);
/// What prim_attr_set_deterministic() set.
PRIM_API prim_status_t prim_attr_get_deterministic(const prim_attr_t *attr, bool *deterministic);

/// Bit d of `mask`: one value for each index of dimension d of the argument's tensor (weights count
/// their group dimension), laid out row-major over the masked dimensions; mask 0 is one value for
/// all. `group_dims` (0 or 2 entries) lets one value serve a block of the last two dimensions.
/// `data_type`: f32, f16, bf16 for scales; s32, s8, u8 for zero points.
PRIM_API prim_status_t prim_attr_set_scales(prim_attr_t *attr, int arg, int mask, int ngroup_dims,
        const prim_dim_t *group_dims, prim_data_type_t data_type);
/// Likewise the zero points, which are subtracted from inputs and added to outputs.
PRIM_API prim_status_t prim_attr_set_zero_points(prim_attr_t *attr, int arg, int mask,
        int ngroup_dims, const prim_dim_t *group_dims, prim_data_type_t data_type);

/// What was set for `arg`: mask, `*ngroup_dims` (0 or 2) and as many of `group_dims`, which has
/// room for two (the others become 0), and the type of the values. Without a setting the type is
/// PRIM_DATA_TYPE_UNDEF and everything else 0.
PRIM_API prim_status_t prim_attr_get_scales(const prim_attr_t *attr, int arg, int *mask,
        int *ngroup_dims, prim_dim_t *group_dims, prim_data_type_t *data_type);
/// Likewise for zero points.
PRIM_API prim_status_t prim_attr_get_zero_points(const prim_attr_t *attr, int arg, int *mask,
        int *ngroup_dims, prim_dim_t *group_dims, prim_data_type_t *data_type);

/// Copies the chain into the attributes; NULL, or an empty chain, clears what was set before.
PRIM_API prim_status_t prim_attr_set_post_ops(prim_attr_t *attr, const prim_post_ops_t *post_ops);
/// The attributes' own chain: borrowed, valid while they live and are not changed.
PRIM_API prim_status_t prim_attr_get_post_ops(
        const prim_attr_t *attr, const prim_post_ops_t **post_ops);

/// An empty chain. Entries apply in the order in which they were appended.
PRIM_API prim_status_t prim_post_ops_create(prim_post_ops_t **post_ops);
/// An independent copy.
PRIM_API prim_status_t prim_post_ops_clone(prim_post_ops_t **post_ops, const prim_post_ops_t *from);
/// Attributes that took the chain hold copies.
PRIM_API void prim_post_ops_destroy(prim_post_ops_t *post_ops);
/// Number of entries; 0 for NULL.
PRIM_API int prim_post_ops_len(const prim_post_ops_t *post_ops);
/// PRIM_SUM, PRIM_ELTWISE, PRIM_BINARY, PRIM_PRELU, PRIM_CONVOLUTION (depthwise), or
/// PRIM_PRIMITIVE_UNDEF outside the chain.
PRIM_API prim_primitive_kind_t prim_post_ops_get_kind(const prim_post_ops_t *post_ops, int index);

/// x ← x + scale·(dst − zero_point), where dst is what the destination held before, read as
/// `data_type` (PRIM_DATA_TYPE_UNDEF: its own; else a type of the same size).
PRIM_API prim_status_t prim_post_ops_append_sum(
        prim_post_ops_t *post_ops, float scale, int32_t zero_point, prim_data_type_t data_type);
/// @retval PRIM_INVALID_ARGUMENTS entry `index` is not there or not a sum
PRIM_API prim_status_t prim_post_ops_get_params_sum(const prim_post_ops_t *post_ops, int index,
        float *scale, int32_t *zero_point, prim_data_type_t *data_type);
/// x ← f(x); any PRIM_ELTWISE_… algorithm.
PRIM_API prim_status_t prim_post_ops_append_eltwise(
        prim_post_ops_t *post_ops, prim_alg_kind_t alg, float alpha, float beta);
/// @retval PRIM_INVALID_ARGUMENTS entry `index` is not there or not an eltwise
PRIM_API prim_status_t prim_post_ops_get_params_eltwise(const prim_post_ops_t *post_ops, int index,
        prim_alg_kind_t *alg, float *alpha, float *beta);
/// x ← op(x, src1); src1 has dst's rank, each dimension dst's or 1; not PRIM_BINARY_SELECT, which
/// prim_post_ops_append_binary_v2() takes. Given at execution as
/// PRIM_ARG_ATTR_MULTIPLE_POST_OP(index) | PRIM_ARG_SRC_1.
PRIM_API prim_status_t prim_post_ops_append_binary(
        prim_post_ops_t *post_ops, prim_alg_kind_t alg, const prim_memory_desc_t *src1_md);
/// `src1_md` is borrowed from the chain, until it changes.
/// @retval PRIM_INVALID_ARGUMENTS entry `index` is not there or not a binary
PRIM_API prim_status_t prim_post_ops_get_params_binary(const prim_post_ops_t *post_ops, int index,
        prim_alg_kind_t *alg, const prim_memory_desc_t **src1_md);
/// The same for all algorithms; with PRIM_BINARY_SELECT x ← src2 ≠ 0 ? x : src1. src2, the
/// condition, is s8, has dst's rank, each dimension dst's or 1, and is given at execution as
/// PRIM_ARG_ATTR_MULTIPLE_POST_OP(index) | PRIM_ARG_SRC_2.
/// @param src2_md NULL, or of no dimensions, for all algorithms but PRIM_BINARY_SELECT
/// @retval PRIM_INVALID_ARGUMENTS src2 is missing or not s8 for PRIM_BINARY_SELECT, or is there for
/// another algorithm
PRIM_API prim_status_t prim_post_ops_append_binary_v2(prim_post_ops_t *post_ops,
        prim_alg_kind_t alg, const prim_memory_desc_t *src1_md, const prim_memory_desc_t *src2_md);
/// Both descriptors are borrowed from the chain, until it changes; `*src2_md` is NULL for all
/// algorithms but PRIM_BINARY_SELECT.
/// @retval PRIM_INVALID_ARGUMENTS entry `index` is not there or not a binary
PRIM_API prim_status_t prim_post_ops_get_params_binary_v2(const prim_post_ops_t *post_ops,
        int index, prim_alg_kind_t *alg, const prim_memory_desc_t **src1_md,
        const prim_memory_desc_t **src2_md);
/// x ← x > 0 ? x : x·w; w is f32, row-major, dst's extent where bit d of `mask` is set, else 1.
PRIM_API prim_status_t prim_post_ops_append_prelu(prim_post_ops_t *post_ops, int mask);
/// @retval PRIM_INVALID_ARGUMENTS entry `index` is not there or not a prelu
PRIM_API prim_status_t prim_post_ops_get_params_prelu(
        const prim_post_ops_t *post_ops, int index, int *mask);
/// A depthwise convolution of the result of the 1×1 convolution before it; the post-ops behind it
/// start from x = bias_dw + Σ weights_dw·dst_1x1, and dst of the primitive is that of the depthwise
/// one. The descriptor is created with the dst of the 1×1 convolution, whose data type is that of
/// the tensor between the two; PRIM_QUERY_DST_MD answers with the primitive's, of `dst_type`. The
/// windows are squares of `kernel`, `stride` and `padding` on every side; dst has (size + 2·padding
/// − kernel)/stride + 1 rows and columns. Weights are [channels, 1, 1, kernel, kernel] in a layout
/// that PRIM_QUERY_EXEC_ARG_MD tells, given at execution as PRIM_ARG_ATTR_POST_OP_DW |
/// PRIM_ARG_WEIGHTS, the bias [channels] (of type PRIM_DATA_TYPE_UNDEF: none) as … | PRIM_ARG_BIAS.
/// Scales and zero points of PRIM_ARG_DST are of the tensor between the two convolutions, those of
/// … | PRIM_ARG_DST of the primitive's dst.
/// @retval PRIM_INVALID_ARGUMENTS a type is unknown, kernel or stride is below 1, padding is below
/// 0 or not less than the kernel
PRIM_API prim_status_t prim_post_ops_append_dw(prim_post_ops_t *post_ops,
        prim_data_type_t weights_type, prim_data_type_t bias_type, prim_data_type_t dst_type,
        prim_dim_t kernel, prim_dim_t stride, prim_dim_t padding);
/// @retval PRIM_INVALID_ARGUMENTS entry `index` is not there or not a depthwise convolution
PRIM_API prim_status_t prim_post_ops_get_params_dw(const prim_post_ops_t *post_ops, int index,
        prim_data_type_t *weights_type, prim_data_type_t *bias_type, prim_data_type_t *dst_type,
        prim_dim_t *kernel, prim_dim_t *stride, prim_dim_t *padding);

/// @}

#ifdef __cplusplus
}
#endif

#endif
