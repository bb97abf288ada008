// SPDX-License-Identifier: Apache-2.0
// Matrix product for every problem: any types, ranks, strides, blocks, broadcasts, scales, zero points,
// groups and post-ops, all of them run-time data. A work-item computes one element of dst, padding
// included.
//
//   data             what is known at creation
//   g0 … g7          WITH_RUNTIME only: the 64 numbers of data->geometry, known at execution
//   src, wei, bia, dst   tensors with the element they start at; bia null: none
//   …_scales, …_zps  values with the element they start at; not read unless data->… has a type
//   POST_OPS         any
// Grid: x ≥ Π (dims + padding) of dst.
// Numerics: sums of 8-bit integers in s64, else in f32, PIECE products one after the other, then
// their sums; scales are applied to the sum over each stretch of k that shares them. Integers without
// scales and post-ops are exact.
// -D: WITH_RUNTIME, those of clh/post_ops.h.
#ifndef WITH_RUNTIME
#error "ocl_matmul_any needs WITH_RUNTIME"
#endif

#include "clh/io.h"
#include "clh/md.h"
#include "clh/md_open.h"
#include "clh/piece_sum.h"
#include "clh/post_ops.h"
#include "clh/shared/matmul_any_data.h"

#if WITH_RUNTIME
#define RUNTIME_PARAMS \
    , ocl_matmul_chunk_t g0, ocl_matmul_chunk_t g1, ocl_matmul_chunk_t g2, ocl_matmul_chunk_t g3, \
    ocl_matmul_chunk_t g4, ocl_matmul_chunk_t g5, ocl_matmul_chunk_t g6, ocl_matmul_chunk_t g7
#define RUNTIME_DECLARE      \
    long g[MATMUL_GEOMETRY];      \
    vstore8(g0, 0, g);     \
    vstore8(g1, 1, g);     \
    vstore8(g2, 2, g);     \
    vstore8(g3, 3, g);     \
    vstore8(g4, 4, g);     \
    vstore8(g5, 5, g);     \
    vstore8(g6, 6, g);     \
    vstore8(g7, 7, g)
typedef const long *geometry_t;
#else
#define RUNTIME_PARAMS
#define RUNTIME_DECLARE const geometry_t g = data->geometry
typedef __constant const long *geometry_t;
#endif

static inline long offset_at(
        geometry_t strides, __constant const ocl_md_open_t *blocks, int ndims,
        const long *pos)
{
    long outer[MAX_NDIMS];
    long offset = md_open_split(outer, blocks, ndims, pos);
    for (int d = 0; d < ndims; ++d) offset += outer[d] * strides[d];
    return offset;
}

// The values of one setting of the attributes.
typedef struct {
    __constant const ocl_quant_open_t *setting;
    __global const void *values;
    long off;
} values_t;

static inline float scale_at(const values_t *v, int ndims, const long *dims, const long *pos)
{
    if (v->setting->dt == DT_UNDEF) return 1.0f;
    return load_any(v->values, v->off + quant_open_index(v->setting, ndims, dims, pos), v->setting->dt);
}

static inline int zero_point_at(const values_t *v, int ndims, const long *dims, const long *pos)
{
    if (v->setting->dt == DT_UNDEF) return 0;
    return load_int_any(
            v->values, v->off + quant_open_index(v->setting, ndims, dims, pos), v->setting->dt);
}

// The position of an operand, and its shape, for one of dst: `broadcast` has a bit for each
// dimension of 1.
static inline void operand_position(
        long *own_pos, long *own_dims, int broadcast, int ndims, geometry_t dims, const long *pos)
{
    for (int d = 0; d < ndims; ++d) {
        const bool is_one = broadcast >> d & 1;
        own_pos[d] = is_one ? 0 : pos[d];
        own_dims[d] = is_one ? 1 : dims[d];
    }
}

// src or weights, and where an element of dst stands in them.
typedef struct {
    __global const void *elems;
    long off;
    __constant const ocl_md_open_t *blocks;
    geometry_t strides;
    values_t scales, zps;
    int k_dim;
    long dims[MAX_NDIMS], pos[MAX_NDIMS];
} operand_t;

static inline long operand_offset(const operand_t *x, int ndims)
{
    return x->off + offset_at(x->strides, x->blocks, ndims, x->pos);
}

typedef struct {
    long i; // of 8-bit integers
    float f;
} sum_t;

// Over K from `begin` to `end`, where zero points stay the same.
static sum_t sum_piece(__constant const ocl_matmul_any_data_t *data, operand_t *src, operand_t *wei,
        int src_zp, int wei_zp, long begin, long end)
{
    const int ndims = data->ndims;
    const long src_step = src->strides[src->k_dim], wei_step = wei->strides[wei->k_dim];
    src->pos[src->k_dim] = wei->pos[wei->k_dim] = begin;
    long s = operand_offset(src, ndims), w = operand_offset(wei, ndims);
    sum_t sum = {0, 0.0f};
    for (long k = begin; k < end; ++k) {
        if (src->blocks->nblks != 0) {
            src->pos[src->k_dim] = k;
            s = operand_offset(src, ndims);
        }
        if (wei->blocks->nblks != 0) {
            wei->pos[wei->k_dim] = k;
            w = operand_offset(wei, ndims);
        }
        if (data->is_int) {
            const long x = (long)load_int_any(src->elems, s, src->blocks->dt) - src_zp;
            const long y = (long)load_int_any(wei->elems, w, wei->blocks->dt) - wei_zp;
            sum.i += x * y;
        } else {
            sum.f = fma(load_any(src->elems, s, src->blocks->dt) - (float)src_zp,
                    load_any(wei->elems, w, wei->blocks->dt) - (float)wei_zp, sum.f);
        }
        s += src_step;
        w += wei_step;
    }
    return sum;
}

static sum_t sum_stretch(__constant const ocl_matmul_any_data_t *data, operand_t *src,
        operand_t *wei,
        int src_zp, int wei_zp, long begin, long end)
{
    sum_t sum = {0, 0.0f};
    for (long k = begin; k < end; k += PIECE) {
        const sum_t piece = sum_piece(data, src, wei, src_zp, wei_zp, k, min(k + PIECE, end));
        sum.i += piece.i;
        sum.f += piece.f;
    }
    return sum;
}

// The whole depth; the integers without scales, the floats with them.
static sum_t sum_products(
        __constant const ocl_matmul_any_data_t *data, operand_t *src, operand_t *wei, long k_end)
{
    const int ndims = data->ndims;
    sum_t sum = {0, 0.0f};
    piece_sum_t floats = {0.0f, 0.0f, 0}; // of short stretches
    for (long k = 0; k < k_end; k += data->period) {
        src->pos[src->k_dim] = wei->pos[wei->k_dim] = k;
        const int src_zp = zero_point_at(&src->zps, ndims, src->dims, src->pos);
        const int wei_zp = zero_point_at(&wei->zps, ndims, wei->dims, wei->pos);
        const float scale = scale_at(&src->scales, ndims, src->dims, src->pos) *
                            scale_at(&wei->scales, ndims, wei->dims, wei->pos);
        const long end = min(k + data->period, k_end);
        const sum_t stretch = sum_stretch(data, src, wei, src_zp, wei_zp, k, end);
        sum.i += stretch.i;
        piece_sum_add_product(&floats, data->is_int ? (float)stretch.i : stretch.f, scale);
    }
    sum.f = piece_sum_of(&floats);
    return sum;
}

// Position and shape of dst for a work-item; returns what is left of its index: 0 inside dst.
static long find_position(
        long *pos, long *dims, __constant const ocl_matmul_any_data_t *data, geometry_t g,
        long index)
{
    for (int d = data->ndims - 1; d >= 0; --d) {
        const long extent = g[MATMUL_DIMS + d] + data->padding[d];
        const long quotient = div_long(index, extent);
        dims[d] = g[MATMUL_DIMS + d];
        pos[d] = index - quotient * extent - data->dst.padded_offsets[d];
        index = quotient;
    }
    return index;
}

static long bias_offset(
        __constant const ocl_matmul_any_data_t *data, geometry_t g, int broadcast, const long *pos)
{
    long bia_pos[MAX_NDIMS], bia_dims[MAX_NDIMS];
    operand_position(bia_pos, bia_dims, broadcast, data->ndims, g + MATMUL_DIMS, pos);
    return offset_at(g + MATMUL_BIA, &data->bia, data->ndims, bia_pos);
}

// Sums of integers that become integers by additions alone.
static bool is_exact(__constant const ocl_matmul_any_data_t *data)
{
    const bool has_scales = data->src_scales.dt != DT_UNDEF || data->wei_scales.dt != DT_UNDEF ||
                            data->dst_scales.dt != DT_UNDEF;
    return !WITH_POST_OPS && data->is_int && !has_scales && dt_is_int(data->dst.dt) &&
           (data->bia.dt == DT_UNDEF || dt_is_int(data->bia.dt));
}

__kernel void matmul_any(__constant const ocl_matmul_any_data_t *data, __global const void *src,
        long src_off, __global const void *wei, long wei_off, __global const void *bia,
        long bia_off, __global void *dst, long dst_off, __global const void *src_scales,
        long src_scales_off, __global const void *wei_scales, long wei_scales_off,
        __global const void *dst_scales, long dst_scales_off, __global const void *src_zps,
        long src_zps_off, __global const void *wei_zps, long wei_zps_off,
        __global const void *dst_zps, long dst_zps_off RUNTIME_PARAMS POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    RUNTIME_DECLARE;
    const int ndims = data->ndims, dst_dt = data->dst.dt;
    long pos[MAX_NDIMS], dims[MAX_NDIMS];
    if (find_position(pos, dims, data, g, get_global_id(0)) > 0) return;
    dst_off += offset_at(g + MATMUL_DST, &data->dst, ndims, pos);
    if (!md_open_is_inside(pos, dims, ndims)) {
        store_any(dst, dst_off, dst_dt, 0.0f);
        return;
    }

    const long broadcast = g[MATMUL_BROADCAST]; // 12 bits for each of three operands
    operand_t a = {.elems = src, .off = src_off, .blocks = &data->src, .strides = g + MATMUL_SRC,
            .scales = {&data->src_scales, src_scales, src_scales_off},
            .zps = {&data->src_zps, src_zps, src_zps_off}, .k_dim = ndims - 1};
    operand_t b = {.elems = wei, .off = wei_off, .blocks = &data->wei, .strides = g + MATMUL_WEI,
            .scales = {&data->wei_scales, wei_scales, wei_scales_off},
            .zps = {&data->wei_zps, wei_zps, wei_zps_off}, .k_dim = ndims - 2};
    operand_position(a.pos, a.dims, (int)(broadcast & 0xFFF), ndims, g + MATMUL_DIMS, pos);
    operand_position(b.pos, b.dims, (int)(broadcast >> 12 & 0xFFF), ndims, g + MATMUL_DIMS, pos);
    a.dims[a.k_dim] = b.dims[b.k_dim] = g[MATMUL_K];
    const sum_t sum = sum_products(data, &a, &b, g[MATMUL_K]);

    const values_t dst_scale = {&data->dst_scales, dst_scales, dst_scales_off};
    const values_t dst_zp = {&data->dst_zps, dst_zps, dst_zps_off};
    const int zero_point = zero_point_at(&dst_zp, ndims, dims, pos);
    const bool has_bias = data->bia.dt != DT_UNDEF;
    if (has_bias) bia_off += bias_offset(data, g, (int)(broadcast >> 24 & 0xFFF), pos);
    if (is_exact(data)) {
        const long shift = has_bias ? load_int_any(bia, bia_off, data->bia.dt) : 0;
        store_int_any(dst, dst_off, dst_dt, sum.i + shift + zero_point);
        return;
    }
    float x = sum.f;
    if (has_bias) x += load_any(bia, bia_off, data->bia.dt);
#if WITH_RUNTIME && PO_NEEDS_POSITION
    for (int i = 0; i < data->nopen; ++i) {
        for (int d = 0; d < ndims; ++d) po.offs[data->open[i]] += pos[d] * g[MATMUL_OPEN(i) + d];
    }
#endif
    x = POST_OPS_APPLY(x, pos, dst, dst_off);
    x = x / scale_at(&dst_scale, ndims, dims, pos) + (float)zero_point;
    store_any(dst, dst_off, dst_dt, x);
}
