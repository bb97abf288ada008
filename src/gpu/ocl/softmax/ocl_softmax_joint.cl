// SPDX-License-Identifier: Apache-2.0
// Softmax along the innermost dimension, several work-groups a row: each keeps a piece of the row in
// registers, tells the others its maximum and sum, waits for theirs (clh/meet.h), and finishes the
// piece. src is read once, as a rule.
//
//   src, src_off   [nrows, n] SRC_T
//   dst, dst_off   [nrows, n] DST_T; may be src
//   src_row, dst_row           distance of rows
//   src_scale … dst_scale_dt   see clh/softmax.h
//   n, npieces, piece_elems    elements of a row, its pieces, elements of all but the last
//   meetings, meetings_off     [nrows, npieces, 2] words, zero; see clh/meet.h
//   npolls         see clh/meet.h
//   scratch, shared            an entry an item and two, one
//   POST_OPS       without operands
// Grid: nrows·npieces groups of GROUP_ITEMS items, those of a row one after the other.
// piece_elems ≤ PER_ITEM·VEC·GROUP_ITEMS, a multiple of VEC.
// Numerics: f32; sums of the items, of the piece, of the row, in a fixed order.
// -D: PER_ITEM, GROUP_ITEMS: a power of two, those of clh/meet.h and clh/softmax_row.h.
#if !defined(PER_ITEM) || !defined(VEC) || !defined(GROUP_ITEMS)
#error "ocl_softmax_joint needs PER_ITEM, VEC, GROUP_ITEMS"
#endif

// A limit of registers is not heard together with the attribute.
#if REGISTERS
#define GROUP_SIZE
#else
#define GROUP_SIZE __attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1)))
#endif

// Items keep arrays in registers, which are passed on.
#define INLINE __attribute__((always_inline)) static inline

#include "clh/meet.h"
#include "clh/softmax_row.h"

#define STEP (GROUP_ITEMS * VEC)
// Where an exponential fits the element's place, it is computed once.
#define KEEPS_EXP (IS_RAW && SRC_DT == DT_F32 && !IS_LOG)

// What a row's groups tell each other, and then know.
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
    piece->n = min((int)row->n - at, piece_elems);
    piece->is_aligned = row->is_whole;
}

// At any address.
INLINE kept_t load_vector(const piece_t *piece, int i)
{
#if IS_RAW
    return rawv_load_any(piece->src + i);
#else
    return SRC_LOADV(piece->src + i, 0);
#endif
}

INLINE void store_vector(const softmax_end_t *end, const piece_t *piece, int i, floatv y)
{
#if !SOFTMAX_IS_BARE
    float values[VEC];
    vstorev(y, values);
    for (int k = 0; k < VEC; ++k) values[k] = softmax_finish(end, values[k], piece->dst + i + k);
    y = vloadv(values);
#endif
#if IS_RAW
    if (piece->is_aligned) {
        rawv_store_passing(rawv_of_floatv(y), piece->dst + i);
    } else {
        rawv_store_any(rawv_of_floatv(y), piece->dst + i);
    }
#else
    DST_STOREV(piece->dst, i, y);
#endif
}

static inline int place_of(int k)
{
    return (int)get_local_id(0) * VEC + k * STEP;
}

// All loads without branches; −∞ beyond the end.
INLINE void load_piece(kept_t *x, const piece_t *piece)
{
#if IS_RAW
    if (piece->is_aligned) {
        __global const SRC_T *from = piece->src + place_of(0);
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k)
            x[k] = rawv_load_passing_or(from + k * STEP, place_of(k) < piece->n, RAWV_SAME(-INFINITY));
        return;
    }
#endif
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        x[k] = kept_of_floatv((floatv)(-INFINITY));
        if (place_of(k) < piece->n) x[k] = load_vector(piece, place_of(k));
    }
}

static inline float finite(float top)
{
    return top == -INFINITY ? 0.0f : top;
}

// Becomes that of all lanes.
static inline void join_lanes(peak_t *peak)
{
    const float top = meet_max(peak->top);
    peak->sum = meet_sum(peak->sum * exp(peak->top - finite(top)));
    peak->top = top;
}

// Of the piece; `own_top` becomes the item's. With KEEPS_EXP x becomes e^(x − own_top).
INLINE void peak_of(peak_t *peak, kept_t *x, float *own_top, __local float *scratch)
{
    float top = -INFINITY, sum = 0.0f;
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        top = fmax(top, max_lanes(kept_to_floatv(x[k])));
        kept_hide(&x[k]);
    }
    *own_top = top;
    const float centre = centre_of(finite(top));
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        const floatv e = exp_from(kept_to_floatv(x[k]), centre);
        sum += sum_lanes(e);
        if (KEEPS_EXP) x[k] = kept_of_floatv(e);
        kept_hide(&x[k]);
    }
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
    const float group_top = meet_group_max(top, scratch, GROUP_ITEMS);
    peak->top = group_top;
    peak->sum = meet_group_sum(sum * exp(top - finite(group_top)), scratch, GROUP_ITEMS);
#endif
}

// Of the row, from what all its groups told; false if some did not.
INLINE bool hear(peak_t *peak, __global uint *words, int npieces, int npolls,
        __local float *scratch, __local int *shared)
{
    __local float *heard = scratch + GROUP_ITEMS;
    if (get_local_id(0) < MEET_STEP) {
        float top = -INFINITY, sum = 0.0f;
        bool is_whole = true;
        for (int p = MEET_FIRST; p < npieces; p += MEET_STEP) {
            float2 one;
            is_whole = meet_await2(&one, words + 2 * p, &npolls) && is_whole;
            const float larger = max_or_nan(top, one.s0), from = finite(larger);
            sum = sum * exp(top - from) + one.s1 * exp(one.s0 - from);
            top = larger;
        }
        is_whole = meet_all(is_whole);
        peak->top = top;
        peak->sum = sum;
        join_lanes(peak);
        if (get_local_id(0) == 0) {
            heard[0] = peak->top;
            heard[1] = peak->sum;
            *shared = is_whole;
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    peak->top = heard[0];
    peak->sum = heard[1];
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

INLINE floatv finished(kept_t x, float factor, norm_t norm)
{
    const floatv z = kept_to_floatv(x);
    return KEEPS_EXP ? z * factor : normalized(z, norm);
}

INLINE void store_piece(const softmax_end_t *end, const piece_t *piece, const kept_t *x,
        float own_top, norm_t norm)
{
    const float factor = KEEPS_EXP ? factor_of(norm, own_top) : 1.0f;
#if IS_RAW && SOFTMAX_IS_BARE
    if (piece->is_aligned) {
        __global DST_T *to = piece->dst + place_of(0);
#pragma unroll
        for (int k = 0; k < PER_ITEM; ++k)
            if (place_of(k) < piece->n)
                rawv_store_passing(rawv_of_floatv(finished(x[k], factor, norm)), to + k * STEP);
        return;
    }
#endif
#pragma unroll
    for (int k = 0; k < PER_ITEM; ++k) {
        if (place_of(k) < piece->n)
            store_vector(end, piece, place_of(k), finished(x[k], factor, norm));
    }
}

// Keeps a piece in x, and tells its words.
INLINE void tell(kept_t *x, float *own_top, const row_t *row, int at, int piece_elems,
        __global uint *words, bool is_first, __local float *scratch)
{
    piece_t piece;
    piece_init(&piece, row, at, piece_elems);
    peak_t peak;
    load_piece(x, &piece);
    peak_of(&peak, x, own_top, scratch);
    if (get_local_id(0) == 0 && (is_first || meet_may_tell(words + 2 * at, 2)))
        meet_tell2(words + 2 * at, peak.top, peak.sum);
}

GROUP_SIZE __kernel void softmax_joint(
        __global const SRC_T *src, long src_off, __global DST_T *dst, long dst_off,
        SOFTMAX_SCALE_PARAMS, long src_row, long dst_row, long n, int npieces, int piece_elems,
        __global uint *meetings, long meetings_off, int npolls,
        __local float *scratch, __local int *shared POST_OPS_PARAMS)
{
    const softmax_end_t end = SOFTMAX_END;
    const int row = (int)((uint)get_group_id(0) / (uint)npieces);
    const int own = (int)get_group_id(0) - row * npieces;
    const row_t whole = row_of(src + src_off + row * src_row, dst + dst_off + row * dst_row, n);
    __global uint *words = meetings + meetings_off + 2L * row * npieces;
    kept_t x[PER_ITEM];
    float own_top;
    tell(x, &own_top, &whole, own, piece_elems, words, true, scratch);
    peak_t peak;
    if (!hear(&peak, words, npieces, npolls, scratch, shared)) {
        for (int turn = 0; turn <= npieces; ++turn) {
            const int at = turn < npieces ? turn : own;
            if (meet_misses(words + 2 * at, 2, turn == npieces, shared))
                tell(x, &own_top, &whole, at, piece_elems, words, false, scratch);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
        (void)hear(&peak, words, npieces, 0, scratch, shared);
    }
    piece_t piece;
    piece_init(&piece, &whole, own, piece_elems);
    store_piece(&end, &piece, x, own_top, norm_of(peak));
}
