// SPDX-License-Identifier: Apache-2.0
// The gradient of convolution by a src of few channels, f32, on GPUs: products of single taps, and
// their sums (col2im).
#include "ocl_conv_taps.h"

extern const impl_t prim__ocl_conv_backward_data_col2im;

static prim_status_t init_pd(prim_desc_t *pd)
{
    return prim__ocl_conv_taps_init_pd((ocl_conv_taps_pd_t *)pd, true);
}

const impl_t prim__ocl_conv_backward_data_col2im = {
        .name = "ocl:conv:backward_data_col2im",
        .pd_size = sizeof(ocl_conv_taps_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = prim__ocl_conv_taps_init,
        .execute = prim__ocl_conv_taps_execute,
        .fini = prim__ocl_primitive_fini,
};
