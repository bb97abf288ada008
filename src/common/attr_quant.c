// SPDX-License-Identifier: Apache-2.0
// Attributes: scales and zero points, one setting for each argument, sorted by argument.
#include <string.h>

#include "alloc.h"
#include "attr.h"
#include "data_type.h"

/// Arguments that may be quantised.
static bool is_quantizable(int arg)
{
    return (arg >= PRIM_ARG_SRC_0 && arg <= PRIM_ARG_SRC_3) ||
           (arg >= PRIM_ARG_DST_0 && arg <= PRIM_ARG_DST_2) ||
           (arg >= PRIM_ARG_WEIGHTS_0 && arg <= PRIM_ARG_WEIGHTS_3) ||
           (arg >= PRIM_ARG_MULTIPLE_SRC && arg < PRIM_ARG_MULTIPLE_DST) ||
           arg == (PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_WEIGHTS) ||
           arg == (PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_DST);
}

static prim_status_t init_quant(quant_t *quant, int arg, int mask, int ngroup_dims,
        const prim_dim_t *group_dims, prim_data_type_t data_type)
{
    CHECK(is_quantizable(arg), "argument %d has no scales or zero points", arg);
    CHECK(mask >= 0 && mask < 1 << PRIM_MAX_NDIMS, "mask %d is outside 0..%d", mask,
            (1 << PRIM_MAX_NDIMS) - 1);
    CHECK(ngroup_dims == 0 || ngroup_dims == 2, "%d group dimensions, not 0 or 2", ngroup_dims);
    CHECK(ngroup_dims == 0 || group_dims, "group_dims is NULL");
    // Zeroed and filled field by field: attributes are compared and hashed as bytes.
    memset(quant, 0, sizeof *quant);
    quant->arg = arg;
    quant->mask = mask;
    quant->data_type = data_type;
    quant->ngroups = ngroup_dims;
    for (int i = 0; i < ngroup_dims; ++i) {
        CHECK(group_dims[i] >= 1, "group dimension %d is %lld", i, (long long)group_dims[i]);
        quant->groups[i] = group_dims[i];
    }
    return PRIM_SUCCESS;
}

/// Puts `quant` in its place, over an earlier setting of the same argument.
static prim_status_t put(quant_t **quants, int *n, const quant_t *quant)
{
    int place = 0;
    while (place < *n && (*quants)[place].arg < quant->arg) ++place;
    if (place < *n && (*quants)[place].arg == quant->arg) {
        (*quants)[place] = *quant;
        return PRIM_SUCCESS;
    }
    const size_t bytes = (size_t)(*n + 1) * sizeof *quant;
    quant_t *const longer = prim__calloc(bytes);
    if (!longer) return prim__fail_memory(bytes);
    for (int i = 0; i < *n; ++i) longer[i < place ? i : i + 1] = (*quants)[i];
    longer[place] = *quant;
    prim__free(*quants);
    *quants = longer;
    ++*n;
    return PRIM_SUCCESS;
}

prim_status_t prim_attr_set_scales(prim_attr_t *attr, int arg, int mask, int ngroup_dims,
        const prim_dim_t *group_dims, prim_data_type_t data_type)
{
    CHECK_NOT_NULL(attr);
    quant_t quant;
    TRY(init_quant(&quant, arg, mask, ngroup_dims, group_dims, data_type));
    CHECK(data_type == PRIM_F32 || data_type == PRIM_F16 || data_type == PRIM_BF16,
            "scales are f32, f16 or bf16, not %s", prim_data_type_name(data_type));
    return put(&attr->scales, &attr->nscales, &quant);
}

prim_status_t prim_attr_set_zero_points(prim_attr_t *attr, int arg, int mask, int ngroup_dims,
        const prim_dim_t *group_dims, prim_data_type_t data_type)
{
    CHECK_NOT_NULL(attr);
    quant_t quant;
    TRY(init_quant(&quant, arg, mask, ngroup_dims, group_dims, data_type));
    CHECK(data_type == PRIM_S32 || data_type == PRIM_S8 || data_type == PRIM_U8,
            "zero points are s32, s8 or u8, not %s", prim_data_type_name(data_type));
    return put(&attr->zero_points, &attr->nzero_points, &quant);
}

static const quant_t *find(const quant_t *quants, int n, int arg)
{
    for (int i = 0; i < n; ++i) {
        if (quants[i].arg == arg) return &quants[i];
    }
    return NULL;
}

const quant_t *prim__attr_scale(const prim_attr_t *attr, int arg)
{
    return find(attr->scales, attr->nscales, arg);
}

const quant_t *prim__attr_zero_point(const prim_attr_t *attr, int arg)
{
    return find(attr->zero_points, attr->nzero_points, arg);
}

static prim_status_t get(const quant_t *quant, int arg, int *mask, int *ngroup_dims,
        prim_dim_t *group_dims, prim_data_type_t *data_type)
{
    static const quant_t unset = {.data_type = PRIM_DATA_TYPE_UNDEF};
    CHECK_NOT_NULL(mask);
    CHECK_NOT_NULL(ngroup_dims);
    CHECK_NOT_NULL(group_dims);
    CHECK_NOT_NULL(data_type);
    CHECK(is_quantizable(arg), "argument %d has no scales or zero points", arg);
    if (!quant) quant = &unset;
    *mask = quant->mask;
    *ngroup_dims = quant->ngroups;
    memcpy(group_dims, quant->groups, sizeof quant->groups);
    *data_type = quant->data_type;
    return PRIM_SUCCESS;
}

prim_status_t prim_attr_get_scales(const prim_attr_t *attr, int arg, int *mask, int *ngroup_dims,
        prim_dim_t *group_dims, prim_data_type_t *data_type)
{
    CHECK_NOT_NULL(attr);
    return get(prim__attr_scale(attr, arg), arg, mask, ngroup_dims, group_dims, data_type);
}

prim_status_t prim_attr_get_zero_points(const prim_attr_t *attr, int arg, int *mask,
        int *ngroup_dims, prim_dim_t *group_dims, prim_data_type_t *data_type)
{
    CHECK_NOT_NULL(attr);
    return get(prim__attr_zero_point(attr, arg), arg, mask, ngroup_dims, group_dims, data_type);
}

bool prim__quant_is_common(const quant_t *quant)
{
    return !quant || (quant->mask == 0 && quant->ngroups == 0);
}

prim_dim_t prim__quant_dims(prim_dims_t dims, const quant_t *quant, const prim_memory_desc_t *md)
{
    prim_dim_t n = 1;
    bool is_known = true;
    memset(dims, 0, sizeof(prim_dims_t));
    for (int d = 0; d < md->ndims; ++d) {
        const bool is_masked = (quant->mask >> d & 1) != 0;
        dims[d] = is_masked ? md->dims[d] : 1;
        if (dims[d] == PRIM_RUNTIME_DIM_VAL) {
            is_known = false;
            continue;
        }
        const int g = d - (md->ndims - quant->ngroups);
        if (is_masked && g >= 0)
            dims[d] = dims[d] / quant->groups[g] + (dims[d] % quant->groups[g] != 0);
        n *= dims[d];
    }
    return is_known ? n : PRIM_RUNTIME_DIM_VAL;
}
