// SPDX-License-Identifier: Apache-2.0
// simd:gnorm:backward_nhwc_vector: the gradients of group normalisation of channels-last tensors:
// sums of each channel over a slice of an image, from them those of the groups, then diff_src.
// Gradients of scale and shift add up the sums of the images in double.
#include <math.h>
#include <string.h>

#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "simd_gnorm_nhwc.h"
#include "simd_norm.h"

extern const impl_t prim__simd_gnorm_backward_nhwc_vector;

/// Of a channel: Σ y, and Σ y·(x − mean), or with x̂, the normalised src.
enum { GRADIENTS, PRODUCTS, NSUMS };
enum { NTABLES = SIMD_COLUMNS_SLOPE + 1 };

typedef struct {
    prim_desc_t base;
    simd_gnorm_nhwc_t nhwc;
    size_t partial_at, sums_at, tables_at; ///< in the scratchpad
} gnorm_pd_t;

_Static_assert(offsetof(gnorm_pd_t, base) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *base)
{
    static const int args[] = {PRIM_ARG_DIFF_SRC, PRIM_ARG_DIFF_DST, PRIM_ARG_SRC};
    gnorm_pd_t *const pd = (gnorm_pd_t *)base;
    TRY(prim__pd_follow(base));
    TRY(prim__simd_gnorm_nhwc_init_pd(&pd->nhwc, base, args, 3));
    const size_t batch = (size_t)pd->nhwc.batch, nchannels = (size_t)pd->nhwc.nchannels;
    const size_t nslices = batch * (size_t)pd->nhwc.nslices;
    pd->partial_at = prim__pd_book_scratchpad(base, nslices * NSUMS * nchannels * sizeof(float));
    pd->sums_at = prim__pd_book_scratchpad(base, batch * NSUMS * nchannels * sizeof(double));
    pd->tables_at = prim__pd_book_scratchpad(base, batch * NTABLES * nchannels * sizeof(float));
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const simd_gnorm_nhwc_t *nhwc;
    const simd_columns_code_t *columns;
    simd_norm_backward_t norm;
    float *partial; ///< [N, slices, NSUMS, C]
    double *sums;   ///< [N, NSUMS, C]
    float *tables;  ///< [N, NTABLES, C]
} run_t;

static float *partial_of(const run_t *run, prim_dim_t image, prim_dim_t slice, int sum)
{
    const simd_gnorm_nhwc_t *const nhwc = run->nhwc;
    return run->partial + ((image * nhwc->nslices + slice) * NSUMS + sum) * nhwc->nchannels;
}

static double *sums_of(const run_t *run, prim_dim_t image, int sum)
{
    return run->sums + (image * NSUMS + sum) * run->nhwc->nchannels;
}

static float *table_of(const run_t *run, prim_dim_t image, int table)
{
    return run->tables + (image * NTABLES + table) * run->nhwc->nchannels;
}

/// The tables' rows of a tile.
static void repeat_tables(
        const run_t *run, const simd_gnorm_tile_t *tile, float rows[NTABLES][SIMD_ROW], int ntables)
{
    for (int k = 0; k < ntables; ++k)
        prim__simd_gnorm_tile_repeat(rows[k], tile, table_of(run, tile->image, k) + tile->channel);
}

static void fill_means(prim_dim_t image, void *arg)
{
    const run_t *const run = arg;
    const simd_gnorm_nhwc_t *const nhwc = run->nhwc;
    float *const means = table_of(run, image, SIMD_COLUMNS_MEAN);
    for (prim_dim_t c = 0; c < nhwc->nchannels; ++c)
        means[c] = run->norm.mean[image * nhwc->ngroups + c / nhwc->group_channels];
}

static void sum_tile(prim_dim_t index, void *arg)
{
    const run_t *const run = arg;
    const simd_gnorm_tile_t tile = prim__simd_gnorm_nhwc_tile(run->nhwc, index);
    float tables[NTABLES][SIMD_ROW], sums[NSUMS][SIMD_ROW] = {{0}};
    repeat_tables(run, &tile, tables, 1);
    for (prim_dim_t at = tile.first; at < tile.past; at += run->nhwc->row_elems) {
        float diff_room[SIMD_ROW], src_room[SIMD_ROW];
        const prim_dim_t n = prim__min(tile.past - at, tile.width);
        const float *const y =
                prim__simd_read(run->norm.convert, diff_room, &run->norm.diff_dst, at, 1, n);
        const float *const x =
                prim__simd_read(run->norm.convert, src_room, &run->norm.src, at, 1, n);
        run->columns->add_gradients(
                sums[GRADIENTS], sums[PRODUCTS], y, x, tables[SIMD_COLUMNS_MEAN], n);
    }
    for (int k = 0; k < NSUMS; ++k) {
        float *const out = partial_of(run, tile.image, tile.slice, k) + tile.channel;
        prim__simd_gnorm_tile_fold(run->columns, &tile, sums[k]);
        memcpy(out, sums[k], (size_t)tile.nchannels * sizeof *out);
    }
}

/// The sums of channels first.. of a group over an image; products with x̂.
static void sum_slices(const run_t *run, prim_dim_t image, prim_dim_t first, double factor)
{
    const simd_gnorm_nhwc_t *const nhwc = run->nhwc;
    for (int k = 0; k < NSUMS; ++k) {
        double *const sums = sums_of(run, image, k) + first;
        for (prim_dim_t c = 0; c < nhwc->group_channels; ++c) sums[c] = 0;
        for (prim_dim_t slice = 0; slice < nhwc->nslices; ++slice) {
            const float *const part = partial_of(run, image, slice, k) + first;
            for (prim_dim_t c = 0; c < nhwc->group_channels; ++c) sums[c] += (double)part[c];
        }
        for (prim_dim_t c = 0; c < nhwc->group_channels && k == PRODUCTS; ++c) sums[c] *= factor;
    }
}

/// The mean over the group of scale·sum, 0 for given statistics.
static double group_mean(const run_t *run, prim_dim_t image, prim_dim_t first, int sum)
{
    const simd_gnorm_nhwc_t *const nhwc = run->nhwc;
    const double *const sums = sums_of(run, image, sum);
    double total = 0;
    if (run->norm.are_constants) return 0;
    for (prim_dim_t c = first; c < first + nhwc->group_channels; ++c)
        total += run->norm.scale ? (double)run->norm.scale[c] * sums[c] : sums[c];
    return total / (double)(nhwc->image_elems / nhwc->ngroups);
}

/// diff_src = r·(g − mean(g) − x̂·mean(g·x̂)) with g = scale·y, r = 1/√(variance + ε), and means
/// over the group.
static void fill_group(prim_dim_t set, void *arg)
{
    const run_t *const run = arg;
    const simd_gnorm_nhwc_t *const nhwc = run->nhwc;
    const prim_dim_t image = set / nhwc->ngroups;
    const prim_dim_t first = set % nhwc->ngroups * nhwc->group_channels;
    const double factor = 1 / sqrt((double)run->norm.variance[set] + run->norm.epsilon);
    sum_slices(run, image, first, factor);
    const float shift = (float)(factor * group_mean(run, image, first, GRADIENTS));
    const float slope = (float)(factor * factor * group_mean(run, image, first, PRODUCTS));
    for (prim_dim_t c = first; c < first + nhwc->group_channels; ++c) {
        table_of(run, image, SIMD_COLUMNS_FACTOR)[c] =
                (float)(factor * (run->norm.scale ? (double)run->norm.scale[c] : 1));
        table_of(run, image, SIMD_COLUMNS_SHIFT)[c] = shift;
        table_of(run, image, SIMD_COLUMNS_SLOPE)[c] = slope;
    }
}

static void write_tile(prim_dim_t index, void *arg)
{
    const run_t *const run = arg;
    const simd_gnorm_tile_t tile = prim__simd_gnorm_nhwc_tile(run->nhwc, index);
    float rows[NTABLES][SIMD_ROW];
    const float *tables[NTABLES];
    repeat_tables(run, &tile, rows, NTABLES);
    for (int k = 0; k < NTABLES; ++k) tables[k] = rows[k];
    for (prim_dim_t at = tile.first; at < tile.past; at += run->nhwc->row_elems) {
        float diff_room[SIMD_ROW], src_room[SIMD_ROW];
        const prim_dim_t n = prim__min(tile.past - at, tile.width);
        const float *const y =
                prim__simd_read(run->norm.convert, diff_room, &run->norm.diff_dst, at, 1, n);
        const float *const x =
                prim__simd_read(run->norm.convert, src_room, &run->norm.src, at, 1, n);
        float *const out = prim__simd_row(src_room, &run->norm.diff_src, at, 1);
        run->columns->differentiate(out, y, x, tables, n);
        prim__simd_write(run->norm.convert, &run->norm.diff_src, at, 1, out, n);
    }
}

static void write_parameters(const run_t *run)
{
    float *const outputs[NSUMS] = {run->norm.diff_shift, run->norm.diff_scale};
    for (int k = 0; k < NSUMS; ++k) {
        for (prim_dim_t c = 0; c < run->nhwc->nchannels && outputs[k]; ++c) {
            double sum = 0;
            for (prim_dim_t image = 0; image < run->nhwc->batch; ++image)
                sum += sums_of(run, image, k)[c];
            outputs[k][c] = (float)sum;
        }
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const gnorm_pd_t *const pd = (const gnorm_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    char *const scratchpad = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    run_t run = {.nhwc = &pd->nhwc,
            .columns = SIMD_CHOOSE(prim__simd_columns_code),
            .norm = prim__simd_norm_backward(base, ctx),
            .partial = (float *)(scratchpad + pd->partial_at),
            .sums = (double *)(scratchpad + pd->sums_at),
            .tables = (float *)(scratchpad + pd->tables_at)};
    const prim_dim_t ntiles = prim__simd_gnorm_nhwc_ntiles(run.nhwc);
    prim__parallel_for(run.nhwc->batch, fill_means, &run);
    prim__parallel_for(ntiles, sum_tile, &run);
    prim__parallel_for(run.nhwc->batch * run.nhwc->ngroups, fill_group, &run);
    prim__parallel_for(ntiles, write_tile, &run);
    write_parameters(&run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_gnorm_backward_nhwc_vector = {
        .name = "simd:gnorm:backward_nhwc_vector",
        .pd_size = sizeof(gnorm_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
