// SPDX-License-Identifier: Apache-2.0
// benchdnn --lrn: local response normalisation across channels and within them, forward and
// backward. Data and references are in lrn_ref.c.
#include <string.h>

#include "lrn_ref.h"
#include "type_skip.h"

enum { DIR, DT, TAG, ALG, MB };

static const word_t algs[] = {
        {"ACROSS", PRIM_LRN_ACROSS_CHANNELS},
        {"WITHIN", PRIM_LRN_WITHIN_CHANNEL},
        {"lrn_across_channels", PRIM_LRN_ACROSS_CHANNELS},
        {"lrn_within_channel", PRIM_LRN_WITHIN_CHANNEL},
        {NULL, 0},
};

static const option_t options[] = {
        [DIR] = {.name = "dir", .kind = OPTION_DIRECTION, .fallback = "FWD_D"},
        [DT] = {.name = "dt", .kind = OPTION_DT, .fallback = "f32"},
        [TAG] = {.name = "tag", .kind = OPTION_TAG, .fallback = "abx"},
        [ALG] = {.name = "alg", .kind = OPTION_WORD, .fallback = "ACROSS", .words = algs},
        [MB] = {.name = "mb", .kind = OPTION_INT, .fallback = "0"},
        {.name = NULL},
};

#define FLOAT_FIELD(N, member, fallback)               \
    {                                                  \
        N, offsetof(problem_t, member), fallback, true \
    }

static const field_t fields[] = {
        FIELD("mb", mb, 2),
        FIELD("ic", ic, 0),
        FIELD_TRIPLE("id", "ih", "iw", in, 0),
        FIELD("ls", local_size, 5),
        FLOAT_FIELD("alpha", alpha, 1. / 8192.),
        FLOAT_FIELD("beta", beta, .75),
        FLOAT_FIELD("k", k, 1.),
        {.name = NULL},
};

static bool complete(problem_t *problem)
{
    if (problem->local_size < 1) return problem_error("lrn: ls is not positive");
    return problem_complete_input(problem);
}

static bool is_backward(const prb_t *prb)
{
    return direction_is_backward(opt_direction(prb, DIR));
}

static skip_reason_t skip(const prb_t *prb)
{
    if (prb->attr->post_ops.count > 0) return SKIP_CASE_NOT_SUPPORTED; // the operation has none
    if (strcmp(opt_tag(prb, TAG, 0), "image") == 0)
        return skip_because(SKIP_CASE_NOT_SUPPORTED, "lrn: images are not taken");
    if (dt_is_integer(opt_dt(prb, DT, 0)))
        return skip_because(SKIP_INVALID_CASE, "lrn: integers are not normalised");
    return skip_types(prb, DT, DT);
}

static int dst_dims(const prb_t *prb, prim_dims_t dims)
{
    const problem_t *const p = prb->problem;
    return problem_tensor_dims(p, p->mb, p->ic, p->in, dims);
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    const prim_alg_kind_t alg = (prim_alg_kind_t)opt_word(prb, ALG);
    const float alpha = (float)p->alpha, beta = (float)p->beta, k = (float)p->k;
    const prim_data_type_t dt = opt_dt(prb, DT, 0);
    prim_memory_desc_t src, other;
    prim_dims_t dims;
    prim_desc_t *hint = NULL;
    const int ndims = dst_dims(prb, dims);
    prim_status_t st = bench_md(&src, ndims, dims, dt, opt_tag(prb, TAG, 0));
    if (st == PRIM_SUCCESS) st = bench_md(&other, ndims, dims, dt, "any");
    if (st != PRIM_SUCCESS) return st;
    if (!is_backward(prb))
        return prim_lrn_forward_desc_create(pd, engine, direction_prop(opt_direction(prb, DIR)),
                alg, &src, &other, p->local_size, alpha, beta, k, attr);
    st = prim_lrn_forward_desc_create(&hint, engine, PRIM_FORWARD_TRAINING, alg, &src, &other,
            p->local_size, alpha, beta, k, NULL);
    if (st == PRIM_SUCCESS)
        st = prim_lrn_backward_desc_create(
                pd, engine, alg, &other, &other, &src, p->local_size, alpha, beta, k, hint, attr);
    prim_desc_destroy(hint);
    return st;
}

static void list_args(const prb_t *prb, args_t *args)
{
    args_add(args, PRIM_ARG_SRC, ARG_IN, DATA_SRC);
    if (!is_backward(prb)) {
        args_add(args, PRIM_ARG_DST, ARG_OUT, DATA_DST);
        args_add(args, PRIM_ARG_WORKSPACE, ARG_OUT, DATA_WORKSPACE);
        return;
    }
    args_add(args, PRIM_ARG_DIFF_DST, ARG_IN, DATA_DIFF_DST);
    args_add(args, PRIM_ARG_WORKSPACE, ARG_IN, DATA_WORKSPACE)->keeps_fill = true;
    args_add(args, PRIM_ARG_DIFF_SRC, ARG_OUT, DATA_DIFF_SRC);
}

static unsigned data_classes(const prb_t *prb)
{
    (void)prb;
    return DATA_BIT(CLASS_SMALL) | DATA_BIT(CLASS_REALS);
}

static lrn_case_t case_of(const prb_t *prb)
{
    return (lrn_case_t){
            prb->problem, opt_word(prb, ALG) == PRIM_LRN_ACROSS_CHANNELS, prb->data_class};
}

static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    const lrn_case_t c = case_of(prb);
    (void)args;
    lrn_fill(&c, arg);
}

static void reference(const prb_t *prb, args_t *args)
{
    const lrn_case_t c = case_of(prb);
    if (is_backward(prb))
        lrn_backward_reference(&c, args);
    else
        lrn_reference(&c, args);
}

const driver_t bench_lrn_driver = {
        .name = "lrn",
        .primitive_kind = PRIM_LRN,
        .family = FAMILY_FIELDS,
        .options = options,
        .fields = fields,
        .backward = DIRECTION_BIT(BWD_D),
        .csv_columns = "%dir%,%dt%,%tag%,%alg%",
        .complete = complete,
        .skip = skip,
        .dst_dims = dst_dims,
        .create_desc = create_desc,
        .data_classes = data_classes,
        .list_args = list_args,
        .fill = fill,
        .reference = reference,
};
