// SPDX-License-Identifier: Apache-2.0
/// @file prim_recording.h
/// Recordings of executions. Part of prim.h, which includes it; doc/streams.md is the guide.
#ifndef PRIM_RECORDING_H
#define PRIM_RECORDING_H

#include "prim_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @defgroup recording Recordings
/// A recording captures a sequence of executions once and replays it as often as you like. A replay
/// takes less host time than executing: arguments were checked and set at capture.
/// @{

/// From here to prim_recording_end(), executions on the stream are checked and captured instead of
/// run. Everything else on the stream, such as prim_stream_wait(), goes on as before. No other
/// thread may execute on the stream while begin or end is called.
/// @retval PRIM_INVALID_ARGUMENTS the stream is being recorded already
/// @retval PRIM_UNIMPLEMENTED the stream is out of order
PRIM_API prim_status_t prim_recording_begin(prim_stream_t *stream);
/// Ends the capture, also when the recording cannot be made. The recording keeps its engine, its
/// primitives and its memories (but no host pointer or cl_mem of the application's that was
/// replaced since) until it is destroyed; the caller may destroy theirs. It owns the scratch memory
/// of its executions.
/// @retval PRIM_INVALID_ARGUMENTS the stream is not being recorded
PRIM_API prim_status_t prim_recording_end(prim_recording_t **recording, prim_stream_t *stream);
/// How many executions were captured.
PRIM_API prim_status_t prim_recording_get_count(const prim_recording_t *recording, int *count);
/// Submits the executions in order on an in-order stream of the engine. Memories stand for the
/// buffers they have now. Each of the `nswaps` pairs of `swaps` (NULL for none) puts another memory
/// of the same engine and descriptor in the place of a captured one, for this replay; the recording
/// keeps it until the next. Any thread may replay; replays of one recording are submitted one after
/// the other. Those on different streams must not overlap on the device: they share the scratch
/// memory, and the memories that were not swapped. On a profiling stream each execution has its
/// entry.
/// @retval PRIM_INVALID_ARGUMENTS a pair has two engines or descriptors, or a memory that was not
/// captured, or one twice; a memory has no buffer; the stream is another engine's
/// @retval PRIM_UNIMPLEMENTED the stream is out of order, or is itself being recorded
PRIM_API prim_status_t prim_recording_replay(prim_recording_t *recording, prim_stream_t *stream,
        int nswaps, const prim_memory_swap_t *swaps);
/// Replays that were submitted still finish.
PRIM_API void prim_recording_destroy(prim_recording_t *recording);

/// @}

#ifdef __cplusplus
}
#endif

#endif
