// SPDX-License-Identifier: Apache-2.0
// Pooling, generic: any types, layouts, windows and post-ops; one element of dst per work-item, padding included.
//
//   data           descriptors, windows, algorithm
//   src, src_off   [N, C, (ID, (IH,)) IW] of type data->src.dt
//   dst, dst_off   [N, C, (OD, (OH,)) OW] of type data->dst.dt; padding becomes 0
//   ws, ws_off     same shape, u8 or s32: index of the maximum in the window; none if data->ws.ndims is 0
//   POST_OPS       eltwise, binary
// Grid: x ≥ max(data->dst.nelems_padded, data->ws.nelems_padded). Numerics: floats in f32; integers
// are exact, their means rounded to nearest even, unless a post-op or a float dst requires f32.
// -D: those of clh/post_ops.h.
#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/piece_sum.h"
#include "clh/post_ops.h"
#include "clh/shared/pool_any_data.h"

#define POOL_MAX 0x1ff
#define POOL_AVG_INCLUDE 0x2ff

// The window of a work-item: its first tap's place in src, and its taps inside src.
typedef struct {
    long start[3], begin[3], end[3];
} window_t;

static long div_up(long a, long b)
{
    return div_long(a + b - 1, b);
}

static window_t window_at(__constant const ocl_pool_any_data_t *data, const long *pos)
{
    window_t w;
    for (int a = 0; a < 3; ++a) {
        __constant const ocl_pool_any_axis_t *axis = &data->axes[a];
        const int d = a + data->nspatial - 1; // dimension of the tensors; below 2: absent
        const long start = d < 2 ? 0 : pos[d] * axis->stride - axis->pad;
        w.start[a] = start;
        w.begin[a] = start < 0 ? div_up(-start, axis->jump) : 0;
        w.end[a] = start < axis->in ? min(div_up(axis->in - start, axis->jump), axis->taps) : 0;
    }
    return w;
}

// Element offset in src of tap k.
static long tap_offset(__constant const ocl_pool_any_data_t *data, const window_t *w,
        const long *pos,
        const long *k, long first_offset)
{
    if (data->has_tap_strides) {
        long offset = first_offset;
        for (int a = 0; a < 3; ++a)
            offset += (k[a] - w->begin[a]) * data->axes[a].jump * data->tap_strides[a];
        return offset;
    }
    long at[MAX_NDIMS];
    at[0] = pos[0];
    at[1] = pos[1];
    for (int a = 3 - data->nspatial; a < 3; ++a)
        at[a + data->nspatial - 1] = w->start[a] + k[a] * data->axes[a].jump;
    return md_offset(&data->src, at);
}

// What comes out of the taps.
typedef struct {
    float max;        // of floats
    piece_sum_t rows; // of floats, but for
    float row_sum;    // row_terms taps
    int row_terms;
    int int_max;
    long int_sum, ntaps, winner;
} result_t;

static void take(result_t *r, __global const void *src, long off, int dt, long index)
{
    // The first tap gives the index until something is greater; NaN never wins.
    bool wins;
    if (dt_is_int(dt)) {
        const int x = load_int_any(src, off, dt);
        wins = r->ntaps == 0 || x > r->int_max;
        r->int_max = wins ? x : r->int_max;
        r->int_sum += x;
    } else {
        const float x = load_any(src, off, dt);
        wins = x > r->max;
        r->max = wins ? x : r->max;
        r->row_sum += x;
        wins = wins || r->ntaps == 0;
    }
    r->winner = wins ? index : r->winner;
    ++r->ntaps;
}

// Rows are added up on their own, too, and so are PIECE of them.
static void end_row(result_t *r)
{
    piece_sum_add(&r->rows, r->row_sum);
    r->row_sum = 0.0f;
    r->row_terms = 0;
}

static result_t reduce(__constant const ocl_pool_any_data_t *data, __global const void *src,
        long src_off,
        const long *pos)
{
    result_t r = {-INFINITY, {0.0f, 0.0f, 0}, 0.0f, 0, 0, 0, 0, 0};
    const window_t w = window_at(data, pos);
    long k[3] = {w.begin[0], w.begin[1], w.begin[2]};
    if (k[0] >= w.end[0] || k[1] >= w.end[1] || k[2] >= w.end[2]) return r;
    long at[MAX_NDIMS];
    at[0] = pos[0];
    at[1] = pos[1];
    for (int a = 3 - data->nspatial; a < 3; ++a)
        at[a + data->nspatial - 1] = w.start[a] + k[a] * data->axes[a].jump;
    const long first_offset = md_offset(&data->src, at);
    for (k[0] = w.begin[0]; k[0] < w.end[0]; ++k[0])
        for (k[1] = w.begin[1]; k[1] < w.end[1]; ++k[1]) {
            for (k[2] = w.begin[2]; k[2] < w.end[2]; ++k[2]) {
                const long off = src_off + tap_offset(data, &w, pos, k, first_offset);
                const long index =
                        (k[0] * data->axes[1].taps + k[1]) * data->axes[2].taps + k[2];
                take(&r, src, off, data->src.dt, index);
                if (++r.row_terms == PIECE) end_row(&r);
            }
            end_row(&r);
        }
    return r;
}

// sum / n to nearest even.
static long divide_rte(long sum, long n)
{
    const long magnitude = sum < 0 ? -sum : sum;
    const long quotient = magnitude / n, twice_rest = 2 * (magnitude - quotient * n);
    const long rounded = quotient + (twice_rest > n || (twice_rest == n && (quotient & 1)));
    return sum < 0 ? -rounded : rounded;
}

__kernel void pool_any(__constant const ocl_pool_any_data_t *data, __global const void *src,
        long src_off,
        __global void *dst, long dst_off, __global void *ws, long ws_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const long index = get_global_id(0);
    long pos[MAX_NDIMS], ws_at = ws_off;
    if (data->ws.is_padded) (void)md_begin_item(pos, &ws_at, &data->ws, ws, index); // clears its padding
    if (!md_begin_item(pos, &dst_off, &data->dst, dst, index)) return;

    const result_t r = reduce(data, src, src_off, pos);
    if (data->ws.ndims > 0)
        store_int_any(ws, ws_off + md_offset(&data->ws, pos), data->ws.dt, r.winner);
    const bool is_max = data->alg == POOL_MAX, is_int = dt_is_int(data->src.dt);
    const long divisor = data->alg == POOL_AVG_INCLUDE
            ? data->axes[0].taps * data->axes[1].taps * data->axes[2].taps
            : r.ntaps;
    if (!WITH_POST_OPS && is_int && dt_is_int(data->dst.dt) && r.ntaps > 0) {
        const long x = is_max ? r.int_max : divide_rte(r.int_sum, divisor);
        store_int_any(dst, dst_off, data->dst.dt, x);
        return;
    }
    float x = r.ntaps > 0 ? (is_int ? (float)r.int_max : r.max) : data->lowest;
    if (!is_max) x = (is_int ? (float)r.int_sum : piece_sum_of(&r.rows)) / (float)divisor;
    store_any(dst, dst_off, data->dst.dt, POST_OPS_APPLY(x, pos, dst, dst_off));
}
