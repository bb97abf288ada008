// SPDX-License-Identifier: Apache-2.0
// Sums without the padding, for elements of dst that became NaN with it.
#include "simd_conv_borders.h"

#include <math.h>
#include <string.h>

#include "common/data_type.h"
#include "simd_conv_padding.h"

bool prim__simd_conv_has_borders(const prim_desc_t *pd)
{
    conv_shape_t shape;
    prim__conv_shape(&shape, pd);
    return !prim__dt_is_integer(prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type) &&
           prim__simd_conv_has_padding(&shape);
}

void prim__simd_conv_borders_init(
        simd_conv_borders_t *borders, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    prim__conv_shape(&borders->shape, pd);
    borders->src = prim__simd_array(pd, ctx, PRIM_ARG_SRC);
    borders->wei = prim__simd_array(pd, ctx, PRIM_ARG_WEIGHTS);
    borders->wei_md = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    prim__conv_data_strides(borders->src_strides, prim__pd_md(pd, PRIM_ARG_SRC));
}

/// The taps of a spatial dimension that see src, and where the first tap would be.
typedef struct {
    prim_dim_t first, last, in;
} taps_t;

/// Whether some taps do not.
static bool find_taps(taps_t taps[CONV_NSPATIAL], const conv_shape_t *s, const prim_dim_t *position)
{
    bool is_border = false;
    for (int d = 0; d < CONV_NSPATIAL; ++d) {
        const int missing = CONV_NSPATIAL - s->nspatial;
        const prim_dim_t out = d < missing ? 0 : position[2 + d - missing];
        taps_t *const t = &taps[d];
        *t = (taps_t){0, s->kernel[d], out * s->stride[d] - s->pad[d]};
        while (t->first < t->last && t->in + t->first * s->dilation[d] < 0) ++t->first;
        while (t->first < t->last && t->in + (t->last - 1) * s->dilation[d] >= s->in[d]) --t->last;
        is_border = is_border || t->first > 0 || t->last < s->kernel[d];
    }
    return is_border;
}

/// Σ over the input channels under one tap; `src` is the offset of the first, `at` the place in the
/// weights.
static double sum_channels(const simd_conv_borders_t *b, prim_dim_t src, prim_dim_t *at, double sum)
{
    prim_dim_t *const channel = &at[b->shape.has_groups + 1];
    for (*channel = 0; *channel < b->shape.ic; ++*channel) {
        const prim_dim_t x = src + *channel * b->src_strides[1];
        sum += prim__load(b->src.base, b->src.dt, x) *
               prim__load(
                       b->wei.base, b->wei.dt, prim__md_offset(b->wei_md, at) - b->wei_md->offset0);
    }
    return sum;
}

static double sum_taps(
        const simd_conv_borders_t *b, const taps_t taps[CONV_NSPATIAL], const prim_dim_t *position)
{
    const conv_shape_t *const s = &b->shape;
    const prim_dim_t *const x = b->src_strides, group = position[1] / s->oc;
    prim_dims_t at = {0};
    if (s->has_groups) at[0] = group;
    at[s->has_groups] = position[1] % s->oc;
    prim_dim_t room[CONV_NSPATIAL] = {0}; // of the taps of dimensions that the weights lack
    prim_dim_t *place[CONV_NSPATIAL];
    for (int d = 0, missing = CONV_NSPATIAL - s->nspatial; d < CONV_NSPATIAL; ++d)
        place[d] = d < missing ? &room[d] : &at[s->has_groups + 2 + d - missing];
    const prim_dim_t origin = position[0] * x[0] + group * s->ic * x[1];
    double sum = 0;
    for (prim_dim_t d = taps[CONV_D].first; d < taps[CONV_D].last; ++d)
        for (prim_dim_t h = taps[CONV_H].first; h < taps[CONV_H].last; ++h)
            for (prim_dim_t w = taps[CONV_W].first; w < taps[CONV_W].last && !isnan(sum); ++w) {
                *place[CONV_D] = d, *place[CONV_H] = h, *place[CONV_W] = w;
                sum = sum_channels(b,
                        origin + (taps[CONV_D].in + d * s->dilation[CONV_D]) * x[2] +
                                (taps[CONV_H].in + h * s->dilation[CONV_H]) * x[3] +
                                (taps[CONV_W].in + w * s->dilation[CONV_W]) * x[4],
                        at, sum);
            }
    return sum;
}

/// The next channel, or the next pixel of the plane.
static void advance(const simd_conv_borders_t *b, prim_dim_t *position, int dim)
{
    ++position[dim];
    if (dim == 1) return;
    const int missing = CONV_NSPATIAL - b->shape.nspatial;
    for (; dim > 2 && position[dim] == b->shape.out[dim - 2 + missing]; --dim) {
        position[dim] = 0;
        ++position[dim - 1];
    }
}

void prim__simd_conv_borders_mend(const simd_conv_borders_t *borders, float *row,
        const prim_dim_t *position, int dim, prim_dim_t n)
{
    prim_dims_t at;
    memcpy(at, position, sizeof at);
    for (prim_dim_t i = 0; i < n; ++i, advance(borders, at, dim)) {
        taps_t taps[CONV_NSPATIAL];
        if (isnan(row[i]) && find_taps(taps, &borders->shape, at))
            row[i] = (float)sum_taps(borders, taps, at);
    }
}
