// SPDX-License-Identifier: Apache-2.0
// Stores past the caches: which primitives use them.
#include "ocl_nontemporal.h"

#include "common/data_type.h"
#include "ocl_feature.h"

static uint64_t tensor_bytes(const prim_desc_t *pd)
{
    uint64_t bytes = 0;
    for (int i = 0; i < pd->ntensors; ++i) bytes += prim_memory_desc_get_size(&pd->tensors[i].md);
    return bytes;
}

void prim__ocl_nontemporal_options(
        ocl_options_t *options, const prim_desc_t *pd, int dst, int64_t run)
{
    const size_t elem_bytes = prim__dt_bytes(prim__pd_md(pd, dst)->data_type);
    const ocl_device_t *device = prim__ocl_device(pd->engine);
    if (!device->is_cpu || run * (int64_t)elem_bytes < device->cache_line_bytes) return;
    if (device->cache_bytes == 0 || tensor_bytes(pd) <= device->cache_bytes) return;
    if (prim__ocl_device_trusts(pd->engine, OCL_FEATURE_NONTEMPORAL))
        prim__ocl_options_int(options, "NONTEMPORAL", 1);
}
