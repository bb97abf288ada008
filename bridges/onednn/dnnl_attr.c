// SPDX-License-Identifier: Apache-2.0
// Attributes; those that Prim lacks are in dnnl_attr_defaults.c.
#include "dnnl_bridge.h"

dnnl_status_t dnnl_primitive_attr_create(dnnl_primitive_attr_t *attr)
{
    return prim_attr_create(attr);
}

dnnl_status_t dnnl_primitive_attr_clone(
        dnnl_primitive_attr_t *attr, const_dnnl_primitive_attr_t existing_attr)
{
    return prim_attr_clone(attr, existing_attr);
}

dnnl_status_t dnnl_primitive_attr_destroy(dnnl_primitive_attr_t attr)
{
    prim_attr_destroy(attr);
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_get_fpmath_mode(
        const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode)
{
    bool apply_to_int;
    return prim_attr_get_fpmath_mode(attr, (prim_fpmath_mode_t *)mode, &apply_to_int);
}

dnnl_status_t dnnl_primitive_attr_set_fpmath_mode(
        dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode)
{
    return prim_attr_set_fpmath_mode(attr, mode, false);
}

dnnl_status_t dnnl_primitive_attr_get_fpmath_mode_v2(
        const_dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t *mode, int *apply_to_int)
{
    // Either may be left out.
    prim_fpmath_mode_t what = PRIM_FPMATH_STRICT;
    bool applies = false;
    const prim_status_t status = prim_attr_get_fpmath_mode(attr, &what, &applies);
    if (status != PRIM_SUCCESS) return status;
    if (mode) *mode = what;
    if (apply_to_int) *apply_to_int = applies;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_fpmath_mode_v2(
        dnnl_primitive_attr_t attr, dnnl_fpmath_mode_t mode, int apply_to_int)
{
    return prim_attr_set_fpmath_mode(attr, mode, apply_to_int != 0);
}

dnnl_status_t dnnl_primitive_attr_get_deterministic(const_dnnl_primitive_attr_t attr, int *value)
{
    if (!value) return prim_report_failure(PRIM_INVALID_ARGUMENTS, "value is NULL");
    bool deterministic = false;
    const prim_status_t status = prim_attr_get_deterministic(attr, &deterministic);
    if (status == PRIM_SUCCESS) *value = deterministic;
    return status;
}

dnnl_status_t dnnl_primitive_attr_set_deterministic(dnnl_primitive_attr_t attr, int value)
{
    return prim_attr_set_deterministic(attr, value != 0);
}

dnnl_status_t dnnl_primitive_attr_get_accumulation_mode(
        const_dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t *mode)
{
    return prim_attr_get_accumulation_mode(attr, (prim_accumulation_mode_t *)mode);
}

dnnl_status_t dnnl_primitive_attr_set_accumulation_mode(
        dnnl_primitive_attr_t attr, dnnl_accumulation_mode_t mode)
{
    return prim_attr_set_accumulation_mode(attr, mode);
}

dnnl_status_t dnnl_primitive_attr_get_scratchpad_mode(
        const_dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t *mode)
{
    return prim_attr_get_scratchpad_mode(attr, (prim_scratchpad_mode_t *)mode);
}

dnnl_status_t dnnl_primitive_attr_set_scratchpad_mode(
        dnnl_primitive_attr_t attr, dnnl_scratchpad_mode_t mode)
{
    return prim_attr_set_scratchpad_mode(attr, mode);
}

dnnl_status_t dnnl_primitive_attr_set_scales_mask(dnnl_primitive_attr_t attr, int arg, int mask)
{
    return prim_attr_set_scales(attr, arg, mask, 0, NULL, PRIM_F32);
}

dnnl_status_t dnnl_primitive_attr_set_scales(dnnl_primitive_attr_t attr, int arg, int mask,
        int group_ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type)
{
    return prim_attr_set_scales(attr, arg, mask, group_ndims, group_dims, data_type);
}

dnnl_status_t dnnl_primitive_attr_set_scales_v2(dnnl_primitive_attr_t attr, int arg, int mask,
        int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type, int is_on_host)
{
    if (is_on_host) return bridge_lacks(__func__, "scalars on the host");
    return prim_attr_set_scales(attr, arg, mask, ndims, group_dims, data_type);
}

dnnl_status_t dnnl_primitive_attr_set_scales_v3(dnnl_primitive_attr_t attr, int arg, int mask,
        int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type, int is_on_host,
        dnnl_quantization_mode_t qmode)
{
    if (qmode != dnnl_quantization_mode_undef && qmode != dnnl_quantization_mode_static_sazp)
        return bridge_lacks(__func__, "scales that are computed at execution");
    return dnnl_primitive_attr_set_scales_v2(
            attr, arg, mask, ndims, group_dims, data_type, is_on_host);
}

dnnl_status_t dnnl_primitive_attr_set_zero_points_mask(
        dnnl_primitive_attr_t attr, int arg, int mask)
{
    return prim_attr_set_zero_points(attr, arg, mask, 0, NULL, PRIM_S32);
}

dnnl_status_t dnnl_primitive_attr_set_zero_points(dnnl_primitive_attr_t attr, int arg, int mask,
        int group_ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type)
{
    return prim_attr_set_zero_points(attr, arg, mask, group_ndims, group_dims, data_type);
}

dnnl_status_t dnnl_primitive_attr_set_zero_points_v2(dnnl_primitive_attr_t attr, int arg, int mask,
        int ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type, int is_on_host)
{
    if (is_on_host) return bridge_lacks(__func__, "scalars on the host");
    return prim_attr_set_zero_points(attr, arg, mask, ndims, group_dims, data_type);
}

dnnl_status_t dnnl_primitive_attr_set_precomputed_reductions(dnnl_primitive_attr_t attr, int arg,
        int mask, int group_ndims, const dnnl_dims_t group_dims, dnnl_data_type_t data_type)
{
    (void)attr, (void)arg, (void)mask, (void)group_ndims, (void)group_dims, (void)data_type;
    return bridge_lacks(__func__, "reductions computed beforehand");
}

dnnl_status_t dnnl_primitive_attr_get_post_ops(
        const_dnnl_primitive_attr_t attr, const_dnnl_post_ops_t *post_ops)
{
    return prim_attr_get_post_ops(attr, post_ops);
}

dnnl_status_t dnnl_primitive_attr_set_post_ops(
        dnnl_primitive_attr_t attr, const_dnnl_post_ops_t post_ops)
{
    return prim_attr_set_post_ops(attr, post_ops);
}
