// SPDX-License-Identifier: Apache-2.0
// The deconvolution of benchdnn itself, and its gradients: plain sums in double. All three go over
// the same pairs of elements of src and dst that meet in a tap.
#include "deconv_ref.h"

#include <string.h>

typedef struct {
    const problem_t *p;
    const double *src, *wei, *bias, *dst; ///< src and dst, or the gradients by them
    double *result;
    int64_t in_elems, out_elems, kernel_elems;
} run_t;

static int64_t volume(const int64_t sizes[BENCH_NSPATIAL])
{
    return sizes[AXIS_D] * sizes[AXIS_H] * sizes[AXIS_W];
}

static run_t run_of(const problem_t *p)
{
    return (run_t){.p = p,
            .in_elems = volume(p->in),
            .out_elems = volume(p->out),
            .kernel_elems = volume(p->kernel)};
}

/// Element y of src meets element y·stride + shift of dst by a tap, along one axis.
static int64_t shift_of(const problem_t *p, int axis, int64_t tap)
{
    return tap * (p->dilation[axis] + 1) - p->pad[axis];
}

/// Those y for which that element exists.
static void valid_range(const problem_t *p, int axis, int64_t tap, int64_t *from, int64_t *to)
{
    const int64_t shift = shift_of(p, axis, tap);
    *from = 0;
    *to = p->in[axis];
    while (*from < *to && *from * p->stride[axis] + shift < 0) ++*from;
    while (*to > *from && (*to - 1) * p->stride[axis] + shift >= p->out[axis]) --*to;
}

/// src[src + x] meets dst[dst + x·stride] for x in 0..n, both in one channel of one image.
typedef struct {
    int64_t src, dst, n, stride;
} line_t;

typedef void (*line_body_t)(void *context, const line_t *line);

/// Calls body for every row of src that meets a row of dst by tap `k`, row-major over the kernel.
static void visit_lines(const problem_t *p, int64_t k, line_body_t body, void *context)
{
    const int64_t kw = k % p->kernel[AXIS_W], kh = k / p->kernel[AXIS_W] % p->kernel[AXIS_H];
    const int64_t kd = k / p->kernel[AXIS_W] / p->kernel[AXIS_H];
    const int64_t taps[BENCH_NSPATIAL] = {kd, kh, kw};
    int64_t from[BENCH_NSPATIAL], to[BENCH_NSPATIAL], shift[BENCH_NSPATIAL];
    for (int a = 0; a < BENCH_NSPATIAL; ++a) {
        valid_range(p, a, taps[a], &from[a], &to[a]);
        shift[a] = shift_of(p, a, taps[a]);
    }
    for (int64_t d = from[AXIS_D]; d < to[AXIS_D]; ++d) {
        const int64_t od = d * p->stride[AXIS_D] + shift[AXIS_D];
        for (int64_t h = from[AXIS_H]; h < to[AXIS_H]; ++h) {
            const int64_t oh = h * p->stride[AXIS_H] + shift[AXIS_H];
            const int64_t ow = from[AXIS_W] * p->stride[AXIS_W] + shift[AXIS_W];
            const line_t line = {(d * p->in[AXIS_H] + h) * p->in[AXIS_W] + from[AXIS_W],
                    (od * p->out[AXIS_H] + oh) * p->out[AXIS_W] + ow, to[AXIS_W] - from[AXIS_W],
                    p->stride[AXIS_W]};
            body(context, &line);
        }
    }
}

/// The weights between two channels, counted over all groups.
static const double *weights_of(const run_t *run, int64_t o, int64_t i)
{
    const int64_t ic = run->p->ic / run->p->g;
    return run->wei + (o * ic + i % ic) * run->kernel_elems;
}

// ---- Forward: what src adds to dst -----------------------------------------------------------

typedef struct {
    const double *src;
    double *dst, w;
} scatter_t;

static void scatter_line(void *context, const line_t *line)
{
    const scatter_t *const s = context;
    const double *const src = s->src + line->src;
    double *const dst = s->dst + line->dst;
    for (int64_t x = 0; x < line->n; ++x) dst[x * line->stride] += src[x] * s->w;
}

static void forward_range(void *context, int64_t begin, int64_t end)
{
    const run_t *const run = context;
    const problem_t *const p = run->p;
    const int64_t oc = p->oc / p->g, ic = p->ic / p->g;
    for (int64_t plane = begin; plane < end; ++plane) {
        const int64_t n = plane / p->oc, o = plane % p->oc, first = o / oc * ic;
        double *const dst = run->result + plane * run->out_elems;
        for (int64_t x = 0; x < run->out_elems; ++x) dst[x] = run->bias ? run->bias[o] : 0;
        for (int64_t i = first; i < first + ic; ++i) {
            scatter_t s = {run->src + (n * p->ic + i) * run->in_elems, dst, 0};
            for (int64_t k = 0; k < run->kernel_elems; ++k) {
                s.w = weights_of(run, o, i)[k];
                visit_lines(p, k, scatter_line, &s);
            }
        }
    }
}

void deconv_ref_forward(const problem_t *problem, const double *src, const double *wei,
        const double *bias, double *dst)
{
    run_t run = run_of(problem);
    run.src = src;
    run.wei = wei;
    run.bias = bias;
    run.result = dst;
    bench_parallel(problem->mb * problem->oc, 1, forward_range, &run);
}

// ---- By src: what it gathers from the gradient by dst ----------------------------------------

typedef struct {
    const double *dst;
    double *src, w;
} gather_t;

static void gather_line(void *context, const line_t *line)
{
    const gather_t *const g = context;
    const double *const dst = g->dst + line->dst;
    double *const src = g->src + line->src;
    for (int64_t x = 0; x < line->n; ++x) src[x] += dst[x * line->stride] * g->w;
}

static void data_range(void *context, int64_t begin, int64_t end)
{
    const run_t *const run = context;
    const problem_t *const p = run->p;
    const int64_t oc = p->oc / p->g, ic = p->ic / p->g;
    for (int64_t plane = begin; plane < end; ++plane) {
        const int64_t n = plane / p->ic, i = plane % p->ic, first = i / ic * oc;
        double *const src = run->result + plane * run->in_elems;
        memset(src, 0, (size_t)run->in_elems * sizeof *src);
        for (int64_t o = first; o < first + oc; ++o) {
            gather_t g = {run->dst + (n * p->oc + o) * run->out_elems, src, 0};
            for (int64_t k = 0; k < run->kernel_elems; ++k) {
                g.w = weights_of(run, o, i)[k];
                visit_lines(p, k, gather_line, &g);
            }
        }
    }
}

void deconv_ref_backward_data(
        const problem_t *problem, const double *diff_dst, const double *wei, double *diff_src)
{
    run_t run = run_of(problem);
    run.dst = diff_dst;
    run.wei = wei;
    run.result = diff_src;
    bench_parallel(problem->mb * problem->ic, 1, data_range, &run);
}

// ---- By the weights: what meets in a tap, multiplied -----------------------------------------

typedef struct {
    const double *src, *dst;
    double sum;
} product_sum_line_t;

static void multiply_line(void *context, const line_t *line)
{
    product_sum_line_t *const s = context;
    const double *const src = s->src + line->src, *const dst = s->dst + line->dst;
    for (int64_t x = 0; x < line->n; ++x) s->sum += src[x] * dst[x * line->stride];
}

static void weights_range(void *context, int64_t begin, int64_t end)
{
    const run_t *const run = context;
    const problem_t *const p = run->p;
    const int64_t oc = p->oc / p->g, ic = p->ic / p->g;
    for (int64_t pair = begin; pair < end; ++pair) {
        const int64_t o = pair / ic, i = o / oc * ic + pair % ic;
        for (int64_t k = 0; k < run->kernel_elems; ++k) {
            product_sum_line_t s = {.sum = 0};
            for (int64_t n = 0; n < p->mb; ++n) {
                s.src = run->src + (n * p->ic + i) * run->in_elems;
                s.dst = run->dst + (n * p->oc + o) * run->out_elems;
                visit_lines(p, k, multiply_line, &s);
            }
            run->result[pair * run->kernel_elems + k] = s.sum;
        }
    }
}

void deconv_ref_backward_weights(
        const problem_t *problem, const double *src, const double *diff_dst, double *diff_wei)
{
    run_t run = run_of(problem);
    run.src = src;
    run.dst = diff_dst;
    run.result = diff_wei;
    bench_parallel(problem->oc * (problem->ic / problem->g), 1, weights_range, &run);
}

// ---- Counts ----------------------------------------------------------------------------------

double deconv_ref_pairs(const problem_t *problem)
{
    double pairs = 1;
    for (int a = 0; a < BENCH_NSPATIAL; ++a) {
        int64_t n = 0;
        for (int64_t k = 0; k < problem->kernel[a]; ++k) {
            int64_t from, to;
            valid_range(problem, a, k, &from, &to);
            n += to - from;
        }
        pairs *= (double)n;
    }
    return pairs;
}

/// The taps that reach element `x` of dst along an axis.
static int64_t taps_at(const problem_t *p, int axis, int64_t x)
{
    int64_t n = 0;
    for (int64_t k = 0; k < p->kernel[axis]; ++k) {
        const int64_t way = x - shift_of(p, axis, k);
        n += way >= 0 && way % p->stride[axis] == 0 && way / p->stride[axis] < p->in[axis];
    }
    return n;
}

double deconv_ref_reached(const problem_t *problem)
{
    double part = 1;
    for (int a = 0; a < BENCH_NSPATIAL; ++a) {
        int64_t n = 0;
        for (int64_t x = 0; x < problem->out[a]; ++x) n += taps_at(problem, a, x) > 0;
        part *= problem->out[a] > 0 ? (double)n / (double)problem->out[a] : 1;
    }
    return part;
}

static int64_t common_divisor(int64_t a, int64_t b)
{
    while (b != 0) {
        const int64_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

static int64_t divide_up(int64_t a, int64_t b)
{
    return a / b + (a % b != 0);
}

// Taps that reach one element of dst are stride / divisor apart, and so are dilation / divisor the
// elements of src that they meet.
int64_t deconv_ref_most_taps(const problem_t *problem)
{
    int64_t taps = 1;
    for (int a = 0; a < BENCH_NSPATIAL; ++a) {
        const int64_t stride = problem->stride[a], dilation = problem->dilation[a] + 1;
        const int64_t divisor = common_divisor(stride, dilation);
        const int64_t by_kernel = divide_up(problem->kernel[a], stride / divisor);
        const int64_t by_src = divide_up(problem->in[a], dilation / divisor);
        taps *= by_kernel < by_src ? by_kernel : by_src;
    }
    return taps;
}
