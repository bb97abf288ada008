// SPDX-License-Identifier: Apache-2.0
// What ocl_matmul_any.cl knows of its tensors and attributes at creation, and the sizes that come then
// or at execution.
#ifndef CLH_SHARED_MATMUL_ANY_DATA_H
#define CLH_SHARED_MATMUL_ANY_DATA_H

#include "md_open_data.h"

// Where things stand in the geometry, which is data, or chunks of 8 numbers by value.
#define MATMUL_DIMS 0 // of dst; then strides
#define MATMUL_SRC 12
#define MATMUL_WEI 24
#define MATMUL_BIA 36
#define MATMUL_DST 48
#define MATMUL_K 60
#define MATMUL_BROADCAST 61 // bits of the dimensions that are 1: of src, from 12 on weights, from 24 on bias
#define MATMUL_GEOMETRY 64
#define MATMUL_CHUNKS 8
typedef cl_long8 ocl_matmul_chunk_t;

SHARED_BYTES(ocl_matmul_chunk_t, MATMUL_GEOMETRY / MATMUL_CHUNKS * 8);

// Operands of post-ops whose shapes come at execution: their strides stand in the upper halves of
// the five arrays of the geometry, which tensors of so few dimensions leave free.
#define MATMUL_MAX_OPEN 5
#define MATMUL_OPEN_NDIMS 6
#define MATMUL_OPEN(i) ((i) * MAX_NDIMS + MATMUL_OPEN_NDIMS)

typedef struct {
    cl_long geometry[MATMUL_GEOMETRY];
    cl_long padding[MAX_NDIMS]; // of dst: padded dims - dims
    cl_long period;             // neighbours along k that share scales and zero points
    ocl_md_open_t src, wei, bia, dst;
    ocl_quant_open_t src_scales, wei_scales, dst_scales, src_zps, wei_zps, dst_zps;
    cl_int ndims, is_int; // is_int: src and wei are 8-bit integers
    cl_int nopen, open[MATMUL_MAX_OPEN]; // operands of post-ops whose strides stand in the geometry
} ocl_matmul_any_data_t;

SHARED_BYTES(ocl_matmul_any_data_t, 8 * (MATMUL_GEOMETRY + MAX_NDIMS + 1) + 4 * sizeof(ocl_md_open_t) + 6 * sizeof(ocl_quant_open_t) + 4 * (3 + MATMUL_MAX_OPEN));

#endif
