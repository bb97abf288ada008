// SPDX-License-Identifier: Apache-2.0
// The tensors of inner products as matrices.
#include "ip_matrix.h"

#include "memory_desc_tag.h"

static bool merge(ip_axis_t *outer, const ip_axis_t *inner, bool has_wei)
{
    if (outer->src != inner->src * inner->dim) return false;
    if (has_wei && outer->wei != inner->wei * inner->dim) return false;
    outer->src = inner->src;
    outer->wei = inner->wei;
    return prim__dim_mul(&outer->dim, outer->dim, inner->dim);
}

bool prim__ip_flatten(ip_axis_t *k, const prim_memory_desc_t *src, const prim_memory_desc_t *wei)
{
    const bool has_wei = !prim__md_is_any(wei);
    layout_t layout;
    prim__layout_of(&layout, src);
    *k = (ip_axis_t){1, 1, 1};
    bool is_first = true;
    for (int i = 0; i < layout.ndims; ++i) {
        const int d = layout.order[i];
        if (d == 0 || src->dims[d] == 1) continue;
        const ip_axis_t axis = {src->dims[d], src->strides[d], has_wei ? wei->strides[d] : 1};
        if (is_first)
            *k = axis;
        else if (!merge(k, &axis, has_wei))
            return false;
        is_first = false;
    }
    return true;
}

bool prim__ip_is_matrix(const prim_memory_desc_t *md)
{
    return prim__md_is_plain(md) && !prim__md_is_padded(md);
}

prim_memory_desc_t prim__ip_matrix(const prim_memory_desc_t *of, prim_dim_t rows,
        prim_dim_t columns, prim_dim_t row_stride, prim_dim_t column_stride)
{
    return (prim_memory_desc_t){.ndims = 2,
            .data_type = of->data_type,
            .format_kind = PRIM_FORMAT_KIND_BLOCKED,
            .offset0 = of->offset0,
            .dims = {rows, columns},
            .padded_dims = {rows, columns},
            .strides = {row_stride, column_stride}};
}
