// SPDX-License-Identifier: Apache-2.0
// Transforms of the gradient of a 3×3 convolution's weights by Winograd's algorithm, the adjoint of F(TILE×TILE, 3×3)
// (Lavin and Gray, 2016, section 4): of src patches, V = Bᵀ·d·B; of tiles of diff_dst, W = A·y·Aᵀ; of products P = Σ W·V
// over tiles back to the weights, Gᵀ·P·G. In between, a matmul computes a batch of (TILE + 2)² products.
//
//   data           sizes and strides
//   src, src_off   [N, IC, H, W] by strides, SRC_T
//   dst, dst_off   diff_dst: [N, OC, H, W] by strides, DST_T
//   v, v_off       [(TILE + 2)²][IC][ntiles], or [ntiles][IC] if SRC_CHANNELS_RUN, f32
//   w, w_off       the same of OC, DST_CHANNELS_RUN
//   p, p_off       [(TILE + 2)²][OC][IC], f32
//   wei, wei_off   diff_weights: [OC, IC, 3, 3] by strides, WEI_T
// Grid: x ≥ IC·ntiles, OC·ntiles, OC·IC. Numerics: f32; doc/numerics.md has the error.
// -D: SRC, DST, WEI (prim__ocl_options_type()), TILE 2 or 4, SRC_CHANNELS_RUN, DST_CHANNELS_RUN.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(DST_DT)
#error "ocl_conv_backward_weights_winograd needs SRC, WEI, DST"
#endif
#if !defined(TILE) || !defined(SRC_CHANNELS_RUN) || !defined(DST_CHANNELS_RUN)
#error "ocl_conv_backward_weights_winograd lacks an option"
#endif

#include "clh/io.h"

#include "clh/conv_winograd.h"
#include "clh/shared/conv_backward_weights_winograd_data.h"

#define NPOINTS (PATCH * PATCH)

// A in one dimension: TILE elements of diff_dst, `step` apart, to PATCH, `to_step` apart.
static inline void transform_gradient(float *to, int to_step, const float *y, int step)
{
    const float a = y[0], b = y[step];
#if TILE == 2
    to[0] = a;
    to[to_step] = a + b;
    to[2 * to_step] = a - b;
    to[3 * to_step] = -b;
#else
    const float c = y[2 * step], d = y[3 * step];
    const float p = a + c, q = b + d, r = a + 4.0f * c, s = 2.0f * b + 8.0f * d;
    to[0] = a;
    to[to_step] = p + q;
    to[2 * to_step] = p - q;
    to[3 * to_step] = r + s;
    to[4 * to_step] = r - s;
    to[5 * to_step] = d;
#endif
}

// Gᵀ in one dimension: PATCH sums, `step` apart, to three weights, `to_step` apart.
static inline void transform_sums(float *to, int to_step, const float *x, int step)
{
    const float p = x[step] + x[2 * step], q = x[step] - x[2 * step];
#if TILE == 2
    to[0] = x[0] + 0.5f * p;
    to[to_step] = 0.5f * q;
    to[2 * to_step] = 0.5f * p + x[3 * step];
#else
    const float r = x[3 * step] + x[4 * step], s = x[3 * step] - x[4 * step];
    to[0] = 0.25f * x[0] - p * (1.0f / 6) + r * (1.0f / 24);
    to[to_step] = s * (1.0f / 12) - q * (1.0f / 6);
    to[2 * to_step] = (r - p) * (1.0f / 6) + x[5 * step];
#endif
}

// What a work-item transforms: channel c of a tile; where the tile lies in diff_dst, its image.
typedef struct {
    int c, n, h, w;
} place_t;

static inline place_t place_of(__constant const ocl_conv_backward_weights_winograd_data_t *data, int item,
        int nchannels, const bool channels_run)
{
    const int inner = channels_run ? nchannels : data->ntiles, outer_i = item / inner;
    const int inner_i = item - outer_i * inner, tile = channels_run ? outer_i : inner_i;
    const int row = tile / data->ntiles_w, image = row / data->ntiles_h;
    return (place_t){channels_run ? inner_i : outer_i, image, (row - image * data->ntiles_h) * TILE,
            (tile - row * data->ntiles_w) * TILE};
}

__kernel void conv_backward_weights_winograd_src(
        __constant const ocl_conv_backward_weights_winograd_data_t *data, __global const SRC_T *src, long src_off,
        __global float *v, long v_off)
{
    const int i = (int)get_global_id(0), nelems = data->ic * data->ntiles;
    if (i >= nelems) return;
    const place_t at = place_of(data, i, data->ic, SRC_CHANNELS_RUN);
    const int h0 = at.h - data->sizes.pad[1], w0 = at.w - data->sizes.pad[2];
    const long h_step = data->sizes.src_s[1], w_step = data->sizes.src_s[2];
    src_off += (long)at.n * data->sizes.src_n + (long)at.c * data->sizes.src_c + h0 * h_step + w0 * w_step;
    put_source_patch(v + v_off + i, nelems, src, src_off, h0, w0, data->sizes.in[1], data->sizes.in[2], h_step, w_step);
}

__kernel void conv_backward_weights_winograd_dst(
        __constant const ocl_conv_backward_weights_winograd_data_t *data, __global const DST_T *dst, long dst_off,
        __global float *w, long w_off)
{
    const int i = (int)get_global_id(0), nelems = data->oc * data->ntiles;
    if (i >= nelems) return;
    const place_t at = place_of(data, i, data->oc, DST_CHANNELS_RUN);
    const long h_step = data->sizes.dst_s[1], w_step = data->sizes.dst_s[2];
    float y[TILE * TILE], rows[PATCH * TILE], x[NPOINTS];
    dst_off += (long)at.n * data->sizes.dst_n + (long)at.c * data->sizes.dst_c + at.h * h_step + at.w * w_step;
#pragma unroll
    for (int r = 0; r < TILE; ++r) {
#pragma unroll
        for (int c = 0; c < TILE; ++c)
            y[r * TILE + c] = at.h + r < data->height && at.w + c < data->width
                                      ? DST_LOAD(dst, dst_off + r * h_step + c * w_step)
                                      : 0.0f;
    }
#pragma unroll
    for (int c = 0; c < TILE; ++c) transform_gradient(rows + c, TILE, y + c, TILE);
#pragma unroll
    for (int r = 0; r < PATCH; ++r) transform_gradient(x + r * PATCH, 1, rows + r * TILE, 1);
#pragma unroll
    for (int k = 0; k < NPOINTS; ++k) w[w_off + (long)k * nelems + i] = x[k];
}

__kernel void conv_backward_weights_winograd_sums(
        __constant const ocl_conv_backward_weights_winograd_data_t *data, __global const float *p, long p_off,
        __global WEI_T *wei, long wei_off)
{
    const int i = (int)get_global_id(0), nelems = data->oc * data->ic;
    if (i >= nelems) return;
    const int o = i / data->ic, c = i - o * data->ic;
    float x[NPOINTS], rows[3 * PATCH], y[9];
#pragma unroll
    for (int k = 0; k < NPOINTS; ++k) x[k] = p[p_off + (long)k * nelems + i];
#pragma unroll
    for (int w = 0; w < PATCH; ++w) transform_sums(rows + w, PATCH, x + w, PATCH);
#pragma unroll
    for (int h = 0; h < 3; ++h) transform_sums(y + h * 3, 1, rows + h * PATCH, 1);
    wei_off += o * data->sizes.wei_o + c * data->sizes.wei_i;
#pragma unroll
    for (int k = 0; k < 9; ++k)
        WEI_STORE(wei, wei_off + k / 3 * data->sizes.wei_s[1] + k % 3 * data->sizes.wei_s[2], y[k]);
}
