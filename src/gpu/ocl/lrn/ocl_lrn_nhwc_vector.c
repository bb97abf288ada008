// SPDX-License-Identifier: Apache-2.0
// Local response normalisation across channels, NHWC: vectors of channels.
#include "ocl_lrn_across.h"

extern const ocl_source_t prim__ocl_lrn_nhwc_vector_cl;
extern const impl_t prim__ocl_lrn_nhwc_vector;

static prim_status_t init(prim_t *primitive)
{
    return prim__ocl_lrn_across_init(primitive, &prim__ocl_lrn_nhwc_vector_cl, "lrn_nhwc_vector");
}

const impl_t prim__ocl_lrn_nhwc_vector = {
        .name = "ocl:lrn:nhwc_vector",
        .pd_size = sizeof(lrn_across_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = prim__ocl_lrn_across_init_nhwc,
        .init = init,
        .execute = prim__ocl_lrn_across_execute,
        .fini = prim__ocl_primitive_fini,
};
