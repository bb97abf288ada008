// SPDX-License-Identifier: Apache-2.0
// Implementations, and the two objects they live in: the primitive descriptor (problem + choice)
// and the primitive (ready to run). This is the header an implementation starts from.
#ifndef PRIM_COMMON_IMPL_H
#define PRIM_COMMON_IMPL_H

#include <stdatomic.h>

#include "arg_places.h"
#include "attr.h"
#include "engine.h"
#include "memory_desc.h"
#include "op_desc.h"
#include "status.h"

/// One execution: what execute() gets. Lives on the caller's stack.
typedef struct exec_ctx {
    prim_stream_t *stream;
    const arg_places_t *places;   ///< the primitive's
    prim_memory_t *const *memory; ///< by place; NULL: not an argument. See prim__ctx_memory()
    prim_memory_t *scratchpad;    ///< NULL when none is booked
    void *submission;             ///< the backend's own state of the execution; NULL: none needed
} exec_ctx_t;

/// An implementation of an operation; a const object named prim__<backend>_<op>_<variant>.
typedef struct {
    const char *name;      ///< "<backend>:<op>:<variant>"
    size_t pd_size;        ///< sizeof the struct that embeds prim_desc_t as its first member
    size_t primitive_size; ///< sizeof the struct that embeds prim_t as its first member
    /// Accepts or declines the problem and fixes the configuration: formats for `any`, scratchpad,
    /// kernel parameters. Does no device work and builds nothing. What it adds to prim_desc_t is
    /// plain data (copied by memcpy, no owned pointers). Use REQUIRE and PREFER_OTHER_UNLESS.
    prim_status_t (*init_pd)(prim_desc_t *pd);
    /// Builds kernels and constant buffers. May be NULL. If it fails, fini still runs.
    prim_status_t (*init)(prim_t *primitive);
    /// Reentrant: all mutable state is in `ctx`.
    prim_status_t (*execute)(const prim_t *primitive, const exec_ctx_t *ctx);
    /// Frees what init made, also half of it. May be NULL.
    void (*fini)(prim_t *primitive);
    /// Looks at the kinds of its tensors. All others are never tried with a problem that has
    /// images.
    bool takes_images;
    /// Never tried with an input that is a broadcast by strides of 0.
    bool declines_broadcasts;
    /// Takes a depthwise convolution among the post-ops. All others are never tried with such a
    /// chain.
    bool takes_depthwise;
    /// The operation that it leaves the work to, in slot 0 (nested.h): the walk over the list asks
    /// it once for each implementation of that. NULL: none, or the best one of slot 0 alone.
    const struct op_schema *nests;
    /// Also the last one of that list, which takes every problem. Without it, the last of its own
    /// list, which does too, has its turn instead.
    bool nests_generic;
} impl_t;

/// Primitives that one primitive may have inside.
enum { MAX_NESTED = 8 };

/// The problem as it was given, layouts still open; shared by a descriptor and its clones.
typedef struct desc_origin desc_origin_t;

/// The problem and the implementation that took it. Created by prim__op_create(); immutable once
/// the user has it, but for prim_desc_next_impl() on the owner's own copy.
struct prim_desc {
    const impl_t *impl;
    prim_engine_t *engine; ///< retained; where it runs
    prim_engine_t *peer;   ///< retained or NULL; the other engine of a cross-engine reorder
    op_desc_t op;
    prim_attr_t attr; ///< owned copy
    /// Owned; of the values of scales and zero points, in the order of their places. NULL without.
    prim_memory_desc_t *quant_mds;
    int ntensors;
    tensor_t *tensors; ///< owned; inputs and outputs, layouts fixed by init_pd
    arg_places_t places;
    bool has_runtime; ///< a tensor or an operand of a post-op has dimensions known at execution
                      ///< only

    desc_origin_t *origin; ///< retained

    /// Owned; the problems that it leaves to other implementations, by slot (nested.h).
    prim_desc_t *nested[MAX_NESTED];
    int nnested;
    prim_desc_t *leading; ///< owned; nested[0] of the walk's step before, until init_pd moves it on
    size_t nested_scratch_offset; ///< of the scratchpad that they share, one after the other
    char nested_name[96];         ///< "ocl:ip:matmul+tiled", see prim__pd_name()

    size_t scratchpad_bytes;
    prim_memory_desc_t scratchpad_md; ///< 1-D u8 in user mode, absent else

    int position;       ///< in the list, see prim_desc_next_impl()
    bool may_be_slower; ///< second pass: implementations that prefer a faster one are taken
    bool is_slower;     ///< this implementation is one of them
    char reason[192];   ///< why init_pd declined, cut if longer; empty: it did not
    char *declined;     ///< owned: "name: reason\n" for each implementation passed over
    uint64_t hash;      ///< of everything that makes two primitives the same
    bool is_tunable;    ///< init_pd had more than one configuration to choose from
    uint64_t choice;    ///< a hash of the one it took, 0 if there is but one
    const void *trial;  ///< of the backend's tuner on its own descriptors; NULL on all others
    /// The same in all processes, as far as programs depend on it; 0 without
    /// prim__desc_has_blob_id()
    uint64_t blob_id[2];
};

/// A primitive: immutable, shared, counted.
struct prim {
    const impl_t *impl;
    prim_desc_t *pd;            ///< owned
    prim_t *nested[MAX_NESTED]; ///< owned; of pd->nested, made before init
    atomic_int nrefs;
};

/// Ends init_pd: this implementation cannot do it. The sentence, with arguments as printf's, is for
/// somebody who wonders why: it names the tensor or the parameter and the value that did not fit.
#define REQUIRE(pd, condition, ...)                                \
    do {                                                           \
        if (!(condition)) return prim__decline((pd), __VA_ARGS__); \
    } while (0)

/// Ends init_pd in the first pass over the list: it could, but another one is faster.
#define PREFER_OTHER_UNLESS(pd, condition, ...)                                                \
    do {                                                                                       \
        if (!(condition) && !prim__may_be_slower(pd)) return prim__decline((pd), __VA_ARGS__); \
    } while (0)

/// Keeps the sentence, printf's format and arguments, and returns PRIM_UNIMPLEMENTED.
prim_status_t prim__decline(prim_desc_t *pd, const char *format, ...) PRIM_PRINTF(2, 3);
/// Notes that the implementation expects another one to be faster; returns whether to go on.
bool prim__may_be_slower(prim_desc_t *pd);

/// @name For init_pd and execute
/// @{

/// The tensor's descriptor; the absent tensor's if the problem has none such. Also knows the
/// operand of a binary or prelu post-op (PRIM_ARG_ATTR_MULTIPLE_POST_OP(i) | …), the values of
/// scales and zero points (PRIM_ARG_ATTR_SCALES | …) and PRIM_ARG_SCRATCHPAD.
const prim_memory_desc_t *prim__pd_md(const prim_desc_t *pd, int arg);
/// `arg`, or that of its gradient where a backward problem has only this: SRC or DIFF_SRC, WEIGHTS
/// or DIFF_WEIGHTS, BIAS or DIFF_BIAS, DST or DIFF_DST.
int prim__pd_arg_or_diff(const prim_desc_t *pd, int arg);
/// The same to write to, in init_pd only: layouts for `any`.
prim_memory_desc_t *prim__pd_md_mutable(prim_desc_t *pd, int arg);
/// The implementation's name for logs and users. One that nests adds the last words of what runs
/// inside: "ocl:ip:matmul+gemv_nt".
const char *prim__pd_name(const prim_desc_t *pd);
/// For init_pd, after the requirements: tensors of layout `any` take that of the one that the
/// schema says they follow.
prim_status_t prim__pd_follow(prim_desc_t *pd);
/// The same for a backward pass whose diff_dst and diff_src follow each other: where both are `any`
/// they become as the hint's dst is laid out or, without a hint, row-major.
prim_status_t prim__pd_follow_gradients(prim_desc_t *pd);
/// Whether the problem has the tensor.
bool prim__pd_has(const prim_desc_t *pd, int arg);
/// The forward pass of a backward problem, as its caller gave it; NULL: it was not given.
const prim_desc_t *prim__pd_hint(const prim_desc_t *pd);
/// Adds an output that the implementation needs, such as the workspace (init_pd only).
prim_status_t prim__pd_add_output(prim_desc_t *pd, int arg, const prim_memory_desc_t *md);

/// Books scratch memory for one execution (init_pd only). Returns its byte offset in the
/// scratchpad, a multiple of 128.
size_t prim__pd_book_scratchpad(prim_desc_t *pd, size_t bytes);

/// The memory passed for an argument, or NULL.
const prim_memory_t *prim__ctx_memory(const exec_ctx_t *ctx, int arg);
/// The actual descriptor at execution: the memory's own where the problem has run-time dimensions,
/// else the problem's.
const prim_memory_desc_t *prim__ctx_md(const exec_ctx_t *ctx, const prim_desc_t *pd, int arg);

/// @}

/// Creates the primitive itself, without the cache; refs 1.
prim_status_t prim__primitive_create(prim_t **out, const prim_desc_t *pd);

/// The same primitive with one more reference; prim_destroy() gives it up.
prim_t *prim__primitive_retain(const prim_t *primitive);

/// @name The steps of prim_execute() once its arguments are checked (execute.h)
/// @{

/// Executes, and logs if that is on; never captures.
prim_status_t prim__primitive_execute(const prim_t *primitive, exec_ctx_t *ctx);
/// The same without the log: the implementation's execute() between the backend's exec_begin() and
/// exec_end(), with a scratchpad that the engine lends.
prim_status_t prim__primitive_run(const prim_t *primitive, exec_ctx_t *ctx);
/// The implementation's execute() alone, with `scratchpad` (NULL: none is needed).
prim_status_t prim__primitive_run_with(
        const prim_t *primitive, exec_ctx_t *ctx, prim_memory_t *scratchpad);

/// @}

/// Whether two descriptors would make the same primitive, and a hash that agrees with it.
bool prim__desc_equal(const prim_desc_t *a, const prim_desc_t *b);
uint64_t prim__desc_hash(const prim_desc_t *pd);

/// Whether the engine's programs can be kept in blobs.
bool prim__desc_has_blob_id(const prim_desc_t *pd);
/// Fills pd->blob_id: problem, implementation, device, driver, library.
void prim__desc_set_blob_id(prim_desc_t *pd);

#endif
