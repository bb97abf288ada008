// SPDX-License-Identifier: Apache-2.0
// What an engine holds from its device: statistics, limit, trimming; and that tensors which are
// destroyed under way cost no bits.
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { KIB = 1 << 10 };

static prim_memory_stats_t stats_of(const prim_engine_t *engine)
{
    prim_memory_stats_t stats;
    api_expect(prim_engine_get_memory_stats(engine, &stats), PRIM_SUCCESS);
    return stats;
}

static prim_memory_t *floats(prim_engine_t *engine, prim_dim_t n)
{
    const prim_memory_desc_t md = api_vector(n);
    return api_memory(&md, engine);
}

static void cpu_engines_keep_nothing(void **state)
{
    (void)state;
    prim_memory_stats_t stats, before;
    memset(&stats, 0x77, sizeof stats);
    before = stats;
    api_expect(prim_engine_get_memory_stats(api_engine(0), &stats), PRIM_UNIMPLEMENTED);
    assert_memory_equal(&stats, &before, sizeof stats);
    api_expect(prim_engine_set_memory_limit(api_engine(0), 1), PRIM_UNIMPLEMENTED);
    api_expect(prim_engine_trim_memory(api_engine(0)), PRIM_UNIMPLEMENTED);
}

static void refuses_null_pointers(void **state)
{
    (void)state;
    prim_memory_stats_t stats;
    for (int e = 0; api_engine(e); ++e)
        api_expect(prim_engine_get_memory_stats(api_engine(e), NULL), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_engine_get_memory_stats(NULL, &stats), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_engine_set_memory_limit(NULL, 1), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_engine_trim_memory(NULL), PRIM_INVALID_ARGUMENTS);
}

static void statistics_follow_memories(void **state)
{
    (void)state;
    for (int e = 1; api_engine(e); ++e) {
        prim_engine_t *const engine = api_engine(e);
        api_expect(prim_engine_trim_memory(engine), PRIM_SUCCESS);
        const prim_memory_stats_t start = stats_of(engine);
        assert_int_equal(start.reserved_bytes, start.in_use_bytes);
        assert_int_equal(start.nidle_buffers, 0);
        prim_memory_t *const memory = floats(engine, 100 * KIB);
        prim_memory_stats_t now = stats_of(engine);
        assert_int_equal(now.in_use_bytes, start.in_use_bytes + 400 * KIB);
        assert_int_equal(now.requested_bytes, start.requested_bytes + 400 * KIB);
        assert_int_equal(now.nbuffers, start.nbuffers + 1);
        assert_int_equal(now.ncreated, start.ncreated + 1);
        prim_memory_destroy(memory);
        now = stats_of(engine);
        assert_int_equal(now.in_use_bytes, start.in_use_bytes);
        assert_int_equal(now.reserved_bytes, start.reserved_bytes + 400 * KIB);
        assert_int_equal(now.peak_in_use_bytes, start.in_use_bytes + 400 * KIB);
        assert_int_equal(now.nidle_buffers, 1);
        // The next one of about that size takes its place.
        prim_memory_destroy(floats(engine, 98 * KIB));
        assert_int_equal(stats_of(engine).ncreated, start.ncreated + 1);
        assert_int_equal(stats_of(engine).nreused, start.nreused + 1);
        api_expect(prim_engine_trim_memory(engine), PRIM_SUCCESS);
        assert_int_equal(stats_of(engine).reserved_bytes, start.reserved_bytes);
    }
}

/// Images count as long as they live, and obey the limit.
static void images_count_too(void **state)
{
    (void)state;
    const prim_dim_t dims[] = {1, 4, 32, 32};
    prim_memory_desc_t md;
    api_expect(prim_memory_desc_init_image2d(&md, 4, dims, PRIM_F32), PRIM_SUCCESS);
    const size_t bytes = prim_memory_desc_get_size(&md);
    for (int e = 1; api_engine(e); ++e) {
        prim_engine_t *const engine = api_engine(e);
        const prim_memory_stats_t before = stats_of(engine);
        prim_memory_t *image = NULL;
        if (prim_memory_create(&image, &md, engine, PRIM_MEMORY_ALLOCATE) == PRIM_UNIMPLEMENTED)
            continue; // a device without images
        assert_int_equal(stats_of(engine).in_use_bytes, before.in_use_bytes + bytes);
        api_expect(prim_engine_set_memory_limit(engine, before.in_use_bytes + bytes), PRIM_SUCCESS);
        prim_memory_t *more = UNTOUCHED(prim_memory_t *);
        api_expect(
                prim_memory_create(&more, &md, engine, PRIM_MEMORY_ALLOCATE), PRIM_OUT_OF_MEMORY);
        assert_ptr_equal(more, api_untouched());
        api_expect(prim_engine_set_memory_limit(engine, 0), PRIM_SUCCESS);
        prim_memory_destroy(image);
        assert_int_equal(stats_of(engine).in_use_bytes, before.in_use_bytes);
    }
}

/// A handle that the application has seen is not given to another memory.
static void known_buffers_are_left_alone(void **state)
{
    (void)state;
    for (int e = 1; api_engine(e); ++e) {
        prim_engine_t *const engine = api_engine(e);
        api_expect(prim_engine_trim_memory(engine), PRIM_SUCCESS);
        prim_memory_t *const memory = floats(engine, 100 * KIB);
        void *handle = NULL;
        api_expect(prim_memory_get_data_handle(memory, &handle), PRIM_SUCCESS);
        assert_non_null(handle);
        prim_memory_destroy(memory);
        assert_int_equal(stats_of(engine).nidle_buffers, 0);
        // Nor is one that is still mapped.
        prim_memory_t *const mapped = floats(engine, 100 * KIB);
        api_expect(prim_memory_map_data(mapped, &handle), PRIM_SUCCESS);
        prim_memory_destroy(mapped);
        assert_int_equal(stats_of(engine).nidle_buffers, 0);
        prim_memory_t *const unmapped = floats(engine, 100 * KIB);
        api_expect(prim_memory_map_data(unmapped, &handle), PRIM_SUCCESS);
        api_expect(prim_memory_unmap_data(unmapped, handle), PRIM_SUCCESS);
        prim_memory_destroy(unmapped);
        assert_int_equal(stats_of(engine).nidle_buffers, 1);
    }
}

static void the_limit_is_kept(void **state)
{
    (void)state;
    const prim_memory_desc_t md = api_vector(64 * KIB);
    for (int e = 1; api_engine(e); ++e) {
        prim_engine_t *const engine = api_engine(e);
        const uint64_t in_use = stats_of(engine).in_use_bytes;
        api_expect(prim_engine_set_memory_limit(engine, in_use + 256 * KIB), PRIM_SUCCESS);
        assert_int_equal(stats_of(engine).limit_bytes, in_use + 256 * KIB);
        prim_memory_t *const first = api_memory(&md, engine);
        prim_memory_t *second = UNTOUCHED(prim_memory_t *);
        api_expect(
                prim_memory_create(&second, &md, engine, PRIM_MEMORY_ALLOCATE), PRIM_OUT_OF_MEMORY);
        assert_ptr_equal(second, api_untouched());
        assert_non_null(strstr(prim_last_error(), "262144 bytes"));
        // The failure cost nothing: what fits is there again.
        prim_memory_destroy(first);
        prim_memory_destroy(api_memory(&md, engine));
        api_expect(prim_engine_set_memory_limit(engine, 0), PRIM_SUCCESS);
        second = api_memory(&md, engine);
        prim_memory_destroy(second);
    }
}

/// Primitives with scratch memory fail as creation does, and work once there is room.
static void scratchpads_obey_the_limit(void **state)
{
    (void)state;
    for (int e = 1; api_engine(e); ++e) {
        prim_engine_t *const engine = api_engine(e);
        const prim_dims_t dims = {1 << 10, 1 << 10};
        const prim_memory_desc_t src_md = api_md(2, dims, PRIM_ab),
                                 dst_md = api_md(2, dims, PRIM_ba);
        prim_desc_t *pd = NULL;
        prim_t *reorder = NULL;
        api_expect(prim_reorder_desc_create(&pd, &src_md, api_engine(0), &dst_md, engine, NULL),
                PRIM_SUCCESS);
        api_expect(prim_create(&reorder, pd), PRIM_SUCCESS);
        prim_stream_t *const stream = api_stream(engine);
        prim_memory_t *const src = api_memory(&src_md, api_engine(0));
        prim_memory_t *const dst = api_memory(&dst_md, engine);
        const prim_arg_t args[] = {{PRIM_ARG_FROM, src}, {PRIM_ARG_TO, dst}};
        const uint64_t in_use = stats_of(engine).in_use_bytes;
        api_expect(prim_engine_set_memory_limit(engine, in_use + KIB), PRIM_SUCCESS);
        api_expect(prim_execute(reorder, stream, 2, args), PRIM_OUT_OF_MEMORY);
        api_expect(prim_engine_set_memory_limit(engine, 0), PRIM_SUCCESS);
        api_expect(prim_execute(reorder, stream, 2, args), PRIM_SUCCESS);
        api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
        assert_true(stats_of(engine).in_use_bytes >= in_use + (4 << 20)); // the stream's arena
        prim_memory_destroy(dst);
        prim_memory_destroy(src);
        prim_stream_destroy(stream);
        prim_destroy(reorder);
        prim_desc_destroy(pd);
    }
}

static void beyond_the_device_is_out_of_memory(void **state)
{
    (void)state;
    for (int e = 1; api_engine(e); ++e) {
        size_t total = 0, largest = 0;
        api_expect(prim_engine_get_memory_limits(api_engine(e), &total, &largest), PRIM_SUCCESS);
        const prim_memory_desc_t md = api_vector((prim_dim_t)(largest / sizeof(float) + 1));
        char bytes[64];
        snprintf(bytes, sizeof bytes, "%zu bytes", prim_memory_desc_get_size(&md));
        prim_memory_t *memory = UNTOUCHED(prim_memory_t *);
        api_expect(prim_memory_create(&memory, &md, api_engine(e), PRIM_MEMORY_ALLOCATE),
                PRIM_OUT_OF_MEMORY);
        assert_ptr_equal(memory, api_untouched());
        assert_non_null(strstr(prim_last_error(), bytes));
        // Without a buffer the descriptor is as good as any.
        api_expect(prim_memory_create(&memory, &md, api_engine(e), PRIM_MEMORY_NONE), PRIM_SUCCESS);
        prim_memory_destroy(memory);
    }
}

static void the_environment_sets_the_limit(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t limit;
    } cases[] = {{"123456789", 123456789}, {"0", 0}, {"", 0}, {"12 MiB", 0}, {"-5", 0},
            {"99999999999999999999999", 0}};
    if (!api_engine(1)) skip();
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        assert_int_equal(setenv("PRIM_MEMORY_MAX_BYTES", cases[i].text, 1), 0);
        prim_engine_t *engine = NULL;
        api_expect(prim_engine_create(&engine, PRIM_GPU, 0), PRIM_SUCCESS);
        assert_int_equal(stats_of(engine).limit_bytes, cases[i].limit);
        prim_engine_destroy(engine);
    }
    assert_int_equal(unsetenv("PRIM_MEMORY_MAX_BYTES"), 0);
}

/// Tensors come and go while the device works: y = relu(x) of ever new memories, never waited for.
static void memories_may_go_while_work_is_under_way(void **state)
{
    (void)state;
    enum { N = 4096, NROUNDS = 64 };
    for (int e = 1; api_engine(e); ++e) {
        prim_engine_t *const engine = api_engine(e);
        prim_stream_t *const streams[] = {api_stream(engine), api_stream(engine)};
        const prim_memory_desc_t md = api_vector(N);
        prim_desc_t *const pd = api_relu_desc(engine, N, NULL);
        prim_t *relu = NULL;
        api_expect(prim_create(&relu, pd), PRIM_SUCCESS);
        prim_memory_t *results[NROUNDS];
        for (int i = 0; i < NROUNDS; ++i) {
            prim_memory_t *const src = api_memory(&md, engine);
            results[i] = api_memory(&md, engine);
            void *pointer = NULL;
            // Mapping waits; what comes after it is under way when src goes.
            if (i % 8 == 0) {
                api_expect(prim_memory_map_data(src, &pointer), PRIM_SUCCESS);
                for (int k = 0; k < N; ++k) ((float *)pointer)[k] = (float)(i + k);
                api_expect(prim_memory_unmap_data(src, pointer), PRIM_SUCCESS);
            }
            prim_memory_t *const from = i % 8 == 0 ? src : results[i - 1];
            const prim_arg_t to_src[] = {{PRIM_ARG_SRC, from}, {PRIM_ARG_DST, src}};
            const prim_arg_t to_dst[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, results[i]}};
            prim_stream_t *const stream = streams[i / 8 % 2];
            api_expect(prim_execute(relu, stream, 2, to_src), PRIM_SUCCESS);
            api_expect(prim_execute(relu, stream, 2, to_dst), PRIM_SUCCESS);
            prim_memory_destroy(src);
        }
        for (int i = 0; i < NROUNDS; ++i) {
            void *pointer = NULL;
            api_expect(prim_memory_map_data(results[i], &pointer), PRIM_SUCCESS);
            for (int k = 0; k < N; ++k)
                assert_true(((const float *)pointer)[k] == (float)(i / 8 * 8 + k));
            api_expect(prim_memory_unmap_data(results[i], pointer), PRIM_SUCCESS);
            prim_memory_destroy(results[i]);
        }
        prim_destroy(relu);
        prim_desc_destroy(pd);
        for (int s = 0; s < 2; ++s) prim_stream_destroy(streams[s]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(cpu_engines_keep_nothing),
            cmocka_unit_test(refuses_null_pointers),
            cmocka_unit_test(statistics_follow_memories),
            cmocka_unit_test(images_count_too),
            cmocka_unit_test(known_buffers_are_left_alone),
            cmocka_unit_test(the_limit_is_kept),
            cmocka_unit_test(scratchpads_obey_the_limit),
            cmocka_unit_test(beyond_the_device_is_out_of_memory),
            cmocka_unit_test(the_environment_sets_the_limit),
            cmocka_unit_test(memories_may_go_while_work_is_under_way),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
