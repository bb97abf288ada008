// SPDX-License-Identifier: Apache-2.0
// benchdnn's data and bounds for sums of products: honest f32 arithmetic in any order passes, and
// arithmetic one step less precise is rejected at every length.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/bench_args.h"
#include "core/bench_attr_text.h"
#include "core/bench_judge.h"
#include "drivers/product.h"
#include "support/unit_test.h"

#define ROWS 4

static const driver_t matmul_like = {
        .name = "matmul", .family = FAMILY_DIMS, .primitive_kind = PRIM_MATMUL};

/// dst[ROWS x 1] = src[ROWS x K]·wei[K x 1].
typedef struct {
    attr_spec_t attr;
    problem_t problem;
    prb_t prb;
    args_t args;
    product_t product;
    int64_t k;
    double got[ROWS];
} fixture_t;

static arg_t *add(
        fixture_t *f, int id, data_kind_t kind, prim_data_type_t dt, int64_t rows, int64_t columns)
{
    arg_t *const arg = args_add(&f->args, id, kind == DATA_DST ? ARG_OUT : ARG_IN, kind);
    const prim_dim_t dims[] = {rows, columns};
    assert_int_equal(prim_memory_desc_init_by_tag(&arg->md, 2, dims, dt, PRIM_ab), PRIM_SUCCESS);
    arg->nelems = rows * columns;
    arg->data = calloc((size_t)arg->nelems, sizeof(double));
    assert_non_null(arg->data);
    return arg;
}

static void fill_arg(fixture_t *f, arg_t *arg)
{
    product_fill(&f->product, &f->prb, arg);
    for (int64_t i = 0; i < arg->nelems; ++i) {
        const double rounded = dt_round(arg->md.data_type, arg->data[i]);
        if (!dt_is_integer(arg->md.data_type)) assert_true(rounded == arg->data[i]);
        arg->data[i] = rounded;
    }
}

static void sum_products(const prb_t *prb, const args_t *args, const double *src, const double *wei,
        const double *bias, double *dst)
{
    const int64_t k = args_find(args, PRIM_ARG_WEIGHTS)->nelems;
    (void)prb;
    (void)bias;
    for (int row = 0; row < ROWS; ++row) {
        dst[row] = 0.;
        for (int64_t i = 0; i < k; ++i) dst[row] += src[row * k + i] * wei[i];
    }
}

static fixture_t *make(prim_data_type_t dt, prim_data_type_t dst_dt, int64_t k, data_class_t class_)
{
    fixture_t *const f = calloc(1, sizeof *f);
    assert_non_null(f);
    f->k = k;
    f->problem.ndims = 2;
    f->prb = (prb_t){
            .driver = &matmul_like, .problem = &f->problem, .attr = &f->attr, .data_class = class_};
    f->args.prb = &f->prb;
    f->product = (product_t){.src = dt,
            .wei = dt,
            .dst = dst_dt,
            .max_f32_src = 64,
            .max_f32_wei = 64,
            .n_acc = k,
            .src_axis = {.step = 1, .count = k},
            .wei_axis = {.step = 1, .count = k, .has_inner = true}};
    fill_arg(f, add(f, PRIM_ARG_SRC, DATA_SRC, dt, ROWS, k));
    fill_arg(f, add(f, PRIM_ARG_WEIGHTS, DATA_WEI, dt, k, 1));
    add(f, PRIM_ARG_DST, DATA_DST, dst_dt, ROWS, 1);
    args_plan_finish(&f->args);
    product_reference(&f->product, &f->args, sum_products);
    return f;
}

static void destroy(fixture_t *f)
{
    for (int i = 0; i < f->args.count; ++i) {
        free(f->args.items[i].data);
        free(f->args.items[i].slack);
    }
    free(f);
}

/// Arithmetic under test: how operands and partial sums are rounded.
typedef double (*rounding_t)(double x);

static double as_f32(double x)
{
    return (double)(float)x;
}

static double as_bf16(double x)
{
    return dt_round(PRIM_BF16, x);
}

static double as_f16(double x)
{
    return dt_round(PRIM_F16, x);
}

/// 11 digits of the mantissa, to nearest, with the exponents of f32.
static double as_tf32(double x)
{
    int exponent;
    const double fraction = frexp(x, &exponent);
    return ldexp(nearbyint(ldexp(fraction, 11)), exponent - 11);
}

static double cut_to_tf32(double x)
{
    int exponent;
    const double fraction = frexp(x, &exponent);
    return ldexp(trunc(ldexp(fraction, 11)), exponent - 11);
}

static double exact(double x)
{
    return x;
}

static void compute(fixture_t *f, rounding_t operand, rounding_t partial, bool is_reversed)
{
    const double *const src = args_data(&f->args, PRIM_ARG_SRC);
    const double *const wei = args_data(&f->args, PRIM_ARG_WEIGHTS);
    for (int row = 0; row < ROWS; ++row) {
        double sum = 0.;
        for (int64_t i = 0; i < f->k; ++i) {
            const int64_t k = is_reversed ? f->k - 1 - i : i;
            sum = partial(sum + operand(src[row * f->k + k]) * operand(wei[k]));
        }
        f->got[row] = dt_round(f->product.dst, sum);
    }
}

static int64_t errors(const fixture_t *f)
{
    return judge(&f->args, args_find(&f->args, PRIM_ARG_DST), f->got).errors;
}

static const int64_t lengths[] = {1, 9, 64, 500, 4000};

static void honest_sums_pass(void **state)
{
    (void)state;
    static const struct {
        prim_data_type_t dt, dst;
    } types[] = {{PRIM_F32, PRIM_F32}, {PRIM_F16, PRIM_F32}, {PRIM_F16, PRIM_F16},
            {PRIM_BF16, PRIM_F32}, {PRIM_BF16, PRIM_BF16}};
    for (size_t t = 0; t < COUNT_OF(types); ++t) {
        for (size_t l = 0; l < COUNT_OF(lengths); ++l) {
            fixture_t *const f = make(types[t].dt, types[t].dst, lengths[l], CLASS_REALS);
            compute(f, exact, as_f32, false);
            assert_int_equal(errors(f), 0);
            compute(f, exact, as_f32, true);
            assert_int_equal(errors(f), 0);
            compute(f, exact, exact, false);
            assert_int_equal(errors(f), 0);
            destroy(f);
        }
    }
}

static void shorter_operands_fail(void **state)
{
    (void)state;
    static const rounding_t cuts[] = {as_bf16, as_f16, as_tf32, cut_to_tf32};
    for (size_t l = 0; l < COUNT_OF(lengths); ++l) {
        for (size_t c = 0; c < COUNT_OF(cuts); ++c) {
            fixture_t *const f = make(PRIM_F32, PRIM_F32, lengths[l], CLASS_REALS);
            compute(f, cuts[c], as_f32, false);
            assert_int_equal(errors(f), ROWS);
            destroy(f);
        }
        fixture_t *const f = make(PRIM_F16, PRIM_F32, lengths[l], CLASS_REALS);
        compute(f, as_bf16, as_f32, false);
        assert_int_equal(errors(f), ROWS);
        destroy(f);
    }
}

static void judge_by_norm(
        const prb_t *prb, const args_t *args, const arg_t *arg, compare_t *compare)
{
    (void)prb;
    (void)args;
    (void)arg;
    compare->is_norm = true;
}

static const driver_t winograd_like = {.name = "conv",
        .family = FAMILY_DIMS,
        .primitive_kind = PRIM_CONVOLUTION,
        .set_compare = judge_by_norm};

/// 64 products of independent signs, and a chain behind them.
static fixture_t *make_transformed(const char *post_ops)
{
    fixture_t *const f = make(PRIM_F32, PRIM_F32, 64, CLASS_REALS);
    f->prb.driver = &winograd_like;
    f->product.transform_error = 4e-6;
    assert_true(parse_post_ops(post_ops, &f->attr.post_ops));
    fill_arg(f, args_find(&f->args, PRIM_ARG_SRC));
    fill_arg(f, args_find(&f->args, PRIM_ARG_WEIGHTS));
    args_plan_finish(&f->args);
    product_reference(&f->product, &f->args, sum_products);
    return f;
}

static void compute_chain(fixture_t *f, rounding_t operand, double error)
{
    compute(f, operand, as_f32, false);
    for (int row = 0; row < ROWS; ++row)
        f->got[row] = as_f32(ref_finish(&f->args, f->got[row] + error, row));
}

/// What a chain adds to sums or cuts off them makes their error neither larger nor smaller.
static void chains_keep_the_error(void **state)
{
    (void)state;
    static const char *const chains[] = {"linear:1:100", "linear:0.001:0", "relu",
            "clip_v2:-100:0.001", "linear:1:100+linear:1:-100", "abs+sqrt", "log"};
    static const rounding_t cuts[] = {as_bf16, as_tf32, cut_to_tf32};
    for (size_t c = 0; c < COUNT_OF(chains); ++c) {
        fixture_t *const f = make_transformed(chains[c]);
        double square = 0.;
        const double *const src = args_data(&f->args, PRIM_ARG_SRC);
        double sums[ROWS];
        sum_products(&f->prb, &f->args, src, args_data(&f->args, PRIM_ARG_WEIGHTS), NULL, sums);
        for (int row = 0; row < ROWS; ++row) square += sums[row] * sums[row] / ROWS;
        const double expected = f->product.transform_error * sqrt(square);
        compute_chain(f, exact, 0.);
        assert_int_equal(errors(f), 0);
        compute_chain(f, exact, 0.8 * expected);
        assert_int_equal(errors(f), 0);
        compute_chain(f, exact, 20. * expected);
        assert_int_equal(errors(f), 1);
        for (size_t i = 0; i < COUNT_OF(cuts); ++i) {
            compute_chain(f, cuts[i], 0.);
            assert_int_equal(errors(f), 1);
        }
        destroy(f);
    }
}

static void shorter_sums_fail(void **state)
{
    (void)state;
    static const struct {
        prim_data_type_t dt;
        rounding_t partial;
    } cases[] = {{PRIM_F32, as_f16}, {PRIM_F32, as_bf16}, {PRIM_F32, as_tf32}, {PRIM_F16, as_f16},
            {PRIM_F16, as_bf16}, {PRIM_BF16, as_bf16}, {PRIM_BF16, as_f16}};
    for (size_t c = 0; c < COUNT_OF(cases); ++c) {
        for (size_t l = 1; l < COUNT_OF(lengths); ++l) {
            fixture_t *const f = make(cases[c].dt, PRIM_F32, lengths[l], CLASS_REALS);
            compute(f, exact, cases[c].partial, false);
            assert_true(errors(f) > 0);
            destroy(f);
        }
    }
}

static double wrap_16(double x)
{
    return (double)(int16_t)(uint16_t)(int64_t)x;
}

static double saturate_16(double x)
{
    return fmax(-32768., fmin(32767., x));
}

static void short_integer_sums_fail(void **state)
{
    (void)state;
    static const rounding_t partials[] = {wrap_16, saturate_16};
    for (size_t l = 1; l < COUNT_OF(lengths); ++l) {
        for (size_t c = 0; c < COUNT_OF(partials); ++c) {
            fixture_t *const f = make(PRIM_S8, PRIM_S32, lengths[l], CLASS_RANGE);
            compute(f, exact, exact, false);
            assert_int_equal(errors(f), 0);
            f->got[0] += 1.; // exact: s32 may not even be off by one
            assert_int_equal(errors(f), 1);
            compute(f, exact, partials[c], false);
            assert_true(errors(f) > 0);
            destroy(f);
        }
    }
}

/// Sums beyond 24 bits may be rounded to f32 when the destination is f32, but only once or twice.
static void converted_integer_sums(void **state)
{
    (void)state;
    fixture_t *const f = make(PRIM_S8, PRIM_F32, 4000, CLASS_RANGE);
    const double *const reference = args_data(&f->args, PRIM_ARG_DST);
    compute(f, exact, exact, false);
    assert_int_equal(errors(f), 0);
    double largest = 0.;
    for (int i = 0; i < ROWS; ++i) largest = fmax(largest, fabs(reference[i]));
    assert_true(largest > 0x1p23);
    for (int i = 0; i < ROWS; ++i) f->got[i] *= 1. + 0x1p-20;
    assert_int_equal(errors(f), ROWS);
    destroy(f);
}

static void classes_follow_the_text(void **state)
{
    (void)state;
    const unsigned set = DATA_BIT(CLASS_SMALL) | DATA_BIT(CLASS_REALS) | DATA_BIT(CLASS_RANGE);
    unsigned seen = 0;
    for (int i = 0; i < 64; ++i) {
        char text[32];
        snprintf(text, sizeof text, "--matmul %dx8:8x3", i);
        const data_class_t drawn = data_class_draw(set, text);
        assert_int_equal(drawn, data_class_draw(set, text));
        assert_true(set & DATA_BIT(drawn));
        seen |= DATA_BIT(drawn);
    }
    assert_int_equal(seen, set);
    assert_int_equal(data_class_draw(DATA_BIT(CLASS_REALS), "x"), CLASS_REALS);
    assert_int_equal(data_class_draw(set | DATA_BIT(CLASS_MIXED), "x"), CLASS_MIXED);
}

/// Which values of a mixture come from which class.
static void mixtures_have_all_classes(void **state)
{
    (void)state;
    rng_t rng = rng_seed(11);
    const data_mixture_t floats = {CLASS_MIXED, PRIM_F32, .nth_special = 29, .nth_extreme = 13};
    const data_mixture_t tame = {.data_class = CLASS_MIXED, .dt = PRIM_F32};
    const data_mixture_t bytes = {CLASS_MIXED, PRIM_S8, 29, 13};
    const data_mixture_t special = {CLASS_SPECIAL, PRIM_F32, .nth_extreme = 1};
    double largest_byte = 0.;
    for (int64_t i = 0; i < 2000; ++i) {
        const double x = fabs(data_class_value(&floats, &rng, i));
        const bool is_extreme = x > 0x1p126 || (x > 0. && x < 0x1p-125);
        const bool is_whole = floor(x) == x;
        assert_true(isfinite(x) == (i % 29 != 0));
        if (i % 29 != 0) assert_true(is_extreme == (i % 13 == 0));
        if (i % 29 != 0 && i % 13 != 0) assert_true(is_whole == (i % 3 == 0));
        const double y = fabs(data_class_value(&tame, &rng, i));
        assert_true(isfinite(y) && (floor(y) == y) == (i % 3 == 0));
        const double byte = fabs(data_class_value(&bytes, &rng, i));
        assert_true(floor(byte) == byte && byte <= (i % 3 ? 128. : 8.));
        largest_byte = fmax(largest_byte, byte);
        assert_true(!isfinite(data_class_value(&special, &rng, i)));
    }
    assert_true(largest_byte == 128.);
}

static double unit_at(double x, int digits)
{
    int exponent;
    (void)frexp(x, &exponent);
    return ldexp(1., exponent - digits);
}

/// Cutting loses between 3/8 and 1/2 of a unit of the shorter type: whoever cuts errs downwards.
static void significands_betray_cuts(void **state)
{
    (void)state;
    rng_t rng = rng_seed(7);
    for (int i = 0; i < 2000; ++i) {
        const double single = data_significand(&rng, PRIM_F32);
        const double half = data_significand(&rng, PRIM_F16);
        assert_true(single >= 1. && single < 2. && as_f32(single) == single);
        assert_true(half >= 1. && half < 2. && as_f16(half) == half);
        const double losses[] = {(single - as_bf16(single)) / unit_at(single, 8),
                (single - as_tf32(single)) / unit_at(single, 11),
                (half - as_bf16(half)) / unit_at(half, 8)};
        for (int l = 0; l < 3; ++l) assert_true(losses[l] >= 0.375 && losses[l] < 0.5);
    }
}

static bounded_t step(const char *text, double x, double slack, double operand, double old)
{
    post_ops_spec_t ops = {0};
    assert_true(parse_post_ops(text, &ops));
    assert_int_equal(ops.count, 1);
    return bounded_post_op(&ops.entries[0], (bounded_t){x, slack},
            (step_values_t){.operand = operand, .old = old}, 0x1p-24);
}

static void steps_carry_errors(void **state)
{
    (void)state;
    const post_op_t select = {.kind = PRIM_BINARY, .alg = PRIM_BINARY_SELECT, .dt = PRIM_S32};
    const bounded_t x = {3., .25};
    const double wide = 0x1p+26 + 1.;
    bounded_t y = bounded_post_op(&select, x, (step_values_t){wide, -128., 0.}, 0x1p-24);
    assert_true(y.value == 3. && y.slack == .25);
    y = bounded_post_op(&select, x, (step_values_t){wide, 0., 0.}, 0x1p-24);
    assert_true(y.value == wide && y.slack >= 4. && y.slack < 4.01);
    y = bounded_post_op(&select, x, (step_values_t){5., 0., 0.}, 0x1p-24);
    assert_true(y.value == 5. && y.slack == 0.);
    assert_true(step("relu", 3., .25, 0., 0.).slack == .25);
    assert_true(step("relu", -3., .25, 0., 0.).slack == 0.);
    assert_true(fabs(step("relu", .1, .25, 0., 0.).slack - .25) < 1e-12);
    assert_true(step("square", 3., .25, 0., 0.).slack >= 1.5625);
    assert_true(step("add:f32", 3., .25, 7., 0.).slack >= .25);
    assert_true(step("add:f32", 3., .25, 7., 0.).slack < .2501);
    assert_true(step("mul:f32", 3., .25, -4., 0.).slack >= 1.);
    assert_true(step("div:f32", 3., .25, .5, 0.).slack >= .5);
    assert_true(step("ge:f32", 3., .25, 3.1, 0.).slack == 1.);
    assert_true(step("ge:f32", 3., .25, 4., 0.).slack == 0.);
    assert_true(step("sum:2", 3., .25, 0., 5.).slack >= .25);
    // Small integers stay exact, so that an error of one unit is seen.
    assert_true(step("add:f32", 3., 0., 7., 0.).slack == 0.);
    assert_true(step("mul:f32", 3., 0., -2., 0.).slack == 0.);
    assert_true(step("sum:0.5:3", 3., 0., 0., 8.).slack == 0.);
    assert_true(step("sum:0.5:3", 3., 0., 0., 8.).value == 5.5);
    assert_true(step("sub:f32", 3., 0., 7., 0.).value == -4.);
    assert_true(step("add:f32", 2.25, 0., 0.25, 0.).slack == 0.); // a half is seen to be one
    assert_true(step("div:f32", 3., 0., 2., 0.).slack == 0.);
    assert_true(step("div:f32", 6., 0., 3., 0.).slack > 0.); // 2.5 ulp
    assert_true(step("mul:f32", 3., 0., 0.1, 0.).slack > 0.);
    // s32 operands that f32 does not hold.
    assert_true(step("add:s32", 3., 0., 0x1p24 + 1., 0.).slack >= 1.);
    assert_true(step("prelu", -3., .25, 2., 0.).slack >= .5);
}

/// Whatever compiles benchdnn: a case that failed elsewhere has the same data here.
static void draws_do_not_depend_on_the_compiler(void **state)
{
    (void)state;
    static const double reals[] = {
            0x1.26p-1, 0x1.1cp+1, -0x1.66p-2, 0x1.24p-1, 0x1.9p+0, 0x1.b8p+2};
    static const double extremes[] = {-448., -358.4, -0x1.2p-6, 0x1p-8};
    rng_t rng = rng_seed(1);
    for (size_t i = 0; i < sizeof reals / sizeof *reals; ++i)
        assert_true(data_value(&rng, CLASS_REALS, PRIM_BF16) == reals[i]);
    for (size_t i = 0; i < sizeof extremes / sizeof *extremes; ++i)
        assert_true(data_value(&rng, CLASS_EXTREMES, PRIM_F8_E4M3) == extremes[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(honest_sums_pass),
            cmocka_unit_test(shorter_operands_fail),
            cmocka_unit_test(chains_keep_the_error),
            cmocka_unit_test(shorter_sums_fail),
            cmocka_unit_test(short_integer_sums_fail),
            cmocka_unit_test(converted_integer_sums),
            cmocka_unit_test(classes_follow_the_text),
            cmocka_unit_test(mixtures_have_all_classes),
            cmocka_unit_test(significands_betray_cuts),
            cmocka_unit_test(steps_carry_errors),
            cmocka_unit_test(draws_do_not_depend_on_the_compiler),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
