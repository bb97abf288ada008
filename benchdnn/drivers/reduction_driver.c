// SPDX-License-Identifier: Apache-2.0
// benchdnn --reduction: maxima, minima, sums, products, means and norms along any dimensions. Data
// and reference are in reduction_ref.c.
#include "reduction_ref.h"
#include "type_skip.h"

enum { SDT, DDT, STAG, DTAG, ALG, P, EPS };

static const word_t algs[] = {
        {"sum", PRIM_REDUCTION_SUM},
        {"reduction_sum", PRIM_REDUCTION_SUM},
        {"min", PRIM_REDUCTION_MIN},
        {"reduction_min", PRIM_REDUCTION_MIN},
        {"max", PRIM_REDUCTION_MAX},
        {"reduction_max", PRIM_REDUCTION_MAX},
        {"mul", PRIM_REDUCTION_MUL},
        {"reduction_mul", PRIM_REDUCTION_MUL},
        {"mean", PRIM_REDUCTION_MEAN},
        {"reduction_mean", PRIM_REDUCTION_MEAN},
        {"norm_lp_max", PRIM_REDUCTION_NORM_LP_MAX},
        {"reduction_norm_lp_max", PRIM_REDUCTION_NORM_LP_MAX},
        {"norm_lp_sum", PRIM_REDUCTION_NORM_LP_SUM},
        {"reduction_norm_lp_sum", PRIM_REDUCTION_NORM_LP_SUM},
        {"norm_lp_power_p_max", PRIM_REDUCTION_NORM_LP_POWER_P_MAX},
        {"reduction_norm_lp_power_p_max", PRIM_REDUCTION_NORM_LP_POWER_P_MAX},
        {"norm_lp_power_p_sum", PRIM_REDUCTION_NORM_LP_POWER_P_SUM},
        {"reduction_norm_lp_power_p_sum", PRIM_REDUCTION_NORM_LP_POWER_P_SUM},
        {NULL, 0},
};

static const option_t options[] = {
        [SDT] = {.name = "sdt", .kind = OPTION_DT, .fallback = "f32"},
        [DDT] = {.name = "ddt", .kind = OPTION_DT, .fallback = "f32"},
        [STAG] = {.name = "stag", .kind = OPTION_TAG, .fallback = "abx"},
        [DTAG] = {.name = "dtag", .kind = OPTION_TAG, .fallback = "any"},
        [ALG] = {.name = "alg", .kind = OPTION_WORD, .fallback = "sum", .words = algs},
        [P] = {.name = "p", .kind = OPTION_FLOAT, .fallback = "1"},
        [EPS] = {.name = "eps", .kind = OPTION_FLOAT, .fallback = "0"},
        {.name = NULL},
};

static bool complete(problem_t *problem)
{
    for (int d = 0; d < problem->ndims; ++d) {
        const prim_dim_t from = problem->dims[0][d], to = problem->dims[1][d];
        if (to != from && to != 1)
            return problem_error("reduction: dimension %d of dst is %lld, neither 1 nor %lld", d,
                    (long long)to, (long long)from);
    }
    return true;
}

static int dst_dims(const prb_t *prb, prim_dims_t dims)
{
    const problem_t *const p = prb->problem;
    for (int d = 0; d < p->ndims; ++d) dims[d] = p->dims[1][d];
    return p->ndims;
}

static prim_alg_kind_t alg_of(const prb_t *prb)
{
    return (prim_alg_kind_t)opt_word(prb, ALG);
}

static bool reduces(const problem_t *p)
{
    for (int d = 0; d < p->ndims; ++d)
        if (p->dims[0][d] != p->dims[1][d]) return true;
    return false;
}

static skip_reason_t skip(const prb_t *prb)
{
    if (attr_post_op(prb->attr, PRIM_PRELU) || attr_post_op(prb->attr, PRIM_CONVOLUTION))
        return skip_because(
                SKIP_CASE_NOT_SUPPORTED, "reduction: prelu and convolution are no post-ops");
    if (!reduces(prb->problem))
        return skip_because(SKIP_INVALID_CASE, "reduction: nothing is reduced");
    const bool is_norm = reduction_is_norm(alg_of(prb));
    if (is_norm && dt_is_integer(opt_dt(prb, SDT, 0)))
        return skip_because(SKIP_INVALID_CASE, "reduction: norms are of floats");
    if (is_norm && !(opt_float(prb, P, 0) >= 1.))
        return skip_because(SKIP_INVALID_CASE, "reduction: p of a norm is below 1");
    return skip_types(prb, SDT, DDT);
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    prim_memory_desc_t src, dst;
    prim_status_t st =
            bench_md(&src, p->ndims, p->dims[0], opt_dt(prb, SDT, 0), opt_tag(prb, STAG, 0));
    if (st == PRIM_SUCCESS)
        st = bench_md(&dst, p->ndims, p->dims[1], opt_dt(prb, DDT, 0), opt_tag(prb, DTAG, 0));
    if (st != PRIM_SUCCESS) return st;
    return prim_reduction_desc_create(pd, engine, alg_of(prb), &src, &dst,
            (float)opt_float(prb, P, 0), (float)opt_float(prb, EPS, 0), attr);
}

static void list_args(const prb_t *prb, args_t *args)
{
    (void)prb;
    args_add(args, PRIM_ARG_SRC, ARG_IN, DATA_SRC);
    args_add(args, PRIM_ARG_DST, ARG_OUT, DATA_DST);
}

static reduction_case_t case_of(const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    reduction_case_t c = {.problem = p,
            .alg = alg_of(prb),
            .p = (double)(float)opt_float(prb, P, 0),
            .eps = (double)(float)opt_float(prb, EPS, 0),
            .src_dt = opt_dt(prb, SDT, 0),
            .dst_dt = opt_dt(prb, DDT, 0),
            .data_class = prb->data_class,
            .has_post_ops = prb->attr->post_ops.count > 0,
            .nreduced = 1};
    for (int d = 0; d < p->ndims; ++d)
        if (p->dims[0][d] != p->dims[1][d]) c.nreduced *= p->dims[0][d];
    return c;
}

static unsigned data_classes(const prb_t *prb)
{
    const reduction_case_t c = case_of(prb);
    return reduction_data_classes(&c);
}

static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    const reduction_case_t c = case_of(prb);
    (void)args;
    reduction_fill(&c, arg);
}

static void reference(const prb_t *prb, args_t *args)
{
    const reduction_case_t c = case_of(prb);
    reduction_reference(&c, args);
}

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)args;
    (void)arg;
    // Few results, of which u8 cuts the negative ones off; of no elements all are 0.
    compare->zero_percent = case_of(prb).nreduced == 0 ? 100. : 99.;
    compare->allows_nan_inf = true;
}

const driver_t bench_reduction_driver = {
        .name = "reduction",
        .primitive_kind = PRIM_REDUCTION,
        .family = FAMILY_DIMS,
        .options = options,
        .min_tensors = 2,
        .max_tensors = 2,
        .csv_columns = "%sdt%,%ddt%,%stag%,%dtag%,%alg%",
        .complete = complete,
        .skip = skip,
        .dst_dims = dst_dims,
        .create_desc = create_desc,
        .data_classes = data_classes,
        .list_args = list_args,
        .fill = fill,
        .reference = reference,
        .set_compare = set_compare,
};
