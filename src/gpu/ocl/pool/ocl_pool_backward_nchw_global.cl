// SPDX-License-Identifier: Apache-2.0
// Gradient of pooling with one window that is the whole plane, NCHW: planes of diff_src follow each other without
// gaps, so that it is one array, of which a work-item computes data->item_elems elements in vectors of VEC: a run of
// them, or AT_ONCE > 1 that are a work-group's vectors apart. A vector may hold the end of one plane and the beginning
// of the next.
//
//   data                     shapes and strides
//   diff_dst, diff_dst_off   [N, C, 1, 1, 1] of DIFF_DST_T by data->diff_dst
//   ws, ws_off               same shape of WS_T: place of the maximum in the plane; null unless ALG is POOL_MAX
//   diff_src, diff_src_off   [N·C·plane_elems] of DIFF_SRC_T, plane_elems ≥ VEC
// Grid: x ≥ data->nelems / data->item_elems, rounded up. Numerics: f32; nothing is summed.
// -D: DIFF_DST, DIFF_SRC, WS (prim__ocl_options_type()), VEC, ALG = POOL_…, AT_ONCE
#if !defined(DIFF_DST_DT) || !defined(DIFF_SRC_DT) || !defined(WS_DT) || !defined(ALG) || !defined(VEC) || \
        !defined(AT_ONCE)
#error "ocl_pool_backward_nchw_global needs DIFF_DST, DIFF_SRC, WS, ALG, VEC, AT_ONCE"
#endif

#include "clh/channels.h"
#include "clh/pool_gather.h"

// What a plane's window passes on, and to which element; of means to all.
typedef struct {
    float diff;
    int winner;
} plane_t;

static inline plane_t plane_at(__constant const ocl_pool_backward_global_data_t *data,
        __global const DIFF_DST_T *diff_dst, __global const WS_T *ws, int plane)
{
    int at = plane, ws_at = plane;
    if (!data->is_linear) {
        const int c = split_digit(&plane, &data->by_channels), n = plane;
        at = channels_offset(&data->diff_dst, n, c);
        if (ALG == POOL_MAX) ws_at = channels_offset(&data->ws, n, c);
    }
    plane_t p = {DIFF_DST_LOAD(diff_dst, at), 0};
    if (ALG == POOL_MAX)
        p.winner = (int)ws[ws_at];
    else
        p.diff *= 1.0f / data->volume;
    return p;
}

// The elements `at`, … of plane a, and behind its end those of plane b.
static inline floatv gradients(plane_t a, plane_t b, intv at, int plane_elems)
{
    const intv is_behind = at >= plane_elems;
#if VEC == 1
    const float x = is_behind ? b.diff : a.diff;
    const int winner = is_behind ? b.winner + plane_elems : a.winner;
#else
    const floatv x = select((floatv)(a.diff), (floatv)(b.diff), is_behind);
    const intv winner = select((intv)(a.winner), (intv)(b.winner + plane_elems), is_behind);
#endif
    return pass_on(x, winner - at, 0);
}

// The elements i, … before `end`.
static inline void store_elements(__global DIFF_SRC_T *diff_src, int i, int end, floatv x)
{
    if (i + VEC <= end) {
        DIFF_SRC_STOREV(diff_src, i, x);
        return;
    }
    float values[VEC];
    vstorev(x, values);
    for (int k = 0; k < VEC && i + k < end; ++k) DIFF_SRC_STORE(diff_src, i + k, values[k]);
}

__kernel void pool_backward_nchw_global(__constant const ocl_pool_backward_global_data_t *data,
        __global const DIFF_DST_T *diff_dst, long diff_dst_off, __global const WS_T *ws, long ws_off,
        __global DIFF_SRC_T *diff_src, long diff_src_off)
{
    const int last_plane = data->nelems / data->plane_elems - 1;
    diff_dst += diff_dst_off;
    diff_src += diff_src_off;
    if (ALG == POOL_MAX) ws += ws_off;
#if AT_ONCE > 1
    const uint apart = (uint)get_local_size(0), first = (uint)get_group_id(0) * AT_ONCE * apart + (uint)get_local_id(0);
    plane_t a[AT_ONCE];
    int at[AT_ONCE];
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
        int plane = (int)min((first + k * apart) * VEC, (uint)data->nelems - 1);
        at[k] = split_digit(&plane, &data->by_plane);
        a[k] = plane_at(data, diff_dst, ws, plane);
    }
#pragma unroll
    for (int k = 0; k < AT_ONCE; ++k) {
        const uint i = (first + k * apart) * VEC;
        if (i >= (uint)data->nelems) continue;
        if (at[k] + VEC <= data->plane_elems) {
            DIFF_SRC_STOREV(diff_src, i, pass_on((floatv)(a[k].diff), a[k].winner - at[k] - lanes, 0));
            continue;
        }
        const int next = min((int)(i / (uint)data->plane_elems) + 1, last_plane);
        const plane_t b = plane_at(data, diff_dst, ws, next);
        store_elements(diff_src, (int)i, data->nelems, gradients(a[k], b, lanes + at[k], data->plane_elems));
    }
#else
    if (get_global_id(0) * (size_t)data->item_elems >= (size_t)data->nelems) return;
    const int first = (int)get_global_id(0) * data->item_elems;
    const int end = data->nelems - first > data->item_elems ? first + data->item_elems : data->nelems;
    int plane = first;
    int at = split_digit(&plane, &data->by_plane);
    plane_t a = plane_at(data, diff_dst, ws, plane), b = plane_at(data, diff_dst, ws, min(plane + 1, last_plane));
    for (int i = first; i < end; i += VEC) {
        store_elements(diff_src, i, end, gradients(a, b, lanes + at, data->plane_elems));
        at += VEC;
        if (at < data->plane_elems) continue;
        at -= data->plane_elems;
        ++plane;
        a = b;
        b = plane_at(data, diff_dst, ws, min(plane + 1, last_plane));
    }
#endif
}
