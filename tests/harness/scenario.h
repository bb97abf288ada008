// SPDX-License-Identifier: Apache-2.0
// One small problem of every operation, through the public interface alone: what the fault and
// thread tests run.
#ifndef PRIM_TESTS_SCENARIO_H
#define PRIM_TESTS_SCENARIO_H

#include <prim/prim.h>

/// A problem of f32 tensors with some attributes where the operation has them.
typedef struct {
    const char *name;
    prim_status_t (*create_desc)(prim_desc_t **pd, prim_engine_t *engine);
} scenario_t;

extern const scenario_t scenarios[];
extern const int nscenarios;

enum { SCENARIO_MAX_ARGS = 16 };

/// A primitive with its tensors: inputs filled with fixed values, outputs zeroed.
typedef struct {
    prim_t *primitive;
    int nargs;
    prim_arg_t args[SCENARIO_MAX_ARGS];
    prim_memory_t *dst;
} case_t;

/// On failure nothing is left allocated and `*out` is as before.
prim_status_t case_create(case_t *out, const scenario_t *scenario, prim_engine_t *engine);
void case_destroy(case_t *c);
/// Executes on the stream and waits.
prim_status_t case_run(const case_t *c, prim_stream_t *stream);
/// A checksum of the destination's bytes (FNV-1a).
prim_status_t case_checksum(const case_t *c, uint64_t *sum);

#endif
