// SPDX-License-Identifier: Apache-2.0
// Descriptors of what works element by element or along one axis: eltwise, PReLU, binary, softmax,
// shuffle.
#include "dnnl_bridge.h"

dnnl_status_t dnnl_eltwise_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, float alpha,
        float beta, const_dnnl_primitive_attr_t attr)
{
    return prim_eltwise_forward_desc_create(primitive_desc, engine, prop_kind, alg_kind,
            bridge_md(src_desc), bridge_md(dst_desc), alpha, beta, attr);
}

dnnl_status_t dnnl_eltwise_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t data_desc, float alpha,
        float beta, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr)
{
    return prim_eltwise_backward_desc_create(primitive_desc, engine, alg_kind,
            bridge_md(diff_src_desc), bridge_md(diff_dst_desc), bridge_md(data_desc), alpha, beta,
            hint_fwd_pd, attr);
}

dnnl_status_t dnnl_prelu_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr)
{
    return prim_prelu_forward_desc_create(primitive_desc, engine, prop_kind, bridge_md(src_desc),
            bridge_md(weights_desc), bridge_md(dst_desc), attr);
}

dnnl_status_t dnnl_prelu_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t weights_desc, const_dnnl_memory_desc_t diff_src_desc,
        const_dnnl_memory_desc_t diff_weights_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr)
{
    return prim_prelu_backward_desc_create(primitive_desc, engine, bridge_md(src_desc),
            bridge_md(weights_desc), bridge_md(diff_src_desc), bridge_md(diff_weights_desc),
            bridge_md(diff_dst_desc), hint_fwd_pd, attr);
}

dnnl_status_t dnnl_binary_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_primitive_attr_t attr)
{
    return prim_binary_desc_create(primitive_desc, engine, alg_kind, bridge_md(src0_desc),
            bridge_md(src1_desc), NULL, bridge_md(dst_desc), attr);
}

dnnl_status_t dnnl_binary_primitive_desc_create_v2(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src0_desc,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t src2_desc,
        const_dnnl_memory_desc_t dst_desc, const_dnnl_primitive_attr_t attr)
{
    return prim_binary_desc_create(primitive_desc, engine, alg_kind, bridge_md(src0_desc),
            bridge_md(src1_desc), bridge_optional_md(src2_desc), bridge_md(dst_desc), attr);
}

dnnl_status_t dnnl_softmax_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, int softmax_axis,
        const_dnnl_primitive_attr_t attr)
{
    return prim_softmax_forward_desc_create(primitive_desc, engine, prop_kind, alg_kind,
            bridge_md(src_desc), bridge_md(dst_desc), softmax_axis, attr);
}

dnnl_status_t dnnl_softmax_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t diff_src_desc,
        const_dnnl_memory_desc_t diff_dst_desc, const_dnnl_memory_desc_t dst_desc, int softmax_axis,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr)
{
    return prim_softmax_backward_desc_create(primitive_desc, engine, alg_kind,
            bridge_md(diff_src_desc), bridge_md(diff_dst_desc), bridge_md(dst_desc), softmax_axis,
            hint_fwd_pd, attr);
}

dnnl_status_t dnnl_shuffle_forward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, dnnl_prop_kind_t prop_kind, const_dnnl_memory_desc_t src_desc,
        const_dnnl_memory_desc_t dst_desc, int axis, dnnl_dim_t group_size,
        const_dnnl_primitive_attr_t attr)
{
    return prim_shuffle_forward_desc_create(primitive_desc, engine, prop_kind, bridge_md(src_desc),
            bridge_md(dst_desc), axis, group_size, attr);
}

dnnl_status_t dnnl_shuffle_backward_primitive_desc_create(dnnl_primitive_desc_t *primitive_desc,
        dnnl_engine_t engine, const_dnnl_memory_desc_t diff_src_desc,
        const_dnnl_memory_desc_t diff_dst_desc, int axis, dnnl_dim_t group_size,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr)
{
    return prim_shuffle_backward_desc_create(primitive_desc, engine, bridge_md(diff_src_desc),
            bridge_md(diff_dst_desc), axis, group_size, hint_fwd_pd, attr);
}
