// SPDX-License-Identifier: Apache-2.0
// Batch normalisation, training, NCHW with contiguous planes. Several work-groups share a channel: each holds a
// segment in registers, exchanges its sums through a grid barrier (clh/grid_barrier.h) and normalises its segment.
// src is read once.
//
//   shape                by value, so that no load precedes the first use: shapes and strides; planes are
//                        contiguous; a channel has shape.nchunks segments of at most shape.chunk_elems
//                        vectors; a plane has shape.plane_vecs
//   mean, variance       [C] f32, each with its `long` offset, written if shape.has_outputs
//   BNORM_PARAMS         [N, C, shape.spatial] by shape.src, dst, ws; see clh/bnorm.h. dst may be src
//   barrier_slots, _off  slots of the grid barrier: [C, segments, 2] sums, squares; [C, segments] squares
//                        from the mean; [C] centres
//   max_polls            how often a slot is polled, see clh/grid_barrier.h
//   scratch, shared      one float per work-item, two floats
//   POST_OPS             eltwise relu
// bnorm_nchw_multi_group_start runs before it: clears the slots and stores the centres, an element of each
// channel. Grid: x ≥ C·(3·segments + 1).
// bnorm_nchw_multi_group: C·segments work-groups of GROUP_ITEMS work-items, those of a channel adjacent.
// shape.chunk_elems ≤ PER_ITEM·GROUP_ITEMS.
// Numerics: f32; differences from the centre are summed per work-item, then per segment, then over the channel,
// in a fixed order. A channel whose variance cancels is summed again from its mean.
// -D: ONE_PLANE: 1 if every segment lies in one plane, shape.nchunks = N·parts; 0 if segments ignore the ends of
// planes. PER_ITEM: vectors a work-item holds. GROUP_ITEMS: a power of two. Those of clh/bnorm.h, clh/grid_barrier.h,
// clh/kept_vec.h.
#if !defined(ONE_PLANE) || !defined(PER_ITEM) || !defined(GROUP_ITEMS)
#error "ocl_bnorm_nchw_multi_group needs ONE_PLANE, PER_ITEM, GROUP_ITEMS"
#endif

#include "clh/always_inline.h"
#include "clh/bnorm_plane.h"
#include "clh/kept_vec.h"
#include "clh/grid_barrier.h"

// A channel.
typedef struct {
    const ocl_bnorm_data_t *data;
    plane_t plane; // of the first image
    __global uint *slots, *again; // of the first piece
    float centre;
    int c, npieces;
    bool is_aligned; // src and dst, to vectors
} channel_t;

static inline plane_t plane_at(const channel_t *channel, int n)
{
    plane_t plane = channel->plane;
    plane.src += n * channel->data->src.n;
    plane.addend += n * channel->data->src.n;
    plane.dst += n * channel->data->dst.n;
    plane.ws += n * channel->data->ws.n;
    return plane;
}

// Where a piece lies: its vectors begin … end − 1, of an image if pieces are of one plane, else of the
// channel.
typedef struct {
    int image, begin, end;
} piece_t;

static inline piece_t piece_of(const ocl_bnorm_data_t *data, int index)
{
    piece_t piece = {0, index, data->plane_vecs.n};
#if ONE_PLANE
    piece.image = take_digit(&index, data->batch);
    piece.begin = index;
#else
    piece.end *= data->batch;
#endif
    piece.begin *= data->chunk_elems;
    piece.end = min(piece.end, piece.begin + data->chunk_elems);
    return piece;
}

static inline int vector_of(const piece_t *piece, int k)
{
    return piece->begin + (int)get_local_id(0) + k * GROUP_ITEMS;
}

// The image of a vector, and where the vector begins in its plane.
static inline int place_of(const channel_t *channel, const piece_t *piece, int v, int *image)
{
#if ONE_PLANE
    *image = piece->image;
    return v * VEC;
#else
    // split_digit() of clh/channels.h
    const ocl_divisor_t by = channel->data->plane_vecs;
    *image = (int)((mul_hi((uint)v, by.factor) + ((uint)v & by.own)) >> by.shift);
    return (v - *image * by.n) * VEC;
#endif
}

static inline __global const SRC_T *source_of(const channel_t *channel, const piece_t *piece, int v)
{
    int image;
    const int i = place_of(channel, piece, v, &image);
    return channel->plane.src + image * channel->data->src.n + i;
}

// At any address.
static inline kept_t load_vector(const channel_t *channel, const piece_t *piece, int v)
{
#if IS_RAW
    return rawv_load_any(source_of(channel, piece, v));
#else
    return SRC_LOADV(source_of(channel, piece, v), 0);
#endif
}

ALWAYS_INLINE void store_at(const channel_t *channel, const plane_t *plane, int i, kept_t x,
        affine_t a BNORM_CHAIN_PARAM)
{
    const floatv y = normalized(plane, i, kept_to_floatv(x), a BNORM_CHAIN_PASS);
#if IS_RAW
    if (channel->is_aligned) {
        rawv_store_streaming(rawv_of_floatv(y), plane->dst + i);
    } else {
        rawv_store_any(rawv_of_floatv(y), plane->dst + i);
    }
#else
    DST_STOREV(plane->dst + i, 0, y);
#endif
}

ALWAYS_INLINE void store_vector(
        const channel_t *channel, const piece_t *piece, int v, kept_t x, affine_t a BNORM_CHAIN_PARAM)
{
    int image;
    const int i = place_of(channel, piece, v, &image);
    const plane_t plane = plane_at(channel, image);
    store_at(channel, &plane, i, x, a BNORM_CHAIN_PASS);
}

// All loads without branches, beyond the end of nothing or of the last vector.
ALWAYS_INLINE void load_piece(kept_t *x, const channel_t *channel, const piece_t *piece)
{
#if IS_RAW && ONE_PLANE
    if (channel->is_aligned) {
        __global const SRC_T *from = source_of(channel, piece, vector_of(piece, 0));
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k)
            x[k] = rawv_load_streaming_or(
                    from + k * GROUP_ITEMS * VEC, vector_of(piece, k) < piece->end, 0u);
        return;
    }
#elif IS_RAW
    if (channel->is_aligned) {
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k) {
            const int v = vector_of(piece, k);
            x[k] = rawv_load_streaming_or(source_of(channel, piece, v), v < piece->end, 0u);
        }
        return;
    }
#endif
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k)
        x[k] = load_vector(channel, piece, min(vector_of(piece, k), piece->end - 1));
}

ALWAYS_INLINE void store_piece(
        const channel_t *channel, const kept_t *x, const piece_t *piece, const plane_t *plane,
        affine_t a BNORM_CHAIN_PARAM)
{
    plane_t own = *plane;
    const int first = vector_of(piece, 0) * VEC;
    own.addend += first, own.dst += first, own.ws += first;
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        const int v = vector_of(piece, k);
        if (v >= piece->end) continue;
#if ONE_PLANE
        store_at(channel, &own, k * GROUP_ITEMS * VEC, x[k], a BNORM_CHAIN_PASS);
#else
        store_vector(channel, piece, v, x[k], a BNORM_CHAIN_PASS);
#endif
    }
}

// Sums of x − centre and its squares over a piece.
ALWAYS_INLINE float2 sums_of(
        const channel_t *channel, kept_t *x, const piece_t *piece, float centre, __local float *scratch)
{
    floatv sums = 0.0f, squares = 0.0f;
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        floatv y = kept_to_floatv(x[k]) - centre;
        if (vector_of(piece, k) >= piece->end) y = 0.0f;
        sums += y;
        squares = fma(y, y, squares);
        kept_hide(&x[k], 0u);
    }
    return grid_group_sums((float2)(sum_lanes(sums), sum_lanes(squares)), scratch, GROUP_ITEMS);
}

// Keeps a piece in x, and posts its slots.
ALWAYS_INLINE void publish(kept_t *x, const channel_t *channel, int at, bool is_first, __local float *scratch)
{
    const piece_t piece = piece_of(channel->data, at);
    load_piece(x, channel, &piece);
    const float2 both = sums_of(channel, x, &piece, channel->centre, scratch);
    __global uint *slots = channel->slots + 2 * at;
    if (get_local_id(0) == 0 && (is_first || grid_may_post(slots, 2)))
        grid_post2(slots, both.s0, both.s1);
}

// Mean and variance, from the slots of all groups; false if some are not posted.
ALWAYS_INLINE bool collect(float2 *stats, const channel_t *channel, int max_polls, __local float *scratch,
        __local int *shared)
{
    __local float *collected = scratch + GROUP_ITEMS;
    if (get_local_id(0) < SLOT_STEP) {
        float2 sums = 0.0f;
        bool is_whole = true;
        for (int p = SLOT_FIRST; p < channel->npieces; p += SLOT_STEP) {
            float2 one;
            is_whole = grid_await2(&one, channel->slots + 2 * p, &max_polls) && is_whole;
            sums += one;
        }
        is_whole = slots_all(is_whole);
        const moments_t moments = {slots_sum(sums.s0), slots_sum(sums.s1), 0.0f};
        if (get_local_id(0) == 0) {
            const float count = (float)(channel->data->batch * channel->data->spatial);
            collected[0] = moments_mean(moments, channel->centre, count);
            collected[1] = moments_variance(moments, count);
            *shared = is_whole;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *stats = (float2)(collected[0], collected[1]);
    return *shared;
}

// The same of the squares from the mean m, for channels whose variance cancels.
ALWAYS_INLINE void publish_again(
        kept_t *x, const channel_t *channel, int at, float m, bool is_first, __local float *scratch)
{
    const piece_t piece = piece_of(channel->data, at);
    if (!is_first) load_piece(x, channel, &piece);
    const float2 both = sums_of(channel, x, &piece, m, scratch);
    __global uint *slot = channel->again + at;
    if (get_local_id(0) == 0 && (is_first || grid_may_post(slot, 1))) grid_post(slot, both.s1);
}

ALWAYS_INLINE bool collect_again(float *variance, const channel_t *channel, int max_polls,
        __local float *scratch, __local int *shared)
{
    __local float *collected = scratch + GROUP_ITEMS;
    if (get_local_id(0) < SLOT_STEP) {
        float squares = 0.0f;
        bool is_whole = true;
        for (int p = SLOT_FIRST; p < channel->npieces; p += SLOT_STEP) {
            float one;
            is_whole = grid_await(&one, channel->again + p, &max_polls) && is_whole;
            squares += one;
        }
        is_whole = slots_all(is_whole);
        squares = slots_sum(squares);
        if (get_local_id(0) == 0) {
            const float count = (float)(channel->data->batch * channel->data->spatial);
            collected[0] = divide_refined(squares, count);
            *shared = is_whole;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    *variance = collected[0];
    return *shared;
}

ALWAYS_INLINE float2 stats_of(kept_t *x, const channel_t *channel, int own, int max_polls,
        __local float *scratch, __local int *shared)
{
    float2 stats;
    publish(x, channel, own, true, scratch);
    if (!collect(&stats, channel, max_polls, scratch, shared)) {
        for (int turn = 0; turn <= channel->npieces; ++turn) {
            const int at = turn < channel->npieces ? turn : own;
            if (grid_is_missing(channel->slots + 2 * at, 2, turn == channel->npieces, shared))
                publish(x, channel, at, false, scratch);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        (void)collect(&stats, channel, 0, scratch, shared);
    }
    return stats;
}

ALWAYS_INLINE float variance_again(kept_t *x, const channel_t *channel, int own, float m, int max_polls,
        __local float *scratch, __local int *shared)
{
    float variance;
    barrier(CLK_LOCAL_MEM_FENCE);
    publish_again(x, channel, own, m, true, scratch);
    if (!collect_again(&variance, channel, max_polls, scratch, shared)) {
        for (int turn = 0; turn <= channel->npieces; ++turn) {
            const int at = turn < channel->npieces ? turn : own;
            if (grid_is_missing(channel->again + at, 1, turn == channel->npieces, shared))
                publish_again(x, channel, at, m, false, scratch);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        (void)collect_again(&variance, channel, 0, scratch, shared);
    }
    return variance;
}

static inline channel_t channel_of(const ocl_bnorm_data_t *data, int c, plane_t start,
        __global uint *barrier_slots)
{
    const int npieces = data->nchunks;
    channel_t channel;
    channel.data = data;
    channel.c = c;
    channel.npieces = npieces;
    channel.plane = start;
    // Runs are of one channel.
    channel.plane.src += c * data->src.block;
    channel.plane.addend += c * data->src.block;
    channel.plane.dst += c * data->dst.block;
    channel.plane.ws += c * data->ws.block;
    channel.slots = barrier_slots + 2 * c * npieces;
    channel.again = barrier_slots + (2 * data->src.channels + c) * npieces;
    channel.centre = as_float(barrier_slots[3 * data->src.channels * npieces + c]);
    channel.is_aligned = ARE_ALIGNED(SRC_T, VEC, channel.plane.src, data->src.n)
            && ARE_ALIGNED(DST_T, VEC, channel.plane.dst, data->dst.n);
    return channel;
}

__kernel void bnorm_nchw_multi_group_start(const ocl_bnorm_data_t shape, __global const SRC_T *src, long src_off,
        __global uint *barrier_slots, long barrier_slots_off)
{
    const int i = (int)get_global_id(0), nwords = 3 * shape.src.channels * shape.nchunks;
    const int c = i - nwords;
    if (c >= shape.src.channels) return;
    barrier_slots += barrier_slots_off;
    if (c < 0) {
        barrier_slots[i] = 0u;
    } else {
        src += src_off + c * shape.src.block;
        barrier_slots[i] = as_uint(SRC_LOAD(src, shape.batch / 2 * shape.src.n + shape.spatial / 2));
    }
}

GROUP_SIZE __kernel void bnorm_nchw_multi_group(
        const ocl_bnorm_data_t shape, __global float *mean, long mean_off,
        __global float *variance, long variance_off, BNORM_PARAMS, __global uint *barrier_slots,
        long barrier_slots_off, int max_polls, __local float *scratch, __local int *shared POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const ocl_bnorm_data_t *data = &shape;
    const int npieces = data->nchunks, c = (int)((uint)get_group_id(0) / (uint)npieces);
    const int own = (int)get_group_id(0) - c * npieces;
    const plane_t start = {src + src_off, addend + addend_off, dst + dst_off, ws + ws_off};
    const channel_t channel = channel_of(data, c, start, barrier_slots + barrier_slots_off);
    affine_t a = {0.0f, data->has_scale ? scale[scale_off + c] : 1.0f,
            data->has_shift ? shift[shift_off + c] : 0.0f};
    kept_t x[PER_ITEM];
    float2 stats = stats_of(x, &channel, own, max_polls, scratch, shared);
    if (stats.s1 == MOMENTS_AGAIN)
        stats.s1 = variance_again(x, &channel, own, stats.s0, max_polls, scratch, shared);
    if (data->has_outputs && own == 0 && get_local_id(0) == 0) {
        mean[mean_off + c] = stats.s0;
        variance[variance_off + c] = stats.s1;
    }
    a.mean = stats.s0;
    a.factor *= inverse_deviation(stats.s1, data->epsilon);
    const piece_t piece = piece_of(data, own);
    const plane_t plane = plane_at(&channel, piece.image);
    store_piece(&channel, x, &piece, &plane, a BNORM_CHAIN_ARG);
}
