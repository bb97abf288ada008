// SPDX-License-Identifier: Apache-2.0
// Batch normalisation, training, of few elements a channel in any layout: a work-group per channel computes statistics
// and result in one launch.
//
//   data           by value: shapes, strides, steps between neighbours of a plane; plane_vecs: elements of a plane
//   mean, variance [C] f32, each with its `long` offset; written if data.has_outputs
//   BNORM_PARAMS   see clh/bnorm.h; dst may be src
//   POST_OPS       eltwise relu
// Grid: C work-groups of GROUP_ITEMS work-items.
// Numerics: f32; sums of differences from an element of the channel, per work-item, then over the group, in a fixed
// order. A channel whose variance cancels is summed again from its mean.
// -D: SRC, DST, WS, VEC = 4, WITH_ADDEND, WITH_RELU, WITH_WS, SIZES_BY_VALUE = 1, GROUP_ITEMS: a power of two;
// those of clh/lanes.h, clh/post_ops.h.
#ifndef GROUP_ITEMS
#error "ocl_bnorm_channel_per_group needs GROUP_ITEMS"
#endif

#include "clh/bnorm_plane.h"
#include "clh/lanes.h"

// Elements that a work-item loads together; the first ones stay in registers.
#define AT_ONCE 8

// A channel: its tensors from the first element on.
typedef struct {
    plane_t planes;
    int count;
} channel_t;

// Element i of a channel: its image, and its place in the plane.
static inline int2 place_of(const ocl_bnorm_data_t *data, int i)
{
    const int at = split_digit(&i, &data->plane_vecs);
    return (int2)(i, at);
}

// Elements first, first + GROUP_ITEMS, …; behind the end the last one again.
static inline void load_elements(float *x, const ocl_bnorm_data_t *data, const channel_t *channel, int first)
{
    for (int k = 0; k < AT_ONCE; ++k) {
        const int2 place = place_of(data, min(first + k * GROUP_ITEMS, channel->count - 1));
        x[k] = SRC_LOAD(channel->planes.src, place.s0 * data->src.n + place.s1 * data->src_step);
    }
}

// Sums of the differences from `centre`, and of their squares, over the group.
ALWAYS_INLINE float2 sum_channel(const ocl_bnorm_data_t *data, const channel_t *channel, const float *kept, float centre,
        __local float *scratch)
{
    const int id = (int)get_local_id(0);
    float2 sums = 0.0f;
    for (int first = id; first < channel->count; first += AT_ONCE * GROUP_ITEMS) {
        float x[AT_ONCE];
        if (first == id)
            for (int k = 0; k < AT_ONCE; ++k) x[k] = kept[k];
        else
            load_elements(x, data, channel, first);
        for (int k = 0; k < AT_ONCE; ++k) {
            const float y = first + k * GROUP_ITEMS < channel->count ? x[k] - centre : 0.0f;
            sums += (float2)(y, y * y);
        }
    }
    return lanes_sum2(sums, scratch, GROUP_ITEMS);
}

static inline void store_elements(const float *x, const ocl_bnorm_data_t *data, const channel_t *channel, int first,
        affine_t a BNORM_CHAIN_PARAM)
{
    for (int k = 0; k < AT_ONCE && first + k * GROUP_ITEMS < channel->count; ++k) {
        const int2 place = place_of(data, first + k * GROUP_ITEMS);
        plane_t p = channel->planes;
        p.addend += place.s0 * data->src.n + place.s1 * data->src_step;
        p.dst += place.s0 * data->dst.n + place.s1 * data->dst_step;
        p.ws += place.s0 * data->ws.n + place.s1 * data->ws_step;
        normalize_loaded_one(&p, 0, x[k], a BNORM_CHAIN_PASS);
    }
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void bnorm_channel_per_group(
        const ocl_bnorm_data_t data, __global float *mean, long mean_off, __global float *variance, long variance_off,
        BNORM_PARAMS POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    __local float scratch[2 * GROUP_ITEMS];
    const int c = (int)get_group_id(0), id = (int)get_local_id(0);
    const int in_src = channels_offset(&data.src, 0, c), in_dst = channels_offset(&data.dst, 0, c);
    const channel_t channel = {{src + src_off + in_src, addend + addend_off + in_src, dst + dst_off + in_dst,
                                       ws + ws_off + channels_offset(&data.ws, 0, c)},
            data.batch * data.spatial};
    const int2 middle = place_of(&data, channel.count / 2);
    float kept[AT_ONCE];
    load_elements(kept, &data, &channel, id);
    const float centre = SRC_LOAD(channel.planes.src, middle.s0 * data.src.n + middle.s1 * data.src_step);
    const float count = (float)channel.count;
    const float2 sums = sum_channel(&data, &channel, kept, centre, scratch);
    const moments_t moments = {sums.s0, sums.s1, 0.0f};
    const float m = moments_mean(moments, centre, count);
    float v = moments_variance(moments, count);
    if (v == MOMENTS_AGAIN) v = divide_refined(sum_channel(&data, &channel, kept, m, scratch).s1, count);
    if (id == 0 && data.has_outputs) {
        mean[mean_off + c] = m;
        variance[variance_off + c] = v;
    }
    affine_t a = {m, inverse_deviation(v, data.epsilon), 0.0f};
    if (data.has_scale) a.factor *= scale[scale_off + c];
    if (data.has_shift) a.shift = shift[shift_off + c];
    store_elements(kept, &data, &channel, id, a BNORM_CHAIN_ARG);
    for (int first = id + AT_ONCE * GROUP_ITEMS; first < channel.count; first += AT_ONCE * GROUP_ITEMS) {
        float x[AT_ONCE];
        load_elements(x, &data, &channel, first);
        store_elements(x, &data, &channel, first, a BNORM_CHAIN_ARG);
    }
}
