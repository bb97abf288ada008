// SPDX-License-Identifier: Apache-2.0
// Random problems for every operation, as lines of benchdnn: sizes at edges (1, 2ⁿ ± 1, primes,
// tiles), layouts, data types, attributes.
#ifndef PRIM_TESTS_PROBLEM_GEN_H
#define PRIM_TESTS_PROBLEM_GEN_H

#include "problem_draw.h"

/// A kind of problem: what one or a few implementations were written for, or any.
typedef void (*family_t)(draw_t *d);

enum { MAX_FAMILIES = 6 };

/// A benchdnn driver, the operation it drives, and its families; the first takes half the draws,
/// the others share the rest.
typedef struct {
    const char *driver;
    prim_primitive_kind_t kind;
    family_t families[MAX_FAMILIES]; ///< ends with NULL
    family_t image;                  ///< tensors are images (GPU engines); NULL: none
} generator_t;

extern const generator_t problem_generators[];
extern const int problem_ngenerators;

/// Draws a problem of the style into `d`, whose engine and tiles are set.
void problem_draw(draw_t *d, const generator_t *generator, uint32_t style, uint32_t size);

void family_reorder(draw_t *d);
void family_reorder_blocks(draw_t *d);
void family_sum(draw_t *d);
void family_concat(draw_t *d);
void family_eltwise(draw_t *d);
void family_binary(draw_t *d);
void family_softmax(draw_t *d);
void family_lnorm(draw_t *d);
void family_lnorm_backward(draw_t *d);
void family_lnorm_rows(draw_t *d);
void family_softmax_backward(draw_t *d);
void family_prelu(draw_t *d);
void family_bnorm(draw_t *d);
void family_pool(draw_t *d);
void family_pool_windows(draw_t *d);
void family_pool_global(draw_t *d);
void family_resampling(draw_t *d);
void family_resampling_whole(draw_t *d);
void family_resampling_doubled(draw_t *d);
void family_ip(draw_t *d);
void family_ip_aligned(draw_t *d);
void family_matmul(draw_t *d);
void family_matmul_aligned(draw_t *d);
void family_matmul_quant(draw_t *d);
void family_matmul_rows(draw_t *d);
void family_conv(draw_t *d);
void family_conv_quant(draw_t *d);
void family_conv_aligned(draw_t *d);
void family_conv_3x3(draw_t *d);
void family_conv_depthwise(draw_t *d);

// Tensors are images: f32 and f16, at most 4 dimensions.
void family_reorder_image(draw_t *d);
void family_eltwise_image(draw_t *d);
void family_conv_image(draw_t *d);
void family_pool_image(draw_t *d);
void family_binary_image(draw_t *d);
void family_concat_image(draw_t *d);
void family_softmax_image(draw_t *d);
void family_bnorm_image(draw_t *d);
void family_resampling_image(draw_t *d);
void family_ip_image(draw_t *d);

#endif
