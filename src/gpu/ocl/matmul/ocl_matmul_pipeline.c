// SPDX-License-Identifier: Apache-2.0
// Matmul of f32 on GPUs with asynchronous copies (`cp.async`).
#include "gpu/ocl/feature/ocl_feature.h"
#include "ocl_matmul_align.h"
#include "ocl_matmul_pipeline_plan.h"
#include "ocl_matmul_reduce.h"

extern const ocl_source_t prim__ocl_matmul_pipeline_cl;
extern const impl_t prim__ocl_matmul_pipeline;

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    ocl_tiling_t tiling;
    int tile; // number of the choice of tile sizes
    ocl_pipeline_operands_t operands;
    ocl_align_t align; // weights across k whose rows are copied to multiples of 16 bytes first
    bool copies_async;
    bool is_swapped; // rows of src are its columns of weights, and the reverse
} ocl_pipeline_pd_t;

_Static_assert(offsetof(ocl_pipeline_pd_t, base) == 0, "the base comes first");

static prim_status_t require_operands(prim_desc_t *pd, const matmul_shape_t *s)
{
    REQUIRE(pd, s->src_k == 1 || s->k == 1 || s->src_m == 1 || s->m == 1,
            "src is contiguous neither along K nor along M");
    REQUIRE(pd, s->wei_n == 1 || s->n == 1 || s->wei_k == 1 || s->k == 1,
            "weights are contiguous neither along K nor along N");
    return PRIM_SUCCESS;
}

// dstᵀ = weiᵀ·srcᵀ, where tiles fit that much better.
static void choose_sides(ocl_pipeline_pd_t *p, const ocl_device_t *device, uint64_t local_bytes)
{
    matmul_shape_t *const s = &p->gemm.shape;
    const prim_dim_t longest = prim__ocl_gemm_longest(&p->gemm, &p->base, 1);
    p->is_swapped = prim__ocl_gemm_is_plain(&p->gemm, &p->base) &&
                    prim__ocl_pipeline_swaps(device, s, local_bytes, longest);
    if (p->is_swapped) prim__ocl_gemm_swap(s);
    p->operands = prim__ocl_pipeline_operands(s);
}

// Copies of 4 bytes make a product slower: weights across k that are not 16-byte aligned are copied
// to rows that are where that is faster.
static void choose_copy(ocl_pipeline_pd_t *p, const ocl_device_t *device, uint64_t local_bytes)
{
    const matmul_shape_t *const s = &p->gemm.shape;
    const prim_dim_t longest = prim__ocl_gemm_longest(&p->gemm, &p->base, 1);
    prim__ocl_align_init(&p->align, s, p->operands.wei_along_k, sizeof(float));
    if (p->operands.wei_along_k || p->operands.wei_vec != 1 || p->is_swapped) return;
    const double slower =
            prim__ocl_measured(device, MEASURED_MATMUL_PIPELINE_SLOWER, 1.2); // more instructions
    ocl_align_t copy = p->align;
    prim__ocl_align_copy(&copy.wei, s, sizeof(float));
    if (!prim__ocl_align_fits(&copy) ||
            prim__ocl_pipeline_cycles(device, s, local_bytes, longest, 1) +
                            prim__ocl_align_cycles(&copy, device, false) >=
                    prim__ocl_pipeline_cycles(device, s, local_bytes, longest, slower))
        return;
    p->align = copy;
    p->operands.wei_vec = 4;
}

// The cheapest by the model that the device can hold.
static bool choose_tile(ocl_pipeline_pd_t *p, const ocl_device_t *device, uint64_t local_bytes)
{
    const prim_dim_t longest = prim__ocl_gemm_longest(&p->gemm, &p->base, 1);
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &p->base, OCL_TILING_PARAMS);
    for (int i = 0; i < OCL_PIPELINE_NTILES; ++i) {
        const ocl_pipeline_tile_t *const tile = &prim__ocl_pipeline_tiles[i];
        if (!prim__ocl_pipeline_fits(device, tile, &p->operands, local_bytes)) continue;
        const ocl_tile_speed_t speed = prim__ocl_pipeline_speed(device, tile);
        if (prim__ocl_tiling_offer(
                    &p->tiling, &tune, device, &p->gemm.shape, &speed, longest, tile->stages))
            p->tile = i;
    }
    return prim__ocl_tune_has_choice(&tune);
}

// Without asynchronous copies, large tiles only take longer to compile.
static uint64_t local_bytes(const prim_desc_t *pd, bool copies_async)
{
    const uint64_t told = prim__ocl_device(pd->engine)->local_bytes;
    const ocl_verdict_t large = prim__ocl_feature_verdict(pd->engine, OCL_FEATURE_LARGE_LOCAL);
    if (large.is_trusted) return (uint64_t)large.value * 1024;
    return copies_async || told < 32 * 1024 ? told : 32 * 1024;
}

static bool is_f32(const prim_desc_t *pd)
{
    return prim__pd_md(pd, PRIM_ARG_SRC)->data_type == PRIM_F32 &&
           prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type == PRIM_F32;
}

// The rest of init_pd, when all layouts are fixed.
static prim_status_t configure(prim_desc_t *pd)
{
    ocl_pipeline_pd_t *const p = (ocl_pipeline_pd_t *)pd;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    ocl_gemm_t *const gemm = &p->gemm;
    REQUIRE(pd, is_f32(pd), "src or weights are not f32");
    TRY(prim__ocl_gemm_init(gemm, pd));
    REQUIRE(pd, !gemm->has_runtime,
            "M, N or K is known only at execution; this variant chooses its tile by them");
    REQUIRE(pd, gemm->shape.wei_block == 0, "weights have a blocked layout");
    REQUIRE(pd,
            gemm->src_zps == GEMM_QUANT_NONE && gemm->wei_zps == GEMM_QUANT_NONE &&
                    gemm->src_scales != GEMM_QUANT_ELEMENTS &&
                    gemm->wei_scales != GEMM_QUANT_ELEMENTS,
            "scales vary along K, or zero points are set; asynchronous copies move elements as "
            "they are");
    REQUIRE(pd, prim__ocl_tiling_fits(&gemm->shape), "M, N or K is 2^31 or more");
    p->copies_async = prim__ocl_device_trusts(pd->engine, OCL_FEATURE_ASYNC_COPY);
    PREFER_OTHER_UNLESS(pd, p->copies_async,
            "the device has no asynchronous copies (`cp.async`, compute capability 8.0)");
    TRY(require_operands(pd, &gemm->shape));
    choose_sides(p, device, local_bytes(pd, p->copies_async));
    choose_copy(p, device, local_bytes(pd, p->copies_async));
    REQUIRE(pd, choose_tile(p, device, local_bytes(pd, p->copies_async)),
            "no tile fits the work-groups and the local memory of the device");
    prim__ocl_align_book(&p->align, pd);
    prim__ocl_tiling_book(&p->tiling, pd, &p->gemm);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_pipeline_pd_t *const pd = (const ocl_pipeline_pd_t *)primitive->pd;
    const ocl_pipeline_tile_t *const t = &prim__ocl_pipeline_tiles[pd->tile];
    const ocl_pipeline_operands_t *const by = &pd->operands;
    const matmul_shape_t *const s = &pd->gemm.shape;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "BM", t->bm);
    prim__ocl_options_int(&options, "BN", t->bn);
    prim__ocl_options_int(&options, "BK", t->bk);
    prim__ocl_options_int(&options, "WM", t->wm);
    prim__ocl_options_int(&options, "WN", t->wn);
    prim__ocl_options_int(&options, "TM", t->tm);
    prim__ocl_options_int(&options, "TN", t->tn);
    prim__ocl_options_int(&options, "STAGES", t->stages);
    prim__ocl_options_int(&options, "SLICES", t->slices);
    prim__ocl_options_int(&options, "ASYNC_COPY", pd->copies_async);
    prim__ocl_options_int(&options, "COPY_16_KEEPS", 0);
    prim__ocl_options_int(&options, "SRC_ALONG_K", by->src_along_k);
    prim__ocl_options_int(&options, "WEI_ALONG_K", by->wei_along_k);
    prim__ocl_options_int(&options, "SRC_EDGE", by->src_along_k && s->m < t->bm);
    prim__ocl_options_int(&options, "WEI_EDGE", by->wei_along_k && s->n < t->bn);
    prim__ocl_options_int(&options, "SRC_VEC", by->src_along_k ? 1 : by->src_vec);
    prim__ocl_options_int(&options, "WEI_VEC", by->wei_along_k ? 1 : by->wei_vec);
    prim__ocl_gemm_options(&options, &pd->gemm, &pd->base);
    if (pd->copies_async) prim__ocl_gemm_type_options(&options, &pd->base);
    prim__ocl_tiling_options(&options, &pd->tiling, &pd->base);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_matmul_pipeline_cl, &options, "matmul_pipeline"));
    prim__ocl_primitive_expect_local(p, prim__ocl_pipeline_local_bytes(t, by));
    TRY(prim__ocl_tiling_add_kernel(p, &pd->tiling, &pd->gemm));
    if (prim__ocl_align_copies(&pd->align)) TRY(prim__ocl_align_add_kernel(p, &pd->align));
    return prim__ocl_gemm_add_data(p, &pd->gemm);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_pipeline_pd_t *const pd = (const ocl_pipeline_pd_t *)primitive->pd;
    const matmul_shape_t *const s = &pd->gemm.shape;
    const ocl_pipeline_operands_t *const by = &pd->operands;
    ocl_gemm_vectors_t vectors = {0};
    ocl_args_t args;
    if (prim__ocl_align_copies(&pd->align))
        TRY(prim__ocl_align_launch(p->kernels[p->nkernels - 1], &pd->align, s, ctx));
    prim__ocl_args_init(&args);
    prim__ocl_args_tensor(&args, ctx, pd->is_swapped ? PRIM_ARG_WEIGHTS : PRIM_ARG_SRC);
    const int src_skip =
            prim__ocl_tiling_align(&args, by->src_along_k ? 1 : by->src_vec, sizeof(float));
    prim__ocl_align_args(&args, ctx, &pd->align, pd->is_swapped ? PRIM_ARG_SRC : PRIM_ARG_WEIGHTS);
    const int wei_skip =
            prim__ocl_tiling_align(&args, by->wei_along_k ? 1 : by->wei_vec, sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i64(&args, by->src_along_k ? s->src_m : s->src_k);
    prim__ocl_args_i64(&args, pd->align.wei.pitch);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->src_batch, 0);
    prim__ocl_gemm_args_batch(&args, &vectors, s, pd->align.wei.batch, 0);
    prim__ocl_args_i32(&args, src_skip);
    const ocl_tiling_launch_t launch = {
            prim__ocl_pipeline_items(&prim__ocl_pipeline_tiles[pd->tile]), src_skip, wei_skip};
    return prim__ocl_tiling_run(p, ctx, &args, &vectors, &pd->tiling, &pd->gemm, &launch);
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gemm_set_row_major(pd));
    return configure(pd);
}

const impl_t prim__ocl_matmul_pipeline = {
        .name = "ocl:matmul:pipeline",
        .pd_size = sizeof(ocl_pipeline_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
