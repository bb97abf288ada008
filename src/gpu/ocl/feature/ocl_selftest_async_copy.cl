// SPDX-License-Identifier: Apache-2.0
// Self-test of asynchronous copies to local memory: three batches, of 16 bytes, of 4 and of parts
// whose rest is zeros, are in flight at once; each is read after its own wait.
//
//   y   [3, 64, 4] of type uint: what has come
//   x   [64, 4] of type uint
// Grid: x = 64, in one group. Numerics: copies. -D: ASYNC_COPY, COPY_16_KEEPS.
#include "clh/async_copy.h"

__kernel void async_copies(__global uint *y, __global const uint *x)
{
    __local uint tile[3][64][4] __attribute__((aligned(16)));
    const int i = (int)get_local_id(0), other = 63 - i;
    copy_16(copy_place(tile[0][i]), x + 4 * i);
    copy_close();
    for (int k = 0; k < 4; ++k) copy_4(copy_place(&tile[1][i][k]), x + 4 * i + 3 - k);
    copy_close();
    if (i & 4) {
        for (int k = 0; k < 4; ++k) copy_4_part(copy_place(&tile[2][i][k]), x + 4 * i + k, k & 1 ? 4 : 0);
    } else {
        copy_16_part(copy_place(tile[2][i]), x + 4 * i, (uint)(4 * (i & 3)));
    }
    copy_close();
    copy_wait(2);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; ++k) y[4 * i + k] = tile[0][other][k];
    copy_wait(1);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; ++k) y[256 + 4 * i + k] = tile[1][other][k];
    copy_wait(0);
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int k = 0; k < 4; ++k) y[512 + 4 * i + k] = tile[2][other][k];
}
