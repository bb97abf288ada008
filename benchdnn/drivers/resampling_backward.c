// SPDX-License-Identifier: Apache-2.0
// The gradient of resampling in double, and how far f32 may end from it (doc/numerics.md): every
// element of the destination adds its gradient to those that it was made of.
#include "resampling_backward.h"

#include <math.h>

/// The unit round-off of f32.
#define UNIT 0x1p-24

typedef struct {
    const problem_t *problem;
    bool is_linear;
    const double *diff_dst;
    double *diff_src, *slack;
    int64_t in_elems, out_elems; ///< of a plane
} reference_t;

/// A plane of diff_src that is being added up.
typedef struct {
    double *sum, *size; ///< Σ of the terms, Σ of their magnitudes
} plane_t;

static void scatter(const reference_t *r, plane_t plane, const neighbours_t *around, double diff)
{
    const problem_t *const p = r->problem;
    for (int corner = 0; corner < 8; ++corner) {
        double weight = 1.;
        int64_t index = 0;
        for (int a = 0; a < BENCH_NSPATIAL; ++a) {
            const int side = corner >> a & 1;
            weight *= side ? around[a].share : 1. - around[a].share;
            index = index * p->in[a] + around[a].index[side];
        }
        if (weight == 0.) continue;
        plane.sum[index] += weight * diff;
        plane.size[index] += weight * fabs(diff);
    }
}

/// The most elements of the destination that one of the source is a part of.
static double most_users(const reference_t *r)
{
    const problem_t *const p = r->problem;
    double n = 1.;
    for (int a = 0; a < BENCH_NSPATIAL; ++a) {
        const double ratio = (double)p->out[a] / (double)p->in[a];
        n *= fmin((double)p->out[a], r->is_linear ? 2. * ratio + 2. : ratio + 1.);
    }
    return n;
}

/// Chains of at most 2^16 additions; of each term the roundings of three weights, each of a
/// quotient of two numbers that may be rounded themselves, and of three products.
static double error_of(const reference_t *r, double sum, double size)
{
    const double n = most_users(r);
    const double additions = fmin(n, 0x1p16) + n * 0x1p-16 - 1.;
    if (!isfinite(size)) return 0.; // NaN and infinities come out as they are
    if (!r->is_linear && size < 0x1p24 && sum == rint(sum) && size == rint(size)) return 0.;
    return UNIT * size * (additions + (r->is_linear ? 24. : 0.));
}

static void reference_planes(void *context, int64_t begin, int64_t end)
{
    const reference_t *const r = context;
    const problem_t *const p = r->problem;
    for (int64_t plane = begin; plane < end; ++plane) {
        const plane_t sums = {r->diff_src + plane * r->in_elems, r->slack + plane * r->in_elems};
        for (int64_t i = 0; i < r->in_elems; ++i) sums.sum[i] = sums.size[i] = 0.;
        const double *diff = r->diff_dst + plane * r->out_elems;
        neighbours_t around[BENCH_NSPATIAL];
        for (int64_t d = 0; d < p->out[AXIS_D]; ++d) {
            around[AXIS_D] = resampling_neighbours(p, r->is_linear, AXIS_D, d);
            for (int64_t h = 0; h < p->out[AXIS_H]; ++h) {
                around[AXIS_H] = resampling_neighbours(p, r->is_linear, AXIS_H, h);
                for (int64_t w = 0; w < p->out[AXIS_W]; ++w) {
                    around[AXIS_W] = resampling_neighbours(p, r->is_linear, AXIS_W, w);
                    scatter(r, sums, around, *diff++);
                }
            }
        }
        for (int64_t i = 0; i < r->in_elems; ++i)
            sums.size[i] = error_of(r, sums.sum[i], sums.size[i]);
    }
}

void resampling_backward_reference(const prb_t *prb, bool is_linear, args_t *args)
{
    const problem_t *const p = prb->problem;
    reference_t r = {.problem = p,
            .is_linear = is_linear,
            .diff_dst = args_data(args, PRIM_ARG_DIFF_DST),
            .diff_src = args_data(args, PRIM_ARG_DIFF_SRC),
            .slack = args_slack(args, PRIM_ARG_DIFF_SRC),
            .in_elems = p->in[0] * p->in[1] * p->in[2],
            .out_elems = p->out[0] * p->out[1] * p->out[2]};
    bench_parallel(p->mb * p->ic, 1, reference_planes, &r);
}
