// SPDX-License-Identifier: Apache-2.0
// The attributes of a case as parsed from --attr-…: scales, zero points, post-ops and modes.
#ifndef BENCH_ATTR_H
#define BENCH_ATTR_H

#include <prim/prim.h>

#include "bench_option.h"

#define BENCH_MAX_ATTR_TEXT 128
#define BENCH_MAX_QUANT (BENCH_MAX_TUPLE + 4) ///< arguments with scales or zero points in one case

typedef enum {
    POLICY_COMMON,
    POLICY_PER_OC,
    POLICY_PER_OCIC,
    POLICY_PER_DIM_0,
    POLICY_PER_DIM_1,
    POLICY_PER_DIM_01,
    POLICY_PER_DIM_2,
    POLICY_PER_DIM_3,
    POLICY_PER_TENSOR,
} attr_policy_t;

/// Scales or zero points of one argument.
typedef struct {
    int arg; ///< PRIM_ARG_…
    attr_policy_t policy;
    double value; ///< of POLICY_COMMON
    prim_data_type_t dt;
    int ngroups; ///< 0 or 2
    prim_dim_t groups[2];
} quant_entry_t;

typedef struct {
    int count;
    quant_entry_t entries[BENCH_MAX_QUANT];
} quant_spec_t;

/// What a tensor that a step reads has of dst's shape, and its layout.
typedef struct {
    bool has_mask; ///< binary: `mask` was given as a number
    int mask;
    attr_policy_t policy;
    char tag[BENCH_MAX_TAG]; ///< binary
} operand_spec_t;

/// One step of the post-op chain.
typedef struct {
    prim_primitive_kind_t kind;      ///< PRIM_SUM, PRIM_ELTWISE, PRIM_BINARY, PRIM_PRELU;
                                     ///< PRIM_CONVOLUTION: fused depthwise
    prim_alg_kind_t alg;             ///< eltwise, binary
    float alpha, beta;               ///< eltwise
    float scale;                     ///< sum
    int32_t zero_point;              ///< sum
    prim_data_type_t dt;             ///< sum (undef: dst's), binary operand, depthwise dst
    operand_spec_t operand;          ///< binary, prelu
    operand_spec_t condition;        ///< select
    int64_t kernel, stride, padding; ///< depthwise
} post_op_t;

typedef struct {
    int count;
    post_op_t entries[PRIM_MAX_POST_OPS];
} post_ops_spec_t;

/// All attributes of a case.
typedef struct {
    quant_spec_t scales, zero_points;
    post_ops_spec_t post_ops;
    prim_scratchpad_mode_t scratchpad;
    prim_fpmath_mode_t fpmath;
    bool fpmath_applies_to_int;
    prim_accumulation_mode_t acc_mode;
    bool is_deterministic;
    /// Known to the grammar, not to Prim: their text, "" when absent.
    char dropout[BENCH_MAX_ATTR_TEXT], rounding[BENCH_MAX_ATTR_TEXT];
} attr_spec_t;

/// Algorithms by their words on the command line, for post-ops and --alg=.
extern const word_t eltwise_words[];
extern const word_t binary_words[];

/// The entry for an argument, or NULL.
const quant_entry_t *attr_scale(const attr_spec_t *attr, int arg);
const quant_entry_t *attr_zero_point(const attr_spec_t *attr, int arg);
/// Whether the chain has a fused depthwise step, or scales or zero points name one.
bool attr_has_depthwise(const attr_spec_t *attr);
/// The first post-op of a kind (any algorithm), or NULL.
const post_op_t *attr_post_op(const attr_spec_t *attr, prim_primitive_kind_t kind);
/// The place of the fused depthwise step in the chain; the chain's length without one.
int attr_depthwise_step(const attr_spec_t *attr);
/// Rows or columns that a depthwise step makes of `size`; 0: its windows do not fit.
int64_t depthwise_size(const post_op_t *step, int64_t size);
/// How many tensors a step reads beside dst: 2 for a select. For each, k from 0 on: the argument
/// that holds it if the step is the index-th, its type, and the rest.
int post_op_noperands(const post_op_t *op);
int post_op_arg(const post_op_t *op, int index, int k);
prim_data_type_t post_op_dt(const post_op_t *op, int k);
const operand_spec_t *post_op_operand(const post_op_t *op, int k);
/// Whether an eltwise or binary step with this algorithm is in the chain.
bool attr_has_alg(const attr_spec_t *attr, prim_alg_kind_t alg);

/// The general table: common 0; per_dim_0 1; per_oc, per_dim_1 2; per_ocic, per_dim_01 3;
/// per_dim_2 4; per_dim_3 8; per_tensor all `ndims` bits.
int attr_default_mask(attr_policy_t policy, int ndims);
/// Weights of convolution and inner product: per_oc is 1, with a group dimension 3, others -1.
int attr_weights_mask(attr_policy_t policy, bool has_group_dim);

#endif
