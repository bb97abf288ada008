// SPDX-License-Identifier: Apache-2.0
// From parsed attributes to the library's, and the data of their arguments.
#include "bench_attr.h"

#include <string.h>

#include "bench_args.h"
#include "bench_attr_text.h"
#include "bench_numeric.h"
#include "bench_text.h"

static const quant_entry_t *find_entry(const quant_spec_t *spec, int arg)
{
    for (int i = 0; i < spec->count; ++i)
        if (spec->entries[i].arg == arg) return &spec->entries[i];
    return NULL;
}

const quant_entry_t *attr_scale(const attr_spec_t *attr, int arg)
{
    return find_entry(&attr->scales, arg);
}

const quant_entry_t *attr_zero_point(const attr_spec_t *attr, int arg)
{
    return find_entry(&attr->zero_points, arg);
}

const post_op_t *attr_post_op(const attr_spec_t *attr, prim_primitive_kind_t kind)
{
    for (int i = 0; i < attr->post_ops.count; ++i)
        if (attr->post_ops.entries[i].kind == kind) return &attr->post_ops.entries[i];
    return NULL;
}

static bool names_depthwise(const quant_spec_t *spec)
{
    for (int i = 0; i < spec->count; ++i)
        if (spec->entries[i].arg & PRIM_ARG_ATTR_POST_OP_DW) return true;
    return false;
}

bool attr_has_depthwise(const attr_spec_t *attr)
{
    return attr_post_op(attr, PRIM_CONVOLUTION) || names_depthwise(&attr->scales) ||
           names_depthwise(&attr->zero_points);
}

int attr_depthwise_step(const attr_spec_t *attr)
{
    const post_op_t *const step = attr_post_op(attr, PRIM_CONVOLUTION);
    return step ? (int)(step - attr->post_ops.entries) : attr->post_ops.count;
}

bool attr_has_alg(const attr_spec_t *attr, prim_alg_kind_t alg)
{
    for (int i = 0; i < attr->post_ops.count; ++i) {
        const post_op_t *const op = &attr->post_ops.entries[i];
        if ((op->kind == PRIM_ELTWISE || op->kind == PRIM_BINARY) && op->alg == alg) return true;
    }
    return false;
}

int post_op_noperands(const post_op_t *op)
{
    if (op->kind == PRIM_BINARY) return op->alg == PRIM_BINARY_SELECT ? 2 : 1;
    return op->kind == PRIM_PRELU;
}

int post_op_arg(const post_op_t *op, int index, int k)
{
    const int tensor = op->kind == PRIM_PRELU ? PRIM_ARG_WEIGHTS
                       : k == 0               ? PRIM_ARG_SRC_1
                                              : PRIM_ARG_SRC_2;
    return PRIM_ARG_ATTR_MULTIPLE_POST_OP(index) | tensor;
}

prim_data_type_t post_op_dt(const post_op_t *op, int k)
{
    return k == 0 ? op->dt : PRIM_S8;
}

const operand_spec_t *post_op_operand(const post_op_t *op, int k)
{
    return k == 0 ? &op->operand : &op->condition;
}

int attr_default_mask(attr_policy_t policy, int ndims)
{
    switch (policy) {
    case POLICY_COMMON: return 0;
    case POLICY_PER_DIM_0: return 1;
    case POLICY_PER_OC:
    case POLICY_PER_DIM_1: return 2;
    case POLICY_PER_OCIC:
    case POLICY_PER_DIM_01: return 3;
    case POLICY_PER_DIM_2: return 4;
    case POLICY_PER_DIM_3: return 8;
    default: return (1 << ndims) - 1;
    }
}

int attr_weights_mask(attr_policy_t policy, bool has_group_dim)
{
    if (policy == POLICY_COMMON) return 0;
    if (policy == POLICY_PER_OC) return has_group_dim ? 3 : 1;
    return -1;
}

int prb_dst_dims(const prb_t *prb, prim_dims_t dims)
{
    if (prb->driver->dst_dims) return prb->driver->dst_dims(prb, dims);
    memcpy(dims, prb->problem->dst_dims, sizeof prb->problem->dst_dims);
    return prb->problem->ndims;
}

int attr_mask(const prb_t *prb, int arg, attr_policy_t policy, bool has_groups)
{
    prim_dims_t dims;
    if (arg == (PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_WEIGHTS))
        return attr_weights_mask(policy, true);
    if (arg & PRIM_ARG_ATTR_POST_OP_DW) return attr_default_mask(policy, prb->problem->ndims);
    if (prb->driver->policy_mask) return prb->driver->policy_mask(prb, arg, policy, has_groups);
    return attr_default_mask(policy, prb_dst_dims(prb, dims));
}

int64_t depthwise_size(const post_op_t *step, int64_t size)
{
    const int64_t room = size + 2 * step->padding - step->kernel;
    return room < 0 ? 0 : room / step->stride + 1;
}

int post_op_mask(const prb_t *prb, const post_op_t *op, int k)
{
    const operand_spec_t *const operand = post_op_operand(op, k);
    return operand->has_mask ? operand->mask : attr_mask(prb, PRIM_ARG_DST, operand->policy, false);
}

int post_op_dims(const prb_t *prb, const post_op_t *op, int k, prim_dims_t dims)
{
    const int mask = post_op_mask(prb, op, k), ndims = prb_dst_dims(prb, dims);
    const post_op_t *const step = attr_post_op(prb->attr, PRIM_CONVOLUTION);
    for (int d = 2; step && op > step && d < ndims; ++d) dims[d] = depthwise_size(step, dims[d]);
    for (int d = 0; d < ndims; ++d)
        if (!(mask >> d & 1)) dims[d] = 1;
    return ndims;
}

static bool policy_applies(const prb_t *prb, int arg, attr_policy_t policy, bool has_groups)
{
    text_t name = {0};
    const bool applies = attr_mask(prb, arg, policy, has_groups) >= 0;
    print_arg_name(&name, arg);
    if (!applies)
        problem_error("policy %s does not apply to %s here", word_name(policy_words, (int)policy),
                text_string(&name));
    text_free(&name);
    return applies;
}

static bool policies_apply(const prb_t *prb, const quant_spec_t *spec)
{
    for (int i = 0; i < spec->count; ++i)
        if (!policy_applies(prb, spec->entries[i].arg, spec->entries[i].policy,
                    spec->entries[i].ngroups > 0))
            return false;
    return true;
}

bool attr_verify(const prb_t *prb)
{
    const post_ops_spec_t *const ops = &prb->attr->post_ops;
    for (int i = 0; i < ops->count; ++i) {
        const post_op_t *const op = &ops->entries[i];
        for (int k = 0; k < post_op_noperands(op); ++k) {
            const operand_spec_t *const operand = post_op_operand(op, k);
            if (!operand->has_mask && !policy_applies(prb, PRIM_ARG_DST, operand->policy, false))
                return false;
        }
    }
    return policies_apply(prb, &prb->attr->scales) && policies_apply(prb, &prb->attr->zero_points);
}

int64_t quant_count(const quant_entry_t *entry, int mask, const prim_memory_desc_t *md)
{
    int64_t count = 1;
    for (int d = 0; d < md->ndims; ++d) {
        if (!(mask >> d & 1)) continue;
        const int from_end = md->ndims - 1 - d;
        const int64_t group = entry->ngroups && from_end < 2 ? entry->groups[1 - from_end] : 1;
        count *= (md->dims[d] + group - 1) / group;
    }
    return count;
}

static prim_status_t build_binary(prim_post_ops_t *ops, const prb_t *prb, const post_op_t *op)
{
    prim_memory_desc_t mds[2];
    for (int k = 0; k < post_op_noperands(op); ++k) {
        prim_dims_t dims;
        const int ndims = post_op_dims(prb, op, k, dims);
        const prim_status_t status =
                bench_md(&mds[k], ndims, dims, post_op_dt(op, k), post_op_operand(op, k)->tag);
        if (status != PRIM_SUCCESS) return status;
    }
    if (op->alg == PRIM_BINARY_SELECT)
        return prim_post_ops_append_binary_v2(ops, op->alg, &mds[0], &mds[1]);
    return prim_post_ops_append_binary(ops, op->alg, &mds[0]);
}

static prim_status_t build_post_op(prim_post_ops_t *ops, const prb_t *prb, const post_op_t *op)
{
    depthwise_types_t types;
    switch (op->kind) {
    case PRIM_SUM: return prim_post_ops_append_sum(ops, op->scale, op->zero_point, op->dt);
    case PRIM_ELTWISE: return prim_post_ops_append_eltwise(ops, op->alg, op->alpha, op->beta);
    case PRIM_BINARY: return build_binary(ops, prb, op);
    case PRIM_PRELU: return prim_post_ops_append_prelu(ops, post_op_mask(prb, op, 0));
    case PRIM_CONVOLUTION:
        types = prb->driver->depthwise_types(prb);
        return prim_post_ops_append_dw(
                ops, types.wei, types.bia, op->dt, op->kernel, op->stride, op->padding);
    default: return PRIM_UNIMPLEMENTED;
    }
}

static prim_status_t build_post_ops(prim_attr_t *attr, const prb_t *prb)
{
    prim_post_ops_t *ops = NULL;
    const post_ops_spec_t *const spec = &prb->attr->post_ops;
    if (spec->count == 0) return PRIM_SUCCESS;
    prim_status_t status = prim_post_ops_create(&ops);
    for (int i = 0; i < spec->count && status == PRIM_SUCCESS; ++i)
        status = build_post_op(ops, prb, &spec->entries[i]);
    if (status == PRIM_SUCCESS) status = prim_attr_set_post_ops(attr, ops);
    prim_post_ops_destroy(ops);
    return status;
}

typedef prim_status_t (*quant_setter_t)(
        prim_attr_t *, int, int, int, const prim_dim_t *, prim_data_type_t);

static prim_status_t build_quant(
        prim_attr_t *attr, const prb_t *prb, const quant_spec_t *spec, quant_setter_t set)
{
    for (int i = 0; i < spec->count; ++i) {
        const quant_entry_t *const e = &spec->entries[i];
        const int mask = attr_mask(prb, e->arg, e->policy, e->ngroups > 0);
        const prim_status_t status =
                set(attr, e->arg, mask, e->ngroups, e->ngroups ? e->groups : NULL, e->dt);
        if (status != PRIM_SUCCESS) return status;
    }
    return PRIM_SUCCESS;
}

static prim_status_t build_modes(prim_attr_t *attr, const attr_spec_t *spec)
{
    prim_status_t status = prim_attr_set_scratchpad_mode(attr, spec->scratchpad);
    if (status == PRIM_SUCCESS)
        status = prim_attr_set_fpmath_mode(attr, spec->fpmath, spec->fpmath_applies_to_int);
    if (status == PRIM_SUCCESS) status = prim_attr_set_accumulation_mode(attr, spec->acc_mode);
    if (status == PRIM_SUCCESS) status = prim_attr_set_deterministic(attr, spec->is_deterministic);
    return status;
}

prim_status_t attr_build(prim_attr_t **attr, const prb_t *prb)
{
    prim_attr_t *built = NULL;
    prim_status_t status = prim_attr_create(&built);
    if (status == PRIM_SUCCESS)
        status = build_quant(built, prb, &prb->attr->scales, prim_attr_set_scales);
    if (status == PRIM_SUCCESS)
        status = build_quant(built, prb, &prb->attr->zero_points, prim_attr_set_zero_points);
    if (status == PRIM_SUCCESS) status = build_post_ops(built, prb);
    if (status == PRIM_SUCCESS) status = build_modes(built, prb->attr);
    if (status == PRIM_SUCCESS)
        *attr = built;
    else
        prim_attr_destroy(built);
    return status;
}

/// Random values of one argument of the attributes.
typedef struct {
    prim_data_type_t dt;
    double lo, hi;
    prim_alg_kind_t alg; ///< of the binary post-op the operand belongs to
} attr_values_t;

/// From 1/4 to 4; neighbours differ by a factor of 1.5 or more, so that none stands for another.
static double scale_value(const void *context, rng_t *rng, int64_t index)
{
    static const double powers[] = {0.25, 2., 0.5, 4., 1.};
    (void)context;
    return powers[index % 5] * (1. + 0.25 * rng_real(rng)) * 0.75;
}

static double integer_value(const void *context, rng_t *rng, int64_t index)
{
    const attr_values_t *const v = context;
    (void)index;
    return (double)rng_int(rng, (int64_t)v->lo, (int64_t)v->hi);
}

/// Element 0 is one that a wrong idea of the operand's type turns into something else.
static double telltale(prim_data_type_t dt, double usual)
{
    switch (dt) {
    case PRIM_U8: return 128.;
    case PRIM_S32: return 256.;
    case PRIM_U4: return 15.;
    case PRIM_S4: return -8.;
    case PRIM_S8: return usual;
    default: return usual + 0.5;
    }
}

static bool is_comparison(prim_alg_kind_t alg)
{
    return alg >= PRIM_BINARY_GE && alg <= PRIM_BINARY_NE;
}

/// Away from 0, with all bits of the mantissa: |x| from 1/2 to hi.
static double real_operand(const attr_values_t *v, rng_t *rng)
{
    const double size = 0.5 + (v->hi - 0.5) * rng_real(rng);
    return v->lo < 0. && rng_chance(rng, 0.5) ? -size : size;
}

static double operand_value(const void *context, rng_t *rng, int64_t index)
{
    const attr_values_t *const v = context;
    // Both results of a comparison: numbers that small results are, too.
    if (is_comparison(v->alg)) return (double)rng_int(rng, v->lo < 0. ? -4 : 0, 4);
    if (!dt_is_integer(v->dt) && index != 0) return real_operand(v, rng);
    // Divisors are powers of two, so that quotients stay exact.
    if (v->alg == PRIM_BINARY_DIV)
        return (double)((int64_t)1 << rng_int(rng, 0, 2)) *
               (v->lo < 0. && rng_chance(rng, 0.5) ? -1. : 1.);
    double usual = (double)rng_int(rng, (int64_t)v->lo, (int64_t)v->hi);
    // A factor of zero would leave nothing to compare.
    if (v->alg == PRIM_BINARY_MUL && usual == 0.) usual = 1.;
    return index == 0 ? telltale(v->dt, usual) : usual;
}

static bool takes_positive_operands(prim_primitive_kind_t kind)
{
    return kind == PRIM_POOLING || kind == PRIM_SOFTMAX || kind == PRIM_REDUCTION ||
           kind == PRIM_RESAMPLING;
}

static void fill_operand(const args_t *args, arg_t *arg, const post_op_t *op)
{
    const bool is_positive =
            takes_positive_operands(args->prb->driver->primitive_kind) || dt_lowest(op->dt) >= 0.;
    const bool is_factor = op->alg == PRIM_BINARY_MUL || op->alg == PRIM_BINARY_DIV;
    const double range = is_factor ? 2. : 16.;
    const attr_values_t values = {op->dt, is_positive ? 0. : -range, range, op->alg};
    fill_by_rng(arg, operand_value, &values);
}

/// 0 as often as not; the others have no bit in common.
static double condition_value(const void *context, rng_t *rng, int64_t index)
{
    static const double trues[] = {1., 2., 4., -128.};
    (void)context;
    (void)index;
    return rng_chance(rng, 0.5) ? trues[rng_int(rng, 0, 3)] : 0.;
}

static void fill_slopes(arg_t *arg)
{
    const attr_values_t slopes = {arg->md.data_type, -2., 2., PRIM_ALG_UNDEF};
    fill_by_rng(arg, operand_value, &slopes);
}

static void fill_scales(const args_t *args, arg_t *arg)
{
    const quant_entry_t *const e = attr_scale(args->prb->attr, arg->id & ~PRIM_ARG_ATTR_SCALES);
    if (e->policy == POLICY_COMMON)
        fill_value(arg, e->value);
    else
        fill_by_rng(arg, scale_value, NULL);
}

/// Where operands take their whole range, zero points lie far from 0 too.
static void fill_zero_points(const args_t *args, arg_t *arg)
{
    const quant_entry_t *const e =
            attr_zero_point(args->prb->attr, arg->id & ~PRIM_ARG_ATTR_ZERO_POINTS);
    const prim_data_type_t dt = arg->md.data_type;
    const bool is_wide = args->prb->data_class == CLASS_RANGE && dt_bits(dt) >= 8;
    const double reach = is_wide ? 50. : 2.;
    const attr_values_t points = {.lo = dt_lowest(dt) < 0. ? -reach : 0., .hi = reach};
    if (e->policy == POLICY_COMMON)
        fill_value(arg, e->value);
    else
        fill_by_rng(arg, integer_value, &points);
}

void attr_fill(const args_t *args, arg_t *arg)
{
    if (arg->id < PRIM_ARG_ATTR_MULTIPLE_POST_OP_BASE) {
        if (arg->id & PRIM_ARG_ATTR_SCALES)
            fill_scales(args, arg);
        else
            fill_zero_points(args, arg);
        return;
    }
    const int step = arg->id / PRIM_ARG_ATTR_MULTIPLE_POST_OP_BASE - 1;
    const post_op_t *const op = &args->prb->attr->post_ops.entries[step];
    if (op->kind == PRIM_PRELU)
        fill_slopes(arg);
    else if (arg->id == post_op_arg(op, step, 0))
        fill_operand(args, arg, op);
    else
        fill_by_rng(arg, condition_value, NULL);
}
