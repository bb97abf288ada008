// SPDX-License-Identifier: Apache-2.0
// Build options of the copy over a loop nest.
#include "ocl_nest_copy.h"

#include "common/data_type.h"
#include "ocl_nontemporal.h"

extern const ocl_source_t prim__ocl_nest_copy_cl;

int prim__ocl_nest_copy_vec(const ocl_device_t *device, prim_data_type_t src, prim_data_type_t dst)
{
    const size_t src_bytes = prim__dt_bytes(src), dst_bytes = prim__dt_bytes(dst);
    return device->is_cpu ? 16 : (int)(16 / (src_bytes < dst_bytes ? src_bytes : dst_bytes));
}

prim_status_t prim__ocl_nest_copy_add_kernel(
        ocl_primitive_t *primitive, const ocl_nest_copy_t *copy)
{
    const prim_desc_t *const pd = primitive->base.pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "SRC", prim__pd_md(pd, copy->src)->data_type);
    prim__ocl_options_type(&options, "DST", prim__pd_md(pd, copy->dst)->data_type);
    prim__ocl_options_int(&options, "VEC", copy->vec);
    prim__ocl_options_int(&options, "WITH_QUANT", copy->with_quant);
    prim__ocl_options_int(&options, "WITH_TAILS", copy->with_tails);
    prim__ocl_nontemporal_options(&options, pd, copy->dst, copy->run);
    return prim__ocl_primitive_add_kernel(
            primitive, &prim__ocl_nest_copy_cl, &options, "nest_copy");
}
