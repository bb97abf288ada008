// SPDX-License-Identifier: Apache-2.0
// What stands inside the checksum of a cache blob: payloads that are wrong in every part are
// refused, and the engine stays as it was.
#define _XOPEN_SOURCE 700
#include "gpu/ocl/backend/ocl_program_blob.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cache_rig.h"
#include "common/alloc.h"

static void expect(prim_engine_t *engine, const unsigned char *payload, size_t nbytes,
        prim_status_t expected, const char *part_of_sentence)
{
    assert_int_equal(prim__ocl_programs_import(engine, payload, nbytes), expected);
    if (part_of_sentence && !strstr(prim_last_error(), part_of_sentence))
        fail_msg("\"%s\" lacks \"%s\"", prim_last_error(), part_of_sentence);
}

static prim_engine_t *new_engine(void)
{
    prim_engine_t *engine = NULL;
    assert_int_equal(prim_engine_create(&engine, PRIM_GPU, 0), PRIM_SUCCESS);
    return engine;
}

// A payload of one entry with this key and binary, for free().
static unsigned char *payload_of(
        size_t *nbytes, char *key_text, const void *binary, size_t binary_bytes)
{
    const ocl_cache_key_t key = {.text = key_text, .bytes = strlen(key_text)};
    const uint64_t head[2] = {1, prim__ocl_cache_entry_bytes(&key, binary_bytes)};
    unsigned char *const payload = malloc(sizeof head + head[1]);
    assert_non_null(payload);
    memcpy(payload, head, sizeof head);
    prim__ocl_cache_entry_pack(payload + sizeof head, &key, binary, binary_bytes);
    *nbytes = sizeof head + head[1];
    return payload;
}

static void expect_key(const char *key, const char *part_of_sentence)
{
    prim_engine_t *const engine = new_engine();
    char *const text = prim__strdup(key);
    size_t nbytes = 0;
    unsigned char *const payload = payload_of(&nbytes, text, "no binary", 9);
    expect(engine, payload, nbytes, PRIM_INVALID_ARGUMENTS, part_of_sentence);
    free(payload);
    prim__free(text);
    prim_engine_destroy(engine);
}

// What the engine's own programs begin with, followed by `rest`.
static const char *own_key(const char *rest)
{
    static char text[4096];
    prim_engine_t *const engine = new_engine();
    snprintf(text, sizeof text, "%s%s", prim__ocl_program_device_text(engine), rest);
    prim_engine_destroy(engine);
    return text;
}

static void keys_are_read(void **state)
{
    (void)state;
    expect_key("", "of another device");
    expect_key("prim 0.0.0\ndevice of nobody\noptions \nsource x\ntext", "of another device");
    expect_key(own_key(""), "without a name");
    expect_key(own_key("options -DX=1"), "without a name");
    expect_key(own_key("options -DX=1\nsource x"), "without a name");
    expect_key(own_key("option -DX=1\nsource x\n"), "without a name");
    // Some drivers end the process over rubbish (rusticl of Mesa 22) rather than refuse it.
    prim_engine_t *const engine = new_engine();
    const char *const platform = prim__ocl_device(engine)->platform_name;
    const bool is_polite = strstr(platform, "Portable Computing Language") != NULL;
    prim_engine_destroy(engine);
    if (is_polite)
        expect_key(own_key("options -DX=1\nsource x\n__kernel void x() {}"), "the driver refuses");
}

static void lengths_are_checked(void **state)
{
    (void)state;
    prim_engine_t *const engine = new_engine();
    char *const text = prim__strdup(own_key("options \nsource x\ntext"));
    size_t nbytes = 0;
    unsigned char *const payload = payload_of(&nbytes, text, "binary", 6);
    const uint64_t none = 0, two = 2, many = UINT64_MAX, length = nbytes - 16;
    expect(engine, payload, 0, PRIM_INVALID_ARGUMENTS, "empty");
    expect(engine, payload, 7, PRIM_INVALID_ARGUMENTS, "empty");
    expect(engine, payload, 8, PRIM_INVALID_ARGUMENTS, "before its last program");
    expect(engine, payload, 16, PRIM_INVALID_ARGUMENTS, "inside a program");
    expect(engine, payload, nbytes - 1, PRIM_INVALID_ARGUMENTS, "inside a program");
    memcpy(payload, &two, sizeof two);
    expect(engine, payload, nbytes, PRIM_INVALID_ARGUMENTS, "before its last program");
    memcpy(payload, &many, sizeof many);
    expect(engine, payload, nbytes, PRIM_INVALID_ARGUMENTS, "claims to hold");
    memcpy(payload, &none, sizeof none);
    expect(engine, payload, nbytes, PRIM_INVALID_ARGUMENTS, "has bytes after");
    expect(engine, payload, 8, PRIM_SUCCESS, NULL); // a primitive without kernels
    payload[0] = 1;
    memcpy(payload + 8, &many, sizeof many);
    expect(engine, payload, nbytes, PRIM_INVALID_ARGUMENTS, "inside a program");
    memcpy(payload + 8, &length, sizeof length);
    payload[nbytes - 1] ^= 1;
    expect(engine, payload, nbytes, PRIM_INVALID_ARGUMENTS, "damaged");
    free(payload);
    prim__free(text);
    prim_engine_destroy(engine);
}

// A program under a key that is not its own, with options that no driver knows. The checksums are
// right: whoever changes a key can change them, too.
static void programs_of_other_keys_are_refused(void **state)
{
    (void)state;
    cache_rig_run(1); // leaves an entry on the disk
    char path[OCL_CACHE_PATH_BYTES];
    ocl_cache_key_t key = cache_rig_key(1, path);
    size_t nentry = 0, nbytes = 0;
    unsigned char *const entry = cache_rig_read(path, &nentry);
    ocl_entry_view_t view;
    assert_int_equal(prim__ocl_cache_entry_parse(&view, entry, nentry), OCL_ENTRY_FOUND);
    char *const text = prim__strdup(own_key("options -cl-no-such-option\nsource x\ntext"));
    unsigned char *const payload = payload_of(&nbytes, text, view.binary, view.binary_bytes);
    prim_engine_t *const engine = new_engine();
    // NVIDIA's driver does not read the options of a binary.
    const bool is_read = prim__ocl_device(engine)->nv_capability_major == 0;
    expect(engine, payload, nbytes, is_read ? PRIM_INVALID_ARGUMENTS : PRIM_SUCCESS,
            is_read ? "the driver refuses" : NULL);
    prim_engine_destroy(engine);
    free(payload);
    free(entry);
    prim__free(text);
    prim__ocl_cache_key_fini(&key);
}

// A marker that nobody holds: a process died while it loaded this program.
static void deadly_programs_are_left_alone(void **state)
{
    (void)state;
    cache_rig_run(1); // leaves an entry on the disk
    char path[OCL_CACHE_PATH_BYTES], marker[OCL_CACHE_PATH_BYTES];
    ocl_cache_key_t key = cache_rig_key(1, path);
    size_t nbytes = 0;
    unsigned char *const bytes = cache_rig_read(path, &nbytes);
    const uint64_t head[2] = {1, nbytes};
    unsigned char *const payload = malloc(sizeof head + nbytes);
    assert_non_null(payload);
    memcpy(payload, head, sizeof head);
    memcpy(payload + sizeof head, bytes, nbytes);

    prim__ocl_cache_path(marker, cache_rig_folder(), key.name, ".loading");
    cache_rig_write(marker, "1\n", 2);
    prim_engine_t *const engine = new_engine();
    expect(engine, payload, sizeof head + nbytes, PRIM_INVALID_ARGUMENTS, "a process crashed");
    cache_log = (cache_log_t){0};
    expect(engine, payload, sizeof head + nbytes, PRIM_SUCCESS, NULL); // the marker is gone
    expect(engine, payload, sizeof head + nbytes, PRIM_SUCCESS, NULL); // there already
    cl_program program = NULL;
    const ocl_options_t options = cache_rig_options(engine, 1);
    assert_int_equal(prim__ocl_program_get(&program, engine, &cache_test_source, options.text),
            PRIM_SUCCESS);
    if (cache_log.nsource + cache_log.ndisk != 0) fail_msg("%s", cache_log.last_build);
    clReleaseProgram(program);
    prim_engine_destroy(engine);
    free(payload);
    free(bytes);
    prim__ocl_cache_key_fini(&key);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, cache_rig_open, cache_rig_close)
    const struct CMUnitTest tests[] = {
            CASE(keys_are_read),
            CASE(lengths_are_checked),
            CASE(programs_of_other_keys_are_refused),
            CASE(deadly_programs_are_left_alone),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
