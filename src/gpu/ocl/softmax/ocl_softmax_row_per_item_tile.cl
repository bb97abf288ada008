// SPDX-License-Identifier: Apache-2.0
// Softmax over the contiguous axis of short rows that follow each other: a work-item per row. A work-group's rows are
// one run of memory, which goes through local memory by aligned vectors, wherever rows begin.
//
//   src, src_off   [nrows, n] SRC_T
//   dst, dst_off   [nrows, n] DST_T; may be src
//   src_scale … dst_scale_dt   see clh/softmax.h
//   n, nrows       elements of a row, at most PER_ITEM·VEC; rows
//   POST_OPS       without operands
// Grid: ceil(nrows / GROUP_ITEMS) work-groups of GROUP_ITEMS work-items. Numerics: f32.
// -D: GROUP_ITEMS; PER_ITEM: vectors that hold a row; those of clh/softmax_row.h, with SRC = DST,
// PEELS = 0.
#if !defined(GROUP_ITEMS) || !defined(PER_ITEM)
#error "ocl_softmax_row_per_item_tile needs GROUP_ITEMS, PER_ITEM"
#endif

#include "clh/softmax_row.h"

#define ROW_ELEMS (PER_ITEM * VEC)

#if SRC_DT != DST_DT
#error "SRC is not DST"
#endif

#if SRC_DT == DT_F32
#define load_local(p, i) ((p)[i])
#define store_local(p, i, x) ((p)[i] = (x))
#elif SRC_DT == DT_F16
#define load_local(p, i) vload_half(i, (__local const half *)(p))
#define store_local(p, i, x) vstore_half_rte(x, i, (__local half *)(p))
#else
#define load_local(p, i) as_float((uint)(p)[i] << 16)
#define store_local(p, i, x) ((p)[i] = bf16_from_f32(x))
#endif

// A row's e^(x − max) or x − max, and its factor or summand.
static inline float reduce_row(floatv *y, __local const SRC_T *row, int n)
{
    float x[ROW_ELEMS];
    floatv tops = (floatv)(-INFINITY);
    for (int k = 0; k < ROW_ELEMS; ++k) x[k] = k < n ? load_local(row, k) : -INFINITY;
    for (int k = 0; k < PER_ITEM; ++k) {
        y[k] = vloadv(x + k * VEC);
        tops = fmax(tops, y[k]);
    }
    const float top = max_lanes(tops), centre = centre_of(top);
    floatv sums = (floatv)(0.0f);
    for (int k = 0; k < PER_ITEM; ++k) {
        const floatv e = exp_from(y[k], centre);
        sums += e;
        y[k] = IS_LOG ? y[k] - top : e;
    }
    const float sum = sum_lanes(sums);
    return IS_LOG ? log(sum) : 1.0f / sum;
}

static inline void softmax_row(
        const softmax_end_t *end, __local SRC_T *row, __global DST_T *dst, int n)
{
    floatv y[PER_ITEM];
    const float rest = reduce_row(y, row, n);
    float x[ROW_ELEMS];
    for (int k = 0; k < PER_ITEM; ++k) vstorev(IS_LOG ? y[k] - rest : y[k] * rest, x + k * VEC);
    for (int k = 0; k < ROW_ELEMS; ++k)
        if (k < n) store_local(row, k, SOFTMAX_IS_BARE ? x[k] : softmax_finish(end, x[k], dst + k));
}

__attribute__((reqd_work_group_size(GROUP_ITEMS, 1, 1))) __kernel void softmax_row_per_item_tile(
        __global const SRC_T *src, long src_off, __global DST_T *dst, long dst_off, SOFTMAX_SCALE_PARAMS, int n,
        long nrows POST_OPS_PARAMS)
{
    __local uint4 tile[GROUP_ITEMS * PER_ITEM]; // vectors of 16 bytes
    __local SRC_T *const elements = (__local SRC_T *)tile;
    const softmax_end_t end = SOFTMAX_END;
    const long first = (long)get_group_id(0) * GROUP_ITEMS;
    const int id = (int)get_local_id(0), rows = (int)min((long)GROUP_ITEMS, nrows - first), count = rows * n;
    src += src_off + first * n;
    dst += dst_off + first * n;
    int copied = 0;
#if IS_RAW
    if (ARE_ALIGNED(SRC_T, VEC, src, 0)) copied = count / VEC * VEC;
    for (int i = id * VEC; i < copied; i += GROUP_ITEMS * VEC) tile[i / VEC] = rawv_words(rawv_load(src + i));
#endif
    for (int i = copied + id; i < count; i += GROUP_ITEMS) elements[i] = src[i];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (id < rows) softmax_row(&end, elements + id * n, dst + id * n, n);
    barrier(CLK_LOCAL_MEM_FENCE);
    copied = 0;
#if IS_RAW
    if (ARE_ALIGNED(DST_T, VEC, dst, 0)) copied = count / VEC * VEC;
    for (int i = id * VEC; i < copied; i += GROUP_ITEMS * VEC) rawv_store(rawv_of_words(tile[i / VEC]), dst + i);
#endif
    for (int i = copied + id; i < count; i += GROUP_ITEMS) dst[i] = elements[i];
}
