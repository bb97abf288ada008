// SPDX-License-Identifier: Apache-2.0
// Chains of post-ops.
#include "dnnl_bridge.h"

dnnl_status_t dnnl_post_ops_create(dnnl_post_ops_t *post_ops)
{
    return prim_post_ops_create(post_ops);
}

dnnl_status_t dnnl_post_ops_clone(
        dnnl_post_ops_t *post_ops, const_dnnl_post_ops_t existing_post_ops)
{
    return prim_post_ops_clone(post_ops, existing_post_ops);
}

dnnl_status_t dnnl_post_ops_destroy(dnnl_post_ops_t post_ops)
{
    prim_post_ops_destroy(post_ops);
    return dnnl_success;
}

int dnnl_post_ops_len(const_dnnl_post_ops_t post_ops)
{
    return prim_post_ops_len(post_ops);
}

dnnl_primitive_kind_t dnnl_post_ops_get_kind(const_dnnl_post_ops_t post_ops, int index)
{
    return prim_post_ops_get_kind(post_ops, index);
}

dnnl_status_t dnnl_post_ops_append_sum(
        dnnl_post_ops_t post_ops, float scale, int32_t zero_point, dnnl_data_type_t data_type)
{
    return prim_post_ops_append_sum(post_ops, scale, zero_point, data_type);
}

dnnl_status_t dnnl_post_ops_get_params_sum(const_dnnl_post_ops_t post_ops, int index, float *scale,
        int32_t *zero_point, dnnl_data_type_t *data_type)
{
    // oneDNN lets each of them be left out, as do the other getters.
    float s = 0;
    int32_t z = 0;
    prim_data_type_t t = PRIM_DATA_TYPE_UNDEF;
    const prim_status_t status = prim_post_ops_get_params_sum(post_ops, index, &s, &z, &t);
    if (status != PRIM_SUCCESS) return status;
    if (scale) *scale = s;
    if (zero_point) *zero_point = z;
    if (data_type) *data_type = t;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_append_eltwise(
        dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind, float alpha, float beta)
{
    return prim_post_ops_append_eltwise(post_ops, alg_kind, alpha, beta);
}

dnnl_status_t dnnl_post_ops_get_params_eltwise(const_dnnl_post_ops_t post_ops, int index,
        dnnl_alg_kind_t *alg_kind, float *alpha, float *beta)
{
    prim_alg_kind_t alg = PRIM_ALG_UNDEF;
    float a = 0, b = 0;
    const prim_status_t status = prim_post_ops_get_params_eltwise(post_ops, index, &alg, &a, &b);
    if (status != PRIM_SUCCESS) return status;
    if (alg_kind) *alg_kind = alg;
    if (alpha) *alpha = a;
    if (beta) *beta = b;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_append_binary(
        dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind, const_dnnl_memory_desc_t src1_desc)
{
    return prim_post_ops_append_binary(post_ops, alg_kind, bridge_md(src1_desc));
}

dnnl_status_t dnnl_post_ops_append_binary_v2(dnnl_post_ops_t post_ops, dnnl_alg_kind_t alg_kind,
        const_dnnl_memory_desc_t src1_desc, const_dnnl_memory_desc_t src2_desc)
{
    return prim_post_ops_append_binary_v2(
            post_ops, alg_kind, bridge_md(src1_desc), bridge_optional_md(src2_desc));
}

dnnl_status_t dnnl_post_ops_get_params_binary(const_dnnl_post_ops_t post_ops, int index,
        dnnl_alg_kind_t *alg_kind, const_dnnl_memory_desc_t *src1_desc)
{
    return dnnl_post_ops_get_params_binary_v2(post_ops, index, alg_kind, src1_desc, NULL);
}

dnnl_status_t dnnl_post_ops_get_params_binary_v2(const_dnnl_post_ops_t post_ops, int index,
        dnnl_alg_kind_t *alg_kind, const_dnnl_memory_desc_t *src1_desc,
        const_dnnl_memory_desc_t *src2_desc)
{
    static const struct dnnl_memory_desc absent;
    prim_alg_kind_t alg = PRIM_ALG_UNDEF;
    const prim_memory_desc_t *src1 = NULL, *src2 = NULL;
    const prim_status_t status =
            prim_post_ops_get_params_binary_v2(post_ops, index, &alg, &src1, &src2);
    if (status != PRIM_SUCCESS) return status;
    if (alg_kind) *alg_kind = alg;
    if (src1_desc) *src1_desc = bridge_lent_md(src1);
    if (src2_desc) *src2_desc = src2 ? bridge_lent_md(src2) : &absent;
    return dnnl_success;
}

dnnl_status_t dnnl_post_ops_append_prelu(dnnl_post_ops_t post_ops, int mask)
{
    return prim_post_ops_append_prelu(post_ops, mask);
}

dnnl_status_t dnnl_post_ops_get_params_prelu(const_dnnl_post_ops_t post_ops, int index, int *mask)
{
    int m = 0;
    const prim_status_t status = prim_post_ops_get_params_prelu(post_ops, index, &m);
    if (status == PRIM_SUCCESS && mask) *mask = m;
    return status;
}

dnnl_status_t dnnl_post_ops_append_dw(dnnl_post_ops_t post_ops, dnnl_data_type_t weights_data_type,
        dnnl_data_type_t bias_data_type, dnnl_data_type_t dst_data_type, dnnl_dim_t kernel_size,
        dnnl_dim_t stride_size, dnnl_dim_t padding_l_size)
{
    return prim_post_ops_append_dw(post_ops, weights_data_type, bias_data_type, dst_data_type,
            kernel_size, stride_size, padding_l_size);
}

dnnl_status_t dnnl_post_ops_get_params_dw(const_dnnl_post_ops_t post_ops, int index,
        dnnl_data_type_t *weights_data_type, dnnl_data_type_t *bias_data_type,
        dnnl_data_type_t *dst_data_type, dnnl_dim_t *kernel_size, dnnl_dim_t *stride_size,
        dnnl_dim_t *padding_l_size)
{
    prim_data_type_t types[3] = {PRIM_DATA_TYPE_UNDEF};
    prim_dim_t sizes[3] = {0};
    const prim_status_t status = prim_post_ops_get_params_dw(
            post_ops, index, &types[0], &types[1], &types[2], &sizes[0], &sizes[1], &sizes[2]);
    if (status != PRIM_SUCCESS) return status;
    if (weights_data_type) *weights_data_type = types[0];
    if (bias_data_type) *bias_data_type = types[1];
    if (dst_data_type) *dst_data_type = types[2];
    if (kernel_size) *kernel_size = sizes[0];
    if (stride_size) *stride_size = sizes[1];
    if (padding_l_size) *padding_l_size = sizes[2];
    return dnnl_success;
}
