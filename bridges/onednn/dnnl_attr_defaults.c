// SPDX-License-Identifier: Apache-2.0
// Attributes that Prim lacks: they can be set to their defaults, and read as these.
#include "dnnl_bridge.h"

static const struct dnnl_memory_desc absent;

dnnl_status_t dnnl_primitive_attr_get_dropout(
        const_dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t *mask_desc)
{
    return dnnl_primitive_attr_get_dropout_v2(attr, mask_desc, NULL, NULL, NULL);
}

dnnl_status_t dnnl_primitive_attr_get_dropout_v2(const_dnnl_primitive_attr_t attr,
        const_dnnl_memory_desc_t *mask_desc, dnnl_data_type_t *seed_dt, int *use_offset,
        int *use_host_scalars)
{
    if (!attr) return prim_report_failure(PRIM_INVALID_ARGUMENTS, "attr is NULL");
    if (mask_desc) *mask_desc = &absent;
    if (seed_dt) *seed_dt = dnnl_s32;
    if (use_offset) *use_offset = 0;
    if (use_host_scalars) *use_host_scalars = 0;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_dropout(
        dnnl_primitive_attr_t attr, const_dnnl_memory_desc_t mask_desc)
{
    if (!attr) return prim_report_failure(PRIM_INVALID_ARGUMENTS, "attr is NULL");
    return bridge_optional_md(mask_desc) ? bridge_lacks(__func__, "dropout") : dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_dropout_v2(dnnl_primitive_attr_t attr,
        const_dnnl_memory_desc_t mask_desc, dnnl_data_type_t seed_dt, int use_offset,
        int use_host_scalars)
{
    (void)attr, (void)mask_desc, (void)seed_dt, (void)use_offset, (void)use_host_scalars;
    return bridge_lacks(__func__, "dropout"); // without a mask it drops, too
}

dnnl_status_t dnnl_primitive_attr_set_rounding(
        dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t mode)
{
    (void)arg;
    if (!attr) return prim_report_failure(PRIM_INVALID_ARGUMENTS, "attr is NULL");
    if (mode == dnnl_rounding_mode_environment) return dnnl_success;
    return bridge_lacks(__func__, "stochastic rounding");
}

dnnl_status_t dnnl_primitive_attr_get_rounding(
        dnnl_primitive_attr_t attr, int arg, dnnl_rounding_mode_t *mode)
{
    (void)arg;
    if (!attr || !mode) return prim_report_failure(PRIM_INVALID_ARGUMENTS, "attr or mode is NULL");
    *mode = dnnl_rounding_mode_environment;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_rnn_data_qparams(
        dnnl_primitive_attr_t attr, const float scale, const float shift)
{
    if (!attr) return prim_report_failure(PRIM_INVALID_ARGUMENTS, "attr is NULL");
    if (scale >= 1.f && scale <= 1.f && shift >= 0.f && shift <= 0.f) return dnnl_success;
    return bridge_lacks(__func__, "recurrent primitives");
}

dnnl_status_t dnnl_primitive_attr_get_rnn_data_qparams(
        const_dnnl_primitive_attr_t attr, float *scale, float *shift)
{
    if (!attr) return prim_report_failure(PRIM_INVALID_ARGUMENTS, "attr is NULL");
    if (scale) *scale = 1.f;
    if (shift) *shift = 0.f;
    return dnnl_success;
}

static dnnl_status_t set_weights_qparams(const char *function, const_dnnl_primitive_attr_t attr,
        dnnl_dim_t count, int mask, const float *scales)
{
    if (!attr || !scales)
        return prim_report_failure(PRIM_INVALID_ARGUMENTS, "attr or scales is NULL");
    if (count == 1 && mask == 0 && *scales >= 1.f && *scales <= 1.f) return dnnl_success;
    return bridge_lacks(function, "recurrent primitives");
}

static dnnl_status_t get_weights_qparams(
        const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask, const float **scales)
{
    static const float one = 1.f;
    if (!attr) return prim_report_failure(PRIM_INVALID_ARGUMENTS, "attr is NULL");
    if (count) *count = 1;
    if (mask) *mask = 0;
    if (scales) *scales = &one;
    return dnnl_success;
}

dnnl_status_t dnnl_primitive_attr_set_rnn_weights_qparams(
        dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask, const float *scales)
{
    return set_weights_qparams(__func__, attr, count, mask, scales);
}

dnnl_status_t dnnl_primitive_attr_get_rnn_weights_qparams(
        const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask, const float **scales)
{
    return get_weights_qparams(attr, count, mask, scales);
}

dnnl_status_t dnnl_primitive_attr_set_rnn_weights_projection_qparams(
        dnnl_primitive_attr_t attr, dnnl_dim_t count, int mask, const float *scales)
{
    return set_weights_qparams(__func__, attr, count, mask, scales);
}

dnnl_status_t dnnl_primitive_attr_get_rnn_weights_projection_qparams(
        const_dnnl_primitive_attr_t attr, dnnl_dim_t *count, int *mask, const float **scales)
{
    return get_weights_qparams(attr, count, mask, scales);
}
