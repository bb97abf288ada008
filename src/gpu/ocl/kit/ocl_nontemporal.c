// SPDX-License-Identifier: Apache-2.0
// Which primitives use non-temporal stores.
#include "ocl_nontemporal.h"

#include "common/data_type.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/tune/ocl_measured.h"

static uint64_t tensor_bytes(const prim_desc_t *pd)
{
    uint64_t bytes = 0;
    for (int i = 0; i < pd->ntensors; ++i) bytes += prim__md_bytes(&pd->tensors[i].md);
    return bytes;
}

/// What a core has of the last cache at most: most processors have 1 to 8 MiB for each, and a guest
/// of two cores reports the 105 MiB of all. Copies to and fro between two tensors, two cores of
/// such a machine: of 8 MiB each 30 GB/s by ordinary stores and 24 by non-temporal ones, of 16 MiB
/// 21 and 25, of 32 MiB 20 and 28.
static uint64_t cache_at_hand(const ocl_device_t *device)
{
    const int core_bytes = prim__ocl_measured_int(device, MEASURED_CORE_CACHE_BYTES, 8 << 20);
    const uint64_t most = (uint64_t)device->compute_units * (uint64_t)core_bytes;
    return most < device->cache_bytes ? most : device->cache_bytes;
}

static bool is_beyond_cache(const prim_desc_t *pd)
{
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    return device->cache_bytes > 0 && tensor_bytes(pd) > cache_at_hand(device) &&
           prim__ocl_device_trusts(pd->engine, OCL_FEATURE_NONTEMPORAL);
}

void prim__ocl_nontemporal_options(
        ocl_options_t *options, const prim_desc_t *pd, int dst, int64_t run)
{
    const size_t elem_bytes = prim__dt_bytes(prim__pd_md(pd, dst)->data_type);
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    if (run * (int64_t)elem_bytes >= device->cache_line_bytes && is_beyond_cache(pd))
        prim__ocl_options_int(options, "NONTEMPORAL", 1);
}

void prim__ocl_prefetch_options(ocl_options_t *options, const prim_desc_t *pd)
{
    if (is_beyond_cache(pd)) prim__ocl_options_int(options, "PREFETCHES", 1);
}
