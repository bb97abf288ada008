// SPDX-License-Identifier: Apache-2.0
// Primitives, ready to run, and one execution of them.
#ifndef PRIM_COMMON_PRIMITIVE_H
#define PRIM_COMMON_PRIMITIVE_H

#include <stdatomic.h>

#include "desc.h"

/// One execution: what execute() gets. Lives on the caller's stack.
typedef struct exec_ctx {
    prim_stream_t *stream;
    const arg_places_t *places;   ///< the primitive's
    prim_memory_t *const *memory; ///< by place; NULL: not an argument. See prim__ctx_memory()
    prim_memory_t *scratchpad;    ///< NULL when none is booked
    void *submission;             ///< the backend's own state of the execution; NULL: none needed
} exec_ctx_t;

/// A primitive: immutable, shared, counted.
struct prim {
    const struct impl *impl;
    prim_desc_t *pd;            ///< owned
    prim_t *nested[MAX_NESTED]; ///< owned; of pd->nested, made before init
    atomic_int nrefs;
};

/// The memory passed for an argument, or NULL.
const prim_memory_t *prim__ctx_memory(const exec_ctx_t *ctx, int arg);
/// The actual descriptor at execution: the memory's own where the problem has run-time dimensions,
/// else the problem's.
const prim_memory_desc_t *prim__ctx_md(const exec_ctx_t *ctx, const prim_desc_t *pd, int arg);

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

#endif
