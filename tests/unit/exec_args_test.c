// SPDX-License-Identifier: Apache-2.0
// prim_execute(): every way an argument can be wrong, and what reaches the implementation when all
// are right.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "fake_problem.h"

static int nexecutions;
static exec_ctx_t last;
/// What the implementation finds for each of the fixture's arguments, and for one it has not.
static const prim_arg_t *wanted_args;
static int nwanted_args;
static bool finds_all, finds_bias;
static prim_status_t execute_answer;

static prim_status_t init_pd(prim_desc_t *pd)
{
    prim__pd_book_scratchpad(pd, 256);
    return prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_DST));
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    assert_non_null(ctx->scratchpad);
    assert_true(ctx->scratchpad->bytes >= primitive->pd->scratchpad_bytes);
    assert_ptr_equal(prim__ctx_memory(ctx, PRIM_ARG_SCRATCHPAD), ctx->scratchpad);
    last = *ctx;
    finds_all = true;
    for (int i = 0; i < nwanted_args; ++i)
        finds_all = finds_all && prim__ctx_memory(ctx, wanted_args[i].arg) == wanted_args[i].memory;
    finds_bias = prim__ctx_memory(ctx, PRIM_ARG_BIAS);
    ++nexecutions;
    return execute_answer;
}

static const impl_t impl = {.name = "t:args:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute};
static const impl_t *const list[] = {&impl, NULL};

enum { MAX_ARGS = 10 };

/// A primitive with a full set of good arguments.
typedef struct {
    prim_engine_t *engine;
    prim_engine_t foreign;
    prim_stream_t *stream;
    prim_t *primitive;
    int nargs;
    prim_arg_t args[MAX_ARGS];
} fixture_t;

static prim_memory_desc_t vector(prim_dim_t n, prim_data_type_t data_type)
{
    prim_memory_desc_t md;
    assert_int_equal(prim_memory_desc_init_by_tag(&md, 1, &n, data_type, PRIM_a), PRIM_SUCCESS);
    return md;
}

static void add_arg(fixture_t *f, int arg, const prim_memory_desc_t *md)
{
    f->args[f->nargs++] = (prim_arg_t){arg, fake_memory(md, f->engine)};
}

static int set_up(void **state)
{
    static fixture_t f;
    memset(&f, 0, sizeof f);
    f.engine = fake_open_cpu();
    fake_foreign_engine(&f.foreign);
    assert_int_equal(prim_stream_create(&f.stream, f.engine, PRIM_STREAM_DEFAULT), PRIM_SUCCESS);

    const prim_memory_desc_t x = vector(8, PRIM_F32);
    prim_attr_t *attr = NULL;
    prim_post_ops_t *post_ops = NULL;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_create(&post_ops), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_append_eltwise(post_ops, PRIM_ELTWISE_RELU, 0, 0), 0);
    assert_int_equal(prim_post_ops_append_binary(post_ops, PRIM_BINARY_ADD, &x), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_append_prelu(post_ops, 1), PRIM_SUCCESS);
    const prim_memory_desc_t condition = vector(8, PRIM_S8);
    assert_int_equal(
            prim_post_ops_append_binary_v2(post_ops, PRIM_BINARY_SELECT, &x, &condition), 0);
    assert_int_equal(prim_attr_set_post_ops(attr, post_ops), PRIM_SUCCESS);
    assert_int_equal(prim_attr_set_scales(attr, PRIM_ARG_SRC, 1, 0, NULL, PRIM_F16), 0);
    assert_int_equal(prim_attr_set_zero_points(attr, PRIM_ARG_DST, 0, 0, NULL, PRIM_S32), 0);
    assert_int_equal(prim_attr_set_scratchpad_mode(attr, PRIM_SCRATCHPAD_USER), PRIM_SUCCESS);

    const fake_problem_t problem = fake_problem(8);
    prim_desc_t *const pd = fake_desc(list, &problem, f.engine, attr);
    assert_int_equal(prim_create(&f.primitive, pd), PRIM_SUCCESS);
    prim_desc_destroy(pd);
    prim_post_ops_destroy(post_ops);
    prim_attr_destroy(attr);

    const prim_memory_desc_t scales = vector(8, PRIM_F16), zero_point = vector(1, PRIM_S32);
    const prim_memory_desc_t scratchpad = vector(256, PRIM_U8);
    add_arg(&f, PRIM_ARG_SRC, &x);
    add_arg(&f, PRIM_ARG_DST, &x);
    add_arg(&f, PRIM_ARG_SCRATCHPAD, &scratchpad);
    add_arg(&f, PRIM_ARG_ATTR_SCALES | PRIM_ARG_SRC, &scales);
    add_arg(&f, PRIM_ARG_ATTR_ZERO_POINTS | PRIM_ARG_DST, &zero_point);
    add_arg(&f, PRIM_ARG_ATTR_MULTIPLE_POST_OP(1) | PRIM_ARG_SRC_1, &x);
    add_arg(&f, PRIM_ARG_ATTR_MULTIPLE_POST_OP(2) | PRIM_ARG_WEIGHTS, &x);
    add_arg(&f, PRIM_ARG_ATTR_MULTIPLE_POST_OP(3) | PRIM_ARG_SRC_1, &x);
    add_arg(&f, PRIM_ARG_ATTR_MULTIPLE_POST_OP(3) | PRIM_ARG_SRC_2, &condition);
    nexecutions = 0;
    execute_answer = PRIM_SUCCESS;
    *state = &f;
    return 0;
}

static int tear_down(void **state)
{
    fixture_t *const f = *state;
    for (int i = 0; i < f->nargs; ++i) prim_memory_destroy(f->args[i].memory);
    prim_destroy(f->primitive);
    prim_stream_destroy(f->stream);
    assert_int_equal(prim_set_primitive_cache_capacity(0), PRIM_SUCCESS);
    assert_int_equal(prim_set_primitive_cache_capacity(1024), PRIM_SUCCESS);
    prim_engine_destroy(f->engine);
    return 0;
}

static void refuses(const fixture_t *f, prim_stream_t *stream, const char *sentence)
{
    assert_int_equal(prim_execute(f->primitive, stream, f->nargs, f->args), PRIM_INVALID_ARGUMENTS);
    assert_non_null(strstr(prim_last_error(), sentence));
    assert_int_equal(nexecutions, 0);
}

static void runs_when_all_is_right(void **state)
{
    fixture_t *const f = *state;
    wanted_args = f->args;
    nwanted_args = f->nargs;
    assert_int_equal(prim_execute(f->primitive, f->stream, f->nargs, f->args), PRIM_SUCCESS);
    nwanted_args = 0;
    assert_int_equal(nexecutions, 1);
    assert_ptr_equal(last.scratchpad, f->args[2].memory); // the user's
    assert_ptr_equal(last.stream, f->stream);
    assert_true(finds_all);
    assert_false(finds_bias);

    // The order does not matter, and what the descriptor does not name is ignored.
    const prim_arg_t first = f->args[0];
    f->args[0] = f->args[f->nargs - 1];
    f->args[f->nargs - 1] = first;
    f->args[f->nargs] = (prim_arg_t){PRIM_ARG_BIAS, NULL};
    assert_int_equal(prim_execute(f->primitive, f->stream, f->nargs + 1, f->args), PRIM_SUCCESS);
    assert_int_equal(nexecutions, 2);
}

static void passes_on_what_the_implementation_says(void **state)
{
    fixture_t *const f = *state;
    execute_answer = PRIM_RUNTIME_ERROR;
    assert_int_equal(prim_execute(f->primitive, f->stream, f->nargs, f->args), PRIM_RUNTIME_ERROR);
    assert_int_equal(nexecutions, 1);
}

static void refuses_null_pointers(void **state)
{
    fixture_t *const f = *state;
    assert_int_equal(prim_execute(NULL, f->stream, f->nargs, f->args), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(prim_execute(f->primitive, NULL, f->nargs, f->args), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(prim_execute(f->primitive, f->stream, 1, NULL), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(prim_execute(f->primitive, f->stream, -1, f->args), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(nexecutions, 0);
}

static void refuses_duplicates(void **state)
{
    fixture_t *const f = *state;
    f->args[f->nargs] = f->args[1];
    assert_int_equal(
            prim_execute(f->primitive, f->stream, f->nargs + 1, f->args), PRIM_INVALID_ARGUMENTS);
    assert_string_equal(prim_last_error(), "argument 17 (dst) is given twice");
    assert_int_equal(nexecutions, 0);
}

static void refuses_missing_arguments(void **state)
{
    static const char *const names[] = {"argument 1 (src)", "argument 17 (dst)",
            "argument 80 (scratchpad)", "(scales of src)", "(zero points of dst)",
            "(operand of post-op 1)", "(operand of post-op 2)", "(operand of post-op 3)",
            "(condition of post-op 3)"};
    fixture_t *const f = *state;
    for (int i = 0; i < f->nargs; ++i) {
        const prim_arg_t kept = f->args[i];
        f->args[i].arg = PRIM_ARG_SHIFT; // somewhere else
        refuses(f, f->stream, "is missing");
        assert_non_null(strstr(prim_last_error(), names[i]));
        f->args[i] = (prim_arg_t){kept.arg, NULL};
        refuses(f, f->stream, "is missing");
        f->args[i] = kept;
    }
}

static void refuses_memories_of_another_engine(void **state)
{
    fixture_t *const f = *state;
    for (int i = 0; i < f->nargs; ++i) {
        const prim_arg_t kept = f->args[i];
        f->args[i].memory = fake_memory(prim_memory_get_desc(kept.memory), &f->foreign);
        refuses(f, f->stream,
                "belongs to another engine than the primitive: cpu engine 1 (foreign) instead of "
                "cpu "
                "engine 0 (cpu)");
        prim_memory_destroy(f->args[i].memory);
        f->args[i] = kept;
    }
}

static void refuses_memories_without_a_buffer(void **state)
{
    fixture_t *const f = *state;
    for (int i = 0; i < f->nargs; ++i) {
        const prim_arg_t kept = f->args[i];
        assert_int_equal(prim_memory_create(&f->args[i].memory, prim_memory_get_desc(kept.memory),
                                 f->engine, PRIM_MEMORY_NONE),
                PRIM_SUCCESS);
        refuses(f, f->stream, "has no buffer");
        prim_memory_destroy(f->args[i].memory);
        f->args[i] = kept;
    }
}

static void refuse_with(fixture_t *f, int i, const prim_memory_desc_t *md, const char *sentence)
{
    const prim_arg_t kept = f->args[i];
    f->args[i].memory = fake_memory(md, f->engine);
    refuses(f, f->stream, sentence);
    prim_memory_destroy(f->args[i].memory);
    f->args[i] = kept;
}

static void refuses_other_descriptors(void **state)
{
    static const int exact[] = {0, 1, 5, 6}; // 2 is the scratchpad
    fixture_t *const f = *state;
    const prim_memory_desc_t longer = vector(9, PRIM_F32), other_type = vector(8, PRIM_S32);
    const prim_dim_t stride = 2, n = 8;
    prim_memory_desc_t strided;
    assert_int_equal(prim_memory_desc_init_by_strides(&strided, 1, &n, PRIM_F32, &stride), 0);
    for (size_t i = 0; i < sizeof exact / sizeof *exact; ++i) {
        refuse_with(f, exact[i], &longer,
                "has another descriptor than the primitive's: dims 9 instead of 8");
        refuse_with(f, exact[i], &other_type, "primitive's: type s32 instead of f32");
        refuse_with(f, exact[i], &strided, "primitive's: strides 2 instead of 1");
    }
    refuse_with(
            f, 2, &longer, "(scratchpad) has another descriptor than the primitive's: type f32 in");
    const prim_memory_desc_t f32_scales = vector(8, PRIM_F32), few = vector(7, PRIM_F16);
    refuse_with(f, 3, &f32_scales, "has type f32 instead of f16");
    refuse_with(f, 3, &few, "has 7 values instead of 8");
    assert_int_equal(prim_memory_desc_init_by_strides(&strided, 1, &n, PRIM_F16, &stride), 0);
    refuse_with(f, 3, &strided, "is not dense row-major");
    const prim_memory_desc_t two = vector(2, PRIM_S32), u8 = vector(1, PRIM_U8);
    refuse_with(f, 4, &two, "has 2 values instead of 1");
    refuse_with(f, 4, &u8, "has type u8 instead of s32");
}

static void refuses_a_stream_of_another_engine(void **state)
{
    fixture_t *const f = *state;
    prim_stream_t *stream = NULL;
    assert_int_equal(prim_stream_create(&stream, &f->foreign, PRIM_STREAM_DEFAULT), PRIM_SUCCESS);
    refuses(f, stream,
            "the stream belongs to another engine than the primitive: cpu engine 1 (foreign) "
            "instead");
    prim_stream_destroy(stream);
}

static prim_status_t init_plain(prim_desc_t *pd)
{
    (void)pd;
    return PRIM_SUCCESS;
}

static prim_status_t execute_plain(const prim_t *primitive, const exec_ctx_t *ctx)
{
    assert_null(ctx->scratchpad);
    // Open dimensions are those of the memory, the others those of the problem.
    for (int i = 0; i < primitive->pd->ntensors; ++i) {
        const tensor_t *const tensor = &primitive->pd->tensors[i];
        const prim_memory_desc_t *const md = prim__ctx_md(ctx, primitive->pd, tensor->arg);
        const prim_memory_t *const memory = prim__ctx_memory(ctx, tensor->arg);
        assert_ptr_equal(md, prim__md_has_runtime(&tensor->md) ? &memory->md : &tensor->md);
    }
    ++nexecutions;
    return PRIM_SUCCESS;
}

static const impl_t plain = {.name = "t:plain:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_plain,
        .execute = execute_plain};
static const impl_t *const plain_list[] = {&plain, NULL};

static prim_memory_desc_t matrix(prim_dim_t rows, prim_dim_t columns)
{
    prim_memory_desc_t md;
    const prim_dims_t dims = {rows, columns};
    assert_int_equal(prim_memory_desc_init_by_tag(&md, 2, dims, PRIM_F32, PRIM_ab), PRIM_SUCCESS);
    return md;
}

/// A matmul whose M, N, K are open, with a bias [1, N].
static prim_t *create_open_matmul(prim_engine_t *engine)
{
    const prim_dim_t r = PRIM_RUNTIME_DIM_VAL;
    const op_desc_t op = {.kind = PRIM_MATMUL};
    const tensor_t tensors[] = {
            {.arg = PRIM_ARG_SRC, .md = matrix(r, r)},
            {.arg = PRIM_ARG_WEIGHTS, .md = matrix(r, r)},
            {.arg = PRIM_ARG_BIAS, .md = matrix(1, r)},
            {.arg = PRIM_ARG_DST, .is_output = true, .md = matrix(r, r)},
    };
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    assert_int_equal(
            prim__desc_create_from(&pd, plain_list, engine, NULL, &op, tensors, 4, NULL), 0);
    assert_int_equal(prim_create(&primitive, pd), PRIM_SUCCESS);
    prim_desc_destroy(pd);
    return primitive;
}

static void open_dimensions_must_agree(void **state)
{
    // src, weights, bias, dst; then what is wrong with them.
    static const struct {
        prim_dim_t dims[4][2];
        const char *sentence;
    } cases[] = {
            {{{2, 3}, {3, 5}, {1, 5}, {2, 5}}, NULL},
            {{{2, 3}, {3, 5}, {1, 1}, {2, 5}}, NULL},
            {{{2, 0}, {0, 5}, {1, 5}, {2, 5}}, NULL},
            {{{2, 3}, {4, 5}, {1, 5}, {2, 5}}, "K is 3 in src and 4 in weights"},
            {{{2, 3}, {3, 5}, {1, 5}, {7, 5}}, "M is 2 in src and 7 in dst"},
            {{{2, 3}, {3, 5}, {1, 5}, {2, 6}}, "N is 5 in weights and 6 in dst"},
            {{{2, 3}, {3, 5}, {1, 4}, {2, 5}}, "dimension 1 is 4 where dst has 5"},
            {{{2, 3}, {3, 5}, {2, 5}, {2, 5}}, "another descriptor"},
    };
    static const int args_of[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS, PRIM_ARG_DST};
    fixture_t *const f = *state;
    prim_t *const primitive = create_open_matmul(f->engine);
    for (size_t c = 0; c < sizeof cases / sizeof *cases; ++c) {
        prim_arg_t args[4];
        for (int i = 0; i < 4; ++i) {
            const prim_memory_desc_t md = matrix(cases[c].dims[i][0], cases[c].dims[i][1]);
            args[i] = (prim_arg_t){args_of[i], fake_memory(&md, f->engine)};
        }
        nexecutions = 0;
        const prim_status_t status = prim_execute(primitive, f->stream, 4, args);
        assert_int_equal(status, cases[c].sentence ? PRIM_INVALID_ARGUMENTS : PRIM_SUCCESS);
        assert_int_equal(nexecutions, cases[c].sentence ? 0 : 1);
        if (cases[c].sentence) assert_non_null(strstr(prim_last_error(), cases[c].sentence));
        for (int i = 0; i < 4; ++i) prim_memory_destroy(args[i].memory);
    }
    prim_destroy(primitive);
}

// Strides are known where sizes are not: a memory of other strides is not the one.
static void open_dimensions_keep_their_strides(void **state)
{
    fixture_t *const f = *state;
    const op_desc_t op = {.kind = PRIM_REORDER};
    const prim_dims_t open = {PRIM_RUNTIME_DIM_VAL, 3}, dims = {2, 3};
    prim_memory_desc_t md, wide;
    assert_int_equal(prim_memory_desc_init_by_strides(&md, 2, open, PRIM_F32, (prim_dims_t){8, 1}),
            PRIM_SUCCESS);
    const tensor_t tensors[] = {
            {.arg = PRIM_ARG_FROM, .md = md}, {.arg = PRIM_ARG_TO, .is_output = true, .md = md}};
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    assert_int_equal(
            prim__desc_create_from(&pd, plain_list, f->engine, NULL, &op, tensors, 2, NULL), 0);
    assert_int_equal(prim_create(&primitive, pd), PRIM_SUCCESS);
    prim_desc_destroy(pd);
    for (prim_dim_t row = 7; row <= 9; ++row) {
        assert_int_equal(
                prim_memory_desc_init_by_strides(&wide, 2, dims, PRIM_F32, (prim_dims_t){row, 1}),
                PRIM_SUCCESS);
        const prim_arg_t args[] = {{PRIM_ARG_FROM, fake_memory(&wide, f->engine)},
                {PRIM_ARG_TO, fake_memory(&wide, f->engine)}};
        assert_int_equal(prim_execute(primitive, f->stream, 2, args),
                row == 8 ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS);
        for (int i = 0; i < 2; ++i) prim_memory_destroy(args[i].memory);
    }
    prim_destroy(primitive);
}

static void a_peer_holds_its_own_tensors(void **state)
{
    fixture_t *const f = *state;
    const op_desc_t op = {.kind = PRIM_REORDER};
    const prim_memory_desc_t md = vector(4, PRIM_F32);
    const tensor_t tensors[] = {
            {.arg = PRIM_ARG_FROM, .is_on_peer = true, .md = md},
            {.arg = PRIM_ARG_TO, .is_output = true, .md = md},
    };
    prim_desc_t *pd = NULL;
    prim_t *primitive = NULL;
    assert_int_equal(
            prim__desc_create_from(&pd, plain_list, f->engine, &f->foreign, &op, tensors, 2, NULL),
            PRIM_SUCCESS);
    prim_engine_t *src_engine = NULL, *dst_engine = NULL;
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_REORDER_SRC_ENGINE, 0, &src_engine), 0);
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_REORDER_DST_ENGINE, 0, &dst_engine), 0);
    assert_ptr_equal(src_engine, &f->foreign);
    assert_ptr_equal(dst_engine, f->engine);
    assert_int_equal(prim_create(&primitive, pd), PRIM_SUCCESS);

    prim_memory_t *const there = fake_memory(&md, &f->foreign);
    prim_memory_t *const here = fake_memory(&md, f->engine);
    const prim_arg_t right[] = {{PRIM_ARG_FROM, there}, {PRIM_ARG_TO, here}};
    const prim_arg_t wrong[] = {{PRIM_ARG_FROM, here}, {PRIM_ARG_TO, there}};
    assert_int_equal(prim_execute(primitive, f->stream, 2, right), PRIM_SUCCESS);
    assert_int_equal(prim_execute(primitive, f->stream, 2, wrong), PRIM_INVALID_ARGUMENTS);
    prim_memory_destroy(there);
    prim_memory_destroy(here);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
            TEST(runs_when_all_is_right),
            TEST(passes_on_what_the_implementation_says),
            TEST(refuses_null_pointers),
            TEST(refuses_duplicates),
            TEST(refuses_missing_arguments),
            TEST(refuses_memories_of_another_engine),
            TEST(refuses_memories_without_a_buffer),
            TEST(refuses_other_descriptors),
            TEST(refuses_a_stream_of_another_engine),
            TEST(open_dimensions_must_agree),
            TEST(open_dimensions_keep_their_strides),
            TEST(a_peer_holds_its_own_tensors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
