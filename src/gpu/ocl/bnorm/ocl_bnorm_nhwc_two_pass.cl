// SPDX-License-Identifier: Apache-2.0
// Batch normalisation, training, contiguous NHWC. Pass 1 accumulates per-channel statistics over src from
// front to back; pass 2 normalises from back to front, because the end of src is then still in the cache.
//
//   shape          by value: sizes, flags; nvecs, plane_vecs: vectors of one line; nchunks: work-groups of pass 1.
//                  A line is as few positions as are whole vectors: one, or up to VEC where C is no multiple of VEC;
//                  it has COPIES of each channel
//   src            [N·spatial, C] SRC_T with its `long` offset
//   partials       [C, nchunks, 2] f32: sums of differences from an element of the channel, and of their squares
//   affine         [3, COPIES·C] f32: mean, factor, summand
//   mean, variance [C] f32, written if shape.has_outputs
//   BNORM_PARAMS   contiguous like src; see clh/bnorm.h. dst may be src
//   scratch        two vectors per work-item; for bnorm_nhwc_two_pass_finish one float
//   POST_OPS       eltwise relu
// bnorm_nhwc_two_pass_sums: grid of nchunks work-groups of GROUP_ITEMS ≥ nvecs work-items. A block is as many
// lines as the work-group covers at once; work-group g takes tiles g, g + nchunks, … of AT_ONCE blocks.
// bnorm_nhwc_two_pass_finish: C work-groups of FINISH_ITEMS work-items; affine from the partial sums, and from the
// elements behind the last vector.
// bnorm_nhwc_two_pass_apply: APPLY vectors per work-item, BLOCK apart; grid
// x ≥ ceil(nvectors / (APPLY·BLOCK))·BLOCK, nvectors = N·spatial·C / VEC, and at least one.
// Numerics: f32; differences from an element of the channel are summed per work-item, then per work-group, then
// over all work-groups, in a fixed order. A channel whose variance cancels is summed again from its mean.
// -D: APPLY, AT_ONCE, GROUP_ITEMS, FINISH_ITEMS: powers of two; BLOCK: vectors of a block; LANE_SHUFFLE; those of
// clh/bnorm.h, clh/raw_vec.h.
#if !defined(APPLY) || !defined(AT_ONCE) || !defined(BLOCK) || !defined(GROUP_ITEMS) || !defined(FINISH_ITEMS)
#error "ocl_bnorm_nhwc_two_pass needs APPLY, AT_ONCE, BLOCK, GROUP_ITEMS, FINISH_ITEMS"
#endif

#include "clh/bnorm_plane.h"
#include "clh/centred_sums.h"
#include "clh/lanes.h"
#include "clh/raw_vec.h"

// Whole vectors of src.
static inline int count_vectors(const ocl_bnorm_data_t *shape)
{
    return shape->batch * shape->spatial * shape->src.channels / VEC;
}

// The centre of a channel, whose first element is `src`: the median of three, for one may be far off.
static inline float centre_of(const ocl_bnorm_data_t *shape, __global const SRC_T *src)
{
    const long count = shape->batch * shape->spatial, channels = shape->src.channels;
    const float a = SRC_LOAD(src, count / 4 * channels), b = SRC_LOAD(src, count / 2 * channels);
    const float c = SRC_LOAD(src, count * 3 / 4 * channels);
    return fmax(fmin(a, b), fmin(fmax(a, b), c));
}

// Of the tiles of a group.
static inline void add_tiles(centred_sums_t *sums, __global const SRC_T *src, int ngroups, int nvectors)
{
    const int tile = AT_ONCE * BLOCK, id = (int)get_local_id(0);
#if IS_RAW
    const bool is_aligned = ARE_ALIGNED(SRC_T, VEC, src, 0);
#endif
    for (int first = (int)get_group_id(0) * tile; first < nvectors; first += ngroups * tile) {
#if IS_RAW
        if (is_aligned && first + tile <= nvectors) {
            __global const SRC_T *from = src + (long)(first + id) * VEC;
            rawv x[AT_ONCE];
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) x[k] = rawv_load(from + k * BLOCK * VEC);
            // Compilers order loads by the registers they want to use, two at a time.
            rawv_join(x, AT_ONCE, (uint)ngroups >> 31);
#pragma unroll
            for (int k = 0; k < AT_ONCE; ++k) add_centred(sums, rawv_to_floatv(x[k]));
            continue;
        }
#endif
#pragma unroll 1
        for (int v = first + id; v < min(first + tile, nvectors); v += BLOCK)
            add_centred(sums, SRC_LOADV(src, (long)v * VEC));
    }
}

// The sums of `nrows` work-items nvecs apart, for the first nvecs work-items.
static inline void add_rows(centred_sums_t *sums, int nrows, int nvecs, __local floatv *scratch)
{
    const int id = (int)get_local_id(0), row = id / nvecs;
    int half_rows = 1;
    while (2 * half_rows < nrows) half_rows *= 2;
    scratch[2 * id] = sums->sum;
    scratch[2 * id + 1] = sums->squares;
    for (; half_rows > 0; half_rows /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (row < half_rows && row + half_rows < nrows) {
            const int other = id + half_rows * nvecs;
            scratch[2 * id] = sums->sum += scratch[2 * other];
            scratch[2 * id + 1] = sums->squares += scratch[2 * other + 1];
        }
    }
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void bnorm_nhwc_two_pass_sums(
        const ocl_bnorm_data_t shape, __global float *partials, long partials_off,
        __global const SRC_T *src, long src_off, __local floatv *scratch)
{
    const int id = (int)get_local_id(0), nvecs = shape.nvecs;
    centred_sums_t sums = {0.0f, 0.0f, 0.0f};
    __local float *centres = (__local float *)scratch;
    src += src_off;
    const int channels = shape.src.channels;
    for (int i = id; i < nvecs * VEC; i += GROUP_ITEMS) centres[i] = centre_of(&shape, src + i % channels);
    barrier(CLK_LOCAL_MEM_FENCE);
    if (BLOCK == GROUP_ITEMS || id < BLOCK) {
        sums.centre = vloadv(centres + id % nvecs * VEC);
        add_tiles(&sums, src, shape.nchunks, count_vectors(&shape));
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    add_rows(&sums, BLOCK / nvecs, nvecs, scratch);
    barrier(CLK_LOCAL_MEM_FENCE);
    // The first nvecs work-items' vectors of sums, each with its squares behind it.
    __local const float *totals = (__local const float *)scratch;
    __global float2 *to = (__global float2 *)(partials + partials_off) + get_group_id(0);
    for (int c = id; c < channels; c += GROUP_ITEMS) {
        float2 total = 0.0f;
        for (int i = c; i < nvecs * VEC; i += channels) {
            const int at = i / VEC * (2 * VEC) + i % VEC;
            total += (float2)(totals[at], totals[at + VEC]);
        }
        to[(long)c * shape.nchunks] = total;
    }
}

// Elements that a work-item loads before it adds the first.
#define AGAIN_AT_ONCE 8

__attribute__((reqd_work_group_size(FINISH_ITEMS, 1, 1))) __kernel void bnorm_nhwc_two_pass_finish(
        const ocl_bnorm_data_t shape, __global const float *partials, long partials_off,
        __global float *affine, long affine_off, __global float *mean,
        long mean_off, __global float *variance, long variance_off, __global const SRC_T *src,
        long src_off, __global const float *scale, long scale_off, __global const float *shift,
        long shift_off, __local float *scratch)
{
    const int id = (int)get_local_id(0), c = (int)get_group_id(0), channels = shape.src.channels;
    const int npositions = shape.batch * shape.spatial;
    __global const float2 *from = (__global const float2 *)(partials + partials_off);
    float2 sums = 0.0f;
    for (int g = id; g < shape.nchunks; g += FINISH_ITEMS) sums += from[(long)c * shape.nchunks + g];
    const float centre = centre_of(&shape, src + src_off + c);
    for (int i = count_vectors(&shape) * VEC + id; i < npositions * channels; i += FINISH_ITEMS) {
        const float x = i % channels == c ? SRC_LOAD(src + src_off, i) - centre : 0.0f;
        sums += (float2)(x, x * x);
    }
    const moments_t moments = {lanes_sum(sums.s0, scratch, FINISH_ITEMS),
            lanes_sum(sums.s1, scratch, FINISH_ITEMS), 0.0f};
    src += src_off + c;
    const float count = (float)npositions;
    const float m = moments_mean(moments, centre, count);
    float v = moments_variance(moments, count);
    if (v == MOMENTS_AGAIN) {
        float squares = 0.0f;
        for (int i = id; i < npositions; i += AGAIN_AT_ONCE * FINISH_ITEMS) {
            float x[AGAIN_AT_ONCE];
            for (int k = 0; k < AGAIN_AT_ONCE; ++k) {
                const long at = min(i + k * FINISH_ITEMS, npositions - 1);
                x[k] = SRC_LOAD(src, at * channels) - m;
            }
            for (int k = 0; k < AGAIN_AT_ONCE; ++k)
                if (i + k * FINISH_ITEMS < npositions) squares += x[k] * x[k];
        }
        v = divide_refined(lanes_sum(squares, scratch, FINISH_ITEMS), count);
    }
    if (id > 0) return;
    affine_t a = {m, inverse_deviation(v, shape.epsilon), 0.0f};
    if (shape.has_scale) a.factor *= scale[scale_off + c];
    if (shape.has_shift) a.shift = shift[shift_off + c];
    const int wide = shape.nvecs * VEC;
    affine += affine_off;
    for (int i = c; i < wide; i += channels) {
        affine[i] = a.mean;
        affine[wide + i] = a.factor;
        affine[2 * wide + i] = a.shift;
    }
    if (!shape.has_outputs) return;
    mean[mean_off + c] = m;
    variance[variance_off + c] = v;
}

// How the VEC channels of a work-item become dst, and the tensors' other parts in it.
typedef struct {
    floatv mean, factor, shift;
    __global const SRC_T *addend;
    __global WS_T *ws;
} item_t;

// dst, from src's x, of the vector that begins at element i; ws is written.
static inline floatv normalized_item(const item_t *item, long i, floatv x BNORM_CHAIN_PARAM)
{
    x = (x - item->mean) * item->factor + item->shift;
    return bnorm_last_steps(x, item->addend, i, item->ws, i BNORM_CHAIN_PASS);
}

__kernel void bnorm_nhwc_two_pass_apply(const ocl_bnorm_data_t shape, __global const floatv *affine,
        long affine_off, BNORM_PARAMS POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const int nvecs = shape.nvecs, nvectors = count_vectors(&shape);
    const int ntiles = (nvectors + APPLY * BLOCK - 1) / (APPLY * BLOCK);
    const int index = ntiles * BLOCK - 1 - (int)get_global_id(0);
    if (get_global_id(0) == 0) {
        const plane_t all = {src + src_off, addend + addend_off, dst + dst_off, ws + ws_off};
        const int end = shape.batch * shape.spatial * shape.src.channels;
        for (int i = nvectors * VEC; i < end; ++i) {
            __global const float *own = (__global const float *)(affine + affine_off) + i % shape.src.channels;
            const affine_t a = {own[0], own[nvecs * VEC], own[2 * nvecs * VEC]};
            normalize_one(&all, i, a BNORM_CHAIN_ARG);
        }
    }
    if (index < 0) return;
    int position = index % BLOCK;
    const int first = index / BLOCK * (APPLY * BLOCK) + position;
    affine += affine_off + divide_off(&position, shape.plane_vecs);
    const item_t item = {
            affine[0], affine[nvecs], affine[2 * nvecs], addend + addend_off, ws + ws_off};
    src += src_off;
    dst += dst_off;
#if IS_RAW
    if (first + (APPLY - 1) * BLOCK < nvectors && ARE_ALIGNED(SRC_T, VEC, src, 0)
            && ARE_ALIGNED(DST_T, VEC, dst, 0)) {
        const long i = (long)first * VEC;
        rawv x[APPLY];
#pragma unroll
        for (int k = 0; k < APPLY; ++k) x[k] = rawv_load(src + i + k * BLOCK * VEC);
        rawv_join(x, APPLY, (uint)shape.nchunks >> 31);
#pragma unroll
        for (int k = 0; k < APPLY; ++k) {
            const long at = i + k * BLOCK * VEC;
            const floatv y = normalized_item(&item, at, rawv_to_floatv(x[k]) BNORM_CHAIN_ARG);
            rawv_store_streaming(rawv_of_floatv(y), dst + at);
        }
        return;
    }
#endif
#pragma unroll 1
    for (int v = first; v < min(first + APPLY * BLOCK, nvectors); v += BLOCK) {
        const long i = (long)v * VEC;
        const floatv x = SRC_LOADV(src, i);
        DST_STOREV(dst, i, normalized_item(&item, i, x BNORM_CHAIN_ARG));
    }
}
