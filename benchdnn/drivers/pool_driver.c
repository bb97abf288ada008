// SPDX-License-Identifier: Apache-2.0
// The driver of pooling: options, filling, thresholds, and its reference in double.
#include <math.h>

#include <string.h>

#include "core/driver.h"
#include "pool_backward.h"
#include "type_skip.h"

enum { OPT_DIR, OPT_DT, OPT_TAG, OPT_ALG, OPT_MB };

enum { DT_SRC, DT_DST };

static const word_t algs[] = {
        {"max", PRIM_POOLING_MAX},
        {"pooling_max", PRIM_POOLING_MAX},
        {"avg_np", PRIM_POOLING_AVG_EXCLUDE_PADDING},
        {"pooling_avg_exclude_padding", PRIM_POOLING_AVG_EXCLUDE_PADDING},
        {"avg_p", PRIM_POOLING_AVG_INCLUDE_PADDING},
        {"pooling_avg_include_padding", PRIM_POOLING_AVG_INCLUDE_PADDING},
        {NULL, 0},
};

static const option_t options[] = {
        [OPT_DIR] = {.name = "dir", .kind = OPTION_DIRECTION, .fallback = "FWD_D"},
        [OPT_DT] = {.name = "dt",
                .kind = OPTION_DT,
                .fallback = "f32:f32",
                .min_count = 1,
                .max_count = 2},
        [OPT_TAG] = {.name = "tag", .kind = OPTION_TAG, .fallback = "abx"},
        [OPT_ALG] = {.name = "alg", .kind = OPTION_WORD, .fallback = "max", .words = algs},
        [OPT_MB] = {.name = "mb", .kind = OPTION_INT, .fallback = "0"},
        {.name = NULL},
};

static const field_t fields[] = {
        FIELD("mb", mb, 2),
        FIELD("ic", ic, 0),
        FIELD_TRIPLE("id", "ih", "iw", in, 0),
        FIELD_TRIPLE("od", "oh", "ow", out, 0),
        FIELD_TRIPLE("kd", "kh", "kw", kernel, 0),
        FIELD_TRIPLE("sd", "sh", "sw", stride, 1),
        FIELD_TRIPLE("pd", "ph", "pw", pad, -1),
        FIELD_TRIPLE("dd", "dh", "dw", dilation, 0),
        {.name = NULL},
};

static bool complete(problem_t *problem)
{
    return problem_complete_windows(problem, "pool");
}

static prim_data_type_t src_dt(const prb_t *prb)
{
    return opt_dt(prb, OPT_DT, DT_SRC);
}

static prim_data_type_t dst_dt(const prb_t *prb)
{
    return opt_dt(prb, OPT_DT, DT_DST);
}

static prim_alg_kind_t alg_kind(const prb_t *prb)
{
    return (prim_alg_kind_t)opt_word(prb, OPT_ALG);
}

// Some window along an axis has every tap in the padding. A window that starts inside of src has a
// tap there, one that starts behind it has none; of one that starts before it the first tap at 0 or
// beyond decides.
static bool has_empty_window(const problem_t *p, int a)
{
    const int64_t step = p->dilation[a] + 1;
    if ((p->out[a] - 1) * p->stride[a] - p->pad[a] >= p->in[a]) return true;
    for (int64_t o = 0; o < p->out[a] && o * p->stride[a] < p->pad[a]; ++o) {
        const int64_t before = p->pad[a] - o * p->stride[a];
        const int64_t k = (before + step - 1) / step;
        if (k >= p->kernel[a] || k * step - before >= p->in[a]) return true;
    }
    return false;
}

static bool is_backward(const prb_t *prb)
{
    return direction_is_backward(opt_direction(prb, OPT_DIR));
}

static skip_reason_t skip_backward(const prb_t *prb)
{
    if (prb->attr->post_ops.count > 0) return SKIP_CASE_NOT_SUPPORTED; // gradients have none
    if (strcmp(opt_tag(prb, OPT_TAG, 0), "image") == 0)
        return skip_because(SKIP_CASE_NOT_SUPPORTED, "pool: gradients take no images");
    if (dt_is_integer(src_dt(prb)) || dt_is_integer(dst_dt(prb)))
        return skip_because(SKIP_INVALID_CASE, "pool: integers have no gradient");
    return skip_types(prb, OPT_DT, OPT_DT);
}

static skip_reason_t skip(const prb_t *prb)
{
    if (alg_kind(prb) == PRIM_POOLING_AVG_EXCLUDE_PADDING)
        for (int a = 0; a < BENCH_NSPATIAL; ++a)
            if (has_empty_window(prb->problem, a)) return SKIP_INVALID_CASE;
    if (is_backward(prb)) return skip_backward(prb);
    // Not among the operation's post-ops.
    if (attr_post_op(prb->attr, PRIM_SUM) || attr_post_op(prb->attr, PRIM_PRELU) ||
            attr_post_op(prb->attr, PRIM_CONVOLUTION))
        return SKIP_CASE_NOT_SUPPORTED;
    return skip_types(prb, OPT_DT, OPT_DT);
}

static int dst_dims(const prb_t *prb, prim_dims_t dims)
{
    const problem_t *const p = prb->problem;
    return problem_tensor_dims(p, p->mb, p->ic, p->out, dims);
}

/// The two images, the one of the destination with its layout open, and the windows.
typedef struct {
    prim_memory_desc_t src, dst;
    prim_dims_t strides, kernel, dilation, pad, pad_back;
} operands_t;

static prim_status_t describe(operands_t *o, const prb_t *prb)
{
    const problem_t *const p = prb->problem;
    prim_dims_t dims;
    int ndims = problem_tensor_dims(p, p->mb, p->ic, p->in, dims);
    prim_status_t st = bench_md(&o->src, ndims, dims, src_dt(prb), opt_tag(prb, OPT_TAG, 0));
    if (st != PRIM_SUCCESS) return st;
    ndims = dst_dims(prb, dims);
    st = bench_md(&o->dst, ndims, dims, dst_dt(prb), "any");
    if (st != PRIM_SUCCESS) return st;
    problem_spatial(p, p->stride, o->strides);
    problem_spatial(p, p->kernel, o->kernel);
    problem_spatial(p, p->dilation, o->dilation);
    problem_spatial(p, p->pad, o->pad);
    problem_spatial(p, p->pad_back, o->pad_back);
    return PRIM_SUCCESS;
}

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    operands_t o;
    prim_status_t st = describe(&o, prb);
    if (st != PRIM_SUCCESS) return st;
    const prim_alg_kind_t alg = alg_kind(prb);
    if (!is_backward(prb))
        return prim_pooling_forward_desc_create(pd, engine,
                direction_prop(opt_direction(prb, OPT_DIR)), alg, &o.src, &o.dst, o.strides,
                o.kernel, o.dilation, o.pad, o.pad_back, attr);
    prim_desc_t *hint = NULL;
    st = prim_pooling_forward_desc_create(&hint, engine, PRIM_FORWARD_TRAINING, alg, &o.src, &o.dst,
            o.strides, o.kernel, o.dilation, o.pad, o.pad_back, NULL);
    if (st == PRIM_SUCCESS)
        st = prim_pooling_backward_desc_create(pd, engine, alg, &o.src, &o.dst, o.strides, o.kernel,
                o.dilation, o.pad, o.pad_back, hint, attr);
    prim_desc_destroy(hint);
    return st;
}

static void list_args(const prb_t *prb, args_t *args)
{
    if (is_backward(prb)) {
        args_add(args, PRIM_ARG_DIFF_DST, ARG_IN, DATA_DIFF_DST);
        args_add(args, PRIM_ARG_WORKSPACE, ARG_IN, DATA_WORKSPACE)->keeps_fill = true;
        args_add(args, PRIM_ARG_DIFF_SRC, ARG_OUT, DATA_DIFF_SRC);
        return;
    }
    args_add(args, PRIM_ARG_SRC, ARG_IN, DATA_SRC);
    args_add(args, PRIM_ARG_DST, ARG_OUT, DATA_DST);
    args_add(args, PRIM_ARG_WORKSPACE, ARG_OUT, DATA_WORKSPACE);
}

static bool is_max(const prb_t *prb)
{
    return alg_kind(prb) == PRIM_POOLING_MAX;
}

static unsigned data_classes(const prb_t *prb)
{
    if (is_backward(prb))
        return DATA_BIT(CLASS_SMALL) | DATA_BIT(CLASS_REALS) | DATA_BIT(CLASS_MIXED);
    unsigned classes = data_classes_of(src_dt(prb));
    // Sums of the largest numbers overflow in some orders and not in others.
    if (!is_max(prb)) classes &= ~DATA_BIT(CLASS_EXTREMES);
    return classes;
}

static double mixed_value(const void *context, rng_t *rng, int64_t index)
{
    const prb_t *const prb = context;
    const prim_data_type_t dt = src_dt(prb);
    (void)index;
    if (dt_is_integer(dt))
        return data_value(rng, rng_chance(rng, .3) ? CLASS_SMALL : CLASS_RANGE, dt);
    // What becomes of NaN and infinities in a post-op is its own matter.
    if (rng_chance(rng, .1) && prb->attr->post_ops.count == 0)
        return data_value(rng, CLASS_SPECIAL, dt);
    return data_value(rng, rng_chance(rng, .3) ? CLASS_SMALL : CLASS_REALS, dt);
}

// Small: integers that every type holds, wide enough that maxima are seldom tied. Means get numbers
// of one sign, whose sums are exact in single precision.
static void fill_small(const prb_t *prb, arg_t *arg)
{
    const problem_t *const p = prb->problem;
    int64_t reach = 2048;
    switch (src_dt(prb)) {
    case PRIM_F16:
    case PRIM_BF16: reach = 32; break;
    case PRIM_F8_E5M2:
    case PRIM_F8_E4M3: reach = 8; break;
    case PRIM_S8: reach = 127; break;
    case PRIM_U8: reach = 255; break;
    default: break;
    }
    const int64_t exact = ((int64_t)1 << dt_digits(PRIM_F32)) /
                          (p->kernel[AXIS_D] * p->kernel[AXIS_H] * p->kernel[AXIS_W]);
    if (!is_max(prb) && reach > exact) reach = exact > 1 ? exact : 1;
    fill_ints(arg, is_max(prb) && src_dt(prb) != PRIM_U8 ? -reach : 0, reach, 1.);
}

/// Numbers of both signs; some are NaN or infinite where the class is mixed.
static void fill_backward(const prb_t *prb, arg_t *arg)
{
    const data_mixture_t values = {prb->data_class, arg->md.data_type, 97, 0};
    if (arg->kind == DATA_WORKSPACE)
        pool_backward_fill_workspace(prb, arg);
    else if (prb->data_class == CLASS_SMALL)
        fill_ints(arg, -8, 8, 1.);
    else
        fill_by_rng(arg, data_class_value, &values);
}

static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    const data_mixture_t forced = {.data_class = prb->data_class, .dt = src_dt(prb)};
    (void)args;
    if (is_backward(prb)) {
        fill_backward(prb, arg);
        return;
    }
    switch (prb->data_class) {
    case CLASS_SMALL: fill_small(prb, arg); break;
    case CLASS_MIXED: fill_by_rng(arg, mixed_value, prb); break;
    default: fill_by_rng(arg, data_class_value, &forced);
    }
}

/// What the threads of the reference share.
typedef struct {
    const problem_t *problem;
    prim_alg_kind_t alg;
    double lowest; ///< the maximum of nothing
    bool is_exact; ///< integers to integers: rounded once, from the exact mean
    args_t *args;
    const double *src;
    double *dst, *workspace;
} reference_t;

// A sum of n terms in any order, and a division: two and a half units in the last place by the
// OpenCL C specification, or those of the reciprocal and a product.
static bounded_t mean(const reference_t *r, double sum, double size, int64_t n, double divisor)
{
    static const double unit = 0x1p-24;
    // Chains of at most 2^16 additions.
    const double additions = fmin((double)n, 0x1p16) + (double)n * 0x1p-16 + 1.;
    const double roundings = additions * size + 6. * fabs(sum);
    return (bounded_t){sum / divisor, r->is_exact ? 0. : unit * roundings / divisor};
}

static void reference_window(const reference_t *r, int64_t plane, const int64_t *o, int64_t offset)
{
    const problem_t *const p = r->problem;
    int64_t first[BENCH_NSPATIAL], last[BENCH_NSPATIAL];
    for (int a = 0; a < BENCH_NSPATIAL; ++a) pool_real_taps(p, a, o[a], &first[a], &last[a]);
    double sum = 0., size = 0., max = (double)-INFINITY;
    int64_t ntaps = 0, winner = 0;
    for (int64_t d = first[AXIS_D]; d < last[AXIS_D]; ++d)
        for (int64_t h = first[AXIS_H]; h < last[AXIS_H]; ++h)
            for (int64_t w = first[AXIS_W]; w < last[AXIS_W]; ++w) {
                const int64_t id = o[AXIS_D] * p->stride[AXIS_D] - p->pad[AXIS_D] +
                                   d * (p->dilation[AXIS_D] + 1);
                const int64_t ih = o[AXIS_H] * p->stride[AXIS_H] - p->pad[AXIS_H] +
                                   h * (p->dilation[AXIS_H] + 1);
                const int64_t iw = o[AXIS_W] * p->stride[AXIS_W] - p->pad[AXIS_W] +
                                   w * (p->dilation[AXIS_W] + 1);
                const double x =
                        r->src[((plane * p->in[AXIS_D] + id) * p->in[AXIS_H] + ih) * p->in[AXIS_W] +
                                iw];
                sum += x;
                size += fabs(x);
                // NaN never wins; without a winner it is the first tap.
                if (ntaps++ > 0 && !(x > max)) continue;
                if (x > max) max = x;
                winner = (d * p->kernel[AXIS_H] + h) * p->kernel[AXIS_W] + w;
            }
    if (ntaps == 0) max = r->lowest;
    const double volume = (double)(p->kernel[AXIS_D] * p->kernel[AXIS_H] * p->kernel[AXIS_W]);
    const bool counts_padding = r->alg == PRIM_POOLING_AVG_INCLUDE_PADDING;
    const bounded_t x =
            r->alg == PRIM_POOLING_MAX
                    ? (bounded_t){max, 0.}
                    : mean(r, sum, size, ntaps, counts_padding ? volume : (double)ntaps);
    ref_store(r->args, x, offset);
    if (r->workspace) r->workspace[offset] = (double)winner;
}

static void reference_planes(void *context, int64_t begin, int64_t end)
{
    const reference_t *const r = context;
    const problem_t *const p = r->problem;
    int64_t offset = begin * p->out[AXIS_D] * p->out[AXIS_H] * p->out[AXIS_W];
    for (int64_t plane = begin; plane < end; ++plane) {
        int64_t o[BENCH_NSPATIAL];
        for (o[AXIS_D] = 0; o[AXIS_D] < p->out[AXIS_D]; ++o[AXIS_D])
            for (o[AXIS_H] = 0; o[AXIS_H] < p->out[AXIS_H]; ++o[AXIS_H])
                for (o[AXIS_W] = 0; o[AXIS_W] < p->out[AXIS_W]; ++o[AXIS_W])
                    reference_window(r, plane, o, offset++);
    }
}

static void reference(const prb_t *prb, args_t *args)
{
    if (is_backward(prb)) {
        pool_backward_reference(prb, alg_kind(prb), args);
        return;
    }
    reference_t r = {.problem = prb->problem,
            .alg = alg_kind(prb),
            .lowest = dt_lowest(dst_dt(prb)),
            .is_exact = dt_is_integer(src_dt(prb)) && dt_is_integer(dst_dt(prb)) &&
                        prb->attr->post_ops.count == 0,
            .args = args,
            .src = args_data(args, PRIM_ARG_SRC),
            .dst = args_data(args, PRIM_ARG_DST),
            .workspace = args_data(args, PRIM_ARG_WORKSPACE)};
    (void)args_slack(args, PRIM_ARG_DST);
    bench_parallel(prb->problem->mb * prb->problem->ic, 1, reference_planes, &r);
}

static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)args;
    // One element of a window gets the gradient of its maximum, all others may get nothing.
    const bool may_be_zero = arg->id == PRIM_ARG_WORKSPACE || (is_backward(prb) && is_max(prb));
    compare->zero_percent = may_be_zero ? 100. : 99.;
    compare->allows_nan_inf = true;
}

const driver_t bench_pool_driver = {
        .name = "pool",
        .primitive_kind = PRIM_POOLING,
        .family = FAMILY_FIELDS,
        .options = options,
        .backward = DIRECTION_BIT(BWD_D),
        .fields = fields,
        .csv_columns = "%dir%,%sdt%,%tag%,%alg%",
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
