// SPDX-License-Identifier: Apache-2.0
// What ocl_matmul_wgmma_pingpong.cl takes, and its options.
#include "ocl_matmul_pingpong.h"

#include "gpu/ocl/feature/ocl_feature.h"

enum { MOST_STEPS = 4, MOST_TILES = 1 << 30 };

// Whether post-ops may be those of clh/eltwise_short.h.
static bool is_fast(const prim_desc_t *pd)
{
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    return pd->attr.post_ops.len > 0 && prim_data_type_size(dst->data_type) == 2 &&
           prim__ocl_device_trusts(pd->engine, OCL_FEATURE_FAST_EXP2);
}

// Whether the step is a few instructions, or some more without a branch.
static bool is_straight(const post_op_t *step, bool fast)
{
    static const prim_alg_kind_t algs[] = {
            PRIM_ELTWISE_GELU_ERF, PRIM_ELTWISE_HARDSWISH, PRIM_ELTWISE_HARDSIGMOID};
    for (size_t a = 0; a < sizeof algs / sizeof *algs; ++a) {
        if (step->alg == algs[a]) return true;
    }
    return prim__ocl_post_op_is_short(step) ||
           (fast && (step->alg == PRIM_ELTWISE_SWISH || step->alg == PRIM_ELTWISE_GELU_TANH));
}

// Steps of a chain are compiled in, once for each sum of a work-item.
static prim_status_t check_post_ops(ocl_wgmma_pd_t *p)
{
    prim_desc_t *const pd = &p->base;
    const prim_post_ops_t *const chain = &pd->attr.post_ops;
    p->beside = prim__ocl_post_ops_beside_dst(pd);
    REQUIRE(pd, chain->len <= MOST_STEPS, "more than %d post-ops", MOST_STEPS);
    for (int i = 0; i < chain->len; ++i) {
        REQUIRE(pd, chain->entries[i].kind == PRIM_ELTWISE || i == p->beside,
                "post-op %d has an operand that does not lie as dst does, or is the second", i);
        REQUIRE(pd, is_straight(&chain->entries[i], is_fast(pd)),
                "post-op %d is too long to be compiled for each sum", i);
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
    REQUIRE(pd, is_float && p->align.elem_bytes == 2, "src or dst is of 8-bit integers");
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

// Post-ops of eight elements at once; some are shorter where they are rounded to 16 bits.
static void vector_options(ocl_options_t *options, const prim_desc_t *pd)
{
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    prim__ocl_options_int(options, "REAL_WIDTH", pd->attr.post_ops.len > 0 ? 8 : 1);
    prim__ocl_options_int(options, "PO_VECTOR_DIM", dst->ndims - 1);
    prim__ocl_options_int(options, "FAST_EXP2", is_fast(pd));
    prim__ocl_options_int(options, "SLOPES", 0);
}

void prim__ocl_pingpong_options(ocl_options_t *options, const ocl_wgmma_pd_t *pd)
{
    prim__ocl_options_int(options, "BATCHED", prim__matmul_nbatches(&pd->gemm.shape) > 1);
    prim__ocl_options_int(options, "IS_INT", 0);
    prim__ocl_options_int(options, "WITH_QUANT", 0);
    prim__ocl_post_ops_options_beside(options, &pd->base, pd->beside);
    vector_options(options, &pd->base);
    prim__ocl_gemm_type_options(options, &pd->base);
}

bool prim__ocl_pingpong_stores(const ocl_wgmma_pd_t *pd, const ocl_args_t *args)
{
    const prim_data_type_t type = prim__pd_md(&pd->base, PRIM_ARG_DST)->data_type;
    return prim__ocl_tiling_starts_aligned(args, prim_data_type_size(type));
}
