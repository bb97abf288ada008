// SPDX-License-Identifier: Apache-2.0
// Matmul, any types, ranks, strides, blocks, broadcasts, scales, zero points, groups and post-ops:
// one element of dst, padding included, an item.
//
//   data             what is known at creation
//   g0 … g7          WITH_RUNTIME only: the 64 numbers of data->geometry, known at execution
//   src, wei, bia, dst   tensors with the element they start at; bia null: none
//   …_scales, …_zps  values with the element they start at; not read unless data->… has a type
//   POST_OPS         any
// Grid: x ≥ Π (dims + padding) of dst.
// Numerics: sums of 8-bit integers in s32, else in f32, one after the other; scales are applied to
// the sum over each stretch of k that shares them. Integers without scales and post-ops are exact.
// -D: WITH_RUNTIME, those of clh/post_ops.h.
#ifndef WITH_RUNTIME
#error "ocl_matmul_any needs WITH_RUNTIME"
#endif

#include "clh/io.h"
#include "clh/md.h"
#include "clh/post_ops.h"

// Where things stand in the geometry.
#define G_DIMS 0
#define G_SRC 12
#define G_WEI 24
#define G_BIA 36
#define G_DST 48
#define G_K 60
#define G_BROADCAST 61
#define G_LENGTH 64

typedef struct {
    long padded_offsets[MAX_NDIMS];
    int blks[MAX_NDIMS], idxs[MAX_NDIMS];
    int nblks, dt;
} blocks_t;

typedef struct {
    long groups[2];
    int mask, dt;
} setting_t;

typedef struct {
    long geometry[G_LENGTH];
    long padding[MAX_NDIMS]; // of dst: padded dims - dims
    long period;             // neighbours along k that share scales and zero points
    blocks_t src, wei, bia, dst;
    setting_t src_scales, wei_scales, dst_scales, src_zps, wei_zps, dst_zps;
    int ndims, is_int; // is_int: src and wei are 8-bit integers
} matmul_data_t;

#if WITH_RUNTIME
#define RUNTIME_PARAMS \
    , long8 g0, long8 g1, long8 g2, long8 g3, long8 g4, long8 g5, long8 g6, long8 g7
typedef const long *geometry_t;
#else
#define RUNTIME_PARAMS
typedef __constant const long *geometry_t;
#endif

static inline long offset_at(
        geometry_t strides, __constant const blocks_t *blocks, int ndims, const long *pos)
{
    long outer[MAX_NDIMS];
    long offset = 0, block_stride = 1;
    for (int d = 0; d < ndims; ++d) outer[d] = pos[d] + blocks->padded_offsets[d];
    for (int b = blocks->nblks - 1; b >= 0; --b) {
        const int d = blocks->idxs[b];
        const long blk = blocks->blks[b];
        const long quotient = div_long(outer[d], blk);
        offset += (outer[d] - quotient * blk) * block_stride;
        block_stride *= blk;
        outer[d] = quotient;
    }
    for (int d = 0; d < ndims; ++d) offset += outer[d] * strides[d];
    return offset;
}

// Row-major over the masked dimensions of a tensor, groups counting as one index.
static inline long value_index(
        __constant const setting_t *setting, int ndims, const long *dims, const long *pos)
{
    long index = 0;
    for (int d = 0; d < ndims; ++d) {
        if (!(setting->mask >> d & 1)) continue;
        const long group = d < ndims - 2 ? 1 : setting->groups[d - (ndims - 2)];
        index = index * div_long(dims[d] + group - 1, group) + div_long(pos[d], group);
    }
    return index;
}

static inline float scale_at(__constant const setting_t *setting, __global const void *values,
        long off, int ndims, const long *dims, const long *pos)
{
    if (setting->dt == DT_UNDEF) return 1.0f;
    return load_any(values, off + value_index(setting, ndims, dims, pos), setting->dt);
}

static inline int zero_point_at(__constant const setting_t *setting, __global const void *values,
        long off, int ndims, const long *dims, const long *pos)
{
    if (setting->dt == DT_UNDEF) return 0;
    return load_int_any(values, off + value_index(setting, ndims, dims, pos), setting->dt);
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

__kernel void matmul_any(__constant const matmul_data_t *data, __global const void *src,
        long src_off, __global const void *wei, long wei_off, __global const void *bia,
        long bia_off, __global void *dst, long dst_off, __global const void *src_scales,
        long src_scales_off, __global const void *wei_scales, long wei_scales_off,
        __global const void *dst_scales, long dst_scales_off, __global const void *src_zps,
        long src_zps_off, __global const void *wei_zps, long wei_zps_off,
        __global const void *dst_zps, long dst_zps_off RUNTIME_PARAMS POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
#if WITH_RUNTIME
    long g[G_LENGTH];
    vstore8(g0, 0, g);
    vstore8(g1, 1, g);
    vstore8(g2, 2, g);
    vstore8(g3, 3, g);
    vstore8(g4, 4, g);
    vstore8(g5, 5, g);
    vstore8(g6, 6, g);
    vstore8(g7, 7, g);
#else
    const geometry_t g = data->geometry;
#endif
    const int ndims = data->ndims, m = ndims - 2, n = ndims - 1;
    const int dst_dt = data->dst.dt;
    long pos[MAX_NDIMS], dims[MAX_NDIMS];
    long index = get_global_id(0);
    bool is_inside = true;
    for (int d = n; d >= 0; --d) {
        const long extent = g[G_DIMS + d] + data->padding[d];
        const long quotient = div_long(index, extent);
        dims[d] = g[G_DIMS + d];
        pos[d] = index - quotient * extent - data->dst.padded_offsets[d];
        is_inside = is_inside && pos[d] >= 0 && pos[d] < dims[d];
        index = quotient;
    }
    if (index > 0) return;
    dst_off += offset_at(g + G_DST, &data->dst, ndims, pos);
    if (!is_inside) {
        store_any(dst, dst_off, dst_dt, 0.0f);
        return;
    }

    long src_pos[MAX_NDIMS], src_dims[MAX_NDIMS], wei_pos[MAX_NDIMS], wei_dims[MAX_NDIMS];
    const int broadcast = (int)g[G_BROADCAST];
    const long k_end = g[G_K], period = data->period;
    const long src_step = g[G_SRC + n], wei_step = g[G_WEI + m];
    operand_position(src_pos, src_dims, broadcast & 0xFFF, ndims, g + G_DIMS, pos);
    operand_position(wei_pos, wei_dims, broadcast >> 12 & 0xFFF, ndims, g + G_DIMS, pos);
    src_dims[n] = wei_dims[m] = k_end;
    int isum = 0;
    float fsum = 0.0f;
    for (long k0 = 0; k0 < k_end; k0 += period) {
        src_pos[n] = wei_pos[m] = k0;
        const int src_zp =
                zero_point_at(&data->src_zps, src_zps, src_zps_off, ndims, src_dims, src_pos);
        const int wei_zp =
                zero_point_at(&data->wei_zps, wei_zps, wei_zps_off, ndims, wei_dims, wei_pos);
        const float scale =
                scale_at(&data->src_scales, src_scales, src_scales_off, ndims, src_dims, src_pos) *
                scale_at(&data->wei_scales, wei_scales, wei_scales_off, ndims, wei_dims, wei_pos);
        long s = src_off + offset_at(g + G_SRC, &data->src, ndims, src_pos);
        long w = wei_off + offset_at(g + G_WEI, &data->wei, ndims, wei_pos);
        int istretch = 0;
        float fstretch = 0.0f;
        const long end = min(k0 + period, k_end);
        for (long k = k0; k < end; ++k) {
            if (data->src.nblks != 0) {
                src_pos[n] = k;
                s = src_off + offset_at(g + G_SRC, &data->src, ndims, src_pos);
            }
            if (data->wei.nblks != 0) {
                wei_pos[m] = k;
                w = wei_off + offset_at(g + G_WEI, &data->wei, ndims, wei_pos);
            }
            if (data->is_int) {
                istretch += (load_int_any(src, s, data->src.dt) - src_zp) *
                            (load_int_any(wei, w, data->wei.dt) - wei_zp);
            } else {
                fstretch = fma(load_any(src, s, data->src.dt) - (float)src_zp,
                        load_any(wei, w, data->wei.dt) - (float)wei_zp, fstretch);
            }
            s += src_step;
            w += wei_step;
        }
        isum += istretch;
        fsum = fma(data->is_int ? (float)istretch : fstretch, scale, fsum);
    }

    const bool has_bias = data->bia.dt != DT_UNDEF;
    if (has_bias) {
        long bia_pos[MAX_NDIMS], bia_dims[MAX_NDIMS];
        operand_position(bia_pos, bia_dims, broadcast >> 24 & 0xFFF, ndims, g + G_DIMS, pos);
        bia_off += offset_at(g + G_BIA, &data->bia, ndims, bia_pos);
    }
    const bool has_scales = data->src_scales.dt != DT_UNDEF || data->wei_scales.dt != DT_UNDEF ||
                            data->dst_scales.dt != DT_UNDEF;
    if (!WITH_POST_OPS && data->is_int && !has_scales && dt_is_int(dst_dt) &&
            (!has_bias || dt_is_int(data->bia.dt))) {
        long x = isum;
        if (has_bias) x += load_int_any(bia, bia_off, data->bia.dt);
        x += zero_point_at(&data->dst_zps, dst_zps, dst_zps_off, ndims, dims, pos);
        store_int_any(dst, dst_off, dst_dt, x);
        return;
    }
    float x = fsum;
    if (has_bias) x += load_any(bia, bia_off, data->bia.dt);
    x = POST_OPS_APPLY(x, pos, dst, dst_off);
    x /= scale_at(&data->dst_scales, dst_scales, dst_scales_off, ndims, dims, pos);
    x += (float)zero_point_at(&data->dst_zps, dst_zps, dst_zps_off, ndims, dims, pos);
    store_any(dst, dst_off, dst_dt, x);
}
