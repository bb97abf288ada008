// SPDX-License-Identifier: Apache-2.0
// Batch normalisation where channels lie innermost (NHWC, nChw16c): vectors of VEC channels.
//
//   data                 shapes and strides
//   mean, variance       [C] f32, each with its `long` offset
//   partials             [data->nchunks, padded C] f32: sums of pieces of src, or of squared
//                        differences from the mean
//   BNORM_PARAMS         [N, C, data->spatial] by data->src, dst, ws; see clh/bnorm.h. Padded
//                        channels of src hold zeros, those of dst and ws become 0
//   POST_OPS             eltwise relu
// bnorm_channels_sums: the partial sums of data->chunk_elems positions (N × spatial) for `vectors`
// vectors of channels a group, whose items are as many rows of `vectors`; is_squared: of squares,
// with `mean` known. `scratch`: a vector an item. Grid: data->nchunks·ceil(nvecs / vectors) groups.
// bnorm_channels_finish: see bnorm_finish() in clh/bnorm.h.
// bnorm_channels_apply: data->piece_elems positions of a vector of channels an item, grid
// x ≥ N·data->npieces·data->nvecs. src and dst may be one.
// Numerics: f32; two passes, each sum in chunks whose partial sums are added up in a fixed order.
// -D: SRC, DST, WS, VEC, WITH_ADDEND, WITH_RELU, WITH_WS, those of clh/post_ops.h.
#include "clh/bnorm.h"

// The values of VEC channels; `fallback` for padded ones.
static floatv load_channels(__global const float *p, int c, int channels, float fallback)
{
    if (c + VEC <= channels) return vloadv(p + c);
    float values[VEC];
    for (int i = 0; i < VEC; ++i) values[i] = c + i < channels ? p[c + i] : fallback;
    return vloadv(values);
}

// Sum over an item's positions of a chunk: begin, begin + step …
static floatv sum_positions(__constant const bnorm_data_t *data, __global const SRC_T *src, int c,
        int begin, int end, int step, floatv centre, int is_squared)
{
    int s = begin % data->spatial, n = begin / data->spatial;
    __global const SRC_T *image = src + channels_offset(&data->src, n, c);
    floatv sum = 0.0f;
    for (int i = begin; i < end; i += step, s += step) {
        if (s >= data->spatial) {
            n += s / data->spatial;
            s %= data->spatial;
            image = src + channels_offset(&data->src, n, c);
        }
        const floatv x = SRC_LOADV(image, s * data->src_step) - centre;
        sum += is_squared ? x * x : x;
    }
    return sum;
}

__kernel void bnorm_channels_sums(__constant const bnorm_data_t *data, __global float *partials,
        long partials_off, __global const float *mean, long mean_off, __global const SRC_T *src,
        long src_off, int is_squared, int vectors, __local floatv *scratch)
{
    const int columns = (data->nvecs + vectors - 1) / vectors, group = (int)get_group_id(0);
    const int chunk = group / columns, id = (int)get_local_id(0);
    const int vector = (group - chunk * columns) * vectors + id % vectors, c = vector * VEC;
    const int row = id / vectors, nrows = (int)get_local_size(0) / vectors;
    const int begin = chunk * data->chunk_elems;
    const int end = min(begin + data->chunk_elems, data->batch * data->spatial);
    floatv sum = 0.0f;
    if (vector < data->nvecs) {
        floatv centre = 0.0f;
        if (is_squared) centre = load_channels(mean + mean_off, c, data->src.channels, 0.0f);
        sum = sum_positions(data, src + src_off, c, begin + row, end, nrows, centre, is_squared);
    }
    scratch[id] = sum;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row > 0 || vector >= data->nvecs) return;
    for (int i = 1; i < nrows; ++i) sum += scratch[i * vectors + id];
    vstorev(sum, partials + partials_off + (long)chunk * data->src.padded_channels + c);
}

__kernel void bnorm_channels_finish(BNORM_FINISH_PARAMS)
{
    bnorm_finish(data, partials + partials_off, result + result_off, scratch);
}

__kernel void bnorm_channels_apply(__constant const bnorm_data_t *data,
        __global const float *mean, long mean_off, __global const float *variance,
        long variance_off, BNORM_PARAMS POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    int index = (int)get_global_id(0);
    const int c = take_digit(&index, data->nvecs) * VEC;
    const int piece = take_digit(&index, data->npieces), n = index;
    if (n >= data->batch) return;
    const int channels = data->src.channels;
    const bool has_padding = c + VEC > channels;
    const intv is_real = lanes + c < channels;
    const floatv m = load_channels(mean + mean_off, c, channels, 0.0f);
    const floatv v = load_channels(variance + variance_off, c, channels, 1.0f);
    floatv factor = 1.0f / sqrt(v + data->epsilon), offset = 0.0f;
    if (data->has_scale) factor *= load_channels(scale + scale_off, c, channels, 0.0f);
    if (data->has_shift) offset = load_channels(shift + shift_off, c, channels, 0.0f);

    const int src_c = channels_offset(&data->src, n, c);
    src += src_off + src_c;
#if WITH_ADDEND
    addend += addend_off + src_c;
#endif
    dst += dst_off + channels_offset(&data->dst, n, c);
#if WITH_WS
    ws += ws_off + channels_offset(&data->ws, n, c);
#endif
    const int end = min((piece + 1) * data->piece_elems, data->spatial);
    for (int s = piece * data->piece_elems; s < end; ++s) {
        floatv x = (SRC_LOADV(src, s * data->src_step) - m) * factor + offset;
#if WITH_ADDEND
        x += SRC_LOADV(addend, s * data->src_step);
#endif
#if WITH_RELU
        const intv is_positive = x > 0.0f;
        x = select((floatv)0.0f, x, is_positive);
#if WITH_WS
        // Padding is 0, so is not positive.
        WS_STOREV(ws, s * data->ws_step, to_floatv(select((intv)0, (intv)1, is_positive)));
#endif
#endif
        x = BNORM_CHAIN(x);
        if (has_padding) x = select((floatv)0.0f, x, is_real);
        DST_STOREV(dst, s * data->dst_step, x);
    }
}
