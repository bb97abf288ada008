// SPDX-License-Identifier: Apache-2.0
// Reduction of dimensions of which one is contiguous: ROW_ITEMS work-items of a work-group for each slice of the
// elements behind an element of dst.
//
//   data             loops and sizes (clh/shared/reduction_data.h)
//   src, src_off     SRC_T; its contiguous loop is reduced
//   out, out_off     HAS_SLICES: [ndst, nslices] f32, joined by reduction_join_slices; else dst, of DST_T
//   POST_OPS         without operands
// Grid: ROW_ITEMS work-items for each slice of each element of dst, in work-groups of GROUP_ITEMS.
// Numerics: f32; VEC·AT_ONCE partial results of each work-item, then of the work-items, then of the slices.
// -D: those of clh/reduction_loops.h.
#include "clh/reduction_loops.h"

static inline floatv vector_at(__constant const ocl_reduction_data_t *data, __global const SRC_T *src, uint i,
        uint per_row)
{
    const long place = place_of(data, i, per_row, VEC);
    return termv(SRC_LOADV(AS_ALIGNED(SRC_T, VEC, src + place), 0), data->p);
}

// The vectors begin + id, begin + id + ROW_ITEMS, … before end.
static inline float reduce_vectors(
        __constant const ocl_reduction_data_t *data, __global const SRC_T *src, uint begin, uint end)
{
    const uint per_row = (uint)(data->inner / VEC);
    results_t r;
    start_results(&r);
    uint i = begin + ((uint)get_local_id(0) & (ROW_ITEMS - 1));
    for (; i + (AT_ONCE - 1) * ROW_ITEMS < end; i += AT_ONCE * ROW_ITEMS) {
        floatv x[AT_ONCE];
        for (int k = 0; k < AT_ONCE; ++k) x[k] = vector_at(data, src, i + (uint)k * ROW_ITEMS, per_row);
        for (int k = 0; k < AT_ONCE; ++k) r.x[k] = joinv(r.x[k], x[k]);
    }
    for (; i < end; i += ROW_ITEMS) r.x[0] = joinv(r.x[0], vector_at(data, src, i, per_row));
    return join_lanes(join_results(&r));
}

// The same of elements.
static inline float reduce_elements(
        __constant const ocl_reduction_data_t *data, __global const SRC_T *src, uint begin, uint end)
{
    const uint per_row = (uint)data->inner;
    float x[AT_ONCE];
    for (int k = 0; k < AT_ONCE; ++k) x[k] = reduction_start(ALG);
    const uint first = begin + ((uint)get_local_id(0) & (ROW_ITEMS - 1));
    for (uint i = first; i < end; i += AT_ONCE * ROW_ITEMS) {
        for (int k = 0; k < AT_ONCE; ++k) {
            const uint at = i + (uint)k * ROW_ITEMS;
            if (at >= end) continue;
            const float value = SRC_LOAD(src, place_of(data, at, per_row, 1));
            x[k] = reduction_join(ALG, x[k], reduction_term(ALG, POWER ? (float)POWER : data->p, value));
        }
    }
    for (int k = 1; k < AT_ONCE; ++k) x[0] = reduction_join(ALG, x[0], x[k]);
    return x[0];
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void reduction_rows(
        __constant const ocl_reduction_data_t *data, __global const SRC_T *src, long src_off,
#if HAS_SLICES
        __global float *out, long out_off)
#else
        __global DST_T *out, long out_off POST_OPS_PARAMS)
#endif
{
#if !HAS_SLICES
    POST_OPS_DECLARE;
#endif
    __local float scratch[GROUP_ITEMS];
    const int id = (int)get_local_id(0) & (ROW_ITEMS - 1);
    const long index = (long)get_group_id(0) * (GROUP_ITEMS / ROW_ITEMS) + (int)get_local_id(0) / ROW_ITEMS;
    const bool is_there = index < data->ndst * data->nslices;
    const long element = HAS_SLICES ? index / data->nslices : index;
    if (is_there) src += src_off + loops_offset(data->kept_extents, data->kept_src, data->nkept, element);
    const bool is_whole = data->is_whole && ARE_ALIGNED(SRC_T, VEC, src, 0);
    const uint n = (uint)(data->nouter * (is_whole ? data->inner / VEC : data->inner));
    const uint per_slice = (n + (uint)data->nslices - 1) / (uint)data->nslices;
    const uint begin = min((uint)(index - element * data->nslices) * per_slice, n);
    const uint end = is_there ? min(begin + per_slice, n) : begin;
    float x = is_whole ? reduce_vectors(data, src, begin, end) : reduce_elements(data, src, begin, end);
    x = join_row(x, scratch);
    if (!is_there || id > 0) return;
#if HAS_SLICES
    out[out_off + index] = x;
#else
    out_off += loops_offset(data->kept_extents, data->kept_dst, data->nkept, element);
    STORE_RESULT(data, out, out_off, x);
#endif
}
