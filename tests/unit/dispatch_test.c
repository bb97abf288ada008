// SPDX-License-Identifier: Apache-2.0
// The dispatch walk: both passes, reasons, order of prim_desc_next_impl(), clones, bookkeeping of
// init_pd.
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "common/desc_key.h"
#include "fake_problem.h"

static prim_status_t set_dst(prim_desc_t *pd)
{
    return prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_DST));
}

static prim_status_t accept(prim_desc_t *pd)
{
    return set_dst(pd);
}

static prim_status_t decline(prim_desc_t *pd)
{
    // What a decliner leaves behind must not reach the next implementation.
    prim__pd_book_scratchpad(pd, 1000);
    pd->op.alg_kind = PRIM_ELTWISE_TANH;
    REQUIRE(pd, pd->ntensors == 7, "needs seven tensors");
    return PRIM_SUCCESS;
}

static prim_status_t decline_with_text(prim_desc_t *pd)
{
    REQUIRE(pd, false, "rank %d", 1);
    return PRIM_SUCCESS;
}

static prim_status_t decline_through_helper(prim_desc_t *pd)
{
    (void)pd;
    return prim__fail(PRIM_UNIMPLEMENTED, "a helper says no");
}

static prim_status_t accept_if_slower(prim_desc_t *pd)
{
    PREFER_OTHER_UNLESS(pd, false, "short rows: another one wins");
    return set_dst(pd);
}

static prim_status_t decline_when_slower(prim_desc_t *pd)
{
    PREFER_OTHER_UNLESS(pd, false, "would be slow");
    REQUIRE(pd, false, "and cannot either");
    return PRIM_SUCCESS;
}

static prim_status_t break_down(prim_desc_t *pd)
{
    (void)pd;
    return prim__fail(PRIM_RUNTIME_ERROR, "the device is gone");
}

static prim_status_t leave_any(prim_desc_t *pd)
{
    (void)pd;
    return PRIM_SUCCESS;
}

typedef struct {
    prim_desc_t base;
    int config[64];
} large_pd_t;

static prim_status_t accept_large(prim_desc_t *pd)
{
    large_pd_t *const large = (large_pd_t *)pd;
    for (int i = 0; i < 64; ++i) {
        assert_int_equal(large->config[i], 0);
        large->config[i] = i;
    }
    return set_dst(pd);
}

static prim_status_t no_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    (void)primitive;
    (void)ctx;
    return PRIM_SUCCESS;
}

#define IMPL(object, text, function)            \
    static const impl_t object = {.name = text, \
            .pd_size = sizeof(prim_desc_t),     \
            .primitive_size = sizeof(prim_t),   \
            .init_pd = function,                \
            .execute = no_execute}

IMPL(impl_accept, "t:accept", accept);
IMPL(impl_decline, "t:decline", decline);
IMPL(impl_text, "t:text", decline_with_text);
IMPL(impl_helper, "t:helper", decline_through_helper);
IMPL(impl_slower, "t:slower", accept_if_slower);
IMPL(impl_neither, "t:neither", decline_when_slower);
IMPL(impl_fail, "t:fail", break_down);
IMPL(impl_any, "t:any", leave_any);
static const impl_t impl_large = {.name = "t:large",
        .pd_size = sizeof(large_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = accept_large,
        .execute = no_execute};

static prim_engine_t *engine;

static int open_engine(void **state)
{
    (void)state;
    engine = fake_open_cpu();
    return 0;
}

static int close_engine(void **state)
{
    (void)state;
    prim_engine_destroy(engine);
    return 0;
}

static prim_status_t create(prim_desc_t **pd, const impl_t *const *list)
{
    const fake_problem_t problem = fake_problem(8);
    return prim__desc_create_from(pd, list, engine, NULL, &problem.op, problem.tensors, 2, NULL);
}

static void expect_impl(const prim_desc_t *pd, const char *name, const char *declined)
{
    const char *text = NULL;
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &text), PRIM_SUCCESS);
    assert_string_equal(text, name);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_DECLINED_STR, 0, &text), PRIM_SUCCESS);
    assert_string_equal(text, declined);
}

static void takes_the_first_that_accepts(void **state)
{
    (void)state;
    const impl_t *const list[] = {&impl_accept, &impl_large, NULL};
    prim_desc_t *pd = NULL;
    assert_int_equal(create(&pd, list), PRIM_SUCCESS);
    expect_impl(pd, "t:accept", "");
    prim_desc_destroy(pd);
}

static void starts_each_try_from_the_problem(void **state)
{
    (void)state;
    const impl_t *const list[] = {&impl_decline, &impl_accept, NULL};
    prim_desc_t *pd = NULL;
    assert_int_equal(create(&pd, list), PRIM_SUCCESS);
    assert_int_equal(pd->scratchpad_bytes, 0);
    assert_int_equal(pd->op.alg_kind, PRIM_ELTWISE_RELU);
    expect_impl(pd, "t:accept", "t:decline: needs seven tensors\n");
    prim_desc_destroy(pd);
}

static void iterates_first_the_right_ones_then_the_slower(void **state)
{
    (void)state;
    const impl_t *const list[] = {&impl_decline, &impl_slower, &impl_accept, &impl_text,
            &impl_neither, &impl_large, &impl_helper, NULL};
    prim_desc_t *pd = NULL;
    assert_int_equal(create(&pd, list), PRIM_SUCCESS);
    expect_impl(pd, "t:accept",
            "t:decline: needs seven tensors\n"
            "t:slower: short rows: another one wins\n");
    assert_false(pd->is_slower);

    assert_int_equal(prim_desc_next_impl(pd), PRIM_SUCCESS);
    expect_impl(pd, "t:large",
            "t:decline: needs seven tensors\n"
            "t:slower: short rows: another one wins\n"
            "t:text: rank 1\n"
            "t:neither: would be slow\n");
    for (int i = 0; i < 64; ++i) assert_int_equal(((large_pd_t *)pd)->config[i], i);

    assert_int_equal(prim_desc_next_impl(pd), PRIM_SUCCESS);
    const char *const all = "t:decline: needs seven tensors\n"
                            "t:slower: short rows: another one wins\n"
                            "t:text: rank 1\n"
                            "t:neither: would be slow\n"
                            "t:helper: a helper says no\n";
    expect_impl(pd, "t:slower", all);
    assert_true(pd->is_slower);

    // Past the end the descriptor stays what it was, however often one asks.
    for (int i = 0; i < 2; ++i) {
        assert_int_equal(prim_desc_next_impl(pd), PRIM_LAST_IMPL_REACHED);
        assert_non_null(strstr(prim_last_error(), "t:slower is the last"));
        expect_impl(pd, "t:slower", all);
    }
    prim_desc_destroy(pd);
}

static void a_second_refusal_is_told_too(void **state)
{
    (void)state;
    const impl_t *const list[] = {&impl_neither, &impl_slower, NULL};
    prim_desc_t *pd = NULL;
    assert_int_equal(create(&pd, list), PRIM_SUCCESS);
    expect_impl(pd, "t:slower",
            "t:neither: would be slow\n"
            "t:slower: short rows: another one wins\n"
            "t:neither: and cannot either\n");
    prim_desc_destroy(pd);
}

static void tells_every_reason_when_nobody_accepts(void **state)
{
    (void)state;
    const impl_t *const list[] = {&impl_decline, &impl_text, &impl_helper, NULL};
    char nobody;
    prim_desc_t *const untouched = (prim_desc_t *)(void *)&nobody;
    prim_desc_t *pd = untouched;
    assert_int_equal(create(&pd, list), PRIM_UNIMPLEMENTED);
    assert_ptr_equal(pd, untouched);
    assert_string_equal(prim_last_error(),
            "no implementation of eltwise on cpu takes this problem: t:decline: needs seven "
            "tensors;t:text: rank 1;t:helper: a helper says no");

    const impl_t *const none[] = {NULL};
    assert_int_equal(create(&pd, none), PRIM_UNIMPLEMENTED);
    assert_string_equal(
            prim_last_error(), "no implementation of eltwise on cpu takes this problem");
}

static void an_error_is_not_a_refusal(void **state)
{
    (void)state;
    const impl_t *const failing[] = {&impl_fail, &impl_accept, NULL};
    prim_desc_t *pd = NULL;
    assert_int_equal(create(&pd, failing), PRIM_RUNTIME_ERROR);
    assert_string_equal(prim_last_error(), "the device is gone");
    assert_null(pd);

    const impl_t *const careless[] = {&impl_any, NULL};
    assert_int_equal(create(&pd, careless), PRIM_RUNTIME_ERROR);
    assert_non_null(strstr(prim_last_error(), "left the layout of argument 17 open"));

    const impl_t *const late[] = {&impl_accept, &impl_fail, NULL};
    assert_int_equal(create(&pd, late), PRIM_SUCCESS);
    assert_int_equal(prim_desc_next_impl(pd), PRIM_RUNTIME_ERROR);
    expect_impl(pd, "t:accept", "");
    prim_desc_destroy(pd);
}

static void clones_are_independent_and_equal(void **state)
{
    (void)state;
    const impl_t *const list[] = {&impl_decline, &impl_large, &impl_accept, NULL};
    prim_desc_t *pd = NULL, *clone = NULL;
    assert_int_equal(create(&pd, list), PRIM_SUCCESS);
    assert_int_equal(prim_desc_clone(&clone, pd), PRIM_SUCCESS);
    assert_true(prim__desc_equal(pd, clone));
    assert_true(pd->tensors != clone->tensors && pd->declined != clone->declined);

    assert_int_equal(prim_desc_next_impl(pd), PRIM_SUCCESS);
    assert_false(prim__desc_equal(pd, clone));
    prim_desc_destroy(pd);
    // The clone outlives the original, keeps its implementation, and walks on by itself.
    expect_impl(clone, "t:large", "t:decline: needs seven tensors\n");
    for (int i = 0; i < 64; ++i) assert_int_equal(((large_pd_t *)clone)->config[i], i);
    assert_int_equal(prim_desc_next_impl(clone), PRIM_SUCCESS);
    expect_impl(clone, "t:accept", "t:decline: needs seven tensors\n");
    assert_int_equal(prim_desc_next_impl(clone), PRIM_LAST_IMPL_REACHED);
    prim_desc_destroy(clone);
}

static void keys_differ_where_problems_differ(void **state)
{
    (void)state;
    const impl_t *const list[] = {&impl_accept, NULL};
    fake_problem_t problem = fake_problem(8);
    prim_desc_t *const pd = fake_desc(list, &problem, engine, NULL);
    prim_desc_t *const same = fake_desc(list, &problem, engine, NULL);
    assert_true(prim__desc_equal(pd, same));
    assert_int_equal(pd->hash, same->hash);

    prim_attr_t *attr = NULL;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    assert_int_equal(prim_attr_set_scratchpad_mode(attr, PRIM_SCRATCHPAD_USER), PRIM_SUCCESS);
    fake_problem_t others[4] = {problem, problem, fake_problem(9), problem};
    others[0].op.u.eltwise.alpha = 0.5F;
    others[1].op.alg_kind = PRIM_ELTWISE_TANH;
    for (int i = 0; i < 4; ++i) {
        prim_desc_t *const other = fake_desc(list, &others[i], engine, i == 3 ? attr : NULL);
        assert_false(prim__desc_equal(pd, other));
        assert_true(pd->hash != other->hash);
        prim_desc_destroy(other);
    }
    prim_attr_destroy(attr);
    prim_desc_destroy(same);
    prim_desc_destroy(pd);
}

static prim_status_t book(prim_desc_t *pd)
{
    prim_memory_desc_t ws;
    const prim_dim_t n = 5;
    assert_int_equal(prim_memory_desc_init_by_tag(&ws, 1, &n, PRIM_U8, PRIM_a), PRIM_SUCCESS);
    TRY(prim__pd_add_output(pd, PRIM_ARG_WORKSPACE, &ws));
    assert_int_equal(prim__pd_book_scratchpad(pd, 1), 0);
    assert_int_equal(prim__pd_book_scratchpad(pd, 300), 128);
    assert_int_equal(prim__pd_book_scratchpad(pd, 4), 512);
    return set_dst(pd);
}

IMPL(impl_book, "t:book", book);

static void books_scratchpads_and_outputs(void **state)
{
    (void)state;
    const impl_t *const list[] = {&impl_book, NULL};
    const fake_problem_t problem = fake_problem(8);
    prim_attr_t *attr = NULL;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    assert_int_equal(prim_attr_set_scratchpad_mode(attr, PRIM_SCRATCHPAD_USER), PRIM_SUCCESS);
    for (int is_user = 0; is_user < 2; ++is_user) {
        prim_desc_t *const pd = fake_desc(list, &problem, engine, is_user ? attr : NULL);
        int64_t bytes = 0;
        assert_int_equal(prim_desc_query(pd, PRIM_QUERY_MEMORY_CONSUMPTION_S64, 0, &bytes), 0);
        assert_int_equal(bytes, 516);
        const prim_memory_desc_t *md = prim_desc_query_md(pd, PRIM_QUERY_SCRATCHPAD_MD, 0);
        assert_int_equal(md->ndims, is_user);
        assert_int_equal(prim_memory_desc_get_size(md), is_user ? 516 : 0);
        md = prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, PRIM_ARG_WORKSPACE);
        assert_int_equal(md->dims[0], 5);
        assert_true(prim__pd_has(pd, PRIM_ARG_WORKSPACE));
        assert_false(prim__pd_has(pd, PRIM_ARG_BIAS));
        prim_desc_destroy(pd);
    }
    prim_attr_destroy(attr);
}

static int nlines;

static void count_lines(void *user, const char *line)
{
    const char *const wanted = user;
    nlines += strstr(line, wanted) != NULL;
}

static void logs_each_refusal(void **state)
{
    (void)state;
    char wanted[] = "primitive,create:dispatch,cpu,eltwise,t:decline,needs seven tensors";
    const impl_t *const list[] = {&impl_decline, &impl_accept, NULL};
    prim_desc_t *pd = NULL;
    nlines = 0;
    assert_int_equal(prim_set_log_callback(count_lines, wanted), PRIM_SUCCESS);
    assert_int_equal(prim_set_verbose("dispatch"), PRIM_SUCCESS);
    assert_int_equal(create(&pd, list), PRIM_SUCCESS);
    assert_int_equal(prim_set_verbose("none"), PRIM_SUCCESS);
    assert_int_equal(prim_set_log_callback(NULL, NULL), PRIM_SUCCESS);
    assert_int_equal(nlines, 1);
    prim_desc_destroy(pd);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(takes_the_first_that_accepts),
            cmocka_unit_test(starts_each_try_from_the_problem),
            cmocka_unit_test(iterates_first_the_right_ones_then_the_slower),
            cmocka_unit_test(a_second_refusal_is_told_too),
            cmocka_unit_test(tells_every_reason_when_nobody_accepts),
            cmocka_unit_test(an_error_is_not_a_refusal),
            cmocka_unit_test(clones_are_independent_and_equal),
            cmocka_unit_test(keys_differ_where_problems_differ),
            cmocka_unit_test(books_scratchpads_and_outputs),
            cmocka_unit_test(logs_each_refusal),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
