// SPDX-License-Identifier: Apache-2.0
// Matmul with run-time dimensions: at execution, when the shapes are known, another implementation
// is chosen for them, as dispatch would have done at creation. Its primitive comes from the
// primitive cache, and some are kept here, so that the first execution of a shape alone waits. What
// a recording captures goes to the generic implementation, which needs no scratchpad: the size of
// another one's is not known when the recording is prepared.
#include <pthread.h>

#include "common/alloc.h"
#include "common/ops/schema.h"
#include "common/ops/schema_create.h"
#include "common/ops/schema_table.h"
#include "common/post_ops_check.h"
#include "common/primitive_cache.h"
#include "gpu/ocl/kit/ocl_primitive.h"

extern const impl_t prim__ocl_matmul_deferred;

/// Shapes that a primitive remembers.
enum { NSHAPES = 16 };

/// What executions change; the lock guards it.
typedef struct {
    pthread_mutex_t lock;
    unsigned long clock;
    prim_t *primitives[NSHAPES]; ///< owned; of one set of shapes each; NULL: free
    unsigned long used[NSHAPES]; ///< the clock at the last use
} memory_t;

typedef struct {
    ocl_primitive_t base;
    memory_t *memory; ///< owned
    prim_t *generic;  ///< owned
} deferred_t;

_Static_assert(offsetof(deferred_t, base) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *pd)
{
    bool is_open = false;
    for (int i = 0; i < pd->ntensors; ++i) {
        TRY(prim__md_set_row_major_if_any(&pd->tensors[i].md));
        is_open = is_open || prim__md_has_runtime(&pd->tensors[i].md);
    }
    REQUIRE(pd, is_open, "all dimensions are known at creation");
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, true));
    REQUIRE(pd, !prim__post_ops_any_md(&pd->attr.post_ops, prim__md_has_runtime),
            "the shape of a post-op's operand is known only at execution");
    REQUIRE(pd, pd->attr.scratchpad_mode == PRIM_SCRATCHPAD_LIBRARY,
            "the user's scratchpad would have a size that is known only at execution");
    return PRIM_SUCCESS;
}

/// The descriptor of the problem: with the shapes of an execution, or open ones for NULL.
static prim_status_t create_desc(prim_desc_t **out, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    const op_schema_t *const schema = prim__schema_of(&pd->op);
    const prim_memory_desc_t *mds[MAX_RULES] = {NULL};
    for (int i = 0; schema->tensors[i].arg != PRIM_ARG_UNDEF; ++i) {
        const int arg = schema->tensors[i].arg;
        if (prim__pd_has(pd, arg)) mds[i] = ctx ? prim__ctx_md(ctx, pd, arg) : prim__pd_md(pd, arg);
    }
    const request_t request = {.engine = pd->engine, .mds = mds, .attr = &pd->attr};
    return prim__op_create(out, schema, &pd->op, &request);
}

/// The implementation at the end of the list, which takes every problem.
static prim_status_t create_generic(prim_t **generic, const prim_desc_t *pd)
{
    const impl_t *const *last = prim__schema_list(prim__schema_of(&pd->op), PRIM_GPU);
    while (last[1]) ++last;
    prim_desc_t *open = NULL;
    prim_status_t st = PRIM_SUCCESS;
    TRY_OR(done, create_desc(&open, pd, NULL));
    while (open->impl != *last) TRY_OR(done, prim_desc_next_impl(open));
    TRY_OR(done, prim__primitive_create(generic, open));

done:
    prim_desc_destroy(open);
    return st;
}

static prim_status_t init(prim_t *primitive)
{
    deferred_t *const d = (deferred_t *)primitive;
    memory_t *const memory = prim__calloc(sizeof *memory);
    if (!memory) return prim__fail_memory(sizeof *memory);
    if (pthread_mutex_init(&memory->lock, NULL) != 0) {
        prim__free(memory);
        return prim__fail(PRIM_RUNTIME_ERROR, "a mutex cannot be made");
    }
    d->memory = memory;
    return create_generic(&d->generic, primitive->pd);
}

static void fini(prim_t *primitive)
{
    deferred_t *const d = (deferred_t *)primitive;
    prim_destroy(d->generic);
    if (d->memory) {
        for (int i = 0; i < NSHAPES; ++i) prim_destroy(d->memory->primitives[i]);
        pthread_mutex_destroy(&d->memory->lock);
        prim__free(d->memory);
    }
    prim__ocl_primitive_fini(primitive);
}

/// Whether the primitive was made for the shapes of this execution.
static bool fits(const prim_t *primitive, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    for (int i = 0; i < pd->ntensors; ++i) {
        const int arg = pd->tensors[i].arg;
        if (!prim__md_equal(prim__pd_md(primitive->pd, arg), prim__ctx_md(ctx, pd, arg)))
            return false;
    }
    return true;
}

/// With one more reference; NULL: there is none.
static prim_t *find(memory_t *memory, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    prim_t *found = NULL;
    pthread_mutex_lock(&memory->lock);
    for (int i = 0; i < NSHAPES && !found; ++i) {
        prim_t *const candidate = memory->primitives[i];
        if (!candidate || !fits(candidate, pd, ctx)) continue;
        memory->used[i] = ++memory->clock;
        found = prim__primitive_retain(candidate);
    }
    pthread_mutex_unlock(&memory->lock);
    return found;
}

/// Keeps a reference of its own in the place that was used the longest ago.
static void keep(memory_t *memory, const prim_t *primitive)
{
    pthread_mutex_lock(&memory->lock);
    int oldest = 0;
    for (int i = 1; i < NSHAPES; ++i)
        if (memory->used[i] < memory->used[oldest]) oldest = i;
    prim_t *const gone = memory->primitives[oldest];
    memory->primitives[oldest] = prim__primitive_retain(primitive);
    memory->used[oldest] = ++memory->clock;
    pthread_mutex_unlock(&memory->lock);
    prim_destroy(gone);
}

/// With a reference for the caller.
static prim_status_t get(
        prim_t **primitive, memory_t *memory, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    *primitive = find(memory, pd, ctx);
    if (*primitive) return PRIM_SUCCESS;
    prim_desc_t *known = NULL;
    prim_status_t st = PRIM_SUCCESS;
    bool was_hit = false;
    TRY_OR(done, create_desc(&known, pd, ctx));
    TRY_OR(done, prim__cache_get(primitive, known, &was_hit));
    keep(memory, *primitive);

done:
    prim_desc_destroy(known);
    return st;
}

/// Arguments have the same places: tensors and attributes are the same but for their shapes.
static prim_status_t run(const prim_t *primitive, const exec_ctx_t *outer)
{
    const engine_ops_t *const ops = primitive->pd->engine->ops;
    const size_t bytes = primitive->pd->scratchpad_bytes;
    exec_ctx_t ctx = *outer;
    if (bytes == 0) return prim__primitive_run_with(primitive, &ctx, NULL);
    TRY(ops->scratchpad_acquire(&ctx, bytes));
    const prim_status_t st = prim__primitive_run_with(primitive, &ctx, ctx.scratchpad);
    ops->scratchpad_release(&ctx);
    return st;
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const deferred_t *const d = (const deferred_t *)primitive;
    if (prim__ocl_is_captured(ctx)) return run(d->generic, ctx);
    prim_t *known = NULL;
    TRY(get(&known, d->memory, primitive->pd, ctx));
    const prim_status_t st = run(known, ctx);
    prim_destroy(known);
    return st;
}

const impl_t prim__ocl_matmul_deferred = {
        .name = "ocl:matmul:deferred",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(deferred_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = fini,
};
