// SPDX-License-Identifier: Apache-2.0
// dst = alpha·src + beta by an inner operation, and an outer one that is the inner one twice.
#include "nested_impls.h"

#include <string.h>

#include "cpu/cpu_memory.h"

extern const op_schema_t prim__eltwise_forward_schema;

// The inner operation: dst = alpha·src + beta, and its binary post-ops.

atomic_int ninner, nwrong;

static prim_status_t inner_init_pd(prim_desc_t *pd)
{
    const prim_dim_t n = prim__pd_md(pd, PRIM_ARG_SRC)->dims[0];
    prim__pd_book_scratchpad(pd, (size_t)n * sizeof(float));
    return prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_DST));
}

static prim_status_t picky_init_pd(prim_desc_t *pd)
{
    REQUIRE(pd, false, "the device has no patience");
    return PRIM_SUCCESS;
}

static prim_status_t slow_init_pd(prim_desc_t *pd)
{
    PREFER_OTHER_UNLESS(pd, false, "another one is faster");
    return inner_init_pd(pd);
}

typedef struct {
    prim_t base;
    bool is_made; ///< fini also comes where init did not get its turn
} inner_t;

static prim_status_t inner_init(prim_t *primitive)
{
    ((inner_t *)primitive)->is_made = true;
    atomic_fetch_add(&ninner, 1);
    return PRIM_SUCCESS;
}

static void inner_fini(prim_t *primitive)
{
    if (((inner_t *)primitive)->is_made) atomic_fetch_sub(&ninner, 1);
}

static float *at(const exec_ctx_t *ctx, const prim_desc_t *pd, int arg)
{
    return (float *)prim__cpu_ptr(ctx, arg) + prim__pd_md(pd, arg)->offset0;
}

static prim_status_t inner_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    const float *const src = at(ctx, pd, PRIM_ARG_SRC);
    float *const dst = at(ctx, pd, PRIM_ARG_DST), *const scratch =
                                                          prim__cpu_ptr(ctx, PRIM_ARG_SCRATCHPAD);
    const prim_dim_t n = prim__pd_md(pd, PRIM_ARG_SRC)->dims[0];
    for (prim_dim_t i = 0; i < n; ++i)
        scratch[i] = pd->op.u.eltwise.alpha * src[i] + pd->op.u.eltwise.beta;
    for (int k = 0; k < pd->attr.post_ops.len; ++k) {
        const float *const operand =
                prim__cpu_ptr(ctx, PRIM_ARG_ATTR_MULTIPLE_POST_OP(k) | PRIM_ARG_SRC_1);
        for (prim_dim_t i = 0; i < n; ++i) scratch[i] += operand[i];
    }
    if (prim__ctx_md(ctx, pd, PRIM_ARG_DST)->dims[0] != n) atomic_fetch_add(&nwrong, 1);
    memcpy(dst, scratch, (size_t)n * sizeof *dst);
    memset(scratch, 0xff, pd->scratchpad_bytes);
    return PRIM_SUCCESS;
}

#define INNER(object, text, function)          \
    const impl_t object = {.name = text,       \
            .pd_size = sizeof(prim_desc_t),    \
            .primitive_size = sizeof(inner_t), \
            .init_pd = function,               \
            .init = inner_init,                \
            .execute = inner_execute,          \
            .fini = inner_fini}
INNER(inner_picky, "t:inner:picky", picky_init_pd);
static INNER(inner_fast, "t:inner:fast", inner_init_pd);
INNER(inner_slow, "t:inner:slow", slow_init_pd);
INNER(inner_any, "t:inner:any", inner_init_pd);

static const impl_t *const inner_list[] = {
        &inner_picky, &inner_fast, &inner_slow, &inner_any, NULL};
static const impl_t *const *const inner_lists[PRIM_GPU + 1] = {[PRIM_CPU] = inner_list};
op_schema_t inner_schema;

void nested_impls_reset(void)
{
    inner_schema = prim__eltwise_forward_schema;
    inner_schema.lists = inner_lists;
    atomic_store(&nwrong, 0);
}

// The outer operation: the inner one twice, with what is between in the scratchpad, and the
// post-ops behind the second. It has a guard behind, too, that nobody else may write to.

typedef struct {
    prim_desc_t base;
    size_t between, guard; ///< in the scratchpad
} outer_pd_t;

static prim_status_t nest(prim_desc_t *pd, int slot, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    const op_desc_t op = {.kind = PRIM_ELTWISE,
            .prop_kind = PRIM_FORWARD_INFERENCE,
            .alg_kind = PRIM_ELTWISE_LINEAR,
            .u.eltwise = {pd->op.u.eltwise.alpha, 1.0f}};
    const prim_memory_desc_t *const mds[] = {src, dst};
    const request_t request = {.mds = mds, .attr = attr};
    return prim__nested_desc(pd, slot, &inner_schema, &op, &request);
}

static prim_status_t outer_init_pd(prim_desc_t *pd)
{
    outer_pd_t *const p = (outer_pd_t *)pd;
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    prim_memory_desc_t between;
    TRY(prim_memory_desc_init_by_strides(&between, 1, src->dims, PRIM_F32, NULL));
    prim_attr_t attr;
    prim_status_t st = prim__nested_attr_init(&attr, pd);
    TRY_OR(done, st);
    TRY_OR(done, nest(pd, FIRST, src, &between, NULL));
    TRY_OR(done, nest(pd, SECOND, &between, prim__pd_md(pd, PRIM_ARG_DST), &attr));
    *prim__pd_md_mutable(pd, PRIM_ARG_DST) = *prim__nested_md(pd, SECOND, PRIM_ARG_DST);
    p->between = prim__pd_book_scratchpad(pd, prim__md_bytes(&between));
    p->guard = prim__pd_book_scratchpad(pd, prim__md_bytes(&between));

done:
    prim__attr_fini(&attr);
    return st;
}

static prim_status_t outer_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const outer_pd_t *const p = (const outer_pd_t *)primitive->pd;
    char *const scratch = prim__cpu_ptr(ctx, PRIM_ARG_SCRATCHPAD);
    float *const guard = (float *)(scratch + p->guard);
    const prim_dim_t n = prim__pd_md(&p->base, PRIM_ARG_SRC)->dims[0];
    for (prim_dim_t i = 0; i < n; ++i) guard[i] = (float)i;

    nested_run_t run;
    prim__nested_begin(&run, primitive, ctx, FIRST);
    prim__nested_pass(&run, PRIM_ARG_SRC, PRIM_ARG_SRC);
    prim__nested_pass_view(&run, PRIM_ARG_DST, PRIM_ARG_SCRATCHPAD, p->between);
    TRY(prim__nested_execute(&run));
    prim__nested_begin(&run, primitive, ctx, SECOND);
    prim__nested_pass_view(&run, PRIM_ARG_SRC, PRIM_ARG_SCRATCHPAD, p->between);
    prim__nested_pass(&run, PRIM_ARG_DST, PRIM_ARG_DST);
    prim__nested_pass(&run, PRIM_ARG_BIAS, PRIM_ARG_SRC); // there is none
    prim__nested_pass_attr(&run);
    TRY(prim__nested_execute(&run));
    for (prim_dim_t i = 0; i < n; ++i)
        if (guard[i] != (float)i) atomic_fetch_add(&nwrong, 1);
    return PRIM_SUCCESS;
}

static const impl_t outer_two = {.name = "t:outer:two",
        .pd_size = sizeof(outer_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = outer_init_pd,
        .execute = outer_execute,
        .nests = &inner_schema,
        .nests_generic = true};
static const impl_t outer_fussy = {.name = "t:outer:fussy",
        .pd_size = sizeof(outer_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = outer_init_pd,
        .execute = outer_execute,
        .nests = &inner_schema};
static INNER(outer_any, "t:outer:any", inner_init_pd);
const impl_t *const outer_list[] = {&outer_two, &outer_any, NULL};
const impl_t *const nesting_list[] = {&outer_two, NULL};
const impl_t *const fussy_list[] = {&outer_fussy, &outer_any, NULL};
