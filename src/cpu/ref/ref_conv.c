// SPDX-License-Identifier: Apache-2.0
// What the references of convolution share: the offsets of their tensors.
#include "ref_conv.h"

#include "ref_finish.h"

prim_status_t prim__ref_conv_init_pd(prim_desc_t *pd)
{
    TRY(prim__conv_take_direct(pd));
    TRY(prim__ref_require_types(pd));
    TRY(prim__conv_set_row_major(pd));
    size_t nentries = 0;
    for (int i = 0; i < pd->ntensors; ++i)
        for (int d = 0; d < pd->tensors[i].md.ndims; ++d)
            nentries += (size_t)pd->tensors[i].md.dims[d];
    (void)prim__pd_book_scratchpad(pd, nentries * sizeof(prim_dim_t));
    return PRIM_SUCCESS;
}

static const prim_dim_t *fill(
        prim_dim_t **room, const prim_memory_desc_t *md, int dim, prim_dim_t origin)
{
    prim_dim_t *const entries = *room;
    prim_dims_t position = {0};
    for (; position[dim] < md->dims[dim]; ++position[dim])
        entries[position[dim]] = prim__md_offset(md, position) - origin;
    *room += md->dims[dim];
    return entries;
}

/// The dimensions of `md` from `dim` on are those from `place` on, the spatial ones the last.
static void init(ref_conv_table_t *table, prim_dim_t **room, const exec_ctx_t *ctx, int arg,
        const prim_memory_desc_t *md, int place, int first_spatial)
{
    static const prim_dim_t missing[1] = {0};
    const prim_dims_t start = {0};
    *table = (ref_conv_table_t){.base = prim__ref_pointer(ctx, arg),
            .data_type = md->data_type,
            .origin = prim__md_offset(md, start)};
    for (int i = 0; i < NCONV_DIMS; ++i) table->of[i] = missing;
    const int nplain = first_spatial - place, nspatial = md->ndims - nplain;
    for (int d = 0; d < md->ndims; ++d) {
        const int to =
                d < nplain ? place + d : first_spatial + CONV_NSPATIAL - nspatial + (d - nplain);
        table->of[to] = fill(room, md, d, table->origin);
    }
}

void prim__ref_conv_data_table(ref_conv_table_t *table, prim_dim_t **room, const prim_desc_t *pd,
        const exec_ctx_t *ctx, int arg)
{
    const int of = prim__pd_arg_or_diff(pd, arg);
    init(table, room, ctx, of, prim__pd_md(pd, of), DATA_IMAGE, DATA_SPATIAL);
}

void prim__ref_conv_weights_table(ref_conv_table_t *table, prim_dim_t **room, const prim_desc_t *pd,
        const exec_ctx_t *ctx, int arg)
{
    const int of = prim__pd_arg_or_diff(pd, arg);
    const prim_memory_desc_t *const md = prim__pd_md(pd, of);
    const bool has_groups = md->ndims > prim__conv_md(pd, PRIM_ARG_SRC)->ndims;
    init(table, room, ctx, of, md, has_groups ? WEI_GROUP : WEI_OUTPUT, WEI_SPATIAL);
}
