// SPDX-License-Identifier: Apache-2.0
// What the tests of recordings share: one step between two vectors, on any engine.
#ifndef RECORDING_RIG_H
#define RECORDING_RIG_H

#include "api_fixture.h"

enum { N = 100 };

/// One step x → x/2 + 1 between vectors a and b.
typedef struct {
    prim_engine_t *engine;
    prim_stream_t *stream;
    prim_t *step;
    prim_memory_t *a, *b;
} rig_t;

rig_t rig_open(prim_engine_t *engine);
void rig_close(rig_t *rig);

/// Destroys the descriptor.
prim_t *rig_create(prim_desc_t *pd);
void rig_fill(prim_memory_t *memory, float value);
/// The value that all elements must have.
float rig_read(prim_memory_t *memory);
void rig_step(const rig_t *rig, prim_memory_t *src, prim_memory_t *dst);
/// Ends the capture.
prim_recording_t *rig_end(prim_stream_t *stream);
/// A recording of the step from a to b.
prim_recording_t *rig_record_step(const rig_t *rig);
/// Replays and waits.
void rig_replay(
        prim_recording_t *recording, prim_stream_t *stream, int n, const prim_memory_swap_t *swaps);

#endif
