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

#define MAX_TEXT                                                                           \
    "int rank(ushort x) { return x & 0x8000u ? -(int)(x & 0x7fffu) : (int)x; }\n"          \
    "bool nan(ushort x, int top) { return (int)(x & 0x7fffu) > top; }\n"                   \
    "ushort end(ushort a, ushort b, int top, bool is_max)\n"                               \
    "{\n"                                                                                  \
    "    if (nan(a, top)) return NAN_A;\n"                                                 \
    "    if (nan(b, top)) return b;\n"                                                     \
    "    return (rank(a) > rank(b)) == is_max ? a : b;\n"                                  \
    "}\n"                                                                                  \
    "uint2 ends(ushort2 a, ushort2 b, int top)\n"                                          \
    "{\n"                                                                                  \
    "    const ushort2 high = (ushort2)(end(a.s0, b.s0, top, true), end(a.s1, b.s1, top, " \
    "true));\n"                                                                            \
    "    const ushort2 low = (ushort2)(end(a.s0, b.s0, top, false), end(a.s1, b.s1, top, " \
    "false));\n"                                                                           \
    "    return (uint2)(as_uint(high), as_uint(low));\n"                                   \
    "}\n"                                                                                  \
    "uint bf16_sum(ushort a, ushort b)\n"                                                  \
    "{\n"                                                                                  \
    "    const float x = as_float((uint)a << 16) + as_float((uint)b << 16);\n"             \
    "    const uint bits = as_uint(x);\n"                                                  \
    "    return isnan(x) ? 0x7fffu : (bits + ROUNDED + (bits >> 16 & 1u)) >> 16;\n"        \
    "}\n"                                                                                  \
    "__kernel void packed_ops(__global uint *y, __global const uint *x)\n"                 \
    "{\n"                                                                                  \
    "    const int i = (int)get_global_id(0);\n"                                           \
    "    const ushort2 a = as_ushort2(x[i]), b = as_ushort2(x[i + 1]);\n"                  \
    "    y += 11 * i;\n"                                                                   \
    "    y[0] = as_uint(max(as_short2(a), as_short2(b)));\n"                               \
    "    y[1] = as_uint(max(a, b));\n"                                                     \
    "    vstore2(ends(a, b, 0x7c00), 0, y + 2);\n"                                         \
    "    vstore2(ends(a, b, BF16_TOP), 0, y + 4);\n"                                       \
    "    const float2 u = vload_half2(0, (const half *)&a);\n"                             \
    "    const float2 v = vload_half2(0, (const half *)&b);\n"                             \
    "    ushort2 sum;\n"                                                                   \
    "    vstore_half2_rte(u + v, 0, (half *)&sum);\n"                                      \
    "    y[6] = as_uint(EQUAL);\n"                                                         \
    "    y[7] = as_uint(sum);\n"                                                           \
    "    y[8] = bf16_sum(a.s0, b.s0) | bf16_sum(a.s1, b.s1) << 16;\n"                      \
    "    y[9] = as_uint(convert_ushort2(as_uchar4(a).lo));\n"                              \
    "    y[10] = as_uint(convert_ushort2(as_uchar4(a).hi));\n"                             \
    "}\n"
#define NAN_FIRST "#define NAN_A a\n"
#define BF16 "#define BF16_TOP 0x7f80\n"
#define NEAREST "#define ROUNDED 0x7fffu\n"
#define AS_NUMBERS "#define EQUAL convert_ushort2(u == v)\n"
SOURCE(max_right, NAN_FIRST BF16 NEAREST AS_NUMBERS MAX_TEXT);
SOURCE(max_without_nan, "#define NAN_A b\n" BF16 NEAREST AS_NUMBERS MAX_TEXT);
SOURCE(max_of_f16, NAN_FIRST "#define BF16_TOP 0x7c00\n" NEAREST AS_NUMBERS MAX_TEXT);
SOURCE(equal_bits, NAN_FIRST BF16 NEAREST "#define EQUAL (a == b)\n" MAX_TEXT);
SOURCE(sum_cut, NAN_FIRST BF16 "#define ROUNDED 0u\n" AS_NUMBERS MAX_TEXT);

static void maxima_of_pairs(void **state)
{
    (void)state;
    expect(&max_right, prim__ocl_selftest_packed_max, NULL);
    expect(&max_without_nan, prim__ocl_selftest_packed_max, "maxima as f16");
    expect(&max_of_f16, prim__ocl_selftest_packed_max, "as bf16");
    expect(&equal_bits, prim__ocl_selftest_packed_max, "equal ones");
    expect(&sum_cut, prim__ocl_selftest_packed_max, "sums as bf16");
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, cache_rig_open, cache_rig_close)
    const struct CMUnitTest tests[] = {
            CASE(roundings_to_bf16),
            CASE(maxima_of_pairs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
