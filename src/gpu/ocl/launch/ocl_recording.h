// SPDX-License-Identifier: Apache-2.0
// Prepared recordings: for each captured execution the commands it enqueues, kernels as clones
// whose arguments are set, so that a replay only enqueues. An execution whose memories changed is
// run through its implementation again, which sets the arguments of the same clones.
#ifndef PRIM_OCL_RECORDING_H
#define PRIM_OCL_RECORDING_H

#include "common/recording.h"

/// See engine_ops_t.
prim_status_t prim__ocl_recording_prepare(prim_recording_t *recording, prim_stream_t *stream);
prim_status_t prim__ocl_recording_replay(prim_recording_t *recording, prim_stream_t *stream);
void prim__ocl_recording_destroy(prim_recording_t *recording);

#endif
