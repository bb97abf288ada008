// SPDX-License-Identifier: Apache-2.0
// What md.h and quant.h compute for each element of a tensor, and the sizes of their structs.
#include "clh/md.h"
#include "clh/quant.h"

typedef struct {
    ocl_md_t md, small_md;
    ocl_quant_t quant;
} test_data_t;

__kernel void sizes(__global long *y)
{
    if (get_global_id(0) > 0) return;
    y[0] = sizeof(ocl_md_t);
    y[1] = sizeof(ocl_quant_t);
    y[2] = sizeof(test_data_t);
}

// For each logical index: the offset, the broadcast offset in small_md, the quant index.
__kernel void logical(__constant const test_data_t *data, __global long *offsets,
        __global long *broadcasts, __global long *quants, long n)
{
    const long i = get_global_id(0);
    if (i >= n) return;
    long pos[MAX_NDIMS];
    md_position(pos, &data->md, i);
    offsets[i] = md_offset(&data->md, pos);
    broadcasts[i] = md_offset_broadcast(&data->small_md, pos);
    quants[i] = quant_index(&data->quant, pos);
}

// For each padded index: its offset, and the logical index or -1.
__kernel void padded(__constant const test_data_t *data, __global long *offsets,
        __global long *indices, long n)
{
    const long i = get_global_id(0);
    if (i >= n) return;
    long pos[MAX_NDIMS];
    md_position_padded(pos, &data->md, i);
    offsets[i] = md_offset_padded(&data->md, pos);
    long index = 0;
    if (md_to_logical(pos, &data->md)) {
        for (int d = 0; d < data->md.ndims; ++d) index = index * data->md.dims[d] + pos[d];
    } else {
        index = -1;
    }
    indices[i] = index;
}
