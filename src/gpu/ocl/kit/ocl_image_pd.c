// SPDX-License-Identifier: Apache-2.0
// Implementations on images: requirements, arguments and launch ranges.
#include "ocl_image_pd.h"

#include <assert.h>

#include "common/post_ops_check.h"
#include "gpu/ocl/feature/ocl_feature.h"

ocl_image_t prim__ocl_image_shape(const prim_memory_desc_t *md)
{
    size_t width = 0, height = 0;
    const prim_status_t st = prim_memory_desc_get_image2d(md, &width, &height);
    assert(st == PRIM_SUCCESS);
    (void)st;
    ocl_image_t shape = {
            .n = 1, .h = 1, .w = 1, .width = (int32_t)width, .height = (int32_t)height};
    const int n = md->ndims;
    shape.c = (int32_t)md->dims[n > 1];
    if (n > 1) shape.n = (int32_t)md->dims[0];
    if (n > 2) shape.w = (int32_t)md->dims[n - 1];
    if (n > 3) shape.h = (int32_t)md->dims[2];
    if (n == 1) shape.row = shape.width;
    return shape;
}

int prim__ocl_image_axis(int ndims, int dim)
{
    if (ndims == 1) return 1;
    return ndims == 3 && dim == 2 ? 3 : dim;
}

static bool is_taken_as_image(const ocl_image_param_t *params, int arg)
{
    for (; params->arg; ++params) {
        if (params->arg == arg) return params->kind != OCL_IMAGE_BUFFER;
    }
    return false;
}

/// Images where images are taken, buffers elsewhere.
static prim_status_t check_kinds(prim_desc_t *pd, const ocl_image_param_t *params)
{
    bool has_image = false, is_open = true;
    for (int i = 0; i < pd->ntensors; ++i) {
        const tensor_t *const tensor = &pd->tensors[i];
        const bool is_image = prim__md_is_image(&tensor->md);
        if (!is_taken_as_image(params, tensor->arg)) {
            REQUIRE(pd, !is_image, "a tensor is an image; this variant takes a buffer there");
            continue;
        }
        REQUIRE(pd, !tensor->is_on_peer, "an image belongs to the other engine of the reorder");
        has_image = has_image || is_image;
        is_open = is_open && prim__md_is_any(&tensor->md);
        REQUIRE(pd, is_image || prim__md_is_any(&tensor->md),
                "a tensor is a buffer; this variant takes an image there");
        REQUIRE(pd, !prim__md_is_empty(&tensor->md), "an image holds at least one element");
    }
    PREFER_OTHER_UNLESS(pd,
            !is_open || prim__ocl_device_prefers_images(prim__ocl_device(pd->engine)),
            "a layout is `any`, and buffers are faster than images on the device");
    return PRIM_SUCCESS;
}

static prim_status_t check_attr(prim_desc_t *pd)
{
    const prim_post_ops_t *const chain = &pd->attr.post_ops;
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    int nimages = 0;
    REQUIRE(pd, pd->attr.nscales == 0 && pd->attr.nzero_points == 0,
            "scales or zero points are set; kernels on images take none");
    for (int i = 0; i < chain->len; ++i) {
        const post_op_t *const op = &chain->entries[i];
        REQUIRE(pd, op->kind != PRIM_SUM,
                "the sum post-op reads dst, and a kernel cannot read the image that it writes");
        if (!prim__md_is_image(&op->src1_md)) continue;
        REQUIRE(pd, ++nimages == 1, "two operands of post-ops are images");
        REQUIRE(pd, prim__md_same_dims(&op->src1_md, dst),
                "an operand in an image has another shape than dst; images are not broadcast");
    }
    return PRIM_SUCCESS;
}

static prim_status_t decline_with_error(prim_desc_t *pd, prim_status_t st)
{
    if (st != PRIM_UNIMPLEMENTED) return st;
    return prim__decline(pd, "%s", prim_last_error());
}

/// The device has shown that it reads and writes such images. Runs a kernel the first time.
static prim_status_t check_trust(prim_desc_t *pd, const ocl_image_param_t *params)
{
    for (; params->arg; ++params) {
        if (params->kind == OCL_IMAGE_BUFFER || !prim__pd_has(pd, params->arg)) continue;
        const bool is_f16 = prim__pd_md(pd, params->arg)->data_type == PRIM_F16;
        REQUIRE(pd,
                prim__ocl_device_trusts(
                        pd->engine, is_f16 ? OCL_FEATURE_IMAGE_F16 : OCL_FEATURE_IMAGE_F32),
                "the device's images did not pass their self-test");
    }
    return PRIM_SUCCESS;
}

/// Makes layouts that are `any` images, and requires that the device can hold every image.
static prim_status_t set_layouts(prim_desc_t *pd, const ocl_image_param_t *params)
{
    const ocl_engine_t *const engine = prim__ocl_engine(pd->engine);
    prim_status_t st = PRIM_SUCCESS;
    for (int i = 0; i < pd->ntensors && st == PRIM_SUCCESS; ++i) {
        prim_memory_desc_t *const md = &pd->tensors[i].md;
        if (!is_taken_as_image(params, pd->tensors[i].arg)) continue;
        st = prim__md_set_image_if_any(md);
        if (st == PRIM_SUCCESS) st = prim__ocl_image_check(engine, md);
    }
    for (int i = 0; i < pd->attr.post_ops.len && st == PRIM_SUCCESS; ++i) {
        const prim_memory_desc_t *const md = &pd->attr.post_ops.entries[i].src1_md;
        if (prim__md_is_image(md)) st = prim__ocl_image_check(engine, md);
    }
    return st == PRIM_SUCCESS ? check_trust(pd, params) : decline_with_error(pd, st);
}

prim_status_t prim__ocl_image_require(prim_desc_t *pd, const ocl_image_param_t *params)
{
    TRY(prim__ocl_require_types(pd));
    TRY(check_kinds(pd, params));
    TRY(check_attr(pd));
    return set_layouts(pd, params);
}

static bool has_chain_image(const prim_desc_t *pd)
{
    return prim__post_ops_any_md(&pd->attr.post_ops, prim__md_is_image);
}

static void add_options(ocl_options_t *options, const prim_desc_t *pd)
{
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    prim__ocl_options_int(options, "DST_IS_F16", dst->data_type == PRIM_F16);
    prim__ocl_options_int(options, "REAL_WIDTH", 4);
    prim__ocl_post_ops_options(options, pd, true);
    if (pd->attr.post_ops.len == 0) return;
    prim__ocl_options_int(options, "PO_WITH_IMAGE", has_chain_image(pd));
    prim__ocl_options_int(options, "PO_VECTOR_DIM", dst->ndims > 1);
    prim__ocl_options_int(options, "MD_NDIMS", dst->ndims);
}

prim_status_t prim__ocl_image_init(
        prim_t *primitive, ocl_options_t *options, const ocl_source_t *source, const char *name)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    add_options(options, primitive->pd);
    TRY(prim__ocl_primitive_add_kernel(p, source, options, name));
    return prim__ocl_primitive_add_post_ops(p);
}

void prim__ocl_args_image(ocl_args_t *args, const exec_ctx_t *ctx, int arg)
{
    const ocl_memory_t *const memory = prim__ocl_memory(prim__ctx_memory(ctx, arg));
    assert(memory);
    if (!memory->buffer && !args->missing) args->missing = arg;
    prim__ocl_args_image_object(args, memory->buffer);
}

void prim__ocl_args_image_shape(ocl_args_t *args, const prim_desc_t *pd, int arg)
{
    const ocl_image_t shape = prim__ocl_image_shape(prim__pd_md(pd, arg));
    const int32_t values[] = {
            shape.n, shape.c, shape.h, shape.w, shape.width, shape.height, shape.row};
    for (size_t i = 0; i < sizeof values / sizeof *values; ++i) prim__ocl_args_i32(args, values[i]);
}

void prim__ocl_image_args(ocl_args_t *args, const exec_ctx_t *ctx, const prim_desc_t *pd,
        const ocl_image_param_t *params)
{
    prim__ocl_args_init(args);
    for (; params->arg; ++params) {
        if (params->kind == OCL_IMAGE_BUFFER)
            prim__ocl_args_tensor(args, ctx, params->arg);
        else if (prim__pd_has(pd, params->arg))
            prim__ocl_args_image(args, ctx, params->arg);
        if (params->kind == OCL_IMAGE_SHAPED) prim__ocl_args_image_shape(args, pd, params->arg);
    }
}

static ocl_range_t range_of(const ocl_kernel_t *kernel, int64_t nx, int64_t ny)
{
    // Devices with image units fetch texels in two-dimensional neighbourhoods.
    const size_t items = prim__ocl_group_items(kernel, kernel->device->is_cpu ? 64 : 128);
    const size_t lx = kernel->device->is_cpu || items < 16 ? items : 16;
    return prim__ocl_range_3d(nx, ny, 1, lx, items / lx, 1);
}

/// Whether an argument beside dst is dst's image.
static bool reads_dst(const exec_ctx_t *ctx)
{
    const int dst_place = prim__arg_place(ctx->places, PRIM_ARG_DST);
    const ocl_memory_t *const dst = prim__ocl_memory(ctx->memory[dst_place]);
    for (int i = 0; i < ctx->places->nplaces; ++i) {
        const prim_memory_t *const other = ctx->memory[i];
        if (i == dst_place || !other || other->engine != dst->base.engine) continue;
        if (dst->buffer && prim__ocl_memory(other)->buffer == dst->buffer) return true;
    }
    return false;
}

prim_status_t prim__ocl_image_run_over(const exec_ctx_t *ctx, const ocl_primitive_t *primitive,
        ocl_args_t *args, int64_t nx, int64_t ny)
{
    CHECK(!reads_dst(ctx), "dst is also an input: a kernel cannot read the image that it writes");
    prim__ocl_args_post_ops(args, ctx, primitive);
    const ocl_range_t range = range_of(primitive->kernels[0], nx, ny);
    return prim__ocl_launch(ctx, primitive->kernels[0], &range, args);
}

prim_status_t prim__ocl_image_run(
        const exec_ctx_t *ctx, const ocl_primitive_t *primitive, ocl_args_t *args)
{
    const ocl_image_t dst = prim__ocl_image_shape(prim__pd_md(primitive->base.pd, PRIM_ARG_DST));
    return prim__ocl_image_run_over(ctx, primitive, args, dst.width, dst.height);
}

prim_status_t prim__ocl_image_execute(
        const prim_t *primitive, const exec_ctx_t *ctx, const ocl_image_param_t *params)
{
    ocl_args_t args;
    prim__ocl_image_args(&args, ctx, primitive->pd, params);
    return prim__ocl_image_run(ctx, (const ocl_primitive_t *)primitive, &args);
}
