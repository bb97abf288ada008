// SPDX-License-Identifier: Apache-2.0
// Convolution to few channels, f32, on GPUs: products of single taps, and their sums (kn2row).
#include "ocl_conv_taps.h"

extern const impl_t prim__ocl_conv_kn2row;

static prim_status_t init_pd(prim_desc_t *pd)
{
    return prim__ocl_conv_taps_init_pd((ocl_conv_taps_pd_t *)pd, false);
}

const impl_t prim__ocl_conv_kn2row = {
        .name = "ocl:conv:kn2row",
        .pd_size = sizeof(ocl_conv_taps_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = prim__ocl_conv_taps_init,
        .execute = prim__ocl_conv_taps_execute,
        .fini = prim__ocl_primitive_fini,
};
