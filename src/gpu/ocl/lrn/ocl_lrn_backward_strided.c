// SPDX-License-Identifier: Apache-2.0
// The gradient of local response normalisation across channels, NCHW: the window moves along the
// channels in registers.
#include "ocl_lrn_across.h"

extern const ocl_source_t prim__ocl_lrn_backward_strided_cl;
extern const impl_t prim__ocl_lrn_backward_strided;

enum { VECTOR_BYTES = 8, AT_ONCE = 4 };

static prim_status_t init_pd(prim_desc_t *pd)
{
    return prim__ocl_lrn_across_init_nchw(pd, VECTOR_BYTES, AT_ONCE);
}

static prim_status_t init(prim_t *primitive)
{
    return prim__ocl_lrn_across_init(
            primitive, &prim__ocl_lrn_backward_strided_cl, "lrn_backward_strided");
}

const impl_t prim__ocl_lrn_backward_strided = {
        .name = "ocl:lrn:backward_strided",
        .pd_size = sizeof(lrn_across_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = prim__ocl_lrn_across_execute,
        .fini = prim__ocl_primitive_fini,
};
