// SPDX-License-Identifier: Apache-2.0
// Recordings on every engine: what is captured, what a replay runs and with which memories, what
// they keep alive, and what is refused.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { N = 100 };

// One step x → x/2 + 1 between vectors a and b.
typedef struct {
    prim_engine_t *engine;
    prim_stream_t *stream;
    prim_t *step;
    prim_memory_t *a, *b;
} rig_t;

static prim_t *create(prim_desc_t *pd)
{
    prim_t *primitive = NULL;
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    prim_desc_destroy(pd);
    return primitive;
}

static rig_t open_rig(prim_engine_t *engine)
{
    const prim_memory_desc_t md = api_vector(N);
    prim_desc_t *pd = NULL;
    api_expect(prim_eltwise_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
                       PRIM_ELTWISE_LINEAR, &md, &md, 0.5f, 1, NULL),
            PRIM_SUCCESS);
    return (rig_t){.engine = engine,
            .stream = api_stream(engine),
            .step = create(pd),
            .a = api_memory(&md, engine),
            .b = api_memory(&md, engine)};
}

static void close_rig(rig_t *rig)
{
    prim_memory_destroy(rig->a);
    prim_memory_destroy(rig->b);
    prim_destroy(rig->step);
    prim_stream_destroy(rig->stream);
}

static void fill(prim_memory_t *memory, float value)
{
    float *values = NULL;
    api_expect(prim_memory_map_data(memory, (void **)&values), PRIM_SUCCESS);
    for (int i = 0; i < N; i++) values[i] = value;
    api_expect(prim_memory_unmap_data(memory, values), PRIM_SUCCESS);
}

static float read_value(prim_memory_t *memory)
{
    float *values = NULL;
    api_expect(prim_memory_map_data(memory, (void **)&values), PRIM_SUCCESS);
    const float value = values[0];
    for (int i = 0; i < N; i++) assert_true(values[i] == value);
    api_expect(prim_memory_unmap_data(memory, values), PRIM_SUCCESS);
    return value;
}

static void run_step(const rig_t *rig, prim_memory_t *src, prim_memory_t *dst)
{
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}};
    api_expect(prim_execute(rig->step, rig->stream, 2, args), PRIM_SUCCESS);
}

static prim_recording_t *end(prim_stream_t *stream)
{
    prim_recording_t *recording = NULL;
    api_expect(prim_recording_end(&recording, stream), PRIM_SUCCESS);
    assert_non_null(recording);
    return recording;
}

// a → b
static prim_recording_t *record_step(const rig_t *rig)
{
    api_expect(prim_recording_begin(rig->stream), PRIM_SUCCESS);
    run_step(rig, rig->a, rig->b);
    return end(rig->stream);
}

static void replay(
        prim_recording_t *recording, prim_stream_t *stream, int n, const prim_memory_swap_t *swaps)
{
    api_expect(prim_recording_replay(recording, stream, n, swaps), PRIM_SUCCESS);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
}

static void captures_without_running(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); e++) {
        rig_t rig = open_rig(api_engine(e));
        fill(rig.a, 4);
        fill(rig.b, -1);
        prim_recording_t *recording = record_step(&rig);
        api_expect(prim_stream_wait(rig.stream), PRIM_SUCCESS);
        assert_true(read_value(rig.b) == -1);
        int count = 0;
        api_expect(prim_recording_get_count(recording, &count), PRIM_SUCCESS);
        assert_int_equal(count, 1);
        run_step(&rig, rig.b, rig.a); // runs again: the capture is over
        assert_true(read_value(rig.a) == 0.5f);
        replay(recording, rig.stream, 0, NULL);
        assert_true(read_value(rig.b) == 1.25f);
        prim_recording_destroy(recording);
        close_rig(&rig);
    }
}

static void replays_again_and_again(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); e++) {
        rig_t rig = open_rig(api_engine(e));
        api_expect(prim_recording_begin(rig.stream), PRIM_SUCCESS);
        for (int i = 0; i < 5; i++) {
            run_step(&rig, rig.a, rig.b);
            run_step(&rig, rig.b, rig.a);
        }
        prim_recording_t *recording = end(rig.stream);
        prim_stream_t *other = api_stream(rig.engine); // any of the engine will do
        float expected = 1000;
        fill(rig.a, expected);
        for (int round = 0; round < 3; round++) {
            for (int i = 0; i < 10; i++) expected = expected * 0.5f + 1;
            replay(recording, round == 1 ? other : rig.stream, 0, NULL);
            assert_true(read_value(rig.a) == expected);
        }
        prim_recording_destroy(recording);
        prim_stream_destroy(other);
        close_rig(&rig);
    }
}

static void replays_with_other_memories(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); e++) {
        rig_t rig = open_rig(api_engine(e));
        const prim_memory_desc_t md = api_vector(N);
        prim_memory_t *c = api_memory(&md, rig.engine), *d = api_memory(&md, rig.engine);
        prim_recording_t *recording = record_step(&rig);
        const prim_memory_swap_t both[] = {{rig.b, d}, {rig.a, c}},
                                 crossed[] = {{rig.a, rig.b}, {rig.b, rig.a}};
        fill(rig.a, 2);
        fill(rig.b, -1);
        fill(c, 20);
        fill(d, -1);
        replay(recording, rig.stream, 2, both); // c → d
        assert_true(read_value(d) == 11 && read_value(rig.b) == -1);
        replay(recording, rig.stream, 1, both); // a → d
        assert_true(read_value(d) == 2 && read_value(rig.b) == -1);
        prim_memory_destroy(d);                 // the recording keeps it until the next replay
        replay(recording, rig.stream, 0, NULL); // a → b
        assert_true(read_value(rig.b) == 2);
        fill(rig.b, 8);
        replay(recording, rig.stream, 2, crossed); // b → a
        assert_true(read_value(rig.a) == 5 && read_value(rig.b) == 8);
        prim_recording_destroy(recording);
        prim_memory_destroy(c);
        close_rig(&rig);
    }
}

static void follows_the_buffers_of_its_memories(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); e++) {
        rig_t rig = open_rig(api_engine(e));
        const prim_memory_desc_t md = api_vector(N);
        prim_memory_t *c = api_memory(&md, rig.engine);
        void *before = NULL, *handle = NULL;
        prim_memory_t *user = NULL;
        api_expect(prim_memory_get_data_handle(rig.a, &before), PRIM_SUCCESS);
        api_expect(prim_memory_get_data_handle(c, &handle), PRIM_SUCCESS);
        api_expect(prim_memory_create(&user, &md, rig.engine, before), PRIM_SUCCESS);
        fill(rig.a, 2);
        fill(c, 20);
        const rig_t of_user = {rig.engine, rig.stream, rig.step, user, rig.b};
        prim_recording_t *recording = record_step(&of_user);
        replay(recording, rig.stream, 0, NULL);
        assert_true(read_value(rig.b) == 2);
        api_expect(prim_memory_set_data_handle(user, handle), PRIM_SUCCESS);
        replay(recording, rig.stream, 0, NULL);
        assert_true(read_value(rig.b) == 11);
        api_expect(prim_memory_set_data_handle(user, PRIM_MEMORY_NONE), PRIM_SUCCESS);
        api_expect(prim_recording_replay(recording, rig.stream, 0, NULL), PRIM_INVALID_ARGUMENTS);
        assert_non_null(strstr(prim_last_error(), "no buffer"));
        api_expect(prim_memory_set_data_handle(user, before), PRIM_SUCCESS);
        replay(recording, rig.stream, 0, NULL);
        assert_true(read_value(rig.b) == 2);
        prim_recording_destroy(recording);
        prim_memory_destroy(user);
        prim_memory_destroy(c);
        close_rig(&rig);
    }
}

static void keeps_what_it_uses(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); e++) {
        rig_t rig = open_rig(api_engine(e));
        prim_stream_t *stream = api_stream(rig.engine);
        const prim_memory_desc_t md = api_vector(N);
        prim_memory_t *dst = api_memory(&md, rig.engine);
        fill(rig.a, 6);
        api_expect(prim_recording_begin(rig.stream), PRIM_SUCCESS);
        run_step(&rig, rig.a, rig.b);
        run_step(&rig, rig.b, dst);
        prim_recording_t *recording = end(rig.stream);
        close_rig(&rig);
        api_expect(prim_set_primitive_cache_capacity(0), PRIM_SUCCESS);
        replay(recording, stream, 0, NULL);
        assert_true(read_value(dst) == 3);
        prim_recording_destroy(recording);
        prim_memory_destroy(dst);
        prim_stream_destroy(stream);
        api_expect(prim_set_primitive_cache_capacity(1024), PRIM_SUCCESS);
    }
}

// Batch normalisation with statistics of its own takes scratch memory; a wrong execution in between
// is refused and not captured.
static void records_scratch_memory(void **state)
{
    (void)state;
    enum { NELEMS = 2 * 3 * 4 * 4 };
    for (int e = 0; api_engine(e); e++) {
        rig_t rig = open_rig(api_engine(e));
        const prim_memory_desc_t md = api_md(4, (const prim_dim_t[]){2, 3, 4, 4}, PRIM_NCHW);
        prim_desc_t *pd = NULL;
        api_expect(prim_batch_normalization_forward_desc_create(
                           &pd, rig.engine, PRIM_FORWARD_INFERENCE, &md, &md, 0.25f, 0, NULL),
                PRIM_SUCCESS);
        prim_t *norm = create(pd);
        prim_memory_t *src = api_memory(&md, rig.engine), *dst = api_memory(&md, rig.engine);
        float *values = NULL, expected[NELEMS];
        api_expect(prim_memory_map_data(src, (void **)&values), PRIM_SUCCESS);
        for (int i = 0; i < NELEMS; i++) values[i] = (float)(i * 7 % 31);
        api_expect(prim_memory_unmap_data(src, values), PRIM_SUCCESS);
        const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}};
        api_expect(prim_execute(norm, rig.stream, 2, args), PRIM_SUCCESS);
        api_expect(prim_memory_map_data(dst, (void **)&values), PRIM_SUCCESS);
        memcpy(expected, values, sizeof expected);
        memset(values, 0xff, sizeof expected);
        api_expect(prim_memory_unmap_data(dst, values), PRIM_SUCCESS);

        api_expect(prim_recording_begin(rig.stream), PRIM_SUCCESS);
        api_expect(prim_execute(norm, rig.stream, 2, args), PRIM_SUCCESS);
        api_expect(prim_execute(norm, rig.stream, 1, args), PRIM_INVALID_ARGUMENTS);
        prim_recording_t *recording = end(rig.stream);
        int count = 0;
        api_expect(prim_recording_get_count(recording, &count), PRIM_SUCCESS);
        assert_int_equal(count, 1);
        replay(recording, rig.stream, 0, NULL);
        api_expect(prim_memory_map_data(dst, (void **)&values), PRIM_SUCCESS);
        assert_memory_equal(values, expected, sizeof expected);
        api_expect(prim_memory_unmap_data(dst, values), PRIM_SUCCESS);
        prim_recording_destroy(recording);
        prim_memory_destroy(src);
        prim_memory_destroy(dst);
        prim_destroy(norm);
        close_rig(&rig);
    }
}

// Each replay reads the host's memory anew.
static void records_transfers(void **state)
{
    (void)state;
    prim_engine_t *cpu = api_engine(0), *gpu = api_engine(1);
    if (!gpu) skip();
    rig_t rig = open_rig(gpu);
    const prim_memory_desc_t md = api_vector(N);
    prim_memory_t *host = api_memory(&md, cpu), *other = api_memory(&md, cpu);
    prim_desc_t *pd = NULL;
    api_expect(prim_reorder_desc_create(&pd, &md, cpu, &md, gpu, NULL), PRIM_SUCCESS);
    prim_t *upload = create(pd);
    api_expect(prim_recording_begin(rig.stream), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_FROM, host}, {PRIM_ARG_TO, rig.a}};
    api_expect(prim_execute(upload, rig.stream, 2, args), PRIM_SUCCESS);
    run_step(&rig, rig.a, rig.b);
    prim_recording_t *recording = end(rig.stream);
    for (int round = 0; round < 3; round++) {
        fill(host, (float)(10 * round));
        replay(recording, rig.stream, 0, NULL);
        assert_true(read_value(rig.b) == (float)(5 * round + 1));
    }
    fill(other, 2);
    replay(recording, rig.stream, 1, &(const prim_memory_swap_t){host, other});
    assert_true(read_value(rig.b) == 2);
    prim_recording_destroy(recording);
    prim_destroy(upload);
    prim_memory_destroy(host);
    prim_memory_destroy(other);
    close_rig(&rig);
}

static void profiles_each_execution(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); e++) {
        rig_t rig = open_rig(api_engine(e));
        prim_stream_t *profiling = NULL;
        api_expect(prim_stream_create(
                           &profiling, rig.engine, PRIM_STREAM_IN_ORDER | PRIM_STREAM_PROFILING),
                PRIM_SUCCESS);
        fill(rig.a, 1);
        api_expect(prim_recording_begin(profiling), PRIM_SUCCESS);
        for (int i = 0; i < 3; i++) {
            const prim_arg_t args[] = {{PRIM_ARG_SRC, rig.a}, {PRIM_ARG_DST, rig.b}};
            api_expect(prim_execute(rig.step, profiling, 2, args), PRIM_SUCCESS);
        }
        prim_recording_t *recording = end(profiling);
        int count = 0;
        api_expect(prim_stream_get_profile(profiling, &count, NULL), PRIM_SUCCESS);
        assert_int_equal(count, 0);
        replay(recording, profiling, 0, NULL);
        replay(recording, profiling, 0, NULL);
        count = 6;
        uint64_t ns[6];
        api_expect(prim_stream_get_profile(profiling, &count, ns), PRIM_SUCCESS);
        assert_int_equal(count, 6);
        for (int i = 0; i < 6; i++) assert_true(ns[i] > 0 && ns[i] < 10000000000);
        prim_recording_destroy(recording);
        prim_stream_destroy(profiling);
        close_rig(&rig);
    }
}

static void may_be_empty_or_unfinished(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); e++) {
        rig_t rig = open_rig(api_engine(e));
        api_expect(prim_recording_begin(rig.stream), PRIM_SUCCESS);
        prim_recording_t *recording = end(rig.stream);
        replay(recording, rig.stream, 0, NULL);
        prim_recording_destroy(recording);
        prim_recording_destroy(NULL);
        api_expect(prim_recording_begin(rig.stream), PRIM_SUCCESS);
        run_step(&rig, rig.a, rig.b);
        close_rig(&rig); // the stream goes while it is being recorded
    }
}

static void refuses_wrong_captures(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); e++) {
        rig_t rig = open_rig(api_engine(e));
        prim_recording_t *recording = UNTOUCHED(prim_recording_t *);
        int count = 7;
        api_expect(prim_recording_begin(NULL), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_recording_end(&recording, rig.stream), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_recording_end(&recording, NULL), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_recording_begin(rig.stream), PRIM_SUCCESS);
        api_expect(prim_recording_begin(rig.stream), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_recording_end(NULL, rig.stream), PRIM_INVALID_ARGUMENTS);
        assert_ptr_equal(recording, api_untouched());
        recording = end(rig.stream); // neither failure ended the capture
        api_expect(prim_recording_get_count(NULL, &count), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_recording_get_count(recording, NULL), PRIM_INVALID_ARGUMENTS);
        assert_int_equal(count, 7);
        prim_recording_destroy(recording);
        prim_stream_t *unordered = NULL;
        if (prim_stream_create(&unordered, rig.engine, PRIM_STREAM_OUT_OF_ORDER) == PRIM_SUCCESS)
            api_expect(prim_recording_begin(unordered), PRIM_UNIMPLEMENTED);
        prim_stream_destroy(unordered);
        close_rig(&rig);
    }
}

static void expect_refusal(prim_recording_t *recording, prim_stream_t *stream, int nswaps,
        const prim_memory_swap_t *swaps, const char *sentence)
{
    api_expect(prim_recording_replay(recording, stream, nswaps, swaps), PRIM_INVALID_ARGUMENTS);
    if (!strstr(prim_last_error(), sentence))
        fail_msg("\"%s\" lacks %s", prim_last_error(), sentence);
}

static void refuses_wrong_replays(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); e++) {
        rig_t rig = open_rig(api_engine(e));
        prim_recording_t *recording = record_step(&rig);
        prim_engine_t *const other_engine = api_engine(e ? 0 : 1);
        const prim_memory_desc_t md = api_vector(N), shorter_md = api_vector(N - 1);
        prim_memory_t *c = api_memory(&md, rig.engine), *none = NULL;
        prim_memory_t *shorter = api_memory(&shorter_md, rig.engine);
        api_expect(prim_memory_create(&none, &md, rig.engine, PRIM_MEMORY_NONE), PRIM_SUCCESS);
        const prim_memory_swap_t null_to[] = {{rig.a, NULL}}, null_from[] = {{NULL, c}};
        const prim_memory_swap_t short_to[] = {{rig.a, shorter}}, none_to[] = {{rig.a, none}};
        const prim_memory_swap_t unknown[] = {{c, rig.a}}, twice[] = {{rig.a, c}, {rig.a, c}};
        expect_refusal(NULL, rig.stream, 0, NULL, "recording is NULL");
        expect_refusal(recording, NULL, 0, NULL, "stream is NULL");
        expect_refusal(recording, rig.stream, -1, unknown, "negative");
        expect_refusal(recording, rig.stream, 1, NULL, "swaps is NULL");
        expect_refusal(recording, rig.stream, 1, null_to, "is NULL");
        expect_refusal(recording, rig.stream, 1, null_from, "is NULL");
        expect_refusal(recording, rig.stream, 1, short_to, "two descriptors");
        expect_refusal(recording, rig.stream, 1, none_to, "no buffer");
        expect_refusal(recording, rig.stream, 1, unknown, "does not use");
        expect_refusal(recording, rig.stream, 2, twice, "replace one memory");
        if (other_engine) {
            prim_stream_t *foreign = api_stream(other_engine);
            prim_memory_t *far = api_memory(&md, other_engine);
            const prim_memory_swap_t far_to[] = {{rig.a, far}};
            expect_refusal(recording, foreign, 0, NULL, "another engine");
            expect_refusal(recording, rig.stream, 1, far_to, "two engines");
            prim_memory_destroy(far);
            prim_stream_destroy(foreign);
        }
        api_expect(prim_recording_begin(rig.stream), PRIM_SUCCESS);
        api_expect(prim_recording_replay(recording, rig.stream, 0, NULL), PRIM_UNIMPLEMENTED);
        prim_recording_destroy(end(rig.stream));
        prim_stream_t *unordered = NULL;
        if (prim_stream_create(&unordered, rig.engine, PRIM_STREAM_OUT_OF_ORDER) == PRIM_SUCCESS)
            api_expect(prim_recording_replay(recording, unordered, 0, NULL), PRIM_UNIMPLEMENTED);
        prim_stream_destroy(unordered);
        fill(rig.a, 4); // and it still works
        replay(recording, rig.stream, 0, NULL);
        assert_true(read_value(rig.b) == 3);
        prim_recording_destroy(recording);
        prim_memory_destroy(none);
        prim_memory_destroy(shorter);
        prim_memory_destroy(c);
        close_rig(&rig);
    }
}

// Two threads, each with a stream and memories of its own, replay one recording.
enum { NTHREADS = 2, NROUNDS = 50 };

typedef struct {
    rig_t rig; ///< the thread's own memories and stream
    prim_recording_t *recording;
    prim_memory_swap_t swaps[2];
    int nfailures;
} worker_t;

static void *work(void *arg)
{
    worker_t *const w = arg;
    for (int i = 0; i < NROUNDS; i++) {
        w->nfailures += prim_recording_replay(w->recording, w->rig.stream, 2, w->swaps) != 0;
        w->nfailures += prim_stream_wait(w->rig.stream) != PRIM_SUCCESS;
    }
    return NULL;
}

static void threads_replay_one_recording(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); e++) {
        rig_t rig = open_rig(api_engine(e));
        prim_recording_t *recording = record_step(&rig);
        worker_t workers[NTHREADS];
        pthread_t threads[NTHREADS];
        for (int t = 0; t < NTHREADS; t++) {
            worker_t *const w = &workers[t];
            *w = (worker_t){.rig = open_rig(api_engine(e)), .recording = recording};
            w->swaps[0] = (prim_memory_swap_t){rig.a, w->rig.a};
            w->swaps[1] = (prim_memory_swap_t){rig.b, w->rig.b};
            fill(w->rig.a, (float)(10 * t));
            fill(w->rig.b, -1);
        }
        for (int t = 0; t < NTHREADS; t++)
            assert_int_equal(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
        for (int t = 0; t < NTHREADS; t++) {
            assert_int_equal(pthread_join(threads[t], NULL), 0);
            assert_int_equal(workers[t].nfailures, 0);
            assert_true(read_value(workers[t].rig.b) == (float)(5 * t + 1));
        }
        for (int t = 0; t < NTHREADS; t++) close_rig(&workers[t].rig);
        prim_recording_destroy(recording);
        close_rig(&rig);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(captures_without_running),
            cmocka_unit_test(replays_again_and_again),
            cmocka_unit_test(replays_with_other_memories),
            cmocka_unit_test(follows_the_buffers_of_its_memories),
            cmocka_unit_test(keeps_what_it_uses),
            cmocka_unit_test(records_scratch_memory),
            cmocka_unit_test(records_transfers),
            cmocka_unit_test(profiles_each_execution),
            cmocka_unit_test(may_be_empty_or_unfinished),
            cmocka_unit_test(refuses_wrong_captures),
            cmocka_unit_test(refuses_wrong_replays),
            cmocka_unit_test(threads_replay_one_recording),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
