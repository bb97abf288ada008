// SPDX-License-Identifier: Apache-2.0
// Batch normalisation where channels are innermost (NHWC, nChw16c): vectors of VEC channels. On CPU-type
// devices a work-item takes several adjacent vectors at once.
//
//   data                 shapes and strides
//   mean, variance       [C] f32, each with its `long` offset
//   partials             [data->nchunks, 3, padded C] f32: partial sums over chunks of src, see clh/bnorm_finish.h
//   BNORM_PARAMS         [N, C, data->spatial] by data->src, dst, ws; see clh/bnorm.h. Padded
//                        channels of src hold zeros, those of dst and ws become 0
//   POST_OPS             eltwise relu
// bnorm_nhwc_vector_sums: partial sums over data->chunk_elems positions (N × spatial). A work-group takes
// `vectors` vectors of channels; its work-items form rows of `vectors`, one position each. `scratch`: two
// vectors per work-item. Grid: data->nchunks·ceil(nvecs / vectors) work-groups; with MOST_VECS > 1 work-groups
// of one work-item.
// bnorm_nhwc_vector_finish: see bnorm_finish() and bnorm_again() in clh/bnorm_finish.h.
// bnorm_nhwc_vector_apply: data->piece_elems positions of data->item_vecs vectors of channels per work-item,
// grid x ≥ N·data->npieces·data->nshares. dst may be src.
// Numerics: f32; sums of differences from a value of the channel, in chunks that are added in a fixed order.
// -D: SRC, DST, WS, VEC, WITH_ADDEND, WITH_RELU, WITH_WS; MOST_VECS: upper bound of `vectors` and
// data->item_vecs, above 1 on CPU-type devices only; those of clh/post_ops.h.
#ifndef MOST_VECS
#error "ocl_bnorm_nhwc_vector needs MOST_VECS"
#endif

#include "clh/bnorm_finish.h"

// The values of VEC channels; `fallback` for padded ones.
static floatv load_channels(__global const float *p, int c, int channels, float fallback)
{
    if (c + VEC <= channels) return vloadv(p + c);
    float values[VEC];
    for (int i = 0; i < VEC; ++i) values[i] = c + i < channels ? p[c + i] : fallback;
    return vloadv(values);
}

// Sums of VEC channels about a centre.
typedef struct {
    floatv centre, sum, squares;
} sums_t;

static inline void add_vector(sums_t *sums, floatv x)
{
    const floatv y = x - sums->centre;
    sums->sum += y;
    sums->squares += y * y;
}

#if MOST_VECS > 1

#if defined(NONTEMPORAL)
// A line two pages further on: the arithmetic fills the window in which a processor looks ahead.
#define FETCH_AHEAD(p) PREFETCH_LINE((p) + 8192 / sizeof(SRC_T))
#else
#define FETCH_AHEAD(p)
#endif

// `count` positions of `nvecs` vectors, alternating between the two halves: a hardware prefetcher stops at the end
// of a page, and while the first lines of one page are missing, those of the other arrive.
static void sum_run(sums_t *sums, __global const SRC_T *src, int nvecs, int count, int step)
{
    const int half_count = count / 2;
    for (int k = 0; k < half_count; ++k) {
        for (int v = 0; v < nvecs; ++v) {
            FETCH_AHEAD(src + k * step + v * VEC);
            add_vector(&sums[v], SRC_LOADV(src, k * step + v * VEC));
        }
        for (int v = 0; v < nvecs; ++v) {
            FETCH_AHEAD(src + (half_count + k) * step + v * VEC);
            add_vector(&sums[v], SRC_LOADV(src, (half_count + k) * step + v * VEC));
        }
    }
    for (int k = 2 * half_count; k < count; ++k)
        for (int v = 0; v < nvecs; ++v) add_vector(&sums[v], SRC_LOADV(src, k * step + v * VEC));
}

#else

// Positions that are loaded before the first is used.
#define AT_ONCE 4

// A work-item's positions of a chunk: begin, begin + step …
static void sum_positions(sums_t *sums, __constant const ocl_bnorm_data_t *data,
        __global const SRC_T *src, int c, int begin, int end, int step)
{
    int s = begin % data->spatial, n = begin / data->spatial, i = begin;
    __global const SRC_T *image = src + channels_offset(&data->src, n, c);
    const bool is_aligned = ARE_ALIGNED(SRC_T, VEC, image, data->src_step)
            && ARE_ALIGNED(SRC_T, VEC, image, data->src.n);
    while (i < end) {
        if (s >= data->spatial) {
            n += s / data->spatial;
            s %= data->spatial;
            image = src + channels_offset(&data->src, n, c);
        }
        const int last = (AT_ONCE - 1) * step;
        if (is_aligned && i + last < end && s + last < data->spatial) {
            floatv x[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) {
                const int at = (s + k * step) * data->src_step;
                x[k] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, image + at), 0);
            }
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) add_vector(sums, x[k]);
            i += AT_ONCE * step;
            s += AT_ONCE * step;
        } else {
            add_vector(sums, SRC_LOADV(image, s * data->src_step));
            i += step;
            s += step;
        }
    }
}

#endif

static float bnorm_squares(__constant const ocl_bnorm_data_t *data, __global const SRC_T *src,
        float centre, int first, int step)
{
    float squares = 0.0f;
    for (int n = 0; n < data->batch; ++n) {
        for (int s = first; s < data->spatial; s += step) {
            const float x = SRC_LOAD(src, n * data->src.n + s * data->src_step) - centre;
            squares += x * x;
        }
    }
    return squares;
}

__kernel void bnorm_nhwc_vector_sums(__constant const ocl_bnorm_data_t *data, __global float *partials,
        long partials_off, __global const SRC_T *src, long src_off, int vectors,
        __local floatv *scratch)
{
    const int columns = (data->nvecs + vectors - 1) / vectors, group = (int)get_group_id(0);
#if MOST_VECS > 1
    const int chunk = group / columns, vector = (group - chunk * columns) * vectors;
    const int c = vector * VEC, nvecs = min(vectors, data->nvecs - vector);
    const int begin = chunk * data->chunk_elems;
    const int end = min(begin + data->chunk_elems, data->batch * data->spatial);
    const int middle = begin + (end - begin) / 2, n = middle / data->spatial;
    src += src_off;
    __global const SRC_T *centres = src + channels_offset(&data->src, n, c)
            + (middle - n * data->spatial) * data->src_step;
    sums_t sums[MOST_VECS];
    for (int v = 0; v < nvecs; ++v) {
        sums[v].centre = SRC_LOADV(centres, v * VEC);
        sums[v].sum = sums[v].squares = 0.0f;
    }
    for (int i = begin; i < end;) {
        const int image = i / data->spatial, s = i - image * data->spatial;
        const int count = min(end - i, data->spatial - s);
        sum_run(sums, src + channels_offset(&data->src, image, c) + s * data->src_step, nvecs, count,
                data->src_step);
        i += count;
    }
    partials += partials_off + (long)chunk * 3 * data->src.padded_channels + c;
    for (int v = 0; v < nvecs; ++v, partials += VEC) {
        vstorev(sums[v].sum, partials);
        vstorev(sums[v].squares, partials + data->src.padded_channels);
        vstorev(sums[v].centre, partials + 2 * data->src.padded_channels);
    }
#else
    const int chunk = group / columns, id = (int)get_local_id(0);
    const int vector = (group - chunk * columns) * vectors + id % vectors, c = vector * VEC;
    const int row = id / vectors, nrows = (int)get_local_size(0) / vectors;
    const int begin = chunk * data->chunk_elems;
    const int end = min(begin + data->chunk_elems, data->batch * data->spatial);
    sums_t sums = {0.0f, 0.0f, 0.0f};
    if (vector < data->nvecs) {
        const int middle = begin + (end - begin) / 2, n = middle / data->spatial;
        const int at = channels_offset(&data->src, n, c) + middle % data->spatial * data->src_step;
        sums.centre = SRC_LOADV(src + src_off, at);
        sum_positions(&sums, data, src + src_off, c, begin + row, end, nrows);
    }
    scratch[2 * id] = sums.sum;
    scratch[2 * id + 1] = sums.squares;
    barrier(CLK_LOCAL_MEM_FENCE);
    if (row > 0 || vector >= data->nvecs) return;
    for (int i = 1; i < nrows; ++i) {
        sums.sum += scratch[2 * (i * vectors + id)];
        sums.squares += scratch[2 * (i * vectors + id) + 1];
    }
    partials += partials_off + (long)chunk * 3 * data->src.padded_channels + c;
    vstorev(sums.sum, partials);
    vstorev(sums.squares, partials + data->src.padded_channels);
    vstorev(sums.centre, partials + 2 * data->src.padded_channels);
#endif
}

__kernel void bnorm_nhwc_vector_finish(BNORM_FINISH_PARAMS)
{
    bnorm_finish(data, partials + partials_off, mean + mean_off, variance + variance_off,
            data->batch * data->spatial, scratch);
    bnorm_again(data, mean + mean_off, variance + variance_off, src + src_off, scratch);
}

// The VEC channels of a work-item: how they become dst, and where they start in each tensor.
typedef struct {
    floatv mean, factor, shift;
    intv is_real; // not padding
    bool has_padding;
    __global const SRC_T *src, *addend;
    __global DST_T *dst;
    __global WS_T *ws;
} item_t;

static inline void normalize(__constant const ocl_bnorm_data_t *data, const item_t *item, int s,
        floatv x BNORM_CHAIN_PARAM)
{
    x = (x - item->mean) * item->factor + item->shift;
    // Padding is 0, so is not positive.
    x = bnorm_last_steps(x, item->addend, s * data->src_step, item->ws, s * data->ws_step BNORM_CHAIN_PASS);
    if (item->has_padding) x = select((floatv)0.0f, x, item->is_real);
    DST_STOREV(item->dst, s * data->dst_step, x);
}

// The vectors of channels from c on of image n.
#define ITEM_PARAMS \
    __constant const ocl_bnorm_data_t *data, __global const float *mean, \
            __global const float *variance, BNORM_PARAMS
#define ITEM_ARGS \
    data, mean + mean_off, variance + variance_off, src, src_off, addend, addend_off, scale, \
            scale_off, shift, shift_off, dst, dst_off, ws, ws_off
static inline item_t item_at(int n, int c, ITEM_PARAMS)
{
    const int channels = data->src.channels, src_c = channels_offset(&data->src, n, c);
    item_t item;
    item.has_padding = c + VEC > channels;
    item.is_real = lanes + c < channels;
    item.mean = load_channels(mean, c, channels, 0.0f);
    const floatv v = load_channels(variance, c, channels, 1.0f);
    item.factor = 1.0f / sqrt(v + data->epsilon);
    item.shift = 0.0f;
    if (data->has_scale) item.factor *= load_channels(scale + scale_off, c, channels, 0.0f);
    if (data->has_shift) item.shift = load_channels(shift + shift_off, c, channels, 0.0f);
    item.src = src + src_off + src_c;
    item.addend = addend + addend_off + src_c;
    item.dst = dst + dst_off + channels_offset(&data->dst, n, c);
    item.ws = ws + ws_off + (WITH_WS ? channels_offset(&data->ws, n, c) : 0);
    return item;
}

__kernel void bnorm_nhwc_vector_apply(__constant const ocl_bnorm_data_t *data,
        __global const float *mean, long mean_off, __global const float *variance,
        long variance_off, BNORM_PARAMS POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    int index = (int)get_global_id(0);
    if (data->is_reversed) index = data->batch * data->npieces * data->nshares - 1 - index;
    if (index < 0) return;
    const int first = take_digit(&index, data->nshares) * data->item_vecs;
    const int piece = take_digit(&index, data->npieces), n = index;
    if (n >= data->batch) return;
    int s = piece * data->piece_elems;
    const int end = min(s + data->piece_elems, data->spatial);
#if MOST_VECS > 1
    item_t items[MOST_VECS];
    const int nvecs = min(data->item_vecs, data->nvecs - first);
    for (int v = 0; v < nvecs; ++v) items[v] = item_at(n, (first + v) * VEC, ITEM_ARGS);
    // Alternating between the two halves: see sum_run().
    const int half_count = (end - s) / 2;
    for (int k = 0; k < 2 * half_count; ++k) {
        const int at = s + (k & 1) * half_count + (k >> 1);
        for (int v = 0; v < nvecs; ++v) {
            FETCH_AHEAD(items[v].src + at * data->src_step);
            const floatv x = SRC_LOADV(items[v].src, at * data->src_step);
            normalize(data, &items[v], at, x BNORM_CHAIN_ARG);
        }
    }
    for (s += 2 * half_count; s < end; ++s) {
        for (int v = 0; v < nvecs; ++v) {
            const floatv x = SRC_LOADV(items[v].src, s * data->src_step);
            normalize(data, &items[v], s, x BNORM_CHAIN_ARG);
        }
    }
#else
    const item_t item = item_at(n, first * VEC, ITEM_ARGS);
#if defined(SPLITS_UNALIGNED)
    if (ARE_ALIGNED(SRC_T, VEC, item.src, data->src_step)) {
        // src may be dst: what is loaded ahead of a store is this work-item's own.
        for (; s + AT_ONCE <= end; s += AT_ONCE) {
            floatv x[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) {
                const int at = (s + k) * data->src_step;
                x[k] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, item.src + at), 0);
            }
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) normalize(data, &item, s + k, x[k] BNORM_CHAIN_ARG);
        }
    }
#endif
    for (; s < end; ++s)
        normalize(data, &item, s, SRC_LOADV(item.src, s * data->src_step) BNORM_CHAIN_ARG);
#endif
}
