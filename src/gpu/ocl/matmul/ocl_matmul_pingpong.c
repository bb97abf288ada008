// SPDX-License-Identifier: Apache-2.0
// What ocl_matmul_wgmma_pingpong.cl takes, and its options.
#include "ocl_matmul_pingpong.h"

#include "gpu/ocl/feature/ocl_feature.h"

enum {
    MOST_TILES = 1 << 30,
    STAGE_BYTES = 128, // of K
    SECTOR_BYTES = 32  // that memory writes at once
};

// Whether the step is a few instructions, or some more without a branch.
static bool is_straight(const post_op_t *step)
{
    static const prim_alg_kind_t algs[] = {PRIM_ELTWISE_GELU_ERF, PRIM_ELTWISE_GELU_TANH,
            PRIM_ELTWISE_SWISH, PRIM_ELTWISE_HARDSWISH, PRIM_ELTWISE_HARDSIGMOID};
    for (size_t a = 0; a < sizeof algs / sizeof *algs; ++a) {
        if (step->alg == algs[a]) return true;
    }
    return prim__ocl_post_op_is_short(step);
}

// Steps of a chain are compiled in, once for each sum of a work-item.
static prim_status_t check_post_ops(ocl_wgmma_pd_t *p)
{
    prim_desc_t *const pd = &p->base;
    const prim_post_ops_t *const chain = &pd->attr.post_ops;
    p->beside = prim__ocl_post_ops_beside_dst(pd);
    REQUIRE(pd, chain->len <= OCL_STATIC_POST_OPS, "more than %d post-ops", OCL_STATIC_POST_OPS);
    for (int i = 0; i < chain->len; ++i) {
        REQUIRE(pd, chain->entries[i].kind == PRIM_ELTWISE || i == p->beside,
                "post-op %d reads an operand of other dimensions, strides or size of elements than "
                "dst's, or another post-op reads one, too",
                i);
        REQUIRE(pd, is_straight(&chain->entries[i]),
                "post-op %d takes many instructions for each element", i);
    }
    return PRIM_SUCCESS;
}

// Rows and products of dst at multiples of 16 bytes.
static prim_status_t check_dst(ocl_wgmma_pd_t *p)
{
    prim_desc_t *const pd = &p->base;
    const matmul_shape_t *const s = &p->gemm.shape;
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    const bool is_float =
            dst->data_type == PRIM_F16 || dst->data_type == PRIM_BF16 || dst->data_type == PRIM_F32;
    const size_t size = prim_data_type_size(dst->data_type);
    REQUIRE(pd, is_float && p->align.elem_bytes == 2, "src or dst is of integers");
    REQUIRE(pd, s->dst_n == 1 && s->n % 8 == 0,
            "columns of dst are not contiguous, or no multiple of 8");
    REQUIRE(pd, prim__ocl_mma_is_even(s, s->dst_m, s->dst_batch, size),
            "rows of dst are not 16-byte aligned");
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_pingpong_takes(ocl_wgmma_pd_t *p)
{
    prim_desc_t *const pd = &p->base;
    const matmul_shape_t *const s = &p->gemm.shape;
    TRY(check_dst(p));
    TRY(check_post_ops(p));
    REQUIRE(pd, !p->gemm.has_quants, "scales or zero points");
    REQUIRE(pd, !prim__pd_has(pd, PRIM_ARG_BIAS) || s->bia_m == 0, "the bias depends on the row");
    REQUIRE(pd, !prim__ocl_align_copies(&p->align),
            "rows of src or weights are not 16-byte aligned");
    REQUIRE(pd, s->k <= prim__ocl_gemm_longest(&p->gemm, pd, 1), "K is so long that it is split");
    const double ntiles =
            (double)prim__matmul_nbatches(s) * ((double)s->m / 64 + 1) * ((double)s->n / 64 + 1);
    REQUIRE(pd, ntiles < MOST_TILES, "more than 2^30 tiles");
    return PRIM_SUCCESS;
}

bool prim__ocl_pingpong_is_bound_by_stores(const matmul_shape_t *s, size_t bytes, size_t dst_bytes)
{
    return s->k * (prim_dim_t)bytes <= STAGE_BYTES &&
           s->dst_m * (prim_dim_t)dst_bytes % SECTOR_BYTES == 0;
}

// Whether approximate functions suffice for what dst shows.
static bool is_short(const prim_desc_t *pd)
{
    return prim__pd_md(pd, PRIM_ARG_DST)->data_type != PRIM_F32 && pd->attr.post_ops.len > 0 &&
           prim__ocl_device_trusts(pd->engine, OCL_FEATURE_FAST_EXP2);
}

void prim__ocl_pingpong_options(ocl_options_t *options, const ocl_wgmma_pd_t *pd)
{
    prim__ocl_options_int(options, "BATCHED", prim__matmul_nbatches(&pd->gemm.shape) > 1);
    prim__ocl_options_int(options, "IS_INT", 0);
    prim__ocl_options_int(options, "WITH_QUANT", 0);
    prim__ocl_post_ops_options_beside(options, &pd->base, pd->beside);
    const prim_memory_desc_t *const dst = prim__pd_md(&pd->base, PRIM_ARG_DST);
    prim__ocl_options_int(options, "REAL_WIDTH", pd->base.attr.post_ops.len > 0 ? 8 : 1);
    prim__ocl_options_int(options, "PO_VECTOR_DIM", dst->ndims - 1);
    prim__ocl_options_int(options, "PO_SHORT", is_short(&pd->base));
    prim__ocl_options_int(options, "FAST_EXP2", is_short(&pd->base));
    prim__ocl_options_int(options, "SLOPES", 0);
    prim__ocl_gemm_type_options(options, &pd->base);
}

bool prim__ocl_pingpong_stores(const ocl_wgmma_pd_t *pd, const ocl_args_t *args)
{
    const prim_data_type_t type = prim__pd_md(&pd->base, PRIM_ARG_DST)->data_type;
    return prim__ocl_tiling_starts_aligned(args, prim_data_type_size(type));
}
