// SPDX-License-Identifier: Apache-2.0
// simd:conv:gemm: convolution as a matrix product whose operands are gathered into its panels. With
// channels last, pixels × taps·ic times taps·ic × oc; with channels first, the transposed product.
#include "common/data_type.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "common/post_ops_check.h"
#include "cpu/ref/ref_row.h"
#include "simd_conv_borders.h"
#include "simd_conv_finish.h"
#include "simd_conv_layouts.h"
#include "simd_float_rows.h"
#include "simd_gemm.h"
#include "simd_gemm_levels.h"
#include "simd_matmul_finish.h"
#include "simd_rows.h"

extern const impl_t prim__simd_conv_gemm;

/// Fixed at creation.
typedef struct {
    prim_desc_t base;
    bool is_last; ///< rows are pixels, columns channels; else the other way round
    simd_gemm_word_t word;
    prim_dim_t merged_taps;
    prim_dim_t m, n, k;   ///< of one product, k in words
    prim_dim_t nparts;    ///< products: groups, times images if channels come first
    bool uses_sums;       ///< sums go to the scratchpad, dst is written from there
    prim_dim_t strip_row; ///< of sums that go to a thread's scratch instead; 0: none do
    bool is_row_chain;    ///< bias and post-ops run on rows of f32 in dst itself
    bool has_borders;     ///< sums beside the padding are looked after
    bool is_line;         ///< pixels of dst are at a constant distance
    bool has_first_sum;   ///< the chain's first step is a sum that the product itself takes in
    prim_dim_t stretch; ///< depth of one product: all, or as much as sums of integers are exact for
    int nthr;
    size_t thread_bytes, scratch_offset, sums_offset, tables_offset,
            totals_offset; ///< in the scratchpad
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

/// Whether a product covers a part of the depth, and the sums of all are added up in s32.
static bool is_deep(const conv_pd_t *pd)
{
    return pd->stretch < pd->k;
}

static prim_status_t check_problem(conv_pd_t *conv_pd, prim_dim_t nproducts)
{
    prim_desc_t *const pd = &conv_pd->base;
    if (prim__simd_conv_has_bytes(pd))
        TRY(prim__simd_conv_require_sums_of_bytes(pd, nproducts));
    else
        TRY(prim__simd_conv_require_types(pd));
    REQUIRE(pd, !prim__md_is_empty(prim__pd_md(pd, PRIM_ARG_SRC)), "src has no elements");
    REQUIRE(pd, !prim__md_is_empty(prim__pd_md(pd, PRIM_ARG_DST)), "dst has no elements");
    return PRIM_SUCCESS;
}

static bool starts_with_sum(const prim_attr_t *attr)
{
    return attr->post_ops.len > 0 && attr->post_ops.entries[0].kind == PRIM_SUM;
}

static void choose_finish(conv_pd_t *pd, const conv_shape_t *s)
{
    const prim_attr_t *const attr = &pd->base.attr;
    // The product adds to what dst holds before the sums are scaled or mended.
    const bool is_later = prim__attr_scale(attr, PRIM_ARG_SRC) ||
                          prim__attr_scale(attr, PRIM_ARG_WEIGHTS) || is_deep(pd) ||
                          pd->word == SIMD_WORD_BYTES || pd->has_borders;
    pd->is_line = prim__simd_conv_is_line(prim__pd_md(&pd->base, PRIM_ARG_DST), s, pd->is_last);
    // The product can write dst itself.
    const bool in_place =
            pd->is_line && prim__pd_md(&pd->base, PRIM_ARG_DST)->data_type == PRIM_F32;
    pd->is_row_chain = in_place && prim__simd_matmul_is_row_chain(attr) &&
                       !(is_later && starts_with_sum(attr));
    pd->has_first_sum = pd->is_row_chain && starts_with_sum(attr);
    pd->uses_sums = !in_place || (!pd->is_row_chain && prim__post_ops_find_sum(&attr->post_ops));
}

/// From here on the shape has one tap instead of them.
static void merge_taps(conv_shape_t *s, prim_dim_t ntaps)
{
    s->ic *= ntaps;
    s->kernel[CONV_W] /= ntaps;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    conv_shape_t s;
    prim__conv_shape(&s, base);
    TRY(prim__conv_take_direct(base));
    TRY(check_problem(pd, s.ic * prim__conv_taps(&s)));
    TRY(prim__simd_conv_set_layouts(base, &s));
    pd->is_last = prim__pd_md(base, PRIM_ARG_DST)->strides[1] == 1;
    pd->word = prim__simd_conv_word(base, pd->is_last);
    pd->merged_taps = 1;
    if (pd->is_last)
        pd->merged_taps = prim__simd_conv_merged_taps(
                pd->word, &s, prim__pd_md(base, PRIM_ARG_SRC), prim__pd_md(base, PRIM_ARG_WEIGHTS));
    merge_taps(&s, pd->merged_taps);
    pd->k = prim__simd_conv_tap_words(&s, pd->word) * prim__conv_taps(&s);
    const bool is_exact = pd->word == SIMD_WORD_F32 && prim__simd_conv_has_bytes(base);
    pd->stretch = is_exact ? prim__min(pd->k, SIMD_CONV_BYTES_DEPTH) : pd->k;
    pd->has_borders = prim__simd_conv_has_borders(base);
    choose_finish(pd, &s);
    const prim_dim_t npixels = prim__conv_out_elems(&s);
    pd->m = pd->is_last ? s.mb * npixels : s.oc;
    pd->n = pd->is_last ? s.oc : npixels;
    pd->nparts = pd->is_last ? s.g : s.g * s.mb;
    pd->nthr = prim__planned_threads();
    pd->thread_bytes = prim__simd_gemm_scratch_bytes(pd->word, pd->m, pd->n, pd->k);
    if (pd->uses_sums && !is_deep(pd)) {
        pd->strip_row = prim__simd_gemm_strip_row(pd->word, pd->m, pd->n, pd->k);
        pd->thread_bytes += prim__simd_gemm_strip_bytes(pd->word, pd->strip_row);
    }
    pd->scratch_offset = prim__pd_book_scratchpad(base, pd->thread_bytes * (size_t)pd->nthr);
    pd->tables_offset = prim__simd_conv_book_finish(base);
    const size_t nsums = (size_t)(pd->nparts * pd->m * pd->n);
    if (pd->uses_sums && !pd->strip_row)
        pd->sums_offset = prim__pd_book_scratchpad(base, nsums * sizeof(float));
    if (is_deep(pd)) pd->totals_offset = prim__pd_book_scratchpad(base, nsums * sizeof(int32_t));
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const conv_pd_t *pd;
    simd_conv_t conv;
    simd_conv_finish_t finish;
    simd_conv_borders_t borders;
    const simd_rows_code_t *rows;
    const prim_memory_desc_t *dst_md;
    float *c;            ///< dst, or the sums
    prim_dim_t c_row;    ///< distance of rows
    bool has_pixel_rows; ///< whole pixels are contiguous in the sums, and finished as such
    bool has_rows; ///< rows of a product are finished together: those of dst are equally apart
    bool keeps_integers; ///< sums of bytes are finished as s32
    int32_t *totals;     ///< of products [m, n] one after the other
    char *scratch;
    simd_gemm_grid_t grid;
} run_t;

/// One product of it.
typedef struct {
    simd_conv_part_t gather;
    const run_t *run;
    prim_dim_t first_channel; ///< of dst
    prim_dim_t index;         ///< among the products
    prim_dim_t first_depth;   ///< of the stretch
} part_t;

static void pack_source(
        const void *arg, prim_dim_t i0, prim_dim_t ni, prim_dim_t p0, prim_dim_t np, float *panels)
{
    const part_t *const part = arg;
    const simd_gemm_shape_t *const shape = prim__simd_gemm_shape(part->run->pd->word);
    const int width = part->run->pd->is_last ? shape->mr : shape->nr;
    prim__simd_conv_gather(&part->gather, i0, ni, part->first_depth + p0, np, width, panels);
}

static void pack_source_rows(const void *arg, prim_dim_t i0, prim_dim_t ni, prim_dim_t p0,
        prim_dim_t np, float *rows, prim_dim_t step)
{
    const part_t *const part = arg;
    prim__simd_conv_gather_rows(&part->gather, i0, ni, part->first_depth + p0, np, rows, step);
}

static void pack_weights(
        const void *arg, prim_dim_t i0, prim_dim_t ni, prim_dim_t p0, prim_dim_t np, float *panels)
{
    const part_t *const part = arg;
    const simd_gemm_shape_t *const shape = prim__simd_gemm_shape(part->run->pd->word);
    const int width = part->run->pd->is_last ? shape->nr : shape->mr;
    prim__simd_conv_gather_weights(
            &part->gather, i0, ni, part->first_depth + p0, np, width, panels);
}

static void locate(prim_dim_t *position, const run_t *run, prim_dim_t pixel, prim_dim_t channel)
{
    const conv_shape_t *const s = &run->conv.shape;
    for (int d = CONV_W; d >= CONV_NSPATIAL - s->nspatial; --d) {
        position[2 + d - (CONV_NSPATIAL - s->nspatial)] = pixel % s->out[d];
        pixel /= s->out[d];
    }
    position[0] = pixel; // what is left are the images
    position[1] = channel;
}

/// Pixels with all their channels, several at once.
static void finish_whole_pixels(const run_t *run, float *tile, prim_dim_t i0, prim_dim_t ni)
{
    for (prim_dim_t i = 0, n; i < ni; i += n, tile += n * run->c_row) {
        prim_dims_t position;
        locate(position, run, i0 + i, 0);
        n = prim__simd_conv_finish_some_pixels(&run->finish, tile, position, ni - i);
    }
}

/// Rows of sums that are rows of dst.
static void finish_rows(
        const part_t *part, float *tile, prim_dim_t i0, prim_dim_t ni, prim_dim_t j0, prim_dim_t nj)
{
    const run_t *const run = part->run;
    const prim_dim_t *const strides = run->dst_md->strides;
    const bool is_last = run->pd->is_last;
    const prim_dim_t channel = part->first_channel + (is_last ? j0 : i0);
    const prim_dim_t row = is_last ? strides[run->dst_md->ndims - 1] : strides[1];
    const prim_dim_t image = is_last ? 0 : part->index / run->conv.shape.g * strides[0];
    const simd_epilogue_rows_t rows = {.sums = tile,
            .are_integers = run->keeps_integers,
            .sums_row = run->c_row,
            .nrows = ni,
            .n = nj,
            .at = image + part->first_channel * strides[1] + i0 * row + j0,
            .dst_row = row};
    prim__simd_conv_finish_rows(&run->finish, &rows, channel, !is_last);
}

/// Rows are pixels, columns channels.
static void finish_channels(
        const void *arg, float *tile, prim_dim_t i0, prim_dim_t ni, prim_dim_t j0, prim_dim_t nj)
{
    const part_t *const part = arg;
    const run_t *const run = part->run;
    if (run->has_pixel_rows && nj == run->pd->n && nj == run->c_row) {
        finish_whole_pixels(run, tile, i0, ni);
        return;
    }
    for (prim_dim_t i = i0; i < i0 + ni; ++i, tile += run->c_row) {
        for (prim_dim_t j = 0; j < nj; j += REF_ROW_ELEMS) {
            const prim_dim_t n = prim__min(nj - j, REF_ROW_ELEMS);
            prim_dims_t position;
            locate(position, run, i, part->first_channel + j0 + j);
            prim__simd_conv_finish_row(&run->finish, tile + j, position, 1, n);
        }
    }
}

/// Rows are channels, columns pixels: cut where a row of dst ends, as its elements need not be
/// neighbours beyond.
static void finish_pixels(
        const void *arg, float *tile, prim_dim_t i0, prim_dim_t ni, prim_dim_t j0, prim_dim_t nj)
{
    const part_t *const part = arg;
    const run_t *const run = part->run;
    const prim_dim_t width = run->finish.is_row_chain ? nj : run->conv.shape.out[CONV_W];
    for (prim_dim_t i = i0; i < i0 + ni; ++i, tile += run->c_row) {
        for (prim_dim_t j = 0, n; j < nj; j += n) {
            const prim_dim_t pixel = j0 + j;
            const prim_dim_t rest = run->finish.is_row_chain ? nj - j : width - pixel % width;
            n = prim__min(prim__min(rest, nj - j), REF_ROW_ELEMS);
            prim_dims_t position;
            locate(position, run, part->gather.first_pixel + pixel, part->first_channel + i);
            prim__simd_conv_finish_row(&run->finish, tile + j, position, run->dst_md->ndims - 1, n);
        }
    }
}

/// Sums that are no numbers because of the padding.
static void mend(
        const part_t *part, float *tile, prim_dim_t i0, prim_dim_t ni, prim_dim_t j0, prim_dim_t nj)
{
    const run_t *const run = part->run;
    const bool is_last = run->pd->is_last;
    const int dim = is_last ? 1 : run->dst_md->ndims - 1;
    if (nj == run->c_row && run->rows->all_finite(tile, ni * nj)) return;
    for (prim_dim_t i = i0; i < i0 + ni; ++i, tile += run->c_row) {
        if (run->rows->all_finite(tile, nj)) continue;
        prim_dims_t position;
        locate(position, run, part->gather.first_pixel + (is_last ? i : j0),
                part->first_channel + (is_last ? j0 : i));
        prim__simd_conv_borders_mend(&run->borders, tile, position, dim, nj);
    }
}

static void finish(
        const void *arg, float *tile, prim_dim_t i0, prim_dim_t ni, prim_dim_t j0, prim_dim_t nj)
{
    const part_t *const part = arg;
    if (part->run->pd->has_borders) mend(part, tile, i0, ni, j0, nj);
    if (part->run->finish.is_empty) return;
    if (part->run->has_rows)
        finish_rows(part, tile, i0, ni, j0, nj);
    else if (part->run->pd->is_last)
        finish_channels(arg, tile, i0, ni, j0, nj);
    else
        finish_pixels(arg, tile, i0, ni, j0, nj);
}

/// Adds the sums of a stretch, which are exact, to the totals; those of the last become the sums.
static void finish_stretch(
        const void *arg, float *tile, prim_dim_t i0, prim_dim_t ni, prim_dim_t j0, prim_dim_t nj)
{
    const part_t *const part = arg;
    const conv_pd_t *const pd = part->run->pd;
    const bool is_first = part->first_depth == 0;
    const bool is_end = part->first_depth + pd->stretch >= pd->k;
    int32_t *total = part->run->totals + (part->index * pd->m + i0) * pd->n + j0;
    for (prim_dim_t i = 0; i < ni; ++i, total += pd->n) {
        float *const row = tile + i * part->run->c_row;
        for (prim_dim_t j = 0; j < nj; ++j) {
            const int32_t sum = (int32_t)row[j] + (is_first ? 0 : total[j]);
            if (is_end)
                row[j] = (float)sum;
            else
                total[j] = sum;
        }
    }
    if (is_end) finish(arg, tile, i0, ni, j0, nj);
}

static void set_operands(simd_gemm_t *gemm, const run_t *run, const part_t *part)
{
    const simd_conv_t *const conv = &run->conv;
    const bool is_last = run->pd->is_last;
    const bool is_linear = conv->weights == SIMD_WEI_LINEAR && conv->wei_dt == PRIM_F32;
    const prim_dim_t group = part->gather.group * conv->wei_strides[0];
    const float *const wei =
            (const void *)((const char *)conv->wei + (size_t)group * prim__dt_bytes(conv->wei_dt));
    gemm->pack_arg = part;
    if (is_last) {
        gemm->pack_a = pack_source;
        if (run->pd->word != SIMD_WORD_F32) gemm->pack_a_rows = pack_source_rows;
        gemm->a_words = prim__simd_conv_rows_in_place(&part->gather, &gemm->a_words_row);
        gemm->b = wei;
        gemm->b_row = conv->wei_down;
        gemm->b_col = conv->wei_strides[1];
        const bool is_panels = conv->weights == SIMD_WEI_PANELS && conv->wei_dt == PRIM_F32;
        if (is_panels || conv->weights == SIMD_WEI_WORDS)
            gemm->b_panels = wei;
        else if (!is_linear)
            gemm->pack_b = pack_weights;
        return;
    }
    gemm->pack_b = pack_source;
    gemm->a = wei;
    gemm->a_row = conv->wei_strides[1];
    gemm->a_col = conv->wei_down;
    if (!is_linear) gemm->pack_a = pack_weights;
}

/// What the bytes of src are above their values.
static int source_offset(const simd_conv_t *conv)
{
    if (conv->word != SIMD_WORD_BYTES) return 0;
    return conv->src_zero + (conv->flips_src ? 128 : 0);
}

/// The product `index`, and of its depth what begins at `first_depth`.
static void init_part(
        part_t *part, simd_gemm_t *gemm, const run_t *run, prim_dim_t index, prim_dim_t first_depth)
{
    const conv_pd_t *const pd = run->pd;
    const simd_conv_t *const conv = &run->conv;
    const prim_dim_t group = index % conv->shape.g, image = index / conv->shape.g;
    *part = (part_t){
            .gather = {.conv = conv, .first_pixel = image * conv->npixels, .group = group},
            .run = run,
            .first_channel = group * conv->shape.oc,
            .index = index,
            .first_depth = first_depth,
    };
    const prim_dim_t depth = prim__min(pd->stretch, pd->k - first_depth);
    *gemm = (simd_gemm_t){.m = pd->m,
            .n = pd->n,
            .k = depth,
            .word = pd->word,
            .a_offset = source_offset(conv),
            .a_is_signed =
                    pd->word == SIMD_WORD_BYTES && conv->src_dt == PRIM_S8 && !conv->flips_src,
            .keeps_integers = run->keeps_integers,
            .c_row = run->c_row};
    gemm->accumulates = pd->has_first_sum;
    if (pd->uses_sums && !pd->strip_row) gemm->c = run->c + index * pd->m * pd->n;
    if (!pd->uses_sums)
        gemm->c = run->c + image * run->dst_md->strides[0] +
                  part->first_channel * run->dst_md->strides[1];
    set_operands(gemm, run, part);
    gemm->finish_arg = part;
    if (is_deep(pd))
        gemm->finish = finish_stretch;
    else if (!run->finish.is_empty || pd->has_borders)
        gemm->finish = finish;
}

/// The rectangles of all products, one after the other.
static void work_on_parts(int ithr, int nthr, void *arg)
{
    const run_t *const run = arg;
    const prim_dim_t nrects = (prim_dim_t)run->grid.rows * run->grid.cols;
    char *const scratch = run->scratch + (size_t)ithr * run->pd->thread_bytes;
    prim_dim_t start, end;
    prim__balance211(run->pd->nparts * nrects, nthr, ithr, &start, &end);
    for (prim_dim_t i = start; i < end; ++i) {
        for (prim_dim_t p = 0; p < run->pd->k; p += run->pd->stretch) {
            part_t part;
            simd_gemm_t gemm;
            init_part(&part, &gemm, run, i / nrects, p);
            prim__simd_gemm_part(&gemm, run->grid, (int)(i % nrects), scratch);
        }
    }
}

static void run_parts(run_t *run)
{
    const conv_pd_t *const pd = run->pd;
    run->grid = prim__simd_gemm_grid(pd->word, pd->m, pd->n, pd->nparts, pd->nthr);
    prim__parallel(pd->nthr, work_on_parts, run);
}

/// dst becomes what the first step of the chain adds: one row of the products.
static void scale_row(prim_dim_t index, void *arg)
{
    const run_t *const run = arg;
    const post_op_t *const sum = &run->pd->base.attr.post_ops.entries[0];
    part_t part;
    simd_gemm_t gemm;
    init_part(&part, &gemm, run, index / run->pd->m, 0);
    float *const row = gemm.c + index % run->pd->m * run->c_row;
    for (prim_dim_t j = 0; j < gemm.n; ++j) row[j] = sum->scale * (row[j] - (float)sum->zero_point);
}

static void init_conv(simd_conv_t *conv, const conv_pd_t *conv_pd, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = &conv_pd->base;
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    *conv = (simd_conv_t){
            .word = conv_pd->word, .src_dt = src->data_type, .wei_dt = wei->data_type};
    conv->src_zero = prim__simd_conv_source_zero(pd, ctx);
    conv->flips_src = conv->src_dt == PRIM_S8 && !prim__simd_gemm_has_signed();
    prim__conv_shape(&conv->shape, pd);
    conv->merged_taps = conv_pd->merged_taps;
    merge_taps(&conv->shape, conv_pd->merged_taps);
    conv->tap_words = prim__simd_conv_tap_words(&conv->shape, conv_pd->word);
    conv->npixels = prim__conv_out_elems(&conv->shape);
    conv->ntaps = prim__conv_taps(&conv->shape);
    conv->src = (const char *)prim__ref_pointer(ctx, PRIM_ARG_SRC) +
                (size_t)src->offset0 * prim__dt_bytes(src->data_type);
    conv->wei = (const char *)prim__ref_pointer(ctx, PRIM_ARG_WEIGHTS) +
                (size_t)wei->offset0 * prim__dt_bytes(wei->data_type);
    prim__conv_data_strides(conv->src_strides, src);
    prim__simd_conv_read_weights(conv, wei, !conv_pd->is_last);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    enum { LEAST_COLUMNS = 8 }; // of a row that is finished on its own
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    const prim_memory_desc_t *const dst = prim__pd_md(base, PRIM_ARG_DST);
    char *const scratchpad = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    run_t run = {.pd = pd,
            .rows = SIMD_CHOOSE(prim__simd_rows_code),
            .dst_md = dst,
            .scratch = scratchpad + pd->scratch_offset};
    init_conv(&run.conv, pd, ctx);
    prim__simd_conv_finish_init(
            &run.finish, base, ctx, pd->tables_offset, pd->is_row_chain, pd->has_first_sum);
    if (pd->has_borders) prim__simd_conv_borders_init(&run.borders, base, ctx);
    run.totals = (int32_t *)(void *)(scratchpad + pd->totals_offset);
    if (pd->uses_sums) {
        run.c = (float *)(void *)(scratchpad + pd->sums_offset);
        run.c_row = pd->strip_row ? pd->strip_row : pd->n;
    } else {
        run.c = (float *)prim__ref_pointer(ctx, PRIM_ARG_DST) + dst->offset0;
        run.c_row = pd->is_last ? dst->strides[dst->ndims - 1] : dst->strides[1];
    }
    run.has_pixel_rows = pd->uses_sums && pd->is_last && run.conv.shape.g == 1 &&
                         (run.finish.has_pixel_rows || run.finish.has_apart_pixels);
    run.has_rows = run.finish.has_epilogue && pd->is_line &&
                   (!run.has_pixel_rows || pd->n >= LEAST_COLUMNS);
    run.keeps_integers =
            pd->word == SIMD_WORD_BYTES && run.has_rows && !run.finish.is_empty && !pd->has_borders;
    if (pd->has_first_sum) {
        const post_op_t *const sum = &base->attr.post_ops.entries[0];
        if (sum->scale != 1.0F || sum->zero_point != 0)
            prim__parallel_for(pd->nparts * pd->m, scale_row, &run);
    }
    run_parts(&run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_conv_gemm = {
        .name = "simd:conv:gemm",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
