// SPDX-License-Identifier: Apache-2.0
// Descriptors of nested problems, and executions of nested primitives.
#include "nested.h"

#include <assert.h>
#include <string.h>

#include "dispatch.h"

prim_status_t prim__nested_attr_init(prim_attr_t *attr, const prim_desc_t *pd)
{
    prim__attr_init(attr);
    TRY(prim__attr_copy(attr, &pd->attr));
    attr->scratchpad_mode = PRIM_SCRATCHPAD_LIBRARY;
    return PRIM_SUCCESS;
}

/// Keeps `nested`, or destroys it.
static prim_status_t keep(prim_desc_t *pd, int slot, prim_desc_t *nested)
{
    prim_status_t st = PRIM_SUCCESS;
    if (nested->has_runtime || nested->places.nplaces > MAX_NESTED_PLACES)
        TRY_OR(fail,
                prim__decline(pd,
                        nested->has_runtime
                                ? "a nested problem has dimensions that are known at execution only"
                                : "a nested problem has more than 128 arguments"));
    if (nested->declined) TRY_OR(fail, prim__desc_add_declined(pd, nested->declined));
    pd->nested[slot] = nested;
    pd->nnested = slot + 1;
    return PRIM_SUCCESS;

fail:
    prim_desc_destroy(nested);
    return st;
}

static prim_status_t create(prim_desc_t **nested, const prim_desc_t *pd, const op_schema_t *schema,
        const op_desc_t *op, const request_t *request)
{
    request_t own = *request;
    own.engine = pd->engine;
    assert(!own.attr || own.attr->scratchpad_mode == PRIM_SCRATCHPAD_LIBRARY);
    return prim__op_create(nested, schema, op, &own);
}

/// The one before it in the walk, moved on; PRIM_LAST_IMPL_REACHED when it was the last.
static prim_status_t move_on(prim_desc_t **nested, prim_desc_t *pd)
{
    prim_desc_t *const leading = pd->leading;
    pd->leading = NULL;
    const prim_status_t st = prim_desc_next_impl(leading);
    if (st == PRIM_SUCCESS)
        *nested = leading;
    else
        prim_desc_destroy(leading);
    return st;
}

prim_status_t prim__nested_desc(prim_desc_t *pd, int slot, const op_schema_t *schema,
        const op_desc_t *op, const request_t *request)
{
    assert(slot == pd->nnested && slot < MAX_NESTED);
    assert(slot > 0 || pd->impl->nests == schema);
    const bool is_step = slot == 0 && pd->leading;
    prim_desc_t *nested = NULL;
    TRY(is_step ? move_on(&nested, pd) : create(&nested, pd, schema, op, request));
    if (nested->is_slower && !prim__may_be_slower(pd)) {
        prim_desc_destroy(nested);
        if (is_step) return PRIM_LAST_IMPL_REACHED;
        return prim__decline(pd, "the nested problem has slower implementations only");
    }
    return keep(pd, slot, nested);
}

const prim_memory_desc_t *prim__nested_md(const prim_desc_t *pd, int slot, int arg)
{
    return prim__pd_md(pd->nested[slot], arg);
}

void prim__nested_begin(nested_run_t *run, const prim_t *primitive, const exec_ctx_t *ctx, int slot)
{
    const prim_t *const nested = primitive->nested[slot];
    const arg_places_t *const places = &nested->pd->places;
    run->primitive = nested;
    run->parent = primitive->pd;
    run->outer = ctx;
    run->nviews = 0;
    run->ctx = (exec_ctx_t){.stream = ctx->stream,
            .places = places,
            .memory = run->memory,
            .submission = ctx->submission};
    memset(run->memory, 0, (size_t)places->nplaces * sizeof *run->memory);
}

/// The memory of a parent's argument. Whether it is written is for the descriptors to say.
static prim_memory_t *outer_memory(const nested_run_t *run, int arg)
{
    return (prim_memory_t *)(uintptr_t)prim__ctx_memory(run->outer, arg);
}

void prim__nested_pass(nested_run_t *run, int arg, int from)
{
    const int place = prim__arg_place(run->ctx.places, arg);
    if (place < 0) return;
    run->memory[place] = outer_memory(run, from);
    assert(run->memory[place]->md.offset0 == prim__pd_md(run->primitive->pd, arg)->offset0);
    assert(run->memory[place]->md.data_type == prim__pd_md(run->primitive->pd, arg)->data_type);
}

static prim_memory_t *make_view(
        nested_run_t *run, const prim_memory_t *memory, size_t offset_bytes, size_t bytes)
{
    assert(run->nviews < MAX_NESTED_VIEWS && !prim__md_is_image(&memory->md));
    void *const storage = run->views[run->nviews++].bytes;
    memory->engine->ops->memory_view(storage, memory, offset_bytes, bytes);
    return storage;
}

void prim__nested_pass_view(nested_run_t *run, int arg, int from, size_t offset_bytes)
{
    const int place = prim__arg_place(run->ctx.places, arg);
    if (place < 0) return;
    const prim_memory_desc_t *const md = prim__pd_md(run->primitive->pd, arg);
    run->memory[place] = make_view(run, outer_memory(run, from), offset_bytes, prim__md_bytes(md));
    run->memory[place]->md = *md;
}

void prim__nested_pass_attr(nested_run_t *run)
{
    const arg_places_t *const to = run->ctx.places, *const from = run->outer->places;
    const int n = to->nplaces - 1 - to->first_quant; // the last is the scratchpad's
    assert(n == from->nplaces - 1 - from->first_quant);
    memcpy(run->memory + to->first_quant, run->outer->memory + from->first_quant,
            (size_t)n * sizeof *run->memory);
}

prim_status_t prim__nested_execute(nested_run_t *run)
{
    const size_t bytes = run->primitive->pd->scratchpad_bytes;
    prim_memory_t *scratchpad = run->outer->scratchpad;
    const size_t offset_bytes = run->parent->nested_scratch_offset;
    if (bytes > 0 && offset_bytes > 0) scratchpad = make_view(run, scratchpad, offset_bytes, bytes);
    return prim__primitive_run_with(run->primitive, &run->ctx, bytes > 0 ? scratchpad : NULL);
}
