// SPDX-License-Identifier: Apache-2.0
// Batch normalisation, NCHW with contiguous planes: a work-group (or, on CPU-type devices, a work-item) per
// channel.
//
//   data                 shapes and strides; planes have step 1
//   mean, variance       [C] f32, each with its `long` offset
//   BNORM_PARAMS         [N, C, data->spatial] by data->src, dst, ws; see clh/bnorm.h
//   scratch              one float per work-item; bnorm_nchw_channel_per_group_train if GROUPED
//   partials             [data->nchunks, 3, C] f32: sums over images, see clh/bnorm_finish.h
//   POST_OPS             eltwise relu
// bnorm_nchw_channel_per_group_train: statistics of src, stored if data->has_outputs, then the normalisation.
// Grid: x ≥ C, a channel per work-item; if GROUPED, C work-groups of a power of two of work-items.
// bnorm_nchw_channel_per_group_sums, GROUPED: partial sums over data->chunk_elems images of a channel; grid
// of C·data->nchunks work-groups of a power of two of work-items, scratch likewise.
// bnorm_nchw_channel_per_group_finish: see bnorm_finish() and bnorm_again() in clh/bnorm_finish.h.
// bnorm_nchw_channel_per_group_apply: mean and variance are given; data->piece_items adjacent work-items take a
// piece of a plane, grid x ≥ N·C·data->npieces·data->piece_items. dst may be src.
// Numerics: f32; sums of differences; per-work-item sums, a tree reduction, then, on CPU-type devices, plane by plane.
// -D: SRC, DST, WS, VEC, GROUPED, WITH_ADDEND, WITH_RELU, WITH_WS, those of clh/post_ops.h.
#ifndef GROUPED
#error "ocl_bnorm_nchw_channel_per_group needs GROUPED"
#endif

#include "clh/bnorm_finish.h"
#include "clh/bnorm_plane.h"
#include "clh/reduce.h"

static inline void normalize_loaded(const plane_t *p, int i, floatv x, affine_t a BNORM_CHAIN_PARAM)
{
    DST_STOREV(p->dst, i, normalized(p, i, x, a BNORM_CHAIN_PASS));
}

static void normalize_vector(const plane_t *p, int i, affine_t a BNORM_CHAIN_PARAM)
{
    normalize_loaded(p, i, SRC_LOADV(p->src, i), a BNORM_CHAIN_PASS);
}

// Loads that come before the first use.
#define AT_ONCE 4

// Elements begin … end − 1 of a plane, every `step`-th vector of them from `first` on.
static void normalize(
        const plane_t *p, int begin, int end, affine_t a, int first, int step BNORM_CHAIN_PARAM)
{
    const int nvecs = (end - begin) / VEC;
    int i = first;
#if defined(SPLITS_UNALIGNED)
    if (ARE_ALIGNED(SRC_T, VEC, p->src + begin, 0)) {
        // src may be dst: what is loaded ahead of a store is this work-item's own.
        for (; i + (AT_ONCE - 1) * step < nvecs; i += AT_ONCE * step) {
            floatv x[AT_ONCE];
            for (int k = 0; k < AT_ONCE; ++k)
                x[k] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, p->src + begin + (i + k * step) * VEC), 0);
            for (int k = 0; k < AT_ONCE; ++k)
                normalize_loaded(p, begin + (i + k * step) * VEC, x[k], a BNORM_CHAIN_PASS);
        }
    }
#endif
    for (; i < nvecs; i += step) normalize_vector(p, begin + i * VEC, a BNORM_CHAIN_PASS);
    for (i = begin + nvecs * VEC + first; i < end; i += step)
        normalize_one(p, i, a BNORM_CHAIN_PASS);
}

// Elements of a plane that are added up on their own, so that no chain of additions grows long.
#define PIECE (1 << 18)

// Adds a work-item's part of a plane, or of a piece of it, of n elements: differences from the centre, and squares.
static moments_t add_plane(
        moments_t m, __global const SRC_T *src, int n, float centre, int first, int step)
{
    const int nvecs = n / VEC;
    floatv sum = 0.0f, squares = 0.0f;
    int i = first;
    if (ARE_ALIGNED(SRC_T, VEC, src, 0)) {
        for (; i + (AT_ONCE - 1) * step < nvecs; i += AT_ONCE * step) {
            floatv x[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k)
                x[k] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, src + (i + k * step) * VEC), 0) - centre;
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) {
                sum += x[k];
                squares += x[k] * x[k];
            }
        }
    }
    for (; i < nvecs; i += step) {
        const floatv x = SRC_LOADV(src, i * VEC) - centre;
        sum += x;
        squares += x * x;
    }
    m.sum += sum_lanes(sum);
    m.squares += sum_lanes(squares);
    for (i = nvecs * VEC + first; i < n; i += step) {
        const float x = SRC_LOAD(src, i) - centre;
        m.sum += x;
        m.squares += x * x;
    }
    return m;
}

#if GROUPED
// The planes of a channel as one row of units, data->plane_vecs.n of each plane: vectors where planes consist of them,
// else elements. Work-items of a group take adjacent units, whatever plane they are of.
static inline bool has_vector_units(__constant const ocl_bnorm_data_t *data)
{
    return data->plane_vecs.n < data->spatial;
}

static inline bool has_units(__constant const ocl_bnorm_data_t *data, __global const SRC_T *src)
{
    return !has_vector_units(data) || ARE_ALIGNED(SRC_T, VEC, src, data->src.n);
}

// Unit i of a row: its image, and its first element in the plane.
typedef struct {
    int image, at;
} unit_t;

static inline unit_t unit_of(__constant const ocl_bnorm_data_t *data, uint i, int elems)
{
    unit_t unit;
    unit.image = (int)i;
    unit.at = split_digit(&unit.image, &data->plane_vecs) * elems;
    return unit;
}

// Rounds of AT_ONCE units that are added up on their own.
#define ROUNDS 64

static moments_t sum_vectors(__constant const ocl_bnorm_data_t *data, __global const SRC_T *src, uint total,
        float centre, int first, int step)
{
    moments_t m = {0.0f, 0.0f, 0.0f};
    for (uint i = first; i < total;) {
        floatv sum = 0.0f, squares = 0.0f;
        for (int round = 0; round < ROUNDS && i < total; ++round, i += AT_ONCE * step) {
            floatv x[AT_ONCE];
            for (int k = 0; k < AT_ONCE; ++k) {
                const unit_t unit = unit_of(data, min(i + k * step, total - 1), VEC);
                x[k] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, src + unit.image * data->src.n + unit.at), 0);
            }
            for (int k = 0; k < AT_ONCE; ++k) {
                const floatv y = i + k * step < total ? x[k] - centre : (floatv)(0.0f);
                sum += y;
                squares += y * y;
            }
        }
        m.sum += sum_lanes(sum);
        m.squares += sum_lanes(squares);
    }
    return m;
}

// Elements that are loaded together.
#define ELEMENTS_AT_ONCE 8

static moments_t sum_elements(__constant const ocl_bnorm_data_t *data, __global const SRC_T *src, uint total,
        float centre, int first, int step)
{
    moments_t m = {0.0f, 0.0f, 0.0f};
    for (uint i = first; i < total;) {
        float sum = 0.0f, squares = 0.0f;
        for (int round = 0; round < ROUNDS && i < total; ++round, i += ELEMENTS_AT_ONCE * step) {
            float x[ELEMENTS_AT_ONCE];
            for (int k = 0; k < ELEMENTS_AT_ONCE; ++k) {
                const unit_t unit = unit_of(data, min(i + k * step, total - 1), 1);
                x[k] = SRC_LOAD(src, unit.image * data->src.n + unit.at);
            }
            for (int k = 0; k < ELEMENTS_AT_ONCE; ++k) {
                const float y = i + k * step < total ? x[k] - centre : 0.0f;
                sum += y;
                squares += y * y;
            }
        }
        m.sum += sum;
        m.squares += squares;
    }
    return m;
}

// Where the planes of an image begin: `p` has those of image 0.
static inline plane_t plane_of(__constant const ocl_bnorm_data_t *data, const plane_t *p, int image)
{
    plane_t plane = *p;
    plane.src += image * data->src.n;
    plane.addend += image * data->src.n;
    plane.dst += image * data->dst.n;
    plane.ws += image * data->ws.n;
    return plane;
}

static void normalize_units(__constant const ocl_bnorm_data_t *data, const plane_t *p, affine_t a, int first,
        int step BNORM_CHAIN_PARAM)
{
    const uint total = (uint)data->batch * (uint)data->plane_vecs.n;
    // src may be dst: what is loaded ahead of a store is this work-item's own.
    if (has_vector_units(data)) {
        for (uint i = first; i < total; i += AT_ONCE * step) {
            floatv x[AT_ONCE];
            unit_t units[AT_ONCE];
            for (int k = 0; k < AT_ONCE; ++k) {
                units[k] = unit_of(data, min(i + k * step, total - 1), VEC);
                __global const SRC_T *from = p->src + units[k].image * data->src.n + units[k].at;
                x[k] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, from), 0);
            }
            for (int k = 0; k < AT_ONCE && i + k * step < total; ++k) {
                const plane_t plane = plane_of(data, p, units[k].image);
                normalize_loaded(&plane, units[k].at, x[k], a BNORM_CHAIN_PASS);
            }
        }
        return;
    }
    for (uint i = first; i < total; i += ELEMENTS_AT_ONCE * step) {
        float x[ELEMENTS_AT_ONCE];
        unit_t units[ELEMENTS_AT_ONCE];
        for (int k = 0; k < ELEMENTS_AT_ONCE; ++k) {
            units[k] = unit_of(data, min(i + k * step, total - 1), 1);
            x[k] = SRC_LOAD(p->src, units[k].image * data->src.n + units[k].at);
        }
        for (int k = 0; k < ELEMENTS_AT_ONCE && i + k * step < total; ++k) {
            const plane_t plane = plane_of(data, p, units[k].image);
            normalize_loaded_one(&plane, units[k].at, x[k], a BNORM_CHAIN_PASS);
        }
    }
}
#endif

// The same of images begin … end − 1 of a channel.
static moments_t sum_images(__constant const ocl_bnorm_data_t *data, __global const SRC_T *src,
        int begin, int end, float centre, int first, int step)
{
    moments_t m = {0.0f, 0.0f, 0.0f};
#if GROUPED
    if (has_units(data, src)) {
        const uint total = (uint)(end - begin) * (uint)data->plane_vecs.n;
        src += begin * data->src.n;
        return has_vector_units(data) ? sum_vectors(data, src, total, centre, first, step)
                                      : sum_elements(data, src, total, centre, first, step);
    }
#endif
    for (int n = begin; n < end; ++n) {
        __global const SRC_T *plane = src + n * data->src.n;
        m = add_plane(m, plane, min(data->spatial, PIECE), centre, first, step);
        for (int at = PIECE; at < data->spatial; at += PIECE)
            m = add_plane(m, plane + at, min(data->spatial - at, PIECE), centre, first, step);
    }
    return m;
}

// The element in the middle of those images.
static float centre_of(
        __constant const ocl_bnorm_data_t *data, __global const SRC_T *src, int begin, int end)
{
    return SRC_LOAD(src, (begin + end) / 2 * data->src.n + data->spatial / 2);
}

static float bnorm_squares(__constant const ocl_bnorm_data_t *data, __global const SRC_T *src,
        float centre, int first, int step)
{
    return sum_images(data, src, 0, data->batch, centre, first, step).squares;
}

#if GROUPED
#define FIRST ((int)get_local_id(0))
#define STEP ((int)get_local_size(0))
#define TOTAL(x) group_sum(x, scratch)
#define SCRATCH_PARAM , __local float *scratch
#else
#define FIRST 0
#define STEP 1
#define TOTAL(x) (x)
#define SCRATCH_PARAM
#endif

__kernel void bnorm_nchw_channel_per_group_train(__constant const ocl_bnorm_data_t *data, __global float *mean,
        long mean_off, __global float *variance, long variance_off,
        BNORM_PARAMS SCRATCH_PARAM POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
#if GROUPED
    const int c = (int)get_group_id(0);
#else
    const int c = (int)get_global_id(0);
    if (c >= data->src.channels) return;
#endif
    const int first = FIRST;
    const float count = (float)(data->batch * data->spatial);
    const int src_c = channels_offset(&data->src, 0, c), dst_c = channels_offset(&data->dst, 0, c);
    src += src_off + src_c;
    const float centre = centre_of(data, src, 0, data->batch);
    moments_t moments = sum_images(data, src, 0, data->batch, centre, first, STEP);
    moments.sum = TOTAL(moments.sum);
    moments.squares = TOTAL(moments.squares);
    const float m = moments_mean(moments, centre, count);
    float v = moments_variance(moments, count);
    if (v == MOMENTS_AGAIN) {
        v = divide_refined(TOTAL(bnorm_squares(data, src, m, first, STEP)), count);
    }
    if (first == 0 && data->has_outputs) {
        mean[mean_off + c] = m;
        variance[variance_off + c] = v;
    }
    const affine_t a = affine_of(data, m, v, scale + scale_off, shift + shift_off, c);
#if GROUPED
    if (has_units(data, src)) {
        const plane_t planes = {src, addend + addend_off + src_c, dst + dst_off + dst_c,
                ws + ws_off + c * data->ws.block};
        normalize_units(data, &planes, a, first, STEP BNORM_CHAIN_ARG);
        return;
    }
#endif
    for (int n = 0; n < data->batch; ++n) {
        plane_t p;
        p.src = src + n * data->src.n;
        p.addend = addend + addend_off + src_c + n * data->src.n;
        p.dst = dst + dst_off + dst_c + n * data->dst.n;
        p.ws = ws + ws_off + c * data->ws.block + n * data->ws.n;
        normalize(&p, 0, data->spatial, a, first, STEP BNORM_CHAIN_ARG);
    }
}

#if GROUPED
__kernel void bnorm_nchw_channel_per_group_sums(__constant const ocl_bnorm_data_t *data, __global float *partials,
        long partials_off, __global const SRC_T *src, long src_off, __local float *scratch)
{
    const int channels = data->src.channels, chunk = (int)get_group_id(0) / channels;
    const int c = (int)get_group_id(0) - chunk * channels;
    const int begin = chunk * data->chunk_elems, end = min(begin + data->chunk_elems, data->batch);
    src += src_off + channels_offset(&data->src, 0, c);
    const float centre = centre_of(data, src, begin, end);
    const int first = (int)get_local_id(0), step = (int)get_local_size(0);
    const moments_t m = sum_images(data, src, begin, end, centre, first, step);
    const float sum = group_sum(m.sum, scratch), squares = group_sum(m.squares, scratch);
    if (first > 0) return;
    partials += partials_off + (long)chunk * 3 * data->src.padded_channels + c;
    partials[0] = sum;
    partials[data->src.padded_channels] = squares;
    partials[2 * data->src.padded_channels] = centre;
}

__kernel void bnorm_nchw_channel_per_group_finish(BNORM_FINISH_PARAMS)
{
    bnorm_finish(data, partials + partials_off, mean + mean_off, variance + variance_off,
            data->batch, scratch);
    bnorm_again(data, mean + mean_off, variance + variance_off, src + src_off, scratch);
}
#endif

__kernel void bnorm_nchw_channel_per_group_apply(__constant const ocl_bnorm_data_t *data, __global const float *mean,
        long mean_off, __global const float *variance, long variance_off,
        BNORM_PARAMS POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    int index = (int)get_global_id(0);
    if (data->is_reversed)
        index = data->batch * data->src.channels * data->npieces * data->piece_items - 1 - index;
    if (index < 0) return;
    const int item = take_digit(&index, data->piece_items);
    const int piece = take_digit(&index, data->npieces), c = take_digit(&index, data->src.channels);
    const int n = index;
    if (n >= data->batch) return;
    const affine_t a = affine_of(data, mean[mean_off + c], variance[variance_off + c],
            scale + scale_off, shift + shift_off, c);
    plane_t p;
    p.src = src + src_off + channels_offset(&data->src, n, c);
    p.addend = addend + addend_off + channels_offset(&data->src, n, c);
    p.dst = dst + dst_off + channels_offset(&data->dst, n, c);
    p.ws = ws + ws_off + c * data->ws.block + n * data->ws.n;
    const int begin = piece * data->piece_elems;
    const int end = min(begin + data->piece_elems, data->spatial);
    normalize(&p, begin, end, a, item, data->piece_items BNORM_CHAIN_ARG);
}
