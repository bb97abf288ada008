// SPDX-License-Identifier: Apache-2.0
// The driver of pooling: options, filling, thresholds, and its reference in double.
#include <math.h>

#include "core/driver.h"
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

static skip_reason_t skip(const prb_t *prb)
{
    if (alg_kind(prb) == PRIM_POOLING_AVG_EXCLUDE_PADDING)
        for (int a = 0; a < BENCH_NSPATIAL; ++a)
            if (has_empty_window(prb->problem, a)) return SKIP_INVALID_CASE;
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

static prim_status_t create_desc(
        prim_desc_t **pd, const prb_t *prb, prim_engine_t *engine, const prim_attr_t *attr)
{
    const problem_t *const p = prb->problem;
    prim_memory_desc_t src, dst;
    prim_dims_t dims, strides, kernel, dilation, pad, pad_back;
    int ndims = problem_tensor_dims(p, p->mb, p->ic, p->in, dims);
    prim_status_t st = bench_md(&src, ndims, dims, src_dt(prb), opt_tag(prb, OPT_TAG, 0));
    if (st != PRIM_SUCCESS) return st;
    ndims = dst_dims(prb, dims);
    st = bench_md(&dst, ndims, dims, dst_dt(prb), "any");
    if (st != PRIM_SUCCESS) return st;
    problem_spatial(p, p->stride, strides);
    problem_spatial(p, p->kernel, kernel);
    problem_spatial(p, p->dilation, dilation);
    problem_spatial(p, p->pad, pad);
    problem_spatial(p, p->pad_back, pad_back);
    return prim_pooling_forward_desc_create(pd, engine, direction_prop(opt_direction(prb, OPT_DIR)),
            alg_kind(prb), &src, &dst, strides, kernel, dilation, pad, pad_back, attr);
}

static void list_args(const prb_t *prb, args_t *args)
{
    (void)prb;
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

static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    const data_mixture_t forced = {.data_class = prb->data_class, .dt = src_dt(prb)};
    (void)args;
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

// Taps first..last-1 of window o along an axis lie inside the source.
static void real_taps(const problem_t *p, int a, int64_t o, int64_t *first, int64_t *last)
{
    const int64_t step = p->dilation[a] + 1, start = o * p->stride[a] - p->pad[a];
    *first = start < 0 ? (-start + step - 1) / step : 0;
    *last = start < p->in[a] ? (p->in[a] - start + step - 1) / step : 0;
    if (*last > p->kernel[a]) *last = p->kernel[a];
}

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
    for (int a = 0; a < BENCH_NSPATIAL; ++a) real_taps(p, a, o[a], &first[a], &last[a]);
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
    (void)prb;
    (void)args;
    compare->zero_percent = arg->id == PRIM_ARG_WORKSPACE ? 100. : 99.;
    compare->allows_nan_inf = true;
}

const driver_t bench_pool_driver = {
        .name = "pool",
        .primitive_kind = PRIM_POOLING,
        .family = FAMILY_FIELDS,
        .options = options,
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
