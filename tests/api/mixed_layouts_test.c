// SPDX-License-Identifier: Apache-2.0
// Operations whose tensors lie differently: every implementation, on every kind of engine, gives
// for src in one layout and dst or the gradients in others what the last one of the list gives
// where all are NCHW. benchdnn's drivers of these operations have one layout for all tensors.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { N = 2, C = 12, H = 6, W = 5, GROUP = 4, NTAGS = 3, NARGS = 8 };

typedef enum {
    ELTWISE,
    POOL_MAX,
    POOL_MEAN,
    LRN_ACROSS,
    LRN_WITHIN,
    RESAMPLING,
    SHUFFLE,
    BNORM,
    NOPS
} op_t;

static const char *const op_names[] = {"eltwise", "pool max", "pool mean", "lrn across",
        "lrn within", "resampling", "shuffle", "bnorm"};
static const char *const tags[NTAGS] = {"abcd", "acdb", "aBcd8b"};

/// Of src, of dst or its gradient, of the gradient of src.
typedef struct {
    prim_memory_desc_t src, dst, diff_src;
} layouts_t;

static prim_memory_desc_t layout(bool is_dst, op_t op, const char *tag)
{
    const bool is_pooled = is_dst && (op == POOL_MAX || op == POOL_MEAN);
    const prim_dim_t scale = is_dst && op == RESAMPLING ? 2 : 1;
    const prim_dim_t dims[] = {N, C, is_pooled ? H - 1 : H * scale, is_pooled ? W - 1 : W * scale};
    prim_memory_desc_t md;
    api_expect(prim_memory_desc_init_by_string_tag(&md, 4, dims, PRIM_F32, tag), PRIM_SUCCESS);
    return md;
}

static layouts_t layouts_of(op_t op, int src, int dst, int diff_src)
{
    return (layouts_t){layout(false, op, tags[src]), layout(true, op, tags[dst]),
            layout(false, op, tags[diff_src])};
}

static const prim_dim_t ones[] = {1, 1}, zeros[] = {0, 0}, twos[] = {2, 2};
static const float factors[] = {2, 2};

static prim_status_t create_forward(
        prim_desc_t **pd, op_t op, prim_engine_t *engine, const layouts_t *l)
{
    const prim_prop_kind_t prop = PRIM_FORWARD_TRAINING;
    switch (op) {
    case ELTWISE:
        return prim_eltwise_forward_desc_create(
                pd, engine, prop, PRIM_ELTWISE_ELU, &l->src, &l->dst, 0.5f, 0, NULL);
    case POOL_MAX:
    case POOL_MEAN:
        return prim_pooling_forward_desc_create(pd, engine, prop,
                op == POOL_MAX ? PRIM_POOLING_MAX : PRIM_POOLING_AVG_INCLUDE_PADDING, &l->src,
                &l->dst, ones, twos, NULL, zeros, zeros, NULL);
    case LRN_ACROSS:
    case LRN_WITHIN:
        return prim_lrn_forward_desc_create(pd, engine, prop,
                op == LRN_ACROSS ? PRIM_LRN_ACROSS_CHANNELS : PRIM_LRN_WITHIN_CHANNEL, &l->src,
                &l->dst, 5, 0.5f, 0.75f, 1, NULL);
    case RESAMPLING:
        return prim_resampling_forward_desc_create(
                pd, engine, prop, PRIM_RESAMPLING_LINEAR, factors, &l->src, &l->dst, NULL);
    case SHUFFLE:
        return prim_shuffle_forward_desc_create(pd, engine, prop, &l->src, &l->dst, 1, GROUP, NULL);
    default:
        return prim_batch_normalization_forward_desc_create(
                pd, engine, PRIM_FORWARD_INFERENCE, &l->src, &l->dst, 1e-5f, 0, NULL);
    }
}

static prim_status_t create_backward(prim_desc_t **pd, op_t op, prim_engine_t *engine,
        const layouts_t *l, const prim_desc_t *hint)
{
    switch (op) {
    case ELTWISE:
        return prim_eltwise_backward_desc_create(
                pd, engine, PRIM_ELTWISE_ELU, &l->diff_src, &l->dst, &l->src, 0.5f, 0, hint, NULL);
    case POOL_MAX:
    case POOL_MEAN:
        return prim_pooling_backward_desc_create(pd, engine,
                op == POOL_MAX ? PRIM_POOLING_MAX : PRIM_POOLING_AVG_INCLUDE_PADDING, &l->diff_src,
                &l->dst, ones, twos, NULL, zeros, zeros, hint, NULL);
    case LRN_ACROSS:
    case LRN_WITHIN:
        return prim_lrn_backward_desc_create(pd, engine,
                op == LRN_ACROSS ? PRIM_LRN_ACROSS_CHANNELS : PRIM_LRN_WITHIN_CHANNEL, &l->diff_src,
                &l->dst, &l->src, 5, 0.5f, 0.75f, 1, hint, NULL);
    case RESAMPLING:
        return prim_resampling_backward_desc_create(
                pd, engine, PRIM_RESAMPLING_LINEAR, factors, &l->diff_src, &l->dst, hint, NULL);
    case SHUFFLE:
        return prim_shuffle_backward_desc_create(
                pd, engine, &l->diff_src, &l->dst, 1, GROUP, hint, NULL);
    default: return PRIM_UNIMPLEMENTED; // its statistics are arguments of the gradient
    }
}

/// Runs the reorder of f32 between two layouts.
static void copy(prim_memory_t *from, prim_memory_t *to, prim_stream_t *stream)
{
    prim_desc_t *pd = NULL;
    prim_t *reorder = NULL;
    prim_engine_t *engine = NULL;
    const prim_arg_t args[] = {{PRIM_ARG_FROM, from}, {PRIM_ARG_TO, to}};
    api_expect(prim_memory_get_engine(from, &engine), PRIM_SUCCESS);
    api_expect(prim_reorder_desc_create(&pd, prim_memory_get_desc(from), engine,
                       prim_memory_get_desc(to), engine, NULL),
            PRIM_SUCCESS);
    api_expect(prim_create(&reorder, pd), PRIM_SUCCESS);
    api_expect(prim_execute(reorder, stream, 2, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
    prim_destroy(reorder);
    prim_desc_destroy(pd);
}

static prim_memory_t *plain_like(const prim_memory_desc_t *md, prim_engine_t *engine)
{
    const prim_memory_desc_t plain = api_md(md->ndims, md->dims, PRIM_abcd);
    return api_memory(&plain, engine);
}

/// Numbers of both signs, no two alike.
static prim_memory_t *filled(const prim_memory_desc_t *md, prim_stream_t *stream, int arg)
{
    prim_engine_t *engine = NULL;
    float *data = NULL;
    api_expect(prim_stream_get_engine(stream, &engine), PRIM_SUCCESS);
    prim_memory_t *const plain = plain_like(md, engine), *const memory = api_memory(md, engine);
    const int n = (int)(md->dims[0] * md->dims[1] * md->dims[2] * md->dims[3]);
    api_expect(prim_memory_map_data(plain, (void **)&data), PRIM_SUCCESS);
    for (int i = 0; i < n; ++i) data[i] = (float)((i * 1223 + arg * 7) % 2897 - 1400) / 700;
    api_expect(prim_memory_unmap_data(plain, data), PRIM_SUCCESS);
    copy(plain, memory, stream);
    prim_memory_destroy(plain);
    return memory;
}

/// The arguments of a primitive; the workspace is borrowed.
typedef struct {
    int n;
    prim_arg_t args[NARGS];
    prim_memory_t *workspace, *result;
} arguments_t;

static arguments_t arguments(const prim_desc_t *pd, prim_stream_t *stream, prim_memory_t *workspace)
{
    static const int all[] = {
            PRIM_ARG_SRC, PRIM_ARG_DST, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC, PRIM_ARG_WORKSPACE};
    arguments_t a = {.workspace = workspace};
    prim_engine_t *engine = NULL;
    api_expect(prim_stream_get_engine(stream, &engine), PRIM_SUCCESS);
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) {
        const prim_memory_desc_t *const md = prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, all[i]);
        if (!md || md->ndims == 0) continue;
        if (all[i] == PRIM_ARG_WORKSPACE && !a.workspace) a.workspace = api_memory(md, engine);
        prim_memory_t *const memory =
                all[i] == PRIM_ARG_WORKSPACE ? a.workspace : filled(md, stream, all[i]);
        if (all[i] == PRIM_ARG_DST || all[i] == PRIM_ARG_DIFF_SRC) a.result = memory;
        a.args[a.n++] = (prim_arg_t){all[i], memory};
    }
    return a;
}

static void free_arguments(arguments_t *a)
{
    for (int i = 0; i < a->n; ++i)
        if (a->args[i].memory != a->workspace) prim_memory_destroy(a->args[i].memory);
}

typedef struct {
    int n;
    float values[4 * N * C * H * W];
} result_t;

static void read_result(result_t *result, prim_memory_t *memory, prim_stream_t *stream)
{
    prim_engine_t *engine = NULL;
    api_expect(prim_memory_get_engine(memory, &engine), PRIM_SUCCESS);
    prim_memory_t *const plain = plain_like(prim_memory_get_desc(memory), engine);
    const size_t bytes = prim_memory_desc_get_size(prim_memory_get_desc(plain));
    copy(memory, plain, stream);
    result->n = (int)(bytes / sizeof(float));
    api_expect(prim_memory_read(plain, result->values, bytes, 0), PRIM_SUCCESS);
    prim_memory_destroy(plain);
}

/// What the primitive computes, and the workspace it fills or needs.
static prim_memory_t *run(
        result_t *result, const prim_desc_t *pd, prim_stream_t *stream, prim_memory_t *workspace)
{
    prim_t *primitive = NULL;
    arguments_t a = arguments(pd, stream, workspace);
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    api_expect(prim_execute(primitive, stream, a.n, a.args), PRIM_SUCCESS);
    read_result(result, a.result, stream);
    prim_destroy(primitive);
    free_arguments(&a);
    return a.workspace;
}

static void expect_same(const result_t *got, const result_t *expected, const char *op,
        const prim_desc_t *pd, const int layout_numbers[3])
{
    const char *impl = NULL;
    api_expect(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &impl), PRIM_SUCCESS);
    assert_int_equal(got->n, expected->n);
    for (int i = 0; i < got->n; ++i) {
        const float x = expected->values[i];
        // Sums of at most 25 terms near 1: some roundings of f32.
        if (!(fabsf(got->values[i] - x) <= 2e-6f * fmaxf(1, fabsf(x))))
            fail_msg("%s, %s, src %s, dst %s, diff_src %s: element %d is %g, not %g", op, impl,
                    tags[layout_numbers[0]], tags[layout_numbers[1]], tags[layout_numbers[2]], i,
                    (double)got->values[i], (double)x);
    }
}

/// What the last implementation of the list computes.
static void run_last(
        result_t *result, const prim_desc_t *pd, prim_stream_t *stream, prim_memory_t *workspace)
{
    prim_desc_t *last = NULL;
    api_expect(prim_desc_clone(&last, pd), PRIM_SUCCESS);
    while (prim_desc_next_impl(last) == PRIM_SUCCESS) {
    }
    prim_memory_t *const made = run(result, last, stream, workspace);
    if (made != workspace) prim_memory_destroy(made);
    prim_desc_destroy(last);
}

/// All implementations of `pd`, which this destroys, beside `expected`, which is made where all
/// tensors are NCHW.
static void walk(prim_desc_t *pd, result_t *expected, op_t op, const int numbers[3],
        prim_stream_t *stream, prim_memory_t *workspace)
{
    static result_t got;
    prim_status_t status = PRIM_SUCCESS;
    if (expected->n == 0) run_last(expected, pd, stream, workspace);
    for (; status == PRIM_SUCCESS; status = prim_desc_next_impl(pd)) {
        prim_memory_t *const made = run(&got, pd, stream, workspace);
        if (made != workspace) prim_memory_destroy(made);
        expect_same(&got, expected, op_names[op], pd, numbers);
    }
    api_expect(status, PRIM_LAST_IMPL_REACHED);
    prim_desc_destroy(pd);
}

static void check_forward(op_t op, prim_engine_t *engine, prim_stream_t *stream)
{
    static result_t expected;
    expected.n = 0;
    for (int i = 0; i < NTAGS * NTAGS; ++i) {
        const int numbers[] = {i / NTAGS, i % NTAGS, 0};
        const layouts_t l = layouts_of(op, numbers[0], numbers[1], 0);
        prim_desc_t *pd = NULL;
        api_expect(create_forward(&pd, op, engine, &l), PRIM_SUCCESS);
        walk(pd, &expected, op, numbers, stream, NULL);
    }
}

/// The workspace is that of a forward pass, whose dst may lie as the gradient's or otherwise.
static void check_backward(op_t op, prim_engine_t *engine, prim_stream_t *stream)
{
    static result_t expected, unused;
    expected.n = 0;
    for (int i = 0; i < 16; ++i) {
        const int numbers[] = {i / 4 % 2, i / 2 % 2, i % 2};
        const layouts_t l = layouts_of(op, numbers[0], numbers[1], numbers[2]);
        const layouts_t forward = layouts_of(op, numbers[0], i / 8, 0);
        prim_desc_t *hint = NULL, *pd = NULL;
        api_expect(create_forward(&hint, op, engine, &forward), PRIM_SUCCESS);
        prim_memory_t *const workspace = run(&unused, hint, stream, NULL);
        api_expect(create_backward(&pd, op, engine, &l, hint), PRIM_SUCCESS);
        walk(pd, &expected, op, numbers, stream, workspace);
        prim_memory_destroy(workspace);
        prim_desc_destroy(hint);
    }
}

static void tensors_may_lie_differently(void **state)
{
    (void)state;
    prim_engine_t *engine;
    for (int e = 0; (engine = api_engine(e)) != NULL; ++e) {
        prim_stream_t *const stream = api_stream(engine);
        for (op_t op = ELTWISE; op < NOPS; ++op) {
            check_forward(op, engine, stream);
            if (op != BNORM) check_backward(op, engine, stream);
        }
        prim_stream_destroy(stream);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(tensors_may_lie_differently)};
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
