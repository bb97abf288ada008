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
    float epsilon;
} bnorm_data_t;

#define BNORM_PARAMS \
    __global const SRC_T *src, long src_off, __global const SRC_T *addend, long addend_off, \
            __global const float *scale, long scale_off, __global const float *shift, \
            long shift_off, __global DST_T *dst, long dst_off, __global WS_T *ws, long ws_off

// Mean or variance of BNORM_FINISH_CHANNELS channels by a work-group of a power of two of items:
// partial sums [data->nchunks, padded C] over the number of elements. `scratch` has an entry an item.
#define BNORM_FINISH_CHANNELS 16
#define BNORM_FINISH_PARAMS \
    __constant const bnorm_data_t *data, __global const float *partials, long partials_off, \
            __global float *result, long result_off, __local float *scratch
static void bnorm_finish(__constant const bnorm_data_t *data, __global const float *partials,
        __global float *result, __local float *scratch)
{
    const int id = (int)get_local_id(0), step = (int)get_local_size(0) / BNORM_FINISH_CHANNELS;
    const int c = (int)get_group_id(0) * BNORM_FINISH_CHANNELS + id % BNORM_FINISH_CHANNELS;
    const bool is_real = c < data->src.channels;
    float sum = 0.0f;
    if (is_real) {
        for (int chunk = id / BNORM_FINISH_CHANNELS; chunk < data->nchunks; chunk += step)
            sum += partials[(long)chunk * data->src.padded_channels + c];
    }
    scratch[id] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id >= BNORM_FINISH_CHANNELS || !is_real) return;
    for (int i = 1; i < step; ++i) sum += scratch[i * BNORM_FINISH_CHANNELS + id];
    result[c] = divide_refined(sum, (float)(data->batch * data->spatial));
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
#define BNORM_CHAIN_ARG , &po
#else
#define BNORM_CHAIN(x) (x)
#define BNORM_CHAIN_ONE(x) (x)
#define BNORM_CHAIN_PARAM
#define BNORM_CHAIN_ARG
#endif

#endif
