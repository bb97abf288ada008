// SPDX-License-Identifier: Apache-2.0
// Descriptors of batch, layer and group normalisation.
#include "dnnl_bridge.h"

dnnl_status_t dnnl_batch_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, float epsilon,
        unsigned flags, const_dnnl_primitive_attr_t attr)
{
    return prim_batch_normalization_forward_desc_create(primitive_desc, engine, prop_kind,
            bridge_md(src_desc), bridge_md(dst_desc), epsilon, flags, attr);
}

dnnl_status_t dnnl_batch_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, float epsilon, unsigned flags,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr)
{
    return prim_batch_normalization_backward_desc_create(primitive_desc, engine, prop_kind,
            bridge_md(diff_src_desc), bridge_md(diff_dst_desc), bridge_md(src_desc), epsilon, flags,
            hint_fwd_pd, attr);
}

dnnl_status_t dnnl_group_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc, dnnl_dim_t groups,
        float epsilon, unsigned flags, const_dnnl_primitive_attr_t attr)
{
    if (flags & dnnl_rms_norm) return bridge_lacks(__func__, "RMS normalisation");
    return prim_group_normalization_forward_desc_create(primitive_desc, engine, prop_kind,
            bridge_md(src_desc), bridge_md(dst_desc), groups, epsilon, flags, attr);
}

dnnl_status_t dnnl_group_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, dnnl_dim_t groups, float epsilon, unsigned flags,
        const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr)
{
    if (flags & dnnl_rms_norm) return bridge_lacks(__func__, "RMS normalisation");
    return prim_group_normalization_backward_desc_create(primitive_desc, engine, prop_kind,
            bridge_md(diff_src_desc), bridge_md(diff_dst_desc), bridge_md(src_desc), groups,
            epsilon, flags, hint_fwd_pd, attr);
}

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_memory_desc_t stat_desc, float epsilon, unsigned flags,
        const_dnnl_primitive_attr_t attr)
{
    return dnnl_layer_normalization_forward_primitive_desc_create_v2(primitive_desc, engine,
            prop_kind, src_desc, dst_desc, stat_desc, dnnl_f32, epsilon, flags, attr);
}

dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t stat_desc, float epsilon,
        unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd, const_dnnl_primitive_attr_t attr)
{
    return dnnl_layer_normalization_backward_primitive_desc_create_v2(primitive_desc, engine,
            prop_kind, diff_src_desc, diff_dst_desc, src_desc, stat_desc, dnnl_f32, dnnl_f32,
            epsilon, flags, hint_fwd_pd, attr);
}

dnnl_status_t dnnl_layer_normalization_forward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t dst_desc,
        const_dnnl_memory_desc_t stat_desc, dnnl_data_type_t scale_shift_data_type, float epsilon,
        unsigned flags, const_dnnl_primitive_attr_t attr)
{
    if (flags & dnnl_rms_norm) return bridge_lacks(__func__, "RMS normalisation");
    return prim_layer_normalization_forward_desc_create(primitive_desc, engine, prop_kind,
            bridge_md(src_desc), bridge_md(dst_desc), bridge_md(stat_desc), scale_shift_data_type,
            epsilon, flags, attr);
}

dnnl_status_t dnnl_layer_normalization_backward_primitive_desc_create_v2(
        dnnl_primitive_desc_t *primitive_desc, dnnl_engine_t engine, dnnl_prop_kind_t prop_kind,
        const_dnnl_memory_desc_t diff_src_desc, const_dnnl_memory_desc_t diff_dst_desc,
        const_dnnl_memory_desc_t src_desc, const_dnnl_memory_desc_t stat_desc,
        dnnl_data_type_t diff_scale_shift_data_type, dnnl_data_type_t scale_shift_data_type,
        float epsilon, unsigned flags, const_dnnl_primitive_desc_t hint_fwd_pd,
        const_dnnl_primitive_attr_t attr)
{
    if (flags & dnnl_rms_norm) return bridge_lacks(__func__, "RMS normalisation");
    return prim_layer_normalization_backward_desc_create(primitive_desc, engine, prop_kind,
            bridge_md(diff_src_desc), bridge_md(diff_dst_desc), bridge_md(src_desc),
            bridge_md(stat_desc), diff_scale_shift_data_type, scale_shift_data_type, epsilon, flags,
            hint_fwd_pd, attr);
}
