// SPDX-License-Identifier: Apache-2.0
// Transposes 8-bit weights K×N to N×K, because matrix units take 8-bit operands that are contiguous along K
// only. A work-group transposes 64 × 64 elements in local memory.
//
//   wei, wei_off     bytes; element (p, j) at p·wei_k + j
//   transposed, transposed_off   bytes, 16-byte aligned; element (p, j) at j·pitch + p, zeros from k to pitch
//   n, k, pitch      pitch: k rounded up to 16
// Grid: x = ceil(n / 64) work-groups of 256 work-items, y = ceil(k / 64).
// Numerics: bytes are copied.
// -D: none.
// No device of CI has such units; checked with: -cl-std=CL1.2
#define WIDTH 64
#define PITCH (WIDTH + 4)
#define ITEMS 256

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void matmul_transpose(__global const uchar *wei,
        long wei_off, __global uchar *transposed, long transposed_off, long wei_k, int n, int k, int pitch)
{
    __local uchar tile[WIDTH * PITCH] __attribute__((aligned(4)));
    const int item = (int)get_local_id(0);
    const int j0 = (int)get_group_id(0) * WIDTH, p0 = (int)get_group_id(1) * WIDTH;
    // Four neighbours of a row at a time: 16 work-items a row.
    const int col = item % 16 * 4, j = j0 + col;
#pragma unroll
    for (int e = 0; e < WIDTH; e += ITEMS / 16) {
        const int row = e + item / 16;
        __global const uchar *from = wei + wei_off + (p0 + row) * wei_k + j;
        uchar4 x = (uchar4)(0);
        if (p0 + row < k && j + 4 <= n && ((ulong)from & 3) == 0) {
            x = *(__global const uchar4 *)from;
        } else if (p0 + row < k) {
            if (j < n) x.x = from[0];
            if (j + 1 < n) x.y = from[1];
            if (j + 2 < n) x.z = from[2];
            if (j + 3 < n) x.w = from[3];
        }
        *(__local uchar4 *)(tile + row * PITCH + col) = x;
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    // 16 steps of k of a column: 4 work-items a column, so that neighbours write 64 bytes.
    const int own = item / 4, first = item % 4 * 16;
    if (j0 + own >= n || p0 + first >= pitch) return;
    uchar x[16];
#pragma unroll
    for (int e = 0; e < 16; ++e) x[e] = tile[(first + e) * PITCH + own];
    *(__global uchar16 *)(transposed + transposed_off + (long)(j0 + own) * pitch + p0 + first) =
            vload16(0, x);
}
