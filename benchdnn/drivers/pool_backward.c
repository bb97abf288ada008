// SPDX-License-Identifier: Apache-2.0
// The gradient of pooling in double, and how far f32 may end from it (doc/numerics.md): every
// window adds what it passes on to the elements under it.
#include "pool_backward.h"

#include <math.h>

/// The unit round-off of f32.
#define UNIT 0x1p-24

void pool_real_taps(const problem_t *p, int axis, int64_t o, int64_t *first, int64_t *last)
{
    const int64_t step = p->dilation[axis] + 1, start = o * p->stride[axis] - p->pad[axis];
    *first = start < 0 ? (-start + step - 1) / step : 0;
    *last = start < p->in[axis] ? (p->in[axis] - start + step - 1) / step : 0;
    if (*last > p->kernel[axis]) *last = p->kernel[axis];
}

static double draw_winner(const void *context, rng_t *rng, int64_t index)
{
    const problem_t *const p = context;
    int64_t winner = 0, unit = 1;
    bool is_hollow = false;
    for (int a = BENCH_NSPATIAL - 1; a >= 0; --a) {
        int64_t first, last;
        pool_real_taps(p, a, index % p->out[a], &first, &last);
        index /= p->out[a];
        is_hollow = is_hollow || first >= last;
        winner += unit * (is_hollow ? 0 : rng_int(rng, first, last - 1));
        unit *= p->kernel[a];
    }
    return is_hollow ? 0. : (double)winner;
}

void pool_backward_fill_workspace(const prb_t *prb, arg_t *arg)
{
    fill_by_rng(arg, draw_winner, prb->problem);
}

typedef struct {
    const problem_t *problem;
    prim_alg_kind_t alg;
    const double *diff_dst, *workspace;
    double *diff_src, *slack;
    int64_t in_elems, out_elems; ///< of a plane
} reference_t;

/// A plane of diff_src that is being added up.
typedef struct {
    double *sum, *size; ///< Σ of the terms, Σ of their magnitudes
} plane_t;

static double divisor_of(const reference_t *r, const int64_t *first, const int64_t *last)
{
    const problem_t *const p = r->problem;
    double divisor = 1.;
    for (int a = 0; a < BENCH_NSPATIAL && r->alg != PRIM_POOLING_MAX; ++a)
        divisor *= r->alg == PRIM_POOLING_AVG_INCLUDE_PADDING ? (double)p->kernel[a]
                                                              : (double)(last[a] - first[a]);
    return divisor;
}

/// Window `o` adds to the elements under it; `index` is its place in diff_dst.
static void scatter(const reference_t *r, plane_t plane, const int64_t *o, int64_t index)
{
    const problem_t *const p = r->problem;
    int64_t first[BENCH_NSPATIAL], last[BENCH_NSPATIAL], k[BENCH_NSPATIAL];
    for (int a = 0; a < BENCH_NSPATIAL; ++a) pool_real_taps(p, a, o[a], &first[a], &last[a]);
    const double share = r->diff_dst[index] / divisor_of(r, first, last);
    for (k[0] = first[0]; k[0] < last[0]; ++k[0])
        for (k[1] = first[1]; k[1] < last[1]; ++k[1])
            for (k[2] = first[2]; k[2] < last[2]; ++k[2]) {
                int64_t at = 0, tap = 0;
                for (int a = 0; a < BENCH_NSPATIAL; ++a) {
                    const int64_t x = o[a] * p->stride[a] - p->pad[a] + k[a] * (p->dilation[a] + 1);
                    at = at * p->in[a] + x;
                    tap = tap * p->kernel[a] + k[a];
                }
                if (r->workspace && r->workspace[index] != (double)tap) continue;
                plane.sum[at] += share;
                plane.size[at] += fabs(share);
            }
}

/// The windows along an axis that an element may be in.
static double most_windows(const problem_t *p)
{
    double n = 1.;
    for (int a = 0; a < BENCH_NSPATIAL; ++a)
        n *= fmin((double)p->out[a],
                ceil((double)(p->kernel[a] * (p->dilation[a] + 1)) / (double)p->stride[a]));
    return n;
}

/// From the magnitudes of the terms to the error of their sum: chains of at most 2^16 additions, a
/// quotient or a product with a reciprocal for each term of a mean. A maximum that one window
/// passes on is exact, and so are sums of integers.
static double error_of(const reference_t *r, double sum, double size)
{
    const double n = most_windows(r->problem);
    const double additions = fmin(n, 0x1p16) + n * 0x1p-16 - 1.;
    const bool is_max = r->alg == PRIM_POOLING_MAX;
    if (!isfinite(size)) return 0.; // NaN and infinities come out as they are
    if (is_max && size < 0x1p24 && sum == rint(sum) && size == rint(size)) return 0.;
    return UNIT * size * (additions + (is_max ? 0. : 6.));
}

static void reference_planes(void *context, int64_t begin, int64_t end)
{
    const reference_t *const r = context;
    const problem_t *const p = r->problem;
    for (int64_t plane = begin; plane < end; ++plane) {
        const plane_t sums = {r->diff_src + plane * r->in_elems, r->slack + plane * r->in_elems};
        for (int64_t i = 0; i < r->in_elems; ++i) sums.sum[i] = sums.size[i] = 0.;
        int64_t o[BENCH_NSPATIAL], index = plane * r->out_elems;
        for (o[0] = 0; o[0] < p->out[0]; ++o[0])
            for (o[1] = 0; o[1] < p->out[1]; ++o[1])
                for (o[2] = 0; o[2] < p->out[2]; ++o[2]) scatter(r, sums, o, index++);
        for (int64_t i = 0; i < r->in_elems; ++i)
            sums.size[i] = error_of(r, sums.sum[i], sums.size[i]);
    }
}

void pool_backward_reference(const prb_t *prb, prim_alg_kind_t alg, args_t *args)
{
    const problem_t *const p = prb->problem;
    reference_t r = {.problem = p,
            .alg = alg,
            .diff_dst = args_data(args, PRIM_ARG_DIFF_DST),
            .workspace = args_data(args, PRIM_ARG_WORKSPACE),
            .diff_src = args_data(args, PRIM_ARG_DIFF_SRC),
            .slack = args_slack(args, PRIM_ARG_DIFF_SRC),
            .in_elems = p->in[0] * p->in[1] * p->in[2],
            .out_elems = p->out[0] * p->out[1] * p->out[2]};
    bench_parallel(p->mb * p->ic, 1, reference_planes, &r);
}
