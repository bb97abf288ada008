// SPDX-License-Identifier: Apache-2.0
// What the references of all drivers share: dequantisation of inputs and the last steps of DST.
#include <float.h>
#include <math.h>
#include <stdlib.h>

#include "bench_args.h"
#include "bench_layout.h"
#include "bench_numeric.h"
#include "bench_text.h"

#define ELEMENT_GRAIN 4096

/// Row-major place in the small tensor of the value for element `offset` of the large one.
static int64_t map_offset(const operand_map_t *map, int64_t offset)
{
    int64_t place = 0;
    for (int d = map->ndims - 1; d >= 0; --d) {
        place += offset % map->dims[d] / map->groups[d] * map->strides[d];
        offset /= map->dims[d];
    }
    return place;
}

static double map_value(const operand_map_t *map, int64_t offset, double fallback)
{
    if (!map->values) return fallback;
    return map->values[map->is_scalar ? 0 : map_offset(map, offset)];
}

/// The values vary along the dims of the mask, one for each group.
static operand_map_t make_map(
        const double *values, const prim_memory_desc_t *md, int mask, const quant_entry_t *entry)
{
    operand_map_t map = {.values = values, .is_scalar = mask == 0, .ndims = md->ndims};
    int64_t stride = 1;
    for (int d = md->ndims - 1; d >= 0; --d) {
        const int from_end = md->ndims - 1 - d;
        const bool is_grouped = entry && entry->ngroups && from_end < 2;
        map.dims[d] = md->dims[d];
        map.groups[d] = is_grouped ? entry->groups[1 - from_end] : 1;
        if (!(mask >> d & 1)) continue;
        map.strides[d] = stride;
        stride *= (md->dims[d] + map.groups[d] - 1) / map.groups[d];
    }
    return map;
}

static operand_map_t quant_map(const args_t *args, const quant_entry_t *entry, int flag)
{
    const arg_t *const target = entry ? args_quant_target(args, entry->arg) : NULL;
    const double *const values = entry ? args_data(args, flag | entry->arg) : NULL;
    if (!target || !values) return (operand_map_t){0};
    const int mask = attr_mask(args->prb, entry->arg, entry->policy, entry->ngroups > 0);
    return make_map(values, &target->md, mask, entry);
}

static operand_map_t scale_map(const args_t *args, int id)
{
    return quant_map(args, attr_scale(args->prb->attr, id), PRIM_ARG_ATTR_SCALES);
}

static operand_map_t zero_point_map(const args_t *args, int id)
{
    return quant_map(args, attr_zero_point(args->prb->attr, id), PRIM_ARG_ATTR_ZERO_POINTS);
}

double args_scale(const args_t *args, int id, int64_t offset)
{
    const operand_map_t map = scale_map(args, id);
    return map_value(&map, offset, 1.);
}

double args_zero_point(const args_t *args, int id, int64_t offset)
{
    const operand_map_t map = zero_point_map(args, id);
    return map_value(&map, offset, 0.);
}

typedef struct {
    const double *from;
    double *to;
    operand_map_t scale, zero_point;
} dequantise_t;

static void dequantise_range(void *context, int64_t begin, int64_t end)
{
    const dequantise_t *const q = context;
    for (int64_t i = begin; i < end; ++i)
        q->to[i] = (q->from[i] - map_value(&q->zero_point, i, 0.)) * map_value(&q->scale, i, 1.);
}

const double *args_dequantized(args_t *args, int id)
{
    const arg_t *const arg = args_find(args, id);
    if (!arg) return NULL;
    dequantise_t q = {arg->data, NULL, scale_map(args, id), zero_point_map(args, id)};
    if (!q.scale.values && !q.zero_point.values) return arg->data;
    double **const cached = &args->dequantised[arg - args->items];
    if (!*cached) {
        *cached = bench_calloc((size_t)arg->nelems, sizeof(double));
        q.to = *cached;
        bench_parallel(arg->nelems, ELEMENT_GRAIN, dequantise_range, &q);
    }
    return *cached;
}

/// A plan for steps first..last − 1 of the chain; `id` has the scale and zero point.
static void plan_steps(finish_plan_t *plan, const args_t *args, int id, int first, int last)
{
    const post_ops_spec_t *const spec = &args->prb->attr->post_ops;
    plan->first = first;
    plan->last = last;
    plan->scale = scale_map(args, id);
    plan->zero_point = zero_point_map(args, id);
    for (int i = first; i < last; ++i) {
        const post_op_t *const op = &spec->entries[i];
        for (int k = 0; k < post_op_noperands(op); ++k) {
            operand_map_t *const maps = k == 0 ? plan->operands : plan->conditions;
            const double *const values = args_data(args, post_op_arg(op, i, k));
            maps[i] = make_map(values, &plan->dst->md, post_op_mask(args->prb, op, k), NULL);
        }
    }
}

/// The tensor between the two convolutions, row-major.
static void make_between(args_t *args, prim_data_type_t data_type)
{
    arg_t *const between = &args->between;
    prim_dims_t dims;
    const int ndims = prb_dst_dims(args->prb, dims);
    *between = (arg_t){.role = ARG_OUT, .kind = DATA_DST};
    if (bench_md(&between->md, ndims, dims, data_type, "abx") != PRIM_SUCCESS) return;
    between->nelems = md_nelems(&between->md);
    between->data = bench_calloc((size_t)between->nelems, sizeof(double));
    between->slack = bench_calloc((size_t)between->nelems, sizeof(double));
}

void args_plan_finish(args_t *args)
{
    const int count = args->prb->attr->post_ops.count, step = attr_depthwise_step(args->prb->attr);
    args->finish.dst = args_find(args, PRIM_ARG_DST);
    if (!args->finish.dst) return;
    if (step == count) {
        plan_steps(&args->finish, args, PRIM_ARG_DST, 0, count);
        return;
    }
    make_between(args, args->prb->driver->depthwise_types(args->prb).src);
    args->between_finish.dst = &args->between;
    plan_steps(&args->between_finish, args, PRIM_ARG_DST, 0, step);
    plan_steps(&args->finish, args, PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_DST, step + 1, count);
}

/// The unit round-off of what scales and post-ops are computed in.
static double arithmetic_unit(const arg_t *dst)
{
    return dst->md.data_type == PRIM_F64 ? 0x1p-53 : 0x1p-24;
}

/// What is too large for f32 may reach the next step as an infinity, and the result is then left
/// open.
static bounded_t as_operand(bounded_t x, double unit)
{
    const bool is_single = unit == 0x1p-24 && isfinite(x.value);
    if (is_single && fabs(x.value) + x.slack > (double)FLT_MAX) x.slack = (double)INFINITY;
    return x;
}

static bounded_t finish_by(
        const finish_plan_t *plan, const args_t *args, bounded_t x, int64_t offset)
{
    const post_ops_spec_t *const spec = &args->prb->attr->post_ops;
    const double unit = arithmetic_unit(plan->dst);
    // Post-ops take f32, which has not the digits of integers beyond 2^24.
    if (plan->last > plan->first && fabs(x.value) * unit > 1.) x.slack += unit * fabs(x.value);
    for (int i = plan->first; i < plan->last; ++i) {
        const step_values_t values = {.operand = map_value(&plan->operands[i], offset, 1.),
                .condition = map_value(&plan->conditions[i], offset, 1.),
                .old = plan->dst->old ? plan->dst->old[offset] : 0.};
        x = bounded_post_op(&spec->entries[i], as_operand(x, unit), values, unit);
    }
    if (plan->scale.values) {
        // A quotient, or a product with the reciprocal: 2.5 ulp at most, or one and 2.5.
        const double scale = map_value(&plan->scale, offset, 1.);
        x = as_operand(x, unit);
        const bool is_exact = x.slack == 0. && is_power_of_two(scale) && is_exact_in_f32(x.value);
        x.value /= scale;
        x.slack = x.slack / fabs(scale) + (is_exact ? 0. : 6. * unit * fabs(x.value));
    }
    if (plan->zero_point.values) {
        x = as_operand(x, unit);
        x.value += map_value(&plan->zero_point, offset, 0.);
        if (x.slack > 0. || !is_exact_in_f32(x.value)) x.slack += unit * fabs(x.value);
    }
    return x;
}

bounded_t ref_finish_bounded(const args_t *args, bounded_t x, int64_t offset)
{
    return finish_by(&args->finish, args, x, offset);
}

double ref_finish(const args_t *args, double x, int64_t offset)
{
    return ref_finish_bounded(args, (bounded_t){x, 0.}, offset).value;
}

void ref_store(args_t *args, bounded_t x, int64_t offset)
{
    const bounded_t y = ref_finish_bounded(args, x, offset);
    arg_t *const dst = args->finish.dst;
    dst->data[offset] = y.value;
    dst->slack[offset] = isnan(y.slack) ? 0. : y.slack;
}

typedef struct {
    const args_t *args;
    const finish_plan_t *plan;
} finish_run_t;

static void finish_range(void *context, int64_t begin, int64_t end)
{
    const finish_run_t *const run = context;
    double *const data = run->plan->dst->data, *const slack = run->plan->dst->slack;
    for (int64_t i = begin; i < end; ++i) {
        const bounded_t x = {data[i], slack ? slack[i] : 0.};
        const bounded_t y = finish_by(run->plan, run->args, x, i);
        data[i] = y.value;
        if (slack) slack[i] = y.slack;
    }
}

static void finish_all(const args_t *args, const finish_plan_t *plan)
{
    finish_run_t run = {args, plan};
    if (plan->first == plan->last && !plan->scale.values && !plan->zero_point.values) return;
    bench_parallel(plan->dst->nelems, ELEMENT_GRAIN, finish_range, &run);
}

void ref_finish_all(args_t *args)
{
    finish_all(args, &args->finish);
}

/// The type of the tensor between rounds what is there, and the error with it.
static void round_between(void *context, int64_t begin, int64_t end)
{
    const arg_t *const between = context;
    const prim_data_type_t dt = between->md.data_type;
    for (int64_t i = begin; i < end; ++i) {
        const double x = between->data[i], slack = between->slack[i];
        const double y = dt_round(dt, x);
        between->data[i] = y;
        between->slack[i] = fmax(dt_round(dt, x + slack) - y, y - dt_round(dt, x - slack));
    }
}

void ref_finish_between(args_t *args)
{
    finish_all(args, &args->between_finish);
    bench_parallel(args->between.nelems, ELEMENT_GRAIN, round_between, &args->between);
}

double args_between_point(const args_t *args, double *scale)
{
    *scale = map_value(&args->between_finish.scale, 0, 1.);
    return map_value(&args->between_finish.zero_point, 0, 0.);
}
