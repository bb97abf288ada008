// SPDX-License-Identifier: Apache-2.0
// Self-test of loads and stores with hints for the caches how soon a line is read again.
//
//   y   [2, 256, 4]: x; x where the work-item is odd, 7 and no access where it is even
//   x   [256, 4]
// Grid: x = 256. Numerics: exact. -D: CACHE_HINTS.
#if !defined(CACHE_HINTS) || !CACHE_HINTS
#error "ocl_selftest_cache_hints needs CACHE_HINTS=1"
#endif

#include "clh/nv/nv_global.h"

__kernel void hinted_copies(__global uint *y, __global const uint *x)
{
    const int i = (int)get_global_id(0), n = (int)get_global_size(0);
    const bool is_odd = i & 1;
    __global const uint *nowhere = 0;
    nv_store_streaming(y + 4 * i, nv_load_streaming(x + 4 * i));
    nv_store_streaming(y + 4 * (n + i), nv_load_streaming_or(is_odd ? x + 4 * i : nowhere, is_odd, 7u));
}
