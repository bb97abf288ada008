// SPDX-License-Identifier: Apache-2.0
// Descriptors and settings with run-time dimensions as kernels see them.
#include "ocl_md_open.h"

ocl_md_open_t prim__ocl_md_open(const prim_memory_desc_t *md)
{
    ocl_md_open_t out = {.nblks = md->inner_nblks, .dt = (int32_t)md->data_type};
    for (int d = 0; d < md->ndims; ++d) out.padded_offsets[d] = md->padded_offsets[d];
    for (int b = 0; b < md->inner_nblks; ++b) {
        out.blks[b] = (int32_t)md->inner_blks[b];
        out.idxs[b] = (int32_t)md->inner_idxs[b];
    }
    return out;
}

ocl_quant_open_t prim__ocl_quant_open(const quant_t *quant)
{
    ocl_quant_open_t out = {.groups = {1, 1}};
    if (!quant) return out;
    out.mask = quant->mask;
    out.dt = (int32_t)quant->data_type;
    for (int i = 0; i < quant->ngroups; ++i) out.groups[i] = quant->groups[i];
    return out;
}
