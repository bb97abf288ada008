// SPDX-License-Identifier: Apache-2.0
// benchdnn --lnorm: layer normalisation over the last dimension, and its gradients. Filling and
// references are in norm_ref.c and norm_backward.c: a row is a channel.
#include "norm_case.h"
#include "type_skip.h"

#include <string.h>

enum { DIR, DT, TAG, STAT_TAG, SS_DT, FLAGS, INPLACE };

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
                .fallback = "abx",
                .min_count = 1,
                .max_count = 2},
        [STAT_TAG] = {.name = "stat_tag", .kind = OPTION_TAG, .fallback = "any"},
        [SS_DT] = {.name = "ss_dt", .kind = OPTION_DT, .fallback = "f32"},
        [FLAGS] = {.name = "flags", .kind = OPTION_FLAGS, .fallback = "", .words = flag_letters},
        [INPLACE] = {.name = "inplace",
                .kind = OPTION_BOOL,
                .fallback = "false",
                .inside_attr = true},
        {.name = NULL},
};

static unsigned flags_of(const prb_t *prb)
{
    return (unsigned)opt_word(prb, FLAGS);
}

/// One layout leaves that of dst to the library.
static const char *dst_tag(const prb_t *prb)
{
    return opt_count(prb, TAG) > 1 ? opt_tag(prb, TAG, 1) : "any";
}

static bool complete(problem_t *problem)
{
    return problem->ndims >= 2 ||
           problem_error("lnorm: %d dimension; 2 are the least", problem->ndims);
}

static bool is_backward(const prb_t *prb)
{
    return direction_is_backward(opt_direction(prb, DIR));
}

static skip_reason_t skip(const prb_t *prb)
{
    const prim_data_type_t ss_dt = opt_dt(prb, SS_DT, 0);
    if (ss_dt != PRIM_F32 && ss_dt != PRIM_BF16 && ss_dt != PRIM_F16 &&
            ss_dt != PRIM_DATA_TYPE_UNDEF)
        return skip_because(SKIP_DATA_TYPE_NOT_SUPPORTED, "scale and shift are f32, bf16 or f16");
    skip_reason_t reason = skip_types(prb, DT, DT);
    if (reason == SKIP_NONE && is_backward(prb))
        reason = skip_gradient(
                prb, dt_is_integer(opt_dt(prb, DT, 0)) || dt_is_integer(opt_dt(prb, DT, 1)));
    if (reason != SKIP_NONE || !opt_bool(prb, INPLACE)) return reason;
    const char *const tag = dst_tag(prb);
    const bool has_same_tag = strcmp(tag, "any") == 0 || strcmp(tag, opt_tag(prb, TAG, 0)) == 0;
    return has_same_tag && opt_dt(prb, DT, 0) == opt_dt(prb, DT, 1) ? SKIP_NONE : SKIP_INVALID_CASE;
}

/// Channels of a post-op's operand lie along the last dimension.
static int policy_mask(const prb_t *prb, int arg, attr_policy_t policy, bool has_groups)
{
    const int ndims = prb->problem->ndims;
    if (has_groups || (arg == PRIM_ARG_SRC && policy != POLICY_COMMON)) return -1;
    return policy == POLICY_PER_OC ? 1 << (ndims - 1) : attr_default_mask(policy, ndims);
}

static prim_status_t create_backward(prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine,
        const prim_memory_desc_t *src, const prim_memory_desc_t *stat, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    const unsigned flags = flags_of(prb);
    const prim_data_type_t ss_dt = opt_dt(prb, SS_DT, 0);
    const prim_memory_desc_t diff_src = bench_dense(src);
    prim_memory_desc_t diff_dst;
    prim_desc_t *hint = NULL;
    prim_status_t st = bench_md(&diff_dst, p->ndims, p->dims[0], opt_dt(prb, DT, 1), dst_tag(prb));
    if (st == PRIM_SUCCESS)
        st = prim_layer_normalization_forward_desc_create(&hint, engine, PRIM_FORWARD_TRAINING, src,
                &diff_dst, stat, ss_dt, .0625F, flags, NULL);
    if (st == PRIM_SUCCESS)
        st = prim_layer_normalization_backward_desc_create(pd, engine,
                direction_prop(opt_direction(prb, DIR)), &diff_src, &diff_dst, src, stat, ss_dt,
                ss_dt, .0625F, flags, hint, attr);
    prim_desc_destroy(hint);
    return st;
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    prim_memory_desc_t src, dst, stat;
    prim_status_t st =
            bench_md(&src, p->ndims, p->dims[0], opt_dt(prb, DT, 0), opt_tag(prb, TAG, 0));
    if (st == PRIM_SUCCESS)
        st = bench_md(&dst, p->ndims, p->dims[0], opt_dt(prb, DT, 1), dst_tag(prb));
    if (st == PRIM_SUCCESS)
        st = bench_md(&stat, p->ndims - 1, p->dims[0], PRIM_F32, opt_tag(prb, STAT_TAG, 0));
    if (st != PRIM_SUCCESS) return st;
    if (is_backward(prb)) return create_backward(pd, prb, engine, &src, &stat, attr);
    return prim_layer_normalization_forward_desc_create(pd, engine,
            direction_prop(opt_direction(prb, DIR)), &src, &dst, &stat, opt_dt(prb, SS_DT, 0),
            .0625F, flags_of(prb), attr);
}

static norm_case_t case_of(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    int64_t nrows = 1;
    for (int d = 0; d < p->ndims - 1; ++d) nrows *= p->dims[0][d];
    return (norm_case_t){.images = 1,
            .channels = nrows,
            .spatial = p->dims[0][p->ndims - 1],
            .dt = opt_dt(prb, DT, 0),
            .flags = flags_of(prb),
            .epsilon = .0625,
            .fill = FILL_AUTO,
            .is_shared = strchr(opt_tag(prb, TAG, 0), '-') != NULL,
            .data_class = prb->data_class,
            .parameter_elems = 1,
            .parameter_channels = 1};
}

static const norm_driver_t norm = {case_of, DIR, DT, INPLACE};

const driver_t bench_lnorm_driver = {
        .name = "lnorm",
        .primitive_kind = PRIM_LAYER_NORMALIZATION,
        .family = FAMILY_DIMS,
        .options = options,
        .backward = DIRECTION_BIT(BWD_D) | DIRECTION_BIT(BWD_DW),
        .min_tensors = 1,
        .max_tensors = 1,
        .csv_columns = "%dir%,%dt%,%tag%,%stat_tag%,%flags%",
        .complete = complete,
        .skip = skip,
        .policy_mask = policy_mask,
        .create_desc = create_desc,
        .norm = &norm,
        .data_classes = norm_case_classes,
        .list_args = norm_case_list_args,
        .fill = norm_case_fill,
        .reference = norm_case_reference,
        .set_compare = norm_case_set_compare,
};
