// SPDX-License-Identifier: Apache-2.0
// shuffle: the channels of an axis in another order, forward and backward. Nothing rounds.
#include <string.h>

#include "core/driver.h"
#include "type_skip.h"

enum { DIR, DT, TAG, GROUP, AXIS };

static const option_t options[] = {
        [DIR] = {.name = "dir", .kind = OPTION_DIRECTION, .fallback = "FWD_D"},
        [DT] = {.name = "dt", .kind = OPTION_DT, .fallback = "f32"},
        [TAG] = {.name = "tag", .kind = OPTION_TAG, .fallback = "abx"},
        [GROUP] = {.name = "group", .kind = OPTION_INT, .fallback = "1"},
        [AXIS] = {.name = "axis", .kind = OPTION_INT, .fallback = "1"},
        {.name = NULL},
};

static bool is_backward(const prb_t *prb)
{
    return direction_is_backward(opt_direction(prb, DIR));
}

static skip_reason_t skip(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    const int64_t axis = opt_int(prb, AXIS, 0), group = opt_int(prb, GROUP, 0);
    if (prb->attr->post_ops.count > 0) return SKIP_CASE_NOT_SUPPORTED; // the operation has none
    if (strcmp(opt_tag(prb, TAG, 0), "image") == 0)
        return skip_because(SKIP_CASE_NOT_SUPPORTED, "shuffle: images are not taken");
    if (axis < 0 || axis >= p->ndims)
        return skip_because(SKIP_INVALID_CASE, "shuffle: the axis is outside the rank");
    if (group < 1 || p->dims[0][axis] % group != 0)
        return skip_because(SKIP_INVALID_CASE, "shuffle: the group size does not divide the axis");
    return skip_types(prb, DT, DT);
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    const prim_data_type_t dt = opt_dt(prb, DT, 0);
    const int axis = (int)opt_int(prb, AXIS, 0);
    const prim_dim_t group = (prim_dim_t)opt_int(prb, GROUP, 0);
    prim_memory_desc_t from, to;
    prim_desc_t *hint = NULL;
    prim_status_t st = bench_md(&from, p->ndims, p->dims[0], dt, opt_tag(prb, TAG, 0));
    if (st == PRIM_SUCCESS) st = bench_md(&to, p->ndims, p->dims[0], dt, "any");
    if (st != PRIM_SUCCESS) return st;
    if (!is_backward(prb))
        return prim_shuffle_forward_desc_create(
                pd, engine, direction_prop(opt_direction(prb, DIR)), &from, &to, axis, group, attr);
    st = prim_shuffle_forward_desc_create(
            &hint, engine, PRIM_FORWARD_TRAINING, &from, &to, axis, group, NULL);
    if (st == PRIM_SUCCESS)
        st = prim_shuffle_backward_desc_create(pd, engine, &to, &from, axis, group, hint, attr);
    prim_desc_destroy(hint);
    return st;
}

static void list_args(const prb_t *prb, args_t *args)
{
    if (is_backward(prb)) {
        args_add(args, PRIM_ARG_DIFF_DST, ARG_IN, DATA_DIFF_DST);
        args_add(args, PRIM_ARG_DIFF_SRC, ARG_OUT, DATA_DIFF_SRC);
    } else {
        args_add(args, PRIM_ARG_SRC, ARG_IN, DATA_SRC);
        args_add(args, PRIM_ARG_DST, ARG_OUT, DATA_DST);
    }
}

static unsigned data_classes(const prb_t *prb)
{
    return data_classes_of(opt_dt(prb, DT, 0));
}

static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    const data_mixture_t values = {prb->data_class, arg->md.data_type, 29, 13};
    (void)args;
    fill_by_rng(arg, data_class_value, &values);
}

/// [outer, axis, inner]; forward, group `u` of `group` channels becomes column u.
typedef struct {
    const double *src;
    double *dst;
    int64_t axis, inner, group;
    bool is_backward;
} reference_t;

static void reference_rows(void *context, int64_t begin, int64_t end)
{
    const reference_t *const r = context;
    const int64_t ngroups = r->axis / r->group;
    for (int64_t row = begin; row < end; ++row) {
        const int64_t outer = row / r->axis * r->axis, channel = row % r->axis;
        const int64_t u = channel / r->group, v = channel % r->group;
        const int64_t shuffled = outer + v * ngroups + u;
        const int64_t from = r->is_backward ? shuffled : row, to = r->is_backward ? row : shuffled;
        memcpy(&r->dst[to * r->inner], &r->src[from * r->inner], (size_t)r->inner * sizeof *r->dst);
    }
}

static void reference(const prb_t *prb, args_t *args)
{
    const problem_t *const p = prb->problem;
    const bool back = is_backward(prb);
    const int axis = (int)opt_int(prb, AXIS, 0);
    reference_t r = {.src = args_data(args, back ? PRIM_ARG_DIFF_DST : PRIM_ARG_SRC),
            .dst = args_data(args, back ? PRIM_ARG_DIFF_SRC : PRIM_ARG_DST),
            .axis = p->dims[0][axis],
            .inner = 1,
            .group = opt_int(prb, GROUP, 0),
            .is_backward = back};
    int64_t outer = 1;
    for (int d = 0; d < p->ndims; ++d) {
        if (d < axis) outer *= p->dims[0][d];
        if (d > axis) r.inner *= p->dims[0][d];
    }
    bench_parallel(outer * r.axis, 1 + 4096 / (r.inner + 1), reference_rows, &r);
}

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)prb;
    (void)args;
    (void)arg;
    compare->zero_percent = 65.; // small integers hold zeros
    compare->allows_nan_inf = true;
}

const driver_t bench_shuffle_driver = {
        .name = "shuffle",
        .primitive_kind = PRIM_SHUFFLE,
        .family = FAMILY_DIMS,
        .options = options,
        .backward = DIRECTION_BIT(BWD_D),
        .min_tensors = 1,
        .max_tensors = 1,
        .csv_columns = "%dir%,%dt%,%tag%,%group%,%axis%",
        .skip = skip,
        .create_desc = create_desc,
        .data_classes = data_classes,
        .list_args = list_args,
        .fill = fill,
        .reference = reference,
        .set_compare = set_compare,
};
