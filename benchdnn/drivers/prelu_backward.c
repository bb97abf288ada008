// SPDX-License-Identifier: Apache-2.0
// The gradients of prelu in double, and how far f32 may end from them (doc/numerics.md).
#include "prelu_backward.h"

#include <math.h>

/// The unit round-off of f32.
#define UNIT 0x1p-24

enum { SRC, WEI };

typedef struct {
    data_class_t data_class;
    prim_data_type_t dt;
} fill_t;

static double value_at(const void *context, rng_t *rng, int64_t index)
{
    const fill_t *const f = context;
    const double size = (double)(1 << rng_int(rng, 0, 1));
    const double step = rng_chance(rng, 0.5) ? size : -size;
    (void)index;
    return f->data_class == CLASS_REALS ? step * data_significand(rng, f->dt) : step;
}

void prelu_backward_fill(arg_t *arg, data_class_t data_class)
{
    const fill_t f = {data_class, arg->md.data_type};
    fill_by_rng(arg, value_at, &f);
}

typedef struct {
    const problem_t *problem;
    const double *src, *wei, *diff_dst;
    double *diff_src, *src_slack;
    double *diff_wei, *wei_slack;
} reference_t;

/// The weight that belongs to an element of src.
static int64_t weight_of(const problem_t *p, int64_t index)
{
    int64_t weight = 0, stride = 1;
    for (int d = p->ndims - 1; d >= 0; --d) {
        if (p->dims[WEI][d] != 1) weight += index % p->dims[SRC][d] * stride;
        stride *= p->dims[WEI][d];
        index /= p->dims[SRC][d];
    }
    return weight;
}

static void by_src(void *context, int64_t begin, int64_t end)
{
    const reference_t *const r = context;
    for (int64_t i = begin; i < end; ++i) {
        const bool is_positive = r->src[i] > 0.;
        const double slope = is_positive ? 1. : r->wei[weight_of(r->problem, i)];
        r->diff_src[i] = r->diff_dst[i] * slope;
        r->src_slack[i] = is_positive ? 0. : UNIT * fabs(r->diff_src[i]);
    }
}

/// Sums whose terms are integers and whose sizes add up to less than 2^24 have no rounding.
static double sum_error(double n, double size, bool is_exact)
{
    const double longest = 65536.;
    if (is_exact && size < 0x1p24) return 0.;
    return UNIT * size * (fmin(n, longest) + n / longest + 16.);
}

void prelu_backward_reference(const problem_t *problem, args_t *args)
{
    reference_t r = {.problem = problem,
            .src = args_data(args, PRIM_ARG_SRC),
            .wei = args_data(args, PRIM_ARG_WEIGHTS),
            .diff_dst = args_data(args, PRIM_ARG_DIFF_DST),
            .diff_src = args_data(args, PRIM_ARG_DIFF_SRC),
            .src_slack = args_slack(args, PRIM_ARG_DIFF_SRC),
            .diff_wei = args_data(args, PRIM_ARG_DIFF_WEIGHTS),
            .wei_slack = args_slack(args, PRIM_ARG_DIFF_WEIGHTS)};
    const int64_t n = args_find(args, PRIM_ARG_DIFF_SRC)->nelems;
    const int64_t nweights = args_find(args, PRIM_ARG_DIFF_WEIGHTS)->nelems;
    bool is_exact = true;
    for (int64_t w = 0; w < nweights; ++w) r.diff_wei[w] = r.wei_slack[w] = 0.;
    // The slack collects the sizes first.
    for (int64_t i = 0; i < n; ++i) {
        if (r.src[i] > 0.) continue;
        const double term = r.src[i] * r.diff_dst[i];
        const int64_t w = weight_of(problem, i);
        r.diff_wei[w] += term;
        r.wei_slack[w] += fabs(term);
        is_exact = is_exact && term == rint(term);
    }
    for (int64_t w = 0; w < nweights; ++w)
        r.wei_slack[w] = sum_error((double)n / (double)nweights, r.wei_slack[w], is_exact);
    bench_parallel(n, 1024, by_src, &r);
}
