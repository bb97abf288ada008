// SPDX-License-Identifier: Apache-2.0
// Convolution on devices with local memory as an implicit matrix product, for plain layouts: output
// channels × depth times depth × pixels, where the depth runs over taps and, within a tap, input
// channels. A group computes BM channels of BN pixels. Two slices of BK of the depth lie in local
// memory: one is multiplied while the next travels through registers. An item keeps TM × TN sums;
// NSLICES teams of items share a tile, each summing its part of the depth, where tiles are too few
// to fill the device. Where even groups are too few, y splits the depth further: partial sums go to
// scratch memory, and conv_igemm_sum adds them in a fixed order.
//
//   data           sizes and strides; channels count elements, not blocks
//   depth          [data->ndepth] what a step of the depth adds; looked at if FLAT
//   src, src_off   [N, G·IC, in…], SRC_T
//   wei, wei_off   [G, kernel…, IC, OC], by strides, output channels adjacent, WEI_T
//   bia, bia_off   [G·OC], BIA_T, or null if !HAS_BIAS
//   dst, dst_off   [N, G·OC, out…], DST_T
//   partial, partial_off   [split][G·OC][N·out…], or [split][N·out…][G·OC] if DST_CHANNELS_RUN, f32;
//                  written if data->nsplits > 1
//   CONV_QUANT     scales and zero points of clh/conv.h
//   POST_OPS       any
// Grid: (tiles of channels · tiles of pixels · G, splits) groups of NITEMS items along x. Local
// memory: 8·BK·(BM + BN + 8) + 4·BN bytes. Numerics: f32 fma along the depth.
// -D: SRC, WEI, BIA, DST, HAS_BIAS, HAS_QUANT (prim__ocl_conv_options()), BM, BN, BK, TM, TN,
// NSLICES, FLAT (the depth is a table: few input channels), SRC_DEPTH_RUNS (channels of src are
// adjacent), DST_CHANNELS_RUN (and of dst), SRC_QUADS, WEI_QUADS (four neighbours lie inside or
// outside together), HAS_DEPTH (three spatial dimensions), HAS_SHORT_ENDS (post-ops are none or a few
// instructions), UNROLL (of loops over registers: 16, or 1 where there are none to speak of), those
// of clh/post_ops.h.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BIA_DT) || !defined(DST_DT)
#error "ocl_conv_igemm needs SRC, WEI, BIA, DST"
#endif
#if !defined(BM) || !defined(BN) || !defined(BK) || !defined(TM) || !defined(TN) || \
        !defined(NSLICES) || !defined(UNROLL)
#error "ocl_conv_igemm needs the tile"
#endif
#if !defined(FLAT) || !defined(SRC_DEPTH_RUNS) || !defined(DST_CHANNELS_RUN) || \
        !defined(SRC_QUADS) || !defined(WEI_QUADS) || !defined(HAS_BIAS) || !defined(HAS_DEPTH) || \
        !defined(HAS_SHORT_ENDS)
#error "ocl_conv_igemm lacks an option"
#endif
#if TM % 4 != 0 || TN % 4 != 0 || BM % (4 * TM) != 0 || BN % (8 * TN) != 0
#error "32 items are 4 by 8, and items are cut in fours"
#endif

#include "clh/conv_ends.h"
#include "clh/conv_igemm.h"

#define TEAM (BM / TM * (BN / TN)) // items that share a slice of the depth
#define NITEMS (TEAM * NSLICES)
#define DEPTH_UNROLL (UNROLL == 1 ? 1 : BK / NSLICES)
#define PITCH_A (BM + 4) // of a local row: keeps fours aligned and spreads columns over banks
#define PITCH_B (BN + 4)
#define STAGE (BK * (PITCH_A + PITCH_B))
#define NA (BM * BK / NITEMS / 4) // fours that an item fetches
#define NB (BN * BK / NITEMS / 4)

#if NA * NITEMS * 4 != BM * BK || NB * NITEMS * 4 != BN * BK
#error "items do not share the slices evenly"
#endif
#if NITEMS % (BM / 4) != 0 || (NITEMS % BN != 0 && !SRC_DEPTH_RUNS) || NITEMS % (BK / 4) != 0
#error "items do not share the rows evenly"
#endif

// What an item keeps of the pixels that it fetches.
#if SRC_DEPTH_RUNS
#define NPIXELS NB // a four is four steps of the depth of one pixel
#else
#define NPIXELS 1 // all elements are of one pixel
#endif

// How sums leave: rows of neighbours in dst, as many at a time as local memory holds.
#if DST_CHANNELS_RUN
#define NROWS BN
#define NCOLS BM
#define ITEM_ROWS TN
#define ITEM_COLS TM
#define SUM_AT(r, c) sums[c][r]
#define ROW_AT(seat, r) SEAT_N(seat, r)
#define COL_AT(seat, c) SEAT_M(seat, c)
#else
#define NROWS BM
#define NCOLS BN
#define ITEM_ROWS TM
#define ITEM_COLS TN
#define SUM_AT(r, c) sums[r][c]
#define ROW_AT(seat, r) SEAT_M(seat, r)
#define COL_AT(seat, c) SEAT_N(seat, c)
#endif
#define FOUR_AT(r, c) \
    (float4)(SUM_AT(r, c), SUM_AT(r, (c) + 1), SUM_AT(r, (c) + 2), SUM_AT(r, (c) + 3))
#define PITCH_OUT (NCOLS + 4)
#if NROWS * PITCH_OUT <= 2 * STAGE
#define NPARTS 1
#elif NROWS / 2 * PITCH_OUT <= 2 * STAGE
#define NPARTS 2
#else
#define NPARTS 4
#endif
#define PART_ROWS (NROWS / NPARTS)

// Whether sums are finished in the registers. Longer steps, compiled once for each sum, make the
// compiler give up unrolling, and then the sums are in memory.
#define IS_SHORT (HAS_SHORT_ENDS && !HAS_QUANT && NSLICES == 1)
#define SUMS_PITCH (TEAM * 4)

// Which elements of a slice an item brings: of the weights, fours of channels; of the sources, fours
// of the depth, one after the other (SRC_DEPTH_RUNS) or NITEMS / BN apart. Neighbouring items take
// neighbours in memory.
typedef struct {
    int a_m, a_k; // then BM/4·… rows further
    int b_j, b_k;
} share_t;

#define A_STEP (NITEMS / (BM / 4)) // rows of the slice between the fours of an item
#if SRC_DEPTH_RUNS
#define B_STEP (NITEMS / (BK / 4)) // pixels between them
#define B_INNER 1
#else
#define B_STEP (4 * (NITEMS / BN)) // steps of the depth
#define B_INNER (NITEMS / BN)
#endif

static inline share_t share_of(int item)
{
    share_t share;
    share.a_m = item % (BM / 4) * 4;
    share.a_k = item / (BM / 4);
    share.b_j = SRC_DEPTH_RUNS ? item / (BK / 4) : item % BN;
    share.b_k = SRC_DEPTH_RUNS ? item % (BK / 4) * 4 : item / BN;
    return share;
}

static inline void put_slice(
        __local float *stage, const share_t *share, const float4 a[NA], const float4 b[NB])
{
#pragma unroll
    for (int i = 0; i < NA; ++i)
        *(__local float4 *)(stage + (share->a_k + i * A_STEP) * PITCH_A + share->a_m) = a[i];
    __local float *b_tile = stage + BK * PITCH_A;
#pragma unroll
    for (int i = 0; i < NB; ++i) {
#if SRC_DEPTH_RUNS
        __local float *at = b_tile + share->b_k * PITCH_B + share->b_j + i * B_STEP;
#else
        __local float *at = b_tile + (share->b_k + i * B_STEP) * PITCH_B + share->b_j;
#endif
        at[0] = b[i].s0;
        at[B_INNER * PITCH_B] = b[i].s1;
        at[2 * B_INNER * PITCH_B] = b[i].s2;
        at[3 * B_INNER * PITCH_B] = b[i].s3;
    }
}

// The place of an item in its team: 32 items cover 4·TM × 8·TN, in interleaved fours.
typedef struct {
    int m, n, slice;
} seat_t;

static inline seat_t seat_of(int item)
{
    const int member = item % TEAM, block = member / 32, lane = member % 32;
    seat_t seat;
    seat.m = block / (BN / (8 * TN)) * (4 * TM) + lane / 8 * 4;
    seat.n = block % (BN / (8 * TN)) * (8 * TN) + lane % 8 * 4;
    seat.slice = item / TEAM;
    return seat;
}

#define SEAT_M(seat, i) ((seat)->m + (i) / 4 * 16 + (i) % 4)
#define SEAT_N(seat, j) ((seat)->n + (j) / 4 * 32 + (j) % 4)

static inline void multiply(float sums[TM][TN], __local const float *stage, const seat_t *seat)
{
    __local const float *a = stage + seat->slice * (BK / NSLICES) * PITCH_A + seat->m;
    __local const float *b =
            stage + BK * PITCH_A + seat->slice * (BK / NSLICES) * PITCH_B + seat->n;
#pragma unroll DEPTH_UNROLL
    for (int k = 0; k < BK / NSLICES; ++k) {
        float x[TM], y[TN];
#pragma unroll UNROLL
        for (int i = 0; i < TM; i += 4)
            vstore4(*(__local const float4 *)(a + k * PITCH_A + i / 4 * 16), 0, x + i);
#pragma unroll UNROLL
        for (int j = 0; j < TN; j += 4)
            vstore4(*(__local const float4 *)(b + k * PITCH_B + j / 4 * 32), 0, y + j);
        // Back and forth: neighbouring products share an operand.
#pragma unroll UNROLL
        for (int j = 0; j < TN; ++j) {
#pragma unroll UNROLL
            for (int n = 0; n < TM; ++n) {
                const int i = j % 2 ? TM - 1 - n : n;
                sums[i][j] = fma(x[i], y[j], sums[i][j]);
            }
        }
    }
}

// Adds the sums of the other teams to those of the first, in their order.
static inline void gather_teams(float sums[TM][TN], __local float *local_sums, const seat_t *seat,
        int item)
{
    __local float *mine = local_sums + item % TEAM * 4;
#pragma unroll 1
    for (int s = 1; s < NSLICES; ++s) {
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll UNROLL
        for (int i = 0; i < TM; ++i) {
#pragma unroll UNROLL
            for (int j = 0; j < TN && seat->slice == s; j += 4)
                *(__local float4 *)(mine + (i * TN + j) / 4 * SUMS_PITCH) =
                        (float4)(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]);
        }
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll UNROLL
        for (int i = 0; i < TM; ++i) {
#pragma unroll UNROLL
            for (int j = 0; j < TN && seat->slice == 0; j += 4) {
                const float4 x = *(__local const float4 *)(mine + (i * TN + j) / 4 * SUMS_PITCH);
                sums[i][j] += x.s0;
                sums[i][j + 1] += x.s1;
                sums[i][j + 2] += x.s2;
                sums[i][j + 3] += x.s3;
            }
        }
    }
}

// Lays one part of the rows out in local memory, four neighbours of dst at a time.
static inline void lay_out(__local float *rows, float sums[TM][TN], const seat_t *seat, int part)
{
    if (seat->slice != 0) return;
#pragma unroll UNROLL
    for (int r = 0; r < ITEM_ROWS; ++r) {
        const int row = ROW_AT(seat, r) - part * PART_ROWS;
#pragma unroll UNROLL
        for (int c = 0; c < ITEM_COLS; c += 4) {
            if (row < 0 || row >= PART_ROWS) continue;
            *(__local float4 *)(rows + row * PITCH_OUT + COL_AT(seat, c)) = FOUR_AT(r, c);
        }
    }
}

// Offset of a pixel in dst, and its position but for the channel.
static inline int locate(long *pos, __constant const conv_data_t *data, int pixel)
{
    int off = 0;
    const int missing = NSPATIAL - data->geo.nspatial;
    for (int s = NSPATIAL - 1; s >= 0; --s) {
        if (s < FIRST_AXIS) continue;
        const int at = split(&pixel, data->geo.out[s]);
        if (s >= missing) pos[2 + s - missing] = at;
        off += at * (int)data->geo.dst_s[s];
    }
    pos[0] = pixel;
    return off + pixel * (int)data->geo.dst_n;
}

// The value of dst for channel c of all and a pixel; `off` is its element of dst.
static inline float finish(const conv_ends_t *ends, __constant const conv_data_t *data, float x,
        int c, int pixel, long off)
{
    long pos[2 + NSPATIAL];
    if (PO_NEEDS_POSITION) (void)locate(pos, data, pixel);
    pos[1] = c;
    return conv_finish(ends, x, pos, off);
}

typedef struct {
    int g, m, pixel; // group of channels, first channel in it, first pixel
} tile_t;

static inline tile_t tile_of(__constant const conv_data_t *data, int index)
{
    tile_t tile;
    tile.m = split(&index, data->ntiles_m) * BM;
    tile.pixel = split(&index, data->ntiles_n) * BN;
    tile.g = index;
    return tile;
}

// Finishes n ≤ 4 sums and stores them: of channels from c on of one pixel, or of pixels from `pixel` on of one channel, which lie at offs.s0 … s3 from `off`.
static inline void put_quad(const conv_ends_t *ends, __constant const conv_data_t *data,
        float4 sums, int c, int pixel, int n, long off, int4 offs)
{
    float x[4];
    int at[4];
    vstore4(sums, 0, x);
    vstore4(offs, 0, at);
#pragma unroll UNROLL
    for (int e = 0; e < 4; ++e) {
        if (e < n)
            x[e] = finish(ends, data, x[e], DST_CHANNELS_RUN ? c + e : c,
                    DST_CHANNELS_RUN ? pixel : pixel + e, off + at[e]);
    }
    if (n == 4 && at[1] == at[0] + 1 && at[2] == at[0] + 2 && at[3] == at[0] + 3) {
        conv_store4(ends->dst, off + at[0], vload4(0, x));
        return;
    }
#pragma unroll UNROLL
    for (int e = 0; e < 4; ++e) {
        if (e < n) DST_STORE(ends->dst, off + at[e], x[e]);
    }
}

// Stores four neighbours of a row of the tile, from local position (row, column) on: partial sums,
// or finished ones.
static inline void put_four(const conv_ends_t *ends, __constant const conv_data_t *data,
        const tile_t *tile, float4 sums, int row, int column, __local const int *pixel_offs,
        long dst_off, __global float *partial)
{
    const int m = tile->m + (DST_CHANNELS_RUN ? column : row);
    const int pixel = tile->pixel + (DST_CHANNELS_RUN ? row : column);
    if (m >= data->geo.oc || pixel >= data->npixels) return;
    const int n = min(4, DST_CHANNELS_RUN ? data->geo.oc - m : data->npixels - pixel);
    const int c = tile->g * data->geo.oc + m;
    if (data->nsplits > 1) {
        float x[4];
        vstore4(sums, 0, x);
        partial += DST_CHANNELS_RUN ? (long)pixel * data->ngroups * data->geo.oc + c
                                    : (long)c * data->npixels + pixel;
        if (n == 4 && ((ulong)partial & 15) == 0) {
            *(__global float4 *)partial = sums;
            return;
        }
#pragma unroll
        for (int e = 0; e < 4; ++e) {
            if (e < n) partial[e] = x[e];
        }
        return;
    }
    const int4 offs = DST_CHANNELS_RUN ? pixel_offs[row] + (int4)(0, 1, 2, 3)
                                       : *(__local const int4 *)(pixel_offs + column);
    put_quad(ends, data, sums, c, pixel, n,
            dst_off + tile->g * data->dst_g + m * data->geo.dst_c, offs);
}

// All sums straight from the registers, where the last steps are short.
static inline void put_sums(const conv_ends_t *ends, __constant const conv_data_t *data,
        const tile_t *tile, float sums[TM][TN], const seat_t *seat, __local const int *pixel_offs,
        long dst_off, __global float *partial)
{
#pragma unroll UNROLL
    for (int r = 0; r < ITEM_ROWS; ++r) {
#pragma unroll UNROLL
        for (int c = 0; c < ITEM_COLS; c += 4)
            put_four(ends, data, tile, FOUR_AT(r, c), ROW_AT(seat, r), COL_AT(seat, c), pixel_offs,
                    dst_off, partial);
    }
}

// All sums by way of local memory: the items share them, and the last steps are compiled once.
static inline void share_sums(const conv_ends_t *ends, __constant const conv_data_t *data,
        const tile_t *tile, float sums[TM][TN], const seat_t *seat, __local float *rows,
        __local const int *pixel_offs, long dst_off, __global float *partial)
{
#pragma unroll 1
    for (int part = 0; part < NPARTS; ++part) {
        barrier(CLK_LOCAL_MEM_FENCE);
        lay_out(rows, sums, seat, part);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
        for (int t = (int)get_local_id(0); t < PART_ROWS * (NCOLS / 4); t += NITEMS) {
            const int row = t / (NCOLS / 4), column = t % (NCOLS / 4) * 4;
            put_four(ends, data, tile, *(__local const float4 *)(rows + row * PITCH_OUT + column),
                    row + part * PART_ROWS, column, pixel_offs, dst_off, partial);
        }
    }
}

// The sums of an item over slices [slice, past) of the depth.
static inline void sum_products(float sums[TM][TN], __constant const conv_data_t *data,
        __global const depth_t *depth, __global const SRC_T *src, __global const WEI_T *wei,
        const tile_t *tile, const seat_t *seat, __local float *stages, int slice, int past)
{
    const int item = (int)get_local_id(0);
    const share_t share = share_of(item);
    const bool src_is_aligned = ((ulong)src & 15) == 0, wei_is_aligned = ((ulong)wei & 15) == 0;
    pixel_t pixels[NPIXELS];
    float4 a[NA], b[NB];
    walk_t walk = walk_from(data, slice);
#pragma unroll
    for (int i = 0; i < NPIXELS; ++i)
        pixels[i] = find_pixel(data, tile->pixel + share.b_j + i * B_STEP);
    bool is_new_tap = true;
    int wei_off = 0;
    // One step ahead of the products.
#pragma unroll 1
    for (int next = slice; next <= past; ++next) {
        if (next < past) {
            if (is_new_tap) {
#pragma unroll
                for (int i = 0; i < NPIXELS; ++i) look(&pixels[i], data, &walk);
                wei_off = walk.tap[0] * (int)data->wei_s[0] + walk.tap[1] * (int)data->wei_s[1] +
                          walk.tap[2] * (int)data->wei_s[2];
            }
#pragma unroll
            for (int i = 0; i < NA; ++i)
                a[i] = fetch_weights(data, depth, &walk, wei_off, wei, wei_is_aligned,
                        tile->m + share.a_m, share.a_k + i * A_STEP);
#pragma unroll
            for (int i = 0; i < NB; ++i)
                b[i] = fetch_sources(data, depth, &walk, &pixels[SRC_DEPTH_RUNS ? i : 0], src,
                        src_is_aligned, share.b_k + (SRC_DEPTH_RUNS ? 0 : i * B_STEP), B_INNER);
            is_new_tap = walk_on(&walk, data);
        }
        if (next > slice) multiply(sums, stages + (next - 1) % 2 * STAGE, seat);
        if (next < past) put_slice(stages + next % 2 * STAGE, &share, a, b);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel __attribute__((reqd_work_group_size(NITEMS, 1, 1))) void conv_igemm(
        __constant const conv_data_t *data, __global const depth_t *depth,
        __global const SRC_T *src, long src_off, __global const WEI_T *wei, long wei_off,
        __global const BIA_T *bia, long bia_off, __global DST_T *dst, long dst_off,
        __global float *partial, long partial_off CONV_QUANT_PARAMS POST_OPS_PARAMS)
{
    CONV_ENDS_DECLARE(ends, &data->quant, bia + bia_off, dst);
    __local float stages[2 * STAGE] __attribute__((aligned(16)));
    __local int pixel_offs[BN] __attribute__((aligned(16)));
    const int item = (int)get_local_id(0), y = (int)get_group_id(1);
    const tile_t tile = tile_of(data, (int)get_group_id(0));
    const seat_t seat = seat_of(item);
    const int first = y * data->split_slices;
    const int past = min(first + data->split_slices, data->nslices);
    for (int j = item; j < BN; j += NITEMS) {
        long pos[2 + NSPATIAL];
        pixel_offs[j] = locate(pos, data, min(tile.pixel + j, data->npixels - 1));
    }
    float sums[TM][TN];
#pragma unroll
    for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i][j] = 0.0f;
    }
    sum_products(sums, data, depth, src + src_off + tile.g * data->src_g,
            wei + wei_off + tile.g * data->wei_g, &tile, &seat, stages, first, past);
    partial += partial_off + y * data->npartial;
#if IS_SHORT
    put_sums(&ends, data, &tile, sums, &seat, pixel_offs, dst_off, partial);
#else
    if (NSLICES > 1) gather_teams(sums, stages, &seat, item);
    share_sums(&ends, data, &tile, sums, &seat, stages, pixel_offs, dst_off, partial);
#endif
}

// Adds the partial sums of an element in the order of the splits, and finishes it.
// Grid: x ≥ data->npartial.
__kernel void conv_igemm_sum(__constant const conv_data_t *data, __global const float *partial,
        long partial_off, __global const BIA_T *bia, long bia_off, __global DST_T *dst,
        long dst_off CONV_QUANT_PARAMS POST_OPS_PARAMS)
{
    CONV_ENDS_DECLARE(ends, &data->quant, bia + bia_off, dst);
    const int i = (int)get_global_id(0);
    if (i >= data->npartial) return;
    const int inner = DST_CHANNELS_RUN ? data->ngroups * data->geo.oc : data->npixels;
    const int row = i / inner, column = i - row * inner;
    const int c = DST_CHANNELS_RUN ? column : row, pixel = DST_CHANNELS_RUN ? row : column;
    partial += partial_off + i;
    float sum = partial[0];
#pragma unroll 4
    for (int s = 1; s < data->nsplits; ++s) sum += partial[s * data->npartial];
    long pos[2 + NSPATIAL];
    const int g = c / data->geo.oc;
    const long off = dst_off + g * data->dst_g + (c - g * data->geo.oc) * data->geo.dst_c +
                     locate(pos, data, pixel);
    DST_STORE(dst, off, finish(&ends, data, sum, c, pixel, off));
}
