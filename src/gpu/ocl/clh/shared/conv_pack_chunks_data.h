// SPDX-License-Identifier: Apache-2.0
// Copies of src and weights whose channels are padded to chunks of 8 elements (ocl_conv_pack_chunks.cl).
#ifndef CLH_SHARED_CONV_PACK_CHUNKS_DATA_H
#define CLH_SHARED_CONV_PACK_CHUNKS_DATA_H

#include "channels_data.h"

#define PACK_CHUNK 8 // channels
#define PACK_DIMS 5  // outside of the channels
#define PACK_WIDTH 3 // of them, the width

// A copy: contiguous, the channels innermost.
typedef struct {
    cl_long from_s[PACK_DIMS], from_c; // strides of the outer dimensions, and of channels
    ocl_divisor_t size[PACK_DIMS];
    ocl_divisor_t chunks;              // of the channels
    cl_int channels;                   // that exist; those behind them become zeros
    cl_int nitems;                     // chunks of all; 0: nothing is copied
    // Of rows, where channels are the elements under a window's row: how many elements a row has, and where the first
    // window begins in it; those outside become zeros. row_elems 0: these are channels.
    cl_int row_first, row_elems;
} ocl_conv_pack_t;

SHARED_BYTES(ocl_conv_pack_t, 8 * (PACK_DIMS + 1) + (PACK_DIMS + 1) * sizeof(ocl_divisor_t) + 4 * 4);

typedef struct {
    ocl_conv_pack_t src, wei;
} ocl_conv_packs_t;

SHARED_BYTES(ocl_conv_packs_t, 2 * sizeof(ocl_conv_pack_t));

#endif
