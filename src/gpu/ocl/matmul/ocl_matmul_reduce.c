// SPDX-License-Identifier: Apache-2.0
// Split-K: room for the partial sums, and the kernel that reduces them.
#include "ocl_gemm_tile.h"

extern const ocl_source_t prim__ocl_matmul_reduce_cl;

void prim__ocl_tiling_book(ocl_tiling_t *tiling, prim_desc_t *pd, const matmul_shape_t *shape)
{
    if (tiling->nsplits <= 1) return;
    const prim_dim_t nelems = prim__matmul_nbatches(shape) * shape->m * shape->n * tiling->nsplits;
    tiling->partial_offset = prim__pd_book_scratchpad(pd, (size_t)nelems * sizeof(float));
}

prim_status_t prim__ocl_tiling_add_kernel(
        ocl_primitive_t *primitive, const ocl_tiling_t *tiling, const ocl_gemm_t *gemm)
{
    if (tiling->nsplits <= 1) return PRIM_SUCCESS;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "WIDE_SUMS", 1);
    prim__ocl_gemm_options(&options, gemm, primitive->base.pd);
    return prim__ocl_primitive_add_kernel(
            primitive, &prim__ocl_matmul_reduce_cl, &options, "matmul_reduce");
}

void prim__ocl_tiling_args_partial(
        ocl_args_t *args, const ocl_tiling_t *tiling, const exec_ctx_t *ctx)
{
    if (tiling->nsplits > 1) {
        prim__ocl_args_scratchpad(args, ctx, tiling->partial_offset, sizeof(float));
        return;
    }
    prim__ocl_args_nothing(args);
}

prim_status_t prim__ocl_tiling_reduce(const ocl_primitive_t *primitive, const ocl_tiling_t *tiling,
        const ocl_gemm_t *gemm, const exec_ctx_t *ctx)
{
    if (tiling->nsplits <= 1) return PRIM_SUCCESS;
    const matmul_shape_t *const s = &gemm->shape;
    ocl_gemm_vectors_t vectors = {0};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_tiling_args_partial(&args, tiling, ctx);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i32(&args, (int32_t)s->n);
    prim__ocl_args_i32(&args, tiling->nsplits);
    prim__ocl_args_i64(&args, s->dst_m);
    prim__ocl_args_i64(&args, s->dst_n);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->dst_batch, 0);
    prim__ocl_gemm_args(&args, &vectors, gemm, s, primitive, ctx, false);
    const ocl_kernel_t *const kernel = primitive->kernels[1];
    const size_t items = prim__ocl_group_items(kernel, 128);
    const ocl_range_t range = prim__ocl_range_3d(s->n, s->m, prim__matmul_nbatches(s), items, 1, 1);
    return prim__ocl_launch(ctx, kernel, &range, &args);
}
