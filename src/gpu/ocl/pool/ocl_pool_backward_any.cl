// SPDX-License-Identifier: Apache-2.0
// Gradient of pooling, generic: any types, layouts and windows. A work-item gathers one element of diff_src, padding
// included, from the windows that hold it, in ascending order: no atomics, and the same bits every time.
//
//   data                     descriptors, windows, algorithm
//   diff_dst, diff_dst_off   [N, C, (OD, (OH,)) OW] of type data->diff_dst.dt
//   ws, ws_off               same shape, u8 or s32: index of the maximum in the window; none if data->ws.ndims is 0
//   diff_src, diff_src_off   [N, C, (ID, (IH,)) IW] of type data->diff_src.dt; padding becomes 0
// Grid: x ≥ data->diff_src.nelems_padded. Numerics: f32; sums of many windows in pieces.
// -D: none.
#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/piece_sum.h"
#include "clh/shared/pool_backward_any_data.h"

#define POOL_MAX 0x1ff
#define POOL_AVG_INCLUDE 0x2ff

static long div_up(long a, long b)
{
    return div_long(a + b - 1, b);
}

// The windows begin ≤ o < end along an axis whose taps reach over element `at`.
static void windows_over(long *begin, long *end, __constant const ocl_pool_any_axis_t *axis, long at)
{
    const long from_first = at + axis->pad - (axis->taps - 1) * axis->jump;
    *begin = from_first > 0 ? div_up(from_first, axis->stride) : 0;
    *end = min(div_long(at + axis->pad, axis->stride) + 1, axis->out);
}

// Taps of a window inside diff_src.
static long count_taps(__constant const ocl_pool_any_axis_t *axis, long window)
{
    const long start = window * axis->stride - axis->pad;
    const long first = start < 0 ? div_up(-start, axis->jump) : 0;
    return min(div_up(axis->in - start, axis->jump), axis->taps) - first;
}

// The tap of the window that lies on element `at`; -1: the dilation steps over it.
static long tap_on(__constant const ocl_pool_any_axis_t *axis, long at, long window)
{
    const long distance = at + axis->pad - window * axis->stride;
    const long tap = div_long(distance, axis->jump);
    return tap * axis->jump == distance ? tap : -1;
}

__kernel void pool_backward_any(__constant const ocl_pool_backward_any_data_t *data, __global const void *diff_dst,
        long diff_dst_off, __global const void *ws, long ws_off, __global void *diff_src, long diff_src_off)
{
    const long index = get_global_id(0);
    long pos[MAX_NDIMS];
    if (!md_begin_item(pos, &diff_src_off, &data->diff_src, diff_src, index)) return;
    long x[3], begin[3], end[3], o[3], volume = 1;
    for (int a = 0; a < 3; ++a) {
        const int d = a + data->nspatial - 1; // dimension of the tensors; below 2: absent
        x[a] = d < 2 ? 0 : pos[d];
        windows_over(&begin[a], &end[a], &data->axes[a], x[a]);
        volume *= data->axes[a].taps;
    }
    piece_sum_t sum = {0.0f, 0.0f, 0};
    for (o[0] = begin[0]; o[0] < end[0]; ++o[0])
        for (o[1] = begin[1]; o[1] < end[1]; ++o[1])
            for (o[2] = begin[2]; o[2] < end[2]; ++o[2]) {
                long tap = 0, ntaps = 1;
                bool is_tap = true;
                for (int a = 0; a < 3; ++a) {
                    const long k = tap_on(&data->axes[a], x[a], o[a]);
                    is_tap = is_tap && k >= 0;
                    tap = tap * data->axes[a].taps + k;
                    ntaps *= count_taps(&data->axes[a], o[a]);
                    if (a >= 3 - data->nspatial) pos[a + data->nspatial - 1] = o[a];
                }
                if (!is_tap) continue;
                if (data->alg == POOL_MAX && load_int_any(ws, ws_off + md_offset(&data->ws, pos), data->ws.dt) != tap)
                    continue;
                const float diff =
                        load_any(diff_dst, diff_dst_off + md_offset(&data->diff_dst, pos), data->diff_dst.dt);
                const long divisor = data->alg == POOL_AVG_INCLUDE ? volume : ntaps;
                piece_sum_add(&sum, data->alg == POOL_MAX ? diff : diff / (float)divisor);
            }
    store_any(diff_src, diff_src_off, data->diff_src.dt, piece_sum_of(&sum));
}
