// SPDX-License-Identifier: Apache-2.0
// Batch normalisation where channels lie innermost (NHWC, nChw16c): vectors of VEC channels.
//
//   data                 shapes and strides
//   mean, variance       [C] f32, each with its `long` offset
//   partials             [2, data->nchunks, padded C] f32: sums of differences from 0, of squared
//                        differences from the mean
//   BNORM_PARAMS         [N, C, data->spatial] by data->src, dst, ws; see clh/bnorm.h. Padded
//                        channels of src hold zeros, those of dst and ws become 0
//   POST_OPS             eltwise relu
// bnorm_channels_sums: the partial sums of data->chunk_elems positions (N × spatial) for a vector of
// channels an item, grid x ≥ data->nchunks·data->nvecs; `pass` 0 for sums, then 1 for squares.
// bnorm_channels_finish: mean and variance of a channel an item, grid x ≥ C.
// bnorm_channels_apply: data->piece_elems positions of a vector of channels an item, grid
// x ≥ N·data->npieces·data->nvecs. src and dst may be one.
// Numerics: f32; two passes, each sum in chunks whose partial sums are added up in order.
// -D: SRC, DST, WS, VEC, WITH_ADDEND, WITH_RELU, WITH_WS, those of clh/post_ops.h.
#include "clh/bnorm.h"

// The sum of a channel's partial sums; element `i` of [nchunks, stride].
static floatv add_partials(
        __constant const bnorm_data_t *data, __global const float *partials, int i)
{
    const int stride = data->src.padded_channels;
    floatv sum = 0.0f;
    for (int chunk = 0; chunk < data->nchunks; ++chunk)
        sum += vloadv(partials + chunk * stride + i);
    return sum;
}

static float count_of(__constant const bnorm_data_t *data)
{
    return (float)(data->batch * data->spatial);
}

static floatv divide_vector(floatv a, float b)
{
    const floatv quotient = a / b;
    return quotient + fma(-quotient, (floatv)b, a) / b;
}

__kernel void bnorm_channels_sums(__constant const bnorm_data_t *data, __global float *partials,
        long partials_off, __global const SRC_T *src, long src_off, int pass)
{
    int index = (int)get_global_id(0);
    const int c = take_digit(&index, data->nvecs) * VEC, chunk = index;
    if (chunk >= data->nchunks) return;
    partials += partials_off;
    const int pass_elems = data->nchunks * data->src.padded_channels;
    const floatv centre
            = pass ? divide_vector(add_partials(data, partials, c), count_of(data)) : 0.0f;
    const int begin = chunk * data->chunk_elems;
    const int end = min(begin + data->chunk_elems, data->batch * data->spatial);
    int s = begin % data->spatial, n = begin / data->spatial;
    floatv sum = 0.0f;
    for (int i = begin; i < end; ++n, s = 0) {
        __global const SRC_T *image = src + src_off + channels_offset(&data->src, n, c);
        const int image_end = min(data->spatial, s + end - i);
        for (; s < image_end; ++s, ++i) {
            const floatv x = SRC_LOADV(image, s * data->src_step) - centre;
            sum += pass ? x * x : x;
        }
    }
    vstorev(sum, partials + pass * pass_elems + chunk * data->src.padded_channels + c);
}

__kernel void bnorm_channels_finish(__constant const bnorm_data_t *data,
        __global const float *partials, long partials_off, __global float *mean, long mean_off,
        __global float *variance, long variance_off)
{
    const int c = (int)get_global_id(0);
    if (c >= data->src.channels) return;
    const int stride = data->src.padded_channels;
    partials += partials_off + c;
    float sum = 0.0f, squares = 0.0f;
    for (int chunk = 0; chunk < data->nchunks; ++chunk) {
        sum += partials[chunk * stride];
        squares += partials[(data->nchunks + chunk) * stride];
    }
    mean[mean_off + c] = divide_refined(sum, count_of(data));
    variance[variance_off + c] = divide_refined(squares, count_of(data));
}

// The values of VEC channels; `fallback` for padded ones.
static floatv load_channels(__global const float *p, int c, int channels, float fallback)
{
    if (c + VEC <= channels) return vloadv(p + c);
    float values[VEC];
    for (int i = 0; i < VEC; ++i) values[i] = c + i < channels ? p[c + i] : fallback;
    return vloadv(values);
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
