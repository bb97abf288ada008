// SPDX-License-Identifier: Apache-2.0
// Transfers between host memory and the scratchpad, before and after a reorder's kernel.
#include "ocl_reorder_sides.h"

#include "common/data_type.h"
#include "common/post_ops_check.h"
#include "gpu/ocl/kit/ocl_quant.h"
#include "gpu/ocl/launch/ocl_launch.h"

static bool is_on_peer(const prim_desc_t *pd, int arg)
{
    for (int i = 0; i < pd->ntensors; ++i) {
        if (pd->tensors[i].arg == arg) return pd->tensors[i].is_on_peer;
    }
    return false;
}

/// Bytes from the tensor's first element to its last.
static size_t payload_bytes(const prim_memory_desc_t *md)
{
    if (prim__md_is_empty(md)) return 0;
    return (size_t)(prim__md_span_elems(md) - md->offset0) * prim__dt_bytes(md->data_type);
}

prim_status_t prim__ocl_reorder_init_sides(prim_desc_t *pd)
{
    reorder_sides_t *const sides = &((reorder_pd_t *)pd)->sides;
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_TO);
    *sides = (reorder_sides_t){.src_is_on_host = is_on_peer(pd, PRIM_ARG_FROM),
            .dst_is_on_host = is_on_peer(pd, PRIM_ARG_TO)};
    sides->uploads_dst = sides->dst_is_on_host &&
                         (prim__post_ops_find_sum(&pd->attr.post_ops) || !prim__md_is_dense(dst));
    if (!sides->src_is_on_host && !sides->dst_is_on_host) return PRIM_SUCCESS;
    REQUIRE(pd, !prim__md_has_runtime(prim__pd_md(pd, PRIM_ARG_FROM)) && !prim__md_has_runtime(dst),
            "src and dst are on two engines, and the size of what is copied between them is known "
            "only at execution");
    const int staged = sides->src_is_on_host ? PRIM_ARG_FROM : PRIM_ARG_TO;
    const size_t bytes = payload_bytes(prim__pd_md(pd, staged));
    if (bytes) sides->stage_offset_bytes = prim__pd_book_scratchpad(pd, bytes);
    return PRIM_SUCCESS;
}

/// Moves the staged side of `arg` between host and scratchpad.
static prim_status_t move_stage(
        const prim_t *primitive, const exec_ctx_t *ctx, int arg, bool to_device)
{
    const reorder_pd_t *const pd = (const reorder_pd_t *)primitive->pd;
    const prim_memory_t *const memory = prim__ctx_memory(ctx, arg);
    const prim_memory_desc_t *const md = prim__pd_md(&pd->base, arg);
    const size_t bytes = payload_bytes(md);
    if (bytes == 0) return PRIM_SUCCESS;
    void *host = NULL;
    TRY(memory->engine->ops->memory_get_handle(memory, &host));
    host = (char *)host + (size_t)md->offset0 * prim__dt_bytes(md->data_type);
    const ocl_transfer_t transfer = {.to_device = to_device,
            .memory = prim__ocl_memory(ctx->scratchpad),
            .offset_bytes = pd->sides.stage_offset_bytes,
            .bytes = bytes,
            .host = host};
    return prim__ocl_transfer(ctx, &transfer);
}

prim_status_t prim__ocl_reorder_upload(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const reorder_sides_t *const sides = &((const reorder_pd_t *)primitive->pd)->sides;
    if (sides->src_is_on_host) return move_stage(primitive, ctx, PRIM_ARG_FROM, true);
    if (sides->uploads_dst) return move_stage(primitive, ctx, PRIM_ARG_TO, true);
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_reorder_download(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const reorder_sides_t *const sides = &((const reorder_pd_t *)primitive->pd)->sides;
    if (!sides->dst_is_on_host) return PRIM_SUCCESS;
    return move_stage(primitive, ctx, PRIM_ARG_TO, false);
}

void prim__ocl_reorder_args_side(
        ocl_args_t *args, const prim_t *primitive, const exec_ctx_t *ctx, int arg)
{
    const reorder_pd_t *const pd = (const reorder_pd_t *)primitive->pd;
    const bool is_staged =
            arg == PRIM_ARG_FROM ? pd->sides.src_is_on_host : pd->sides.dst_is_on_host;
    const prim_memory_desc_t *const md = prim__pd_md(&pd->base, arg);
    if (!is_staged) {
        prim__ocl_args_tensor(args, ctx, arg);
    } else if (payload_bytes(md)) {
        prim__ocl_args_scratchpad(
                args, ctx, pd->sides.stage_offset_bytes, prim__dt_bytes(md->data_type));
    } else {
        prim__ocl_args_nothing(args);
    }
}

void prim__ocl_reorder_args(ocl_args_t *args, const prim_t *primitive, const exec_ctx_t *ctx)
{
    prim__ocl_reorder_args_side(args, primitive, ctx, PRIM_ARG_FROM);
    prim__ocl_reorder_args_side(args, primitive, ctx, PRIM_ARG_TO);
}

bool prim__ocl_reorder_has_masks(const prim_attr_t *attr)
{
    for (int i = 0; i < attr->nscales; ++i) {
        if (attr->scales[i].mask != 0) return true;
    }
    for (int i = 0; i < attr->nzero_points; ++i) {
        if (attr->zero_points[i].mask != 0) return true;
    }
    return false;
}

static int32_t quant_type(const quant_t *quant)
{
    return quant ? (int32_t)quant->data_type : PRIM_DATA_TYPE_UNDEF;
}

void prim__ocl_reorder_args_quants(ocl_args_t *args, const exec_ctx_t *ctx, const prim_attr_t *attr)
{
    prim__ocl_args_scales(args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_scales(args, ctx, PRIM_ARG_DST);
    prim__ocl_args_zero_points(args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_zero_points(args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i32(args, quant_type(prim__attr_scale(attr, PRIM_ARG_SRC)));
    prim__ocl_args_i32(args, quant_type(prim__attr_scale(attr, PRIM_ARG_DST)));
    prim__ocl_args_i32(args, quant_type(prim__attr_zero_point(attr, PRIM_ARG_SRC)));
    prim__ocl_args_i32(args, quant_type(prim__attr_zero_point(attr, PRIM_ARG_DST)));
}
