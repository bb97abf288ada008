// SPDX-License-Identifier: Apache-2.0
// simd:conv:backward_weights_gemm: the gradients of a convolution's weights and bias as a matrix
// product, OC × pixels times pixels × taps·IC, whose operands are gathered into its panels. The
// pixels are split, and the splits are added in their order; the bias is a column of ones.
#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "cpu/ref/ref_row.h"
#include "simd_conv_columns.h"
#include "simd_conv_finish.h"
#include "simd_conv_padding.h"
#include "simd_float_rows.h"
#include "simd_gemm.h"
#include "simd_gemm_levels.h"

extern const impl_t prim__simd_conv_backward_weights_gemm;

/// The pixels of a split are enough to pay for adding its sums; so many splits fill the threads.
enum { LEAST_PIXELS = 512, MOST_SPLITS = 32, MOST_PARTIAL_BYTES = 1 << 24 };

/// Fixed at creation.
typedef struct {
    prim_desc_t base;
    prim_dim_t m, n, ncolumns; ///< of one product; n is one more than the columns with a bias
    prim_dim_t npixels, nsplits, split_pixels;
    simd_gemm_word_t word; ///< of one pixel, or two
    bool is_in_place;      ///< the product writes diff_weights itself
    bool has_padding;      ///< windows reach beyond src
    bool has_lines; ///< the gradients of an output channel are contiguous, and need no mending
    int nthr;
    size_t thread_bytes, scratch_offset, sums_offset; ///< in the scratchpad
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

/// Whether the columns are contiguous in diff_weights, rows at one distance.
static bool has_rows(const prim_desc_t *pd, const conv_shape_t *s)
{
    prim_dim_t w[6], expected = 1;
    prim__conv_weights_strides(w, prim__pd_md(pd, PRIM_ARG_DIFF_WEIGHTS), s->has_groups);
    const prim_dim_t dims[] = {s->ic, s->kernel[CONV_W], s->kernel[CONV_H], s->kernel[CONV_D]};
    const prim_dim_t strides[] = {w[2], w[5], w[4], w[3]};
    bool has = true;
    for (int d = 0; d < 4; expected *= dims[d++])
        has = has && (dims[d] == 1 || strides[d] == expected);
    return has;
}

/// Words of two pixels where the processor multiplies them and both tensors have channels side by
/// side.
static simd_gemm_word_t choose_word(const prim_desc_t *pd)
{
    static const int args[] = {PRIM_ARG_SRC, PRIM_ARG_DIFF_DST};
    for (int i = 0; i < 2; ++i) {
        const prim_memory_desc_t *const md = prim__pd_md(pd, args[i]);
        if (md->data_type != PRIM_BF16 || md->strides[1] != 1) return SIMD_WORD_F32;
    }
    return prim__simd_gemm_has(SIMD_WORD_BF16) ? SIMD_WORD_BF16 : SIMD_WORD_F32;
}

static prim_dim_t pixels_in_words(prim_dim_t npixels, simd_gemm_word_t word)
{
    return prim__ceil_div(npixels, (prim_dim_t)1 << word);
}

static void choose_splits(conv_pd_t *pd, prim_dim_t ngroups)
{
    const prim_dim_t bytes = ngroups * pd->m * pd->n * (prim_dim_t)sizeof(float);
    prim_dim_t most = prim__min(MOST_SPLITS, pd->npixels / LEAST_PIXELS);
    most = prim__max(prim__min(most, MOST_PARTIAL_BYTES / bytes), 1);
    pd->split_pixels = prim__round_up(prim__ceil_div(pd->npixels, most), (prim_dim_t)1 << pd->word);
    pd->nsplits = prim__ceil_div(pd->npixels, pd->split_pixels);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    conv_shape_t s;
    prim__conv_shape(&s, base);
    TRY(prim__conv_take_direct(base));
    TRY(prim__conv_set_channels_last(base));
    TRY(prim__conv_set_weights_channels_last(base));
    TRY(prim__conv_set_row_major(base)); // the bias is left
    TRY(prim__simd_conv_require_weights_gradient(base));
    const bool has_bias = prim__pd_has(base, PRIM_ARG_DIFF_BIAS);
    pd->m = s.oc;
    pd->ncolumns = s.ic * prim__conv_taps(&s);
    pd->n = pd->ncolumns + has_bias;
    pd->npixels = s.mb * prim__conv_out_elems(&s);
    pd->word = choose_word(base);
    choose_splits(pd, s.g);
    pd->is_in_place = pd->nsplits == 1 && !has_bias && has_rows(base, &s) &&
                      prim__pd_md(base, PRIM_ARG_DIFF_WEIGHTS)->data_type == PRIM_F32;
    pd->has_padding = prim__simd_conv_has_padding(&s);
    pd->has_lines = !pd->has_padding && has_rows(base, &s);
    pd->nthr = prim__planned_threads();
    pd->thread_bytes = prim__simd_gemm_scratch_bytes(
            pd->word, pd->m, pd->n, pixels_in_words(pd->split_pixels, pd->word));
    pd->scratch_offset = prim__pd_book_scratchpad(base, pd->thread_bytes * (size_t)pd->nthr);
    if (!pd->is_in_place)
        pd->sums_offset = prim__pd_book_scratchpad(
                base, (size_t)(pd->nsplits * s.g * pd->m * pd->n) * sizeof(float));
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const conv_pd_t *pd;
    conv_shape_t shape;
    simd_conv_columns_t src, diff_dst;
    simd_conv_padding_t padding;
    prim_dim_t wei_strides[6];
    float *sums; ///< [split][group][m][n], or diff_weights
    char *scratch;
    void *wei, *bias; ///< where sums are not diff_weights
    simd_gemm_grid_t grid;
} run_t;

/// One product of it: a split of a group.
typedef struct {
    const run_t *run;
    prim_dim_t group, first_pixel;
} part_t;

/// Columns of one of the two, of the words p0..p0+np of the split.
static void pack(const part_t *part, const simd_conv_columns_t *columns, prim_dim_t j0,
        prim_dim_t nj, prim_dim_t p0, prim_dim_t np, int width, float *panels)
{
    const conv_pd_t *const pd = part->run->pd;
    if (pd->word == SIMD_WORD_F32) {
        prim__simd_conv_gather_columns(
                columns, part->group, j0, nj, part->first_pixel + p0, np, width, panels);
        return;
    }
    const prim_dim_t first = part->first_pixel + 2 * p0;
    const prim_dim_t npixels = prim__min(2 * np, pd->npixels - first);
    prim__simd_conv_gather_column_words(
            columns, part->group, j0, nj, first, npixels, width, panels);
}

static void pack_diff_dst(
        const void *arg, prim_dim_t i0, prim_dim_t ni, prim_dim_t p0, prim_dim_t np, float *panels)
{
    const part_t *const part = arg;
    const int width = prim__simd_gemm_shape(part->run->pd->word)->mr;
    pack(part, &part->run->diff_dst, i0, ni, p0, np, width, panels);
}

/// One, or two of bf16.
static float word_of_ones(simd_gemm_word_t word)
{
    const uint32_t two = 0x3F803F80;
    float ones = 1.0F;
    if (word == SIMD_WORD_BF16) memcpy(&ones, &two, sizeof ones);
    return ones;
}

static void pack_src(
        const void *arg, prim_dim_t j0, prim_dim_t nj, prim_dim_t p0, prim_dim_t np, float *panels)
{
    const part_t *const part = arg;
    const simd_gemm_word_t word = part->run->pd->word;
    const int width = prim__simd_gemm_shape(word)->nr;
    const prim_dim_t ones = part->run->pd->ncolumns - j0; // the column of the bias
    pack(part, &part->run->src, j0, prim__min(nj, ones), p0, np, width, panels);
    if (ones >= nj) return;
    float *const panel = panels + ones / width * np * width;
    for (prim_dim_t p = 0; p < np; ++p) {
        float *const row = panel + p * width;
        for (prim_dim_t j = ones % width == 0 ? 1 : width; j < width; ++j) row[j] = 0.0F;
        row[ones % width] = word_of_ones(word);
    }
}

static void init_part(part_t *part, simd_gemm_t *gemm, const run_t *run, prim_dim_t index)
{
    const conv_pd_t *const pd = run->pd;
    const prim_dim_t split = index / run->shape.g;
    *part = (part_t){
            .run = run, .group = index % run->shape.g, .first_pixel = split * pd->split_pixels};
    *gemm = (simd_gemm_t){.m = pd->m,
            .n = pd->n,
            .k = pixels_in_words(
                    prim__min(pd->npixels - part->first_pixel, pd->split_pixels), pd->word),
            .word = pd->word,
            .c = run->sums + index * pd->m * pd->n,
            .c_row = pd->n,
            .pack_a = pack_diff_dst,
            .pack_b = pack_src,
            .pack_arg = part};
    if (!pd->is_in_place) return;
    gemm->c = run->sums + part->group * run->wei_strides[0];
    gemm->c_row = run->wei_strides[1];
}

/// The rectangles of all products, one after the other.
static void work_on_parts(int ithr, int nthr, void *arg)
{
    const run_t *const run = arg;
    const prim_dim_t nrects = (prim_dim_t)run->grid.rows * run->grid.cols;
    prim_dim_t start, end;
    prim__balance211(run->pd->nsplits * run->shape.g * nrects, nthr, ithr, &start, &end);
    for (prim_dim_t i = start; i < end; ++i) {
        part_t part;
        simd_gemm_t gemm;
        init_part(&part, &gemm, run, i / nrects);
        prim__simd_gemm_part(&gemm, run->grid, (int)(i % nrects),
                run->scratch + (size_t)ithr * run->pd->thread_bytes);
    }
}

static void run_parts(run_t *run)
{
    const conv_pd_t *const pd = run->pd;
    run->grid = prim__simd_gemm_grid(pd->word, pd->m, pd->n, pd->nsplits * run->shape.g, pd->nthr);
    prim__parallel(pd->nthr, work_on_parts, run);
}

/// The sums of all splits of `n` columns from `j` on.
static void add_splits(const run_t *run, float *row, prim_dim_t channel, prim_dim_t j, prim_dim_t n)
{
    const conv_pd_t *const pd = run->pd;
    const prim_dim_t next = run->shape.g * pd->m * pd->n;
    const float *from = run->sums + channel * pd->n + j;
    for (prim_dim_t i = 0; i < n; ++i) row[i] = from[i];
    for (prim_dim_t s = 1; s < pd->nsplits; ++s) {
        from += next;
        for (prim_dim_t i = 0; i < n; ++i) row[i] += from[i];
    }
}

/// The gradients that belong to one output channel.
static void store_channel(prim_dim_t channel, void *arg)
{
    const run_t *const run = arg;
    const conv_pd_t *const pd = run->pd;
    const conv_shape_t *const s = &run->shape;
    const prim_dim_t *const w = run->wei_strides;
    const prim_memory_desc_t *const md = prim__pd_md(&pd->base, PRIM_ARG_DIFF_WEIGHTS);
    const simd_convert_code_t *const convert = SIMD_CHOOSE(prim__simd_convert_code);
    const simd_array_t wei = {run->wei, md->data_type};
    const prim_dim_t row_at = md->offset0 + channel / s->oc * w[0] + channel % s->oc * w[1];
    float row[REF_ROW_ELEMS];
    for (prim_dim_t j = 0, n; j < pd->ncolumns; j += n) {
        const prim_dim_t c = j % s->ic;
        prim_dim_t tap = j / s->ic, at = row_at + c * w[2];
        for (int d = CONV_W; d >= CONV_D; --d) {
            at += tap % s->kernel[d] * w[3 + d];
            tap /= s->kernel[d];
        }
        n = prim__min(pd->has_lines ? pd->ncolumns - j : s->ic - c, REF_ROW_ELEMS);
        add_splits(run, row, channel, j, n);
        if (pd->has_padding)
            prim__simd_conv_padding_mend(&run->padding, channel, j / s->ic, c, row, n);
        prim__simd_write(convert, &wei, at, pd->has_lines ? 1 : w[2], row, n);
    }
    if (!run->bias) return;
    const prim_memory_desc_t *const bias_md = prim__pd_md(&pd->base, PRIM_ARG_DIFF_BIAS);
    add_splits(run, row, channel, pd->ncolumns, 1);
    const simd_array_t bias = {run->bias, bias_md->data_type};
    prim__simd_write(convert, &bias, bias_md->offset0 + channel * bias_md->strides[0], 1, row, 1);
}

/// The gradients of one output channel, in diff_weights already.
static void mend_channel(prim_dim_t channel, void *arg)
{
    const run_t *const run = arg;
    const conv_shape_t *const s = &run->shape;
    float *const row = run->sums + channel / s->oc * run->wei_strides[0] +
                       channel % s->oc * run->wei_strides[1];
    for (prim_dim_t j = 0; j < run->pd->ncolumns; j += s->ic)
        prim__simd_conv_padding_mend(&run->padding, channel, j / s->ic, 0, row + j, s->ic);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    const prim_memory_desc_t *const wei = prim__pd_md(base, PRIM_ARG_DIFF_WEIGHTS);
    char *const scratchpad = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    run_t run = {.pd = pd,
            .scratch = scratchpad + pd->scratch_offset,
            .wei = prim__ref_pointer(ctx, PRIM_ARG_DIFF_WEIGHTS)};
    prim__conv_shape(&run.shape, base);
    prim__conv_weights_strides(run.wei_strides, wei, run.shape.has_groups);
    prim__simd_conv_columns_of_src(&run.src, base, prim__ref_pointer(ctx, PRIM_ARG_SRC));
    prim__simd_conv_columns_of_diff_dst(
            &run.diff_dst, base, prim__ref_pointer(ctx, PRIM_ARG_DIFF_DST));
    if (prim__pd_has(base, PRIM_ARG_DIFF_BIAS))
        run.bias = prim__ref_pointer(ctx, PRIM_ARG_DIFF_BIAS);
    run.sums = pd->is_in_place ? (float *)run.wei + wei->offset0
                               : (float *)(void *)(scratchpad + pd->sums_offset);
    run_parts(&run);
    const prim_dim_t nchannels = run.shape.g * run.shape.oc;
    if (pd->has_padding) prim__simd_conv_padding_init(&run.padding, base, ctx);
    if (!pd->is_in_place)
        prim__parallel_for(nchannels, store_channel, &run);
    else if (pd->has_padding)
        prim__parallel_for(nchannels, mend_channel, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_conv_backward_weights_gemm = {
        .name = "simd:conv:backward_weights_gemm",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
