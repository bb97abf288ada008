// SPDX-License-Identifier: Apache-2.0
// Memory descriptors: predicates, sizes, offsets, and their normal form.
#include <assert.h>
#include <string.h>

#include "data_type.h"
#include "memory_desc.h"

bool prim__md_is_zero(const prim_memory_desc_t *md)
{
    return md->ndims == 0;
}

bool prim__md_is_any(const prim_memory_desc_t *md)
{
    return md->ndims > 0 && md->format_kind == PRIM_FORMAT_KIND_ANY;
}

bool prim__md_is_blocked(const prim_memory_desc_t *md)
{
    return md->ndims > 0 && md->format_kind == PRIM_FORMAT_KIND_BLOCKED;
}

bool prim__md_is_image(const prim_memory_desc_t *md)
{
    return md->ndims > 0 && md->format_kind == PRIM_FORMAT_KIND_IMAGE2D;
}

bool prim__md_has_runtime(const prim_memory_desc_t *md)
{
    for (int d = 0; d < md->ndims; ++d) {
        if (md->dims[d] == PRIM_RUNTIME_DIM_VAL) return true;
        if (prim__md_is_blocked(md) && md->strides[d] == PRIM_RUNTIME_DIM_VAL) return true;
    }
    return md->offset0 == PRIM_RUNTIME_DIM_VAL;
}

bool prim__md_is_plain(const prim_memory_desc_t *md)
{
    return prim__md_is_blocked(md) && md->inner_nblks == 0;
}

int prim__md_broadcast_dim(const prim_memory_desc_t *md)
{
    if (!prim__md_is_blocked(md) || prim__md_is_empty(md)) return -1;
    prim_dims_t blocks;
    prim__md_total_blocks(blocks, md);
    for (int d = 0; d < md->ndims; ++d) {
        const bool is_open = md->padded_dims[d] == PRIM_RUNTIME_DIM_VAL;
        if (md->strides[d] == 0 && !is_open && md->padded_dims[d] > blocks[d]) return d;
    }
    return -1;
}

bool prim__md_is_broadcast(const prim_memory_desc_t *md)
{
    return prim__md_broadcast_dim(md) >= 0;
}

bool prim__md_is_dense(const prim_memory_desc_t *md)
{
    if (!prim__md_is_blocked(md) || prim__md_has_runtime(md) || prim__md_is_broadcast(md))
        return false;
    if (prim__md_is_empty(md)) return true;
    return prim__md_span_elems(md) - md->offset0 == prim__md_nelems_padded(md);
}

bool prim__dim_mul(prim_dim_t *result, prim_dim_t a, prim_dim_t b)
{
    if (b != 0 && a > INT64_MAX / b) return false;
    *result = a * b;
    return true;
}

bool prim__dim_add(prim_dim_t *result, prim_dim_t a, prim_dim_t b)
{
    if (a > INT64_MAX - b) return false;
    *result = a + b;
    return true;
}

void prim__md_total_blocks(prim_dims_t blocks, const prim_memory_desc_t *md)
{
    for (int d = 0; d < PRIM_MAX_NDIMS; ++d) blocks[d] = 1;
    for (int i = 0; i < md->inner_nblks; ++i) blocks[md->inner_idxs[i]] *= md->inner_blks[i];
}

bool prim__md_is_cut(const prim_memory_desc_t *md, int dim)
{
    for (int i = 0; i < md->inner_nblks; ++i) {
        if (md->inner_idxs[i] == dim) return true;
    }
    return false;
}

bool prim__md_is_blocked_by(const prim_memory_desc_t *md, int dim)
{
    if (md->format_kind != PRIM_FORMAT_KIND_BLOCKED) return false;
    if (md->inner_nblks == 0) return !prim__md_is_padded(md);
    for (int d = 0; d < md->ndims; ++d) {
        if (md->padded_offsets[d] != 0) return false;
        if (d != dim && md->padded_dims[d] != md->dims[d]) return false;
    }
    return md->inner_nblks == 1 && md->inner_idxs[0] == dim;
}

static bool same_values(int n, const prim_dim_t *a, const prim_dim_t *b)
{
    return memcmp(a, b, (size_t)n * sizeof *a) == 0;
}

bool prim__md_is_padded(const prim_memory_desc_t *md)
{
    return !same_values(md->ndims, md->dims, md->padded_dims);
}

bool prim__md_is_empty(const prim_memory_desc_t *md)
{
    for (int d = 0; d < md->ndims; ++d) {
        if (md->dims[d] == 0) return true;
    }
    return false;
}

bool prim__md_same_dims(const prim_memory_desc_t *a, const prim_memory_desc_t *b)
{
    return a->ndims == b->ndims && same_values(a->ndims, a->dims, b->dims);
}

bool prim__md_same_layout(const prim_memory_desc_t *a, const prim_memory_desc_t *b)
{
    if (!prim__md_same_dims(a, b) || !prim__md_is_blocked(a) || !prim__md_is_blocked(b))
        return false;
    if (a->offset0 != b->offset0 || a->inner_nblks != b->inner_nblks) return false;
    if (!same_values(a->ndims, a->padded_dims, b->padded_dims) ||
            !same_values(a->ndims, a->padded_offsets, b->padded_offsets) ||
            !same_values(a->inner_nblks, a->inner_blks, b->inner_blks) ||
            !same_values(a->inner_nblks, a->inner_idxs, b->inner_idxs))
        return false;
    prim_dims_t blocks;
    prim__md_total_blocks(blocks, a);
    for (int d = 0; d < a->ndims; ++d) {
        if (a->padded_dims[d] != blocks[d] && a->strides[d] != b->strides[d]) return false;
    }
    return true;
}

bool prim__md_same_layout_moved(const prim_memory_desc_t *a, const prim_memory_desc_t *b)
{
    prim_memory_desc_t moved = *b;
    moved.offset0 = a->offset0;
    return prim__md_same_layout(a, &moved);
}

static prim_dim_t product(int n, const prim_dim_t *values)
{
    prim_dim_t result = n > 0;
    bool is_known = true;
    for (int d = 0; d < n; ++d) {
        if (values[d] == PRIM_RUNTIME_DIM_VAL)
            is_known = false;
        else
            result *= values[d];
    }
    return is_known || result == 0 ? result : PRIM_RUNTIME_DIM_VAL;
}

prim_dim_t prim__md_nelems(const prim_memory_desc_t *md)
{
    return product(md->ndims, md->dims);
}

prim_dim_t prim__md_nelems_padded(const prim_memory_desc_t *md)
{
    return product(md->ndims, md->padded_dims);
}

/// The most elements of a type that a tensor may reach.
static prim_dim_t max_elems(prim_data_type_t data_type)
{
    return MD_MAX_BYTES / (prim_dim_t)prim__dt_bytes(data_type);
}

/// total + n·step, where none of the three is beyond `most`; false if the result is.
static bool reach(prim_dim_t *total, prim_dim_t n, prim_dim_t step, prim_dim_t most)
{
    prim_dim_t length;
    return step <= most && prim__dim_mul(&length, n, step) &&
           prim__dim_add(total, *total, length) && *total <= most;
}

bool prim__md_end(prim_dim_t *end, const prim_memory_desc_t *md)
{
    const prim_dim_t most = max_elems(md->data_type);
    prim_dim_t total = 1;
    for (int i = 0; i < md->inner_nblks; ++i) {
        if (!prim__dim_mul(&total, total, md->inner_blks[i]) || total > most) return false;
    }
    if (md->offset0 != PRIM_RUNTIME_DIM_VAL && !reach(&total, 1, md->offset0, most)) return false;
    prim_dims_t blocks;
    prim__md_total_blocks(blocks, md);
    for (int d = 0; d < md->ndims; ++d) {
        if (md->strides[d] == PRIM_RUNTIME_DIM_VAL) continue;
        const bool is_known = md->padded_dims[d] != PRIM_RUNTIME_DIM_VAL;
        const prim_dim_t extent = is_known ? md->padded_dims[d] / blocks[d] : 1;
        // The stride counts where there is one step only, too: offsets of windows are made of it.
        if (!reach(&total, extent > 1 ? extent - 1 : 0, md->strides[d], most)) return false;
    }
    *end = total;
    return true;
}

bool prim__md_fits(const prim_memory_desc_t *md)
{
    const prim_dim_t most = max_elems(md->data_type);
    // Dimensions of 0 aside, so that no product of some of the dimensions can overflow either.
    prim_dim_t nelems = 1, end;
    for (int d = 0; d < md->ndims; ++d) {
        const prim_dim_t padded = md->padded_dims[d];
        if (padded > 0 && (!prim__dim_mul(&nelems, nelems, padded) || nelems > most)) return false;
    }
    return prim__md_is_any(md) || prim__md_end(&end, md);
}

prim_dim_t prim__md_span_elems(const prim_memory_desc_t *md)
{
    if (prim__md_is_image(md)) return prim__md_nelems_padded(md);
    if (!prim__md_is_blocked(md) || prim__md_is_empty(md)) return 0;
    assert(!prim__md_has_runtime(md));
    prim_dim_t end = 0;
    const bool fits = prim__md_end(&end, md);
    assert(fits);
    (void)fits;
    return end;
}

prim_dim_t prim__md_offset_padded(const prim_memory_desc_t *md, const prim_dim_t *position)
{
    prim_dim_t offset = md->offset0;
    if (md->inner_nblks == 0) {
        for (int d = 0; d < md->ndims; ++d) offset += position[d] * md->strides[d];
        return offset;
    }
    prim_dims_t rest;
    memcpy(rest, position, (size_t)md->ndims * sizeof *rest);
    prim_dim_t inner_stride = 1;
    for (int i = md->inner_nblks - 1; i >= 0; --i) {
        const prim_dim_t block = md->inner_blks[i];
        prim_dim_t *const index = &rest[md->inner_idxs[i]];
        offset += *index % block * inner_stride;
        *index /= block;
        inner_stride *= block;
    }
    for (int d = 0; d < md->ndims; ++d) offset += rest[d] * md->strides[d];
    return offset;
}

prim_dim_t prim__md_offset(const prim_memory_desc_t *md, const prim_dim_t *position)
{
    prim_dims_t padded;
    for (int d = 0; d < md->ndims; ++d) padded[d] = position[d] + md->padded_offsets[d];
    return prim__md_offset_padded(md, padded);
}

void prim__position(prim_dim_t *position, int ndims, const prim_dim_t *dims, prim_dim_t index)
{
    for (int d = ndims - 1; d >= 0; --d) {
        position[d] = index % dims[d];
        index /= dims[d];
    }
}

prim_dim_t prim__index(int ndims, const prim_dim_t *dims, const prim_dim_t *position)
{
    prim_dim_t index = 0;
    for (int d = 0; d < ndims; ++d) index = index * dims[d] + position[d];
    return index;
}

void prim__md_normalize(prim_memory_desc_t *md)
{
    const prim_memory_desc_t from = *md;
    *md = (prim_memory_desc_t){0};
    if (prim__md_is_zero(&from)) return;
    md->ndims = from.ndims;
    md->data_type = from.data_type;
    md->format_kind = from.format_kind;
    const size_t bytes = (size_t)from.ndims * sizeof(prim_dim_t);
    memcpy(md->dims, from.dims, bytes);
    memcpy(md->padded_dims, from.padded_dims, bytes);
    if (!prim__md_is_blocked(&from) && !prim__md_is_image(&from)) return;
    md->offset0 = from.offset0;
    md->inner_nblks = from.inner_nblks;
    memcpy(md->padded_offsets, from.padded_offsets, bytes);
    memcpy(md->strides, from.strides, bytes);
    const size_t block_bytes = (size_t)from.inner_nblks * sizeof(prim_dim_t);
    memcpy(md->inner_blks, from.inner_blks, block_bytes);
    memcpy(md->inner_idxs, from.inner_idxs, block_bytes);
}
