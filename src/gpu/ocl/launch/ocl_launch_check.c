// SPDX-License-Identifier: Apache-2.0
// Runs an implementation's execute() with placeholders: memories that have descriptors and no
// buffers.
#include "ocl_launch_check.h"

#include "common/alloc.h"
#include "common/post_ops_check.h"
#include "gpu/ocl/queue/ocl_submission.h"
#include "ocl_nodes.h"

typedef struct {
    int nmemories;
    ocl_memory_t *placeholders; ///< behind `memory`: one for each place, and the scratchpad
    prim_memory_t *memory[];    ///< by place
} arguments_t;

/// A memory of 0 bytes is one that needs no buffer.
static prim_memory_t *add_placeholder(
        arguments_t *arguments, const prim_engine_t *engine, const prim_memory_desc_t *md)
{
    ocl_memory_t *const memory = &arguments->placeholders[arguments->nmemories++];
    memory->base.engine = (prim_engine_t *)(uintptr_t)engine; // nobody retains it
    if (md) memory->base.md = *md;
    return &memory->base;
}

static void set_arguments(arguments_t *arguments, const prim_desc_t *pd)
{
    const arg_places_t *const places = &pd->places;
    for (int i = 0; i < pd->ntensors; ++i)
        arguments->memory[i] = add_placeholder(arguments, pd->engine, &pd->tensors[i].md);
    for (int i = places->first_quant; i < places->first_operand; ++i) {
        // Numbered sources have a place for a scale each, also those that have none.
        const prim_memory_desc_t *const md = &pd->quant_mds[i - places->first_quant];
        if (md->ndims != 0) arguments->memory[i] = add_placeholder(arguments, pd->engine, md);
    }
    for (int i = 0; i < pd->attr.post_ops.len; ++i) {
        const post_op_t *const entry = &pd->attr.post_ops.entries[i];
        for (int k = 0; k < prim__post_op_noperands(entry); ++k)
            arguments->memory[prim__operand_place(places, i, k)] =
                    add_placeholder(arguments, pd->engine, prim__post_op_operand_md(entry, k));
    }
    if (pd->scratchpad_md.ndims != 0)
        arguments->memory[places->nplaces - 1] =
                add_placeholder(arguments, pd->engine, &pd->scratchpad_md);
}

prim_status_t prim__ocl_launch_check(const prim_t *primitive)
{
    const prim_desc_t *const pd = primitive->pd;
    if (pd->has_runtime || pd->peer) return PRIM_SUCCESS;
    const size_t nplaces = (size_t)pd->places.nplaces;
    const size_t bytes = sizeof(arguments_t) + nplaces * sizeof(prim_memory_t *) +
                         (nplaces + 1) * sizeof(ocl_memory_t);
    arguments_t *const arguments = prim__calloc(bytes);
    if (!arguments) return prim__fail_memory(bytes);
    arguments->placeholders = (ocl_memory_t *)(void *)(arguments->memory + nplaces);
    set_arguments(arguments, pd);
    ocl_nodes_t nodes = {.only_checks = true};
    ocl_submission_t submission = {.nodes = &nodes};
    exec_ctx_t ctx = {
            .places = &pd->places, .memory = arguments->memory, .submission = &submission};
    prim_memory_t *const scratchpad =
            pd->scratchpad_bytes > 0 ? add_placeholder(arguments, pd->engine, NULL) : NULL;
    const prim_status_t st = prim__primitive_run_with(primitive, &ctx, scratchpad);
    prim__free(arguments);
    return st;
}
