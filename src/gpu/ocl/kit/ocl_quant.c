// SPDX-License-Identifier: Apache-2.0
// Strides of an argument's scales and zero points from its mask and groups.
#include "ocl_quant.h"

_Static_assert(sizeof(ocl_quant_t) == 2 * PRIM_MAX_NDIMS * 8 + 2 * 4, "ocl_quant_t has padding");

// Row-major over the masked dimensions, groups counting as one index.
static ocl_quant_t describe(const quant_t *quant, const prim_memory_desc_t *md)
{
    ocl_quant_t out = {.ndims = md->ndims};
    for (int d = 0; d < PRIM_MAX_NDIMS; ++d) out.groups[d] = 1;
    if (!quant) return out;
    out.dt = (int32_t)quant->data_type;
    prim_dims_t dims;
    (void)prim__quant_dims(dims, quant, md);
    for (int g = 0; g < quant->ngroups; ++g) {
        out.groups[md->ndims - quant->ngroups + g] = quant->groups[g];
    }
    int64_t stride = 1;
    for (int d = md->ndims - 1; d >= 0; --d) {
        if ((quant->mask >> d & 1) == 0) continue;
        out.strides[d] = stride;
        stride *= dims[d];
    }
    return out;
}

ocl_quant_t prim__ocl_scales(const prim_desc_t *pd, int arg, const prim_memory_desc_t *md)
{
    return describe(prim__attr_scale(&pd->attr, arg), md);
}

ocl_quant_t prim__ocl_zero_points(const prim_desc_t *pd, int arg, const prim_memory_desc_t *md)
{
    return describe(prim__attr_zero_point(&pd->attr, arg), md);
}

int32_t prim__ocl_scale_type(const prim_desc_t *pd, int arg)
{
    const quant_t *const scale = prim__attr_scale(&pd->attr, arg);
    return scale ? (int32_t)scale->data_type : PRIM_DATA_TYPE_UNDEF;
}

void prim__ocl_args_scales(ocl_args_t *args, const exec_ctx_t *ctx, int arg)
{
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_ATTR_SCALES | arg);
}

void prim__ocl_args_zero_points(ocl_args_t *args, const exec_ctx_t *ctx, int arg)
{
    prim__ocl_args_tensor(args, ctx, PRIM_ARG_ATTR_ZERO_POINTS | arg);
}
