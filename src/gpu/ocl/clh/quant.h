// SPDX-License-Identifier: Apache-2.0
// Scales and zero points with any mask and groups. The descriptor comes in the constant data, the
// values as two kernel parameters: `__global const void *scales, long scales_off`.
//
//     acc *= quant_scale(&data->src_scales, src_scales, src_scales_off, src_pos);
//     x -= quant_zero_point(&data->src_zps, src_zps, src_zps_off, src_pos);
//
// The position is a logical one of the tensor that the mask speaks of. Not set: 1 and 0, and the
// pointer is not read.
#ifndef CLH_QUANT_H
#define CLH_QUANT_H

#include "clh/io.h"
#include "clh/shared/quant_data.h"

static inline long quant_index(__constant const ocl_quant_t *quant, const long *pos)
{
    long index = 0;
    for (int d = 0; d < quant->ndims; ++d) {
        if (quant->strides[d]) index += div_long(pos[d], quant->groups[d]) * quant->strides[d];
    }
    return index;
}

static inline float quant_scale(
        __constant const ocl_quant_t *quant, __global const void *values, long off, const long *pos)
{
    if (quant->dt == DT_UNDEF) return 1.0f;
    return load_any(values, off + quant_index(quant, pos), quant->dt);
}

static inline int quant_zero_point(
        __constant const ocl_quant_t *quant, __global const void *values, long off, const long *pos)
{
    if (quant->dt == DT_UNDEF) return 0;
    return load_int_any(values, off + quant_index(quant, pos), quant->dt);
}

#endif
