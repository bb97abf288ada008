// SPDX-License-Identifier: Apache-2.0
// Verdicts on matrix units are by the type of the operands: which programs each one builds, whose
// fault it is, and which one a variant asks for.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cache_rig.h"
#include "common/fnv.h"
#include "gpu/ocl/feature/ocl_selftest.h"

extern const ocl_source_t prim__ocl_selftest_mma_cl;
extern const ocl_source_t prim__ocl_selftest_wgmma_cl;

#define SOURCE(name, text) static const ocl_source_t name = {#name, text, sizeof(text) - 1}

static bool is_claimed(const ocl_device_t *device)
{
    return device->id != NULL;
}

// The source is judged wrong for such a reason; NULL: right.
static void expect(
        const ocl_source_t *source, bool (*check)(ocl_selftest_t *), const char *part_of_why)
{
    cache_rig_forget(""); // verdicts on disk are told apart by the row's name and the source
    prim_engine_t *engine = NULL;
    assert_int_equal(prim_engine_create(&engine, PRIM_GPU, 0), PRIM_SUCCESS);
    const ocl_feature_row_t row = {"a_feature", source, is_claimed, check};
    ocl_verdict_t verdict;
    assert_true(prim__ocl_feature_judge(&verdict, prim__ocl_engine(engine), &row));
    prim_engine_destroy(engine);
    if (verdict.is_trusted == !part_of_why && (!part_of_why || strstr(verdict.why, part_of_why)))
        return;
    fail_msg("%s instead of %s", verdict.is_trusted ? "trusted" : verdict.why,
            part_of_why ? part_of_why : "trusted");
}

// Products in plain C in place of matrix units, with a fault in those for which `fault` is true.
static void expect_products(bool (*check)(ocl_selftest_t *), const char *fault, const char *why)
{
    static const char head[] =
            "#undef MMA\n#define MMA 0\n#undef ASYNC_COPY\n#define ASYNC_COPY 0\n",
                      from[] = "y[place] = along[e]";
    static char text[1 << 15];
    const char *const whole = prim__ocl_selftest_mma_cl.text, *const at = strstr(whole, from);
    assert_non_null(at);
    const int length = snprintf(text, sizeof text, "%s%.*s%s + (%s)%s", head, (int)(at - whole),
            whole, from, fault, at + strlen(from));
    assert_in_range(length, 1, sizeof text - 1);
    const ocl_source_t source = {"mma", text, (size_t)length};
    expect(&source, check, why);
}

static void a_fault_of_one_type_is_its_own(void **state)
{
    (void)state;
    const char *const f16 = "MMA_TYPE == 1 && place == 255", *const bf16 = "MMA_TYPE == 2";
    expect_products(prim__ocl_selftest_mma_f16, f16, "f16: element 255");
    expect_products(prim__ocl_selftest_mma_bf16, f16, NULL);
    expect_products(prim__ocl_selftest_mma_int8, f16, NULL);
    expect_products(prim__ocl_selftest_mma_f16, bf16, NULL);
    expect_products(prim__ocl_selftest_mma_bf16, bf16, "bf16: element 0");
    expect_products(prim__ocl_selftest_mma_int8, "SRC_IS_U8 == 0 && WEI_IS_U8 == 0", "s8: element");
    expect_products(prim__ocl_selftest_mma_int8, "SRC_IS_U8 && WEI_IS_U8", "u8: element");
}

#define REFUSING(name, condition)      \
    SOURCE(name, "#if " condition "\n" \
                 "#error refused\n"    \
                 "#endif\n"            \
                 "__kernel void wgmma_product(__global int *y) { y[0] = 1; }\n")
REFUSING(no_f16_copies, "MMA_TYPE == 1 && !MAPS");
REFUSING(no_bf16_copies, "MMA_TYPE == 2 && !MAPS");
REFUSING(no_int8_copies, "MMA_TYPE == 5 && !MAPS");
REFUSING(no_f16_maps, "MMA_TYPE == 1 && MAPS");
REFUSING(no_bf16_maps, "MMA_TYPE == 2 && MAPS");
REFUSING(no_int8_maps, "MMA_TYPE == 5 && MAPS");

// No other compiler than that of such a device goes beyond the first build of these programs, so
// this is about which programs a verdict builds: those of its type, and of no other.
static void a_verdict_builds_what_its_type_needs(void **state)
{
    (void)state;
    bool (*const checks[])(ocl_selftest_t *) = {prim__ocl_selftest_wgmma_f16,
            prim__ocl_selftest_wgmma_bf16, prim__ocl_selftest_wgmma_int8,
            prim__ocl_selftest_tensor_maps_f16, prim__ocl_selftest_tensor_maps_bf16,
            prim__ocl_selftest_tensor_maps_int8};
    const struct {
        const ocl_source_t *source;
        int refused; ///< check that must build what the source refuses
    } cases[] = {{&no_f16_copies, 0}, {&no_bf16_copies, 1}, {&no_int8_copies, 2}, {&no_f16_maps, 3},
            {&no_bf16_maps, 4}, {&no_int8_maps, 5}};
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        for (int c = 0; c < 6; ++c)
            expect(cases[i].source, checks[c],
                    c == cases[i].refused ? "clBuildProgram failed" : "the exact target");
    }
}

// An engine of a device that claims matrix units; nothing is built on it.
static prim_engine_t *engine_with_units(void)
{
    prim_engine_t *engine = NULL;
    assert_int_equal(prim_engine_create(&engine, PRIM_GPU, 0), PRIM_SUCCESS);
    ocl_device_t *const device = (ocl_device_t *)(uintptr_t)prim__ocl_device(engine);
    device->nv_capability_major = 9;
    device->nv_capability_minor = 0;
    return engine;
}

// Restores the verdicts of a family of three: only `trusted` is.
static void restore_family(prim_engine_t *engine, ocl_feature_t of_f16, int trusted)
{
    const ocl_source_t *const source = of_f16 == OCL_FEATURE_MMA_SYNC_F16
                                               ? &prim__ocl_selftest_mma_cl
                                               : &prim__ocl_selftest_wgmma_cl;
    const uint64_t hash = prim__fnv64(FNV64_START, source->text, source->bytes);
    for (int i = 0; i < 3; ++i) {
        char line[128];
        snprintf(line, sizeof line, "%s %llx %d 0 why\n",
                prim__ocl_feature_name((ocl_feature_t)((int)of_f16 + i)), (unsigned long long)hash,
                i == trusted);
        prim__ocl_features_restore(engine, line);
    }
}

static void each_type_is_asked_for_itself(void **state)
{
    (void)state;
    const ocl_feature_t families[] = {
            OCL_FEATURE_MMA_SYNC_F16, OCL_FEATURE_WGMMA_F16, OCL_FEATURE_TENSOR_MAPS_F16};
    const struct {
        prim_data_type_t type;
        int place; ///< of its verdict in the family; -1: none
    } types[] = {{PRIM_F16, 0}, {PRIM_BF16, 1}, {PRIM_S8, 2}, {PRIM_U8, 2}, {PRIM_F32, -1},
            {PRIM_S32, -1}};
    for (int f = 0; f < 3; ++f) {
        for (int trusted = 0; trusted < 3; ++trusted) {
            prim_engine_t *const engine = engine_with_units();
            restore_family(engine, families[f], trusted);
            for (size_t t = 0; t < sizeof types / sizeof types[0]; ++t)
                assert_int_equal(prim__ocl_device_trusts_type(engine, families[f], types[t].type),
                        types[t].place == trusted);
            prim_engine_destroy(engine);
        }
    }
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, cache_rig_open, cache_rig_close)
    const struct CMUnitTest tests[] = {
            CASE(a_fault_of_one_type_is_its_own),
            CASE(a_verdict_builds_what_its_type_needs),
            CASE(each_type_is_asked_for_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
