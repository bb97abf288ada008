// SPDX-License-Identifier: Apache-2.0
// The gradients of convolution in benchdnn itself: plain sums in double, a plane of diff_src or the
// taps of a pair of channels at a time.
#include "conv_backward.h"

#include <stdlib.h>

#include "conv_ref.h"
#include "core/bench_text.h"

typedef struct {
    problem_t p; ///< with its spatial dimensions merged where the kernel is a point
    const double *first, *second;
    double *result;
} gradient_run_t;

/// Positions y of dst in from..to of a spatial dimension whose window has a tap on index
/// y·stride + shift of src.
typedef struct {
    int64_t from, to, shift;
} span_t;

static span_t span_of(const problem_t *p, int s, int64_t tap)
{
    const int64_t stride = p->stride[s];
    span_t span = {0, p->out[s], tap * (p->dilation[s] + 1) - p->pad[s]};
    while (span.from < span.to && span.from * stride + span.shift < 0) ++span.from;
    while (span.to > span.from && (span.to - 1) * stride + span.shift >= p->in[s]) --span.to;
    return span;
}

static int64_t volume(const int64_t sizes[BENCH_NSPATIAL])
{
    return sizes[AXIS_D] * sizes[AXIS_H] * sizes[AXIS_W];
}

/// Calls body for each pair of rows (of a plane of src, of a plane of dst) that the tap joins.
typedef void (*row_body_t)(void *context, int64_t src, int64_t dst, const span_t *width);

static void for_each_row(
        const problem_t *p, const int64_t tap[BENCH_NSPATIAL], row_body_t body, void *context)
{
    const span_t depth = span_of(p, AXIS_D, tap[AXIS_D]), height = span_of(p, AXIS_H, tap[AXIS_H]);
    const span_t width = span_of(p, AXIS_W, tap[AXIS_W]);
    if (width.from == width.to) return;
    for (int64_t d = depth.from; d < depth.to; ++d) {
        const int64_t id = d * p->stride[AXIS_D] + depth.shift;
        for (int64_t h = height.from; h < height.to; ++h) {
            const int64_t ih = h * p->stride[AXIS_H] + height.shift;
            body(context, (id * p->in[AXIS_H] + ih) * p->in[AXIS_W],
                    (d * p->out[AXIS_H] + h) * p->out[AXIS_W], &width);
        }
    }
}

/// The tap of flat index `k`.
static void tap_at(const problem_t *p, int64_t k, int64_t tap[BENCH_NSPATIAL])
{
    tap[AXIS_W] = k % p->kernel[AXIS_W];
    tap[AXIS_H] = k / p->kernel[AXIS_W] % p->kernel[AXIS_H];
    tap[AXIS_D] = k / p->kernel[AXIS_W] / p->kernel[AXIS_H];
}

// ---- By src ----------------------------------------------------------------------------------

/// A plane of diff_src, to which a plane of diff_dst is added by one weight.
typedef struct {
    const double *diff_dst;
    double *diff_src;
    double weight;
    int64_t stride;
} scatter_t;

static void scatter_row(void *context, int64_t src, int64_t dst, const span_t *width)
{
    const scatter_t *const s = context;
    const double weight = s->weight, *restrict from = s->diff_dst + dst;
    double *restrict to = s->diff_src + src + width->shift;
    if (s->stride == 1) // on its own, so that the compiler can use vectors
        for (int64_t y = width->from; y < width->to; ++y) to[y] += weight * from[y];
    else
        for (int64_t y = width->from; y < width->to; ++y) to[y * s->stride] += weight * from[y];
}

static void compute_planes(void *context, int64_t begin, int64_t end)
{
    const gradient_run_t *const run = context;
    const problem_t *const p = &run->p;
    const int64_t ic = p->ic / p->g, oc = p->oc / p->g, ntaps = volume(p->kernel);
    const int64_t nin = volume(p->in), nout = volume(p->out);
    for (int64_t plane = begin; plane < end; ++plane) {
        const int64_t image = plane / p->ic, channel = plane % p->ic, g = channel / ic;
        scatter_t s = {.diff_src = run->result + plane * nin, .stride = p->stride[AXIS_W]};
        for (int64_t i = 0; i < nin; ++i) s.diff_src[i] = 0.;
        for (int64_t o = 0; o < oc; ++o) {
            const double *const wei = run->second + ((g * oc + o) * ic + channel % ic) * ntaps;
            s.diff_dst = run->first + (image * p->oc + g * oc + o) * nout;
            for (int64_t k = 0; k < ntaps; ++k) {
                int64_t tap[BENCH_NSPATIAL];
                tap_at(p, k, tap);
                s.weight = wei[k];
                for_each_row(p, tap, scatter_row, &s);
            }
        }
    }
}

void conv_backward_data(
        const problem_t *problem, const double *diff_dst, const double *wei, double *diff_src)
{
    gradient_run_t run = {*problem, diff_dst, wei, diff_src};
    conv_ref_merge_spatial(&run.p);
    bench_parallel(run.p.mb * run.p.ic, 1, compute_planes, &run);
}

// ---- By the weights --------------------------------------------------------------------------

/// A plane of src and one of diff_dst, whose product under one tap is added up.
typedef struct {
    const double *src, *diff_dst;
    double sums[4]; ///< of every fourth product, so that the compiler can use vectors
    int64_t stride;
} gather_t;

static void gather_row(void *context, int64_t src, int64_t dst, const span_t *width)
{
    gather_t *const g = context;
    const double *restrict x = g->src + src + width->shift, *restrict diff = g->diff_dst + dst;
    const int64_t stride = g->stride;
    int64_t y = width->from;
    for (; y + 4 <= width->to; y += 4)
        for (int i = 0; i < 4; ++i) g->sums[i] += x[(y + i) * stride] * diff[y + i];
    for (; y < width->to; ++y) g->sums[0] += x[y * stride] * diff[y];
}

static void compute_pairs(void *context, int64_t begin, int64_t end)
{
    const gradient_run_t *const run = context;
    const problem_t *const p = &run->p;
    const int64_t ic = p->ic / p->g, oc = p->oc / p->g, ntaps = volume(p->kernel);
    const int64_t nin = volume(p->in), nout = volume(p->out);
    for (int64_t pair = begin; pair < end; ++pair) {
        const int64_t output = pair / ic, input = output / oc * ic + pair % ic;
        for (int64_t k = 0; k < ntaps; ++k) {
            gather_t g = {.stride = p->stride[AXIS_W]};
            int64_t tap[BENCH_NSPATIAL];
            tap_at(p, k, tap);
            for (int64_t image = 0; image < p->mb; ++image) {
                g.src = run->first + (image * p->ic + input) * nin;
                g.diff_dst = run->second + (image * p->oc + output) * nout;
                for_each_row(p, tap, gather_row, &g);
            }
            run->result[pair * ntaps + k] = g.sums[0] + g.sums[1] + g.sums[2] + g.sums[3];
        }
    }
}

void conv_backward_weights(
        const problem_t *problem, const double *src, const double *diff_dst, double *diff_wei)
{
    gradient_run_t run = {*problem, src, diff_dst, diff_wei};
    conv_ref_merge_spatial(&run.p);
    bench_parallel(run.p.oc * (run.p.ic / run.p.g), 1, compute_pairs, &run);
}

/// Indices of src in spatial dimension `s` that some tap meets.
static int64_t count_reached(const problem_t *p, int s)
{
    bool *const is_reached = bench_calloc((size_t)p->in[s] + 1, sizeof *is_reached);
    int64_t n = 0;
    for (int64_t tap = 0; tap < p->kernel[s]; ++tap) {
        const span_t span = span_of(p, s, tap);
        for (int64_t y = span.from; y < span.to; ++y) {
            bool *const at = &is_reached[y * p->stride[s] + span.shift];
            n += !*at;
            *at = true;
        }
    }
    free(is_reached);
    return n;
}

double conv_backward_reached(const problem_t *problem)
{
    double share = 1.;
    for (int s = 0; s < BENCH_NSPATIAL; ++s)
        if (problem->in[s] > 0) share *= (double)count_reached(problem, s) / (double)problem->in[s];
    return share;
}
