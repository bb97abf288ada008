// SPDX-License-Identifier: Apache-2.0
// Reorder between equal layouts: a copy that may convert the type, or a plain transfer where one
// side is in host memory.
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_nontemporal.h"
#include "gpu/ocl/launch/ocl_launch.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_reorder_sides.h"

extern const ocl_source_t prim__ocl_reorder_copy_cl;
extern const impl_t prim__ocl_reorder_copy;

typedef struct {
    reorder_pd_t reorder;
    bool is_transfer; ///< bytes from or to the host, no kernel
    int vec;          ///< elements of a vector
    int64_t per_item;
} copy_pd_t;

_Static_assert(offsetof(copy_pd_t, reorder) == 0, "the base comes first");

/// The padding of a dense tensor is converted like the rest: 0 must stay 0, which it does not with
/// an infinite scale, and scales come at run time.
static bool keeps_zero(const prim_attr_t *attr)
{
    return attr->nzero_points == 0 && attr->nscales == 0;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    copy_pd_t *const copy = (copy_pd_t *)pd;
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_FROM);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_TO);
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    REQUIRE(pd, prim__md_same_layout_moved(src, dst), "src and dst have different layouts");
    REQUIRE(pd, prim__md_is_dense(src), "src has gaps between its elements");
    REQUIRE(pd, pd->attr.post_ops.len == 0,
            "the sum post-op reads dst; this variant only writes it");
    REQUIRE(pd, !prim__ocl_reorder_has_masks(&pd->attr), "scales or zero points have a mask");
    REQUIRE(pd, !prim__md_is_padded(src) || keeps_zero(&pd->attr),
            "src is padded and a zero point makes padding nonzero");
    copy->is_transfer =
            pd->peer && src->data_type == dst->data_type && prim__attr_is_plain(&pd->attr);
    const size_t dst_bytes = prim__dt_bytes(dst->data_type);
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const bool is_cpu = device->is_cpu;
    // Work-items of GPUs that store more than 16 bytes leave gaps between the stores of neighbours.
    copy->vec = is_cpu ? 16 : (int)(16 / dst_bytes);
    // A work-item of a CPU-type device is a loop on one core, over what its first-level cache
    // holds.
    copy->per_item = is_cpu ? prim__ocl_measured_int(device, MEASURED_REORDER_COPY_ITEM_ELEMS, 8192)
                            : copy->vec;
    if (copy->is_transfer) return PRIM_SUCCESS;
    return prim__ocl_reorder_init_sides(pd);
}

static prim_status_t init(prim_t *primitive)
{
    const copy_pd_t *const pd = (const copy_pd_t *)primitive->pd;
    if (pd->is_transfer) return PRIM_SUCCESS;
    const prim_attr_t *const attr = &primitive->pd->attr;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "SRC", prim__pd_md(primitive->pd, PRIM_ARG_FROM)->data_type);
    prim__ocl_options_type(&options, "DST", prim__pd_md(primitive->pd, PRIM_ARG_TO)->data_type);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "WITH_RUNS", prim__ocl_device(primitive->pd->engine)->is_cpu);
    prim__ocl_options_int(&options, "WITH_QUANT", !prim__attr_is_plain(attr));
    prim__ocl_nontemporal_options(&options, primitive->pd, PRIM_ARG_TO, pd->per_item);
    return prim__ocl_primitive_add_kernel(
            (ocl_primitive_t *)primitive, &prim__ocl_reorder_copy_cl, &options, "reorder_copy");
}

/// Bytes travel straight between the host's memory and the tensor's buffer.
static prim_status_t transfer(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const bool to_device = prim__ctx_memory(ctx, PRIM_ARG_FROM)->engine != primitive->pd->engine;
    const prim_memory_t *const host =
            prim__ctx_memory(ctx, to_device ? PRIM_ARG_FROM : PRIM_ARG_TO);
    const ocl_memory_t *const device =
            prim__ocl_memory(prim__ctx_memory(ctx, to_device ? PRIM_ARG_TO : PRIM_ARG_FROM));
    const size_t elem_bytes = prim__dt_bytes(host->md.data_type);
    const size_t bytes = (size_t)prim__md_nelems_padded(&host->md) * elem_bytes;
    void *pointer = NULL;
    TRY(host->engine->ops->memory_get_handle(host, &pointer));
    const ocl_transfer_t transfer = {.to_device = to_device,
            .memory = device,
            .offset_bytes = (size_t)device->base.md.offset0 * elem_bytes,
            .bytes = bytes,
            .host = (char *)pointer + (size_t)host->md.offset0 * elem_bytes};
    return prim__ocl_transfer(ctx, &transfer);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const copy_pd_t *const pd = (const copy_pd_t *)primitive->pd;
    if (pd->is_transfer) return transfer(primitive, ctx);
    const prim_attr_t *const attr = &primitive->pd->attr;
    const prim_dim_t nelems = prim__md_nelems_padded(prim__pd_md(primitive->pd, PRIM_ARG_TO));
    const prim_dim_t nitems = prim__ceil_div(nelems, pd->per_item);
    ocl_args_t args;
    TRY(prim__ocl_reorder_upload(primitive, ctx));
    prim__ocl_args_init(&args);
    prim__ocl_reorder_args(&args, primitive, ctx);
    prim__ocl_args_i64(&args, nelems);
    prim__ocl_args_i64(&args, pd->per_item);
    if (!prim__attr_is_plain(attr)) prim__ocl_reorder_args_quants(&args, ctx, attr);
    const ocl_range_t range = p->kernels[0]->device->is_cpu
                                      ? prim__ocl_range_groups(nitems, 1)
                                      : prim__ocl_range_short(p->kernels[0], nitems);
    TRY(prim__ocl_launch(ctx, p->kernels[0], &range, &args));
    return prim__ocl_reorder_download(primitive, ctx);
}

const impl_t prim__ocl_reorder_copy = {
        .name = "ocl:reorder:copy",
        .pd_size = sizeof(copy_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
