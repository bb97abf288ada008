// SPDX-License-Identifier: Apache-2.0
// What the parts of ocl_conv_wgmma.cl share: sizes, tiles and the ring of stages. Needs BM, BN,
// STAGES, MAPS and clh/conv.h, clh/mma_tile.h, clh/wgmma_ring.h.
//
// MAPS: a tile's pixels are a box of dst, width × height × images of at most BM, and slices of K
// lie in one tap. Otherwise they are BM consecutive pixels, and slices run over taps.
// PHASES (with MAPS): a gradient by src, whose data are an ocl_conv_phases_data_t; some phases have no taps. 1: of one
// group of channels; 2: of several, which tensor maps have a dimension for.
#ifndef CLH_CONV_WGMMA_H
#define CLH_CONV_WGMMA_H

#include "clh/always_inline.h"
#include "clh/shared/conv_wgmma_data.h"
#include "clh/wgmma_stage.h"

#define DEPTH 64
#define CHUNK 8 // elements of 16 bytes
#define TILE_A (BM * MMA_ROW_BYTES)
#define STAGE (TILE_A + BN * MMA_ROW_BYTES)
#define BARRIERS_AT (STAGES * STAGE) // `full` of each stage, then `empty`

#if PHASES
typedef ocl_conv_phases_data_t sizes_data_t;
#else
typedef ocl_conv_wgmma_data_t sizes_data_t;
#endif

// Which tile a group is at: the digits of its number, the fastest first: block of BN channels, x, y and
// images of the box (x: of consecutive pixels without MAPS), group of channels unless PHASES is 1, phase, part of K.
#define PHASE_DIGIT (PHASES > 1 ? 5 : 4)
#define SPLIT_DIGIT (PHASES > 1 ? 6 : 5)
#define TILE_DIGITS (SPLIT_DIGIT + 1)
typedef struct {
    int digits[TILE_DIGITS];
} tile_t;

// Sizes are read from local memory: constant memory that is not cached yet costs a wait for
// each of its lines. The work-items of a group copy them together, and pass a barrier then.
static inline void fetch_sizes(
        __local sizes_data_t *to, __global const uint *from, int item, int nitems)
{
    for (int i = item; i < (int)(sizeof(sizes_data_t) / 4); i += nitems)
        ((__local uint *)to)[i] = from[i];
}

#if PHASES
static inline __local const ocl_conv_phases_data_t *phases_of(
        __local const ocl_conv_wgmma_data_t *data)
{
    return (__local const ocl_conv_phases_data_t *)data; // `base` comes first
}
#endif

static inline void tile_radices(int *radices, __local const ocl_conv_wgmma_data_t *data)
{
    radices[0] = data->ntiles_n;
    radices[1] = data->boxes.ntiles[0];
    radices[2] = data->boxes.ntiles[1];
    radices[3] = data->boxes.ntiles[2];
    radices[4] = data->ngroups;
#if PHASES
    radices[PHASE_DIGIT] = phases_of(data)->nphases;
#endif
    radices[SPLIT_DIGIT] = data->nsplits;
}

// The tile of a number, or the way between two tiles.
static inline tile_t tile_of(__local const ocl_conv_wgmma_data_t *data, int number)
{
    tile_t tile;
    int radices[TILE_DIGITS];
    tile_radices(radices, data);
#pragma unroll
    for (int i = 0; i < TILE_DIGITS; ++i) tile.digits[i] = split(&number, radices[i]);
    return tile;
}

// Adds the digits: divisions would cost more than short products.
static inline void tile_on(tile_t *tile, const tile_t *way,
        __local const ocl_conv_wgmma_data_t *data)
{
    int radices[TILE_DIGITS], carry = 0;
    tile_radices(radices, data);
#pragma unroll
    for (int i = 0; i < TILE_DIGITS; ++i) {
        const int sum = tile->digits[i] + way->digits[i] + carry;
        carry = sum >= radices[i];
        tile->digits[i] = carry ? sum - radices[i] : sum;
    }
}

static inline int tile_channel(const tile_t *tile)
{
    return tile->digits[0] * BN;
}

static inline int tile_group(const tile_t *tile)
{
    return PHASES == 1 ? 0 : tile->digits[4];
}

#if PHASES
static inline __local const ocl_conv_phase_t *tile_phase(
        __local const ocl_conv_wgmma_data_t *data, const tile_t *tile)
{
    return phases_of(data)->phases + tile->digits[PHASE_DIGIT];
}

// Its part of K: none of a phase without taps.
static inline int first_slice(__local const ocl_conv_wgmma_data_t *data, const tile_t *tile)
{
    __local const ocl_conv_phase_t *phase = tile_phase(data, tile);
    return min(tile->digits[SPLIT_DIGIT] * phase->split_slices, phase->nslices);
}

static inline int past_slice(__local const ocl_conv_wgmma_data_t *data, const tile_t *tile)
{
    __local const ocl_conv_phase_t *phase = tile_phase(data, tile);
    return min((tile->digits[SPLIT_DIGIT] + 1) * phase->split_slices, phase->nslices);
}
#else

// Its part of K.
static inline int first_slice(__local const ocl_conv_wgmma_data_t *data, const tile_t *tile)
{
    return tile->digits[SPLIT_DIGIT] * data->split_slices;
}

static inline int past_slice(__local const ocl_conv_wgmma_data_t *data, const tile_t *tile)
{
    return min((tile->digits[SPLIT_DIGIT] + 1) * data->split_slices, data->nslices);
}
#endif

// First pixel of dst of a tile's box: x, y, image.
static inline int3 corner_of(__local const ocl_conv_boxes_t *boxes, const tile_t *tile)
{
    return (int3)(tile->digits[1] * boxes->box[0], tile->digits[2] * boxes->box[1],
            tile->digits[3] * boxes->box[2]);
}

// Where a row of a tile lies in its box, or far outside.
static inline int3 row_in_box(__local const ocl_conv_boxes_t *boxes, int row)
{
    const int x = split(&row, boxes->box[0]), y = split(&row, boxes->box[1]);
    return row < boxes->box[2] ? (int3)(x, y, row) : (int3)(INT_MAX / 2);
}

#endif
