// SPDX-License-Identifier: Apache-2.0
/// @file prim_ops.h
/// The operations: one primitive descriptor creator each. Part of prim.h, which includes it.
#ifndef PRIM_OPS_H
#define PRIM_OPS_H

#include "prim_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @defgroup operations Operations
/// Each creates a primitive descriptor. `attr` may be NULL. A tensor may have layout `any` where
/// its text says so; query the chosen layout afterwards and reorder once. Errors of all of them:
/// @retval PRIM_INVALID_ARGUMENTS shapes, types or parameters break the operation's rules
/// @retval PRIM_UNIMPLEMENTED no implementation on this engine takes it; prim_last_error() says
/// why
/// @{

/// dst = convert(src): another layout, type or engine, for equal shapes. One of the engines may be
/// the CPU's; the work runs on a stream of the GPU's then. With attributes (scales of src and dst,
/// zero points, sum): dst = scale_src·(src − zp_src)/scale_dst + zp_dst (+ sum).
/// Arguments: FROM, TO.
PRIM_API prim_status_t prim_reorder_desc_create(prim_desc_t **pd, const prim_memory_desc_t *src_md,
        prim_engine_t *src_engine, const prim_memory_desc_t *dst_md, prim_engine_t *dst_engine,
        const prim_attr_t *attr);

/// dst = the n sources one after the other along `axis`; their other dimensions are equal. dst_md
/// NULL or `any` is derived from the first source. Attributes: scales of each source (mask 0).
/// Arguments: MULTIPLE_SRC + i, DST.
PRIM_API prim_status_t prim_concat_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        const prim_memory_desc_t *dst_md, int n, int axis, const prim_memory_desc_t *const *src_mds,
        const prim_attr_t *attr);

/// dst = Σ scales[i]·src_i over n tensors of one shape. dst_md NULL or `any` is derived from the
/// first source. In place with src 0 when descriptors are equal. Arguments: MULTIPLE_SRC + i, DST.
PRIM_API prim_status_t prim_sum_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        const prim_memory_desc_t *dst_md, int n, const float *scales,
        const prim_memory_desc_t *const *src_mds, const prim_attr_t *attr);

/// dst(n,g·OC+o,y) = bias(g·OC+o) + Σ_{i,k} src(n, g·IC+i, y·stride + k·(dilation+1) −
/// pad_l)·wei(g,o,i,k), zeros outside src. src [N, G·IC, (D,(H,)) W], wei [(G,) OC, IC, (KD,(KH,))
/// KW] (the group dimension is there when wei has one dimension more than src), bias [G·OC] or
/// NULL, dst [N, G·OC, …] with out = (in − ((k−1)(dilation+1)+1) + pad_l + pad_r)/stride + 1. One
/// value for each spatial dimension; dilates NULL: 0; pad_r NULL: pad_l. All tensors may be `any`.
/// Attributes: scales src (0), wei (0 or per output channel), dst (0 or 2); zero points src, dst (0
/// or 2), wei (0); post-ops of every kind. Arguments: SRC, WEIGHTS, [BIAS], DST.
PRIM_API prim_status_t prim_convolution_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *wei_md, const prim_memory_desc_t *bias_md,
        const prim_memory_desc_t *dst_md, const prim_dim_t *strides, const prim_dim_t *dilates,
        const prim_dim_t *pad_l, const prim_dim_t *pad_r, const prim_attr_t *attr);

/// The gradient by src: diff_src(n,g·IC+i,x) = Σ_{o,k,y} diff_dst(n,g·OC+o,y)·wei(g,o,i,k) over the
/// taps k and positions y of dst that meet x: y·stride + k·(dilation+1) − pad_l = x. Shapes and
/// parameters are those of the forward pass. Floating-point types, in any mixture. All tensors may
/// be `any`. hint_fwd_pd is the forward pass, whose shapes have to be these, or NULL. No scales,
/// zero points or post-ops. Arguments: DIFF_DST, WEIGHTS, DIFF_SRC.
PRIM_API prim_status_t prim_convolution_backward_data_desc_create(prim_desc_t **pd,
        prim_engine_t *engine, prim_alg_kind_t alg, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *wei_md, const prim_memory_desc_t *diff_dst_md,
        const prim_dim_t *strides, const prim_dim_t *dilates, const prim_dim_t *pad_l,
        const prim_dim_t *pad_r, const prim_desc_t *hint_fwd_pd, const prim_attr_t *attr);

/// The gradients by weights and bias: diff_wei(g,o,i,k) = Σ_{n,y}
/// diff_dst(n,g·OC+o,y)·src(n,g·IC+i, y·stride + k·(dilation+1) − pad_l), zeros outside src;
/// diff_bias(g·OC+o) = Σ_{n,y} diff_dst(n,g·OC+o,y), or diff_bias_md NULL. Shapes, types, `any`,
/// hint and attributes as in backward data. Arguments: SRC, DIFF_DST, DIFF_WEIGHTS, [DIFF_BIAS].
PRIM_API prim_status_t prim_convolution_backward_weights_desc_create(prim_desc_t **pd,
        prim_engine_t *engine, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *diff_wei_md, const prim_memory_desc_t *diff_bias_md,
        const prim_memory_desc_t *diff_dst_md, const prim_dim_t *strides, const prim_dim_t *dilates,
        const prim_dim_t *pad_l, const prim_dim_t *pad_r, const prim_desc_t *hint_fwd_pd,
        const prim_attr_t *attr);

/// The transpose of a convolution: dst(n,g·OC+o,x) = bias(g·OC+o) + Σ_{i,y,k} src(n,g·IC+i,y)·
/// wei(g,o,i,k) over all y and k with y·stride + k·(dilation+1) − pad_l = x. Shapes are those of a
/// convolution, [(G,) OC, IC, (KD,(KH,)) KW] the weights', but for spatial sizes: in = (out −
/// ((k−1)(dilation+1)+1) + pad_l + pad_r)/stride + 1. One value for each spatial dimension; dilates
/// NULL: 0; pad_r NULL: pad_l. All tensors may be `any`. Attributes: scales src (0), wei (0 or per
/// output channel), dst (0); zero points src, dst (0 or 2); post-ops sum, eltwise, binary, prelu.
/// Arguments: SRC, WEIGHTS, [BIAS], DST.
PRIM_API prim_status_t prim_deconvolution_forward_desc_create(prim_desc_t **pd,
        prim_engine_t *engine, prim_prop_kind_t prop_kind, prim_alg_kind_t alg,
        const prim_memory_desc_t *src_md, const prim_memory_desc_t *wei_md,
        const prim_memory_desc_t *bias_md, const prim_memory_desc_t *dst_md,
        const prim_dim_t *strides, const prim_dim_t *dilates, const prim_dim_t *pad_l,
        const prim_dim_t *pad_r, const prim_attr_t *attr);

/// The gradient by src: diff_src(n,g·IC+i,y) = Σ_{o,k} diff_dst(n,g·OC+o, y·stride + k·(dilation+1)
/// − pad_l)·wei(g,o,i,k), zeros outside diff_dst. Shapes and parameters are those of the forward
/// pass. Floating-point types, in any mixture. All tensors may be `any`. hint_fwd_pd is the forward
/// pass, whose shapes have to be these, or NULL. No scales, zero points or post-ops. Arguments:
/// DIFF_DST, WEIGHTS, DIFF_SRC.
PRIM_API prim_status_t prim_deconvolution_backward_data_desc_create(prim_desc_t **pd,
        prim_engine_t *engine, prim_alg_kind_t alg, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *wei_md, const prim_memory_desc_t *diff_dst_md,
        const prim_dim_t *strides, const prim_dim_t *dilates, const prim_dim_t *pad_l,
        const prim_dim_t *pad_r, const prim_desc_t *hint_fwd_pd, const prim_attr_t *attr);

/// The gradients by weights and bias: diff_wei(g,o,i,k) = Σ_{n,y}
/// src(n,g·IC+i,y)·diff_dst(n,g·OC+o, y·stride + k·(dilation+1) − pad_l), zeros outside diff_dst;
/// diff_bias(g·OC+o) = Σ_{n,x} diff_dst(n,g·OC+o,x), or diff_bias_md NULL. Shapes, types, `any`,
/// hint and attributes as in backward data. Arguments: SRC, DIFF_DST, DIFF_WEIGHTS, [DIFF_BIAS].
PRIM_API prim_status_t prim_deconvolution_backward_weights_desc_create(prim_desc_t **pd,
        prim_engine_t *engine, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *diff_wei_md, const prim_memory_desc_t *diff_bias_md,
        const prim_memory_desc_t *diff_dst_md, const prim_dim_t *strides, const prim_dim_t *dilates,
        const prim_dim_t *pad_l, const prim_dim_t *pad_r, const prim_desc_t *hint_fwd_pd,
        const prim_attr_t *attr);

/// dst(…,m,n) = bias(…,m,n) + Σ_k src(…,m,k)·wei(…,k,n). All tensors have the same rank 2..12;
/// batch dimensions of src and wei are equal or 1, dst's is their maximum; bias dimensions are
/// dst's or 1. M, N, K and batch may be run-time dimensions, strides with them. K = 0 gives bias
/// and post-ops of zero. All tensors may be `any`. Attributes: scales and zero points of src, wei,
/// dst with masks and groups; post-ops sum, eltwise, binary, prelu. Arguments: SRC, WEIGHTS,
/// [BIAS], DST.
PRIM_API prim_status_t prim_matmul_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        const prim_memory_desc_t *src_md, const prim_memory_desc_t *wei_md,
        const prim_memory_desc_t *bias_md, const prim_memory_desc_t *dst_md,
        const prim_attr_t *attr);

/// dst(n,o) = bias(o) + Σ_{i,s} src(n,i,s)·wei(o,i,s). src [N, IC, spatial…], wei [OC, IC,
/// spatial…] with src's spatial dimensions, bias [OC] or NULL, dst [N, OC]. All tensors may be
/// `any`. Attributes: scales src (0), wei (0 or 1), dst (0); post-ops sum, eltwise, binary, prelu.
/// Arguments: SRC, WEIGHTS, [BIAS], DST.
PRIM_API prim_status_t prim_inner_product_forward_desc_create(prim_desc_t **pd,
        prim_engine_t *engine, prim_prop_kind_t prop_kind, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *wei_md, const prim_memory_desc_t *bias_md,
        const prim_memory_desc_t *dst_md, const prim_attr_t *attr);

/// The gradient of an inner product by src: diff_src(n,i,s) = Σ_o diff_dst(n,o)·wei(o,i,s).
/// Floating-point types. All tensors may be `any`. hint_fwd_pd is the forward pass, whose shapes
/// have to be these, or NULL. Attributes: fpmath and accumulation mode. Arguments: DIFF_DST,
/// WEIGHTS, DIFF_SRC.
PRIM_API prim_status_t prim_inner_product_backward_data_desc_create(prim_desc_t **pd,
        prim_engine_t *engine, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *wei_md, const prim_memory_desc_t *diff_dst_md,
        const prim_desc_t *hint_fwd_pd, const prim_attr_t *attr);

/// The gradients of an inner product by weights and bias: diff_wei(o,i,s) = Σ_n
/// diff_dst(n,o)·src(n,i,s), diff_bias(o) = Σ_n diff_dst(n,o); diff_bias_md is NULL without a bias.
/// Floating-point types. All tensors may be `any`. hint_fwd_pd is the forward pass, whose shapes
/// have to be these, or NULL. Attributes: fpmath and accumulation mode. Arguments: SRC, DIFF_DST,
/// DIFF_WEIGHTS, [DIFF_BIAS].
PRIM_API prim_status_t prim_inner_product_backward_weights_desc_create(prim_desc_t **pd,
        prim_engine_t *engine, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *diff_wei_md, const prim_memory_desc_t *diff_bias_md,
        const prim_memory_desc_t *diff_dst_md, const prim_desc_t *hint_fwd_pd,
        const prim_attr_t *attr);

/// dst(n,c,y) = max or mean over k of src(n, c, y·stride + k·(dilation+1) − pad_l); padding never
/// wins a maximum, and counts in the mean's divisor only for AVG_INCLUDE_PADDING. Max in training
/// writes the flat index of the winner inside the kernel (first one on ties) to the workspace: u8
/// if the kernel has at most 255 elements, else s32. dilation NULL: 0; pad_r NULL: pad_l. dst may
/// be `any`. Post-ops eltwise, binary. Arguments: SRC, DST, [WORKSPACE].
PRIM_API prim_status_t prim_pooling_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, const prim_dim_t *strides, const prim_dim_t *kernel,
        const prim_dim_t *dilation, const prim_dim_t *pad_l, const prim_dim_t *pad_r,
        const prim_attr_t *attr);

/// The gradient of a pooling: diff_src(x) = Σ diff_dst(y)·share(y, x) over the windows y that hold
/// x, where the share of max is 1 for the winner in the workspace and 0 for all others, that of a
/// mean one over its divisor. `hint_fwd_pd` is the forward pass, whose shapes have to be these; max
/// needs it, of PRIM_FORWARD_TRAINING and with the same window, for the workspace. A mean takes
/// NULL, too. Floating-point types. diff_src and diff_dst may be `any`. No attributes.
/// Arguments: DIFF_DST, [WORKSPACE], DIFF_SRC.
PRIM_API prim_status_t prim_pooling_backward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_alg_kind_t alg, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *diff_dst_md, const prim_dim_t *strides, const prim_dim_t *kernel,
        const prim_dim_t *dilation, const prim_dim_t *pad_l, const prim_dim_t *pad_r,
        const prim_desc_t *hint_fwd_pd, const prim_attr_t *attr);

/// dst = f(src), element by element, f by `alg` (the formulas stand at prim_alg_kind_t). dst may be
/// `any`. Integers take relu, linear and clip. Post-ops binary. In place. Arguments: SRC, DST.
PRIM_API prim_status_t prim_eltwise_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, float alpha, float beta, const prim_attr_t *attr);

/// The gradient: diff_src = diff_dst·f'(src), f by `alg`; the USE_DST_FOR_BWD forms read dst, what
/// the forward pass gave, in src's place. `data_md` describes src or dst. All but round have a
/// gradient; where f has a corner the formulas of doc/primitives/eltwise.md choose. Floating-point
/// types, the same for all tensors. diff_dst and diff_src may be `any`. hint_fwd_pd is the forward
/// pass, whose shapes have to be these, or NULL. In place (diff_dst and diff_src). Arguments: SRC
/// or DST, DIFF_DST, DIFF_SRC.
PRIM_API prim_status_t prim_eltwise_backward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_alg_kind_t alg, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *diff_dst_md, const prim_memory_desc_t *data_md, float alpha,
        float beta, const prim_desc_t *hint_fwd_pd, const prim_attr_t *attr);

/// dst = op(src0, src1); for SELECT dst = src2 ? src0 : src1. Dimensions of src0 and src1 are equal
/// or 1 on either side; dst has the larger; src2 (s8) has dst's shape and is NULL for the others.
/// src1 and dst may be `any`. Attributes: scales of src0, src1 (0); post-ops sum, eltwise, binary.
/// In place with src0 when descriptors are equal. Arguments: SRC_0, SRC_1, [SRC_2], DST.
PRIM_API prim_status_t prim_binary_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_alg_kind_t alg, const prim_memory_desc_t *src0_md, const prim_memory_desc_t *src1_md,
        const prim_memory_desc_t *src2_md, const prim_memory_desc_t *dst_md,
        const prim_attr_t *attr);

/// dst = e^(x − max) / Σ e^(x − max) along `axis`, or its logarithm. dst may be `any`. Attributes:
/// scales of src and dst (0); post-ops eltwise, binary. In place. Arguments: SRC, DST.
PRIM_API prim_status_t prim_softmax_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, int axis, const prim_attr_t *attr);

/// The gradient along `axis`: diff_src = dst·(diff_dst − Σ diff_dst·dst) for PRIM_SOFTMAX_ACCURATE,
/// diff_src = diff_dst − e^dst·Σ diff_dst for PRIM_SOFTMAX_LOG; dst is what the forward pass gave.
/// Floating-point types. diff_dst and diff_src may be `any`. hint_fwd_pd is the forward pass, whose
/// shapes have to be these, or NULL. In place (diff_dst and diff_src). Arguments: DST, DIFF_DST,
/// DIFF_SRC.
PRIM_API prim_status_t prim_softmax_backward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_alg_kind_t alg, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *diff_dst_md, const prim_memory_desc_t *dst_md, int axis,
        const prim_desc_t *hint_fwd_pd, const prim_attr_t *attr);

/// dst = scale(c)·(src − mean(c))/√(variance(c) + epsilon) + shift(c); src [N, C, …], the others
/// f32 [C]. Without PRIM_USE_GLOBAL_STATS mean and (biased) variance come from src and are outputs
/// in training. FUSE_NORM_RELU clamps at 0 and in training writes one u8 per element (1 where the
/// result was positive) to the workspace; FUSE_NORM_ADD_RELU adds SRC_1 (described as src) first.
/// dst may be `any`. Post-ops eltwise relu. In place. Arguments: SRC, [SRC_1], [MEAN, VARIANCE],
/// [SCALE], [SHIFT], DST, [WORKSPACE].
PRIM_API prim_status_t prim_batch_normalization_forward_desc_create(prim_desc_t **pd,
        prim_engine_t *engine, prim_prop_kind_t prop_kind, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, float epsilon, unsigned flags, const prim_attr_t *attr);

/// The gradients of a batch normalisation: diff_src, and with PRIM_BACKWARD rather than
/// PRIM_BACKWARD_DATA those of scale and shift (f32 [C], by the flags). MEAN and VARIANCE are those
/// of the forward pass; with USE_GLOBAL_STATS they are constants. With a fused relu diff_dst counts
/// where the WORKSPACE of the forward pass is not 0, and `hint_fwd_pd`, the descriptor that made
/// it, is needed; else NULL will do. FUSE_NORM_ADD_RELU has DIFF_SRC_1, described as src, too.
/// diff_src and diff_dst may be `any`. No attributes. In place (diff_dst, diff_src). Integers:
/// unimplemented. Arguments: SRC, MEAN, VARIANCE, [SCALE], DIFF_DST, [WORKSPACE], DIFF_SRC,
/// [DIFF_SRC_1], [DIFF_SCALE], [DIFF_SHIFT].
PRIM_API prim_status_t prim_batch_normalization_backward_desc_create(prim_desc_t **pd,
        prim_engine_t *engine, prim_prop_kind_t prop_kind, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *diff_dst_md, const prim_memory_desc_t *src_md, float epsilon,
        unsigned flags, const prim_desc_t *hint_fwd_pd, const prim_attr_t *attr);

/// Normalises each row along the last dimension with its mean and variance: dst = scale·(src −
/// mean)/√(variance + epsilon) + shift. `flags` of prim_normalization_flags_t: statistics are
/// inputs (USE_GLOBAL_STATS) or, in training, outputs; scale (USE_SCALE) and shift (USE_SHIFT) have
/// one value for each place in a row, of `scale_shift_data_type`: f32, bf16 or f16. stat_md
/// describes mean and variance: f32, src's dimensions without the last; NULL, absent or `any`:
/// dense row-major; ignored where the problem has no statistics. dst may be `any`. Scales of src
/// and dst with mask 0; post-ops eltwise, binary. In place. Arguments: SRC, [MEAN, VARIANCE],
/// [SCALE], [SHIFT], DST.
PRIM_API prim_status_t prim_layer_normalization_forward_desc_create(prim_desc_t **pd,
        prim_engine_t *engine, prim_prop_kind_t prop_kind, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, const prim_memory_desc_t *stat_md,
        prim_data_type_t scale_shift_data_type, float epsilon, unsigned flags,
        const prim_attr_t *attr);

/// The gradients of a layer normalisation: diff_src, and with PRIM_BACKWARD rather than
/// PRIM_BACKWARD_DATA those of scale and shift, of `diff_scale_shift_data_type`. Statistics are
/// those of the forward pass; with USE_GLOBAL_STATS they are constants. `hint` is the forward pass
/// or NULL. diff_src and diff_dst may be `any`. No attributes. In place. Arguments: SRC, MEAN,
/// VARIANCE, [SCALE], DIFF_DST, DIFF_SRC, [DIFF_SCALE], [DIFF_SHIFT].
PRIM_API prim_status_t prim_layer_normalization_backward_desc_create(prim_desc_t **pd,
        prim_engine_t *engine, prim_prop_kind_t prop_kind, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *diff_dst_md, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *stat_md, prim_data_type_t diff_scale_shift_data_type,
        prim_data_type_t scale_shift_data_type, float epsilon, unsigned flags,
        const prim_desc_t *hint, const prim_attr_t *attr);

/// Normalises each of `groups` groups of channels of an image with its mean and variance: dst =
/// scale(c)·(src − mean(n, g))/√(variance(n, g) + epsilon) + shift(c); src [N, C, …], `groups` > 0
/// divides C, statistics f32 [N, groups], scale and shift f32 [C]. `flags` of
/// prim_normalization_flags_t: statistics are inputs (USE_GLOBAL_STATS) or, in training, outputs;
/// USE_SCALE, USE_SHIFT. dst may be `any`. Scales of src and dst with mask 0; post-ops eltwise,
/// binary. In place. Arguments: SRC, [MEAN, VARIANCE], [SCALE], [SHIFT], DST.
PRIM_API prim_status_t prim_group_normalization_forward_desc_create(prim_desc_t **pd,
        prim_engine_t *engine, prim_prop_kind_t prop_kind, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, prim_dim_t groups, float epsilon, unsigned flags,
        const prim_attr_t *attr);

/// The gradients of a group normalisation: diff_src, and with PRIM_BACKWARD rather than
/// PRIM_BACKWARD_DATA those of scale and shift, f32 [C]. Statistics are those of the forward pass;
/// with USE_GLOBAL_STATS they are constants. `hint_fwd_pd` is the forward pass or NULL. diff_src
/// and diff_dst may be `any`. No attributes. In place (diff_dst, diff_src). Integers:
/// unimplemented. Arguments: SRC, MEAN, VARIANCE, [SCALE], DIFF_DST, DIFF_SRC, [DIFF_SCALE],
/// [DIFF_SHIFT].
PRIM_API prim_status_t prim_group_normalization_backward_desc_create(prim_desc_t **pd,
        prim_engine_t *engine, prim_prop_kind_t prop_kind, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *diff_dst_md, const prim_memory_desc_t *src_md, prim_dim_t groups,
        float epsilon, unsigned flags, const prim_desc_t *hint_fwd_pd, const prim_attr_t *attr);

/// Resizes the spatial dimensions of [N, C, …]: position y of dst reads (y + 0.5)·in/out − 0.5
/// of src, rounded to nearest or interpolated linearly in each dimension, clamped at the borders.
/// `factors` (out/in for each spatial dimension) NULL: from the shapes; dst_md NULL: from the
/// factors, rounded down. dst may be `any`. Post-ops sum, eltwise, binary. Arguments: SRC, DST.
PRIM_API prim_status_t prim_resampling_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const float *factors,
        const prim_memory_desc_t *src_md, const prim_memory_desc_t *dst_md,
        const prim_attr_t *attr);

/// The gradient of a resampling: diff_src(x) = Σ diff_dst(y)·w(y, x), where w(y, x) is the weight
/// that x has in element y of dst. `factors` as in the forward pass. `hint_fwd_pd` is the forward
/// pass, whose shapes have to be these, or NULL. Floating-point types. diff_src and diff_dst may be
/// `any`. No attributes. Arguments: DIFF_DST, DIFF_SRC.
PRIM_API prim_status_t prim_resampling_backward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_alg_kind_t alg, const float *factors, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *diff_dst_md, const prim_desc_t *hint_fwd_pd,
        const prim_attr_t *attr);

/// Local response normalisation: dst = src·w^(−beta) with w = k + alpha/n·Σ src² over a window
/// around the element, cut off at the borders: (local_size − 1)/2 neighbours on each side, of
/// channels with n = local_size, or along each spatial dimension with n = local_size^(number of
/// these) (Krizhevsky et al. 2012, section 3.3). src [N, C, …] of 2 to 5 dimensions, of the type of
/// dst, f32, f16 or bf16. dst may be `any`. Training keeps w in the workspace. No attributes.
/// Arguments: SRC, DST, [WORKSPACE].
PRIM_API prim_status_t prim_lrn_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, prim_dim_t local_size, float alpha, float beta, float k,
        const prim_attr_t *attr);

/// The gradient of local response normalisation: diff_src = diff_dst·w^(−beta) −
/// 2·alpha·beta/n·src·Σ diff_dst·src·w^(−beta−1) over the window. hint_fwd_pd is the forward pass,
/// for training, of the same algorithm and parameters, whose workspace is taken. diff_src and
/// diff_dst may be `any`. Arguments: SRC, DIFF_DST, WORKSPACE, DIFF_SRC.
PRIM_API prim_status_t prim_lrn_backward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_alg_kind_t alg, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *diff_dst_md, const prim_memory_desc_t *src_md,
        prim_dim_t local_size, float alpha, float beta, float k, const prim_desc_t *hint_fwd_pd,
        const prim_attr_t *attr);

/// Reduces each dimension in which dst has 1 and src more (or none): the largest or smallest
/// element, Σx, Πx, the mean, or a norm of `p` and `eps` (prim_alg_kind_t has the formulas). NaN
/// anywhere gives NaN. Other dimensions are equal; at least one differs. Of no elements max is −∞,
/// min +∞, mul 1, a sum 0, the mean NaN. Norms: p ≥ 1, src of floats; the other algorithms ignore
/// p and eps. dst may be `any`. Post-ops sum, eltwise, binary. Arguments: SRC, DST.
PRIM_API prim_status_t prim_reduction_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_alg_kind_t alg, const prim_memory_desc_t *src_md, const prim_memory_desc_t *dst_md,
        float p, float eps, const prim_attr_t *attr);

/// dst = src > 0 ? src : src·wei; wei's dimensions are src's or 1. wei and dst may be `any`. In
/// place. Arguments: SRC, WEIGHTS, DST.
PRIM_API prim_status_t prim_prelu_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *wei_md, const prim_memory_desc_t *dst_md,
        const prim_attr_t *attr);

/// The gradients of PReLU: diff_src = diff_dst·(src > 0 ? 1 : wei), diff_wei = Σ diff_dst·(src > 0
/// ? 0 : src) over the elements of src that share a weight. Floating-point types; diff_dst and
/// diff_src have that of src, diff_wei that of wei. All but src may be `any`. hint_fwd_pd is the
/// forward pass, whose shapes have to be these, or NULL. Arguments: SRC, WEIGHTS, DIFF_DST,
/// DIFF_SRC, DIFF_WEIGHTS.
PRIM_API prim_status_t prim_prelu_backward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        const prim_memory_desc_t *src_md, const prim_memory_desc_t *wei_md,
        const prim_memory_desc_t *diff_src_md, const prim_memory_desc_t *diff_wei_md,
        const prim_memory_desc_t *diff_dst_md, const prim_desc_t *hint_fwd_pd,
        const prim_attr_t *attr);

/// dst is src with the channels of `axis` in another order: of C channels in groups of
/// `group_size`, channel u·group_size + v of src becomes v·C/group_size + u of dst (ShuffleNet,
/// Zhang et al. 2017, section 3.1). group_size divides C. One data type. dst may be `any`. No
/// attributes. Arguments: SRC, DST.
PRIM_API prim_status_t prim_shuffle_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, int axis, prim_dim_t group_size, const prim_attr_t *attr);

/// The gradient of a shuffle: the inverse permutation. hint_fwd_pd is the forward pass, whose
/// shapes have to be these, or NULL. diff_src may be `any`. Arguments: DIFF_DST, DIFF_SRC.
PRIM_API prim_status_t prim_shuffle_backward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        const prim_memory_desc_t *diff_src_md, const prim_memory_desc_t *diff_dst_md, int axis,
        prim_dim_t group_size, const prim_desc_t *hint_fwd_pd, const prim_attr_t *attr);

/// @}

#ifdef __cplusplus
}
#endif

#endif
