// SPDX-License-Identifier: Apache-2.0
// Memory descriptors: checks those of the caller, which may hold anything. What it accepts is
// safe to compute with: no array index, offset or size can be out of range.
#include <string.h>

#include "data_type.h"
#include "memory_desc.h"
#include "memory_desc_tag.h"

/// A value that counts elements, or is not known yet.
static bool is_count(prim_dim_t value)
{
    return value >= 0 || value == PRIM_RUNTIME_DIM_VAL;
}

static prim_status_t check_dims(const prim_memory_desc_t *md, const char *name)
{
    for (int d = 0; d < md->ndims; ++d) {
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
    for (int i = 0; i < md->inner_nblks; ++i) {
        const prim_dim_t block = md->inner_blks[i], d = md->inner_idxs[i];
        CHECK(block >= 1 && block <= LAYOUT_MAX_BLOCK && d >= 0 && d < md->ndims,
                "%s: inner block %d is %lld of dimension %lld", name, i, (long long)block,
                (long long)d);
        CHECK(prim__dim_mul(&inner, inner, block), "%s: the product of the inner blocks overflows",
                name);
    }
    prim_dims_t blocks;
    prim__md_total_blocks(blocks, md);
    for (int d = 0; d < md->ndims; ++d) {
        CHECK(md->padded_dims[d] == PRIM_RUNTIME_DIM_VAL || md->padded_dims[d] % blocks[d] == 0,
                "%s: padded dimension %d (%lld) is not a multiple of its block %lld", name, d,
                (long long)md->padded_dims[d], (long long)blocks[d]);
    }
    return PRIM_SUCCESS;
}

/// Whether two positions of a tensor without run-time values share an element, those along a
/// broadcast dimension (stride 0) aside. Dimensions by rising stride: each must step over all that
/// the smaller ones reach.
static bool overlaps(const prim_memory_desc_t *md)
{
    prim_dims_t blocks;
    prim__md_total_blocks(blocks, md);
    prim_dim_t end = 1;
    for (int i = 0; i < md->inner_nblks; ++i) end *= md->inner_blks[i];
    layout_t layout;
    prim__layout_of(&layout, md);
    for (int i = md->ndims - 1; i >= 0; --i) {
        const int d = layout.order[i];
        const prim_dim_t extent = md->padded_dims[d] / blocks[d];
        if (extent <= 1 || md->strides[d] == 0) continue;
        if (md->strides[d] < end) return true;
        end += (extent - 1) * md->strides[d];
    }
    return false;
}

static prim_status_t check_strides(const prim_memory_desc_t *md, const char *name)
{
    for (int d = 0; d < md->ndims; ++d) {
        CHECK(is_count(md->strides[d]), "%s: stride %d is %lld", name, d,
                (long long)md->strides[d]);
    }
    CHECK(is_count(md->offset0), "%s: the offset is %lld", name, (long long)md->offset0);
    CHECK(prim__md_fits(md), "%s reaches beyond 2^56 bytes", name);
    if (prim__md_has_runtime(md) || prim__md_is_empty(md)) return PRIM_SUCCESS;
    CHECK(!overlaps(md), "%s: the strides make elements overlap", name);
    return PRIM_SUCCESS;
}

/// The part of the check for images: all that follows from shape and type must be as it is made
/// here.
static prim_status_t check_image(const prim_memory_desc_t *md, const char *name)
{
    prim_memory_desc_t given = *md, made = {.ndims = md->ndims,
                                            .data_type = md->data_type,
                                            .format_kind = PRIM_FORMAT_KIND_ANY};
    memcpy(made.dims, md->dims, sizeof made.dims);
    memcpy(made.padded_dims, md->dims, sizeof made.padded_dims);
    TRY(prim__md_set_image_if_any(&made));
    prim__md_normalize(&made);
    prim__md_normalize(&given);
    CHECK(memcmp(&made, &given, sizeof made) == 0, "%s is not an image descriptor of this library",
            name);
    return PRIM_SUCCESS;
}

prim_status_t prim__md_check_output(const prim_memory_desc_t *md, const char *op, const char *name)
{
    const int d = prim__md_broadcast_dim(md);
    CHECK(d < 0, "%s %s has stride 0 in dimension %d (of %lld): a broadcast can be an input only",
            op, name, d, (long long)md->dims[d]);
    return PRIM_SUCCESS;
}

prim_status_t prim__md_check(const prim_memory_desc_t *md, const char *name)
{
    CHECK(md, "%s is NULL", name);
    CHECK(md->ndims >= 0 && md->ndims <= PRIM_MAX_NDIMS, "%s has %d dimensions", name, md->ndims);
    if (prim__md_is_zero(md)) return PRIM_SUCCESS;
    CHECK(prim__dt_bytes(md->data_type) > 0, "%s: %d is not a data type", name, (int)md->data_type);
    const bool is_any = prim__md_is_any(md), is_image = prim__md_is_image(md);
    CHECK(is_any || is_image || md->format_kind == PRIM_FORMAT_KIND_BLOCKED,
            "%s: format kind %d is not readable", name, (int)md->format_kind);
    TRY(check_dims(md, name));
    if (is_any) {
        CHECK(md->offset0 == 0, "%s: layout any, and the offset is %lld instead of 0", name,
                (long long)md->offset0);
        CHECK(prim__md_fits(md), "%s reaches beyond 2^56 bytes", name);
        return PRIM_SUCCESS;
    }
    TRY(check_blocks(md, name));
    TRY(check_strides(md, name));
    return is_image ? check_image(md, name) : PRIM_SUCCESS;
}
