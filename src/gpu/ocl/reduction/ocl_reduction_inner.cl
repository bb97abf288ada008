// SPDX-License-Identifier: Apache-2.0
// Reduction of dimensions of which one is contiguous: ROW_ITEMS work-items of a work-group for each slice of the
// elements behind an element of dst.
//
//   data             loops and sizes (clh/shared/reduction_data.h)
//   src, src_off     SRC_T; its contiguous loop is reduced
//   out, out_off     HAS_SLICES: [nslices, ndst] f32 (s64 of bytes), joined by the last group of an element, which finds
//                    itself by `counters`, a word for each element, or by reduction_join_slices; else dst, of DST_T
//   POST_OPS         without operands
// Grid: ROW_ITEMS work-items for each slice of each element of dst, in work-groups of GROUP_ITEMS.
// Numerics: f32, bytes exact; VEC partial results of each work-item, then of the work-items, then of the slices.
// -D: those of clh/reduction_loops.h.
#include "clh/reduction_loops.h"

#if PEELS

// A row that begins at element `begin` of an aligned vector and ends before element `end` from there. Vectors from `last` on
// pass the end of src.
typedef struct {
    __global const SRC_T *src;
    uint begin, end;
    int last;
} row_t;

static inline row_t row_of(__global const SRC_T *src, uint n, __global const SRC_T *src_end)
{
    row_t row = {AS_ALIGNED(SRC_T, VEC, src), 0, 0, 0};
    row.begin = (uint)(src - row.src);
    row.end = row.begin + n;
    row.last = (int)min((long)(src_end - row.src) / VEC, (long)INT_MAX);
    return row;
}

static inline floatv edge_term(const row_t *row, uint i, floatv x, float p)
{
    const intv at = lanes + (int)(i * VEC);
    if (i >= (uint)row->last) {
        float some[VEC];
        for (int k = 0; k < VEC; ++k) {
            const uint place = i * VEC + (uint)k;
            some[k] = 0.0f;
            if (place >= row->begin && place < row->end) some[k] = SRC_LOAD(row->src, place);
        }
        x = termv(vloadv(some), p);
    }
    return select((floatv)(reduction_start(ALG)), x, at >= (int)row->begin && at < (int)row->end);
}

// Vectors that the work-item loads together: i, i + ROW_ITEMS, …; those from `end` on add nothing.
static inline floatv join_vectors(
        const row_t *row, floatv result, uint i, uint end, float p)
{
    floatv x[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
        const uint at = min(i + (uint)k * ROW_ITEMS, (uint)row->last - 1);
        x[k] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, row->src + min(at, end - 1) * VEC), 0);
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
        const uint at = i + (uint)k * ROW_ITEMS;
        x[k] = termv(x[k], p);
        if (at >= end) x[k] = (floatv)(reduction_start(ALG));
        else if (at * VEC < row->begin || (at + 1) * VEC > row->end) x[k] = edge_term(row, at, x[k], p);
    }
    return join_terms(result, x);
}

// The vectors begin + id, begin + id + ROW_ITEMS, … before end.
static inline joined_t reduce_vectors(const row_t *row, uint begin, uint end, float p)
{
    floatv result = (floatv)(reduction_start(ALG));
    for (uint i = begin + ((uint)get_local_id(0) & (ROW_ITEMS - 1)); i < end; i += AT_ONCE * ROW_ITEMS)
        result = join_vectors(row, result, i, end, p);
    return join_lanes(result);
}

#else

// Vectors that the work-item loads together: i, i + ROW_ITEMS, …; those from `end` on add nothing.
static inline floatv join_vectors(__constant const ocl_reduction_data_t *data, __global const SRC_T *src, floatv result,
        uint i, uint end, bool may_end)
{
    floatv x[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
        const uint at = i + (uint)k * ROW_ITEMS;
        const long place = vector_place(data, may_end ? min(at, end - 1) : at);
        x[k] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, src + place), 0);
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
        x[k] = termv(x[k], data->p);
        if (may_end && i + (uint)k * ROW_ITEMS >= end) x[k] = (floatv)(reduction_start(ALG));
    }
    return join_terms(result, x);
}

#if PACKED_MAX
static inline packed_t join_packed_vectors(
        __constant const ocl_reduction_data_t *data, __global const SRC_T *src, packed_t result, uint i)
{
    packed_t x[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) x[k] = packed_load(src + vector_place(data, i + (uint)k * ROW_ITEMS));
    return packed_join(result, packed_join_all(x, AT_ONCE, (uint)data->inner >> 31));
}
#endif

// The vectors begin + id, begin + id + ROW_ITEMS, … before end.
static inline joined_t reduce_vectors(
        __constant const ocl_reduction_data_t *data, __global const SRC_T *src, uint begin, uint end)
{
    floatv result = (floatv)(reduction_start(ALG));
    uint i = begin + ((uint)get_local_id(0) & (ROW_ITEMS - 1));
#if PACKED_MAX
    packed_t packed = PACKED_START;
    for (; i + (AT_ONCE - 1) * ROW_ITEMS < end; i += AT_ONCE * ROW_ITEMS)
        packed = join_packed_vectors(data, src, packed, i);
    result = packed_to_float8(packed);
#else
    for (; i + (AT_ONCE - 1) * ROW_ITEMS < end; i += AT_ONCE * ROW_ITEMS)
        result = join_vectors(data, src, result, i, end, false);
#endif
    if (i < end) result = join_vectors(data, src, result, i, end, true);
    return join_lanes(result);
}

#endif

// The same of elements.
static inline joined_t reduce_elements(
        __constant const ocl_reduction_data_t *data, __global const SRC_T *src, uint begin, uint end)
{
    float x[AT_ONCE];
    for (int k = 0; k < AT_ONCE; ++k) x[k] = reduction_start(ALG);
    const uint first = begin + ((uint)get_local_id(0) & (ROW_ITEMS - 1));
    for (uint i = first; i < end; i += AT_ONCE * ROW_ITEMS) {
        for (int k = 0; k < AT_ONCE; ++k) {
            const uint at = i + (uint)k * ROW_ITEMS;
            if (at >= end) continue;
            const float value = SRC_LOAD(src, element_place(data, at));
            x[k] = reduction_join(ALG, x[k], reduction_term(ALG, POWER ? (float)POWER : data->p, value));
        }
    }
    for (int k = 1; k < AT_ONCE; ++k) x[0] = reduction_join(ALG, x[0], x[k]);
    return to_joined(x[0]);
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void reduction_inner(
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
    __local joined_t scratch[GROUP_ITEMS];
    const int id = (int)get_local_id(0) & (ROW_ITEMS - 1);
    const long index = (long)get_group_id(0) * (GROUP_ITEMS / ROW_ITEMS) + (int)get_local_id(0) / ROW_ITEMS;
    const bool is_there = index < data->ndst * data->nslices;
    const long element = HAS_SLICES ? div_long(index, data->nslices) : index;
    src += src_off;
#if PEELS
    __global const SRC_T *const all = src;
#endif
    if (is_there) src += loops_offset(data->kept_extents, data->kept_src, data->nkept, element);
#if PEELS
    const row_t row = row_of(src, (uint)data->inner, all + data->src_span);
    const bool is_whole = row.last > 0;
    const uint n = is_whole ? (row.end + VEC - 1) / VEC : (uint)data->inner;
#else
    const bool is_whole = data->is_whole && ARE_ALIGNED(SRC_T, VEC, src, 0);
    const uint n = (uint)(data->nouter * (is_whole ? data->inner / VEC : data->inner));
#endif
    const uint per_slice = (n + (uint)data->nslices - 1) / (uint)data->nslices;
    const uint begin = min((uint)(index - element * data->nslices) * per_slice, n);
    const uint end = is_there ? min(begin + per_slice, n) : begin;
#if PEELS
    joined_t x = is_whole ? reduce_vectors(&row, begin, end, data->p) : reduce_elements(data, src, begin, end);
#else
    joined_t x = is_whole ? reduce_vectors(data, src, begin, end) : reduce_elements(data, src, begin, end);
#endif
    x = join_items(x, scratch, id, ROW_ITEMS, 1);
#if HAS_SLICES
    out += out_off + element;
    if (is_there && id == 0) store_part(out + (index - element * data->nslices) * data->ndst, x);
    // One slice of one element for each group.
    JOIN_SLICES(data, out, element, 0, 1, 1,
            loops_offset(data->kept_extents, data->kept_dst, data->nkept, element));
#else
    if (!is_there || id > 0) return;
    out_off += loops_offset(data->kept_extents, data->kept_dst, data->nkept, element);
    STORE_RESULT(data, out, out_off, x);
#endif
}
