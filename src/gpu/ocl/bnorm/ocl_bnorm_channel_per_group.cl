// SPDX-License-Identifier: Apache-2.0
// Batch normalisation, training, of few elements a channel in any layout: a work-group per channel computes statistics
// and result in one launch. src is read once where registers hold the channel.
//
//   data           by value: shapes, strides, steps between neighbours of a plane; plane_vecs: elements of a plane
//   mean, variance [C] f32, each with its `long` offset; written if data.has_outputs
//   BNORM_PARAMS   see clh/bnorm.h; dst may be src
//   POST_OPS       eltwise relu
// Grid: C work-groups of GROUP_ITEMS work-items, each of which keeps KEPT elements in registers.
// Numerics: f32; sums of differences from an element of the channel, per work-item, then over the group, in a fixed
// order. A channel whose variance cancels is summed again from its mean.
// -D: SRC, DST, WS, VEC = 4, WITH_ADDEND, WITH_RELU, WITH_WS, GROUP_ITEMS: a power of two; KEPT; those of clh/lanes.h,
// clh/post_ops.h.
#if !defined(GROUP_ITEMS) || !defined(KEPT)
#error "ocl_bnorm_channel_per_group needs GROUP_ITEMS, KEPT"
#endif

#include "clh/bnorm_plane.h"
#include "clh/lanes.h"

// Elements that work-items load before they use the first.
#define ROUND (KEPT * GROUP_ITEMS)

// Functions take values, never pointers into the kernel's struct, which NVIDIA's compiler may place wrongly.

// A channel of src, from its first element on.
typedef struct {
    __global const SRC_T *src;
    ocl_divisor_t plane; // elements of a plane
    int n, step, count;  // distances of images and of neighbours of a plane; elements
} channel_t;

ALWAYS_INLINE int element_at(const channel_t channel, int i)
{
    const int at = divide_off(&i, channel.plane);
    return i * channel.n + at * channel.step;
}

// Where a channel begins in an image.
ALWAYS_INLINE int channel_at(int c, int run, int block)
{
    const int index = (int)((uint)c / (uint)run);
    return index * block + (c - index * run);
}

// Elements first, first + GROUP_ITEMS, …; behind the end the last one again.
ALWAYS_INLINE void load_elements(float *x, const channel_t channel, int first)
{
#pragma unroll
    for (int k = 0; k < KEPT; ++k)
        x[k] = SRC_LOAD(channel.src, element_at(channel, min(first + k * GROUP_ITEMS, channel.count - 1)));
}

// Adds differences from `centre`, and their squares, of those elements.
ALWAYS_INLINE float2 add_elements(float2 sums, const float *x, int first, int count, float centre)
{
#pragma unroll
    for (int k = 0; k < KEPT; ++k) {
        const float y = first + k * GROUP_ITEMS < count ? x[k] - centre : 0.0f;
        sums += (float2)(y, y * y);
    }
    return sums;
}

// Of the whole channel: what is kept, and what has to be loaded.
ALWAYS_INLINE float2 sum_channel(const channel_t channel, const float *kept, float centre, __local float2 *scratch)
{
    const int id = (int)get_local_id(0);
    float2 sums = add_elements((float2)(0.0f), kept, id, channel.count, centre);
    for (int first = id + ROUND; first < channel.count; first += ROUND) {
        float x[KEPT];
        load_elements(x, channel, first);
        sums = add_elements(sums, x, first, channel.count, centre);
    }
    return lanes_sum2(sums, (__local float *)scratch, GROUP_ITEMS);
}

// Element i, whose value is x, becomes dst. `to` has the channel's first elements.
#define NORMALIZE(to, i, x, a) \
    do { \
        int image_ = (i); \
        const int at_ = divide_off(&image_, data.plane_vecs); \
        plane_t p_ = to; \
        p_.addend += image_ * data.src.n + at_ * data.src_step; \
        p_.dst += image_ * data.dst.n + at_ * data.dst_step; \
        p_.ws += WITH_WS ? image_ * data.ws.n + at_ * data.ws_step : 0; \
        normalize_loaded_one(&p_, 0, x, a BNORM_CHAIN_ARG); \
    } while (0)

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void bnorm_channel_per_group(
        const ocl_bnorm_data_t data, __global float *mean, long mean_off, __global float *variance, long variance_off,
        BNORM_PARAMS POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    __local float2 scratch[GROUP_ITEMS];
    const int c = (int)get_group_id(0), id = (int)get_local_id(0);
    const int src_c = channel_at(c, data.src.run, data.src.block);
    const channel_t channel = {
            src + src_off + src_c, data.plane_vecs, data.src.n, data.src_step, data.batch * data.spatial};
    const plane_t to = {channel.src, addend + addend_off + src_c,
            dst + dst_off + channel_at(c, data.dst.run, data.dst.block),
            ws + ws_off + (WITH_WS ? channel_at(c, data.ws.run, data.ws.block) : 0)};
    float kept[KEPT];
    load_elements(kept, channel, id);
    const float centre = SRC_LOAD(channel.src, element_at(channel, channel.count / 2)), count = (float)channel.count;
    const float2 sums = sum_channel(channel, kept, centre, scratch);
    const moments_t moments = {sums.s0, sums.s1, 0.0f};
    const float m = moments_mean(moments, centre, count);
    float v = moments_variance(moments, count);
    if (v == MOMENTS_AGAIN) v = divide_refined(sum_channel(channel, kept, m, scratch).s1, count);
    if (id == 0 && data.has_outputs) {
        mean[mean_off + c] = m;
        variance[variance_off + c] = v;
    }
    affine_t a = {m, inverse_deviation(v, data.epsilon), 0.0f};
    if (data.has_scale) a.factor *= scale[scale_off + c];
    if (data.has_shift) a.shift = shift[shift_off + c];
#pragma unroll
    for (int k = 0; k < KEPT; ++k)
        if (id + k * GROUP_ITEMS < channel.count) NORMALIZE(to, id + k * GROUP_ITEMS, kept[k], a);
    for (int first = id + ROUND; first < channel.count; first += ROUND) {
        float x[KEPT];
        load_elements(x, channel, first);
#pragma unroll
        for (int k = 0; k < KEPT; ++k)
            if (first + k * GROUP_ITEMS < channel.count) NORMALIZE(to, first + k * GROUP_ITEMS, x[k], a);
    }
}
