// SPDX-License-Identifier: Apache-2.0
// Strips of source pixels with channels last.
#include "simd_conv_pixels.h"

#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "simd_conv_padding.h"
#include "simd_gemm_levels.h"

prim_data_type_t prim__simd_conv_pixels_type(const prim_desc_t *pd)
{
    const prim_data_type_t src = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    const prim_data_type_t wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type;
    const bool is_bf16 = src == PRIM_BF16 && wei == PRIM_BF16;
    const bool is_bytes =
            src == PRIM_U8 && wei == PRIM_S8 && !prim__attr_zero_point(&pd->attr, PRIM_ARG_SRC);
    if (is_bytes && prim__simd_gemm_has(SIMD_WORD_BYTES)) return PRIM_U8;
    return is_bf16 && prim__simd_gemm_has(SIMD_WORD_BF16) ? PRIM_BF16 : PRIM_F32;
}

void prim__simd_conv_pixels_init(simd_conv_pixels_t *pixels, const conv_shape_t *s,
        const prim_memory_desc_t *src, prim_data_type_t dt)
{
    *pixels = (simd_conv_pixels_t){.shape = *s, .dt = dt, .channels = s->g * s->ic};
    prim__conv_data_strides(pixels->src_strides, src);
    pixels->copies = prim__simd_conv_has_padding(s) || dt != src->data_type ||
                     pixels->src_strides[4] != pixels->channels;
    pixels->is_merged = s->g == 1 && s->dilation[CONV_W] == 1;
    const prim_dim_t ntaps = prim__conv_taps(s);
    pixels->nruns = pixels->is_merged ? ntaps / s->kernel[CONV_W] : ntaps;
    pixels->elems = pixels->is_merged ? s->ic * s->kernel[CONV_W] : s->ic;
    pixels->row = pixels->src_strides[3];
    pixels->plane = pixels->src_strides[2];
    (void)prim__simd_conv_pixels_set_rows(pixels, 1);
}

/// Elements of src that `n` neighbours in dst meet along a dimension.
static prim_dim_t extent(const conv_shape_t *s, int dim, prim_dim_t n)
{
    return (n - 1) * s->stride[dim] + (s->kernel[dim] - 1) * s->dilation[dim] + 1;
}

prim_dim_t prim__simd_conv_pixels_set_rows(simd_conv_pixels_t *pixels, prim_dim_t rows)
{
    const conv_shape_t *const s = &pixels->shape;
    pixels->rows = rows;
    if (!pixels->copies) return 0;
    pixels->row = extent(s, CONV_W, s->out[CONV_W]) * pixels->channels;
    pixels->plane = extent(s, CONV_H, rows) * pixels->row;
    return pixels->plane * s->kernel[CONV_D];
}

void prim__simd_conv_pixels_runs(const simd_conv_pixels_t *p, prim_dim_t *runs)
{
    const conv_shape_t *const s = &p->shape;
    const prim_dim_t nrow = p->is_merged ? 1 : s->kernel[CONV_W];
    // A strip of the copy has planes for taps alone, whatever their distance.
    const prim_dim_t plane = p->copies ? p->plane : p->plane * s->dilation[CONV_D];
    for (prim_dim_t kd = 0; kd < s->kernel[CONV_D]; ++kd)
        for (prim_dim_t kh = 0; kh < s->kernel[CONV_H]; ++kh)
            for (prim_dim_t kw = 0; kw < nrow; ++kw)
                *runs++ = kd * plane + kh * s->dilation[CONV_H] * p->row +
                          kw * s->dilation[CONV_W] * p->channels;
}

/// A copy under work.
typedef struct {
    const simd_conv_pixels_t *pixels;
    const simd_array_t *src;
    const simd_convert_code_t *code;
    size_t elem_bytes;
} copy_t;

/// n elements of src from `offset` on.
static void copy_elems(const copy_t *c, char *to, prim_dim_t offset, prim_dim_t n)
{
    const void *const from = prim__simd_at(c->src, offset);
    if (c->src->dt == c->pixels->dt)
        memcpy(to, from, (size_t)n * c->elem_bytes);
    else
        c->code->load((float *)(void *)to, from, c->src->dt, n);
}

/// A row of src that begins at offset `from`: its columns from −pad on, zeros where it has none.
static void copy_row(const copy_t *c, prim_dim_t from, char *to)
{
    const simd_conv_pixels_t *const p = c->pixels;
    const conv_shape_t *const s = &p->shape;
    const prim_dim_t nc = p->channels, step = p->src_strides[4], pad = s->pad[CONV_W];
    const prim_dim_t width = p->row / nc;
    const prim_dim_t first = prim__min(prim__max(pad, 0), width);
    const prim_dim_t past = prim__max(first, prim__min(width, s->in[CONV_W] + pad));
    memset(to, 0, (size_t)(first * nc) * c->elem_bytes);
    memset(to + (size_t)(past * nc) * c->elem_bytes, 0,
            (size_t)((width - past) * nc) * c->elem_bytes);
    to += (size_t)(first * nc) * c->elem_bytes;
    from += (first - pad) * step;
    if (past == first) return;
    if (step == nc) {
        copy_elems(c, to, from, (past - first) * nc);
        return;
    }
    for (prim_dim_t x = first; x < past; ++x, from += step, to += (size_t)nc * c->elem_bytes)
        copy_elems(c, to, from, nc);
}

/// Whether a tap meets row y of a strip.
static bool is_met(const conv_shape_t *s, prim_dim_t y)
{
    for (prim_dim_t k = 0; k < s->kernel[CONV_H]; ++k)
        if ((y - k * s->dilation[CONV_H]) % s->stride[CONV_H] == 0) return true;
    return false;
}

/// The plane under a tap along the depth: `at` is its offset in src, negative if it has none.
static void copy_plane(const copy_t *c, prim_dim_t at, prim_dim_t top, prim_dim_t nrows, char *to)
{
    const simd_conv_pixels_t *const p = c->pixels;
    const conv_shape_t *const s = &p->shape;
    const size_t row_bytes = (size_t)p->row * c->elem_bytes;
    for (prim_dim_t y = 0; y < extent(s, CONV_H, nrows); ++y, to += row_bytes) {
        if (!is_met(s, y)) continue;
        if (at < 0 || top + y < 0 || top + y >= s->in[CONV_H])
            memset(to, 0, row_bytes);
        else
            copy_row(c, at + (top + y) * p->src_strides[3], to);
    }
}

const void *prim__simd_conv_pixels_read(const simd_conv_pixels_t *p, const simd_array_t *src,
        prim_dim_t image, prim_dim_t od, prim_dim_t oh, void *room)
{
    const conv_shape_t *const s = &p->shape;
    const prim_dim_t *const strides = p->src_strides;
    const prim_dim_t front = od * s->stride[CONV_D] - s->pad[CONV_D];
    const prim_dim_t top = oh * s->stride[CONV_H] - s->pad[CONV_H];
    const prim_dim_t first = image * strides[0];
    if (!p->copies)
        return prim__simd_at(
                src, first + front * strides[2] + top * strides[3] - s->pad[CONV_W] * strides[4]);
    const copy_t copy = {p, src, SIMD_CHOOSE(prim__simd_convert_code), prim__dt_bytes(p->dt)};
    const prim_dim_t nrows = prim__min(p->rows, s->out[CONV_H] - oh);
    for (prim_dim_t kd = 0; kd < s->kernel[CONV_D]; ++kd) {
        const prim_dim_t id = front + kd * s->dilation[CONV_D];
        const bool is_inside = id >= 0 && id < s->in[CONV_D];
        copy_plane(&copy, is_inside ? first + id * strides[2] : -1, top, nrows,
                (char *)room + (size_t)(kd * p->plane) * copy.elem_bytes);
    }
    return room;
}
