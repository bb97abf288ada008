// SPDX-License-Identifier: Apache-2.0
// Packing of operands: scratchpad, kernels, launches.
#include "ocl_matmul_pack.h"

#include "common/data_type.h"
#include "common/int_math.h"

extern const ocl_source_t prim__ocl_matmul_pack_cl;

enum { DEPTH = 64 }; // of a work-item of pack_wei, as in the .cl

// Sizes of the batch dimensions along which a tensor is not broadcast, 1 for the others; returns
// how many products are distinct.
static prim_dim_t distinct(
        prim_dim_t *sizes, const matmul_shape_t *shape, const prim_dim_t *strides)
{
    prim_dim_t n = 1;
    for (int i = 0; i < shape->nbatch; ++i) {
        sizes[i] = strides[i] ? shape->batch[i] : 1;
        n *= sizes[i];
    }
    return n;
}

// k = 0 packs nothing, but the kernels get a buffer all the same.
static size_t book(prim_desc_t *pd, prim_dim_t nelems, prim_data_type_t dt)
{
    return prim__pd_book_scratchpad(pd, (nelems ? (size_t)nelems : 1) * prim__dt_bytes(dt));
}

void prim__ocl_pack_book(ocl_pack_t *pack, prim_desc_t *pd, const matmul_shape_t *shape)
{
    prim_dim_t sizes[MATMUL_MAX_BATCH];
    if (pack->packs_src) {
        const prim_dim_t nproducts = distinct(sizes, shape, shape->src_batch);
        pack->src_offset = book(pd, nproducts * shape->m * shape->k, PRIM_F32);
    }
    if (pack->packs_wei) {
        const prim_dim_t nproducts = distinct(sizes, shape, shape->wei_batch);
        const prim_dim_t cols = prim__round_up(shape->n, pack->cols);
        pack->wei_offset = book(pd, nproducts * cols * shape->k, pack->panel_dt);
    }
}

prim_status_t prim__ocl_pack_add_kernels(ocl_primitive_t *primitive, const ocl_pack_t *pack)
{
    const ocl_source_t *const source = &prim__ocl_matmul_pack_cl;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "IS_INT", 0);
    prim__ocl_options_int(&options, "WITH_QUANT", 1);
    prim__ocl_options_int(&options, "WITH_POST_OPS", 0);
    if (pack->packs_src)
        TRY(prim__ocl_primitive_add_kernel(primitive, source, &options, "matmul_pack_src"));
    if (pack->packs_wei)
        TRY(prim__ocl_primitive_add_kernel(primitive, source, &options, "matmul_pack_wei"));
    return PRIM_SUCCESS;
}

// Strides of packed products of `size` elements.
static void packed_strides(
        ocl_packed_t *packed, const matmul_shape_t *shape, const prim_dim_t *sizes, prim_dim_t size)
{
    for (int i = shape->nbatch - 1; i >= 0; --i) {
        packed->batch[i] = sizes[i] == 1 ? 0 : size;
        size *= sizes[i];
    }
}

prim_status_t prim__ocl_pack_src(ocl_packed_t *packed, const ocl_pack_t *pack,
        const ocl_gemm_t *gemm, const ocl_primitive_t *primitive, const ocl_kernel_t *kernel,
        const exec_ctx_t *ctx)
{
    const matmul_shape_t *const s = &gemm->shape;
    const prim_memory_desc_t *const src = prim__pd_md(primitive->base.pd, PRIM_ARG_SRC);
    prim_dim_t sizes[MATMUL_MAX_BATCH];
    const prim_dim_t nproducts = distinct(sizes, s, s->src_batch);
    packed_strides(packed, s, sizes, s->m * s->k);
    ocl_gemm_vectors_t vectors = {0};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_i32(&args, (int32_t)src->data_type);
    prim__ocl_args_scratchpad(&args, ctx, pack->src_offset, sizeof(float));
    prim__ocl_args_i64(&args, s->k);
    prim__ocl_args_i64(&args, s->src_m);
    prim__ocl_args_i64(&args, s->src_k);
    prim__ocl_gemm_args_batch(&args, &vectors, s, sizes, 1);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->src_batch, 0);
    prim__ocl_gemm_args(&args, &vectors, gemm, s, primitive, ctx, true);
    const ocl_range_t range = prim__ocl_range_3d(s->m, nproducts, 1, 1, 1, 1);
    return prim__ocl_launch(ctx, kernel, &range, &args);
}

prim_status_t prim__ocl_pack_wei(ocl_packed_t *packed, const ocl_pack_t *pack,
        const ocl_gemm_t *gemm, const ocl_primitive_t *primitive, const ocl_kernel_t *kernel,
        const exec_ctx_t *ctx)
{
    const matmul_shape_t *const s = &gemm->shape;
    const prim_memory_desc_t *const wei = prim__pd_md(primitive->base.pd, PRIM_ARG_WEIGHTS);
    const prim_dim_t npanels = prim__ceil_div(s->n, pack->cols);
    prim_dim_t sizes[MATMUL_MAX_BATCH];
    const prim_dim_t nproducts = distinct(sizes, s, s->wei_batch);
    packed_strides(packed, s, sizes, npanels * s->k * pack->cols);
    ocl_gemm_vectors_t vectors = {0};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_WEIGHTS);
    prim__ocl_args_i32(&args, (int32_t)wei->data_type);
    prim__ocl_args_scratchpad(&args, ctx, pack->wei_offset, prim__dt_bytes(pack->panel_dt));
    prim__ocl_args_i32(&args, (int32_t)pack->panel_dt);
    prim__ocl_args_i32(&args, pack->cols);
    prim__ocl_args_i64(&args, s->n);
    prim__ocl_args_i64(&args, s->k);
    prim__ocl_args_i64(&args, s->wei_k);
    prim__ocl_args_i64(&args, s->wei_n);
    prim__ocl_gemm_args_batch(&args, &vectors, s, sizes, 1);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->wei_batch, 0);
    prim__ocl_gemm_args(&args, &vectors, gemm, s, primitive, ctx, true);
    const ocl_range_t range =
            prim__ocl_range_3d(npanels, prim__ceil_div(s->k, DEPTH), nproducts, 1, 1, 1);
    return prim__ocl_launch(ctx, kernel, &range, &args);
}
