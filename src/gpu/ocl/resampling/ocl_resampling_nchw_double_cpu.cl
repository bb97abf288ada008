// SPDX-License-Identifier: Apache-2.0
// Linear resampling by 2 × 2, NCHW with contiguous rows, for CPU-type devices: a work-item takes a band of pairs of
// adjacent rows of src; each pair gives the two rows of dst that lie between them.
//
//   data           shapes and strides; rows have stride 1, those of src at least VEC elements; a band has
//                  data->band_rows pairs
//   src, src_off   [N, C, D, IH, IW] of SRC_T by data->src
//   dst, dst_off   [N, C, D, 2·IH, 2·IW] of DST_T by data->dst
// Grid: x ≥ data->nitems. Numerics: weights and sums f32, along the height first.
// -D: SRC, DST (prim__ocl_options_type()), VEC = 16, LINEAR = 1, SCALE_H = SCALE_W = 2.
#if !defined(SRC_DT) || !defined(DST_DT) || !defined(VEC) || !defined(LINEAR) \
        || !defined(SCALE_H) || !defined(SCALE_W)
#error "ocl_resampling_nchw_double_cpu needs SRC, DST, VEC, LINEAR, SCALE_H, SCALE_W"
#elif VEC != 16 || !LINEAR || SCALE_H != 2 || SCALE_W != 2
#error "ocl_resampling_nchw_double_cpu doubles rows and columns by vectors of 16"
#endif

#include "clh/resampling_scale.h"

#define NEAR 0.75f
#define FAR 0.25f

// VEC columns of the two rows of dst between two rows of src.
typedef struct {
    floatv above, below;
} pair_t;

static inline pair_t mix_rows(floatv a, floatv b)
{
    const pair_t pair = {NEAR * a + FAR * b, FAR * a + NEAR * b};
    return pair;
}

// Compilers make one shuffle of each of these; Oclgrind's checks break on vectors made of vectors.
static inline floatv shift_in_first(floatv before, floatv x)
{
    return (floatv)(before.sf, x.s0, x.s1, x.s2, x.s3, x.s4, x.s5, x.s6, x.s7, x.s8, x.s9, x.sa, x.sb,
            x.sc, x.sd, x.se);
}

static inline floatv shift_in_last(floatv x, floatv behind)
{
    return (floatv)(x.s1, x.s2, x.s3, x.s4, x.s5, x.s6, x.s7, x.s8, x.s9, x.sa, x.sb, x.sc, x.sd, x.se,
            x.sf, behind.s0);
}

static inline floatv interleave_low(floatv a, floatv b)
{
    return (floatv)(a.s0, b.s0, a.s1, b.s1, a.s2, b.s2, a.s3, b.s3, a.s4, b.s4, a.s5, b.s5, a.s6,
            b.s6, a.s7, b.s7);
}

static inline floatv interleave_high(floatv a, floatv b)
{
    return (floatv)(a.s8, b.s8, a.s9, b.s9, a.sa, b.sa, a.sb, b.sb, a.sc, b.sc, a.sd, b.sd, a.se,
            b.se, a.sf, b.sf);
}

// The 2·VEC outputs in the middle of which x lies, from the last of `before` to the first of `behind`.
static inline void store_columns(__global DST_T *dst, floatv before, floatv x, floatv behind)
{
    const floatv even = NEAR * x + FAR * shift_in_first(before, x);
    const floatv odd = NEAR * x + FAR * shift_in_last(x, behind);
    DST_STOREV(dst, 0, interleave_low(even, odd));
    DST_STOREV(dst, VEC, interleave_high(even, odd));
}

// One column of them, everywhere.
static inline pair_t mix_column(__global const SRC_T *a, __global const SRC_T *b, int col)
{
    return mix_rows((floatv)(SRC_LOAD(a, col)), (floatv)(SRC_LOAD(b, col)));
}

// The rows of dst between rows a and b of src. Beyond the borders the outermost columns are repeated.
static inline void make_rows(__global DST_T *above, __global DST_T *below,
        __global const SRC_T *a, __global const SRC_T *b, int width)
{
    pair_t x = mix_rows(SRC_LOADV(a, 0), SRC_LOADV(b, 0)), before = mix_column(a, b, 0);
    for (int col = 0, step = VEC; step > 0; col += step) {
        step = min(VEC, width - VEC - col);
        pair_t next = x, behind;
        if (step > 0) next = mix_rows(SRC_LOADV(a, col + step), SRC_LOADV(b, col + step));
        behind = step == VEC ? next : mix_column(a, b, min(col + VEC, width - 1));
        store_columns(above + 2 * col, before.above, x.above, behind.above);
        store_columns(below + 2 * col, before.below, x.below, behind.below);
        // The last vector takes some columns again.
        before = step == VEC ? x : mix_column(a, b, max(col + step - 1, 0));
        x = next;
    }
}

__kernel void resampling_nchw_double_cpu(__constant const ocl_scale_data_t *data, __global const SRC_T *src,
        long src_off, __global DST_T *dst, long dst_off)
{
    int index = (int)get_global_id(0);
    if (index >= data->nitems) return;
    const int band = split_digit(&index, &data->bands), d = split_digit(&index, &data->depth);
    const int block = split_digit(&index, &data->blocks), n = index;
    src += src_off + (n * data->src.n + block * data->src.block + d * data->src.d);
    dst += dst_off + (n * data->dst.n + block * data->dst.block + d * data->dst.d);
    const int in_h = data->in_h, width = data->in_w, src_h = data->src.h, dst_h = data->dst.h;
    const int first = band * data->band_rows, end = min(first + data->band_rows, in_h + 1);
    // The first pair and the last one are one row of src and make one row of dst.
    for (int k = first; k < end; ++k)
        make_rows(dst + max(2 * k - 1, 0) * dst_h, dst + min(2 * k, 2 * in_h - 1) * dst_h,
                src + max(k - 1, 0) * src_h, src + min(k, in_h - 1) * src_h, width);
}
