// SPDX-License-Identifier: Apache-2.0
// Memory descriptors of images: channels in fours in the texels of a two-dimensional image.
#include <string.h>

#include "memory_desc.h"
#include "memory_desc_tag.h"
#include "prim/prim.h"

/// The packed rows of an image as the layout of a buffer: a texel is the innermost block, a row of
/// the image what follows the last dimension that counts rows.
static const char *const packed_rows[] = {"A4a", "aB4b", "aBc4b", "acBd4b"};

enum { MAX_IMAGE_NDIMS = sizeof packed_rows / sizeof *packed_rows };

/// A vector that is longer than a row of the image fills whole rows.
static bool pad_to_rows(prim_memory_desc_t *md)
{
    const prim_dim_t row = (prim_dim_t)MD_IMAGE_ROW_TEXELS * MD_TEXEL_ELEMS;
    if (md->ndims > 1 || md->padded_dims[0] <= row) return true;
    prim_dim_t rounded;
    if (!prim__dim_add(&rounded, md->padded_dims[0], row - 1)) return false;
    md->padded_dims[0] = rounded / row * row;
    return true;
}

prim_status_t prim__md_set_image_if_any(prim_memory_desc_t *md)
{
    if (!prim__md_is_any(md)) return PRIM_SUCCESS;
    if (md->ndims > MAX_IMAGE_NDIMS)
        return prim__fail(PRIM_UNIMPLEMENTED, "images hold tensors of 1 to %d dimensions, not %d",
                (int)MAX_IMAGE_NDIMS, md->ndims);
    if (md->data_type != PRIM_F32 && md->data_type != PRIM_F16)
        return prim__fail(PRIM_UNIMPLEMENTED, "images hold f32 and f16, not %s",
                prim_data_type_name(md->data_type));
    CHECK(!prim__md_is_empty(md), "an image holds at least one element");
    CHECK(!prim__md_has_runtime(md), "the dimensions of an image must be known");
    layout_t layout;
    prim_memory_desc_t result = *md;
    CHECK(prim__layout_parse(&layout, packed_rows[md->ndims - 1]), "no layout");
    TRY(prim__layout_apply(&layout, &result));
    CHECK(pad_to_rows(&result) && prim__md_fits(&result), "the tensor reaches beyond 2^56 bytes");
    result.format_kind = PRIM_FORMAT_KIND_IMAGE2D;
    *md = result;
    return PRIM_SUCCESS;
}

prim_status_t prim__md_set_like_if_any(prim_memory_desc_t *md, const prim_memory_desc_t *like)
{
    if (!prim__md_is_any(md)) return PRIM_SUCCESS;
    if (prim__md_is_image(like)) return prim__md_set_image_if_any(md);
    CHECK(prim__md_is_blocked(like), "the layout to copy is not known");
    layout_t layout;
    prim__layout_of(&layout, like);
    return prim__layout_apply(&layout, md);
}
