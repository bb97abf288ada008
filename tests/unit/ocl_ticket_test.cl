// SPDX-License-Identifier: Apache-2.0
// Notes the ticket of each launch. -D: none.
__kernel void note(__global ulong *tickets, volatile __global int *n, ulong ticket)
{
    tickets[atomic_inc(n)] = ticket;
}
