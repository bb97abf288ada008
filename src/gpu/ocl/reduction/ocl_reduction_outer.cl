// SPDX-License-Identifier: Apache-2.0
// Reduction of dimensions none of which is contiguous: a work-group for a tile of neighbouring elements of dst, or for a
// slice of the rows behind them. Its work-items are ROW_ITEMS rows of COLUMN_ITEMS vectors.
//
//   data             loops and sizes (clh/shared/reduction_data.h); the last loop that stays is the contiguous one
//   src, src_off     SRC_T; its contiguous loop stays, and is contiguous in dst
//   out, out_off     HAS_SLICES: [nslices, ndst] f32 (s64 of bytes), joined by the last group of a tile, which finds
//                    itself by `counters`, a word for each tile, or by reduction_join_slices; else dst, of DST_T
//   POST_OPS         without operands
// Grid: tiles of COLUMN_ITEMS·VEC columns · outer loops that stay · nslices, in work-groups of GROUP_ITEMS.
// Numerics: f32, bytes exact; a partial result of each work-item for each of its elements, then of the rows of work-items, then of
// the slices.
// -D: those of clh/reduction_loops.h.
#include "clh/raw_vec.h"
#include "clh/reduction_loops.h"

#define COLUMN_ITEMS (GROUP_ITEMS / ROW_ITEMS)

// Rows that the work-item loads together: i, i + ROW_ITEMS, …; those from `end` on add nothing.
#if IS_RAW && !INTEGERS
// Whole rows in their storage type, all loaded before the first is used: compilers order loads by the registers they
// want to use.
static inline floatv join_raw_rows(
        __constant const ocl_reduction_data_t *data, __global const SRC_T *src, floatv result, long i)
{
    rawv raw[AT_ONCE];
    floatv x[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) raw[k] = rawv_load(src + outer_offset(data, i + k * ROW_ITEMS));
    rawv_join(raw, AT_ONCE, (uint)data->inner >> 31);
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) x[k] = termv(rawv_to_floatv(raw[k]), data->p);
    return join_terms(result, x);
}
#endif

#if PACKED_MAX
static inline packed_t join_packed_rows(
        __constant const ocl_reduction_data_t *data, __global const SRC_T *src, packed_t result, long i)
{
    packed_t x[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) x[k] = packed_load(src + outer_offset(data, i + k * ROW_ITEMS));
    return packed_join(result, packed_join_all(x, AT_ONCE, (uint)data->inner >> 31));
}
#endif

static inline floatv join_rows(__constant const ocl_reduction_data_t *data, __global const SRC_T *src, floatv result,
        long i, long end, bool may_end)
{
    floatv x[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
        const long at = i + k * ROW_ITEMS;
        const long place = outer_offset(data, may_end ? min(at, end - 1) : at);
        x[k] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, src + place), 0);
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
        x[k] = termv(x[k], data->p);
        if (may_end && i + k * ROW_ITEMS >= end) x[k] = (floatv)(reduction_start(ALG));
    }
    return join_terms(result, x);
}

// Rows begin, begin + ROW_ITEMS, … before end, of columns that are aligned vectors.
static inline floatv reduce_vectors(
        __constant const ocl_reduction_data_t *data, __global const SRC_T *src, long begin, long end)
{
    floatv result = (floatv)(reduction_start(ALG));
    long i = begin;
#if PACKED_MAX
    packed_t packed = PACKED_START;
    for (; i + (AT_ONCE - 1) * ROW_ITEMS < end; i += AT_ONCE * ROW_ITEMS)
        packed = join_packed_rows(data, src, packed, i);
    result = packed_to_float8(packed);
#else
    for (; i + (AT_ONCE - 1) * ROW_ITEMS < end; i += AT_ONCE * ROW_ITEMS)
#if IS_RAW && !INTEGERS
        result = join_raw_rows(data, src, result, i);
#else
        result = join_rows(data, src, result, i, end, false);
#endif
#endif
    return i < end ? join_rows(data, src, result, i, end, true) : result;
}

// The same of any `left` columns; those behind the last one repeat it.
static inline floatv reduce_elements(
        __constant const ocl_reduction_data_t *data, __global const SRC_T *src, long begin, long end, int left)
{
    floatv result = (floatv)(reduction_start(ALG));
#pragma unroll 1
    for (long i = begin; i < end; i += ROW_ITEMS) {
        __global const SRC_T *row = src + outer_offset(data, i);
        float x[VEC];
        for (int k = 0; k < VEC; ++k) x[k] = SRC_LOAD(row, min(k, left - 1));
        result = joinv(result, termv(vloadv(x), data->p));
    }
    return result;
}

// Joins the rows of work-items: the result is that of row 0. Each of them has 16384 bytes at most to an element, so that
// 32 bits hold the sums of all rows.
#if INTEGERS
typedef int part_t;
typedef intv partv;
#define to_partv(x) to_intv(clamp(x, (floatv)(-BEYOND_ALL), (floatv)(BEYOND_ALL)))

static inline intv join_parts(intv a, intv b)
{
    if (ALG == REDUCTION_MAX) return max(a, b);
    return ALG == REDUCTION_MIN ? min(a, b) : a + b;
}
#else
typedef float part_t;
typedef floatv partv;
#define to_partv(x) (x)
#define join_parts joinv
#endif

ALWAYS_INLINE partv join_item_rows(partv x, __local part_t *scratch)
{
    const int lane = (int)get_local_id(0), row = lane / COLUMN_ITEMS;
    __local part_t *own = scratch + lane * VEC;
    for (int n = ROW_ITEMS / 2; n > 0; n /= 2) {
        vstorev(x, own);
        barrier(CLK_LOCAL_MEM_FENCE);
        if (row < n) x = join_parts(x, vloadv(own + n * COLUMN_ITEMS * VEC));
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    return x;
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void reduction_outer(
        __constant const ocl_reduction_data_t *data, __global const SRC_T *src, long src_off,
#if HAS_SLICES
        __global joined_t *out, long out_off SLICES_PARAMS)
#else
        __global DST_T *out, long out_off POST_OPS_PARAMS)
#endif
{
#if HAS_SLICES
    SLICES_DECLARE;
#else
    POST_OPS_DECLARE;
#endif
    __local part_t scratch[GROUP_ITEMS * VEC];
    const int per_row = (int)(data->inner + VEC - 1) / VEC, ntiles = (per_row + COLUMN_ITEMS - 1) / COLUMN_ITEMS;
    const int outer_kept = (int)(data->ndst / data->inner);
    const int group = (int)get_group_id(0), lane = (int)get_local_id(0), row = lane / COLUMN_ITEMS;
    // Neighbouring work-groups have neighbouring tiles of one slice.
    const int line = group / ntiles, vector = (group - line * ntiles) * COLUMN_ITEMS + lane % COLUMN_ITEMS;
    const int slice = HAS_SLICES ? line / outer_kept : 0, kept = line - slice * outer_kept;
    const long per_slice = (data->nouter + data->nslices - 1) / data->nslices;
    const long begin = min(slice * per_slice, data->nouter), end = min(begin + per_slice, data->nouter);
    const long column = (long)min(vector, per_row - 1) * VEC;
    const int left = (int)min(data->inner - column, (long)VEC);
    src += src_off + column + loops_offset(data->kept_extents, data->kept_src, data->nkept - 1, kept);
    const bool is_whole = data->is_whole && ARE_ALIGNED(SRC_T, VEC, src, 0);
    const floatv own = is_whole ? reduce_vectors(data, src, begin + row, end)
                                : reduce_elements(data, src, begin + row, end, left);
    const partv joined = join_item_rows(to_partv(own), scratch);
#if HAS_SLICES
    out += out_off;
    if (row == 0 && vector < per_row) {
        part_t x[VEC];
        vstorev(joined, x);
        const long at = slice * data->ndst + kept * data->inner + column;
        for (int k = 0; k < left; ++k) store_part(out + at + k, x[k]);
    }
    const long first = (long)(vector - lane % COLUMN_ITEMS) * VEC;
    JOIN_SLICES(data, out + kept * data->inner, group - slice * outer_kept * ntiles, first, COLUMN_ITEMS * VEC,
            data->inner, loops_offset(data->kept_extents, data->kept_dst, data->nkept - 1, kept));
#else
    if (row > 0 || vector >= per_row) return;
    part_t x[VEC];
    vstorev(joined, x);
    out_off += column + loops_offset(data->kept_extents, data->kept_dst, data->nkept - 1, kept);
    for (int k = 0; k < left; ++k) STORE_RESULT(data, out, out_off + k, x[k]);
#endif
}
