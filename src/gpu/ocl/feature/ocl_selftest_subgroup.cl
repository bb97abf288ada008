// SPDX-License-Identifier: Apache-2.0
// Self-test of sub-groups: how the work-items of a group are spread over them, and what crosses work-items.
//
//   y   [64, 8]: id of the sub-group, id in it, its size, largest size, sum of x, x of its item 0,
//       sum of x up to the work-item, one that crosses work-items, by WITH: 1: x of the work-item's neighbour
//       (id ^ 1), 2: x[1 + …] of the item's place among all, read in a block, 0: 0
//   x   [65]
// Grid: x = 64, in one group. Numerics: exact (integers).
// -D: WITH = 1: cl_khr_subgroup_shuffle is there, 2: cl_intel_subgroups.
#ifndef WITH
#error "-DWITH is missing"
#endif
#ifdef cl_khr_subgroups
#pragma OPENCL EXTENSION cl_khr_subgroups : enable
#endif
#if WITH == 2 && defined(cl_intel_subgroups)
#pragma OPENCL EXTENSION cl_intel_subgroups : enable
#endif

__kernel void subgroup_ops(__global int *y, __global const int *x)
{
    const int i = (int)get_global_id(0);
    __global int *to = y + 8 * i;
    to[0] = get_sub_group_id();
    to[1] = get_sub_group_local_id();
    to[2] = get_sub_group_size();
    to[3] = get_max_sub_group_size();
    to[4] = sub_group_reduce_add(x[i]);
    to[5] = sub_group_broadcast(x[i], 0);
    to[6] = sub_group_scan_inclusive_add(x[i]);
#if WITH == 1
    to[7] = sub_group_shuffle_xor(x[i], 1);
#elif WITH == 2
    to[7] = (int)intel_sub_group_block_read(
            (__global const uint *)x + 1 + get_sub_group_id() * get_max_sub_group_size());
#else
    to[7] = 0;
#endif
}
