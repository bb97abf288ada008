// SPDX-License-Identifier: Apache-2.0
// Softmax over the contiguous axis for rows too long for one work-group. Several work-groups share a row: each holds
// a segment in registers, exchanges its maximum and sum through a grid barrier (clh/grid_barrier.h), then scales its
// segment. src is read once unless the registers of a work-group are too few.
//
//   src, src_off   [nrows, n] SRC_T
//   dst, dst_off   [nrows, n] DST_T; may be src
//   src_row, dst_row           distance between rows in elements
//   src_scale … dst_scale_dt   see clh/softmax.h
//   n, npieces, piece_elems    elements of a row, its segments, elements of each segment but the last
//   barrier_slots, _off        [nrows, npieces, 2] slots of the grid barrier, zero; see clh/grid_barrier.h
//   max_polls                  how often a slot is polled, see clh/grid_barrier.h
//   scratch, shared            SCRATCH_OF_A_ROW(GROUP_ITEMS) floats (clh/shared/scratch_data.h), one int
//   POST_OPS       without operands
// Grid: nrows·npieces work-groups of GROUP_ITEMS work-items, those of a row adjacent.
// piece_elems ≤ PER_ITEM·VEC·GROUP_ITEMS, a multiple of VEC.
// Numerics: f32; sums per work-item, then per segment, then per row, in a fixed order. Segments of work-groups that
// did not report in time, and an own segment that does not fit registers, are read from memory again.
// -D: PER_ITEM: vectors a work-item holds; GROUP_ITEMS: a power of two; those of clh/grid_barrier.h and
// clh/softmax_row.h.
#if !defined(PER_ITEM) || !defined(VEC) || !defined(GROUP_ITEMS)
#error "ocl_softmax_multi_group needs PER_ITEM, VEC, GROUP_ITEMS"
#endif

#include "clh/always_inline.h"
#include "clh/grid_barrier.h"
#include "clh/shared/scratch_data.h"
#include "clh/softmax_row.h"

#define STEP (GROUP_ITEMS * VEC)
// Where an exponential fits the element's place, it is computed once.
#define KEEPS_EXP (IS_RAW && SRC_DT == DT_F32 && !IS_LOG)

// What the groups of a row exchange, and then know.
typedef struct {
    float top, sum;
} peak_t;

// A row's piece: n elements, whole vectors.
typedef struct {
    __global const SRC_T *src;
    __global DST_T *dst;
    int n;
    bool is_aligned; // both sides, to vectors
} piece_t;

static inline void piece_init(piece_t *piece, const row_t *row, int index, int piece_elems)
{
    const int at = index * piece_elems;
    piece->src = row->src + at;
    piece->dst = row->dst + at;
    piece->n = min(row->n - at, piece_elems);
    piece->is_aligned = row->is_whole;
}

ALWAYS_INLINE void store_vector(const softmax_end_t *end, const piece_t *piece, int i, floatv y)
{
#if !SOFTMAX_IS_BARE
    float values[VEC];
    vstorev(y, values);
    for (int k = 0; k < VEC; ++k) values[k] = softmax_finish(end, values[k], piece->dst + i + k);
    y = vloadv(values);
#endif
#if IS_RAW
    if (piece->is_aligned) {
        rawv_store_streaming(rawv_of_floatv(y), piece->dst + i);
        return;
    }
#endif
    DST_STOREV(piece->dst, i, y);
}

static inline int place_of(int k)
{
    return (int)get_local_id(0) * VEC + k * STEP;
}

static inline float finite(float top)
{
    return top == -INFINITY ? 0.0f : top;
}

// Becomes that of all lanes.
static inline void join_lanes(peak_t *peak)
{
    const float top = slots_max(peak->top);
    peak->sum = slots_sum(peak->sum * exp(peak->top - finite(top)));
    peak->top = top;
}

// Of the group from its work-items'.
ALWAYS_INLINE void join_group(peak_t *peak, float top, float sum, __local float *scratch)
{
#if LANE_SHUFFLE
    const int id = (int)get_local_id(0), nwarps = GROUP_ITEMS / LANES;
    peak->top = top;
    peak->sum = sum;
    join_lanes(peak);
    if (id % LANES == 0) {
        scratch[id / LANES] = peak->top;
        scratch[nwarps + id / LANES] = peak->sum;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // Of the warps, in the first lanes of each of them, and once more in the others.
    const int warp = id & (nwarps - 1);
    top = lanes_max_few(scratch[warp], nwarps);
    peak->sum = lanes_sum_few(scratch[nwarps + warp] * exp(scratch[warp] - finite(top)), nwarps);
    peak->top = top;
#else
    const float group_top = grid_group_max(top, scratch, GROUP_ITEMS);
    peak->top = group_top;
    peak->sum = grid_group_sum(sum * exp(top - finite(group_top)), scratch, GROUP_ITEMS);
#endif
}

// Of the row, from the slots of all its groups; false if some are not posted.
ALWAYS_INLINE bool collect(peak_t *peak, __global uint *slots, int npieces, int max_polls,
        __local float *scratch, __local int *shared)
{
    __local float *collected = scratch + SCRATCH_COLLECTED_AT(GROUP_ITEMS);
    if (get_local_id(0) < SLOT_STEP) {
        float top = -INFINITY, sum = 0.0f;
        bool is_whole = true;
        for (int p = SLOT_FIRST; p < npieces; p += SLOT_STEP) {
            float2 one;
            is_whole = grid_await2(&one, slots + 2 * p, &max_polls) && is_whole;
            const float larger = max_or_nan(top, one.s0), from = finite(larger);
            sum = sum * exp(top - from) + one.s1 * exp(one.s0 - from);
            top = larger;
        }
        is_whole = slots_all(is_whole);
        peak->top = top;
        peak->sum = sum;
        join_lanes(peak);
        if (get_local_id(0) == 0) {
            collected[0] = peak->top;
            collected[1] = peak->sum;
            *shared = is_whole;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    peak->top = collected[0];
    peak->sum = collected[1];
    return *shared;
}

// What an element loses, and its factor or summand.
typedef struct {
    float top, centre, rest;
} norm_t;

static inline norm_t norm_of(peak_t peak)
{
    const norm_t norm = {peak.top, centre_of(peak.top), IS_LOG ? log(peak.sum) : 1.0f / peak.sum};
    return norm;
}

// That of e^(x − own_top).
static inline float factor_of(norm_t norm, float own_top)
{
    return exp(own_top - finite(norm.top)) * norm.rest;
}

static inline floatv normalized(floatv x, norm_t norm)
{
    return IS_LOG ? x - norm.top - norm.rest : exp_from(x, norm.centre) * norm.rest;
}

#if IS_RAW
// All loads without branches; −∞ beyond the end.
ALWAYS_INLINE void load_piece(rawv *x, const piece_t *piece)
{
    __global const SRC_T *from = piece->src + place_of(0);
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k)
        x[k] = rawv_load_streaming_or(from + k * STEP, place_of(k) < piece->n, RAWV_SAME(-INFINITY));
}

// Of the piece; `own_top` becomes the work-item's. With KEEPS_EXP x becomes e^(x − own_top).
ALWAYS_INLINE void peak_of_kept(peak_t *peak, float *own_top, rawv *x, uint zero, __local float *scratch)
{
    float top = -INFINITY, sum = 0.0f;
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) top = fmax(top, max_lanes(rawv_to_floatv(x[k])));
    const float centre = centre_of(finite(top));
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        // By the sum before: all exponentials at once would need more registers than there are.
        rawv_hide(&x[k], zero & as_uint(sum));
        const floatv e = exp_from(rawv_to_floatv(x[k]), centre);
        sum += sum_lanes(e);
        if (KEEPS_EXP) x[k] = rawv_of_floatv(e);
    }
    *own_top = top;
    join_group(peak, top, sum, scratch);
}

ALWAYS_INLINE void store_kept(const softmax_end_t *end, const piece_t *piece, rawv *x, float own_top, uint zero, norm_t norm)
{
    const float factor = factor_of(norm, own_top);
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        if (place_of(k) >= piece->n) continue;
        rawv_hide(&x[k], zero);
        const floatv y = rawv_to_floatv(x[k]);
        store_vector(end, piece, place_of(k), KEEPS_EXP ? y * factor : normalized(y, norm));
    }
}
#endif

static inline floatv load_or_none(const piece_t *piece, int i)
{
    floatv x = (floatv)(i < piece->n ? 0.0f : -INFINITY); // see load_some()
    if (i < piece->n) x += SRC_LOADV(piece->src, i);
    return x;
}

// The same of a piece that is not kept.
ALWAYS_INLINE void peak_of_read(peak_t *peak, float *own_top, const piece_t *piece, __local float *scratch)
{
    float top = -INFINITY, sum = 0.0f;
#pragma unroll 1
    for (int k = 0; k < PER_ITEM; ++k)
        top = fmax(top, max_lanes(load_or_none(piece, place_of(k))));
    const float centre = centre_of(finite(top));
#pragma unroll 1
    for (int k = 0; k < PER_ITEM; ++k)
        sum += sum_lanes(exp_from(load_or_none(piece, place_of(k)), centre));
    *own_top = top;
    join_group(peak, top, sum, scratch);
}

ALWAYS_INLINE void store_read(const softmax_end_t *end, const piece_t *piece, float own_top, norm_t norm)
{
    const float centre = centre_of(finite(own_top)), factor = factor_of(norm, own_top);
#pragma unroll 1
    for (int i = place_of(0); i < piece->n; i += STEP) {
        const floatv x = SRC_LOADV(piece->src, i);
        store_vector(end, piece, i, KEEPS_EXP ? exp_from(x, centre) * factor : normalized(x, norm));
    }
}

// Of the row, computing the pieces of groups that did not post in time.
ALWAYS_INLINE void collect_alone(peak_t *peak, const row_t *row, __global uint *slots, int npieces,
        int piece_elems, __local float *scratch, __local int *shared)
{
    for (int at = 0; at < npieces; ++at) {
        if (!grid_is_missing(slots + 2 * at, 2, false, shared)) continue;
        piece_t piece;
        piece_init(&piece, row, at, piece_elems);
        float top;
        peak_of_read(peak, &top, &piece, scratch);
        if (get_local_id(0) == 0 && grid_may_post(slots + 2 * at, 2))
            grid_post2(slots + 2 * at, peak->top, peak->sum);
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    (void)collect(peak, slots, npieces, 0, scratch, shared);
}

GROUP_SIZE __kernel void softmax_multi_group(
        __global const SRC_T *src, long src_off, __global DST_T *dst, long dst_off,
        SOFTMAX_SCALE_PARAMS, long src_row, long dst_row, long n, int npieces, int piece_elems,
        __global uint *barrier_slots, long barrier_slots_off, int max_polls,
        __local float *scratch, __local int *shared POST_OPS_PARAMS)
{
    const softmax_end_t end = SOFTMAX_END;
    const int row = (int)((uint)get_group_id(0) / (uint)npieces);
    const int own = (int)get_group_id(0) - row * npieces;
    const row_t whole = row_of(src + src_off + row * src_row, dst + dst_off + row * dst_row, (int)n, 0);
    __global uint *slots = barrier_slots + barrier_slots_off + 2L * row * npieces;
    piece_t piece;
    piece_init(&piece, &whole, own, piece_elems);
    peak_t peak;
    float own_top;
#if IS_RAW
    rawv x[PER_ITEM];
    const bool is_kept = piece.is_aligned;
    if (is_kept) {
        load_piece(x, &piece);
        peak_of_kept(&peak, &own_top, x, (uint)max_polls >> 31, scratch);
    } else
#endif
        peak_of_read(&peak, &own_top, &piece, scratch);
    if (get_local_id(0) == 0) grid_post2(slots + 2 * own, peak.top, peak.sum);
    const bool is_whole = collect(&peak, slots, npieces, max_polls, scratch, shared);
#if IS_RAW
    if (is_kept && is_whole) {
        store_kept(&end, &piece, x, own_top, (uint)npieces >> 31, norm_of(peak));
        return;
    }
#endif
    // Few come here: what was kept is read again, which leaves registers to the others.
    if (!is_whole) collect_alone(&peak, &whole, slots, npieces, piece_elems, scratch, shared);
    store_read(&end, &piece, own_top, norm_of(peak));
}
