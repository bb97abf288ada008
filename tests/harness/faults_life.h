// SPDX-License-Identifier: Apache-2.0
// The lives that faults.c lets fail: what happens between the first call and the last.
#ifndef PRIM_TESTS_FAULTS_LIFE_H
#define PRIM_TESTS_FAULTS_LIFE_H

#include <CL/cl.h>

#include "scenario.h"

struct life_kind;

/// Everything that is alive; zeros at first.
typedef struct {
    const struct life_kind *kind;
    prim_engine_t *engine, *host;
    prim_stream_t *stream;
    prim_desc_t *descs[2];
    case_t c;
    prim_recording_t *recording;
    cl_context context; ///< the application's, in lives where it brings its own
    cl_device_id device;
    cl_command_queue queue;
    cl_mem buffers[2];
    int nexecuted; ///< executions that may have succeeded
    uint64_t sum;  ///< of the results; 0: not yet known
} life_t;

/// One call of the library, or a few that undo themselves when one fails: it may be tried again.
typedef struct {
    const char *name;
    prim_status_t (*run)(life_t *life);
} step_t;

typedef struct life_kind {
    const char *name;              ///< "long …": minutes, so only when it is asked for
    const char *scenario;          ///< what scenario_find() looks for
    int first_step;                ///< OpenCL calls fail from this step on
    bool (*prepare)(life_t *life); ///< what the application does before; may be NULL
    void (*finish)(life_t *life);  ///< and after everything of the library is destroyed
    step_t steps[8];               ///< one without a function ends them
} life_kind_t;

/// Of the runtime, in all that it does; one without a name ends them.
extern const life_kind_t life_kinds[];
/// The plain life of any scenario: lacks its name.
extern const life_kind_t life_of_scenario;

/// Steps of faults_life_tune.c: tuning results go; primitive and memories come, after a tuning run.
prim_status_t life_forget_results(life_t *life);
prim_status_t life_make_tuned(life_t *life);

/// Step of faults_life_copy.c: prim_memory_read() and prim_memory_write().
prim_status_t life_copy_through_host(life_t *life);

/// Destroys all that is the library's.
void life_end(life_t *life);

#endif
