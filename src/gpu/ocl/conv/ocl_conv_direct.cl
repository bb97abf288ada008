// SPDX-License-Identifier: Apache-2.0
// Direct convolution with few channels of dst in a group, and its gradient by src with few channels of src; limited by
// the bandwidth of src and dst, or by the load units. A work-item computes OCB channels of TH pixels of dst, one below the
// other; neighbouring work-items take neighbouring columns, so that accesses are coalesced. For each channel of src and
// column of the window it loads the column of src that its pixels meet, all rows at once, and multiplies it with the
// column of weights; a work-group keeps the weights of its channels in local memory, as f32, where each is read as the
// same address by all. With channels innermost, adjacent work-items take GROUPS adjacent groups of channels instead. Where
// pixels are few, TEAMS of work-items share the columns of src of the same pixels, and the first one adds their sums.
// Floor: bytes of src and dst at the device's bandwidth, and a launch. ROWS loads stand beside TH·KH·OCB products.
//
// The gradient is the same convolution for each phase of the strides: pixels of diff_src that meet the same taps. dst
// stands for diff_src then, src for diff_dst, OC for the input channels; a forward convolution has one phase.
//
//   data           sizes and strides; data->rows, data->columns: the phases
//   src, src_off   [N, G·IC, H, W] by strides, SRC_T
//   wei, wei_off   [G, OC, IC, KH, KW] by strides, WEI_T
//   bia, bia_off   [G·OC], BIA_T, or null if !HAS_BIAS
//   dst, dst_off   [N, G·OC, H, W] by strides, DST_T
//   CONV_QUANT     scales and zero points of clh/conv.h
//   POST_OPS       any
// Grid: work-groups of ITEMS, data->parts.n of them (GROUPS groups, block of OCB channels, phase) for each
// ITEMS / GROUPS / TEAMS of data->nitems: TH rows of one column of an image.
// Local memory: 16·LOCAL_FOURS bytes, at least those of IC·KW·(KH·OCB rounded up to 4) weights of a phase, IC·KW rounded
// up to COLUMNS·VEC, times GROUPS; and 4·ITEMS·TH·OCB bytes with TEAMS.
// Numerics: f32 fma, channel by channel of src, within it column by column, from the top down; the sums of teams are
// added one after the other.
// -D: SRC, WEI, BIA, DST, HAS_BIAS, HAS_QUANT (prim__ocl_conv_options()), KH (taps of a phase's column), SH, DH (distance
// of windows and of taps in rows of src), TH, OCB (registers are addressed by them, so they are constants), VEC (channels
// of src that are loaded together: contiguous, and their number and all other strides are multiples of it), COLUMNS (of
// src that are loaded together), GROUPS and TEAMS (powers of two, ITEMS a multiple of their product), LOCAL_FOURS, ITEMS,
// SIZES_BY_VALUE (0 if HAS_QUANT), DST_RUNS (channels of dst are contiguous, their number a multiple of OCB, which is 2, 4
// or 8), those of clh/post_ops.h.
#if !defined(SRC_DT) || !defined(WEI_DT) || !defined(BIA_DT) || !defined(DST_DT) || !defined(HAS_BIAS)
#error "ocl_conv_direct needs SRC, WEI, BIA, DST, HAS_BIAS"
#endif
#if !defined(KH) || !defined(SH) || !defined(DH) || !defined(TH) || !defined(OCB) || !defined(VEC) || !defined(ITEMS) || \
        !defined(LOCAL_FOURS) || !defined(COLUMNS) || !defined(GROUPS) || \
        !defined(TEAMS) || !defined(DST_RUNS)
#error "ocl_conv_direct lacks an option"
#endif
#if TH * OCB > 64 || KH * TH * VEC > 512
#error "registers do not hold the sums or the column"
#endif

#include "clh/always_inline.h"
#include "clh/channels.h"
#include "clh/conv_epilogue.h"
#include "clh/shared/conv_direct_data.h"
#include "clh/vec.h"

#define ROWS ((TH - 1) * SH + (KH - 1) * DH + 1) // of src under a work-item's pixels
#define NFOURS ((KH * OCB + 3) / 4)              // of a column of weights

#if OCB == 2
#define DST_STORE_RUN DST_STORE2
#elif OCB == 4
#define DST_STORE_RUN DST_STORE4
#else
#define DST_STORE_RUN DST_STORE8
#endif

typedef SIZES_SPACE const ocl_conv_direct_data_t *data_t;

// What a work-item computes: a group, its first channel of dst, a phase of rows and one of columns.
typedef struct {
    int group, channel;
    ocl_conv_direct_phase_t rows, columns;
} part_t;

// A work-item's pixels: image, first row and column in the phase; where its window begins in src.
typedef struct {
    int n, h, w, src_h, src_w;
} place_t;

static inline part_t part_of(data_t data, int index)
{
    part_t part;
    part.rows = data->rows[split_digit(&index, &data->phases_h)];
    part.columns = data->columns[split_digit(&index, &data->phases_w)];
    part.channel = split_digit(&index, &data->blocks) * OCB;
    part.group = index * GROUPS;
    return part;
}

static inline place_t place_of(data_t data, const part_t *part, int item)
{
    place_t place;
    place.w = split_digit(&item, &data->width);
    place.h = split_digit(&item, &data->bands) * TH;
    place.n = item;
    place.src_h = part->rows.start + place.h * SH;
    place.src_w = part->columns.start + place.w * data->stride_w;
    return place;
}

// Weights of the part, [IC / VEC][KW][VEC][KH][OCB][GROUPS], with zeros behind each [KH][OCB] and behind the last column.
// Loads are unconditional, so that several are in flight.
ALWAYS_INLINE void fetch_weights(
        __local float *weights, data_t data, const part_t *part, __global const WEI_T *wei, int item)
{
    const int n = (data->ncolumns + COLUMNS - 1) / COLUMNS * COLUMNS * VEC * NFOURS * 4;
#pragma unroll 4
    for (int j = item; j < n * GROUPS; j += ITEMS) {
        const int i = j / GROUPS, group = min(part->group + j % GROUPS, data->ngroups - 1);
        const int at = i % (NFOURS * 4), v = i / (NFOURS * 4) % VEC;
        int column = i / (NFOURS * 4 * VEC);
        const int is_column = column < data->ncolumns;
        const int kw = part->columns.first + split_digit(&column, &data->taps) * data->step_w;
        const int kh = part->rows.first + at / OCB * data->step_h, o = part->channel + at % OCB;
        const int h = clamp(kh, 0, data->taps_h - 1), w = clamp(kw, 0, data->taps_w - 1);
        const int from = min(column * VEC + v, data->ic - 1), to = min(o, data->oc - 1);
        const float x = WEI_LOAD(wei, group * (int)data->wei_g + to * (int)data->wei_o + from * (int)data->wei_i +
                        h * (int)data->wei_h + w * (int)data->wei_w);
        const bool is_there = is_column && at < KH * OCB && o == to && kh == h && kw == w;
        weights[j] = is_there ? x : 0.0f;
    }
}

ALWAYS_INLINE void load_weights(float w[NFOURS * 4], __local const float *weights)
{
#if GROUPS == 1
#pragma unroll
    for (int i = 0; i < NFOURS; ++i) vstore4(((__local const float4 *)weights)[i], i, w);
#else
#pragma unroll
    for (int i = 0; i < KH * OCB; ++i) w[i] = weights[i * GROUPS];
#endif
}

// One column of weights times one of src.
ALWAYS_INLINE void add_column(float sums[TH][OCB], const float x[ROWS][VEC], int v, __local const float *weights)
{
    float w[NFOURS * 4];
    load_weights(w, weights);
#pragma unroll
    for (int k = 0; k < KH; ++k) {
#pragma unroll
        for (int o = 0; o < OCB; ++o) {
#pragma unroll
            for (int t = 0; t < TH; ++t) sums[t][o] = fma(x[t * SH + k * DH][v], w[k * OCB + o], sums[t][o]);
        }
    }
}

// All bits where 0 ≤ i < n, else none. `zero` is 0: a compiler that knew would compare again at each use.
static inline int mask_of(int i, int n, int zero)
{
    return ~((i | (n - 1 - i)) >> 31) - zero;
}

static inline floatv load_channels(__global const SRC_T *src, bool is_aligned)
{
#if VEC > 1
    if (is_aligned) return SRC_LOADV(AS_ALIGNED(SRC_T, VEC, src), 0);
#endif
    return SRC_LOADV(src, 0);
}

// All loads of COLUMNS columns are unconditional, so that they are in flight together; those of rows that no pixel meets
// vanish. Behind the last column of a team it is loaded again and counts nothing.
ALWAYS_INLINE void add_taps(float sums[TH][OCB], data_t data, const place_t *place, __global const SRC_T *src,
        __local const float *weights, int team, bool is_aligned)
{
    const int n = data->ncolumns;
    int rows[ROWS], inside[ROWS];
#pragma unroll
    for (int r = 0; r < ROWS; ++r) {
        const int h = place->src_h + r;
        rows[r] = clamp(h, 0, data->src_height - 1) * (int)data->src_h;
        inside[r] = mask_of(h, data->src_height, data->zero);
    }
#pragma unroll 1
    for (int i = team * COLUMNS; i < n; i += TEAMS * COLUMNS) {
        int c = i, k = split_digit(&c, &data->taps);
        float x[COLUMNS][ROWS][VEC];
#pragma unroll
        for (int j = 0; j < COLUMNS; ++j) {
            const int w = place->src_w + k * data->dilation_w;
            const int is_inside = i + j < n ? mask_of(w, data->src_width, data->zero) : 0;
            __global const SRC_T *from =
                    src + (c * (VEC * (int)data->src_c) + clamp(w, 0, data->src_width - 1) * (int)data->src_w);
#pragma unroll
            for (int r = 0; r < ROWS; ++r) {
                vstorev(load_channels(from + rows[r], is_aligned), x[j][r]);
#pragma unroll
                for (int v = 0; v < VEC; ++v) x[j][r][v] = as_float(as_int(x[j][r][v]) & inside[r] & is_inside);
            }
            if (i + j + 1 < n && ++k == data->taps.n) {
                k = 0;
                ++c;
            }
        }
#pragma unroll
        for (int j = 0; j < COLUMNS * VEC; ++j)
            add_column(sums, x[j / VEC], j % VEC, weights + (i * VEC + j) * (NFOURS * 4 * GROUPS));
    }
}

#if TEAMS > 1

// Adds the sums of the other teams to those of the first; false for a work-item of the others.
ALWAYS_INLINE bool join_teams(float sums[TH][OCB], __local float *room, int local_item)
{
    const int team_items = ITEMS / TEAMS;
#pragma unroll
    for (int i = 0; i < TH * OCB; ++i) room[i * ITEMS + local_item] = sums[i / OCB][i % OCB];
    barrier(CLK_LOCAL_MEM_FENCE);
    if (local_item >= team_items) return false;
#pragma unroll
    for (int i = 0; i < TH * OCB; ++i) {
        for (int team = 1; team < TEAMS; ++team)
            sums[i / OCB][i % OCB] += room[i * ITEMS + team * team_items + local_item];
    }
    return true;
}

#endif

// Pixel t of the work-item; channels that are contiguous go together.
static inline void store_pixel(const conv_epilogue_t *epilogue, data_t data, const part_t *part, const place_t *place,
        int t, float *x, long off)
{
    const int h = part->rows.at + (place->h + t) * data->move_h, w = part->columns.at + place->w * data->move_w;
    const int first = part->group * data->oc + part->channel, n = min(OCB, data->oc - part->channel);
    off += (long)h * data->dst_h + (long)w * data->dst_w;
    long pos[4] = {place->n, first, h, w};
    if (data->nspatial == 1) pos[2] = w;
#pragma unroll
    for (int o = 0; o < OCB; ++o) {
        if (o >= n) continue;
        pos[1] = first + o;
        x[o] = conv_finish(epilogue, x[o], pos, off + o * data->dst_c);
        if (!DST_RUNS) DST_STORE(epilogue->dst, off + o * data->dst_c, x[o]);
    }
#if DST_RUNS
    DST_STORE_RUN(epilogue->dst, off, RAW_JOIN(vload, OCB)(0, x));
#endif
}

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void conv_direct(SIZES(ocl_conv_direct_data_t), __global const SRC_T *src,
        long src_off, __global const WEI_T *wei, long wei_off, __global const BIA_T *bia, long bia_off,
        __global DST_T *dst, long dst_off CONV_QUANT_PARAMS POST_OPS_PARAMS)
{
    SIZES_OF(ocl_conv_direct_data_t, data);
    __local float4 weights[LOCAL_FOURS];
#if TEAMS > 1
    __local float room[TH * OCB * ITEMS];
#endif
    CONV_EPILOGUE_DECLARE(epilogue, &data->quant, bia + bia_off, dst);
    const int local_item = (int)get_local_id(0);
    int tile = (int)get_group_id(0);
    part_t part = part_of(data, split_digit(&tile, &data->parts));
    fetch_weights((__local float *)weights, data, &part, wei + wei_off, local_item);
    barrier(CLK_LOCAL_MEM_FENCE);
    const int team_item = local_item % (ITEMS / TEAMS), lane = local_item % GROUPS;
    const int item = (tile * (ITEMS / TEAMS) + team_item) / GROUPS;
    part.group += lane;
    const place_t place = place_of(data, &part, min(item, data->nitems - 1));
    const bool is_there = item < data->nitems && part.group < data->ngroups && place.w < part.columns.n;
    if (TEAMS == 1 && !is_there) return;
    float sums[TH][OCB];
#pragma unroll
    for (int i = 0; i < TH * OCB; ++i) sums[i / OCB][i % OCB] = 0.0f;
    src += src_off + place.n * data->src_n + min(part.group, data->ngroups - 1) * data->ic * data->src_c;
    __local const float *own = (__local const float *)weights + lane;
    if (VEC == 1 || ARE_ALIGNED(SRC_T, VEC, src, 0))
        add_taps(sums, data, &place, src, own, local_item / (ITEMS / TEAMS), true);
    else
        add_taps(sums, data, &place, src, own, local_item / (ITEMS / TEAMS), false);
#if TEAMS > 1
    if (!join_teams(sums, room, local_item) || !is_there) return;
#endif
    dst_off += place.n * data->dst_n + (part.group * data->oc + part.channel) * data->dst_c;
#pragma unroll
    for (int t = 0; t < TH; ++t)
        if (place.h + t < part.rows.n) store_pixel(&epilogue, data, &part, &place, t, sums[t], dst_off);
}
