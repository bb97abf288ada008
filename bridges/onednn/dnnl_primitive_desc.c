// SPDX-License-Identifier: Apache-2.0
// Primitive descriptors, whatever the operation.
#include "dnnl_bridge.h"

dnnl_status_t dnnl_primitive_desc_next_impl(dnnl_primitive_desc_t primitive_desc)
{
    return prim_desc_next_impl(primitive_desc);
}

dnnl_status_t dnnl_primitive_desc_clone(
        dnnl_primitive_desc_t *primitive_desc, const_dnnl_primitive_desc_t existing)
{
    return prim_desc_clone(primitive_desc, existing);
}

dnnl_status_t dnnl_primitive_desc_get_attr(
        const_dnnl_primitive_desc_t primitive_desc, const_dnnl_primitive_attr_t *attr)
{
    return prim_desc_get_attr(primitive_desc, attr);
}

dnnl_status_t dnnl_primitive_desc_destroy(dnnl_primitive_desc_t primitive_desc)
{
    prim_desc_destroy(primitive_desc);
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_desc_query(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index, void *result)
{
    return prim_desc_query(primitive_desc, what, index, result);
}

const_dnnl_memory_desc_t dnnl_primitive_desc_query_md(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index)
{
    return bridge_lent_md(prim_desc_query_md(primitive_desc, what, index));
}

int dnnl_primitive_desc_query_s32(
        const_dnnl_primitive_desc_t primitive_desc, dnnl_query_t what, int index)
{
    int32_t result = 0;
    const prim_status_t status = prim_desc_query(primitive_desc, what, index, &result);
    return status == PRIM_SUCCESS ? result : 0;
}
