// SPDX-License-Identifier: Apache-2.0
// prim_execute() with one memory for several arguments: outputs are inputs only where the operation
// runs in place.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "fake_problem.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    (void)pd;
    return PRIM_SUCCESS;
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    (void)primitive;
    (void)ctx;
    return PRIM_SUCCESS;
}

static const impl_t impl = {.name = "t:in_place:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute};
static const impl_t *const list[] = {&impl, NULL};

/// Which memories of a call are the same: a letter for each input in its order, then dst's.
typedef struct {
    prim_primitive_kind_t kind;
    int args[2]; ///< the inputs
    const char *memories;
    const char *sentence; ///< NULL: it runs
} alias_t;

static prim_status_t execute_aliased(prim_engine_t *engine, const alias_t *c)
{
    const prim_memory_desc_t md = fake_md("f32:ab:2x3");
    prim_stream_t *stream = NULL;
    assert_int_equal(prim_stream_create(&stream, engine, PRIM_STREAM_DEFAULT), PRIM_SUCCESS);
    const op_desc_t op = {.kind = c->kind};
    const int ninputs = (int)strlen(c->memories) - 1;
    tensor_t tensors[3];
    prim_arg_t args[3];
    prim_memory_t *const memories[] = {fake_memory(&md, engine), fake_memory(&md, engine)};
    memset(tensors, 0, sizeof tensors);
    for (int i = 0; i <= ninputs; ++i) {
        tensors[i].arg = i < ninputs ? c->args[i] : PRIM_ARG_DST;
        tensors[i].is_output = i == ninputs;
        tensors[i].md = md;
        args[i] = (prim_arg_t){tensors[i].arg, memories[c->memories[i] - 'a']};
    }
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    assert_int_equal(
            prim__desc_create_from(&pd, list, engine, NULL, &op, tensors, ninputs + 1, NULL),
            PRIM_SUCCESS);
    assert_int_equal(prim_create(&primitive, pd), PRIM_SUCCESS);
    const prim_status_t st = prim_execute(primitive, stream, ninputs + 1, args);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
    prim_stream_destroy(stream);
    for (int i = 0; i < 2; ++i) prim_memory_destroy(memories[i]);
    return st;
}

static void outputs_are_inputs_only_in_place(void **state)
{
    static const alias_t cases[] = {
            {PRIM_SOFTMAX, {PRIM_ARG_SRC}, "aa", NULL},
            {PRIM_REORDER, {PRIM_ARG_FROM}, "ab", NULL},
            {PRIM_REORDER, {PRIM_ARG_FROM}, "aa",
                    "argument 17 (dst) is the memory of argument 1 (src) too, and reorder does "
                    "not"},
            {PRIM_BINARY, {PRIM_ARG_SRC_0, PRIM_ARG_SRC_1}, "aba", NULL},
            {PRIM_BINARY, {PRIM_ARG_SRC_0, PRIM_ARG_SRC_1}, "aaa", NULL},
            {PRIM_BINARY, {PRIM_ARG_SRC_0, PRIM_ARG_SRC_1}, "aab", NULL},
            {PRIM_BINARY, {PRIM_ARG_SRC_0, PRIM_ARG_SRC_1}, "abb", "argument 2 (src1) too"},
            {PRIM_SUM, {PRIM_ARG_MULTIPLE_SRC, PRIM_ARG_MULTIPLE_SRC + 1}, "aba", NULL},
            {PRIM_SUM, {PRIM_ARG_MULTIPLE_SRC, PRIM_ARG_MULTIPLE_SRC + 1}, "abb", "(src 1) too"},
            {PRIM_MATMUL, {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS}, "aab", NULL},
            {PRIM_MATMUL, {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS}, "abb", "(weights) too, and matmul"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        const prim_status_t st = execute_aliased(*state, &cases[i]);
        assert_int_equal(st, cases[i].sentence ? PRIM_INVALID_ARGUMENTS : PRIM_SUCCESS);
        if (cases[i].sentence && !strstr(prim_last_error(), cases[i].sentence))
            fail_msg("\"%s\" lacks %s", prim_last_error(), cases[i].sentence);
    }
}

static int open_engine(void **state)
{
    *state = fake_open_cpu();
    return 0;
}

static int close_engine(void **state)
{
    assert_int_equal(prim_set_primitive_cache_capacity(0), PRIM_SUCCESS);
    assert_int_equal(prim_set_primitive_cache_capacity(1024), PRIM_SUCCESS);
    prim_engine_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(outputs_are_inputs_only_in_place)};
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
