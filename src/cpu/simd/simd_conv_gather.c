// SPDX-License-Identifier: Apache-2.0
// Implicit im2col: the columns of a convolution are gathered panel by panel, when the product needs
// them, from sources of any plain layout and float type.
#include "simd_conv_gather.h"

#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "simd_float_rows.h"
#include "simd_gemm.h"
#include "simd_gemm_kernel.h"
#include "simd_gemm_levels.h"
#include "simd_gemm_pack.h"
#include "simd_gemm_pack_words.h"

enum { MAX_WIDTH = 32, CHUNK = 64 };

/// The elements that one tap shows to the pixels of a panel.
typedef struct {
    int count;
    prim_dim_t offset[MAX_WIDTH]; ///< of channel 0 of the group
    bool is_inside[MAX_WIDTH];    ///< any of it
    bool is_merged;               ///< of several taps; then channels first..past are inside
    prim_dim_t first[MAX_WIDTH], past[MAX_WIDTH];
    bool is_affine; ///< all are inside, and offset[r] = offset[0] + r·step
    prim_dim_t step;
} view_t;

/// The pixels of a panel: the position in src that the first tap shows, and its offset.
typedef struct {
    int count;
    prim_dim_t at[CONV_NSPATIAL][MAX_WIDTH];
    prim_dim_t low[CONV_NSPATIAL], high[CONV_NSPATIAL]; ///< of `at`
    prim_dim_t offset[MAX_WIDTH];
    bool is_line; ///< offset[r] = offset[0] + r·step
    prim_dim_t step;
} pixels_t;

static const void *at_element(const void *base, prim_data_type_t dt, prim_dim_t offset)
{
    return (const char *)base + offset * (prim_dim_t)prim__dt_bytes(dt);
}

/// Pixels r..r+n, neighbours in a row of dst from `out` on; `first` is the offset of their image
/// and group.
static void place_run(pixels_t *pixels, const simd_conv_t *conv, int r, int n,
        const prim_dim_t *out, prim_dim_t first)
{
    const conv_shape_t *const s = &conv->shape;
    for (int d = 0; d < CONV_NSPATIAL; ++d) {
        const prim_dim_t step = d == CONV_W ? s->stride[d] : 0;
        const prim_dim_t at = out[d] * s->stride[d] - s->pad[d], last = at + (n - 1) * step;
        for (int k = 0; k < n; ++k) pixels->at[d][r + k] = at + k * step;
        pixels->low[d] = r ? prim__min(pixels->low[d], at) : at;
        pixels->high[d] = r ? prim__max(pixels->high[d], last) : last;
        first += at * conv->src_strides[2 + d];
    }
    const prim_dim_t step = s->stride[CONV_W] * conv->src_strides[2 + CONV_W];
    for (int k = 0; k < n; ++k) pixels->offset[r + k] = first + k * step;
}

static void find_pixels(pixels_t *pixels, const simd_conv_part_t *part, prim_dim_t first, int count)
{
    const simd_conv_t *const conv = part->conv;
    const conv_shape_t *const s = &conv->shape;
    const prim_dim_t group = part->group * s->ic * conv->src_strides[1];
    prim_dim_t rest = part->first_pixel + first, out[CONV_NSPATIAL];
    for (int d = CONV_W; d >= CONV_D; --d) {
        out[d] = rest % s->out[d];
        rest /= s->out[d];
    }
    pixels->count = count;
    for (int r = 0, n; r < count; r += n) {
        n = (int)prim__min(count - r, s->out[CONV_W] - out[CONV_W]);
        place_run(pixels, conv, r, n, out, group + rest * conv->src_strides[0]);
        out[CONV_W] += n - 1;
        int d = CONV_W;
        while (d >= CONV_D && ++out[d] == s->out[d]) out[d--] = 0;
        if (d < CONV_D) ++rest;
    }
    pixels->step = count > 1 ? pixels->offset[1] - pixels->offset[0] : 0;
    pixels->is_line = true;
    for (int r = 2; r < count && pixels->is_line; ++r)
        pixels->is_line = pixels->offset[r] == pixels->offset[r - 1] + pixels->step;
}

static bool are_all_inside(
        const conv_shape_t *s, const pixels_t *pixels, const prim_dim_t *shift, prim_dim_t merged)
{
    for (int d = 0; d < CONV_NSPATIAL; ++d)
        if (pixels->low[d] + shift[d] < 0 ||
                pixels->high[d] + shift[d] + (d == CONV_W ? merged - 1 : 0) >= s->in[d])
            return false;
    return true;
}

/// Where the tap is inside src; whether it is for all pixels.
static bool find_inside(view_t *view, const conv_shape_t *s, const pixels_t *pixels,
        const prim_dim_t *shift, prim_dim_t merged)
{
    for (int r = 0; r < pixels->count; ++r) view->is_inside[r] = true;
    if (are_all_inside(s, pixels, shift, merged)) return true;
    for (int d = 0; d < CONV_NSPATIAL; ++d) {
        const prim_dim_t least = 1 - (d == CONV_W ? merged : 1) - shift[d];
        const prim_dim_t past = s->in[d] - shift[d];
        if (pixels->low[d] >= least && pixels->high[d] < past) continue;
        for (int r = 0; r < pixels->count; ++r)
            view->is_inside[r] &= pixels->at[d][r] >= least && pixels->at[d][r] < past;
    }
    return false;
}

/// The positions in src that the tap is behind the first one, and that distance in elements.
static prim_dim_t move_to_tap(prim_dim_t *shift, const simd_conv_t *conv, prim_dim_t tap)
{
    const conv_shape_t *const s = &conv->shape;
    prim_dim_t moved = 0;
    for (int d = CONV_W; d >= CONV_D; --d) {
        shift[d] = tap % s->kernel[d] * s->dilation[d];
        moved += shift[d] * conv->src_strides[2 + d];
        tap /= s->kernel[d];
    }
    return moved;
}

/// That of pixels in a line that are all inside, without its arrays but offset[0]; false: others.
static bool find_affine_view(
        view_t *view, const simd_conv_part_t *part, const pixels_t *pixels, prim_dim_t tap)
{
    prim_dim_t shift[CONV_NSPATIAL];
    const prim_dim_t moved = move_to_tap(shift, part->conv, tap), merged = part->conv->merged_taps;
    if (!pixels->is_line || !are_all_inside(&part->conv->shape, pixels, shift, merged))
        return false;
    view->count = pixels->count;
    view->step = pixels->step;
    view->is_affine = true;
    view->offset[0] = pixels->offset[0] + moved;
    return true;
}

static void find_view(
        view_t *view, const simd_conv_part_t *part, const pixels_t *pixels, prim_dim_t tap)
{
    const simd_conv_t *const conv = part->conv;
    const conv_shape_t *const s = &conv->shape;
    const prim_dim_t merged = conv->merged_taps, tap_ic = s->ic / merged;
    prim_dim_t shift[CONV_NSPATIAL];
    const prim_dim_t moved = move_to_tap(shift, conv, tap);
    view->count = pixels->count;
    view->step = pixels->step;
    view->is_affine = find_inside(view, s, pixels, shift, merged) && pixels->is_line;
    view->is_merged = merged > 1;
    for (int r = 0; r < pixels->count; ++r) view->offset[r] = pixels->offset[r] + moved;
    for (int r = 0; r < pixels->count && merged > 1; ++r) {
        const prim_dim_t column = pixels->at[CONV_W][r] + shift[CONV_W];
        view->first[r] = column < 0 ? -column * tap_ic : 0;
        view->past[r] = prim__min(merged, s->in[CONV_W] - column) * tap_ic;
    }
}

/// n elements of src as f32, without their zero point.
static void load_row(
        const simd_conv_t *conv, float *out, prim_dim_t offset, prim_dim_t step, prim_dim_t n)
{
    prim__simd_load_row(out, conv->src, conv->src_dt, offset, step, n);
    for (prim_dim_t i = 0; i < n && conv->src_zero != 0; ++i) out[i] -= (float)conv->src_zero;
}

/// Rows of one channel each: runs of neighbours are copied, what is outside is zero.
static void copy_rows(const simd_conv_t *conv, const view_t *view, prim_dim_t c0, prim_dim_t nc,
        float *out, prim_dim_t out_step, int width)
{
    for (int r = 0; r < width;) {
        int n = 1;
        if (r >= view->count || !view->is_inside[r]) {
            while (r + n < width && (r + n >= view->count || !view->is_inside[r + n])) ++n;
            for (prim_dim_t c = 0; c < nc; ++c)
                memset(out + c * out_step + r, 0, (size_t)n * sizeof *out);
            r += n;
            continue;
        }
        const prim_dim_t step = r + 1 < view->count ? view->offset[r + 1] - view->offset[r] : 1;
        while (r + n < view->count && view->is_inside[r + n] &&
                view->offset[r + n] == view->offset[r + n - 1] + step)
            ++n;
        for (prim_dim_t c = 0; c < nc; ++c)
            load_row(conv, out + c * out_step + r,
                    view->offset[r] + (c0 + c) * conv->src_strides[1], step, n);
        r += n;
    }
}

/// Channels from..from+n of a row.
typedef struct {
    prim_dim_t from, n;
} part_of_row_t;

/// Of the channels c0..c0+n of pixel r those that are inside.
static part_of_row_t part_of_row(const view_t *view, int r, prim_dim_t c0, prim_dim_t n)
{
    if (!view->is_merged) return (part_of_row_t){c0, view->is_inside[r] ? n : 0};
    const prim_dim_t from = view->first[r] > c0 ? view->first[r] : c0;
    const prim_dim_t past = prim__min(view->past[r], c0 + n);
    return (part_of_row_t){from, view->is_inside[r] && past > from ? past - from : 0};
}

/// Channels are contiguous: pixels become columns by transposition.
static void turn_rows(const simd_conv_t *conv, const view_t *view, prim_dim_t c0, prim_dim_t nc,
        float *out, int width)
{
    if (view->is_affine && conv->src_zero == 0) {
        const simd_gemm_operand_t op = {at_element(conv->src, conv->src_dt, view->offset[0] + c0),
                conv->src_dt, view->step, 1};
        prim__simd_gemm_pack(&op, 0, view->count, 0, nc, width, out);
        return;
    }
    float rows[MAX_WIDTH * CHUNK];
    for (prim_dim_t c = 0; c < nc; c += CHUNK) {
        const prim_dim_t n = prim__min(nc - c, CHUNK);
        for (int r = 0; r < view->count; ++r) {
            float *const row = rows + r * CHUNK;
            const part_of_row_t part = part_of_row(view, r, c0 + c, n);
            if (part.n < n) memset(row, 0, (size_t)n * sizeof *row);
            if (part.n > 0)
                load_row(conv, row + part.from - c0 - c, view->offset[r] + part.from, 1, part.n);
        }
        const simd_gemm_operand_t op = {rows, PRIM_F32, CHUNK, 1};
        prim__simd_gemm_pack(&op, 0, view->count, 0, n, width, out + c * width);
    }
}

/// Where words of pixels go: word p of pixel r to at[p*width + r], or with a step by rows, to
/// at[r*step + p].
typedef struct {
    float *at;
    int width;
    prim_dim_t step;
} words_out_t;

/// Words w0..w0+nw of pixels, from the row `row` on.
static void put_words(const words_out_t *out, const simd_gemm_words_t *words, int count,
        prim_dim_t w0, prim_dim_t nw, prim_dim_t row)
{
    if (out->step)
        prim__simd_gemm_pack_rows(words, 0, count, w0, nw, out->at + row, out->step);
    else
        prim__simd_gemm_pack_words(words, 0, count, w0, nw, out->width, out->at + row * out->width);
}

/// Whether all of the `ic` channels are inside.
static bool is_whole(const view_t *view, int r, prim_dim_t ic)
{
    return view->is_inside[r] && part_of_row(view, r, 0, ic).n == ic;
}

/// Pixels from r on that are whole and `*step` elements apart.
static int run_of_pixels(const view_t *view, int r, prim_dim_t ic, prim_dim_t *step)
{
    *step = view->is_affine ? view->step : 0;
    if (view->is_affine) return view->count - r;
    if (!is_whole(view, r, ic)) return 0;
    int n = 1;
    if (r + 1 < view->count) *step = view->offset[r + 1] - view->offset[r];
    while (r + n < view->count && view->offset[r + n] == view->offset[r + n - 1] + *step &&
            is_whole(view, r + n, ic))
        ++n;
    return n;
}

/// A pixel that is outside, or in part: what is outside gets the zero point.
static void copy_pixel(
        const simd_conv_t *conv, const view_t *view, int r, prim_dim_t c0, prim_dim_t n, char *row)
{
    const prim_dim_t elem_bytes = (prim_dim_t)sizeof(float) >> conv->word;
    const part_of_row_t part = part_of_row(view, r, c0, n);
    if (part.n < n) memset(row, conv->src_zero, (size_t)(n * elem_bytes));
    if (part.n > 0)
        memcpy(row + (part.from - c0) * elem_bytes,
                at_element(conv->src, conv->src_dt, view->offset[r] + part.from),
                (size_t)(part.n * elem_bytes));
}

/// Words w0..w0+nw of the channels, of pixels anywhere, to rows. Weights are zero in the rest of
/// the last word.
static void copy_words(const simd_conv_t *conv, const view_t *view, prim_dim_t w0, prim_dim_t nw,
        const words_out_t *out, prim_dim_t first)
{
    const prim_dim_t elems = (prim_dim_t)1 << conv->word, c0 = w0 * elems;
    const prim_dim_t elem_bytes = (prim_dim_t)sizeof(float) / elems;
    const prim_dim_t n = prim__min(conv->shape.ic - c0, nw * elems);
    const simd_gemm_code_t *const code = prim__simd_gemm_choose(conv->word);
    for (int r = 0, nrows; r < view->count; r += nrows) {
        prim_dim_t step;
        float *const row = out->at + r * out->step + first;
        nrows = run_of_pixels(view, r, conv->shape.ic, &step);
        if (nrows > 0) {
            code->copy_rows(at_element(conv->src, conv->src_dt, view->offset[r] + c0),
                    step * elem_bytes, nrows, n * elem_bytes, row, out->step);
            continue;
        }
        nrows = 1;
        row[nw - 1] = 0.F;
        copy_pixel(conv, view, r, c0, n, (char *)row);
    }
}

/// The same to columns, or of bytes whose signs are flipped: by rows of their own.
static void gather_words(const simd_conv_t *conv, const view_t *view, prim_dim_t w0, prim_dim_t nw,
        const words_out_t *out, prim_dim_t first)
{
    const prim_dim_t elems = (prim_dim_t)1 << conv->word;
    float rows[MAX_WIDTH * CHUNK];
    for (prim_dim_t w = w0; w < w0 + nw; w += CHUNK) {
        const prim_dim_t n = prim__min(w0 + nw - w, CHUNK);
        const prim_dim_t depth = prim__min(conv->shape.ic - w * elems, n * elems);
        for (int r = 0; r < view->count; ++r)
            copy_pixel(conv, view, r, w * elems, depth, (char *)(rows + r * CHUNK));
        const simd_gemm_words_t words = {.elems = {rows, conv->src_dt, CHUNK * elems, 1},
                .depth = depth,
                .flips = conv->flips_src};
        put_words(out, &words, view->count, 0, n, first + w - w0);
    }
}

static void gather_tap_words(const simd_conv_t *conv, const view_t *view, prim_dim_t w0,
        prim_dim_t nw, const words_out_t *out, prim_dim_t row)
{
    if (out->step && !conv->flips_src) {
        copy_words(conv, view, w0, nw, out, row);
        return;
    }
    if (!view->is_affine) {
        gather_words(conv, view, w0, nw, out, row);
        return;
    }
    const simd_gemm_words_t words = {.elems = {at_element(conv->src, conv->src_dt, view->offset[0]),
                                             conv->src_dt, view->step, 1},
            .depth = conv->shape.ic,
            .flips = conv->flips_src};
    put_words(out, &words, view->count, w0, nw, row);
}

/// The rows of one panel that belong to one tap: channels c0..c0+nc, `step` rows apart.
static void gather_tap(const simd_conv_part_t *part, const pixels_t *pixels, prim_dim_t tap,
        prim_dim_t c0, prim_dim_t nc, float *out, prim_dim_t step, int width)
{
    view_t view;
    find_view(&view, part, pixels, tap);
    if (part->conv->src_strides[1] == 1 && step == 1)
        turn_rows(part->conv, &view, c0, nc, out, width);
    else
        copy_rows(part->conv, &view, c0, nc, out, step * width, width);
}

/// Calls itself for every tap that has depth elements in p0..p0+np.
typedef void (*tap_body_t)(const void *arg, prim_dim_t tap, prim_dim_t c0, prim_dim_t nc,
        prim_dim_t row, prim_dim_t step);

/// Cuts the depth p0..p0+np into taps: body(arg, tap, first channel, channels, row of the panel,
/// distance of its rows).
static void for_each_tap(
        const simd_conv_t *conv, prim_dim_t p0, prim_dim_t np, tap_body_t body, const void *arg)
{
    const prim_dim_t depth = conv->tap_words, ntaps = conv->ntaps;
    if (!conv->channels_lead) {
        for (prim_dim_t p = p0; p < p0 + np;) {
            const prim_dim_t c = p % depth, n = prim__min(depth - c, p0 + np - p);
            body(arg, p / depth, c, n, p - p0, 1);
            p += n;
        }
        return;
    }
    for (prim_dim_t tap = 0; tap < ntaps; ++tap) {
        const prim_dim_t first = p0 > tap ? prim__ceil_div(p0 - tap, ntaps) : 0;
        const prim_dim_t past = p0 + np > tap ? prim__ceil_div(p0 + np - tap, ntaps) : 0;
        if (first < past) body(arg, tap, first, past - first, first * ntaps + tap - p0, ntaps);
    }
}

/// One panel of sources under work.
typedef struct {
    const simd_conv_part_t *part;
    pixels_t pixels;
    words_out_t out;
} source_panel_t;

static void gather_into_panel(const void *arg, prim_dim_t tap, prim_dim_t c0, prim_dim_t nc,
        prim_dim_t row, prim_dim_t step)
{
    const source_panel_t *const p = arg;
    const int width = p->out.width;
    if (p->part->conv->word == SIMD_WORD_F32) {
        gather_tap(p->part, &p->pixels, tap, c0, nc, p->out.at + row * width, step, width);
        return;
    }
    view_t view;
    if (!find_affine_view(&view, p->part, &p->pixels, tap))
        find_view(&view, p->part, &p->pixels, tap);
    gather_tap_words(p->part->conv, &view, c0, nc, &p->out, row);
}

void prim__simd_conv_gather(const simd_conv_part_t *part, prim_dim_t i0, prim_dim_t ni,
        prim_dim_t p0, prim_dim_t np, int width, float *panels)
{
    source_panel_t panel = {.part = part, .out = {panels, width, 0}};
    for (prim_dim_t i = i0; i < i0 + ni; i += width, panel.out.at += np * width) {
        find_pixels(&panel.pixels, part, i, (int)prim__min(i0 + ni - i, width));
        for_each_tap(part->conv, p0, np, gather_into_panel, &panel);
    }
}

void prim__simd_conv_gather_rows(const simd_conv_part_t *part, prim_dim_t i0, prim_dim_t ni,
        prim_dim_t p0, prim_dim_t np, float *rows, prim_dim_t step)
{
    source_panel_t panel = {.part = part, .out = {rows, MAX_WIDTH, step}};
    for (prim_dim_t i = i0; i < i0 + ni; i += MAX_WIDTH, panel.out.at += MAX_WIDTH * step) {
        find_pixels(&panel.pixels, part, i, (int)prim__min(i0 + ni - i, MAX_WIDTH));
        for_each_tap(part->conv, p0, np, gather_into_panel, &panel);
    }
}

/// One panel of weights under work.
typedef struct {
    const simd_conv_part_t *part;
    prim_dim_t o;
    int count, width;
    float *panel;
} weights_panel_t;

/// Words w0..w0+nw of the input channels of a tap.
static void gather_weights_words(
        const weights_panel_t *p, prim_dim_t tap, prim_dim_t w0, prim_dim_t nw, prim_dim_t row)
{
    const simd_conv_t *const conv = p->part->conv;
    const prim_dim_t *const strides = conv->wei_strides;
    const prim_dim_t ic = conv->shape.ic;
    simd_gemm_words_t words = {.elems = {NULL, conv->wei_dt, strides[1], strides[2]}, .depth = ic};
    prim_dim_t offset = p->part->group * strides[0];
    if (conv->weights == SIMD_WEI_PANELS) {
        offset += (p->o * conv->ntaps + tap * p->width) * ic;
        words.elems.along = 1;
        words.elems.down = p->width;
    } else {
        offset += p->o * strides[1];
        for (int d = CONV_W; d >= CONV_D; --d) {
            offset += tap % conv->shape.kernel[d] * strides[3 + d];
            tap /= conv->shape.kernel[d];
        }
    }
    words.elems.data = at_element(conv->wei, conv->wei_dt, offset);
    prim__simd_gemm_pack_words(&words, 0, p->count, w0, nw, p->width, p->panel + row * p->width);
}

static void gather_weights_into_panel(const void *arg, prim_dim_t tap, prim_dim_t c0, prim_dim_t nc,
        prim_dim_t row, prim_dim_t step)
{
    const weights_panel_t *const p = arg;
    const simd_conv_t *const conv = p->part->conv;
    if (conv->word != SIMD_WORD_F32) {
        gather_weights_words(p, tap, c0, nc, row);
        return;
    }
    const prim_dim_t *const strides = conv->wei_strides;
    prim_dim_t offset = p->part->group * strides[0] + p->o * strides[1] + c0 * strides[2];
    for (int d = CONV_W; d >= CONV_D; --d) {
        offset += tap % conv->shape.kernel[d] * strides[3 + d];
        tap /= conv->shape.kernel[d];
    }
    (void)step; // weights read by taps have them in front
    const simd_gemm_operand_t op = {
            at_element(conv->wei, conv->wei_dt, offset), conv->wei_dt, strides[1], strides[2]};
    prim__simd_gemm_pack(&op, 0, p->count, 0, nc, p->width, p->panel + row * p->width);
}

void prim__simd_conv_gather_weights(const simd_conv_part_t *part, prim_dim_t o0, prim_dim_t no,
        prim_dim_t p0, prim_dim_t np, int width, float *panels)
{
    const simd_conv_t *const conv = part->conv;
    const prim_dim_t group = part->group * conv->wei_strides[0];
    const prim_dim_t depth = conv->ntaps * conv->shape.ic;
    if (conv->weights == SIMD_WEI_LINEAR && conv->word == SIMD_WORD_F32) {
        const simd_gemm_operand_t op = {at_element(conv->wei, conv->wei_dt, group), conv->wei_dt,
                conv->wei_strides[1], conv->wei_down};
        prim__simd_gemm_pack(&op, o0, no, p0, np, width, panels);
        return;
    }
    weights_panel_t panel = {.part = part, .width = width};
    for (prim_dim_t o = o0; o < o0 + no; o += width, panels += np * width) {
        if (conv->weights == SIMD_WEI_PANELS && conv->word == SIMD_WORD_F32) {
            prim__simd_load_row(
                    panels, conv->wei, conv->wei_dt, group + o * depth + p0 * width, 1, np * width);
            continue;
        }
        panel.o = o;
        panel.count = (int)prim__min(o0 + no - o, width);
        panel.panel = panels;
        for_each_tap(conv, p0, np, gather_weights_into_panel, &panel);
    }
}
