// SPDX-License-Identifier: Apache-2.0
// Whether a descriptor of a caller's is one that this library could have made.
#ifndef PRIM_COMMON_MEMORY_DESC_CHECK_H
#define PRIM_COMMON_MEMORY_DESC_CHECK_H

#include "prim/prim_types.h"

/// PRIM_INVALID_ARGUMENTS with a sentence unless the descriptor is one that this library could have
/// made: ranks, dims, type, blocks, strides in range. `name` is the tensor's in the sentence.
/// Public functions call it before they read anything else of a descriptor that they are given.
prim_status_t prim__md_check(const prim_memory_desc_t *md, const char *name);

/// PRIM_INVALID_ARGUMENTS with a sentence if the tensor is a broadcast, which no operation writes.
/// `op` and `name` are the operation's and the tensor's in the sentence.
prim_status_t prim__md_check_output(const prim_memory_desc_t *md, const char *op, const char *name);

#endif
