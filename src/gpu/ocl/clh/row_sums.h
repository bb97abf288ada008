// SPDX-License-Identifier: Apache-2.0
// Zero points for products by matrix units, which multiply stored values:
//     Σ (a − x)(b − y) = Σ a·b − x·Σ b − y·Σ a + depth·x·y
// with sums over k of rows of src and columns of weights, which are rows of 128 bytes in local memory
// both: BM rows of src, then BN of weights. Work-items sum them while the matrix units multiply, each a few,
// weights first; then every work-item reads sums and zero points from local memory.
//
//     row_sums_t rows = {has_wei_zps, has_src_zps, {0}};
//     add_rows(&rows, stage, item, nitems);            // each tile of operands
//     keep_rows(&gemm, &rows, …);                      // ROW_VALUES ints of local memory
//     barrier(CLK_LOCAL_MEM_FENCE);
//     sum −= row_correction(values, row, col);
//
// Needs clh/gemm.h. -D: WITH_ZPS: 1 for all of this; BM, BN, SRC_IS_U8, WEI_IS_U8; those of clh/int_dot.h.
#ifndef CLH_ROW_SUMS_H
#define CLH_ROW_SUMS_H

#ifndef WITH_ZPS
#error "clh/row_sums.h needs WITH_ZPS"
#endif

#include "clh/always_inline.h"
#include "clh/int_dot.h"

#if WITH_ZPS
#if !(IS_INT && WITH_QUANT)
#error "WITH_ZPS is for bytes"
#endif

enum { ROW_SUMS = 3 }; // of a work-item, at most
#define ROW_VALUES (2 * (BM + BN))

typedef struct {
    bool of_src, of_wei; // which sums are wanted
    int sums[ROW_SUMS];
} row_sums_t;

static inline int add_bytes(int sum, uint4 x, const int is_u8)
{
    const uint words[4] = {x.x, x.y, x.z, x.w};
#pragma unroll
    for (int i = 0; i < 4; ++i)
        sum = is_u8 ? dot4_uu(words[i], 0x01010101, sum) : dot4_ss(words[i], 0x01010101, sum);
    return sum;
}

// Adds the tiles of a stage. Neighbours start with different 16 bytes, for the banks.
ALWAYS_INLINE void add_rows(
        row_sums_t *rows, __local const uint4 *stage, int item, const int nitems)
{
#pragma unroll
    for (int e = 0; e < ROW_SUMS && e * nitems < BM + BN; ++e) {
        const int r = item + e * nitems;
        const bool is_src = r >= BN;
        if (r >= BN + BM || !(is_src ? rows->of_src : rows->of_wei)) continue;
        __local const uint4 *row = stage + (is_src ? r - BN : r + BM) * 8;
#pragma unroll
        for (int c = 0; c < 8; ++c) {
            const uint4 x = row[(c + item) & 7];
            rows->sums[e] = is_src ? add_bytes(rows->sums[e], x, SRC_IS_U8)
                                   : add_bytes(rows->sums[e], x, WEI_IS_U8);
        }
    }
}

// Sums over `depth` steps of k, then zero points, of columns and rows; row, col: the tile's first, n:
// columns that there are.
ALWAYS_INLINE void keep_rows(const gemm_t *gemm,
        const row_sums_t *rows, int row, int col, int n, int depth, __local int *values, int item,
        const int nitems)
{
#pragma unroll
    for (int e = 0; e < ROW_SUMS && e * nitems < BM + BN; ++e) {
        const int r = item + e * nitems;
        if (r < BN) {
            const int y = gemm_zero_point(&gemm->wei_zps, 0, min(col + r, n - 1));
            values[r] = rows->sums[e] - depth * y;
            values[BN + BM + r] = y;
        } else if (r < BN + BM) {
            const long i = min((long)row + r - BN, gemm->m - 1);
            values[r] = rows->sums[e];
            values[BN + BM + r] = gemm_zero_point(&gemm->src_zps, i % gemm->matrix_m, 0);
        }
    }
}

// What a sum of the tile's row and column has too much.
static inline int row_correction(__local const int *values, int row, int col)
{
    return values[BN + BM + BN + row] * values[col] + values[BN + BM + col] * values[BN + row];
}

#endif

#endif
