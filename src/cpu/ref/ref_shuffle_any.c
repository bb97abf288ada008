// SPDX-License-Identifier: Apache-2.0
// Shuffle on the CPU: any axis, type and layout.
#include "ref_shuffle.h"

const impl_t prim__ref_shuffle_any = {
        .name = "ref:shuffle:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = prim__ref_shuffle_init_pd,
        .execute = prim__ref_shuffle_execute,
};
