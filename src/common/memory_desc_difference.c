// SPDX-License-Identifier: Apache-2.0
// The fields of two descriptors side by side, from what a user thinks of first (rank, type, shape)
// to what the library derives.
#include "memory_desc_difference.h"

#include <string.h>

#include "memory_desc.h"
#include "prim/prim.h"
#include "text_buffer.h"

/// Whether all of `md` may stand for all of `wanted`, which may be open until execution.
static bool fit(int n, const prim_dim_t *md, const prim_dim_t *wanted)
{
    for (int d = 0; d < n; ++d)
        if (md[d] != wanted[d] && wanted[d] != PRIM_RUNTIME_DIM_VAL) return false;
    return true;
}

/// Adds "dims 2x3 instead of 2x4" if the two do not fit. Tells whether it did.
static bool add_dims(
        text_buffer_t *out, const char *what, int n, const prim_dim_t *md, const prim_dim_t *wanted)
{
    if (fit(n, md, wanted)) return false;
    prim__text_add(out, "%s ", what);
    prim__text_add_dims(out, n, md);
    prim__text_add(out, " instead of ");
    prim__text_add_dims(out, n, wanted);
    return true;
}

static const char *kind_name(prim_format_kind_t kind)
{
    switch (kind) {
    case PRIM_FORMAT_KIND_ANY: return "any";
    case PRIM_FORMAT_KIND_BLOCKED: return "buffer";
    case PRIM_FORMAT_KIND_IMAGE2D: return "image2d";
    default: return "no layout";
    }
}

/// Layouts that have names, by them; else by strides or blocks.
static void add_layout(
        text_buffer_t *out, const prim_memory_desc_t *md, const prim_memory_desc_t *wanted)
{
    char tag[64] = "", wanted_tag[64] = "";
    prim__md_tag_text(md, tag);
    prim__md_tag_text(wanted, wanted_tag);
    if (tag[0] && wanted_tag[0] && strcmp(tag, wanted_tag) != 0) {
        prim__text_add(out, "layout %s instead of %s", tag, wanted_tag);
        return;
    }
    if (add_dims(out, "strides", md->ndims, md->strides, wanted->strides)) return;
    prim__text_add(out, "inner blocks ");
    prim__text_add_dims(out, md->inner_nblks, md->inner_blks);
    prim__text_add(out, " of dimensions ");
    prim__text_add_dims(out, md->inner_nblks, md->inner_idxs);
    prim__text_add(out, " instead of ");
    prim__text_add_dims(out, wanted->inner_nblks, wanted->inner_blks);
    prim__text_add(out, " of ");
    prim__text_add_dims(out, wanted->inner_nblks, wanted->inner_idxs);
}

void prim__md_difference(
        char *text, size_t bytes, const prim_memory_desc_t *md, const prim_memory_desc_t *wanted)
{
    text_buffer_t out = prim__text_buffer(text, bytes);
    const int n = md->ndims;
    if (n != wanted->ndims)
        prim__text_add(&out, "%d dimensions instead of %d", n, wanted->ndims);
    else if (md->data_type != wanted->data_type)
        prim__text_add(&out, "type %s instead of %s", prim_data_type_name(md->data_type),
                prim_data_type_name(wanted->data_type));
    else if (add_dims(&out, "dims", n, md->dims, wanted->dims))
        return;
    else if (md->format_kind != wanted->format_kind)
        prim__text_add(&out, "layout kind %s instead of %s", kind_name(md->format_kind),
                kind_name(wanted->format_kind));
    else if (!fit(1, &md->offset0, &wanted->offset0))
        prim__text_add(&out, "offset0 %lld instead of %lld", (long long)md->offset0,
                (long long)wanted->offset0);
    else if (add_dims(&out, "padded_offsets", n, md->padded_offsets, wanted->padded_offsets))
        return;
    else if (md->inner_nblks == wanted->inner_nblks &&
             add_dims(&out, "padded_dims", n, md->padded_dims, wanted->padded_dims))
        return;
    else
        add_layout(&out, md, wanted);
}
