// SPDX-License-Identifier: Apache-2.0
// Gradients of group normalisation, contiguous NHWC, statistics of src. Several work-groups share an image's block of
// channels: each keeps a slice of positions of src and diff_dst on the chip, exchanges the sums of its groups through a
// grid barrier and computes its slice of diff_src (clh/gnorm_slices.h). Both are read once. y: diff_dst, x̂:
// (src − mean) / √(variance + ε).
//
//   from            by value, so that no load precedes the first use: sizes, flags; a block is whole groups
//   src, diff_dst   [N, spatial, C] SRC_T, DIFF_DST_T
//   mean, variance  [N, groups] f32
//   scale           [C] f32; read if from.has_scale
//   planes          [N·nslices, C] float2: Σ y and Σ y·x̂ of a slice, for norm_backward_channels; with WITH_PLANES
//   diff_src        [N, spatial, C] DIFF_SRC_T; may be diff_dst
//   barrier_slots, _off   slots of the grid barrier, 0: [N, groups, nslices, 2] Σ scale·y and Σ scale·y·x̂
//   max_polls       how often a slot is polled, see clh/grid_barrier.h
//   scratch         aligned to any vector: PER_LOCAL vectors of SRC and of DIFF_DST for each work-item; floats: 2·VEC for
//                   each work-item, one for each channel of a block, four for each group
//   shared          SHARED_INTS ints
// Grid: N·nslices·nblocks work-groups of GROUP_ITEMS work-items.
// Numerics: f32; sums of each channel per work-item, then per slice; of these over the channels of a group, then over the
// slices; in a fixed order.
// -D: WITH_PLANES, DIFF_DST, DIFF_SRC; those of clh/gnorm_slices.h.
#if !defined(WITH_PLANES) || !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT)
#error "ocl_gnorm_backward_nhwc_multi_group needs WITH_PLANES, DIFF_DST, DIFF_SRC"
#endif

#include "clh/gnorm_slices.h"
#include "clh/norm_gradient.h"

#define STORED(name) diff_src_##name
#define STORED_PREFIX(suffix) DIFF_SRC##suffix
#include "clh/stored_vec.inc"
#define STORED(name) diff_dst_##name
#define STORED_PREFIX(suffix) DIFF_DST##suffix
#include "clh/stored_vec.inc"

// Rows of what local memory has of each group.
enum { MEAN, DEVIATION, SLOPE, REST };

typedef struct {
    __global const SRC_T *src;
    __global const DIFF_DST_T *diff_dst;
    __global float2 *planes; // of the own slice
    __global uint *slots;    // of all images
    __local src_vec_t *x;      // PER_LOCAL of each work-item
    __local diff_dst_vec_t *y; // likewise
    __local float *parts, *scales, *stats;
} place_t;

// What a work-item keeps of a slice in registers.
typedef struct {
    src_vec_t x[PER_ITEM];
    diff_dst_vec_t y[PER_ITEM];
} kept_t;

// To local memory and to registers. Beyond the end of a slice the vectors of its last position.
ALWAYS_INLINE void load_slice(kept_t *kept, const block_t *block, const place_t *place, int slice)
{
    const int step = step_of(block), last = end_offset(block, slice) - block->data->channels;
    __global const SRC_T *src = place->src + slice_elem(block, slice);
    __global const DIFF_DST_T *diff_dst = place->diff_dst + slice_elem(block, slice);
    int at = first_offset(block);
    if (ARE_ALIGNED(SRC_T, VEC, place->src, 0) && ARE_ALIGNED(DIFF_DST_T, VEC, place->diff_dst, 0)) {
        const copy_place_t to_x = copy_place(&LOCAL_AT(place->x, 0)), to_y = copy_place(&LOCAL_AT(place->y, 0));
#pragma unroll
        for (int k = 0; k < PER_LOCAL; ++k, at += step) {
            LOCAL_COPY(place->x, to_x, k, src_vec_at, src, min(at, last));
            LOCAL_COPY(place->y, to_y, k, diff_dst_vec_at, diff_dst, min(at, last));
        }
        copy_close();
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k, at += step) {
            kept->x[k] = src_vec_at(src, min(at, last));
            kept->y[k] = diff_dst_vec_at(diff_dst, min(at, last));
        }
        src_join(kept->x, PER_ITEM, (uint)last >> 31);
        diff_dst_join(kept->y, PER_ITEM, (uint)last >> 31);
    } else {
#pragma unroll
        for (int k = 0; k < PER_LOCAL; ++k, at += step) {
            LOCAL_AT(place->x, k) = src_vec_any(src, min(at, last));
            LOCAL_AT(place->y, k) = diff_dst_vec_any(diff_dst, min(at, last));
        }
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k, at += step) {
            kept->x[k] = src_vec_any(src, min(at, last));
            kept->y[k] = diff_dst_vec_any(diff_dst, min(at, last));
        }
    }
}

// Σ y and Σ y·(src − mean), of VEC channels.
typedef struct {
    floatv mean, gradients, products;
} sums_t;

static inline void add_vectors(sums_t *sums, src_vec_t x, diff_dst_vec_t y)
{
    const floatv gradient = diff_dst_floats(y);
    sums->gradients += gradient;
    sums->products = fma(gradient, src_floats(x) - sums->mean, sums->products);
}

ALWAYS_INLINE void add_kept(
        sums_t *sums, kept_t *kept, const block_t *block, const place_t *place, int slice, const bool is_whole)
{
    const int end = end_offset(block, slice), step = step_of(block);
    int at = first_offset(block) + PER_LOCAL * step;
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k, at += step) {
        src_hide(&kept->x[k]);
        diff_dst_hide(&kept->y[k]);
        if (is_whole || at < end) add_vectors(sums, kept->x[k], kept->y[k]);
    }
    copy_wait(0);
    at = first_offset(block);
#pragma unroll
    for (int k = 0; k < PER_LOCAL; ++k, at += step)
        if (is_whole || at < end) add_vectors(sums, LOCAL_AT(place->x, k), LOCAL_AT(place->y, k));
}

// From sums of work-items to those of the channels of the slice, times scales, in their first row. The channels' sums go
// to planes as well, where the own slice's are the last.
ALWAYS_INLINE void add_rows(const block_t *block, const place_t *place)
{
    const int n = block->data->columns * VEC, size = block->data->group_channels;
    for (int c = (int)get_local_id(0); c < n; c += GROUP_ITEMS) {
        float2 sums = (float2)(0.0f);
        for (int row = 0; row < block->data->nrows; ++row)
            sums += (float2)(place->parts[row * n + c], place->parts[GROUP_ITEMS * VEC + row * n + c]);
        sums.s1 *= place->stats[DEVIATION * block->ngroups + (int)((uint)c / (uint)size)];
#if WITH_PLANES
        place->planes[block->part.first_channel + c] = sums;
#endif
        sums *= place->scales[c];
        place->parts[c] = sums.s0;
        place->parts[GROUP_ITEMS * VEC + c] = sums.s1;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
}

// Posts the sums of the groups of a slice, which is kept.
ALWAYS_INLINE void publish(kept_t *kept, const block_t *block, const place_t *place, int slice, bool is_own)
{
    sums_t sums = {of_groups(block, place->stats + MEAN * block->ngroups), (floatv)(0.0f), (floatv)(0.0f)};
    if (is_whole(block, slice))
        add_kept(&sums, kept, block, place, slice, true);
    else
        add_kept(&sums, kept, block, place, slice, false);
    __local float *own = place->parts + (int)get_local_id(0) * VEC;
    vstorev(sums.gradients, own);
    vstorev(sums.products, own + GROUP_ITEMS * VEC);
    barrier(CLK_LOCAL_MEM_FENCE);
    add_rows(block, place);
    post_sums(block, place->slots, slice, is_own, place->parts, block->data->group_channels, 1, 0, GROUP_ITEMS * VEC);
}

// Slope and rest of all groups, from the slots of all slices; false if some are not posted.
ALWAYS_INLINE bool collect(const block_t *block, const place_t *place, int max_polls)
{
    const float count = (float)block->data->group_channels * (float)block->data->spatial;
    if (get_local_id(0) == 0) block->shared[IS_WHOLE] = 1;
    barrier(CLK_LOCAL_MEM_FENCE);
    FOR_GROUPS(g) {
        float2 sums;
        if (!await_sums(&sums, block, place->slots, g, &max_polls)) block->shared[IS_WHOLE] = 0;
        if (!is_first_of_team(block, g)) continue;
        const float deviation = place->stats[DEVIATION * block->ngroups + g];
        place->stats[SLOPE * block->ngroups + g] = deviation * deviation * (sums.s1 / count);
        place->stats[REST * block->ngroups + g] = deviation * (sums.s0 / count);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    return block->shared[IS_WHOLE];
}

// Both of the block, in local memory, from the own slice and what the others post.
ALWAYS_INLINE void take_sums(kept_t *kept, const block_t *block, const place_t *place)
{
    const int nslices = block->data->nslices, own = block->part.piece;
    publish(kept, block, place, own, true);
#if RELAXED_ATOMICS // nobody waits elsewhere, and PoCL compiles this path twice
    if (collect(block, place, block->max_polls)) return;
#endif
    for (int turn = 0; turn <= nslices; ++turn) {
        const int at = turn < nslices ? turn : own;
        if (!is_missing(block, place->slots, at, turn == nslices)) continue;
        load_slice(kept, block, place, at);
        publish(kept, block, place, at, false);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    (void)collect(block, place, 0);
}

// Statistics and scales of the block, to local memory.
ALWAYS_INLINE void fetch_params(const block_t *block, const place_t *place, __global const float *mean,
        __global const float *variance, __global const float *scale)
{
    const ocl_gnorm_nhwc_data_t *data = block->data;
    for (int g = (int)get_local_id(0); g < block->ngroups; g += GROUP_ITEMS) {
        place->stats[MEAN * block->ngroups + g] = mean[block->first_set + g];
        place->stats[DEVIATION * block->ngroups + g] =
                inverse_deviation(variance[block->first_set + g], data->epsilon);
    }
    for (int c = (int)get_local_id(0); c < data->columns * VEC; c += GROUP_ITEMS)
        place->scales[c] = data->has_scale ? scale[block->part.first_channel + c] : 1.0f;
    barrier(CLK_LOCAL_MEM_FENCE);
}

static inline norm_gradient_t gradient_of(const block_t *block, const place_t *place)
{
    norm_gradient_t g;
    g.mean = of_groups(block, place->stats + MEAN * block->ngroups);
    g.factor = of_groups(block, place->stats + DEVIATION * block->ngroups) * vloadv(place->scales + channel_of(block));
    g.slope = of_groups(block, place->stats + SLOPE * block->ngroups);
    g.rest = of_groups(block, place->stats + REST * block->ngroups);
    return g;
}

ALWAYS_INLINE void store_vector(
        src_vec_t x, diff_dst_vec_t y, const norm_gradient_t *g, __global DIFF_SRC_T *to, const bool is_whole)
{
    const floatv z = norm_gradient_of(g, src_floats(x), diff_dst_floats(y));
    if (is_whole)
        diff_src_store_streaming(to, 0, z);
    else
        VEC_FORM(DIFF_SRC, STORE)(to, 0, z);
}

ALWAYS_INLINE void store_kept(const block_t *block, const place_t *place, kept_t *kept, const norm_gradient_t *g,
        __global DIFF_SRC_T *diff_src, const bool is_whole)
{
    const int end = end_offset(block, block->part.piece), step = step_of(block);
    int at = first_offset(block) + PER_LOCAL * step;
    diff_src += slice_elem(block, block->part.piece);
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k, at += step) {
        src_hide(&kept->x[k]);
        diff_dst_hide(&kept->y[k]);
        if (is_whole || at < end) store_vector(kept->x[k], kept->y[k], g, diff_src + at, is_whole);
    }
    at = first_offset(block);
#pragma unroll
    for (int k = 0; k < PER_LOCAL; ++k, at += step)
        if (is_whole || at < end)
            store_vector(LOCAL_AT(place->x, k), LOCAL_AT(place->y, k), g, diff_src + at, is_whole);
}

GROUP_SIZE __kernel void gnorm_backward_nhwc_multi_group(SIZES(ocl_gnorm_nhwc_data_t), __global const SRC_T *src,
        long src_off, __global const DIFF_DST_T *diff_dst, long diff_dst_off, __global const float *mean,
        long mean_off, __global const float *variance, long variance_off, __global const float *scale, long scale_off,
        __global float2 *planes, long planes_off, __global DIFF_SRC_T *diff_src, long diff_src_off,
        __global uint *barrier_slots, long barrier_slots_off, int max_polls, __local float16 *scratch,
        __local int *shared)
{
    SIZES_OF(ocl_gnorm_nhwc_data_t, data);
    const block_t block = block_of(data, max_polls, shared);
    __local src_vec_t *x = (__local src_vec_t *)scratch;
    __local diff_dst_vec_t *y = (__local diff_dst_vec_t *)(x + PER_LOCAL * GROUP_ITEMS);
    __local float *parts = (__local float *)(y + PER_LOCAL * GROUP_ITEMS);
    __local float *scales = parts + 2 * GROUP_ITEMS * VEC, *stats = scales + data->columns * VEC;
    planes += planes_off + ((long)block.part.n * data->nslices + block.part.piece) * data->channels;
    const place_t place = {src + src_off, diff_dst + diff_dst_off, planes, barrier_slots + barrier_slots_off, x, y,
            parts, scales, stats};
    kept_t kept;
    load_slice(&kept, &block, &place, block.part.piece);
    fetch_params(&block, &place, mean + mean_off, variance + variance_off, scale + scale_off);
    take_sums(&kept, &block, &place);
    if (block.part.is_idle) return;
    const norm_gradient_t g = gradient_of(&block, &place);
    diff_src += diff_src_off;
    if (is_whole(&block, block.part.piece) && ARE_ALIGNED(DIFF_SRC_T, VEC, diff_src, 0))
        store_kept(&block, &place, &kept, &g, diff_src, true);
    else
        store_kept(&block, &place, &kept, &g, diff_src, false);
}
