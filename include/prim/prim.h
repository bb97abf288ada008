// SPDX-License-Identifier: Apache-2.0
/// @file prim.h
/// Prim: deep-learning primitives on the CPU and on every OpenCL device.
///
/// Make an engine (a device) and a stream (a queue). Describe tensors with memory descriptors. Ask
/// for a primitive descriptor: it checks the problem and picks the first implementation that takes
/// it. Create the primitive (this may compile kernels), then execute it as often as you like.
///
/// Rules that hold everywhere:
/// - Out-parameters come first and stay untouched on failure.
/// - Every failure leaves one sentence in prim_last_error(), for the calling thread.
/// - Destructors return nothing and take NULL.
/// - Descriptors passed in are copied. Each function says how long other objects must live.
/// - Primitive descriptors and primitives are immutable after creation and may be shared between
///   threads; executing one primitive from several threads at once is legal. Two threads may share
///   a stream. Setters (attributes, post-ops, memory handles) need the caller's own locking.
/// - NULL for a mandatory pointer is PRIM_INVALID_ARGUMENTS, always.
#ifndef PRIM_H
#define PRIM_H

#include "prim/prim_version.h"
#include "prim_attr.h"
#include "prim_gemm.h"
#include "prim_ops.h"
#include "prim_query.h"
#include "prim_recording.h"
#include "prim_tune.h"
#include "prim_types.h"

#ifdef __cplusplus
extern "C" {
#endif

/// @defgroup service Service
/// @{

/// The version of the library that is running. Never NULL.
PRIM_API const prim_version_t *prim_version(void);

/// The calling thread's last failure in one sentence, e.g. "softmax axis 4 is outside 0..2". Empty
/// before the first failure. Valid until the next Prim call that fails in this thread.
PRIM_API const char *prim_last_error(void);

/// Reports a failure of the caller's own as Prim reports its own: keeps `sentence` for
/// prim_last_error(), logs it (level `error` for runtime errors and memory, else `check`), and
/// returns `status`. For libraries on top of Prim whose users read one log; longer sentences are
/// cut at 1000 bytes.
/// @retval PRIM_INVALID_ARGUMENTS `sentence` is NULL
PRIM_API prim_status_t prim_report_failure(prim_status_t status, const char *sentence);

/// This and the next six: the name of a value as it stands in logs and on benchdnn's command line.
/// Never NULL; "undef" for unknown values. Here: "success", "invalid_arguments".
PRIM_API const char *prim_status_name(prim_status_t status);
/// "f32", "bf16", "u8".
PRIM_API const char *prim_data_type_name(prim_data_type_t data_type);
/// The canonical form: "abcd" for nchw.
PRIM_API const char *prim_format_tag_name(prim_format_tag_t tag);
/// "convolution", "matmul".
PRIM_API const char *prim_primitive_kind_name(prim_primitive_kind_t kind);
/// "forward_inference".
PRIM_API const char *prim_prop_kind_name(prim_prop_kind_t prop_kind);
/// "convolution_direct", "eltwise_relu".
PRIM_API const char *prim_alg_kind_name(prim_alg_kind_t alg_kind);
/// "cpu" or "gpu".
PRIM_API const char *prim_engine_kind_name(prim_engine_kind_t kind);

/// Bytes of the storage unit of one element (1 for the 4-bit types); 0 for an unknown type.
PRIM_API size_t prim_data_type_size(prim_data_type_t data_type);

/// Sets what is logged: a comma list of none, error, warn, info, check, dispatch, profile_create,
/// profile_exec, profile, all, filter=<substring of the primitive kind>; 0 (none), 1 (error, info,
/// profile_exec) and 2 (1 and profile_create) as in oneDNN. Replaces PRIM_VERBOSE, which is read
/// once at first use. If no word names a level, the level is error; unknown words are
/// PRIM_INVALID_ARGUMENTS. Log callbacks may not call this. profile_exec waits before and after
/// each execution, and logs its time on the device (doc/streams.md).
PRIM_API prim_status_t prim_set_verbose(const char *levels);

/// Sends log lines to `callback` instead of stdout; NULL goes back to stdout. What the callback
/// itself makes Prim log is dropped.
PRIM_API prim_status_t prim_set_log_callback(prim_log_callback_t callback, void *user);

/// Replaces the host allocator; NULL goes back to the system's. Call it before anything else
/// allocates: while library memory is outstanding it is PRIM_INVALID_ARGUMENTS.
PRIM_API prim_status_t prim_set_allocator(const prim_allocator_t *allocator);

/// Capacity of the primitive cache, which evicts the least recently used primitive: 1024 unless
/// PRIM_PRIMITIVE_CACHE_CAPACITY is set. 0 switches the cache off; negative is invalid.
PRIM_API prim_status_t prim_get_primitive_cache_capacity(int *capacity);
/// Primitives beyond the new capacity are evicted at once.
PRIM_API prim_status_t prim_set_primitive_cache_capacity(int capacity);

/// The folder in which compiled kernels outlive the process: by default PRIM_CACHE_DIR, else
/// $XDG_CACHE_HOME/prim, else $HOME/.cache/prim. NULL goes back to the default, "" keeps nothing.
/// The folder is created when something is to be kept. One that cannot be used is logged
/// (`warn`) and never a failure. It holds code that this process will run, so one that another user
/// owns, or may write to, is not used (doc/kernel_cache.md).
PRIM_API prim_status_t prim_set_cache_dir(const char *dir);
/// Copies the folder's name, zero-terminated, to `dir`; "" when nothing is kept.
/// @retval PRIM_INVALID_ARGUMENTS `dir_bytes` is too small
PRIM_API prim_status_t prim_get_cache_dir(char *dir, size_t dir_bytes);
/// How much the folder may hold: PRIM_CACHE_MAX_BYTES, else 256 MiB. Whenever something is added,
/// the least recently used entries are removed until the rest fits.
PRIM_API prim_status_t prim_set_cache_max_bytes(uint64_t max_bytes);
/// What prim_set_cache_max_bytes() set, or its default.
PRIM_API prim_status_t prim_get_cache_max_bytes(uint64_t *max_bytes);

/// The fpmath mode that new attributes start with: PRIM_DEFAULT_FPMATH_MODE, else strict.
PRIM_API prim_status_t prim_get_default_fpmath_mode(prim_fpmath_mode_t *mode);
/// Attributes that exist already keep their mode.
PRIM_API prim_status_t prim_set_default_fpmath_mode(prim_fpmath_mode_t mode);

/// @}
/// @defgroup engine Engines and streams
/// @{

/// Number of engines of a kind. PRIM_CPU: 1. PRIM_GPU: the OpenCL devices of all platforms, GPUs
/// first, then accelerators, then CPU-type devices; PRIM_OCL_DEVICE (an index or a part of a
/// device's or platform's name) narrows the list. 0 when there are none.
PRIM_API size_t prim_engine_get_count(prim_engine_kind_t kind);

/// Opens device `index` of a kind. Engines are reference-counted: every stream, memory, descriptor
/// and primitive keeps its engine alive. There is one CPU engine; each GPU engine has a context of
/// its own, and primitives refuse the memories of another engine: create it once and share it.
/// @retval PRIM_INVALID_ARGUMENTS there is no such device
PRIM_API prim_status_t prim_engine_create(
        prim_engine_t **engine, prim_engine_kind_t kind, size_t index);
/// PRIM_CPU or PRIM_GPU.
PRIM_API prim_status_t prim_engine_get_kind(const prim_engine_t *engine, prim_engine_kind_t *kind);
/// The device's name, e.g. "NVIDIA H200" or "cpu". Lives as long as the engine. NULL for NULL.
PRIM_API const char *prim_engine_name(const prim_engine_t *engine);
/// The bytes the device has and the largest single allocation it makes.
PRIM_API prim_status_t prim_engine_get_memory_limits(
        const prim_engine_t *engine, size_t *total_bytes, size_t *max_allocation_bytes);
/// The device memory that the engine holds for the library's own buffers, and how much of it is in
/// use (doc/memory.md). Buffers of the application do not count.
/// @retval PRIM_UNIMPLEMENTED the engine keeps no memory of its own (the CPU's)
PRIM_API prim_status_t prim_engine_get_memory_stats(
        const prim_engine_t *engine, prim_memory_stats_t *stats);
/// Limits how much the engine may hold from the device; 0 is no limit. Engines start with
/// PRIM_MEMORY_MAX_BYTES. Buffers in use stay, also beyond a new limit; an allocation that would
/// exceed it is PRIM_OUT_OF_MEMORY.
/// @retval PRIM_UNIMPLEMENTED as for the statistics
PRIM_API prim_status_t prim_engine_set_memory_limit(prim_engine_t *engine, uint64_t max_bytes);
/// Releases all idle buffers of the engine to the device and resets the peaks.
/// @retval PRIM_UNIMPLEMENTED as for the statistics
PRIM_API prim_status_t prim_engine_trim_memory(prim_engine_t *engine);
/// Answers one query about the device; the suffix of the query names the type that `result` points
/// to. Queries of self-tested features may run their tests, once; all other answers were collected
/// when the engine was made.
/// @retval PRIM_UNIMPLEMENTED engines of this kind, or this device, have no such property
PRIM_API prim_status_t prim_engine_query(
        const prim_engine_t *engine, prim_engine_query_t what, void *result);
/// Gives up the caller's reference; the last one closes the device.
PRIM_API void prim_engine_destroy(prim_engine_t *engine);

/// Makes a queue on the engine. `flags` is an OR of prim_stream_flags_t. CPU streams execute inside
/// prim_execute(); GPU streams run asynchronously until prim_stream_wait(). Executions on an
/// out-of-order stream may overlap and run in any order: order those that depend on each other by
/// prim_stream_wait() or by the events of prim_ocl_execute().
/// @retval PRIM_UNIMPLEMENTED out of order, and the engine is the CPU or its device has no such
/// queues
PRIM_API prim_status_t prim_stream_create(
        prim_stream_t **stream, prim_engine_t *engine, unsigned flags);
/// Borrowed: do not destroy it.
PRIM_API prim_status_t prim_stream_get_engine(const prim_stream_t *stream, prim_engine_t **engine);
/// Blocks until everything submitted is done, and reports failures of asynchronous work.
PRIM_API prim_status_t prim_stream_wait(prim_stream_t *stream);
/// With PRIM_STREAM_PROFILING: the time of each execution since the last reset, in nanoseconds,
/// oldest first. Call with `ns` NULL to learn `*count`; then `*count` is the room in `ns`. Waits
/// for the stream. Without the flag it is PRIM_INVALID_ARGUMENTS.
PRIM_API prim_status_t prim_stream_get_profile(prim_stream_t *stream, int *count, uint64_t *ns);
/// Forgets the recorded times. Needs PRIM_STREAM_PROFILING too.
PRIM_API prim_status_t prim_stream_reset_profile(prim_stream_t *stream);
/// Waits for submitted work first.
PRIM_API void prim_stream_destroy(prim_stream_t *stream);

/// @}
/// @defgroup memory_desc Memory descriptors
/// All build a value in the caller's storage; nothing needs to be freed.
/// @{

/// A dense tensor in a numbered layout; PRIM_FORMAT_ANY lets the implementation choose. `dims` has
/// ndims entries ≥ 0, or PRIM_RUNTIME_DIM_VAL with a plain layout. ndims is 1..12, and the tag's.
PRIM_API prim_status_t prim_memory_desc_init_by_tag(prim_memory_desc_t *md, int ndims,
        const prim_dim_t *dims, prim_data_type_t data_type, prim_format_tag_t tag);

/// The same by the layout's name: "abcd", "nhwc", "aBcd16b", "ABcd4b16a4b", "any".
PRIM_API prim_status_t prim_memory_desc_init_by_string_tag(prim_memory_desc_t *md, int ndims,
        const prim_dim_t *dims, prim_data_type_t data_type, const char *tag);

/// A plain tensor with the given strides in elements, ≥ 0. A stride of 0 is a broadcast: all
/// positions along the dimension are one element, and operations take the tensor as an input only.
/// Other strides must not let elements overlap. NULL strides are dense row-major. No stride, used
/// or not, reaches beyond 2^56 bytes, nor does the tensor.
PRIM_API prim_status_t prim_memory_desc_init_by_strides(prim_memory_desc_t *md, int ndims,
        const prim_dim_t *dims, prim_data_type_t data_type, const prim_dim_t *strides);

/// A tensor in an OpenCL image (image2d_t, CL_RGBA): every texel holds four consecutive channels,
/// the last ones of each pixel padded with zeros. doc/images.md says when images pay.
///   [N, C, H, W]   height N·H, width ceil(C/4)·W: channel block b of pixel (n, h, w) is texel
///                  (x, y) = (b·W + w, n·H + h)
///   [N, C, W]      height N, width ceil(C/4)·W
///   [N, C]         height N, width ceil(C/4)
///   [N]            rows of 2048 texels, one row if that is enough
/// The string tag "image" makes the same. f32 (CL_FLOAT) and f16 (CL_HALF_FLOAT); no dimension may
/// be 0 or known at run time only. Memories of such a descriptor live on GPU engines.
/// @retval PRIM_UNIMPLEMENTED more than 4 dimensions, or another data type
PRIM_API prim_status_t prim_memory_desc_init_image2d(
        prim_memory_desc_t *md, int ndims, const prim_dim_t *dims, prim_data_type_t data_type);

/// Width and height in texels of the image that a descriptor of an image stands for.
PRIM_API prim_status_t prim_memory_desc_get_image2d(
        const prim_memory_desc_t *md, size_t *width, size_t *height);

/// The window of `parent` that starts at `offsets` and has shape `dims`. It shares the parent's
/// buffer. On blocked dimensions offset and size must be multiples of the block, or the size reach
/// the parent's end; else PRIM_UNIMPLEMENTED, as for parents with run-time dimensions and images.
PRIM_API prim_status_t prim_memory_desc_submemory(prim_memory_desc_t *md,
        const prim_memory_desc_t *parent, const prim_dim_t *dims, const prim_dim_t *offsets);

/// The same elements in the same memory order under another shape with as many elements; dimensions
/// of 1 may be added or removed, contiguous dimensions split or merged. PRIM_INVALID_ARGUMENTS if
/// it would copy, PRIM_UNIMPLEMENTED with run-time dimensions and for images.
PRIM_API prim_status_t prim_memory_desc_reshape(
        prim_memory_desc_t *md, const prim_memory_desc_t *in, int ndims, const prim_dim_t *dims);

/// Logical transposition without copying: dimension d of `in` becomes dimension permutation[d].
/// PRIM_UNIMPLEMENTED for images.
PRIM_API prim_status_t prim_memory_desc_permute_axes(
        prim_memory_desc_t *md, const prim_memory_desc_t *in, const int *permutation);

/// Whether both describe the same tensor in the same place (unused fields do not count). False,
/// with a sentence in prim_last_error(), if one is not a valid descriptor.
PRIM_API bool prim_memory_desc_equal(const prim_memory_desc_t *a, const prim_memory_desc_t *b);

/// Bytes from the buffer's start to the end of the tensor, padding included; of an image, those of
/// its texels; 0 for the absent tensor and for `any`, and, with a sentence in prim_last_error(),
/// for what is not a valid descriptor; PRIM_RUNTIME_SIZE_VAL with runtime dimensions.
PRIM_API size_t prim_memory_desc_get_size(const prim_memory_desc_t *md);

/// Writes the layout's name ("acdb", "aBcd16b"; "any"; "image"; "" when strides have no name) to
/// `text`.
PRIM_API prim_status_t prim_memory_desc_get_tag(
        const prim_memory_desc_t *md, char *text, size_t text_bytes);

/// Serialises the descriptor: `blob` NULL returns the size. Only the same library version reads it.
/// Its checksum detects up to three flipped bits for certain, and misses other damage once in 2^32.
PRIM_API prim_status_t prim_memory_desc_get_blob(
        const prim_memory_desc_t *md, size_t *size_bytes, void *blob);
/// The descriptor from its blob of prim_memory_desc_get_blob().
/// @retval PRIM_INVALID_ARGUMENTS another version wrote it, or it is damaged
PRIM_API prim_status_t prim_memory_desc_init_by_blob(
        prim_memory_desc_t *md, size_t size_bytes, const void *blob);

/// @}
/// @defgroup memory Memory
/// @{

/// Makes a tensor on an engine. `handle`: PRIM_MEMORY_ALLOCATE for a buffer the library owns,
/// PRIM_MEMORY_NONE for none yet, else the user's own: a host pointer on a CPU engine, a cl_mem on
/// a GPU engine (retained while in use; prim_ocl.h has a form with an offset). `md` must have a
/// known layout and no runtime dimension. Contents start undefined, padding of blocked layouts
/// included, except that the padding of library-owned memory starts as zeros.
/// An image: GPU engines only; a cl_mem of the user's is then an image2d of the descriptor's width
/// and height or more, CL_RGBA and CL_FLOAT or CL_HALF_FLOAT.
/// @retval PRIM_UNIMPLEMENTED an image on a CPU engine, or one that the device cannot hold
PRIM_API prim_status_t prim_memory_create(
        prim_memory_t **memory, const prim_memory_desc_t *md, prim_engine_t *engine, void *handle);
/// Borrowed, valid while the memory lives.
PRIM_API const prim_memory_desc_t *prim_memory_get_desc(const prim_memory_t *memory);
/// Borrowed: do not destroy it.
PRIM_API prim_status_t prim_memory_get_engine(const prim_memory_t *memory, prim_engine_t **engine);
/// Gives the host a pointer to the whole buffer, waiting for work that uses it on every stream of
/// the engine. Until unmap the device must not touch the memory. The pointer to an image is a copy
/// of its rows without gaps ([N, C, H, W]: the layout acBd4b), one mapping at a time; unmap writes
/// it back.
PRIM_API prim_status_t prim_memory_map_data(const prim_memory_t *memory, void **pointer);
/// Ends the mapping; what the host wrote is there for work submitted later.
PRIM_API prim_status_t prim_memory_unmap_data(const prim_memory_t *memory, void *pointer);
/// Copies `bytes` from the host's `data` to the memory, from byte `offset_bytes` on: what
/// prim_memory_map_data() shows, in the descriptor's own layout and type; nothing is converted (a
/// reorder does that). To fill a tensor, pass prim_memory_desc_get_size() bytes and offset 0. Waits
/// for work that uses the engine's streams, and is done when it returns: `data` stays the caller's,
/// and work submitted later sees the bytes. The memory must not be mapped. Any thread may call it;
/// two that write the same bytes need the caller's own order.
/// @retval PRIM_INVALID_ARGUMENTS the bytes do not lie in the memory, or it has no buffer
PRIM_API prim_status_t prim_memory_write(
        prim_memory_t *memory, const void *data, size_t bytes, size_t offset_bytes);
/// Copies bytes from the memory to `data`; waits for all work that was submitted before.
PRIM_API prim_status_t prim_memory_read(
        const prim_memory_t *memory, void *data, size_t bytes, size_t offset_bytes);
/// The host pointer or the cl_mem, as in prim_memory_create(); the pointer of a shared memory.
PRIM_API prim_status_t prim_memory_get_data_handle(const prim_memory_t *memory, void **handle);
/// Replaces the buffer; a library-owned one is freed. prim_memory_set_data_handle_at() with offset
/// 0.
PRIM_API prim_status_t prim_memory_set_data_handle(prim_memory_t *memory, void *handle);
/// The tensor starts `offset_bytes` after the start of the application's buffer from now on, so
/// that one memory serves many places of a large allocation without being made anew. `handle` is
/// what prim_memory_create() takes (a host pointer, a cl_mem), or a pointer of the kind of a shared
/// memory (prim_ocl.h). The offset is a multiple of the element's size; of PRIM_OCL_HOST the sum is
/// one of the device's alignment, and an image has offset 0. On OpenCL the tensor must fit the
/// buffer; the size behind a host or SVM pointer is not known to the library. Executions that were
/// submitted before keep the old place; recordings use the new one from their next replay on. For
/// cl_mem prim_ocl_memory_get_buffer() tells the offset; pointers have it added. Like every setter
/// it needs the caller's own locking, also against prim_execute() with the same memory.
/// @retval PRIM_INVALID_ARGUMENTS the offset is not a multiple; the tensor does not fit, or would
/// lie beyond the last address; NULL with an offset; PRIM_MEMORY_ALLOCATE; an offset into the
/// buffer that the memory itself owns. The memory keeps its buffer.
PRIM_API prim_status_t prim_memory_set_data_handle_at(
        prim_memory_t *memory, void *handle, size_t offset_bytes);
/// A library-owned buffer is freed with it, but not before the recordings that captured it; the
/// user's own stays.
PRIM_API void prim_memory_destroy(prim_memory_t *memory);

/// @}
/// @defgroup primitive Primitive descriptors and primitives
/// @{

/// Moves the descriptor to the next implementation that takes the problem: first the remaining ones
/// that accept it, then those that could take it but declined because another one is faster. The
/// descriptor is unchanged when it fails.
/// @retval PRIM_LAST_IMPL_REACHED there is no further one
PRIM_API prim_status_t prim_desc_next_impl(prim_desc_t *pd);
/// An independent copy, at the same position in the list of implementations.
PRIM_API prim_status_t prim_desc_clone(prim_desc_t **pd, const prim_desc_t *from);
/// What the descriptor was made with; defaults for NULL. Borrowed, valid while the descriptor
/// lives.
PRIM_API prim_status_t prim_desc_get_attr(const prim_desc_t *pd, const prim_attr_t **attr);
/// Writes the answer to `result`, whose type stands at prim_query_t.
/// @retval PRIM_UNIMPLEMENTED this kind of primitive has no such property
PRIM_API prim_status_t prim_desc_query(
        const prim_desc_t *pd, prim_query_t what, int index, void *result);
/// The descriptor of a tensor, with the layout the implementation chose; ndims 0 when unused. NULL
/// when `what` is no tensor query. Borrowed.
PRIM_API const prim_memory_desc_t *prim_desc_query_md(
        const prim_desc_t *pd, prim_query_t what, int index);
/// Primitives made from it hold copies.
PRIM_API void prim_desc_destroy(prim_desc_t *pd);

/// Makes the descriptor executable: compiles kernels or takes a ready primitive from the cache.
PRIM_API prim_status_t prim_create(prim_t **primitive, const prim_desc_t *pd);
/// Creates the primitives of `n` descriptors of the engine in parallel, on this thread and a few
/// more, and puts them into the primitive cache, where prim_create() finds them (within its
/// capacity). Programs that several of them share are compiled once. All are tried; the returned
/// failure is that of the first descriptor that failed. Call it before the first use of a network.
PRIM_API prim_status_t prim_prepare(prim_engine_t *engine, int n, prim_desc_t *const *pds);
/// The primitive's built programs as bytes for the application to keep: `blob` NULL returns the
/// size in `*bytes`; else `*bytes` is the capacity of `blob`, and becomes the blob's size. Keep it
/// under the bytes of PRIM_QUERY_CACHE_BLOB_ID, which are those of no other problem,
/// implementation, device, driver or library version.
/// @retval PRIM_UNIMPLEMENTED the engine builds no programs (the CPU's), or its driver does not
/// return them
/// @retval PRIM_INVALID_ARGUMENTS there is too little room
PRIM_API prim_status_t prim_get_cache_blob(const prim_t *primitive, size_t *bytes, void *blob);
/// prim_create() with the programs from the blob of an equal primitive, of this process or another.
/// They are not compiled again. The blob is code that this process will run: give it only blobs
/// that nobody else could change.
/// @retval PRIM_UNIMPLEMENTED as above
/// @retval PRIM_INVALID_ARGUMENTS the blob is damaged, belongs to another problem, implementation,
/// device, driver or library, or the driver refuses it
PRIM_API prim_status_t prim_create_from_cache_blob(
        prim_t **primitive, const prim_desc_t *pd, size_t bytes, const void *blob);
/// Borrowed.
PRIM_API prim_status_t prim_get_desc(const prim_t *primitive, const prim_desc_t **pd);
/// Runs the primitive on the stream. Every tensor of the descriptor must be passed, with exactly
/// that memory descriptor (run-time dimensions filled in), on the primitive's engine, each argument
/// once; further arguments are ignored. Inputs and outputs may overlap only where the operation's
/// page says "in place"; one memory for an output and another tensor is refused elsewhere.
PRIM_API prim_status_t prim_execute(
        const prim_t *primitive, prim_stream_t *stream, int nargs, const prim_arg_t *args);
/// Gives up the caller's reference; the cache may keep another. Executions that were submitted
/// still finish.
PRIM_API void prim_destroy(prim_t *primitive);

/// @}

#ifdef __cplusplus
}
#endif

#endif
