// SPDX-License-Identifier: Apache-2.0
#include "ocl_lrn.h"

#include "common/lrn_shape.h"
#include "gpu/ocl/clh/shared/lrn_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"

prim_status_t prim__ocl_lrn_init(
        prim_t *primitive, const ocl_source_t *source, const char *name, int to)
{
    const prim_desc_t *const pd = primitive->pd;
    const lrn_window_t window = prim__lrn_window(pd);
    const ocl_lrn_any_data_t data = {.src = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_SRC)),
            .diff_dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DIFF_DST)),
            .ws = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_WORKSPACE)),
            .to = prim__ocl_md(prim__pd_md(pd, to)),
            .reach = window.half,
            .first_dim = window.first_dim,
            .naxes = window.naxes,
            .factor = (float)window.factor,
            .beta = pd->op.u.lrn.beta,
            .k = pd->op.u.lrn.k};
    ocl_options_t options;
    prim__ocl_options_init(&options);
    return prim__ocl_single_init(primitive, &options, source, name, &data, sizeof data);
}
