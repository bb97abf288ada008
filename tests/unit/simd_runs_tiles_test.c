// SPDX-License-Identifier: Apache-2.0
// Sums of pixels over runs of channels by tiles of AMX, on any processor: the code is built with
// the plain C of simd_amx.h (CMakeLists.txt). Where the processor has tiles, they are tested, too.
#include <stdlib.h>
#include <string.h>

#include "cpu/simd/simd_runs.h"
#include "support/unit_test.h"

extern const simd_runs_code_t in_c_runs_tiles_bf16, in_c_runs_tiles_bytes;

enum {
    WIDTH = 37, ///< pixels of a row of x
    HEIGHT = 40,
    LANES = SIMD_RUNS_LANES,
    NAN_BF16 = 0x7FC1,
    GUARD = 77, ///< what sums hold where none are stored
};

/// Rows of `out` pixels, `nrows` of them, of a plane of HEIGHT × WIDTH pixels: each sums nruns runs
/// of elems elements, which begin at distances of rows. `pitch` elements of a pixel, elems of them
/// used.
typedef struct {
    prim_dim_t elems, pitch, nruns, nchannels, out, nrows, stride;
    bool has_columns; ///< tiles are pixels of a column
    bool is_bf16;
} problem_t;

static const problem_t problems[] = {
        {32, 32, 1, 16, 16, 4, 1, false, true},
        {32, 32, 3, 40, 17, 3, 2, false, true},
        {5, 7, 2, 3, 19, 2, 1, false, true},
        {16, 16, 3, 16, 33, 4, 1, false, true},
        {31, 33, 2, 17, 36, 2, 1, false, true},
        {70, 72, 2, 5, 9, 7, 3, false, true},
        {24, 24, 3, 20, 5, 35, 2, true, true},
        {1, 2, 1, 1, 3, 16, 1, true, true},
        {64, 64, 2, 33, 16, 2, 1, false, false},
        {7, 8, 3, 9, 20, 4, 1, false, false},
        {130, 132, 1, 16, 4, 33, 2, true, false},
};

static uint32_t draw(uint32_t n)
{
    static uint32_t state = 7;
    state = state * 1664525U + 1013904223U;
    return (state >> 8) % n;
}

/// An integer from −4 to 4 or, of bytes without a sign, from 0 to 255.
static int draw_value(const problem_t *p, bool is_src)
{
    if (p->is_bf16) return (int)draw(9) - 4;
    return is_src ? (int)draw(256) : (int)draw(256) - 128;
}

static size_t elem_bytes(const problem_t *p)
{
    return p->is_bf16 ? 2 : 1;
}

static void put(const problem_t *p, void *to, prim_dim_t at, int value)
{
    if (p->is_bf16) {
        const float x = (float)value;
        uint32_t bits;
        memcpy(&bits, &x, sizeof bits);
        bits >>= 16;
        memcpy((char *)to + 2 * at, &bits, 2);
    } else {
        ((uint8_t *)to)[at] = (uint8_t)value;
    }
}

/// What a problem is computed from and what comes of it.
typedef struct {
    char *x;
    float *wei, *sums;
    int *x_values, *wei_values; ///< [pixel][elem], [run][elem][channel]
    prim_dim_t *pixels;
    prim_dim_t runs[4];
    prim_dim_t words, wei_row, nsums;
} data_t;

/// Elements of x that are no part of a run are no numbers.
static void fill_src(data_t *d, const problem_t *p)
{
    const prim_dim_t npixels = (HEIGHT + 16) * WIDTH + 64;
    d->x = malloc((size_t)(npixels * p->pitch) * elem_bytes(p) + SIMD_RUNS_SLACK);
    d->x_values = calloc((size_t)(npixels * p->elems), sizeof(int));
    assert_true(d->x && d->x_values);
    for (prim_dim_t i = 0; i < npixels; ++i) {
        for (prim_dim_t e = 0; e < p->pitch; ++e) {
            const prim_dim_t at = i * p->pitch + e;
            const int value = draw_value(p, true);
            put(p, d->x, at, value);
            if (e < p->elems) d->x_values[i * p->elems + e] = value;
            if (e >= p->elems && p->is_bf16)
                memcpy(d->x + 2 * at, &(uint16_t){NAN_BF16}, sizeof(uint16_t));
        }
    }
}

static void fill_weights(data_t *d, const problem_t *p)
{
    const prim_dim_t per_word = p->is_bf16 ? 2 : 4, nblocks = (p->nchannels + LANES - 1) / LANES;
    d->words = (p->elems + per_word - 1) / per_word;
    d->wei_row = d->words * LANES * p->nruns;
    d->wei = calloc((size_t)(nblocks * d->wei_row), sizeof(float));
    d->wei_values = calloc((size_t)(p->nruns * p->elems * p->nchannels), sizeof(int));
    assert_true(d->wei && d->wei_values);
    for (prim_dim_t r = 0; r < p->nruns; ++r) {
        for (prim_dim_t e = 0; e < p->elems; ++e) {
            for (prim_dim_t o = 0; o < p->nchannels; ++o) {
                const prim_dim_t word =
                        o / LANES * d->wei_row + (r * d->words + e / per_word) * LANES + o % LANES;
                const int value = draw_value(p, false);
                d->wei_values[(r * p->elems + e) * p->nchannels + o] = value;
                put(p, d->wei, word * per_word + e % per_word, value);
            }
        }
    }
}

static void place_pixels(data_t *d, const problem_t *p)
{
    d->pixels = malloc((size_t)(p->nrows * p->out) * sizeof *d->pixels);
    assert_true(d->pixels);
    for (prim_dim_t i = 0; i < p->nrows * p->out; ++i)
        d->pixels[i] = (i / p->out * WIDTH + i % p->out * p->stride) * p->pitch;
    for (prim_dim_t r = 0; r < p->nruns; ++r) d->runs[r] = r * WIDTH * p->pitch;
    d->nsums = p->nrows * p->out * (p->nchannels + 1);
    d->sums = malloc((size_t)d->nsums * sizeof *d->sums);
    assert_true(d->sums);
    for (prim_dim_t i = 0; i < d->nsums; ++i) d->sums[i] = GUARD;
}

static int expected(const data_t *d, const problem_t *p, prim_dim_t pixel, prim_dim_t o)
{
    int sum = 0;
    for (prim_dim_t r = 0; r < p->nruns; ++r) {
        const prim_dim_t at = (d->pixels[pixel] + d->runs[r]) / p->pitch;
        for (prim_dim_t e = 0; e < p->elems; ++e)
            sum += d->x_values[at * p->elems + e] *
                   d->wei_values[(r * p->elems + e) * p->nchannels + o];
    }
    return sum;
}

static void expect_sums(const problem_t *p, const simd_runs_code_t *code, bool keeps_integers)
{
    data_t d;
    fill_src(&d, p);
    fill_weights(&d, p);
    place_pixels(&d, p);
    const simd_runs_t runs = {.x = d.x,
            .pixels = d.pixels,
            .runs = d.runs,
            .npixels = p->nrows * p->out,
            .nruns = p->nruns,
            .elems = p->elems,
            .wei = d.wei,
            .wei_row = d.wei_row,
            .sums = d.sums,
            .sums_row = p->nchannels + 1,
            .nchannels = p->nchannels,
            .keeps_integers = keeps_integers,
            .next = p->has_columns ? p->out : 1,
            .step = p->has_columns ? WIDTH * p->pitch : p->stride * p->pitch};
    code->begin(p->elems);
    code->multiply(&runs);
    code->end();
    for (prim_dim_t i = 0; i < runs.npixels; ++i) {
        const float *const row = d.sums + i * runs.sums_row;
        for (prim_dim_t o = 0; o < p->nchannels; ++o) {
            int32_t integer;
            memcpy(&integer, &row[o], sizeof integer);
            const double sum = keeps_integers ? (double)integer : (double)row[o];
            assert_true(sum == (double)(float)expected(&d, p, i, o));
        }
        assert_true(row[p->nchannels] == GUARD);
    }
    free(d.x);
    free(d.wei);
    free(d.sums);
    free(d.x_values);
    free(d.wei_values);
    free(d.pixels);
}

static void sums_of_integers_are_exact(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; ++i) {
        const bool is_bf16 = problems[i].is_bf16;
        expect_sums(&problems[i], is_bf16 ? &in_c_runs_tiles_bf16 : &in_c_runs_tiles_bytes, false);
        if (!is_bf16) expect_sums(&problems[i], &in_c_runs_tiles_bytes, true);
    }
}

static void tiles_of_the_processor_agree(void **state)
{
    (void)state;
#if PRIM_X64
    if (prim__cpu_isa() < CPU_ISA_AVX512_AMX) return;
    for (size_t i = 0; i < sizeof problems / sizeof problems[0]; ++i)
        expect_sums(&problems[i],
                problems[i].is_bf16 ? &prim__simd_runs_tiles_bf16 : &prim__simd_runs_tiles_bytes,
                false);
#endif
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(sums_of_integers_are_exact),
            cmocka_unit_test(tiles_of_the_processor_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
