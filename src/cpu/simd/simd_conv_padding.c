// SPDX-License-Identifier: Apache-2.0
// Sums without the padding, for gradients that became NaN with it.
#include "simd_conv_padding.h"

#include <math.h>

#include "common/data_type.h"

bool prim__simd_conv_has_padding(const conv_shape_t *shape)
{
    for (int d = 0; d < CONV_NSPATIAL; ++d) {
        for (prim_dim_t k = 0; k < shape->kernel[d]; ++k) {
            prim_dim_t first, last;
            prim__conv_valid_range(shape, d, k, &first, &last);
            if (first > 0 || last < shape->out[d]) return true;
        }
    }
    return false;
}

void prim__simd_conv_padding_init(
        simd_conv_padding_t *padding, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    prim__conv_shape(&padding->shape, pd);
    padding->src = prim__simd_array(pd, ctx, PRIM_ARG_SRC);
    padding->diff_dst = prim__simd_array(pd, ctx, PRIM_ARG_DIFF_DST);
    prim__conv_data_strides(padding->src_strides, prim__pd_md(pd, PRIM_ARG_SRC));
    prim__conv_data_strides(padding->diff_dst_strides, prim__pd_md(pd, PRIM_ARG_DIFF_DST));
}

/// The pixels of dst that a tap shows something of src, and how far src is ahead.
typedef struct {
    prim_dim_t first[CONV_NSPATIAL], last[CONV_NSPATIAL], shift[CONV_NSPATIAL];
} window_t;

static void find_window(window_t *window, const conv_shape_t *s, prim_dim_t tap)
{
    for (int d = CONV_W; d >= CONV_D; --d) {
        const prim_dim_t k = tap % s->kernel[d];
        tap /= s->kernel[d];
        prim__conv_valid_range(s, d, k, &window->first[d], &window->last[d]);
        window->shift[d] = k * s->dilation[d] - s->pad[d];
    }
}

/// Adds a row of pixels; `src` and `diff_dst` are the offsets of the rows.
static double add_row(const simd_conv_padding_t *p, const window_t *window, prim_dim_t src,
        prim_dim_t diff_dst, double sum)
{
    const prim_dim_t step = p->shape.stride[CONV_W], shift = window->shift[CONV_W];
    for (prim_dim_t w = window->first[CONV_W]; w < window->last[CONV_W]; ++w)
        sum += prim__load(p->src.base, p->src.dt, src + (w * step + shift) * p->src_strides[4]) *
               prim__load(p->diff_dst.base, p->diff_dst.dt, diff_dst + w * p->diff_dst_strides[4]);
    return sum;
}

/// All images; a sum that is NaN stays so. `src` and `diff_dst` are the offsets of the channels.
static double sum_pixels(
        const simd_conv_padding_t *p, const window_t *window, prim_dim_t src, prim_dim_t diff_dst)
{
    const conv_shape_t *const s = &p->shape;
    const prim_dim_t *const x = p->src_strides, *const y = p->diff_dst_strides;
    double sum = 0;
    for (prim_dim_t n = 0; n < s->mb; ++n) {
        for (prim_dim_t d = window->first[CONV_D]; d < window->last[CONV_D]; ++d) {
            const prim_dim_t id = d * s->stride[CONV_D] + window->shift[CONV_D];
            for (prim_dim_t h = window->first[CONV_H]; h < window->last[CONV_H]; ++h) {
                const prim_dim_t ih = h * s->stride[CONV_H] + window->shift[CONV_H];
                sum = add_row(p, window, src + n * x[0] + id * x[2] + ih * x[3],
                        diff_dst + n * y[0] + d * y[2] + h * y[3], sum);
                if (isnan(sum)) return sum;
            }
        }
    }
    return sum;
}

void prim__simd_conv_padding_mend(const simd_conv_padding_t *padding, prim_dim_t channel,
        prim_dim_t tap, prim_dim_t ic0, float *row, prim_dim_t n)
{
    const conv_shape_t *const s = &padding->shape;
    bool has_nan = false;
    for (prim_dim_t i = 0; i < n; ++i) has_nan = has_nan || isnan(row[i]);
    if (!has_nan) return;
    window_t window;
    find_window(&window, s, tap);
    const prim_dim_t first = channel / s->oc * s->ic + ic0;
    for (prim_dim_t i = 0; i < n; ++i)
        if (isnan(row[i]))
            row[i] = (float)sum_pixels(padding, &window, (first + i) * padding->src_strides[1],
                    channel * padding->diff_dst_strides[1]);
}
