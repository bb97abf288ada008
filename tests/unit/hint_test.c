// SPDX-License-Identifier: Apache-2.0
// The forward pass that a backward one is given: what is taken from it, how long it lives, and when
// two backward passes differ by it. Pooling of a test's own, with two implementations.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "common/desc_key.h"
#include "common/ops/schema.h"
#include "common/ops/schema_create.h"
#include "fake_problem.h"

enum { NTENSORS = 3 };

/// Training leaves a workspace.
static prim_status_t init_forward(prim_desc_t *pd)
{
    prim_memory_desc_t workspace = fake_md("u8:a:8");
    if (pd->op.prop_kind != PRIM_FORWARD_TRAINING) return PRIM_SUCCESS;
    return prim__pd_add_output(pd, PRIM_ARG_WORKSPACE, &workspace);
}

static const prim_desc_t *seen; ///< the hint that init_pd found

static prim_status_t init_backward(prim_desc_t *pd)
{
    seen = prim__pd_hint(pd);
    return PRIM_SUCCESS;
}

#define IMPL(impl_name, init)                                                  \
    {                                                                          \
        .name = (impl_name), .pd_size = sizeof(prim_desc_t), .init_pd = (init) \
    }
static const impl_t first = IMPL("t:pool:first", init_forward),
                    second = IMPL("t:pool:second", init_forward),
                    backward_first = IMPL("t:pool:backward_first", init_backward),
                    backward_second = IMPL("t:pool:backward_second", init_backward);

static const impl_t *const forward_list[] = {&first, &second, NULL};
static const impl_t *const backward_list[] = {&backward_first, &backward_second, NULL};
static const impl_t *const *const forward_lists[] = {[PRIM_CPU] = forward_list, [PRIM_GPU] = NULL};
static const impl_t *const *const backward_lists[] = {
        [PRIM_CPU] = backward_list, [PRIM_GPU] = NULL};

static prim_status_t check(const shapes_t *shapes)
{
    (void)shapes;
    return PRIM_SUCCESS;
}

static const tensor_rule_t forward_tensors[] = {
        {.arg = PRIM_ARG_SRC, .name = "src", .flags = TENSOR_INPUT, .query = PRIM_QUERY_SRC_MD},
        {.arg = PRIM_ARG_DST, .name = "dst", .flags = TENSOR_OUTPUT, .query = PRIM_QUERY_DST_MD},
        {.arg = PRIM_ARG_WORKSPACE,
                .name = "workspace",
                .flags = TENSOR_OUTPUT,
                .maker = MADE_BY_IMPLEMENTATION,
                .query = PRIM_QUERY_WORKSPACE_MD},
        {0},
};

static const tensor_rule_t backward_tensors[] = {
        {.arg = PRIM_ARG_DIFF_DST,
                .name = "diff_dst",
                .flags = TENSOR_INPUT,
                .hint = PRIM_ARG_DST,
                .query = PRIM_QUERY_DIFF_DST_MD},
        {.arg = PRIM_ARG_DIFF_SRC,
                .name = "diff_src",
                .flags = TENSOR_OUTPUT,
                .hint = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DIFF_SRC_MD},
        {.arg = PRIM_ARG_WORKSPACE,
                .name = "workspace",
                .flags = TENSOR_INPUT,
                .maker = MADE_BY_HINT,
                .when = {.any_flag = PRIM_FUSE_NORM_RELU},
                .hint = PRIM_ARG_WORKSPACE,
                .query = PRIM_QUERY_WORKSPACE_MD},
        {0},
};

static const op_schema_t forward = {.kind = PRIM_POOLING,
        .direction = FORWARD,
        .name = "pooling",
        .has_prop_kind = true,
        .tensors = forward_tensors,
        .check = check,
        .lists = forward_lists};
static const op_schema_t backward = {.kind = PRIM_POOLING,
        .direction = BACKWARD,
        .name = "pooling backward",
        .has_prop_kind = true,
        .tensors = backward_tensors,
        .check = check,
        .lists = backward_lists};

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

static prim_desc_t *create_forward(prim_prop_kind_t prop_kind)
{
    const prim_memory_desc_t md = fake_md("f32:a:8");
    const prim_memory_desc_t *const mds[NTENSORS] = {&md, &md};
    const op_desc_t op = {.kind = PRIM_POOLING, .prop_kind = prop_kind};
    const request_t request = {.engine = engine, .mds = mds};
    prim_desc_t *pd = NULL;
    assert_int_equal(prim__op_create(&pd, &forward, &op, &request), PRIM_SUCCESS);
    return pd;
}

/// With FUSE_NORM_RELU among the flags there is a workspace.
static prim_status_t create_backward(
        prim_desc_t **pd, prim_engine_t *on, unsigned flags, const prim_desc_t *hint)
{
    const prim_memory_desc_t md = fake_md("f32:a:8");
    const prim_memory_desc_t *const mds[NTENSORS] = {&md, &md};
    op_desc_t op = {.kind = PRIM_POOLING, .prop_kind = PRIM_BACKWARD_DATA};
    op.u.norm.flags = flags;
    const request_t request = {.engine = on, .mds = mds, .hint = hint};
    return prim__op_create(pd, &backward, &op, &request);
}

static void a_workspace_is_the_hints(void **state)
{
    (void)state;
    prim_desc_t *const hint = create_forward(PRIM_FORWARD_TRAINING);
    prim_desc_t *pd = NULL;
    assert_int_equal(create_backward(&pd, engine, PRIM_FUSE_NORM_RELU, hint), PRIM_SUCCESS);
    const prim_memory_desc_t expected = fake_md("u8:a:8");
    assert_true(prim_memory_desc_equal(prim__pd_md(pd, PRIM_ARG_WORKSPACE), &expected));
    assert_int_equal(pd->ntensors, NTENSORS);
    assert_int_equal(pd->tensors[2].arg, PRIM_ARG_WORKSPACE);
    assert_false(pd->tensors[2].is_output);
    prim_desc_destroy(pd);
    prim_desc_destroy(hint);
}

static void refuses(prim_engine_t *on, const prim_desc_t *hint, const char *sentence)
{
    static char untouched;
    prim_desc_t *pd = (prim_desc_t *)&untouched;
    assert_int_equal(create_backward(&pd, on, PRIM_FUSE_NORM_RELU, hint), PRIM_INVALID_ARGUMENTS);
    assert_string_equal(prim_last_error(), sentence);
    assert_ptr_equal(pd, &untouched);
}

static void a_workspace_needs_a_hint_that_has_one(void **state)
{
    (void)state;
    prim_engine_t foreign;
    prim_desc_t *const inference = create_forward(PRIM_FORWARD_INFERENCE);
    prim_desc_t *const training = create_forward(PRIM_FORWARD_TRAINING);
    fake_foreign_engine(&foreign);
    refuses(engine, NULL, "pooling backward needs its forward pass as a hint, for the workspace");
    refuses(engine, inference,
            "the hint of pooling backward makes no workspace (prop kind forward_inference)");
    refuses(&foreign, training, "pooling backward and its hint are of two engines");
    prim_desc_destroy(inference);
    prim_desc_destroy(training);
}

static void the_hint_lives_as_long_as_its_descriptor(void **state)
{
    (void)state;
    prim_desc_t *const hint = create_forward(PRIM_FORWARD_TRAINING);
    prim_desc_t *pd = NULL, *copy = NULL;
    seen = NULL;
    assert_int_equal(create_backward(&pd, engine, 0, hint), PRIM_SUCCESS);
    assert_non_null(seen);
    assert_ptr_not_equal(seen, hint);
    assert_int_equal(prim_desc_next_impl(hint), PRIM_SUCCESS); // the caller's own
    prim_desc_destroy(hint);
    assert_int_equal(prim_desc_clone(&copy, pd), PRIM_SUCCESS);
    prim_desc_destroy(pd);
    seen = NULL;
    assert_int_equal(prim_desc_next_impl(copy), PRIM_SUCCESS);
    assert_non_null(seen);
    assert_ptr_equal(prim__pd_hint(copy), seen);
    assert_string_equal(seen->impl->name, "t:pool:first");
    assert_true(prim__pd_has(seen, PRIM_ARG_WORKSPACE));
    prim_desc_destroy(copy);
}

/// Whether backward passes of the two hints are one problem, for the cache of primitives.
static bool are_equal(unsigned flags, const prim_desc_t *hint, const prim_desc_t *other)
{
    prim_desc_t *a = NULL, *b = NULL;
    assert_int_equal(create_backward(&a, engine, flags, hint), PRIM_SUCCESS);
    assert_int_equal(create_backward(&b, engine, flags, other), PRIM_SUCCESS);
    const bool equal = prim__desc_equal(a, b),
               hash_equal = prim__desc_hash(a) == prim__desc_hash(b);
    assert_int_equal(equal, hash_equal);
    b->hash = a->hash; // equality must not rely on it
    assert_int_equal(prim__desc_equal(a, b), equal);
    prim_desc_destroy(a);
    prim_desc_destroy(b);
    return equal;
}

static void implementations_fill_workspaces_of_their_own(void **state)
{
    (void)state;
    prim_desc_t *const hint = create_forward(PRIM_FORWARD_TRAINING);
    prim_desc_t *const other = create_forward(PRIM_FORWARD_TRAINING);
    assert_true(are_equal(PRIM_FUSE_NORM_RELU, hint, other));
    assert_int_equal(prim_desc_next_impl(other), PRIM_SUCCESS);
    assert_false(are_equal(PRIM_FUSE_NORM_RELU, hint, other));
    // Without a workspace shapes are all that is taken of a hint.
    assert_true(are_equal(0, hint, other));
    assert_true(are_equal(0, hint, NULL));
    prim_desc_destroy(hint);
    prim_desc_destroy(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(a_workspace_is_the_hints),
            cmocka_unit_test(a_workspace_needs_a_hint_that_has_one),
            cmocka_unit_test(the_hint_lives_as_long_as_its_descriptor),
            cmocka_unit_test(implementations_fill_workspaces_of_their_own),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
