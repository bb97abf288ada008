// SPDX-License-Identifier: Apache-2.0
// Shuffle of plain tensors on the CPU as a reorder.
#include "common/shuffle_as_reorder.h"

extern const impl_t prim__simd_shuffle_reorder;

const impl_t prim__simd_shuffle_reorder = {
        .name = "simd:shuffle:reorder",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = prim__shuffle_as_reorder_init_pd,
        .execute = prim__shuffle_as_reorder_execute,
        .nests = &prim__reorder_schema,
};
