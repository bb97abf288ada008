// SPDX-License-Identifier: Apache-2.0
// Rows of pixels become phases of padded planes.
#include "simd_conv_phases.h"

#include <string.h>

#include "common/int_math.h"

/// A copy under work.
typedef struct {
    const simd_conv_planes_t *planes;
    const simd_conv_source_t *source;
    const simd_convert_code_t *code;
    prim_dim_t nchannels;
} copy_t;

enum { ROOM = 1024, FEW = 16 }; ///< elements; a pixel of fewer shares its vector with others

/// Columns of the plane: i, i + stride, … before `past`.
typedef struct {
    prim_dim_t i, past;
    float *to; ///< of column i
} phase_t;

/// The columns first..past of a plane's row that are of one phase.
static phase_t phase_of(
        const copy_t *c, prim_dim_t phase, prim_dim_t first, prim_dim_t past, float *row)
{
    const simd_conv_planes_t *const p = c->planes;
    const prim_dim_t sh = p->shape.stride[CONV_H], sw = p->shape.stride[CONV_W];
    const prim_dim_t phase_elems = p->plane_elems / sh / sw * c->nchannels;
    const prim_dim_t i = first + (phase - first % sw + sw) % sw;
    return (phase_t){i, past, row + phase * phase_elems + i / sw * c->nchannels};
}

/// `from` is the pixel of column `first` of the plane, others follow it.
static void spread_pixels(
        const copy_t *c, const float *from, prim_dim_t first, prim_dim_t past, float *row)
{
    const conv_shape_t *const s = &c->planes->shape;
    const prim_dim_t stride = s->stride[CONV_W], nc = c->nchannels;
    for (prim_dim_t phase = 0; phase < stride; ++phase) {
        if (!prim__simd_conv_planes_is_met(s, CONV_W, phase)) continue;
        phase_t at = phase_of(c, phase, first, past, row);
        for (; at.i < past; at.i += stride, at.to += nc) {
            const float *const pixel = from + (at.i - first) * nc;
            for (prim_dim_t k = 0; k < nc; ++k) at.to[k] = pixel[k];
        }
    }
}

/// Columns first..past of the plane from neighbours of src, from offset `from` on.
static void copy_dense(
        const copy_t *c, prim_dim_t from, prim_dim_t first, prim_dim_t past, float *row)
{
    const simd_array_t *const array = &c->source->array;
    const prim_dim_t nc = c->nchannels;
    if (c->planes->shape.stride[CONV_W] == 1) {
        float *const to = row + first * nc;
        const prim_dim_t n = (past - first) * nc;
        const float *const at = prim__simd_read(c->code, to, array, from, 1, n);
        if (at != to) memcpy(to, at, (size_t)n * sizeof *at);
        return;
    }
    float room[ROOM];
    for (prim_dim_t x = first, n; x < past; x += n, from += n * nc) {
        n = prim__min(ROOM / nc, past - x);
        spread_pixels(c, prim__simd_read(c->code, room, array, from, 1, n * nc), x, x + n, row);
    }
}

/// The same of pixels that are no neighbours, or have many channels.
static void copy_apart(
        const copy_t *c, prim_dim_t from, prim_dim_t first, prim_dim_t past, float *row)
{
    const conv_shape_t *const s = &c->planes->shape;
    const prim_dim_t stride = s->stride[CONV_W], nc = c->nchannels;
    for (prim_dim_t phase = 0; phase < stride; ++phase) {
        if (!prim__simd_conv_planes_is_met(s, CONV_W, phase)) continue;
        phase_t at = phase_of(c, phase, first, past, row);
        for (; at.i < past; at.i += stride, at.to += nc) {
            const float *const pixel = prim__simd_read(c->code, at.to, &c->source->array,
                    from + (at.i - first) * c->source->strides[4], 1, nc);
            if (pixel != at.to) memcpy(at.to, pixel, (size_t)nc * sizeof *pixel);
        }
    }
}

/// A row of all column phases; `from` is its offset in src.
static void copy_row(const copy_t *c, prim_dim_t from, float *row)
{
    const simd_conv_planes_t *const p = c->planes;
    const conv_shape_t *const s = &p->shape;
    const prim_dim_t pad = s->pad[CONV_W], first = prim__max(pad, 0);
    const prim_dim_t past = prim__min(s->in[CONV_W] + pad, p->width * s->stride[CONV_W]);
    if (past <= first) return;
    from += (first - pad) * c->source->strides[4];
    const bool is_dense = c->source->strides[4] == c->nchannels;
    if (is_dense && (s->stride[CONV_W] == 1 || c->nchannels < FEW))
        copy_dense(c, from, first, past, row);
    else
        copy_apart(c, from, first, past, row);
}

/// Whether a row has columns outside src.
static bool has_edges(const simd_conv_planes_t *p)
{
    const conv_shape_t *const s = &p->shape;
    return s->pad[CONV_W] > 0 || p->width * s->stride[CONV_W] > s->in[CONV_W] + s->pad[CONV_W];
}

/// The plane under a tap along the depth, `at` its offset in src.
static void copy_plane(const copy_t *c, prim_dim_t at, prim_dim_t top, float *plane)
{
    const simd_conv_planes_t *const p = c->planes;
    const conv_shape_t *const s = &p->shape;
    const prim_dim_t sh = s->stride[CONV_H], sw = s->stride[CONV_W];
    const prim_dim_t row_elems = p->width * c->nchannels;
    const prim_dim_t phase_elems = p->phase_rows * row_elems;
    for (prim_dim_t y = 0; y < p->phase_rows * sh; ++y) {
        if (!prim__simd_conv_planes_is_met(s, CONV_H, y % sh)) continue;
        float *const row = plane + y % sh * sw * phase_elems + y / sh * row_elems;
        const bool is_inside = at >= 0 && top + y >= 0 && top + y < s->in[CONV_H];
        for (prim_dim_t phase = 0; phase < sw && (!is_inside || has_edges(p)); ++phase)
            memset(row + phase * phase_elems, 0, (size_t)row_elems * sizeof *row);
        if (is_inside) copy_row(c, at + (top + y) * c->source->strides[3], row);
    }
}

void prim__simd_conv_copy_phases(const simd_conv_planes_t *planes, const simd_conv_source_t *source,
        const simd_conv_strip_t *strip, prim_dim_t nchannels, float *to)
{
    const copy_t copy = {planes, source, SIMD_CHOOSE(prim__simd_convert_code), nchannels};
    const conv_shape_t *const s = &planes->shape;
    const prim_dim_t top = strip->oh * s->stride[CONV_H] - s->pad[CONV_H];
    for (prim_dim_t kd = 0; kd < s->kernel[CONV_D]; ++kd, to += planes->plane_elems * nchannels) {
        const prim_dim_t id =
                strip->od * s->stride[CONV_D] + kd * s->dilation[CONV_D] - s->pad[CONV_D];
        const bool is_inside = id >= 0 && id < s->in[CONV_D];
        const prim_dim_t at = strip->image * source->strides[0] +
                              strip->channel * source->strides[1] + id * source->strides[2];
        copy_plane(&copy, is_inside ? at : -1, top, to);
    }
}
