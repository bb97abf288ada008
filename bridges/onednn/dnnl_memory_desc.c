// SPDX-License-Identifier: Apache-2.0
// Memory descriptors: values of Prim in storage of their own.
#include <stdlib.h>
#include <string.h>

#include "dnnl_bridge.h"
#include "dnnl_tags.h"

// A stock library exports these without declaring them in its headers.
DNNL_API dnnl_status_t dnnl_memory_desc_create_with_string_tag(dnnl_memory_desc_t *memory_desc,
        int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, const char *tag);
DNNL_API dnnl_status_t dnnl_memory_desc_set_data_type(
        dnnl_memory_desc_t memory_desc, dnnl_data_type_t data_type);

const prim_memory_desc_t *bridge_md(const_dnnl_memory_desc_t md)
{
    return md ? &md->md : NULL;
}

const prim_memory_desc_t *bridge_optional_md(const_dnnl_memory_desc_t md)
{
    return md && md->md.ndims != 0 ? &md->md : NULL;
}

const_dnnl_memory_desc_t bridge_lent_md(const prim_memory_desc_t *md)
{
    return (const_dnnl_memory_desc_t)md; // its first and only member
}

static dnnl_status_t keep(dnnl_memory_desc_t *out, const prim_memory_desc_t *md)
{
    const dnnl_memory_desc_t copy = malloc(sizeof *copy);
    if (!copy) return prim_report_failure(PRIM_OUT_OF_MEMORY, "no memory for a descriptor");
    copy->md = *md;
    *out = copy;
    return dnnl_success;
}

/// The end of every creator: hands out `md` if making it went well.
static dnnl_status_t finish(
        dnnl_memory_desc_t *out, prim_status_t status, const prim_memory_desc_t *md)
{
    if (status != PRIM_SUCCESS) return status;
    if (!out) return prim_report_failure(PRIM_INVALID_ARGUMENTS, "memory_desc is NULL");
    return keep(out, md);
}

/// Without dimensions a descriptor is that of the absent tensor, whatever else was passed.
static const prim_memory_desc_t absent = {0};

dnnl_status_t dnnl_memory_desc_create_with_tag(dnnl_memory_desc_t *memory_desc, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_format_tag_t tag)
{
    if (ndims == 0) return finish(memory_desc, PRIM_SUCCESS, &absent);
    prim_memory_desc_t md = {0};
    return finish(memory_desc,
            prim_memory_desc_init_by_string_tag(&md, ndims, dims, data_type, bridge_tag_name(tag)),
            &md);
}

dnnl_status_t dnnl_memory_desc_create_with_string_tag(dnnl_memory_desc_t *memory_desc, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t data_type, const char *tag)
{
    if (ndims == 0) return finish(memory_desc, PRIM_SUCCESS, &absent);
    prim_memory_desc_t md = {0};
    return finish(memory_desc,
            prim_memory_desc_init_by_string_tag(&md, ndims, dims, data_type, tag), &md);
}

dnnl_status_t dnnl_memory_desc_create_with_strides(dnnl_memory_desc_t *memory_desc, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t data_type, const dnnl_dims_t strides)
{
    if (ndims == 0) return finish(memory_desc, PRIM_SUCCESS, &absent);
    prim_memory_desc_t md = {0};
    return finish(memory_desc,
            prim_memory_desc_init_by_strides(&md, ndims, dims, data_type, strides), &md);
}

dnnl_status_t dnnl_memory_desc_create_with_blob(
        dnnl_memory_desc_t *memory_desc, const uint8_t *blob)
{
    // Blobs of all descriptors have one size.
    prim_memory_desc_t md = {0};
    size_t bytes = 0;
    prim_dim_t one = 1;
    prim_status_t status = prim_memory_desc_init_by_strides(&md, 1, &one, PRIM_F32, NULL);
    if (status == PRIM_SUCCESS) status = prim_memory_desc_get_blob(&md, &bytes, NULL);
    if (status == PRIM_SUCCESS) status = prim_memory_desc_init_by_blob(&md, bytes, blob);
    return finish(memory_desc, status, &md);
}

dnnl_status_t dnnl_memory_desc_create_submemory(dnnl_memory_desc_t *memory_desc,
        const_dnnl_memory_desc_t parent, const dnnl_dims_t dims, const dnnl_dims_t offsets)
{
    prim_memory_desc_t md = {0};
    return finish(
            memory_desc, prim_memory_desc_submemory(&md, bridge_md(parent), dims, offsets), &md);
}

dnnl_status_t dnnl_memory_desc_reshape(
        dnnl_memory_desc_t *out, const_dnnl_memory_desc_t in, int ndims, const dnnl_dims_t dims)
{
    prim_memory_desc_t md = {0};
    return finish(out, prim_memory_desc_reshape(&md, bridge_md(in), ndims, dims), &md);
}

dnnl_status_t dnnl_memory_desc_permute_axes(
        dnnl_memory_desc_t *out, const_dnnl_memory_desc_t in, const int *permutation)
{
    prim_memory_desc_t md = {0};
    return finish(out, prim_memory_desc_permute_axes(&md, bridge_md(in), permutation), &md);
}

dnnl_status_t dnnl_memory_desc_clone(
        dnnl_memory_desc_t *memory_desc, const_dnnl_memory_desc_t existing)
{
    if (!existing) return prim_report_failure(PRIM_INVALID_ARGUMENTS, "existing is NULL");
    return finish(memory_desc, PRIM_SUCCESS, &existing->md);
}

dnnl_status_t dnnl_memory_desc_destroy(dnnl_memory_desc_t memory_desc)
{
    free(memory_desc);
    return dnnl_success;
}

dnnl_status_t dnnl_memory_desc_get_blob(
        uint8_t *blob, size_t *size, const_dnnl_memory_desc_t memory_desc)
{
    return prim_memory_desc_get_blob(bridge_md(memory_desc), size, blob);
}

dnnl_status_t dnnl_memory_desc_set_data_type(
        dnnl_memory_desc_t memory_desc, dnnl_data_type_t data_type)
{
    if (!memory_desc) return prim_report_failure(PRIM_INVALID_ARGUMENTS, "memory_desc is NULL");
    memory_desc->md.data_type = data_type;
    return dnnl_success;
}

int dnnl_memory_desc_equal(const_dnnl_memory_desc_t lhs, const_dnnl_memory_desc_t rhs)
{
    if (lhs == rhs) return 1;
    if (!lhs || !rhs) return 0;
    if (lhs->md.ndims == 0 || rhs->md.ndims == 0) return lhs->md.ndims == rhs->md.ndims;
    return prim_memory_desc_equal(&lhs->md, &rhs->md);
}

size_t dnnl_memory_desc_get_size(const_dnnl_memory_desc_t memory_desc)
{
    return memory_desc ? prim_memory_desc_get_size(&memory_desc->md) : 0;
}

size_t dnnl_memory_desc_get_size_v2(const_dnnl_memory_desc_t memory_desc, int index)
{
    return index == 0 ? dnnl_memory_desc_get_size(memory_desc) : 0;
}

size_t dnnl_data_type_size(dnnl_data_type_t data_type)
{
    return prim_data_type_size(data_type);
}

/// What only a tensor of strides and blocks has.
static dnnl_status_t query_blocks(const prim_memory_desc_t *md, dnnl_query_t what, void *result)
{
    if (md->format_kind != PRIM_FORMAT_KIND_BLOCKED)
        return prim_report_failure(PRIM_INVALID_ARGUMENTS, "a layout without strides was queried");
    switch (what) {
    case dnnl_query_strides: *(const dnnl_dim_t **)result = md->strides; break;
    case dnnl_query_inner_nblks_s32: *(int32_t *)result = md->inner_nblks; break;
    case dnnl_query_inner_blks: *(const dnnl_dim_t **)result = md->inner_blks; break;
    default: *(const dnnl_dim_t **)result = md->inner_idxs; break;
    }
    return dnnl_success;
}

dnnl_status_t dnnl_memory_desc_query(
        const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, void *result)
{
    if (!memory_desc || !result)
        return prim_report_failure(PRIM_INVALID_ARGUMENTS, "memory_desc or result is NULL");
    const prim_memory_desc_t *const md = &memory_desc->md;
    switch (what) {
    case dnnl_query_ndims_s32: *(int32_t *)result = md->ndims; break;
    case dnnl_query_dims: *(const dnnl_dim_t **)result = md->dims; break;
    case dnnl_query_data_type: *(dnnl_data_type_t *)result = md->data_type; break;
    case dnnl_query_submemory_offset_s64: *(dnnl_dim_t *)result = md->offset0; break;
    case dnnl_query_padded_dims: *(const dnnl_dim_t **)result = md->padded_dims; break;
    case dnnl_query_padded_offsets: *(const dnnl_dim_t **)result = md->padded_offsets; break;
    case dnnl_query_format_kind: *(dnnl_format_kind_t *)result = md->format_kind; break;
    case dnnl_query_num_handles_s32: *(int32_t *)result = md->ndims != 0; break;
    case dnnl_query_strides:
    case dnnl_query_inner_nblks_s32:
    case dnnl_query_inner_blks:
    case dnnl_query_inner_idxs: return query_blocks(md, what, result);
    default: return bridge_lacks(__func__, "sparse tensors");
    }
    return dnnl_success;
}

dnnl_status_t dnnl_memory_desc_query_v2(
        const_dnnl_memory_desc_t memory_desc, dnnl_query_t what, int index, void *result)
{
    if (index != 0) return bridge_lacks(__func__, "tensors of several buffers");
    return dnnl_memory_desc_query(memory_desc, what, result);
}

dnnl_status_t dnnl_memory_desc_create_with_csr_encoding(dnnl_memory_desc_t *memory_desc, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_dim_t nnz,
        dnnl_data_type_t indices_dt, dnnl_data_type_t pointers_dt)
{
    (void)memory_desc, (void)ndims, (void)dims, (void)data_type, (void)nnz, (void)indices_dt;
    (void)pointers_dt;
    return bridge_lacks(__func__, "sparse tensors");
}

dnnl_status_t dnnl_memory_desc_create_with_coo_encoding(dnnl_memory_desc_t *memory_desc, int ndims,
        const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_dim_t nnz,
        dnnl_data_type_t indices_dt)
{
    (void)memory_desc, (void)ndims, (void)dims, (void)data_type, (void)nnz, (void)indices_dt;
    return bridge_lacks(__func__, "sparse tensors");
}

dnnl_status_t dnnl_memory_desc_create_with_packed_encoding(dnnl_memory_desc_t *memory_desc,
        int ndims, const dnnl_dims_t dims, dnnl_data_type_t data_type, dnnl_dim_t nnz)
{
    (void)memory_desc, (void)ndims, (void)dims, (void)data_type, (void)nnz;
    return bridge_lacks(__func__, "sparse tensors");
}

dnnl_status_t dnnl_memory_desc_create_host_scalar(
        dnnl_memory_desc_t *memory_desc, dnnl_data_type_t data_type)
{
    (void)memory_desc, (void)data_type;
    return bridge_lacks(__func__, "scalars on the host");
}
