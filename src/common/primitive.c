// SPDX-License-Identifier: Apache-2.0
// Primitives: creation, the work of an execution, reference counting.
#include "primitive.h"

#include "alloc.h"
#include "impl.h"
#include "log.h"
#include "verbose.h"

/// A copy of the descriptor with the shapes of this execution; NULL when none was open, or without
/// memory.
static prim_desc_t *fill_in(const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    prim_desc_t *copy = NULL;
    if (!pd->has_runtime || prim_desc_clone(&copy, pd) != PRIM_SUCCESS) return NULL;
    for (int i = 0; i < pd->ntensors; ++i)
        copy->tensors[i].md = *prim__ctx_md(ctx, pd, pd->tensors[i].arg);
    return copy;
}

static void log_exec(const prim_desc_t *pd, const exec_ctx_t *ctx, double ms, bool is_host_time)
{
    char text[2048];
    prim_desc_t *const filled = fill_in(pd, ctx);
    prim__verbose_describe(filled ? filled : pd, text, sizeof text);
    prim__log(LOG_PROFILE_EXEC, prim_primitive_kind_name(pd->op.kind), "primitive,exec%s,%s,%g",
            is_host_time ? ":host_time" : "", text, ms);
    prim_desc_destroy(filled);
}

prim_status_t prim__primitive_create(prim_t **out, const prim_desc_t *pd)
{
    prim_t *const primitive = prim__calloc(pd->impl->primitive_size);
    if (!primitive) return prim__fail_memory(pd->impl->primitive_size);
    prim_status_t st = PRIM_SUCCESS;
    primitive->impl = pd->impl;
    atomic_init(&primitive->nrefs, 1);
    TRY_OR(fail, prim_desc_clone(&primitive->pd, pd));
    for (int i = 0; i < pd->nnested; ++i)
        TRY_OR(fail, prim__primitive_create(&primitive->nested[i], primitive->pd->nested[i]));
    if (pd->impl->init) TRY_OR(fail, pd->impl->init(primitive));
    const engine_ops_t *const ops = pd->engine->ops;
    if (ops->primitive_check) TRY_OR(fail, ops->primitive_check(primitive));
    *out = primitive;
    return PRIM_SUCCESS;

fail:
    prim_destroy(primitive);
    return st;
}

prim_t *prim__primitive_retain(const prim_t *primitive)
{
    prim_t *const shared = (prim_t *)(uintptr_t)primitive; // the count is all that changes
    atomic_fetch_add_explicit(&shared->nrefs, 1, memory_order_relaxed);
    return shared;
}

prim_status_t prim_get_desc(const prim_t *primitive, const prim_desc_t **pd)
{
    CHECK_NOT_NULL(primitive);
    CHECK_NOT_NULL(pd);
    *pd = primitive->pd;
    return PRIM_SUCCESS;
}

const prim_memory_t *prim__ctx_memory(const exec_ctx_t *ctx, int arg)
{
    if (arg == PRIM_ARG_SCRATCHPAD) return ctx->scratchpad;
    const int place = prim__arg_place(ctx->places, arg);
    return place >= 0 ? ctx->memory[place] : NULL;
}

const prim_memory_desc_t *prim__ctx_md(const exec_ctx_t *ctx, const prim_desc_t *pd, int arg)
{
    const prim_memory_desc_t *const md = prim__pd_md(pd, arg);
    if (!pd->has_runtime || !prim__md_has_runtime(md)) return md;
    const prim_memory_t *const memory = prim__ctx_memory(ctx, arg);
    return memory ? &memory->md : md;
}

// Whether no output has an element. What an implementation prepares for its work may depend on the
// other tensors' sizes, so it is not called.
static bool writes_nothing(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    for (int i = 0; i < pd->ntensors; ++i) {
        if (!pd->tensors[i].is_output) continue;
        const prim_memory_desc_t *const md = &ctx->memory[i]->md; // without open dimensions
        if (!prim__md_is_zero(md) && !prim__md_is_empty(md)) return false;
    }
    return true;
}

prim_status_t prim__primitive_run_with(
        const prim_t *primitive, exec_ctx_t *ctx, prim_memory_t *scratchpad)
{
    if (writes_nothing(primitive, ctx)) return PRIM_SUCCESS;
    const bool is_users = primitive->pd->scratchpad_md.ndims != 0;
    ctx->scratchpad = is_users ? ctx->memory[ctx->places->nplaces - 1] : scratchpad;
    return primitive->impl->execute(primitive, ctx);
}

// The user's scratchpad, or one that the engine lends until the commands are submitted.
static prim_status_t run_with_scratchpad(const prim_t *primitive, exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    const engine_ops_t *const ops = pd->engine->ops;
    if (pd->scratchpad_bytes == 0 || pd->scratchpad_md.ndims != 0)
        return prim__primitive_run_with(primitive, ctx, NULL);
    if (writes_nothing(primitive, ctx)) return PRIM_SUCCESS;
    TRY(ops->scratchpad_acquire(ctx, pd->scratchpad_bytes));
    const prim_status_t st = primitive->impl->execute(primitive, ctx);
    ops->scratchpad_release(ctx);
    return st;
}

prim_status_t prim__primitive_run(const prim_t *primitive, exec_ctx_t *ctx)
{
    const engine_ops_t *const ops = primitive->pd->engine->ops;
    exec_state_t state;
    TRY(ops->exec_begin(ctx, &state));
    return ops->exec_end(ctx, &state, run_with_scratchpad(primitive, ctx));
}

static prim_status_t run_logged(const prim_t *primitive, exec_ctx_t *ctx)
{
    double ms = 0;
    bool is_host_time = false;
    TRY(primitive->pd->engine->ops->stream_run_timed(primitive, ctx, &ms, &is_host_time));
    log_exec(primitive->pd, ctx, ms, is_host_time);
    return PRIM_SUCCESS;
}

prim_status_t prim__primitive_execute(const prim_t *primitive, exec_ctx_t *ctx)
{
    if (prim__log_is_on(LOG_PROFILE_EXEC)) return run_logged(primitive, ctx);
    return prim__primitive_run(primitive, ctx);
}

void prim_destroy(prim_t *primitive)
{
    if (!primitive) return;
    if (atomic_fetch_sub_explicit(&primitive->nrefs, 1, memory_order_acq_rel) != 1) return;
    if (primitive->impl->fini) primitive->impl->fini(primitive);
    for (int i = 0; i < MAX_NESTED; ++i) prim_destroy(primitive->nested[i]);
    prim_desc_destroy(primitive->pd);
    prim__free(primitive);
}
