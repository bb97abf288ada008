// SPDX-License-Identifier: Apache-2.0
// Descriptors of what reads windows or whole dimensions: pooling, resampling, LRN, reduction.
#include "dnnl_bridge.h"

dnnl_status_t dnnl_pooling_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t kernel, const dnnl_dims_t dilation,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr)
{
    return prim_pooling_forward_desc_create(primitive_desc, engine, prop_kind, alg_kind,
            bridge_md(src_desc), bridge_md(dst_desc), strides, kernel, dilation, padding_l,
            padding_r, attr);
}

dnnl_status_t dnnl_pooling_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides, const dnnl_dims_t kernel,
        const dnnl_dims_t dilation, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr)
{
    return prim_pooling_backward_desc_create(primitive_desc, engine, alg_kind,
            bridge_md(diff_src_desc), bridge_md(diff_dst_desc), strides, kernel, dilation,
            padding_l, padding_r, hint_fwd_pd, attr);
}

dnnl_status_t dnnl_resampling_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const float *factors, const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr)
{
    return prim_resampling_forward_desc_create(primitive_desc, engine, prop_kind, alg_kind, factors,
            bridge_md(src_desc), bridge_optional_md(dst_desc), attr);
}

dnnl_status_t dnnl_resampling_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const float *factors,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr)
{
    return prim_resampling_backward_desc_create(primitive_desc, engine, alg_kind, factors,
            bridge_md(diff_src_desc), bridge_md(diff_dst_desc), hint_fwd_pd, attr);
}

dnnl_status_t dnnl_lrn_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t local_size,
        float alpha, float beta, float k, const_dnnl_primitive_attr_t attr)
{
    return prim_lrn_forward_desc_create(primitive_desc, engine, prop_kind, alg_kind,
            bridge_md(src_desc), bridge_md(dst_desc), local_size, alpha, beta, k, attr);
}

dnnl_status_t dnnl_lrn_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t src_desc,
        dnnl_dim_t local_size, float alpha, float beta, float k,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr)
{
    return prim_lrn_backward_desc_create(primitive_desc, engine, alg_kind, bridge_md(diff_src_desc),
            bridge_md(diff_dst_desc), bridge_md(src_desc), local_size, alpha, beta, k, hint_fwd_pd,
            attr);
}

dnnl_status_t dnnl_reduction_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, float p, float eps, const_dnnl_primitive_attr_t attr)
{
    return prim_reduction_desc_create(primitive_desc, engine, alg_kind, bridge_md(src_desc),
            bridge_md(dst_desc), p, eps, attr);
}
