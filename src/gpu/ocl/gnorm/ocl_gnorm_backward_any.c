// SPDX-License-Identifier: Apache-2.0
// Gradients of group normalisation, generic: every type, layout and flag.
#include "gpu/ocl/kit/ocl_norm_backward.h"

extern const impl_t prim__ocl_gnorm_backward_any;

static prim_status_t init_pd(prim_desc_t *pd)
{
    return prim__ocl_norm_backward_init_pd(pd, pd->op.u.norm.groups);
}

const impl_t prim__ocl_gnorm_backward_any = {
        .name = "ocl:gnorm:backward_any",
        .pd_size = sizeof(ocl_norm_backward_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = prim__ocl_norm_backward_init,
        .execute = prim__ocl_norm_backward_execute,
        .fini = prim__ocl_primitive_fini,
};
