// SPDX-License-Identifier: Apache-2.0
// Local response normalisation and its gradient in double, and how far f32 may end from them
// (doc/numerics.md).
#include "lrn_ref.h"

#include <math.h>

/// The unit round-off of f32, and what pow() may be off by: 16 ulp in OpenCL, and a rounding.
#define UNIT 0x1p-24
#define POW_UNITS 33.

/// Integers up to 8, or reals around 1, times what makes alpha·x² a number near 1; gradients
/// without that. The workspace is positive: 1 to 2.
typedef struct {
    data_class_t data_class;
    data_kind_t kind;
    prim_data_type_t dt;
    double unit;
} values_t;

static double value_at(const void *context, rng_t *rng, int64_t index)
{
    const values_t *const v = context;
    (void)index;
    if (v->kind == DATA_WORKSPACE) return data_significand(rng, v->dt);
    if (v->data_class == CLASS_SMALL) {
        const double size = v->unit / 4. * (double)rng_int(rng, 1, 8);
        return rng_chance(rng, .5) ? size : -size;
    }
    return v->unit * data_value(rng, CLASS_REALS, v->dt);
}

/// A power of two with alpha·unit² near 1; eight of it are a number of the type, which f8_e4m3's
/// are up to 448.
static double src_unit(const lrn_case_t *c, prim_data_type_t dt)
{
    const double alpha = fabs(c->problem->alpha);
    int exponent = alpha > 0. ? (int)fmin(fmax(-log2(alpha) / 2., 0.), 8.) : 0;
    while (exponent > 0 && ldexp(8., exponent) > dt_max(dt)) --exponent;
    return ldexp(1., exponent);
}

void lrn_fill(const lrn_case_t *c, arg_t *arg)
{
    const prim_data_type_t dt = arg->md.data_type;
    const values_t v = {c->data_class, arg->kind, dt, arg->kind == DATA_SRC ? src_unit(c, dt) : 1.};
    fill_by_rng(arg, value_at, &v);
}

typedef struct {
    const lrn_case_t *c;
    args_t *args;
    double factor; ///< alpha / n
    const double *src, *diff_dst, *given;
    double *workspace, *workspace_slack, *out, *out_slack;
} reference_t;

typedef struct {
    int64_t begin[4], end[4], strides[4]; ///< of channels, depth, height, width
    int64_t first;                        ///< offset of the image
} box_t;

/// What the window around an element holds.
static box_t box_of(const reference_t *r, int64_t index)
{
    const problem_t *const p = r->c->problem;
    const int64_t dims[4] = {p->ic, p->in[AXIS_D], p->in[AXIS_H], p->in[AXIS_W]};
    const int64_t half = (p->local_size - 1) / 2;
    box_t box;
    int64_t stride = 1, rest = index;
    for (int a = 3; a >= 0; --a) {
        const int64_t at = rest % dims[a];
        const bool has_window = (a == 0) == r->c->is_across;
        box.begin[a] = has_window && at > half ? at - half : has_window ? 0 : at;
        box.end[a] = has_window && at + half < dims[a] ? at + half + 1
                     : has_window                      ? dims[a]
                                                       : at + 1;
        box.strides[a] = stride;
        stride *= dims[a];
        rest /= dims[a];
    }
    box.first = rest * stride;
    return box;
}

/// Sum, sum of sizes, and number of the terms of a window.
typedef struct {
    double sum, size, count;
} sums_t;

static double square(const reference_t *r, int64_t index)
{
    return r->src[index] * r->src[index];
}

static double passed_on(const reference_t *r, int64_t index)
{
    return r->diff_dst[index] * r->src[index] * pow(r->given[index], -r->c->problem->beta - 1.);
}

static sums_t sums_of(
        const reference_t *r, int64_t index, double (*term)(const reference_t *r, int64_t index))
{
    const box_t b = box_of(r, index);
    sums_t s = {0., 0., 0.};
    for (int64_t c = b.begin[0]; c < b.end[0]; ++c)
        for (int64_t d = b.begin[1]; d < b.end[1]; ++d)
            for (int64_t h = b.begin[2]; h < b.end[2]; ++h)
                for (int64_t w = b.begin[3]; w < b.end[3]; ++w) {
                    const double x = term(r, b.first + c * b.strides[0] + d * b.strides[1] +
                                                     h * b.strides[2] + w * b.strides[3]);
                    s.sum += x;
                    s.size += fabs(x);
                    s.count += 1.;
                }
    return s;
}

/// A sum of squares, alpha/n, their product and k: count + 4 roundings.
static void normalize(const reference_t *r, int64_t index)
{
    const problem_t *const p = r->c->problem;
    const sums_t s = sums_of(r, index, square);
    const double w = p->k + r->factor * s.sum;
    const double w_error = UNIT * (s.count + 4.) * (fabs(p->k) + fabs(r->factor) * s.size);
    const double y = r->src[index] * pow(w, -p->beta);
    r->out[index] = y;
    r->out_slack[index] = fabs(y) * (UNIT * (POW_UNITS + 1.) + fabs(p->beta) * w_error / fabs(w));
    if (!r->workspace) return;
    r->workspace[index] = w;
    r->workspace_slack[index] = w_error;
}

static void differentiate(const reference_t *r, int64_t index)
{
    const problem_t *const p = r->c->problem;
    const sums_t s = sums_of(r, index, passed_on);
    const double own = r->diff_dst[index] * pow(r->given[index], -p->beta);
    const double others = 2. * r->factor * p->beta * r->src[index];
    r->out[index] = own - others * s.sum;
    r->out_slack[index] = UNIT * ((POW_UNITS + 2.) * fabs(own) +
                                         (POW_UNITS + 12. + s.count) * fabs(others) * s.size);
}

static void forward_range(void *context, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; ++i) normalize(context, i);
}

static void backward_range(void *context, int64_t begin, int64_t end)
{
    for (int64_t i = begin; i < end; ++i) differentiate(context, i);
}

static reference_t reference_of(const lrn_case_t *c, args_t *args, int out)
{
    const problem_t *const p = c->problem;
    const int naxes = c->is_across ? 1 : problem_nspatial(p);
    return (reference_t){.c = c,
            .args = args,
            .factor = p->alpha / pow((double)p->local_size, naxes),
            .src = args_data(args, PRIM_ARG_SRC),
            .out = args_data(args, out),
            .out_slack = args_slack(args, out)};
}

void lrn_reference(const lrn_case_t *c, args_t *args)
{
    reference_t r = reference_of(c, args, PRIM_ARG_DST);
    r.workspace = args_data(args, PRIM_ARG_WORKSPACE);
    if (r.workspace) r.workspace_slack = args_slack(args, PRIM_ARG_WORKSPACE);
    bench_parallel(args_find(args, PRIM_ARG_DST)->nelems, 256, forward_range, &r);
}

void lrn_backward_reference(const lrn_case_t *c, args_t *args)
{
    reference_t r = reference_of(c, args, PRIM_ARG_DIFF_SRC);
    r.diff_dst = args_data(args, PRIM_ARG_DIFF_DST);
    r.given = args_data(args, PRIM_ARG_WORKSPACE);
    bench_parallel(args_find(args, PRIM_ARG_DIFF_SRC)->nelems, 256, backward_range, &r);
}
