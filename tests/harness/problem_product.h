// SPDX-License-Identifier: Apache-2.0
// What problems of products share: matmul and inner product.
#ifndef PRIM_TESTS_PROBLEM_PRODUCT_H
#define PRIM_TESTS_PROBLEM_PRODUCT_H

#include "problem_gen.h"

/// src[:wei:dst], of any kind, of floats, of 8-bit integers.
const char *product_types(draw_t *d);
const char *product_float_types(draw_t *d);
const char *product_integer_types(draw_t *d);
const char *product_bias_type(draw_t *d);
/// Layouts of rank 2 to 4: row-major, or the last two dimensions transposed.
const char *product_layout(draw_t *d, int ndims);
/// What matrix units take: rows that lie multiples of 16 bytes apart.
int multiple_of_16(draw_t *d);
/// src, weights, dst of a large product; `wtag`: of the weights.
void probe_product(prim_memory_desc_t mds[3], int which, const char *wtag);

#endif
