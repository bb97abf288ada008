// SPDX-License-Identifier: Apache-2.0
// Data and arguments of the kernels of clh/conv_any.h.
#include "ocl_conv_generic.h"

#include <string.h>

#include "common/conv_shape.h"
#include "common/data_type.h"
#include "gpu/ocl/clh/shared/conv_any_data.h"
#include "ocl_md.h"
#include "ocl_quant.h"
#include "ocl_single_kernel.h"

static bool is_integer(const prim_desc_t *pd, int arg)
{
    return prim__dt_is_integer(prim__pd_md(pd, arg)->data_type);
}

static void fill_sizes(ocl_conv_any_data_t *data, const prim_desc_t *pd)
{
    conv_shape_t shape;
    prim__conv_shape(&shape, pd);
    data->ic = shape.ic;
    data->oc = shape.oc;
    data->nspatial = shape.nspatial;
    data->has_groups = shape.has_groups;
    memcpy(data->in, shape.in, sizeof data->in);
    memcpy(data->taps, shape.kernel, sizeof data->taps);
    memcpy(data->stride, shape.stride, sizeof data->stride);
    memcpy(data->dilation, shape.dilation, sizeof data->dilation);
    memcpy(data->pad, shape.pad, sizeof data->pad);
}

static void fill_quants(ocl_conv_any_data_t *data, const prim_desc_t *pd)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    data->src_scales = prim__ocl_scales(pd, PRIM_ARG_SRC, src);
    data->wei_scales = prim__ocl_scales(pd, PRIM_ARG_WEIGHTS, wei);
    data->dst_scales = prim__ocl_scales(pd, PRIM_ARG_DST, dst);
    data->src_zps = prim__ocl_zero_points(pd, PRIM_ARG_SRC, src);
    data->wei_zps = prim__ocl_zero_points(pd, PRIM_ARG_WEIGHTS, wei);
    data->dst_zps = prim__ocl_zero_points(pd, PRIM_ARG_DST, dst);
}

prim_status_t prim__ocl_conv_generic_init(
        prim_t *primitive, const ocl_source_t *source, const char *name)
{
    const prim_desc_t *const pd = primitive->pd;
    const bool has_bias = prim__pd_has(pd, PRIM_ARG_BIAS);
    ocl_conv_any_data_t data = {.src = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_SRC)),
            .wei = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_WEIGHTS)),
            .bia = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_BIAS)),
            .dst = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DST))};
    fill_sizes(&data, pd);
    fill_quants(&data, pd);
    data.sums_integers = is_integer(pd, PRIM_ARG_SRC) && is_integer(pd, PRIM_ARG_WEIGHTS);
    data.is_exact = data.sums_integers && is_integer(pd, PRIM_ARG_DST) &&
                    (!has_bias || is_integer(pd, PRIM_ARG_BIAS)) && pd->attr.nscales == 0 &&
                    pd->attr.post_ops.len == 0;
    return prim__ocl_single_init_any(primitive, source, name, &data, sizeof data);
}

prim_status_t prim__ocl_conv_generic_execute(
        const prim_t *primitive, const exec_ctx_t *ctx, bool takes_wei_zero_points)
{
    static const int tensors[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS, PRIM_ARG_DST, 0};
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_WEIGHTS);
    prim__ocl_args_scales(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_zero_points(&args, ctx, PRIM_ARG_SRC);
    if (takes_wei_zero_points) prim__ocl_args_zero_points(&args, ctx, PRIM_ARG_WEIGHTS);
    prim__ocl_args_zero_points(&args, ctx, PRIM_ARG_DST);
    return prim__ocl_single_run_over_dst(primitive, ctx, &args);
}
