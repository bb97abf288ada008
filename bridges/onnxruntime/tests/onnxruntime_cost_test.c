// SPDX-License-Identifier: Apache-2.0
// Estimates of groups against numbers worked out by hand.
#include "support/unit_test.h"

#include "ep_cost.h"

#include <math.h>

/// Convolution, relu, and a reshape of [1, 8, 16, 16]: x, weights, two results, the last view.
enum { X, WEI, CONV, RELU, VIEW, NVALUES };
static int conv_inputs[] = {X, WEI}, relu_inputs[] = {CONV}, view_inputs[] = {RELU};
static int conv_outputs[] = {CONV}, relu_outputs[] = {RELU}, view_outputs[] = {VIEW};
static int model_inputs[] = {X}, model_outputs[] = {VIEW};
static char conv_op[] = "Conv", relu_op[] = "Relu", view_op[] = "Reshape";

static onnx_value_t values[NVALUES];
static onnx_node_t nodes[] = {
        {.op = conv_op,
                .ninputs = 2,
                .noutputs = 1,
                .inputs = conv_inputs,
                .outputs = conv_outputs},
        {.op = relu_op,
                .ninputs = 1,
                .noutputs = 1,
                .inputs = relu_inputs,
                .outputs = relu_outputs},
        {.op = view_op,
                .ninputs = 1,
                .noutputs = 1,
                .inputs = view_inputs,
                .outputs = view_outputs},
};
static const onnx_model_t model = {.nvalues = NVALUES,
        .nnodes = 3,
        .ninputs = 1,
        .noutputs = 1,
        .values = values,
        .nodes = nodes,
        .inputs = model_inputs,
        .outputs = model_outputs};

/// 100 operations a microsecond on the host, 1000 on the engine; memory is no limit.
static const ep_machine_t machine = {
        .host = {100, 1e9, 1}, .engine = {1000, 1e9, 5}, .moved_bytes_per_us = 64, .move_us = 10};

static void set_shapes(int64_t width)
{
    for (int v = 0; v < NVALUES; ++v)
        values[v] =
                (onnx_value_t){.element_type = ORT_FLOAT, .ndims = 4, .dims = {1, 8, 16, width}};
    values[WEI] = (onnx_value_t){
            .element_type = ORT_FLOAT, .ndims = 4, .dims = {8, 8, 3, 3}, .is_constant = true};
}

static void expect_near(double value, double expected)
{
    if (!(fabs(value - expected) < 1e-3)) fail_msg("%.9g, not %.9g", value, expected);
}

static void test_sums(void **state)
{
    (void)state;
    static const bool all[] = {true, true, true};
    set_shapes(16);
    const ep_estimate_t e = ep_estimate(&machine, &model, all);
    const double conv = 2.0 * 2048 * 72, relu = 4.0 * 2048; // the reshape is free
    assert_true(e.is_known && e.computes);
    expect_near(e.host_us, conv / 100 + 1 + relu / 100 + 1);
    expect_near(e.engine_us, conv / 1000 + 5 + relu / 1000 + 5);
    expect_near(e.moved_bytes, 2 * 8192); // x and the view; weights stay there
    expect_near(e.move_us, 2 * 10 + 2 * 8192 / 64.0);
    assert_true(ep_is_worth(&e, &machine));
}

/// Relu alone: both its tensors cross, for 82 microseconds of computation.
static void test_decisions(void **state)
{
    (void)state;
    static const bool relu[] = {false, true, false}, view[] = {false, false, true};
    set_shapes(16);
    ep_estimate_t e = ep_estimate(&machine, &model, relu);
    expect_near(e.moved_bytes, 2 * 8192);
    assert_false(ep_is_worth(&e, &machine));
    ep_machine_t near = machine;
    near.move_us = 0; // tensors are where they are
    e = ep_estimate(&near, &model, relu);
    assert_true(e.move_us == 0 && ep_is_worth(&e, &near));
    e = ep_estimate(&near, &model, view);
    assert_false(e.computes || ep_is_worth(&e, &near));
    set_shapes(-1);
    e = ep_estimate(&machine, &model, relu);
    assert_true(!e.is_known && ep_is_worth(&e, &machine));
}

/// A session on the memory of the device: its input and output do not cross, but what lies between
/// nodes of the host and groups does.
static void test_ends(void **state)
{
    (void)state;
    static const bool all[] = {true, true, true}, relu[] = {false, true, false};
    ep_machine_t bound = machine;
    bound.has_ends = true;
    set_shapes(16);
    ep_estimate_t e = ep_estimate(&bound, &model, all);
    assert_true(e.move_us == 0 && e.moved_bytes == 0);
    e = ep_estimate(&bound, &model, relu);
    expect_near(e.moved_bytes, 2 * 8192);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_sums),
            cmocka_unit_test(test_decisions),
            cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
