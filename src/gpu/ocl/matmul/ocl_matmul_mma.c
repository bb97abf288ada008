// SPDX-License-Identifier: Apache-2.0
// Matmul of f16, bf16 and 8-bit integers by `mma.sync`.
#include "ocl_matmul_mma.h"

#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_matrix_units.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_matmul_reduce.h"

extern const ocl_source_t prim__ocl_matmul_mma_cl;
extern const impl_t prim__ocl_matmul_mma;

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    ocl_tiling_t tiling;
    int tile; // number of the choice of tile sizes
    bool has_unit, copies_async;
    bool src_is_aligned, wei_is_aligned, wei_along_k; // as in the .cl, but for memory's own offsets
} ocl_mma_pd_t;

_Static_assert(offsetof(ocl_mma_pd_t, base) == 0, "the base comes first");

typedef struct {
    int bm, bn, wm, wn, stages;
} tile_t;

enum { DEPTH_BYTES = 128 }; // of a stage along k

static const tile_t tiles[] = {
        {256, 128, 64, 64, 3}, // large products
        {128, 256, 64, 64, 3}, // the same, fewer rows
        {128, 64, 64, 32, 3},  // two to a compute unit
        {64, 64, 32, 32, 2},   // 32 KiB of local memory
};

enum { NTILES = sizeof tiles / sizeof tiles[0], SMALLEST = NTILES - 1 };

static size_t items_of(const tile_t *t)
{
    return (size_t)(t->bm / t->wm * (t->bn / t->wn) * 32);
}

static uint64_t local_bytes_of(const tile_t *t)
{
    const int stages = t->stages * (t->bm + t->bn) * DEPTH_BYTES;
    const int sums = t->bm * (t->bn + 8) * 4;
    return (uint64_t)(stages > sums ? stages : sums);
}

static bool fits(const ocl_device_t *device, const tile_t *t, uint64_t local_bytes)
{
    const size_t along_x = device->max_group_item_sizes[0];
    return items_of(t) <= device->max_group_items && (!along_x || items_of(t) <= along_x) &&
           local_bytes_of(t) <= local_bytes;
}

static int elem_bytes(const prim_desc_t *pd)
{
    return (int)prim_data_type_size(prim__pd_md(pd, PRIM_ARG_SRC)->data_type);
}

prim_status_t prim__ocl_mma_init_types(ocl_gemm_t *gemm, prim_desc_t *pd)
{
    const prim_data_type_t src = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    const prim_data_type_t wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type;
    const bool is_float = src == wei && (src == PRIM_F16 || src == PRIM_BF16);
    const bool is_int = (src == PRIM_S8 || src == PRIM_U8) && (wei == PRIM_S8 || wei == PRIM_U8);
    REQUIRE(pd, is_float || is_int, "src and weights are not both f16, bf16 or 8-bit integers");
    TRY(prim__ocl_gemm_init(gemm, pd));
    REQUIRE(pd, !gemm->has_runtime,
            "M, N or K is known only at execution; this variant chooses its tile by them");
    REQUIRE(pd, gemm->shape.wei_block == 0, "weights have a blocked layout");
    REQUIRE(pd,
            gemm->src_scales != GEMM_QUANT_ELEMENTS && gemm->wei_scales != GEMM_QUANT_ELEMENTS &&
                    gemm->src_zps != GEMM_QUANT_ELEMENTS && gemm->wei_zps != GEMM_QUANT_ELEMENTS,
            "scales or zero points vary along K; matrix units multiply elements as they are "
            "stored");
    REQUIRE(pd, is_int || !prim__ocl_mma_has_zero_points(gemm),
            "zero points of f16 or bf16 tensors");
    REQUIRE(pd, prim__ocl_tiling_fits(&gemm->shape), "M, N or K is 2^31 or more");
    return PRIM_SUCCESS;
}

bool prim__ocl_mma_has_zero_points(const ocl_gemm_t *gemm)
{
    return gemm->src_zps != GEMM_QUANT_NONE || gemm->wei_zps != GEMM_QUANT_NONE;
}

void prim__ocl_mma_zero_point_options(
        ocl_options_t *options, const ocl_gemm_t *gemm, const prim_desc_t *pd)
{
    const bool with_zps = prim__ocl_mma_has_zero_points(gemm);
    // Products by the extension would need OpenCL C 3.0.
    const bool has_dp4a =
            with_zps &&
            prim__ocl_feature_verdict(pd->engine, OCL_FEATURE_INT_DOT).value == OCL_INT_DOT_PTX;
    prim__ocl_options_int(options, "WITH_ZPS", with_zps);
    prim__ocl_options_int(options, "INT_DOT", has_dp4a ? OCL_INT_DOT_PTX : 0);
}

void prim__ocl_mma_type_options(ocl_options_t *options, const prim_desc_t *pd)
{
    const prim_data_type_t src = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    const prim_data_type_t wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type;
    prim__ocl_options_int(options, "MMA_TYPE", src == PRIM_U8 ? PRIM_S8 : src);
    prim__ocl_options_int(options, "SRC_IS_U8", src == PRIM_U8);
    prim__ocl_options_int(options, "WEI_IS_U8", wei == PRIM_U8);
}

prim_data_type_t prim__ocl_mma_short_type(const ocl_gemm_t *gemm, const prim_desc_t *pd)
{
    const prim_data_type_t dt = prim__pd_md(pd, PRIM_ARG_DST)->data_type;
    const bool is_short = !gemm->is_int && (dt == PRIM_F16 || dt == PRIM_BF16) &&
                          prim__ocl_gemm_is_plain(gemm, pd) && gemm->shape.dst_n == 1;
    return is_short ? dt : PRIM_DATA_TYPE_UNDEF;
}

bool prim__ocl_mma_is_even(
        const matmul_shape_t *shape, prim_dim_t stride, const prim_dim_t *batch, size_t bytes)
{
    return prim__ocl_gemm_are_multiples(shape, stride, batch, 16 / (prim_dim_t)bytes);
}

static void init_operands(ocl_mma_pd_t *p)
{
    const matmul_shape_t *const s = &p->gemm.shape;
    const size_t bytes = (size_t)elem_bytes(&p->base);
    const bool is_wide = bytes == 2; // units read bytes along k alone
    p->wei_along_k = !is_wide || !(s->wei_n == 1 || s->n == 1);
    p->src_is_aligned = s->src_k == 1 && prim__ocl_mma_is_even(s, s->src_m, s->src_batch, bytes);
    p->wei_is_aligned =
            p->wei_along_k
                    ? s->wei_k == 1 && prim__ocl_mma_is_even(s, s->wei_n, s->wei_batch, bytes)
                    : s->wei_n == 1 && prim__ocl_mma_is_even(s, s->wei_k, s->wei_batch, bytes);
}

// Products of f16 in a cycle of a compute unit; bytes are twice as fast.
static ocl_tile_speed_t speed_of(const ocl_device_t *device, const tile_t *t, int bytes)
{
    // A warp's matrix unit has 8 times the products of its lanes; four warps are not enough to keep
    // it busy, eight are.
    const double rate =
            prim__ocl_estimate_tile_rate(8. * prim__ocl_estimate_lanes(device), t->bm, t->bn);
    const double alone = items_of(t) < 256 ? 0.6 * rate : rate;
    const ocl_measured_values_t speeds = prim__ocl_measured_config(device,
            MEASURED_MATMUL_MMA_TILES, (ocl_tune_params_t){{t->bm, t->bn, t->stages}},
            (ocl_measured_values_t){{alone, rate}});
    const double faster = 2.0 / bytes;
    return (ocl_tile_speed_t){t->bm, t->bn, DEPTH_BYTES / bytes, speeds.values[0] * faster,
            speeds.values[1] * faster, false, false, 0, 0};
}

// The cheapest by the model that the device can hold; where the unit is plain C, the smallest.
static bool choose_tile(ocl_mma_pd_t *p, const ocl_device_t *device, uint64_t local_bytes)
{
    const int bytes = elem_bytes(&p->base);
    const prim_dim_t longest = prim__ocl_gemm_longest(&p->gemm, &p->base, 1);
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &p->base, OCL_TILING_PARAMS);
    for (int i = p->has_unit ? 0 : SMALLEST; i < NTILES; ++i) {
        const tile_t *const t = &tiles[i];
        if (!fits(device, t, local_bytes)) continue;
        // Sums of rows and columns would not find registers beside the products'.
        if (prim__ocl_mma_has_zero_points(&p->gemm) && t->bm * t->bn > 128 * 64) continue;
        const ocl_tile_speed_t speed = speed_of(device, t, bytes);
        if (prim__ocl_tiling_offer(
                    &p->tiling, &tune, device, &p->gemm.shape, &speed, longest, t->stages))
            p->tile = i;
    }
    return prim__ocl_tune_has_choice(&tune);
}

// The rest of init_pd, when all layouts are fixed.
static prim_status_t configure(prim_desc_t *pd)
{
    ocl_mma_pd_t *const p = (ocl_mma_pd_t *)pd;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    TRY(prim__ocl_mma_init_types(&p->gemm, pd));
    init_operands(p);
    p->has_unit = prim__ocl_has_mma(pd);
    TRY(prim__ocl_prefer_matrix_units(pd, p->has_unit));
    p->copies_async = p->has_unit && prim__ocl_device_trusts(pd->engine, OCL_FEATURE_ASYNC_COPY);
    REQUIRE(pd, choose_tile(p, device, prim__ocl_feature_local_bytes(pd->engine)),
            "no tile fits the work-groups and the local memory of the device");
    prim__ocl_tiling_book(&p->tiling, pd, &p->gemm);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_mma_pd_t *const pd = (const ocl_mma_pd_t *)primitive->pd;
    const tile_t *const t = &tiles[pd->tile];
    const matmul_shape_t *const s = &pd->gemm.shape;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "MMA", pd->has_unit);
    prim__ocl_mma_type_options(&options, &pd->base);
    prim__ocl_options_int(&options, "BM", t->bm);
    prim__ocl_options_int(&options, "BN", t->bn);
    prim__ocl_options_int(&options, "WM", t->wm);
    prim__ocl_options_int(&options, "WN", t->wn);
    prim__ocl_options_int(&options, "STAGES", t->stages);
    prim__ocl_options_int(&options, "MMA_ACROSS_BYTES", t->bn * elem_bytes(&pd->base));
    prim__ocl_options_int(&options, "WEI_ALONG_K", pd->wei_along_k);
    prim__ocl_options_int(&options, "EDGE", s->m < t->bm || (pd->wei_along_k && s->n < t->bn));
    prim__ocl_options_int(&options, "ASYNC_COPY", pd->copies_async);
    prim__ocl_options_int(&options, "COPY_16_KEEPS", 1);
    prim__ocl_mma_zero_point_options(&options, &pd->gemm, &pd->base);
    prim__ocl_gemm_options(&options, &pd->gemm, &pd->base);
    prim__ocl_tiling_options(&options, &pd->tiling, &pd->base);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_matmul_mma_cl, &options, "matmul_mma"));
    prim__ocl_primitive_expect_local(p, local_bytes_of(&tiles[pd->tile]));
    TRY(prim__ocl_tiling_add_kernel(p, &pd->tiling, &pd->gemm));
    return prim__ocl_gemm_add_data(p, &pd->gemm);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_mma_pd_t *const pd = (const ocl_mma_pd_t *)primitive->pd;
    const matmul_shape_t *const s = &pd->gemm.shape;
    bool src_is_aligned = pd->src_is_aligned, wei_is_aligned = pd->wei_is_aligned;
    ocl_gemm_vectors_t vectors = {0};
    ocl_args_t args;
    prim__ocl_tiling_args_tensors(
            &args, ctx, (size_t)elem_bytes(&pd->base), &src_is_aligned, &wei_is_aligned);
    prim__ocl_args_i64(&args, s->src_m);
    prim__ocl_args_i64(&args, s->src_k);
    prim__ocl_args_i64(&args, s->wei_k);
    prim__ocl_args_i64(&args, s->wei_n);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->src_batch, 0);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->wei_batch, 0);
    prim__ocl_args_i32(&args, src_is_aligned);
    prim__ocl_args_i32(&args, wei_is_aligned);
    const ocl_tiling_launch_t launch = {items_of(&tiles[pd->tile]), 0, 0};
    return prim__ocl_tiling_run(p, ctx, &args, &vectors, &pd->tiling, &pd->gemm, &launch);
}

// Weights of bytes along k, as matrix units read them.
static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gemm_set_for_units(pd));
    return configure(pd);
}

const impl_t prim__ocl_matmul_mma = {
        .name = "ocl:matmul:mma",
        .pd_size = sizeof(ocl_mma_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
