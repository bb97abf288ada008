// SPDX-License-Identifier: Apache-2.0
// Rows of pixels with channels innermost, for windows whose results go along pixels and channels at
// once: every tap of theirs is one contiguous row.
#ifndef PRIM_CPU_SIMD_POOL_PIXELS_H
#define PRIM_CPU_SIMD_POOL_PIXELS_H

#include "common/pool_shape.h"
#include "simd_convert.h"

typedef struct {
    prim_dim_t nchannels;
    prim_dim_t width;        ///< pixels of the row
    prim_dim_t first, count; ///< pixels that are wanted; some may lie outside of it
    prim_dim_t stride;       ///< of windows: pixels first + p, first + p + stride, … are a phase
    float outside;           ///< the value there
} simd_pixels_t;

/// The pixels under `nwindows` windows from window `first` on; outside: 0.
simd_pixels_t prim__simd_pixels_under(
        const pool_axis_t *axis, prim_dim_t nchannels, prim_dim_t first, prim_dim_t nwindows);

/// As many windows, up to `most`, as have room for their pixels: nroom floats.
prim_dim_t prim__simd_pixels_windows(
        const pool_axis_t *axis, prim_dim_t nchannels, prim_dim_t most, prim_dim_t nroom);

/// Pixels of each phase.
prim_dim_t prim__simd_pixels_of_phase(const simd_pixels_t *pixels);

/// Floats that the reading below takes.
prim_dim_t prim__simd_pixels_room(const simd_pixels_t *pixels);

/// The row whose pixel 0 is element `offset` of the array: becomes room[phase][pixel][channel].
void prim__simd_pixels_read(float *room, const simd_pixels_t *pixels,
        const simd_convert_code_t *convert, const simd_array_t *array, prim_dim_t offset);

#endif
