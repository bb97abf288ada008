// SPDX-License-Identifier: Apache-2.0
// Cache blobs of primitives and of OpenCL engines: in this process on fresh engines, and in another
// one. Run with "worker <file>" it is the other process: it creates the primitive from the blob in
// the file, and its exit status is how many programs it had to build.
#define _POSIX_C_SOURCE 200809L
#include <prim/prim_ocl.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { N = 37, WRONG = 100 };

static int nsource, nblob, ntests;

static void count(void *user, const char *line)
{
    (void)user;
    nsource += strstr(line, ",ocl,build,") && strstr(line, ",source,");
    nblob += strstr(line, ",ocl,build,") && strstr(line, ",blob,");
    ntests += strstr(line, ",ocl,selftest,") != NULL;
}

static void forget(void)
{
    nsource = nblob = ntests = 0;
}

static prim_engine_t *new_gpu(void)
{
    prim_engine_t *engine = NULL;
    api_expect(prim_engine_create(&engine, PRIM_GPU, 0), PRIM_SUCCESS);
    return engine;
}

static void expect_sentence(const char *part)
{
    if (!strstr(prim_last_error(), part)) fail_msg("\"%s\" lacks %s", prim_last_error(), part);
}

// Whether the primitive computes max(x, 0).
static bool is_relu(const prim_t *relu, prim_engine_t *engine)
{
    const prim_memory_desc_t md = api_vector(N);
    prim_memory_t *const src = api_memory(&md, engine), *const dst = api_memory(&md, engine);
    prim_stream_t *const stream = api_stream(engine);
    float *data = NULL;
    api_expect(prim_memory_map_data(src, (void **)&data), PRIM_SUCCESS);
    for (int i = 0; i < N; ++i) data[i] = (float)(i - N / 2);
    api_expect(prim_memory_unmap_data(src, data), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}};
    api_expect(prim_execute(relu, stream, 2, args), PRIM_SUCCESS);
    api_expect(prim_memory_map_data(dst, (void **)&data), PRIM_SUCCESS);
    bool is_right = true;
    for (int i = 0; i < N; ++i)
        is_right = is_right && data[i] == (i > N / 2 ? (float)(i - N / 2) : 0.0f);
    api_expect(prim_memory_unmap_data(dst, data), PRIM_SUCCESS);
    prim_stream_destroy(stream);
    prim_memory_destroy(src);
    prim_memory_destroy(dst);
    return is_right;
}

typedef struct {
    unsigned char *bytes; ///< owned
    size_t nbytes;
} blob_t;

static blob_t blob_of(const prim_t *primitive)
{
    blob_t blob = {NULL, 0};
    api_expect(prim_get_cache_blob(primitive, &blob.nbytes, NULL), PRIM_SUCCESS);
    assert_true(blob.nbytes > 0);
    blob.bytes = malloc(blob.nbytes);
    assert_non_null(blob.bytes);
    api_expect(prim_get_cache_blob(primitive, &blob.nbytes, blob.bytes), PRIM_SUCCESS);
    return blob;
}

// The blob of relu on N elements.
static blob_t relu_blob(void)
{
    prim_engine_t *const engine = new_gpu();
    prim_desc_t *const pd = api_relu_desc(engine, N, NULL);
    prim_t *relu = NULL;
    api_expect(prim_create(&relu, pd), PRIM_SUCCESS);
    const blob_t blob = blob_of(relu);
    prim_destroy(relu);
    prim_desc_destroy(pd);
    prim_engine_destroy(engine);
    return blob;
}

// Creates relu of `n` on a fresh engine from the blob, and checks what it computes if it is made.
static prim_status_t create_on(
        prim_engine_t *engine, const unsigned char *bytes, size_t nbytes, prim_dim_t n)
{
    prim_desc_t *const pd = api_relu_desc(engine, n, NULL);
    prim_t *relu = UNTOUCHED(prim_t *);
    const prim_status_t status = prim_create_from_cache_blob(&relu, pd, nbytes, bytes);
    if (status == PRIM_SUCCESS) {
        assert_true(is_relu(relu, engine));
        prim_destroy(relu);
    } else {
        assert_ptr_equal(relu, api_untouched());
    }
    prim_desc_destroy(pd);
    return status;
}

static prim_status_t create_from(const unsigned char *bytes, size_t nbytes, prim_dim_t n)
{
    prim_engine_t *const engine = new_gpu();
    const prim_status_t status = create_on(engine, bytes, nbytes, n);
    prim_engine_destroy(engine);
    return status;
}

static void comes_back_without_a_build(void **state)
{
    (void)state;
    const blob_t blob = relu_blob();
    forget();
    api_expect(create_from(blob.bytes, blob.nbytes, N), PRIM_SUCCESS);
    assert_int_equal(nsource, 0);
    assert_int_equal(nblob, 1);
    // An engine that has the program does not load it again.
    prim_engine_t *const engine = new_gpu();
    prim_desc_t *const pd = api_relu_desc(engine, N, NULL);
    prim_t *first = NULL, *second = NULL;
    forget();
    api_expect(prim_create_from_cache_blob(&first, pd, blob.nbytes, blob.bytes), PRIM_SUCCESS);
    api_expect(prim_create_from_cache_blob(&second, pd, blob.nbytes, blob.bytes), PRIM_SUCCESS);
    assert_int_equal(nsource, 0);
    assert_int_equal(nblob, 1);
    // What came from a blob has one as well.
    const blob_t again = blob_of(second);
    api_expect(create_from(again.bytes, again.nbytes, N), PRIM_SUCCESS);
    assert_int_equal(nsource, 0);
    free(again.bytes);
    prim_destroy(first);
    prim_destroy(second);
    prim_desc_destroy(pd);
    prim_engine_destroy(engine);
    free(blob.bytes);
}

static prim_desc_t *ip_desc(prim_engine_t *engine)
{
    const prim_dim_t dims[] = {256, 256}; // few products run in the generic program
    prim_memory_desc_t md;
    prim_desc_t *pd = NULL;
    api_expect(prim_memory_desc_init_by_tag(&md, 2, dims, PRIM_F32, PRIM_ab), PRIM_SUCCESS);
    api_expect(prim_inner_product_forward_desc_create(
                       &pd, engine, PRIM_FORWARD_INFERENCE, &md, &md, NULL, &md, NULL),
            PRIM_SUCCESS);
    return pd;
}

// An inner product runs a matmul, whose programs are all that it has.
static void holds_what_runs_inside(void **state)
{
    (void)state;
    prim_t *primitive = NULL;
    prim_engine_t *engine = new_gpu();
    prim_desc_t *pd = ip_desc(engine);
    const char *name = NULL;
    api_expect(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name), PRIM_SUCCESS);
    assert_non_null(strstr(name, "ocl:ip:matmul+"));
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    const blob_t blob = blob_of(primitive);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
    prim_engine_destroy(engine);

    forget();
    engine = new_gpu();
    pd = ip_desc(engine);
    api_expect(prim_create_from_cache_blob(&primitive, pd, blob.nbytes, blob.bytes), PRIM_SUCCESS);
    assert_int_equal(nsource, 0);
    assert_true(nblob >= 1);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
    prim_engine_destroy(engine);
    free(blob.bytes);
}

static char self_path[4096];

static int run_worker(const char *path)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        execl(self_path, self_path, "worker", path, (char *)NULL);
        _exit(127);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void another_process_builds_nothing(void **state)
{
    (void)state;
    char path[] = "/tmp/prim_blob_XXXXXX";
    const int fd = mkstemp(path);
    assert_true(fd >= 0);
    const blob_t blob = relu_blob();
    assert_int_equal(write(fd, blob.bytes, blob.nbytes), blob.nbytes);
    close(fd);
    assert_int_equal(run_worker(path), 0);
    remove(path);
    assert_int_equal(run_worker(path), 1); // without a blob: the control
    free(blob.bytes);
}

static void sizes_are_asked_first(void **state)
{
    (void)state;
    prim_engine_t *const engine = new_gpu();
    prim_desc_t *const pd = api_relu_desc(engine, N, NULL);
    prim_t *relu = NULL;
    api_expect(prim_create(&relu, pd), PRIM_SUCCESS);
    size_t nbytes = 0;
    api_expect(prim_get_cache_blob(relu, &nbytes, NULL), PRIM_SUCCESS);
    unsigned char *const bytes = malloc(nbytes + 1);
    assert_non_null(bytes);
    memset(bytes, 0x5a, nbytes + 1);
    size_t room = nbytes - 1;
    api_expect(prim_get_cache_blob(relu, &room, bytes), PRIM_INVALID_ARGUMENTS);
    expect_sentence("bytes, the buffer ");
    assert_int_equal(room, nbytes - 1);
    for (size_t i = 0; i <= nbytes; ++i) assert_int_equal(bytes[i], 0x5a);
    room = nbytes + 1;
    api_expect(prim_get_cache_blob(relu, &room, bytes), PRIM_SUCCESS);
    assert_int_equal(room, nbytes);
    assert_int_equal(bytes[nbytes], 0x5a);
    api_expect(prim_get_cache_blob(NULL, &room, bytes), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_get_cache_blob(relu, NULL, bytes), PRIM_INVALID_ARGUMENTS);
    prim_t *made = UNTOUCHED(prim_t *);
    api_expect(prim_create_from_cache_blob(NULL, pd, nbytes, bytes), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_create_from_cache_blob(&made, NULL, nbytes, bytes), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_create_from_cache_blob(&made, pd, nbytes, NULL), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_create_from_cache_blob(&made, pd, 0, bytes), PRIM_INVALID_ARGUMENTS);
    assert_ptr_equal(made, api_untouched());
    free(bytes);
    prim_destroy(relu);
    prim_desc_destroy(pd);
    prim_engine_destroy(engine);
}

static void damaged_blobs_are_refused(void **state)
{
    (void)state;
    const blob_t blob = relu_blob();
    prim_engine_t *const engine = new_gpu();
    forget();
    const size_t lengths[] = {1, 47, 48, 55, 56, 64, 200, blob.nbytes / 2, blob.nbytes - 1};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i)
        api_expect(create_on(engine, blob.bytes, lengths[i], N), PRIM_INVALID_ARGUMENTS);
    // A flipped bit anywhere: all of the head, then samples.
    for (size_t at = 0; at < blob.nbytes; at += at < 200 ? 1 : blob.nbytes / 37) {
        blob.bytes[at] ^= 4;
        api_expect(create_on(engine, blob.bytes, blob.nbytes, N), PRIM_INVALID_ARGUMENTS);
        blob.bytes[at] ^= 4;
    }
    unsigned char *const longer = malloc(blob.nbytes + 1);
    assert_non_null(longer);
    memcpy(longer, blob.bytes, blob.nbytes);
    longer[blob.nbytes] = 0;
    api_expect(create_on(engine, longer, blob.nbytes + 1, N), PRIM_INVALID_ARGUMENTS);
    free(longer);
    api_expect(create_on(engine, blob.bytes, blob.nbytes, N + 1), PRIM_INVALID_ARGUMENTS);
    expect_sentence("another problem");
    assert_int_equal(nsource + nblob, 0);
    prim_engine_destroy(engine);
    free(blob.bytes);
}

static const uint8_t *id_of(const prim_desc_t *pd, int64_t *nbytes)
{
    const uint8_t *id = NULL;
    api_expect(prim_desc_query(pd, PRIM_QUERY_CACHE_BLOB_ID_SIZE_S64, 0, nbytes), PRIM_SUCCESS);
    api_expect(prim_desc_query(pd, PRIM_QUERY_CACHE_BLOB_ID, 0, &id), PRIM_SUCCESS);
    assert_true(*nbytes > 0);
    return id;
}

static bool have_same_id(const prim_desc_t *a, const prim_desc_t *b)
{
    int64_t na = 0, nb = 0;
    const uint8_t *const x = id_of(a, &na), *const y = id_of(b, &nb);
    return na == nb && memcmp(x, y, (size_t)na) == 0;
}

static void ids_tell_problems_apart(void **state)
{
    (void)state;
    prim_engine_t *const engine = new_gpu(), *const other = new_gpu();
    prim_attr_t *attr = NULL;
    api_expect(prim_attr_create(&attr), PRIM_SUCCESS);
    api_expect(prim_attr_set_scratchpad_mode(attr, PRIM_SCRATCHPAD_USER), PRIM_SUCCESS);
    prim_desc_t *const pd = api_relu_desc(engine, N, NULL);
    prim_desc_t *const twin = api_relu_desc(other, N, NULL);
    prim_desc_t *const larger = api_relu_desc(engine, N + 1, NULL);
    prim_desc_t *const with_attr = api_relu_desc(engine, N, attr);
    prim_desc_t *slower = NULL, *leaky = NULL;
    const prim_memory_desc_t md = api_vector(N);
    api_expect(prim_eltwise_forward_desc_create(&leaky, engine, PRIM_FORWARD_INFERENCE,
                       PRIM_ELTWISE_RELU, &md, &md, 0.5f, 0, NULL),
            PRIM_SUCCESS);
    api_expect(prim_desc_clone(&slower, pd), PRIM_SUCCESS);
    assert_true(have_same_id(pd, slower));
    api_expect(prim_desc_next_impl(slower), PRIM_SUCCESS);
    assert_true(have_same_id(pd, twin));
    assert_false(have_same_id(pd, larger));
    assert_false(have_same_id(pd, with_attr));
    assert_false(have_same_id(pd, leaky));
    assert_false(have_same_id(pd, slower));
    prim_desc_destroy(pd);
    prim_desc_destroy(twin);
    prim_desc_destroy(larger);
    prim_desc_destroy(with_attr);
    prim_desc_destroy(leaky);
    prim_desc_destroy(slower);
    prim_attr_destroy(attr);
    prim_engine_destroy(engine);
    prim_engine_destroy(other);
}

typedef struct {
    cl_device_id device;
    cl_context context; ///< borrowed from `engine`
    prim_engine_t *engine;
} app_t;

static app_t open_app(void)
{
    app_t app = {.engine = new_gpu()};
    api_expect(prim_ocl_engine_get_device(app.engine, &app.device), PRIM_SUCCESS);
    api_expect(prim_ocl_engine_get_context(app.engine, &app.context), PRIM_SUCCESS);
    return app;
}

static void engines_come_back_tested(void **state)
{
    (void)state;
    const app_t app = open_app();
    size_t nbytes = 0, id_bytes = 0, room = 0;
    uint8_t id[64], same_id[64];
    api_expect(prim_ocl_engine_get_cache_blob_id(app.device, &id_bytes, NULL), PRIM_SUCCESS);
    assert_true(id_bytes > 0 && id_bytes <= sizeof id);
    room = sizeof id;
    api_expect(prim_ocl_engine_get_cache_blob_id(app.device, &room, id), PRIM_SUCCESS);
    assert_int_equal(room, id_bytes);
    api_expect(prim_ocl_engine_get_cache_blob_id(app.device, &room, same_id), PRIM_SUCCESS);
    assert_memory_equal(id, same_id, id_bytes);

    api_expect(prim_ocl_engine_get_cache_blob(app.engine, &nbytes, NULL), PRIM_SUCCESS);
    uint8_t *const blob = malloc(nbytes);
    assert_non_null(blob);
    room = nbytes;
    api_expect(prim_ocl_engine_get_cache_blob(app.engine, &room, blob), PRIM_SUCCESS);
    assert_int_equal(room, nbytes);
    prim_engine_t *engine = NULL;
    forget();
    api_expect(
            prim_ocl_engine_create_from_cache_blob(&engine, app.device, app.context, nbytes, blob),
            PRIM_SUCCESS);
    const char *trusted = NULL, *expected = NULL;
    api_expect(prim_engine_query(engine, PRIM_ENGINE_QUERY_TRUSTED_STR, &trusted), PRIM_SUCCESS);
    assert_int_equal(ntests, 0);
    api_expect(
            prim_engine_query(app.engine, PRIM_ENGINE_QUERY_TRUSTED_STR, &expected), PRIM_SUCCESS);
    assert_string_equal(trusted, expected);
    prim_engine_destroy(engine);

    engine = UNTOUCHED(prim_engine_t *);
    for (size_t at = 0; at <= nbytes; at += at < 48 ? 1 : 13) {
        if (at < nbytes) blob[at] ^= 1;
        api_expect(prim_ocl_engine_create_from_cache_blob(&engine, app.device, app.context,
                           at < nbytes ? nbytes : nbytes - 1, blob),
                PRIM_INVALID_ARGUMENTS);
        if (at < nbytes) blob[at] ^= 1;
    }
    assert_ptr_equal(engine, api_untouched());
    free(blob);
    prim_engine_destroy(app.engine);
}

static void engines_check_their_arguments(void **state)
{
    (void)state;
    const app_t app = open_app();
    size_t bytes = 3;
    uint8_t byte[3] = {7, 7, 7};
    prim_engine_t *engine = UNTOUCHED(prim_engine_t *), *cpu = NULL;
    api_expect(prim_ocl_engine_get_cache_blob_id(NULL, &bytes, byte), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_engine_get_cache_blob_id(app.device, NULL, byte), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_engine_get_cache_blob_id(app.device, &bytes, byte), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_engine_get_cache_blob(NULL, &bytes, byte), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_engine_get_cache_blob(app.engine, NULL, byte), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_engine_get_cache_blob(app.engine, &bytes, byte), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_engine_create(&cpu, PRIM_CPU, 0), PRIM_SUCCESS);
    api_expect(prim_ocl_engine_get_cache_blob(cpu, &bytes, byte), PRIM_INVALID_ARGUMENTS);
    prim_engine_destroy(cpu);
    assert_true(bytes == 3 && byte[0] == 7 && byte[1] == 7 && byte[2] == 7);
    api_expect(prim_ocl_engine_create_from_cache_blob(NULL, app.device, app.context, bytes, byte),
            PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_engine_create_from_cache_blob(&engine, NULL, app.context, bytes, byte),
            PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_engine_create_from_cache_blob(&engine, app.device, NULL, bytes, byte),
            PRIM_INVALID_ARGUMENTS);
    api_expect(
            prim_ocl_engine_create_from_cache_blob(&engine, app.device, app.context, bytes, NULL),
            PRIM_INVALID_ARGUMENTS);
    api_expect(
            prim_ocl_engine_create_from_cache_blob(&engine, app.device, app.context, bytes, byte),
            PRIM_INVALID_ARGUMENTS);
    assert_ptr_equal(engine, api_untouched());
    prim_engine_destroy(app.engine);
}

static int open_tests(void **state)
{
    (void)state;
    prim_set_log_callback(count, NULL);
    prim_set_verbose("profile_create");
    return prim_set_cache_dir("") == PRIM_SUCCESS && prim_engine_get_count(PRIM_GPU) > 0 ? 0 : -1;
}

static int close_tests(void **state)
{
    (void)state;
    return prim_set_primitive_cache_capacity(0) == PRIM_SUCCESS ? 0 : -1;
}

static int work(const char *path)
{
    void *state = NULL;
    static unsigned char bytes[1 << 22];
    if (open_tests(&state)) return WRONG;
    FILE *const file = fopen(path, "rb");
    const size_t nbytes = file ? fread(bytes, 1, sizeof bytes, file) : 0;
    if (file) fclose(file);
    prim_engine_t *const engine = new_gpu();
    prim_desc_t *const pd = api_relu_desc(engine, N, NULL);
    prim_t *relu = NULL;
    const prim_status_t status =
            file ? prim_create_from_cache_blob(&relu, pd, nbytes, bytes) : prim_create(&relu, pd);
    const bool is_right = status == PRIM_SUCCESS && is_relu(relu, engine);
    prim_destroy(relu);
    prim_desc_destroy(pd);
    prim_engine_destroy(engine);
    close_tests(&state);
    return is_right ? nsource : WRONG;
}

int main(int argc, char **argv)
{
    if (argc == 3 && strcmp(argv[1], "worker") == 0) return work(argv[2]);
    snprintf(self_path, sizeof self_path, "%s", argv[0]);
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(comes_back_without_a_build),
            cmocka_unit_test(holds_what_runs_inside),
            cmocka_unit_test(another_process_builds_nothing),
            cmocka_unit_test(sizes_are_asked_first),
            cmocka_unit_test(damaged_blobs_are_refused),
            cmocka_unit_test(ids_tell_problems_apart),
            cmocka_unit_test(engines_come_back_tested),
            cmocka_unit_test(engines_check_their_arguments),
    };
    return cmocka_run_group_tests(tests, open_tests, close_tests);
}
