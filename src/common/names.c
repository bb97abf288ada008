// SPDX-License-Identifier: Apache-2.0
// The names of the public enumerations, as they stand in logs and on benchdnn's command line.
#include "prim/prim.h"

/// A value and its name; tables end with a NULL name.
typedef struct {
    int value;
    const char *name;
} name_t;

static const char *find(const name_t *table, int value)
{
    for (; table->name; ++table) {
        if (table->value == value) return table->name;
    }
    return "undef";
}

const char *prim_status_name(prim_status_t status)
{
    static const name_t table[] = {
            {PRIM_SUCCESS, "success"},
            {PRIM_OUT_OF_MEMORY, "out_of_memory"},
            {PRIM_INVALID_ARGUMENTS, "invalid_arguments"},
            {PRIM_UNIMPLEMENTED, "unimplemented"},
            {PRIM_LAST_IMPL_REACHED, "last_impl_reached"},
            {PRIM_RUNTIME_ERROR, "runtime_error"},
            {PRIM_NOT_REQUIRED, "not_required"},
            {0, NULL},
    };
    return find(table, (int)status);
}

const char *prim_data_type_name(prim_data_type_t data_type)
{
    static const name_t table[] = {
            {PRIM_F16, "f16"},
            {PRIM_BF16, "bf16"},
            {PRIM_F32, "f32"},
            {PRIM_S32, "s32"},
            {PRIM_S8, "s8"},
            {PRIM_U8, "u8"},
            {PRIM_F64, "f64"},
            {PRIM_BOOLEAN, "boolean"},
            {PRIM_F8_E5M2, "f8_e5m2"},
            {PRIM_F8_E4M3, "f8_e4m3"},
            {PRIM_S4, "s4"},
            {PRIM_U4, "u4"},
            {PRIM_E8M0, "e8m0"},
            {PRIM_F4_E2M1, "f4_e2m1"},
            {PRIM_F4_E3M0, "f4_e3m0"},
            {0, NULL},
    };
    return find(table, (int)data_type);
}

const char *prim_format_tag_name(prim_format_tag_t tag)
{
    static const name_t table[] = {
            {PRIM_FORMAT_ANY, "any"},
#define TAG_NAME(name, number) {number, #name},
            PRIM_FORMAT_TAG_LIST(TAG_NAME)
#undef TAG_NAME
                    {0, NULL},
    };
    return find(table, (int)tag);
}

const char *prim_primitive_kind_name(prim_primitive_kind_t kind)
{
    static const name_t table[] = {
            {PRIM_REORDER, "reorder"},
            {PRIM_SHUFFLE, "shuffle"},
            {PRIM_CONCAT, "concat"},
            {PRIM_SUM, "sum"},
            {PRIM_CONVOLUTION, "convolution"},
            {PRIM_DECONVOLUTION, "deconvolution"},
            {PRIM_ELTWISE, "eltwise"},
            {PRIM_LRN, "lrn"},
            {PRIM_BATCH_NORMALIZATION, "batch_normalization"},
            {PRIM_INNER_PRODUCT, "inner_product"},
            {PRIM_RNN, "rnn"},
            {PRIM_BINARY, "binary"},
            {PRIM_MATMUL, "matmul"},
            {PRIM_RESAMPLING, "resampling"},
            {PRIM_POOLING, "pooling"},
            {PRIM_REDUCTION, "reduction"},
            {PRIM_PRELU, "prelu"},
            {PRIM_SOFTMAX, "softmax"},
            {PRIM_LAYER_NORMALIZATION, "layer_normalization"},
            {PRIM_GROUP_NORMALIZATION, "group_normalization"},
            {0, NULL},
    };
    return find(table, (int)kind);
}

const char *prim_prop_kind_name(prim_prop_kind_t prop_kind)
{
    static const name_t table[] = {
            {PRIM_FORWARD_TRAINING, "forward_training"},
            {PRIM_FORWARD_INFERENCE, "forward_inference"},
            {PRIM_BACKWARD, "backward"},
            {PRIM_BACKWARD_DATA, "backward_data"},
            {PRIM_BACKWARD_WEIGHTS, "backward_weights"},
            {PRIM_BACKWARD_BIAS, "backward_bias"},
            {0, NULL},
    };
    return find(table, (int)prop_kind);
}

static const name_t alg_kinds[] = {
        {PRIM_CONVOLUTION_DIRECT, "convolution_direct"},
        {PRIM_CONVOLUTION_WINOGRAD, "convolution_winograd"},
        {PRIM_CONVOLUTION_AUTO, "convolution_auto"},
        {PRIM_DECONVOLUTION_DIRECT, "deconvolution_direct"},
        {PRIM_DECONVOLUTION_WINOGRAD, "deconvolution_winograd"},
        {PRIM_ELTWISE_RELU, "eltwise_relu"},
        {PRIM_ELTWISE_TANH, "eltwise_tanh"},
        {PRIM_ELTWISE_ELU, "eltwise_elu"},
        {PRIM_ELTWISE_SQUARE, "eltwise_square"},
        {PRIM_ELTWISE_ABS, "eltwise_abs"},
        {PRIM_ELTWISE_SQRT, "eltwise_sqrt"},
        {PRIM_ELTWISE_LINEAR, "eltwise_linear"},
        {PRIM_ELTWISE_SOFT_RELU, "eltwise_soft_relu"},
        {PRIM_ELTWISE_HARDSIGMOID, "eltwise_hardsigmoid"},
        {PRIM_ELTWISE_LOGISTIC, "eltwise_logistic"},
        {PRIM_ELTWISE_EXP, "eltwise_exp"},
        {PRIM_ELTWISE_GELU_TANH, "eltwise_gelu_tanh"},
        {PRIM_ELTWISE_SWISH, "eltwise_swish"},
        {PRIM_ELTWISE_LOG, "eltwise_log"},
        {PRIM_ELTWISE_CLIP, "eltwise_clip"},
        {PRIM_ELTWISE_CLIP_V2, "eltwise_clip_v2"},
        {PRIM_ELTWISE_POW, "eltwise_pow"},
        {PRIM_ELTWISE_GELU_ERF, "eltwise_gelu_erf"},
        {PRIM_ELTWISE_ROUND, "eltwise_round"},
        {PRIM_ELTWISE_MISH, "eltwise_mish"},
        {PRIM_ELTWISE_HARDSWISH, "eltwise_hardswish"},
        {PRIM_ELTWISE_RELU_USE_DST_FOR_BWD, "eltwise_relu_use_dst_for_bwd"},
        {PRIM_ELTWISE_TANH_USE_DST_FOR_BWD, "eltwise_tanh_use_dst_for_bwd"},
        {PRIM_ELTWISE_ELU_USE_DST_FOR_BWD, "eltwise_elu_use_dst_for_bwd"},
        {PRIM_ELTWISE_SQRT_USE_DST_FOR_BWD, "eltwise_sqrt_use_dst_for_bwd"},
        {PRIM_ELTWISE_LOGISTIC_USE_DST_FOR_BWD, "eltwise_logistic_use_dst_for_bwd"},
        {PRIM_ELTWISE_EXP_USE_DST_FOR_BWD, "eltwise_exp_use_dst_for_bwd"},
        {PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD, "eltwise_clip_v2_use_dst_for_bwd"},
        {PRIM_POOLING_MAX, "pooling_max"},
        {PRIM_POOLING_AVG_INCLUDE_PADDING, "pooling_avg_include_padding"},
        {PRIM_POOLING_AVG_EXCLUDE_PADDING, "pooling_avg_exclude_padding"},
        {PRIM_LRN_ACROSS_CHANNELS, "lrn_across_channels"},
        {PRIM_LRN_WITHIN_CHANNEL, "lrn_within_channel"},
        {PRIM_BINARY_ADD, "binary_add"},
        {PRIM_BINARY_MUL, "binary_mul"},
        {PRIM_BINARY_MAX, "binary_max"},
        {PRIM_BINARY_MIN, "binary_min"},
        {PRIM_BINARY_DIV, "binary_div"},
        {PRIM_BINARY_SUB, "binary_sub"},
        {PRIM_BINARY_GE, "binary_ge"},
        {PRIM_BINARY_GT, "binary_gt"},
        {PRIM_BINARY_LE, "binary_le"},
        {PRIM_BINARY_LT, "binary_lt"},
        {PRIM_BINARY_EQ, "binary_eq"},
        {PRIM_BINARY_NE, "binary_ne"},
        {PRIM_BINARY_SELECT, "binary_select"},
        {PRIM_RESAMPLING_NEAREST, "resampling_nearest"},
        {PRIM_RESAMPLING_LINEAR, "resampling_linear"},
        {PRIM_REDUCTION_MAX, "reduction_max"},
        {PRIM_REDUCTION_MIN, "reduction_min"},
        {PRIM_REDUCTION_SUM, "reduction_sum"},
        {PRIM_REDUCTION_MUL, "reduction_mul"},
        {PRIM_REDUCTION_MEAN, "reduction_mean"},
        {PRIM_REDUCTION_NORM_LP_MAX, "reduction_norm_lp_max"},
        {PRIM_REDUCTION_NORM_LP_SUM, "reduction_norm_lp_sum"},
        {PRIM_REDUCTION_NORM_LP_POWER_P_MAX, "reduction_norm_lp_power_p_max"},
        {PRIM_REDUCTION_NORM_LP_POWER_P_SUM, "reduction_norm_lp_power_p_sum"},
        {PRIM_SOFTMAX_ACCURATE, "softmax_accurate"},
        {PRIM_SOFTMAX_LOG, "softmax_log"},
        {0, NULL},
};

const char *prim_alg_kind_name(prim_alg_kind_t alg_kind)
{
    return find(alg_kinds, (int)alg_kind);
}

const char *prim_engine_kind_name(prim_engine_kind_t kind)
{
    static const name_t table[] = {
            {PRIM_ANY_ENGINE, "any"},
            {PRIM_CPU, "cpu"},
            {PRIM_GPU, "gpu"},
            {0, NULL},
    };
    return find(table, (int)kind);
}
