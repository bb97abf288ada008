// SPDX-License-Identifier: Apache-2.0
// Self-test of arrays in local memory beyond what the device reports: every word is written by one
// item and read by another, in groups that run beside each other.
//
//   y   [8, 64] of type uint: sums of what the work-items read
// Grid: x = 512, in groups of 64. Numerics: exact. -D: WORDS of the array, a multiple of 64.
#ifndef WORDS
#error "ocl_selftest_large_local needs WORDS"
#endif

__kernel void large_local(__global uint *y)
{
    __local uint words[WORDS];
    const uint i = (uint)get_local_id(0), group = (uint)get_group_id(0);
    for (uint w = i; w < WORDS; w += 64) words[w] = w * 2654435761u + group;
    barrier(CLK_LOCAL_MEM_FENCE);
    uint sum = 0;
    for (uint w = 63 - i; w < WORDS; w += 64) sum = sum * 31 + words[w];
    y[get_global_id(0)] = sum;
}
