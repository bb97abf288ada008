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
    const arg_t *const target = entry ? args_find(args, entry->arg) : NULL;
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

void args_plan_finish(args_t *args)
{
    finish_plan_t *const plan = &args->finish;
    const post_ops_spec_t *const spec = &args->prb->attr->post_ops;
    plan->dst = args_find(args, PRIM_ARG_DST);
    if (!plan->dst) return;
    plan->scale = scale_map(args, PRIM_ARG_DST);
    plan->zero_point = zero_point_map(args, PRIM_ARG_DST);
    for (int i = 0; i < spec->count; ++i) {
        const post_op_t *const op = &spec->entries[i];
        if (op->kind != PRIM_BINARY && op->kind != PRIM_PRELU) continue;
        const int tensor = op->kind == PRIM_BINARY ? PRIM_ARG_SRC_1 : PRIM_ARG_WEIGHTS;
        const double *const values = args_data(args, PRIM_ARG_ATTR_MULTIPLE_POST_OP(i) | tensor);
        plan->post_ops[i] = make_map(values, &plan->dst->md, post_op_mask(args->prb, op), NULL);
    }
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

bounded_t ref_finish_bounded(const args_t *args, bounded_t x, int64_t offset)
{
    const finish_plan_t *const plan = &args->finish;
    const post_ops_spec_t *const spec = &args->prb->attr->post_ops;
    const double unit = arithmetic_unit(plan->dst);
    // Post-ops take f32, which has not the digits of integers beyond 2^24.
    if (spec->count > 0 && fabs(x.value) * unit > 1.) x.slack += unit * fabs(x.value);
    for (int i = 0; i < spec->count; ++i) {
        const double operand = map_value(&plan->post_ops[i], offset, 1.);
        const double old = plan->dst->old ? plan->dst->old[offset] : 0.;
        x = bounded_post_op(&spec->entries[i], as_operand(x, unit), operand, old, unit);
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

static void finish_range(void *context, int64_t begin, int64_t end)
{
    const args_t *const args = context;
    double *const data = args->finish.dst->data, *const slack = args->finish.dst->slack;
    for (int64_t i = begin; i < end; ++i) {
        const bounded_t x = {data[i], slack ? slack[i] : 0.};
        const bounded_t y = ref_finish_bounded(args, x, i);
        data[i] = y.value;
        if (slack) slack[i] = y.slack;
    }
}

void ref_finish_all(args_t *args)
{
    const finish_plan_t *const plan = &args->finish;
    if (args->prb->attr->post_ops.count == 0 && !plan->scale.values && !plan->zero_point.values)
        return;
    bench_parallel(plan->dst->nelems, ELEMENT_GRAIN, finish_range, args);
}
