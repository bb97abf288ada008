// SPDX-License-Identifier: Apache-2.0
// The CPU engine: one object for the whole process while anyone holds it, with the scratch memory
// of its executions.
#ifndef PRIM_CPU_ENGINE_H
#define PRIM_CPU_ENGINE_H

#include "cpu/cpu_scratchpad.h"

typedef struct {
    prim_engine_t base;
    cpu_scratchpads_t scratchpads;
} cpu_engine_t;

#endif
