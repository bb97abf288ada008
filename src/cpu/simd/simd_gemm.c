// SPDX-License-Identifier: Apache-2.0
// Blocking, packing and threading of matrix products. The loops are those of Goto and van de
// Geijn, "Anatomy of High-Performance Matrix Multiplication", ACM TOMS 34(3), 2008.
#include "simd_gemm.h"

#include <string.h>

#include "common/int_math.h"
#include "common/parallel.h"
#include "simd_gemm_kernel.h"
#include "simd_gemm_levels.h"
#include "simd_gemm_pack.h"

enum {
    TILE = 16,      // rows and columns of a tile, where the micro-kernel has tiles
    REPEATED = 2048 // sums of a panel's rows that are finished together, at most
};

// A part of C: rows i0..i1, columns j0..j1.
typedef struct {
    prim_dim_t i0, i1, j0, j1;
} rect_t;

/// The blocks for a depth: fewer rows and columns where all of it is one block. Few rows read B
/// once, and shallow blocks of it stay in the caches between the packing and the products.
static simd_gemm_shape_t blocks_of(const simd_gemm_code_t *code, prim_dim_t m, prim_dim_t k)
{
    simd_gemm_shape_t blocks = code->shape;
    if (k <= blocks.kc || k > code->deepest || m <= 2 * (prim_dim_t)blocks.mr) return blocks;
    const prim_dim_t times = prim__ceil_div(k, blocks.kc);
    blocks.mc = prim__max(blocks.mc / times / blocks.mr, 1) * blocks.mr;
    blocks.nc = prim__max(blocks.nc / times / blocks.nr, 1) * blocks.nr;
    blocks.kc = k;
    return blocks;
}

/// A block of A, and where it is in rows a panel behind it from which they come.
static prim_dim_t a_block_floats(const simd_gemm_code_t *code, prim_dim_t m, prim_dim_t k)
{
    const simd_gemm_shape_t shape = blocks_of(code, m, k);
    const prim_dim_t rows = prim__round_up(prim__min(m, shape.mc), shape.mr);
    const prim_dim_t depth = prim__min(k, shape.kc);
    if (code->a_in_rows) return (rows + shape.mr) * simd_gemm_row_words(depth);
    return prim__round_up(rows * depth, 16);
}

static prim_dim_t b_block_floats(
        const simd_gemm_code_t *code, prim_dim_t m, prim_dim_t n, prim_dim_t k)
{
    const simd_gemm_shape_t shape = blocks_of(code, m, k);
    const prim_dim_t columns = prim__round_up(prim__min(n, shape.nc), shape.nr);
    const prim_dim_t depth = prim__min(k, shape.kc);
    return prim__round_up(columns * (code->a_in_rows ? prim__round_up(depth, TILE) : depth), 16);
}

size_t prim__simd_gemm_scratch_bytes(
        simd_gemm_word_t word, prim_dim_t m, prim_dim_t n, prim_dim_t k)
{
    const simd_gemm_code_t *const code = prim__simd_gemm_choose(word);
    return (size_t)(a_block_floats(code, m, k) + b_block_floats(code, m, n, k)) * sizeof(float);
}

size_t prim__simd_gemm_most_scratch_bytes(simd_gemm_word_t word)
{
    const simd_gemm_code_t *const code = prim__simd_gemm_choose(word);
    const simd_gemm_shape_t *const shape = &code->shape;
    size_t most = prim__simd_gemm_scratch_bytes(word, shape->mc, shape->nc, shape->kc);
    for (prim_dim_t k = shape->kc; k < code->deepest;) {
        k = prim__min(k + shape->kc, code->deepest);
        const size_t bytes = prim__simd_gemm_scratch_bytes(word, shape->mc, shape->nc, k);
        if (bytes > most) most = bytes;
    }
    return most;
}

prim_dim_t prim__simd_gemm_strip_row(
        simd_gemm_word_t word, prim_dim_t m, prim_dim_t n, prim_dim_t k)
{
    enum { LINE = 16, BAD = 256 }; // floats: rows that far apart meet in a few sets of the L1 cache
    const simd_gemm_code_t *const code = prim__simd_gemm_choose(word);
    const simd_gemm_shape_t blocks = blocks_of(code, m, k);
    if (k == 0 || k > blocks.kc) return 0;
    const prim_dim_t columns = prim__min(n, blocks.nc);
    if (columns == n && n % BAD != 0) return n;
    const prim_dim_t row = prim__round_up(columns, LINE);
    return row % BAD == 0 ? row + LINE : row;
}

/// From one strip to the other; a tile may end behind the last row.
static prim_dim_t strip_floats(const simd_gemm_code_t *code, prim_dim_t strip_row)
{
    enum { LINE = 16 };
    return prim__round_up(code->shape.mr * strip_row, LINE) + TILE;
}

size_t prim__simd_gemm_strip_bytes(simd_gemm_word_t word, prim_dim_t strip_row)
{
    return 2 * (size_t)strip_floats(prim__simd_gemm_choose(word), strip_row) * sizeof(float);
}

static void pack_columns_of_a(const simd_gemm_code_t *code, const simd_gemm_t *gemm, prim_dim_t i0,
        prim_dim_t ni, prim_dim_t p0, prim_dim_t np, float *panels)
{
    if (gemm->pack_a) {
        gemm->pack_a(gemm->pack_arg, i0, ni, p0, np, panels);
        return;
    }
    const simd_gemm_operand_t a = {gemm->a, PRIM_F32, gemm->a_row, gemm->a_col};
    prim__simd_gemm_pack(&a, i0, ni, p0, np, code->shape.mr, panels);
}

/// One panel of A by rows, from that by columns.
static void turn_panel(
        const simd_gemm_code_t *code, const float *columns, prim_dim_t np, float *rows)
{
    const prim_dim_t row_words = simd_gemm_row_words(np), mr = code->shape.mr;
    for (prim_dim_t p = 0; p < np; p += code->lanes) {
        const int count = (int)prim__min(np - p, code->lanes);
        code->transpose(columns + p * mr, mr * (prim_dim_t)sizeof *columns, count, mr, rows + p,
                (int)row_words, code->lanes);
    }
}

/// Zeros in the line of a row that is not full, and in the rows that a panel lacks.
static void clear_ends(float *rows, prim_dim_t ni, prim_dim_t np, prim_dim_t step, int mr)
{
    for (prim_dim_t i = 0; i < ni && np < step; ++i)
        memset(rows + (i + 1) * step - TILE, 0, TILE * sizeof *rows);
    const prim_dim_t missing = prim__round_up(ni, mr) - ni;
    memset(rows + ni * step, 0, (size_t)(missing * step) * sizeof *rows);
}

static void pack_a(const simd_gemm_code_t *code, const simd_gemm_t *gemm, prim_dim_t i0,
        prim_dim_t ni, prim_dim_t p0, prim_dim_t np, float *panels)
{
    if (!code->a_in_rows) {
        pack_columns_of_a(code, gemm, i0, ni, p0, np, panels);
        return;
    }
    const prim_dim_t mr = code->shape.mr, step = simd_gemm_row_words(np), panel_words = mr * step;
    if (gemm->pack_a_rows) {
        clear_ends(panels, ni, np, step, code->shape.mr);
        gemm->pack_a_rows(gemm->pack_arg, i0, ni, p0, np, panels, step);
        return;
    }
    float *const columns = panels + prim__round_up(ni, mr) / mr * panel_words;
    for (prim_dim_t i = 0; i < ni; i += mr, panels += panel_words) {
        pack_columns_of_a(code, gemm, i0 + i, prim__min(ni - i, mr), p0, np, columns);
        turn_panel(code, columns, np, panels);
    }
}

// A as the kernel reads it: the panel of row i at data + i*step.
typedef struct {
    const float *data;
    prim_dim_t step,
            row; ///< words from a row's share of panels to the next, and the kernel's a_row
} a_block_t;

/// Rows are read where they are if they fill tiles: a packed copy would be read as often.
static a_block_t get_a(const simd_gemm_code_t *code, const simd_gemm_t *gemm, prim_dim_t i0,
        prim_dim_t ni, prim_dim_t p0, prim_dim_t np, float *panels)
{
    if (code->a_in_rows && gemm->a_words && ni % TILE == 0) {
        const float *const first = (const float *)gemm->a_words + i0 * gemm->a_words_row + p0;
        return (a_block_t){first, gemm->a_words_row, gemm->a_words_row};
    }
    pack_a(code, gemm, i0, ni, p0, np, panels);
    const prim_dim_t step = code->a_in_rows ? simd_gemm_row_words(np) : np;
    return (a_block_t){panels, step, step};
}

// B as the kernel reads it: panel q at data + q*panel, rows `row` apart, of which there are depth.
typedef struct {
    const float *data;
    prim_dim_t panel, row, depth;
} b_block_t;

// Panels with zeros up to whole tiles. Without them the kernel makes a whole tile of each end that
// it meets, as often as B is read.
static b_block_t pad_panels(const simd_gemm_code_t *code, const float *from, prim_dim_t step,
        prim_dim_t npanels, prim_dim_t np, float *panels)
{
    const prim_dim_t nr = code->shape.nr, depth = prim__round_up(np, TILE);
    for (prim_dim_t q = 0; q < npanels; ++q) {
        float *const to = panels + q * depth * nr;
        memcpy(to, from + q * step, (size_t)(np * nr) * sizeof *to);
        memset(to + np * nr, 0, (size_t)((depth - np) * nr) * sizeof *to);
    }
    return (b_block_t){panels, depth * nr, nr, depth};
}

static b_block_t get_b(const simd_gemm_code_t *code, const simd_gemm_t *gemm, prim_dim_t j0,
        prim_dim_t nj, prim_dim_t p0, prim_dim_t np, float *panels)
{
    const int nr = code->shape.nr;
    if (gemm->b_panels) {
        const float *const first = gemm->b_panels + j0 * gemm->k + p0 * nr;
        if (code->a_in_rows && np % TILE != 0 && gemm->m >= 2 * np)
            return pad_panels(code, first, gemm->k * nr, prim__ceil_div(nj, nr), np, panels);
        return (b_block_t){first, gemm->k * nr, nr, np};
    }
    if (gemm->pack_b) {
        gemm->pack_b(gemm->pack_arg, j0, nj, p0, np, panels);
        return (b_block_t){panels, np * nr, nr, np};
    }
    // Each panel would be read m/mr times: packing pays from about the third on.
    if (gemm->b_col == 1 && gemm->m <= 2 * code->shape.mr) {
        return (b_block_t){gemm->b + p0 * gemm->b_row + j0, nr, gemm->b_row, np};
    }
    const simd_gemm_operand_t b = {gemm->b, PRIM_F32, gemm->b_col, gemm->b_row};
    prim__simd_gemm_pack(&b, j0, nj, p0, np, nr, panels);
    return (b_block_t){panels, np * nr, nr, np};
}

// What is subtracted from sums of bytes: that of each column, and where rows of C follow each other
// and are short, that of all elements of a panel's rows.
typedef struct {
    const int32_t *columns;
    bool is_repeated;
    int32_t repeated[REPEATED];
} column_sums_t;

static void repeat_sums(
        column_sums_t *sums, const simd_gemm_code_t *code, const simd_gemm_t *gemm, prim_dim_t nj)
{
    const prim_dim_t n = code->shape.mr * nj;
    sums->is_repeated = code->settle && gemm->c_row == nj && n <= REPEATED;
    for (prim_dim_t i = 0; i < n && sums->is_repeated; ++i)
        sums->repeated[i] = i < nj ? sums->columns[i] : sums->repeated[i - nj];
}

// Rows of C that have their last sums; `first_sum`: of the columns of B, that of j0.
static void finish_rows(const simd_gemm_code_t *code, const simd_gemm_t *gemm, float *tile,
        prim_dim_t i, int rows, prim_dim_t j0, prim_dim_t nj, const column_sums_t *sums,
        prim_dim_t first_sum)
{
    const int32_t *const columns = sums->columns + first_sum;
    if (gemm->finish_sums) {
        gemm->finish_sums(gemm->finish_arg, tile, columns, i, rows, j0, nj);
        return;
    }
    const bool is_settled = !code->settle || (gemm->keeps_integers && gemm->a_offset == 0);
    if (!is_settled && sums->is_repeated)
        code->settle(tile, sums->repeated, gemm->a_offset, !gemm->keeps_integers, rows * (int)nj);
    for (int r = 0; r < rows && !is_settled && !sums->is_repeated; ++r)
        code->settle(
                tile + r * gemm->c_row, columns, gemm->a_offset, !gemm->keeps_integers, (int)nj);
    if (gemm->finish) gemm->finish(gemm->finish_arg, tile, i, rows, j0, nj);
}

// Whether the last columns may be a whole tile, of which what C lacks lands in front of the next
// row: in a strip, or if the rows of C follow each other and the next ones, after row `past`, are
// computed later and are enough for it. A part of a tile would be stored elsewhere, and copied.
static bool may_overlap(const simd_gemm_code_t *code, const simd_gemm_t *gemm, rect_t at,
        prim_dim_t past, bool adds)
{
    if (!code->a_in_rows || adds) return false;
    if (!gemm->c) return true;
    const bool is_whole = at.j0 == 0 && at.j1 == gemm->n && gemm->c_row == gemm->n;
    const prim_dim_t beyond = prim__round_up(gemm->n, TILE) - gemm->n;
    return is_whole && (at.i1 - past) * gemm->n >= beyond;
}

// The rows from i on and panels q0.. of the rectangle, panel by panel; those of tiles from the last
// to the first (may_overlap).
static void multiply_rows(const simd_gemm_code_t *code, const simd_gemm_t *gemm, rect_t at,
        prim_dim_t i, prim_dim_t q0, prim_dim_t npanels, a_block_t a, b_block_t b, float *tile,
        bool adds)
{
    const int mr = code->shape.mr, nr = code->shape.nr;
    simd_gemm_kernel_t *const kernel = gemm->a_is_signed ? code->signed_kernel : code->kernel;
    const bool overlaps = may_overlap(code, gemm, at, i + mr, adds);
    int rows = (int)prim__min(at.i1 - i, mr);
    if (overlaps) rows = (int)prim__round_up(rows, TILE);
    for (prim_dim_t n = 0; n < npanels; ++n) {
        const prim_dim_t q = q0 + (code->a_in_rows ? npanels - 1 - n : n);
        int cols = (int)prim__min(at.j1 - at.j0 - q * nr, nr);
        if (overlaps) cols = (int)prim__round_up(cols, TILE);
        kernel(b.depth, a.data + (i - at.i0) * a.step, a.row, b.data + q * b.panel, b.row,
                tile + q * nr, gemm->c_row, rows, cols, adds);
    }
}

// Panels whose sums of mr rows are finished together: while they are in the L1 cache, beside what
// the products read.
static prim_dim_t panels_of_a_group(const simd_gemm_code_t *code, prim_dim_t npanels)
{
    enum { SUMS = 2048 };
    return prim__min(prim__max(SUMS / ((prim_dim_t)code->shape.mr * code->shape.nr), 2), npanels);
}

// All columns of the rows from i on: groups of panels in the order of multiply_rows().
static void multiply_groups(const simd_gemm_code_t *code, const simd_gemm_t *gemm, rect_t at,
        prim_dim_t i, a_block_t a, b_block_t b, float *tile, bool adds, const column_sums_t *sums)
{
    const prim_dim_t nr = code->shape.nr, npanels = prim__ceil_div(at.j1 - at.j0, nr);
    const prim_dim_t group = panels_of_a_group(code, npanels);
    const prim_dim_t ngroups = prim__ceil_div(npanels, group);
    for (prim_dim_t n = 0; n < ngroups; ++n) {
        const prim_dim_t q = (code->a_in_rows ? ngroups - 1 - n : n) * group;
        multiply_rows(code, gemm, at, i, q, prim__min(group, npanels - q), a, b, tile, adds);
        const prim_dim_t j = at.j0 + q * nr, nj = prim__min(at.j1 - j, group * nr);
        finish_rows(code, gemm, tile + q * nr, i, (int)prim__min(at.i1 - i, code->shape.mr), j, nj,
                sums, q * nr);
    }
}

// Rows that are finished after the products of the next ones, which are short: a processor that
// loads what it has just stored in part waits for the store.
static void multiply_short_rows(const simd_gemm_code_t *code, const simd_gemm_t *gemm, rect_t at,
        a_block_t a, b_block_t b, const column_sums_t *sums, float *strip, bool adds)
{
    const int mr = code->shape.mr;
    const prim_dim_t nj = at.j1 - at.j0, npanels = prim__ceil_div(nj, code->shape.nr);
    float *tile = NULL, *before = NULL;
    for (prim_dim_t i = at.i0; i < at.i1 + mr; i += mr, before = tile) {
        if (i < at.i1) {
            tile = gemm->c ? gemm->c + i * gemm->c_row + at.j0 : strip;
            if (!gemm->c && before == strip) tile += strip_floats(code, gemm->c_row);
            multiply_rows(code, gemm, at, i, 0, npanels, a, b, tile, adds);
        }
        const prim_dim_t done = i - mr;
        if (done >= at.i0)
            finish_rows(
                    code, gemm, before, done, (int)prim__min(at.i1 - done, mr), at.j0, nj, sums, 0);
    }
}

// One block of A against one of B: depth p0..p0+np. column_sums: of all of B, at the last depth.
static void multiply_block(const simd_gemm_code_t *code, const simd_gemm_t *gemm, rect_t at,
        prim_dim_t p0, prim_dim_t np, a_block_t a, b_block_t b, const int32_t *column_sums,
        float *strip)
{
    const prim_dim_t mr = code->shape.mr, nj = at.j1 - at.j0;
    const prim_dim_t npanels = prim__ceil_div(nj, code->shape.nr);
    const bool adds = gemm->accumulates || p0 > 0, is_last = p0 + np == gemm->k;
    column_sums_t sums = {.columns = column_sums, .is_repeated = false};
    if (is_last) repeat_sums(&sums, code, gemm, nj);
    if (is_last && npanels <= 2) {
        multiply_short_rows(code, gemm, at, a, b, &sums, strip, adds);
        return;
    }
    for (prim_dim_t i = at.i0; i < at.i1; i += mr) {
        float *const tile = gemm->c ? gemm->c + i * gemm->c_row + at.j0 : strip;
        if (is_last)
            multiply_groups(code, gemm, at, i, a, b, tile, adds, &sums);
        else
            multiply_rows(code, gemm, at, i, 0, npanels, a, b, tile, adds);
    }
}

static void multiply_nothing(const simd_gemm_t *gemm, rect_t at)
{
    const prim_dim_t nj = at.j1 - at.j0;
    for (prim_dim_t i = at.i0; i < at.i1; ++i) {
        float *const row = gemm->c + i * gemm->c_row;
        for (prim_dim_t j = at.j0; j < at.j1 && !gemm->accumulates; ++j) row[j] = 0.0F;
        if (gemm->finish_sums)
            gemm->finish_sums(gemm->finish_arg, row + at.j0, NULL, i, 1, at.j0, nj);
        else if (gemm->finish)
            gemm->finish(gemm->finish_arg, row + at.j0, i, 1, at.j0, nj);
    }
}

// Adds up the columns of a block of B: a product that offsets A needs them, and so does
// finish_sums.
static void sum_columns(const simd_gemm_code_t *code, const simd_gemm_t *gemm, b_block_t b,
        prim_dim_t nj, prim_dim_t np, int32_t *sums)
{
    if (gemm->a_offset == 0 && !gemm->finish_sums) return;
    const int nr = code->shape.nr;
    for (prim_dim_t j = 0; j < nj; j += nr)
        code->add_columns(np, b.data + j / nr * b.panel, b.row, sums + j);
}

// Columns of B at a time. Few rows read B twice at most: the second time right after the first or
// the packing, while it is in the L2 cache.
static prim_dim_t block_columns(const simd_gemm_t *gemm, const simd_gemm_shape_t *shape)
{
    return gemm->m <= 2 * (prim_dim_t)shape->mr ? prim__min(4 * (prim_dim_t)shape->nr, shape->nc)
                                                : shape->nc;
}

static void multiply_part(
        const simd_gemm_code_t *code, const simd_gemm_t *gemm, rect_t part, float *scratch)
{
    const simd_gemm_shape_t shape = blocks_of(code, gemm->m, gemm->k);
    float *const b_panels = scratch + a_block_floats(code, gemm->m, gemm->k);
    float *const strip = b_panels + b_block_floats(code, gemm->m, gemm->n, gemm->k);
    const prim_dim_t nc = block_columns(gemm, &shape);
    for (prim_dim_t j = part.j0; j < part.j1; j += nc) {
        const prim_dim_t nj = prim__min(part.j1 - j, nc);
        int32_t column_sums[SIMD_MAX_NC];
        if (code->settle) memset(column_sums, 0, sizeof column_sums);
        for (prim_dim_t p = 0; p < gemm->k; p += shape.kc) {
            const prim_dim_t np = prim__min(gemm->k - p, shape.kc);
            const b_block_t b = get_b(code, gemm, j, nj, p, np, b_panels);
            sum_columns(code, gemm, b, nj, np, column_sums);
            for (prim_dim_t i = part.i0; i < part.i1; i += shape.mc) {
                const prim_dim_t ni = prim__min(part.i1 - i, shape.mc);
                const a_block_t a = get_a(code, gemm, i, ni, p, np, scratch);
                const rect_t at = {i, i + ni, j, j + nj};
                multiply_block(code, gemm, at, p, np, a, b, column_sums, strip);
            }
        }
    }
}

static void multiply(const simd_gemm_t *gemm, rect_t part, float *scratch)
{
    const simd_gemm_code_t *const code = prim__simd_gemm_choose(gemm->word);
    if (part.i0 >= part.i1 || part.j0 >= part.j1) return;
    if (gemm->k == 0) {
        multiply_nothing(gemm, part);
        return;
    }
    if (code->begin) code->begin();
    multiply_part(code, gemm, part, scratch);
    if (code->end) code->end();
}

void prim__simd_gemm_serial(const simd_gemm_t *gemm, void *scratch)
{
    multiply(gemm, (rect_t){0, gemm->m, 0, gemm->n}, scratch);
}

void prim__simd_gemm_part(const simd_gemm_t *gemm, simd_gemm_grid_t grid, int index, void *scratch)
{
    const simd_gemm_shape_t *const shape = prim__simd_gemm_shape(gemm->word);
    const prim_dim_t mr = shape->mr, nr = shape->nr;
    rect_t part;
    prim__balance211(prim__ceil_div(gemm->m, mr), grid.rows, index / grid.cols, &part.i0, &part.i1);
    prim__balance211(prim__ceil_div(gemm->n, nr), grid.cols, index % grid.cols, &part.j0, &part.j1);
    part.i0 *= mr;
    part.j0 *= nr;
    part.i1 = prim__min(part.i1 * mr, gemm->m);
    part.j1 = prim__min(part.j1 * nr, gemm->n);
    multiply(gemm, part, scratch);
}

// What a part of rows × cols costs for each word of depth, in cycles: the products, and a cycle for
// each word that is packed.
static double part_cost(const simd_gemm_code_t *code, prim_dim_t rows, prim_dim_t cols)
{
    return (double)rows * (double)cols / (double)code->products + (double)(rows + cols);
}

simd_gemm_grid_t prim__simd_gemm_grid(
        simd_gemm_word_t word, prim_dim_t m, prim_dim_t n, prim_dim_t nproducts, int nthr)
{
    const simd_gemm_code_t *const code = prim__simd_gemm_choose(word);
    const prim_dim_t npanels_m = prim__ceil_div(m, code->shape.mr);
    const prim_dim_t npanels_n = prim__ceil_div(n, code->shape.nr);
    simd_gemm_grid_t best = {1, 1};
    double best_cost = 0;
    // A thread has a part or two, or whole products.
    const prim_dim_t most = nthr == 1 ? 1 : prim__max(2 * (prim_dim_t)nthr / nproducts, 1);
    for (prim_dim_t y = 1; y <= prim__min(most, npanels_m); ++y) {
        const prim_dim_t rows = prim__ceil_div(npanels_m, y) * code->shape.mr;
        for (prim_dim_t x = 1; x <= prim__min(most / y, npanels_n); ++x) {
            const prim_dim_t cols = prim__ceil_div(npanels_n, x) * code->shape.nr;
            const prim_dim_t nparts = prim__ceil_div(nproducts * y * x, nthr);
            const double cost = (double)nparts * part_cost(code, rows, cols);
            if (best_cost > 0 && cost >= best_cost) continue;
            best = (simd_gemm_grid_t){(int)y, (int)x};
            best_cost = cost;
        }
    }
    return best;
}

typedef struct {
    const simd_gemm_t *gemm;
    char *scratch;
    size_t scratch_bytes; ///< of one thread
    simd_gemm_grid_t grid;
} team_t;

static void work(int ithr, int nthr, void *arg)
{
    const team_t *const team = arg;
    prim_dim_t start, end;
    prim__balance211((prim_dim_t)team->grid.rows * team->grid.cols, nthr, ithr, &start, &end);
    for (prim_dim_t i = start; i < end; ++i)
        prim__simd_gemm_part(
                team->gemm, team->grid, (int)i, team->scratch + (size_t)ithr * team->scratch_bytes);
}

void prim__simd_gemm_run(const simd_gemm_t *gemm, void *scratch, int nthr)
{
    team_t team = {
            .gemm = gemm,
            .scratch = scratch,
            .scratch_bytes = prim__simd_gemm_scratch_bytes(gemm->word, gemm->m, gemm->n, gemm->k),
            .grid = prim__simd_gemm_grid(gemm->word, gemm->m, gemm->n, 1, nthr),
    };
    prim__parallel(nthr, work, &team);
}
