// SPDX-License-Identifier: Apache-2.0
// One memory that moves through a large buffer of the application's: executions at several byte
// offsets, recordings, and what is refused.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "recording_rig.h"

enum { ROOM_BYTES = 2048, NPART = 77 };

/// Places in elements: aligned ones, odd ones, the last that fits is added per type.
static const size_t places[] = {0, 1, 3, 16, 61};
static const prim_data_type_t types[] = {PRIM_F32, PRIM_BF16, PRIM_S8};

/// A buffer of ROOM_BYTES that stands for the application's.
static prim_memory_t *open_room(prim_engine_t *engine, void **handle)
{
    prim_memory_desc_t md;
    api_expect(
            prim_memory_desc_init_by_tag(&md, 1, (const prim_dim_t[]){ROOM_BYTES}, PRIM_U8, PRIM_a),
            PRIM_SUCCESS);
    prim_memory_t *const room = api_memory(&md, engine);
    api_expect(prim_memory_get_data_handle(room, handle), PRIM_SUCCESS);
    return room;
}

static void write_bytes(prim_memory_t *room, unsigned char *bytes, unsigned seed)
{
    for (unsigned i = 0; i < ROOM_BYTES; ++i) bytes[i] = (unsigned char)(i * 37 + seed);
    api_expect(prim_memory_write(room, bytes, ROOM_BYTES, 0), PRIM_SUCCESS);
}

static prim_t *create_copy(prim_engine_t *engine, const prim_memory_desc_t *md)
{
    prim_desc_t *pd = NULL;
    api_expect(prim_reorder_desc_create(&pd, md, engine, md, engine, NULL), PRIM_SUCCESS);
    return rig_create(pd);
}

/// A copy from `from` to `to` moves these bytes and no others.
static void check_places(prim_engine_t *engine, prim_data_type_t type, size_t from, size_t to)
{
    const size_t element_bytes = prim_data_type_size(type), bytes = NPART * element_bytes;
    prim_memory_desc_t md;
    api_expect(prim_memory_desc_init_by_tag(&md, 1, (const prim_dim_t[]){NPART}, type, PRIM_a),
            PRIM_SUCCESS);
    void *src_handle = NULL, *dst_handle = NULL;
    prim_memory_t *const src_room = open_room(engine, &src_handle);
    prim_memory_t *const dst_room = open_room(engine, &dst_handle);
    prim_memory_t *src = NULL, *dst = NULL;
    api_expect(prim_memory_create(&src, &md, engine, src_handle), PRIM_SUCCESS);
    api_expect(prim_memory_create(&dst, &md, engine, dst_handle), PRIM_SUCCESS);
    unsigned char in[ROOM_BYTES], wanted[ROOM_BYTES], got[ROOM_BYTES];
    write_bytes(src_room, in, 5);
    write_bytes(dst_room, wanted, 90);

    prim_t *const copy = create_copy(engine, &md);
    prim_stream_t *const stream = api_stream(engine);
    const prim_arg_t args[] = {{PRIM_ARG_FROM, src}, {PRIM_ARG_TO, dst}};
    api_expect(prim_memory_set_data_handle_at(src, src_handle, from * element_bytes), PRIM_SUCCESS);
    api_expect(prim_memory_set_data_handle_at(dst, dst_handle, to * element_bytes), PRIM_SUCCESS);
    api_expect(prim_execute(copy, stream, 2, args), PRIM_SUCCESS);
    memcpy(wanted + to * element_bytes, in + from * element_bytes, bytes);
    api_expect(prim_memory_read(dst_room, got, ROOM_BYTES, 0), PRIM_SUCCESS);
    assert_memory_equal(got, wanted, ROOM_BYTES);

    // Transfers and mappings are of the same place.
    api_expect(prim_memory_read(src, got, bytes, 0), PRIM_SUCCESS);
    assert_memory_equal(got, in + from * element_bytes, bytes);
    void *pointer = NULL;
    api_expect(prim_memory_map_data(dst, &pointer), PRIM_SUCCESS);
    assert_memory_equal(pointer, in + from * element_bytes, bytes);
    api_expect(prim_memory_unmap_data(dst, pointer), PRIM_SUCCESS);

    prim_stream_destroy(stream);
    prim_destroy(copy);
    prim_memory_destroy(src);
    prim_memory_destroy(dst);
    prim_memory_destroy(src_room);
    prim_memory_destroy(dst_room);
}

static void executes_at_every_place(void **state)
{
    (void)state;
    const size_t nplaces = sizeof places / sizeof *places;
    for (int e = 0; api_engine(e); ++e) {
        for (size_t t = 0; t < sizeof types / sizeof *types; ++t) {
            const size_t last = ROOM_BYTES / prim_data_type_size(types[t]) - NPART;
            for (size_t i = 0; i < nplaces; ++i)
                check_places(api_engine(e), types[t], places[i], places[(i + 2) % nplaces]);
            check_places(api_engine(e), types[t], last, 2);
            check_places(api_engine(e), types[t], 2, last);
        }
    }
}

// What was submitted before keeps the place it had then.
static void moves_between_executions(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig = rig_open(api_engine(e));
        const prim_memory_desc_t md = api_vector(4 * N);
        prim_memory_t *const row = api_memory(&md, rig.engine);
        void *handle = NULL;
        api_expect(prim_memory_get_data_handle(row, &handle), PRIM_SUCCESS);
        rig_fill(rig.a, 6);
        for (size_t i = 0; i < 4; ++i) {
            api_expect(prim_memory_set_data_handle_at(rig.b, handle, i * N * sizeof(float)),
                    PRIM_SUCCESS);
            rig_step(&rig, rig.a, rig.b);
            rig_step(&rig, rig.b, rig.a); // 6 → 4 → 3; 3 → 2.5 → 2.25; …
        }
        float values[4 * N], x = 6;
        api_expect(prim_memory_read(row, values, sizeof values, 0), PRIM_SUCCESS);
        for (int i = 0; i < 4 * N; ++i) {
            if (i > 0 && i % N == 0) x = (x * 0.5f + 1) * 0.5f + 1;
            assert_true(values[i] == x * 0.5f + 1);
        }
        rig_close(&rig);
        prim_memory_destroy(row);
    }
}

static void recordings_follow(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig = rig_open(api_engine(e));
        const prim_memory_desc_t md = api_vector(3 * N);
        prim_memory_t *const row = api_memory(&md, rig.engine);
        void *handle = NULL;
        float values[3 * N];
        for (int i = 0; i < 3 * N; ++i) values[i] = (float)(10 * (i / N));
        api_expect(prim_memory_write(row, values, sizeof values, 0), PRIM_SUCCESS);
        api_expect(prim_memory_get_data_handle(row, &handle), PRIM_SUCCESS);
        api_expect(prim_memory_set_data_handle(rig.a, handle), PRIM_SUCCESS);
        prim_recording_t *const recording = rig_record_step(&rig);
        static const size_t order[] = {2, 0, 1, 1};
        for (size_t i = 0; i < sizeof order / sizeof *order; ++i) {
            api_expect(prim_memory_set_data_handle_at(rig.a, handle, order[i] * N * sizeof(float)),
                    PRIM_SUCCESS);
            rig_replay(recording, rig.stream, 0, NULL);
            assert_true(rig_read(rig.b) == (float)(5 * order[i] + 1));
        }
        prim_recording_destroy(recording);
        rig_close(&rig);
        prim_memory_destroy(row);
    }
}

static void refuse(prim_memory_t *memory, void *handle, size_t offset_bytes, const char *sentence)
{
    api_expect(
            prim_memory_set_data_handle_at(memory, handle, offset_bytes), PRIM_INVALID_ARGUMENTS);
    if (!strstr(prim_last_error(), sentence))
        fail_msg("\"%s\" lacks \"%s\"", prim_last_error(), sentence);
}

static void wrong_places_are_refused(void **state)
{
    (void)state;
    api_expect(prim_memory_set_data_handle_at(NULL, NULL, 0), PRIM_INVALID_ARGUMENTS);
    for (int e = 0; api_engine(e); ++e) {
        rig_t rig = rig_open(api_engine(e));
        void *handle = NULL, *own = NULL;
        prim_memory_t *const room = open_room(rig.engine, &handle);
        api_expect(prim_memory_get_data_handle(rig.a, &own), PRIM_SUCCESS);
        rig_fill(rig.a, 8);
        refuse(rig.a, own, 4, "owns this buffer");
        refuse(rig.a, handle, 2, "byte offset 2 is not a multiple of the element's 4 bytes");
        refuse(rig.a, NULL, 4, "no byte 4 without a buffer");
        refuse(rig.a, PRIM_MEMORY_ALLOCATE, 0, "prim_memory_create() only");
        if (e == 1) {
            refuse(rig.a, handle, ROOM_BYTES - N * sizeof(float) + 4, "does not fit");
        }
        // Up to the last address, and again from 0 on.
        refuse(rig.a, handle, (size_t)-4, "beyond the last address");
        refuse(rig.a, handle, (UINTPTR_MAX - (uintptr_t)handle) & ~(uintptr_t)3,
                "beyond the last address");
        rig_step(&rig, rig.a, rig.b); // nothing has changed
        assert_true(rig_read(rig.b) == 5);
        api_expect(prim_memory_set_data_handle_at(rig.a, own, 0), PRIM_SUCCESS);
        api_expect(prim_memory_set_data_handle_at(rig.a, handle, ROOM_BYTES - N * sizeof(float)),
                PRIM_SUCCESS);
        api_expect(prim_memory_set_data_handle_at(rig.a, NULL, 0), PRIM_SUCCESS);
        void *now = handle;
        api_expect(prim_memory_get_data_handle(rig.a, &now), PRIM_SUCCESS);
        assert_null(now);
        rig_close(&rig);
        prim_memory_destroy(room);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(executes_at_every_place),
            cmocka_unit_test(moves_between_executions),
            cmocka_unit_test(recordings_follow),
            cmocka_unit_test(wrong_places_are_refused),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
