// SPDX-License-Identifier: Apache-2.0
// prim_sgemm(), prim_gemm_u8s8s32(), prim_gemm_s8s8s32(): sums in double and in 64-bit integers are
// what they have to be, for all shapes, orders, offsets and factors; what lies between the rows of
// C stays; every wrong argument has its status and leaves C alone.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <prim/prim.h>

typedef struct {
    char transa, transb, offsetc;
    prim_dim_t m, n, k, gap; ///< elements behind each row of all matrices
    float alpha, beta;
    int ao, bo;
    bool is_unsigned; ///< A of the integers
} call_t;

typedef struct {
    prim_dim_t rows, cols, ld; ///< as it lies
    bool is_transposed;
} matrix_t;

static matrix_t matrix(char trans, prim_dim_t rows, prim_dim_t cols, prim_dim_t gap)
{
    const bool is_transposed = trans == 'T' || trans == 't';
    const prim_dim_t row = is_transposed ? rows : cols;
    return (matrix_t){is_transposed ? cols : rows, row, (row > 0 ? row : 1) + gap, is_transposed};
}

/// Exactly as many elements as the function may touch, so that a checker of addresses sees others.
static prim_dim_t elems(const matrix_t *x)
{
    return x->rows > 0 && x->cols > 0 ? (x->rows - 1) * x->ld + x->cols : 0;
}

static prim_dim_t at(const matrix_t *x, prim_dim_t row, prim_dim_t col)
{
    return x->is_transposed ? col * x->ld + row : row * x->ld + col;
}

static unsigned draw(unsigned *state)
{
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static void *room(prim_dim_t n, size_t bytes)
{
    void *const data = malloc(n > 0 ? (size_t)n * bytes : 1);
    assert_non_null(data);
    return data;
}

static const char *text_of(const call_t *c)
{
    static char text[200];
    (void)snprintf(text, sizeof text, "%c%c%c m%d n%d k%d gap%d alpha %g beta %g ao %d bo %d %s",
            c->transa, c->transb, c->offsetc ? c->offsetc : '-', (int)c->m, (int)c->n, (int)c->k,
            (int)c->gap, (double)c->alpha, (double)c->beta, c->ao, c->bo,
            c->is_unsigned ? "u8" : "s8");
    return text;
}

// ---- Floats ----------------------------------------------------------------------------------

enum { GUARD = 12345 };

static float *draw_floats(const matrix_t *x, unsigned *state)
{
    const prim_dim_t n = elems(x);
    float *const data = room(n, sizeof *data);
    for (prim_dim_t i = 0; i < n; ++i) data[i] = (float)(draw(state) % 20001) / 8192.F - 1.2F;
    return data;
}

static void fill_c(float *data, const matrix_t *c, float beta, unsigned *state)
{
    for (prim_dim_t i = 0; i < elems(c); ++i)
        data[i] = i % c->ld >= c->cols ? (float)GUARD
                  : beta == 0.F        ? (float)NAN
                                       : (float)(draw(state) % 2001) / 512.F - 2.F;
}

/// Any order of n additions errs by n·u·Σ|a·b| (doc/numerics.md).
static void expect_float(const call_t *c, double got, double value, double size)
{
    const double bound = ((double)c->k + 8) * 0x1p-24 * size;
    if (!(fabs(got - value) <= bound))
        fail_msg("%s: %.9g instead of %.9g ± %g", text_of(c), got, value, bound);
}

static void check_sgemm(const call_t *c, unsigned seed)
{
    const matrix_t a_is = matrix(c->transa, c->m, c->k, c->gap);
    const matrix_t b_is = matrix(c->transb, c->k, c->n, c->gap);
    const matrix_t c_is = matrix('N', c->m, c->n, c->gap);
    float *const a = draw_floats(&a_is, &seed), *const b = draw_floats(&b_is, &seed);
    float *const got = room(elems(&c_is), sizeof *got), *const old =
                                                                room(elems(&c_is), sizeof *old);
    fill_c(got, &c_is, c->beta, &seed);
    memcpy(old, got, (size_t)elems(&c_is) * sizeof *old);
    assert_int_equal(prim_sgemm(c->transa, c->transb, c->m, c->n, c->k, c->alpha, a, a_is.ld, b,
                             b_is.ld, c->beta, got, c_is.ld),
            PRIM_SUCCESS);
    for (prim_dim_t i = 0; i < c->m; ++i)
        for (prim_dim_t j = 0; j < c->n; ++j) {
            double sum = 0, size = 0;
            for (prim_dim_t p = 0; p < c->k; ++p) {
                const double term = (double)a[at(&a_is, i, p)] * (double)b[at(&b_is, p, j)];
                sum += term;
                size += fabs(term);
            }
            const prim_dim_t place = at(&c_is, i, j);
            const double before = c->beta == 0.F ? 0. : (double)c->beta * (double)old[place];
            const double alpha = (double)c->alpha;
            expect_float(
                    c, (double)got[place], alpha * sum + before, fabs(alpha) * size + fabs(before));
        }
    for (prim_dim_t i = 0; i < elems(&c_is); ++i)
        if (i % c_is.ld >= c_is.cols) assert_true(got[i] == (float)GUARD);
    free(a);
    free(b);
    free(got);
    free(old);
}

// ---- Integers --------------------------------------------------------------------------------

/// Any bytes, or mostly `extreme`.
static void *draw_bytes(const matrix_t *x, const uint8_t *extreme, unsigned *state)
{
    const prim_dim_t n = elems(x);
    uint8_t *const data = room(n, 1);
    for (prim_dim_t i = 0; i < n; ++i)
        data[i] = (uint8_t)(extreme && draw(state) % 8 ? *extreme : draw(state) % 256);
    return data;
}

static int byte_at(const void *data, prim_dim_t i, bool is_unsigned)
{
    return is_unsigned ? ((const uint8_t *)data)[i] : ((const int8_t *)data)[i];
}

/// To the nearest integer, halfway to even, within s32.
static int32_t rounded(double x)
{
    if (x >= 2147483647.) return INT32_MAX;
    if (x <= -2147483648.) return INT32_MIN;
    double whole = floor(x);
    const double rest = x - whole;
    if (rest > .5 || (rest == .5 && fmod(whole, 2.) != 0.)) whole += 1;
    return (int32_t)whole;
}

static prim_status_t call_integers(const call_t *c, const void *a, prim_dim_t lda, const int8_t *b,
        prim_dim_t ldb, int32_t *result, prim_dim_t ldc, const int32_t *co)
{
    if (c->is_unsigned)
        return prim_gemm_u8s8s32(c->transa, c->transb, c->offsetc, c->m, c->n, c->k, c->alpha, a,
                lda, (uint8_t)c->ao, b, ldb, (int8_t)c->bo, c->beta, result, ldc, co);
    return prim_gemm_s8s8s32(c->transa, c->transb, c->offsetc, c->m, c->n, c->k, c->alpha, a, lda,
            (int8_t)c->ao, b, ldb, (int8_t)c->bo, c->beta, result, ldc, co);
}

static void check_integers(const call_t *c, bool is_extreme, unsigned seed)
{
    const matrix_t a_is = matrix(c->transa, c->m, c->k, c->gap);
    const matrix_t b_is = matrix(c->transb, c->k, c->n, c->gap);
    const matrix_t c_is = matrix('N', c->m, c->n, c->gap);
    // The farthest from large ao, and from small bo.
    const uint8_t far_a = c->is_unsigned ? 0 : 0x80, far_b = 0x7F;
    void *const a = draw_bytes(&a_is, is_extreme ? &far_a : NULL, &seed);
    void *const b = draw_bytes(&b_is, is_extreme ? &far_b : NULL, &seed);
    const bool is_column = c->offsetc == 'C' || c->offsetc == 'c';
    const bool is_row = c->offsetc == 'R' || c->offsetc == 'r';
    const prim_dim_t noffsets = is_column ? c->m : is_row ? c->n : 1;
    int32_t *const co = room(noffsets, sizeof *co);
    int32_t *const got = room(elems(&c_is), sizeof *got), *const old =
                                                                  room(elems(&c_is), sizeof *old);
    for (prim_dim_t i = 0; i < noffsets; ++i) co[i] = (int32_t)(draw(&seed) % 2001) - 1000;
    for (prim_dim_t i = 0; i < elems(&c_is); ++i)
        got[i] = i % c_is.ld >= c_is.cols ? GUARD : (int32_t)(draw(&seed) % 200001) - 100000;
    memcpy(old, got, (size_t)elems(&c_is) * sizeof *old);
    assert_int_equal(call_integers(c, a, a_is.ld, b, b_is.ld, got, c_is.ld, co), PRIM_SUCCESS);
    for (prim_dim_t i = 0; i < c->m; ++i)
        for (prim_dim_t j = 0; j < c->n; ++j) {
            int64_t sum = 0;
            for (prim_dim_t p = 0; p < c->k; ++p)
                sum += (int64_t)(byte_at(a, at(&a_is, i, p), c->is_unsigned) - c->ao) *
                       (byte_at(b, at(&b_is, p, j), false) - c->bo);
            const prim_dim_t place = at(&c_is, i, j);
            const double before = c->beta == 0.F ? 0. : (double)c->beta * old[place];
            const int32_t offset = co[is_column ? i : is_row ? j : 0];
            const int32_t value = rounded((double)c->alpha * (double)sum + before + offset);
            if (got[place] != value)
                fail_msg("%s: %d instead of %d", text_of(c), (int)got[place], (int)value);
        }
    for (prim_dim_t i = 0; i < elems(&c_is); ++i)
        if (i % c_is.ld >= c_is.cols) assert_int_equal(got[i], GUARD);
    free(a);
    free(b);
    free(co);
    free(got);
    free(old);
}

// ---- Tests -----------------------------------------------------------------------------------

static void shapes_and_orders(void **state)
{
    (void)state;
    static const prim_dim_t sizes[][3] = {{1, 1, 1}, {3, 5, 7}, {17, 1, 33}, {1, 40, 300},
            {64, 65, 63}, {200, 33, 129}, {6, 400, 20}, {0, 5, 3}, {4, 0, 3}, {4, 5, 0},
            {193, 385, 257}};
    static const char letters[] = "NTnt";
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; ++i)
        for (int order = 0; order < 4; ++order)
            for (prim_dim_t gap = 0; gap < 4; gap += 3) {
                const char transa = letters[order & 1], transb = letters[order / 2 + 2 * (gap > 0)];
                call_t c = {transa, transb, 'F', sizes[i][0], sizes[i][1], sizes[i][2], gap, 1.F,
                        gap > 0 ? .5F : 0.F, 3, -2, gap > 0};
                check_sgemm(&c, (unsigned)(i * 8 + (unsigned)order));
                check_integers(&c, false, (unsigned)(i * 8 + (unsigned)order));
            }
}

static void factors(void **state)
{
    (void)state;
    static const float alphas[] = {1.F, 0.F, .5F, -3.25F, .1F}, betas[] = {0.F, 1.F, -.75F, 2.F};
    for (size_t i = 0; i < sizeof alphas / sizeof *alphas; ++i)
        for (size_t j = 0; j < sizeof betas / sizeof *betas; ++j) {
            call_t c = {'N', 'T', 'F', 21, 34, 55, 1, alphas[i], betas[j], 7, 9, true};
            check_sgemm(&c, 11);
            check_integers(&c, false, 11);
            c.k = 0;
            check_sgemm(&c, 12);
            check_integers(&c, false, 12);
        }
}

static void integer_offsets(void **state)
{
    (void)state;
    static const char kinds[] = "FCRfcr";
    static const int aos[] = {0, 255, 128, 1}, bos[] = {0, 127, -128, -1};
    for (int i = 0; kinds[i]; ++i)
        for (int o = 0; o < 4; ++o)
            for (int is_unsigned = 0; is_unsigned < 2; ++is_unsigned) {
                const call_t c = {'N', 'N', kinds[i], 13, 29, 600, 0, 1.F, 1.F,
                        is_unsigned ? aos[o] : bos[3 - o], bos[o], is_unsigned};
                check_integers(&c, o % 2, (unsigned)(i * 4 + o));
            }
}

/// Sums beyond 24 bits, and beyond 31.
static void long_sums_are_exact(void **state)
{
    (void)state;
    for (int is_unsigned = 0; is_unsigned < 2; ++is_unsigned) {
        call_t c = {
                'N', 'T', 'R', 3, 4, 5000, 0, 1.F, 0.F, is_unsigned ? 255 : 127, -128, is_unsigned};
        check_integers(&c, false, 5);
        check_integers(&c, true, 6);
        c.k = 70000;
        check_integers(&c, true, 7);
    }
}

/// alpha 0 reads neither A nor B; beta 0 does not read C.
static void what_is_not_read(void **state)
{
    (void)state;
    const float bad[4] = {(float)NAN, (float)INFINITY, (float)NAN, 1.F};
    float c[4] = {1, 2, 3, 4};
    assert_int_equal(prim_sgemm('N', 'N', 2, 2, 2, 0.F, bad, 2, bad, 2, 2.F, c, 2), PRIM_SUCCESS);
    assert_true(c[0] == 2 && c[1] == 4 && c[2] == 6 && c[3] == 8);
    c[1] = (float)NAN;
    assert_int_equal(prim_sgemm('N', 'N', 2, 2, 2, 0.F, bad, 2, bad, 2, 0.F, c, 2), PRIM_SUCCESS);
    assert_true(c[0] == 0 && c[1] == 0 && c[2] == 0 && c[3] == 0);
}

static void random_calls(void **state)
{
    (void)state;
    static const char trans[] = "NnTt", offsets[] = "FfCcRr";
    static const float factors_of[] = {0.F, 1.F, 1.F, -1.F, .5F, .3F, 1e-3F};
    unsigned seed = 1;
    for (int i = 0; i < 400; ++i) {
        const prim_dim_t most = draw(&seed) % 4 == 0 ? 300 : 20;
        call_t c = {trans[draw(&seed) % 4], trans[draw(&seed) % 4], offsets[draw(&seed) % 6],
                draw(&seed) % most, draw(&seed) % most, draw(&seed) % most, draw(&seed) % 3,
                factors_of[draw(&seed) % 7], factors_of[draw(&seed) % 7], 0, 0,
                draw(&seed) % 2 == 0};
        c.ao = (int)(draw(&seed) % 256) - (c.is_unsigned ? 0 : 128);
        c.bo = (int)(draw(&seed) % 256) - 128;
        check_sgemm(&c, seed);
        check_integers(&c, draw(&seed) % 3 == 0, seed);
    }
}

/// 2×3 times 3×4.
typedef struct {
    const char *name;
    char transa, transb, offsetc;
    prim_dim_t m, n, k, lda, ldb, ldc;
    bool lacks_a, lacks_b, lacks_c, lacks_co;
} refusal_t;

#define GOOD .transa = 'N', .transb = 'N', .offsetc = 'F', .m = 2, .n = 4, .k = 3
#define STRIDES .lda = 3, .ldb = 4, .ldc = 4

static const refusal_t refusals[] = {
        {"transa", .transa = 'X', .transb = 'N', .offsetc = 'F', .m = 2, .n = 4, .k = 3, STRIDES},
        {"transb", .transa = 'N', .transb = 0, .offsetc = 'F', .m = 2, .n = 4, .k = 3, STRIDES},
        {"m", .transa = 'N', .transb = 'N', .offsetc = 'F', .m = -1, .n = 4, .k = 3, STRIDES},
        {"n", .transa = 'N', .transb = 'N', .offsetc = 'F', .m = 2, .n = -4, .k = 3, STRIDES},
        {"k", .transa = 'N', .transb = 'N', .offsetc = 'F', .m = 2, .n = 4, .k = -1, STRIDES},
        {"lda", GOOD, .lda = 2, .ldb = 4, .ldc = 4},
        {"lda of a transposed A", .transa = 'T', .transb = 'N', .offsetc = 'F', .m = 2, .n = 4,
                .k = 3, .lda = 1, .ldb = 4, .ldc = 4},
        {"ldb", GOOD, .lda = 3, .ldb = 3, .ldc = 4},
        {"ldb of a transposed B", .transa = 'N', .transb = 't', .offsetc = 'F', .m = 2, .n = 4,
                .k = 3, .lda = 3, .ldb = 2, .ldc = 4},
        {"ldc", GOOD, .lda = 3, .ldb = 4, .ldc = 3},
        {"ld 0 without elements", .transa = 'N', .transb = 'N', .offsetc = 'F', .m = 2, .n = 4,
                .k = 0, .lda = 0, .ldb = 4, .ldc = 4},
        {"a", GOOD, STRIDES, .lacks_a = true},
        {"b", GOOD, STRIDES, .lacks_b = true},
        {"c", GOOD, STRIDES, .lacks_c = true},
};

static const refusal_t integer_refusals[] = {
        {"offsetc", .transa = 'N', .transb = 'N', .offsetc = 'N', .m = 2, .n = 4, .k = 3, STRIDES},
        {"co", GOOD, STRIDES, .lacks_co = true},
};

static void expect_refusal(
        const char *name, prim_status_t st, const void *c, const void *before, size_t bytes)
{
    if (st != PRIM_INVALID_ARGUMENTS || !*prim_last_error() || memcmp(c, before, bytes) != 0)
        fail_msg("%s: status %d, \"%s\"", name, (int)st, prim_last_error());
}

static void refuse_integers(const refusal_t *r)
{
    uint8_t a[6] = {0};
    int8_t b[12] = {0};
    int32_t c[8] = {1, 2, 3, 4, 5, 6, 7, 8}, co[4] = {0};
    const int32_t before[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    for (int is_unsigned = 0; is_unsigned < 2; ++is_unsigned) {
        const call_t call = {
                r->transa, r->transb, r->offsetc, r->m, r->n, r->k, 0, 1.F, 0.F, 0, 0, is_unsigned};
        const prim_status_t st =
                call_integers(&call, r->lacks_a ? NULL : a, r->lda, r->lacks_b ? NULL : b, r->ldb,
                        r->lacks_c ? NULL : c, r->ldc, r->lacks_co ? NULL : co);
        expect_refusal(r->name, st, c, before, sizeof c);
    }
}

static void wrong_arguments(void **state)
{
    (void)state;
    const float a[6] = {0}, b[12] = {0};
    for (size_t i = 0; i < sizeof refusals / sizeof *refusals; ++i) {
        const refusal_t *const r = &refusals[i];
        float c[8] = {1, 2, 3, 4, 5, 6, 7, 8};
        const float before[8] = {1, 2, 3, 4, 5, 6, 7, 8};
        const prim_status_t st =
                prim_sgemm(r->transa, r->transb, r->m, r->n, r->k, 1.F, r->lacks_a ? NULL : a,
                        r->lda, r->lacks_b ? NULL : b, r->ldb, 0.F, r->lacks_c ? NULL : c, r->ldc);
        expect_refusal(r->name, st, c, before, sizeof c);
        refuse_integers(r);
    }
    for (size_t i = 0; i < sizeof integer_refusals / sizeof *integer_refusals; ++i)
        refuse_integers(&integer_refusals[i]);
}

/// Matrices without elements need no memory.
static void nothing_may_be_null(void **state)
{
    (void)state;
    float c[2] = {1, 2};
    const int32_t co = 5;
    int32_t sums[2] = {1, 2};
    assert_int_equal(prim_sgemm('N', 'T', 0, 2, 1, 1.F, NULL, 1, c, 1, 0.F, NULL, 2), PRIM_SUCCESS);
    assert_int_equal(prim_sgemm('N', 'N', 1, 2, 0, 1.F, NULL, 1, NULL, 2, 2.F, c, 2), PRIM_SUCCESS);
    assert_true(c[0] == 2 && c[1] == 4);
    assert_int_equal(prim_gemm_s8s8s32('N', 'N', 'F', 1, 2, 0, 1.F, NULL, 1, 0, NULL, 2, 0, 1.F,
                             sums, 2, &co),
            PRIM_SUCCESS);
    assert_true(sums[0] == 6 && sums[1] == 7);
}

static void *no_memory(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    (void)bytes;
    (void)alignment;
    return NULL;
}

static void no_release(void *user, void *pointer)
{
    (void)user;
    (void)pointer;
}

static void without_memory_c_is_untouched(void **state)
{
    (void)state;
    const prim_allocator_t none = {no_memory, no_release, NULL};
    const float a[1] = {2}, b[1] = {3};
    const int8_t x[1] = {2};
    const int32_t co = 0;
    float c[1] = {5};
    int32_t sum[1] = {5};
    assert_int_equal(prim_set_allocator(&none), PRIM_SUCCESS);
    assert_int_equal(prim_sgemm('N', 'N', 1, 1, 1, 1.F, a, 1, b, 1, 2.F, c, 1), PRIM_OUT_OF_MEMORY);
    assert_int_equal(
            prim_gemm_s8s8s32('N', 'N', 'F', 1, 1, 1, 1.F, x, 1, 0, x, 1, 0, 2.F, sum, 1, &co),
            PRIM_OUT_OF_MEMORY);
    assert_int_equal(prim_set_allocator(NULL), PRIM_SUCCESS);
    assert_true(c[0] == 5 && sum[0] == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(shapes_and_orders),
            cmocka_unit_test(factors),
            cmocka_unit_test(integer_offsets),
            cmocka_unit_test(long_sums_are_exact),
            cmocka_unit_test(what_is_not_read),
            cmocka_unit_test(random_calls),
            cmocka_unit_test(wrong_arguments),
            cmocka_unit_test(nothing_may_be_null),
            cmocka_unit_test(without_memory_c_is_untouched),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
