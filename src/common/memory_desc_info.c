// SPDX-License-Identifier: Apache-2.0
// Memory descriptors: what the library asks of them, offsets, and their normal form.
#include <assert.h>
#include <string.h>

#include "data_type.h"
#include "memory_desc.h"
#include "memory_desc_tag.h"

bool prim__md_is_zero(const prim_memory_desc_t *md)
{
    return md->ndims == 0;
}

bool prim__md_is_any(const prim_memory_desc_t *md)
{
    return md->ndims > 0 && md->format_kind == PRIM_FORMAT_KIND_ANY;
}

static bool is_blocked(const prim_memory_desc_t *md)
{
    return md->ndims > 0 && md->format_kind == PRIM_FORMAT_KIND_BLOCKED;
}

bool prim__md_has_runtime(const prim_memory_desc_t *md)
{
    for (int d = 0; d < md->ndims; d++) {
        if (md->dims[d] == PRIM_RUNTIME_DIM_VAL) return true;
        if (is_blocked(md) && md->strides[d] == PRIM_RUNTIME_DIM_VAL) return true;
    }
    return md->offset0 == PRIM_RUNTIME_DIM_VAL;
}

bool prim__md_is_plain(const prim_memory_desc_t *md)
{
    return is_blocked(md) && md->inner_nblks == 0;
}

bool prim__md_is_dense(const prim_memory_desc_t *md)
{
    if (!is_blocked(md) || prim__md_has_runtime(md)) return false;
    if (prim__md_is_empty(md)) return true;
    return prim__md_span_elems(md) - md->offset0 == prim__md_nelems_padded(md);
}

bool prim__md_is_row_major(const prim_memory_desc_t *md)
{
    layout_t layout = {.ndims = md->ndims};
    for (int d = 0; d < md->ndims; d++) layout.order[d] = d;
    return is_blocked(md) && prim__layout_matches(&layout, md);
}

bool prim__md_matches_tag(const prim_memory_desc_t *md, const char *tag)
{
    layout_t layout;
    return prim__layout_parse(&layout, tag) && prim__layout_matches(&layout, md);
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
    for (int d = 0; d < md->ndims; d++) {
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
    if (!prim__md_same_dims(a, b) || !is_blocked(a) || !is_blocked(b)) return false;
    if (a->offset0 != b->offset0 || a->inner_nblks != b->inner_nblks) return false;
    if (!same_values(a->ndims, a->padded_dims, b->padded_dims) ||
            !same_values(a->ndims, a->padded_offsets, b->padded_offsets) ||
            !same_values(a->inner_nblks, a->inner_blks, b->inner_blks) ||
            !same_values(a->inner_nblks, a->inner_idxs, b->inner_idxs))
        return false;
    prim_dims_t blocks;
    prim__md_total_blocks(blocks, a);
    for (int d = 0; d < a->ndims; d++) {
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
    for (int d = 0; d < n; d++) {
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

prim_dim_t prim__md_span_elems(const prim_memory_desc_t *md)
{
    if (prim__md_is_image(md)) return prim__md_nelems_padded(md);
    if (!is_blocked(md) || prim__md_is_empty(md)) return 0;
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
        for (int d = 0; d < md->ndims; d++) offset += position[d] * md->strides[d];
        return offset;
    }
    prim_dims_t rest;
    memcpy(rest, position, (size_t)md->ndims * sizeof *rest);
    prim_dim_t inner_stride = 1;
    for (int i = md->inner_nblks - 1; i >= 0; i--) {
        const prim_dim_t block = md->inner_blks[i];
        prim_dim_t *const index = &rest[md->inner_idxs[i]];
        offset += *index % block * inner_stride;
        *index /= block;
        inner_stride *= block;
    }
    for (int d = 0; d < md->ndims; d++) offset += rest[d] * md->strides[d];
    return offset;
}

prim_dim_t prim__md_offset(const prim_memory_desc_t *md, const prim_dim_t *position)
{
    prim_dims_t padded;
    for (int d = 0; d < md->ndims; d++) padded[d] = position[d] + md->padded_offsets[d];
    return prim__md_offset_padded(md, padded);
}

void prim__position(prim_dim_t *position, int ndims, const prim_dim_t *dims, prim_dim_t index)
{
    for (int d = ndims - 1; d >= 0; d--) {
        position[d] = index % dims[d];
        index /= dims[d];
    }
}

prim_dim_t prim__index(int ndims, const prim_dim_t *dims, const prim_dim_t *position)
{
    prim_dim_t index = 0;
    for (int d = 0; d < ndims; d++) index = index * dims[d] + position[d];
    return index;
}

prim_status_t prim__md_set_tag_if_any(prim_memory_desc_t *md, const char *tag)
{
    if (!prim__md_is_any(md)) return PRIM_SUCCESS;
    layout_t layout;
    CHECK(prim__layout_parse(&layout, tag), "\"%.64s\" is no layout", tag);
    return prim__layout_apply(&layout, md);
}

prim_status_t prim__md_set_row_major_if_any(prim_memory_desc_t *md)
{
    if (!prim__md_is_any(md)) return PRIM_SUCCESS;
    layout_t layout = {.ndims = md->ndims};
    for (int d = 0; d < md->ndims; d++) layout.order[d] = d;
    return prim__layout_apply(&layout, md);
}

prim_status_t prim__md_set_like_if_any(prim_memory_desc_t *md, const prim_memory_desc_t *like)
{
    if (!prim__md_is_any(md)) return PRIM_SUCCESS;
    if (prim__md_is_image(like)) return prim__md_set_image_if_any(md);
    CHECK(is_blocked(like), "the layout to take over is not known");
    layout_t layout;
    prim__layout_of(&layout, like);
    return prim__layout_apply(&layout, md);
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
    if (!is_blocked(&from) && !prim__md_is_image(&from)) return;
    md->offset0 = from.offset0;
    md->inner_nblks = from.inner_nblks;
    memcpy(md->padded_offsets, from.padded_offsets, bytes);
    memcpy(md->strides, from.strides, bytes);
    const size_t block_bytes = (size_t)from.inner_nblks * sizeof(prim_dim_t);
    memcpy(md->inner_blks, from.inner_blks, block_bytes);
    memcpy(md->inner_idxs, from.inner_idxs, block_bytes);
}

void prim__md_tag_text(const prim_memory_desc_t *md, char *text)
{
    text[0] = '\0';
    if (prim__md_is_any(md)) {
        memcpy(text, "any", sizeof "any");
    } else if (prim__md_is_image(md)) {
        memcpy(text, "image", sizeof "image");
    } else if (is_blocked(md)) {
        layout_t layout;
        prim__layout_of(&layout, md);
        if (prim__layout_matches(&layout, md)) prim__layout_text(&layout, text);
    }
}
