// SPDX-License-Identifier: Apache-2.0
// Scratch memory of the CPU engine: concurrent executions of one primitive never share a buffer,
// and what is kept stays bounded.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <string.h>

#include <cmocka.h>

#include "cpu/cpu_engine.h"
#include "cpu/cpu_memory.h"
#include "fake_problem.h"

enum { NTHREADS = 8, NROUNDS = 200 };

static atomic_int nclashes;
static _Thread_local unsigned char mark;

/// As many bytes as the problem has elements.
static prim_status_t init_pd(prim_desc_t *pd)
{
    prim__pd_book_scratchpad(pd, (size_t)prim__pd_md(pd, PRIM_ARG_SRC)->dims[0]);
    return prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_DST));
}

/// Fills the scratchpad with the thread's mark and looks whether it stays.
static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    unsigned char *const scratch = prim__cpu_ptr(ctx, PRIM_ARG_SCRATCHPAD);
    const size_t bytes = primitive->pd->scratchpad_bytes;
    assert_true(ctx->scratchpad->bytes >= bytes);
    assert_int_equal((size_t)(uintptr_t)scratch % 64, 0);
    memset(scratch, mark, bytes);
    for (size_t i = 0; i < bytes; ++i)
        if (*(volatile unsigned char *)&scratch[i] != mark) atomic_fetch_add(&nclashes, 1);
    return PRIM_SUCCESS;
}

static const impl_t impl = {.name = "t:scratch:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute};
static const impl_t *const list[] = {&impl, NULL};

static prim_engine_t *engine;

static int open_engine(void **state)
{
    (void)state;
    engine = fake_open_cpu();
    return prim_set_primitive_cache_capacity(0) == PRIM_SUCCESS ? 0 : -1;
}

static int close_engine(void **state)
{
    (void)state;
    prim_engine_destroy(engine);
    return 0;
}

static cpu_scratchpads_t *pads(void)
{
    return &((cpu_engine_t *)engine)->scratchpads;
}

typedef struct {
    prim_t *primitive;
    prim_stream_t *stream;
    prim_memory_t *src, *dst;
    unsigned char mark;
} worker_t;

static void run(worker_t *w)
{
    const prim_arg_t args[] = {{PRIM_ARG_SRC, w->src}, {PRIM_ARG_DST, w->dst}};
    assert_int_equal(prim_execute(w->primitive, w->stream, 2, args), PRIM_SUCCESS);
}

static void *work(void *arg)
{
    worker_t *const w = arg;
    mark = w->mark;
    for (int i = 0; i < NROUNDS; ++i) run(w);
    return NULL;
}

static void make(worker_t *w, prim_dim_t n)
{
    const fake_problem_t problem = fake_problem(n);
    prim_desc_t *const pd = fake_desc(list, &problem, engine, NULL);
    memset(w, 0, sizeof *w);
    assert_int_equal(prim_create(&w->primitive, pd), PRIM_SUCCESS);
    assert_int_equal(prim_stream_create(&w->stream, engine, PRIM_STREAM_DEFAULT), PRIM_SUCCESS);
    w->src = fake_memory(prim__pd_md(pd, PRIM_ARG_SRC), engine);
    w->dst = fake_memory(prim__pd_md(pd, PRIM_ARG_DST), engine);
    prim_desc_destroy(pd);
}

static void unmake(worker_t *w)
{
    prim_memory_destroy(w->src);
    prim_memory_destroy(w->dst);
    prim_stream_destroy(w->stream);
    prim_destroy(w->primitive);
}

static void concurrent_executions_do_not_share(void **state)
{
    (void)state;
    worker_t shared, workers[NTHREADS];
    pthread_t threads[NTHREADS];
    make(&shared, 4096);
    for (int i = 0; i < NTHREADS; ++i) {
        workers[i] = shared; // one primitive, one stream, the same tensors
        workers[i].mark = (unsigned char)(i + 1);
        assert_int_equal(pthread_create(&threads[i], NULL, work, &workers[i]), 0);
    }
    for (int i = 0; i < NTHREADS; ++i) assert_int_equal(pthread_join(threads[i], NULL), 0);
    assert_int_equal(atomic_load(&nclashes), 0);
    assert_in_range(pads()->nidle, 1, NTHREADS);
    unmake(&shared);
}

static void small_buffers_give_way_to_larger_ones(void **state)
{
    (void)state;
    static const prim_dim_t sizes[] = {100, 1000, 10, 1500, 5000, 1000, 1, 5100};
    prim__cpu_scratchpads_fini(pads());
    memset(pads(), 0, sizeof *pads());
    assert_int_equal(prim__cpu_scratchpads_init(pads()), PRIM_SUCCESS);
    size_t largest = 0;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i) {
        worker_t worker;
        make(&worker, sizes[i]);
        run(&worker);
        unmake(&worker);
        if ((size_t)sizes[i] > largest) largest = (size_t)sizes[i];
        assert_int_equal(pads()->nidle, 1);
        assert_int_equal(pads()->idle[0]->bytes, largest);
    }
}

static void takes_the_best_fit_and_keeps_a_bounded_number(void **state)
{
    (void)state;
    enum { N = CPU_MAX_IDLE_SCRATCHPADS + 3 };
    worker_t worker;
    make(&worker, 8);
    exec_ctx_t lent[N];
    for (size_t i = 0; i < N; ++i) {
        lent[i] = (exec_ctx_t){.stream = worker.stream};
        assert_int_equal(prim__cpu_scratchpad_acquire(&lent[i], 10000 + 100 * i), 0);
    }
    for (int i = 0; i < N; ++i) prim__cpu_scratchpad_release(&lent[i]);
    assert_int_equal(pads()->nidle, CPU_MAX_IDLE_SCRATCHPADS);

    exec_ctx_t ctx = {.stream = worker.stream};
    assert_int_equal(prim__cpu_scratchpad_acquire(&ctx, 10250), PRIM_SUCCESS);
    assert_int_equal(ctx.scratchpad->bytes, 10300);
    assert_int_equal(pads()->nidle, CPU_MAX_IDLE_SCRATCHPADS - 1);
    prim__cpu_scratchpad_release(&ctx);
    unmake(&worker);
}

static int nexecuted;

static prim_status_t count(const prim_t *primitive, const exec_ctx_t *ctx)
{
    (void)primitive;
    (void)ctx;
    ++nexecuted;
    return PRIM_SUCCESS;
}

/// More than any machine has.
static prim_status_t book_all(prim_desc_t *pd)
{
    prim__pd_book_scratchpad(pd, (size_t)1 << 56);
    return prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_DST));
}

static void an_empty_output_costs_nothing(void **state)
{
    (void)state;
    static const impl_t greedy = {.name = "t:greedy:any",
            .pd_size = sizeof(prim_desc_t),
            .primitive_size = sizeof(prim_t),
            .init_pd = book_all,
            .execute = count};
    static const impl_t *const greedy_list[] = {&greedy, NULL};
    for (prim_dim_t n = 0; n < 2; ++n) {
        const fake_problem_t problem = fake_problem(n);
        prim_desc_t *const pd = fake_desc(greedy_list, &problem, engine, NULL);
        worker_t w = {0};
        assert_int_equal(prim_create(&w.primitive, pd), PRIM_SUCCESS);
        assert_int_equal(prim_stream_create(&w.stream, engine, PRIM_STREAM_DEFAULT), PRIM_SUCCESS);
        w.src = fake_memory(prim__pd_md(pd, PRIM_ARG_SRC), engine);
        w.dst = fake_memory(prim__pd_md(pd, PRIM_ARG_DST), engine);
        const prim_arg_t args[] = {{PRIM_ARG_SRC, w.src}, {PRIM_ARG_DST, w.dst}};
        assert_int_equal(prim_execute(w.primitive, w.stream, 2, args),
                n == 0 ? PRIM_SUCCESS : PRIM_OUT_OF_MEMORY);
        assert_int_equal(nexecuted, 0);
        prim_desc_destroy(pd);
        unmake(&w);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(concurrent_executions_do_not_share),
            cmocka_unit_test(small_buffers_give_way_to_larger_ones),
            cmocka_unit_test(takes_the_best_fit_and_keeps_a_bounded_number),
            cmocka_unit_test(an_empty_output_costs_nothing),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
