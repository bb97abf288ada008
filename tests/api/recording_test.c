// SPDX-License-Identifier: Apache-2.0
// Recordings on every engine: what is captured, what a replay runs and with which memories, what
// they keep alive.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "recording_rig.h"

static void captures_without_running(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig = rig_open(api_engine(e));
        rig_fill(rig.a, 4);
        rig_fill(rig.b, -1);
        prim_recording_t *const recording = rig_record_step(&rig);
        api_expect(prim_stream_wait(rig.stream), PRIM_SUCCESS);
        assert_true(rig_read(rig.b) == -1);
        int count = 0;
        api_expect(prim_recording_get_count(recording, &count), PRIM_SUCCESS);
        assert_int_equal(count, 1);
        rig_step(&rig, rig.b, rig.a); // runs again: the capture is over
        assert_true(rig_read(rig.a) == 0.5f);
        rig_replay(recording, rig.stream, 0, NULL);
        assert_true(rig_read(rig.b) == 1.25f);
        prim_recording_destroy(recording);
        rig_close(&rig);
    }
}

static void replays_again_and_again(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig = rig_open(api_engine(e));
        api_expect(prim_recording_begin(rig.stream), PRIM_SUCCESS);
        for (int i = 0; i < 5; ++i) {
            rig_step(&rig, rig.a, rig.b);
            rig_step(&rig, rig.b, rig.a);
        }
        prim_recording_t *const recording = rig_end(rig.stream);
        prim_stream_t *const other = api_stream(rig.engine); // any of the engine will do
        float expected = 1000;
        rig_fill(rig.a, expected);
        for (int round = 0; round < 3; ++round) {
            for (int i = 0; i < 10; ++i) expected = expected * 0.5f + 1;
            rig_replay(recording, round == 1 ? other : rig.stream, 0, NULL);
            assert_true(rig_read(rig.a) == expected);
        }
        prim_recording_destroy(recording);
        prim_stream_destroy(other);
        rig_close(&rig);
    }
}

static void replays_with_other_memories(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig = rig_open(api_engine(e));
        const prim_memory_desc_t md = api_vector(N);
        prim_memory_t *const c = api_memory(&md, rig.engine), *const d =
                                                                      api_memory(&md, rig.engine);
        prim_recording_t *const recording = rig_record_step(&rig);
        const prim_memory_swap_t both[] = {{rig.b, d}, {rig.a, c}},
                                 crossed[] = {{rig.a, rig.b}, {rig.b, rig.a}};
        rig_fill(rig.a, 2);
        rig_fill(rig.b, -1);
        rig_fill(c, 20);
        rig_fill(d, -1);
        rig_replay(recording, rig.stream, 2, both); // c → d
        assert_true(rig_read(d) == 11 && rig_read(rig.b) == -1);
        rig_replay(recording, rig.stream, 1, both); // a → d
        assert_true(rig_read(d) == 2 && rig_read(rig.b) == -1);
        prim_memory_destroy(d);                     // the recording keeps it until the next replay
        rig_replay(recording, rig.stream, 0, NULL); // a → b
        assert_true(rig_read(rig.b) == 2);
        rig_fill(rig.b, 8);
        rig_replay(recording, rig.stream, 2, crossed); // b → a
        assert_true(rig_read(rig.a) == 5 && rig_read(rig.b) == 8);
        prim_recording_destroy(recording);
        prim_memory_destroy(c);
        rig_close(&rig);
    }
}

static void follows_the_buffers_of_its_memories(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig = rig_open(api_engine(e));
        const prim_memory_desc_t md = api_vector(N);
        prim_memory_t *c = api_memory(&md, rig.engine);
        void *before = NULL, *handle = NULL;
        prim_memory_t *user = NULL;
        api_expect(prim_memory_get_data_handle(rig.a, &before), PRIM_SUCCESS);
        api_expect(prim_memory_get_data_handle(c, &handle), PRIM_SUCCESS);
        api_expect(prim_memory_create(&user, &md, rig.engine, before), PRIM_SUCCESS);
        rig_fill(rig.a, 2);
        rig_fill(c, 20);
        const rig_t of_user = {rig.engine, rig.stream, rig.step, user, rig.b};
        prim_recording_t *const recording = rig_record_step(&of_user);
        rig_replay(recording, rig.stream, 0, NULL);
        assert_true(rig_read(rig.b) == 2);
        api_expect(prim_memory_set_data_handle(user, handle), PRIM_SUCCESS);
        rig_replay(recording, rig.stream, 0, NULL);
        assert_true(rig_read(rig.b) == 11);
        api_expect(prim_memory_set_data_handle(user, PRIM_MEMORY_NONE), PRIM_SUCCESS);
        api_expect(prim_recording_replay(recording, rig.stream, 0, NULL), PRIM_INVALID_ARGUMENTS);
        assert_non_null(strstr(prim_last_error(), "no buffer"));
        api_expect(prim_memory_set_data_handle(user, before), PRIM_SUCCESS);
        rig_replay(recording, rig.stream, 0, NULL);
        assert_true(rig_read(rig.b) == 2);
        prim_recording_destroy(recording);
        prim_memory_destroy(user);
        prim_memory_destroy(c);
        rig_close(&rig);
    }
}

static void keeps_what_it_uses(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig = rig_open(api_engine(e));
        prim_stream_t *const stream = api_stream(rig.engine);
        const prim_memory_desc_t md = api_vector(N);
        prim_memory_t *const dst = api_memory(&md, rig.engine);
        rig_fill(rig.a, 6);
        api_expect(prim_recording_begin(rig.stream), PRIM_SUCCESS);
        rig_step(&rig, rig.a, rig.b);
        rig_step(&rig, rig.b, dst);
        prim_recording_t *const recording = rig_end(rig.stream);
        rig_close(&rig);
        api_expect(prim_set_primitive_cache_capacity(0), PRIM_SUCCESS);
        rig_replay(recording, stream, 0, NULL);
        assert_true(rig_read(dst) == 3);
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
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig = rig_open(api_engine(e));
        const prim_memory_desc_t md = api_md(4, (const prim_dim_t[]){2, 3, 4, 4}, PRIM_NCHW);
        prim_desc_t *pd = NULL;
        api_expect(prim_batch_normalization_forward_desc_create(
                           &pd, rig.engine, PRIM_FORWARD_INFERENCE, &md, &md, 0.25f, 0, NULL),
                PRIM_SUCCESS);
        prim_t *const norm = rig_create(pd);
        prim_memory_t *src = api_memory(&md, rig.engine), *dst = api_memory(&md, rig.engine);
        float *values = NULL, expected[NELEMS];
        api_expect(prim_memory_map_data(src, (void **)&values), PRIM_SUCCESS);
        for (int i = 0; i < NELEMS; ++i) values[i] = (float)(i * 7 % 31);
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
        prim_recording_t *const recording = rig_end(rig.stream);
        int count = 0;
        api_expect(prim_recording_get_count(recording, &count), PRIM_SUCCESS);
        assert_int_equal(count, 1);
        rig_replay(recording, rig.stream, 0, NULL);
        api_expect(prim_memory_map_data(dst, (void **)&values), PRIM_SUCCESS);
        assert_memory_equal(values, expected, sizeof expected);
        api_expect(prim_memory_unmap_data(dst, values), PRIM_SUCCESS);
        prim_recording_destroy(recording);
        prim_memory_destroy(src);
        prim_memory_destroy(dst);
        prim_destroy(norm);
        rig_close(&rig);
    }
}

// A sum of more inputs than a kernel takes, which keeps partial sums.
static prim_t *create_long_sum(
        prim_engine_t *engine, prim_dim_t n, int ninputs, int64_t *scratch_bytes)
{
    const prim_memory_desc_t md = api_vector(n);
    const prim_memory_desc_t *mds[32];
    float scales[32];
    prim_desc_t *pd = NULL;
    for (int i = 0; i < ninputs; ++i) {
        mds[i] = &md;
        scales[i] = 1;
    }
    api_expect(prim_sum_desc_create(&pd, engine, &md, ninputs, scales, mds, NULL), PRIM_SUCCESS);
    api_expect(
            prim_desc_query(pd, PRIM_QUERY_MEMORY_CONSUMPTION_S64, 0, scratch_bytes), PRIM_SUCCESS);
    return rig_create(pd);
}

// What a recording holds suffices for each of its executions, whichever comes first.
static void scratch_memory_suffices_for_all(void **state)
{
    (void)state;
    enum { NINPUTS = 20 };
    static const prim_dim_t sizes[] = {100, 1000000, 1000};
    if (!api_engine(1)) skip();
    rig_t rig = rig_open(api_engine(1));
    prim_memory_stats_t before, after;
    prim_t *sums[3];
    prim_memory_t *tensors[3];
    int64_t most = 0;
    for (int k = 0; k < 3; ++k) {
        int64_t bytes = 0;
        const prim_memory_desc_t md = api_vector(sizes[k]);
        sums[k] = create_long_sum(rig.engine, sizes[k], NINPUTS, &bytes);
        tensors[k] = api_memory(&md, rig.engine);
        if (bytes > most) most = bytes;
    }
    assert_true(most >= 4000000);
    api_expect(prim_engine_get_memory_stats(rig.engine, &before), PRIM_SUCCESS);
    api_expect(prim_recording_begin(rig.stream), PRIM_SUCCESS);
    for (int k = 0; k < 3; ++k) {
        prim_arg_t args[NINPUTS + 1];
        for (int i = 0; i < NINPUTS; ++i)
            args[i] = (prim_arg_t){PRIM_ARG_MULTIPLE_SRC + i, tensors[k]};
        args[NINPUTS] = (prim_arg_t){PRIM_ARG_DST, tensors[k]};
        api_expect(prim_execute(sums[k], rig.stream, NINPUTS + 1, args), PRIM_SUCCESS);
    }
    prim_recording_t *const recording = rig_end(rig.stream);
    api_expect(prim_engine_get_memory_stats(rig.engine, &after), PRIM_SUCCESS);
    assert_true(after.in_use_bytes - before.in_use_bytes >= (uint64_t)most);
    prim_recording_destroy(recording);
    for (int k = 0; k < 3; ++k) {
        prim_memory_destroy(tensors[k]);
        prim_destroy(sums[k]);
    }
    rig_close(&rig);
}

// Each replay reads the host's memory anew.
static void records_transfers(void **state)
{
    (void)state;
    prim_engine_t *cpu = api_engine(0), *gpu = api_engine(1);
    if (!gpu) skip();
    rig_t rig = rig_open(gpu);
    const prim_memory_desc_t md = api_vector(N);
    prim_memory_t *const host = api_memory(&md, cpu), *const other = api_memory(&md, cpu);
    prim_desc_t *pd = NULL;
    api_expect(prim_reorder_desc_create(&pd, &md, cpu, &md, gpu, NULL), PRIM_SUCCESS);
    prim_t *const upload = rig_create(pd);
    api_expect(prim_recording_begin(rig.stream), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_FROM, host}, {PRIM_ARG_TO, rig.a}};
    api_expect(prim_execute(upload, rig.stream, 2, args), PRIM_SUCCESS);
    rig_step(&rig, rig.a, rig.b);
    prim_recording_t *const recording = rig_end(rig.stream);
    for (int round = 0; round < 3; ++round) {
        rig_fill(host, (float)(10 * round));
        rig_replay(recording, rig.stream, 0, NULL);
        assert_true(rig_read(rig.b) == (float)(5 * round + 1));
    }
    rig_fill(other, 2);
    rig_replay(recording, rig.stream, 1, &(const prim_memory_swap_t){host, other});
    assert_true(rig_read(rig.b) == 2);
    prim_recording_destroy(recording);
    prim_destroy(upload);
    prim_memory_destroy(host);
    prim_memory_destroy(other);
    rig_close(&rig);
}

static void profiles_each_execution(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig = rig_open(api_engine(e));
        prim_stream_t *profiling = NULL;
        api_expect(prim_stream_create(
                           &profiling, rig.engine, PRIM_STREAM_IN_ORDER | PRIM_STREAM_PROFILING),
                PRIM_SUCCESS);
        rig_fill(rig.a, 1);
        api_expect(prim_recording_begin(profiling), PRIM_SUCCESS);
        for (int i = 0; i < 3; ++i) {
            const prim_arg_t args[] = {{PRIM_ARG_SRC, rig.a}, {PRIM_ARG_DST, rig.b}};
            api_expect(prim_execute(rig.step, profiling, 2, args), PRIM_SUCCESS);
        }
        prim_recording_t *const recording = rig_end(profiling);
        int count = 0;
        api_expect(prim_stream_get_profile(profiling, &count, NULL), PRIM_SUCCESS);
        assert_int_equal(count, 0);
        rig_replay(recording, profiling, 0, NULL);
        rig_replay(recording, profiling, 0, NULL);
        count = 6;
        uint64_t ns[6];
        api_expect(prim_stream_get_profile(profiling, &count, ns), PRIM_SUCCESS);
        assert_int_equal(count, 6);
        for (int i = 0; i < 6; ++i) assert_true(ns[i] > 0 && ns[i] < 10000000000);
        prim_recording_destroy(recording);
        prim_stream_destroy(profiling);
        rig_close(&rig);
    }
}

static void may_be_empty_or_unfinished(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig = rig_open(api_engine(e));
        api_expect(prim_recording_begin(rig.stream), PRIM_SUCCESS);
        prim_recording_t *const recording = rig_end(rig.stream);
        rig_replay(recording, rig.stream, 0, NULL);
        prim_recording_destroy(recording);
        prim_recording_destroy(NULL);
        api_expect(prim_recording_begin(rig.stream), PRIM_SUCCESS);
        rig_step(&rig, rig.a, rig.b);
        rig_close(&rig); // the stream goes while it is being recorded
    }
}

// Threads, each with a stream and memories of its own, replay one recording; the last one's stream
// is profiling.
enum { NTHREADS = 3, NROUNDS = 50 };

typedef struct {
    rig_t rig; ///< the thread's own memories and stream
    prim_recording_t *recording;
    prim_memory_swap_t swaps[2];
    int nfailures;
} worker_t;

static void *work(void *arg)
{
    worker_t *const w = arg;
    for (int i = 0; i < NROUNDS; ++i) {
        w->nfailures += prim_recording_replay(w->recording, w->rig.stream, 2, w->swaps) != 0;
        w->nfailures += prim_stream_wait(w->rig.stream) != PRIM_SUCCESS;
    }
    return NULL;
}

static worker_t open_worker(const rig_t *rig, prim_recording_t *recording, int t)
{
    worker_t w = {.rig = rig_open(rig->engine), .recording = recording};
    if (t == NTHREADS - 1) {
        prim_stream_destroy(w.rig.stream);
        api_expect(prim_stream_create(&w.rig.stream, rig->engine,
                           PRIM_STREAM_IN_ORDER | PRIM_STREAM_PROFILING),
                PRIM_SUCCESS);
    }
    w.swaps[0] = (prim_memory_swap_t){rig->a, w.rig.a};
    w.swaps[1] = (prim_memory_swap_t){rig->b, w.rig.b};
    rig_fill(w.rig.a, (float)(10 * t));
    rig_fill(w.rig.b, -1);
    return w;
}

static void threads_replay_one_recording(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig = rig_open(api_engine(e));
        prim_recording_t *const recording = rig_record_step(&rig);
        worker_t workers[NTHREADS];
        pthread_t threads[NTHREADS];
        for (int t = 0; t < NTHREADS; ++t) workers[t] = open_worker(&rig, recording, t);
        for (int t = 0; t < NTHREADS; ++t)
            assert_int_equal(pthread_create(&threads[t], NULL, work, &workers[t]), 0);
        for (int t = 0; t < NTHREADS; ++t) {
            assert_int_equal(pthread_join(threads[t], NULL), 0);
            assert_int_equal(workers[t].nfailures, 0);
            assert_true(rig_read(workers[t].rig.b) == (float)(5 * t + 1));
        }
        int count = 0;
        api_expect(prim_stream_get_profile(workers[NTHREADS - 1].rig.stream, &count, NULL),
                PRIM_SUCCESS);
        assert_int_equal(count, NROUNDS);
        for (int t = 0; t < NTHREADS; ++t) rig_close(&workers[t].rig);
        prim_recording_destroy(recording);
        rig_close(&rig);
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
            cmocka_unit_test(scratch_memory_suffices_for_all),
            cmocka_unit_test(records_transfers),
            cmocka_unit_test(profiles_each_execution),
            cmocka_unit_test(may_be_empty_or_unfinished),
            cmocka_unit_test(threads_replay_one_recording),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
