// SPDX-License-Identifier: Apache-2.0
// The matrix product's register tile with AVX-512: 14 rows of two vectors, 28 of 32 registers.
// Compiled once for each kind of word (CMakeLists.txt), with SIMD_WORD as simd_gemm_word_t, and the
// compiler's options for its instructions. Words travel in vectors of floats, whatever their bits.
#include "simd_gemm_kernel.h"

enum { MR = 14, VECTORS = 2, LANES = 16, NR = VECTORS * LANES, PREFETCH_ROWS = 32 };

#if SIMD_WORD == 0
#define NAME prim__simd_gemm_avx512_f32

X64_INLINE __m512 multiply_add(__m512 sums, __m512 a, __m512 b)
{
    return _mm512_fmadd_ps(a, b, sums);
}

X64_INLINE __m256 multiply_add_half(__m256 sums, __m256 a, __m256 b)
{
    return _mm256_fmadd_ps(a, b, sums);
}

X64_INLINE __m512 add(__m512 a, __m512 b)
{
    return _mm512_add_ps(a, b);
}

#elif SIMD_WORD == 1
#define NAME prim__simd_gemm_avx512_bf16
#define TILES_NAME prim__simd_gemm_amx_bf16
#define TILES_KERNEL prim__simd_gemm_amx_kernel_bf16
#define TILES_BEGIN prim__simd_gemm_amx_begin_bf16
#define TILES_END prim__simd_gemm_amx_end_bf16

X64_INLINE __m512 multiply_add(__m512 sums, __m512 a, __m512 b)
{
    return _mm512_dpbf16_ps(
            sums, (__m512bh)_mm512_castps_si512(a), (__m512bh)_mm512_castps_si512(b));
}

X64_INLINE __m256 multiply_add_half(__m256 sums, __m256 a, __m256 b)
{
    return _mm256_dpbf16_ps(
            sums, (__m256bh)_mm256_castps_si256(a), (__m256bh)_mm256_castps_si256(b));
}

X64_INLINE __m512 add(__m512 a, __m512 b)
{
    return _mm512_add_ps(a, b);
}

/// Lane r is the word of element r of each row.
X64_INLINE __m512i word_of_rows(const char *src, prim_dim_t row_bytes, int nrows, __mmask16 lanes)
{
    const __m512i low = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(lanes, src));
    if (nrows == 1) return low;
    const __m512i high = _mm512_cvtepu16_epi32(_mm256_maskz_loadu_epi16(lanes, src + row_bytes));
    return _mm512_or_si512(low, _mm512_slli_epi32(high, 16));
}

#else
#define NAME prim__simd_gemm_avx512_bytes
#define TILES_NAME prim__simd_gemm_amx_bytes
#define TILES_KERNEL prim__simd_gemm_amx_kernel_bytes
#define TILES_BEGIN prim__simd_gemm_amx_begin_bytes
#define TILES_END prim__simd_gemm_amx_end_bytes

X64_INLINE __m512 multiply_add(__m512 sums, __m512 a, __m512 b)
{
    return _mm512_castsi512_ps(_mm512_dpbusd_epi32(
            _mm512_castps_si512(sums), _mm512_castps_si512(a), _mm512_castps_si512(b)));
}

X64_INLINE __m256 multiply_add_half(__m256 sums, __m256 a, __m256 b)
{
    return _mm256_castsi256_ps(_mm256_dpbusd_epi32(
            _mm256_castps_si256(sums), _mm256_castps_si256(a), _mm256_castps_si256(b)));
}

X64_INLINE __m512 add(__m512 a, __m512 b)
{
    return _mm512_castsi512_ps(_mm512_add_epi32(_mm512_castps_si512(a), _mm512_castps_si512(b)));
}

X64_INLINE __m512i word_of_rows(const char *src, prim_dim_t row_bytes, int nrows, __mmask16 lanes)
{
    __m512i word = _mm512_setzero_si512();
    for (int i = nrows - 1; i >= 0; --i) {
        const __m128i row = _mm_maskz_loadu_epi8(lanes, src + i * row_bytes);
        word = _mm512_or_si512(_mm512_slli_epi32(word, 8), _mm512_cvtepu8_epi32(row));
    }
    return word;
}
#endif

// `masks` are the wanted lanes of each vector; loads of B are masked too, since B need not be in
// panels and its last row may end where the memory does.
X64_INLINE void tile(const int rows, const int vectors, prim_dim_t k, const float *a,
        const float *b, prim_dim_t b_row, float *c, prim_dim_t c_row, const __mmask16 *masks,
        bool accumulates)
{
    __m512 acc[MR][VECTORS];
    X64_UNROLL
    for (int i = 0; i < rows; ++i) {
        X64_UNROLL
        for (int v = 0; v < vectors; ++v) acc[i][v] = _mm512_setzero_ps();
    }
    for (prim_dim_t p = 0; p < k; ++p) {
        // Weights that are read once come from memory, and 14 rows leave no room in the reorder
        // buffer to fetch them early.
        const uintptr_t ahead = (uintptr_t)b + PREFETCH_ROWS * (uintptr_t)b_row * sizeof *b;
        X64_UNROLL
        for (int v = 0; v < vectors; ++v)
            _mm_prefetch((const char *)ahead + v * LANES * (int)sizeof *b, _MM_HINT_T0);
        __m512 bs[VECTORS];
        X64_UNROLL
        for (int v = 0; v < vectors; ++v) bs[v] = _mm512_maskz_loadu_ps(masks[v], b + v * LANES);
        X64_UNROLL
        for (int i = 0; i < rows; ++i) {
            const __m512 x = _mm512_set1_ps(a[i]);
            X64_UNROLL
            for (int v = 0; v < vectors; ++v) acc[i][v] = multiply_add(acc[i][v], x, bs[v]);
        }
        a += MR;
        b += b_row;
    }
    X64_UNROLL
    for (int i = 0; i < rows; ++i) {
        X64_UNROLL
        for (int v = 0; v < vectors; ++v) {
            float *const out = c + i * c_row + v * LANES;
            __m512 x = acc[i][v];
            if (accumulates) x = add(_mm512_maskz_loadu_ps(masks[v], out), x);
            _mm512_mask_storeu_ps(out, masks[v], x);
        }
    }
}

/// All rows of up to 8 columns, in halves of vectors: some processors multiply two at a time.
X64_INLINE void half_tile(prim_dim_t k, const float *a, const float *b, prim_dim_t b_row, float *c,
        prim_dim_t c_row, __mmask8 mask, bool accumulates)
{
    __m256 acc[MR];
    X64_UNROLL
    for (int i = 0; i < MR; ++i) acc[i] = _mm256_setzero_ps();
    for (prim_dim_t p = 0; p < k; ++p, a += MR, b += b_row) {
        const __m256 bs = _mm256_maskz_loadu_ps(mask, b);
        X64_UNROLL
        for (int i = 0; i < MR; ++i) acc[i] = multiply_add_half(acc[i], _mm256_set1_ps(a[i]), bs);
    }
    X64_UNROLL
    for (int i = 0; i < MR; ++i) {
        float *const out = c + i * c_row;
        __m512 x = _mm512_castps256_ps512(acc[i]);
        if (accumulates) x = add(_mm512_castps256_ps512(_mm256_maskz_loadu_ps(mask, out)), x);
        _mm256_mask_storeu_ps(out, mask, _mm512_castps512_ps256(x));
    }
}

X64_INLINE void tile_of_rows(int rows, const int vectors, prim_dim_t k, const float *a,
        const float *b, prim_dim_t b_row, float *c, prim_dim_t c_row, const __mmask16 *masks,
        bool accumulates)
{
    switch (rows) {
    case 1: tile(1, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 2: tile(2, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 3: tile(3, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 4: tile(4, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 5: tile(5, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 6: tile(6, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 7: tile(7, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 8: tile(8, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 9: tile(9, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 10: tile(10, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 11: tile(11, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 12: tile(12, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    case 13: tile(13, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    default: tile(14, vectors, k, a, b, b_row, c, c_row, masks, accumulates); return;
    }
}

static void kernel(prim_dim_t k, const float *a, prim_dim_t a_row, const float *b, prim_dim_t b_row,
        float *c, prim_dim_t c_row, int rows, int cols, bool accumulates)
{
    (void)a_row; // columns of a panel follow each other
    const __mmask16 all = 0xFFFF;
    const __mmask16 part = (__mmask16)((1U << (cols % LANES)) - 1U);
    const __mmask16 last = cols % LANES == 0 ? all : part;
    if (cols > LANES) {
        const __mmask16 masks[VECTORS] = {all, last};
        tile_of_rows(rows, 2, k, a, b, b_row, c, c_row, masks, accumulates);
    } else if (cols <= LANES / 2 && rows == MR) {
        half_tile(k, a, b, b_row, c, c_row, (__mmask8)last, accumulates);
    } else {
        const __mmask16 masks[VECTORS] = {last, 0};
        tile_of_rows(rows, 1, k, a, b, b_row, c, c_row, masks, accumulates);
    }
}

#if SIMD_WORD == 1
/// Whole words, two rows, of `count` columns of a panel of 32.
X64_INLINE void interleave_words(const char *src, prim_dim_t row_bytes, int count, float *panel)
{
    const __mmask32 columns = count < NR ? (1U << count) - 1U : ~0U;
    const __m512i low = _mm512_maskz_loadu_epi16(columns, src);
    const __m512i high = _mm512_maskz_loadu_epi16(columns, src + row_bytes);
    const __m512i even = _mm512_unpacklo_epi16(low, high), odd = _mm512_unpackhi_epi16(low, high);
    // Quarters of the two hold columns 0–3, 8–11, … and 4–7, 12–15, …
    const __m512i first = _mm512_setr_epi64(0, 1, 8, 9, 2, 3, 10, 11);
    const __m512i second = _mm512_setr_epi64(4, 5, 12, 13, 6, 7, 14, 15);
    _mm512_storeu_si512(panel, _mm512_permutex2var_epi64(even, first, odd));
    _mm512_storeu_si512(panel + LANES, _mm512_permutex2var_epi64(even, second, odd));
}
#elif SIMD_WORD == 2
/// Whole words, four rows, of `count` columns of a panel of 32.
X64_INLINE void interleave_words(const char *src, prim_dim_t row_bytes, int count, float *panel)
{
    const __mmask32 columns = count < NR ? (1U << count) - 1U : ~0U;
    const __m256i x0 = _mm256_maskz_loadu_epi8(columns, src);
    const __m256i x1 = _mm256_maskz_loadu_epi8(columns, src + row_bytes);
    const __m256i x2 = _mm256_maskz_loadu_epi8(columns, src + 2 * row_bytes);
    const __m256i x3 = _mm256_maskz_loadu_epi8(columns, src + 3 * row_bytes);
    const __m256i a = _mm256_unpacklo_epi8(x0, x1), b = _mm256_unpackhi_epi8(x0, x1);
    const __m256i c = _mm256_unpacklo_epi8(x2, x3), d = _mm256_unpackhi_epi8(x2, x3);
    // Columns 0–3 and 16–19, 4–7 and 20–23, …
    const __m256i words[] = {_mm256_unpacklo_epi16(a, c), _mm256_unpackhi_epi16(a, c),
            _mm256_unpacklo_epi16(b, d), _mm256_unpackhi_epi16(b, d)};
    for (int i = 0; i < 2; ++i) {
        float *const out = panel + i * 2 * 4;
        const __m256i x = words[2 * i], y = words[2 * i + 1];
        _mm256_storeu_si256((void *)out, _mm256_permute2x128_si256(x, y, 0x20));
        _mm256_storeu_si256((void *)(out + LANES), _mm256_permute2x128_si256(x, y, 0x31));
    }
}
#endif

#if SIMD_WORD > 0
/// Part of a panel, or of a word.
static void interleave_part(
        const char *src, prim_dim_t row_bytes, int nrows, int count, float *panel, int width)
{
    const int elem_bytes = SIMD_WORD == 1 ? 2 : 1;
    for (int r = 0; r < width; r += LANES) {
        const int wanted = width - r < LANES ? width - r : LANES;
        const int here = count - r < 0 ? 0 : count - r < LANES ? count - r : LANES;
        const __m512i word = word_of_rows(src + (here ? r * elem_bytes : 0), row_bytes, nrows,
                (__mmask16)((1U << here) - 1U));
        _mm512_mask_storeu_epi32(panel + r, (__mmask16)((1U << wanted) - 1U), word);
    }
}

static void interleave(const void *src, prim_dim_t row_bytes, int nrows, prim_dim_t count,
        float *panel, int width, prim_dim_t step)
{
    const int elem_bytes = SIMD_WORD == 1 ? 2 : 1;
    const char *from = src;
    for (prim_dim_t j = 0; j < count; j += width, panel += step, from += width * elem_bytes) {
        const int here = count - j < width ? (int)(count - j) : width;
        // Rows may be pages apart, which processors do not fetch ahead.
        const uintptr_t ahead = (uintptr_t)from + 2 * (uintptr_t)(nrows * row_bytes);
        for (int i = 0; i < nrows; ++i)
            _mm_prefetch((const char *)(ahead + (uintptr_t)(i * row_bytes)), _MM_HINT_T0);
        if (width == NR && nrows == 1 << SIMD_WORD)
            interleave_words(from, row_bytes, here, panel);
        else
            interleave_part(from, row_bytes, nrows, here, panel, width);
    }
}
#endif

#if SIMD_WORD > 0
static void copy_rows(const void *src, prim_dim_t row_bytes, prim_dim_t nrows, prim_dim_t bytes,
        float *rows, prim_dim_t step)
{
    enum { CHUNK = 64 };
    const prim_dim_t whole = bytes / CHUNK * CHUNK, rest = bytes - whole;
    const __mmask64 rest_bytes = (1ULL << rest) - 1U;
    const __mmask16 rest_words = (__mmask16)((1U << (rest + 3) / 4) - 1U);
    const char *from = src;
    for (prim_dim_t r = 0; r < nrows; ++r, from += row_bytes, rows += step) {
        char *const to = (char *)rows;
        for (prim_dim_t b = 0; b < whole; b += CHUNK)
            _mm512_storeu_si512(to + b, _mm512_loadu_si512(from + b));
        if (rest)
            _mm512_mask_storeu_epi32(
                    to + whole, rest_words, _mm512_maskz_loadu_epi8(rest_bytes, from + whole));
    }
}
#endif

#if SIMD_WORD == 2
static void add_columns(prim_dim_t k, const float *b, prim_dim_t b_row, int32_t *sums)
{
    const __m512 ones = _mm512_castsi512_ps(_mm512_set1_epi8(1));
    for (int v = 0; v < VECTORS; ++v) {
        __m512 sum = _mm512_loadu_ps(sums + v * LANES);
        for (prim_dim_t p = 0; p < k; ++p)
            sum = multiply_add(sum, ones, _mm512_loadu_ps(b + p * b_row + v * LANES));
        _mm512_storeu_ps(sums + v * LANES, sum);
    }
}

/// Eight lanes of x − columns·offset in double, which holds it whatever the offset is.
X64_INLINE __m256 subtract_exactly(__m256i x, __m256i columns, __m512d offset)
{
    return _mm512_cvtpd_ps(
            _mm512_fnmadd_pd(_mm512_cvtepi32_pd(columns), offset, _mm512_cvtepi32_pd(x)));
}

static void settle(float *row, const int32_t *column_sums, int64_t offset, bool to_float, int n)
{
    // Differences of bytes make sums that s32 holds.
    const bool is_exact = offset >= 0 && offset <= 255;
    const __m512i factor = _mm512_set1_epi32((int32_t)offset);
    const __m512d wide = _mm512_set1_pd((double)offset);
    for (int j = 0; j < n; j += LANES) {
        const __mmask16 lanes = (__mmask16)(n - j < LANES ? (1U << (n - j)) - 1U : 0xFFFFU);
        const __m512i x = _mm512_maskz_loadu_epi32(lanes, row + j);
        if (offset == 0 && to_float) {
            _mm512_mask_storeu_ps(row + j, lanes, _mm512_cvtepi32_ps(x));
            continue;
        }
        const __m512i columns = _mm512_maskz_loadu_epi32(lanes, column_sums + j);
        const __m512i difference = _mm512_sub_epi32(x, _mm512_mullo_epi32(columns, factor));
        __m512 y = _mm512_castsi512_ps(difference);
        if (to_float && is_exact) {
            y = _mm512_cvtepi32_ps(difference);
        } else if (to_float) {
            const __m256 low = subtract_exactly(
                    _mm512_castsi512_si256(x), _mm512_castsi512_si256(columns), wide);
            const __m256 high = subtract_exactly(
                    _mm512_extracti32x8_epi32(x, 1), _mm512_extracti32x8_epi32(columns, 1), wide);
            y = _mm512_insertf32x8(_mm512_castps256_ps512(low), high, 1);
        }
        _mm512_mask_storeu_ps(row + j, lanes, y);
    }
}
#endif

const simd_gemm_code_t NAME = {
        .shape = {.mr = MR, .nr = NR, .mc = 24 * MR, .nc = SIMD_MAX_NC, .kc = 256},
        .deepest = 1024, // C is written once, and not read
        .kernel = kernel,
        .products = 32,
        .lanes = LANES,
        .transpose = prim__simd_gemm_transpose_avx512,
#if SIMD_WORD > 0
        .interleave = interleave,
        .copy_rows = copy_rows,
#endif
#if SIMD_WORD == 2
        .add_columns = add_columns,
        .settle = settle,
#endif
};

#if SIMD_WORD > 0
// The same operands for tiles of AMX, which multiply 32 rows at a time.
const simd_gemm_code_t TILES_NAME = {
        .shape = {.mr = 32, .nr = NR, .mc = 10 * 32, .nc = SIMD_MAX_NC, .kc = 256},
        .kernel = TILES_KERNEL,
#if SIMD_WORD == 2
        .signed_kernel = prim__simd_gemm_amx_kernel_signed,
#endif
        .deepest = 2048,
        .products = 128,
        .a_in_rows = true,
        .begin = TILES_BEGIN,
        .end = TILES_END,
        .lanes = LANES,
        .transpose = prim__simd_gemm_transpose_avx512,
        .interleave = interleave,
        .copy_rows = copy_rows,
#if SIMD_WORD == 2
        .add_columns = add_columns,
        .settle = settle,
#endif
};
#endif
