// SPDX-License-Identifier: Apache-2.0
// The words of groups that meet (clh/meet.h) before the kernel whose groups meet.
//
//   words, words_off   [n], become 0
// Grid: x ≥ n. Numerics: none. -D: none.
__kernel void meet_clear(__global uint *words, long words_off, long n)
{
    const long i = (long)get_global_id(0);
    if (i < n) words[words_off + i] = 0u;
}
