// SPDX-License-Identifier: Apache-2.0
// Rows of words for micro-kernels that take A by rows: those of a matrix, and those of the pixels
// of a convolution, against the panels by columns.
#include <string.h>

#include "cpu/simd/simd_conv_columns.h"
#include "cpu/simd/simd_conv_gather.h"
#include "cpu/simd/simd_gemm.h"
#include "cpu/simd/simd_gemm_levels.h"
#include "cpu/simd/simd_gemm_pack_words.h"
#include "support/unit_test.h"

enum { ROWS = 5, DEPTH = 43, ALONG = 50, STEP = 16 };

/// Signed bytes: four to the word, of which the last has three; a part of the rows and of the
/// depth.
static void rows_of_a_matrix(void **state)
{
    (void)state;
    if (!prim__simd_gemm_has(SIMD_WORD_BYTES)) skip();
    uint8_t data[ROWS * ALONG];
    for (int i = 0; i < ROWS * ALONG; ++i) data[i] = (uint8_t)(i * 7);
    const simd_gemm_words_t words = {
            .elems = {data, PRIM_S8, ALONG, 1}, .depth = DEPTH, .flips = true};
    float rows[3 * STEP];
    memset(rows, 0xFF, sizeof rows);
    prim__simd_gemm_pack_rows(&words, 2, 3, 4, 7, rows, STEP);
    for (int r = 0; r < 3; ++r) {
        uint8_t bytes[4 * STEP];
        memcpy(bytes, rows + r * STEP, sizeof bytes);
        for (int e = 0; e < 4 * 7; ++e) {
            const int wanted = 4 * 4 + e < DEPTH ? data[(r + 2) * ALONG + 4 * 4 + e] ^ 0x80 : 0;
            assert_int_equal(bytes[e], wanted);
        }
        for (int e = 4 * 7; e < 4 * STEP; ++e) assert_int_equal(bytes[e], 0xFF);
    }
}

enum { IMAGES = 2, SIDE = 6, CHANNELS = 2 * 67, PIXELS = SIDE * SIDE, NTAPS = 9, WIDTH = 32 };

/// The second of two groups, 3 × 3 taps, channels last; `side_pad` 0 leaves out the borders.
static simd_conv_t conv_of(
        const void *src, prim_data_type_t dt, simd_gemm_word_t word, int side_pad)
{
    const prim_dim_t out = SIDE - 2 + 2 * side_pad, ic = CHANNELS / 2;
    return (simd_conv_t){
            .shape = {.nspatial = 2,
                    .mb = IMAGES,
                    .g = 2,
                    .ic = ic,
                    .oc = 1,
                    .in = {1, SIDE, SIDE},
                    .out = {1, out, out},
                    .kernel = {1, 3, 3},
                    .stride = {1, 1, 1},
                    .dilation = {1, 1, 1},
                    .pad = {0, side_pad, side_pad}},
            .merged_taps = 1,
            .word = word,
            .npixels = out * out,
            .ntaps = NTAPS,
            .tap_words = (ic + (1 << word) - 1) >> word,
            .src = src,
            .src_dt = dt,
            .src_strides = {PIXELS * CHANNELS, 1, 0, SIDE * CHANNELS, CHANNELS},
    };
}

static void compare(const simd_conv_t *conv, prim_dim_t ni, prim_dim_t p0, prim_dim_t np)
{
    static float panels[3 * WIDTH * NTAPS * CHANNELS], rows[3 * WIDTH * NTAPS * CHANNELS];
    const simd_conv_part_t part = {.conv = conv, .group = 1};
    const prim_dim_t step = np + 3;
    memset(rows, 0xFF, sizeof rows);
    prim__simd_conv_gather(&part, 0, ni, p0, np, WIDTH, panels);
    prim__simd_conv_gather_rows(&part, 0, ni, p0, np, rows, step);
    for (prim_dim_t i = 0; i < ni; ++i) {
        const float *const panel = panels + i / WIDTH * WIDTH * np + i % WIDTH;
        for (prim_dim_t p = 0; p < np; ++p)
            assert_memory_equal(&rows[i * step + p], &panel[p * WIDTH], sizeof *rows);
    }
}

static void rows_of_pixels(void **state)
{
    (void)state;
    static uint8_t src[IMAGES * PIXELS * CHANNELS * 2];
    for (size_t i = 0; i < sizeof src; ++i) src[i] = (uint8_t)(i * 5 + i / 251);
    static const struct {
        prim_data_type_t dt;
        simd_gemm_word_t word;
        bool flips;
    } types[] = {{PRIM_BF16, SIMD_WORD_BF16, false}, {PRIM_U8, SIMD_WORD_BYTES, false},
            {PRIM_S8, SIMD_WORD_BYTES, false}, {PRIM_S8, SIMD_WORD_BYTES, true}};
    for (int t = 0; t < 4; ++t) {
        if (!prim__simd_gemm_has(types[t].word)) continue;
        for (int pad = 0; pad < 2; ++pad) {
            simd_conv_t conv = conv_of(src, types[t].dt, types[t].word, pad);
            conv.flips_src = types[t].flips;
            const prim_dim_t npixels = IMAGES * conv.npixels, depth = NTAPS * conv.tap_words;
            compare(&conv, npixels < 70 ? npixels : 70, 0, depth);
            compare(&conv, 31, 5, depth - 9);
        }
    }
}

/// Words of two pixels against f32 of one: borders, strides, an odd number of pixels, and columns
/// that begin inside a tap.
static void words_of_two_pixels(void **state)
{
    (void)state;
    enum { OUT = 5, NPIXELS = 75, COLUMNS = 50 };
    static uint16_t src[3 * PIXELS * CHANNELS];
    for (int i = 0; i < 3 * PIXELS * CHANNELS; ++i) src[i] = (uint16_t)(0x3F80 + i % 97);
    const simd_conv_columns_t columns = {.shape = {.nspatial = 2,
                                                 .mb = 3,
                                                 .g = 2,
                                                 .ic = CHANNELS / 2,
                                                 .oc = 1,
                                                 .in = {1, SIDE, SIDE},
                                                 .out = {1, OUT, OUT},
                                                 .kernel = {1, 3, 3},
                                                 .stride = {1, 1, 2},
                                                 .dilation = {1, 1, 1},
                                                 .pad = {0, 1, 3}},
            .data = src,
            .dt = PRIM_BF16,
            .strides = {PIXELS * CHANNELS, 1, 0, SIDE * CHANNELS, CHANNELS}};
    static float floats[2 * WIDTH * NPIXELS], words[2 * WIDTH * NPIXELS];
    for (prim_dim_t j0 = 0; j0 < 128; j0 += 64) {
        for (prim_dim_t np = NPIXELS - 3; np >= NPIXELS - 4; --np) {
            prim__simd_conv_gather_columns(&columns, 1, j0, COLUMNS, 0, np, WIDTH, floats);
            memset(words, 0xFF, sizeof words);
            prim__simd_conv_gather_column_words(&columns, 1, j0, COLUMNS, 0, np, WIDTH, words);
            const prim_dim_t nwords = (np + 1) / 2;
            for (prim_dim_t i = 0; i < 2 * WIDTH * nwords; ++i) {
                const prim_dim_t panel = i / WIDTH / nwords, w = i / WIDTH % nwords, r = i % WIDTH;
                const float *const low = floats + (panel * np + 2 * w) * WIDTH + r;
                const float high = 2 * w + 1 < np ? low[WIDTH] : 0.F;
                uint32_t got, bits[2];
                memcpy(&got, &words[i], sizeof got);
                memcpy(&bits[0], low, sizeof bits[0]);
                memcpy(&bits[1], &high, sizeof bits[1]);
                assert_int_equal(got, bits[0] >> 16 | (bits[1] & 0xFFFF0000U));
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(rows_of_a_matrix),
            cmocka_unit_test(rows_of_pixels),
            cmocka_unit_test(words_of_two_pixels),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
