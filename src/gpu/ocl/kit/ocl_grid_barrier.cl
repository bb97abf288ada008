// SPDX-License-Identifier: Apache-2.0
// Clears the slots of a grid barrier (clh/grid_barrier.h) before the kernel whose work-groups wait at it.
//
//   slots, slots_off   [n], become 0
// Grid: x ≥ n. Numerics: none. -D: none.
__kernel void grid_barrier_clear(__global uint *slots, long slots_off, long n)
{
    const long i = (long)get_global_id(0);
    if (i < n) slots[slots_off + i] = 0u;
}
