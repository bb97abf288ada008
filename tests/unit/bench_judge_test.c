// SPDX-License-Identifier: Apache-2.0
// benchdnn's comparison: it has to fail what is wrong, pass what is right, and mistrust zeros; and
// the shared last steps of a reference have to follow the attributes.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench_args.h"
#include "core/bench_attr_text.h"
#include "core/bench_judge.h"
#include "support/unit_test.h"

#define N 24

static const driver_t plain_driver = {.name = "plain", .family = FAMILY_DIMS};

/// A case with one output of 4 x 6 elements.
typedef struct {
    attr_spec_t attr;
    problem_t problem;
    prb_t prb;
    args_t args;
    double reference[N], old[N], got[N];
} fixture_t;

static fixture_t *make(prim_data_type_t dt)
{
    fixture_t *const f = calloc(1, sizeof *f);
    assert_non_null(f);
    const prim_dim_t dims[] = {4, 6};
    f->problem.ndims = 2;
    memcpy(f->problem.dst_dims, dims, sizeof dims);
    f->prb = (prb_t){.driver = &plain_driver, .problem = &f->problem, .attr = &f->attr};
    f->args.prb = &f->prb;
    arg_t *const dst = args_add(&f->args, PRIM_ARG_DST, ARG_OUT, DATA_DST);
    assert_int_equal(prim_memory_desc_init_by_tag(&dst->md, 2, dims, dt, PRIM_ab), PRIM_SUCCESS);
    dst->nelems = N;
    dst->data = f->reference;
    dst->old = f->old;
    for (int i = 0; i < N; ++i) f->reference[i] = f->got[i] = i + 1;
    return f;
}

static verdict_t verdict(const fixture_t *f)
{
    return judge(&f->args, &f->args.items[0], f->got);
}

static void wrong_values_fail(void **state)
{
    (void)state;
    static const double wrong[] = {5.0000005, 4.9999995, 6., -5., 0., NAN, INFINITY};
    fixture_t *const f = make(PRIM_F32);
    assert_int_equal(verdict(f).errors, 0);
    assert_int_equal(verdict(f).total, N);
    assert_true(verdict(f).is_trusted);
    for (size_t i = 0; i < COUNT_OF(wrong); ++i) {
        f->got[4] = wrong[i];
        assert_int_equal(verdict(f).errors, 1);
    }
    f->reference[4] = NAN; // poison that came through on both sides is still an error
    f->got[4] = NAN;
    assert_int_equal(verdict(f).errors, 1);
    free(f);
}

static void expectation_is_rounded(void **state)
{
    (void)state;
    fixture_t *const f = make(PRIM_S8);
    f->reference[0] = 1000.;
    f->got[0] = 127.;
    f->reference[1] = 2.5;
    f->got[1] = 2.;
    assert_int_equal(verdict(f).errors, 0);
    f->reference[3] = NAN; // 0 in integers
    f->got[3] = 0.;
    assert_int_equal(verdict(f).errors, 0);
    f->got[3] = -128.;
    assert_int_equal(verdict(f).errors, 1);
    free(f);
}

/// Between both ends of the error, rounded to the type: not an inch more.
static void slack_is_kept(void **state)
{
    (void)state;
    fixture_t *const f = make(PRIM_S8);
    double *const slack = args_slack(&f->args, PRIM_ARG_DST);
    f->reference[2] = 3.4999999;
    f->got[2] = 4.;
    assert_int_equal(verdict(f).errors, 1);
    slack[2] = 2e-7; // f32 may have seen 3.5, which is even at 4
    assert_int_equal(verdict(f).errors, 0);
    f->got[2] = 5.;
    assert_int_equal(verdict(f).errors, 1);
    f->got[2] = INFINITY;
    assert_int_equal(verdict(f).errors, 1);
    f->got[2] = -INFINITY;
    assert_int_equal(verdict(f).errors, 1);
    free(slack);
    free(f);

    fixture_t *const g = make(PRIM_S32);
    double *const wide = args_slack(&g->args, PRIM_ARG_DST);
    g->reference[0] = 100000001.; // f32's neighbours are 8 apart
    g->got[0] = 100000000.;
    assert_int_equal(verdict(g).errors, 1);
    wide[0] = 0x1p-24 * g->reference[0];
    assert_int_equal(verdict(g).errors, 0);
    static const double beyond[] = {99999994., 100000008.};
    for (size_t i = 0; i < COUNT_OF(beyond); ++i) {
        g->got[0] = beyond[i];
        assert_int_equal(verdict(g).errors, 1);
    }
    free(wide);
    free(g);

    fixture_t *const h = make(PRIM_F16);
    double *const half = args_slack(&h->args, PRIM_ARG_DST);
    h->reference[0] = 1. + 0x1p-11 - 0x1p-20; // below the tie
    h->got[0] = 1. + 0x1p-10;
    assert_int_equal(verdict(h).errors, 1);
    half[0] = 0x1p-18;
    assert_int_equal(verdict(h).errors, 0);
    free(half);
    free(h);
}

static void judge_by_norm(
        const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)prb;
    (void)args;
    (void)arg;
    compare->is_norm = true;
}

/// The whole tensor may be off as far as its slacks are long, whatever its values.
static void norm_is_that_of_slacks(void **state)
{
    (void)state;
    static const driver_t driver = {
            .name = "norm", .family = FAMILY_DIMS, .set_compare = judge_by_norm};
    fixture_t *const f = make(PRIM_F32);
    f->prb.driver = &driver;
    f->reference[23] = f->got[23] = 1e6; // its half unit is 0.0596
    assert_int_equal(verdict(f).errors, 0);
    f->got[0] += 0.0625;
    assert_int_equal(verdict(f).errors, 1);
    double *const slack = args_slack(&f->args, PRIM_ARG_DST);
    f->reference[23] = f->got[23] = 24.;
    for (int i = 0; i < 4; ++i) slack[i] = 0.125; // together 0.25
    f->got[0] = f->reference[0] + 0.25;
    assert_int_equal(verdict(f).errors, 0);
    f->got[9] += 0.0625;
    assert_int_equal(verdict(f).errors, 1);
    slack[9] = INFINITY; // left open
    assert_int_equal(verdict(f).errors, 0);
    f->got[9] = NAN;
    assert_int_equal(verdict(f).errors, 0);
    f->got[10] = NAN;
    assert_int_equal(verdict(f).errors, 1);
    f->got[10] = INFINITY;
    assert_int_equal(verdict(f).errors, 1);
    f->got[10] = f->reference[10];
    for (int i = 0; i < N; ++i) slack[i] = INFINITY; // nothing is left to judge
    assert_false(verdict(f).is_trusted);
    free(slack);
    free(f);
}

static void subnormals_may_be_flushed(void **state)
{
    (void)state;
    static const prim_data_type_t flushed[] = {PRIM_F32, PRIM_BF16};
    for (size_t i = 0; i < COUNT_OF(flushed); ++i) {
        fixture_t *const f = make(flushed[i]);
        f->reference[0] = -0x1p-130;
        f->got[0] = -0.;
        assert_int_equal(verdict(f).errors, 0);
        f->got[0] = 0x1p-130;
        assert_int_equal(verdict(f).errors, 1);
        f->reference[0] = 0x1p-126; // the smallest normal number
        f->got[0] = 0.;
        assert_int_equal(verdict(f).errors, 1);
        free(f);
    }
    fixture_t *const f = make(PRIM_F16); // whose subnormal numbers are normal ones of f32
    f->reference[0] = 0x1p-20;
    f->got[0] = 0.;
    assert_int_equal(verdict(f).errors, 1);
    free(f);
}

/// A comparison's result means something as soon as it is not one constant.
static void comparisons_are_trusted(void **state)
{
    (void)state;
    fixture_t *const f = make(PRIM_F32);
    assert_true(parse_post_ops("eq:f32", &f->attr.post_ops));
    for (int i = 0; i < N; ++i) f->reference[i] = f->got[i] = i == 7;
    assert_true(verdict(f).is_trusted);
    f->reference[7] = f->got[7] = 0.;
    assert_false(verdict(f).is_trusted);
    free(f);
}

static void zeros_are_mistrusted(void **state)
{
    (void)state;
    fixture_t *const f = make(PRIM_F32);
    for (int i = 0; i < N; ++i)
        if (i % 2) f->reference[i] = f->got[i] = 0.;
    assert_int_equal(verdict(f).errors, 0);
    assert_false(verdict(f).is_trusted);
    assert_true(parse_post_ops("relu", &f->attr.post_ops)); // half the values may well be cut
    assert_true(verdict(f).is_trusted);
    free(f);
}

static void post_ops_and_quantisation(void **state)
{
    (void)state;
    fixture_t *const f = make(PRIM_F32);
    assert_true(parse_post_ops("sum:0.5:1+add:f32:per_oc+linear:2:1", &f->attr.post_ops));
    assert_true(parse_scales("dst:common:4", &f->attr.scales));
    assert_true(parse_zero_points("dst:common:3", &f->attr.zero_points));
    double operand[] = {10., 20., 30., 40., 50., 60.}, scale = 4., zero_point = 3.;
    for (int i = 0; i < N; ++i) f->old[i] = 100. + i;
    args_add(&f->args, PRIM_ARG_ATTR_MULTIPLE_POST_OP(1) | PRIM_ARG_SRC_1, ARG_IN, DATA_ATTR)
            ->data = operand;
    args_add(&f->args, PRIM_ARG_ATTR_SCALES | PRIM_ARG_DST, ARG_IN, DATA_ATTR)->data = &scale;
    args_add(&f->args, PRIM_ARG_ATTR_ZERO_POINTS | PRIM_ARG_DST, ARG_IN, DATA_ATTR)->data =
            &zero_point;
    args_plan_finish(&f->args);
    for (int i = 0; i < N; ++i) {
        const double x = i - 7.;
        const double expected = (2. * (x + 0.5 * (f->old[i] - 1.) + operand[i % 6]) + 1.) / 4. + 3.;
        assert_true(ref_finish(&f->args, x, i) == expected);
    }
    free(f);
}

/// src1 of a select varies along one dimension, its condition along the other.
static void selects_read_two_tensors(void **state)
{
    (void)state;
    fixture_t *const f = make(PRIM_F32);
    assert_true(parse_post_ops("relu+select:f32:per_oc:any:per_dim_0", &f->attr.post_ops));
    double operand[] = {10., 20., 30., 40., 50., 60.}, condition[N / 6];
    for (int i = 0; i < N / 6; ++i) condition[i] = i % 2 ? -128. : 0.;
    const int base = PRIM_ARG_ATTR_MULTIPLE_POST_OP(1);
    args_add(&f->args, base | PRIM_ARG_SRC_1, ARG_IN, DATA_ATTR)->data = operand;
    args_add(&f->args, base | PRIM_ARG_SRC_2, ARG_IN, DATA_ATTR)->data = condition;
    args_plan_finish(&f->args);
    for (int i = 0; i < N; ++i)
        assert_true(ref_finish(&f->args, i + 1., i) == (i / 6 % 2 ? i + 1. : operand[i % 6]));
    free(f);
}

static void bounds_go_through_the_scale(void **state)
{
    (void)state;
    fixture_t *const f = make(PRIM_F32);
    double scale = 4.;
    assert_true(parse_scales("dst:common:4", &f->attr.scales));
    args_add(&f->args, PRIM_ARG_ATTR_SCALES | PRIM_ARG_DST, ARG_IN, DATA_ATTR)->data = &scale;
    args_plan_finish(&f->args);
    const bounded_t y = ref_finish_bounded(&f->args, (bounded_t){8., 1.}, 0);
    assert_true(y.value == 2.);
    assert_true(y.slack >= 0.25 && y.slack <= 0.25 + 1e-6);
    free(f);
}

/// 6.9·10^38 is an infinity to a step behind it, and a number to the reference: whatever comes out
/// passes, and counts as what says nothing. As the last result it is an infinity.
static void overflow_before_the_last_step_is_open(void **state)
{
    (void)state;
    fixture_t *const f = make(PRIM_F32);
    assert_true(parse_post_ops("linear:2:0+linear:0.25:0", &f->attr.post_ops));
    args_plan_finish(&f->args);
    (void)args_slack(&f->args, PRIM_ARG_DST);
    const double large = 0x1.01p+128;
    for (int i = 0; i < N; ++i) ref_store(&f->args, (bounded_t){i < 12 ? large / 2. : i, 0.}, i);
    for (int i = 0; i < N; ++i) f->got[i] = i < 12 ? (double)INFINITY : i / 2.;
    assert_int_equal(verdict(f).errors, 0);
    assert_false(verdict(f).is_trusted);
    f->got[13] = INFINITY;
    assert_int_equal(verdict(f).errors, 1);
    f->attr.post_ops.count = 1;
    args_plan_finish(&f->args);
    for (int i = 0; i < N; ++i) ref_store(&f->args, (bounded_t){large / 2., 0.}, i);
    for (int i = 0; i < N; ++i) f->got[i] = i < 12 ? (double)INFINITY : (double)-INFINITY;
    assert_int_equal(verdict(f).errors, 12);
    free(f->args.items[0].slack);
    free(f);
}

static const step_values_t no_values = {0};

/// What may have been flushed to 0 has a logarithm of -132, or none.
static void logarithm_next_to_0_is_open(void **state)
{
    (void)state;
    const post_op_t op = {.kind = PRIM_ELTWISE, .alg = PRIM_ELTWISE_LOG};
    const bounded_t tiny =
            bounded_post_op(&op, (bounded_t){0x1p-190, 0x1p-126}, no_values, 0x1p-24);
    assert_true(isinf(tiny.slack));
    const bounded_t small =
            bounded_post_op(&op, (bounded_t){0x1p-100, 0x1p-126}, no_values, 0x1p-24);
    assert_true(small.slack < 0.1);
    const bounded_t none = bounded_post_op(&op, (bounded_t){-1., 0x1p-20}, no_values, 0x1p-24);
    assert_true(none.slack == 0.); // NaN for sure
}

/// A square below 2^-126 has fewer digits, or none at all; one above has all of them.
static void subnormal_step_loses_digits(void **state)
{
    (void)state;
    const post_op_t op = {.kind = PRIM_ELTWISE, .alg = PRIM_ELTWISE_SQUARE};
    const bounded_t tiny = bounded_post_op(&op, (bounded_t){0x1.8p-70, 0.}, no_values, 0x1p-24);
    assert_true(tiny.slack >= tiny.value + 0x1p-149 && tiny.slack < tiny.value + 0x1p-147);
    const bounded_t small = bounded_post_op(&op, (bounded_t){0x1.8p-60, 0.}, no_values, 0x1p-24);
    assert_true(small.slack <= 0x1p-23 * small.value);
}

/// The sigmoid of -87.5 is below the normal numbers; times -175 it is not.
static void sigmoid_of_swish_may_be_flushed(void **state)
{
    (void)state;
    const post_op_t op = {.kind = PRIM_ELTWISE, .alg = PRIM_ELTWISE_SWISH, .alpha = 0.5f};
    const bounded_t y = bounded_post_op(&op, (bounded_t){-175., 0.}, no_values, 0x1p-24);
    assert_true(y.slack >= fabs(y.value) && y.slack < 2. * fabs(y.value));
}

/// A comparison of what is nearly equal gives 0 or 1, whose logarithms are -infinity and 0.
static void logarithm_of_0_or_more_is_open(void **state)
{
    (void)state;
    fixture_t *const f = make(PRIM_F32);
    assert_true(parse_post_ops("log+exp", &f->attr.post_ops));
    args_plan_finish(&f->args);
    (void)args_slack(&f->args, PRIM_ARG_DST);
    for (int i = 0; i < N; ++i) {
        ref_store(&f->args, (bounded_t){i % 2, i < 4 ? 1. : 0.}, i);
        f->got[i] = i < 4 ? 3. : i % 2;
    }
    assert_int_equal(verdict(f).errors, 0);
    f->attr.post_ops.count = 1;
    args_plan_finish(&f->args);
    for (int i = 0; i < N; ++i) ref_store(&f->args, (bounded_t){0., i < 4 ? 1. : 0.}, i);
    for (int i = 0; i < N; ++i) f->got[i] = i < 8 ? 0. : (double)-INFINITY;
    assert_int_equal(verdict(f).errors, 4);
    free(f->args.items[0].slack);
    free(f);
}

static void groups_may_be_oblong(void **state)
{
    (void)state;
    fixture_t *const f = make(PRIM_F32);
    arg_t *const src = args_add(&f->args, PRIM_ARG_SRC, ARG_IN, DATA_SRC);
    double values[N], scales[] = {1., 2., 4., 8., 16., 32., 64., 128.};
    src->md = f->args.items[0].md;
    src->nelems = N;
    src->data = values;
    for (int i = 0; i < N; ++i) values[i] = 1.;
    // 4 x 6 in groups of 1 x 3: 4 x 2 scales.
    assert_true(parse_scales("src:per_tensor:f32:1x3", &f->attr.scales));
    assert_int_equal(quant_count(&f->attr.scales.entries[0], 3, &src->md), 8);
    args_add(&f->args, PRIM_ARG_ATTR_SCALES | PRIM_ARG_SRC, ARG_IN, DATA_ATTR)->data = scales;
    const double *const scaled = args_dequantized(&f->args, PRIM_ARG_SRC);
    for (int i = 0; i < N; ++i) assert_true(scaled[i] == scales[i / 6 * 2 + i % 6 / 3]);
    free(f->args.dequantised[1]);
    free(f);
}

static void groups_share_scales(void **state)
{
    (void)state;
    fixture_t *const f = make(PRIM_F32);
    arg_t *const src = args_add(&f->args, PRIM_ARG_SRC, ARG_IN, DATA_SRC);
    double values[N], scales[] = {1., 2., 4., 8., 16., 32.};
    src->md = f->args.items[0].md;
    src->nelems = N;
    src->data = values;
    for (int i = 0; i < N; ++i) values[i] = 1.;
    // 4 x 6 in groups of 2 x 2: 2 x 3 scales.
    assert_true(parse_scales("src:per_tensor:f32:2x2", &f->attr.scales));
    assert_int_equal(quant_count(&f->attr.scales.entries[0], 3, &src->md), 6);
    args_add(&f->args, PRIM_ARG_ATTR_SCALES | PRIM_ARG_SRC, ARG_IN, DATA_ATTR)->data = scales;
    const double *const scaled = args_dequantized(&f->args, PRIM_ARG_SRC);
    for (int i = 0; i < N; ++i) {
        const double expected = scales[i / 6 / 2 * 3 + i % 6 / 2];
        assert_true(scaled[i] == expected);
        assert_true(args_scale(&f->args, PRIM_ARG_SRC, i) == expected);
    }
    free(f->args.dequantised[1]);
    free(f);
}

static double drawn(const void *context, rng_t *rng, int64_t index)
{
    (void)context;
    (void)index;
    return (double)rng_int(rng, 0, 1000000);
}

static void filling_is_reproducible(void **state)
{
    (void)state;
    enum { COUNT = 5000 };
    static double first[COUNT], second[COUNT];
    arg_t arg = {.kind = DATA_SRC, .nelems = COUNT, .data = first};
    arg.md.data_type = PRIM_F32;
    fill_by_rng(&arg, drawn, NULL);
    arg.data = second;
    fill_by_rng(&arg, drawn, NULL);
    assert_memory_equal(first, second, sizeof first);
    arg.kind = DATA_WEI;
    fill_by_rng(&arg, drawn, NULL);
    assert_memory_not_equal(first, second, sizeof first);

    int64_t nonzero = 0;
    fill_ints(&arg, -4, 4, 0.25);
    for (int i = 0; i < COUNT; ++i) {
        assert_true(fabs(second[i]) <= 4. && second[i] == floor(second[i]));
        nonzero += second[i] != 0.;
    }
    assert_true(second[0] > 0.);
    assert_in_range(nonzero, COUNT / 6, COUNT / 4); // a quarter, less those that drew a zero
    assert_true(fill_density(PRIM_F32, 32., 32., 100) == 1.);
    assert_true(fill_density(PRIM_F32, 32., 32., 32768) == 0.5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(wrong_values_fail),
            cmocka_unit_test(expectation_is_rounded),
            cmocka_unit_test(slack_is_kept),
            cmocka_unit_test(norm_is_that_of_slacks),
            cmocka_unit_test(subnormals_may_be_flushed),
            cmocka_unit_test(comparisons_are_trusted),
            cmocka_unit_test(zeros_are_mistrusted),
            cmocka_unit_test(post_ops_and_quantisation),
            cmocka_unit_test(groups_share_scales),
            cmocka_unit_test(groups_may_be_oblong),
            cmocka_unit_test(selects_read_two_tensors),
            cmocka_unit_test(bounds_go_through_the_scale),
            cmocka_unit_test(overflow_before_the_last_step_is_open),
            cmocka_unit_test(logarithm_next_to_0_is_open),
            cmocka_unit_test(logarithm_of_0_or_more_is_open),
            cmocka_unit_test(subnormal_step_loses_digits),
            cmocka_unit_test(sigmoid_of_swish_may_be_flushed),
            cmocka_unit_test(filling_is_reproducible),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
