// SPDX-License-Identifier: Apache-2.0
// Estimates by which implementations of a convolution decline in favour of each other.
#include "simd_conv_cost.h"

#include <math.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "cpu/cpu_isa.h"
#include "simd_conv_finish.h"
#include "simd_conv_padding.h"
#include "simd_conv_pixels.h"
#include "simd_conv_planes.h"
#include "simd_gemm_levels.h"
#include "simd_runs.h"

/// Cycles of an element of a row that is copied, in vectors where elements are neighbours.
static double copied(const prim_memory_desc_t *md, prim_dim_t step)
{
    if (md->strides[md->ndims - 1] * step == 1) return 0.3;
    return md->data_type == PRIM_F32 ? 1.5 : 4;
}

/// Vectors of 16 lanes that are multiplied in a cycle.
static double wide_products(void)
{
    return (double)prim__cpu_wide_products();
}

/// Elements of src along a dimension that a tap meets, at most.
static prim_dim_t met(const conv_shape_t *s, int dim)
{
    return prim__min(s->in[dim], s->out[dim] * s->kernel[dim]);
}

double prim__simd_conv_direct_cycles(const prim_desc_t *pd, const conv_shape_t *s)
{
    simd_conv_planes_t planes;
    prim__simd_conv_planes_init(&planes, s, 1);
    const double width = (double)planes.width, nrows = (double)(s->out[CONV_D] * s->out[CONV_H]);
    const double depth = (double)(s->ic * prim__conv_taps(s)), oc = (double)s->oc;
    const double products = depth * (oc + 1) * nrows * width / 16 * 1.2 / wide_products();
    const double src = copied(prim__pd_md(pd, PRIM_ARG_SRC), s->stride[CONV_W]);
    const double nsrc_rows = (double)(s->ic * met(s, CONV_D) * met(s, CONV_H));
    const double columns = (double)met(s, CONV_W);
    const double dst = copied(prim__pd_md(pd, PRIM_ARG_DST), 1);
    return products + nsrc_rows * (40 + columns * src) + oc * nrows * (30 + width * dst) +
           depth * oc * 8 / (double)s->mb;
}

/// simd:conv:gemm with channels first: rows of pixels are gathered for each tap.
static double gemm_cycles_of_rows(const conv_shape_t *s)
{
    const double npixels = (double)prim__conv_out_elems(s), width = (double)s->out[CONV_W];
    const double depth = (double)(s->ic * prim__conv_taps(s));
    const double row = 20 + 15 * (1 + 32 / width) + (s->stride[CONV_W] > 1 ? 60 : 0);
    return depth * npixels / 32 * (row + (double)prim__max(s->oc, 4) * 2 / wide_products());
}

/// Cycles of a pixel that is gathered, unless it is read where it is, and multiplied by tiles:
/// whole lines are copied, and pixels that reach beyond src one by one. A line times 16 channels
/// takes a cycle at best, twice that where tiles come from the L2 cache.
static double tiles_of_gathered(const conv_shape_t *s, simd_gemm_word_t word)
{
    const prim_dim_t ntaps = prim__conv_taps(s), line_elems = (prim_dim_t)16 << word;
    const prim_dim_t merged = s->g == 1 && s->dilation[CONV_W] == 1 ? s->kernel[CONV_W] : 1;
    const double nruns = (double)(ntaps / merged);
    const double lines = nruns * (double)prim__ceil_div(s->ic * merged, line_elems);
    const double products = (double)prim__ceil_div(ntaps * s->ic, line_elems) * 2.2;
    const bool is_in_place = ntaps == 1 && s->ic % line_elems == 0 && s->stride[CONV_H] == 1 &&
                             s->stride[CONV_W] == 1 && !prim__simd_conv_has_padding(s);
    const double beyond = (double)((s->kernel[CONV_W] - 1) * s->dilation[CONV_W] + 1 +
                                   (s->out[CONV_W] - 1) * s->stride[CONV_W] - s->in[CONV_W]);
    const double at_edges = beyond <= 0 ? 0 : fmin(beyond / (double)s->out[CONV_W], 1);
    const double gather = is_in_place ? 0 : 10 + nruns * (12 + 25 * at_edges) + lines * 3.5;
    return gather + products * (double)prim__ceil_div(s->oc, 16);
}

/// With channels last: runs of channels.
static double gemm_cycles_of_pixels(const prim_desc_t *pd, const conv_shape_t *s)
{
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    const prim_data_type_t src = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    const simd_gemm_word_t word = src == PRIM_BF16                ? SIMD_WORD_BF16
                                  : prim__simd_conv_has_bytes(pd) ? SIMD_WORD_BYTES
                                                                  : SIMD_WORD_F32;
    const bool has_words = word != SIMD_WORD_F32 && prim__simd_gemm_has(word);
    const double elems = has_words ? 1 << word : 1;
    const bool is_apart = dst->strides[dst->ndims - 1] != dst->dims[1];
    const double pixel = is_apart && dst->data_type != PRIM_F32 ? 12 : 5;
    const double store = pixel + 0.5 * (double)s->oc, npixels = (double)prim__conv_out_elems(s);
    if (has_words && prim__simd_gemm_choose(word)->a_in_rows)
        return npixels * (store + tiles_of_gathered(s, word));
    const double products = elems * wide_products();
    const bool is_merged = s->g == 1 && s->ic < 16 && s->dilation[CONV_W] == 1;
    const double ntaps = (double)prim__conv_taps(s), depth = ntaps * (double)s->ic;
    const double nruns = ntaps / (double)(is_merged ? s->kernel[CONV_W] : 1);
    return npixels *
           (store + nruns * 25 + depth * (0.5 + (double)prim__ceil_div(s->oc, 16) / products));
}

double prim__simd_conv_gemm_cycles(const prim_desc_t *pd, const conv_shape_t *s)
{
    const bool is_last = prim__pd_md(pd, PRIM_ARG_DST)->strides[1] == 1;
    return is_last ? gemm_cycles_of_pixels(pd, s) : gemm_cycles_of_rows(s);
}

double prim__simd_conv_tiles_of_a_pixel(const conv_shape_t *s, prim_dim_t nrows, bool *are_columns)
{
    enum { PIXELS = SIMD_RUNS_PIXELS };
    const prim_dim_t width = s->out[CONV_W];
    const double rows = (double)prim__ceil_div(width, PIXELS) / (double)width;
    const double columns = (double)prim__ceil_div(nrows, PIXELS) / (double)nrows;
    // Tiles of a column read as many rows of src: no little gain is worth it.
    const bool may = width <= SIMD_RUNS_MOST / PIXELS && 1.2 * columns < rows;
    if (are_columns) *are_columns = may;
    return may ? columns : rows;
}

/// Cycles of a pixel's products by tiles. A tile of src is loaded in 8.5 cycles, or 45 if its rows
/// cross cache lines, one of weights comes from the L2 cache or beyond; products take 16. Sums that
/// fill no tile are copied, and so are ends of runs with a half of a word.
static double tile_cycles(const conv_shape_t *s, const simd_conv_pixels_t *p, prim_dim_t words)
{
    enum { LINE = 64, LANES = 16, GROUP = 4, L2_BYTES = 3 << 19 };
    const prim_dim_t elem_bytes = (prim_dim_t)prim__dt_bytes(p->dt);
    const prim_dim_t bytes = prim__min(p->elems * elem_bytes, LINE);
    const prim_dim_t unit = s->ic * elem_bytes; // rows begin at its multiples
    const bool is_aligned = unit % LINE == 0 || (LINE % unit == 0 && bytes == unit);
    const double src = is_aligned ? 8.5 : 8.5 + 36.0 * (double)bytes / LINE;
    const double nruns = (double)p->nruns, blocks = (double)prim__ceil_div(s->oc, LANES);
    const double wei = nruns * (double)words * blocks * LINE > L2_BYTES ? 100 : 40;
    const double tile = fmax(src, 16) + wei / GROUP;
    const double half = p->dt == PRIM_BF16 && p->elems % 2 != 0 ? 130 : 0;
    const double runs = nruns * ((double)prim__ceil_div(words, LANES) * tile + half);
    const double sums = s->oc % LANES == 0 && p->dt == PRIM_BF16 ? 60 : 250;
    return prim__simd_conv_tiles_of_a_pixel(s, s->out[CONV_H], NULL) * blocks * (runs + sums);
}

/// Cycles of a product of 512 bits, about: those of bf16 take longer on a processor with AMX. Some
/// processors compute two of f32 in a cycle, which lasts as long as the weights, read again for
/// every few pixels, come from the L2 cache: fully while there is room for src beside them.
static double product_cycles(prim_data_type_t dt, double weights_bytes)
{
    enum { BESIDE_SRC = 3 << 18, L2_BYTES = 3 << 19 }; // 3/8 and 3/4 of an L2 cache of 2 MiB
#if PRIM_X64
    if (prim__cpu_isa() >= CPU_ISA_AVX512_AMX && dt == PRIM_BF16) return 2;
#endif
    if (dt != PRIM_F32 || wide_products() <= 1 || weights_bytes > L2_BYTES) return 1;
    return weights_bytes > BESIDE_SRC ? 0.65 : 0.55;
}

/// Cycles of a pixel's products.
static double run_cycles(const conv_shape_t *s, const simd_conv_pixels_t *p, simd_runs_way_t way)
{
    const prim_dim_t word_elems = 4 / (prim_dim_t)prim__dt_bytes(p->dt);
    const prim_dim_t words = prim__ceil_div(p->elems, word_elems);
    const double oc = (double)s->oc, nruns = (double)p->nruns;
    const double each = product_cycles(p->dt, (double)(p->nruns * words * 4) * oc);
    const double nvectors = (double)prim__ceil_div(s->oc, 16);
    const double steps = (double)prim__ceil_div(words, 16);
    if (way == SIMD_RUNS_BY_TILES) return tile_cycles(s, p, words);
    if (way == SIMD_RUNS_BY_DOTS) return nruns * (steps * (oc * 1.1 * each + 1) + 1) + oc * 4 + 4;
    return nruns * ((double)words * (nvectors * each + 0.1) + 1.5) + nvectors * 3;
}

static double nhwc_direct_cycles(
        const prim_desc_t *pd, const conv_shape_t *s, simd_conv_pixels_t *p, simd_runs_way_t way)
{
    const double oc = (double)s->oc;
    const double npixels = (double)prim__conv_out_elems(s), depth = (double)(p->nruns * p->elems);
    const double nsrc = (double)(s->ic * s->in[CONV_D] * s->in[CONV_H] * s->in[CONV_W]);
    const double copies = p->copies || way == SIMD_RUNS_BY_TILES ? nsrc * 0.15 : 0;
    // Weights of no layout yet become panels, which are not copied.
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    const bool is_same = wei->data_type == p->dt || p->dt == PRIM_U8;
    const bool is_open = prim__md_is_any(wei) && is_same && way != SIMD_RUNS_BY_DOTS;
    const double elems = 4 / (double)prim__dt_bytes(p->dt);
    const double weights = is_open ? 0 : depth / elems * oc * 1.5 / (double)s->mb;
    return npixels * (run_cycles(s, p, way) + 5 + oc * 0.5) + copies + weights;
}

double prim__simd_conv_nhwc_direct_cycles(
        const prim_desc_t *pd, const conv_shape_t *s, simd_runs_way_t *way)
{
    const prim_data_type_t dt = prim__simd_conv_pixels_type(pd);
    simd_conv_pixels_t p;
    prim__simd_conv_pixels_init(&p, s, prim__pd_md(pd, PRIM_ARG_SRC), dt);
    const simd_gemm_word_t word = dt == PRIM_BF16 ? SIMD_WORD_BF16 : SIMD_WORD_BYTES;
    const bool has_tiles = dt != PRIM_F32 && prim__simd_gemm_choose(word)->a_in_rows;
    double best = nhwc_direct_cycles(pd, s, &p, SIMD_RUNS_BY_PANELS);
    if (way) *way = SIMD_RUNS_BY_PANELS;
    for (simd_runs_way_t w = SIMD_RUNS_BY_DOTS; w <= SIMD_RUNS_BY_TILES; ++w) {
        if (w == SIMD_RUNS_BY_DOTS ? dt == PRIM_U8 : !has_tiles) continue;
        const double cycles = nhwc_direct_cycles(pd, s, &p, w);
        if (cycles >= best) continue;
        best = cycles;
        if (way) *way = w;
    }
    return best;
}

double prim__simd_conv_winograd_cycles(const prim_desc_t *pd, const conv_shape_t *s)
{
    enum { TILE = 4, POINTS = 36, BLOCK = 64 };
    const prim_dim_t ntiles =
            prim__ceil_div(s->out[CONV_H], TILE) * prim__ceil_div(s->out[CONV_W], TILE);
    const double in = (double)prim__ceil_div(s->ic, 16), out = (double)prim__ceil_div(s->oc, 16);
    const double products = POINTS * out * (1.05 * (double)s->ic + 3);
    const double transforms = 350 * in + 300 * out;
    // The weights of a vector of channels, for each block of tiles.
    const double nblocks = (double)prim__ceil_div(s->mb * ntiles, BLOCK) / (double)s->mb;
    const double weights = prim__md_is_any(prim__pd_md(pd, PRIM_ARG_WEIGHTS)) ? 90 : 300;
    return (double)ntiles * (products + transforms) + nblocks * out * (double)s->ic * weights;
}

prim_dim_t prim__simd_conv_weights_groups(const prim_desc_t *pd, const conv_shape_t *s)
{
    enum { CHANNELS = 16 };
    const bool is_last = prim__pd_md(pd, PRIM_ARG_SRC)->strides[1] == 1 &&
                         prim__pd_md(pd, PRIM_ARG_DIFF_DST)->strides[1] == 1;
    const prim_dim_t most = is_last ? CHANNELS / prim__max(s->ic, s->oc) : 1;
    return prim__max(prim__min(s->g, most), 1);
}

/// Cycles to copy the planes of a tensor that has nplanes: rows, and their elements. `is_turned`:
/// by blocks of pixels and of the channels of several groups.
static double copy_cycles(const prim_memory_desc_t *md, prim_dim_t nplanes, const prim_dim_t *size,
        prim_dim_t stride, bool is_turned)
{
    const bool is_run = md->strides[md->ndims - 1] * stride == 1;
    const double elem = is_run ? 0.3 : is_turned ? 1 : md->data_type == PRIM_F32 ? 1.5 : 8;
    return (double)(nplanes * size[CONV_D] * size[CONV_H]) * (40 + elem * (double)size[CONV_W]);
}

double prim__simd_conv_weights_direct_cycles(const prim_desc_t *pd, const conv_shape_t *s)
{
    const double npixels = (double)prim__conv_out_elems(s), ntaps = (double)prim__conv_taps(s);
    const double products = ntaps * (double)(s->ic * s->oc);
    simd_conv_planes_t planes;
    prim__simd_conv_planes_init(&planes, s, 1);
    const double waste = (double)planes.width / (double)s->out[CONV_W];
    const bool turns = prim__simd_conv_weights_groups(pd, s) >= 4;
    const double copies =
            copy_cycles(prim__pd_md(pd, PRIM_ARG_SRC), s->ic, s->in, s->stride[CONV_W], turns) +
            copy_cycles(prim__pd_md(pd, PRIM_ARG_DIFF_DST), s->oc, s->out, 1, turns);
    return products * (waste / 16 + 12 / npixels) + copies / npixels;
}

double prim__simd_conv_weights_gemm_cycles(const prim_desc_t *pd, const conv_shape_t *s)
{
    const double ntaps = (double)prim__conv_taps(s);
    const double products = ntaps * (double)(s->ic * s->oc);
    const double tap = prim__pd_md(pd, PRIM_ARG_SRC)->data_type == PRIM_F32 ? 20 : 30;
    return ntaps * (tap + (double)s->ic) + 2 * (double)s->oc + products / 16 / wide_products();
}

double prim__simd_conv_weights_nhwc_direct_cycles(
        const prim_desc_t *pd, const conv_shape_t *s, bool is_turned)
{
    simd_conv_pixels_t p;
    prim__simd_conv_pixels_init(&p, s, prim__pd_md(pd, PRIM_ARG_SRC), PRIM_F32);
    const double npixels = (double)prim__conv_out_elems(s), oc = (double)s->oc;
    const double elems = (double)p.elems, nruns = (double)p.nruns;
    const double run_vectors = (double)prim__ceil_div(p.elems, 16);
    const double blocks = (double)prim__ceil_div(s->oc, 8);
    const double products = is_turned ? run_vectors * (oc + blocks) + 3 * blocks
                                      : elems * (double)prim__ceil_div(s->oc, 16) * 1.1 +
                                                (double)prim__ceil_div(p.elems, 8) * 3;
    const double nsrc = (double)(s->ic * s->in[CONV_D] * s->in[CONV_H] * s->in[CONV_W]);
    const double copies = p.copies ? nsrc * 0.25 : 0;
    // Sums are added to for every chunk of pixels, and up for every split.
    const double sums = nruns * elems * oc, chunk = npixels < 128 ? npixels : 128;
    const double splits = (double)prim__min(s->mb, 16) / (double)s->mb;
    return nruns * products + copies / npixels + oc * 0.3 + 4 + sums * 0.2 / chunk +
           sums * splits / npixels;
}
