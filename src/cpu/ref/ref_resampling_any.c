// SPDX-License-Identifier: Apache-2.0
// Resampling on the CPU, forward: nearest and linear in double for any type, layout and post-op.
#include "common/data_type.h"
#include "ref_finish.h"
#include "ref_row.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ref_require_types(pd));
    return prim__pd_follow(pd);
}

typedef struct {
    bool is_linear;
    int nspatial;
    int dim; ///< of the rows
    const void *src;
    const prim_memory_desc_t *src_md;
    ref_finish_t finish;
} resampling_t;

/// The one or two elements of src, along one dimension, that an element of dst is made of.
typedef struct {
    int n;
    prim_dim_t index[2];
    double weight[2];
} source_t;

static source_t nearest(prim_dim_t y, prim_dim_t in, prim_dim_t out)
{
    // (y + 0.5)·in/out − 0.5 rounded to nearest, halves up, is the integer part of (y +
    // 0.5)·in/out.
    return (source_t){.n = 1, .index = {(2 * y + 1) * in / (2 * out)}, .weight = {1}};
}

static source_t linear(prim_dim_t y, prim_dim_t in, prim_dim_t out)
{
    // (y + 0.5)·in/out − 0.5 = position / (2·out), exactly.
    const prim_dim_t position = (2 * y + 1) * in - out;
    if (position <= 0) return (source_t){.n = 1, .index = {0}, .weight = {1}};
    const prim_dim_t left = position / (2 * out);
    if (left >= in - 1) return (source_t){.n = 1, .index = {in - 1}, .weight = {1}};
    // A neighbour of no weight may be an infinity.
    if (position % (2 * out) == 0) return (source_t){.n = 1, .index = {left}, .weight = {1}};
    const double right_share = (double)(position % (2 * out)) / (double)(2 * out);
    return (source_t){.n = 2, .index = {left, left + 1}, .weight = {1 - right_share, right_share}};
}

static source_t find_source(const resampling_t *r, int d, prim_dim_t y)
{
    const prim_dim_t in = r->src_md->dims[d], out = r->finish.dst_md->dims[d];
    return r->is_linear ? linear(y, in, out) : nearest(y, in, out);
}

// Adds weight·src to row[0..n). `at` fixes every dimension but that of the row.
static void add_elements(const resampling_t *r, double *row, prim_dim_t first, prim_dim_t n,
        prim_dim_t *at, double weight)
{
    const prim_data_type_t dt = r->src_md->data_type;
    const prim_dim_t stride = prim__ref_row_stride(r->src_md, r->dim);
    if (r->dim < 2) {
        double values[REF_ROW_ELEMS];
        prim__ref_load_row(values, r->src, dt, prim__md_offset(r->src_md, at), stride, n);
        for (prim_dim_t i = 0; i < n; ++i) row[i] += weight * values[i];
        return;
    }
    at[r->dim] = 0;
    const prim_dim_t offset = prim__md_offset(r->src_md, at);
    for (prim_dim_t i = 0; i < n; ++i) {
        const source_t s = find_source(r, r->dim, first + i);
        for (int j = 0; j < s.n; ++j)
            row[i] += weight * s.weight[j] * prim__load(r->src, dt, offset + s.index[j] * stride);
    }
}

static void resample_row(const prim_dim_t *position, prim_dim_t n, void *arg)
{
    const resampling_t *r = arg;
    source_t sources[3] = {{.n = 1}, {.n = 1}, {.n = 1}};
    for (int i = 0; i < r->nspatial; ++i)
        if (2 + i != r->dim) sources[i] = find_source(r, 2 + i, position[2 + i]);

    double row[REF_ROW_ELEMS] = {0};
    int corner[3];
    for (corner[0] = 0; corner[0] < sources[0].n; ++corner[0])
        for (corner[1] = 0; corner[1] < sources[1].n; ++corner[1])
            for (corner[2] = 0; corner[2] < sources[2].n; ++corner[2]) {
                prim_dims_t at = {position[0], position[1]};
                double weight = 1;
                for (int i = 0; i < r->nspatial; ++i) {
                    if (2 + i == r->dim) continue;
                    at[2 + i] = sources[i].index[corner[i]];
                    weight *= sources[i].weight[corner[i]];
                }
                add_elements(r, row, r->dim < 0 ? 0 : position[r->dim], n, at, weight);
            }

    prim__ref_finish_store_row(&r->finish, row, position, r->dim, n);
}

// Rows follow dst; src takes part with its strides alone, as its extents are others.
static int choose_row_dim(const resampling_t *r)
{
    prim_memory_desc_t src = *r->src_md;
    for (int d = 0; d < src.ndims; ++d) src.dims[d] = r->finish.dst_md->dims[d];
    return prim__ref_row_dim((const prim_memory_desc_t *const[]){r->finish.dst_md, &src}, 2);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *pd = primitive->pd;
    resampling_t r = {.is_linear = pd->op.alg_kind == PRIM_RESAMPLING_LINEAR,
            .src = prim__ref_pointer(ctx, PRIM_ARG_SRC),
            .src_md = prim__pd_md(pd, PRIM_ARG_SRC)};
    r.nspatial = r.src_md->ndims - 2;
    prim__ref_finish_init(&r.finish, pd, ctx);
    r.dim = choose_row_dim(&r);
    prim__ref_for_each_row(r.finish.dst_md, r.dim, resample_row, &r);
    prim__ref_clear_padding(r.finish.dst, r.finish.dst_md);
    return PRIM_SUCCESS;
}

const impl_t prim__ref_resampling_any = {
        .name = "ref:resampling:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
