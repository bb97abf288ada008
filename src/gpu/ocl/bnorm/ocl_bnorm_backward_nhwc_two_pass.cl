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

#include "clh/bnorm_backward.h"

// Loads of the vector that starts at element i; aligned ones where the compiler has to know it.
#define LOAD_X(i) (is_aligned ? SRC_LOADV(AS_ALIGNED(SRC_T, VEC, src + (i)), 0) : SRC_LOADV(src, i))
#define LOAD_Y(i) \
    (is_aligned ? gradients_at(AS_ALIGNED(DIFF_DST_T, VEC, diff_dst + (i)), ws, 0, i) \
                : gradients_at(diff_dst, ws, i, i))

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
    const bool is_aligned = ARE_ALIGNED(SRC_T, VEC, src, 0) && ARE_ALIGNED(DIFF_DST_T, VEC, diff_dst, 0);
    if (id < block) {
        const floatv centre = vloadv(mean + mean_off + id % nvecs * VEC);
        int v = (int)get_group_id(0) * tile + id;
        for (; v < nvectors; v += data->nchunks * tile) {
            floatv x[AT_ONCE], y[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) {
                const long i = (long)min(v + k * block, nvectors - 1) * VEC;
                x[k] = LOAD_X(i);
                y[k] = LOAD_Y(i);
            }
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) {
                if (v + k * block >= nvectors) continue;
                sums += y[k];
                products += y[k] * (x[k] - centre);
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
            ARE_ALIGNED(DIFF_SRC_T, VEC, diff_src, 0);
    parts += parts_off + id % nvecs * VEC;
    const floatv mean = vloadv(parts), factor = vloadv(parts + channels);
    const floatv slope = vloadv(parts + 2L * channels), rest = vloadv(parts + 3L * channels);
    const int first = ((int)get_num_groups(0) - 1 - (int)get_group_id(0)) * AT_ONCE * block + id;
    floatv x[AT_ONCE], y[AT_ONCE];
    // diff_src may be diff_dst: what is loaded ahead of a store is this work-item's own.
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
        const int v = first + k * block;
        x[k] = y[k] = (floatv)(0.0f);
        if (v >= nvectors) continue;
        x[k] = LOAD_X((long)v * VEC);
        y[k] = LOAD_Y((long)v * VEC);
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
        const int v = first + k * block;
        if (v >= nvectors) continue;
        const long i = (long)v * VEC;
        const floatv z = factor * y[k] - slope * (x[k] - mean) - rest;
        if (is_aligned)
            VEC_FORM(DIFF_SRC, STORE)(AS_ALIGNED(DIFF_SRC_T, VEC, diff_src + i), 0, z);
        else
            VEC_FORM(DIFF_SRC, STORE)(diff_src, i, z);
#if WITH_ADDEND
        SRC_STOREV(diff_src1, i, y[k]);
#endif
    }
}
