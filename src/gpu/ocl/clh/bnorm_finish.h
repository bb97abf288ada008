// SPDX-License-Identifier: Apache-2.0
// Statistics of batch normalisation from the partial sums of chunks.
// -D: those of clh/bnorm.h.
#ifndef CLH_BNORM_FINISH_H
#define CLH_BNORM_FINISH_H

#include "clh/bnorm.h"

// Mean and variance of BNORM_FINISH_CHANNELS channels by a work-group of a power of two of work-items.
//   partials   [data->nchunks, 3, padded C]: sums, squares, centres of the chunks
//   units      elements of a channel, or images, of which a chunk has data->chunk_elems
//   scratch    one entry a work-item
#define BNORM_FINISH_CHANNELS 4
// Chunks whose sums a work-item loads before it adds the first.
#define BNORM_CHUNKS_AT_ONCE 8
#define BNORM_FINISH_PARAMS \
    __constant const ocl_bnorm_data_t *data, __global const float *partials, long partials_off, \
            __global float *mean, long mean_off, __global float *variance, long variance_off, \
            __global const SRC_T *src, long src_off, __local moments_t *scratch

// The sum over the work-items of a group that are `step` apart, for the first `step` of them.
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
static inline moments_t bnorm_moved(__constant const ocl_bnorm_data_t *data,
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

static void bnorm_finish(__constant const ocl_bnorm_data_t *data, __global const float *partials,
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

// The second pass, for the channels of the group that need it: bnorm_squares() is a work-item's share of
// Σ (x − centre)², src the first element of channel c.
static float bnorm_squares(__constant const ocl_bnorm_data_t *data, __global const SRC_T *src,
        float centre, int first, int step);

static void bnorm_again(__constant const ocl_bnorm_data_t *data, __global const float *mean,
        __global float *variance, __global const SRC_T *src, __local moments_t *scratch)
{
    // What the first work-items wrote, the others read.
    barrier(CLK_GLOBAL_MEM_FENCE);
    const int first = (int)get_group_id(0) * BNORM_FINISH_CHANNELS;
    const int end = min(first + BNORM_FINISH_CHANNELS, data->src.channels);
    for (int c = first; c < end; ++c) {
        if (variance[c] != MOMENTS_AGAIN) continue;
        moments_t m = {0.0f, 0.0f, 0.0f};
        m.squares = bnorm_squares(data, src + channels_offset(&data->src, 0, c), mean[c],
                (int)get_local_id(0), (int)get_local_size(0));
        m = bnorm_total(m, 1, scratch);
        if (get_local_id(0) == 0)
            variance[c] = divide_refined(m.squares, (float)(data->batch * data->spatial));
    }
}

#endif
