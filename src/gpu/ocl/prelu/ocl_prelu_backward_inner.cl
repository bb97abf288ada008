// SPDX-License-Identifier: Apache-2.0
// Gradients of PReLU where src, diff_dst and diff_src have one layout and a weight is constant along its contiguous
// dimension: ROW_ITEMS work-items of a work-group for each slice of the elements that share a weight. src and diff_dst
// are read once, for both gradients.
//
//   data                     loops and sizes (clh/shared/reduction_data.h); dst is diff_weights
//   src, diff_dst, diff_src  SRC_T, with the strides of data->kept_src and data->reduced_src
//   wei                      DST_T, with the strides of data->kept_dst
//   out, out_off             HAS_SLICES: [nslices, ndst] f32, joined by reduction_join_slices; else diff_weights, DST_T
// Grid: ROW_ITEMS work-items for each slice of each weight, in work-groups of GROUP_ITEMS.
// Numerics: f32; VEC partial sums of each work-item, then of the work-items, then of the slices.
// -D: those of clh/reduction_loops.h, ALG = REDUCTION_SUM, no post-ops.
#include "clh/reduction_loops.h"

typedef struct {
    __global const SRC_T *src, *diff_dst;
    __global SRC_T *diff_src;
    float weight;
} rows_t;

static inline float take_element(const rows_t *r, long at)
{
    const float x = SRC_LOAD(r->src, at), g = SRC_LOAD(r->diff_dst, at);
    SRC_STORE(r->diff_src, at, x > 0.0f ? g : g * r->weight);
    return x > 0.0f ? 0.0f : x * g;
}

// Vectors that the work-item loads together: i, i + ROW_ITEMS, …, before `end`. Stores their gradients, and adds what
// they are to the weight's.
static inline floatv add_vectors(__constant const ocl_reduction_data_t *data, const rows_t *r, floatv sum, uint i,
        uint end, bool may_end)
{
    floatv x[AT_ONCE], g[AT_ONCE];
    long at[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
        const uint vector = i + (uint)k * ROW_ITEMS;
        at[k] = vector_place(data, may_end ? min(vector, end - 1) : vector);
        x[k] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, r->src + at[k]), 0);
        g[k] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, r->diff_dst + at[k]), 0);
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
        const bool is_there = !may_end || i + (uint)k * ROW_ITEMS < end;
        if (is_there)
            SRC_STOREV(AS_ALIGNED(SRC_T, VEC, r->diff_src + at[k]), 0, select(g[k] * r->weight, g[k], x[k] > 0.0f));
        x[k] = is_there ? select(x[k] * g[k], (floatv)(0.0f), x[k] > 0.0f) : (floatv)(0.0f);
    }
    return join_terms(sum, x);
}

// The vectors begin + id, begin + id + ROW_ITEMS, … before end.
static inline float take_vectors(__constant const ocl_reduction_data_t *data, const rows_t *r, uint begin, uint end)
{
    floatv sum = (floatv)(0.0f);
    uint i = begin + ((uint)get_local_id(0) & (ROW_ITEMS - 1));
    for (; i + (AT_ONCE - 1) * ROW_ITEMS < end; i += AT_ONCE * ROW_ITEMS) sum = add_vectors(data, r, sum, i, end, false);
    if (i < end) sum = add_vectors(data, r, sum, i, end, true);
    return join_lanes(sum);
}

// The same of elements.
static inline float take_elements(__constant const ocl_reduction_data_t *data, const rows_t *r, uint begin, uint end)
{
    const uint step = AT_ONCE * ROW_ITEMS;
    float sums[AT_ONCE];
    for (int k = 0; k < AT_ONCE; ++k) sums[k] = 0.0f;
    for (uint i = begin + ((uint)get_local_id(0) & (ROW_ITEMS - 1)); i < end; i += step) {
        for (int k = 0; k < AT_ONCE; ++k) {
            const uint at = i + (uint)k * ROW_ITEMS;
            if (at < end) sums[k] += take_element(r, element_place(data, at));
        }
    }
    for (int k = 1; k < AT_ONCE; ++k) sums[0] += sums[k];
    return sums[0];
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void prelu_backward_inner(
        __constant const ocl_reduction_data_t *data, __global const SRC_T *src, long src_off,
        __global const DST_T *wei, long wei_off, __global const SRC_T *diff_dst, long diff_dst_off,
        __global SRC_T *diff_src, long diff_src_off,
#if HAS_SLICES
        __global float *out, long out_off)
#else
        __global DST_T *out, long out_off)
#endif
{
    __local float scratch[GROUP_ITEMS];
    const int id = (int)get_local_id(0) & (ROW_ITEMS - 1);
    const long index = (long)get_group_id(0) * (GROUP_ITEMS / ROW_ITEMS) + (int)get_local_id(0) / ROW_ITEMS;
    const bool is_there = index < data->ndst * data->nslices;
    const long element = is_there ? index / data->nslices : 0;
    const long first = loops_offset(data->kept_extents, data->kept_src, data->nkept, element);
    wei_off += loops_offset(data->kept_extents, data->kept_dst, data->nkept, element);
    const rows_t r = {src + src_off + first, diff_dst + diff_dst_off + first, diff_src + diff_src_off + first,
            DST_LOAD(wei, wei_off)};
    const bool is_whole = data->is_whole && ARE_ALIGNED(SRC_T, VEC, r.src, 0) &&
            ARE_ALIGNED(SRC_T, VEC, r.diff_dst, 0) && ARE_ALIGNED(SRC_T, VEC, r.diff_src, 0);
    const uint n = (uint)(data->nouter * (is_whole ? data->inner / VEC : data->inner));
    const uint per_slice = (n + (uint)data->nslices - 1) / (uint)data->nslices;
    const uint begin = min((uint)(index - element * data->nslices) * per_slice, n);
    const uint end = is_there ? min(begin + per_slice, n) : begin;
    const float own = is_whole ? take_vectors(data, &r, begin, end) : take_elements(data, &r, begin, end);
    const float sum = join_items(own, scratch, id, ROW_ITEMS, 1);
    if (!is_there || id > 0) return;
#if HAS_SLICES
    out[out_off + (index - element * data->nslices) * data->ndst + element] = sum;
#else
    DST_STORE(out, out_off + loops_offset(data->kept_extents, data->kept_dst, data->nkept, element), sum);
#endif
}
