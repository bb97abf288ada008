// SPDX-License-Identifier: Apache-2.0
// The arguments of a case: the operation's own, those of its attributes, their host mirrors and
// device memories; and what the references read from them.
#ifndef BENCH_ARGS_H
#define BENCH_ARGS_H

#include "bench_memory.h"
#include "driver.h"

#define BENCH_MAX_ARGS (3 * BENCH_MAX_TUPLE + 2 * PRIM_MAX_POST_OPS + 16)

/// Where in a small tensor (scales, an operand of a post-op) the value for an element of a larger
/// one lies: coordinates times strides, 0 on broadcast dims, after division by the group.
typedef struct {
    const double *values; ///< NULL: there is no such tensor
    bool is_scalar;
    int ndims;
    int64_t dims[PRIM_MAX_NDIMS], strides[PRIM_MAX_NDIMS], groups[PRIM_MAX_NDIMS];
} operand_map_t;

/// What ref_finish() needs, prepared once.
typedef struct {
    arg_t *dst;
    int first, last; ///< its part of the chain: steps first..last − 1
    operand_map_t operands[PRIM_MAX_POST_OPS], conditions[PRIM_MAX_POST_OPS];
    operand_map_t scale, zero_point;
} finish_plan_t;

struct args {
    const prb_t *prb;
    const prim_desc_t *pd;
    int count;
    arg_t items[BENCH_MAX_ARGS];
    double *dequantised[BENCH_MAX_ARGS];
    finish_plan_t finish;
    /// Of a chain with a fused depthwise step: what this reads, which no memory of the case is, and
    /// the finish of it. No elements without.
    arg_t between;
    finish_plan_t between_finish;
};

/// Lists the operation's arguments and those of the attributes, with the layouts of the primitive
/// descriptor. False after an error sentence when a layout cannot be had.
bool args_list(args_t *args, const prb_t *prb, const prim_desc_t *pd);
/// Frees mirrors and memories.
void args_free(args_t *args);
/// The tensor whose dimensions a mask of scales or zero points counts; NULL: the case has none
/// such.
const arg_t *args_quant_target(const args_t *args, int id);
/// Prepares ref_finish(), once the inputs are filled.
void args_plan_finish(args_t *args);

/// What a step of a chain reads beside x.
typedef struct {
    double operand;   ///< of binary and prelu
    double condition; ///< of select
    double old;       ///< of sum
} step_values_t;

/// One step of a chain of post-ops, with its error. `unit`: the unit round-off of the arithmetic.
bounded_t bounded_post_op(const post_op_t *op, bounded_t x, step_values_t values, double unit);
/// Whether f32 holds x; x is ±2^n.
bool is_exact_in_f32(double x);
bool is_power_of_two(double x);
/// |computed f(x) - f(x)| of an eltwise function for an exact x.
double eltwise_error(prim_alg_kind_t alg, double x, double alpha, double beta, double unit);

/// The argument whose memory an argument uses: itself, or the output it runs in place with.
const arg_t *args_owner(const args_t *args, const arg_t *arg);
/// Whether the driver's reference has to produce it and it is compared.
bool arg_is_compared(const arg_t *arg);
/// The type its bytes are encoded in: that of the sum post-op for the destination's old contents.
prim_data_type_t arg_fill_dt(const args_t *args, const arg_t *arg);

/// The attributes of a case as the library wants them; the caller destroys *attr. A refused
/// attribute gives the library's status.
prim_status_t attr_build(prim_attr_t **attr, const prb_t *prb);
/// The mask of a policy for an argument; -1 when it is not allowed there.
int attr_mask(const prb_t *prb, int arg, attr_policy_t policy, bool has_groups);
/// Whether every policy has a mask; else false after an error sentence.
bool attr_verify(const prb_t *prb);
/// The mask of a post-op's operand k, and its dims.
int post_op_mask(const prb_t *prb, const post_op_t *op, int k);
int post_op_dims(const prb_t *prb, const post_op_t *op, int k, prim_dims_t dims);
/// The shape of DST.
int prb_dst_dims(const prb_t *prb, prim_dims_t dims);
/// The number of scales or zero points for a tensor.
int64_t quant_count(const quant_entry_t *entry, int mask, const prim_memory_desc_t *md);

/// Fills an argument of the attributes: scales, zero points, operands of post-ops.
void attr_fill(const args_t *args, arg_t *arg);

#endif
