// SPDX-License-Identifier: Apache-2.0
// A row of sums, or of finished values, from local memory to a row of dst that begins anywhere, rounded to 16 bits or as
// it is: neighbouring work-items store neighbouring words, of 16-bit elements two, which begin one element earlier at odd
// addresses. So whole sectors of the cache are stored, which single elements, some apart, would write in parts.
#ifndef CLH_ROW_WORDS_H
#define CLH_ROW_WORDS_H

#include "clh/short_pair.h"

// Columns [first, end) of `width` exist; `at`: where column 0 goes. `from` holds floats, or what goes out as it is. By
// `nlanes` work-items.
static inline void put_row_words(__local const void *from, __global uchar *at, int first, int end, const int width,
        int dt, int lane, int nlanes)
{
    if (dt != DT_F16 && dt != DT_BF16) {
#pragma unroll 4
        for (int q = lane; q < width; q += nlanes) {
            if (q >= first && q < end) ((__global uint *)at)[q] = ((__local const uint *)from)[q];
        }
        return;
    }
    __local const float *const values = (__local const float *)from;
    const int odd = (ulong)at & 2 ? 1 : 0;
#pragma unroll 4
    for (int q = lane * 2 - odd; q < width; q += nlanes * 2) {
        __global ushort *to = (__global ushort *)at + q;
        const bool has_low = q >= first && q < end, has_high = q + 1 >= first && q + 1 < end;
        const ushort low = has_low ? short_of(values[q], dt) : 0, high = has_high ? short_of(values[q + 1], dt) : 0;
        if (has_low && has_high)
            *(__global uint *)to = low | (uint)high << 16;
        else if (has_low)
            to[0] = low;
        else if (has_high)
            to[1] = high;
    }
}

#endif
