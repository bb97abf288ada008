// SPDX-License-Identifier: Apache-2.0
// benchdnn --bnorm: batch normalisation and its gradients. Filling and references are in norm_ref.c
// and norm_backward.c.
#include "norm_case.h"
#include "type_skip.h"

#include <math.h>
#include <string.h>

enum { DIR, DT, TAG, STRIDES, FLAGS, MB, CHECK_ALG, INPLACE, DEBUG_WS };

static const word_t flag_letters[] = {
        {"G", PRIM_USE_GLOBAL_STATS},
        {"C", PRIM_USE_SCALE},
        {"H", PRIM_USE_SHIFT},
        {"R", PRIM_FUSE_NORM_RELU},
        {"A", PRIM_FUSE_NORM_ADD_RELU},
        {NULL, 0},
};

static const word_t fill_algs[] = {
        {"auto", FILL_AUTO},
        {"alg_auto", FILL_AUTO},
        {"alg_0", FILL_NO_MEAN},
        {"alg_1", FILL_NARROW},
        {"alg_2", FILL_WIDE},
        {"outlier", FILL_OUTLIER},
        {NULL, 0},
};

static const option_t options[] = {
        [DIR] = {.name = "dir", .kind = OPTION_DIRECTION, .fallback = "FWD_D"},
        [DT] = {.name = "dt", .kind = OPTION_DT, .fallback = "f32"},
        [TAG] = {.name = "tag", .kind = OPTION_TAG, .fallback = "abx"},
        [STRIDES] = {.name = "strides",
                .kind = OPTION_STRIDES,
                .fallback = "",
                .min_count = 2,
                .max_count = 2},
        [FLAGS] = {.name = "flags", .kind = OPTION_FLAGS, .fallback = "", .words = flag_letters},
        [MB] = {.name = "mb", .kind = OPTION_INT, .fallback = "0"},
        [CHECK_ALG] = {.name = "check-alg",
                .kind = OPTION_WORD,
                .fallback = "auto",
                .words = fill_algs,
                .is_scalar = true},
        [INPLACE] = {.name = "inplace",
                .kind = OPTION_BOOL,
                .fallback = "false",
                .inside_attr = true},
        [DEBUG_WS] = {.name = "debug-check-ws",
                .kind = OPTION_BOOL,
                .fallback = "false",
                .is_scalar = true},
        {.name = NULL},
};

static const field_t fields[] = {
        FIELD("mb", mb, 2),
        FIELD("ic", ic, 0),
        FIELD_TRIPLE("id", "ih", "iw", in, 0),
        {.name = "eps", .offset = offsetof(problem_t, eps), .fallback = .0625, .is_float = true},
        {.name = NULL},
};

static bool complete(problem_t *problem)
{
    return problem_complete_input(problem);
}

static unsigned flags_of(const prb_t *prb)
{
    return (unsigned)opt_word(prb, FLAGS);
}

static norm_case_t case_of(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    return (norm_case_t){.images = p->mb,
            .channels = p->ic,
            .spatial = p->in[AXIS_D] * p->in[AXIS_H] * p->in[AXIS_W],
            .dt = opt_dt(prb, DT, 0),
            .flags = flags_of(prb),
            .epsilon = p->eps,
            .fill = opt_word(prb, CHECK_ALG),
            .is_shared = strchr(opt_tag(prb, TAG, 0), '-') != NULL,
            .data_class = prb->data_class};
}

static const norm_driver_t norm = {case_of, DIR, DT, INPLACE};

static bool is_backward(const prb_t *prb)
{
    return direction_is_backward(opt_direction(prb, DIR));
}

static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    if (arg->kind == DATA_WORKSPACE)
        fill_multiples(arg, 0, 1, 1., 1.);
    else
        norm_case_fill(prb, args, arg);
}

static bool strides_differ(const prb_t *prb)
{
    const prim_dim_t *const src = opt_strides(prb, STRIDES, 0);
    const prim_dim_t *const dst = opt_strides(prb, STRIDES, 1);
    if (!src || !dst) return dst != src;
    return memcmp(src, dst, (size_t)prb->problem->ndims * sizeof *src) != 0;
}

static skip_reason_t skip(const prb_t *prb)
{
    if (is_backward(prb)) {
        const skip_reason_t reason = skip_gradient(prb, dt_is_integer(opt_dt(prb, DT, 0)));
        if (reason != SKIP_NONE) return reason;
    }
    const unsigned fuses = PRIM_FUSE_NORM_RELU | PRIM_FUSE_NORM_ADD_RELU;
    if ((flags_of(prb) & fuses) == fuses) return SKIP_INVALID_CASE;
    if (opt_bool(prb, INPLACE) && strides_differ(prb)) return SKIP_INVALID_CASE;
    // Relu is the operation's only post-op.
    for (int i = 0; i < prb->attr->post_ops.count; ++i)
        if (prb->attr->post_ops.entries[i].kind != PRIM_ELTWISE ||
                prb->attr->post_ops.entries[i].alg != PRIM_ELTWISE_RELU)
            return SKIP_CASE_NOT_SUPPORTED;
    return skip_types(prb, DT, DT);
}

static int dst_dims(const prb_t *prb, prim_dims_t dims)
{
    const problem_t *const p = prb->problem;
    return problem_tensor_dims(p, p->mb, p->ic, p->in, dims);
}

/// With the forward pass as its hint, which a fused relu needs.
static prim_status_t create_backward(prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine,
        const prim_memory_desc_t *src, const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    const float epsilon = (float)prb->problem->eps;
    const unsigned flags = flags_of(prb);
    prim_desc_t *hint = NULL;
    prim_status_t st = prim_batch_normalization_forward_desc_create(
            &hint, engine, PRIM_FORWARD_TRAINING, src, dst, epsilon, flags, NULL);
    if (st == PRIM_SUCCESS)
        st = prim_batch_normalization_backward_desc_create(pd, engine,
                direction_prop(opt_direction(prb, DIR)), dst, dst, src, epsilon, flags, hint, attr);
    prim_desc_destroy(hint);
    return st;
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    prim_memory_desc_t src, dst;
    prim_dims_t dims;
    const int ndims = dst_dims(prb, dims);
    const prim_data_type_t dt = opt_dt(prb, DT, 0);
    prim_status_t st = bench_md_strided(
            &src, ndims, dims, dt, opt_tag(prb, TAG, 0), opt_strides(prb, STRIDES, 0));
    if (st != PRIM_SUCCESS) return st;
    st = bench_md_strided(&dst, ndims, dims, dt, "any", opt_strides(prb, STRIDES, 1));
    if (st != PRIM_SUCCESS) return st;
    if (is_backward(prb)) return create_backward(pd, prb, engine, &src, &dst, attr);
    return prim_batch_normalization_forward_desc_create(pd, engine,
            direction_prop(opt_direction(prb, DIR)), &src, &dst, (float)prb->problem->eps,
            flags_of(prb), attr);
}

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)args;
    compare->zero_percent = 100.;
    if (arg->id != PRIM_ARG_DST) return;
    const bool has_relu = prb->attr->post_ops.count > 0 ||
                          (flags_of(prb) & (PRIM_FUSE_NORM_RELU | PRIM_FUSE_NORM_ADD_RELU));
    compare->zero_percent = dt_is_integer(opt_dt(prb, DT, 0)) ? 99. : has_relu ? 75. : 30.;
    // Few elements a channel: the one that is the mean counts.
    const norm_case_t of_case = case_of(prb);
    const double by_filling = norm_zero_percent(&of_case) + 1.;
    if (compare->zero_percent < by_filling) compare->zero_percent = by_filling;
}

const driver_t bench_bnorm_driver = {
        .name = "bnorm",
        .primitive_kind = PRIM_BATCH_NORMALIZATION,
        .family = FAMILY_FIELDS,
        .options = options,
        .fields = fields,
        .backward = DIRECTION_BIT(BWD_D) | DIRECTION_BIT(BWD_DW),
        .csv_columns = "%dir%,%dt%,%tag%,%flags%",
        .complete = complete,
        .skip = skip,
        .dst_dims = dst_dims,
        .create_desc = create_desc,
        .norm = &norm,
        .data_classes = norm_case_classes,
        .list_args = norm_case_list_args,
        .fill = fill,
        .reference = norm_case_reference,
        .set_compare = set_compare,
};
