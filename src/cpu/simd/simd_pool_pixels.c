// SPDX-License-Identifier: Apache-2.0
#include "simd_pool_pixels.h"

#include "common/int_math.h"

simd_pixels_t prim__simd_pixels_under(
        const pool_axis_t *axis, prim_dim_t nchannels, prim_dim_t first, prim_dim_t nwindows)
{
    return (simd_pixels_t){.nchannels = nchannels,
            .width = axis->in,
            .first = first * axis->stride - axis->pad,
            .count = (nwindows - 1) * axis->stride + (axis->kernel - 1) * axis->step + 1,
            .stride = axis->stride};
}

prim_dim_t prim__simd_pixels_windows(
        const pool_axis_t *axis, prim_dim_t nchannels, prim_dim_t most, prim_dim_t nroom)
{
    for (prim_dim_t nwindows = most; nwindows > 0; --nwindows) {
        const simd_pixels_t pixels = prim__simd_pixels_under(axis, nchannels, 0, nwindows);
        if (prim__simd_pixels_room(&pixels) <= nroom) return nwindows;
    }
    return 0;
}

prim_dim_t prim__simd_pixels_of_phase(const simd_pixels_t *pixels)
{
    return prim__ceil_div(pixels->count, pixels->stride);
}

prim_dim_t prim__simd_pixels_room(const simd_pixels_t *pixels)
{
    const prim_dim_t nphased = prim__simd_pixels_of_phase(pixels) * pixels->stride;
    return (pixels->stride == 1 ? nphased : nphased + pixels->count) * pixels->nchannels;
}

static float *fill(float *to, float value, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; ++i) to[i] = value;
    return to + n;
}

/// From the order of the row to phases.
static void sort_phases(float *room, const float *line, const simd_pixels_t *pixels)
{
    const prim_dim_t nchannels = pixels->nchannels, stride = pixels->stride;
    for (prim_dim_t phase = 0; phase < stride; ++phase) {
        float *to = room + phase * prim__simd_pixels_of_phase(pixels) * nchannels;
        for (prim_dim_t i = phase; i < pixels->count; i += stride)
            for (prim_dim_t c = 0; c < nchannels; ++c) *to++ = line[i * nchannels + c];
    }
}

void prim__simd_pixels_read(float *room, const simd_pixels_t *pixels,
        const simd_convert_code_t *convert, const simd_array_t *array, prim_dim_t offset)
{
    const prim_dim_t nchannels = pixels->nchannels, count = pixels->count;
    const prim_dim_t begin = prim__min(prim__max(-pixels->first, 0), count);
    const prim_dim_t end = prim__max(prim__min(pixels->width - pixels->first, count), begin);
    const prim_dim_t inside = (end - begin) * nchannels;
    const bool is_sorted = pixels->stride == 1;
    const prim_dim_t nphased = prim__simd_pixels_of_phase(pixels) * pixels->stride;
    float *const line = is_sorted ? room : room + nphased * nchannels;
    float *const at = fill(line, pixels->outside, begin * nchannels);
    const prim_dim_t from = offset + (pixels->first + begin) * nchannels;
    convert->load(at, prim__simd_at(array, from), array->dt, inside);
    fill(at + inside, pixels->outside, (count - end) * nchannels);
    if (!is_sorted) sort_phases(room, line, pixels);
}
