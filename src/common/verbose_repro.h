// SPDX-License-Identifier: Apache-2.0
// The benchdnn command that repeats a problem, for its log line.
#ifndef PRIM_COMMON_VERBOSE_REPRO_H
#define PRIM_COMMON_VERBOSE_REPRO_H

#include "desc.h"

/// Writes the benchdnn command line that repeats the problem, e.g.
/// "--softmax --engine=gpu --dir=FWD_I --stag=ab --dtag=ab --axis=1 5x30".
void prim__verbose_repro(const prim_desc_t *pd, char *text, size_t text_bytes);

#endif
