// SPDX-License-Identifier: Apache-2.0
// Matmul of little depth on GPUs: limited by the stores of dst.
#include "gpu/ocl/tune/ocl_tune.h"
#include "ocl_matmul_outer_product_plan.h"

extern const ocl_source_t prim__ocl_matmul_outer_product_cl;
extern const impl_t prim__ocl_matmul_outer_product;

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    int tile;      // number of the choice of tile sizes
    int depth;     // indices of K that local memory holds
    bool is_plain; // sums go to dst as they are, or rounded to 16 bits, along contiguous rows
} ocl_outer_product_pd_t;

_Static_assert(offsetof(ocl_outer_product_pd_t, base) == 0, "the base comes first");

enum { RESIDENT = 3 }; // groups on a compute unit at once

static prim_status_t choose_tile(ocl_outer_product_pd_t *p)
{
    const ocl_device_t *const device = prim__ocl_device(p->base.engine);
    const matmul_shape_t *const s = &p->gemm.shape;
    const int estimated = prim__ocl_outer_product_tile(device, s);
    REQUIRE(&p->base, estimated >= 0,
            "no tile fits the work-groups and the local memory of the device");
    p->tile = estimated;
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &p->base, "tm tn bk");
    for (int i = 0; i < OCL_OUTER_PRODUCT_NTILES; ++i) {
        const ocl_outer_product_tile_t *const t = &prim__ocl_outer_product_tiles[i];
        const ocl_tune_params_t params = {{t->tm, t->tn, t->bk}};
        if (!prim__ocl_outer_product_fits(device, s, i)) continue;
        if (prim__ocl_tune_offer(&tune, i != estimated, params)) p->tile = i;
    }
    p->depth = prim__ocl_outer_product_panel_depth(s, p->tile);
    return PRIM_SUCCESS;
}

static bool is_plain(const ocl_outer_product_pd_t *p)
{
    const prim_desc_t *const pd = &p->base;
    const prim_data_type_t dt = prim__pd_md(pd, PRIM_ARG_DST)->data_type;
    const bool fits =
            p->gemm.is_int ? dt == PRIM_S32 : dt == PRIM_F32 || dt == PRIM_F16 || dt == PRIM_BF16;
    return fits && p->gemm.shape.dst_n == 1 && prim__ocl_gemm_is_plain(&p->gemm, pd);
}

// Columns that get bias and post-ops at once.
static int vector_width(const ocl_outer_product_pd_t *p)
{
    const prim_data_type_t dt = prim__pd_md(&p->base, PRIM_ARG_DST)->data_type;
    const bool fits = dt == PRIM_F32 || dt == PRIM_F16 || dt == PRIM_BF16;
    const bool has_pairs = prim__ocl_outer_product_tiles[p->tile].tn > 1;
    return fits && has_pairs && prim__ocl_gemm_vector_width(&p->gemm, &p->base) > 1 ? 2 : 1;
}

// The rest of init_pd, when all layouts are fixed.
static prim_status_t configure(prim_desc_t *pd)
{
    ocl_outer_product_pd_t *const p = (ocl_outer_product_pd_t *)pd;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    PREFER_OTHER_UNLESS(
            pd, !device->is_cpu, "the device is CPU-type: staging in local memory gains nothing");
    TRY(prim__ocl_gemm_init(&p->gemm, pd));
    const matmul_shape_t *const s = &p->gemm.shape;
    REQUIRE(pd, !p->gemm.has_runtime,
            "M, N or K is known only at execution; this variant is chosen by K");
    REQUIRE(pd, s->wei_block == 0, "weights have a blocked layout");
    REQUIRE(pd, prim__ocl_outer_product_takes(s),
            "rows, columns or indices of K of an operand are 2^23 elements or more apart");
    REQUIRE(pd, s->k <= prim__ocl_gemm_longest(&p->gemm, pd, 1), "K = %lld is too long for one sum",
            (long long)s->k);
    const size_t src_bytes = prim_data_type_size(prim__pd_md(pd, PRIM_ARG_SRC)->data_type);
    PREFER_OTHER_UNLESS(pd, prim__ocl_outer_product_pays(device, s, src_bytes),
            "M = %lld, N = %lld, K = %lld: this variant is for K up to %lld, above which products "
            "take longer than the stores of their sums, and for few work-groups whose operands "
            "others read in more steps",
            (long long)s->m, (long long)s->n, (long long)s->k,
            (long long)prim__ocl_outer_product_most_depth(device, src_bytes));
    p->is_plain = is_plain(p);
    return choose_tile(p);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_outer_product_pd_t *const pd = (const ocl_outer_product_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "SRC", prim__pd_md(&pd->base, PRIM_ARG_SRC)->data_type);
    prim__ocl_options_type(&options, "WEI", prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS)->data_type);
    prim__ocl_options_int(&options, "SRC_ALONG_K", pd->gemm.shape.src_m != 1);
    prim__ocl_options_int(&options, "WEI_ALONG_K", pd->gemm.shape.wei_n != 1);
    prim__ocl_options_int(&options, "IS_PLAIN", pd->is_plain || vector_width(pd) > 1);
    prim__ocl_options_int(&options, "BK", pd->depth);
    prim__ocl_options_int(&options, "TM", prim__ocl_outer_product_tiles[pd->tile].tm);
    prim__ocl_options_int(&options, "TN", prim__ocl_outer_product_tiles[pd->tile].tn);
    prim__ocl_options_int(&options, "GROUP_ITEMS", OCL_OUTER_PRODUCT_ITEMS);
    prim__ocl_options_registers(
            &options, prim__ocl_device_registers_for(prim__ocl_device(pd->base.engine), RESIDENT,
                              OCL_OUTER_PRODUCT_ITEMS));
    prim__ocl_gemm_options_vectors(&options, &pd->gemm, &pd->base, vector_width(pd));
    prim__ocl_gemm_type_options(&options, &pd->base);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_matmul_outer_product_cl, &options, "matmul_outer_product"));
    prim__ocl_primitive_expect_local(
            p, prim__ocl_outer_product_local_bytes(&pd->gemm.shape, pd->tile, pd->depth));
    return prim__ocl_gemm_add_data(p, &pd->gemm);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_outer_product_pd_t *const pd = (const ocl_outer_product_pd_t *)primitive->pd;
    const matmul_shape_t *const s = &pd->gemm.shape;
    ocl_gemm_vectors_t vectors = {0};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_gemm_args_operands(&args, &vectors, s, ctx);
    prim__ocl_gemm_args(&args, &vectors, &pd->gemm, s, p, ctx, false);
    const ocl_range_t range = prim__ocl_range_groups(
            prim__ocl_outer_product_ngroups(s, pd->tile), OCL_OUTER_PRODUCT_ITEMS);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gemm_set_row_major(pd));
    return configure(pd);
}

const impl_t prim__ocl_matmul_outer_product = {
        .name = "ocl:matmul:outer_product",
        .pd_size = sizeof(ocl_outer_product_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
