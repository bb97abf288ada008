// SPDX-License-Identifier: Apache-2.0
// Packing of operands for ocl_matmul_packed_cpu.cl, one program for all types:
//
// pack_src: src to f32, [product][m][k], with zero points and scales applied.
//   Grid: x = m, y = distinct products of src.
// pack_wei: weights to panels, [product][ceil(n/cols)][k][cols], as they are (panel_dt = wei_dt) or in f32
//   with zero points and scales applied; columns from n on are 0; cols is a multiple of 8.
//   Grid: x = panels, y = ceil(k / DEPTH), z = distinct products of wei.
// …_sizes, …_batch: sizes and strides of the three batch dimensions of the operand (size 1 where it is
//   broadcast).
// -D: those of clh/gemm.h, with WITH_QUANT = 1, IS_INT = 0.
#include "clh/gemm.h"
#include "clh/io_vec.h"

#define DEPTH 64

// The first elements of a row, 16 at a time; returns how many.
static inline long load_row(__global const void *src, long off, int dt, __global float *row, long k)
{
    long p = 0;
    switch (dt) {
    case DT_F32:
        for (; p + 16 <= k; p += 16)
            vstore16(load16_f32((__global const float *)src, off + p), 0, row + p);
        break;
    case DT_F16:
        for (; p + 16 <= k; p += 16)
            vstore16(load16_f16((__global const f16_t *)src, off + p), 0, row + p);
        break;
    case DT_BF16:
        for (; p + 16 <= k; p += 16)
            vstore16(load16_bf16((__global const bf16_t *)src, off + p), 0, row + p);
        break;
    case DT_S8:
        for (; p + 16 <= k; p += 16)
            vstore16(load16_s8((__global const char *)src, off + p), 0, row + p);
        break;
    case DT_U8:
        for (; p + 16 <= k; p += 16)
            vstore16(load16_u8((__global const uchar *)src, off + p), 0, row + p);
        break;
    default: break;
    }
    return p;
}

__kernel void matmul_pack_src(__global const void *src, long src_off, int src_dt, __global float *packed,
        long packed_off, long k, long src_m, long src_k, ocl_gemm_batch_t src_sizes,
        ocl_gemm_batch_t src_batch GEMM_PARAMS)
{
    GEMM_DECLARE;
    const long i = get_global_id(0), product = get_global_id(1);
    src_off += batch_offset(src_sizes, src_batch, product) + i * src_m;
    packed += packed_off + (product * gemm_m + i) * k;
    const bool is_raw = src_zps_dt == DT_UNDEF && !src_scales_are_per_k;
    long p = is_raw && src_k == 1 ? load_row(src, src_off, src_dt, packed, k) : 0;
    for (; p < k; ++p) {
        const float x = load_any(src, src_off + p * src_k, src_dt);
        packed[p] = is_raw ? x : gemm_adjust_src(&gemm, x, i, p);
    }
}

// A block of a panel, `depth` rows of `cols`, from bytes, shorts or words that are contiguous.
static inline void copy_rows(__global const void *wei, long off, long step, int bytes, int depth,
        int cols, __global void *packed, long packed_off)
{
    for (int p = 0; p < depth; ++p, off += step, packed_off += cols) {
        for (int j = 0; j < cols; j += 8) {
            switch (bytes) {
            case 4:
                vstore8(vload8(0, (__global const uint *)wei + off + j), 0,
                        (__global uint *)packed + packed_off + j);
                break;
            case 2:
                vstore8(vload8(0, (__global const ushort *)wei + off + j), 0,
                        (__global ushort *)packed + packed_off + j);
                break;
            default:
                vstore8(vload8(0, (__global const uchar *)wei + off + j), 0,
                        (__global uchar *)packed + packed_off + j);
            }
        }
    }
}

static inline void copy_element(
        __global const void *wei, long off, int bytes, __global void *packed, long packed_off)
{
    if (bytes == 4) {
        ((__global uint *)packed)[packed_off] = ((__global const uint *)wei)[off];
    } else if (bytes == 2) {
        ((__global ushort *)packed)[packed_off] = ((__global const ushort *)wei)[off];
    } else {
        ((__global uchar *)packed)[packed_off] = ((__global const uchar *)wei)[off];
    }
}

__kernel void matmul_pack_wei(__global const void *wei, long wei_off, int wei_dt, __global void *packed,
        long packed_off, int panel_dt, int cols, long n, long k, long wei_k, long wei_n,
        ocl_gemm_batch_t wei_sizes, ocl_gemm_batch_t wei_batch GEMM_PARAMS)
{
    GEMM_DECLARE;
    const long panel = get_global_id(0), p0 = (long)get_global_id(1) * DEPTH;
    const long product = get_global_id(2);
    const long j0 = panel * cols;
    const int width = (int)min(n - j0, (long)cols);
    const int depth = (int)min(k - p0, (long)DEPTH);
    const bool is_raw = panel_dt == wei_dt && wei_zps_dt == DT_UNDEF && !wei_scales_are_per_k;
    wei_off += batch_offset(wei_sizes, wei_batch, product) + p0 * wei_k + j0 * wei_n;
    packed_off += ((product * get_global_size(0) + panel) * k + p0) * cols;
    if (is_raw && wei_n == 1 && width == cols) {
        copy_rows(wei, wei_off, wei_k, dt_bytes(wei_dt), depth, cols, packed, packed_off);
        return;
    }
    // Along K first: that is how transposed weights lie.
    for (int j = 0; j < width; ++j) {
        for (int p = 0; p < depth; ++p) {
            const long from = wei_off + p * wei_k + j * wei_n, to = packed_off + p * cols + j;
            if (is_raw) {
                copy_element(wei, from, dt_bytes(wei_dt), packed, to);
            } else {
                ((__global float *)packed)[to] =
                        gemm_adjust_wei(&gemm, load_any(wei, from, wei_dt), p0 + p, j0 + j);
            }
        }
    }
    for (int p = 0; p < depth; ++p) {
        for (int j = width; j < cols; ++j)
            store_any(packed, packed_off + p * cols + j, panel_dt, 0.0f);
    }
}
