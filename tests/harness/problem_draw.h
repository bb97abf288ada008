// SPDX-License-Identifier: Apache-2.0
// What the generators of problems share: draws, and pieces of benchdnn lines.
#ifndef PRIM_TESTS_PROBLEM_DRAW_H
#define PRIM_TESTS_PROBLEM_DRAW_H

#include <stddef.h>
#include <stdint.h>

#include "prim/prim_types.h"

/// One of 0 to n − 1.
uint32_t draw(uint32_t *seed, uint32_t n);
#define PICK(seed, array) ((array)[draw((seed), sizeof(array) / sizeof *(array))])
/// A size at an edge: 1, 2ⁿ ± 1, a prime.
int edge(uint32_t *seed);
/// 1 to 5.
int small(uint32_t *seed);
const char *layout(uint32_t *seed);

/// Appends to a line.
void add(char *line, size_t line_bytes, const char *format, ...)
        __attribute__((format(printf, 3, 4)));
/// Appends sizes, which it also writes to `out`.
void dims(char *line, size_t bytes, uint32_t *seed, int ndims, int *out);
/// Appends sizes that broadcast over `of`.
void broadcast_dims(char *line, size_t bytes, uint32_t *seed, int ndims, const int *of);

// Problems whose tensors are images: f32 and f16, at most 4 dimensions.
void gen_reorder_image(char *line, size_t bytes, uint32_t *seed);
void gen_eltwise_image(char *line, size_t bytes, uint32_t *seed);
void gen_conv_image(char *line, size_t bytes, uint32_t *seed);
void gen_pool_image(char *line, size_t bytes, uint32_t *seed);
void gen_binary_image(char *line, size_t bytes, uint32_t *seed);
void gen_concat_image(char *line, size_t bytes, uint32_t *seed);
void gen_softmax_image(char *line, size_t bytes, uint32_t *seed);
void gen_bnorm_image(char *line, size_t bytes, uint32_t *seed);
void gen_resampling_image(char *line, size_t bytes, uint32_t *seed);
void gen_ip_image(char *line, size_t bytes, uint32_t *seed);

#endif
