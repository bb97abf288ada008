// SPDX-License-Identifier: Apache-2.0
// The gradients of inner product on the CPU, in double for any type and layout.
#include "ref_ip.h"

#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "ref_finish.h"
#include "ref_row.h"
#include "ref_tensor.h"

int prim__ref_ip_row_dim(const prim_memory_desc_t *src, const prim_memory_desc_t *wei)
{
    int best = -1;
    prim_dim_t least = 0;
    for (int d = 1; d < src->ndims; ++d) {
        if (prim__md_is_cut(src, d) || prim__md_is_cut(wei, d) || src->dims[d] == 1) continue;
        const prim_dim_t stride = src->strides[d] + wei->strides[d];
        if (best >= 0 && stride >= least) continue;
        best = d;
        least = stride;
    }
    return best;
}

typedef struct {
    ref_tensor_t diff_dst, in, out;
    int dim;    ///< the one that rows run along; −1: a row is one element
    int summed; ///< the dimension of diff_dst that is summed over
} gradient_t;

static void gradient_row(const prim_dim_t *position, prim_dim_t n, void *arg)
{
    const gradient_t *const g = arg;
    const prim_memory_desc_t *const in = g->in.md, *const out = g->out.md;
    double sums[REF_ROW_ELEMS] = {0}, row[REF_ROW_ELEMS];
    prim_dims_t at, coefficient;
    memcpy(at, position, sizeof at);
    coefficient[1 - g->summed] = position[0];
    for (prim_dim_t b = 0; b < in->dims[0]; ++b) {
        at[0] = coefficient[g->summed] = b;
        const double factor = prim__ref_load(&g->diff_dst, coefficient);
        prim__ref_load_at(row, g->in.data, in, at, g->dim, n);
        for (prim_dim_t i = 0; i < n; ++i) sums[i] += factor * row[i];
    }
    prim__ref_store_at(sums, g->out.data, out, position, g->dim, n);
}

prim_status_t prim__ref_ip_gradient(const prim_desc_t *pd, const exec_ctx_t *ctx, int in, int out)
{
    gradient_t g = {.diff_dst = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_DST),
            .in = prim__ref_tensor(pd, ctx, in),
            .out = prim__ref_tensor(pd, ctx, out),
            .summed = out == PRIM_ARG_DIFF_SRC ? 1 : 0};
    g.dim = prim__ref_ip_row_dim(g.in.md, g.out.md);
    prim__ref_for_each_row(g.out.md, g.dim, gradient_row, &g);
    prim__ref_clear_padding(g.out.data, g.out.md);
    return PRIM_SUCCESS;
}

/// Output channels that a thread sums up side by side.
enum { CHANNELS = 64 };

/// diff_dst and diff_bias of `gradient_t`.
static void sum_channels(prim_dim_t block, void *arg)
{
    const gradient_t *const g = arg;
    const prim_memory_desc_t *const diff = g->diff_dst.md, *const out = g->out.md;
    const prim_dim_t width = prim__md_is_cut(diff, 1) ? 1 : CHANNELS, first = block * CHANNELS;
    double sums[CHANNELS] = {0}, row[CHANNELS];
    const prim_dim_t left = out->dims[0] - first, nchannels = left < CHANNELS ? left : CHANNELS;
    for (prim_dim_t n = 0; n < diff->dims[0]; ++n)
        for (prim_dim_t c = 0; c < nchannels; c += width) {
            const prim_dim_t at[] = {n, first + c}, length = width == 1 ? 1 : nchannels;
            prim__ref_load_row(row, g->diff_dst.data, diff->data_type, prim__md_offset(diff, at),
                    diff->strides[1], length);
            for (prim_dim_t i = 0; i < length; ++i) sums[c + i] += row[i];
        }
    for (prim_dim_t c = 0; c < nchannels; ++c) {
        const prim_dim_t at = first + c;
        prim__store(g->out.data, out->data_type, prim__md_offset(out, &at), sums[c]);
    }
}

prim_status_t prim__ref_ip_bias_gradient(const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    if (!prim__pd_has(pd, PRIM_ARG_DIFF_BIAS)) return PRIM_SUCCESS;
    gradient_t g = {.diff_dst = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_DST),
            .out = prim__ref_tensor(pd, ctx, PRIM_ARG_DIFF_BIAS)};
    prim__parallel_for(prim__ceil_div(g.out.md->dims[0], CHANNELS), sum_channels, &g);
    prim__ref_clear_padding(g.out.data, g.out.md);
    return PRIM_SUCCESS;
}
