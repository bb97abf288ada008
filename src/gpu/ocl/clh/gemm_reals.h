// SPDX-License-Identifier: Apache-2.0
// Bias and post-ops of REAL_WIDTH = 2 or 4 neighbours of a row of dst at once, where columns of dst are contiguous.
// `is_aligned`, a constant: vectors are whole, and gemm_reals_are_aligned() or gemm_bias_is_aligned(); else elements are
// loaded one by one.
//
// Needs clh/load_reals.h, clh/gemm.h (IS_INT = 0, WITH_QUANT = 0; a chain with PO_STEPS = 1).
#ifndef CLH_GEMM_REALS_H
#define CLH_GEMM_REALS_H

#include "clh/always_inline.h"

#if REAL_WIDTH == 2 || REAL_WIDTH == 4

// Of columns j … j + count − 1; behind them anything. 0: no bias.
ALWAYS_INLINE real_t gemm_bias_reals(const gemm_t *gemm, const gemm_row_t *row, long j, int count, const bool is_aligned)
{
    const long at = row->bia_off + j * gemm->bia_n;
    if (gemm->bia_dt == DT_UNDEF) return 0.0f;
    if (is_aligned) return load_reals(gemm->bia, at, gemm->bia_dt);
    return load_reals_part(gemm->bia, at, gemm->bia_n, count, gemm->bia_dt);
}

// The values of these columns, before they are rounded to dst's type. `x`: sums with their bias; `place`: of column j.
ALWAYS_INLINE real_t gemm_finish_reals(const gemm_t *gemm, gemm_row_t *row, real_t x, long j, int count,
        __global const void *dst, long place, const bool is_aligned)
{
#if WITH_POST_OPS
    post_ops_t chain = *gemm->post_ops;
    chain.count = count;
    chain.is_aligned = is_aligned;
#if PO_NEEDS_POSITION
    row->pos[GEMM_RANK(gemm) - 1] = j;
#endif
    x = post_ops_apply(&chain, x, row->pos, dst, place);
#endif
    return x;
}

// Whether vectors of dst and of all operands lie at multiples of their size, where columns are multiples of REAL_WIDTH.
// `dst_off`: of row 0.
ALWAYS_INLINE bool gemm_reals_are_aligned(const gemm_t *gemm, __global const void *dst, long dst_off, long dst_m)
{
    const long bytes = dt_bytes(gemm->dst_dt);
    bool are = ((((ulong)dst + dst_off * bytes) | (dst_m * bytes)) & (REAL_WIDTH * bytes - 1)) == 0;
#if WITH_POST_OPS
    are = are && post_ops_are_aligned(gemm->post_ops);
#endif
    return are;
}

// Whether those of the bias do; `bia_off`: of row 0.
ALWAYS_INLINE bool gemm_bias_is_aligned(const gemm_t *gemm, long bia_off)
{
    const long bytes = dt_bytes(gemm->bia_dt);
    const ulong starts = ((ulong)gemm->bia + bia_off * bytes) | (gemm->bia_m * bytes);
    return gemm->bia_dt == DT_UNDEF || (gemm->bia_n == 1 && (starts & (REAL_WIDTH * bytes - 1)) == 0);
}

#endif

#endif
