// SPDX-License-Identifier: Apache-2.0
// Pooling where channels are innermost (NHWC, nChw16c): a work-item computes a piece of an output row in vectors of
// VEC channels; on CPU-type devices several adjacent vectors at once.
//
//   data           shapes and strides
//   src, src_off   [N, C, ID, IH, IW] of SRC_T by data->src; padded channels hold zeros
//   dst, dst_off   [N, C, OD, OH, OW] of DST_T by data->dst; padded channels become 0
//   ws, ws_off     same shape of WS_T: index of the maximum in the window; null unless WITH_WS
//   POST_OPS       eltwise, binary
// Every window has an element of src. Grid: x ≥ data->nitems. Numerics: f32; the rows of a window are
// summed before their sum.
// -D: SRC, DST, WS (prim__ocl_options_type()), VEC, ALG = POOL_…, WITH_WS, AT_ONCE: vectors whose
// windows are reduced together, 1 where data->item_vecs is; those of clh/post_ops.h.
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(ALG) || !defined(VEC) || !defined(WITH_WS) \
        || !defined(WS_DT) || !defined(AT_ONCE)
#error "ocl_pool_nhwc_vector needs SRC, DST, WS, ALG, VEC, WITH_WS, AT_ONCE"
#endif

#include "clh/channels.h"
#include "clh/pool.h"
#include "clh/post_ops.h"

typedef struct {
    int n, c, d, h;
    taps_t kd, kh;
} row_t;

#if WITH_WS

#if AT_ONCE != 1
#error "winners are found vector by vector"
#endif

// Row-major over the window; the first tap gives the index until something is greater.
static floatv reduce(__constant const ocl_pool_data_t *data, __global const SRC_T *src, const row_t *row,
        taps_t kw, intv *winner)
{
    const int area = data->axes[1].taps * data->axes[2].taps;
    floatv acc = POOL_IDENTITY;
    *winner = row->kd.begin * area + row->kh.begin * data->axes[2].taps + kw.begin;
    for (int kd = row->kd.begin; kd < row->kd.end; ++kd) {
        const int d_off = (row->kd.start + kd * data->axes[0].jump) * data->src.d;
        for (int kh = row->kh.begin; kh < row->kh.end; ++kh) {
            const int h_off = d_off + (row->kh.start + kh * data->axes[1].jump) * data->src.h;
            for (int k = kw.begin; k < kw.end; ++k) {
                const int w = kw.start + k * data->axes[2].jump;
                const floatv x = SRC_LOADV(src, h_off + w * data->src.w);
                const intv index = kd * area + kh * data->axes[2].taps + k;
                *winner = x > acc ? index : *winner;
                acc = x > acc ? x : acc;
            }
        }
    }
    return acc;
}

#elif AT_ONCE > 1

// The window of one vector.
static inline floatv reduce_vector(
        __constant const ocl_pool_data_t *data, __global const SRC_T *src, const row_t *row, taps_t kw)
{
    const int step = data->axes[2].jump * data->src.w;
    floatv acc = POOL_IDENTITY;
    for (int kd = row->kd.begin; kd < row->kd.end; ++kd) {
        const int d_off = (row->kd.start + kd * data->axes[0].jump) * data->src.d;
        for (int kh = row->kh.begin; kh < row->kh.end; ++kh) {
            int off = d_off + (row->kh.start + kh * data->axes[1].jump) * data->src.h;
            off += (kw.start + kw.begin * data->axes[2].jump) * data->src.w;
            floatv x = pool_take(POOL_IDENTITY, SRC_LOADV(src, off));
            for (int k = kw.begin + 1; k < kw.end; ++k) x = pool_take(x, SRC_LOADV(src, off += step));
            acc = pool_take(acc, x);
        }
    }
    return acc;
}

// Asks for what the windows below these of AT_ONCE vectors read and these do not.
static inline void prefetch_below(
        __constant const ocl_pool_data_t *data, __global const SRC_T *src, const row_t *row, taps_t kw)
{
#if defined(NONTEMPORAL)
    const int reach = row->kh.start + (data->axes[1].taps - 1) * data->axes[1].jump;
    const int d_off = (row->kd.start + (row->kd.end - 1) * data->axes[0].jump) * data->src.d;
    for (int h = 1; h <= data->axes[1].stride; ++h) {
        __global const SRC_T *line = src + d_off + (reach + h) * data->src.h + kw.start * data->src.w;
        for (int w = 0; w < data->axes[2].stride; ++w, line += data->src.w) {
#pragma unroll
            for (int i = 0; i < AT_ONCE; ++i) PREFETCH_LINE(line + i * VEC);
        }
    }
#endif
}

// The windows of AT_ONCE vectors: neighbours together, for a processor fetches ahead what is read in
// order.
static inline void reduce_vectors(floatv *acc, __constant const ocl_pool_data_t *data,
        __global const SRC_T *src, const row_t *row, taps_t kw)
{
    const int step = data->axes[2].jump * data->src.w;
    prefetch_below(data, src, row, kw);
#pragma unroll
    for (int i = 0; i < AT_ONCE; ++i) acc[i] = POOL_IDENTITY;
    for (int kd = row->kd.begin; kd < row->kd.end; ++kd) {
        const int d_off = (row->kd.start + kd * data->axes[0].jump) * data->src.d;
        for (int kh = row->kh.begin; kh < row->kh.end; ++kh) {
            int off = d_off + (row->kh.start + kh * data->axes[1].jump) * data->src.h;
            off += (kw.start + kw.begin * data->axes[2].jump) * data->src.w;
            floatv x[AT_ONCE];
#pragma unroll
            for (int i = 0; i < AT_ONCE; ++i)
                x[i] = pool_take(POOL_IDENTITY, SRC_LOADV(src, off + i * VEC));
            for (int k = kw.begin + 1; k < kw.end; ++k) {
                off += step;
#pragma unroll
                for (int i = 0; i < AT_ONCE; ++i)
                    x[i] = pool_take(x[i], SRC_LOADV(src, off + i * VEC));
            }
#pragma unroll
            for (int i = 0; i < AT_ONCE; ++i) acc[i] = pool_take(acc[i], x[i]);
        }
    }
}

#else

// Loads of this many columns come before the first is used.
#define LOADS 8

static inline floatv reduce_row(
        floatv acc, __global const SRC_T *src, int step, int count, bool is_aligned)
{
    int k = 0;
    if (is_aligned) {
        for (; k + LOADS <= count; k += LOADS) {
            floatv x[LOADS];
            for (int i = 0; i < LOADS; ++i)
                x[i] = SRC_LOADV(AS_ALIGNED(SRC_T, VEC, src + (k + i) * step), 0);
            for (int i = 0; i < LOADS; ++i) acc = pool_take(acc, x[i]);
        }
    }
    for (; k < count; ++k) acc = pool_take(acc, SRC_LOADV(src, k * step));
    return acc;
}

static floatv reduce(
        __constant const ocl_pool_data_t *data, __global const SRC_T *src, const row_t *row, taps_t kw)
{
    const int step = data->axes[2].jump * data->src.w;
    const bool is_aligned = ARE_ALIGNED(SRC_T, VEC, src, data->src.d | data->src.h | data->src.w);
    floatv acc = POOL_IDENTITY;
    for (int kd = row->kd.begin; kd < row->kd.end; ++kd) {
        const int d_off = (row->kd.start + kd * data->axes[0].jump) * data->src.d;
        for (int kh = row->kh.begin; kh < row->kh.end; ++kh) {
            int off = d_off + (row->kh.start + kh * data->axes[1].jump) * data->src.h;
            off += (kw.start + kw.begin * data->axes[2].jump) * data->src.w;
            acc = pool_take(acc, reduce_row(POOL_IDENTITY, src + off, step, kw.end - kw.begin,
                                         is_aligned));
        }
    }
    return acc;
}

#endif

// Of the real taps' sum.
static inline floatv divide(
        __constant const ocl_pool_data_t *data, floatv x, const row_t *row, taps_t kw)
{
#if ALG == POOL_MAX
    return x;
#else
#if ALG == POOL_AVG_INCLUDE
    const float ntaps = data->volume;
#else
    const float ntaps = (float)((row->kd.end - row->kd.begin) * (row->kh.end - row->kh.begin)
            * (kw.end - kw.begin));
#endif
    return pool_mean(x, ntaps);
#endif
}

// Padded channels become 0.
static inline floatv mask_padding(__constant const ocl_pool_data_t *data, floatv x, int c)
{
    if (c + VEC <= data->dst.channels) return x;
    return select((floatv)0.0f, x, lanes + c < data->dst.channels);
}

#if WITH_POST_OPS
#define APPLY_POST_OPS(x, row, w, off) apply_post_ops(&po, data, x, row, w, dst, off)

static floatv apply_post_ops(const post_ops_t *po, __constant const ocl_pool_data_t *data, floatv x,
        const row_t *row, int w, __global DST_T *dst, long off)
{
    const int at[5] = {row->n, row->c, row->d, row->h, w};
    long pos[MAX_NDIMS];
    pos[0] = row->n;
    for (int d = 2; d < 2 + data->nspatial; ++d) pos[d] = at[d + 3 - data->nspatial];
    float values[VEC];
    vstorev(x, values);
    for (int i = 0; i < VEC && row->c + i < data->dst.channels; ++i) {
        pos[1] = row->c + i;
        values[i] = post_ops_apply(po, values[i], pos, dst, off + i);
    }
    return vloadv(values);
}
#else
#define APPLY_POST_OPS(x, row, w, off) (x)
#endif

__kernel void pool_nhwc_vector(__constant const ocl_pool_data_t *data, __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off, __global WS_T *ws,
        long ws_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int first_vec = split_digit(&index, &data->by_vecs) * data->item_vecs;
    const int piece = split_digit(&index, &data->by_pieces);
    row_t row;
    row.h = split_digit(&index, &data->by_bands);
    row.d = split_digit(&index, &data->by_depth);
    row.c = split_digit(&index, &data->by_blocks) * data->dst.run + first_vec * VEC;
    row.n = index;
    row.kd = taps_at(&data->axes[0], row.d);
    row.kh = taps_at(&data->axes[1], row.h);
    src += src_off + channels_offset(&data->src, row.n, row.c);
    dst_off += channels_offset(&data->dst, row.n, row.c) + row.d * data->dst.d
            + row.h * data->dst.h;
#if WITH_WS
    ws_off += channels_offset(&data->ws, row.n, row.c) + row.d * data->ws.d + row.h * data->ws.h;
#endif

    const int end = min((piece + 1) * data->piece_elems, data->axes[2].out);
#if AT_ONCE > 1
    const int first_c = row.c, nvecs = min(data->item_vecs, data->run_vecs - first_vec);
    for (int w = piece * data->piece_elems; w < end; ++w) {
        const taps_t kw = taps_at(&data->axes[2], w);
        for (int v = 0; v < nvecs;) {
            const int count = nvecs - v >= AT_ONCE ? AT_ONCE : 1;
            floatv acc[AT_ONCE];
            if (count == AT_ONCE)
                reduce_vectors(acc, data, src + v * VEC, &row, kw);
            else
                acc[0] = reduce_vector(data, src + v * VEC, &row, kw);
#pragma unroll
            for (int i = 0; i < AT_ONCE && i < count; ++i) {
                const long off = dst_off + w * data->dst.w + (v + i) * VEC;
                row.c = first_c + (v + i) * VEC;
                const floatv x = APPLY_POST_OPS(divide(data, acc[i], &row, kw), &row, w, off);
                DST_STOREV(dst, off, mask_padding(data, x, row.c));
            }
            v += count;
        }
    }
#else
    const intv is_real = lanes + row.c < data->dst.channels;
    const bool has_padding = row.c + VEC > data->dst.channels;
    for (int w = piece * data->piece_elems; w < end; ++w) {
        const taps_t kw = taps_at(&data->axes[2], w);
        const long off = dst_off + w * data->dst.w;
#if WITH_WS
        intv winner;
        floatv x = reduce(data, src, &row, kw, &winner);
        if (has_padding) winner = select((intv)0, winner, is_real);
        WS_STOREV(ws, ws_off + w * data->ws.w, to_floatv(winner));
#else
        floatv x = divide(data, reduce(data, src, &row, kw), &row, kw);
#endif
        x = APPLY_POST_OPS(x, &row, w, off);
        if (has_padding) x = select((floatv)0.0f, x, is_real);
        DST_STOREV(dst, off, x);
    }
#endif
}
