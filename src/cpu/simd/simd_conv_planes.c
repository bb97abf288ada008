// SPDX-License-Identifier: Apache-2.0
// Rows of src become phases of padded planes.
#include "simd_conv_planes.h"

#include <string.h>

#include "common/int_math.h"
#include "simd_direct.h"
#include "simd_gemm_kernel.h"
#include "simd_gemm_levels.h"

/// How far the last tap lies behind the first, in elements of a phase.
static prim_dim_t reach(const conv_shape_t *s, int dim)
{
    return (s->kernel[dim] - 1) * s->dilation[dim] / s->stride[dim];
}

void prim__simd_conv_planes_init(
        simd_conv_planes_t *planes, const conv_shape_t *shape, prim_dim_t rows)
{
    planes->shape = *shape;
    planes->rows = rows;
    planes->width = shape->out[CONV_W] + reach(shape, CONV_W);
    planes->phase_rows = rows + reach(shape, CONV_H);
    planes->plane_elems =
            planes->width * planes->phase_rows * shape->stride[CONV_H] * shape->stride[CONV_W];
}

prim_dim_t prim__simd_conv_planes_elems(const simd_conv_planes_t *planes, prim_dim_t nchannels)
{
    const prim_dim_t nplanes = nchannels * planes->shape.kernel[CONV_D];
    return nplanes * planes->plane_elems + SIMD_DIRECT_SLACK;
}

enum { OUTSIDE = -1 }; // of a row or plane of src: no offset

/// Where the plane has row y and column x of what the strip meets.
static prim_dim_t place(const simd_conv_planes_t *p, prim_dim_t y, prim_dim_t x)
{
    const prim_dim_t sh = p->shape.stride[CONV_H], sw = p->shape.stride[CONV_W];
    const prim_dim_t phase = y % sh * sw + x % sw;
    return (phase * p->phase_rows + y / sh) * p->width + x / sw;
}

void prim__simd_conv_planes_taps(const simd_conv_planes_t *planes, prim_dim_t *taps)
{
    const conv_shape_t *const s = &planes->shape;
    for (prim_dim_t kh = 0; kh < s->kernel[CONV_H]; ++kh)
        for (prim_dim_t kw = 0; kw < s->kernel[CONV_W]; ++kw)
            *taps++ = place(planes, kh * s->dilation[CONV_H], kw * s->dilation[CONV_W]);
}

void prim__simd_conv_planes_all_taps(
        const simd_conv_planes_t *planes, prim_dim_t *taps, prim_dim_t nchannels)
{
    const conv_shape_t *const s = &planes->shape;
    const prim_dim_t in_plane = s->kernel[CONV_H] * s->kernel[CONV_W];
    for (prim_dim_t kd = 0; kd < s->kernel[CONV_D]; ++kd, taps += in_plane) {
        prim__simd_conv_planes_taps(planes, taps);
        for (prim_dim_t t = 0; t < in_plane; ++t)
            taps[t] = (taps[t] + kd * planes->plane_elems) * nchannels;
    }
}

bool prim__simd_conv_planes_is_met(const conv_shape_t *s, int dim, prim_dim_t phase)
{
    for (prim_dim_t k = 0; k < s->kernel[dim]; ++k)
        if (k * s->dilation[dim] % s->stride[dim] == phase) return true;
    return false;
}

/// The columns of one phase: first..past of a row are inside src.
typedef struct {
    const simd_conv_planes_t *planes;
    const simd_conv_source_t *source;
    const simd_convert_code_t *code;
    prim_dim_t first, past;
    prim_dim_t at, step; ///< of column `first` in a row of src, and to the next
} columns_t;

static void set_columns(columns_t *c, prim_dim_t phase)
{
    const conv_shape_t *const s = &c->planes->shape;
    const prim_dim_t stride = s->stride[CONV_W], shift = phase - s->pad[CONV_W];
    const prim_dim_t width = c->planes->width, inside = s->in[CONV_W] - shift;
    c->first = shift < 0 ? prim__min(prim__ceil_div(-shift, stride), width) : 0;
    c->past = inside > 0 ? prim__min(prim__ceil_div(inside, stride), width) : 0;
    c->past = prim__max(c->past, c->first);
    c->at = (c->first * stride + shift) * c->source->strides[4];
    c->step = stride * c->source->strides[4];
}

/// n elements, few of them: no call.
static void copy_few(float *to, const float *from, prim_dim_t n)
{
    enum { QUARTER = 4, MANY = 128 };
    prim_dim_t i = 0;
    if (n >= MANY) {
        memcpy(to, from, (size_t)n * sizeof *to);
        return;
    }
    for (; i + QUARTER <= n; i += QUARTER) memcpy(to + i, from + i, QUARTER * sizeof *to);
    for (; i < n; ++i) to[i] = from[i];
}

/// What is inside of a row that begins at offset `from` of src. The rest is zero already.
static void copy_row(const columns_t *c, prim_dim_t from, float *to)
{
    const simd_array_t *const array = &c->source->array;
    const prim_dim_t n = c->past - c->first, step = c->step;
    if (n == 0) return;
    to += c->first;
    if (array->dt != PRIM_F32) {
        const float *const row = prim__simd_read(c->code, to, array, from + c->at, step, n);
        if (row != to) memcpy(to, row, (size_t)n * sizeof *to);
        return;
    }
    const float *const row = (const float *)(const void *)array->base + from + c->at;
    if (step == 1)
        copy_few(to, row, n);
    else
        for (prim_dim_t i = 0; i < n; ++i) to[i] = row[i * step];
}

enum { LANES = 16, CHANNELS = 64 }; ///< of a block that is transposed, at most

/// Whether whole pixels are converted at once, those of channels that are not asked for as well.
static bool has_whole_pixels(prim_dim_t nchannels, prim_dim_t step)
{
    return step <= CHANNELS && step < 2 * nchannels;
}

/// npixels pixels of n channels from offset `at` on as rows of f32, `*row` elements apart: in
/// `room`, or where they are.
static const float *read_pixels(const columns_t *c, prim_dim_t at, prim_dim_t npixels, prim_dim_t n,
        float *room, prim_dim_t *row)
{
    const simd_array_t *const array = &c->source->array;
    *row = c->step;
    if (array->dt == PRIM_F32) return prim__simd_at(array, at);
    if (has_whole_pixels(n, c->step)) {
        c->code->load(room, prim__simd_at(array, at), array->dt, (npixels - 1) * c->step + n);
        return room;
    }
    *row = CHANNELS;
    for (prim_dim_t r = 0; r < npixels; ++r)
        c->code->load(room + r * *row, prim__simd_at(array, at + r * c->step), array->dt, n);
    return room;
}

/// Pixels whose channels are neighbours, as planes: blocks of both are converted and transposed.
/// The row of src begins at offset `from`, of channel 0; channels are `plane` elements apart.
static void copy_pixels(
        const columns_t *c, prim_dim_t from, prim_dim_t nchannels, prim_dim_t plane, float *to)
{
    const simd_gemm_code_t *const turn = prim__simd_gemm_choose(SIMD_WORD_F32);
    float room[LANES * CHANNELS];
    for (prim_dim_t x = c->first; x < c->past; x += turn->lanes) {
        const int npixels = (int)prim__min(c->past - x, turn->lanes);
        const prim_dim_t at = from + c->at + (x - c->first) * c->step;
        for (prim_dim_t i = 0; i < nchannels; i += CHANNELS) {
            const prim_dim_t n = prim__min(nchannels - i, CHANNELS);
            prim_dim_t row;
            const float *const rows = read_pixels(c, at + i, npixels, n, room, &row);
            turn->transpose(rows, row * (prim_dim_t)sizeof *rows, npixels, n, to + i * plane + x,
                    (int)plane, npixels);
        }
    }
}

/// One row of src, OUTSIDE in the padding, to the row `to` of the plane of each channel, `plane`
/// elements apart.
static void copy_row_of_channels(
        const columns_t *c, prim_dim_t from, prim_dim_t nchannels, prim_dim_t plane, float *to)
{
    const prim_dim_t width = c->planes->width;
    const prim_dim_t first = from == OUTSIDE ? width : c->first;
    const prim_dim_t past = from == OUTSIDE ? width : c->past;
    for (prim_dim_t i = 0; i < nchannels; ++i) {
        float *const row = to + i * plane;
        for (prim_dim_t x = 0; x < first; ++x) row[x] = 0.F;
        for (prim_dim_t x = past; x < width; ++x) row[x] = 0.F;
    }
    if (from != OUTSIDE) copy_pixels(c, from, nchannels, plane, to);
}

/// One row of a plane of one or all channels; `from` is its offset in src, or OUTSIDE.
static void copy_any_row(const columns_t *c, prim_dim_t from, prim_dim_t nchannels, float *to)
{
    const simd_conv_planes_t *const p = c->planes;
    if (nchannels > 1)
        copy_row_of_channels(c, from, nchannels, p->plane_elems * p->shape.kernel[CONV_D], to);
    else if (from != OUTSIDE)
        copy_row(c, from, to);
}

/// The rows of all row phases: those of src from `top` on.
static void copy_rows(const columns_t *c, prim_dim_t plane_at, prim_dim_t top, prim_dim_t phase,
        prim_dim_t nchannels, float *plane)
{
    const simd_conv_planes_t *const p = c->planes;
    const conv_shape_t *const s = &p->shape;
    const prim_dim_t stride = s->stride[CONV_H];
    for (prim_dim_t y = 0; y < stride; ++y) {
        if (!prim__simd_conv_planes_is_met(s, CONV_H, y)) continue;
        float *to = plane + place(p, y, phase);
        prim_dim_t ih = top + y;
        for (prim_dim_t r = 0; r < p->phase_rows; ++r, ih += stride, to += p->width) {
            const bool is_inside = plane_at >= 0 && ih >= 0 && ih < s->in[CONV_H];
            copy_any_row(
                    c, is_inside ? plane_at + ih * c->source->strides[3] : OUTSIDE, nchannels, to);
        }
    }
}

/// Whether a plane has elements outside src: rows from `top` on.
static bool has_edges(const simd_conv_planes_t *p, bool is_inside, prim_dim_t top)
{
    const conv_shape_t *const s = &p->shape;
    const prim_dim_t columns = p->width * s->stride[CONV_W], pad = s->pad[CONV_W];
    const prim_dim_t rows = p->phase_rows * s->stride[CONV_H];
    return !is_inside || top < 0 || top + rows > s->in[CONV_H] || pad > 0 ||
           columns - pad > s->in[CONV_W];
}

/// Channels from `channel` on under one tap along the depth.
static void copy_plane(columns_t *c, const simd_conv_strip_t *strip, prim_dim_t channel,
        prim_dim_t nchannels, prim_dim_t kd, float *to)
{
    const conv_shape_t *const s = &c->planes->shape;
    const prim_dim_t *const strides = c->source->strides;
    const prim_dim_t id = strip->od * s->stride[CONV_D] + kd * s->dilation[CONV_D] - s->pad[CONV_D];
    const prim_dim_t at = strip->image * strides[0] + channel * strides[1] + id * strides[2];
    const prim_dim_t top = strip->oh * s->stride[CONV_H] - s->pad[CONV_H];
    const bool is_inside = id >= 0 && id < s->in[CONV_D];
    if (nchannels == 1 && has_edges(c->planes, is_inside, top))
        memset(to, 0, (size_t)c->planes->plane_elems * sizeof *to);
    for (prim_dim_t phase = 0; phase < s->stride[CONV_W]; ++phase) {
        if (!prim__simd_conv_planes_is_met(s, CONV_W, phase)) continue;
        set_columns(c, phase);
        copy_rows(c, is_inside ? at : OUTSIDE, top, phase, nchannels, to);
    }
}

void prim__simd_conv_copy_planes(const simd_conv_planes_t *planes, const simd_conv_source_t *source,
        const simd_conv_strip_t *strip, prim_dim_t nchannels, float *to)
{
    columns_t columns = {
            .planes = planes, .source = source, .code = SIMD_CHOOSE(prim__simd_convert_code)};
    const prim_dim_t ndepths = planes->shape.kernel[CONV_D];
    // Channels that are neighbours go together, if they and the pixels of a row are worth a block.
    const bool is_last = source->strides[1] == 1 && source->strides[4] > 1 && planes->width >= 4;
    const prim_dim_t step = planes->shape.stride[CONV_W] * source->strides[4];
    const bool is_dense = source->array.dt == PRIM_F32 || has_whole_pixels(nchannels, step);
    const prim_dim_t n = is_last && nchannels >= (is_dense ? 4 : 16) ? nchannels : 1;
    for (prim_dim_t i = 0; i < nchannels; i += n)
        for (prim_dim_t kd = 0; kd < ndepths; ++kd, to += planes->plane_elems)
            copy_plane(&columns, strip, strip->channel + i, n, kd, to);
}
