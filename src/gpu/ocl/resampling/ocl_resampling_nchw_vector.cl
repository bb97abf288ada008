// SPDX-License-Identifier: Apache-2.0
// Resampling, NCHW with contiguous rows: a work-item computes a piece of an output row. Where OW = 2·IW it takes
// vectors of VEC source columns and interleaves the results; other widths go element by element.
//
//   data           shapes and strides; rows have stride 1
//   src, src_off   [N, C, ID, IH, IW] of SRC_T by data->src
//   dst, dst_off   [N, C, OD, OH, OW] of DST_T by data->dst
//   POST_OPS       sum, eltwise, binary
// Grid: x ≥ data->nitems. Numerics: positions exact, weights and sums f32.
// -D: SRC, DST (prim__ocl_options_type()), VEC = 4 or 8, LINEAR, DOUBLES (OW = 2·IW), HAS_DEPTH
// (some depth is above 1), those of clh/post_ops.h.
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(VEC) || !defined(LINEAR) || !defined(DOUBLES)
#error "ocl_resampling_nchw_vector needs SRC, DST, VEC, LINEAR, DOUBLES"
#endif

#include "clh/post_ops.h"
#include "clh/resampling_rows.h"
#include "clh/vec.h"

#define WIDTH (2 * VEC)
#if VEC == 4
typedef float8 floatw;
#define DST_STOREW DST_STORE8
#define WIDE_LOAD(p) vload8(0, p)
#define WIDE_STORE(x, p) vstore8(x, 0, p)
#define LAST(x) (x).s3
#define PUT_FIRST(a, x) ((float4)(a, (x).s012))
#define PUT_LAST(x, b) ((float4)((x).s123, b))
#elif VEC == 8
typedef float16 floatw;
#define DST_STOREW DST_STORE16
#define WIDE_LOAD(p) vload16(0, p)
#define WIDE_STORE(x, p) vstore16(x, 0, p)
#define LAST(x) (x).s7
#define PUT_FIRST(a, x) ((float8)(a, (x).s012, (x).s3456))
#define PUT_LAST(x, b) ((float8)((x).s1234, (x).s567, b))
#else
#error "VEC is not 4 or 8"
#endif

static float resample_one(__constant const ocl_resampling_data_t *data, __global const SRC_T *src,
        const source_rows_t *rows, int w)
{
    const source_t column = source_at(&data->axes[2], w);
    float x = 0.0f;
#if LINEAR
    for (int r = 0; r < SOURCE_ROWS; ++r) {
        if (r > 0 && !rows->is_there[r]) continue;
        float row = SRC_LOAD(src, rows->offset[r] + column.index[0]);
        // A neighbour of no weight may be an infinity, or not be there.
        if (column.n == 2)
            row = column.weight[0] * row +
                    column.weight[1] * SRC_LOAD(src, rows->offset[r] + column.index[1]);
        x += rows->weight[r] * row;
    }
#else
    x = rows->weight[0] * SRC_LOAD(src, rows->offset[0] + column.index[0]);
#endif
    return x;
}

#if DOUBLES

// VEC columns from `col` on, interpolated between the rows.
static floatv load_columns(__global const SRC_T *src, const source_rows_t *rows, int col)
{
    floatv x = 0.0f;
    for (int r = 0; r < SOURCE_ROWS; ++r)
        if (r == 0 || rows->is_there[r]) x += rows->weight[r] * SRC_LOADV(src, rows->offset[r] + col);
    return x;
}

#if LINEAR
static float load_column(__global const SRC_T *src, const source_rows_t *rows, int col)
{
    float x = 0.0f;
    for (int r = 0; r < SOURCE_ROWS; ++r)
        if (r == 0 || rows->is_there[r]) x += rows->weight[r] * SRC_LOAD(src, rows->offset[r] + col);
    return x;
}

// Columns and the neighbours of the first and the last one.
static inline floatw interleave(floatv x, float before, float behind)
{
    floatw y;
    y.even = 0.25f * PUT_FIRST(before, x) + 0.75f * x;
    y.odd = 0.75f * x + 0.25f * PUT_LAST(x, behind);
    return y;
}
#endif

// The 2·VEC elements that columns col … col + VEC − 1 are in the middle of. Beyond the borders of
// the row its outermost columns are repeated.
static floatw double_columns(__global const SRC_T *src, const source_rows_t *rows, int col, int in)
{
    const floatv x = load_columns(src, rows, col);
#if LINEAR
    const float before = col > 0 ? load_column(src, rows, col - 1) : x.s0;
    const float behind = col + VEC < in ? load_column(src, rows, col + VEC) : LAST(x);
    return interleave(x, before, behind);
#else
    floatw y;
    y.even = x;
    y.odd = x;
    return y;
#endif
}

#endif

#if WITH_POST_OPS
#define APPLY_POST_OPS(x, w, off) post_ops_apply(&po, x, position(pos, data, w), dst, off)

static long *position(long *pos, __constant const ocl_resampling_data_t *data, int w)
{
    pos[1 + data->nspatial] = w;
    return pos;
}

static floatw apply_wide(const post_ops_t *po, __constant const ocl_resampling_data_t *data, floatw x,
        long *pos, int w, __global DST_T *dst, long off)
{
    float values[WIDTH];
    WIDE_STORE(x, values);
    for (int i = 0; i < WIDTH; ++i)
        values[i] = post_ops_apply(po, values[i], position(pos, data, w + i), dst, off + i);
    return WIDE_LOAD(values);
}
#define APPLY_WIDE(x, w, off) apply_wide(&po, data, x, pos, w, dst, off)
#else
#define APPLY_POST_OPS(x, w, off) (x)
#define APPLY_WIDE(x, w, off) (x)
#endif

__kernel void resampling_nchw_vector(__constant const ocl_resampling_data_t *data, __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int piece = take_digit(&index, data->npieces);
    const int h = take_digit(&index, data->axes[1].out);
    const int d = take_digit(&index, data->axes[0].out);
    const int c = take_digit(&index, data->dst.channels), n = index;
    const source_rows_t rows = source_rows_at(data, d, h);
    src += src_off + channels_offset(&data->src, n, c);
    dst_off += channels_offset(&data->dst, n, c) + d * data->dst.d + h * data->dst.h;
#if WITH_POST_OPS
    const int spatial[2] = {d, h};
    long pos[MAX_NDIMS];
    pos[0] = n;
    pos[1] = c;
    for (int i = 0; i + 1 < data->nspatial; ++i) pos[2 + i] = spatial[3 - data->nspatial + i];
#endif
    const int end = min((piece + 1) * data->piece_elems, data->axes[2].out);
    int w = piece * data->piece_elems;
#if DOUBLES && LINEAR && !defined(SPLITS_UNALIGNED)
    // A work-item that takes a row loads its columns once.
    if (w + WIDTH <= end) {
        const int in = data->axes[2].in;
        floatv x = load_columns(src, &rows, w / 2);
        float before = w > 0 ? load_column(src, &rows, w / 2 - 1) : x.s0;
        for (; w + WIDTH <= end; w += WIDTH) {
            const int next_col = w / 2 + VEC;
            floatv next = (floatv)(LAST(x));
            if (next_col + VEC <= in)
                next = load_columns(src, &rows, next_col);
            else if (next_col < in)
                next = (floatv)(load_column(src, &rows, next_col));
            const floatw y = interleave(x, before, next.s0);
            DST_STOREW(dst, dst_off + w, APPLY_WIDE(y, w, dst_off + w));
            before = LAST(x);
            x = next;
        }
    }
#endif
    while (w < end) {
        const long off = dst_off + w;
#if DOUBLES
        if (w + WIDTH <= end) {
            const floatw y = double_columns(src, &rows, w / 2, data->axes[2].in);
            DST_STOREW(dst, off, APPLY_WIDE(y, w, off));
            w += WIDTH;
            continue;
        }
#endif
        const float x = resample_one(data, src, &rows, w);
        DST_STORE(dst, off, APPLY_POST_OPS(x, w, off));
        ++w;
    }
}
