// SPDX-License-Identifier: Apache-2.0
// The table of generators.
#include "problem_gen.h"

const generator_t problem_generators[] = {
        {"reorder", PRIM_REORDER, {family_reorder, family_reorder_blocks}, family_reorder_image},
        {"eltwise", PRIM_ELTWISE, {family_eltwise}, family_eltwise_image},
        {"binary", PRIM_BINARY, {family_binary}, family_binary_image},
        {"sum", PRIM_SUM, {family_sum}, NULL},
        {"concat", PRIM_CONCAT, {family_concat}, family_concat_image},
        {"softmax", PRIM_SOFTMAX,
                {family_softmax, family_softmax, family_softmax, family_softmax_backward},
                family_softmax_image},
        {"lnorm", PRIM_LAYER_NORMALIZATION,
                {family_lnorm, family_lnorm_rows, family_lnorm_backward}, NULL},
        {"prelu", PRIM_PRELU, {family_prelu}, NULL},
        {"bnorm", PRIM_BATCH_NORMALIZATION, {family_bnorm}, family_bnorm_image},
        {"pool", PRIM_POOLING, {family_pool, family_pool_windows, family_pool_global},
                family_pool_image},
        {"resampling", PRIM_RESAMPLING,
                {family_resampling, family_resampling_whole, family_resampling_doubled},
                family_resampling_image},
        {"ip", PRIM_INNER_PRODUCT, {family_ip, family_ip_aligned}, family_ip_image},
        {"matmul", PRIM_MATMUL,
                {family_matmul, family_matmul_aligned, family_matmul_quant, family_matmul_rows},
                NULL},
        {"conv", PRIM_CONVOLUTION,
                {family_conv, family_conv_quant, family_conv_aligned, family_conv_3x3,
                        family_conv_depthwise},
                family_conv_image},
};
const int problem_ngenerators = sizeof problem_generators / sizeof *problem_generators;

static family_t family_of(draw_t *d, const generator_t *generator)
{
    int n = 1;
    while (n < MAX_FAMILIES && generator->families[n]) ++n;
    if (d->is_gpu && generator->image && once_in(d, 6)) return generator->image;
    return n == 1 || once_in(d, 2) ? generator->families[0]
                                   : generator->families[1 + pick(d, (uint32_t)n - 1)];
}

void problem_draw(draw_t *d, const generator_t *generator, uint32_t style, uint32_t size)
{
    draw_start(d, style, size);
    family_of(d, generator)(d);
}
