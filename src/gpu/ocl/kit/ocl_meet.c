// SPDX-License-Identifier: Apache-2.0
// The words of groups that meet.
#include "ocl_meet.h"

#include "gpu/ocl/device/ocl_traits.h"
#include "gpu/ocl/feature/ocl_feature.h"

extern const ocl_source_t prim__ocl_meet_cl;

// A look takes some 0.7 µs on a GPU, and groups that run beside each other tell within a few. A
// processor's core that waits keeps another group from running.
enum { GPU_POLLS = 256, CPU_POLLS = 0 };

prim_status_t prim__ocl_meet_require(prim_desc_t *pd)
{
    const bool is_cpu = prim__ocl_device(pd->engine)->is_cpu;
    REQUIRE(pd, is_cpu || prim__ocl_device_trusts(pd->engine, OCL_FEATURE_LANE_SHUFFLE),
            "items do not exchange values");
    REQUIRE(pd, prim__ocl_device_trusts(pd->engine, OCL_FEATURE_GROUP_WAIT),
            "groups of this device are not known to wait for each other");
    return PRIM_SUCCESS;
}

void prim__ocl_meet_book(ocl_meet_t *meet, prim_desc_t *pd, int64_t nwords)
{
    meet->waits = !prim__ocl_device(pd->engine)->is_cpu;
    meet->npolls = meet->waits ? GPU_POLLS : CPU_POLLS;
    meet->nwords = nwords;
    meet->bytes_at = prim__pd_book_scratchpad(pd, (size_t)meet->nwords * sizeof(cl_uint));
}

bool prim__ocl_meet_takes_limit(const ocl_device_t *device)
{
    return prim__ocl_device_has_extension(device, "cl_nv_compiler_options");
}

void prim__ocl_meet_options(
        ocl_options_t *options, const prim_desc_t *pd, const ocl_meet_t *meet, int registers)
{
    const bool takes_limit =
            meet->waits && prim__ocl_meet_takes_limit(prim__ocl_device(pd->engine));
    prim__ocl_options_int(options, "MEET", meet->waits);
    prim__ocl_options_registers(options, takes_limit ? registers : 0);
}

prim_status_t prim__ocl_meet_add_kernel(ocl_primitive_t *primitive)
{
    ocl_options_t options;
    prim__ocl_options_init(&options);
    return prim__ocl_primitive_add_kernel(primitive, &prim__ocl_meet_cl, &options, "meet_clear");
}

prim_status_t prim__ocl_meet_clear(
        const exec_ctx_t *ctx, const ocl_kernel_t *kernel, const ocl_meet_t *meet)
{
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_scratchpad(&args, ctx, meet->bytes_at, sizeof(cl_uint));
    prim__ocl_args_i64(&args, meet->nwords);
    const ocl_range_t range = prim__ocl_range_1d(kernel, meet->nwords);
    return prim__ocl_launch(ctx, kernel, &range, &args);
}

void prim__ocl_meet_words(ocl_args_t *args, const exec_ctx_t *ctx, const ocl_meet_t *meet)
{
    prim__ocl_args_scratchpad(args, ctx, meet->bytes_at, sizeof(cl_uint));
}

void prim__ocl_meet_args(ocl_args_t *args, const exec_ctx_t *ctx, const ocl_meet_t *meet)
{
    prim__ocl_meet_words(args, ctx, meet);
    prim__ocl_args_i32(args, meet->npolls);
}
