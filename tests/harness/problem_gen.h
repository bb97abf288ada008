// SPDX-License-Identifier: Apache-2.0
// Random problems of every operation as benchdnn lines: sizes at the edges (1, 2ⁿ ± 1, primes),
// layouts, data types, attributes. The same seed gives the same lines everywhere.
#ifndef PRIM_TESTS_PROBLEM_GEN_H
#define PRIM_TESTS_PROBLEM_GEN_H

#include <stddef.h>
#include <stdint.h>

#include "prim/prim_types.h"

/// A benchdnn driver and the operation it drives.
typedef struct {
    const char *driver;
    prim_primitive_kind_t kind;
    /// Appends options and one problem descriptor to `line`.
    void (*generate)(char *line, size_t line_bytes, uint32_t *seed);
    /// The same for problems whose tensors are images; NULL for operations without such.
    void (*generate_image)(char *line, size_t line_bytes, uint32_t *seed);
} generator_t;

extern const generator_t problem_generators[];
extern const int problem_ngenerators;

#endif
