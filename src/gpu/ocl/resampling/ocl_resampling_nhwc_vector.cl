// SPDX-License-Identifier: Apache-2.0
// Resampling where channels are innermost (NHWC, nChw16c): a work-item computes a piece of an output row in vectors
// of VEC channels.
//
//   data           shapes and strides
//   src, src_off   [N, C, ID, IH, IW] of SRC_T by data->src
//   dst, dst_off   [N, C, OD, OH, OW] of DST_T by data->dst; padded channels become 0
//   POST_OPS       sum, eltwise, binary
// Grid: x ≥ data->nitems. Numerics: positions exact, weights and sums f32.
// -D: SRC, DST (prim__ocl_options_type()), VEC, LINEAR, HAS_DEPTH (some depth is above 1), those of
// clh/post_ops.h.
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(VEC) || !defined(LINEAR)
#error "ocl_resampling_nhwc_vector needs SRC, DST, VEC, LINEAR"
#endif

#include "clh/always_inline.h"
#include "clh/post_ops.h"
#include "clh/resampling_rows.h"
#include "clh/vec.h"

#if WITH_POST_OPS
#define APPLY_POST_OPS(x, c, w, off) apply_post_ops(&po, data, x, at, c, w, dst, off)

// `at`: n, d, h of the row.
static floatv apply_post_ops(const post_ops_t *po, __constant const ocl_resampling_data_t *data,
        floatv x, const int *at, int c, int w, __global DST_T *dst, long off)
{
    const int spatial[3] = {at[1], at[2], w};
    long pos[MAX_NDIMS];
    pos[0] = at[0];
    for (int i = 0; i < data->nspatial; ++i) pos[2 + i] = spatial[3 - data->nspatial + i];
    float values[VEC];
    vstorev(x, values);
    for (int i = 0; i < VEC && c + i < data->dst.channels; ++i) {
        pos[1] = c + i;
        values[i] = post_ops_apply(po, values[i], pos, dst, off + i);
    }
    return vloadv(values);
}
#else
#define APPLY_POST_OPS(x, c, w, off) (x)
#endif

// Neighbours along a row that a work-item computes together: their loads are in flight together on GPUs.
#if defined(SPLITS_UNALIGNED)
#define AT_ONCE 4
#else
#define AT_ONCE 1
#endif

ALWAYS_INLINE void resample(floatv *x,
        __constant const ocl_resampling_data_t *data, __global const SRC_T *src,
        const source_rows_t *rows, const source_t *columns, bool is_aligned)
{
    for (int k = 0; k < AT_ONCE; ++k) {
        x[k] = 0.0f;
        for (int i = 0; i < SOURCE_COLUMNS; ++i) {
            if (i >= columns[k].n) continue;
            __global const SRC_T *column = src + columns[k].index[i] * data->src.w;
            for (int r = 0; r < SOURCE_ROWS; ++r) {
                if (r > 0 && !rows->is_there[r]) continue;
                const floatv y = is_aligned
                        ? SRC_LOADV(AS_ALIGNED(SRC_T, VEC, column + rows->offset[r]), 0)
                        : SRC_LOADV(column, rows->offset[r]);
                x[k] += rows->weight[r] * columns[k].weight[i] * y;
            }
        }
    }
}

// A processor's loop over the channels of one place, where they lie next to each other on both sides and
// nothing follows: the neighbours and their weights are known before it, and it goes by four vectors.
// Without neighbours on both sides: resample().
#if !defined(SPLITS_UNALIGNED) && !WITH_POST_OPS && !(LINEAR && HAS_DEPTH)
#define WITH_PLACES 1
#define NEIGHBOURS (SOURCE_ROWS * SOURCE_COLUMNS)
#define PLACE_VECS 4
typedef struct {
    int offset[NEIGHBOURS];
    float weight[NEIGHBOURS];
} place_t;

static inline place_t place_at(__constant const ocl_resampling_data_t *data,
        const source_rows_t *rows, const source_t *column)
{
    place_t place;
#pragma unroll
    for (int k = 0; k < NEIGHBOURS; ++k) {
        const int i = k / SOURCE_ROWS, r = k % SOURCE_ROWS;
        place.offset[k] = column->index[i] * data->src.w + rows->offset[r];
        place.weight[k] = rows->weight[r] * column->weight[i];
    }
    return place;
}

static inline floatv place_value(__global const SRC_T *src, const place_t *place)
{
#if LINEAR
    floatv x = place->weight[0] * SRC_LOADV(src, place->offset[0]);
#pragma unroll
    for (int k = 1; k < NEIGHBOURS; ++k) x += place->weight[k] * SRC_LOADV(src, place->offset[k]);
    return x;
#else
    return SRC_LOADV(src, place->offset[0]);
#endif
}

static inline void make_place(
        __global const SRC_T *src, __global DST_T *dst, const place_t place, int nvecs)
{
    int v = 0;
#pragma nounroll
    for (; v + PLACE_VECS <= nvecs; v += PLACE_VECS, src += PLACE_VECS * VEC, dst += PLACE_VECS * VEC) {
#pragma unroll
        for (int i = 0; i < PLACE_VECS; ++i)
            DST_STOREV(dst, i * VEC, place_value(src + i * VEC, &place));
    }
#pragma nounroll
    for (; v < nvecs; ++v, src += VEC, dst += VEC) DST_STOREV(dst, 0, place_value(src, &place));
}
#else
#define WITH_PLACES 0
#endif

__kernel void resampling_nhwc_vector(__constant const ocl_resampling_data_t *data,
        __global const SRC_T *src, long src_off, __global DST_T *dst,
        long dst_off POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int nshares = (data->run_vecs + data->item_vecs - 1) / data->item_vecs;
    const int first_vec = take_digit(&index, nshares) * data->item_vecs;
    const int piece = take_digit(&index, data->npieces);
    int at[3];
    at[2] = take_digit(&index, data->axes[1].out);
    at[1] = take_digit(&index, data->axes[0].out);
    const int first_c = take_digit(&index, data->nblocks) * data->dst.run;
    at[0] = index;
    const source_rows_t rows = source_rows_at(data, at[1], at[2]);
    const bool is_one_run = data->src.run == data->dst.run;
    const int first_src = channels_offset(&data->src, at[0], first_c);
    const int first_dst = channels_offset(&data->dst, at[0], first_c) + at[1] * data->dst.d
            + at[2] * data->dst.h;
    const int end_vec = min(first_vec + data->item_vecs, data->run_vecs);
    const int end = min((piece + 1) * data->piece_elems, data->axes[2].out);
#if WITH_PLACES
    const bool is_simple = rows.is_there[SOURCE_ROWS - 1] && is_one_run
            && data->dst.padded_channels == data->dst.channels;
#endif
    for (int w = piece * data->piece_elems; w < end; w += AT_ONCE) {
        source_t columns[AT_ONCE];
        for (int k = 0; k < AT_ONCE; ++k)
            columns[k] = source_at(&data->axes[2], min(w + k, data->axes[2].out - 1));
#if WITH_PLACES
        if (is_simple && columns[0].n == SOURCE_COLUMNS) {
            make_place(src + src_off + first_src + first_vec * VEC,
                    dst + dst_off + first_dst + first_vec * VEC + w * data->dst.w,
                    place_at(data, &rows, columns), end_vec - first_vec);
            continue;
        }
#endif
        for (int v = first_vec; v < end_vec; ++v) {
            const int c = first_c + v * VEC;
            const int src_at = is_one_run ? first_src + v * VEC : channels_offset(&data->src, at[0], c);
            __global const SRC_T *from = src + src_off + src_at;
            floatv x[AT_ONCE];
            if (ARE_ALIGNED(SRC_T, VEC, from, data->src.d | data->src.h | data->src.w))
                resample(x, data, from, &rows, columns, true);
            else
                resample(x, data, from, &rows, columns, false);
            long off = dst_off + first_dst + v * VEC + w * data->dst.w;
            for (int k = 0; k < AT_ONCE && w + k < end; ++k, off += data->dst.w) {
                floatv y = APPLY_POST_OPS(x[k], c, w + k, off);
                if (c + VEC > data->dst.channels)
                    y = select((floatv)0.0f, y, lanes + c < data->dst.channels);
                DST_STOREV(dst, off, y);
            }
        }
    }
}
