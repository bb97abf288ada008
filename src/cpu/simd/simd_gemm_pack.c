// SPDX-License-Identifier: Apache-2.0
// Packs the operands of the f32 matrix product into panels, from any float type.
#include <string.h>

#include "common/int_math.h"
#include "simd_float_rows.h"
#include "simd_gemm.h"
#include "simd_gemm_kernel.h"
#include "simd_gemm_levels.h"
#include "simd_gemm_pack.h"

enum { MAX_WIDTH = 32, CHUNK = 64 };

// `ni` neighbours of each of `np` rows, to panels: each row is read once, from end to end.
static void copy_rows(const simd_gemm_operand_t *op, prim_dim_t offset, prim_dim_t ni,
        prim_dim_t np, int width, float *panels)
{
    for (prim_dim_t p = 0; p < np; ++p, offset += op->down, panels += width) {
        float *panel = panels;
        for (prim_dim_t i = 0; i < ni; i += width, panel += np * width) {
            const int count = (int)prim__min(ni - i, width);
            if (op->dt == PRIM_F32)
                memcpy(panel, (const float *)op->data + offset + i, (size_t)count * sizeof *panel);
            else
                prim__simd_load_row(panel, op->data, op->dt, offset + i, 1, count);
            for (int r = count; r < width; ++r) panel[r] = 0.0F;
        }
    }
}

// `depth` rows of `count` elements anywhere.
static void copy_panel(const simd_gemm_operand_t *op, prim_dim_t offset, int count,
        prim_dim_t depth, int width, float *panel)
{
    for (prim_dim_t p = 0; p < depth; ++p, panel += width) {
        prim__simd_load_row(panel, op->data, op->dt, offset + p * op->down, op->along, count);
        for (int r = count; r < width; ++r) panel[r] = 0.0F;
    }
}

// panel[p][0..width) = src[r*src_row + p] for r < count, then zeros; p = 0..depth-1.
static void transpose(
        const float *src, prim_dim_t src_row, int count, prim_dim_t depth, float *panel, int width)
{
    const simd_gemm_code_t *const code = prim__simd_gemm_choose(SIMD_WORD_F32);
    for (int r = 0; r < width; r += code->lanes) {
        const int wanted = width - r < code->lanes ? width - r : code->lanes;
        const int here = count - r < 0 ? 0 : count - r < wanted ? count - r : wanted;
        const float *const rows = here ? src + r * src_row : src;
        code->transpose(
                rows, src_row * (prim_dim_t)sizeof *rows, here, depth, panel + r, width, wanted);
    }
}

// `count` rows that run along the depth: transposed, after conversion in pieces.
static void transpose_panel(const simd_gemm_operand_t *op, prim_dim_t offset, int count,
        prim_dim_t depth, int width, float *panel)
{
    if (op->dt == PRIM_F32) {
        transpose((const float *)op->data + offset, op->along, count, depth, panel, width);
        return;
    }
    float rows[MAX_WIDTH * CHUNK];
    for (prim_dim_t p = 0; p < depth; p += CHUNK) {
        const prim_dim_t n = prim__min(depth - p, CHUNK);
        for (int r = 0; r < count; ++r) {
            const prim_dim_t at = offset + r * op->along + p;
            prim__simd_load_row(rows + r * CHUNK, op->data, op->dt, at, 1, n);
        }
        transpose(rows, CHUNK, count, n, panel + p * width, width);
    }
}

void prim__simd_gemm_pack(const simd_gemm_operand_t *op, prim_dim_t i0, prim_dim_t ni,
        prim_dim_t p0, prim_dim_t np, int width, float *panels)
{
    if (op->along == 1) {
        copy_rows(op, i0 + p0 * op->down, ni, np, width, panels);
        return;
    }
    for (prim_dim_t i = i0; i < i0 + ni; i += width, panels += width * np) {
        const int count = (int)prim__min(i0 + ni - i, width);
        const prim_dim_t offset = i * op->along + p0 * op->down;
        if (op->down == 1) {
            transpose_panel(op, offset, count, np, width, panels);
        } else {
            copy_panel(op, offset, count, np, width, panels);
        }
    }
}
