// SPDX-License-Identifier: Apache-2.0
// eltwise: dst = f(src), element by element. Data hit the edges of every function: small numbers of
// both signs, fractions, tens, and the neighbourhoods where exp, tanh and gelu saturate.
#include <math.h>

#include "core/driver.h"

enum { DIR, DT, TAG, ALG, ALPHA, BETA, MB, INPLACE };

extern const word_t eltwise_words[];
extern const driver_t bench_eltwise_driver;

static const option_t options[] = {
        [DIR] = {.name = "dir", .kind = OPTION_DIRECTION, .fallback = "FWD_D"},
        [DT] = {.name = "dt", .kind = OPTION_DT, .fallback = "f32"},
        [TAG] = {.name = "tag", .kind = OPTION_TAG, .fallback = "abx"},
        [ALG] = {.name = "alg",
                .kind = OPTION_WORD,
                .fallback = "relu",
                .words = eltwise_words,
                .is_always_printed = true},
        [ALPHA] = {.name = "alpha",
                .kind = OPTION_FLOAT,
                .fallback = "0",
                .is_always_printed = true},
        [BETA] = {.name = "beta", .kind = OPTION_FLOAT, .fallback = "0", .is_always_printed = true},
        [MB] = {.name = "mb", .kind = OPTION_INT, .fallback = "0"},
        [INPLACE] = {.name = "inplace",
                .kind = OPTION_BOOL,
                .fallback = "false",
                .inside_attr = true},
        {.name = NULL},
};

static prim_alg_kind_t alg_of(const prb_t *prb)
{
    return (prim_alg_kind_t)opt_word(prb, ALG);
}

static float alpha_of(const prb_t *prb)
{
    return (float)opt_float(prb, ALPHA, 0);
}

static float beta_of(const prb_t *prb)
{
    return (float)opt_float(prb, BETA, 0);
}

static bool is_clip(prim_alg_kind_t alg)
{
    return alg == PRIM_ELTWISE_CLIP || alg == PRIM_ELTWISE_CLIP_V2 ||
           alg == PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD;
}

static skip_reason_t skip(const prb_t *prb)
{
    const prim_alg_kind_t alg = alg_of(prb);
    const prim_data_type_t dt = opt_dt(prb, DT, 0);
    const bool is_dst_based =
            alg == PRIM_ELTWISE_ELU_USE_DST_FOR_BWD || alg == PRIM_ELTWISE_RELU_USE_DST_FOR_BWD;
    if (is_clip(alg) && beta_of(prb) < alpha_of(prb)) return SKIP_INVALID_CASE;
    if (is_dst_based && alpha_of(prb) < 0.f) return SKIP_INVALID_CASE;
    if (alg == PRIM_ELTWISE_ROUND && dt != PRIM_F32) return SKIP_INVALID_CASE;
    if (alg == PRIM_ELTWISE_SOFT_RELU && alpha_of(prb) == 0.f) return SKIP_INVALID_CASE;
    const bool is_integer_alg =
            alg == PRIM_ELTWISE_RELU || alg == PRIM_ELTWISE_LINEAR || alg == PRIM_ELTWISE_CLIP;
    return dt_is_integer(dt) && !is_integer_alg ? SKIP_INVALID_CASE : SKIP_NONE;
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const problem_t *const problem = prb->problem;
    const prim_data_type_t dt = opt_dt(prb, DT, 0);
    prim_memory_desc_t src, dst;
    prim_status_t status =
            bench_md(&src, problem->ndims, problem->dims[0], dt, opt_tag(prb, TAG, 0));
    if (status == PRIM_SUCCESS)
        status = bench_md(&dst, problem->ndims, problem->dims[0], dt, "any");
    if (status != PRIM_SUCCESS) return status;
    return prim_eltwise_forward_desc_create(pd, engine, direction_prop(opt_direction(prb, DIR)),
            alg_of(prb), &src, &dst, alpha_of(prb), beta_of(prb), attr);
}

static void list_args(const prb_t *prb, args_t *args)
{
    arg_t *const src = args_add(args, PRIM_ARG_SRC, ARG_IN, DATA_SRC);
    if (opt_bool(prb, INPLACE)) src->inplace_with = PRIM_ARG_DST;
    args_add(args, PRIM_ARG_DST, ARG_OUT, DATA_DST);
}

/// Neighbours of an edge: one of five values half a unit apart around it.
static double near(double edge, rng_t *rng)
{
    return edge + 0.5 * (double)rng_int(rng, -2, 2);
}

static double pattern(const void *context, rng_t *rng, int64_t index)
{
    const prb_t *const prb = context;
    const int64_t npatterns = alg_of(prb) == PRIM_ELTWISE_LOG ? 15 : 13;
    switch (index % npatterns) {
    case 0: return (double)rng_int(rng, 0, 10);
    case 1: return -(double)rng_int(rng, 0, 10);
    case 2: return 0.01 * (double)rng_int(rng, 0, 8);
    case 3: return -0.01 * (double)rng_int(rng, 0, 8);
    case 4: return 10. * (double)rng_int(rng, 0, 10);
    case 5: return -10. * (double)rng_int(rng, 0, 10);
    case 6: return near(88., rng);
    case 7: return -near(88., rng);
    case 8: return near(44., rng);
    case 9: return near(22., rng);
    case 10: return -near(22., rng);
    case 11: return (double)alpha_of(prb);
    case 12: return (double)beta_of(prb);
    case 13: return (double)INFINITY;
    default: return -(double)INFINITY;
    }
}

static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    (void)args;
    fill_by_rng(arg, pattern, prb);
}

static void reference_range(void *context, int64_t begin, int64_t end)
{
    const args_t *const args = context;
    const prb_t *const prb = args_prb(args);
    const double alpha = (double)alpha_of(prb), beta = (double)beta_of(prb);
    const double *const src = args_data(args, PRIM_ARG_SRC);
    double *const dst = args_data(args, PRIM_ARG_DST);
    for (int64_t i = begin; i < end; ++i)
        dst[i] = ref_finish(args, ref_eltwise(alg_of(prb), src[i], alpha, beta), i);
}

static void reference(const prb_t *prb, args_t *args)
{
    (void)prb;
    bench_parallel(args_find(args, PRIM_ARG_DST)->nelems, 8192, reference_range, args);
}

/// The functions whose implementations in f32 lose a digit to a polynomial or a quotient.
static bool is_approximated(prim_alg_kind_t alg)
{
    switch (alg) {
    case PRIM_ELTWISE_GELU_TANH:
    case PRIM_ELTWISE_ELU:
    case PRIM_ELTWISE_ELU_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_SWISH:
    case PRIM_ELTWISE_TANH:
    case PRIM_ELTWISE_TANH_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_SOFT_RELU:
    case PRIM_ELTWISE_MISH:
    case PRIM_ELTWISE_LOG: return true;
    default: return false;
    }
}

static bool has_no_finite_range(prim_alg_kind_t alg)
{
    switch (alg) {
    case PRIM_ELTWISE_EXP:
    case PRIM_ELTWISE_EXP_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_LOG:
    case PRIM_ELTWISE_POW:
    case PRIM_ELTWISE_SQRT:
    case PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD:
    case PRIM_ELTWISE_SQUARE: return true;
    default: return false;
    }
}

/// Where a formula subtracts nearly equal terms, the error of a float evaluation follows the terms,
/// not their small difference: a few roundings of the largest term.
static bool accepts(const prb_t *prb, const point_t *point)
{
    const double x = args_data(point->args, PRIM_ARG_SRC)[point->offset];
    const double alpha = fabs((double)alpha_of(prb)), beta = fabs((double)beta_of(prb));
    double term = 0.;
    switch (alg_of(prb)) {
    case PRIM_ELTWISE_LINEAR: term = alpha * fabs(x) + beta; break;
    case PRIM_ELTWISE_HARDSIGMOID: term = fmin(alpha * fabs(x) + beta, 1.); break;
    case PRIM_ELTWISE_HARDSWISH: term = fabs(x) * (alpha * fabs(x) + beta); break;
    case PRIM_ELTWISE_ELU:
    case PRIM_ELTWISE_ELU_USE_DST_FOR_BWD: term = x < 0. ? alpha : 0.; break;
    case PRIM_ELTWISE_GELU_TANH:
    case PRIM_ELTWISE_GELU_ERF: term = x < 0. ? fabs(x) : 0.; break;
    case PRIM_ELTWISE_SOFT_RELU: term = 1. / alpha; break;
    default: return false;
    }
    return point->diff <= 2. * dt_epsilon(PRIM_F32) * term;
}

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)args;
    const prim_alg_kind_t alg = alg_of(prb);
    const prim_data_type_t dt = arg->md.data_type;
    const bool is_single = dt == PRIM_F32 || dt == PRIM_F64;
    compare->threshold = is_single ? 4e-6 : dt_epsilon(dt);
    if (is_single && is_approximated(alg)) compare->threshold = 4e-5;
    const bool is_flat = dt_is_integer(dt) || is_clip(alg) || alg == PRIM_ELTWISE_POW ||
                         (alg == PRIM_ELTWISE_LINEAR && alpha_of(prb) == 0.f);
    compare->zero_percent = is_flat ? 100. : 65.;
    compare->allows_nan_inf = compare->allows_nan_inf || has_no_finite_range(alg);
    compare->accepts = accepts;
}

const driver_t bench_eltwise_driver = {
        .name = "eltwise",
        .primitive_kind = PRIM_ELTWISE,
        .family = FAMILY_DIMS,
        .options = options,
        .min_tensors = 1,
        .max_tensors = 1,
        .csv_columns = "%dir%,%dt%,%tag%,%alg%",
        .skip = skip,
        .create_desc = create_desc,
        .list_args = list_args,
        .fill = fill,
        .reference = reference,
        .set_compare = set_compare,
};
