// SPDX-License-Identifier: Apache-2.0
// Transforms of Winograd's convolution F(TILE×TILE, 3×3) (Lavin and Gray, 2016, section 4): of weights, U =
// G·g·Gᵀ; of src patches, V = Bᵀ·d·B; of products M = Σ U·V over channels back to tiles of dst, Y = Aᵀ·M·A.
// In between, ocl_conv_igemm.cl computes a batch of (TILE + 2)² matrix products.
//
//   data           sizes and strides; channels count elements
//   wei, wei_off   [OC, IC, 3, 3] by strides, WEI_T
//   src, src_off   [N, IC, H, W] by strides, SRC_T
//   u, u_off       [(TILE + 2)²][IC][OC], f32
//   v, v_off       [(TILE + 2)²][IC][ntiles], or [ntiles][IC] if SRC_CHANNELS_RUN, f32
//   m, m_off       the same of OC, DST_CHANNELS_RUN
//   bia, bia_off   [OC], BIA_T, or null if !HAS_BIAS
//   dst, dst_off   [N, OC, H, W] by strides, DST_T
//   first, ntiles  the image that tile 0 lies in, tiles of all images of this pass, row by row
//   CONV_QUANT     scales and zero points of clh/conv.h
//   POST_OPS       any
// Grid: x ≥ OC·IC, IC·ntiles, OC·ntiles. Numerics: f32; doc/numerics.md has the error.
// -D: SRC, WEI, BIA, DST, HAS_BIAS, HAS_QUANT (prim__ocl_conv_options()), TILE 2 or 4,
// SRC_CHANNELS_RUN, DST_CHANNELS_RUN, those of clh/post_ops.h.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BIA_DT) || !defined(DST_DT)
#error "ocl_conv_winograd needs SRC, WEI, BIA, DST"
#endif
#if !defined(TILE) || !defined(SRC_CHANNELS_RUN) || !defined(DST_CHANNELS_RUN) || \
        !defined(HAS_BIAS)
#error "ocl_conv_winograd lacks an option"
#endif
#include "clh/conv_epilogue.h"
#include "clh/conv_winograd.h"
#include "clh/shared/conv_winograd_data.h"

// One dimension each: `to` and `from` have `step` elements between neighbours.
static inline void transform_weights(float *to, int to_step, const float *from, int step)
{
    const float a = from[0], b = from[step], c = from[2 * step];
#if TILE == 2
    to[0] = a;
    to[to_step] = 0.5f * (a + b + c);
    to[2 * to_step] = 0.5f * (a - b + c);
    to[3 * to_step] = c;
#else
    const float even = (a + c) * (-1.0f / 6), mixed = a * (1.0f / 24) + c * (1.0f / 6);
    to[0] = 0.25f * a;
    to[to_step] = even - b * (1.0f / 6);
    to[2 * to_step] = even + b * (1.0f / 6);
    to[3 * to_step] = mixed + b * (1.0f / 12);
    to[4 * to_step] = mixed - b * (1.0f / 12);
    to[5 * to_step] = c;
#endif
}

static inline void transform_product(float *to, int to_step, const float *x, int step)
{
#if TILE == 2
    const float b = x[step], c = x[2 * step];
    to[0] = x[0] + b + c;
    to[to_step] = b - c - x[3 * step];
#else
    const float p = x[step] + x[2 * step], q = x[step] - x[2 * step];
    const float r = x[3 * step] + x[4 * step], s = x[3 * step] - x[4 * step];
    to[0] = x[0] + p + r;
    to[to_step] = q + 2.0f * s;
    to[2 * to_step] = p + 4.0f * r;
    to[3 * to_step] = q + 8.0f * s + x[5 * step];
#endif
}

__kernel void conv_winograd_weights(__constant const ocl_conv_winograd_data_t *data, __global const WEI_T *wei,
        long wei_off, __global float *u, long u_off)
{
    const int i = (int)get_global_id(0), nelems = data->geo.oc * data->geo.ic;
    if (i >= nelems) return;
    const int c = i / data->geo.oc, o = i - c * data->geo.oc;
    float x[9], rows[PATCH * 3], y[PATCH * PATCH];
    wei_off += o * data->wei_o + c * data->wei_i;
#pragma unroll
    for (int k = 0; k < 9; ++k)
        x[k] = WEI_LOAD(wei, wei_off + k / 3 * data->wei_h + k % 3 * data->wei_w);
#pragma unroll
    for (int w = 0; w < 3; ++w) transform_weights(rows + w, 3, x + w, 3);
#pragma unroll
    for (int h = 0; h < PATCH; ++h) transform_weights(y + h * PATCH, 1, rows + h * 3, 1);
#pragma unroll
    for (int k = 0; k < PATCH * PATCH; ++k) u[u_off + (long)k * nelems + i] = y[k];
}

// Where the tile lies: its first row and column in dst, its image.
typedef struct {
    int n, h, w;
} place_t;

static inline place_t place_of(__constant const ocl_conv_winograd_data_t *data, int tile, int first)
{
    place_t place;
    const int row = tile / data->ntiles_w, image = row / data->ntiles_h;
    place.w = (tile - row * data->ntiles_w) * TILE;
    place.h = (row - image * data->ntiles_h) * TILE;
    place.n = first + image;
    return place;
}

__kernel void conv_winograd_src(__constant const ocl_conv_winograd_data_t *data, __global const SRC_T *src,
        long src_off, __global float *v, long v_off, int first, int ntiles)
{
    const int i = (int)get_global_id(0), nelems = data->geo.ic * ntiles;
    if (i >= nelems) return;
    const int inner = SRC_CHANNELS_RUN ? data->geo.ic : ntiles, outer_i = i / inner;
    const int inner_i = i - outer_i * inner;
    const place_t place = place_of(data, SRC_CHANNELS_RUN ? outer_i : inner_i, first);
    const int c = SRC_CHANNELS_RUN ? inner_i : outer_i;
    const int h0 = place.h - data->geo.pad[1], w0 = place.w - data->geo.pad[2];
    src_off += place.n * data->geo.src_n + c * data->geo.src_c + h0 * data->geo.src_s[1] +
               w0 * data->geo.src_s[2];
    put_source_patch(v + v_off + i, nelems, src, src_off, h0, w0, data->geo.in[1], data->geo.in[2],
            data->geo.src_s[1], data->geo.src_s[2]);
}

// Finishes and stores a row of a tile: the first n elements of TILE, from position pos on.
static inline void put_row(const conv_epilogue_t *epilogue,
        __constant const ocl_conv_winograd_data_t *data,
        const float *row, long *pos, int n, long off)
{
    float x[TILE];
    const long step = data->geo.dst_s[2];
#pragma unroll
    for (int w = 0; w < TILE; ++w) {
        if (w < n) x[w] = conv_finish(epilogue, row[w], pos, off + w * step);
        ++pos[3];
    }
#if TILE == 4 && !DST_CHANNELS_RUN
    if (n == TILE && step == 1) {
        conv_store4(epilogue->dst, off, vload4(0, x));
        return;
    }
#endif
#pragma unroll
    for (int w = 0; w < TILE; ++w) {
        if (w < n) DST_STORE(epilogue->dst, off + w * step, x[w]);
    }
}

__kernel void conv_winograd_dst(__constant const ocl_conv_winograd_data_t *data, __global const float *m,
        long m_off, __global const BIA_T *bia, long bia_off, __global DST_T *dst, long dst_off,
        int first, int ntiles CONV_QUANT_PARAMS POST_OPS_PARAMS)
{
    CONV_EPILOGUE_DECLARE(epilogue, &data->quant, bia + bia_off, dst);
    const int i = (int)get_global_id(0), nelems = data->geo.oc * ntiles;
    if (i >= nelems) return;
    const int inner = DST_CHANNELS_RUN ? data->geo.oc : ntiles, outer_i = i / inner;
    const int inner_i = i - outer_i * inner;
    const place_t place = place_of(data, DST_CHANNELS_RUN ? outer_i : inner_i, first);
    const int c = DST_CHANNELS_RUN ? inner_i : outer_i;
    float x[PATCH * PATCH], rows[TILE * PATCH], y[TILE * TILE];
#pragma unroll
    for (int k = 0; k < PATCH * PATCH; ++k) x[k] = m[m_off + (long)k * nelems + i];
#pragma unroll
    for (int w = 0; w < PATCH; ++w) transform_product(rows + w, PATCH, x + w, PATCH);
#pragma unroll
    for (int h = 0; h < TILE; ++h) transform_product(y + h * TILE, 1, rows + h * PATCH, 1);
    const int nh = min(TILE, data->geo.out[1] - place.h);
    const int nw = min(TILE, data->geo.out[2] - place.w);
    dst_off += place.n * data->geo.dst_n + c * data->geo.dst_c + place.h * data->geo.dst_s[1] +
               place.w * data->geo.dst_s[2];
#pragma unroll
    for (int h = 0; h < TILE; ++h) {
        long pos[4] = {place.n, c, place.h + h, place.w};
        if (h < nh)
            put_row(&epilogue, data, y + h * TILE, pos, nw, dst_off + h * data->geo.dst_s[1]);
    }
}
