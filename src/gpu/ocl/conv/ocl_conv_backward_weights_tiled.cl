// SPDX-License-Identifier: Apache-2.0
// Gradients of a convolution's weights and bias as an implicit matrix product of floats, for GPUs and plain layouts:
// OC × pixels times pixels × columns (clh/conv_backward_weights.h). A work-group computes a tile of BM channels × BN
// columns, each work-item TM × TN of it in registers. Slices of BK pixels go through STAGES pipeline stages in
// local memory, copied asynchronously where nothing is converted.
//
// The pixels are split over work-groups (y): partial sums go to the scratchpad, and conv_backward_weights_sum adds
// them in a fixed order. NSLICES teams of work-items share a tile, each summing its part of a slice. The groups of
// the first column of tiles sum the bias beside it.
//
//   data           sizes and strides
//   src, src_off   [N, G·IC, in…] by strides, SRC_T
//   dst, dst_off   diff_dst, [N, G·OC, out…] by strides, DST_T
//   wei, wei_off   diff_weights by strides, WEI_T; written if data->nsplits is 1
//   bia, bia_off   diff_bias [G·OC], BIA_T; if HAS_BIAS
//   partial, partial_off   [split][data->npartial]: [G][OC][columns], then [G·OC], f32; written if there are splits
// Grid: (tiles of channels · tiles of columns · G, splits) work-groups of NITEMS work-items along x. Local memory:
//   4·STAGES·(BK·(BM + BN + 4) + 4·BM) bytes, or 4·BM·BN if that is more and NSLICES > 1, and 16·BN.
// Numerics: f32 fma along the pixels of a split; teams, then splits are added in a fixed order.
// -D: SRC, DST, WEI, BIA, HAS_BIAS, those of clh/register_tile.h, BK, STAGES, DST_RUNS (channels of diff_dst are
//   contiguous, else neighbouring work-items take pixels), SRC_RUNS (and of src), DST_QUADS, SRC_QUADS (then: four
//   of them are aligned and there or not together; in src, under one tap), DST_ROWS (without DST_RUNS: four pixels of
//   diff_dst from a multiple of four on are contiguous and aligned: rows of pixels are copied and read by fours), those of clh/conv_backward_weights.h and of
//   clh/async_copy.h.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BIA_DT) || !defined(DST_DT)
#error "ocl_conv_backward_weights_tiled needs SRC, WEI, BIA, DST"
#endif
#if !defined(BM) || !defined(BN) || !defined(BK) || !defined(TM) || !defined(TN) || !defined(NSLICES) || \
        !defined(STAGES) || !defined(UNROLL)
#error "ocl_conv_backward_weights_tiled needs the tile"
#endif
#if !defined(DST_ROWS) || !defined(DST_RUNS) || !defined(SRC_RUNS) || !defined(DST_QUADS) || !defined(SRC_QUADS) || !defined(HAS_BIAS)
#error "ocl_conv_backward_weights_tiled lacks an option"
#endif
#if (DST_QUADS && !DST_RUNS) || (SRC_QUADS && !SRC_RUNS) || STAGES < 2 || STAGES > 4
#error "quads are of contiguous channels, and stages are 2, 3 or 4"
#endif

#include "clh/async_copy.h"
#include "clh/conv_backward_weights.h"
#include "clh/io_vec.h"
#include "clh/register_tile.h"

// Rows of pixels that are stored column by column are longer, for the banks.
#if DST_ROWS
#define PITCH_A (BK + 4)
#define STAGE_A (BM * PITCH_A)
#define PLACE_A(k, m) ((m)*PITCH_A + (k))
#else
#define PITCH_A (BM + (DST_RUNS ? 0 : 4))
#define STAGE_A (BK * PITCH_A)
#define PLACE_A(k, m) ((k)*PITCH_A + (m))
#endif
#define PITCH_B (BN + (SRC_RUNS ? 0 : 4))
#define STAGE (STAGE_A + BK * PITCH_B)
#if NSLICES > 1 && BM * BN > STAGES * STAGE
#define LOCAL_ELEMS (BM * BN)
#else
#define LOCAL_ELEMS (STAGES * STAGE)
#endif
#define DEPTH (BK / NSLICES) // of a slice, of a team
#define DEPTH_UNROLL (UNROLL == 1 ? 1 : DEPTH)
#define SPREAD COPY_SPREAD(DEPTH, STAGES)

// Copies of a work-item for a slice. Of contiguous channels it takes the same ones of several pixels,
// A_STEP apart; else several channels of one pixel.
#define A_VEC (DST_QUADS || DST_ROWS ? 4 : 1)
#define B_VEC (SRC_QUADS ? 4 : 1)
#define A_LANES ((DST_RUNS ? BM : BK) / A_VEC)
#define B_LANES (SRC_RUNS ? BN / B_VEC : BK)
#define A_STEP (NITEMS / A_LANES)
#define B_STEP (NITEMS / B_LANES)
#define NA ((DST_RUNS ? BK : BM) / A_STEP)
#define NB ((SRC_RUNS ? BK : BN) / B_STEP)

#if DST_ROWS && (DST_RUNS || DEPTH % 4 != 0)
#error "rows of pixels are taken four at a time, where channels are not contiguous"
#endif
#if NITEMS % A_LANES != 0 || NITEMS % B_LANES != 0 || BK % NSLICES != 0 || (HAS_BIAS && NITEMS < BM)
#error "items do not share the slices evenly"
#endif

typedef struct {
    int g, m, n; // group of channels, first channel and column in it
} tile_t;

static inline tile_t tile_of(sizes_t data, int index)
{
    tile_t tile;
    tile.m = divide_off(&index, data->ntiles_m) * BM;
    tile.n = divide_off(&index, data->ntiles_n) * BN;
    tile.g = index;
    return tile;
}

// What a work-item copies.
typedef struct {
    __global const DST_T *dst;
    __global const SRC_T *src;
    int k, past;      // the first pixel of the slice that is copied next, the split's end: slices are whole but the last
    int m, nchannels; // the first channel; how many there are from it on
    int a_k, b_k;     // the first pixel of the slice
    int a_at, b_at;   // where they go: elements of stage 0
    int dst_off;      // of the slice's pixel in diff_dst, −1 if there is none; unless DST_RUNS
    pixel_t pixel;    // the same in src; unless SRC_RUNS
    column_t column;  // where they take columns
    bool dst_is_aligned, src_is_aligned;
} loader_t;

// An element to local memory, or zero.
ALWAYS_INLINE void copy_dst(__local float *to, __global const DST_T *from, bool exists)
{
#if DST_DT == DT_F32
    copy_4_part(copy_place(to), from, exists ? 4u : 0u);
#else
    *to = exists ? DST_LOAD(from, 0) : 0.0f;
#endif
}

ALWAYS_INLINE void copy_src(__local float *to, __global const SRC_T *from, bool exists)
{
#if SRC_DT == DT_F32
    copy_4_part(copy_place(to), from, exists ? 4u : 0u);
#else
    *to = exists ? SRC_LOAD(from, 0) : 0.0f;
#endif
}

// Starts copy e of diff_dst. Where it does not exist nothing is read: addresses stay inside all the same.
ALWAYS_INLINE void load_dst(const loader_t *f, sizes_t data, const int e, __local float *stage)
{
#if DST_RUNS
    const pixel_t pixel = pixel_at(data, f->k + f->a_k + e * A_STEP);
    const bool exists = pixel.exists & (f->nchannels > 0);
    __local float *to = stage + f->a_at + e * A_STEP * PITCH_A;
    __global const DST_T *from = f->dst + (exists ? pixel.dst_off + f->m : 0);
#else
    const bool exists = (f->dst_off >= 0) & (e * A_STEP < f->nchannels);
    __local float *to = stage + f->a_at + PLACE_A(0, e * A_STEP);
    __global const DST_T *from =
            f->dst + (exists ? f->dst_off + (f->m + e * A_STEP) * data->dst_c : 0);
#endif
#if A_VEC == 4
    if (f->dst_is_aligned) {
        copy_16_part(copy_place(to), from, exists ? 16u : 0u);
        return;
    }
#pragma unroll UNROLL
    for (int i = 0; i < 4; ++i) copy_dst(to + i, from + i, exists);
#else
    copy_dst(to, from, exists);
#endif
}

ALWAYS_INLINE void load_src(const loader_t *f, sizes_t data, __local const int4 *columns, const int e,
        __local float *stage)
{
#if SRC_RUNS
    const pixel_t pixel = pixel_at(data, f->k + f->b_k + e * B_STEP);
    const bool exists = meets(data, &pixel, &f->column);
    __local float *to = stage + f->b_at + e * B_STEP * PITCH_B;
    __global const SRC_T *from = f->src + (exists ? pixel.src_off + f->column.off : 0);
#if SRC_QUADS
    if (f->src_is_aligned) {
        copy_16_part(copy_place(to), from, exists ? 16u : 0u);
        return;
    }
#pragma unroll UNROLL
    for (int i = 0; i < 4; ++i) copy_src(to + i, from + i, exists);
#else
    copy_src(to, from, exists);
#endif
#else
    const int4 kept = columns[get_local_id(0) / B_LANES + e * B_STEP];
    const column_t column = {kept.s0, {kept.s1, kept.s2, kept.s3}};
    const bool exists = meets(data, &f->pixel, &column);
    copy_src(stage + f->b_at + e * B_STEP,
            f->src + (exists ? f->pixel.src_off + column.off : 0), exists);
#endif
}

// `columns`: all of the tile, which are looked up where neighbouring work-items take pixels. A barrier follows.
ALWAYS_INLINE void loader_init(loader_t *f, sizes_t data, const tile_t *tile, __local int4 *columns,
        int item)
{
    const int a = DST_RUNS ? item % A_LANES * A_VEC : item / A_LANES;
    const int b = SRC_RUNS ? item % B_LANES * B_VEC : item / B_LANES;
    f->m = tile->m + a;
    f->nchannels = data->oc - f->m;
    f->a_k = DST_RUNS ? item / A_LANES : item % A_LANES * A_VEC;
    f->b_k = SRC_RUNS ? item / B_LANES : item % B_LANES;
    f->a_at = PLACE_A(f->a_k, a);
    f->b_at = STAGE_A + f->b_k * PITCH_B + b;
    // Columns behind the last are multiplied, but not stored.
    f->column = column_at(data, min(tile->n + b, data->ncolumns - B_VEC));
#if !SRC_RUNS
    for (int i = item; i < BN; i += NITEMS) {
        const column_t column = column_at(data, min(tile->n + i, data->ncolumns - 1));
        columns[i] = (int4)(column.off, column.at[0], column.at[1], column.at[2]);
    }
#endif
    f->dst_is_aligned = ((ulong)f->dst & 15) == 0;
    f->src_is_aligned = ((ulong)f->src & 15) == 0;
}

// At the start of a slice.
ALWAYS_INLINE void load_slice(loader_t *f, sizes_t data)
{
#if !DST_RUNS
    const pixel_t pixel = pixel_at(data, f->k + f->a_k);
    f->dst_off = pixel.exists ? pixel.dst_off : -1;
#endif
#if !SRC_RUNS
    f->pixel = pixel_at(data, f->k + f->b_k);
#endif
}

// The part of a slice's copies that belongs to step p of `spread`.
ALWAYS_INLINE void load_part(loader_t *f, sizes_t data, __local const int4 *columns, const int p,
        const int spread, __local float *stage)
{
#pragma unroll UNROLL
    for (int e = 0; e < NA; ++e) {
        if (e % spread == p) load_dst(f, data, e, stage);
    }
#pragma unroll UNROLL
    for (int e = 0; e < NB; ++e) {
        if ((e + NA) % spread == p) load_src(f, data, columns, e, stage);
    }
}

// Starts the copies of the first STAGES − 1 slices.
ALWAYS_INLINE void load_first(loader_t *f, sizes_t data, __local const int4 *columns,
        __local float *stages)
{
#pragma unroll UNROLL
    for (int s = 0; s < STAGES - 1; ++s) {
        if (f->k < f->past) {
            load_slice(f, data);
            load_part(f, data, columns, 0, 1, stages + s * STAGE);
            f->k += BK;
        }
        copy_close();
    }
}

#if DST_ROWS

// A work-item's rows: neighbouring ones of a warp's are a row apart, in different banks.
#define ROW_OF(seat, i) ((seat)->m / (4 * TM) * (4 * TM) + (seat)->m % (4 * TM) / 4 + (i)*4)

// Four pixels of each of the work-item's rows.
ALWAYS_INLINE void read_rows(float quads[TM][4], __local const float *a)
{
#pragma unroll UNROLL
    for (int i = 0; i < TM; ++i)
        vstore4(*(__local const float4 *)(a + i * 4 * PITCH_A), 0, quads[i]);
}

ALWAYS_INLINE void read_columns(__local const float *b, float y[TN])
{
#pragma unroll UNROLL
    for (int j = 0; j < TN; j += 4) vstore4(*(__local const float4 *)(b + j / 4 * 32), 0, y + j);
}

#else

#define ROW_OF(seat, i) SEAT_M(seat, i)

#endif

// The sums of a work-item over slices from pixel k on, of which the first are in flight. bias: of channel
// `item` of the tile.
ALWAYS_INLINE void sum_products(float sums[TM][TN], float *bias, sizes_t data, loader_t *f,
        __local const int4 *columns, const seat_t *seat, __local float *stages, int k, bool has_bias,
        int item)
{
    copy_wait(STAGES - 2);
    barrier(CLK_LOCAL_MEM_FENCE);
    __local const float *a = stages + PLACE_A(seat->slice * DEPTH, ROW_OF(seat, 0));
    __local const float *b = stages + STAGE_A + seat->slice * DEPTH * PITCH_B + seat->n;
    float x[TM], y[TN];
#if DST_ROWS
    float quads[TM][4];
#endif
    int read = 0, write = (STAGES - 1) * STAGE;
#pragma unroll 1
    for (; k < f->past; k += BK) {
        const bool has_more = f->k < f->past;
        if (has_more) load_slice(f, data);
#pragma unroll DEPTH_UNROLL
        for (int p = 0; p < DEPTH; ++p) {
#if DST_ROWS
            if (p % 4 == 0) read_rows(quads, a + read + p);
            read_columns(b + read + p * PITCH_B, y);
#pragma unroll UNROLL
            for (int i = 0; i < TM; ++i) x[i] = quads[i][p % 4];
#else
            read_step(a + read + p * PITCH_A, b + read + p * PITCH_B, x, y);
#endif
            if (has_more && p < SPREAD) load_part(f, data, columns, p, SPREAD, stages + write);
            if (p == SPREAD - 1) copy_close();
            multiply_step(sums, x, y);
        }
        if (has_bias) {
#pragma unroll UNROLL
            for (int p = 0; p < BK; ++p) *bias += stages[read + PLACE_A(p, item)];
        }
        // The next slice has arrived, and no work-item reads this one any more.
        copy_wait(STAGES - 2);
        barrier(CLK_LOCAL_MEM_FENCE);
        read = read + STAGE == STAGES * STAGE ? 0 : read + STAGE;
        write = write + STAGE == STAGES * STAGE ? 0 : write + STAGE;
        f->k += BK;
    }
    copy_wait(0);
}

// Four columns of a channel, of which n exist.
ALWAYS_INLINE void put_four(float4 sums, int n, __global float *partial, __global WEI_T *wei,
        const long *offs, long off)
{
    float x[4];
    vstore4(sums, 0, x);
    if (partial && n == 4 && ((ulong)partial & 15) == 0) {
        *(__global float4 *)partial = sums;
        return;
    }
#pragma unroll UNROLL
    for (int e = 0; e < 4; ++e) {
        if (e >= n) continue;
        if (partial)
            partial[e] = x[e];
        else
            WEI_STORE(wei, off + offs[e], x[e]);
    }
}

// All sums of a work-item; `partial`: of the split, NULL: to diff_weights.
ALWAYS_INLINE void put_sums(float sums[TM][TN], sizes_t data, const tile_t *tile, const seat_t *seat,
        __global float *partial, __global WEI_T *wei)
{
#pragma unroll UNROLL
    for (int j = 0; j < TN; j += 4) {
        const int n = tile->n + SEAT_N(seat, j);
        long offs[4];
#pragma unroll UNROLL
        for (int e = 0; e < 4 && !partial; ++e)
            offs[e] = weight_off(data, tile->g, 0, min(n + e, data->ncolumns - 1));
#pragma unroll UNROLL
        for (int i = 0; i < TM; ++i) {
            const int m = tile->m + ROW_OF(seat, i);
            if (m >= data->oc) continue;
            __global float *to =
                    partial ? partial + (long)(tile->g * data->oc + m) * data->ncolumns + n : 0;
            put_four((float4)(sums[i][j], sums[i][j + 1], sums[i][j + 2], sums[i][j + 3]),
                    min(data->ncolumns - n, 4), to, wei, offs, m * data->wei_o);
        }
    }
}

__kernel __attribute__((reqd_work_group_size(NITEMS, 1, 1))) void conv_backward_weights_tiled(
        sizes_t data, __global const SRC_T *src, long src_off, __global const DST_T *dst, long dst_off,
        __global WEI_T *wei, long wei_off, __global BIA_T *bia, long bia_off, __global float *partial,
        long partial_off)
{
    __local float stages[LOCAL_ELEMS] __attribute__((aligned(16)));
    __local int4 columns[SRC_RUNS ? 1 : BN];
    const int item = (int)get_local_id(0), y = (int)get_group_id(1);
    const tile_t tile = tile_of(data, (int)get_group_id(0));
    const seat_t seat = seat_of(item);
    const bool has_bias = HAS_BIAS && tile.n == 0 && item < BM;
    const int first = y * data->split_pixels;
    loader_t loader;
    loader.dst = dst + dst_off + tile.g * data->dst_g;
    loader.src = src + src_off + tile.g * data->src_g;
    loader.k = first;
    loader.past = min(first + data->split_pixels, data->npixels);
    loader_init(&loader, data, &tile, columns, item);
    barrier(CLK_LOCAL_MEM_FENCE);
    load_first(&loader, data, columns, stages);
    float sums[TM][TN], bias = 0.0f;
#pragma unroll UNROLL
    for (int i = 0; i < TM; ++i) {
#pragma unroll UNROLL
        for (int j = 0; j < TN; ++j) sums[i][j] = 0.0f;
    }
    sum_products(sums, &bias, data, &loader, columns, &seat, stages, first, has_bias, item);
    if (NSLICES > 1) gather_teams(sums, stages, &seat, item);
    partial = data->nsplits > 1 ? partial + partial_off + y * data->npartial : 0;
    if (seat.slice == 0) put_sums(sums, data, &tile, &seat, partial, wei + wei_off);
#if HAS_BIAS
    const int channel = tile.g * data->oc + tile.m + item;
    if (!has_bias || tile.m + item >= data->oc) return;
    if (partial)
        partial[(long)data->ngroups * data->oc * data->ncolumns + channel] = bias;
    else
        BIA_STORE(bia, bia_off + channel, bias);
#endif
}
