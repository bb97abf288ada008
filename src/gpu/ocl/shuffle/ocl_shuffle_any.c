// SPDX-License-Identifier: Apache-2.0
// Shuffle, generic: one program for every problem.
#include "ocl_shuffle.h"

extern const impl_t prim__ocl_shuffle_any;

const impl_t prim__ocl_shuffle_any = {
        .name = "ocl:shuffle:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = prim__ocl_shuffle_init_pd,
        .init = prim__ocl_shuffle_init,
        .execute = prim__ocl_shuffle_execute,
        .fini = prim__ocl_primitive_fini,
};
