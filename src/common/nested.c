// SPDX-License-Identifier: Apache-2.0
// Descriptors of nested problems, and executions of nested primitives.
#include "nested.h"

#include <assert.h>
#include <string.h>

#include "desc_storage.h"
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

/// Whether it is the last implementation of its list, which takes every problem.
static bool is_generic(const prim_desc_t *nested)
{
    return nested->origin->list[nested->position + 1] == NULL;
}

/// The first or, in a step of the walk, the next implementation of what is nested in slot 0. No
/// other one: PRIM_LAST_IMPL_REACHED in a step, else PRIM_UNIMPLEMENTED.
static prim_status_t lead(prim_desc_t **out, prim_desc_t *pd, const op_schema_t *schema,
        const op_desc_t *op, const request_t *request)
{
    prim_status_t st = PRIM_SUCCESS;
    prim_desc_t *nested = pd->leading;
    const bool is_step = nested != NULL;
    pd->leading = NULL;
    TRY_OR(fail, is_step ? prim_desc_next_impl(nested) : create(&nested, pd, schema, op, request));
    while (is_generic(nested) && !pd->impl->nests_generic)
        TRY_OR(fail, prim_desc_next_impl(nested));
    if (nested->is_slower && !prim__may_be_slower(pd)) st = PRIM_LAST_IMPL_REACHED;
    if (st != PRIM_SUCCESS) goto fail;
    *out = nested;
    return PRIM_SUCCESS;

fail:
    if (st == PRIM_LAST_IMPL_REACHED && !is_step)
        st = prim__decline(pd, nested->is_slower
                                       ? "the nested problem has slower implementations only"
                                       : "the nested problem has its generic implementation only");
    prim_desc_destroy(nested);
    return st;
}

prim_status_t prim__nested_desc(prim_desc_t *pd, int slot, const op_schema_t *schema,
        const op_desc_t *op, const request_t *request)
{
    assert(slot == pd->nnested && slot < MAX_NESTED);
    assert(slot > 0 || !pd->impl->nests || pd->impl->nests == schema);
    prim_desc_t *nested = NULL;
    if (slot == 0)
        TRY(lead(&nested, pd, schema, op, request));
    else
        TRY(create(&nested, pd, schema, op, request));
    // The best of a further slot may be a slower one, as its parent would be.
    if (slot > 0 && nested->is_slower && !prim__may_be_slower(pd)) {
        prim_desc_destroy(nested);
        return prim__decline(pd, "a nested problem has slower implementations only");
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
