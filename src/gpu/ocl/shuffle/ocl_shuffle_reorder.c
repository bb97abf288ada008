// SPDX-License-Identifier: Apache-2.0
// Shuffle of plain tensors as a reorder, where an implementation other than ocl:reorder:any takes
// it.
#include "ocl_shuffle.h"

extern const impl_t prim__ocl_shuffle_reorder;

const impl_t prim__ocl_shuffle_reorder = {
        .name = "ocl:shuffle:reorder",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = prim__ocl_shuffle_nest,
        .execute = prim__shuffle_as_reorder_execute,
        .nests = &prim__reorder_schema,
};
