// SPDX-License-Identifier: Apache-2.0
// prim_engine_query(): what each engine answers, and that it is what the device says.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

// Room for any answer; untouched bytes keep MARK.
typedef union {
    const char *text;
    int number;
    int64_t wide;
    bool yes;
    unsigned char bytes[16];
} answer_t;

enum { MARK = 0x5a };

static prim_status_t ask(const prim_engine_t *engine, int what, answer_t *answer)
{
    memset(answer->bytes, MARK, sizeof answer->bytes);
    return prim_engine_query(engine, (prim_engine_query_t)what, answer);
}

static const char *text_of(const prim_engine_t *engine, prim_engine_query_t what)
{
    answer_t answer;
    api_expect(ask(engine, (int)what, &answer), PRIM_SUCCESS);
    assert_non_null(answer.text);
    return answer.text;
}

static int64_t wide_of(const prim_engine_t *engine, prim_engine_query_t what)
{
    answer_t answer;
    api_expect(ask(engine, (int)what, &answer), PRIM_SUCCESS);
    return answer.wide;
}

static int number_of(const prim_engine_t *engine, prim_engine_query_t what)
{
    answer_t answer;
    api_expect(ask(engine, (int)what, &answer), PRIM_SUCCESS);
    return answer.number;
}

static bool is_yes(const prim_engine_t *engine, prim_engine_query_t what)
{
    answer_t answer;
    api_expect(ask(engine, (int)what, &answer), PRIM_SUCCESS);
    assert_true(answer.bytes[0] <= 1);
    return answer.yes;
}

// Every number there might be: an answer that fits its type, or a sentence and nothing written.
static void answers_or_declines(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        int nanswers = 0;
        for (int what = -1; what < 300; ++what) {
            answer_t answer;
            const prim_status_t status = ask(api_engine(e), what, &answer);
            nanswers += status == PRIM_SUCCESS;
            if (status != PRIM_SUCCESS) api_expect(status, PRIM_UNIMPLEMENTED);
            for (size_t i = status == PRIM_SUCCESS ? sizeof(int64_t) : 0; i < sizeof answer; ++i)
                assert_int_equal(answer.bytes[i], MARK);
        }
        assert_true(nanswers >= (e == 0 ? 13 : 60));
    }
}

static void refuses_bad_arguments(void **state)
{
    (void)state;
    answer_t answer;
    api_expect(
            prim_engine_query(NULL, PRIM_ENGINE_QUERY_NAME_STR, &answer), PRIM_INVALID_ARGUMENTS);
    for (int e = 0; api_engine(e); ++e) {
        api_expect(prim_engine_query(api_engine(e), PRIM_ENGINE_QUERY_NAME_STR, NULL),
                PRIM_INVALID_ARGUMENTS);
        api_expect(ask(api_engine(e), PRIM_ENGINE_QUERY_UNDEF, &answer), PRIM_UNIMPLEMENTED);
    }
}

static void agrees_with_the_other_functions(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        const prim_engine_t *const engine = api_engine(e);
        size_t total = 0, largest = 0;
        api_expect(prim_engine_get_memory_limits(engine, &total, &largest), PRIM_SUCCESS);
        assert_ptr_equal(text_of(engine, PRIM_ENGINE_QUERY_NAME_STR), prim_engine_name(engine));
        assert_int_equal(wide_of(engine, PRIM_ENGINE_QUERY_GLOBAL_BYTES_S64), total);
        assert_int_equal(wide_of(engine, PRIM_ENGINE_QUERY_MAX_ALLOCATION_BYTES_S64), largest);
        assert_true(number_of(engine, PRIM_ENGINE_QUERY_COMPUTE_UNITS_S32) > 0);
        assert_true(number_of(engine, PRIM_ENGINE_QUERY_ADDRESS_BITS_S32) >= 32);
        assert_true(strlen(text_of(engine, PRIM_ENGINE_QUERY_PLATFORM_STR)) > 0);
        assert_true(strlen(text_of(engine, PRIM_ENGINE_QUERY_KIND_STR)) > 0);
    }
}

static void tells_the_processor(void **state)
{
    (void)state;
    const prim_engine_t *const cpu = api_engine(0);
    assert_string_equal(text_of(cpu, PRIM_ENGINE_QUERY_KIND_STR), "cpu");
    static const char *const levels[] = {
            "portable", "neon", "avx2", "avx512", "avx512_vnni", "avx512_bf16", "avx512_amx"};
    const char *const isa = text_of(cpu, PRIM_ENGINE_QUERY_ISA_STR);
    bool is_known = false;
    for (size_t i = 0; i < sizeof levels / sizeof *levels; ++i)
        is_known = is_known || strcmp(isa, levels[i]) == 0;
    assert_true(is_known);
    assert_true(is_yes(cpu, PRIM_ENGINE_QUERY_HAS_UNIFIED_MEMORY_BOOL));
    const char *const runtime = text_of(cpu, PRIM_ENGINE_QUERY_PLATFORM_STR);
    const prim_runtime_t built = prim_version()->cpu_runtime;
    assert_string_equal(runtime, built == PRIM_RUNTIME_OMP          ? "openmp"
                                 : built == PRIM_RUNTIME_THREADPOOL ? "threadpool"
                                                                    : "sequential");
#if defined(__x86_64__)
    assert_int_equal(strlen(text_of(cpu, PRIM_ENGINE_QUERY_VENDOR_STR)), 12);
#endif
}

// Limits that OpenCL promises, and answers that depend on each other.
static void tells_a_device(void **state)
{
    (void)state;
    const prim_engine_t *const gpu = api_engine(1);
    if (!gpu) skip();
    assert_int_equal(strncmp(text_of(gpu, PRIM_ENGINE_QUERY_DEVICE_VERSION_STR), "OpenCL ", 7), 0);
    assert_int_equal(
            strncmp(text_of(gpu, PRIM_ENGINE_QUERY_LANGUAGE_VERSION_STR), "OpenCL C ", 9), 0);
    const char *const extensions = text_of(gpu, PRIM_ENGINE_QUERY_EXTENSIONS_STR);
    assert_int_equal(is_yes(gpu, PRIM_ENGINE_QUERY_HAS_COMMAND_BUFFER_BOOL),
            strstr(extensions, "cl_khr_command_buffer") != NULL);
    const int64_t items = wide_of(gpu, PRIM_ENGINE_QUERY_MAX_GROUP_ITEMS_S64);
    assert_true(items > 0);
    assert_true(wide_of(gpu, PRIM_ENGINE_QUERY_MAX_GROUP_X_S64) > 0);
    assert_true(wide_of(gpu, PRIM_ENGINE_QUERY_MAX_GROUP_Y_S64) > 0);
    assert_true(wide_of(gpu, PRIM_ENGINE_QUERY_MAX_GROUP_Z_S64) > 0);
    assert_true(wide_of(gpu, PRIM_ENGINE_QUERY_LOCAL_BYTES_S64) >= 32768);
    assert_true(wide_of(gpu, PRIM_ENGINE_QUERY_MAX_PARAMETER_BYTES_S64) >= 1024);
    assert_true(number_of(gpu, PRIM_ENGINE_QUERY_PREFERRED_WIDTH_F32_S32) > 0);
    if (is_yes(gpu, PRIM_ENGINE_QUERY_HAS_IMAGES_BOOL)) {
        assert_true(wide_of(gpu, PRIM_ENGINE_QUERY_MAX_IMAGE_WIDTH_S64) >= 2048);
        assert_true(wide_of(gpu, PRIM_ENGINE_QUERY_MAX_IMAGE_HEIGHT_S64) >= 2048);
    }
    answer_t answer;
    if (!strstr(extensions, "cl_nv_device_attribute_query"))
        api_expect(ask(gpu, PRIM_ENGINE_QUERY_NV_WARP_ITEMS_S32, &answer), PRIM_UNIMPLEMENTED);
    else
        assert_true(number_of(gpu, PRIM_ENGINE_QUERY_NV_CAPABILITY_MAJOR_S32) > 0);
}

static bool has_word(const char *words, const char *word)
{
    const size_t length = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at += length)
        if ((at == words || at[-1] == ' ') && (at[length] == ' ' || !at[length])) return true;
    return false;
}

static void trusts_what_was_shown(void **state)
{
    (void)state;
    const prim_engine_t *const gpu = api_engine(1);
    if (!gpu) skip();
    const char *const trusted = text_of(gpu, PRIM_ENGINE_QUERY_TRUSTED_STR);
    const char *const distrusted = text_of(gpu, PRIM_ENGINE_QUERY_DISTRUSTED_STR);
    assert_ptr_equal(text_of(gpu, PRIM_ENGINE_QUERY_TRUSTED_STR), trusted);
    static const struct {
        const char *name;
        prim_engine_query_t claim;
    } features[] = {{"half", PRIM_ENGINE_QUERY_HAS_F16_BOOL},
            {"image_f32", PRIM_ENGINE_QUERY_HAS_IMAGES_BOOL},
            {"image_f16", PRIM_ENGINE_QUERY_HAS_IMAGES_BOOL},
            {"subgroups", PRIM_ENGINE_QUERY_HAS_SUBGROUPS_BOOL}};
    for (size_t i = 0; i < sizeof features / sizeof features[0]; ++i) {
        const bool is_distrusted = strstr(distrusted, features[i].name) != NULL;
        assert_int_equal(has_word(trusted, features[i].name) + is_distrusted,
                is_yes(gpu, features[i].claim));
    }
    const int items = number_of(gpu, PRIM_ENGINE_QUERY_SUBGROUP_ITEMS_S32);
    assert_int_equal(items > 0, has_word(trusted, "subgroups"));
    answer_t answer;
    api_expect(ask(api_engine(0), PRIM_ENGINE_QUERY_TRUSTED_STR, &answer), PRIM_UNIMPLEMENTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(answers_or_declines),
            cmocka_unit_test(refuses_bad_arguments),
            cmocka_unit_test(agrees_with_the_other_functions),
            cmocka_unit_test(tells_the_processor),
            cmocka_unit_test(tells_a_device),
            cmocka_unit_test(trusts_what_was_shown),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
