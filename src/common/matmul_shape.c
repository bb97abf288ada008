// SPDX-License-Identifier: Apache-2.0
// From the tensors of matmul to sizes and strides, with dimensions merged.
#include "matmul_shape.h"

#include "memory_desc_tag.h"

enum { SRC, WEI, BIA, DST, NTENSORS };

// A dimension with its stride in each tensor.
typedef struct {
    prim_dim_t dim, strides[NTENSORS];
} axis_t;

static bool is_plain_or_absent(const prim_memory_desc_t *md)
{
    return prim__md_is_zero(md) || (prim__md_is_plain(md) && !prim__md_is_padded(md));
}

static prim_dim_t stride_or_0(const prim_memory_desc_t *md, int dim)
{
    return prim__md_is_zero(md) || md->dims[dim] == 1 ? 0 : md->strides[dim];
}

// Merges two adjacent dimensions, if the strides of every tensor allow it.
static bool merge(axis_t *outer, const axis_t *inner)
{
    for (int t = 0; t < NTENSORS; ++t) {
        if (outer->strides[t] != inner->strides[t] * inner->dim) return false;
    }
    outer->dim *= inner->dim;
    for (int t = 0; t < NTENSORS; ++t) outer->strides[t] = inner->strides[t];
    return true;
}

// Leaves out dimensions of 1 and merges neighbours; returns how many remain.
static int merge_all(axis_t *axes, int naxes)
{
    int n = 0;
    for (int i = 0; i < naxes; ++i) {
        if (axes[i].dim == 1) continue;
        if (n > 0 && merge(&axes[n - 1], &axes[i])) continue;
        axes[n++] = axes[i];
    }
    return n;
}

// Rows of a batch dimension that shares its weights are rows of one larger product.
static int merge_into_rows(axis_t *axes, int naxes, axis_t *rows)
{
    while (naxes > 0 && axes[naxes - 1].strides[WEI] == 0) {
        axis_t merged = axes[naxes - 1];
        if (rows->dim != 1 && !merge(&merged, rows)) break;
        *rows = merged;
        --naxes;
    }
    return naxes;
}

bool prim__matmul_shape(matmul_shape_t *shape, const prim_memory_desc_t *src,
        const prim_memory_desc_t *wei, const prim_memory_desc_t *bia, const prim_memory_desc_t *dst)
{
    const int m = dst->ndims - 2, n = dst->ndims - 1;
    if (!is_plain_or_absent(src) || !is_plain_or_absent(bia) || !is_plain_or_absent(dst))
        return false;
    if (!prim__md_is_blocked_by(wei, n)) return false;

    axis_t axes[MATMUL_MAX_BATCH], rows;
    for (int d = 0; d <= m; ++d) {
        axis_t *const axis = d == m ? &rows : &axes[d];
        axis->dim = dst->dims[d];
        axis->strides[SRC] = stride_or_0(src, d);
        axis->strides[WEI] = d == m ? 0 : stride_or_0(wei, d);
        axis->strides[BIA] = stride_or_0(bia, d);
        axis->strides[DST] = stride_or_0(dst, d);
    }
    *shape = (matmul_shape_t){.n = dst->dims[n], .k = src->dims[n]};
    shape->nbatch = merge_into_rows(axes, merge_all(axes, m), &rows);
    for (int i = 0; i < shape->nbatch; ++i) {
        shape->batch[i] = axes[i].dim;
        shape->src_batch[i] = axes[i].strides[SRC];
        shape->wei_batch[i] = axes[i].strides[WEI];
        shape->bia_batch[i] = axes[i].strides[BIA];
        shape->dst_batch[i] = axes[i].strides[DST];
    }
    shape->m = rows.dim;
    shape->src_m = rows.strides[SRC];
    shape->bia_m = rows.strides[BIA];
    shape->dst_m = rows.strides[DST];
    shape->src_k = src->strides[n];
    shape->wei_k = wei->strides[m];
    shape->wei_n = wei->strides[n];
    shape->bia_n = stride_or_0(bia, n);
    shape->dst_n = dst->strides[n];
    shape->wei_block = wei->inner_nblks ? wei->inner_blks[0] : 0;
    return true;
}

prim_status_t prim__matmul_set_panels(
        prim_memory_desc_t *wei, int cols, const prim_memory_desc_t *like)
{
    const int n_dim = wei->ndims - 1, nbatch = wei->ndims - 2;
    layout_t from;
    prim__layout_of(&from, like);
    from.nblks = 0;
    if (cols == 0 || wei->dims[n_dim] < cols) return prim__layout_apply(&from, wei);
    // Batch dimensions, then the panels, then K.
    layout_t to = {.ndims = from.ndims, .nblks = 1, .blks = {cols}, .idxs = {n_dim}};
    int n = 0;
    for (int i = 0; i < from.ndims; ++i) {
        if (from.order[i] < nbatch) to.order[n++] = from.order[i];
    }
    to.order[n++] = n_dim;
    for (int i = 0; i < from.ndims; ++i) {
        if (from.order[i] >= nbatch && from.order[i] != n_dim) to.order[n++] = from.order[i];
    }
    return prim__layout_apply(&to, wei);
}

prim_dim_t prim__matmul_nbatches(const matmul_shape_t *shape)
{
    prim_dim_t n = 1;
    for (int i = 0; i < shape->nbatch; ++i) n *= shape->batch[i];
    return n;
}

prim_dim_t prim__matmul_batch_offset(
        const matmul_shape_t *shape, const prim_dim_t *strides, prim_dim_t index)
{
    prim_dim_t offset = 0;
    for (int i = shape->nbatch - 1; i >= 0; --i) {
        offset += index % shape->batch[i] * strides[i];
        index /= shape->batch[i];
    }
    return offset;
}
