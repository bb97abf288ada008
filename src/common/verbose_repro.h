// SPDX-License-Identifier: Apache-2.0
// Pieces of a benchdnn command, for verbose_repro.c.
#ifndef PRIM_COMMON_VERBOSE_REPRO_H
#define PRIM_COMMON_VERBOSE_REPRO_H

#include "impl.h"
#include "text_buffer.h"

/// Adds the option and the algorithm's name without the operation; "…_dst" for the long ending.
void prim__repro_add_alg(text_buffer_t *out, const char *option, prim_alg_kind_t alg);

/// Adds " --attr-…" for everything that is set.
void prim__repro_add_attr(text_buffer_t *out, const prim_desc_t *pd);

/// Bits of the dimensions that a broadcast operand has in full.
int prim__repro_broadcast_mask(const prim_memory_desc_t *md, const prim_memory_desc_t *full);

#endif
