// SPDX-License-Identifier: Apache-2.0
// One small problem of every pass of every operation: what the fault and thread tests run. The
// problems are lines of benchdnn, inputs/<driver>/test_<driver>_scenario, and its drivers create
// their descriptors, so that a new operation brings its own.
#ifndef PRIM_TESTS_SCENARIO_H
#define PRIM_TESTS_SCENARIO_H

#include <prim/prim.h>

/// A problem of a few tensors, with some attributes where the operation has them.
typedef struct {
    const char *name; ///< benchdnn's line without the mode: "softmax --dir=BWD_D 9x100"
    prim_status_t (*create_desc)(prim_desc_t **pd, prim_engine_t *engine); ///< of a test's own
    const void *problem; ///< of a scenario that was read: benchdnn's bench_case_t
} scenario_t;

enum { MAX_SCENARIOS = 128 };

extern scenario_t scenarios[MAX_SCENARIOS];
extern int nscenarios;

/// Reads the scenarios of a kind of engine, once, before anything of the library is counted. False
/// after a sentence on stdout, also when prim_ops.h offers a pass that no line is of.
bool scenarios_read(prim_engine_kind_t kind);
/// The same of test_<driver>_<set> of some drivers, whatever passes they have.
bool scenarios_read_set(
        prim_engine_kind_t kind, const char *set, const char *const *drivers, int ndrivers);
/// The first scenario of a driver that has the options in its line: "softmax --dir=BWD_D". Ends the
/// program with a sentence if there is none.
const scenario_t *scenario_find(const char *text);

prim_status_t scenario_create_desc(
        prim_desc_t **pd, const scenario_t *scenario, prim_engine_t *engine);

enum { SCENARIO_MAX_ARGS = 16 };

/// A primitive with its tensors: filled with fixed values.
typedef struct {
    prim_t *primitive;
    int nargs;
    prim_arg_t args[SCENARIO_MAX_ARGS];
    prim_memory_t *dst; ///< the result that is compared
} case_t;

/// On failure nothing is left allocated and `*out` is as before.
prim_status_t scenario_open(case_t *out, const scenario_t *scenario, prim_engine_t *engine);
void scenario_close(case_t *c);
/// Executes on the stream and waits.
prim_status_t scenario_run(const case_t *c, prim_stream_t *stream);
/// A checksum of the destination's bytes (FNV-1a).
prim_status_t scenario_checksum(const case_t *c, uint64_t *sum);

#endif
