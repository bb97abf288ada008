// SPDX-License-Identifier: Apache-2.0
// The matrix product by tiles of AMX, on any processor: the micro-kernels are built with the plain
// C of simd_amx.h (CMakeLists.txt), the blocking in front of them is included here. Where the
// processor has tiles, its bits are compared with those of the plain C.
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "common/alloc.h"
#include "support/unit_test.h"
#include "unit/simd_gemm_in_c.h"

simd_gemm_kernel_t in_c_kernel_bf16, in_c_kernel_bytes, in_c_kernel_signed;
void in_c_begin_bf16(void);
void in_c_end_bf16(void);
void in_c_begin_bytes(void);
void in_c_end_bytes(void);

// Small blocks: several of each in a problem of moderate size.
static const simd_gemm_code_t of_bf16 = {
        .shape = {.mr = 32, .nr = 32, .mc = 64, .nc = 128, .kc = 48},
        .kernel = in_c_kernel_bf16,
        .deepest = 100,
        .products = 128,
        .a_in_rows = true,
        .begin = in_c_begin_bf16,
        .end = in_c_end_bf16,
        .lanes = 16,
        .transpose = transpose_words,
};
static const simd_gemm_code_t of_bytes = {
        .shape = {.mr = 32, .nr = 32, .mc = 64, .nc = 128, .kc = 48},
        .kernel = in_c_kernel_bytes,
        .signed_kernel = in_c_kernel_signed,
        .deepest = 100,
        .products = 128,
        .a_in_rows = true,
        .begin = in_c_begin_bytes,
        .end = in_c_end_bytes,
        .lanes = 16,
        .transpose = transpose_words,
        .add_columns = add_columns_in_c,
        .settle = settle_in_c,
};

const simd_gemm_code_t *tiles_in_c(simd_gemm_word_t word)
{
    return word == SIMD_WORD_BF16 ? &of_bf16 : &of_bytes;
}

const simd_gemm_shape_t *in_c_shape(simd_gemm_word_t word)
{
    return &tiles_in_c(word)->shape;
}

/// Words of A, [m][k], and of B, [n][k].
typedef struct {
    prim_dim_t m, n, k, gap; ///< gap: elements of C between rows
    uint32_t *a, *b;
    bool has_rows;  ///< A comes by rows
    bool is_signed; ///< bytes of A are s8
    bool is_direct; ///< A is read where it is
    float *panels;  ///< of B; NULL: they are packed
} problem_t;

static void pack(const uint32_t *rows, prim_dim_t k, prim_dim_t r0, prim_dim_t nr, prim_dim_t p0,
        prim_dim_t np, float *panels)
{
    for (prim_dim_t r = 0; r < nr; r += 32, panels += 32 * np) {
        memset(panels, 0, (size_t)(32 * np) * sizeof *panels);
        for (prim_dim_t i = 0; i < 32 && r + i < nr; ++i) {
            for (prim_dim_t p = 0; p < np; ++p)
                memcpy(&panels[p * 32 + i], &rows[(r0 + r + i) * k + p0 + p], sizeof *panels);
        }
    }
}

static void pack_rows_of_a(
        const void *arg, prim_dim_t i0, prim_dim_t ni, prim_dim_t p0, prim_dim_t np, float *panels)
{
    const problem_t *const x = arg;
    pack(x->a, x->k, i0, ni, p0, np, panels);
}

static void copy_rows_of_a(const void *arg, prim_dim_t i0, prim_dim_t ni, prim_dim_t p0,
        prim_dim_t np, float *rows, prim_dim_t step)
{
    const problem_t *const x = arg;
    for (prim_dim_t i = 0; i < ni; ++i, rows += step)
        memcpy(rows, &x->a[(i0 + i) * x->k + p0], (size_t)np * sizeof *rows);
}

static void pack_columns_of_b(
        const void *arg, prim_dim_t j0, prim_dim_t nj, prim_dim_t p0, prim_dim_t np, float *panels)
{
    const problem_t *const x = arg;
    pack(x->b, x->k, j0, nj, p0, np, panels);
}

/// A repeatable number below `n`.
static uint32_t draw(uint32_t n)
{
    static uint32_t state = 1;
    state = state * 1664525U + 1013904223U;
    return (state >> 8) % n;
}

/// bf16 of an integer from -8 to 8.
static uint32_t small_bf16(void)
{
    const float x = (float)draw(17) - 8.F;
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return bits >> 16;
}

/// bf16 of either sign and some 12 binary orders, whose sums round.
static uint32_t wide_bf16(void)
{
    return draw(2) << 15 | (121 + draw(12)) << 7 | draw(128);
}

static uint32_t two_small(void)
{
    return small_bf16() << 16 | small_bf16();
}

static uint32_t two_wide(void)
{
    return wide_bf16() << 16 | wide_bf16();
}

static uint32_t four_bytes(void)
{
    return draw(65536) << 16 | draw(65536);
}

static problem_t draw_problem(prim_dim_t m, prim_dim_t n, prim_dim_t k, uint32_t (*word)(void))
{
    problem_t x = {.m = m, .n = n, .k = k, .gap = 3};
    x.a = malloc((size_t)(m * k) * 4);
    x.b = malloc((size_t)(n * k) * 4);
    assert_true(x.a && x.b);
    for (prim_dim_t i = 0; i < m * k; ++i) x.a[i] = word();
    for (prim_dim_t i = 0; i < n * k; ++i) x.b[i] = word();
    return x;
}

/// All of B, and nothing behind it.
static void take_panels(problem_t *x)
{
    x->panels = malloc((size_t)((x->n + 31) / 32 * 32 * x->k) * sizeof *x->panels);
    assert_true(x->panels);
    pack(x->b, x->k, 0, x->n, 0, x->k, x->panels);
}

static void free_problem(problem_t *x)
{
    free(x->panels);
    free(x->a);
    free(x->b);
}

static double bf16_of(uint32_t bits)
{
    bits <<= 16;
    float x;
    memcpy(&x, &bits, sizeof x);
    return (double)x;
}

/// Exact where integers are small.
static double expected_bf16(const problem_t *x, prim_dim_t i, prim_dim_t j)
{
    double sum = 0;
    for (prim_dim_t p = 0; p < x->k; ++p) {
        const uint32_t a = x->a[i * x->k + p], b = x->b[j * x->k + p];
        sum += bf16_of(a & 0xFFFFU) * bf16_of(b & 0xFFFFU) + bf16_of(a >> 16) * bf16_of(b >> 16);
    }
    return sum;
}

/// Bytes of A as s8, or less 128.
static double expected_bytes(const problem_t *x, prim_dim_t i, prim_dim_t j)
{
    int32_t sum = 0;
    for (prim_dim_t p = 0; p < x->k; ++p) {
        uint8_t a[4];
        int8_t b[4];
        memcpy(a, &x->a[i * x->k + p], sizeof a);
        memcpy(b, &x->b[j * x->k + p], sizeof b);
        for (int e = 0; e < 4; ++e) sum += (x->is_signed ? (int8_t)a[e] : a[e] - 128) * b[e];
    }
    return sum;
}

enum { GUARD = 77, BEHIND = 32 }; // what C holds between its rows, and behind the last

static simd_gemm_t gemm_of(const problem_t *x, simd_gemm_word_t word, bool accumulates, float *c)
{
    return (simd_gemm_t){.m = x->m,
            .n = x->n,
            .k = x->k,
            .word = word,
            .a_offset = word == SIMD_WORD_BYTES && !x->is_signed ? 128 : 0,
            .a_is_signed = x->is_signed,
            .c = c,
            .c_row = x->n + x->gap,
            .accumulates = accumulates,
            .pack_a = pack_rows_of_a,
            .pack_a_rows = x->has_rows ? copy_rows_of_a : NULL,
            .a_words = x->is_direct ? x->a : NULL,
            .a_words_row = x->k,
            .pack_b = pack_columns_of_b,
            .b_panels = x->panels,
            .pack_arg = x};
}

/// C, all of it GUARD, then the product.
static float *product(const problem_t *x, simd_gemm_word_t word, bool accumulates, int nthr)
{
    const prim_dim_t nelems = x->m * (x->n + x->gap) + BEHIND;
    float *const c = malloc((size_t)nelems * sizeof *c);
    const size_t bytes = in_c_scratch_bytes(word, x->m, x->n, x->k) * (size_t)nthr;
    void *const scratch = prim__malloc_aligned(bytes);
    assert_true(c && scratch);
    for (prim_dim_t i = 0; i < nelems; ++i) c[i] = GUARD;
    const simd_gemm_t gemm = gemm_of(x, word, accumulates, c);
    memset(scratch, 0xFF, bytes); // NaN, where something is not written
    if (nthr == 1) in_c_serial(&gemm, scratch);
    if (nthr > 1) in_c_run(&gemm, scratch, nthr);
    prim__free(scratch);
    return c;
}

static void expect_exact(const problem_t *x, simd_gemm_word_t word, bool accumulates)
{
    float *const c = product(x, word, accumulates, 1);
    for (prim_dim_t i = 0; i < x->m; ++i) {
        const float *const row = c + i * (x->n + x->gap);
        for (prim_dim_t j = 0; j < x->n; ++j) {
            const double sum =
                    word == SIMD_WORD_BF16 ? expected_bf16(x, i, j) : expected_bytes(x, i, j);
            assert_true(row[j] == (float)(sum + (accumulates ? GUARD : 0)));
        }
        const prim_dim_t behind = i + 1 == x->m ? BEHIND : 0;
        for (prim_dim_t j = x->n; j < x->n + x->gap + behind; ++j) assert_true(row[j] == GUARD);
    }
    free(c);
}

static const prim_dim_t sizes[][3] = {{1, 1, 1}, {5, 3, 2}, {15, 17, 15}, {16, 16, 16},
        {17, 15, 17}, {31, 33, 31}, {32, 32, 32}, {33, 31, 33}, {48, 48, 47}, {16, 32, 48},
        {64, 160, 49}, {65, 129, 97}, {130, 20, 100}, {3, 300, 160}, {32, 16, 5}, {32, 40, 64},
        {34, 1, 4}, {70, 2, 9}, {66, 100, 20}};
enum { NSIZES = sizeof sizes / sizeof sizes[0] };

static void sums_of_integers_are_exact(void **state)
{
    (void)state;
    for (int s = 0; s < NSIZES; ++s) {
        problem_t x = draw_problem(sizes[s][0], sizes[s][1], sizes[s][2], two_small);
        expect_exact(&x, SIMD_WORD_BF16, false);
        x.has_rows = true;
        expect_exact(&x, SIMD_WORD_BF16, true);
        x.gap = 0; // a tile may reach into the next row, and not beyond the last
        expect_exact(&x, SIMD_WORD_BF16, false);
        free_problem(&x);
        x = draw_problem(sizes[s][0], sizes[s][1], sizes[s][2], four_bytes);
        expect_exact(&x, SIMD_WORD_BYTES, false);
        x.has_rows = true;
        expect_exact(&x, SIMD_WORD_BYTES, false);
        x.is_signed = true;
        expect_exact(&x, SIMD_WORD_BYTES, false);
        x.is_direct = x.k % 16 == 0;
        expect_exact(&x, SIMD_WORD_BYTES, false);
        take_panels(&x);
        expect_exact(&x, SIMD_WORD_BYTES, false);
        free_problem(&x);
    }
}

static void threads_do_not_change_bits(void **state)
{
    (void)state;
    for (int s = 0; s < NSIZES; ++s) {
        problem_t x = draw_problem(sizes[s][0], sizes[s][1], sizes[s][2], two_wide);
        float *const one = product(&x, SIMD_WORD_BF16, true, 1);
        for (int nthr = 2; nthr <= 5; ++nthr) {
            float *const more = product(&x, SIMD_WORD_BF16, true, nthr);
            assert_memory_equal(one, more, (size_t)(x.m * (x.n + x.gap)) * sizeof *one);
            free(more);
        }
        free(one);
        free_problem(&x);
    }
}

/// Where the rows of strips go.
typedef struct {
    float *c;
    prim_dim_t c_row, strip_row;
} target_t;

static void take_rows(
        const void *arg, float *tile, prim_dim_t i0, prim_dim_t ni, prim_dim_t j0, prim_dim_t nj)
{
    const target_t *const to = arg;
    for (prim_dim_t i = 0; i < ni; ++i)
        memcpy(to->c + (i0 + i) * to->c_row + j0, tile + i * to->strip_row,
                (size_t)nj * sizeof *tile);
}

/// By way of strips, on a grid of parts.
static float *product_of_strips(const problem_t *x, prim_dim_t strip_row, simd_gemm_grid_t grid)
{
    float *const c = malloc((size_t)(x->m * (x->n + x->gap)) * sizeof *c);
    const target_t target = {c, x->n + x->gap, strip_row};
    simd_gemm_t gemm = gemm_of(x, SIMD_WORD_BF16, false, NULL);
    gemm.c_row = strip_row;
    gemm.finish = take_rows;
    gemm.finish_arg = &target;
    const size_t bytes = in_c_scratch_bytes(SIMD_WORD_BF16, x->m, x->n, x->k) +
                         in_c_strip_bytes(SIMD_WORD_BF16, strip_row);
    void *const scratch = prim__malloc_aligned(bytes);
    assert_true(c && scratch);
    for (prim_dim_t i = 0; i < x->m * (x->n + x->gap); ++i) c[i] = GUARD;
    for (int i = 0; i < grid.rows * grid.cols; ++i) {
        memset(scratch, 0xFF, bytes);
        in_c_part(&gemm, grid, i, scratch);
    }
    prim__free(scratch);
    return c;
}

static void strips_have_the_bits_of_a_matrix(void **state)
{
    (void)state;
    int nstrips = 0;
    for (int s = 0; s < NSIZES; ++s) {
        problem_t x = draw_problem(sizes[s][0], sizes[s][1], sizes[s][2], two_wide);
        float *const expected = product(&x, SIMD_WORD_BF16, false, 1);
        const prim_dim_t row = in_c_strip_row(SIMD_WORD_BF16, x.m, x.n, x.k);
        assert_int_equal(row == 0, x.k > (x.m <= 64 ? 48 : 100));
        for (int rows = 1; rows <= 3 && row; ++rows, ++nstrips) {
            float *const c = product_of_strips(&x, row, (simd_gemm_grid_t){rows, 1 + rows % 2});
            assert_memory_equal(c, expected, (size_t)(x.m * (x.n + x.gap)) * sizeof *c);
            free(c);
        }
        free(expected);
        free_problem(&x);
    }
    assert_true(nstrips > 0);
}

/// One word each of A and B: the only element of C.
static float one_word(uint32_t a, uint32_t b)
{
    problem_t x = {.m = 1, .n = 1, .k = 1, .a = &a, .b = &b};
    float *const c = product(&x, SIMD_WORD_BF16, false, 1);
    const float sum = c[0];
    free(c);
    return sum;
}

static void subnormals_are_zero(void **state)
{
    (void)state;
    enum { ONE = 0x3F80, LARGE = 0x7F00, SUBNORMAL = 0x0040, SMALLEST = 0x0080, HALF = 0x3F00 };
    assert_true(one_word(SMALLEST, ONE) == 0x1p-126F);
    assert_true(one_word(SUBNORMAL, LARGE) == 0.F);
    assert_true(one_word(LARGE, SUBNORMAL) == 0.F);
    assert_true(one_word(SMALLEST, HALF) == 0.F);
}

/// 16 products of one half add up before those of the other half come in, and the sum of all comes
/// to what is there at last: 2^24 + 1 is lost, 1 + 1 is not.
static void halves_add_up_apart(void **state)
{
    (void)state;
    enum { ONE = 0x3F80, TO_24 = 0x4B80 };
    uint32_t a[2] = {TO_24 | ONE << 16, 0U | ONE << 16};
    uint32_t b[2] = {ONE | ONE << 16, ONE | ONE << 16};
    problem_t x = {.m = 1, .n = 1, .k = 2, .a = a, .b = b, .has_rows = true};
    float *const c = product(&x, SIMD_WORD_BF16, false, 1);
    assert_true(c[0] == 0x1p24F + 2.F);
    free(c);
    a[0] = TO_24 | ONE << 16;
    a[1] = 0;
    float *const lost = product(&x, SIMD_WORD_BF16, false, 1);
    assert_true(lost[0] == 0x1p24F);
    free(lost);
}

#if PRIM_X64
typedef struct {
    simd_gemm_kernel_t *kernel;
    void (*begin)(void);
    void (*end)(void);
} tiles_t;

enum { DEPTH = 40, A_ROW = 48 };

/// One micro-kernel call, at edges and without.
static void multiply_by(const tiles_t *tiles, const float *a, const float *b, float *c, int rows,
        int cols, bool accumulates)
{
    for (int i = 0; i < 32 * 32; ++i) c[i] = GUARD;
    tiles->begin();
    tiles->kernel(DEPTH, a, A_ROW, b, 32, c, 32, rows, cols, accumulates);
    tiles->end();
}

static void compare_bits(const tiles_t *processor, const tiles_t *in_c, uint32_t (*word)(void))
{
    _Alignas(64) uint32_t a[32 * A_ROW] = {0}, b[DEPTH * 32];
    for (int i = 0; i < 32 * A_ROW; ++i) a[i] = i % A_ROW < DEPTH ? word() : 0;
    for (int i = 0; i < DEPTH * 32; ++i) b[i] = word();
    float panel_a[32 * A_ROW], panel_b[DEPTH * 32], c[32 * 32], expected[32 * 32];
    memcpy(panel_a, a, sizeof a);
    memcpy(panel_b, b, sizeof b);
    for (int rows = 1; rows <= 32; rows += rows < 15 ? 7 : 1) {
        for (int cols = 1; cols <= 32; cols += cols < 15 ? 7 : 1) {
            for (int adds = 0; adds < 2; ++adds) {
                multiply_by(processor, panel_a, panel_b, c, rows, cols, adds);
                multiply_by(in_c, panel_a, panel_b, expected, rows, cols, adds);
                assert_memory_equal(c, expected, sizeof c);
            }
        }
    }
}

/// Any but those whose sums could be infinite: subnormal numbers too.
static uint32_t any_bf16(void)
{
    return draw(2) << 15 | draw(127 + 60) << 7 | draw(128);
}

static uint32_t two_any(void)
{
    return any_bf16() << 16 | any_bf16();
}

static void the_processor_agrees(void **state)
{
    (void)state;
    if (prim__cpu_isa() < CPU_ISA_AVX512_AMX) skip();
    const tiles_t bf16 = {prim__simd_gemm_amx_kernel_bf16, prim__simd_gemm_amx_begin_bf16,
            prim__simd_gemm_amx_end_bf16};
    const tiles_t bytes = {prim__simd_gemm_amx_kernel_bytes, prim__simd_gemm_amx_begin_bytes,
            prim__simd_gemm_amx_end_bytes};
    const tiles_t bf16_in_c = {in_c_kernel_bf16, in_c_begin_bf16, in_c_end_bf16};
    const tiles_t bytes_in_c = {in_c_kernel_bytes, in_c_begin_bytes, in_c_end_bytes};
    const tiles_t with_signs = {prim__simd_gemm_amx_kernel_signed, prim__simd_gemm_amx_begin_bytes,
            prim__simd_gemm_amx_end_bytes};
    const tiles_t with_signs_in_c = {in_c_kernel_signed, in_c_begin_bytes, in_c_end_bytes};
    compare_bits(&with_signs, &with_signs_in_c, four_bytes);
    compare_bits(&bf16, &bf16_in_c, two_wide);
    compare_bits(&bf16, &bf16_in_c, two_any);
    compare_bits(&bytes, &bytes_in_c, four_bytes);
}
#endif

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sums_of_integers_are_exact),
        cmocka_unit_test(threads_do_not_change_bits),
        cmocka_unit_test(strips_have_the_bits_of_a_matrix),
        cmocka_unit_test(subnormals_are_zero),
        cmocka_unit_test(halves_add_up_apart),
#if PRIM_X64
        cmocka_unit_test(the_processor_agrees),
#endif
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
