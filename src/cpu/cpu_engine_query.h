// SPDX-License-Identifier: Apache-2.0
// What the CPU engine tells of its processor.
#ifndef PRIM_CPU_CPU_ENGINE_QUERY_H
#define PRIM_CPU_CPU_ENGINE_QUERY_H

#include "cpu/cpu_engine.h"

/// Fills vendor and model of a new engine.
void prim__cpu_engine_identify(cpu_engine_t *engine);
/// engine_ops_t.engine_query
prim_status_t prim__cpu_engine_query(
        const prim_engine_t *base, prim_engine_query_t what, void *result);

#endif
