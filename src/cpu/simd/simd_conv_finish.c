// SPDX-License-Identifier: Apache-2.0
// Epilogue of a convolution: on rows of f32 where the post-ops allow it, else element by element as
// in the reference.
#include "simd_conv_finish.h"

#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/post_ops_check.h"
#include "cpu/ref/ref_row.h"
#include "simd_eltwise_row.h"
#include "simd_float_rows.h"

enum { LEAST_CHANNELS = 8 }; ///< of a pixel, that are a row for an epilogue

bool prim__simd_conv_has_bytes(const prim_desc_t *pd)
{
    const prim_data_type_t src = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    return (src == PRIM_S8 || src == PRIM_U8) &&
           prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type == PRIM_S8;
}

static prim_status_t require_sums(prim_desc_t *pd)
{
    REQUIRE(pd, prim__pd_md(pd, PRIM_ARG_DST)->data_type != PRIM_F64,
            "dst is f64; this variant accumulates in f32");
    TRY(prim__ref_require_types(pd));
    REQUIRE(pd, !prim__attr_zero_point(&pd->attr, PRIM_ARG_WEIGHTS), "weights have zero points");
    return PRIM_SUCCESS;
}

prim_status_t prim__simd_conv_require_types(prim_desc_t *pd)
{
    REQUIRE(pd,
            prim__simd_takes_float(prim__pd_md(pd, PRIM_ARG_SRC)->data_type) &&
                    prim__simd_takes_float(prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type),
            "src or weights are not f32, f16 or bf16");
    REQUIRE(pd, !prim__attr_zero_point(&pd->attr, PRIM_ARG_SRC),
            "src has a zero point, which needs src of s8 or u8 and weights of s8");
    return require_sums(pd);
}

prim_status_t prim__simd_conv_require_weights_gradient(prim_desc_t *pd)
{
    static const int args[] = {
            PRIM_ARG_SRC, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_WEIGHTS, PRIM_ARG_DIFF_BIAS};
    for (int i = 0; i < 4; ++i) {
        if (!prim__pd_has(pd, args[i])) continue;
        const prim_memory_desc_t *const md = prim__pd_md(pd, args[i]);
        REQUIRE(pd, prim__simd_takes_float(md->data_type), "a tensor is not f32, f16 or bf16");
        REQUIRE(pd, !prim__md_is_empty(md), "a tensor has no elements");
        REQUIRE(pd, prim__md_is_plain(md),
                "src, diff_dst, diff_weights or diff_bias has a blocked layout");
    }
    return PRIM_SUCCESS;
}

// A value of src's type lies within 255 of every element, as sums of bytes are booked for, and fits
// the bytes of the padding.
prim_status_t prim__simd_conv_require_bytes(prim_desc_t *pd)
{
    const quant_t *const zero = prim__attr_zero_point(&pd->attr, PRIM_ARG_SRC);
    const prim_data_type_t src = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    REQUIRE(pd, prim__quant_is_common(zero), "src has several zero points");
    REQUIRE(pd, !zero || zero->data_type == src,
            "the zero point of src is %s, which need not fit the %s of its padding",
            prim_data_type_name(zero->data_type), prim_data_type_name(src));
    return require_sums(pd);
}

prim_status_t prim__simd_conv_require_sums_of_bytes(prim_desc_t *pd, prim_dim_t nproducts)
{
    TRY(prim__simd_conv_require_bytes(pd));
    REQUIRE(pd, nproducts <= INT32_MAX / (255 * 128), "sums of %lld products may leave s32",
            (long long)nproducts);
    REQUIRE(pd,
            nproducts <= SIMD_CONV_BYTES_DEPTH ||
                    prim__pd_md(pd, PRIM_ARG_DST)->data_type != PRIM_S32,
            "dst is s32, and f32 has no room for sums of %lld products", (long long)nproducts);
    return PRIM_SUCCESS;
}

int prim__simd_conv_source_zero(const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    return (int)prim__ref_zero_point(pd, ctx, PRIM_ARG_SRC);
}

size_t prim__simd_conv_book_finish(prim_desc_t *pd)
{
    const prim_dim_t channels = prim__pd_md(pd, PRIM_ARG_DST)->dims[1];
    return prim__pd_book_scratchpad(pd, 2 * (size_t)channels * sizeof(float));
}

static bool has_input_scales(const prim_desc_t *pd)
{
    return prim__attr_scale(&pd->attr, PRIM_ARG_SRC) ||
           prim__attr_scale(&pd->attr, PRIM_ARG_WEIGHTS);
}

/// factor[c] = scale of src · scale of the weights of output channel c.
static void fill_factors(float *factor, const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    const bool has_groups = wei->ndims > src->ndims;
    const prim_dim_t oc = wei->dims[has_groups];
    ref_quant_t src_scale, wei_scale;
    prim__ref_scales_init(&src_scale, pd, ctx, PRIM_ARG_SRC, src);
    prim__ref_scales_init(&wei_scale, pd, ctx, PRIM_ARG_WEIGHTS, wei);
    prim_dims_t at = {0};
    const double common = prim__ref_quant_at(&src_scale, at, 1);
    const prim_dim_t nchannels = prim__pd_md(pd, PRIM_ARG_DST)->dims[1];
    for (prim_dim_t c = 0; c < nchannels; ++c) {
        if (has_groups) at[0] = c / oc;
        at[has_groups] = c % oc;
        factor[c] = (float)(common * prim__ref_quant_at(&wei_scale, at, 1));
    }
}

static bool has_apart_pixels(const simd_conv_finish_t *finish);
static bool has_rows_of_pixels(const simd_conv_finish_t *finish);

void prim__simd_conv_finish_init(simd_conv_finish_t *finish, const prim_desc_t *pd,
        const exec_ctx_t *ctx, size_t tables_offset, bool is_row_chain, bool skips_first)
{
    const prim_dim_t nchannels = prim__pd_md(pd, PRIM_ARG_DST)->dims[1];
    char *const scratchpad = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    float *const tables = (float *)(void *)(scratchpad + tables_offset);
    *finish = (simd_conv_finish_t){
            .chain = &pd->attr.post_ops,
            .first_step = skips_first ? 1 : 0,
            .is_row_chain = is_row_chain,
    };
    if (has_input_scales(pd)) {
        fill_factors(tables, pd, ctx);
        finish->factor = tables;
    }
    if (prim__pd_has(pd, PRIM_ARG_BIAS)) {
        const prim_memory_desc_t *const md = prim__pd_md(pd, PRIM_ARG_BIAS);
        const void *const bias = prim__ref_pointer(ctx, PRIM_ARG_BIAS);
        float *const shift = tables + nchannels;
        if (prim__simd_takes_float(md->data_type) && prim__md_is_plain(md))
            prim__simd_load_row(shift, bias, md->data_type, md->offset0, md->strides[0], nchannels);
        else
            for (prim_dim_t c = 0; c < nchannels; ++c)
                shift[c] = (float)prim__load(bias, md->data_type, prim__md_offset(md, &c));
        finish->shift = shift;
    }
    finish->is_empty = is_row_chain && !finish->factor && !finish->shift &&
                       finish->chain->len == finish->first_step;
    finish->has_epilogue = prim__simd_epilogue_takes(pd, skips_first);
    finish->epilogue_code = prim__simd_epilogue_choose(prim__pd_md(pd, PRIM_ARG_DST)->data_type);
    if (finish->has_epilogue) prim__simd_epilogue_init(&finish->epilogue, pd, ctx, skips_first);
    finish->is_vector = !is_row_chain && prim__simd_product_chain_takes(pd);
    if (finish->is_vector) prim__simd_product_chain_init(&finish->vector, pd, ctx);
    prim__ref_finish_init(&finish->ref, pd, ctx);
    finish->has_pixel_rows = prim__simd_conv_has_pixel_rows(finish);
    finish->has_apart_pixels = has_apart_pixels(finish);
    finish->has_rows_of_pixels = has_rows_of_pixels(finish);
}

static void scale_and_shift(
        const simd_conv_finish_t *finish, float *row, prim_dim_t channel, int step, prim_dim_t n)
{
    const float *const factor = finish->factor ? finish->factor + channel : NULL;
    const float *const shift = finish->shift ? finish->shift + channel : NULL;
    if (factor && step)
        for (prim_dim_t j = 0; j < n; ++j) row[j] *= factor[j];
    if (factor && !step)
        for (prim_dim_t j = 0; j < n; ++j) row[j] *= factor[0];
    if (shift && step)
        for (prim_dim_t j = 0; j < n; ++j) row[j] += shift[j];
    if (shift && !step)
        for (prim_dim_t j = 0; j < n; ++j) row[j] += shift[0];
}

static void finish_to(const simd_conv_finish_t *finish, char *dst, const simd_epilogue_rows_t *rows,
        prim_dim_t channel, bool is_of_rows)
{
    simd_epilogue_t epilogue = finish->epilogue;
    epilogue.dst = dst;
    epilogue.is_of_rows = is_of_rows;
    if (finish->factor) epilogue.factor = finish->factor + channel;
    if (finish->shift) epilogue.shift = finish->shift + channel;
    finish->epilogue_code->finish(&epilogue, rows);
}

void prim__simd_conv_finish_rows(const simd_conv_finish_t *finish, const simd_epilogue_rows_t *rows,
        prim_dim_t channel, bool is_of_rows)
{
    finish_to(finish, finish->epilogue.dst, rows, channel, is_of_rows);
}

/// A row that an epilogue takes: in place, or of contiguous elements of dst.
static bool finish_by_epilogue(const simd_conv_finish_t *finish, float *row,
        const prim_dim_t *position, int dim, prim_dim_t n)
{
    const prim_memory_desc_t *const md = finish->ref.dst_md;
    const bool is_in_place = finish->is_row_chain && !finish->epilogue.addend;
    if (!finish->has_epilogue || (!is_in_place && n > 1 && md->strides[dim] != 1)) return false;
    simd_epilogue_rows_t rows = {.sums = row, .nrows = 1, .n = n};
    if (!is_in_place) rows.at = prim__simd_epilogue_offset(md, position);
    finish_to(
            finish, is_in_place ? (char *)row : finish->epilogue.dst, &rows, position[1], dim != 1);
    return true;
}

void prim__simd_conv_finish_row(const simd_conv_finish_t *finish, float *row,
        const prim_dim_t *position, int dim, prim_dim_t n)
{
    if (finish_by_epilogue(finish, row, position, dim, n)) return;
    scale_and_shift(finish, row, position[1], dim == 1, n);
    if (finish->is_row_chain) {
        for (int i = finish->first_step; i < finish->chain->len; ++i)
            prim__simd_eltwise_row(&finish->chain->entries[i], row, n);
        return;
    }
    if (finish->is_vector) {
        prim__simd_product_chain_store(&finish->vector, row, position, dim, n);
        return;
    }
    double wide[REF_ROW_ELEMS];
    for (prim_dim_t j = 0; j < n; ++j) wide[j] = (double)row[j];
    prim__ref_finish_store_row(&finish->ref, wide, position, dim, n);
}

/// Whether all pixels follow each other, with their channels.
static bool is_dense(const prim_memory_desc_t *md)
{
    prim_dim_t expected = md->dims[1];
    for (int d = md->ndims - 1; d != 1; d = d == 2 ? 0 : d - 1) {
        if (md->dims[d] > 1 && md->strides[d] != expected) return false;
        expected *= md->dims[d];
        if (d == 0) break;
    }
    return md->dims[1] == 1 || md->strides[1] == 1;
}

bool prim__simd_conv_has_pixel_rows(const simd_conv_finish_t *finish)
{
    const prim_memory_desc_t *const md = finish->ref.dst_md;
    return finish->is_vector && finish->vector.ntensors == 1 && md->dims[1] <= SIMD_ROW &&
           is_dense(md);
}

void prim__simd_conv_finish_pixels(const simd_conv_finish_t *finish, float *rows,
        const prim_dim_t *position, prim_dim_t npixels)
{
    const prim_dim_t nchannels = finish->ref.dst_md->dims[1];
    if (finish->has_epilogue && nchannels >= LEAST_CHANNELS) {
        const simd_epilogue_rows_t all = {.sums = rows,
                .sums_row = nchannels,
                .nrows = npixels,
                .n = nchannels,
                .at = prim__simd_epilogue_offset(finish->ref.dst_md, position),
                .dst_row = nchannels};
        prim__simd_conv_finish_rows(finish, &all, 0, false);
        return;
    }
    for (prim_dim_t i = 0; i < npixels; ++i)
        scale_and_shift(finish, rows + i * nchannels, 0, 1, nchannels);
    prim__simd_product_chain_store_contiguous(&finish->vector, rows, position, npixels * nchannels);
}

/// Pixels that follow each other, to places `step` bytes apart.
typedef struct {
    char *to;
    prim_dim_t step;
    const char *from;
    prim_dim_t n;
} spread_t;

/// `bytes` of a pixel, a constant of the caller's where they are few.
static inline void spread_pixels(const spread_t *spread, const size_t bytes)
{
    char *to = spread->to;
    const char *from = spread->from;
    for (prim_dim_t i = 0; i < spread->n; ++i, from += bytes, to += spread->step)
        memcpy(to, from, bytes);
}

/// The same for npixels of a row of dst whose channels are contiguous, the pixels anywhere.
static void finish_apart(const simd_conv_finish_t *finish, float *rows, const prim_dim_t *position,
        prim_dim_t npixels)
{
    const prim_memory_desc_t *const md = finish->ref.dst_md;
    const simd_chain_t *const chain = &finish->vector.chain;
    const prim_dim_t nchannels = md->dims[1], n = npixels * nchannels;
    static const prim_dim_t offset = 0, stride = 1; // no post-op reads a tensor
    float room[SIMD_ROW];
    for (prim_dim_t i = 0; i < npixels; ++i)
        scale_and_shift(finish, rows + i * nchannels, 0, 1, nchannels);
    prim__simd_chain_row(chain, rows, &offset, &stride, n);
    chain->convert->store(room, rows, md->data_type, n);
    prim_dim_t at = 0;
    for (int d = 0; d < md->ndims; ++d) at += position[d] * md->strides[d];
    const prim_dim_t elem_bytes = (prim_dim_t)prim__dt_bytes(md->data_type);
    const spread_t spread = {prim__simd_at(&chain->dst, at),
            md->strides[md->ndims - 1] * elem_bytes, (const char *)room, npixels};
    switch (nchannels * elem_bytes) {
    case 2: spread_pixels(&spread, 2); return;
    case 4: spread_pixels(&spread, 4); return;
    case 8: spread_pixels(&spread, 8); return;
    default: spread_pixels(&spread, (size_t)(nchannels * elem_bytes));
    }
}

static bool has_apart_pixels(const simd_conv_finish_t *finish)
{
    const prim_memory_desc_t *const md = finish->ref.dst_md;
    return finish->is_vector && finish->vector.ntensors == 1 && md->dims[1] <= SIMD_ROW &&
           !prim__post_ops_find_sum(finish->chain) && (md->dims[1] == 1 || md->strides[1] == 1);
}

/// By an epilogue: pixels of a row of dst or, if they are all contiguous, of several.
static prim_dim_t finish_rows_of_pixels(const simd_conv_finish_t *finish, float *sums,
        const prim_dim_t *position, prim_dim_t npixels)
{
    const prim_memory_desc_t *const md = finish->ref.dst_md;
    const int last = md->ndims - 1;
    const prim_dim_t rest = md->dims[last] - position[last], nchannels = md->dims[1];
    const prim_dim_t n = is_dense(md) ? npixels : prim__min(npixels, rest);
    const simd_epilogue_rows_t rows = {.sums = sums,
            .are_integers = finish->are_integers,
            .sums_row = nchannels,
            .nrows = n,
            .n = nchannels,
            .at = prim__simd_epilogue_offset(md, position),
            .dst_row = is_dense(md) ? nchannels : md->strides[last]};
    prim__simd_conv_finish_rows(finish, &rows, 0, false);
    return n;
}

/// Few channels are parts of vectors, which pay where pixels cannot go together.
static bool has_rows_of_pixels(const simd_conv_finish_t *finish)
{
    const prim_memory_desc_t *const md = finish->ref.dst_md;
    const bool is_apart = !finish->is_vector || finish->vector.ntensors > 1;
    return finish->has_epilogue && !finish->is_row_chain &&
           (md->dims[1] == 1 || md->strides[1] == 1) && (md->dims[1] >= LEAST_CHANNELS || is_apart);
}

prim_dim_t prim__simd_conv_finish_some_pixels(const simd_conv_finish_t *finish, float *rows,
        const prim_dim_t *position, prim_dim_t npixels)
{
    const prim_memory_desc_t *const md = finish->ref.dst_md;
    const prim_dim_t nchannels = md->dims[1];
    if (finish->has_rows_of_pixels) return finish_rows_of_pixels(finish, rows, position, npixels);
    if (finish->has_pixel_rows) {
        const prim_dim_t n = prim__min(npixels, SIMD_ROW / nchannels);
        prim__simd_conv_finish_pixels(finish, rows, position, n);
        return n;
    }
    if (finish->has_apart_pixels) {
        const prim_dim_t rest = md->dims[md->ndims - 1] - position[md->ndims - 1];
        const prim_dim_t n = prim__min(npixels, prim__min(SIMD_ROW / nchannels, rest));
        finish_apart(finish, rows, position, n);
        return n;
    }
    prim_dims_t at;
    memcpy(at, position, sizeof at);
    for (prim_dim_t c = 0; c < nchannels; c += REF_ROW_ELEMS) {
        at[1] = c;
        prim__simd_conv_finish_row(
                finish, rows + c, at, 1, prim__min(nchannels - c, REF_ROW_ELEMS));
    }
    return 1;
}

bool prim__simd_conv_has_channel_runs(const simd_conv_finish_t *finish)
{
    const prim_memory_desc_t *const md = finish->ref.dst_md;
    const int w = md->ndims - 1, h = md->ndims - 2;
    return finish->is_vector && finish->vector.ntensors == 1 && md->strides[w] == 1 &&
           (h < 2 || md->strides[h] == md->dims[w]);
}

void prim__simd_conv_finish_run(
        const simd_conv_finish_t *finish, float *row, const prim_dim_t *position, prim_dim_t n)
{
    if (finish_by_epilogue(finish, row, position, finish->ref.dst_md->ndims - 1, n)) return;
    scale_and_shift(finish, row, position[1], 0, n);
    prim__simd_product_chain_store_contiguous(&finish->vector, row, position, n);
}
