// SPDX-License-Identifier: Apache-2.0
// eltwise: dst = f(src), element by element, and diff_src = diff_dst·f'. Data hit the edges of
// every function: small numbers of both signs, fractions, tens, and the neighbourhoods where exp,
// tanh and gelu saturate.
#include <math.h>
#include <string.h>

#include "core/bench_args.h"
#include "eltwise_backward.h"
#include "type_skip.h"

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

static bool is_backward(const prb_t *prb)
{
    return direction_is_backward(opt_direction(prb, DIR));
}

/// Gradients are of reals, without post-ops, in buffers, and round has none.
static skip_reason_t skip_backward(const prb_t *prb)
{
    if (dt_is_integer(opt_dt(prb, DT, 0)))
        return skip_because(SKIP_INVALID_CASE, "eltwise: integers have no gradient");
    if (alg_of(prb) == PRIM_ELTWISE_ROUND)
        return skip_because(SKIP_INVALID_CASE, "eltwise: round has no gradient");
    if (prb->attr->post_ops.count > 0)
        return skip_because(SKIP_INVALID_CASE, "eltwise: a gradient takes no post-ops");
    if (strcmp(opt_tag(prb, TAG, 0), "image") == 0)
        return skip_because(SKIP_CASE_NOT_SUPPORTED, "eltwise: gradients take no images");
    return SKIP_NONE;
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
    if (dt_is_integer(dt) && !is_integer_alg) return SKIP_INVALID_CASE;
    const skip_reason_t reason = skip_types(prb, DT, DT);
    return reason == SKIP_NONE && is_backward(prb) ? skip_backward(prb) : reason;
}

static prim_status_t create_forward(prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, const prim_attr_t *attr)
{
    const problem_t *const problem = prb->problem;
    const prim_data_type_t dt = opt_dt(prb, DT, 0);
    prim_memory_desc_t src, dst;
    prim_status_t status =
            bench_md(&src, problem->ndims, problem->dims[0], dt, opt_tag(prb, TAG, 0));
    if (status == PRIM_SUCCESS)
        status = bench_md(&dst, problem->ndims, problem->dims[0], dt, "any");
    if (status != PRIM_SUCCESS) return status;
    return prim_eltwise_forward_desc_create(
            pd, engine, prop_kind, alg_of(prb), &src, &dst, alpha_of(prb), beta_of(prb), attr);
}

/// src and dst are laid out alike, the gradients as the implementation chooses.
static prim_status_t create_backward(prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine,
        const prim_desc_t *hint, const prim_attr_t *attr)
{
    const problem_t *const problem = prb->problem;
    prim_memory_desc_t diff;
    const prim_status_t status =
            bench_md(&diff, problem->ndims, problem->dims[0], opt_dt(prb, DT, 0), "any");
    if (status != PRIM_SUCCESS) return status;
    return prim_eltwise_backward_desc_create(pd, engine, alg_of(prb), &diff, &diff,
            prim_desc_query_md(hint, PRIM_QUERY_DST_MD, 0), alpha_of(prb), beta_of(prb), hint,
            attr);
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    if (!is_backward(prb))
        return create_forward(pd, prb, engine, direction_prop(opt_direction(prb, DIR)), attr);
    prim_desc_t *hint = NULL;
    prim_status_t status = create_forward(&hint, prb, engine, PRIM_FORWARD_TRAINING, NULL);
    if (status == PRIM_SUCCESS) status = create_backward(pd, prb, engine, hint, attr);
    prim_desc_destroy(hint);
    return status;
}

static void list_args(const prb_t *prb, args_t *args)
{
    if (is_backward(prb)) {
        (void)args_add(args, eltwise_data_arg(alg_of(prb)), ARG_IN, DATA_SRC);
        arg_t *const diff_dst = args_add(args, PRIM_ARG_DIFF_DST, ARG_IN, DATA_DIFF_DST);
        if (opt_bool(prb, INPLACE)) diff_dst->inplace_with = PRIM_ARG_DIFF_SRC;
        args_add(args, PRIM_ARG_DIFF_SRC, ARG_OUT, DATA_DIFF_SRC);
        return;
    }
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

/// Without an infinite factor, which turns an underflow into NaN.
static bool takes_extremes(const prb_t *prb)
{
    return isfinite(alpha_of(prb)) && isfinite(beta_of(prb));
}

static unsigned data_classes(const prb_t *prb)
{
    const unsigned classes = data_classes_of(opt_dt(prb, DT, 0));
    return takes_extremes(prb) ? classes : classes & ~DATA_BIT(CLASS_EXTREMES);
}

/// Draws one after the other: the order within an expression is the compiler's.
static double scaled_real(rng_t *rng, prim_data_type_t dt)
{
    const double x = data_value(rng, CLASS_REALS, dt);
    return ldexp(x, (int)rng_int(rng, -9, 3));
}

/// The edges of the function, then the classes in turn.
static double mixed_value(const void *context, rng_t *rng, int64_t index)
{
    const prb_t *const prb = context;
    const prim_data_type_t dt = opt_dt(prb, DT, 0);
    const double edge = pattern(context, rng, index);
    if (dt_is_integer(dt)) return index % 3 == 0 ? data_value(rng, CLASS_RANGE, dt) : edge;
    // What becomes of NaN, infinities and overflow in a post-op is its own matter.
    const bool is_tame = prb->attr->post_ops.count > 0 || !takes_extremes(prb);
    switch (index % 7) {
    case 0:
    case 1: return data_value(rng, CLASS_REALS, dt);
    case 2: return scaled_real(rng, dt);
    case 3: return is_tame ? edge : data_value(rng, CLASS_EXTREMES, dt);
    case 4: return is_tame || index % 5 ? edge : data_value(rng, CLASS_SPECIAL, dt);
    default: return edge;
    }
}

static double forced_value(const void *context, rng_t *rng, int64_t index)
{
    const prb_t *const prb = context;
    const data_mixture_t forced = {.data_class = prb->data_class, .dt = opt_dt(prb, DT, 0)};
    return data_class_value(&forced, rng, index);
}

static double src_value(const void *context, rng_t *rng, int64_t index)
{
    const prb_t *const prb = context;
    switch (prb->data_class) {
    case CLASS_SMALL: return pattern(context, rng, index);
    case CLASS_MIXED: return mixed_value(context, rng, index);
    default: return forced_value(context, rng, index);
    }
}

/// What the forward pass makes of such a src.
static double dst_value(const void *context, rng_t *rng, int64_t index)
{
    const prb_t *const prb = context;
    const double x = dt_round(opt_dt(prb, DT, 0), src_value(context, rng, index));
    return ref_eltwise(alg_of(prb), x, (double)alpha_of(prb), (double)beta_of(prb));
}

static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    (void)args;
    if (arg->id == PRIM_ARG_DIFF_DST)
        eltwise_backward_fill(arg, prb->data_class);
    else if (arg->id == PRIM_ARG_DST && is_backward(prb))
        fill_by_rng(arg, dst_value, prb);
    else
        fill_by_rng(arg, src_value, prb);
}

static void reference_range(void *context, int64_t begin, int64_t end)
{
    args_t *const args = context;
    const prb_t *const prb = args_prb(args);
    const double alpha = (double)alpha_of(prb), beta = (double)beta_of(prb);
    const double *const src = args_data(args, PRIM_ARG_SRC);
    const bool is_exact = dt_is_integer(opt_dt(prb, DT, 0)) && prb->attr->post_ops.count == 0;
    for (int64_t i = begin; i < end; ++i) {
        const double error = eltwise_error(alg_of(prb), src[i], alpha, beta, 0x1p-24);
        const bounded_t y = {ref_eltwise(alg_of(prb), src[i], alpha, beta),
                is_exact || !isfinite(error) ? 0. : error};
        ref_store(args, y, i);
    }
}

static eltwise_gradient_t gradient_of(const prb_t *prb)
{
    return (eltwise_gradient_t){alg_of(prb), alpha_of(prb), beta_of(prb), opt_dt(prb, DT, 0)};
}

static void reference(const prb_t *prb, args_t *args)
{
    if (is_backward(prb)) {
        const eltwise_gradient_t gradient = gradient_of(prb);
        eltwise_backward_reference(&gradient, args);
        return;
    }
    (void)args_slack(args, PRIM_ARG_DST);
    bench_parallel(args_find(args, PRIM_ARG_DST)->nelems, 8192, reference_range, args);
}

/// A subnormal source may be taken for 0.
static bool accepts(const prb_t *prb, const point_t *point)
{
    const double x = args_data(point->args, PRIM_ARG_SRC)[point->offset];
    if (!(fabs(x) < 0x1p-126)) return false;
    const double alpha = (double)alpha_of(prb), beta = (double)beta_of(prb);
    const double of_zero = ref_eltwise(alg_of(prb), copysign(0., x), alpha, beta);
    const double y = ref_finish(point->args, of_zero, point->offset);
    return dt_round(opt_dt(prb, DT, 0), y) == point->got || (isnan(y) && isnan(point->got));
}

static bool accepts_gradient(const prb_t *prb, const point_t *point)
{
    const eltwise_gradient_t gradient = gradient_of(prb);
    return eltwise_backward_accepts(&gradient, point);
}

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)args;
    const prim_alg_kind_t alg = alg_of(prb);
    compare->allows_nan_inf = true;
    if (is_backward(prb)) {
        compare->zero_percent = eltwise_backward_zero_percent(alg);
        compare->accepts = accepts_gradient;
        return;
    }
    const bool is_flat = dt_is_integer(arg->md.data_type) || is_clip(alg) ||
                         alg == PRIM_ELTWISE_POW ||
                         (alg == PRIM_ELTWISE_LINEAR && alpha_of(prb) == 0.f);
    compare->zero_percent = fmax(compare->zero_percent, is_flat ? 100. : 65.);
    compare->accepts = accepts;
}

const driver_t bench_eltwise_driver = {
        .name = "eltwise",
        .primitive_kind = PRIM_ELTWISE,
        .family = FAMILY_DIMS,
        .options = options,
        .backward = DIRECTION_BIT(BWD_D),
        .min_tensors = 1,
        .max_tensors = 1,
        .csv_columns = "%dir%,%dt%,%tag%,%alg%",
        .skip = skip,
        .create_desc = create_desc,
        .data_classes = data_classes,
        .list_args = list_args,
        .fill = fill,
        .reference = reference,
        .set_compare = set_compare,
};
