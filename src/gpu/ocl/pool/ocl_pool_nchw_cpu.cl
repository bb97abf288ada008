// SPDX-License-Identifier: Apache-2.0
// Pooling, NCHW with contiguous rows, for CPU-type devices: a work-item computes a band of output rows of a plane.
//
//   data           shapes and strides; rows have stride 1, those of src at least VEC elements
//   src, src_off   [N, C, ID, IH, IW] of SRC_T by data->pool.src
//   dst, dst_off   [N, C, OD, OH, OW] of DST_T by data->pool.dst
//   ws, ws_off     not used
//   POST_OPS       eltwise, binary
// Every window has an element of src. Grid: x ≥ data->pool.nitems. Numerics: f32; means add up columns
// of a window before their sum.
//
// For SPAN windows at a time: each column of src is reduced over the height of the window into a buffer that stays
// in the L1 cache, with identity elements beyond the ends of the row; then the buffer is reduced along the width.
// Where rows of dst are contiguous, stores are non-temporal (clh/nontemporal.h).
// -D: SRC, DST (prim__ocl_options_type()), VEC = 16, ALG = POOL_…, HAS_DEPTH; of the width: STRIDE = 1 or 2, TAPS
// (0: known at run time; else jump is 1), MAX_REACH ≥ (taps − 1)·jump; those of clh/post_ops.h.
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(ALG) || !defined(VEC) || !defined(STRIDE) \
        || !defined(TAPS) || !defined(HAS_DEPTH) || !defined(MAX_REACH)
#error "ocl_pool_nchw_cpu needs SRC, DST, ALG, VEC, STRIDE, TAPS, HAS_DEPTH, MAX_REACH"
#elif VEC != 16
#error "ocl_pool_nchw_cpu takes vectors of 16"
#endif

#include "clh/channels.h"
#include "clh/nontemporal.h"
#include "clh/pool.h"
#include "clh/pool_row_chain.h"
#include "clh/post_ops.h"

// Windows of a line; elements before its first column, which the last vector of a row may reach.
#define SPAN 128
#define MARGIN VEC
#define LINE (MARGIN + SPAN * STRIDE + MAX_REACH + 2 * VEC)

// The rows of src under a row of windows.
typedef struct {
    __global const SRC_T *first; // column 0 of the first real row
    int nd, nh;                  // real rows
    int d_step, h_step, fetch_step;
} rows_t;

// All but where they begin, and how many there are in a plane.
static inline rows_t rows_apart(__constant const ocl_pool_nchw_cpu_data_t *data, int nd)
{
    const rows_t rows = {0, nd, 0, data->pool.axes[0].jump * data->pool.src.d,
            data->pool.axes[1].jump * data->pool.src.h, data->pool.axes[1].stride > 1 ? data->pool.src.h : 0};
    return rows;
}

// Vectors at any place of a line in one access: PoCL takes vload16() and vstore16() apart.
typedef floatv loose_t __attribute__((aligned(4)));

static inline floatv load_loose(const float *p)
{
    return *(const loose_t *)p;
}

static inline void store_loose(float *p, floatv x)
{
    *(loose_t *)p = x;
}

#if defined(PREFETCHES) || defined(NONTEMPORAL)
// Prefetches the rows between these and those of the windows below, as far as it has not been done.
#define FETCH_BELOW(src, step) \
    prefetch_ahead(src); \
    prefetch_ahead((src) + (step))
#else
#define FETCH_BELOW(src, step)
#endif

// VEC columns over the rows of a plane. Three of them are most frequent.
static inline floatv take_rows(floatv acc, __global const SRC_T *src, int nrows, int step)
{
    acc = pool_take(acc, SRC_LOADV(src, 0));
    if (nrows == 3) {
        acc = pool_take(acc, SRC_LOADV(src + step, 0));
        return pool_take(acc, SRC_LOADV(src + 2 * (long)step, 0));
    }
    for (int h = 1; h < nrows; ++h) acc = pool_take(acc, SRC_LOADV(src += step, 0));
    return acc;
}

// Columns first … first + count − 1, of which some may be outside src, to line + MARGIN.
static inline void fill_line(
        float *line, const rows_t *rows, int width, int first, int count)
{
    const int begin = max(first, 0), end = min(first + count, width);
    for (int col = first; col < begin; ++col) line[MARGIN + col - first] = POOL_IDENTITY;
    for (int col = end; col < first + count; ++col) line[MARGIN + col - first] = POOL_IDENTITY;
    for (int next = begin; next < end; next += VEC) {
        const int col = min(next, width - VEC);
        __global const SRC_T *src = rows->first + col;
        FETCH_BELOW(src, rows->fetch_step);
        floatv acc = take_rows(POOL_IDENTITY, src, rows->nh, rows->h_step);
#if HAS_DEPTH
        for (int d = 1; d < rows->nd; ++d)
            acc = take_rows(acc, src += rows->d_step, rows->nh, rows->h_step);
#endif
        store_loose(line + MARGIN + col - first, acc);
    }
}

// Every other element of a, then of b: compilers make one shuffle of it; Oclgrind's checks break on
// vectors made of vectors.
static inline floatv even_of(floatv a, floatv b)
{
    return (floatv)(a.s0, a.s2, a.s4, a.s6, a.s8, a.sa, a.sc, a.se, b.s0, b.s2, b.s4, b.s6, b.s8,
            b.sa, b.sc, b.se);
}

static inline floatv odd_of(floatv a, floatv b)
{
    return (floatv)(a.s1, a.s3, a.s5, a.s7, a.s9, a.sb, a.sd, a.sf, b.s1, b.s3, b.s5, b.s7, b.s9,
            b.sb, b.sd, b.sf);
}

// VEC windows whose first columns begin at `line`.
static inline floatv reduce_line(const float *line, int taps, int jump)
{
    floatv acc = POOL_IDENTITY;
#if STRIDE == 1
#pragma unroll
    for (int k = 0; k < taps; ++k) acc = pool_take(acc, load_loose(line + k * jump));
#else
    const int pair = jump == 1 ? 2 : 1;
#pragma unroll
    for (int k = 0; k < taps; k += pair) {
        const floatv a = load_loose(line + k * jump), b = load_loose(line + k * jump + VEC);
        acc = pool_take(acc, even_of(a, b));
        if (pair == 2 && k + 1 < taps) acc = pool_take(acc, odd_of(a, b));
    }
#endif
    return acc;
}

// Of the real taps' sums.
static inline floatv divide(
        __constant const ocl_pool_nchw_cpu_data_t *data, floatv x, int nrows, int first)
{
#if ALG == POOL_MAX
    return x;
#else
    float ntaps = data->pool.volume;
#if ALG == POOL_AVG_EXCLUDE
    __constant const ocl_pool_axis_t *axis = &data->pool.axes[2];
    if (first < 0 || first + (VEC - 1) * STRIDE + (axis->taps - 1) * axis->jump >= axis->in) {
        intv ncols = 0;
        for (int k = 0; k < axis->taps; ++k) {
            const intv col = lanes * STRIDE + first + k * axis->jump;
            ncols += select((intv)0, (intv)1, col >= 0 && col < axis->in);
        }
        return pool_mean(x, to_floatv(ncols * nrows));
    }
    ntaps = (float)(nrows * axis->taps);
#endif
    return pool_mean(x, ntaps);
#endif
}

#if defined(NONTEMPORAL)

// Results of contiguous rows of dst, until there is a full vector of them at an aligned
// address: non-temporal stores write full cache lines.
typedef struct {
    long off;     // of elems[0] in dst
    int begin, n; // elements of the work-item
    float elems[SPAN + 2 * VEC];
} stage_t;

static inline void stage_begin(stage_t *stage, __global const DST_T *dst, long off)
{
    const int before = (int)((size_t)(dst + off) / sizeof(DST_T) & (VEC - 1));
    stage->off = off - before;
    stage->begin = stage->n = before;
}

// `count` windows, the w-th and the next ones of a line.
static inline void stage_put(
        stage_t *stage, int w, __global DST_T *dst, long off, floatv x, int count)
{
    store_loose(stage->elems + stage->n + w, x);
}

// Stores whole vectors.
static inline void stage_flush(stage_t *stage, __global DST_T *dst)
{
    int k = 0;
    if (stage->begin > 0 && stage->n >= VEC) {
        for (k = stage->begin; k < VEC; ++k) DST_STORE(dst, stage->off + k, stage->elems[k]);
        stage->begin = 0;
    }
    for (; k + VEC <= stage->n; k += VEC)
        DST_STOREV(dst, stage->off + k, load_loose(stage->elems + k));
    store_loose(stage->elems, load_loose(stage->elems + k));
    stage->n -= k;
    stage->off += k;
}

static inline void stage_end(stage_t *stage, __global DST_T *dst)
{
    stage_flush(stage, dst);
    for (int k = stage->begin; k < stage->n; ++k) DST_STORE(dst, stage->off + k, stage->elems[k]);
}

#else

// Stored at once.
typedef struct {
    int n;
} stage_t;

static inline void stage_begin(stage_t *stage, __global const DST_T *dst, long off)
{
    stage->n = 0;
}

static inline void stage_put(
        stage_t *stage, int w, __global DST_T *dst, long off, floatv x, int count)
{
    if (count == VEC) {
        DST_STOREV(dst, off, x);
    } else {
        float values[VEC];
        vstorev(x, values);
        for (int i = 0; i < count; ++i) DST_STORE(dst, off + i, values[i]);
    }
}

static inline void stage_flush(stage_t *stage, __global DST_T *dst)
{
}

static inline void stage_end(stage_t *stage, __global DST_T *dst)
{
}

#endif

__kernel void pool_nchw_cpu(__constant const ocl_pool_nchw_cpu_data_t *data, __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off, __global uchar *ws,
        long ws_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    int index = (int)get_global_id(0);
    if (index >= data->pool.nitems) return;
    float lines[2][LINE];
    int at[5];
    const int band = split_digit(&index, &data->pool.by_bands);
    at[2] = split_digit(&index, &data->pool.by_depth);
    at[1] = split_digit(&index, &data->pool.by_blocks);
    at[0] = index;
    const taps_t kd = taps_at(&data->pool.axes[0], at[2]);
    src += src_off + channels_offset(&data->pool.src, at[0], at[1])
            + (kd.start + kd.begin * data->pool.axes[0].jump) * data->pool.src.d;
    dst_off += channels_offset(&data->pool.dst, at[0], at[1]) + at[2] * data->pool.dst.d;
    rows_t rows = rows_apart(data, kd.end - kd.begin);

    const ocl_pool_axis_t axis = data->pool.axes[2], height = data->pool.axes[1];
    const int taps = TAPS > 0 ? TAPS : axis.taps, jump = TAPS > 0 ? 1 : axis.jump;
    const int src_h = data->pool.src.h, dst_h = data->pool.dst.h;
    const int end = min((band + 1) * data->band_rows, height.out);
    // A line is reduced after the next one is filled: loads of vectors that were just stored by other
    // ones would wait.
    stage_t stage;
    stage_begin(&stage, dst, dst_off + band * data->band_rows * dst_h);
    int nwindows = 0, nrows = 0, span = 0, next_span = 0, buffer = 0;
    for (int h = band * data->band_rows; h < end || nwindows > 0; buffer ^= 1) {
        int next_nwindows = 0, next_nrows = 0;
        const int next_h = h;
        if (h < end) {
            const taps_t kh = taps_at(&data->pool.axes[1], h);
            rows.first = src + (kh.start + kh.begin * height.jump) * src_h;
            rows.nh = kh.end - kh.begin;
            next_nrows = rows.nd * rows.nh;
            next_nwindows = min(SPAN, axis.out - next_span);
            fill_line(lines[buffer], &rows, axis.in, next_span * STRIDE - axis.pad,
                    (next_nwindows - 1) * STRIDE + (taps - 1) * jump + 1);
        }
        stage_flush(&stage, dst); // of the line before: what was just stored would be waited for
        const float *line = lines[buffer ^ 1] + MARGIN;
        const int count = min(nwindows, VEC);
        // The last vector looks at some windows again.
        for (int next = 0; next < nwindows; next += VEC) {
            const int w = min(next, nwindows - count);
            const long off = dst_off + at[3] * dst_h + span + w;
            at[4] = span + w;
            floatv x = reduce_line(line + w * STRIDE, taps, jump);
            x = divide(data, x, nrows, at[4] * STRIDE - axis.pad);
            stage_put(&stage, w, dst, off, APPLY_POST_OPS(data->pool.nspatial, x, at, count, off), count);
        }
        stage.n += nwindows;
        nwindows = next_nwindows;
        nrows = next_nrows;
        span = next_span;
        at[3] = next_h;
        next_span += SPAN;
        if (next_span >= axis.out) {
            next_span = 0;
            ++h;
        }
    }
    stage_end(&stage, dst);
}
