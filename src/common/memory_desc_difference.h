// SPDX-License-Identifier: Apache-2.0
// The sentence that says how a passed tensor differs from the expected one.
#ifndef PRIM_COMMON_MEMORY_DESC_DIFFERENCE_H
#define PRIM_COMMON_MEMORY_DESC_DIFFERENCE_H

#include <stddef.h>

#include "prim/prim_types.h"

/// Writes the first difference that matters, with both values: "dims 2x3 instead of 2x4". What is
/// open until execution in `wanted` does not count. Both have passed prim__md_check().
void prim__md_difference(
        char *text, size_t bytes, const prim_memory_desc_t *md, const prim_memory_desc_t *wanted);

#endif
