// SPDX-License-Identifier: Apache-2.0
// The operands of a convolution as an implicit matrix product: which elements of src and weights belong to an
// index of K and a pixel. K runs over taps and, within a tap, input channels, in slices of BK; a slice lies in
// one tap, or, if FLAT, its indices are looked up in a table.
//
//     cursor_t cursor = cursor_at(data, slice);
//     pixel_t pixel = find_pixel(data, index);
//     … if a new tap has begun: look(&pixel, data, &cursor); then fetch_sources(), fetch_weights()
//     is_new_tap = cursor_advance(&cursor, data);
//
// Host side: ocl_conv_igemm.h. Needs SIZES_BY_VALUE, PHASES, BK, FLAT, HAS_DEPTH, SRC_DEPTH_RUNS, SRC_QUADS, WEI_QUADS and
// the types; ocl_conv_igemm.cl explains them.
#ifndef CLH_CONV_IGEMM_H
#define CLH_CONV_IGEMM_H

#include "clh/conv_epilogue.h"
#include "clh/shared/conv_igemm_data.h"

// Sizes are a kernel's first parameter, IGEMM_SIZES: by value, where no load precedes their first use, or in a
// buffer (ocl_device.h, keeps_structs); IGEMM_DECLARE gives the kernel `data`. With PHASES the buffer holds
// several products, of which the group's z is one; PHASE_OFF(name) is where its part of a tensor starts.
#ifndef PHASES
#error "clh/conv_igemm.h needs PHASES"
#endif
#if SIZES_BY_VALUE && (HAS_QUANT || PHASES)
#error "what scales, zero points and phases need lies in constant memory"
#endif
#if PHASES
typedef __constant const ocl_conv_igemm_data_t *igemm_sizes_t;
#define IGEMM_SIZES __constant const ocl_conv_igemm_phase_t *phases
#define IGEMM_DECLARE \
    __constant const ocl_conv_igemm_phase_t *phase = phases + get_group_id(2); \
    igemm_sizes_t data = &phase->sizes
#define PHASE_OFF(name) phase->name
#elif SIZES_BY_VALUE
typedef const ocl_conv_igemm_data_t *igemm_sizes_t;
#define IGEMM_SIZES const ocl_conv_igemm_data_t sizes
#define IGEMM_DECLARE igemm_sizes_t data = &sizes
#else
typedef __constant const ocl_conv_igemm_data_t *igemm_sizes_t;
#define IGEMM_SIZES __constant const ocl_conv_igemm_data_t *sizes
#define IGEMM_DECLARE igemm_sizes_t data = sizes
#endif
#if !PHASES
#define PHASE_OFF(name) 0
#endif

#define OUTSIDE (-(1 << 29)) // an input position that no tap brings inside
#define FIRST_AXIS (HAS_DEPTH ? 0 : 1)

typedef struct {
    int off;          // of the input position under the tap (0, 0, 0)
    int at[NSPATIAL]; // that position
    int taps;         // if FLAT, of IGEMM_TAP_BITS: the taps of each dimension that lie inside
    int tap_off;      // else: under the present tap
    bool is_inside;
} pixel_t;

// Where a slice starts.
typedef struct {
    int k;             // index of K, if FLAT
    int c;             // else the channel
    int tap[NSPATIAL]; // and the tap
} cursor_t;

static inline int split(int *index, int n)
{
    const int quotient = *index / n, rest = *index - quotient * n;
    *index = quotient;
    return rest;
}

static inline pixel_t find_pixel(igemm_sizes_t data, int index)
{
    pixel_t pixel;
    int rest = index, off = 0;
    for (int s = NSPATIAL - 1; s >= 0; --s) {
        pixel.at[s] = 0;
        if (s < FIRST_AXIS) continue;
        const int out = split(&rest, data->geo.out[s]);
        const int at = out * data->geo.stride[s] - data->geo.pad[s];
        pixel.at[s] = index < data->npixels ? at : OUTSIDE;
        off += at * (int)data->geo.src_s[s];
    }
    pixel.off = index < data->npixels ? off + rest * (int)data->geo.src_n : 0;
    pixel.tap_off = 0;
    pixel.is_inside = false;
    pixel.taps = 0;
#if FLAT
    int bit = 1;
    for (int s = 0; s < NSPATIAL; ++s) {
        for (int i = 0; i < data->geo.taps[s]; ++i) {
            const int at = pixel.at[s] + i * data->geo.dilation[s];
            if ((uint)at < (uint)data->geo.in[s]) pixel.taps |= bit;
            bit <<= 1;
        }
    }
#endif
    return pixel;
}

static inline void look(
        pixel_t *pixel, igemm_sizes_t data, const cursor_t *cursor)
{
    bool is_inside = true;
    int off = pixel->off;
    for (int s = FIRST_AXIS; s < NSPATIAL; ++s) {
        const int shift = cursor->tap[s] * data->geo.dilation[s];
        is_inside = is_inside && (uint)(pixel->at[s] + shift) < (uint)data->geo.in[s];
        off += shift * (int)data->geo.src_s[s];
    }
    pixel->tap_off = off;
    pixel->is_inside = is_inside;
}

static inline cursor_t cursor_at(igemm_sizes_t data, int slice)
{
    cursor_t cursor;
    cursor.k = slice * BK;
    int tap = FLAT ? 0 : slice / data->nslices_c;
    cursor.c = FLAT ? 0 : (slice - tap * data->nslices_c) * BK;
    for (int s = NSPATIAL - 1; s >= 0; --s)
        cursor.tap[s] = FLAT ? 0 : split(&tap, data->geo.taps[s]);
    return cursor;
}

// To the next slice; whether that is in another tap.
static inline bool cursor_advance(cursor_t *cursor, igemm_sizes_t data)
{
#if FLAT
    cursor->k += BK;
    return false;
#else
    cursor->c += BK;
    if (cursor->c < data->geo.ic) return false;
    cursor->c = 0;
    if (++cursor->tap[2] < data->geo.taps[2]) return true;
    cursor->tap[2] = 0;
    if (++cursor->tap[1] < data->geo.taps[1]) return true;
    cursor->tap[1] = 0;
    ++cursor->tap[0];
    return true;
#endif
}

// Four f32 in one load where they are aligned.
static inline float4 load_quad_f32(__global const float *p, bool is_aligned)
{
    if (is_aligned) return *(__global const float4 *)p;
    return vload4(0, p);
}

// src_off and taps of a step, in one load of 16 bytes.
static inline int2 step_source(__global const ocl_conv_igemm_step_t *depth, int k)
{
    return ((__global const int4 *)depth)[k].s02;
}

// The element of K that `cursor` and `k` say, or −1 behind the end.
static inline int wei_row(igemm_sizes_t data,
        __global const ocl_conv_igemm_step_t *depth,
        const cursor_t *cursor, int tap_off, int k)
{
#if FLAT
    return cursor->k + k < data->ndepth ? depth[cursor->k + k].wei_off : -1;
#else
    return cursor->c + k < data->geo.ic ? tap_off + (cursor->c + k) * (int)data->wei_i : -1;
#endif
}

static inline float4 fetch_weights(igemm_sizes_t data,
        __global const ocl_conv_igemm_step_t *depth, const cursor_t *cursor, int tap_off,
        __global const WEI_T *wei, bool is_aligned, int m, int k)
{
    const int row = wei_row(data, depth, cursor, tap_off, k);
    float4 x = (float4)(0.0f);
#if WEI_QUADS
    if (row < 0 || m >= data->geo.oc) return x;
#if WEI_DT == DT_F32
    return load_quad_f32(wei + row + m, is_aligned);
#else
    return WEI_LOAD4(wei, row + m);
#endif
#else
    if (row < 0) return x;
    if (m < data->geo.oc) x.s0 = WEI_LOAD(wei, row + m);
    if (m + 1 < data->geo.oc) x.s1 = WEI_LOAD(wei, row + m + 1);
    if (m + 2 < data->geo.oc) x.s2 = WEI_LOAD(wei, row + m + 2);
    if (m + 3 < data->geo.oc) x.s3 = WEI_LOAD(wei, row + m + 3);
    return x;
#endif
}

// One element of src: step k of the slice for a pixel.
static inline float fetch_source(igemm_sizes_t data,
        __global const ocl_conv_igemm_step_t *depth, const cursor_t *cursor, const pixel_t *pixel,
        __global const SRC_T *src, int k)
{
#if FLAT
    if (cursor->k + k >= data->ndepth) return 0.0f;
    const int2 step = step_source(depth, cursor->k + k);
    const bool is_inside = (pixel->taps & step.s1) == step.s1;
    return is_inside ? SRC_LOAD(src, pixel->off + step.s0) : 0.0f;
#else
    const int c = cursor->c + k;
    if (!pixel->is_inside || c >= data->geo.ic) return 0.0f;
    return SRC_LOAD(src, pixel->tap_off + c * (int)data->geo.src_c);
#endif
}

// Four indices of K from k on.
static inline float4 fetch_sources(igemm_sizes_t data,
        __global const ocl_conv_igemm_step_t *depth, const cursor_t *cursor, const pixel_t *pixel,
        __global const SRC_T *src, bool is_aligned, int k, int step)
{
#if SRC_DEPTH_RUNS && SRC_QUADS && !FLAT
    if (!pixel->is_inside || cursor->c + k >= data->geo.ic) return (float4)(0.0f);
#if SRC_DT == DT_F32
    return load_quad_f32(src + pixel->tap_off + cursor->c + k, is_aligned);
#else
    return SRC_LOAD4(src, pixel->tap_off + cursor->c + k);
#endif
#else
    float4 x;
    x.s0 = fetch_source(data, depth, cursor, pixel, src, k);
    x.s1 = fetch_source(data, depth, cursor, pixel, src, k + step);
    x.s2 = fetch_source(data, depth, cursor, pixel, src, k + 2 * step);
    x.s3 = fetch_source(data, depth, cursor, pixel, src, k + 3 * step);
    return x;
#endif
}

// Offset of a pixel in dst, and its position but for the channel.
static inline int locate(long *pos, igemm_sizes_t data, int pixel)
{
    int off = 0;
    const int missing = NSPATIAL - data->geo.nspatial;
    for (int s = NSPATIAL - 1; s >= 0; --s) {
        if (s < FIRST_AXIS) continue;
        const int at = split(&pixel, data->geo.out[s]);
        if (s >= missing) pos[2 + s - missing] = at;
        off += at * (int)data->geo.dst_s[s];
    }
    pos[0] = pixel;
    return off + pixel * (int)data->geo.dst_n;
}

// The value of dst for channel c of all and a pixel; `off` is its element of dst.
static inline float finish(const conv_epilogue_t *epilogue,
        igemm_sizes_t data,
        float x,
        int c, int pixel, long off)
{
    long pos[2 + NSPATIAL];
    if (PO_NEEDS_POSITION) (void)locate(pos, data, pixel);
    pos[1] = c;
    return conv_finish(epilogue, x, pos, off);
}

#endif
