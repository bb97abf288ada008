// SPDX-License-Identifier: Apache-2.0
// The driver of resampling: options, filling, thresholds, and its reference in double.
#include <math.h>
#include <string.h>

#include "core/driver.h"
#include "resampling_backward.h"
#include "type_skip.h"

enum { OPT_DIR, OPT_SDT, OPT_DDT, OPT_TAG, OPT_ALG, OPT_MB };

static const word_t algs[] = {
        {"nearest", PRIM_RESAMPLING_NEAREST},
        {"resampling_nearest", PRIM_RESAMPLING_NEAREST},
        {"linear", PRIM_RESAMPLING_LINEAR},
        {"resampling_linear", PRIM_RESAMPLING_LINEAR},
        {NULL, 0},
};

static const option_t options[] = {
        [OPT_DIR] = {.name = "dir", .kind = OPTION_DIRECTION, .fallback = "FWD_D"},
        [OPT_SDT] = {.name = "sdt", .kind = OPTION_DT, .fallback = "f32"},
        [OPT_DDT] = {.name = "ddt", .kind = OPTION_DT, .fallback = "f32"},
        [OPT_TAG] = {.name = "tag", .kind = OPTION_TAG, .fallback = "abx"},
        [OPT_ALG] = {.name = "alg", .kind = OPTION_WORD, .fallback = "nearest", .words = algs},
        [OPT_MB] = {.name = "mb", .kind = OPTION_INT, .fallback = "0"},
        {.name = NULL},
};

static const field_t fields[] = {
        FIELD("mb", mb, 2),
        FIELD("ic", ic, 0),
        FIELD_TRIPLE("id", "ih", "iw", in, 0),
        FIELD_TRIPLE("od", "oh", "ow", out, 0),
        {.name = NULL},
};

static bool complete(problem_t *problem)
{
    return problem_complete_resize(problem);
}

static bool is_backward(const prb_t *prb)
{
    return direction_is_backward(opt_direction(prb, OPT_DIR));
}

static skip_reason_t skip_backward(const prb_t *prb)
{
    if (prb->attr->post_ops.count > 0) return SKIP_CASE_NOT_SUPPORTED; // gradients have none
    if (strcmp(opt_tag(prb, OPT_TAG, 0), "image") == 0)
        return skip_because(SKIP_CASE_NOT_SUPPORTED, "resampling: gradients take no images");
    if (dt_is_integer(opt_dt(prb, OPT_SDT, 0)) || dt_is_integer(opt_dt(prb, OPT_DDT, 0)))
        return skip_because(SKIP_INVALID_CASE, "resampling: integers have no gradient");
    return skip_types(prb, OPT_SDT, OPT_DDT);
}

static skip_reason_t skip(const prb_t *prb)
{
    if (is_backward(prb)) return skip_backward(prb);
    // Not among the operation's post-ops.
    if (attr_post_op(prb->attr, PRIM_PRELU) || attr_post_op(prb->attr, PRIM_CONVOLUTION))
        return SKIP_CASE_NOT_SUPPORTED;
    return skip_types(prb, OPT_SDT, OPT_DDT);
}

static int dst_dims(const prb_t *prb, prim_dims_t dims)
{
    const problem_t *const p = prb->problem;
    return problem_tensor_dims(p, p->mb, p->ic, p->out, dims);
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    prim_memory_desc_t src, dst;
    prim_dims_t dims;
    int ndims = problem_tensor_dims(p, p->mb, p->ic, p->in, dims);
    prim_status_t st =
            bench_md(&src, ndims, dims, opt_dt(prb, OPT_SDT, 0), opt_tag(prb, OPT_TAG, 0));
    if (st != PRIM_SUCCESS) return st;
    ndims = dst_dims(prb, dims);
    st = bench_md(&dst, ndims, dims, opt_dt(prb, OPT_DDT, 0), "any");
    if (st != PRIM_SUCCESS) return st;
    const prim_alg_kind_t alg = (prim_alg_kind_t)opt_word(prb, OPT_ALG);
    if (!is_backward(prb))
        return prim_resampling_forward_desc_create(pd, engine,
                direction_prop(opt_direction(prb, OPT_DIR)), alg, NULL, &src, &dst, attr);
    prim_desc_t *hint = NULL;
    st = prim_resampling_forward_desc_create(
            &hint, engine, PRIM_FORWARD_TRAINING, alg, NULL, &src, &dst, NULL);
    if (st == PRIM_SUCCESS)
        st = prim_resampling_backward_desc_create(pd, engine, alg, NULL, &src, &dst, hint, attr);
    prim_desc_destroy(hint);
    return st;
}

static void list_args(const prb_t *prb, args_t *args)
{
    if (is_backward(prb)) {
        args_add(args, PRIM_ARG_DIFF_DST, ARG_IN, DATA_DIFF_DST);
        args_add(args, PRIM_ARG_DIFF_SRC, ARG_OUT, DATA_DIFF_SRC);
        return;
    }
    args_add(args, PRIM_ARG_SRC, ARG_IN, DATA_SRC);
    args_add(args, PRIM_ARG_DST, ARG_OUT, DATA_DST);
}

static bool is_linear(const prb_t *prb)
{
    return opt_word(prb, OPT_ALG) == PRIM_RESAMPLING_LINEAR;
}

static unsigned data_classes(const prb_t *prb)
{
    if (is_backward(prb))
        return DATA_BIT(CLASS_SMALL) | DATA_BIT(CLASS_REALS) | DATA_BIT(CLASS_MIXED);
    unsigned classes = data_classes_of(opt_dt(prb, OPT_SDT, 0));
    // Weights next to 0 or 1 make different things of NaN and of what overflows.
    if (is_linear(prb)) classes &= ~(DATA_BIT(CLASS_EXTREMES) | DATA_BIT(CLASS_SPECIAL));
    return classes;
}

/// Numbers of both signs; of nearest some are NaN or infinite where the class is mixed.
static void fill_backward(const prb_t *prb, arg_t *arg)
{
    const data_mixture_t values = {prb->data_class, arg->md.data_type, is_linear(prb) ? 0 : 97, 0};
    if (prb->data_class == CLASS_SMALL)
        fill_ints(arg, -8, 8, 1.);
    else
        fill_by_rng(arg, data_class_value, &values);
}

// Small: 0..16 in steps that every type holds; nothing cancels in an interpolation. Of an output it
// fills what the sum post-op reads.
static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    (void)args;
    if (is_backward(prb)) {
        fill_backward(prb, arg);
        return;
    }
    const prim_data_type_t dt = opt_dt(prb, arg->kind == DATA_DST ? OPT_DDT : OPT_SDT, 0);
    const bool is_wide = dt == PRIM_F32 || dt == PRIM_F64;
    const bool takes_all = !is_linear(prb) && prb->attr->post_ops.count == 0;
    const data_mixture_t values = {prb->data_class, dt, takes_all ? 14 : 0, takes_all ? 7 : 0};
    if (prb->data_class == CLASS_SMALL || arg->kind == DATA_DST)
        fill_multiples(arg, 0, 16, dt_is_integer(dt) ? 1. : is_wide ? 1.25 : .0625, 1.);
    else
        fill_by_rng(arg, data_class_value, &values);
}

/// What the threads of the reference share.
typedef struct {
    const problem_t *problem;
    bool is_linear;
    double units; ///< of roundings, relative to the terms
    args_t *args;
    const double *src;
} reference_t;

static int64_t clamp(int64_t i, int64_t n)
{
    return i < 0 ? 0 : i < n ? i : n - 1;
}

neighbours_t resampling_neighbours(const problem_t *p, bool linear, int axis, int64_t y)
{
    const int64_t in = p->in[axis];
    const double x = ((double)y + .5) * (double)in / (double)p->out[axis] - .5;
    if (!linear) return (neighbours_t){.index = {clamp((int64_t)floor(x + .5), in)}};
    const double left = floor(x);
    return (neighbours_t){
            .index = {clamp((int64_t)left, in), clamp((int64_t)left + 1, in)}, .share = x - left};
}

static bounded_t interpolate(const reference_t *r, int64_t plane, const neighbours_t *around)
{
    const problem_t *const p = r->problem;
    double sum = 0., size = 0.;
    for (int corner = 0; corner < 8; ++corner) {
        double weight = 1.;
        int64_t index = plane;
        for (int a = 0; a < BENCH_NSPATIAL; ++a) {
            const int side = corner >> a & 1;
            weight *= side ? around[a].share : 1. - around[a].share;
            index = index * p->in[a] + around[a].index[side];
        }
        if (weight == 0.) continue;
        sum += weight * r->src[index];
        size += weight * fabs(r->src[index]);
    }
    return (bounded_t){sum, isfinite(size) ? r->units * 0x1p-24 * size : 0.};
}

static void reference_planes(void *context, int64_t begin, int64_t end)
{
    const reference_t *const r = context;
    const problem_t *const p = r->problem;
    int64_t offset = begin * p->out[AXIS_D] * p->out[AXIS_H] * p->out[AXIS_W];
    for (int64_t plane = begin; plane < end; ++plane)
        for (int64_t d = 0; d < p->out[AXIS_D]; ++d)
            for (int64_t h = 0; h < p->out[AXIS_H]; ++h) {
                neighbours_t around[BENCH_NSPATIAL] = {
                        resampling_neighbours(p, r->is_linear, AXIS_D, d),
                        resampling_neighbours(p, r->is_linear, AXIS_H, h)};
                for (int64_t w = 0; w < p->out[AXIS_W]; ++w, ++offset) {
                    around[AXIS_W] = resampling_neighbours(p, r->is_linear, AXIS_W, w);
                    ref_store(r->args, interpolate(r, plane, around), offset);
                }
            }
}

// Nearest copies; s32 that becomes a float, or meets post-ops, rounds. Linear, in single precision:
// on the longest way from an element to the sum three weights and their two products, the product
// with the element, three additions, one division: ten epsilons.
static double rounding_units(const prb_t *prb)
{
    if (is_linear(prb)) return 20.;
    const bool stays_integer =
            dt_is_integer(opt_dt(prb, OPT_DDT, 0)) && prb->attr->post_ops.count == 0;
    return opt_dt(prb, OPT_SDT, 0) == PRIM_S32 && !stays_integer ? 1. : 0.;
}

static void reference(const prb_t *prb, args_t *args)
{
    if (is_backward(prb)) {
        resampling_backward_reference(prb, is_linear(prb), args);
        return;
    }
    reference_t r = {.problem = prb->problem,
            .is_linear = is_linear(prb),
            .units = rounding_units(prb),
            .args = args,
            .src = args_data(args, PRIM_ARG_SRC)};
    (void)args_slack(args, PRIM_ARG_DST);
    bench_parallel(prb->problem->mb * prb->problem->ic, 1, reference_planes, &r);
}

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)args;
    (void)arg;
    // Elements of which nothing is made have no gradient.
    compare->zero_percent = is_backward(prb) ? 100. : 99.;
    compare->allows_nan_inf = true;
}

const driver_t bench_resampling_driver = {
        .name = "resampling",
        .primitive_kind = PRIM_RESAMPLING,
        .family = FAMILY_FIELDS,
        .options = options,
        .backward = DIRECTION_BIT(BWD_D),
        .fields = fields,
        .csv_columns = "%dir%,%sdt%,%ddt%,%tag%,%alg%",
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
