// SPDX-License-Identifier: Apache-2.0
// The CPU engine: one object per process while somebody references it, with the scratch memory of
// executions.
#ifndef PRIM_CPU_ENGINE_H
#define PRIM_CPU_ENGINE_H

#include "cpu/cpu_scratchpad.h"

typedef struct {
    prim_engine_t base;
    cpu_scratchpads_t scratchpads;
    char vendor[16], model[64]; ///< of the processor; "" where unknown
} cpu_engine_t;

#endif
