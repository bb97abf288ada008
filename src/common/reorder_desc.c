// SPDX-License-Identifier: Apache-2.0
// prim_reorder_desc_create(): checks a reorder and settles which engine runs it.
#include "impl.h"

static prim_status_t check_tensors(const prim_memory_desc_t *src, const prim_memory_desc_t *dst)
{
    TRY(prim__md_check(src, "src"));
    TRY(prim__md_check(dst, "dst"));
    CHECK(src->ndims > 0, "src of a reorder is absent (0 dimensions)");
    CHECK(src->ndims == dst->ndims, "src has %d dimensions, dst has %d", src->ndims, dst->ndims);
    for (int d = 0; d < src->ndims; ++d) {
        CHECK(src->dims[d] == dst->dims[d], "dimension %d of src is %lld, of dst %lld", d,
                (long long)src->dims[d], (long long)dst->dims[d]);
    }
    CHECK(!prim__md_is_any(src), "the layout of src must be known, not any");
    CHECK(!prim__md_is_any(dst), "the layout of dst must be known, not any");
    return PRIM_SUCCESS;
}

/// One value for each group of the last two dimensions needs groups that divide them.
static bool groups_divide(const quant_t *quant, const prim_memory_desc_t *md)
{
    if (quant->ngroups == 0) return true;
    if (md->ndims < quant->ngroups) return false;
    for (int i = 0; i < quant->ngroups; ++i) {
        const prim_dim_t extent = md->dims[md->ndims - quant->ngroups + i];
        if (extent != PRIM_RUNTIME_DIM_VAL && extent % quant->groups[i] != 0) return false;
    }
    return true;
}

static prim_status_t check_quants(
        const quant_t *quants, int nquants, const char *what, const prim_memory_desc_t *md)
{
    for (int i = 0; i < nquants; ++i) {
        const quant_t *quant = &quants[i];
        if (quant->arg != PRIM_ARG_SRC && quant->arg != PRIM_ARG_DST) {
            return prim__fail(PRIM_UNIMPLEMENTED,
                    "reorder takes %s of src and dst, not of argument %d", what, quant->arg);
        }
        if (quant->mask >> md->ndims != 0) {
            return prim__fail(PRIM_UNIMPLEMENTED,
                    "the mask %d of reorder's %s exceeds %d dimensions", quant->mask, what,
                    md->ndims);
        }
        if (!groups_divide(quant, md)) {
            return prim__fail(PRIM_UNIMPLEMENTED,
                    "the groups of reorder's %s do not divide the last two dimensions", what);
        }
    }
    return PRIM_SUCCESS;
}

static prim_status_t check_attr(const prim_attr_t *attr, const prim_memory_desc_t *md)
{
    if (!attr) return PRIM_SUCCESS;
    TRY(prim__attr_check_kinds(attr, "reorder", ALLOW_SCALES | ALLOW_ZERO_POINTS | ALLOW_SUM));
    TRY(check_quants(attr->scales, attr->nscales, "scales", md));
    return check_quants(attr->zero_points, attr->nzero_points, "zero points", md);
}

prim_status_t prim_reorder_desc_create(prim_desc_t **pd, const prim_memory_desc_t *src_md,
        prim_engine_t *src_engine, const prim_memory_desc_t *dst_md, prim_engine_t *dst_engine,
        const prim_attr_t *attr)
{
    CHECK_NOT_NULL(pd);
    CHECK_NOT_NULL(src_md);
    CHECK_NOT_NULL(src_engine);
    CHECK_NOT_NULL(dst_md);
    CHECK_NOT_NULL(dst_engine);
    TRY(check_tensors(src_md, dst_md));
    const bool src_is_gpu = src_engine->ops->kind == PRIM_GPU;
    const bool dst_is_gpu = dst_engine->ops->kind == PRIM_GPU;
    if (src_is_gpu && dst_is_gpu && src_engine != dst_engine) {
        return prim__fail(
                PRIM_UNIMPLEMENTED, "a reorder between two GPU engines must go through the host");
    }
    TRY(check_attr(attr, src_md));

    // The GPU's side runs it; between two CPU engines that of dst.
    const bool runs_on_src = src_is_gpu && !dst_is_gpu;
    const bool is_cross = src_engine != dst_engine;
    prim_engine_t *engine = runs_on_src ? src_engine : dst_engine;
    prim_engine_t *peer = runs_on_src ? dst_engine : src_engine;
    const op_desc_t op = {.kind = PRIM_REORDER};
    const tensor_t tensors[] = {
            {.arg = PRIM_ARG_FROM, .is_on_peer = is_cross && !runs_on_src, .md = *src_md},
            {.arg = PRIM_ARG_TO,
                    .is_output = true,
                    .is_on_peer = is_cross && runs_on_src,
                    .md = *dst_md},
    };
    return prim__desc_create(pd, engine, is_cross ? peer : NULL, &op, tensors, 2, attr);
}
