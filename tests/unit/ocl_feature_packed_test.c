// SPDX-License-Identifier: Apache-2.0
// Self-tests of instructions on pairs of 16 bits, with plain C in their place: right, and with a
// fault.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "cache_rig.h"
#include "gpu/ocl/feature/ocl_selftest.h"

#define SOURCE(name, text) static const ocl_source_t name = {#name, text, sizeof(text) - 1}

static bool is_claimed(const ocl_device_t *device)
{
    return device->id != NULL;
}

// The source is judged wrong for such a reason; NULL: right.
static void expect(
        const ocl_source_t *source, bool (*check)(ocl_selftest_t *), const char *part_of_why)
{
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

#define PACK_TEXT                                                               \
    "uint bf16(uint x) { return isnan(as_float(x)) ? KEPT : ROUNDED >> 16; }\n" \
    "__kernel void pack_bf16(__global uint *y, __global const uint *x)\n"       \
    "{\n"                                                                       \
    "    const int i = (int)get_global_id(0);\n"                                \
    "    y[i] = bf16(x[2 * i]) | bf16(x[2 * i + 1]) << 16;\n"                   \
    "}\n"
#define TO_EVEN "#define ROUNDED (x + 0x7fffu + (x >> 16 & 1u))\n"
SOURCE(pack_right, TO_EVEN "#define KEPT 0x7fffu\n" PACK_TEXT);
SOURCE(pack_upwards, "#define ROUNDED (x + 0x8000u)\n#define KEPT 0x7fffu\n" PACK_TEXT);
SOURCE(pack_nan_lost, TO_EVEN "#define KEPT 0x7f80u\n" PACK_TEXT);

static void roundings_to_bf16(void **state)
{
    (void)state;
    expect(&pack_right, prim__ocl_selftest_packed_bf16, NULL);
    expect(&pack_upwards, prim__ocl_selftest_packed_bf16, "bf16 of 0x3f808000");
    expect(&pack_nan_lost, prim__ocl_selftest_packed_bf16, "bf16 of 0x7fc00001");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, cache_rig_open, cache_rig_close)
    const struct CMUnitTest tests[] = {
            CASE(roundings_to_bf16),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
