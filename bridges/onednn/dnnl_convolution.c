// SPDX-License-Identifier: Apache-2.0
// Descriptors of convolutions and deconvolutions.
#include "dnnl_bridge.h"

dnnl_status_t dnnl_convolution_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t bias_desc, const_dnnl_memory_desc_t dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
        const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr)
{
    return prim_convolution_forward_desc_create(primitive_desc, engine, prop_kind, alg_kind,
            bridge_md(src_desc), bridge_md(weights_desc), bridge_optional_md(bias_desc),
            bridge_md(dst_desc), strides, dilates, padding_l, padding_r, attr);
}

dnnl_status_t dnnl_convolution_backward_data_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides,
        const dnnl_dims_t dilates, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr)
{
    return prim_convolution_backward_data_desc_create(primitive_desc, engine, alg_kind,
            bridge_md(diff_src_desc), bridge_md(weights_desc), bridge_md(diff_dst_desc), strides,
            dilates, padding_l, padding_r, hint_fwd_pd, attr);
}

dnnl_status_t dnnl_convolution_backward_weights_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
        const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr)
{
    return prim_convolution_backward_weights_desc_create(primitive_desc, engine, alg_kind,
            bridge_md(src_desc), bridge_md(diff_weights_desc), bridge_optional_md(diff_bias_desc),
            bridge_md(diff_dst_desc), strides, dilates, padding_l, padding_r, hint_fwd_pd, attr);
}

dnnl_status_t dnnl_deconvolution_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t bias_desc,
        const_dnnl_memory_desc_t dst_desc, const dnnl_dims_t strides, const dnnl_dims_t dilates,
        const dnnl_dims_t padding_l, const dnnl_dims_t padding_r, const_dnnl_primitive_attr_t attr)
{
    return prim_deconvolution_forward_desc_create(primitive_desc, engine, prop_kind, alg_kind,
            bridge_md(src_desc), bridge_md(weights_desc), bridge_optional_md(bias_desc),
            bridge_md(dst_desc), strides, dilates, padding_l, padding_r, attr);
}

dnnl_status_t dnnl_deconvolution_backward_data_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t weights_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const dnnl_dims_t strides,
        const dnnl_dims_t dilates, const dnnl_dims_t padding_l, const dnnl_dims_t padding_r,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr)
{
    return prim_deconvolution_backward_data_desc_create(primitive_desc, engine, alg_kind,
            bridge_md(diff_src_desc), bridge_md(weights_desc), bridge_md(diff_dst_desc), strides,
            dilates, padding_l, padding_r, hint_fwd_pd, attr);
}

dnnl_status_t dnnl_deconvolution_backward_weights_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t diff_weights_desc,
        const_dnnl_memory_desc_t diff_bias_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const dnnl_dims_t strides, const dnnl_dims_t dilates, const dnnl_dims_t padding_l,
        const dnnl_dims_t padding_r, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr)
{
    return prim_deconvolution_backward_weights_desc_create(primitive_desc, engine, alg_kind,
            bridge_md(src_desc), bridge_md(diff_weights_desc), bridge_optional_md(diff_bias_desc),
            bridge_md(diff_dst_desc), strides, dilates, padding_l, padding_r, hint_fwd_pd, attr);
}
