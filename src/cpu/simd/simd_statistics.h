// SPDX-License-Identifier: Apache-2.0
// The statistics of layer normalisation as a tensor of a nest of loops.
#ifndef PRIM_CPU_SIMD_STATISTICS_H
#define PRIM_CPU_SIMD_STATISTICS_H

#include "common/impl.h"

/// Statistics have the dimensions of data but for the last one; where there are none, data stand
/// in.
void prim__simd_expand_statistics(prim_memory_desc_t *expanded, const prim_memory_desc_t *data,
        const prim_memory_desc_t *statistics);

#endif
