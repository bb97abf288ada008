// SPDX-License-Identifier: Apache-2.0
// Memory descriptors: the check of foreign ones, which may hold anything. What it lets through is
// safe to read and to compute with: no array index, offset or size of it can leave its range.
#include "data_type.h"
#include "memory_desc.h"
#include "memory_desc_tag.h"

/// A value that counts elements, or is not known yet.
static bool is_count(prim_dim_t value)
{
    return value >= 0 || value == PRIM_RUNTIME_DIM_VAL;
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
    for (int i = 0; i < md->inner_nblks; i++) {
        if (!prim__dim_mul(&total, total, md->inner_blks[i]) || total > most) return false;
    }
    if (md->offset0 != PRIM_RUNTIME_DIM_VAL && !reach(&total, 1, md->offset0, most)) return false;
    prim_dims_t blocks;
    prim__md_total_blocks(blocks, md);
    for (int d = 0; d < md->ndims; d++) {
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
    for (int d = 0; d < md->ndims; d++) {
        const prim_dim_t padded = md->padded_dims[d];
        if (padded > 0 && (!prim__dim_mul(&nelems, nelems, padded) || nelems > most)) return false;
    }
    return prim__md_is_any(md) || prim__md_end(&end, md);
}

static prim_status_t check_dims(const prim_memory_desc_t *md, const char *name)
{
    for (int d = 0; d < md->ndims; d++) {
        const prim_dim_t dim = md->dims[d], padded = md->padded_dims[d];
        const prim_dim_t before = md->padded_offsets[d];
        CHECK(is_count(dim), "%s: dimension %d is %lld", name, d, (long long)dim);
        const bool is_inside = dim == PRIM_RUNTIME_DIM_VAL
                                       ? padded == PRIM_RUNTIME_DIM_VAL && before == 0
                                       : before >= 0 && padded >= dim && before <= padded - dim;
        CHECK(is_inside, "%s: dimension %d (%lld) does not lie inside its padding (%lld + %lld)",
                name, d, (long long)dim, (long long)before, (long long)padded);
        // An empty tensor has no bytes, so nowhere to keep padding.
        CHECK(dim != 0 || padded == 0, "%s: dimension %d is 0 and has a padding of %lld", name, d,
                (long long)padded);
    }
    return PRIM_SUCCESS;
}

static prim_status_t check_blocks(const prim_memory_desc_t *md, const char *name)
{
    CHECK(md->inner_nblks >= 0 && md->inner_nblks <= PRIM_MAX_NDIMS, "%s: %d inner blocks", name,
            md->inner_nblks);
    CHECK(md->inner_nblks == 0 || !prim__md_has_runtime(md),
            "%s: run-time dimensions need a layout without blocks", name);
    prim_dim_t inner = 1;
    for (int i = 0; i < md->inner_nblks; i++) {
        const prim_dim_t block = md->inner_blks[i], d = md->inner_idxs[i];
        CHECK(block >= 1 && block <= LAYOUT_MAX_BLOCK && d >= 0 && d < md->ndims,
                "%s: inner block %d is %lld of dimension %lld", name, i, (long long)block,
                (long long)d);
        CHECK(prim__dim_mul(&inner, inner, block), "%s: blocks too large", name);
    }
    prim_dims_t blocks;
    prim__md_total_blocks(blocks, md);
    for (int d = 0; d < md->ndims; d++) {
        CHECK(md->padded_dims[d] == PRIM_RUNTIME_DIM_VAL || md->padded_dims[d] % blocks[d] == 0,
                "%s: padded dimension %d (%lld) is no multiple of its block %lld", name, d,
                (long long)md->padded_dims[d], (long long)blocks[d]);
    }
    return PRIM_SUCCESS;
}

/// Whether two positions of a tensor without run-time values share an element. Dimensions by rising
/// stride: each must step over all that the smaller ones reach.
static bool overlaps(const prim_memory_desc_t *md)
{
    prim_dims_t blocks;
    prim__md_total_blocks(blocks, md);
    prim_dim_t end = 1;
    for (int i = 0; i < md->inner_nblks; i++) end *= md->inner_blks[i];
    layout_t layout;
    prim__layout_of(&layout, md);
    for (int i = md->ndims - 1; i >= 0; i--) {
        const int d = layout.order[i];
        const prim_dim_t extent = md->padded_dims[d] / blocks[d];
        if (extent <= 1) continue;
        if (md->strides[d] < end) return true;
        end += (extent - 1) * md->strides[d];
    }
    return false;
}

static prim_status_t check_strides(const prim_memory_desc_t *md, const char *name)
{
    for (int d = 0; d < md->ndims; d++) {
        CHECK(is_count(md->strides[d]), "%s: stride %d is %lld", name, d,
                (long long)md->strides[d]);
    }
    CHECK(is_count(md->offset0), "%s: the offset is %lld", name, (long long)md->offset0);
    CHECK(prim__md_fits(md), "%s reaches beyond 2^56 bytes", name);
    if (prim__md_has_runtime(md) || prim__md_is_empty(md)) return PRIM_SUCCESS;
    CHECK(!overlaps(md), "%s: the strides make elements overlap", name);
    return PRIM_SUCCESS;
}

prim_status_t prim__md_check(const prim_memory_desc_t *md, const char *name)
{
    CHECK(md, "%s is NULL", name);
    CHECK(md->ndims >= 0 && md->ndims <= PRIM_MAX_NDIMS, "%s has %d dimensions", name, md->ndims);
    if (prim__md_is_zero(md)) return PRIM_SUCCESS;
    CHECK(prim__dt_bytes(md->data_type) > 0, "%s: %d is no data type", name, (int)md->data_type);
    const bool is_any = prim__md_is_any(md), is_image = prim__md_is_image(md);
    CHECK(is_any || is_image || md->format_kind == PRIM_FORMAT_KIND_BLOCKED,
            "%s: format kind %d is not readable", name, (int)md->format_kind);
    TRY(check_dims(md, name));
    if (is_any) {
        CHECK(md->offset0 == 0, "%s: layout any has no place yet, and the offset is %lld", name,
                (long long)md->offset0);
        CHECK(prim__md_fits(md), "%s reaches beyond 2^56 bytes", name);
        return PRIM_SUCCESS;
    }
    TRY(check_blocks(md, name));
    TRY(check_strides(md, name));
    return is_image ? prim__md_check_image(md, name) : PRIM_SUCCESS;
}
