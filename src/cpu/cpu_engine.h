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

/// Fills vendor and model of a new engine.
void prim__cpu_engine_identify(cpu_engine_t *engine);
/// engine_ops_t.engine_query
prim_status_t prim__cpu_engine_query(
        const prim_engine_t *base, prim_engine_query_t what, void *result);

#endif
