// SPDX-License-Identifier: Apache-2.0
// The micro-kernel of products by matrix units: what a warp multiplies, from tiles in
// local memory (clh/mma_tile.h). Loaders and epilogues do not depend on the unit; another unit is
// another implementation of these names (one section below for each value of -DMMA):
//
//   mma_a_t   a work-item's part of 16 rows of src, one step deep (MMA_STEP bytes of k)
//   mma_b_t   the same of 16 columns of weights
//   mma_load_a(&a, tile, row, step, lane)        rows row … row + 15 of a tile of src
//   mma_load_a_across(&a, tile, row, step, lane) of src contiguous along m (types of 16 bits, MMA_ROWS_ACROSS_BYTES)
//   mma_load_b(&b, tile, col, step, lane)        columns of weights, contiguous along k
//   mma_load_b_across(&b, tile, col, step, lane) of weights contiguous along n (types of 16 bits)
//   mma_multiply(acc, &a, &b)    acc[8] += the product, 16 × 16, over the step
//   mma_row(lane, e), mma_col(lane, e)   which element of the 16 × 16 acc[e] is
//
// All 32 work-items of a warp call them together, with the same arguments but for lane (0 … 31). `tile`
// is a place of clh/async_copy.h; whoever filled it has passed a barrier.
// -D: MMA: 0: plain C, for devices without such units and for tests of the code around them; 1: PTX
// mma.sync with ldmatrix (8.0 and later). MMA_TYPE: DT_F16, DT_BF16, DT_S8; SRC_IS_U8, WEI_IS_U8 for
// DT_S8. Sums are sum_t, of clh/gemm.h where that is included before.
#ifndef CLH_MMA_H
#define CLH_MMA_H

#if !defined(MMA) || !defined(MMA_TYPE) || !defined(SRC_IS_U8) || !defined(WEI_IS_U8)
#error "clh/mma.h needs MMA, MMA_TYPE, SRC_IS_U8, WEI_IS_U8"
#endif

#include "clh/mma_tile.h"
#include "clh/mma_types.h"
#include "clh/nv/nv_mma.h"
#include "clh/types.h"

#define MMA_STEP 32
#define MMA_ELEM_BYTES (MMA_TYPE == DT_S8 ? 1 : 2)

// Work-items hold rows lane/4 and lane/4 + 8, of columns 0–7 two neighbours, and the same of 8–15.
static inline int mma_row(int lane, int e)
{
    return lane / 4 + (e & 2 ? 8 : 0);
}

static inline int mma_col(int lane, int e)
{
    return lane % 4 * 2 + (e & 1) + (e & 4 ? 8 : 0);
}

#if MMA == 1

typedef struct {
    uint x[4];
} mma_a_t;
typedef mma_a_t mma_b_t;

static inline void mma_load_a(mma_a_t *a, copy_place_t tile, int row, int step, int lane)
{
    nv_ldmatrix(a->x, tile + mma_place(row + (lane & 15), step * 2 + (lane >> 4)));
}

static inline void mma_load_b(mma_b_t *b, copy_place_t tile, int col, int step, int lane)
{
    const int row = col + (lane & 7) + (lane >> 4) * 8;
    nv_ldmatrix(b->x, tile + mma_place(row, step * 2 + (lane >> 3 & 1)));
}

static inline void mma_load_b_across(mma_b_t *b, copy_place_t tile, int col, int step, int lane)
{
    nv_ldmatrix_trans(b->x, tile + mma_place_across(step * 16 + (lane & 15), col / 8 + (lane >> 4)));
}

#ifdef MMA_ROWS_ACROSS_BYTES
static inline void mma_load_a_across(mma_a_t *a, copy_place_t tile, int row, int step, int lane)
{
    const int p = step * 16 + (lane & 7) + (lane >> 4) * 8;
    nv_ldmatrix_trans(a->x, tile + mma_place_rows_across(p, row / 8 + (lane >> 3 & 1)));
}
#endif

// acc[4] += 16 rows × 8 columns.
static inline void mma_multiply_8(sum_t *acc, const mma_a_t *a, uint b0, uint b1)
{
    nv_mma(acc, a->x, b0, b1);
}

static inline void mma_multiply(sum_t *acc, const mma_a_t *a, const mma_b_t *b)
{
    mma_multiply_8(acc, a, b->x[0], b->x[1]);
    mma_multiply_8(acc + 4, a, b->x[2], b->x[3]);
}

#else

// A work-item's rows lane/4 and lane/4 + 8 of src, or its four columns of weights.
typedef struct {
    uchar x[2][MMA_STEP];
} mma_a_t;
typedef struct {
    uchar x[4][MMA_STEP];
} mma_b_t;

static inline void mma_load_a(mma_a_t *a, copy_place_t tile, int row, int step, int lane)
{
    for (int r = 0; r < 2; ++r) {
        const int i = row + mma_row(lane, 2 * r);
        for (int p = 0; p < MMA_STEP; ++p)
            a->x[r][p] = (uchar)tile[mma_place(i, step * 2 + p / 16) + p % 16];
    }
}

// Columns in the order of the sums: 0, 1, 8, 9 with lane % 4 · 2.
static inline int mma_column(int lane, int c)
{
    return mma_col(lane, (c & 1) | (c & 2) << 1);
}

static inline void mma_load_b(mma_b_t *b, copy_place_t tile, int col, int step, int lane)
{
    for (int c = 0; c < 4; ++c) {
        const int j = col + mma_column(lane, c);
        for (int p = 0; p < MMA_STEP; ++p)
            b->x[c][p] = (uchar)tile[mma_place(j, step * 2 + p / 16) + p % 16];
    }
}

static inline void mma_load_b_across(mma_b_t *b, copy_place_t tile, int col, int step, int lane)
{
    for (int c = 0; c < 4; ++c) {
        const int j = col + mma_column(lane, c);
        for (int p = 0; p < MMA_STEP; ++p) {
            const int place = mma_place_across(step * 16 + p / 2, j / 8) + j % 8 * 2 + p % 2;
            b->x[c][p] = (uchar)tile[place];
        }
    }
}

#ifdef MMA_ROWS_ACROSS_BYTES
static inline void mma_load_a_across(mma_a_t *a, copy_place_t tile, int row, int step, int lane)
{
    for (int r = 0; r < 2; ++r) {
        const int i = row + mma_row(lane, 2 * r);
        for (int p = 0; p < MMA_STEP; ++p) {
            const int place = mma_place_rows_across(step * 16 + p / 2, i / 8) + i % 8 * 2 + p % 2;
            a->x[r][p] = (uchar)tile[place];
        }
    }
}
#endif

static inline sum_t mma_element(const uchar *x, int p, int is_u8)
{
#if MMA_TYPE == DT_S8
    return is_u8 ? (sum_t)x[p] : (sum_t)(char)x[p];
#else
    return mma_float_of((ushort)(x[2 * p] | x[2 * p + 1] << 8));
#endif
}

static inline void mma_multiply(sum_t *acc, const mma_a_t *a, const mma_b_t *b)
{
    for (int e = 0; e < 8; ++e) {
        const uchar *row = a->x[e >> 1 & 1], *col = b->x[(e & 1) | (e >> 1 & 2)];
        sum_t sum = acc[e];
        for (int p = 0; p < MMA_STEP / MMA_ELEM_BYTES; ++p)
            sum += mma_element(row, p, SRC_IS_U8) * mma_element(col, p, WEI_IS_U8);
        acc[e] = sum;
    }
}

#endif

#endif
