// SPDX-License-Identifier: Apache-2.0
// Matmul on devices with sub-groups: src is broadcast against columns of weights.
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "ocl_gemm.h"

extern const ocl_source_t prim__ocl_matmul_subgroup_cl;
extern const impl_t prim__ocl_matmul_subgroup;

enum {
    TM = 8,
    TN = 4
}; // 32 sums: with 16 work-items a sub-group half of the registers of an Intel GPU

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    int nitems; ///< of a group
    bool reads_blocks;
} pd_t;

_Static_assert(offsetof(pd_t, base) == 0, "the base comes first");

static prim_dim_t ngroups(const pd_t *p, const matmul_shape_t *s)
{
    const prim_dim_t width = p->nitems * TN;
    return prim__matmul_nbatches(s) * prim__ceil_div(s->m, TM) * prim__ceil_div(s->n, width);
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    pd_t *const p = (pd_t *)pd;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const prim_data_type_t wei_dt = prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type;
    PREFER_OTHER_UNLESS(pd, prim__ocl_device_prefers_subgroups(device),
            "work-items of the device share data faster through local memory than through "
            "sub-groups");
    TRY(prim__ocl_gemm_set_row_major(pd));
    TRY(prim__ocl_gemm_init(&p->gemm, pd));
    const matmul_shape_t *const s = &p->gemm.shape;
    REQUIRE(pd, p->gemm.has_runtime || s->wei_block == 0, "weights have a blocked layout");
    PREFER_OTHER_UNLESS(pd, p->gemm.has_runtime || s->wei_n == 1 || s->n == 1,
            "weights are not contiguous along N (stride %lld)", (long long)s->wei_n);
    REQUIRE(pd, prim__ocl_device_trusts(pd->engine, OCL_FEATURE_SUBGROUPS),
            "the device has no sub-groups that passed their self-test");
    const int size = prim__ocl_feature_verdict(pd->engine, OCL_FEATURE_SUBGROUPS).value;
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_dim_t k = src->dims[src->ndims - 1];
    REQUIRE(pd, k != PRIM_RUNTIME_DIM_VAL && k <= prim__ocl_gemm_longest(&p->gemm, pd, 1),
            "K is too long for one sum, or known only at execution");
    p->nitems = size <= 16 ? 16 : size <= 32 ? 32 : 64;
    p->reads_blocks = wei_dt == PRIM_F32 && p->gemm.wei_zps == GEMM_QUANT_NONE &&
                      p->gemm.wei_scales != GEMM_QUANT_ELEMENTS &&
                      prim__ocl_device_trusts(pd->engine, OCL_FEATURE_SUBGROUP_BLOCK);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const pd_t *const pd = (const pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init_newer(&options, prim__ocl_device(pd->base.engine)->opencl_major);
    prim__ocl_options_type(&options, "SRC", prim__pd_md(&pd->base, PRIM_ARG_SRC)->data_type);
    prim__ocl_options_type(&options, "WEI", prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS)->data_type);
    prim__ocl_options_int(&options, "TM", TM);
    prim__ocl_options_int(&options, "TN", TN);
    prim__ocl_options_int(&options, "ITEMS", pd->nitems);
    prim__ocl_options_int(&options, "BLOCK_READS", pd->reads_blocks);
    prim__ocl_gemm_options(&options, &pd->gemm, &pd->base);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_matmul_subgroup_cl, &options, "matmul_subgroup"));
    return prim__ocl_gemm_add_data(p, &pd->gemm);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const pd_t *const pd = (const pd_t *)primitive->pd;
    const matmul_shape_t s = prim__ocl_gemm_shape(&pd->gemm, &pd->base, ctx);
    ocl_gemm_vectors_t vectors = {0};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_gemm_args_operands(&args, &vectors, &s, ctx);
    prim__ocl_gemm_args(&args, &vectors, &pd->gemm, &s, p, ctx, false);
    const ocl_range_t range = prim__ocl_range_groups(ngroups(pd, &s), (size_t)pd->nitems);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_matmul_subgroup = {
        .name = "ocl:matmul:subgroup",
        .pd_size = sizeof(pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
        .declines_broadcasts = true,
};
