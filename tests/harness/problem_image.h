// SPDX-License-Identifier: Apache-2.0
// What problems share whose tensors are images: f32 and f16, at most 4 dimensions.
#ifndef PRIM_TESTS_PROBLEM_IMAGE_H
#define PRIM_TESTS_PROBLEM_IMAGE_H

#include "problem_draw.h"

const char *image_type(draw_t *d);
int image_rank(draw_t *d);
/// What follows an operation on images; operands in buffers and in images.
void put_image_chain(draw_t *d);
void put_image_operand(draw_t *d);
/// One or two spatial dimensions.
void put_image_windows(draw_t *d);

#endif
