// SPDX-License-Identifier: Apache-2.0
// Convolution as an implicit matrix product for GPUs and any layout: OC × K times K × pixels, where K runs
// over taps and input channels. A work-group computes a tile of BM channels × BN pixels, BK indices of K at
// a time; each work-item accumulates TM × TN of it in registers. The next slices of weights and of gathered
// src are loaded into registers while the current ones, in local memory, are multiplied.
//
// Tables hold the offsets of each index of K and of each output channel, because the offset of an element
// is a sum of one term for each dimension; so blocked layouts work as well. Work-items share the loads
// along the dimension that is innermost in memory.
//
//   data           sizes and strides
//   depth          [data->ndepth] what an index of K adds to offsets and input positions
//   channels       [data->geo.oc_padded] what an output channel of a group adds to offsets
//   src, src_off   [N, G·IC, in…], SRC_T
//   wei, wei_off   [G, OC, IC, kernel…], WEI_T
//   bia, bia_off   [G·OC], BIA_T, or null if !HAS_BIAS
//   dst, dst_off   [N, G·OC, out…], DST_T; padding of OC becomes 0
//   CONV_QUANT     scales and zero points of clh/conv.h
//   POST_OPS       any
// Grid: (ceil(npixels / BN), G·ceil(OC padded / BM)) work-groups of BM/TM·BN/TN work-items along x. Local
// memory: 4·(BK·(BM + BN + 8) + 4·BN) bytes. Numerics: f32 fma along K, or SUM_INT: s32
// sums of products of integers; IS_EXACT: and so is all that follows.
// -D: SRC, WEI, BIA, DST, HAS_BIAS, HAS_QUANT (prim__ocl_conv_options()), BM, BN, BK, TM, TN (4 or
// 8), SRC_DEPTH_RUNS (channels of src are contiguous), WEI_CHANNELS_RUN (output channels of weights
// are), DST_CHANNELS_RUN, SUM_INT, IS_EXACT, those of clh/post_ops.h.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BIA_DT) || !defined(DST_DT)
#error "ocl_conv_tiled needs SRC, WEI, BIA, DST"
#endif
#if !defined(BM) || !defined(BN) || !defined(BK) || !defined(TM) || !defined(TN) ||             \
        !defined(SRC_DEPTH_RUNS) || !defined(WEI_CHANNELS_RUN) || !defined(DST_CHANNELS_RUN) || \
        !defined(HAS_BIAS) || !defined(SUM_INT) || !defined(IS_EXACT)
#error "ocl_conv_tiled lacks an option"
#endif
#if TM % 4 != 0 || TN % 4 != 0 || BM % TM != 0 || BN % TN != 0
#error "tiles are cut in fours"
#endif

#include "clh/always_inline.h"
#include "clh/conv.h"
#include "clh/group_size.h"
#include "clh/io.h"
#include "clh/post_ops.h"
#include "clh/shared/conv_tiled_data.h"

#define NTM (BM / TM) // work-items along the channels
#define NTN (BN / TN) // work-items along the pixels
#define NITEMS (NTM * NTN)
#define NA (BM * BK / NITEMS) // elements a work-item fetches
#define NB (BN * BK / NITEMS)
#define PITCH_A (BM + 4) // of a local row: keeps fours aligned and spreads columns over banks
#define PITCH_B (BN + 4)
#define OUTSIDE (-(1 << 29)) // an input position that no tap brings inside

#if NA * NITEMS != BM * BK || NB * NITEMS != BN * BK
#error "items do not share the slices evenly"
#endif

#if NTM > BK
#error "the rows of the items do not fit where the weights were"
#endif

#if SUM_INT
typedef int elem_t;
#define SRC_GET SRC_LOAD_INT
#define WEI_GET WEI_LOAD_INT
#define MULTIPLY_ADD(a, b, c) ((a) * (b) + (c))
#else
typedef float elem_t;
#define SRC_GET SRC_LOAD
#define WEI_GET WEI_LOAD
#define MULTIPLY_ADD(a, b, c) fma(a, b, c)
#endif

// The pixels of a group: offset of the image and the first tap, and the input position there.
typedef struct {
    int off[BN], at[NSPATIAL][BN];
} pixels_t;

static int split(int *index, int n)
{
    const int quotient = *index / n, rest = *index - quotient * n;
    *index = quotient;
    return rest;
}

static void find_pixels(__local pixels_t *pixels, __constant const ocl_conv_tiled_data_t *data, int first)
{
    for (int j = (int)get_local_id(0); j < BN; j += NITEMS) {
        int rest = first + j;
        int off = 0;
        for (int s = NSPATIAL - 1; s >= 0; --s) {
            const int out = split(&rest, data->geo.out[s]);
            const int at = out * data->geo.stride[s] - data->geo.pad[s];
            pixels->at[s][j] = first + j < data->npixels ? at : OUTSIDE;
            off += at * (int)data->geo.src_s[s];
        }
        pixels->off[j] = off + rest * (int)data->geo.src_n;
    }
}

// The elements of a slice that a work-item brings: `first` + i·`step` along the channels or pixels and
// along K. Neighbouring work-items take neighbours in memory.
typedef struct {
    int along, along_step, depth, depth_step;
} share_t;

static share_t share_of(int item, bool depth_runs, int width)
{
    share_t share;
    share.along = depth_runs ? item / BK : item % width;
    share.along_step = depth_runs ? NITEMS / BK : 0;
    share.depth = depth_runs ? item % BK : item / width;
    share.depth_step = depth_runs ? 0 : NITEMS / width;
    return share;
}

// Puts the n elements that a work-item brought where all work-items read them.
static void share_slice(__local elem_t *tile, int pitch, share_t share, const elem_t *elems, int n)
{
#pragma unroll
    for (int i = 0; i < n; ++i)
        tile[(share.depth + i * share.depth_step) * pitch + share.along + i * share.along_step] =
                elems[i];
}

static elem_t fetch_weight(__constant const ocl_conv_tiled_data_t *data,
        __global const ocl_conv_tiled_step_t *depth,
        __global const ocl_conv_tiled_channel_t *channels, __global const WEI_T *wei, int m, int k)
{
    if (m >= data->geo.oc || k >= data->ndepth) return 0;
    return WEI_GET(wei, channels[m].wei_off + depth[k].wei_off);
}

static elem_t fetch_source(__constant const ocl_conv_tiled_data_t *data,
        __global const ocl_conv_tiled_step_t *depth,
        __local const pixels_t *pixels, __global const SRC_T *src, int j, int k)
{
    if (k >= data->ndepth) return 0;
    const ocl_conv_tiled_step_t step = depth[k];
    bool is_inside = true;
    for (int s = 0; s < NSPATIAL; ++s)
        is_inside = is_inside && (uint)(pixels->at[s][j] + step.at[s]) < (uint)data->geo.in[s];
    if (!is_inside) return 0;
    return SRC_GET(src, pixels->off[j] + step.src_off);
}

// Where element i of a work-item's tile lies: in fours, interleaved with the other work-items'.
static int place(int item, int nitems, int i)
{
    return (i / 4 * nitems + item) * 4 + i % 4;
}

// Offset of a pixel in dst, and its position but for the channel.
static long locate(long *pos, __constant const ocl_conv_tiled_data_t *data, int pixel)
{
    long off = 0;
    const int missing = NSPATIAL - data->geo.nspatial;
    for (int s = NSPATIAL - 1; s >= 0; --s) {
        const int at = split(&pixel, data->geo.out[s]);
        if (s >= missing) pos[2 + s - missing] = at;
        off += at * data->geo.dst_s[s];
    }
    pos[0] = pixel;
    return off + pixel * data->geo.dst_n;
}

// What a work-item multiplies in one index of K: rows of the local tiles.
ALWAYS_INLINE void multiply(elem_t sums[TM][TN], __local const elem_t *a_row,
        __local const elem_t *b_row, int item_m, int item_n)
{
    elem_t x[TM], y[TN];
#pragma unroll
    for (int i = 0; i < TM; ++i) x[i] = a_row[place(item_m, NTM, i)];
#pragma unroll
    for (int j = 0; j < TN; ++j) y[j] = b_row[place(item_n, NTN, j)];
#pragma unroll
    for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i][j] = MULTIPLY_ADD(x[i], y[j], sums[i][j]);
    }
}

// Clears and adds up a work-item's tile of channels from m0 on, and the pixels of the group. All work-items
// of the group call it; `tiles` and `pixels` are the group's. (PoCL 3.1 crashes on barriers in a
// function that it does not inline.)
ALWAYS_INLINE void sum_products(elem_t sums[TM][TN],
        __constant const ocl_conv_tiled_data_t *data, __global const ocl_conv_tiled_step_t *depth,
        __global const ocl_conv_tiled_channel_t *channels, __global const SRC_T *src,
        __global const WEI_T *wei,
        __local elem_t *tiles, __local const pixels_t *pixels, int m0)
{
    __local elem_t *const a_tile = tiles, *const b_tile = tiles + BK * PITCH_A;
    const int item = (int)get_local_id(0);
    const share_t a = share_of(item, !WEI_CHANNELS_RUN, BM);
    const share_t b = share_of(item, SRC_DEPTH_RUNS, BN);
    elem_t a_next[NA], b_next[NB];
    for (int i = 0; i < TM; ++i) {
        for (int j = 0; j < TN; ++j) sums[i][j] = 0;
    }
    for (int k0 = -BK; k0 < data->ndepth; k0 += BK) {
        if (k0 >= 0) {
            barrier(CLK_LOCAL_MEM_FENCE);
            share_slice(a_tile, PITCH_A, a, a_next, NA);
            share_slice(b_tile, PITCH_B, b, b_next, NB);
            barrier(CLK_LOCAL_MEM_FENCE);
        }
        if (k0 + BK < data->ndepth) {
#pragma unroll
            for (int i = 0; i < NA; ++i)
                a_next[i] = fetch_weight(data, depth, channels, wei,
                        m0 + a.along + i * a.along_step, k0 + BK + a.depth + i * a.depth_step);
#pragma unroll
            for (int i = 0; i < NB; ++i)
                b_next[i] = fetch_source(data, depth, pixels, src, b.along + i * b.along_step,
                        k0 + BK + b.depth + i * b.depth_step);
        }
        if (k0 < 0) continue;
#pragma unroll 4
        for (int k = 0; k < BK; ++k)
            multiply(sums, a_tile + k * PITCH_A, b_tile + k * PITCH_B, item / NTN, item % NTN);
    }
}

// Row i of each work-item's tile, to where other work-items read it.
ALWAYS_INLINE void share_row(
        __local elem_t *out_tile, elem_t sums[TM][TN], int i, int item_m, int item_n)
{
#pragma unroll
    for (int j = 0; j < TN; ++j) {
        elem_t sum = sums[0][j];
#pragma unroll
        for (int other = 1; other < TM; ++other) sum = i == other ? sums[other][j] : sum;
        out_tile[item_m * BN + place(item_n, NTN, j)] = sum;
    }
}

#if HAS_QUANT
#define FINISH_SCALE(x, c) ((x) * conv_factor(&conv_quant, c))
#define FINISH_QUANT(x, c) ((x) / conv_divisor(&conv_quant, c) + conv_zero(&conv_quant, c))
#else
#define FINISH_SCALE(x, c) (x)
#define FINISH_QUANT(x, c) (x)
#endif
#if !HAS_BIAS
#define FINISH_BIAS(x, c) (x)
#elif IS_EXACT
#define FINISH_BIAS(x, c) ((x) + BIA_LOAD_INT(bia, bia_off + (c)))
#else
#define FINISH_BIAS(x, c) ((x) + BIA_LOAD(bia, bia_off + (c)))
#endif

#if (WITH_POST_OPS || HAS_QUANT) && REGISTERS_SUFFICE(NITEMS)
#define GROUP_SIZE
#else
#define GROUP_SIZE __attribute__((reqd_work_group_size(NITEMS, 1, 1)))
#endif

GROUP_SIZE __kernel void conv_tiled(
        __constant const ocl_conv_tiled_data_t *data, __global const ocl_conv_tiled_step_t *depth,
        __global const ocl_conv_tiled_channel_t *channels, __global const SRC_T *src, long src_off,
        __global const WEI_T *wei, long wei_off, __global const BIA_T *bia, long bia_off,
        __global DST_T *dst, long dst_off CONV_QUANT_PARAMS POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    CONV_QUANT_DECLARE(&data->quant);
    __local elem_t tiles[BK * (PITCH_A + PITCH_B)];
    __local elem_t *const out_tile = tiles; // NTM × BN at the end
    __local pixels_t pixels;
    const int item = (int)get_local_id(0);
    const int first_pixel = (int)get_group_id(0) * BN;
    const int g = (int)get_group_id(1) / data->ntiles_m;
    const int m0 = (int)get_group_id(1) % data->ntiles_m * BM;
    src += src_off + g * data->geo.src_c;
    wei += wei_off + g * data->wei_g;
    dst_off += g * data->geo.dst_c;

    find_pixels(&pixels, data, first_pixel);
    barrier(CLK_LOCAL_MEM_FENCE);
    elem_t sums[TM][TN];
    sum_products(sums, data, depth, channels, src, wei, tiles, &pixels, m0);

    // Row by row of the work-items through local memory, so that neighbours store neighbours and the
    // last steps are compiled once.
#pragma unroll 1
    for (int i = 0; i < TM; ++i) {
        barrier(CLK_LOCAL_MEM_FENCE);
        share_row(out_tile, sums, i, item / NTN, item % NTN);
        barrier(CLK_LOCAL_MEM_FENCE);
#pragma unroll 1
        for (int t = item; t < NTM * BN; t += NITEMS) {
            const int row = DST_CHANNELS_RUN ? t % NTM : t / BN;
            const int column = DST_CHANNELS_RUN ? t / NTM : t % BN;
            const int m = m0 + place(row, NTM, i), pixel = first_pixel + column;
            if (m >= data->geo.oc_padded || pixel >= data->npixels) continue;
            long pos[2 + NSPATIAL];
            const long off = dst_off + channels[m].dst_off + locate(pos, data, pixel);
            if (m >= data->geo.oc) {
                DST_STORE(dst, off, 0.0f);
                continue;
            }
            const elem_t sum = out_tile[row * BN + column];
            pos[1] = g * data->geo.oc + m;
#if IS_EXACT
            DST_STORE_INT(dst, off, FINISH_BIAS((long)sum, pos[1]));
#else
            const float x = FINISH_BIAS(FINISH_SCALE((float)sum, pos[1]), pos[1]);
            DST_STORE(dst, off, FINISH_QUANT(POST_OPS_APPLY(x, pos, dst, off), pos[1]));
#endif
        }
    }
}
