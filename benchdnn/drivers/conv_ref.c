// SPDX-License-Identifier: Apache-2.0
// The convolution of benchdnn itself: plain sums in double, over rows of a few output channels at a
// time so that they stay in the nearest cache.
#include "conv_ref.h"

#include <string.h>

enum {
    NCHANNELS = 4,   ///< output channels that share the reading of src
    NTERMS = 4,      ///< taps or input channels that share the reading of the sums
    MAX_WIDTH = 256, ///< output elements of a row that are summed at a time
};

typedef struct {
    problem_t p; ///< with its spatial dimensions merged where the kernel is a point
    const double *src, *wei, *bias;
    double *dst;
} conv_run_t;

/// sum[o][x] += w[o]·src[(x − from)·stride] for x in from..to.
typedef struct {
    int64_t from, to;
    const double *src;
    double w[NCHANNELS];
} term_t;

/// A piece of one output row, for up to NCHANNELS channels.
typedef struct {
    int64_t image, group, channel; ///< the first channel, counted in the group
    int nchannels;
    int64_t od, oh, ow, width;
    int nterms; ///< waiting to be added
    term_t terms[NTERMS];
    double sum[NCHANNELS][MAX_WIDTH];
} piece_t;

/// First and one past the last x in x0..x0+n for which x·stride + shift lies in 0..in.
static void valid_range(int64_t x0, int64_t n, int64_t stride, int64_t shift, int64_t in,
        int64_t *from, int64_t *to)
{
    *from = x0;
    *to = x0 + n;
    while (*from < *to && *from * stride + shift < 0) ++*from;
    while (*to > *from && (*to - 1) * stride + shift >= in) --*to;
}

/// sum[x] += Σ w[t]·src[t][x·stride] over the terms for n elements.
static void add_terms(double *restrict sum, const double w[NTERMS],
        const double *const restrict src[NTERMS], int64_t n, int64_t stride)
{
    const double w0 = w[0], w1 = w[1], w2 = w[2], w3 = w[3];
    const double *restrict s0 = src[0], *restrict s1 = src[1];
    const double *restrict s2 = src[2], *restrict s3 = src[3];
    for (int64_t x = 0; x < n; ++x) {
        const int64_t at = x * stride;
        sum[x] += w0 * s0[at] + w1 * s1[at] + w2 * s2[at] + w3 * s3[at];
    }
}

static void add_range(piece_t *piece, const term_t *term, int64_t from, int64_t to, int64_t stride)
{
    const double *const src = term->src + (from - term->from) * stride;
    for (int o = 0; o < piece->nchannels; ++o) {
        for (int64_t x = from; x < to; ++x)
            piece->sum[o][x] += term->w[o] * src[(x - from) * stride];
    }
}

/// Adds all terms where they overlap, and each of them alone where it does not.
static void flush_terms(piece_t *piece, int64_t stride)
{
    int64_t from = 0, to = piece->nterms == NTERMS ? piece->width : 0;
    for (int t = 0; t < piece->nterms; ++t) {
        if (piece->terms[t].from > from) from = piece->terms[t].from;
        if (piece->terms[t].to < to) to = piece->terms[t].to;
    }
    if (from > to) from = to = 0;
    const double *src[NTERMS];
    for (int t = 0; t < piece->nterms; ++t) {
        const term_t *const term = &piece->terms[t];
        if (from == to) {
            add_range(piece, term, term->from, term->to, stride);
            continue;
        }
        add_range(piece, term, term->from, from, stride);
        add_range(piece, term, to, term->to, stride);
        src[t] = term->src + (from - term->from) * stride;
    }
    piece->nterms = 0;
    for (int o = 0; o < piece->nchannels && from < to; ++o) {
        double w[NTERMS];
        for (int t = 0; t < NTERMS; ++t) w[t] = piece->terms[t].w[o];
        // The dense case on its own, so that the compiler can use vectors.
        if (stride == 1)
            add_terms(&piece->sum[o][from], w, src, to - from, 1);
        else
            add_terms(&piece->sum[o][from], w, src, to - from, stride);
    }
}

/// Queues the taps of one kernel row and one input channel; `row` is the row of src they meet,
/// `wei` the row of weights of the first output channel.
static void add_kernel_row(const conv_run_t *run, piece_t *piece, const double *row,
        const double *wei, int64_t wei_step)
{
    const problem_t *const p = &run->p;
    const int64_t stride = p->stride[AXIS_W];
    for (int64_t kw = 0; kw < p->kernel[AXIS_W]; ++kw) {
        const int64_t shift = kw * (p->dilation[AXIS_W] + 1) - p->pad[AXIS_W];
        int64_t from, to;
        valid_range(piece->ow, piece->width, stride, shift, p->in[AXIS_W], &from, &to);
        if (from == to) continue;
        term_t *const term = &piece->terms[piece->nterms++];
        *term = (term_t){from - piece->ow, to - piece->ow, row + from * stride + shift, {0}};
        for (int o = 0; o < piece->nchannels; ++o) term->w[o] = wei[o * wei_step + kw];
        if (piece->nterms == NTERMS) flush_terms(piece, stride);
    }
}

static void sum_piece(const conv_run_t *run, piece_t *piece)
{
    const problem_t *const p = &run->p;
    const int64_t ic = p->ic / p->g, oc = p->oc / p->g;
    const int64_t kd_kh = p->kernel[AXIS_D] * p->kernel[AXIS_H];
    const int64_t wei_step = ic * kd_kh * p->kernel[AXIS_W];
    const double *const wei = run->wei + (piece->group * oc + piece->channel) * wei_step;
    const int64_t channel0 = piece->image * p->ic + piece->group * ic;
    for (int64_t c = 0; c < ic; ++c) {
        for (int64_t k = 0; k < kd_kh; ++k) {
            const int64_t kd = k / p->kernel[AXIS_H], kh = k % p->kernel[AXIS_H];
            const int64_t id =
                    piece->od * p->stride[AXIS_D] + kd * (p->dilation[AXIS_D] + 1) - p->pad[AXIS_D];
            const int64_t ih =
                    piece->oh * p->stride[AXIS_H] + kh * (p->dilation[AXIS_H] + 1) - p->pad[AXIS_H];
            if (id < 0 || id >= p->in[AXIS_D] || ih < 0 || ih >= p->in[AXIS_H]) continue;
            const int64_t row = ((channel0 + c) * p->in[AXIS_D] + id) * p->in[AXIS_H] + ih;
            add_kernel_row(run, piece, run->src + row * p->in[AXIS_W],
                    wei + (c * kd_kh + k) * p->kernel[AXIS_W], wei_step);
        }
    }
    flush_terms(piece, p->stride[AXIS_W]);
}

static void store_piece(const conv_run_t *run, const piece_t *piece)
{
    const problem_t *const p = &run->p;
    for (int o = 0; o < piece->nchannels; ++o) {
        const int64_t channel = piece->group * (p->oc / p->g) + piece->channel + o;
        const double bias = run->bias ? run->bias[channel] : 0;
        const int64_t plane = (piece->image * p->oc + channel) * p->out[AXIS_D] + piece->od;
        double *const row =
                run->dst + (plane * p->out[AXIS_H] + piece->oh) * p->out[AXIS_W] + piece->ow;
        for (int64_t x = 0; x < piece->width; ++x) row[x] = piece->sum[o][x] + bias;
    }
}

/// All output positions of one image and a few channels of one group.
static void compute_channels(const conv_run_t *run, piece_t *piece)
{
    const problem_t *const p = &run->p;
    const int64_t nrows = p->out[AXIS_D] * p->out[AXIS_H];
    for (int64_t r = 0; r < nrows; ++r) {
        piece->od = r / p->out[AXIS_H];
        piece->oh = r % p->out[AXIS_H];
        for (piece->ow = 0; piece->ow < p->out[AXIS_W]; piece->ow += MAX_WIDTH) {
            const int64_t rest = p->out[AXIS_W] - piece->ow;
            piece->width = rest < MAX_WIDTH ? rest : MAX_WIDTH;
            for (int o = 0; o < NCHANNELS; ++o)
                memset(piece->sum[o], 0, (size_t)piece->width * sizeof(double));
            sum_piece(run, piece);
            store_piece(run, piece);
        }
    }
}

static void compute_range(void *context, int64_t begin, int64_t end)
{
    const conv_run_t *const run = context;
    const int64_t oc = run->p.oc / run->p.g;
    const int64_t nblocks = (oc + NCHANNELS - 1) / NCHANNELS;
    piece_t piece = {.nterms = 0};
    for (int64_t i = begin; i < end; ++i) {
        piece.channel = i % nblocks * NCHANNELS;
        piece.group = i / nblocks % run->p.g;
        piece.image = i / nblocks / run->p.g;
        const int64_t rest = oc - piece.channel;
        piece.nchannels = rest < NCHANNELS ? (int)rest : NCHANNELS;
        compute_channels(run, &piece);
    }
}

void conv_ref_merge_spatial(problem_t *p)
{
    int64_t nelems = 1;
    for (int s = 0; s < BENCH_NSPATIAL; ++s) {
        if (p->kernel[s] != 1 || p->stride[s] != 1 || p->pad[s] != 0 || p->in[s] != p->out[s])
            return;
        nelems *= p->in[s];
    }
    for (int s = 0; s < BENCH_NSPATIAL; ++s) p->in[s] = p->out[s] = s == AXIS_W ? nelems : 1;
}

void conv_ref(const problem_t *problem, const double *src, const double *wei, const double *bias,
        double *dst)
{
    conv_run_t run = {*problem, src, wei, bias, dst};
    conv_ref_merge_spatial(&run.p);
    const int64_t nblocks = (run.p.oc / run.p.g + NCHANNELS - 1) / NCHANNELS;
    bench_parallel(run.p.mb * run.p.g * nblocks, 1, compute_range, &run);
}

double conv_ref_pairs(const problem_t *problem)
{
    double pairs = 1;
    for (int s = 0; s < BENCH_NSPATIAL; ++s) {
        int64_t n = 0;
        for (int64_t k = 0; k < problem->kernel[s]; ++k) {
            const int64_t shift = k * (problem->dilation[s] + 1) - problem->pad[s];
            int64_t from, to;
            valid_range(0, problem->out[s], problem->stride[s], shift, problem->in[s], &from, &to);
            n += to - from;
        }
        pairs *= (double)n;
    }
    return pairs;
}
