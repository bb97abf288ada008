// SPDX-License-Identifier: Apache-2.0
// Convolution of f32 as an implicit matrix product, for GPUs with asynchronous copies: the tiles of
// ocl_conv_igemm.cl, but `cp.async` brings slices of K to a pipeline of STAGES stages in local memory,
// STAGES − 1 slices ahead of the one that is multiplied.
//
//   parameters, grid: those of conv_igemm in ocl_conv_igemm.cl
// Local memory: 4·STAGES·BK·(BM + BN) bytes, or 4·BM·BN if that is more and NSLICES > 1, and 4·BN.
// Numerics: f32 fma along K; with NSLICES or splits, partial sums are added in a fixed order.
// -D: those of ocl_conv_igemm.cl with SRC and WEI f32 and SRC_DEPTH_RUNS 0; STAGES;
// PIXEL_QUADS (four pixels from a multiple of four on are contiguous and aligned in src, and
// the window is one tap that is always inside src), WHOLE_DEPTH (IC is a multiple of
// BK), those of clh/async_copy.h.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BIA_DT) || !defined(DST_DT)
#error "ocl_conv_pipeline needs SRC, WEI, BIA, DST"
#endif
#if !defined(BM) || !defined(BN) || !defined(BK) || !defined(TM) || !defined(TN) || \
        !defined(NSLICES) || !defined(STAGES) || !defined(UNROLL)
#error "ocl_conv_pipeline needs the tile"
#endif
#if !defined(FLAT) || !defined(SRC_DEPTH_RUNS) || !defined(DST_CHANNELS_RUN) || \
        !defined(WEI_QUADS) || !defined(PIXEL_QUADS) || !defined(WHOLE_DEPTH) || \
        !defined(HAS_BIAS) || !defined(HAS_DEPTH) || !defined(HAS_SHORT_EPILOGUE)
#error "ocl_conv_pipeline lacks an option"
#endif
#if STAGES < 2 || STAGES > 4
#error "STAGES is not 2, 3 or 4"
#endif

#define DEPTH_UNROLL (UNROLL == 1 ? 1 : BK)
#define STAGE (BK * (BM + BN))
#if NSLICES > 1 && BM * BN > STAGES * STAGE
#define LOCAL_ELEMS (BM * BN)
#else
#define LOCAL_ELEMS (STAGES * STAGE)
#endif

#include "clh/always_inline.h"
#include "clh/async_copy.h"
#include "clh/conv_tile.h"

#if SRC_DT != DT_F32 || WEI_DT != DT_F32 || SRC_DEPTH_RUNS
#error "copies cannot convert or transpose"
#endif

#define DEPTH (BK / NSLICES) // of a slice, of a team
#define SPREAD COPY_SPREAD(DEPTH, STAGES)

// Copies of a work-item: fours of channels, and pixels or fours of pixels, so many indices of K
// apart. Neighbouring work-items take neighbours in memory.
#define A_STEP (NITEMS / (BM / 4))
#define NA (BK / A_STEP)
#define B_VEC (PIXEL_QUADS ? 4 : 1)
#define B_STEP (NITEMS / (BN / B_VEC))
#define NB (BK / B_STEP)

#if NITEMS % (BM / 4) != 0 || BK % A_STEP != 0 || NITEMS % (BN / B_VEC) != 0 || BK % B_STEP != 0
#error "items do not share the slices evenly"
#endif

// What a work-item copies.
typedef struct {
    __global const float *src, *wei;
    pixel_t pixel;
    int m, a_k, b_k;      // its first column of the weights; indices of K
    int nchannels;        // that exist of four; read if !WEI_QUADS
    int in_h, in_w, ic, ndepth, src_c, wei_i; // of `data`
    bool wei_is_aligned, src_is_aligned;
    int wei_tap, wei_off, src_off; // of the tap, of the work-item's first copies of a slice
    copy_place_t a_place, b_place; // of them, in stage 0
    cursor_t cursor;                   // the slice that is copied next
    bool is_new_tap;               // it is the first of its tap, or of all
#if FLAT
    int a_rows[NA];     // of the weights, −1 behind the end
    int2 b_steps[NB];   // offset in src, tap; −1 behind the end
#endif
} loader_t;

ALWAYS_INLINE void loader_init(loader_t *f, igemm_sizes_t data,
        const tile_t *tile,
        __global const float *src, __global const float *wei, __local float *stages, int item)
{
    f->in_h = data->geo.in[1];
    f->in_w = data->geo.in[2];
    f->ic = data->geo.ic;
    f->ndepth = data->ndepth;
    f->src_c = (int)data->geo.src_c;
    f->wei_i = (int)data->wei_i;
    const int column = item % (BM / 4) * 4, pixel = item % (BN / B_VEC) * B_VEC;
    f->src = src;
    f->wei = wei;
    f->src_is_aligned = ((ulong)src & 15) == 0;
    f->wei_is_aligned = ((ulong)wei & 15) == 0;
    f->a_k = item / (BM / 4);
    f->b_k = item / (BN / B_VEC);
    // What lies behind the last channel or pixel is multiplied and not stored: anything may be read.
    f->m = WEI_QUADS ? min(tile->m + column, data->geo.oc - 4) : tile->m + column;
    f->nchannels = data->geo.oc - f->m;
    f->pixel = find_pixel(data, min(tile->pixel + pixel, data->npixels - B_VEC));
    const copy_place_t place = copy_place(stages);
    f->a_place = place + (f->a_k * BM + column) * 4;
    f->b_place = place + (BK * BM + f->b_k * BN + pixel) * 4;
    f->wei_tap = 0;
}

// What the copies of step p of `spread` need of the table, read one step ahead of them.
ALWAYS_INLINE void look_up(loader_t *f, __global const ocl_conv_igemm_step_t *depth, const int p,
        const int spread)
{
#if FLAT
#pragma unroll UNROLL
    for (int e = 0; e < NA; ++e) {
        if (e % spread != p) continue;
        const int step = f->cursor.k + f->a_k + e * A_STEP;
        f->a_rows[e] = step < f->ndepth ? depth[step].wei_off : -1;
    }
#pragma unroll UNROLL
    for (int e = 0; e < NB; ++e) {
        if ((e + NA) % spread != p) continue;
        const int step = f->cursor.k + f->b_k + e * B_STEP;
        f->b_steps[e] = step < f->ndepth ? step_source(depth, step) : (int2)(0, -1);
    }
#endif
}

// At the start of a slice.
ALWAYS_INLINE void load_slice(loader_t *f, igemm_sizes_t data,
        __global const ocl_conv_igemm_step_t *depth,
        const int spread)
{
#if FLAT
    look_up(f, depth, 0, spread);
#else
    if (f->is_new_tap) {
        look(&f->pixel, data, &f->cursor);
        f->wei_tap = f->cursor.tap[0] * (int)data->wei_s[0] + f->cursor.tap[1] * (int)data->wei_s[1] +
                     f->cursor.tap[2] * (int)data->wei_s[2];
    }
    f->src_off = f->pixel.tap_off + (f->cursor.c + f->b_k) * f->src_c;
    f->wei_off = f->wei_tap + (f->cursor.c + f->a_k) * f->wei_i + f->m;
#endif
}

// Four channels of one index of K, or zeros.
ALWAYS_INLINE void copy_weights(const loader_t *f, copy_place_t to, int off, bool exists)
{
    if (WEI_QUADS && f->wei_is_aligned) {
        if (WHOLE_DEPTH)
            copy_16(to, f->wei + off);
        else
            copy_16_part(to, f->wei + off, exists ? 16u : 0u);
        return;
    }
#pragma unroll UNROLL
    for (int i = 0; i < 4; ++i)
        copy_4_part(to + i * 4, f->wei + off + i,
                exists && (WEI_QUADS || i < f->nchannels) ? 4u : 0u);
}

// Starts copy e of the weights into the stage that begins `stage` bytes behind the first.
ALWAYS_INLINE void load_weights(const loader_t *f, const int e, int stage)
{
    const int k = e * A_STEP;
    const copy_place_t to = f->a_place + (stage + k * BM * 4);
#if FLAT
    copy_weights(f, to, max(f->a_rows[e], 0) + f->m, f->a_rows[e] >= 0);
#else
    copy_weights(f, to, f->wei_off + k * f->wei_i, WHOLE_DEPTH || f->cursor.c + f->a_k + k < f->ic);
#endif
}

ALWAYS_INLINE void load_sources(const loader_t *f, const int e, int stage)
{
    const int k = e * B_STEP;
    const copy_place_t to = f->b_place + (stage + k * BN * 4);
#if FLAT
    const int2 step = f->b_steps[e];
    copy_4_part(to, f->src + f->pixel.off + step.s0,
            step.s1 >= 0 && (f->pixel.taps & step.s1) == step.s1 ? 4u : 0u);
#else
    const bool exists = f->pixel.is_inside && (WHOLE_DEPTH || f->cursor.c + f->b_k + k < f->ic);
    __global const float *from = f->src + f->src_off + k * f->src_c;
#if PIXEL_QUADS
    if (f->src_is_aligned) {
        if (WHOLE_DEPTH)
            copy_16(to, from);
        else
            copy_16_part(to, from, exists ? 16u : 0u);
        return;
    }
#pragma unroll UNROLL
    for (int i = 0; i < 4; ++i) copy_4_part(to + i * 4, from + i, exists ? 4u : 0u);
#else
    copy_4_part(to, from, exists ? 4u : 0u);
#endif
#endif
}

// The part of a slice's copies that belongs to step p of `spread`.
ALWAYS_INLINE void load_part(
        loader_t *f, __global const ocl_conv_igemm_step_t *depth, const int p, const int spread,
        int stage)
{
    if (p + 1 < spread) look_up(f, depth, p + 1, spread);
#pragma unroll UNROLL
    for (int e = 0; e < NA; ++e) {
        if (e % spread == p) load_weights(f, e, stage);
    }
#pragma unroll UNROLL
    for (int e = 0; e < NB; ++e) {
        if ((e + NA) % spread == p) load_sources(f, e, stage);
    }
}

// Starts the copies of the first STAGES − 1 of slices [slice, past) of K.
ALWAYS_INLINE void load_first(loader_t *f, igemm_sizes_t data,
        __global const ocl_conv_igemm_step_t *depth,
        int slice, int past)
{
    f->cursor = cursor_at(data, slice);
    f->is_new_tap = true;
#pragma unroll UNROLL
    for (int s = 0; s < STAGES - 1; ++s) {
        if (slice + s < past) {
            load_slice(f, data, depth, 1);
            load_part(f, depth, 0, 1, s * STAGE * 4);
            f->is_new_tap = cursor_advance(&f->cursor, data);
        }
        copy_close();
    }
}

// The sums of a work-item over slices [slice, past), of which the first are in flight.
ALWAYS_INLINE void sum_products(float sums[TM][TN], igemm_sizes_t data,
        __global const ocl_conv_igemm_step_t *depth, loader_t *f, const seat_t *seat,
        __local const float *stages,
        int slice, int past)
{
    copy_wait(STAGES - 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    __local const float *a = stages + seat->slice * DEPTH * BM + seat->m;
    __local const float *b = stages + BK * BM + seat->slice * DEPTH * BN + seat->n;
    float x[TM], y[TN];
    int read = 0, write = (STAGES - 1) * STAGE;
#pragma unroll 1
    for (; slice < past; ++slice) {
        const bool has_more = slice + STAGES - 1 < past;
        if (has_more) load_slice(f, data, depth, SPREAD);
#pragma unroll DEPTH_UNROLL
        for (int p = 0; p < DEPTH; ++p) {
            read_step(a + read + p * BM, b + read + p * BN, x, y);
            if (has_more && p < SPREAD) load_part(f, depth, p, SPREAD, write * 4);
            if (p == SPREAD - 1) copy_close();
            multiply_step(sums, x, y);
        }
        // The next slice has arrived, and no work-item reads this one any more.
        copy_wait(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE);
        read = read + STAGE == STAGES * STAGE ? 0 : read + STAGE;
        write = write + STAGE == STAGES * STAGE ? 0 : write + STAGE;
        if (has_more) f->is_new_tap = cursor_advance(&f->cursor, data);
    }
    copy_wait(0);
}

__kernel __attribute__((reqd_work_group_size(NITEMS, 1, 1))) void conv_pipeline(
        IGEMM_SIZES, __global const ocl_conv_igemm_step_t *depth,
        __global const SRC_T *src, long src_off, __global const WEI_T *wei, long wei_off,
        __global const BIA_T *bia, long bia_off, __global DST_T *dst, long dst_off,
        __global float *partial, long partial_off CONV_QUANT_PARAMS POST_OPS_PARAMS)
{
    IGEMM_DECLARE;
    CONV_EPILOGUE_DECLARE(epilogue, &data->quant, bia + bia_off, dst);
    __local float stages[LOCAL_ELEMS] __attribute__((aligned(16)));
    __local int pixel_offs[BN] __attribute__((aligned(16)));
    const int item = (int)get_local_id(0), y = (int)get_group_id(1);
    tile_t tile = tile_of(data, (int)get_group_id(0));
    const seat_t seat = seat_of(item);
    const int2 slices = slices_of(data, y, &tile);
    depth += PHASE_OFF(depth_off);
    loader_t loader;
    loader_init(&loader, data, &tile, src + src_off + PHASE_OFF(src_off) + tile.g * data->src_g,
            wei + wei_off + PHASE_OFF(wei_off) + tile.g * data->wei_g, stages, item);
    load_first(&loader, data, depth, slices.s0, slices.s1);
    locate_tile(pixel_offs, data, &tile);
    float sums[TM][TN];
#pragma unroll UNROLL
    for (int i = 0; i < TM; ++i) {
#pragma unroll UNROLL
        for (int j = 0; j < TN; ++j) sums[i][j] = 0.0f;
    }
    sum_products(sums, data, depth, &loader, &seat, stages, slices.s0, slices.s1);
    put_tile(&epilogue, data, &tile, sums, &seat, stages, pixel_offs,
            dst_off + PHASE_OFF(dst_off),
            partial + partial_off + PHASE_OFF(partial_off) + y * data->npartial);
}
