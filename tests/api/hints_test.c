// SPDX-License-Identifier: Apache-2.0
// The hints of all backward passes, on each engine: the forward pass of the problem is taken, and
// what is no forward pass of the operation is not, with a sentence and without a descriptor.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"
#include "gradient_cases.h"

enum { MAX_CASES = 256 };

static prim_primitive_kind_t kind_of(const prim_desc_t *pd)
{
    prim_primitive_kind_t kind = PRIM_PRIMITIVE_UNDEF;
    api_expect(prim_desc_query(pd, PRIM_QUERY_PRIMITIVE_KIND, 0, &kind), PRIM_SUCCESS);
    return kind;
}

static void expect_refusal(const gradient_case_t *c, prim_engine_t *engine, const prim_desc_t *hint,
        const char *hint_name)
{
    prim_desc_t *pd = UNTOUCHED(prim_desc_t *);
    const prim_status_t st = c->backward(&pd, engine, hint, c);
    if (st != PRIM_INVALID_ARGUMENTS || pd != UNTOUCHED(prim_desc_t *) ||
            !strstr(prim_last_error(), "hint"))
        fail_msg("%s with %s as a hint: %s, \"%s\"", c->pass, hint_name, prim_status_name(st),
                prim_last_error());
}

/// The hints that the pass of case `i` must not take: forward passes of other operations, and its
/// own backward pass.
static void refuse_others(prim_engine_t *engine, prim_desc_t *const *forwards, int i)
{
    const gradient_case_t *const c = &gradient_cases[i];
    prim_desc_t *backward = NULL;
    api_expect(c->backward(&backward, engine, forwards[i], c), PRIM_SUCCESS);
    expect_refusal(c, engine, backward, "a backward pass");
    prim_desc_destroy(backward);
    for (int k = 0; k < gradient_ncases; ++k)
        if (kind_of(forwards[k]) != kind_of(forwards[i]))
            expect_refusal(c, engine, forwards[k], gradient_cases[k].pass);
}

static void hints_are_forward_passes_of_the_operation(void **state)
{
    (void)state;
    prim_desc_t *forwards[MAX_CASES] = {NULL};
    assert_true(gradient_ncases <= MAX_CASES);
    for (int e = 0; api_engine(e); ++e) {
        prim_engine_t *const engine = api_engine(e);
        for (int i = 0; i < gradient_ncases; ++i) {
            const gradient_case_t *const c = &gradient_cases[i];
            api_expect(c->forward(&forwards[i], engine, PRIM_F32, c), PRIM_SUCCESS);
        }
        for (int i = 0; i < gradient_ncases; ++i) refuse_others(engine, forwards, i);
        for (int i = 0; i < gradient_ncases; ++i) prim_desc_destroy(forwards[i]);
    }
}

/// A workspace that the CPU's forward pass made means nothing to another engine's backward pass;
/// where there is none the shapes are all that a hint says.
static void workspaces_stay_on_their_engine(void **state)
{
    (void)state;
    int nrefused = 0;
    for (int e = 1; api_engine(e); ++e) {
        for (int i = 0; i < gradient_ncases; ++i) {
            const gradient_case_t *const c = &gradient_cases[i];
            prim_desc_t *forward = NULL, *backward = NULL;
            api_expect(c->forward(&forward, api_engine(0), PRIM_F32, c), PRIM_SUCCESS);
            const bool has_workspace =
                    prim_desc_query_md(forward, PRIM_QUERY_WORKSPACE_MD, 0)->ndims > 0;
            if (has_workspace)
                expect_refusal(c, api_engine(e), forward, "the CPU's forward pass");
            else
                api_expect(c->backward(&backward, api_engine(e), forward, c), PRIM_SUCCESS);
            nrefused += has_workspace;
            prim_desc_destroy(backward);
            prim_desc_destroy(forward);
        }
    }
    assert_true(!api_engine(1) || nrefused > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(hints_are_forward_passes_of_the_operation),
            cmocka_unit_test(workspaces_stay_on_their_engine)};
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
