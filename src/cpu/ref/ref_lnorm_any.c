// SPDX-License-Identifier: Apache-2.0
// Layer normalisation on the CPU, forward: any type and layout, in double. Statistics take two
// passes over a row, so that the variance does not suffer from a large mean.
#include <math.h>
#include <string.h>

#include "common/data_type.h"
#include "ref_norm.h"
#include "ref_row.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__pd_follow(pd);
}

typedef struct {
    ref_norm_t norm;
    int last;               ///< the dimension that is normalised
    prim_dim_t piece_elems; ///< what is converted at once
    prim_data_type_t scale_dt, shift_dt;
    const prim_memory_desc_t *src_md, *stat_md;
} lnorm_t;

typedef struct {
    double mean, variance;
} stats_t;

/// Up to piece_elems elements of the row from at[last] on.
static prim_dim_t load_piece(const lnorm_t *l, double *piece, const prim_dim_t *at)
{
    const prim_dim_t left = l->src_md->dims[l->last] - at[l->last];
    const prim_dim_t n = left < l->piece_elems ? left : l->piece_elems;
    prim__ref_load_at(piece, l->norm.src, l->src_md, at, l->last, n);
    return n;
}

/// The mean of (x - centre)^power over a row; 0 of an empty one.
static double moment(const lnorm_t *l, const prim_dim_t *position, double centre, int power)
{
    const prim_dim_t elems = l->src_md->dims[l->last];
    double piece[REF_ROW_ELEMS], sum = 0;
    prim_dims_t at;
    memcpy(at, position, sizeof at);
    prim_dim_t n = 0;
    for (at[l->last] = 0; at[l->last] < elems; at[l->last] += n) {
        n = load_piece(l, piece, at);
        for (prim_dim_t i = 0; i < n; ++i) {
            const double x = piece[i] - centre;
            sum += power == 1 ? x : x * x;
        }
    }
    return elems > 0 ? sum / (double)elems : 0;
}

static stats_t get_stats(const lnorm_t *l, const prim_dim_t *position)
{
    // The dimensions of statistics are those of src but for the last one.
    const prim_dim_t offset = l->norm.mean ? prim__md_offset(l->stat_md, position) : 0;
    if (l->norm.are_given)
        return (stats_t){(double)l->norm.mean[offset], (double)l->norm.variance[offset]};
    stats_t stats;
    stats.mean = moment(l, position, 0, 1);
    stats.variance = moment(l, position, stats.mean, 2);
    if (l->norm.mean) {
        l->norm.mean[offset] = (float)stats.mean;
        l->norm.variance[offset] = (float)stats.variance;
    }
    return stats;
}

static void normalize_row(const prim_dim_t *position, void *arg)
{
    const lnorm_t *const l = arg;
    const stats_t stats = get_stats(l, position);
    const double factor = 1 / sqrt(stats.variance + l->norm.epsilon);
    double piece[REF_ROW_ELEMS];
    prim_dims_t at;
    memcpy(at, position, sizeof at);
    prim_dim_t n = 0;
    for (at[l->last] = 0; at[l->last] < l->src_md->dims[l->last]; at[l->last] += n) {
        n = load_piece(l, piece, at);
        for (prim_dim_t i = 0; i < n; ++i) {
            const prim_dim_t place = at[l->last] + i;
            double x = (piece[i] - stats.mean) * factor;
            if (l->norm.scale) x *= prim__load(l->norm.scale, l->scale_dt, place);
            if (l->norm.shift) x += prim__load(l->norm.shift, l->shift_dt, place);
            piece[i] = l->norm.src_scale * x;
        }
        prim__ref_finish_store_row(&l->norm.finish, piece, at, l->last, n);
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    const prim_memory_desc_t *const src_md = prim__pd_md(pd, PRIM_ARG_SRC);
    lnorm_t l = {.last = src_md->ndims - 1,
            .scale_dt = prim__pd_md(pd, PRIM_ARG_SCALE)->data_type,
            .shift_dt = prim__pd_md(pd, PRIM_ARG_SHIFT)->data_type,
            .src_md = src_md,
            .stat_md = prim__pd_md(pd, PRIM_ARG_MEAN)};
    prim__ref_norm_init(&l.norm, pd, ctx);
    const prim_memory_desc_t *const dst_md = l.norm.finish.dst_md;
    // A blocked dimension has no constant stride.
    const bool is_cut = prim__md_is_cut(src_md, l.last) || prim__md_is_cut(dst_md, l.last);
    l.piece_elems = is_cut ? 1 : REF_ROW_ELEMS;
    prim_memory_desc_t rows = *dst_md;
    rows.dims[l.last] = 1; // empty rows have statistics, too
    prim__ref_for_each(&rows, normalize_row, &l);
    prim__ref_clear_padding(l.norm.finish.dst, dst_md);
    if (l.norm.mean && !l.norm.are_given) {
        prim__ref_clear_padding(l.norm.mean, l.stat_md);
        prim__ref_clear_padding(l.norm.variance, l.stat_md);
    }
    return PRIM_SUCCESS;
}

const impl_t prim__ref_lnorm_any = {
        .name = "ref:lnorm:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
