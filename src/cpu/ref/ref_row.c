// SPDX-License-Identifier: Apache-2.0
// Rows of the element-wise references: typed conversion and the loop over all rows of a shape.
#include "ref_row.h"

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/parallel.h"

/// Elements below which a second thread costs more than it gives.
enum { MIN_PARALLEL_ELEMS = 1024 };

void prim__ref_load_row(double *row, const void *base, prim_data_type_t dt, prim_dim_t offset,
        prim_dim_t stride, prim_dim_t n)
{
    // The switch stands outside the loops, for the types that are worth it.
    switch (dt) {
    case PRIM_F32:
        for (prim_dim_t i = 0; i < n; ++i)
            row[i] = (double)((const float *)base)[offset + i * stride];
        break;
    case PRIM_S32:
        for (prim_dim_t i = 0; i < n; ++i) row[i] = ((const int32_t *)base)[offset + i * stride];
        break;
    case PRIM_S8:
        for (prim_dim_t i = 0; i < n; ++i) row[i] = ((const int8_t *)base)[offset + i * stride];
        break;
    case PRIM_U8:
        for (prim_dim_t i = 0; i < n; ++i) row[i] = ((const uint8_t *)base)[offset + i * stride];
        break;
    default:
        for (prim_dim_t i = 0; i < n; ++i) row[i] = prim__load(base, dt, offset + i * stride);
        break;
    }
}

void prim__ref_store_row(const double *row, void *base, prim_data_type_t dt, prim_dim_t offset,
        prim_dim_t stride, prim_dim_t n)
{
    if (dt == PRIM_F32) {
        for (prim_dim_t i = 0; i < n; ++i) ((float *)base)[offset + i * stride] = (float)row[i];
        return;
    }
    for (prim_dim_t i = 0; i < n; ++i) prim__store(base, dt, offset + i * stride, row[i]);
}

int prim__ref_row_dim(const prim_memory_desc_t *const *mds, int nmds)
{
    int best = -1;
    prim_dim_t best_reach = 0;
    for (int d = 0; d < mds[0]->ndims; ++d) {
        prim_dim_t reach = 0, extent = 1;
        bool fits = true;
        for (int i = 0; i < nmds; ++i) {
            fits = fits && (mds[i]->dims[d] == 1 || !prim__md_is_cut(mds[i], d));
            reach += prim__ref_row_stride(mds[i], d);
            if (mds[i]->dims[d] > extent) extent = mds[i]->dims[d];
        }
        if (!fits || extent < 2 || (best >= 0 && reach >= best_reach)) continue;
        best = d;
        best_reach = reach;
    }
    return best;
}

prim_dim_t prim__ref_row_stride(const prim_memory_desc_t *md, int dim)
{
    return dim < 0 || md->dims[dim] == 1 ? 0 : md->strides[dim];
}

void prim__ref_load_at(double *row, const void *base, const prim_memory_desc_t *md,
        const prim_dim_t *position, int dim, prim_dim_t n)
{
    prim__ref_load_row(row, base, md->data_type, prim__md_offset(md, position),
            prim__ref_row_stride(md, dim), n);
}

void prim__ref_store_at(const double *row, void *base, const prim_memory_desc_t *md,
        const prim_dim_t *position, int dim, prim_dim_t n)
{
    prim__ref_store_row(row, base, md->data_type, prim__md_offset(md, position),
            prim__ref_row_stride(md, dim), n);
}

typedef struct {
    int ndims, dim;
    prim_dims_t dims; ///< the walk's own: along `dim` the number of rows
    prim_dim_t extent, row_elems, nrows;
    void (*body)(const prim_dim_t *position, prim_dim_t n, void *arg);
    void *arg;
} row_walk_t;

static void walk_share(int ithr, int nthr, void *arg)
{
    const row_walk_t *walk = arg;
    prim_dim_t start, end;
    prim__balance211(walk->nrows, nthr, ithr, &start, &end);
    if (start >= end) return;
    prim_dims_t at, position;
    prim__position(at, walk->ndims, walk->dims, start);
    for (prim_dim_t i = start; i < end; ++i) {
        for (int d = 0; d < walk->ndims; ++d) position[d] = at[d];
        prim_dim_t n = 1;
        if (walk->dim >= 0) {
            position[walk->dim] *= walk->row_elems;
            n = walk->extent - position[walk->dim];
            if (n > walk->row_elems) n = walk->row_elems;
        }
        walk->body(position, n, walk->arg);
        for (int d = walk->ndims - 1; d >= 0 && ++at[d] == walk->dims[d]; --d) at[d] = 0;
    }
}

void prim__ref_for_each_row(const prim_memory_desc_t *shape, int dim,
        void (*body)(const prim_dim_t *position, prim_dim_t n, void *arg), void *arg)
{
    const prim_dim_t nelems = prim__md_nelems(shape);
    row_walk_t walk = {.ndims = shape->ndims, .dim = dim, .nrows = 1, .body = body, .arg = arg};
    if (nelems == 0) return;
    for (int d = 0; d < shape->ndims; ++d) {
        walk.dims[d] = shape->dims[d];
        if (d == dim) {
            // One long row is cut so that all threads get a share.
            const prim_dim_t share = (shape->dims[d] + 63) / 64;
            walk.extent = shape->dims[d];
            walk.row_elems = share < 64 ? 64 : share;
            if (walk.row_elems > REF_ROW_ELEMS) walk.row_elems = REF_ROW_ELEMS;
            walk.dims[d] = prim__ceil_div(walk.extent, walk.row_elems);
        }
        walk.nrows *= walk.dims[d];
    }
    prim__parallel(nelems < MIN_PARALLEL_ELEMS ? 1 : 0, walk_share, &walk);
}
