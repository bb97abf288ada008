// SPDX-License-Identifier: Apache-2.0
// Engines as the backends extend them: the base struct, and the table of functions that a backend
// fills. Its streams and memories are extended likewise: stream.h, memory.h.
#ifndef PRIM_COMMON_ENGINE_H
#define PRIM_COMMON_ENGINE_H

#include <stdatomic.h>

#include "prim/prim.h"
#include "status.h"

struct exec_ctx;  // one execution: primitive.h
struct prim_desc; // desc.h

/// What a backend keeps of an execution between exec_begin and exec_end; on the submitting thread's
/// stack, not cleared.
typedef union {
    void *pointer;
    double number;
    unsigned char bytes[128];
} exec_state_t;

/// A backend. Every function is there unless its comment says otherwise; all may be called from any
/// thread. Pointers they get are never NULL.
typedef struct {
    prim_engine_kind_t kind;
    prim_runtime_t runtime;

    size_t (*count)(void);
    /// What a user should know about that number, as " (why)", or ""; NULL: nothing ever.
    void (*count_explain)(char *text, size_t bytes);
    prim_status_t (*engine_create)(prim_engine_t **engine, size_t index);
    /// Called when the last reference is released.
    void (*engine_destroy)(prim_engine_t *engine);
    prim_status_t (*engine_get_memory_limits)(
            const prim_engine_t *engine, size_t *total_bytes, size_t *max_allocation_bytes);
    /// As the public functions. All NULL for a backend that keeps no memory of its own.
    prim_status_t (*engine_get_memory_stats)(
            const prim_engine_t *engine, prim_memory_stats_t *stats);
    prim_status_t (*engine_set_memory_limit)(prim_engine_t *engine, uint64_t max_bytes);
    prim_status_t (*engine_trim_memory)(prim_engine_t *engine);
    /// Everything but PRIM_ENGINE_QUERY_NAME_STR. PRIM_UNIMPLEMENTED for what it does not know.
    prim_status_t (*engine_query)(
            const prim_engine_t *engine, prim_engine_query_t what, void *result);

    /// A text that identifies the device, its driver and this library, constant in the
    /// engine's life; NULL if there is none. NULL with the next two if there is nothing to keep.
    const char *(*engine_identity)(const prim_engine_t *engine);
    /// The built programs of a primitive as bytes for prim__free(), and their return: afterwards
    /// the engine has them. PRIM_INVALID_ARGUMENTS for bytes that are not wholly right.
    prim_status_t (*programs_export)(
            unsigned char **payload, size_t *payload_bytes, const prim_t *primitive);
    prim_status_t (*programs_import)(
            prim_engine_t *engine, const unsigned char *payload, size_t payload_bytes);

    /// After an implementation's init, before anybody has the primitive: whether what it passes to
    /// its kernels is what these take. NULL: there is nothing to check.
    prim_status_t (*primitive_check)(const prim_t *primitive);

    /// Tuning (tune.h); all four are NULL where nothing is tuned. Measures what `pd`, whose
    /// implementation accepted it, is fastest with; true when init_pd has to run again
    /// to use the result. What goes wrong is logged, and changes nothing.
    bool (*desc_tune)(const struct prim_desc *pd);
    /// As the public functions; `text` is for prim__free().
    prim_status_t (*tune_export)(char **text, prim_engine_t *engine);
    prim_status_t (*tune_import)(prim_engine_t *engine, const char *text);
    prim_status_t (*tune_clear)(prim_engine_t *engine);

    prim_status_t (*stream_create)(prim_stream_t **stream, prim_engine_t *engine, unsigned flags);
    prim_status_t (*stream_wait)(prim_stream_t *stream);
    void (*stream_destroy)(prim_stream_t *stream);
    /// As the public functions; called only for streams with PRIM_STREAM_PROFILING.
    prim_status_t (*stream_get_profile)(prim_stream_t *stream, int *count, uint64_t *ns);
    prim_status_t (*stream_reset_profile)(prim_stream_t *stream);
    /// What the backend does around an execution on ctx->stream: thread pool, profile entry,
    /// events. `exec_end` follows a successful `exec_begin`, on the same thread; `st` is what came
    /// between, and it returns `st` if that is a failure, else its own status.
    prim_status_t (*exec_begin)(struct exec_ctx *ctx, exec_state_t *state);
    prim_status_t (*exec_end)(struct exec_ctx *ctx, exec_state_t *state, prim_status_t st);
    /// prim__primitive_run() for the log: alone, from an idle stream to an idle one. `*ms` is what
    /// the execution took by the device's own clock; `*is_host_time` says that the host's had to
    /// do.
    prim_status_t (*stream_run_timed)(
            const prim_t *primitive, struct exec_ctx *ctx, double *ms, bool *is_host_time);

    /// `handle` as in prim_memory_create(); `bytes` is the descriptor's size. A buffer of its own
    /// holds zeros in the padding of `md`. The base fields engine, md and bytes are filled by the
    /// caller afterwards.
    prim_status_t (*memory_create)(prim_memory_t **memory, prim_engine_t *engine,
            const prim_memory_desc_t *md, size_t bytes, void *handle);
    void (*memory_destroy)(prim_memory_t *memory);
    prim_status_t (*memory_map)(const prim_memory_t *memory, void **pointer);
    prim_status_t (*memory_unmap)(const prim_memory_t *memory, void *pointer);
    /// `bytes` > 0, inside the memory, which has a buffer. Waits as mapping does.
    prim_status_t (*memory_write)(
            const prim_memory_t *memory, const void *data, size_t bytes, size_t offset_bytes);
    prim_status_t (*memory_read)(
            const prim_memory_t *memory, void *data, size_t bytes, size_t offset_bytes);
    /// Whether there is a buffer, whatever its size. Unlike asking for its handle it gives nothing
    /// out, so the backend stays free to use the buffer again.
    bool (*memory_has_buffer)(const prim_memory_t *memory);
    prim_status_t (*memory_get_handle)(const prim_memory_t *memory, void **handle);
    /// The offset is a multiple of the element's size, and 0 without a handle.
    prim_status_t (*memory_set_handle)(prim_memory_t *memory, void *handle, size_t offset_bytes);

    /// Makes `storage` (of MEMORY_VIEW_BYTES of memory.h, aligned for anything) a memory of the
    /// same engine: `bytes` of the buffer of `memory` from `offset_bytes` on. It owns nothing, its
    /// descriptor is the caller's to fill, and it lives no longer than `memory`, which is no image.
    void (*memory_view)(
            void *storage, const prim_memory_t *memory, size_t offset_bytes, size_t bytes);

    /// Recordings (recording.h); all three are NULL where executions are simply run again.
    /// `prepare` sets recording->prepared, also half made when it fails.
    prim_status_t (*recording_prepare)(prim_recording_t *recording, prim_stream_t *stream);
    /// Submits everything. Entries that are stale are prepared again first.
    prim_status_t (*recording_replay)(prim_recording_t *recording, prim_stream_t *stream);
    /// Frees `prepared`.
    void (*recording_destroy)(prim_recording_t *recording);

    /// Lends at least `bytes` of scratch memory to an execution (its ctx->scratchpad); give it back
    /// right after the execution was submitted. Contents are undefined.
    prim_status_t (*scratchpad_acquire)(struct exec_ctx *ctx, size_t bytes);
    void (*scratchpad_release)(struct exec_ctx *ctx);
} engine_ops_t;

struct prim_engine {
    const engine_ops_t *ops;
    atomic_int nrefs;
    atomic_int nhandles; ///< the callers' references among them
    size_t index;
    char name[160];
};

/// The backends of this build, NULL-terminated (impl_lists/engine_list.c).
const engine_ops_t *const *prim__engine_backends(void);

/// Fills the base of a new engine with one reference.
void prim__engine_init(
        prim_engine_t *engine, const engine_ops_t *ops, size_t index, const char *name);
void prim__engine_retain(prim_engine_t *engine);
/// For one more caller of a function that creates engines: takes a reference; false when the last
/// one has just gone.
bool prim__engine_share(prim_engine_t *engine);
void prim__engine_release(prim_engine_t *engine);
/// Tells how two engines differ: "gpu engine 0 (NAME) instead of the cpu". Returns `text`.
const char *prim__engine_difference(
        char *text, size_t bytes, const prim_engine_t *engine, const prim_engine_t *wanted);

#endif
