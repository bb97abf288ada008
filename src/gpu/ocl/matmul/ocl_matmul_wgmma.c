// SPDX-License-Identifier: Apache-2.0
// Matmul and inner product of f16, bf16 and 8-bit integers on matrix units that groups feed.
#include "ocl_matmul_wgmma.h"

#include "gpu/ocl/ocl_feature.h"
#include "ocl_matmul_turn.h"

extern const ocl_source_t prim__ocl_matmul_wgmma_cl;
extern const impl_t prim__ocl_matmul_wgmma;

// Speeds of f16 on an H200 (doc/performance.md); bytes are twice as fast.
typedef struct {
    int bm, bn, stages;
    double rate_alone, rate_full;
} tile_t;

enum { DEPTH_BYTES = 128, MAPS_BYTES = 256 };

static const tile_t tiles[] = {
        {128, 256, 4, 1400, 1400}, // large products
        {192, 256, 4, 1440, 1440}, // where such tiles just fill the device
        {128, 128, 3, 1060, 1200}, // two to a compute unit
        {128, 128, 6, 1160, 1160}, // one, whose copies come in time
        {64, 128, 4, 760, 950},    // small ones, two to a compute unit
};

enum { NTILES = sizeof tiles / sizeof tiles[0] };

static size_t items_of(const tile_t *t)
{
    return (size_t)(t->bm / 64 * 128);
}

static uint64_t local_bytes_of(const tile_t *t)
{
    return (uint64_t)(t->stages * (t->bm + t->bn) * DEPTH_BYTES + 512);
}

static prim_dim_t round_up(prim_dim_t n, prim_dim_t multiple)
{
    return (n + multiple - 1) / multiple * multiple;
}

// A matrix of one row has any stride: one that maps can hold.
static prim_dim_t stride_of(prim_dim_t stride, prim_dim_t nrows, prim_dim_t width, prim_dim_t unit)
{
    return nrows == 1 ? round_up(width + unit, unit) : stride;
}

static prim_status_t init_operands(ocl_wgmma_pd_t *p, prim_dim_t bytes)
{
    prim_desc_t *const pd = &p->base;
    const matmul_shape_t *const s = &p->gemm.shape;
    const prim_dim_t unit = 16 / bytes;
    p->wei_along_k = bytes == 1 || !(s->wei_n == 1 || s->n == 1);
    p->turns_wei = bytes == 1 && s->wei_k != 1 && s->k != 1 && prim__ocl_turn_takes(s);
    REQUIRE(pd, s->m > 0 && s->n > 0 && s->k > 0, "there is nothing to multiply");
    REQUIRE(pd, s->src_k == 1 || s->k == 1, "src is not contiguous along k");
    REQUIRE(pd, !p->wei_along_k || p->turns_wei || s->wei_k == 1 || s->k == 1,
            "the weights are contiguous neither along k nor across (bytes: of a single matrix)");
    p->src_stride = stride_of(s->src_m, s->m, s->k, unit);
    p->wei_stride = p->turns_wei     ? prim__ocl_turn_pitch(s)
                    : p->wei_along_k ? stride_of(s->wei_n, s->n, s->k, unit)
                                     : stride_of(s->wei_k, s->k, s->n, unit);
    REQUIRE(pd,
            p->src_stride % unit == 0 && p->wei_stride % unit == 0 && p->src_stride > 0 &&
                    p->wei_stride > 0,
            "rows do not lie multiples of 16 bytes apart");
    return PRIM_SUCCESS;
}

static bool has_zero_points(const ocl_gemm_t *gemm)
{
    return gemm->src_zps != GEMM_QUANT_NONE || gemm->wei_zps != GEMM_QUANT_NONE;
}

// The cheapest by the model that the device can hold.
static bool choose_tile(
        ocl_wgmma_pd_t *p, const ocl_device_t *device, uint64_t local_bytes, int elem_bytes)
{
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &p->base, OCL_TILING_PARAMS);
    for (int i = 0; i < NTILES; i++) {
        const tile_t *const t = &tiles[i];
        if (local_bytes_of(t) > local_bytes) continue;
        // Sums of rows and columns would not find registers beside the products', and need a second
        // group that multiplies meanwhile.
        if (has_zero_points(&p->gemm) && (t->bm * t->bn > 128 * 128 || t->stages > 4)) continue;
        const double faster = 2.0 / elem_bytes;
        const ocl_tile_speed_t speed = {t->bm, t->bn, DEPTH_BYTES / elem_bytes,
                t->rate_alone * faster, t->rate_full * faster};
        if (prim__ocl_tiling_offer(&p->tiling, &tune, device, &p->gemm.shape, &speed, t->stages))
            p->tile = i;
    }
    return prim__ocl_tune_has_choice(&tune);
}

static ocl_range_t range_of(const ocl_wgmma_pd_t *pd)
{
    return prim__ocl_tiling_range(&pd->tiling, &pd->gemm.shape, 0, 0, items_of(&tiles[pd->tile]));
}

// Whether sums may go out from registers, whatever dst starts at: is_raw_target() for 16 bits.
static bool is_short_target(const ocl_wgmma_pd_t *p)
{
    const prim_desc_t *const pd = &p->base;
    const matmul_shape_t *const s = &p->gemm.shape;
    const prim_data_type_t dt = prim__pd_md(pd, PRIM_ARG_DST)->data_type;
    return (dt == PRIM_F16 || dt == PRIM_BF16) && !p->gemm.has_quants &&
           pd->attr.post_ops.len == 0 && !prim__pd_has(pd, PRIM_ARG_BIAS) && s->dst_n == 1 &&
           s->dst_m % 8 == 0 && s->n % 8 == 0;
}

// A group takes several tiles in turn where it fills a compute unit and leaves local memory to the
// next tile's copies.
static void limit_groups(ocl_range_t *range, const ocl_wgmma_pd_t *pd, const ocl_args_t *dst_args)
{
    const tile_t *const t = &tiles[pd->tile];
    const size_t units = (size_t)prim__ocl_device(pd->base.engine)->compute_units;
    const bool can = t->bm == 128 && t->bn == 256 && pd->tiling.nsplits == 1 &&
                     prim__matmul_nbatches(&pd->gemm.shape) == 1 && is_short_target(pd) &&
                     prim__ocl_tiling_place(dst_args, 2) % 8 == 0;
    if (can && range->global[0] > units * range->local[0])
        range->global[0] = units * range->local[0];
}

prim_status_t prim__ocl_wgmma_init_pd(prim_desc_t *pd)
{
    ocl_wgmma_pd_t *const p = (ocl_wgmma_pd_t *)pd;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const int bytes = (int)prim_data_type_size(prim__pd_md(pd, PRIM_ARG_SRC)->data_type);
    // Here by the traits alone: the self-test is asked for last.
    REQUIRE(pd, device->nv_capability_major == 9 && device->nv_capability_minor == 0,
            "the device has no wgmma");
    TRY(prim__ocl_mma_init_types(&p->gemm, pd));
    REQUIRE(pd, bytes == 1 || !has_zero_points(&p->gemm), "zero points of f16 or bf16");
    TRY(init_operands(p, bytes));
    REQUIRE(pd, prim__ocl_device_trusts(pd->engine, OCL_FEATURE_WGMMA),
            "the device's wgmma did not pass its self-test");
    const ocl_verdict_t large = prim__ocl_feature_verdict(pd->engine, OCL_FEATURE_LARGE_LOCAL);
    REQUIRE(pd, large.is_trusted && choose_tile(p, device, (uint64_t)large.value * 1024, bytes),
            "the device has too little local memory for a tile");
    prim__ocl_tiling_book(&p->tiling, pd, &p->gemm.shape);
    const ocl_range_t range = range_of(p);
    const size_t ngroups = range.global[0] / range.local[0] * range.global[1];
    p->maps_offset = prim__pd_book_scratchpad(pd, ngroups * MAPS_BYTES + 127);
    if (p->turns_wei)
        p->turned_offset = prim__pd_book_scratchpad(pd, (size_t)(p->gemm.shape.n * p->wei_stride));
    return PRIM_SUCCESS;
}

// Adds the weights as arguments, after they were turned where they have to be.
static prim_status_t add_weights(ocl_args_t *args, const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const ocl_wgmma_pd_t *const pd = (const ocl_wgmma_pd_t *)p->base.pd;
    const matmul_shape_t *const s = &pd->gemm.shape;
    if (!pd->turns_wei) {
        prim__ocl_args_tensor(args, ctx, PRIM_ARG_WEIGHTS);
        return PRIM_SUCCESS;
    }
    TRY(prim__ocl_turn_launch(p, s, ctx, pd->turned_offset));
    prim__ocl_args_scratchpad(args, ctx, pd->turned_offset, 1);
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_wgmma_init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_wgmma_pd_t *const pd = (const ocl_wgmma_pd_t *)primitive->pd;
    const tile_t *const t = &tiles[pd->tile];
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "RETARGET", 1);
    prim__ocl_mma_type_options(&options, &pd->base);
    prim__ocl_options_int(&options, "BM", t->bm);
    prim__ocl_options_int(&options, "BN", t->bn);
    prim__ocl_options_int(&options, "STAGES", t->stages);
    prim__ocl_options_int(&options, "WEI_ALONG_K", pd->wei_along_k);
    prim__ocl_options_int(&options, "WITH_ZPS", has_zero_points(&pd->gemm));
    prim__ocl_gemm_options(&options, &pd->gemm, &pd->base);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_matmul_wgmma_cl, &options, "wgmma"));
    TRY(prim__ocl_tiling_add_kernel(p, &pd->tiling, &pd->gemm));
    if (pd->turns_wei) TRY(prim__ocl_turn_add_kernel(p));
    return prim__ocl_gemm_add_data(p, &pd->gemm);
}

prim_status_t prim__ocl_wgmma_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_wgmma_pd_t *const pd = (const ocl_wgmma_pd_t *)primitive->pd;
    const matmul_shape_t *const s = &pd->gemm.shape;
    ocl_gemm_vectors_t vectors = {0};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    TRY(add_weights(&args, p, ctx));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    ocl_range_t range = range_of(pd);
    limit_groups(&range, pd, &args);
    prim__ocl_args_i64(&args, pd->src_stride);
    prim__ocl_args_i64(&args, pd->wei_stride);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->src_batch, 0);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->wei_batch, 0);
    prim__ocl_args_scratchpad(&args, ctx, pd->maps_offset, 1);
    prim__ocl_tiling_args(&args, &vectors, &pd->tiling, &pd->gemm, p, ctx, 0);
    TRY(prim__ocl_launch(ctx, p->kernels[0], &range, &args));
    return prim__ocl_tiling_reduce(p, &pd->tiling, &pd->gemm, ctx);
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gemm_set_for_units(pd));
    return prim__ocl_wgmma_init_pd(pd);
}

const impl_t prim__ocl_matmul_wgmma = {
        .name = "ocl:matmul:wgmma",
        .pd_size = sizeof(ocl_wgmma_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = prim__ocl_wgmma_init,
        .execute = prim__ocl_wgmma_execute,
        .fini = prim__ocl_primitive_fini,
};
