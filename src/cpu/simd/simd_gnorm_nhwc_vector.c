// SPDX-License-Identifier: Apache-2.0
// simd:gnorm:nhwc_vector: group normalisation of channels-last tensors: moments of each channel
// over a slice of an image, which stays in the caches; from them those of the groups; the results.
#include <math.h>
#include <string.h>

#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "simd_chain.h"
#include "simd_gnorm_nhwc.h"
#include "simd_gradients.h"
#include "simd_norm.h"

extern const impl_t prim__simd_gnorm_nhwc_vector;

/// Of a channel over a slice: a centre, an element near its mean, Σ (x − centre), Σ (x − centre)².
enum { CENTRE, RESIDUE, SQUARES, NMOMENTS };
/// Of a channel of an image: (x − mean)·factor + shift.
enum { MEAN, FACTOR, SHIFT, NTABLES };

typedef struct {
    prim_desc_t base;
    simd_gnorm_nhwc_t nhwc;
    size_t moments_at, tables_at; ///< in the scratchpad
} gnorm_pd_t;

_Static_assert(offsetof(gnorm_pd_t, base) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *base)
{
    static const int args[] = {PRIM_ARG_DST, PRIM_ARG_SRC};
    gnorm_pd_t *const pd = (gnorm_pd_t *)base;
    TRY(prim__pd_follow(base));
    TRY(prim__simd_gnorm_nhwc_init_pd(&pd->nhwc, base, args, 2));
    const prim_memory_desc_t *tensors[SIMD_NEST_TENSORS] = {prim__pd_md(base, PRIM_ARG_DST)};
    int ntensors = 1;
    TRY(prim__simd_chain_add(base, tensors, &ntensors));
    REQUIRE(base, ntensors == 1, "a post-op has an operand");
    const size_t row_bytes = (size_t)pd->nhwc.nchannels * sizeof(float);
    const size_t nslices = (size_t)(pd->nhwc.batch * pd->nhwc.nslices);
    pd->moments_at = prim__pd_book_scratchpad(base, nslices * NMOMENTS * row_bytes);
    pd->tables_at = prim__pd_book_scratchpad(base, (size_t)pd->nhwc.batch * NTABLES * row_bytes);
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const simd_gnorm_nhwc_t *nhwc;
    const simd_columns_code_t *columns;
    const simd_gradients_code_t *gradients;
    simd_norm_t norm;           ///< statistics: [N, groups]
    const float *scale, *shift; ///< or NULL
    float *moments;             ///< [N, slices, NMOMENTS, C]
    float *tables;              ///< [N, NTABLES, C]
    simd_chain_t chain;
} run_t;

static float *moments_of(const run_t *run, prim_dim_t image, prim_dim_t slice, int moment)
{
    const simd_gnorm_nhwc_t *const nhwc = run->nhwc;
    return run->moments + ((image * nhwc->nslices + slice) * NMOMENTS + moment) * nhwc->nchannels;
}

static float *table_of(const run_t *run, prim_dim_t image, int table)
{
    return run->tables + (image * NTABLES + table) * run->nhwc->nchannels;
}

/// The sums of the tile's columns, sums[width]; with a row of centres the sums around them.
static void sum_rows(const run_t *run, const simd_gnorm_tile_t *tile, float *sums, float *squares,
        const float *centre)
{
    for (prim_dim_t i = 0; i < tile->width; ++i) sums[i] = squares[i] = 0;
    for (prim_dim_t at = tile->first; at < tile->past; at += run->nhwc->row_elems) {
        float room[SIMD_ROW];
        const prim_dim_t n = prim__min(tile->past - at, tile->width);
        const float *const x = prim__simd_read(run->norm.convert, room, &run->norm.src, at, 1, n);
        if (centre)
            run->columns->add_moments(sums, squares, x, centre, n);
        else
            run->columns->add(sums, x, n);
    }
    prim__simd_gnorm_tile_fold(run->columns, tile, sums);
    prim__simd_gnorm_tile_fold(run->columns, tile, squares);
}

/// Pixels that centres are taken from.
enum { CANDIDATES = 4 };

/// Of the first pixels that nearest to the mean: distances from an element have few bits where the
/// elements have, and their squares are then exact.
static void choose_centres(
        const run_t *run, const simd_gnorm_tile_t *tile, float *centres, const float *sums)
{
    const float factor = 1.0F / (float)tile->npixels;
    for (prim_dim_t k = 0; k < prim__min(tile->npixels, CANDIDATES); ++k) {
        float room[SIMD_ROW];
        const prim_dim_t at = tile->first + k * run->nhwc->nchannels;
        const float *const x =
                prim__simd_read(run->norm.convert, room, &run->norm.src, at, 1, tile->nchannels);
        for (prim_dim_t c = 0; c < tile->nchannels; ++c) {
            const float mean = sums[c] * factor;
            if (k == 0 || fabsf(x[c] - mean) < fabsf(centres[c] - mean)) centres[c] = x[c];
        }
    }
}

static void measure_tile(prim_dim_t index, void *arg)
{
    const run_t *const run = arg;
    const simd_gnorm_tile_t tile = prim__simd_gnorm_nhwc_tile(run->nhwc, index);
    float *rows[NMOMENTS], sums[SIMD_ROW], squares[SIMD_ROW], centre[SIMD_ROW];
    for (int k = 0; k < NMOMENTS; ++k)
        rows[k] = moments_of(run, tile.image, tile.slice, k) + tile.channel;
    sum_rows(run, &tile, sums, squares, NULL);
    choose_centres(run, &tile, rows[CENTRE], sums);
    prim__simd_gnorm_tile_repeat(centre, &tile, rows[CENTRE]);
    sum_rows(run, &tile, sums, squares, centre);
    memcpy(rows[RESIDUE], sums, (size_t)tile.nchannels * sizeof *sums);
    memcpy(rows[SQUARES], squares, (size_t)tile.nchannels * sizeof *squares);
}

/// Of channels first..first+n−1 of a slice with so many pixels: Σ x, or Σ (x − centre)² exactly
/// from the sums around the centres of channels.
static double slice_sum(const run_t *run, float *const *rows, prim_dim_t npixels, prim_dim_t n)
{
    const double centres = (double)run->norm.rows->sum(rows[CENTRE], n);
    const double residues = (double)run->norm.rows->sum(rows[RESIDUE], n);
    // An infinite centre leaves NaN.
    return centres * (double)npixels + (isfinite(centres) ? residues : 0);
}

static double slice_squares(
        const run_t *run, float *const *rows, float mean, prim_dim_t npixels, prim_dim_t n)
{
    const float *const centre = rows[CENTRE], *const residue = rows[RESIDUE];
    const double distances = (double)run->norm.rows->sum_squares(centre, mean, n);
    const double products = (double)run->gradients->sum(residue, centre, NULL, mean, n).products;
    return (double)run->norm.rows->sum(rows[SQUARES], n) + 2 * products +
           distances * (double)npixels;
}

/// Channels whose sums are in f32; beyond, and over slices, they are in double.
enum { SUMMED_CHANNELS = 128 };

/// The mean of x, or of (x − *mean)², over group `set` of [N, groups].
static double moment(const run_t *run, prim_dim_t set, const float *mean)
{
    const simd_gnorm_nhwc_t *const nhwc = run->nhwc;
    const prim_dim_t first = set % nhwc->ngroups * nhwc->group_channels;
    double sum = 0;
    for (prim_dim_t slice = 0; slice < nhwc->nslices; ++slice) {
        const prim_dim_t npixels = prim__simd_gnorm_nhwc_pixels(nhwc, slice);
        for (prim_dim_t c = 0; c < nhwc->group_channels; c += SUMMED_CHANNELS) {
            const prim_dim_t n = prim__min(nhwc->group_channels - c, SUMMED_CHANNELS);
            float *rows[NMOMENTS];
            for (int k = 0; k < NMOMENTS; ++k)
                rows[k] = moments_of(run, set / nhwc->ngroups, slice, k) + first + c;
            sum += mean ? slice_squares(run, rows, *mean, npixels, n)
                        : slice_sum(run, rows, npixels, n);
        }
    }
    return sum / (double)(nhwc->image_elems / nhwc->ngroups);
}

/// Rounding may leave a variance of 0 below it.
static double variance_of(const run_t *run, prim_dim_t set, float mean)
{
    const double variance = moment(run, set, &mean);
    return variance < 0 ? 0 : variance;
}

static void fill_group(prim_dim_t set, void *arg)
{
    const run_t *const run = arg;
    const simd_gnorm_nhwc_t *const nhwc = run->nhwc;
    const float mean = run->norm.are_given ? run->norm.mean[set] : (float)moment(run, set, NULL);
    const double variance =
            run->norm.are_given ? (double)run->norm.variance[set] : variance_of(run, set, mean);
    if (run->norm.mean && !run->norm.are_given) {
        run->norm.mean[set] = mean;
        run->norm.variance[set] = (float)variance;
    }
    const float factor = (float)(1 / sqrt(variance + run->norm.epsilon)) * run->norm.src_scale;
    const prim_dim_t image = set / nhwc->ngroups;
    const prim_dim_t first = set % nhwc->ngroups * nhwc->group_channels;
    for (prim_dim_t c = first; c < first + nhwc->group_channels; ++c) {
        table_of(run, image, MEAN)[c] = mean;
        table_of(run, image, FACTOR)[c] = run->scale ? factor * run->scale[c] : factor;
        table_of(run, image, SHIFT)[c] = run->shift ? run->norm.src_scale * run->shift[c] : 0;
    }
}

static void write_tile(prim_dim_t index, void *arg)
{
    const run_t *const run = arg;
    const simd_gnorm_tile_t tile = prim__simd_gnorm_nhwc_tile(run->nhwc, index);
    float tables[NTABLES][SIMD_ROW];
    for (int k = 0; k < NTABLES; ++k)
        prim__simd_gnorm_tile_repeat(tables[k], &tile, table_of(run, tile.image, k) + tile.channel);
    for (prim_dim_t at = tile.first; at < tile.past; at += run->nhwc->row_elems) {
        float room[SIMD_ROW];
        const prim_dim_t n = prim__min(tile.past - at, tile.width);
        const float *const x = prim__simd_read(run->norm.convert, room, &run->norm.src, at, 1, n);
        float *const out = prim__simd_row(room, &run->norm.dst, at, 1);
        run->columns->normalize(out, x, tables[MEAN], tables[FACTOR], tables[SHIFT], n);
        prim__simd_chain_row(&run->chain, out, &at, (const prim_dim_t[SIMD_NEST_TENSORS]){1}, n);
        prim__simd_write(run->norm.convert, &run->norm.dst, at, 1, out, n);
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const gnorm_pd_t *const pd = (const gnorm_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    char *const scratchpad = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    run_t run = {.nhwc = &pd->nhwc,
            .columns = SIMD_CHOOSE(prim__simd_columns_code),
            .gradients = SIMD_CHOOSE(prim__simd_gradients_code),
            .norm = prim__simd_norm(base, ctx),
            .scale = prim__simd_values(base, ctx, PRIM_ARG_SCALE),
            .shift = prim__simd_values(base, ctx, PRIM_ARG_SHIFT),
            .moments = (float *)(scratchpad + pd->moments_at),
            .tables = (float *)(scratchpad + pd->tables_at)};
    prim__simd_chain_init(&run.chain, base, ctx, 1);
    const prim_dim_t ntiles = prim__simd_gnorm_nhwc_ntiles(run.nhwc);
    if (!run.norm.are_given) prim__parallel_for(ntiles, measure_tile, &run);
    prim__parallel_for(run.nhwc->batch * run.nhwc->ngroups, fill_group, &run);
    prim__parallel_for(ntiles, write_tile, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_gnorm_nhwc_vector = {
        .name = "simd:gnorm:nhwc_vector",
        .pd_size = sizeof(gnorm_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
