// SPDX-License-Identifier: Apache-2.0
// What the typed gradients of pooling share: the windows that hold an element of diff_src, and the sum of what they
// pass on, in ascending order.
// -D: ALG = POOL_…; DIFF_DST, DIFF_SRC, WS (prim__ocl_options_type()); HAS_DEPTH; VEC.
#ifndef CLH_POOL_GATHER_H
#define CLH_POOL_GATHER_H

#define DST_IS_INT 0 // of means: gradients are floats
#include "clh/pool.h"
#include "clh/shared/pool_backward_data.h"

#define DIFF_DST_LOADV VEC_FORM(DIFF_DST, LOAD)
#define DIFF_SRC_STOREV VEC_FORM(DIFF_SRC, STORE)

// The winners of VEC channels, of which only maxima have any.
static inline intv winners_at(__global const WS_T *ws)
{
#if ALG != POOL_MAX
    return 0;
#elif VEC == 1
    return (int)*ws;
#else
    return to_intv(RAW_LOAD(VEC, WS_T, ws));
#endif
}

typedef struct {
    int begin, end;
} windows_t;

// The windows begin ≤ o < end along an axis whose taps reach over element `at`.
static inline windows_t windows_over(SIZES_SPACE const ocl_pool_axis_t *axis, int at)
{
    const int from_first = at + axis->pad - (axis->taps - 1) * axis->jump;
    const int last = (int)((uint)(at + axis->pad) / (uint)axis->stride);
    const windows_t w = {from_first > 0 ? div_up(from_first, axis->stride) : 0, min(last + 1, axis->out)};
    return w;
}

// The tap of window o that lies on element `at`; -1: the dilation steps over it.
static inline int tap_on(SIZES_SPACE const ocl_pool_axis_t *axis, int at, int o)
{
    const int distance = at + axis->pad - o * axis->stride;
    if (axis->jump == 1) return distance;
    const int tap = (int)((uint)distance / (uint)axis->jump);
    return tap * axis->jump == distance ? tap : -1;
}

static inline int count_taps(SIZES_SPACE const ocl_pool_axis_t *axis, int o)
{
    const taps_t taps = taps_at(axis, o);
    return taps.end - taps.begin;
}

// What a window passes on to one of its taps: a maximum everything to its winner, a mean whose divisor is its own the
// share of each of its `ntaps` taps inside diff_src. The constant divisor of the other mean divides the sum.
static inline floatv pass_on(floatv x, intv winners, int tap)
{
#if ALG == POOL_MAX
    return winners == tap ? x : (floatv)(0.0f);
#else
    return x;
#endif
}

static inline floatv share_out(floatv x, int ntaps)
{
    return ALG == POOL_AVG_EXCLUDE ? x * (1.0f / (float)ntaps) : x;
}

static inline floatv divide_sum(floatv sum, float volume)
{
    return ALG == POOL_AVG_INCLUDE ? sum * (1.0f / volume) : sum;
}

// The gradients of VEC channels at a position of diff_src, for any windows; the pointers are at position 0 of the
// channels.
static inline floatv gather_any(SIZES_SPACE const ocl_pool_backward_data_t *data, __global const DIFF_DST_T *diff_dst,
        __global const WS_T *ws, int d, int h, int w)
{
    const windows_t planes = windows_over(&data->axes[0], d);
    const windows_t rows = windows_over(&data->axes[1], h), cols = windows_over(&data->axes[2], w);
    floatv sum = 0.0f;
    for (int od = planes.begin; od < planes.end; ++od) {
        const int kd = tap_on(&data->axes[0], d, od);
        if (kd < 0) continue;
        for (int oh = rows.begin; oh < rows.end; ++oh) {
            const int kh = tap_on(&data->axes[1], h, oh);
            if (kh < 0) continue;
            const int first_tap = (kd * data->axes[1].taps + kh) * data->axes[2].taps;
            const int ntaps = count_taps(&data->axes[0], od) * count_taps(&data->axes[1], oh);
            const int row = od * data->diff_dst.d + oh * data->diff_dst.h;
            const int ws_row = od * data->ws.d + oh * data->ws.h;
            floatv row_sum = 0.0f;
            for (int ow = cols.begin; ow < cols.end; ++ow) {
                const int kw = tap_on(&data->axes[2], w, ow);
                if (kw < 0) continue;
                const floatv x = DIFF_DST_LOADV(diff_dst, row + ow * data->diff_dst.w);
                const intv winners = winners_at(ws + ws_row + ow * data->ws.w);
                row_sum += pass_on(share_out(x, ntaps * count_taps(&data->axes[2], ow)), winners, first_tap + kw);
            }
            sum += row_sum;
        }
    }
    return divide_sum(sum, data->volume);
}

#endif
