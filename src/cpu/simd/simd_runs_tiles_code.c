// SPDX-License-Identifier: Apache-2.0
// Sums of pixels over runs of channels by tiles of AMX. Compiled with SIMD_WORD 1 for words of two
// bf16, 2 for words of four bytes (CMakeLists.txt). A tile of src is 16 pixels of a row or column
// as they are in memory, one of weights 16 words of a panel; what a run has beyond whole tiles is
// one of fewer columns. Sums of a pixel do not depend on those it shares a tile with.
#include <string.h>

#include "simd_amx.h"
#include "simd_runs.h"

#if SIMD_WORD == 1
#define CODE prim__simd_runs_tiles_bf16
#define MULTIPLY(to, a, b) AMX_MULTIPLY_BF16(to, a, b)
#else
#define CODE prim__simd_runs_tiles_bytes
#define MULTIPLY(to, a, b) AMX_MULTIPLY_BYTES(to, a, b)
#endif

enum {
    ROWS = AMX_ROWS,
    WORDS = AMX_WORDS,
    ROW_BYTES = 64,
    PANEL_BYTES = 64, ///< of a word's row of weights
    GROUP = 4,        ///< tiles of pixels that share one of weights
    WORD_ELEMS = 1 << SIMD_WORD,
    ELEM_BYTES = 4 >> SIMD_WORD,
    SRC_END = 6, ///< a tile of src, of fewer columns
    WEIGHTS_END = 7,
};
// Tiles 0 to 3 are sums, 4 and 5 src and weights, 6 and 7 those of the end of a run.

_Static_assert((int)SIMD_RUNS_PIXELS == (int)ROWS && (int)SIMD_RUNS_LANES == (int)WORDS,
        "tiles are what callers take them for");

/// How a run is cut.
typedef struct {
    prim_dim_t nwhole; ///< tiles of 16 words
    int end_words;     ///< behind them; 0: none
    bool is_half;      ///< the last word has one element of bf16, and what follows does not count
} cut_t;

X64_INLINE cut_t cut_run(prim_dim_t elems)
{
    const prim_dim_t words = (elems + WORD_ELEMS - 1) / WORD_ELEMS;
    cut_t cut = {words / WORDS, (int)(words % WORDS), SIMD_WORD == 1 && elems % WORD_ELEMS != 0};
    if (cut.is_half && cut.end_words == 0) {
        --cut.nwhole;
        cut.end_words = WORDS;
    }
    return cut;
}

/// Some pixels: tiles that begin with pixels first[..] of the call, of which count[..] are wanted.
typedef struct {
    const char *x[GROUP];
    prim_dim_t first[GROUP];
    int count[GROUP], n;
} group_t;

static void add_tile(group_t *group, const simd_runs_t *a, prim_dim_t first, prim_dim_t count)
{
    group->x[group->n] = (const char *)a->x + a->pixels[first] * ELEM_BYTES;
    group->first[group->n] = first;
    group->count[group->n++] = (int)count;
}

/// The next pixels of rows, from i on; returns the one behind them.
static prim_dim_t take_from_rows(group_t *group, const simd_runs_t *a, prim_dim_t i)
{
    while (group->n < GROUP && i < a->npixels) {
        const prim_dim_t first = i++;
        while (i < a->npixels && i < first + ROWS && a->pixels[i] == a->pixels[i - 1] + a->step)
            ++i;
        add_tile(group, a, first, i - first);
    }
    return i;
}

/// The next pixels of columns, from row i of a list of all of them on: the rows of column 0, then
/// those of column 1.
static prim_dim_t take_from_columns(group_t *group, const simd_runs_t *a, prim_dim_t i)
{
    const prim_dim_t nrows = a->npixels / a->next;
    while (group->n < GROUP && i < a->npixels) {
        const prim_dim_t row = i % nrows, rest = nrows - row, count = rest < ROWS ? rest : ROWS;
        add_tile(group, a, row * a->next + i / nrows, count);
        i += count;
    }
    return i;
}

/// 16 words of a run.
X64_INLINE void add_whole(
        const group_t *group, const int n, prim_dim_t at, const float *wei, size_t step)
{
    AMX_LOAD(5, wei, PANEL_BYTES);
    AMX_LOAD(4, group->x[0] + at, step);
    MULTIPLY(0, 4, 5);
    if (n > 1) {
        AMX_LOAD(4, group->x[1] + at, step);
        MULTIPLY(1, 4, 5);
    }
    if (n > 2) {
        AMX_LOAD(4, group->x[2] + at, step);
        MULTIPLY(2, 4, 5);
    }
    if (n > 3) {
        AMX_LOAD(4, group->x[3] + at, step);
        MULTIPLY(3, 4, 5);
    }
}

/// Tiles `rows`, row_bytes apart, and of each the words that a run ends with.
X64_INLINE void add_end(
        const char *const rows[GROUP], size_t row_bytes, const int n, const float *wei)
{
    AMX_LOAD(7, wei, PANEL_BYTES);
    AMX_LOAD(6, rows[0], row_bytes);
    MULTIPLY(0, 6, 7);
    if (n > 1) {
        AMX_LOAD(6, rows[1], row_bytes);
        MULTIPLY(1, 6, 7);
    }
    if (n > 2) {
        AMX_LOAD(6, rows[2], row_bytes);
        MULTIPLY(2, 6, 7);
    }
    if (n > 3) {
        AMX_LOAD(6, rows[3], row_bytes);
        MULTIPLY(3, 6, 7);
    }
}

/// The same where the last word has one element: copies, with 0 in the place of the other, which
/// may be no number.
X64_INLINE void add_half_end(const group_t *group, const int n, prim_dim_t at, const float *wei,
        size_t step, int end_words)
{
    enum { HALF = 2 };
    _Alignas(64) char copies[GROUP][ROWS][ROW_BYTES];
    const char *rows[GROUP];
    for (int m = 0; m < n; ++m) {
        for (size_t r = 0; r < ROWS; ++r)
            memcpy(copies[m][r], group->x[m] + at + r * step, ROW_BYTES);
        for (size_t r = 0; r < ROWS; ++r) memset(&copies[m][r][4 * end_words - HALF], 0, HALF);
        rows[m] = copies[m][0];
    }
    add_end(rows, ROW_BYTES, n, wei);
}

/// All runs of the group, and the channels of one panel.
X64_INLINE void add_runs(const simd_runs_t *a, const group_t *group, const int n, const float *wei)
{
    const cut_t cut = cut_run(a->elems);
    const size_t step = (size_t)a->step * ELEM_BYTES;
    for (prim_dim_t k = 0; k < a->nruns; ++k) {
        prim_dim_t at = a->runs[k] * ELEM_BYTES;
        for (prim_dim_t w = 0; w < cut.nwhole; ++w, at += ROW_BYTES, wei += WORDS * WORDS)
            add_whole(group, n, at, wei, step);
        if (cut.end_words == 0) continue;
        if (cut.is_half) {
            add_half_end(group, n, at, wei, step, cut.end_words);
        } else {
            const char *rows[GROUP];
            for (int m = 0; m < n; ++m) rows[m] = group->x[m] + at;
            add_end(rows, step, n, wei);
        }
        wei += cut.end_words * WORDS;
    }
}

/// The wanted part of a tile of sums, which may become f32.
static void copy_sums(float *to, prim_dim_t row, const float *from, int count, prim_dim_t nchannels,
        const bool to_float)
{
    for (int r = 0; r < count; ++r, to += row, from += WORDS) {
        int32_t sums[WORDS];
        memcpy(sums, from, sizeof sums);
        if (to_float)
            for (prim_dim_t c = 0; c < nchannels; ++c) to[c] = (float)sums[c];
        else
            memcpy(to, sums, (size_t)nchannels * sizeof *to);
    }
}

/// Whole tiles go where their sums belong, others are copied.
X64_INLINE void store_sums(const simd_runs_t *a, const group_t *group, const int n, prim_dim_t o)
{
    _Alignas(64) float sums[GROUP][ROWS * WORDS];
    const prim_dim_t nchannels = a->nchannels - o < WORDS ? a->nchannels - o : WORDS;
    const prim_dim_t row = a->next * a->sums_row;
    const bool to_float = SIMD_WORD == 2 && !a->keeps_integers;
    float *to[GROUP];
    size_t to_bytes[GROUP];
    for (int m = 0; m < n; ++m) {
        const bool in_place = !to_float && nchannels == WORDS && group->count[m] == ROWS;
        to[m] = in_place ? a->sums + group->first[m] * a->sums_row + o : sums[m];
        to_bytes[m] = in_place ? (size_t)row * sizeof(float) : PANEL_BYTES;
    }
    AMX_STORE(0, to[0], to_bytes[0]);
    if (n > 1) AMX_STORE(1, to[1], to_bytes[1]);
    if (n > 2) AMX_STORE(2, to[2], to_bytes[2]);
    if (n > 3) AMX_STORE(3, to[3], to_bytes[3]);
    for (int m = 0; m < n; ++m)
        if (to[m] == sums[m])
            copy_sums(a->sums + group->first[m] * a->sums_row + o, row, sums[m], group->count[m],
                    nchannels, to_float);
}

X64_INLINE void multiply_group(const simd_runs_t *a, const group_t *group, const int n)
{
    for (prim_dim_t o = 0; o < a->nchannels; o += WORDS) {
        AMX_ZERO(0);
        if (n > 1) AMX_ZERO(1);
        if (n > 2) AMX_ZERO(2);
        if (n > 3) AMX_ZERO(3);
        add_runs(a, group, n, a->wei + o / WORDS * a->wei_row);
        store_sums(a, group, n, o);
    }
}

static void multiply(const simd_runs_t *a)
{
    for (prim_dim_t i = 0; i < a->npixels;) {
        group_t group = {.n = 0};
        i = a->next == 1 ? take_from_rows(&group, a, i) : take_from_columns(&group, a, i);
        switch (group.n) {
        case 1: multiply_group(a, &group, 1); break;
        case 2: multiply_group(a, &group, 2); break;
        case 3: multiply_group(a, &group, 3); break;
        default: multiply_group(a, &group, GROUP); break;
        }
    }
}

static void begin(prim_dim_t elems)
{
    const cut_t cut = cut_run(elems);
    amx_config_t config = amx_whole_tiles();
    if (cut.end_words > 0) {
        config.row_bytes[SRC_END] = (uint16_t)(4 * cut.end_words);
        config.nrows[WEIGHTS_END] = (uint8_t)cut.end_words;
    }
    amx_begin_shaped(&config);
}

static void end(void)
{
    amx_end();
}

const simd_runs_code_t CODE = {.lanes = WORDS, .multiply = multiply, .begin = begin, .end = end};
