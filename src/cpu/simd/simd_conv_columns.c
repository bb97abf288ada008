// SPDX-License-Identifier: Apache-2.0
// The tensors of a convolution as matrices with one row for each pixel of dst.
#include "simd_conv_columns.h"

#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "simd_float_rows.h"
#include "simd_gemm_kernel.h"
#include "simd_gemm_levels.h"
#include "simd_gemm_pack_words.h"

/// Lanes of the widest vectors, and pixels that are converted at a time.
enum { MAX_LANES = 16, CHUNK = 64 };

/// Whether a row of windows along the last dimension goes on in the next row, or image.
static bool continues(const simd_conv_columns_t *c, int dim, prim_dim_t stride)
{
    const conv_shape_t *const s = &c->shape;
    return s->kernel[dim] == 1 && s->stride[dim] == 1 && s->pad[dim] == 0 &&
           s->in[dim] == s->out[dim] && s->kernel[CONV_W] == 1 && s->stride[CONV_W] == 1 &&
           s->pad[CONV_W] == 0 && s->in[CONV_W] == s->out[CONV_W] &&
           (s->in[dim] == 1 || stride == c->strides[4] * s->in[CONV_W]);
}

/// Rows, planes and images that continue each other become one row.
static void join_rows(simd_conv_columns_t *c)
{
    conv_shape_t *const s = &c->shape;
    for (int d = CONV_H; d >= CONV_D; --d) {
        if (!continues(c, d, c->strides[2 + d])) return;
        s->in[CONV_W] = s->out[CONV_W] *= s->out[d];
        s->in[d] = s->out[d] = 1;
    }
    if (s->mb > 1 && c->strides[0] != c->strides[4] * s->in[CONV_W]) return;
    s->in[CONV_W] = s->out[CONV_W] *= s->mb;
    s->mb = 1;
}

static void init(simd_conv_columns_t *c, const prim_memory_desc_t *md, const void *data)
{
    c->data = (const char *)data + (size_t)md->offset0 * prim__dt_bytes(md->data_type);
    c->dt = md->data_type;
    prim__conv_data_strides(c->strides, md);
    join_rows(c);
}

void prim__simd_conv_columns_of_src(
        simd_conv_columns_t *columns, const prim_desc_t *pd, const void *data)
{
    prim__conv_shape(&columns->shape, pd);
    init(columns, prim__pd_md(pd, PRIM_ARG_SRC), data);
}

void prim__simd_conv_columns_of_diff_dst(
        simd_conv_columns_t *columns, const prim_desc_t *pd, const void *data)
{
    conv_shape_t *const s = &columns->shape;
    prim__conv_shape(s, pd);
    s->ic = s->oc;
    for (int d = 0; d < CONV_NSPATIAL; ++d) {
        s->in[d] = s->out[d];
        s->kernel[d] = s->stride[d] = s->dilation[d] = 1;
        s->pad[d] = 0;
    }
    init(columns, prim__pd_md(pd, PRIM_ARG_DIFF_DST), data);
}

/// Channels of one tap that go to columns of a panel, and the panel's width.
typedef struct {
    const simd_conv_columns_t *columns;
    prim_dim_t tap[CONV_NSPATIAL];
    prim_dim_t channel_at; ///< offset of the first one
    int n, width;
    prim_dim_t elem_bytes; ///< of a panel: of f32, or of bf16, which stays as it is
} run_t;

/// Rows of `bytes` bytes, piece <= bytes <= 2·piece: two pieces of a length that the compiler
/// knows, one over the other where they meet.
static inline void copy_pieces(char *to, prim_dim_t to_step, const char *from, prim_dim_t from_step,
        prim_dim_t nrows, size_t bytes, size_t piece)
{
    const size_t second = bytes - piece;
    for (prim_dim_t r = 0; r < nrows; ++r, to += to_step, from += from_step) {
        memcpy(to, from, piece);
        memcpy(to + second, from + second, piece);
    }
}

/// Channels of pixels, as they are: at most 128 bytes each. Steps are in bytes.
static void copy_channels(char *to, prim_dim_t to_step, const char *from, prim_dim_t from_step,
        prim_dim_t npixels, size_t bytes)
{
    if (bytes >= 64)
        copy_pieces(to, to_step, from, from_step, npixels, bytes, 64);
    else if (bytes >= 32)
        copy_pieces(to, to_step, from, from_step, npixels, bytes, 32);
    else if (bytes >= 16)
        copy_pieces(to, to_step, from, from_step, npixels, bytes, 16);
    else if (bytes >= 8)
        copy_pieces(to, to_step, from, from_step, npixels, bytes, 8);
    else if (bytes >= 4)
        copy_pieces(to, to_step, from, from_step, npixels, bytes, 4);
    else
        copy_pieces(to, to_step, from, from_step, npixels, bytes, 2);
}

/// Pixels side by side: transposed, after conversion in pieces.
static void transpose_pixels(const run_t *run, prim_dim_t at, prim_dim_t npixels, float *out)
{
    const simd_gemm_code_t *const code = prim__simd_gemm_choose(SIMD_WORD_F32);
    const simd_conv_columns_t *const c = run->columns;
    for (int r = 0; r < run->n; r += code->lanes) {
        const int n = (int)prim__min(run->n - r, code->lanes);
        const prim_dim_t from = at + r * c->strides[1];
        float rows[MAX_LANES * CHUNK];
        if (c->dt == PRIM_F32) {
            code->transpose((const float *)c->data + from, c->strides[1] * (prim_dim_t)sizeof *rows,
                    n, npixels, out + r, run->width, n);
            continue;
        }
        for (prim_dim_t p = 0; p < npixels; p += CHUNK) {
            const prim_dim_t np = prim__min(npixels - p, CHUNK);
            for (int i = 0; i < n; ++i)
                prim__simd_load_row(
                        rows + i * CHUNK, c->data, c->dt, from + i * c->strides[1] + p, 1, np);
            code->transpose(rows, CHUNK * (prim_dim_t)sizeof *rows, n, np, out + p * run->width + r,
                    run->width, n);
        }
    }
}

/// One channel: pixels `step` apart.
static void copy_column(
        const run_t *run, prim_dim_t at, prim_dim_t step, prim_dim_t npixels, float *out)
{
    const simd_conv_columns_t *const c = run->columns;
    float column[CHUNK];
    for (prim_dim_t p = 0; p < npixels; p += CHUNK) {
        const prim_dim_t n = prim__min(npixels - p, CHUNK);
        prim__simd_load_row(column, c->data, c->dt, at + p * step, step, n);
        for (prim_dim_t i = 0; i < n; ++i) out[(p + i) * run->width] = column[i];
    }
}

/// Pixels `step` apart from offset `at` on, all inside the tensor.
static void copy_pixels(
        const run_t *run, prim_dim_t at, prim_dim_t step, prim_dim_t npixels, void *to)
{
    float *out = to;
    const simd_conv_columns_t *const c = run->columns;
    const prim_dim_t channel = c->strides[1];
    const prim_dim_t bytes = (prim_dim_t)prim__dt_bytes(c->dt);
    if (channel == 1 && run->elem_bytes == bytes) {
        copy_channels(to, run->width * bytes, (const char *)c->data + at * bytes, step * bytes,
                npixels, (size_t)(run->n * bytes));
    } else if (run->n == 1 || (channel != 1 && step != 1)) {
        for (int i = 0; i < run->n; ++i) copy_column(run, at + i * channel, step, npixels, out + i);
    } else if (channel != 1) {
        transpose_pixels(run, at, npixels, out);
    } else {
        for (prim_dim_t p = 0; p < npixels; ++p, at += step, out += run->width)
            prim__simd_load_row(out, c->data, c->dt, at, 1, run->n);
    }
}

static void clear_pixels(const run_t *run, prim_dim_t npixels, char *out)
{
    for (prim_dim_t p = 0; p < npixels; ++p, out += run->width * run->elem_bytes)
        memset(out, 0, (size_t)(run->n * run->elem_bytes));
}

/// The pixels first..past of a row of dst whose windows' row of the tensor begins at `row_at`.
static void gather_row(
        const run_t *run, prim_dim_t row_at, prim_dim_t first, prim_dim_t past, char *out)
{
    const prim_dim_t step = run->width * run->elem_bytes;
    const conv_shape_t *const s = &run->columns->shape;
    const prim_dim_t pixel = run->columns->strides[4], tap = run->tap[CONV_W];
    prim_dim_t begin, end;
    prim__conv_valid_range(s, CONV_W, tap, &begin, &end);
    begin = prim__min(prim__max(begin, first), past);
    end = prim__max(prim__min(end, past), begin);
    clear_pixels(run, begin - first, out);
    const prim_dim_t in = begin * s->stride[CONV_W] + tap * s->dilation[CONV_W] - s->pad[CONV_W];
    copy_pixels(run, row_at + in * pixel, s->stride[CONV_W] * pixel, end - begin,
            out + (begin - first) * step);
    clear_pixels(run, past - end, out + (end - first) * step);
}

/// The pixels p0..p0+np, row by row.
static void gather_run(const run_t *run, prim_dim_t p0, prim_dim_t np, char *out)
{
    const simd_conv_columns_t *const c = run->columns;
    const conv_shape_t *const s = &c->shape;
    for (prim_dim_t p = p0; p < p0 + np;) {
        prim_dim_t rest = p, at[CONV_NSPATIAL], row_at = run->channel_at;
        for (int d = CONV_W; d >= CONV_D; --d) {
            at[d] = rest % s->out[d];
            rest /= s->out[d];
        }
        const prim_dim_t past = prim__min(s->out[CONV_W], at[CONV_W] + p0 + np - p);
        bool is_inside = true;
        for (int d = CONV_D; d < CONV_W; ++d) {
            const prim_dim_t in = at[d] * s->stride[d] + run->tap[d] * s->dilation[d] - s->pad[d];
            is_inside = is_inside && in >= 0 && in < s->in[d];
            row_at += in * c->strides[2 + d];
        }
        if (is_inside)
            gather_row(run, row_at + rest * c->strides[0], at[CONV_W], past, out);
        else
            clear_pixels(run, past - at[CONV_W], out);
        out += (past - at[CONV_W]) * run->width * run->elem_bytes;
        p += past - at[CONV_W];
    }
}

/// The columns j..j+count, tap by tap, of the pixels p0..p0+np.
static void gather_panel(run_t *run, prim_dim_t group, prim_dim_t j, int count, prim_dim_t p0,
        prim_dim_t np, char *panel)
{
    const conv_shape_t *const s = &run->columns->shape;
    for (int r = 0; r < count; r += run->n) {
        prim_dim_t tap = (j + r) / s->ic;
        const prim_dim_t channel = (j + r) % s->ic;
        for (int d = CONV_W; d >= CONV_D; --d) {
            run->tap[d] = tap % s->kernel[d];
            tap /= s->kernel[d];
        }
        run->n = (int)prim__min(s->ic - channel, count - r);
        run->channel_at = (group * s->ic + channel) * run->columns->strides[1];
        gather_run(run, p0, np, panel + r * run->elem_bytes);
    }
}

void prim__simd_conv_gather_columns(const simd_conv_columns_t *columns, prim_dim_t group,
        prim_dim_t j0, prim_dim_t nj, prim_dim_t p0, prim_dim_t np, int width, float *panels)
{
    run_t run = {.columns = columns, .width = width, .elem_bytes = (prim_dim_t)sizeof *panels};
    for (prim_dim_t j = j0; j < j0 + nj; j += width, panels += np * width) {
        const int count = (int)prim__min(j0 + nj - j, width);
        gather_panel(&run, group, j, count, p0, np, (char *)panels);
        for (prim_dim_t p = 0; p < np && count < width; ++p)
            memset(panels + p * width + count, 0, (size_t)(width - count) * sizeof *panels);
    }
}

/// Words of two neighbouring pixels, which are rows of the tensor's elements.
static void pair_pixels(const uint16_t *rows, prim_dim_t npixels, int width, float *panel)
{
    for (prim_dim_t p = 0; p < npixels; p += 2, rows += 2 * width, panel += width) {
        uint32_t words[SIMD_CONV_MOST_COLUMNS];
        for (int r = 0; r < width; ++r) words[r] = (uint32_t)rows[width + r] << 16 | rows[r];
        memcpy(panel, words, (size_t)width * sizeof *panel);
    }
}

/// Whether all pixels lie at one distance, and are seen by one tap: the rows of a matrix.
static bool is_matrix(const simd_conv_columns_t *c)
{
    const conv_shape_t *const s = &c->shape;
    const bool is_inside =
            s->pad[CONV_W] == 0 && (s->out[CONV_W] - 1) * s->stride[CONV_W] < s->in[CONV_W];
    bool is_one = s->mb == 1 && is_inside && s->kernel[CONV_W] == 1;
    for (int d = CONV_D; d < CONV_W; ++d)
        is_one = is_one && s->out[d] == 1 && s->kernel[d] == 1 && s->pad[d] == 0;
    return is_one;
}

void prim__simd_conv_gather_column_words(const simd_conv_columns_t *columns, prim_dim_t group,
        prim_dim_t j0, prim_dim_t nj, prim_dim_t p0, prim_dim_t np, int width, float *panels)
{
    uint16_t rows[CHUNK * SIMD_CONV_MOST_COLUMNS];
    run_t run = {.columns = columns, .width = width, .elem_bytes = (prim_dim_t)sizeof *rows};
    const prim_dim_t nwords = prim__ceil_div(np, 2);
    if (is_matrix(columns)) {
        const prim_dim_t step = columns->shape.stride[CONV_W] * columns->strides[4];
        const prim_dim_t at = group * columns->shape.ic + p0 * step;
        const simd_gemm_words_t words = {
                .elems = {(const uint16_t *)columns->data + at, PRIM_BF16, 1, step}, .depth = np};
        prim__simd_gemm_pack_words(&words, j0, nj, 0, nwords, width, panels);
        return;
    }
    for (prim_dim_t j = j0; j < j0 + nj; j += width, panels += nwords * width) {
        const int count = (int)prim__min(j0 + nj - j, width);
        for (prim_dim_t p = 0; p < np; p += CHUNK) {
            const prim_dim_t n = prim__min(np - p, CHUNK);
            if (count < width || n < CHUNK) memset(rows, 0, sizeof rows);
            gather_panel(&run, group, j, count, p0 + p, n, (char *)rows);
            pair_pixels(rows, n, width, panels + p / 2 * width);
        }
    }
}
