// SPDX-License-Identifier: Apache-2.0
// Problems of reduction.
#include "problem_gen.h"

/// Appends the shape of dst, with the dimensions of `kept` (a bit each), or none where nothing
/// would be reduced.
static void put_dst(draw_t *d, int ndims, const int *dims, unsigned kept)
{
    bool reduces = false;
    for (int i = 0; i < ndims; ++i) reduces = reduces || (!(kept >> i & 1) && dims[i] != 1);
    for (int i = 0; i < ndims; ++i)
        put(d, "%s%d", i ? "x" : ":", reduces && kept >> i & 1 ? dims[i] : 1);
}

/// Types, algorithm and layouts; returns the type of dst.
static const char *put_options(draw_t *d, int ndims)
{
    static const char *const algs[] = {"sum", "sum", "mean", "max", "min", "mul"};
    static const char *const norms[] = {
            "norm_lp_max", "norm_lp_sum", "norm_lp_power_p_max", "norm_lp_power_p_sum"};
    static const char *const powers[] = {"1", "2", "3"};
    const char *const from = draw_type(d), *const to = once_in(d, 2) ? from : draw_type(d);
    set(d, "sdt", from);
    set(d, "ddt", to);
    if (once_in(d, 4) && !is_integer_type(from)) {
        set(d, "alg", PICK(d, norms));
        set(d, "p", PICK(d, powers));
        set(d, "eps", once_in(d, 2) ? "0.25" : "0");
    } else {
        set(d, "alg", PICK(d, algs));
    }
    set(d, "stag", layout(d, ndims));
    if (once_in(d, 3)) set(d, "dtag", layout(d, ndims));
    return to;
}

/// Any set of dimensions.
static void family_reduction(draw_t *d)
{
    const int ndims = rank(d, 1, PRIM_MAX_NDIMS);
    const char *const to = put_options(d, ndims);
    const unsigned kept = pick(d, 1U << ndims);
    note(d, "last=%s", kept >> (ndims - 1) & 1 ? "kept" : "reduced");
    draw_chain(d, allowed_steps(d), to, ndims);
    int dims[PRIM_MAX_NDIMS];
    put_dims(d, ndims, dims);
    put_dst(d, ndims, dims, kept);
}

const generator_t reduction_generator = {
        "reduction", PRIM_REDUCTION, {family_reduction}, .image = NULL};
