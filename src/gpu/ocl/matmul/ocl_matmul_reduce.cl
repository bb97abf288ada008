// SPDX-License-Identifier: Apache-2.0
// Reduction of split-K (clh/gemm_tile.h): adds the partial sums in a fixed order and applies the epilogue.
//
//   partial, partial_off   f32 or s32, [split][product][m][n rounded up to 4]
//   dst, dst_off           of type dst_dt
//   n, nsplits, dst_m, dst_n, dst_batch   as in clh/gemm_tile.h
// Grid: x = n (rounded up), y = m, z = products.
// -D: those of clh/gemm.h; WIDE_SUMS = 1, for each partial sum fits s32, their sum need not.
// Which problems are split is the model's choice for a device; checked with: -cl-std=CL1.2 -DWIDE_SUMS=1 -DIS_INT=0 -DWITH_QUANT=0 -DWITH_POST_OPS=0
#include "clh/gemm.h"

__kernel void matmul_reduce(__global const sum_t *partial, long partial_off, __global void *dst,
        long dst_off, int n, int nsplits, long dst_m, long dst_n,
        ocl_gemm_batch_t dst_batch GEMM_PARAMS)
{
    GEMM_DECLARE;
    const long j = get_global_id(0), i = get_global_id(1), product = get_global_id(2);
    if (j >= n || i >= gemm_m) return;
    const long pitch = (n + 3) / 4 * 4, step = gemm_batch.x * gemm_batch.y * gemm_batch.z * gemm_m * pitch;
    long from = partial_off + (product * gemm_m + i) * pitch + j;
    total_t sum = partial[from];
    for (int s = 1; s < nsplits; ++s) {
        from += step;
        sum += partial[from];
    }
    gemm_row_t row = gemm_row(&gemm, product, i);
    const long place =
            dst_off + batch_offset(gemm_batch, dst_batch, product) + i * dst_m + j * dst_n;
    gemm_store(&gemm, &row, sum, j, dst, place);
}
