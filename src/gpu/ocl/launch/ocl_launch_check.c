// SPDX-License-Identifier: Apache-2.0
// Runs an implementation's execute() with memories that have descriptors and no buffers.
#include "ocl_launch_check.h"

#include "common/alloc.h"
#include "gpu/ocl/queue/ocl_submission.h"
#include "ocl_nodes.h"

typedef struct {
    int nmemories;
    ocl_memory_t *stand_ins; ///< behind `memory`: one for each place, and the scratchpad
    prim_memory_t *memory[]; ///< by place
} stage_t;

/// A memory of 0 bytes is one that needs no buffer.
static prim_memory_t *stand_in(
        stage_t *stage, const prim_engine_t *engine, const prim_memory_desc_t *md)
{
    ocl_memory_t *memory = &stage->stand_ins[stage->nmemories++];
    memory->base.engine = (prim_engine_t *)(uintptr_t)engine; // nobody retains it
    if (md) memory->base.md = *md;
    return &memory->base;
}

static void set_stage(stage_t *stage, const prim_desc_t *pd)
{
    const arg_places_t *places = &pd->places;
    for (int i = 0; i < pd->ntensors; ++i)
        stage->memory[i] = stand_in(stage, pd->engine, &pd->tensors[i].md);
    for (int i = places->first_quant; i < places->first_operand; ++i) {
        // Numbered sources have a place for a scale each, also those that have none.
        const prim_memory_desc_t *md = &pd->quant_mds[i - places->first_quant];
        if (md->ndims != 0) stage->memory[i] = stand_in(stage, pd->engine, md);
    }
    for (int i = 0; i < pd->attr.post_ops.len; ++i) {
        const post_op_t *entry = &pd->attr.post_ops.entries[i];
        if (prim__post_op_operand_arg(entry, i))
            stage->memory[places->first_operand + i] = stand_in(stage, pd->engine, &entry->src1_md);
    }
    if (pd->scratchpad_md.ndims != 0)
        stage->memory[places->nplaces - 1] = stand_in(stage, pd->engine, &pd->scratchpad_md);
}

prim_status_t prim__ocl_launch_check(const prim_t *primitive)
{
    const prim_desc_t *pd = primitive->pd;
    if (pd->has_runtime || pd->peer) return PRIM_SUCCESS;
    const size_t nplaces = (size_t)pd->places.nplaces;
    const size_t bytes = sizeof(stage_t) + nplaces * sizeof(prim_memory_t *) +
                         (nplaces + 1) * sizeof(ocl_memory_t);
    stage_t *stage = prim__calloc(bytes);
    if (!stage) return prim__fail_memory(bytes);
    stage->stand_ins = (ocl_memory_t *)(void *)(stage->memory + nplaces);
    set_stage(stage, pd);
    ocl_nodes_t nodes = {.only_checks = true};
    ocl_submission_t submission = {.nodes = &nodes};
    exec_ctx_t ctx = {.places = &pd->places, .memory = stage->memory, .submission = &submission};
    prim_memory_t *scratchpad = pd->scratchpad_bytes > 0 ? stand_in(stage, pd->engine, NULL) : NULL;
    const prim_status_t st = prim__primitive_run_with(primitive, &ctx, scratchpad);
    prim__free(stage);
    return st;
}
