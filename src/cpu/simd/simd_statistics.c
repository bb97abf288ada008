// SPDX-License-Identifier: Apache-2.0
#include "simd_statistics.h"

void prim__simd_expand_statistics(prim_memory_desc_t *expanded, const prim_memory_desc_t *data,
        const prim_memory_desc_t *statistics)
{
    if (prim__md_is_zero(statistics)) {
        *expanded = *data;
        return;
    }
    const int last = data->ndims - 1;
    *expanded = *statistics;
    expanded->ndims = data->ndims;
    expanded->dims[last] = expanded->padded_dims[last] = 1;
    expanded->strides[last] = 0;
}
