// SPDX-License-Identifier: Apache-2.0
#include "ref_lrn.h"

/// The first element of the window along dimension d, and the one behind its last.
static prim_dim_t begin_of(const lrn_window_t *w, prim_dim_t at)
{
    return at > w->half ? at - w->half : 0;
}

static prim_dim_t end_of(const lrn_window_t *w, prim_dim_t at, prim_dim_t n)
{
    return n - at > w->half ? at + w->half + 1 : n;
}

/// The next position of the window; false behind the last one.
static bool next_in_window(prim_dim_t *at, const lrn_window_t *w, const prim_memory_desc_t *md,
        const prim_dim_t *center)
{
    for (int d = w->first_dim + w->naxes - 1; d >= w->first_dim; --d) {
        if (++at[d] < end_of(w, center[d], md->dims[d])) return true;
        at[d] = begin_of(w, center[d]);
    }
    return false;
}

double prim__ref_lrn_sum(const lrn_window_t *window, const prim_memory_desc_t *md,
        const prim_dim_t *center, double (*term)(const prim_dim_t *position, const void *arg),
        const void *arg)
{
    prim_dims_t at;
    double sum = 0;
    for (int d = 0; d < md->ndims; ++d) at[d] = center[d];
    for (int a = 0; a < window->naxes; ++a)
        at[window->first_dim + a] = begin_of(window, center[window->first_dim + a]);
    do sum += term(at, arg);
    while (next_in_window(at, window, md, center));
    return sum;
}
