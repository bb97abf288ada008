// SPDX-License-Identifier: Apache-2.0
// The public functions of memories, on every kind of engine.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

static void holds_what_is_written(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        const prim_memory_desc_t md = api_vector(1000);
        prim_memory_t *const memory = api_memory(&md, api_engine(e));
        assert_true(prim_memory_desc_equal(prim_memory_get_desc(memory), &md));
        prim_engine_t *engine = NULL;
        api_expect(prim_memory_get_engine(memory, &engine), PRIM_SUCCESS);
        assert_ptr_equal(engine, api_engine(e));

        void *pointer = NULL;
        api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
        for (int i = 0; i < 1000; ++i) ((float *)pointer)[i] = (float)i;
        api_expect(prim_memory_unmap_data(memory, pointer), PRIM_SUCCESS);
        api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
        for (int i = 0; i < 1000; ++i) assert_true(((const float *)pointer)[i] == (float)i);
        api_expect(prim_memory_unmap_data(memory, pointer), PRIM_SUCCESS);
        prim_memory_destroy(memory);
    }
}

/// In parts and whole; every byte outside of what was written stays.
static void copies_in_and_out(void **state)
{
    (void)state;
    enum { NELEMS = 1000, FIRST = 3, NPART = 500 };
    for (int e = 0; api_engine(e); ++e) {
        const prim_memory_desc_t md = api_vector(NELEMS);
        prim_memory_t *const memory = api_memory(&md, api_engine(e));
        float in[NELEMS], part[NPART], out[NELEMS + 1];
        for (int i = 0; i < NELEMS; ++i) in[i] = (float)i;
        for (int i = 0; i < NPART; ++i) part[i] = in[FIRST + i] = -(float)i;
        const size_t start = FIRST * sizeof(float);
        api_expect(prim_memory_write(memory, in, sizeof in, 0), PRIM_SUCCESS);
        in[0] = 7; // `data` is the caller's again
        api_expect(prim_memory_read(memory, out, sizeof in, 0), PRIM_SUCCESS);
        assert_true(out[0] == 0);
        for (int i = 1; i < NELEMS; ++i) assert_true(out[i] == in[i]);

        for (int i = 0; i < NELEMS; ++i) in[i] = (float)i;
        api_expect(prim_memory_write(memory, in, sizeof in, 0), PRIM_SUCCESS);
        api_expect(prim_memory_write(memory, part, sizeof part, start), PRIM_SUCCESS);
        memcpy(in + FIRST, part, sizeof part);
        api_expect(prim_memory_read(memory, out, sizeof in, 0), PRIM_SUCCESS);
        assert_memory_equal(out, in, sizeof in);
        out[NPART] = 99;
        api_expect(prim_memory_read(memory, out, sizeof part, start), PRIM_SUCCESS);
        assert_memory_equal(out, part, sizeof part);
        assert_true(out[NPART] == 99);
        prim_memory_destroy(memory);
    }
}

/// Work that was submitted before a read is done; what was written before an execution is read.
static void copies_wait_for_streams(void **state)
{
    (void)state;
    enum { NELEMS = 1 << 16 };
    static float values[NELEMS];
    for (int e = 0; api_engine(e); ++e) {
        const prim_memory_desc_t md = api_vector(NELEMS);
        prim_desc_t *const pd = api_relu_desc(api_engine(e), NELEMS, NULL);
        prim_t *relu = NULL;
        api_expect(prim_create(&relu, pd), PRIM_SUCCESS);
        prim_memory_t *const memory = api_memory(&md, api_engine(e));
        prim_stream_t *const stream = api_stream(api_engine(e));
        const prim_arg_t args[] = {{PRIM_ARG_SRC, memory}, {PRIM_ARG_DST, memory}};
        for (int round = 0; round < 3; ++round) {
            for (int i = 0; i < NELEMS; ++i) values[i] = (float)(i % 2 ? round + i : -1 - i);
            api_expect(prim_memory_write(memory, values, sizeof values, 0), PRIM_SUCCESS);
            memset(values, 0xff, sizeof values);
            api_expect(prim_execute(relu, stream, 2, args), PRIM_SUCCESS);
            api_expect(prim_memory_read(memory, values, sizeof values, 0), PRIM_SUCCESS);
            for (int i = 0; i < NELEMS; ++i)
                assert_true(values[i] == (i % 2 ? (float)(round + i) : 0));
        }
        prim_stream_destroy(stream);
        prim_memory_destroy(memory);
        prim_destroy(relu);
        prim_desc_destroy(pd);
    }
}

static void copies_stay_inside(void **state)
{
    (void)state;
    float x[5] = {1, 2, 3, 4, 5};
    const size_t bytes = 4 * sizeof(float);
    const prim_memory_desc_t md = api_vector(4), empty = api_vector(0);
    api_expect(prim_memory_write(NULL, x, bytes, 0), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_memory_read(NULL, x, bytes, 0), PRIM_INVALID_ARGUMENTS);
    static const struct {
        size_t bytes, offset;
    } outside[] = {
            {17, 0}, {16, 1}, {1, 16}, {0, 17}, {SIZE_MAX, 1}, {1, SIZE_MAX}, {16, SIZE_MAX - 7}};
    for (int e = 0; api_engine(e); ++e) {
        prim_memory_t *const memory = api_memory(&md, api_engine(e));
        api_expect(prim_memory_write(memory, x, bytes, 0), PRIM_SUCCESS);
        for (size_t i = 0; i < sizeof outside / sizeof *outside; ++i) {
            const size_t n = outside[i].bytes, offset = outside[i].offset;
            api_expect(prim_memory_write(memory, x + 1, n, offset), PRIM_INVALID_ARGUMENTS);
            api_expect(prim_memory_read(memory, x, n, offset), PRIM_INVALID_ARGUMENTS);
        }
        assert_string_equal(prim_last_error(),
                "16 bytes at byte 18446744073709551608 are not inside the memory's 16");
        api_expect(prim_memory_write(memory, NULL, 1, 0), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_memory_read(memory, NULL, 1, 0), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_memory_write(memory, NULL, 0, 16), PRIM_SUCCESS);
        api_expect(prim_memory_read(memory, x + 1, bytes, 0), PRIM_SUCCESS);
        for (int i = 0; i < 4; ++i) assert_true(x[i + 1] == (float)(i + 1));
        prim_memory_destroy(memory);

        prim_memory_t *without = NULL;
        api_expect(
                prim_memory_create(&without, &md, api_engine(e), PRIM_MEMORY_NONE), PRIM_SUCCESS);
        api_expect(prim_memory_write(without, x, bytes, 0), PRIM_INVALID_ARGUMENTS);
        assert_string_equal(prim_last_error(), "the memory has no buffer");
        api_expect(prim_memory_read(without, x, bytes, 0), PRIM_INVALID_ARGUMENTS);
        prim_memory_destroy(without);

        prim_memory_t *const none = api_memory(&empty, api_engine(e));
        api_expect(prim_memory_write(none, x, 0, 0), PRIM_SUCCESS);
        api_expect(prim_memory_read(none, x, 1, 0), PRIM_INVALID_ARGUMENTS);
        prim_memory_destroy(none);
        for (int i = 0; i < 4; ++i) x[i] = (float)(i + 1);
        x[4] = 5;
    }
}

static void padding_starts_as_zeros(void **state)
{
    (void)state;
    const prim_dims_t dims = {2, 5, 3, 3};
    const prim_memory_desc_t md = api_md(4, dims, PRIM_nChw16c);
    const size_t bytes = prim_memory_desc_get_size(&md);
    assert_int_equal(bytes, 2 * 16 * 9 * sizeof(float));
    for (int e = 0; api_engine(e); ++e) {
        // Twice, with dirt in between, in case the allocator hands the same bytes out again.
        for (int round = 0; round < 2; ++round) {
            prim_memory_t *const memory = api_memory(&md, api_engine(e));
            void *pointer = NULL;
            api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
            const float *const x = pointer;
            for (size_t i = 0; i < bytes / sizeof(float); ++i)
                if (i % 16 >= 5) assert_true(x[i] == 0);
            memset(pointer, 0xff, bytes);
            api_expect(prim_memory_unmap_data(memory, pointer), PRIM_SUCCESS);
            prim_memory_destroy(memory);
        }
    }
}

static void refuses_bad_descriptors(void **state)
{
    (void)state;
    const prim_dim_t open = PRIM_RUNTIME_DIM_VAL, n = 4;
    prim_memory_desc_t broken = api_vector(4);
    broken.data_type = (prim_data_type_t)99;
    const prim_memory_desc_t good = api_vector(4), bad[] = {
                                                           {0},
                                                           broken,
                                                           api_md(1, &n, PRIM_FORMAT_ANY),
                                                           api_md(1, &open, PRIM_a),
                                                   };
    for (int e = 0; api_engine(e); ++e) {
        prim_memory_t *memory = UNTOUCHED(prim_memory_t *);
        for (size_t i = 0; i < sizeof bad / sizeof *bad; ++i)
            api_expect(prim_memory_create(&memory, &bad[i], api_engine(e), PRIM_MEMORY_ALLOCATE),
                    PRIM_INVALID_ARGUMENTS);
        api_expect(prim_memory_create(&memory, NULL, api_engine(e), PRIM_MEMORY_ALLOCATE),
                PRIM_INVALID_ARGUMENTS);
        api_expect(prim_memory_create(NULL, &good, api_engine(e), PRIM_MEMORY_ALLOCATE),
                PRIM_INVALID_ARGUMENTS);
        api_expect(prim_memory_create(&memory, &good, NULL, PRIM_MEMORY_ALLOCATE),
                PRIM_INVALID_ARGUMENTS);
        const prim_memory_desc_t huge = api_vector((prim_dim_t)1 << 54);
        api_expect(prim_memory_create(&memory, &huge, api_engine(e), PRIM_MEMORY_ALLOCATE),
                PRIM_OUT_OF_MEMORY);
        assert_ptr_equal(memory, api_untouched());
    }
}

static void refuses_null_pointers(void **state)
{
    (void)state;
    const prim_memory_desc_t md = api_vector(4);
    void *pointer = api_untouched();
    prim_engine_t *engine = UNTOUCHED(prim_engine_t *);
    assert_null(prim_memory_get_desc(NULL));
    api_expect(prim_memory_get_engine(NULL, &engine), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_memory_map_data(NULL, &pointer), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_memory_unmap_data(NULL, pointer), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_memory_get_data_handle(NULL, &pointer), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_memory_set_data_handle(NULL, NULL), PRIM_INVALID_ARGUMENTS);
    prim_memory_destroy(NULL);
    for (int e = 0; api_engine(e); ++e) {
        prim_memory_t *const memory = api_memory(&md, api_engine(e));
        api_expect(prim_memory_get_engine(memory, NULL), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_memory_map_data(memory, NULL), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_memory_unmap_data(memory, NULL), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_memory_get_data_handle(memory, NULL), PRIM_INVALID_ARGUMENTS);
        api_expect(
                prim_memory_set_data_handle(memory, PRIM_MEMORY_ALLOCATE), PRIM_INVALID_ARGUMENTS);
        prim_memory_destroy(memory);
    }
    assert_ptr_equal(pointer, api_untouched());
    assert_ptr_equal(engine, api_untouched());
}

static void lives_without_a_buffer(void **state)
{
    (void)state;
    const prim_memory_desc_t md = api_vector(4);
    for (int e = 0; api_engine(e); ++e) {
        prim_memory_t *memory = NULL;
        void *pointer = api_untouched();
        api_expect(prim_memory_create(&memory, &md, api_engine(e), PRIM_MEMORY_NONE), PRIM_SUCCESS);
        api_expect(prim_memory_map_data(memory, &pointer), PRIM_INVALID_ARGUMENTS);
        assert_ptr_equal(pointer, api_untouched());
        api_expect(prim_memory_get_data_handle(memory, &pointer), PRIM_SUCCESS);
        assert_null(pointer);
        prim_memory_destroy(memory);
    }
}

static void empty_tensors_map(void **state)
{
    (void)state;
    const prim_dims_t dims = {3, 0, 2};
    const prim_memory_desc_t md = api_md(3, dims, PRIM_abc);
    for (int e = 0; api_engine(e); ++e) {
        prim_memory_t *const memory = api_memory(&md, api_engine(e));
        void *pointer = NULL;
        api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
        api_expect(prim_memory_unmap_data(memory, pointer), PRIM_SUCCESS);
        prim_memory_destroy(memory);
    }
}

static void uses_the_applications_buffer(void **state)
{
    (void)state;
    float mine[4] = {1, 2, 3, 4}, other[4] = {5, 6, 7, 8};
    const prim_memory_desc_t md = api_vector(4);
    prim_memory_t *memory = NULL;
    void *pointer = NULL;
    api_expect(prim_memory_create(&memory, &md, api_engine(0), mine), PRIM_SUCCESS);
    api_expect(prim_memory_get_data_handle(memory, &pointer), PRIM_SUCCESS);
    assert_ptr_equal(pointer, mine);
    api_expect(prim_memory_map_data(memory, &pointer), PRIM_SUCCESS);
    assert_ptr_equal(pointer, mine);
    api_expect(prim_memory_unmap_data(memory, other), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_memory_unmap_data(memory, mine), PRIM_SUCCESS);

    api_expect(prim_memory_set_data_handle(memory, other), PRIM_SUCCESS);
    api_expect(prim_memory_get_data_handle(memory, &pointer), PRIM_SUCCESS);
    assert_ptr_equal(pointer, other);
    api_expect(prim_memory_set_data_handle(memory, PRIM_MEMORY_NONE), PRIM_SUCCESS);
    api_expect(prim_memory_get_data_handle(memory, &pointer), PRIM_SUCCESS);
    assert_null(pointer);
    prim_memory_destroy(memory);
    assert_true(mine[0] == 1 && other[3] == 8);

    // A library-owned buffer makes room for the user's, and setting the same handle keeps it.
    memory = api_memory(&md, api_engine(0));
    api_expect(prim_memory_get_data_handle(memory, &pointer), PRIM_SUCCESS);
    api_expect(prim_memory_set_data_handle(memory, pointer), PRIM_SUCCESS);
    memset(pointer, 0, sizeof mine);
    api_expect(prim_memory_set_data_handle(memory, mine), PRIM_SUCCESS);
    prim_memory_destroy(memory);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(holds_what_is_written),
            cmocka_unit_test(copies_in_and_out),
            cmocka_unit_test(copies_wait_for_streams),
            cmocka_unit_test(copies_stay_inside),
            cmocka_unit_test(padding_starts_as_zeros),
            cmocka_unit_test(refuses_bad_descriptors),
            cmocka_unit_test(refuses_null_pointers),
            cmocka_unit_test(lives_without_a_buffer),
            cmocka_unit_test(empty_tensors_map),
            cmocka_unit_test(uses_the_applications_buffer),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
