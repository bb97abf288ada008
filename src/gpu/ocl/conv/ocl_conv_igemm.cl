// SPDX-License-Identifier: Apache-2.0
// Convolution as an implicit matrix product, for GPUs and plain layouts: OC × K times K × pixels, where K
// runs over taps and, within a tap, input channels. A work-group computes a tile of BM channels × BN
// pixels, each work-item TM × TN of it in registers. Slices of BK indices of K are double-buffered in local
// memory: one is multiplied while the next is loaded into registers.
//
// Where tiles are too few to fill the device, NSLICES teams of work-items share a tile, each summing its
// part of K; where work-groups are too few as well, K is split over work-groups (y, split-K): partial sums
// go to the scratchpad, and conv_igemm_sum adds them in a fixed order.
//
//   data           sizes and strides; channels count elements, not blocks
//   depth          [data->ndepth] what an index of K adds to offsets; read if FLAT
//   src, src_off   [N, G·IC, in…], SRC_T
//   wei, wei_off   [G, kernel…, IC, OC], by strides, output channels contiguous, WEI_T
//   bia, bia_off   [G·OC], BIA_T, or null if !HAS_BIAS
//   dst, dst_off   [N, G·OC, out…], DST_T
//   partial, partial_off   [split][G·OC][N·out…], or [split][N·out…][G·OC] if DST_CHANNELS_RUN, f32;
//                  written if data->nsplits > 1
//   CONV_QUANT     scales and zero points of clh/conv.h
//   POST_OPS       any
// Grid: (tiles of channels · tiles of pixels · G, splits, phases) work-groups of NITEMS work-items along x.
// Local memory: 8·BK·(BM + BN + 8) + 4·BN bytes. Numerics: f32 fma along K.
// -D: SRC, WEI, BIA, DST, HAS_BIAS, HAS_QUANT (prim__ocl_conv_options()), BM, BN, BK, TM, TN,
// NSLICES, FLAT (offsets along K come from a table: few input channels), SRC_DEPTH_RUNS (channels of src
// are contiguous), DST_CHANNELS_RUN (and of dst), SRC_QUADS, WEI_QUADS (four neighbours are inside or
// outside together), HAS_DEPTH (three spatial dimensions), HAS_SHORT_EPILOGUE (post-ops are none or a few
// instructions), PHASES (`data` and `depth` are of several products, one of each z of the grid, whose numbers
// of tiles and splits may differ), UNROLL (of loops over registers: 16, or 1 where there are none to speak of), those
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
        !defined(HAS_SHORT_EPILOGUE)
#error "ocl_conv_igemm lacks an option"
#endif

#define PITCH_A (BM + 4) // of a local row: keeps fours aligned and spreads columns over banks
#define PITCH_B (BN + 4)
#define STAGE (BK * (PITCH_A + PITCH_B))
#define LOCAL_ELEMS (2 * STAGE)

#include "clh/conv_tile.h"

#define DEPTH_UNROLL (UNROLL == 1 ? 1 : BK / NSLICES)
#define NA (BM * BK / NITEMS / 4) // fours that a work-item fetches
#define NB (BN * BK / NITEMS / 4)

#if NA * NITEMS * 4 != BM * BK || NB * NITEMS * 4 != BN * BK
#error "items do not share the slices evenly"
#endif
#if NITEMS % (BM / 4) != 0 || (NITEMS % BN != 0 && !SRC_DEPTH_RUNS) || NITEMS % (BK / 4) != 0
#error "items do not share the rows evenly"
#endif

// What a work-item keeps of the pixels that it fetches.
#if SRC_DEPTH_RUNS
#define NPIXELS NB // a four is four indices of K of one pixel
#else
#define NPIXELS 1 // all elements are of one pixel
#endif

// Which elements of a slice a work-item brings: of the weights, fours of channels; of the sources, fours
// of K, one after the other (SRC_DEPTH_RUNS) or NITEMS / BN apart. Neighbouring work-items take
// neighbours in memory.
typedef struct {
    int a_m, a_k; // then BM/4·… rows further
    int b_j, b_k;
} share_t;

#define A_STEP (NITEMS / (BM / 4)) // rows of the slice between the fours of a work-item
#if SRC_DEPTH_RUNS
#define B_STEP (NITEMS / (BK / 4)) // pixels between them
#define B_INNER 1
#else
#define B_STEP (4 * (NITEMS / BN)) // indices of K
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

// The sums of a work-item over slices [slice, past) of K.
static inline void sum_products(float sums[TM][TN], igemm_sizes_t data,
        __global const ocl_conv_igemm_step_t *depth, __global const SRC_T *src,
        __global const WEI_T *wei,
        const tile_t *tile, const seat_t *seat, __local float *stages, int slice, int past)
{
    const int item = (int)get_local_id(0);
    const share_t share = share_of(item);
    const bool src_is_aligned = ((ulong)src & 15) == 0, wei_is_aligned = ((ulong)wei & 15) == 0;
    pixel_t pixels[NPIXELS];
    float4 a[NA], b[NB];
    cursor_t cursor = cursor_at(data, slice);
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
                for (int i = 0; i < NPIXELS; ++i) look(&pixels[i], data, &cursor);
                wei_off = cursor.tap[0] * (int)data->wei_s[0] + cursor.tap[1] * (int)data->wei_s[1] +
                          cursor.tap[2] * (int)data->wei_s[2];
            }
#pragma unroll
            for (int i = 0; i < NA; ++i)
                a[i] = fetch_weights(data, depth, &cursor, wei_off, wei, wei_is_aligned,
                        tile->m + share.a_m, share.a_k + i * A_STEP);
#pragma unroll
            for (int i = 0; i < NB; ++i)
                b[i] = fetch_sources(data, depth, &cursor, &pixels[SRC_DEPTH_RUNS ? i : 0], src,
                        src_is_aligned, share.b_k + (SRC_DEPTH_RUNS ? 0 : i * B_STEP), B_INNER);
            is_new_tap = cursor_advance(&cursor, data);
        }
        if (next > slice) multiply(sums, stages + (next - 1) % 2 * STAGE, seat);
        if (next < past) put_slice(stages + next % 2 * STAGE, &share, a, b);
        barrier(CLK_LOCAL_MEM_FENCE);
    }
}

__kernel __attribute__((reqd_work_group_size(NITEMS, 1, 1))) void conv_igemm(
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
    locate_tile(pixel_offs, data, &tile);
    float sums[TM][TN];
#pragma unroll
    for (int i = 0; i < TM; ++i) {
#pragma unroll
        for (int j = 0; j < TN; ++j) sums[i][j] = 0.0f;
    }
    sum_products(sums, data, depth, src + src_off + PHASE_OFF(src_off) + tile.g * data->src_g,
            wei + wei_off + PHASE_OFF(wei_off) + tile.g * data->wei_g, &tile, &seat, stages, slices.s0, slices.s1);
    put_tile(&epilogue, data, &tile, sums, &seat, stages, pixel_offs,
            dst_off + PHASE_OFF(dst_off),
            partial + partial_off + PHASE_OFF(partial_off) + y * data->npartial);
}
