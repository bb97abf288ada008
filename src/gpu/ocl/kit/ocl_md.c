// SPDX-License-Identifier: Apache-2.0
// Fills the kernels' view of a memory descriptor.
#include "ocl_md.h"

#include <assert.h>

// clh/md.h has the same members in the same order; no padding anywhere.
_Static_assert(sizeof(ocl_md_t) == (4 * PRIM_MAX_NDIMS + 2) * 8 + (2 * PRIM_MAX_NDIMS + 4) * 4,
        "ocl_md_t has padding");

ocl_md_t prim__ocl_md(const prim_memory_desc_t *md)
{
    if (prim__md_is_zero(md)) return (ocl_md_t){0};
    assert(md->format_kind == PRIM_FORMAT_KIND_BLOCKED && !prim__md_has_runtime(md));
    ocl_md_t out = {.ndims = md->ndims,
            .dt = (int32_t)md->data_type,
            .inner_nblks = md->inner_nblks,
            .nelems = prim__md_nelems(md),
            .nelems_padded = prim__md_nelems_padded(md)};
    for (int d = 0; d < md->ndims; ++d) {
        out.dims[d] = md->dims[d];
        out.padded_dims[d] = md->padded_dims[d];
        out.padded_offsets[d] = md->padded_offsets[d];
        out.strides[d] = md->strides[d];
        if (md->padded_offsets[d] != 0 || md->padded_dims[d] != md->dims[d]) out.is_padded = 1;
    }
    for (int b = 0; b < md->inner_nblks; ++b) {
        out.inner_blks[b] = (int32_t)md->inner_blks[b];
        out.inner_idxs[b] = (int32_t)md->inner_idxs[b];
    }
    return out;
}
