// SPDX-License-Identifier: Apache-2.0
// Recordings: executions captured from a stream, with the memories they use in numbered slots, so
// that others can take their places. A backend may prepare them (engine_ops_t); without that a
// replay runs them one by one.
#ifndef PRIM_COMMON_RECORDING_H
#define PRIM_COMMON_RECORDING_H

#include <pthread.h>

#include "impl.h"

/// One captured execution.
typedef struct {
    prim_t *primitive;      ///< retained
    prim_memory_t **memory; ///< owned; by place, those that are bound to the slots
    int *slots;             ///< owned; of each place, −1: no argument
    bool is_stale; ///< an argument changed since the backend prepared it; the backend clears it
} recorded_t;

typedef struct {
    prim_memory_t *memory; ///< retained; as captured
    prim_memory_t *bound;  ///< retained; in its place since the latest replay
    unsigned generation;   ///< of `bound`'s buffer then
    prim_memory_t *wanted; ///< borrowed; during a replay
    bool has_changed;      ///< during a replay
} recording_slot_t;

/// The lock guards all that changes after the capture; a replay holds it until it is submitted.
struct prim_recording {
    prim_engine_t *engine; ///< retained
    pthread_mutex_t lock;
    recorded_t *entries; ///< owned, in order
    int nentries, entries_room;
    recording_slot_t *slots; ///< owned
    int nslots, slots_room;
    void *prepared; ///< the backend's; NULL before it prepared
};

/// Captures one execution whose arguments were checked; `memory` by the primitive's places.
prim_status_t prim__recording_add(
        prim_recording_t *recording, const prim_t *primitive, prim_memory_t *const *memory);
/// The recording that captures the stream's executions, or NULL.
prim_recording_t *prim__recording_of(const prim_stream_t *stream);

#endif
