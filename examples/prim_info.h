// SPDX-License-Identifier: Apache-2.0
// What prim-info measures.
#ifndef PRIM_INFO_H
#define PRIM_INFO_H

#include <prim/prim.h>

/// Each prints its lines, and returns 0, or 1 after a message on stderr.
int measure_cpu(prim_engine_t *engine);
int measure_ocl(prim_engine_t *engine);

/// The middle one of `n` values, which are sorted by it.
double median(double *values, int n);

#endif
