// SPDX-License-Identifier: Apache-2.0
// Reduction of dimensions none of which is contiguous: a work-item for VEC neighbouring elements of dst, or for a slice
// of the elements behind them.
//
//   data             loops and sizes (clh/shared/reduction_data.h); the last loop that stays is the contiguous one
//   src, src_off     SRC_T; its contiguous loop stays, and is contiguous in dst
//   out, out_off     HAS_SLICES: [ndst, nslices] f32, joined by reduction_join_slices; else dst, of DST_T
//   POST_OPS         without operands
// Grid: x ≥ vectors of dst · nslices, in work-groups of GROUP_ITEMS.
// Numerics: f32; AT_ONCE partial results of each element, then those of the slices.
// -D: those of clh/reduction_loops.h.
#include "clh/reduction_loops.h"

// VEC columns from the first one on; those behind the last one repeat it.
static inline floatv columns_at(__global const SRC_T *src, long left, bool is_whole)
{
    if (is_whole) return SRC_LOADV(AS_ALIGNED(SRC_T, VEC, src), 0);
    float x[VEC];
    for (int k = 0; k < VEC; ++k) x[k] = SRC_LOAD(src, min((long)k, left - 1));
    return vloadv(x);
}

static inline floatv reduce_columns(__constant const ocl_reduction_data_t *data, __global const SRC_T *src,
        long begin, long end, long left)
{
    const bool is_whole = data->is_whole && ARE_ALIGNED(SRC_T, VEC, src, 0);
    results_t r;
    start_results(&r);
    long i = begin;
    for (; i + AT_ONCE <= end; i += AT_ONCE) {
        floatv x[AT_ONCE];
        for (int k = 0; k < AT_ONCE; ++k) x[k] = columns_at(src + outer_offset(data, i + k), left, is_whole);
        for (int k = 0; k < AT_ONCE; ++k) r.x[k] = joinv(r.x[k], termv(x[k], data->p));
    }
    for (; i < end; ++i)
        r.x[0] = joinv(r.x[0], termv(columns_at(src + outer_offset(data, i), left, is_whole), data->p));
    return join_results(&r);
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void reduction_columns(
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
    const long per_row = (data->inner + VEC - 1) / VEC, outer_kept = data->ndst / data->inner;
    const long item = get_global_id(0);
    if (item >= per_row * outer_kept * data->nslices) return;
    // Neighbouring work-items have neighbouring columns of one slice.
    const long rows = div_long(item, per_row), column = (item - rows * per_row) * VEC;
    const long slice = HAS_SLICES ? div_long(rows, outer_kept) : 0, kept = rows - slice * outer_kept;
    const long per_slice = (data->nouter + data->nslices - 1) / data->nslices;
    const long begin = min(slice * per_slice, data->nouter), end = min(begin + per_slice, data->nouter);
    src += src_off + column + loops_offset(data->kept_extents, data->kept_src, data->nkept - 1, kept);
    const int left = (int)min(data->inner - column, (long)VEC);
    float x[VEC];
    vstorev(reduce_columns(data, src, begin, end, left), x);
#if HAS_SLICES
    for (int k = 0; k < left; ++k) out[out_off + (kept * data->inner + column + k) * data->nslices + slice] = x[k];
#else
    out_off += column + loops_offset(data->kept_extents, data->kept_dst, data->nkept - 1, kept);
    for (int k = 0; k < left; ++k) STORE_RESULT(data, out, out_off + k, x[k]);
#endif
}
