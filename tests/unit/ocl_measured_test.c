// SPDX-License-Identifier: Apache-2.0
// Tables of measured numbers without a device: each line is known to a rule and each rule to a
// line, devices find their family by their traits, estimates stand where there is no table, and
// lines of the user's own count over the table's.
#include "gpu/ocl/tune/ocl_measured.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured_rules.h"
#include "gpu/ocl/tune/ocl_tune_text.h"
#include "prim/prim.h"
#include "support/unit_test.h"

static long countdown, outstanding; ///< the allocation that fails, 0: none; those not released

static void *allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    if (countdown > 0 && --countdown == 0) return NULL;
    const size_t unit = alignment > sizeof(void *) ? alignment : sizeof(void *);
    void *const pointer = aligned_alloc(unit, (bytes + unit - 1) / unit * unit);
    outstanding += pointer != NULL;
    return pointer;
}

static void release(void *user, void *pointer)
{
    (void)user;
    outstanding -= pointer != NULL;
    free(pointer);
}

static const char *const families[] = {"cpu", "nvidia_sm90"};

/// What numbers depend on of an NVIDIA H200.
static ocl_device_t h200(void)
{
    return (ocl_device_t){.name = "NVIDIA H200",
            .compute_units = 132,
            .clock_mhz = 1980,
            .nv_capability_major = 9};
}

static ocl_device_t processor(void)
{
    return (ocl_device_t){.name = "a processor", .is_cpu = true, .compute_units = 2};
}

static ocl_tune_results_t read_family(const char *family)
{
    ocl_tune_results_t lines = {0};
    for (const char *const *table = prim__ocl_measured_tables; *table; ++table) {
        const ocl_tune_parsed_t parsed =
                prim__ocl_tune_text_parse(&lines, *table, strlen(*table), NULL, family);
        if (parsed.nfaults > 0) fail_msg("line %d: %s", parsed.line, parsed.why);
        assert_true(parsed.has_memory);
    }
    return lines;
}

static int key_of(const ocl_tune_result_t *line)
{
    for (int key = 0; key < OCL_NMEASURED; ++key) {
        const ocl_measured_rule_t *const rule = &prim__ocl_measured_rules[key];
        char what[96];
        (void)snprintf(what, sizeof what, "limit %s", rule->name);
        if (strcmp(rule->owner, line->family) == 0 && strcmp(what, line->bucket) == 0) return key;
    }
    return -1;
}

static int set_of(const ocl_tune_result_t *line)
{
    ocl_tune_params_t params;
    for (int set = 0; set < OCL_NMEASURED_SETS; ++set) {
        const ocl_measured_set_rule_t *const rule = &prim__ocl_measured_set_rules[set];
        if (strcmp(rule->owner, line->family) == 0 && strncmp(line->bucket, "config ", 7) == 0 &&
                prim__ocl_tune_params_parse(&params, rule->params, line->bucket + 7))
            return set;
    }
    return -1;
}

static void check_line(const ocl_tune_result_t *line, bool *has_key, bool *has_set)
{
    const int key = key_of(line), set = set_of(line);
    double value = 0;
    ocl_measured_values_t values;
    if (!prim__ocl_tune_is_measured(line) || (key < 0 && set < 0))
        fail_msg("nothing reads %s | %s", line->family, line->bucket);
    if (key >= 0 ? !prim__ocl_measured_parse(&value, line->params, &prim__ocl_measured_rules[key])
                 : !prim__ocl_measured_parse_values(
                           &values, line->params, &prim__ocl_measured_set_rules[set]))
        fail_msg("%s | %s: bad value %s", line->family, line->bucket, line->params);
    if (key >= 0)
        has_key[key] = true;
    else
        has_set[set] = true;
}

static void lines_and_rules_match(void **state)
{
    (void)state;
    bool has_key[OCL_NMEASURED] = {false}, has_set[OCL_NMEASURED_SETS] = {false};
    for (size_t f = 0; f < COUNT_OF(families); ++f) {
        ocl_tune_results_t lines = read_family(families[f]);
        assert_true(lines.n > 0);
        for (size_t i = 0; i < lines.n; ++i) check_line(&lines.entries[i].result, has_key, has_set);
        prim__ocl_tune_results_fini(&lines);
    }
    for (int key = 0; key < OCL_NMEASURED; ++key) {
        const ocl_measured_rule_t *const rule = &prim__ocl_measured_rules[key];
        assert_non_null(rule->owner);
        if (!has_key[key]) fail_msg("no table has %s | limit %s", rule->owner, rule->name);
    }
    for (int set = 0; set < OCL_NMEASURED_SETS; ++set) {
        assert_non_null(prim__ocl_measured_set_rules[set].owner);
        if (!has_set[set]) fail_msg("no table has %s", prim__ocl_measured_set_rules[set].owner);
    }
}

/// Every line below a command that measured it, and none twice.
static void lines_name_their_command(void **state)
{
    (void)state;
    for (const char *const *table = prim__ocl_measured_tables; *table; ++table) {
        bool has_command = false;
        for (const char *line = *table; *line; line += strcspn(line, "\n") + 1) {
            if (strncmp(line, "family ", 7) == 0) has_command = false;
            if (strncmp(line, "by ", 3) == 0) has_command = strstr(line, "benchdnn") == line + 3;
            if (strncmp(line, "ocl:", 4) != 0 && strncmp(line, "ocl ", 4) != 0) continue;
            const size_t length = strcspn(line, "|"), second = strcspn(line + length + 1, "|");
            if (!has_command) fail_msg("no command above %.*s", (int)length, line);
            const char *again = line + 1;
            while ((again = strstr(again, "\nocl")) != NULL) {
                if (strncmp(++again, line, length + second + 2) == 0)
                    fail_msg("twice: %.*s", (int)(length + second), line);
            }
        }
    }
}

static ocl_device_t with_table(ocl_device_t device, const char *own)
{
    ocl_tune_results_t lines = {0};
    if (own) (void)prim__ocl_tune_text_parse(&lines, own, strlen(own), "me", NULL);
    assert_int_equal(prim__ocl_measured_create(&device.measured, &device, own ? &lines : NULL),
            PRIM_SUCCESS);
    prim__ocl_tune_results_fini(&lines);
    return device;
}

static void families_are_found_by_traits(void **state)
{
    (void)state;
    ocl_device_t device = h200();
    assert_string_equal(prim__ocl_device_family(&device), "nvidia_sm90");
    device.nv_capability_minor = 1;
    assert_null(prim__ocl_device_family(&device));
    device.nv_capability_major = 8;
    device.nv_capability_minor = 0;
    assert_null(prim__ocl_device_family(&device));
    device = processor();
    assert_string_equal(prim__ocl_device_family(&device), "cpu");
}

static double launch_cycles(const ocl_device_t *device)
{
    return prim__ocl_measured(device, MEASURED_MATMUL_LAUNCH_CYCLES, -1);
}

static void numbers_come_from_the_own_family(void **state)
{
    (void)state;
    ocl_device_t gpu = with_table(h200(), NULL), cpu = with_table(processor(), NULL);
    assert_true(launch_cycles(&gpu) == 12000);
    assert_true(launch_cycles(&cpu) == -1); // no table of processors has it
    assert_int_equal(prim__ocl_measured_int(&cpu, MEASURED_PACKED_CPU_FEW_PRODUCTS, -1), 32768);
    assert_int_equal(prim__ocl_measured_int(&gpu, MEASURED_PACKED_CPU_FEW_PRODUCTS, -1), -1);
    prim__ocl_measured_destroy(gpu.measured);
    prim__ocl_measured_destroy(cpu.measured);
}

static void estimates_stand_where_nothing_is_known(void **state)
{
    (void)state;
    const ocl_measured_values_t estimate = {{1, 2, 3}};
    const ocl_tune_params_t known = {{256, 128, 3}}, unknown = {{256, 128, 4}};
    ocl_device_t bare = h200();
    assert_true(launch_cycles(&bare) == -1);
    ocl_device_t gpu = with_table(h200(), NULL);
    ocl_measured_values_t values =
            prim__ocl_measured_config(&gpu, MEASURED_MATMUL_MMA_TILES, known, estimate);
    assert_true(values.values[0] == 800 && values.values[1] == 800);
    values = prim__ocl_measured_config(&gpu, MEASURED_MATMUL_MMA_TILES, unknown, estimate);
    assert_memory_equal(&values, &estimate, sizeof values);
    values = prim__ocl_measured_config(&gpu, MEASURED_MATMUL_WGMMA_TILES, known, estimate);
    assert_memory_equal(&values, &estimate, sizeof values);
    values = prim__ocl_measured_config(&bare, MEASURED_MATMUL_MMA_TILES, known, estimate);
    assert_memory_equal(&values, &estimate, sizeof values);
    prim__ocl_measured_destroy(gpu.measured);
}

static void own_lines_count_over_the_table(void **state)
{
    (void)state;
    ocl_device_t gpu = with_table(h200(),
            "device me\nocl:matmul | limit launch_cycles | 77.5 cycles\n"
            "ocl:matmul:mma | config bm=256 bn=128 stages=3 | alone=1 full=2 products/cycle\n"
            "device another\nocl:matmul | limit group_cycles | 1 cycles\n");
    assert_true(launch_cycles(&gpu) == 77.5);
    assert_true(prim__ocl_measured(&gpu, MEASURED_MATMUL_GROUP_CYCLES, -1) == 2200);
    const ocl_measured_values_t values = prim__ocl_measured_config(&gpu, MEASURED_MATMUL_MMA_TILES,
            (ocl_tune_params_t){{256, 128, 3}}, (ocl_measured_values_t){{0}});
    assert_true(values.values[0] == 1 && values.values[1] == 2);
    prim__ocl_measured_destroy(gpu.measured);
}

/// What no rule allows leaves the table's number as it is.
static void own_lines_that_are_wrong_are_passed_over(void **state)
{
    (void)state;
    static const char *const wrong[] = {"ocl:matmul | limit launch_cycles | 5 bytes",
            "ocl:matmul | limit launch_cycles | 5", "ocl:matmul | limit launch_cycle | 5 cycles",
            "ocl:conv | limit launch_cycles | 5 cycles",
            "ocl:matmul | limit launch_cycles | 99000000 cycles",
            "ocl:matmul | limit launch_cycles | 5. cycles",
            "ocl:matmul | limit launch_cycles | -5 cycles",
            "ocl:matmul | config bm=1 | alone=1 cycles"};
    for (size_t i = 0; i < COUNT_OF(wrong); ++i) {
        char text[160];
        (void)snprintf(text, sizeof text, "device me\n%s\n", wrong[i]);
        ocl_device_t gpu = with_table(h200(), text);
        assert_true(launch_cycles(&gpu) == 12000);
        prim__ocl_measured_destroy(gpu.measured);
    }
}

static void values_are_read_by_their_rule(void **state)
{
    (void)state;
    const ocl_measured_rule_t whole = {"o", "n", "rows", MEASURED_WHOLE, 1, 32},
                              power = {"o", "n", "rows", MEASURED_POWER_OF_2, 1, 32},
                              real = {"o", "n", "rows", MEASURED_REAL, 0.5, 32};
    double value = 0;
    assert_true(prim__ocl_measured_parse(&value, "12 rows", &whole) && value == 12);
    assert_false(prim__ocl_measured_parse(&value, "12.5 rows", &whole));
    assert_false(prim__ocl_measured_parse(&value, "33 rows", &whole));
    assert_false(prim__ocl_measured_parse(&value, "0 rows", &whole));
    assert_true(prim__ocl_measured_parse(&value, "16 rows", &power) && value == 16);
    assert_false(prim__ocl_measured_parse(&value, "12 rows", &power));
    assert_true(prim__ocl_measured_parse(&value, "1.05 rows", &real) && value == 1.05);
    assert_true(prim__ocl_measured_parse(&value, "0.5 rows", &real) && value == 0.5);
    assert_false(prim__ocl_measured_parse(&value, "rows", &real));
    assert_false(prim__ocl_measured_parse(&value, "1 rows more", &real));
    assert_true(value == 0.5); // as the last one that was right left it

    const ocl_measured_set_rule_t set = {
            "o", "p", "unit", {{"a", MEASURED_POWER_OF_2_OR_0, 4, 8}, {"b", MEASURED_REAL, 0, 2}}};
    ocl_measured_values_t values = {{0}};
    assert_true(prim__ocl_measured_parse_values(&values, "a=4 b=1.5 unit", &set));
    assert_true(values.values[0] == 4 && values.values[1] == 1.5);
    assert_true(prim__ocl_measured_parse_values(&values, "a=0 b=2 unit", &set));
    const char *const wrong[] = {"a=2 b=1 unit", "a=6 b=1 unit", "a=4 b=3 unit", "a=4 unit",
            "a=4 b=1", "b=1 a=4 unit", "a=4 b=1 c=1 unit", "a=4 b=1 units"};
    for (size_t i = 0; i < COUNT_OF(wrong); ++i)
        assert_false(prim__ocl_measured_parse_values(&values, wrong[i], &set));
}

/// The estimate of a device whose numbers are known is right in the order of magnitude.
static void estimates_are_near_what_was_measured(void **state)
{
    (void)state;
    ocl_device_t gpu = with_table(h200(), NULL);
    const struct {
        ocl_measured_key_t key;
        double estimate;
    } rows[] = {{MEASURED_MATMUL_GROUP_CYCLES, prim__ocl_estimate_cycles(&gpu, 0.8)},
            {MEASURED_MATMUL_LAUNCH_CYCLES, prim__ocl_estimate_cycles(&gpu, 6)},
            {MEASURED_MATMUL_JOIN_CYCLES, prim__ocl_estimate_cycles(&gpu, 3)},
            {MEASURED_MATMUL_JOIN_ELEMS, 0.1 * prim__ocl_estimate_lanes(&gpu)},
            {MEASURED_MATMUL_PARTIAL_BYTES, 16. * prim__ocl_estimate_units(&gpu)},
            {MEASURED_MATMUL_SUM_CYCLES, 40. / prim__ocl_estimate_lanes(&gpu)},
            {MEASURED_GEMV_NN_FULL_BYTES, prim__ocl_estimate_lanes(&gpu) / 8.},
            {MEASURED_CONV_START_CYCLES, prim__ocl_estimate_cycles(&gpu, 3.5)},
            {MEASURED_CONV_SUM_BYTES, prim__ocl_estimate_lanes(&gpu) / 8.},
            {MEASURED_CONV_WGMMA_PRODUCTS, 16. * prim__ocl_estimate_lanes(&gpu)}};
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        const double measured = prim__ocl_measured(&gpu, rows[i].key, 0);
        assert_true(rows[i].estimate > measured / 1.5 && rows[i].estimate < measured * 1.5);
    }
    prim__ocl_measured_destroy(gpu.measured);
}

/// An engine has all numbers or is not made.
static void every_allocation_may_fail(void **state)
{
    (void)state;
    const long before = outstanding;
    long nfailures = 0;
    prim_status_t st = PRIM_OUT_OF_MEMORY;
    ocl_device_t gpu = h200();
    for (; st != PRIM_SUCCESS; ++nfailures) {
        countdown = nfailures + 1;
        st = prim__ocl_measured_create(&gpu.measured, &gpu, NULL);
        countdown = 0;
        if (st == PRIM_SUCCESS) break;
        assert_int_equal(st, PRIM_OUT_OF_MEMORY);
        assert_null(gpu.measured);
        assert_int_equal(outstanding, before);
    }
    assert_true(nfailures > 10); // a line each, and what holds them
    assert_true(launch_cycles(&gpu) == 12000);
    prim__ocl_measured_destroy(gpu.measured);
    assert_int_equal(outstanding, before);
}

int main(void)
{
    static const prim_allocator_t allocator = {.allocate = allocate, .release = release};
    if (prim_set_allocator(&allocator) != PRIM_SUCCESS) return 1;
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(lines_and_rules_match),
            cmocka_unit_test(lines_name_their_command),
            cmocka_unit_test(families_are_found_by_traits),
            cmocka_unit_test(numbers_come_from_the_own_family),
            cmocka_unit_test(estimates_stand_where_nothing_is_known),
            cmocka_unit_test(own_lines_count_over_the_table),
            cmocka_unit_test(own_lines_that_are_wrong_are_passed_over),
            cmocka_unit_test(values_are_read_by_their_rule),
            cmocka_unit_test(estimates_are_near_what_was_measured),
            cmocka_unit_test(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
