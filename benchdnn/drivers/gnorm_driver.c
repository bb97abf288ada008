// SPDX-License-Identifier: Apache-2.0
// benchdnn --gnorm: group normalisation and its gradients. Filling and references are in norm_ref.c
// and norm_backward.c: a group of an image is a channel.
#include "norm_case.h"
#include "type_skip.h"

#include <string.h>

enum { DIR, DT, TAG, FLAGS, MB, INPLACE };

static const word_t flag_letters[] = {
        {"G", PRIM_USE_GLOBAL_STATS},
        {"C", PRIM_USE_SCALE},
        {"H", PRIM_USE_SHIFT},
        {NULL, 0},
};

static const option_t options[] = {
        [DIR] = {.name = "dir", .kind = OPTION_DIRECTION, .fallback = "FWD_D"},
        [DT] = {.name = "dt", .kind = OPTION_DT, .fallback = "f32", .min_count = 1, .max_count = 2},
        [TAG] = {.name = "tag",
                .kind = OPTION_TAG,
                .fallback = "abx:any",
                .min_count = 1,
                .max_count = 2},
        [FLAGS] = {.name = "flags", .kind = OPTION_FLAGS, .fallback = "", .words = flag_letters},
        [MB] = {.name = "mb", .kind = OPTION_INT, .fallback = "0"},
        [INPLACE] = {.name = "inplace",
                .kind = OPTION_BOOL,
                .fallback = "false",
                .inside_attr = true},
        {.name = NULL},
};

static const field_t fields[] = {
        FIELD("g", g, 0),
        FIELD("mb", mb, 2),
        FIELD("ic", ic, 0),
        FIELD_TRIPLE("id", "ih", "iw", in, 0),
        {.name = "eps", .offset = offsetof(problem_t, eps), .fallback = .0625, .is_float = true},
        {.name = NULL},
};

static bool complete(problem_t *problem)
{
    if (!problem_complete_input(problem)) return false;
    if (problem->g <= 0) return problem_error("gnorm: the number of groups (g) is not given");
    return problem->ic % problem->g == 0 || problem_error("gnorm: g%lld does not divide ic%lld",
                                                    (long long)problem->g, (long long)problem->ic);
}

static unsigned flags_of(const prb_t *prb)
{
    return (unsigned)opt_word(prb, FLAGS);
}

static bool is_backward(const prb_t *prb)
{
    return direction_is_backward(opt_direction(prb, DIR));
}

static skip_reason_t skip(const prb_t *prb)
{
    skip_reason_t reason = skip_types(prb, DT, DT);
    if (reason == SKIP_NONE && is_backward(prb))
        reason = skip_gradient(
                prb, dt_is_integer(opt_dt(prb, DT, 0)) || dt_is_integer(opt_dt(prb, DT, 1)));
    if (reason != SKIP_NONE || !opt_bool(prb, INPLACE)) return reason;
    const char *const tag = opt_tag(prb, TAG, 1);
    const bool has_same_tag = strcmp(tag, "any") == 0 || strcmp(tag, opt_tag(prb, TAG, 0)) == 0;
    return has_same_tag && opt_dt(prb, DT, 0) == opt_dt(prb, DT, 1) ? SKIP_NONE : SKIP_INVALID_CASE;
}

static int policy_mask(const prb_t *prb, int arg, attr_policy_t policy, bool has_groups)
{
    if (has_groups || (arg == PRIM_ARG_SRC && policy != POLICY_COMMON)) return -1;
    return attr_default_mask(policy, prb->problem->ndims);
}

static int dst_dims(const prb_t *prb, prim_dims_t dims)
{
    const problem_t *const p = prb->problem;
    return problem_tensor_dims(p, p->mb, p->ic, p->in, dims);
}

static prim_status_t create_backward(prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine,
        const prim_memory_desc_t *src, const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    const prim_memory_desc_t diff_src = bench_dense(src);
    prim_desc_t *hint = NULL;
    prim_status_t st = prim_group_normalization_forward_desc_create(&hint, engine,
            PRIM_FORWARD_TRAINING, src, dst, p->g, (float)p->eps, flags_of(prb), NULL);
    if (st == PRIM_SUCCESS)
        st = prim_group_normalization_backward_desc_create(pd, engine,
                direction_prop(opt_direction(prb, DIR)), &diff_src, dst, src, p->g, (float)p->eps,
                flags_of(prb), hint, attr);
    prim_desc_destroy(hint);
    return st;
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    prim_memory_desc_t src, dst;
    prim_dims_t dims;
    const int ndims = dst_dims(prb, dims);
    prim_status_t st = bench_md(&src, ndims, dims, opt_dt(prb, DT, 0), opt_tag(prb, TAG, 0));
    if (st == PRIM_SUCCESS)
        st = bench_md(&dst, ndims, dims, opt_dt(prb, DT, 1), opt_tag(prb, TAG, 1));
    if (st != PRIM_SUCCESS) return st;
    if (is_backward(prb)) return create_backward(pd, prb, engine, &src, &dst, attr);
    return prim_group_normalization_forward_desc_create(pd, engine,
            direction_prop(opt_direction(prb, DIR)), &src, &dst, p->g, (float)p->eps, flags_of(prb),
            attr);
}

static norm_case_t case_of(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    const int64_t plane = p->in[AXIS_D] * p->in[AXIS_H] * p->in[AXIS_W];
    return (norm_case_t){.images = 1,
            .channels = p->mb * p->g,
            .spatial = p->ic / p->g * plane,
            .dt = opt_dt(prb, DT, 0),
            .flags = flags_of(prb),
            .epsilon = p->eps,
            .fill = FILL_AUTO,
            .is_shared = strchr(opt_tag(prb, TAG, 0), '-') != NULL,
            .data_class = prb->data_class,
            .parameter_elems = plane,
            .parameter_channels = p->g};
}

static const norm_driver_t norm = {case_of, DIR, DT, INPLACE};

const driver_t bench_gnorm_driver = {
        .name = "gnorm",
        .primitive_kind = PRIM_GROUP_NORMALIZATION,
        .family = FAMILY_FIELDS,
        .options = options,
        .fields = fields,
        .backward = DIRECTION_BIT(BWD_D) | DIRECTION_BIT(BWD_DW),
        .csv_columns = "%dir%,%dt%,%tag%,%flags%",
        .complete = complete,
        .skip = skip,
        .dst_dims = dst_dims,
        .policy_mask = policy_mask,
        .create_desc = create_desc,
        .norm = &norm,
        .data_classes = norm_case_classes,
        .list_args = norm_case_list_args,
        .fill = norm_case_fill,
        .reference = norm_case_reference,
        .set_compare = norm_case_set_compare,
};
