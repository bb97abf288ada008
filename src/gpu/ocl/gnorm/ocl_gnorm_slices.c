// SPDX-License-Identifier: Apache-2.0
#include "ocl_gnorm_slices.h"

#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/feature/ocl_feature_options.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_measured.h"

enum {
    WARP = 32,
    MOST_ITEMS = 512, ///< of a work-group whose registers fit a compute unit
    CPU_ITEMS = 16,
    CPU_VECTORS = 1, ///< in registers, and in local memory
    COPY_BYTES = 16, ///< of an asynchronous copy
    MOST_SLOTS_AT_ONCE = 4,
    SHARED_INTS = 3, ///< clh/gnorm_slices.h
    SUM_BYTES = 8,   ///< two slots
    CHEAP_SUMS = 4   ///< times more bytes of a slice than of all sums that a work-group reads
};

static size_t elem_bytes(const gnorm_slices_pd_t *pd)
{
    return prim__dt_bytes(prim__pd_md(&pd->nhwc.base, PRIM_ARG_SRC)->data_type);
}

/// Vectors are kept as they are stored, but for s32, whose are converted as they are loaded.
static bool has_copies(const gnorm_slices_pd_t *pd, int arg)
{
    const prim_data_type_t type = prim__pd_md(&pd->nhwc.base, arg)->data_type;
    return type != PRIM_S32 && prim__dt_bytes(type) * (size_t)pd->nhwc.vec == COPY_BYTES;
}

/// Vectors go to local memory without a way through registers, or not at all on GPUs.
static void limit_kept(gnorm_slices_pd_t *pd, const ocl_device_t *device, int other)
{
    pd->copies_async = !device->is_cpu && has_copies(pd, PRIM_ARG_SRC) &&
                       (pd->kept.ntensors == 1 || has_copies(pd, other)) &&
                       prim__ocl_device_trusts(pd->nhwc.base.engine, OCL_FEATURE_ASYNC_COPY);
    if (!pd->copies_async) pd->kept.local_vectors = 0;
    if (!device->is_cpu) return;
    pd->kept.item_vectors = CPU_VECTORS;
    pd->kept.local_vectors = CPU_VECTORS;
}

/// Groups of a block: whole vectors, and so many bytes of a position that memory is read in large
/// runs. 0: none.
static int32_t groups_of_block(const gnorm_slices_pd_t *pd, const ocl_device_t *device)
{
    const ocl_gnorm_nhwc_data_t *const data = &pd->nhwc.data;
    const int64_t least = prim__ocl_measured_int(device, MEASURED_GNORM_SLICES_RUN_BYTES, 128);
    int32_t found = 0;
    for (int32_t n = 1; n <= data->groups; ++n) {
        const int64_t channels = (int64_t)n * data->group_channels;
        if (data->groups % n != 0 || channels % pd->nhwc.vec != 0) continue;
        if (channels / pd->nhwc.vec > MOST_ITEMS) break;
        found = n;
        if (channels * (int64_t)elem_bytes(pd) >= least) break;
    }
    return found;
}

/// Rows of work-items with a position of the block each, and slices of equal length.
static void choose_slices(gnorm_slices_pd_t *pd, const ocl_device_t *device)
{
    ocl_gnorm_nhwc_data_t *const data = &pd->nhwc.data;
    const int items = device->is_cpu
                              ? CPU_ITEMS
                              : prim__ocl_measured_int(device, MEASURED_GNORM_SLICES_ITEMS, 128);
    data->nblocks = data->groups / pd->block_groups;
    data->columns = pd->block_groups * data->group_channels / pd->nhwc.vec;
    data->nvecs = data->channels / pd->nhwc.vec;
    data->nrows = data->columns < items ? items / data->columns : 1;
    pd->nhwc.group_items =
            (int)prim__round_up((int64_t)data->columns * data->nrows, device->is_cpu ? 1 : WARP);
    const int64_t most = (int64_t)data->nrows * (pd->kept.item_vectors + pd->kept.local_vectors);
    const int64_t nslices = prim__ceil_div(data->spatial, most);
    data->slice = (int32_t)prim__round_up(prim__ceil_div(data->spatial, nslices), data->nrows);
    data->nslices = (int32_t)prim__ceil_div(data->spatial, data->slice);
    const int vectors = data->slice / data->nrows;
    if (pd->kept.item_vectors > vectors) pd->kept.item_vectors = vectors;
    pd->kept.local_vectors = vectors - pd->kept.item_vectors;
}

/// As many work-items for each group of a block as a warp has at most.
static void choose_team(gnorm_slices_pd_t *pd, const ocl_device_t *device)
{
    pd->team = 1;
    if (device->waits_hold_cores) return;
    while (2 * pd->team <= WARP && 2 * pd->team * pd->block_groups <= pd->nhwc.group_items)
        pd->team *= 2;
}

prim_status_t prim__ocl_gnorm_slices_init(gnorm_slices_pd_t *pd, gnorm_kept_t most, int other)
{
    prim_desc_t *const base = &pd->nhwc.base;
    const ocl_gnorm_nhwc_data_t *const data = &pd->nhwc.data;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    REQUIRE(base, !data->are_given, "statistics are given: no sum is shared");
    REQUIRE(base, pd->nhwc.vec > 1, "no vector divides %d channels", (int)data->channels);
    pd->block_groups = groups_of_block(pd, device);
    REQUIRE(base, pd->block_groups > 0,
            "a work-group of %d work-items does not hold whole groups of a position",
            (int)MOST_ITEMS);
    pd->groups_are_vectors = data->group_channels % pd->nhwc.vec == 0;
    pd->kept = most;
    limit_kept(pd, device, other);
    choose_slices(pd, device);
    choose_team(pd, device);
    REQUIRE(base, device->max_group_items >= (size_t)pd->nhwc.group_items,
            "the device's work-groups are smaller than %d work-items", pd->nhwc.group_items);
    REQUIRE(base, data->nslices <= OCL_LONGEST_SUM, "%d slices: f32 loses precision in their sums",
            (int)data->nslices);
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_gnorm_slices_require_local(gnorm_slices_pd_t *pd, int64_t floats)
{
    prim_desc_t *const base = &pd->nhwc.base;
    const int vector_bytes = pd->copies_async ? COPY_BYTES : pd->nhwc.vec * (int)sizeof(float);
    const int64_t nvectors = (int64_t)pd->kept.ntensors * pd->kept.local_vectors;
    pd->local_bytes = (size_t)floats * sizeof(float) +
                      (size_t)(nvectors * pd->nhwc.group_items * vector_bytes);
    const size_t bytes = pd->local_bytes + SHARED_INTS * sizeof(cl_int);
    REQUIRE(base, prim__ocl_device(base->engine)->local_bytes >= bytes,
            "the device has less than %zu bytes of local memory", bytes);
    return PRIM_SUCCESS;
}

// All work-groups of an image must be resident at once, beside those of others. Each of them reads
// the sums of all slices: that must cost less than reading its own again.
prim_status_t prim__ocl_gnorm_slices_prefer(gnorm_slices_pd_t *pd, int registers)
{
    prim_desc_t *const base = &pd->nhwc.base;
    const ocl_gnorm_nhwc_data_t *const data = &pd->nhwc.data;
    const int64_t block_channels = (int64_t)pd->block_groups * data->group_channels;
    const int64_t read_bytes = (int64_t)elem_bytes(pd) * pd->kept.ntensors;
    const int64_t sum_bytes = (int64_t)SUM_BYTES * pd->block_groups * data->nslices;
    const int64_t nelems = (int64_t)data->batch * data->channels * data->spatial;
    PREFER_OTHER_UNLESS(base, CHEAP_SUMS * sum_bytes <= data->slice * block_channels * read_bytes,
            "%d slices of %d groups: their sums take as long as reading again", (int)data->nslices,
            (int)pd->block_groups);
    const int unit_groups = prim__ocl_grid_barrier_unit_groups(
            base->engine, pd->nhwc.group_items, registers, pd->local_bytes);
    return prim__ocl_grid_barrier_prefer(base, "image", (int)(data->nslices * data->nblocks),
            unit_groups, (uint64_t)(nelems * read_bytes));
}

prim_status_t prim__ocl_gnorm_slices_book(gnorm_slices_pd_t *pd, int rounds, int centres)
{
    const ocl_gnorm_nhwc_data_t *const data = &pd->nhwc.data;
    const int64_t of_group = 2LL * rounds * data->nslices + centres;
    TRY(prim__ocl_grid_barrier_require(&pd->nhwc.base));
    prim__ocl_grid_barrier_book(
            &pd->barrier, &pd->nhwc.base, (int64_t)data->batch * data->groups * of_group);
    return PRIM_SUCCESS;
}

void prim__ocl_gnorm_slices_options(
        ocl_options_t *options, const gnorm_slices_pd_t *pd, int registers)
{
    const prim_desc_t *const base = &pd->nhwc.base;
    prim__ocl_options_init(options);
    prim__ocl_options_type(options, "SRC", prim__pd_md(base, PRIM_ARG_SRC)->data_type);
    prim__ocl_options_int(options, "SIZES_BY_VALUE", 1);
    prim__ocl_options_int(options, "VEC", pd->nhwc.vec);
    prim__ocl_options_int(options, "GROUP_ITEMS", pd->nhwc.group_items);
    prim__ocl_options_int(options, "PER_ITEM", pd->kept.item_vectors);
    prim__ocl_options_int(options, "PER_LOCAL", pd->kept.local_vectors);
    prim__ocl_options_int(options, "ASYNC_COPY", pd->copies_async);
    prim__ocl_options_int(options, "COPY_16_KEEPS", 0);
    prim__ocl_options_int(options, "GROUPS_ARE_VECTORS", pd->groups_are_vectors);
    prim__ocl_options_int(options, "TEAM", pd->team);
    const int slots = (int)prim__ceil_div(pd->nhwc.data.nslices, pd->team);
    prim__ocl_options_int(
            options, "SLOTS_AT_ONCE", slots < MOST_SLOTS_AT_ONCE ? slots : MOST_SLOTS_AT_ONCE);
    prim__ocl_options_cache_hints(options, base->engine);
    prim__ocl_grid_barrier_options(options, base, &pd->barrier, registers);
}

void prim__ocl_gnorm_slices_args(
        ocl_args_t *args, const exec_ctx_t *ctx, const gnorm_slices_pd_t *pd)
{
    prim__ocl_grid_barrier_args(args, ctx, &pd->barrier);
    prim__ocl_args_local(args, pd->local_bytes);
    prim__ocl_args_local(args, SHARED_INTS * sizeof(cl_int));
}

ocl_range_t prim__ocl_gnorm_slices_range(const gnorm_slices_pd_t *pd)
{
    const ocl_gnorm_nhwc_data_t *const data = &pd->nhwc.data;
    const int64_t ngroups = (int64_t)data->batch * data->nslices * data->nblocks;
    return prim__ocl_range_groups(ngroups, (size_t)pd->nhwc.group_items);
}
