// SPDX-License-Identifier: Apache-2.0
// What the generic OpenCL kernels of convolution's gradients share: requirements and data.
#include "ocl_conv_backward_any.h"

#include <string.h>

#include "common/conv_shape.h"
#include "gpu/ocl/clh/shared/conv_backward_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"

prim_status_t prim__ocl_conv_backward_any_init_pd(prim_desc_t *pd)
{
    TRY(prim__conv_take_direct(pd));
    TRY(prim__conv_require_no_bias(pd));
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    return prim__conv_set_row_major(pd);
}

prim_status_t prim__ocl_conv_backward_any_init(
        prim_t *primitive, const ocl_source_t *source, const char *name)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, name));
    conv_shape_t shape;
    prim__conv_shape(&shape, pd);
    ocl_conv_backward_any_data_t data = {.src = prim__ocl_md(prim__conv_md(pd, PRIM_ARG_SRC)),
            .wei = prim__ocl_md(prim__conv_md(pd, PRIM_ARG_WEIGHTS)),
            .bia = prim__ocl_md(prim__conv_md(pd, PRIM_ARG_BIAS)),
            .dst = prim__ocl_md(prim__conv_md(pd, PRIM_ARG_DST)),
            .mb = shape.mb,
            .ic = shape.ic,
            .oc = shape.oc,
            .nspatial = shape.nspatial,
            .has_groups = shape.has_groups};
    memcpy(data.in, shape.in, sizeof data.in);
    memcpy(data.out, shape.out, sizeof data.out);
    memcpy(data.taps, shape.kernel, sizeof data.taps);
    memcpy(data.stride, shape.stride, sizeof data.stride);
    memcpy(data.dilation, shape.dilation, sizeof data.dilation);
    memcpy(data.pad, shape.pad, sizeof data.pad);
    return prim__ocl_primitive_add_data(p, &data, sizeof data);
}
