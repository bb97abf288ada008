// SPDX-License-Identifier: Apache-2.0
// Descriptors of what moves or adds whole tensors: reorder, concat, sum.
#include <stdlib.h>

#include "dnnl_bridge.h"

dnnl_status_t dnnl_reorder_primitive_desc_create(dnnl_primitive_desc_t *reorder_primitive_desc,
        const_dnnl_memory_desc_t src_desc, dnnl_engine_t src_engine,
        const_dnnl_memory_desc_t dst_desc, dnnl_engine_t dst_engine,
        const_dnnl_primitive_attr_t attr)
{
    return prim_reorder_desc_create(reorder_primitive_desc, bridge_md(src_desc), src_engine,
            bridge_md(dst_desc), dst_engine, attr);
}

/// The sources as Prim takes them; to be freed.
static const prim_memory_desc_t **list_mds(int n, const_dnnl_memory_desc_t const *src_descs)
{
    const prim_memory_desc_t **const mds = calloc(n > 0 ? (size_t)n : 1, sizeof *mds);
    for (int i = 0; mds && i < n; ++i) mds[i] = bridge_md(src_descs[i]);
    return mds;
}

dnnl_status_t dnnl_concat_primitive_desc_create(dnnl_primitive_desc_t *concat_primitive_desc,
        dnnl_engine_t engine, const_dnnl_memory_desc_t dst_desc, int n, int concat_dimension,
        const_dnnl_memory_desc_t const *src_descs, const_dnnl_primitive_attr_t attr)
{
    if (!src_descs) return prim_report_failure(PRIM_INVALID_ARGUMENTS, "src_descs is NULL");
    const prim_memory_desc_t **const mds = list_mds(n, src_descs);
    if (!mds) return prim_report_failure(PRIM_OUT_OF_MEMORY, "no memory for the sources");
    const prim_status_t status = prim_concat_desc_create(concat_primitive_desc, engine,
            bridge_optional_md(dst_desc), n, concat_dimension, mds, attr);
    free(mds);
    return status;
}

dnnl_status_t dnnl_sum_primitive_desc_create(dnnl_primitive_desc_t *sum_primitive_desc,
        dnnl_engine_t engine, const_dnnl_memory_desc_t dst_desc, int n, const float *scales,
        const_dnnl_memory_desc_t const *src_descs, const_dnnl_primitive_attr_t attr)
{
    if (!src_descs) return prim_report_failure(PRIM_INVALID_ARGUMENTS, "src_descs is NULL");
    const prim_memory_desc_t **const mds = list_mds(n, src_descs);
    if (!mds) return prim_report_failure(PRIM_OUT_OF_MEMORY, "no memory for the sources");
    const prim_status_t status = prim_sum_desc_create(
            sum_primitive_desc, engine, bridge_optional_md(dst_desc), n, scales, mds, attr);
    free(mds);
    return status;
}
