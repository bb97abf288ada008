// SPDX-License-Identifier: Apache-2.0
// Memory descriptors: the public functions that build, compare and measure them.
#include "memory_desc.h"

#include <string.h>

#include "data_type.h"
#include "memory_desc_tag.h"
#include "prim/prim.h"

/// Checks what all layouts share and fills a descriptor of layout `any` in `md`.
static prim_status_t init_any(
        prim_memory_desc_t *md, int ndims, const prim_dim_t *dims, prim_data_type_t data_type)
{
    CHECK_NOT_NULL(dims);
    CHECK(ndims >= 1 && ndims <= PRIM_MAX_NDIMS, "%d dimensions are outside 1..%d", ndims,
            PRIM_MAX_NDIMS);
    CHECK(prim__dt_bytes(data_type) > 0, "%d is not a data type", (int)data_type);
    *md = (prim_memory_desc_t){
            .ndims = ndims, .data_type = data_type, .format_kind = PRIM_FORMAT_KIND_ANY};
    for (int d = 0; d < ndims; ++d) {
        CHECK(dims[d] >= 0 || dims[d] == PRIM_RUNTIME_DIM_VAL, "dimension %d is %lld", d,
                (long long)dims[d]);
        md->dims[d] = md->padded_dims[d] = dims[d];
    }
    return prim__md_check(md, "tensor");
}

prim_status_t prim_memory_desc_init_by_string_tag(prim_memory_desc_t *md, int ndims,
        const prim_dim_t *dims, prim_data_type_t data_type, const char *tag)
{
    CHECK_NOT_NULL(md);
    CHECK_NOT_NULL(tag);
    prim_memory_desc_t result;
    TRY(init_any(&result, ndims, dims, data_type));
    if (strcmp(tag, "image") == 0) {
        TRY(prim__md_set_image_if_any(&result));
    } else if (strcmp(tag, "any") != 0) {
        layout_t layout;
        CHECK(prim__layout_parse(&layout, tag), "\"%.64s\" is not a layout", tag);
        CHECK(layout.ndims == ndims, "layout %s has %d dimensions, the tensor %d", tag,
                layout.ndims, ndims);
        TRY(prim__layout_apply(&layout, &result));
    }
    *md = result;
    return PRIM_SUCCESS;
}

prim_status_t prim_memory_desc_init_by_tag(prim_memory_desc_t *md, int ndims,
        const prim_dim_t *dims, prim_data_type_t data_type, prim_format_tag_t tag)
{
    // The numbered tags are known by their names, so that both ways lead to one parser.
    const char *const name = prim_format_tag_name(tag);
    CHECK(strcmp(name, "undef") != 0, "%d is not a layout", (int)tag);
    return prim_memory_desc_init_by_string_tag(md, ndims, dims, data_type, name);
}

prim_status_t prim_memory_desc_init_by_strides(prim_memory_desc_t *md, int ndims,
        const prim_dim_t *dims, prim_data_type_t data_type, const prim_dim_t *strides)
{
    CHECK_NOT_NULL(md);
    prim_memory_desc_t result;
    TRY(init_any(&result, ndims, dims, data_type));
    if (!strides) {
        TRY(prim__md_set_row_major_if_any(&result));
    } else {
        result.format_kind = PRIM_FORMAT_KIND_BLOCKED;
        memcpy(result.strides, strides, (size_t)ndims * sizeof *strides);
        TRY(prim__md_check(&result, "tensor"));
    }
    *md = result;
    return PRIM_SUCCESS;
}

prim_status_t prim_memory_desc_init_image2d(
        prim_memory_desc_t *md, int ndims, const prim_dim_t *dims, prim_data_type_t data_type)
{
    CHECK_NOT_NULL(md);
    prim_memory_desc_t result;
    TRY(init_any(&result, ndims, dims, data_type));
    TRY(prim__md_set_image_if_any(&result));
    *md = result;
    return PRIM_SUCCESS;
}

prim_status_t prim_memory_desc_get_image2d(
        const prim_memory_desc_t *md, size_t *width, size_t *height)
{
    CHECK_NOT_NULL(width);
    CHECK_NOT_NULL(height);
    TRY(prim__md_check(md, "md"));
    CHECK(prim__md_is_image(md), "the descriptor is not one of an image");
    const int n = md->ndims;
    if (n == 1) {
        const prim_dim_t ntexels = md->padded_dims[0] / MD_TEXEL_ELEMS;
        *width = (size_t)(ntexels < MD_IMAGE_ROW_TEXELS ? ntexels : MD_IMAGE_ROW_TEXELS);
        *height = (size_t)ntexels / *width;
        return PRIM_SUCCESS;
    }
    *width = (size_t)(md->padded_dims[1] / MD_TEXEL_ELEMS * (n > 2 ? md->dims[n - 1] : 1));
    *height = (size_t)(md->dims[0] * (n > 3 ? md->dims[2] : 1));
    return PRIM_SUCCESS;
}

bool prim__md_equal(const prim_memory_desc_t *a, const prim_memory_desc_t *b)
{
    if (a == b) return true;
    if (a->ndims != b->ndims) return false;
    if (prim__md_is_zero(a)) return true;
    if (a->data_type != b->data_type || a->format_kind != b->format_kind) return false;
    if (a->format_kind == PRIM_FORMAT_KIND_BLOCKED) return prim__md_same_layout(a, b);
    return prim__md_same_dims(a, b);
}

bool prim_memory_desc_equal(const prim_memory_desc_t *a, const prim_memory_desc_t *b)
{
    if (!a || !b) return a == b;
    return prim__md_check(a, "a") == PRIM_SUCCESS && prim__md_check(b, "b") == PRIM_SUCCESS &&
           prim__md_equal(a, b);
}

size_t prim__md_bytes(const prim_memory_desc_t *md)
{
    if (prim__md_is_zero(md) || prim__md_is_any(md)) return 0;
    if (prim__md_has_runtime(md)) return PRIM_RUNTIME_SIZE_VAL;
    return (size_t)prim__md_span_elems(md) * prim__dt_bytes(md->data_type);
}

size_t prim_memory_desc_get_size(const prim_memory_desc_t *md)
{
    return md && prim__md_check(md, "md") == PRIM_SUCCESS ? prim__md_bytes(md) : 0;
}

prim_status_t prim_memory_desc_get_tag(const prim_memory_desc_t *md, char *text, size_t text_bytes)
{
    CHECK_NOT_NULL(text);
    TRY(prim__md_check(md, "md"));
    char name[64];
    prim__md_tag_text(md, name);
    const size_t bytes = strlen(name) + 1;
    CHECK(bytes <= text_bytes, "the tag needs %zu bytes, there are %zu", bytes, text_bytes);
    memcpy(text, name, bytes);
    return PRIM_SUCCESS;
}
