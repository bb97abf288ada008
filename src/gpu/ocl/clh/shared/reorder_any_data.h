// SPDX-License-Identifier: Apache-2.0
// Descriptors, scales and zero points of ocl_reorder_any.cl, for shapes that are known at creation and for others.
#ifndef CLH_SHARED_REORDER_ANY_DATA_H
#define CLH_SHARED_REORDER_ANY_DATA_H

#include "md_open_data.h"
#include "quant_data.h"

typedef struct {
    ocl_md_t src, dst;
    ocl_quant_t src_scales, dst_scales, src_zps, dst_zps;
    cl_int is_plain, reserved; // neither scales nor zero points nor post-ops
} ocl_reorder_any_data_t;

SHARED_BYTES(ocl_reorder_any_data_t, 2 * sizeof(ocl_md_t) + 4 * sizeof(ocl_quant_t) + 8);

// Sizes that come at execution, in chunks of 8 numbers by value: dimensions, strides of src, of dst.
#define REORDER_DIMS 0
#define REORDER_SRC 12
#define REORDER_DST 24
#define REORDER_GEOMETRY 40
#define REORDER_CHUNKS 5
typedef cl_long8 ocl_reorder_chunk_t;

SHARED_BYTES(ocl_reorder_chunk_t, REORDER_GEOMETRY / REORDER_CHUNKS * 8);

typedef struct {
    cl_long padding[MAX_NDIMS]; // of dst: padded dims - dims
    ocl_md_open_t src, dst;
    ocl_quant_open_t src_scales, dst_scales, src_zps, dst_zps;
    cl_int ndims, is_plain; // is_plain: as above
} ocl_reorder_runtime_data_t;

SHARED_BYTES(ocl_reorder_runtime_data_t, 8 * MAX_NDIMS + 2 * sizeof(ocl_md_open_t) + 4 * sizeof(ocl_quant_open_t) + 8);

#endif
