// SPDX-License-Identifier: Apache-2.0
// Streams as the backends extend them.
#ifndef PRIM_COMMON_STREAM_H
#define PRIM_COMMON_STREAM_H

#include "prim/prim.h"

struct prim_stream {
    prim_engine_t *engine; ///< retained
    unsigned flags;
    _Atomic(prim_recording_t *) capture; ///< owned; what records the stream, or NULL
};

/// Fills the base of a new stream and retains its engine; fini releases it. Backends call them.
void prim__stream_init(prim_stream_t *stream, prim_engine_t *engine, unsigned flags);
void prim__stream_fini(prim_stream_t *stream);

#endif
