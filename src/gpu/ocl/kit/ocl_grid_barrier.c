// SPDX-License-Identifier: Apache-2.0
// Slots of a grid barrier: booked in the scratchpad, cleared, passed to kernels.
#include "ocl_grid_barrier.h"

#include "common/int_math.h"
#include "gpu/ocl/device/ocl_traits.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/feature/ocl_feature_options.h"
#include "gpu/ocl/tune/ocl_measured.h"

extern const ocl_source_t prim__ocl_grid_barrier_cl;

static bool waits(const prim_desc_t *pd)
{
    return !prim__ocl_device(pd->engine)->waits_hold_cores;
}

// A poll takes some 0.7 µs on a GPU, and groups that run beside each other arrive within a few.
static int polls_of(const prim_desc_t *pd)
{
    if (!waits(pd)) return 0;
    return prim__ocl_measured_int(prim__ocl_device(pd->engine), MEASURED_BARRIER_POLLS, 256);
}

prim_status_t prim__ocl_grid_barrier_require(prim_desc_t *pd)
{
    REQUIRE(pd, !waits(pd) || prim__ocl_device_trusts(pd->engine, OCL_FEATURE_LANE_SHUFFLE),
            "the device has no shuffle between the work-items of a warp");
    REQUIRE(pd, prim__ocl_device_trusts(pd->engine, OCL_FEATURE_GROUP_WAIT),
            "work-groups that wait for each other (grid barrier) did not pass their self-test");
    return PRIM_SUCCESS;
}

void prim__ocl_grid_barrier_book(ocl_grid_barrier_t *barrier, prim_desc_t *pd, int64_t nslots)
{
    barrier->waits = waits(pd);
    barrier->max_polls = polls_of(pd);
    barrier->nslots = nslots;
    barrier->bytes_at = prim__pd_book_scratchpad(pd, (size_t)nslots * sizeof(cl_uint));
}

/// Registers come in eights; drivers keep so much of a group's local memory for themselves.
enum { REGISTER_UNIT = 8, LOCAL_OF_DRIVER = 1024 };

int prim__ocl_grid_barrier_unit_groups(
        const prim_engine_t *engine, int group_items, int registers, size_t local_bytes)
{
    const ocl_device_t *const device = prim__ocl_device(engine);
    if (!prim__ocl_device_limits_registers(device)) return 1;
    const int64_t of_group = group_items * prim__round_up(registers, REGISTER_UNIT);
    const int64_t by_registers = device->nv_group_registers / of_group;
    const int64_t by_local =
            (int64_t)(prim__ocl_feature_local_bytes(engine) / (local_bytes + LOCAL_OF_DRIVER));
    return (int)prim__max(prim__min(by_registers, by_local), 1);
}

prim_status_t prim__ocl_grid_barrier_prefer(
        prim_desc_t *pd, const char *unit, int ngroups, int unit_groups, uint64_t src_bytes)
{
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    PREFER_OTHER_UNLESS(pd, !device->is_cpu,
            "the device is CPU-type: work-groups that wait for each other would run one after the "
            "other");
    PREFER_OTHER_UNLESS(pd, prim__ocl_device_limits_registers(device),
            "the compiler has no option that limits registers: too few work-groups would be "
            "resident");
    PREFER_OTHER_UNLESS(pd, ngroups <= (int64_t)device->compute_units * unit_groups,
            "a %s takes %d work-groups to hold it in registers, the device's %u compute units have "
            "%d each at a time",
            unit, ngroups, (unsigned)device->compute_units, unit_groups);
    PREFER_OTHER_UNLESS(pd, src_bytes > device->cache_bytes,
            "src (%llu bytes) fits the last-level cache: a second read costs less than a grid "
            "barrier",
            (unsigned long long)src_bytes);
    return PRIM_SUCCESS;
}

void prim__ocl_grid_barrier_options(ocl_options_t *options, const prim_desc_t *pd,
        const ocl_grid_barrier_t *barrier, int registers)
{
    const bool is_limited =
            barrier->waits && prim__ocl_device_limits_registers(prim__ocl_device(pd->engine));
    prim__ocl_options_int(options, "RELAXED_ATOMICS", barrier->waits);
    prim__ocl_options_lane_shuffle(options, pd->engine);
    prim__ocl_options_registers(options, is_limited ? registers : 0);
}

prim_status_t prim__ocl_grid_barrier_add_kernel(ocl_primitive_t *primitive)
{
    ocl_options_t options;
    prim__ocl_options_init(&options);
    return prim__ocl_primitive_add_kernel(
            primitive, &prim__ocl_grid_barrier_cl, &options, "grid_barrier_clear");
}

prim_status_t prim__ocl_grid_barrier_clear(
        const exec_ctx_t *ctx, const ocl_kernel_t *kernel, const ocl_grid_barrier_t *barrier)
{
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_scratchpad(&args, ctx, barrier->bytes_at, sizeof(cl_uint));
    prim__ocl_args_i64(&args, barrier->nslots);
    const ocl_range_t range = prim__ocl_range_1d(kernel, barrier->nslots);
    return prim__ocl_launch(ctx, kernel, &range, &args);
}

void prim__ocl_grid_barrier_slots(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_grid_barrier_t *barrier)
{
    prim__ocl_args_scratchpad(args, ctx, barrier->bytes_at, sizeof(cl_uint));
}

void prim__ocl_grid_barrier_args(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_grid_barrier_t *barrier)
{
    prim__ocl_grid_barrier_slots(args, ctx, barrier);
    prim__ocl_args_i32(args, barrier->max_polls);
}
