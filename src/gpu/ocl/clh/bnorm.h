// SPDX-License-Identifier: Apache-2.0
// What the typed kernels of batch normalisation share: the data, and the step from a difference to
// the stored element, VEC elements at once.
//
//   BNORM_PARAMS    src … ws as kernel parameters: SRC_T src, addend; f32 scale, shift [C]; DST_T
//                   dst; WS_T ws; each with its `long` offset. What a problem has not is null.
// -D: SRC, DST, WS (prim__ocl_options_type()), VEC, WITH_ADDEND, WITH_RELU, WITH_WS, those of
// clh/post_ops.h.
#ifndef CLH_BNORM_H
#define CLH_BNORM_H

#if !defined(SRC_DT) || !defined(DST_DT) || !defined(WS_DT) || !defined(WITH_ADDEND) \
        || !defined(WITH_RELU) || !defined(WITH_WS)
#error "clh/bnorm.h needs SRC, DST, WS, WITH_ADDEND, WITH_RELU, WITH_WS"
#endif

#include "clh/channels.h"
#include "clh/norm.h"
#include "clh/post_ops.h"
#include "clh/vec.h"

typedef struct {
    channels_t src, dst, ws;
    int batch, spatial;              // images, elements of a plane
    int src_step, dst_step, ws_step; // between neighbours of a plane
    int has_scale, has_shift, has_outputs;
    int nvecs;                       // vectors of channels, of ocl_bnorm_channels.cl
    int nchunks, chunk_elems;        // pieces of the statistics; elements, for planes images
    int piece_elems, npieces;        // that an item normalises
    int piece_items;                 // neighbours that share a piece, of ocl_bnorm_planes.cl
    int item_vecs, nshares;          // vectors of an item, such shares of nvecs; ocl_bnorm_channels.cl
    int is_backward;                 // the last pieces first: they may still be in the caches
    float epsilon;
} bnorm_data_t;

#define BNORM_PARAMS \
    __global const SRC_T *src, long src_off, __global const SRC_T *addend, long addend_off, \
            __global const float *scale, long scale_off, __global const float *shift, \
            long shift_off, __global DST_T *dst, long dst_off, __global WS_T *ws, long ws_off

// Statistics take one pass over src: sums of the differences from a centre, which is an element of
// the channel, and of their squares. Where the centre turns out to be so far from the mean that the
// squares had to be more than BNORM_MOST_ABOVE times what remains of them, their rounding errors
// would matter: then the variance is BNORM_AGAIN until a second pass has computed it from the mean.
#define BNORM_MOST_ABOVE 64.0f
#define BNORM_AGAIN (-1.0f)

// Of `count` elements: the sums of x − centre and of its squares, and of all squares that were added
// up on the way.
typedef struct {
    float sum, squares, added;
} moments_t;

static inline moments_t moments_add(moments_t a, moments_t b)
{
    const moments_t m = {a.sum + b.sum, a.squares + b.squares, a.added + b.added};
    return m;
}

static inline float moments_mean(moments_t m, float centre, float count)
{
    return centre + divide_refined(m.sum, count);
}

static inline float moments_variance(moments_t m, float count)
{
    const float distance = divide_refined(m.sum, count);
    const float variance = fma(-distance, distance, divide_refined(m.squares, count));
    return m.squares + m.added > BNORM_MOST_ABOVE * count * variance ? BNORM_AGAIN : variance;
}

// Mean and variance of BNORM_FINISH_CHANNELS channels by a work-group of a power of two of items.
//   partials   [data->nchunks, 3, padded C]: sums, squares, centres of the chunks
//   units      elements of a channel, or images, of which a chunk has data->chunk_elems
//   scratch    one entry an item
#define BNORM_FINISH_CHANNELS 4
// Chunks whose sums an item loads before it adds the first.
#define BNORM_CHUNKS_AT_ONCE 8
#define BNORM_FINISH_PARAMS \
    __constant const bnorm_data_t *data, __global const float *partials, long partials_off, \
            __global float *mean, long mean_off, __global float *variance, long variance_off, \
            __global const SRC_T *src, long src_off, __local moments_t *scratch

// The sum over the items of a group that are `step` apart, for the first `step` of them.
static moments_t bnorm_total(moments_t m, int step, __local moments_t *scratch)
{
    const int id = (int)get_local_id(0);
    for (int half_size = (int)get_local_size(0) / 2; half_size >= step; half_size /= 2) {
        scratch[id] = m;
        barrier(CLK_LOCAL_MEM_FENCE);
        if (id < half_size) m = moments_add(m, scratch[id + half_size]);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return m;
}

// The sums of a chunk, moved from its own centre to another.
static inline moments_t bnorm_moved(__constant const bnorm_data_t *data,
        __global const float *partials, int chunk, int units, float centre)
{
    const int c_stride = data->src.padded_channels;
    __global const float *chunk_partials = partials + (long)chunk * 3 * c_stride;
    const int begin = chunk * data->chunk_elems, end = min(begin + data->chunk_elems, units);
    const float count = (float)((end - begin) * (data->batch * data->spatial / units));
    const float sum = chunk_partials[0], squares = chunk_partials[c_stride];
    const float way = chunk_partials[2 * c_stride] - centre;
    const moments_t m = {
            sum + count * way, squares + way * (2.0f * sum + count * way), squares};
    return m;
}

static void bnorm_finish(__constant const bnorm_data_t *data, __global const float *partials,
        __global float *mean, __global float *variance, int units, __local moments_t *scratch)
{
    const int id = (int)get_local_id(0), step = (int)get_local_size(0) / BNORM_FINISH_CHANNELS;
    const int c = (int)get_group_id(0) * BNORM_FINISH_CHANNELS + id % BNORM_FINISH_CHANNELS;
    const int c_stride = data->src.padded_channels;
    const float count = (float)(data->batch * data->spatial);
    moments_t m = {0.0f, 0.0f, 0.0f};
    float centre = 0.0f;
    if (c < data->src.channels) {
        partials += c;
        centre = partials[((long)(data->nchunks / 2) * 3 + 2) * c_stride];
        for (int first = id / BNORM_FINISH_CHANNELS; first < data->nchunks;
                first += BNORM_CHUNKS_AT_ONCE * step) {
            moments_t some[BNORM_CHUNKS_AT_ONCE];
            for (int k = 0; k < BNORM_CHUNKS_AT_ONCE; ++k) {
                const int chunk = min(first + k * step, data->nchunks - 1);
                some[k] = bnorm_moved(data, partials, chunk, units, centre);
            }
            for (int k = 0; k < BNORM_CHUNKS_AT_ONCE; ++k)
                if (first + k * step < data->nchunks) m = moments_add(m, some[k]);
        }
    }
    m = bnorm_total(m, BNORM_FINISH_CHANNELS, scratch);
    if (id >= BNORM_FINISH_CHANNELS || c >= data->src.channels) return;
    mean[c] = moments_mean(m, centre, count);
    variance[c] = moments_variance(m, count);
}

// The second pass, for the channels of the group that need it: bnorm_squares() is an item's share of
// Σ (x − centre)², src the first element of channel c.
static float bnorm_squares(__constant const bnorm_data_t *data, __global const SRC_T *src,
        float centre, int first, int step);

static void bnorm_again(__constant const bnorm_data_t *data, __global const float *mean,
        __global float *variance, __global const SRC_T *src, __local moments_t *scratch)
{
    // What the first items wrote, the others read.
    barrier(CLK_GLOBAL_MEM_FENCE);
    const int first = (int)get_group_id(0) * BNORM_FINISH_CHANNELS;
    const int end = min(first + BNORM_FINISH_CHANNELS, data->src.channels);
    for (int c = first; c < end; ++c) {
        if (variance[c] != BNORM_AGAIN) continue;
        moments_t m = {0.0f, 0.0f, 0.0f};
        m.squares = bnorm_squares(data, src + channels_offset(&data->src, 0, c), mean[c],
                (int)get_local_id(0), (int)get_local_size(0));
        m = bnorm_total(m, 1, scratch);
        if (get_local_id(0) == 0)
            variance[c] = divide_refined(m.squares, (float)(data->batch * data->spatial));
    }
}

#if WITH_POST_OPS
static inline float bnorm_chain_one(const post_ops_t *po, float x)
{
    return post_ops_apply(po, x, 0, 0, 0);
}

static inline floatv bnorm_chain(const post_ops_t *po, floatv x)
{
    float values[VEC];
    vstorev(x, values);
    for (int i = 0; i < VEC; ++i) values[i] = bnorm_chain_one(po, values[i]);
    return vloadv(values);
}
#define BNORM_CHAIN(x) bnorm_chain(&po, x)
#define BNORM_CHAIN_ONE(x) bnorm_chain_one(&po, x)
#define BNORM_CHAIN_PARAM , const post_ops_t *chain
#define BNORM_CHAIN_ARG , &po    // from a kernel
#define BNORM_CHAIN_PASS , chain // from a function that has it
#else
#define BNORM_CHAIN(x) (x)
#define BNORM_CHAIN_ONE(x) (x)
#define BNORM_CHAIN_PARAM
#define BNORM_CHAIN_ARG
#define BNORM_CHAIN_PASS
#endif

#endif
