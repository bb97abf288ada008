// SPDX-License-Identifier: Apache-2.0
// Matmul of f16 and bf16 by `mma.sync` with so little K that local memory holds all of it: limited
// by the stores of dst.
#include "ocl_matmul_mma_whole_k.h"

#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_matrix_units.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_matmul_mma.h"
#include "ocl_matmul_reduce.h"

extern const ocl_source_t prim__ocl_matmul_mma_whole_k_cl;
extern const impl_t prim__ocl_matmul_mma_whole_k;

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    ocl_tiling_t tiling;
    int steps;                   // of 16 indices of K, a power of 2
    int most_groups, registers;  // of the device, of a work-item
    prim_data_type_t short_type; // as SHORT_DT of the .cl
    bool has_unit, copies_async;
} ocl_mma_whole_k_pd_t;

_Static_assert(offsetof(ocl_mma_whole_k_pd_t, base) == 0, "the base comes first");

// The K for which tiles are loaded and multiplied while others are stored; below the least,
// products of single work-items are as fast. Where rows are aligned, kernels with tensor
// maps are faster from a smaller K on.
enum { LEAST_DEPTH = 8, MOST_DEPTH = 32, MOST_ALIGNED_DEPTH = 24 };
enum { BM = 64, ITEMS = 256, DEPTH = 64, ELEM_BYTES = 2, STEP = 16, MOST_STEPS = 4, RESIDENT = 3 };

// As in the .cl.
static uint64_t local_bytes_of(const ocl_mma_whole_k_pd_t *p)
{
    const int bn = p->tiling.bn;
    const int sums =
            p->short_type != PRIM_DATA_TYPE_UNDEF ? BM * (bn / 2 + 4 + 2 * 8) : BM * (bn + 8);
    return (uint64_t)((bn + BM) * DEPTH * ELEM_BYTES) + (uint64_t)sums * 4;
}

static bool is_src_along_k(const matmul_shape_t *s)
{
    return s->src_k == 1 || s->k == 1;
}

static bool is_wei_along_k(const matmul_shape_t *s)
{
    return s->wei_n != 1 && s->n != 1;
}

// From one row to the next of src, and of weights as they lie.
static prim_dim_t src_stride_of(const matmul_shape_t *s)
{
    return is_src_along_k(s) ? s->src_m : s->src_k;
}

static prim_dim_t wei_stride_of(const matmul_shape_t *s)
{
    return is_wei_along_k(s) ? s->wei_n : s->wei_k;
}

static prim_status_t require_contiguous(prim_desc_t *pd, const matmul_shape_t *s)
{
    REQUIRE(pd, is_src_along_k(s) || s->src_m == 1 || s->m == 1,
            "src is contiguous neither along M nor along K");
    REQUIRE(pd, !is_wei_along_k(s) || s->wei_k == 1 || s->k == 1,
            "weights are contiguous neither along K nor along N");
    return PRIM_SUCCESS;
}

static int bn_of(const matmul_shape_t *s)
{
    return s->n <= 64 ? 64 : 128;
}

bool prim__ocl_mma_whole_k_pays(const ocl_device_t *device, const matmul_shape_t *s)
{
    const prim_dim_t vec = 16 / ELEM_BYTES;
    const bool are_aligned = s->n % vec == 0 &&
                             prim__ocl_gemm_are_multiples(s, s->dst_m, s->dst_batch, vec) &&
                             prim__ocl_gemm_are_multiples(s, src_stride_of(s), s->src_batch, vec) &&
                             prim__ocl_gemm_are_multiples(s, wei_stride_of(s), s->wei_batch, vec);
    const prim_dim_t ntiles =
            prim__matmul_nbatches(s) * prim__ceil_div(s->m, BM) * prim__ceil_div(s->n, bn_of(s));
    return s->m >= BM / 2 && s->n >= BM / 2 && s->k >= LEAST_DEPTH &&
           s->k <= (are_aligned ? MOST_ALIGNED_DEPTH : MOST_DEPTH) &&
           ntiles >= (prim_dim_t)prim__ocl_estimate_units(device);
}

static void plan(ocl_mma_whole_k_pd_t *p, const ocl_device_t *device, uint64_t local_bytes)
{
    const matmul_shape_t *const s = &p->gemm.shape;
    p->tiling = (ocl_tiling_t){.bm = BM, .bn = bn_of(s), .nsplits = 1, .split_k = (int)s->k};
    p->steps = 1;
    while (p->steps * STEP < s->k) p->steps *= 2;
    if (local_bytes < local_bytes_of(p)) p->tiling.bn = 64; // the least local memory
    const int held = (int)(local_bytes / local_bytes_of(p)),
              resident = held < RESIDENT ? held : RESIDENT;
    p->most_groups = (int)prim__ocl_estimate_units(device) * resident;
    p->registers = resident > 0 ? prim__ocl_device_registers_for(device, resident, ITEMS) : 0;
}

// The rest of init_pd, when all layouts are fixed.
static prim_status_t configure(prim_desc_t *pd)
{
    ocl_mma_whole_k_pd_t *const p = (ocl_mma_whole_k_pd_t *)pd;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const size_t along_x = device->max_group_item_sizes[0];
    TRY(prim__ocl_mma_init_types(&p->gemm, pd));
    const matmul_shape_t *const s = &p->gemm.shape;
    REQUIRE(pd, !p->gemm.is_int,
            "src and weights are 8-bit integers; this variant takes f16 and bf16");
    REQUIRE(pd, s->m > 0 && s->n > 0 && s->k > 0, "M, N or K is 0");
    REQUIRE(pd, s->k <= MOST_STEPS * STEP, "K = %lld: local memory holds no more than %d",
            (long long)s->k, MOST_STEPS * STEP);
    TRY(require_contiguous(pd, s));
    p->short_type = prim__ocl_mma_short_type(&p->gemm, pd);
    PREFER_OTHER_UNLESS(pd, p->short_type != PRIM_DATA_TYPE_UNDEF,
            "bias, post-ops, scales or a dst of other than 16 bits: others finish sums in vectors");
    PREFER_OTHER_UNLESS(pd, prim__ocl_mma_whole_k_pays(device, s),
            "M = %lld, N = %lld, K = %lld: this variant is for many tiles and K from %d to %d, or "
            "%d "
            "where rows are 16-byte aligned",
            (long long)s->m, (long long)s->n, (long long)s->k, LEAST_DEPTH, MOST_DEPTH,
            MOST_ALIGNED_DEPTH);
    p->has_unit = prim__ocl_has_mma(pd);
    TRY(prim__ocl_prefer_matrix_units(pd, p->has_unit));
    p->copies_async = p->has_unit && prim__ocl_device_trusts(pd->engine, OCL_FEATURE_ASYNC_COPY);
    plan(p, device, prim__ocl_feature_local_bytes(pd->engine));
    REQUIRE(pd,
            p->most_groups > 0 && ITEMS <= device->max_group_items &&
                    (!along_x || ITEMS <= along_x),
            "the work-groups or the local memory of the device are too small");
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_mma_whole_k_pd_t *const pd = (const ocl_mma_whole_k_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "MMA", pd->has_unit);
    prim__ocl_mma_type_options(&options, &pd->base);
    prim__ocl_options_int(&options, "MMA_ACROSS_BYTES", DEPTH * ELEM_BYTES);
    prim__ocl_options_int(&options, "MMA_ROWS_ACROSS_BYTES", BM * ELEM_BYTES);
    prim__ocl_options_int(&options, "BM", BM);
    prim__ocl_options_int(&options, "BN", pd->tiling.bn);
    prim__ocl_options_int(&options, "STEPS", pd->steps);
    prim__ocl_options_int(&options, "SHORT_DT", (int)pd->short_type);
    prim__ocl_options_int(&options, "SRC_ALONG_K", is_src_along_k(&pd->gemm.shape));
    prim__ocl_options_int(&options, "WEI_ALONG_K", is_wei_along_k(&pd->gemm.shape));
    prim__ocl_options_int(&options, "ASYNC_COPY", pd->copies_async);
    prim__ocl_options_int(&options, "COPY_16_KEEPS", 1);
    prim__ocl_options_registers(&options, pd->registers);
    prim__ocl_gemm_options(&options, &pd->gemm, &pd->base);
    prim__ocl_gemm_type_options(&options, &pd->base);
    prim__ocl_tiling_options(&options, &pd->tiling, &pd->base);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_matmul_mma_whole_k_cl, &options, "matmul_mma_whole_k"));
    prim__ocl_primitive_expect_local(p, local_bytes_of(pd));
    return prim__ocl_gemm_add_data(p, &pd->gemm);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_mma_whole_k_pd_t *const pd = (const ocl_mma_whole_k_pd_t *)primitive->pd;
    const matmul_shape_t *const s = &pd->gemm.shape;
    ocl_gemm_vectors_t vectors = {0};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_WEIGHTS);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i64(&args, src_stride_of(s));
    prim__ocl_args_i64(&args, wei_stride_of(s));
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->src_batch, 0);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->wei_batch, 0);
    TRY(prim__ocl_tiling_args(&args, &vectors, &pd->tiling, &pd->gemm, p, ctx, 0));
    const ocl_range_t tiles = prim__ocl_tiling_range(&pd->tiling, s, 0, 0, 1);
    const size_t most = (size_t)pd->most_groups;
    const ocl_range_t range = prim__ocl_range_groups(
            (int64_t)(tiles.global[0] < most ? tiles.global[0] : most), ITEMS);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gemm_set_row_major(pd));
    return configure(pd);
}

const impl_t prim__ocl_matmul_mma_whole_k = {
        .name = "ocl:matmul:mma_whole_k",
        .pd_size = sizeof(ocl_mma_whole_k_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
