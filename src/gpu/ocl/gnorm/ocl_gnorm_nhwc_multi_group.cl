// SPDX-License-Identifier: Apache-2.0
// Group normalisation, contiguous NHWC, statistics from src. Several work-groups share an image's block of channels:
// each keeps a slice of positions on the chip, exchanges the sums of its groups through a grid barrier and normalises
// its slice (clh/gnorm_slices.h). src is read once.
//
//   from            by value, so that no load precedes the first use: sizes, flags; a block is whole groups
//   src             [N, spatial, C] SRC_T
//   mean, variance  [N, groups] f32, written if from.has_outputs
//   scale, shift    [C] f32; read if from.has_scale, from.has_shift
//   dst             [N, spatial, C] DST_T; may be src
//   barrier_slots, _off   slots of the grid barrier: [2, N, groups, nslices, 2] sums and squares, from the centre
//                   and from the mean; [N, groups] centres
//   max_polls       how often a slot is polled, see clh/grid_barrier.h
//   scratch         aligned to any vector: PER_LOCAL vectors of SRC for each work-item; floats: 2·PART for each
//                   work-item, two for each channel of a block, four for each group
//   shared          SHARED_INTS ints
//   LAST_PARAMS     clh/gnorm_nhwc_forward.h; POST_OPS without operands
// gnorm_nhwc_multi_group_start runs before it: clears the slots and stores the centres, an element of each group. Grid:
// x ≥ N·groups·(4·nslices + 1).
// gnorm_nhwc_multi_group: N·nslices·nblocks work-groups of GROUP_ITEMS work-items.
// Numerics: f32; differences from the centre are summed per work-item, then per slice, then over the group, in a fixed
// order. A group whose variance cancels is summed again from its mean.
// -D: those of clh/gnorm_nhwc_forward.h, clh/gnorm_slices.h.
#include "clh/gnorm_nhwc_forward.h"
#include "clh/gnorm_slices.h"
#include "clh/moments.h"
#include "clh/vec_sum.h"

// What a work-item adds up: of all channels of its vectors, or of each.
#if GROUPS_ARE_VECTORS
#define PART 1
typedef float partv;
#define partv_store(x, p) (*(p) = (x))
#else
#define PART VEC
typedef floatv partv;
#define partv_store vstorev
#endif

// The sums are taken from the centres, in the rare round AGAIN from the means.
enum { FIRST, AGAIN };
// Rows of the groups' statistics; the variance of the first sums may be MOMENTS_AGAIN.
enum { MEAN, FIRST_VARIANCE, VARIANCE, DEVIATION };

typedef struct {
    __global const SRC_T *src;
    __global uint *slots, *centres; // of all images
    __local src_vec_t *kept; // PER_LOCAL of each work-item
    __local float *parts, *params, *stats;
} place_t;

static inline void add_vector(partv *sums, partv *squares, floatv y)
{
#if GROUPS_ARE_VECTORS
    float values[VEC];
    vstorev(y, values);
    *sums += sum_lanes(y);
#pragma unroll
    for (int i = 0; i < VEC; ++i) *squares = fma(values[i], values[i], *squares);
#else
    *sums += y;
    *squares = fma(y, y, *squares);
#endif
}

// To local memory and to x. Beyond the end of a slice the vectors of its last position.
ALWAYS_INLINE void load_slice(src_vec_t *x, const block_t *block, const place_t *place, int slice)
{
    const int step = step_of(block), last = end_offset(block, slice) - block->data->channels;
    __global const SRC_T *from = place->src + slice_elem(block, slice);
    int at = first_offset(block);
    if (ARE_ALIGNED(SRC_T, VEC, place->src, 0)) {
        const copy_place_t to = copy_place(&LOCAL_AT(place->kept, 0));
#pragma unroll
        for (int k = 0; k < PER_LOCAL; ++k, at += step)
            LOCAL_COPY(place->kept, to, k, src_vec_at, from, min(at, last));
        copy_close();
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k, at += step) x[k] = src_vec_at(from, min(at, last));
        src_join(x, PER_ITEM, (uint)last >> 31);
    } else {
#pragma unroll
        for (int k = 0; k < PER_LOCAL; ++k, at += step) LOCAL_AT(place->kept, k) = src_vec_any(from, min(at, last));
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k, at += step) x[k] = src_vec_any(from, min(at, last));
    }
}

ALWAYS_INLINE void add_kept(partv *sums, partv *squares, src_vec_t *x, const block_t *block, const place_t *place,
        int slice, floatv centre, const bool is_whole)
{
    const int end = end_offset(block, slice), step = step_of(block);
    int at = first_offset(block) + PER_LOCAL * step;
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k, at += step) {
        src_hide(&x[k]);
        if (is_whole || at < end) add_vector(sums, squares, src_floats(x[k]) - centre);
    }
    copy_wait(0);
    at = first_offset(block);
#pragma unroll
    for (int k = 0; k < PER_LOCAL; ++k, at += step)
        if (is_whole || at < end) add_vector(sums, squares, src_floats(LOCAL_AT(place->kept, k)) - centre);
}

// Posts Σ (x − centre) and Σ (x − centre)² of the groups of a slice, which x and local memory keep.
ALWAYS_INLINE void publish(src_vec_t *x, const block_t *block, const place_t *place, __global uint *slots, int slice,
        floatv centre, bool is_own)
{
    const ocl_gnorm_nhwc_data_t *data = block->data;
    partv sums = (partv)(0.0f), squares = (partv)(0.0f);
    if (is_whole(block, slice))
        add_kept(&sums, &squares, x, block, place, slice, centre, true);
    else
        add_kept(&sums, &squares, x, block, place, slice, centre, false);
    __local float *own = place->parts + (int)get_local_id(0) * PART;
    partv_store(sums, own);
    partv_store(squares, own + GROUP_ITEMS * PART);
    barrier(CLK_LOCAL_MEM_FENCE);
    post_sums(block, slots, slice, is_own, place->parts, data->group_channels * PART / VEC, data->nrows,
            data->columns * PART, GROUP_ITEMS * PART);
}

static inline void set_stats(const block_t *block, const place_t *place, int round, int g, float2 sums)
{
    const float count = (float)block->data->group_channels * (float)block->data->spatial;
    const moments_t moments = {sums.s0, sums.s1, 0.0f};
    __local float *stats = place->stats + g;
    float variance = divide_refined(moments.squares, count);
    if (round == FIRST) {
        variance = moments_variance(moments, count);
        if (variance == MOMENTS_AGAIN) block->shared[IS_AGAIN] = 1;
        stats[MEAN * block->ngroups] = moments_mean(moments, as_float(place->centres[block->first_set + g]), count);
        stats[FIRST_VARIANCE * block->ngroups] = variance;
    } else if (stats[FIRST_VARIANCE * block->ngroups] != MOMENTS_AGAIN) {
        return;
    }
    stats[VARIANCE * block->ngroups] = variance;
    stats[DEVIATION * block->ngroups] = inverse_deviation(variance, block->data->epsilon);
}

// The statistics of all groups, from the slots of all slices; false if some are not posted.
ALWAYS_INLINE bool collect(
        const block_t *block, const place_t *place, __global uint *slots, int round, int max_polls)
{
    if (get_local_id(0) == 0) block->shared[IS_WHOLE] = 1, block->shared[IS_AGAIN] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_GROUPS(g) {
        float2 sums;
        if (!await_sums(&sums, block, slots, g, &max_polls)) block->shared[IS_WHOLE] = 0;
        if (is_first_of_team(block, g)) set_stats(block, place, round, g, sums);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return block->shared[IS_WHOLE];
}

// The statistics of the block, in local memory, from the own slice in x and what the others post.
ALWAYS_INLINE void take_statistics(
        src_vec_t *x, const block_t *block, const place_t *place, int round, floatv centre)
{
    const int nslices = block->data->nslices, own = block->part.piece;
    __global uint *slots = place->slots + round * round_words(block->data);
    publish(x, block, place, slots, own, centre, true);
#if RELAXED_ATOMICS // nobody waits elsewhere, and PoCL compiles this path twice
    if (collect(block, place, slots, round, block->max_polls)) return;
#endif
    for (int turn = 0; turn <= nslices; ++turn) {
        const int at = turn < nslices ? turn : own;
        if (!is_missing(block, slots, at, turn == nslices)) continue;
        load_slice(x, block, place, at);
        publish(x, block, place, slots, at, centre, false);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    (void)collect(block, place, slots, round, 0);
}

static inline floatv centres_of(const block_t *block, __global const uint *centres)
{
    const int size = block->data->group_channels, c = channel_of(block);
    centres += block->first_set;
#if GROUPS_ARE_VECTORS
    return (floatv)(as_float(centres[(uint)c / (uint)size]));
#else
    float values[VEC];
    for (int k = 0; k < VEC; ++k) values[k] = as_float(centres[(uint)(c + k) / (uint)size]);
    return vloadv(values);
#endif
}

// Scales and shifts of a block's channels, in local memory until the slice is stored.
ALWAYS_INLINE void fetch_params(
        const block_t *block, __local float *params, __global const float *scale, __global const float *shift)
{
    const int n = block->data->columns * VEC;
    for (int i = (int)get_local_id(0); i < n; i += GROUP_ITEMS) {
        params[i] = block->data->has_scale ? scale[block->part.first_channel + i] : 1.0f;
        params[n + i] = block->data->has_shift ? shift[block->part.first_channel + i] : 0.0f;
    }
}

// dst = (src − mean)·factor + summand.
typedef struct {
    floatv mean, factor, summand;
} affine_t;

static inline affine_t affine_of(const block_t *block, const place_t *place, floatv mean)
{
    __local const float *own = place->params + channel_of(block);
    affine_t a;
    a.mean = mean;
    a.factor = of_groups(block, place->stats + DEVIATION * block->ngroups) * vloadv(own);
    a.summand = vloadv(own + block->data->columns * VEC);
    return a;
}

ALWAYS_INLINE void store_vector(
        src_vec_t x, affine_t a, const last_steps_t *last, __global DST_T *to, const bool is_whole)
{
    const floatv y = finished(last, (src_floats(x) - a.mean) * a.factor + a.summand);
    if (is_whole)
        dst_store_streaming(to, 0, y);
    else
        DST_STOREV(to, 0, y);
}

ALWAYS_INLINE void store_kept(const block_t *block, const place_t *place, src_vec_t *x, affine_t a,
        const last_steps_t *last, __global DST_T *dst, const bool is_whole)
{
    const int end = end_offset(block, block->part.piece), step = step_of(block);
    int at = first_offset(block) + PER_LOCAL * step;
    dst += slice_elem(block, block->part.piece);
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k, at += step) {
        src_hide(&x[k]);
        if (is_whole || at < end) store_vector(x[k], a, last, dst + at, is_whole);
    }
    at = first_offset(block);
#pragma unroll
    for (int k = 0; k < PER_LOCAL; ++k, at += step)
        if (is_whole || at < end) store_vector(LOCAL_AT(place->kept, k), a, last, dst + at, is_whole);
}

ALWAYS_INLINE void store_slice(const block_t *block, const place_t *place, src_vec_t *x, affine_t a,
        const last_steps_t *last, __global DST_T *dst)
{
    if (block->part.is_idle) return;
    if (is_whole(block, block->part.piece) && ARE_ALIGNED(DST_T, VEC, dst, 0))
        store_kept(block, place, x, a, last, dst, true);
    else
        store_kept(block, place, x, a, last, dst, false);
}

__kernel void gnorm_nhwc_multi_group_start(SIZES(ocl_gnorm_nhwc_data_t), __global const SRC_T *src, long src_off,
        __global uint *barrier_slots, long barrier_slots_off)
{
    SIZES_OF(ocl_gnorm_nhwc_data_t, data);
    const long i = (long)get_global_id(0), set = i - 2 * round_words(data);
    if (set >= data->batch * data->groups) return;
    barrier_slots += barrier_slots_off;
    if (set < 0) {
        barrier_slots[i] = 0u;
    } else {
        int n = (int)set;
        const int c = take_digit(&n, data->groups) * data->group_channels;
        barrier_slots[i] = as_uint(centre_of(data, src + src_off, n, c));
    }
}

GROUP_SIZE __kernel void gnorm_nhwc_multi_group(SIZES(ocl_gnorm_nhwc_data_t), __global const SRC_T *src, long src_off,
        __global float *mean, long mean_off, __global float *variance, long variance_off,
        __global const float *scale, long scale_off, __global const float *shift, long shift_off,
        __global DST_T *dst, long dst_off, __global uint *barrier_slots, long barrier_slots_off, int max_polls,
        __local float16 *scratch, __local int *shared, LAST_PARAMS)
{
    SIZES_OF(ocl_gnorm_nhwc_data_t, data);
    const last_steps_t last = LAST_STEPS;
    const block_t block = block_of(data, max_polls, shared);
    __local src_vec_t *kept = (__local src_vec_t *)scratch;
    __local float *parts = (__local float *)(kept + PER_LOCAL * GROUP_ITEMS);
    __local float *params = parts + 2 * GROUP_ITEMS * PART, *stats = params + 2 * data->columns * VEC;
    barrier_slots += barrier_slots_off;
    const place_t place = {
            src + src_off, barrier_slots, barrier_slots + 2 * round_words(data), kept, parts, params, stats};
    src_vec_t x[PER_ITEM];
    load_slice(x, &block, &place, block.part.piece);
    fetch_params(&block, params, scale + scale_off, shift + shift_off);
    floatv centre = centres_of(&block, place.centres);
    for (int round = FIRST; round <= AGAIN; ++round) {
        take_statistics(x, &block, &place, round, centre);
        centre = of_groups(&block, stats + MEAN * block.ngroups);
        if (!shared[IS_AGAIN]) break;
    }
    for (int g = (int)get_local_id(0); g < block.ngroups && block.part.piece == 0 && data->has_outputs;
            g += GROUP_ITEMS) {
        mean[mean_off + block.first_set + g] = stats[MEAN * block.ngroups + g];
        variance[variance_off + block.first_set + g] = stats[VARIANCE * block.ngroups + g];
    }
    store_slice(&block, &place, x, affine_of(&block, &place, centre), &last, dst + dst_off);
}
