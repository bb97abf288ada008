// SPDX-License-Identifier: Apache-2.0
// Inference of what a field descriptor leaves out: sizes, padding, rank, cube and square shorthand.
#include "bench_problem.h"
#include "bench_text.h"

static const char letters[BENCH_NSPATIAL] = {'d', 'h', 'w'};

/// Strides, padding and dilation alone do not make an axis: they have to repeat those of the axis
/// that the letter is copied from (copies_agree).
static bool axis_is_absent(const problem_t *p, int a)
{
    return !p->in[a] && !p->kernel[a] && !p->out[a];
}

/// The reach of the kernel and the way of the window stay where doubles and int64_t are exact.
static bool window_is_countable(const problem_t *p, int a, bool is_transposed)
{
    const int64_t windows = is_transposed ? p->in[a] : p->out[a];
    return (double)p->kernel[a] * ((double)p->dilation[a] + 1.) < 0x1p53 &&
           (double)windows * (double)p->stride[a] < 0x1p53;
}

/// The elements of a dilated kernel from its first tap to its last.
static int64_t reach_of(const problem_t *p, int a)
{
    return (p->kernel[a] - 1) * (p->dilation[a] + 1) + 1;
}

/// Elements that the windows reach beyond the tensor they lie on, at both ends together: src, where
/// dst has one for each element, or the other way round.
static int64_t both_paddings(const problem_t *p, int a, bool is_transposed)
{
    const int64_t on = is_transposed ? p->out[a] : p->in[a];
    const int64_t windows = is_transposed ? p->in[a] : p->out[a];
    return (windows - 1) * p->stride[a] - on + reach_of(p, a);
}

static int64_t deduced_out(const problem_t *p, int a, bool is_transposed)
{
    if (is_transposed) return (p->in[a] - 1) * p->stride[a] + reach_of(p, a) - 2 * p->pad[a];
    return (p->in[a] - reach_of(p, a) + 2 * p->pad[a]) / p->stride[a] + 1;
}

/// One spatial letter of convolution, deconvolution and pooling; sizes are in elements. Integer
/// division truncates toward zero.
static bool complete_window(problem_t *p, int a, const char *op, bool is_transposed)
{
    const char c = letters[a];
    if (axis_is_absent(p, a)) return true;
    if (p->in[a] <= 0 || p->kernel[a] <= 0)
        return problem_error("%s: i%c and k%c have to be given, and positive", op, c, c);
    if (p->stride[a] <= 0) return problem_error("%s: s%c has to be positive", op, c);
    if (!window_is_countable(p, a, is_transposed))
        return problem_error("%s: k%c, d%c, s%c and %c%c are too large together", op, c, c, c,
                is_transposed ? 'i' : 'o', c);
    if (!p->out[a]) {
        if (p->pad[a] < 0) p->pad[a] = 0;
        p->out[a] = deduced_out(p, a, is_transposed);
        if (p->out[a] <= 0)
            return problem_error("%s: o%c comes out as %lld", op, c, (long long)p->out[a]);
    } else if (p->pad[a] < 0) {
        p->pad[a] = both_paddings(p, a, is_transposed) / 2;
    }
    return true;
}

static void copy_axis(problem_t *p, int from, int to)
{
    p->in[to] = p->in[from];
    p->out[to] = p->out[from];
    p->kernel[to] = p->kernel[from];
    p->stride[to] = p->stride[from];
    p->pad[to] = p->pad[from];
    p->dilation[to] = p->dilation[from];
}

/// What an absent axis was given all the same is that of the axis it is copied from.
static bool copy_agrees(const problem_t *p, int from, int to, const char *op)
{
    if ((p->stride[to] == 1 || p->stride[to] == p->stride[from]) &&
            (p->pad[to] < 1 || p->pad[to] == p->pad[from]) &&
            (p->dilation[to] == 0 || p->dilation[to] == p->dilation[from]))
        return true;
    const char f = letters[from], t = letters[to];
    return problem_error(
            "%s: i%c is not given, so s%c, p%c and d%c have to be those of %c", op, t, t, t, t, f);
}

/// An axis without sizes that follows no other: nothing moves along it.
static bool is_unmoved(const problem_t *p, int a, const char *op)
{
    const char c = letters[a];
    return (p->stride[a] <= 1 && p->pad[a] < 1) ||
           problem_error("%s: s%c and p%c need i%c and k%c", op, c, c, c, c);
}

static void clear_axis(problem_t *p, int a)
{
    p->in[a] = p->out[a] = p->kernel[a] = p->stride[a] = 1;
    p->pad[a] = p->pad_back[a] = p->dilation[a] = 0;
}

/// Fixes the rank by the sizes in `side` and fills the axes that follow from others.
static bool settle_rank(problem_t *p, const int64_t side[BENCH_NSPATIAL], const char *op)
{
    const bool has[BENCH_NSPATIAL] = {side[AXIS_D] > 0, side[AXIS_H] > 0, side[AXIS_W] > 0};
    p->ndims = has[AXIS_D] ? 5 : has[AXIS_H] ? 4 : has[AXIS_W] ? 3 : 2;
    if (has[AXIS_D] && has[AXIS_H] != has[AXIS_W])
        return problem_error("%s: with a depth, give both height and width or neither", op);
    const int first = BENCH_NSPATIAL - problem_nspatial(p);
    for (int a = 0; a < first; ++a) {
        if (!is_unmoved(p, a, op)) return false;
        clear_axis(p, a);
    }
    for (int a = first + 1; a < BENCH_NSPATIAL; ++a) {
        if (has[a]) continue;
        if (!copy_agrees(p, first, a, op)) return false;
        copy_axis(p, first, a);
    }
    return true;
}

static bool channels_are_given(const problem_t *p, const char *op)
{
    return p->ic > 0 || problem_error("%s: ic has to be given, and positive", op);
}

static bool complete_windows(problem_t *problem, const char *name_of_op, bool is_transposed)
{
    if (!channels_are_given(problem, name_of_op)) return false;
    for (int a = 0; a < BENCH_NSPATIAL; ++a)
        if (!complete_window(problem, a, name_of_op, is_transposed)) return false;
    if (!settle_rank(problem, problem->out, name_of_op)) return false;
    if (problem->ndims < 3) return problem_error("%s: spatial sizes have to be given", name_of_op);
    for (int a = 0; a < BENCH_NSPATIAL; ++a)
        problem->pad_back[a] = both_paddings(problem, a, is_transposed) - problem->pad[a];
    return true;
}

bool problem_complete_windows(problem_t *problem, const char *name_of_op)
{
    return complete_windows(problem, name_of_op, false);
}

bool problem_complete_transposed_windows(problem_t *problem, const char *name_of_op)
{
    return complete_windows(problem, name_of_op, true);
}

bool problem_complete_input(problem_t *problem)
{
    if (!channels_are_given(problem, "descriptor")) return false;
    return settle_rank(problem, problem->in, "descriptor");
}

bool problem_complete_resize(problem_t *problem)
{
    if (!channels_are_given(problem, "descriptor")) return false;
    for (int a = 0; a < BENCH_NSPATIAL; ++a)
        if ((problem->in[a] > 0) != (problem->out[a] > 0))
            return problem_error(
                    "descriptor: give both i%c and o%c or neither", letters[a], letters[a]);
    if (!settle_rank(problem, problem->out, "descriptor")) return false;
    return problem->ndims > 2 || problem_error("descriptor: spatial sizes have to be given");
}

int problem_nspatial(const problem_t *problem)
{
    return problem->ndims - 2;
}

void problem_spatial(
        const problem_t *problem, const int64_t triple[BENCH_NSPATIAL], prim_dim_t *dims)
{
    const int n = problem_nspatial(problem);
    for (int d = 0; d < n; ++d) dims[d] = triple[BENCH_NSPATIAL - n + d];
}

int problem_tensor_dims(const problem_t *problem, int64_t first, int64_t second,
        const int64_t triple[BENCH_NSPATIAL], prim_dims_t dims)
{
    dims[0] = first;
    dims[1] = second;
    problem_spatial(problem, triple, dims + 2);
    return problem->ndims;
}
