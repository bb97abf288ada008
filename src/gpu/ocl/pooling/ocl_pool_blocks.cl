// SPDX-License-Identifier: Apache-2.0
// Pooling where channels lie innermost (NHWC, nChw16c) by small windows, on GPUs: an item computes
// ROWS × COLS neighbouring windows of one vector of channels and loads what they share once. All loads
// are unconditional, so that they are in flight together.
//
//   data           shapes and strides
//   src, src_off   [N, C, ID, IH, IW] of SRC_T by data->src; padded channels hold zeros
//   dst, dst_off   [N, C, OD, OH, OW] of DST_T by data->dst; padded channels become 0
//   POST_OPS       eltwise, binary
// Every window has an element of src. Grid: x ≥ data->nitems, item [n, block, d, band, piece, vector].
// Numerics: f32; means add up the rows of a column before the columns, and are products with a
// reciprocal.
//
// What lies beyond a border is loaded from the element next to it, which is in the same window: a
// maximum may take it twice, a sum takes 0 instead.
// -D: SRC, DST (prim__ocl_options_type()), VEC, ALG = POOL_…, ROWS, COLS, KH, KW (the kernel), SH, SW
// (its strides), those of clh/post_ops.h.
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(ALG) || !defined(VEC)
#error "ocl_pool_blocks needs SRC, DST, ALG, VEC"
#endif
#if !defined(KH) || !defined(KW) || !defined(SH) || !defined(SW) || !defined(ROWS) || !defined(COLS)
#error "ocl_pool_blocks needs KH, KW, SH, SW, ROWS, COLS"
#endif

#include "clh/channels.h"
#include "clh/pool.h"
#include "clh/post_ops.h"

typedef struct {
    channels_t src, dst, ws;
    axis_t axes[3];
    int nspatial, nitems;
    int run_vecs, nblocks;    // vectors in a run of dst, runs of an image
    int piece_elems, npieces; // COLS; of an output row
    float volume;             // of the kernel
    int src_elems;            // not used here
    int nbands;               // of ROWS output rows
    divisor_t by_vecs, by_pieces, by_bands, by_depth, by_blocks;
} blocks_data_t;

// The first of the windows.
typedef struct {
    int n, c, d, h, w;
} place_t;

#define SRC_ROWS ((ROWS - 1) * SH + KH)
#define SRC_COLS ((COLS - 1) * SW + KW)

// Windows whose elements begin at row h and column w of src; is_inner: all of them are inside.
__attribute__((always_inline)) static inline void reduce_plane(floatv *acc,
        __constant const blocks_data_t *data, __global const SRC_T *src, int h, int w, bool is_aligned,
        bool is_inner)
{
    const int height = data->axes[1].in, width = data->axes[2].in;
#pragma unroll
    for (int j = 0; j < SRC_COLS; ++j) {
        const int col = is_inner ? w + j : clamp(w + j, 0, width - 1);
        floatv x[SRC_ROWS];
#pragma unroll
        for (int i = 0; i < SRC_ROWS; ++i) {
            const int row = is_inner ? h + i : clamp(h + i, 0, height - 1);
            const int off = row * data->src.h + col * data->src.w;
            x[i] = is_aligned ? SRC_LOADV(AS_ALIGNED(SRC_T, VEC, src + off), 0)
                              : SRC_LOADV(src, off);
            if (ALG != POOL_MAX && !is_inner && (row != h + i || col != w + j)) x[i] = 0.0f;
        }
#pragma unroll
        for (int r = 0; r < ROWS; ++r) {
            floatv y = x[r * SH];
            for (int k = 1; k < KH; ++k) y = pool_join(y, x[r * SH + k]);
            for (int c = 0; c < COLS; ++c)
                if (j >= c * SW && j < c * SW + KW)
                    acc[r * COLS + c] = pool_join(acc[r * COLS + c], y);
        }
    }
}

// Elements that windows which begin at `start` of an axis have there.
static inline int count(__constant const axis_t *axis, int start, int taps)
{
    return min(start + taps, axis->in) - max(start, 0);
}

#if WITH_POST_OPS
#define APPLY_POST_OPS(x, place, off) apply_post_ops(&po, data, x, place, dst, off)

static floatv apply_post_ops(const post_ops_t *po, __constant const blocks_data_t *data, floatv x,
        const place_t *place, __global DST_T *dst, long off)
{
    const int at[5] = {place->n, place->c, place->d, place->h, place->w};
    long pos[MAX_NDIMS];
    pos[0] = place->n;
    for (int d = 2; d < 2 + data->nspatial; ++d) pos[d] = at[d + 3 - data->nspatial];
    float values[VEC];
    vstorev(x, values);
    for (int i = 0; i < VEC && place->c + i < data->dst.channels; ++i) {
        pos[1] = place->c + i;
        values[i] = post_ops_apply(po, values[i], pos, dst, off + i);
    }
    return vloadv(values);
}
#else
#define APPLY_POST_OPS(x, place, off) (x)
#endif

__kernel void pool_blocks(__constant const blocks_data_t *data, __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off, __global const void *ws,
        long ws_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    place_t first;
    const int vec_of_run = split_digit(&index, &data->by_vecs);
    first.w = split_digit(&index, &data->by_pieces) * COLS;
    first.h = split_digit(&index, &data->by_bands) * ROWS;
    first.d = split_digit(&index, &data->by_depth);
    first.c = split_digit(&index, &data->by_blocks) * data->dst.run + vec_of_run * VEC;
    first.n = index;
    const taps_t kd = taps_at(&data->axes[0], first.d);
    const int h = first.h * SH - data->axes[1].pad, w = first.w * SW - data->axes[2].pad;
    const bool is_inner = h >= 0 && h + SRC_ROWS <= data->axes[1].in && w >= 0
            && w + SRC_COLS <= data->axes[2].in;
    src += src_off + channels_offset(&data->src, first.n, first.c);
    const bool is_aligned = ARE_ALIGNED(SRC_T, VEC, src, data->src.d | data->src.h | data->src.w);
    floatv acc[ROWS * COLS];
    for (int i = 0; i < ROWS * COLS; ++i) acc[i] = POOL_IDENTITY;
    for (int k = kd.begin; k < kd.end; ++k) {
        __global const SRC_T *plane = src + (kd.start + k * data->axes[0].jump) * data->src.d;
        if (!is_aligned)
            reduce_plane(acc, data, plane, h, w, false, false);
        else if (ALG != POOL_MAX && is_inner)
            reduce_plane(acc, data, plane, h, w, true, true);
        else
            reduce_plane(acc, data, plane, h, w, true, false);
    }
    dst_off += channels_offset(&data->dst, first.n, first.c) + first.d * data->dst.d;
    const bool has_padding = first.c + VEC > data->dst.channels;
#pragma unroll
    for (int i = 0; i < ROWS * COLS; ++i) {
        const int r = i / COLS, c = i % COLS;
        place_t place = first;
        place.h += r;
        place.w += c;
        if (place.h >= data->axes[1].out || place.w >= data->axes[2].out) continue;
        floatv x = acc[i];
#if ALG == POOL_AVG_INCLUDE
        x *= 1.0f / data->volume;
#elif ALG == POOL_AVG_EXCLUDE
        const int area = count(&data->axes[1], h + r * SH, KH) * count(&data->axes[2], w + c * SW, KW);
        x *= 1.0f / (float)(area * (kd.end - kd.begin));
#endif
        const long off = dst_off + place.h * data->dst.h + place.w * data->dst.w;
        x = APPLY_POST_OPS(x, &place, off);
        if (has_padding) x = select((floatv)0.0f, x, lanes + first.c < data->dst.channels);
        DST_STOREV(dst, off, x);
    }
}
