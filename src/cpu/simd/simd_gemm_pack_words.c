// SPDX-License-Identifier: Apache-2.0
// Packs operands of bf16 and bytes into panels of words: pairs or fours of neighbours in depth.
#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "simd_gemm.h"
#include "simd_gemm_kernel.h"
#include "simd_gemm_levels.h"
#include "simd_gemm_pack_words.h"

/// A panel under work: rows or columns from `first` on, `count` of them, depth p0..p0+np in words.
typedef struct {
    const simd_gemm_code_t *code;
    const char *first; ///< of its first row, element 0 in depth
    prim_dim_t along_bytes, down_bytes;
    prim_dim_t depth; ///< elements
    int elems;        ///< of a word
    int count, width;
    float *panel;
} panel_t;

/// Elements of word p that exist.
static int word_elems(const panel_t *x, prim_dim_t p)
{
    const prim_dim_t rest = x->depth - p * x->elems;
    return rest < x->elems ? (int)rest : x->elems;
}

/// One word of each row, element by element.
static void gather_word(const panel_t *x, prim_dim_t p, float *out)
{
    const size_t bytes = sizeof *out / (size_t)x->elems;
    const int n = word_elems(x, p);
    memset(out, 0, (size_t)x->width * sizeof *out);
    for (int r = 0; r < x->count; ++r) {
        const char *const from = x->first + r * x->along_bytes + p * x->elems * x->down_bytes;
        for (int e = 0; e < n; ++e)
            memcpy((char *)(out + r) + (size_t)e * bytes, from + e * x->down_bytes, bytes);
    }
}

/// Rows that run along the depth: their words are transposed, but for one that has an end inside.
static void transpose_panel(const panel_t *x, prim_dim_t p0, prim_dim_t np)
{
    const bool has_end = word_elems(x, p0 + np - 1) < x->elems;
    const prim_dim_t whole = np - has_end;
    for (int r = 0; r < x->width; r += x->code->lanes) {
        const int wanted = (int)prim__min(x->width - r, x->code->lanes);
        const int here = x->count - r < 0 ? 0 : (int)prim__min(x->count - r, wanted);
        const char *const from = x->first + p0 * (prim_dim_t)sizeof *x->panel;
        x->code->transpose(here ? from + r * x->along_bytes : from, x->along_bytes, here, whole,
                x->panel + r, x->width, wanted);
    }
    if (has_end) gather_word(x, p0 + whole, x->panel + whole * x->width);
}

static void pack_panel(const panel_t *x, prim_dim_t p0, prim_dim_t np)
{
    const prim_dim_t elem_bytes = (prim_dim_t)sizeof *x->panel / x->elems;
    if (x->down_bytes == elem_bytes && x->along_bytes != elem_bytes) {
        transpose_panel(x, p0, np);
        return;
    }
    for (prim_dim_t p = p0; p < p0 + np; ++p) gather_word(x, p, x->panel + (p - p0) * x->width);
}

/// Panels whose elements are neighbours in a row: each row is read once, from end to end.
static void interleave_rows(const panel_t *x, prim_dim_t ni, prim_dim_t p0, prim_dim_t np)
{
    for (prim_dim_t p = p0; p < p0 + np; ++p)
        x->code->interleave(x->first + p * x->elems * x->down_bytes, x->down_bytes,
                word_elems(x, p), ni, x->panel + (p - p0) * x->width, x->width, np * x->width);
}

static void flip_words(float *panel, prim_dim_t n, uint32_t signs)
{
    uint32_t *const words = (uint32_t *)(void *)panel;
    for (prim_dim_t i = 0; i < n; ++i) words[i] ^= signs;
}

/// From s8 to u8 of the value + 128, or back. Bytes beyond the depth stay 0.
static void flip_signs(const panel_t *x, prim_dim_t p0, prim_dim_t np)
{
    const int missing = x->elems - word_elems(x, p0 + np - 1);
    const prim_dim_t whole = np - (missing > 0);
    flip_words(x->panel, whole * x->width, 0x80808080U);
    if (missing > 0) flip_words(x->panel + whole * x->width, x->width, 0x80808080U >> 8 * missing);
}

/// s8 become u8 of the value + 128.
static void flip_row(uint8_t *bytes, size_t n)
{
    for (size_t i = 0; i < n; ++i) bytes[i] ^= 0x80U;
}

void prim__simd_gemm_pack_rows(const simd_gemm_words_t *operand, prim_dim_t i0, prim_dim_t ni,
        prim_dim_t p0, prim_dim_t np, float *rows, prim_dim_t step)
{
    const simd_gemm_operand_t *const op = &operand->elems;
    const prim_dim_t bytes = (prim_dim_t)prim__dt_bytes(op->dt);
    const prim_dim_t elems = (prim_dim_t)sizeof *rows / bytes;
    const prim_dim_t n = prim__min(np * elems, operand->depth - p0 * elems) * bytes;
    const simd_gemm_word_t word = op->dt == PRIM_BF16 ? SIMD_WORD_BF16 : SIMD_WORD_BYTES;
    prim__simd_gemm_choose(word)->copy_rows(
            (const char *)op->data + (i0 * op->along + p0 * elems) * bytes, op->along * bytes, ni,
            n, rows, step);
    for (prim_dim_t i = 0; i < ni && operand->flips; ++i)
        flip_row((uint8_t *)(rows + i * step), (size_t)n);
}

void prim__simd_gemm_pack_words(const simd_gemm_words_t *operand, prim_dim_t i0, prim_dim_t ni,
        prim_dim_t p0, prim_dim_t np, int width, float *panels)
{
    const simd_gemm_operand_t *const op = &operand->elems;
    const prim_dim_t bytes = (prim_dim_t)prim__dt_bytes(op->dt);
    panel_t panel = {
            .code = prim__simd_gemm_choose(op->dt == PRIM_BF16 ? SIMD_WORD_BF16 : SIMD_WORD_BYTES),
            .along_bytes = op->along * bytes,
            .down_bytes = op->down * bytes,
            .depth = operand->depth,
            .elems = (int)((prim_dim_t)sizeof *panels / bytes),
            .width = width,
    };
    const bool has_rows = op->along == 1;
    if (has_rows) {
        panel.first = (const char *)op->data + i0 * bytes;
        panel.panel = panels;
        interleave_rows(&panel, ni, p0, np);
    }
    for (prim_dim_t i = i0; i < i0 + ni; i += width, panels += width * np) {
        panel.first = (const char *)op->data + i * panel.along_bytes;
        panel.count = (int)prim__min(i0 + ni - i, width);
        panel.panel = panels;
        if (!has_rows) pack_panel(&panel, p0, np);
        if (operand->flips) flip_signs(&panel, p0, np);
    }
}
