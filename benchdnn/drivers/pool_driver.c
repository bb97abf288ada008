// SPDX-License-Identifier: Apache-2.0
// The driver of pooling: options, filling, thresholds, and its reference in double.
#include <math.h>

#include "core/driver.h"

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

// Some window along an axis has every tap in the padding.
static bool has_empty_window(const problem_t *p, int a)
{
    for (int64_t o = 0; o < p->out[a]; ++o) {
        bool is_empty = true;
        for (int64_t k = 0; k < p->kernel[a] && is_empty; ++k) {
            const int64_t i = o * p->stride[a] - p->pad[a] + k * (p->dilation[a] + 1);
            is_empty = i < 0 || i >= p->in[a];
        }
        if (is_empty) return true;
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
    return SKIP_NONE;
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

// Integers that every type holds, wide enough that maxima are seldom tied. Means get numbers of one
// sign, whose sums are exact in single precision.
static void fill(const prb_t *prb, const args_t *args, arg_t *arg)
{
    (void)args;
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
    const bool is_max = alg_kind(prb) == PRIM_POOLING_MAX;
    const int64_t exact = ((int64_t)1 << dt_digits(PRIM_F32)) /
                          (p->kernel[AXIS_D] * p->kernel[AXIS_H] * p->kernel[AXIS_W]);
    if (!is_max && reach > exact) reach = exact > 1 ? exact : 1;
    fill_ints(arg, is_max && src_dt(prb) != PRIM_U8 ? -reach : 0, reach, 1.);
}

/// What the threads of the reference share.
typedef struct {
    const problem_t *problem;
    prim_alg_kind_t alg;
    double lowest; ///< the maximum of nothing
    const args_t *args;
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

static void reference_window(const reference_t *r, int64_t plane, const int64_t *o, int64_t offset)
{
    const problem_t *const p = r->problem;
    int64_t first[BENCH_NSPATIAL], last[BENCH_NSPATIAL];
    for (int a = 0; a < BENCH_NSPATIAL; ++a) real_taps(p, a, o[a], &first[a], &last[a]);
    double sum = 0., max = r->lowest;
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
                if (ntaps++ > 0 && !(x > max)) continue;
                max = x;
                winner = (d * p->kernel[AXIS_H] + h) * p->kernel[AXIS_W] + w;
            }
    const double volume = (double)(p->kernel[AXIS_D] * p->kernel[AXIS_H] * p->kernel[AXIS_W]);
    const double x = r->alg == PRIM_POOLING_MAX                   ? max
                     : r->alg == PRIM_POOLING_AVG_INCLUDE_PADDING ? sum / volume
                                                                  : sum / (double)ntaps;
    r->dst[offset] = ref_finish(r->args, x, offset);
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
            .args = args,
            .src = args_data(args, PRIM_ARG_SRC),
            .dst = args_data(args, PRIM_ARG_DST),
            .workspace = args_data(args, PRIM_ARG_WORKSPACE)};
    bench_parallel(prb->problem->mb * prb->problem->ic, 1, reference_planes, &r);
}

// Rounding of a mean whose sum is exact: a division, two and a half units in the last place by the
// OpenCL C specification.
static const double mean_epsilons = 3.;

// An integer output may fall on the other side of a half when the mean is that near to it.
static bool is_rounded_half(const prb_t *prb, const point_t *point)
{
    const double slack = mean_epsilons * dt_epsilon(PRIM_F32) * fmax(fabs(point->reference), 1.);
    const double from_half = fabs(point->reference - floor(point->reference) - .5);
    return dt_is_integer(dst_dt(prb)) && point->diff <= 1. && from_half <= slack;
}

// A maximum is one of the inputs; a mean is rounded to the type of the output once.
static void set_compare(const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)args;
    if (arg->id == PRIM_ARG_WORKSPACE) {
        compare->zero_percent = 100.;
        return;
    }
    compare->zero_percent = 99.;
    if (alg_kind(prb) == PRIM_POOLING_MAX) return;
    const double dst_epsilon = dt_epsilon(dst_dt(prb));
    const bool is_short = dst_epsilon > dt_epsilon(PRIM_F32);
    compare->accepts = is_rounded_half;
    if (!dt_is_integer(dst_dt(prb)))
        compare->threshold = mean_epsilons * dt_epsilon(PRIM_F32) + (is_short ? dst_epsilon : 0.);
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
        .list_args = list_args,
        .fill = fill,
        .reference = reference,
        .set_compare = set_compare,
};
