// SPDX-License-Identifier: Apache-2.0
// Gradients of batch normalisation, contiguous NHWC. Pass 1 sums channels over src and diff_dst from front to back;
// pass 2 computes diff_src from back to front, because the ends of both are then still in the cache.
//
//   BNORM_BACKWARD_INPUTS  [N·data->spatial, C]; see clh/bnorm_backward.h
//   mean                   [C] f32
//   partials               [data->nchunks, C] float2: Σ y and Σ y·(src − mean) of a work-group's positions
//   parts                  [4, C] f32 from bnorm_backward_finish
//   BNORM_BACKWARD_OUTPUTS contiguous NHWC
// A block is data->block vectors: as many positions as a work-group covers at once.
// bnorm_backward_nhwc_sums: grid of data->nchunks work-groups of GROUP_ITEMS ≥ data->nvecs work-items; work-group g
// takes tiles g, g + nchunks, … of AT_ONCE blocks.
// bnorm_backward_nhwc_apply: a tile of AT_ONCE blocks per work-group of GROUP_ITEMS work-items.
// Numerics: f32; partial sums per work-item, then a tree over the positions of a work-group.
// -D: GROUP_ITEMS; those of clh/bnorm_backward.h.
#if !defined(GROUP_ITEMS)
#error "ocl_bnorm_backward_nhwc_two_pass needs GROUP_ITEMS"
#endif

#include "clh/always_inline.h"
#include "clh/bnorm_backward.h"
#include "clh/norm_gradient.h"
#include "clh/nv/nv_global.h"

#define STORED(name) src_##name
#define STORED_PREFIX(suffix) SRC##suffix
#include "clh/stored_vec.inc"
#define STORED(name) diff_dst_##name
#define STORED_PREFIX(suffix) DIFF_DST##suffix
#include "clh/stored_vec.inc"
#define STORED(name) diff_src_##name
#define STORED_PREFIX(suffix) DIFF_SRC##suffix
#include "clh/stored_vec.inc"
#define STORED(name) ws_##name
#define STORED_PREFIX(suffix) WS##suffix
#include "clh/stored_vec.inc"

// AT_ONCE vectors of src, diff_dst and the workspace.
typedef struct {
    src_vec_t x[AT_ONCE];
    diff_dst_vec_t y[AT_ONCE];
#if WITH_RELU
    ws_vec_t mask[AT_ONCE];
#endif
} tile_t;

// Those `block` vectors apart, from the one that begins at element i on; all are aligned, and loaded before this returns.
ALWAYS_INLINE void load_tile(tile_t *t, __global const SRC_T *src, __global const DIFF_DST_T *diff_dst,
        __global const WS_T *ws, long i, int block)
{
    const uint zero = (uint)block >> 31;
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
        const long at = i + (long)k * block * VEC;
        t->x[k] = src_vec_at(src, at);
        t->y[k] = diff_dst_vec_at(diff_dst, at);
#if WITH_RELU
        t->mask[k] = ws_vec_at(ws, at);
#endif
    }
    src_join(t->x, AT_ONCE, zero);
    diff_dst_join(t->y, AT_ONCE, zero);
#if WITH_RELU
    ws_join(t->mask, AT_ONCE, zero);
#endif
}

static inline floatv tile_gradients(const tile_t *t, int k)
{
    floatv y = diff_dst_floats(t->y[k]);
#if WITH_RELU
    y = select((floatv)(0.0f), y, ws_floats(t->mask[k]) != 0.0f);
#endif
    return y;
}

// The sums of rows of work-items that are nvecs apart, for the first nvecs work-items.
static inline void add_rows(floatv *sums, floatv *products, int nrows, int nvecs, __local float *scratch)
{
    const int id = (int)get_local_id(0), row = id / nvecs;
    __local float *own = scratch + 2 * id * VEC;
    int half_rows = 1;
    while (2 * half_rows < nrows) half_rows *= 2;
    vstorev(*sums, own);
    vstorev(*products, own + VEC);
    for (; half_rows > 0; half_rows /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (row < half_rows && row + half_rows < nrows) {
            __local const float *other = own + 2 * half_rows * nvecs * VEC;
            *sums += vloadv(other);
            *products += vloadv(other + VEC);
            vstorev(*sums, own);
            vstorev(*products, own + VEC);
        }
    }
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void bnorm_backward_nhwc_sums(
        BNORM_BACKWARD_INPUTS, __global const float *mean, long mean_off,
        __global float2 *partials, long partials_off)
{
    __local float scratch[2 * GROUP_ITEMS * VEC];
    const int id = (int)get_local_id(0), nvecs = data->nvecs, block = data->block;
    const int nvectors = data->batch * data->spatial * nvecs, tile = AT_ONCE * block;
    floatv sums = (floatv)(0.0f), products = (floatv)(0.0f);
    src += src_off;
    diff_dst += diff_dst_off;
    ws += ws_off;
    const bool is_aligned = ARE_ALIGNED(SRC_T, VEC, src, 0) && ARE_ALIGNED(DIFF_DST_T, VEC, diff_dst, 0) &&
            ARE_ALIGNED(WS_T, VEC, ws, 0);
    if (id < block) {
        const floatv centre = vloadv(mean + mean_off + id % nvecs * VEC);
        for (int first = (int)get_group_id(0) * tile; first < nvectors; first += data->nchunks * tile) {
            if (is_aligned && first + tile <= nvectors) {
                tile_t t;
                load_tile(&t, src, diff_dst, ws, (long)(first + id) * VEC, block);
#pragma unroll
                for (int k = 0; k < AT_ONCE; ++k) {
                    const floatv y = tile_gradients(&t, k);
                    sums += y;
                    products += y * (src_floats(t.x[k]) - centre);
                }
                continue;
            }
#pragma unroll 1
            for (int v = first + id; v < min(first + tile, nvectors); v += block) {
                const long i = (long)v * VEC;
                const floatv y = gradients_at(diff_dst, ws, i, i);
                sums += y;
                products += y * (SRC_LOADV(src, i) - centre);
            }
        }
    }
    add_rows(&sums, &products, block / nvecs, nvecs, scratch);
    if (id >= nvecs) return;
    float sum[VEC], product[VEC];
    vstorev(sums, sum);
    vstorev(products, product);
    partials += partials_off + (long)get_group_id(0) * data->src.channels + id * VEC;
    for (int k = 0; k < VEC; ++k) partials[k] = (float2)(sum[k], product[k]);
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void bnorm_backward_nhwc_apply(
        BNORM_BACKWARD_INPUTS, __global const float *parts, long parts_off, BNORM_BACKWARD_OUTPUTS)
{
    const int id = (int)get_local_id(0), nvecs = data->nvecs, block = data->block;
    const int nvectors = data->batch * data->spatial * nvecs, channels = data->src.channels;
    if (id >= block) return;
    src += src_off;
    diff_dst += diff_dst_off;
    ws += ws_off;
    diff_src += diff_src_off;
#if WITH_ADDEND
    diff_src1 += diff_src1_off;
#endif
    const bool is_aligned = ARE_ALIGNED(SRC_T, VEC, src, 0) && ARE_ALIGNED(DIFF_DST_T, VEC, diff_dst, 0) &&
            ARE_ALIGNED(DIFF_SRC_T, VEC, diff_src, 0) && ARE_ALIGNED(WS_T, VEC, ws, 0);
    parts += parts_off + id % nvecs * VEC;
    const norm_gradient_t g = {vloadv(parts), vloadv(parts + channels), vloadv(parts + 2L * channels),
            vloadv(parts + 3L * channels)};
    const int first = ((int)get_num_groups(0) - 1 - (int)get_group_id(0)) * AT_ONCE * block;
    if (is_aligned && first + AT_ONCE * block <= nvectors) {
        // diff_src may be diff_dst: what is loaded ahead of a store is this work-item's own.
        tile_t t;
        const long i = (long)(first + id) * VEC;
        load_tile(&t, src, diff_dst, ws, i, block);
#pragma unroll
        for (int k = 0; k < AT_ONCE; ++k) {
            const long at = i + (long)k * block * VEC;
            const floatv y = tile_gradients(&t, k);
            diff_src_store_streaming(diff_src, at, norm_gradient_of(&g, src_floats(t.x[k]), y));
#if WITH_ADDEND
            SRC_STOREV(diff_src1, at, y);
#endif
        }
        return;
    }
#pragma unroll 1
    for (int v = first + id; v < min(first + AT_ONCE * block, nvectors); v += block) {
        const long i = (long)v * VEC;
        const floatv y = gradients_at(diff_dst, ws, i, i);
        VEC_FORM(DIFF_SRC, STORE)(diff_src, i, norm_gradient_of(&g, SRC_LOADV(src, i), y));
#if WITH_ADDEND
        SRC_STOREV(diff_src1, i, y);
#endif
    }
}
