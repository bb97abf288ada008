// SPDX-License-Identifier: Apache-2.0
// The matrix product's register tile with AMX: four tiles of 16 × 16 sums, two of A and two of B.
// Compiled once for each kind of word of several elements (CMakeLists.txt), with SIMD_WORD as
// simd_gemm_word_t, or 3 for bytes of which those of A are signed, too. Panels of B are tiles as
// they are; those of A have their rows one after another.
#include <string.h>

#include "simd_amx.h"
#include "simd_gemm_kernel.h"

enum { ROWS = AMX_ROWS, WORDS = AMX_WORDS, MR = 2 * ROWS, NR = 2 * WORDS };

#if SIMD_WORD == 1
#define KERNEL prim__simd_gemm_amx_kernel_bf16
#define BEGIN prim__simd_gemm_amx_begin_bf16
#define END prim__simd_gemm_amx_end_bf16
#define MULTIPLY(to, a, b) AMX_MULTIPLY_BF16(to, a, b)
#elif SIMD_WORD == 2
#define KERNEL prim__simd_gemm_amx_kernel_bytes
#define BEGIN prim__simd_gemm_amx_begin_bytes
#define END prim__simd_gemm_amx_end_bytes
#define MULTIPLY(to, a, b) AMX_MULTIPLY_BYTES(to, a, b)
#else
#define KERNEL prim__simd_gemm_amx_kernel_signed
#define MULTIPLY(to, a, b) AMX_MULTIPLY_SIGNED(to, a, b)
#endif

/// Sums 0 and 1 are of the upper rows, 2 and 3 of the lower; is_low and is_right: which there are.
X64_INLINE void zero_sums(const bool is_low, const bool is_right)
{
    AMX_ZERO(0);
    if (is_right) AMX_ZERO(1);
    if (is_low) AMX_ZERO(2);
    if (is_low && is_right) AMX_ZERO(3);
}

X64_INLINE void load_sums(
        const bool is_low, const bool is_right, const float *c, prim_dim_t c_row, size_t row_bytes)
{
    AMX_LOAD(0, c, row_bytes);
    if (is_right) AMX_LOAD(1, c + WORDS, row_bytes);
    if (is_low) AMX_LOAD(2, c + ROWS * c_row, row_bytes);
    if (is_low && is_right) AMX_LOAD(3, c + ROWS * c_row + WORDS, row_bytes);
}

/// What rows have beyond C goes to the beginning of the next ones, which comes after it.
X64_INLINE void store_sums(
        const bool is_low, const bool is_right, float *c, prim_dim_t c_row, size_t row_bytes)
{
    if (is_right) AMX_STORE(1, c + WORDS, row_bytes);
    if (is_low && is_right) AMX_STORE(3, c + ROWS * c_row + WORDS, row_bytes);
    AMX_STORE(0, c, row_bytes);
    if (is_low) AMX_STORE(2, c + ROWS * c_row, row_bytes);
}

/// 16 words of depth.
X64_INLINE void add_products(const bool is_low, const bool is_right, const float *a,
        prim_dim_t a_row, const float *b, prim_dim_t b_row)
{
    const size_t a_bytes = (size_t)a_row * sizeof *a, b_bytes = (size_t)b_row * sizeof *b;
    AMX_LOAD(4, a, a_bytes);
    AMX_LOAD(6, b, b_bytes);
    MULTIPLY(0, 4, 6);
    if (is_right) {
        AMX_LOAD(7, b + WORDS, b_bytes);
        MULTIPLY(1, 4, 7);
    }
    if (is_low) {
        AMX_LOAD(5, a + ROWS * a_row, a_bytes);
        MULTIPLY(2, 5, 6);
        if (is_right) MULTIPLY(3, 5, 7);
    }
}

/// All of the depth. Rows of A have zeros behind their end; those that B lacks are made here.
X64_INLINE void add_panels(const bool is_low, const bool is_right, prim_dim_t k, const float *a,
        prim_dim_t a_row, const float *b, prim_dim_t b_row)
{
    prim_dim_t p = 0;
    for (; p + WORDS <= k; p += WORDS)
        add_products(is_low, is_right, a + p, a_row, b + p * b_row, b_row);
    if (p == k) return;
    _Alignas(64) float last[WORDS * NR] = {0};
    const size_t cols = is_right ? NR : WORDS;
    for (prim_dim_t i = 0; i < k - p; ++i)
        memcpy(last + i * NR, b + (p + i) * b_row, cols * sizeof *last);
    add_products(is_low, is_right, a + p, a_row, last, NR);
}

X64_INLINE void multiply(const bool is_low, const bool is_right, prim_dim_t k, const float *a,
        prim_dim_t a_row, const float *b, prim_dim_t b_row, float *c, prim_dim_t c_row,
        bool accumulates)
{
    const size_t row_bytes = (size_t)c_row * sizeof *c;
    if (accumulates)
        load_sums(is_low, is_right, c, c_row, row_bytes);
    else
        zero_sums(is_low, is_right);
    add_panels(is_low, is_right, k, a, a_row, b, b_row);
    store_sums(is_low, is_right, c, c_row, row_bytes);
}

static void multiply_tiles(prim_dim_t k, const float *a, prim_dim_t a_row, const float *b,
        prim_dim_t b_row, float *c, prim_dim_t c_row, int rows, int cols, bool accumulates)
{
    if (rows > ROWS && cols > WORDS)
        multiply(true, true, k, a, a_row, b, b_row, c, c_row, accumulates);
    else if (rows > ROWS)
        multiply(true, false, k, a, a_row, b, b_row, c, c_row, accumulates);
    else if (cols > WORDS)
        multiply(false, true, k, a, a_row, b, b_row, c, c_row, accumulates);
    else
        multiply(false, false, k, a, a_row, b, b_row, c, c_row, accumulates);
}

static void copy_rows(
        float *to, prim_dim_t to_row, const float *from, prim_dim_t from_row, int rows, int cols)
{
    for (int r = 0; r < rows; ++r)
        memcpy(to + r * to_row, from + r * from_row, (size_t)cols * sizeof *to);
}

void KERNEL(prim_dim_t k, const float *a, prim_dim_t a_row, const float *b, prim_dim_t b_row,
        float *c, prim_dim_t c_row, int rows, int cols, bool accumulates)
{
    if (rows % ROWS == 0 && cols % WORDS == 0) {
        multiply_tiles(k, a, a_row, b, b_row, c, c_row, rows, cols, accumulates);
        return;
    }
    // Whole tiles here, of which C has a part.
    _Alignas(64) float sums[MR * NR];
    if (accumulates) {
        memset(sums, 0, sizeof sums);
        copy_rows(sums, NR, c, c_row, rows, cols);
    }
    multiply_tiles(k, a, a_row, b, b_row, sums, NR, rows, cols, accumulates);
    copy_rows(c, c_row, sums, NR, rows, cols);
}

#if SIMD_WORD < 3 // tiles are those of unsigned bytes
void BEGIN(void)
{
    amx_begin();
}

void END(void)
{
    amx_end();
}
#endif
