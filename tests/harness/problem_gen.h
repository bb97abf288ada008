// SPDX-License-Identifier: Apache-2.0
// Random problems for every operation, as lines of benchdnn: sizes at edges (1, 2ⁿ ± 1, primes,
// tiles), layouts, data types, attributes.
#ifndef PRIM_TESTS_PROBLEM_GEN_H
#define PRIM_TESTS_PROBLEM_GEN_H

#include "problem_draw.h"

/// A kind of problem: what one or a few implementations were written for, or any.
typedef void (*family_t)(draw_t *d);

enum { MAX_FAMILIES = 8 };

/// A benchdnn driver, the operation it drives, and its families; the first takes half the draws,
/// the others share the rest.
typedef struct {
    const char *driver;
    prim_primitive_kind_t kind;
    family_t families[MAX_FAMILIES]; ///< ends with NULL
    family_t image;                  ///< tensors are images (GPU engines); NULL: none
} generator_t;

/// Of each operation; problems/<word>_problems.c defines <word>_generator.
extern const generator_t *const problem_generators[];
extern const int problem_ngenerators;

/// Draws a problem of the style into `d`, whose engine and tiles are set.
void problem_draw(draw_t *d, const generator_t *generator, uint32_t style, uint32_t size);

#endif
