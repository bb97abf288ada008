// SPDX-License-Identifier: Apache-2.0
// Matmul of f32 on GPUs with asynchronous copies (`cp.async`).
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_gemm_tile.h"
#include "ocl_matmul_align.h"
#include "ocl_matmul_reduce.h"

extern const ocl_source_t prim__ocl_matmul_pipeline_cl;
extern const impl_t prim__ocl_matmul_pipeline;

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    ocl_tiling_t tiling;
    int tile; // number of the choice of tile sizes
    bool src_along_k, wei_along_k;
    int src_vec, wei_vec; // elements of a copy across k
    ocl_align_t align;    // weights across k whose rows are copied to multiples of 16 bytes first
    bool copies_async;
    bool is_swapped; // rows of src are its columns of weights, and the reverse
} ocl_pipeline_pd_t;

_Static_assert(offsetof(ocl_pipeline_pd_t, base) == 0, "the base comes first");

// Tiles, and what 32 work-items compute of them.
typedef struct {
    int bm, bn, bk, wm, wn, tm, tn, stages, slices;
} tile_t;

static const tile_t tiles[] = {
        {128, 256, 16, 32, 128, 8, 16, 3, 1}, // large products
        {128, 128, 32, 32, 128, 8, 16, 3, 2}, // half as many elements of dst
        {64, 128, 16, 64, 32, 8, 8, 3, 1},    // a quarter, two to a compute unit
        {64, 64, 16, 64, 32, 8, 8, 3, 2},     // an eighth, several
        {32, 32, 32, 32, 32, 4, 8, 4, 4},     // small products without splits
        {32, 128, 32, 32, 128, 8, 16, 3, 8},  // few rows
        {16, 256, 32, 16, 256, 8, 16, 3, 8},  // fewer
        {32, 32, 16, 32, 32, 4, 8, 2, 1},     // groups of 32, 10 KiB
};

enum { NTILES = sizeof tiles / sizeof tiles[0] };
enum { LOW_TILE = 32 }; // rows of those for few rows

static size_t items_of(const tile_t *t)
{
    return (size_t)(t->bm / t->wm * (t->bn / t->wn) * 32 * t->slices);
}

static uint64_t local_bytes_of(const tile_t *t, const ocl_pipeline_pd_t *pd)
{
    const int rows = t->bm + (pd->src_along_k ? 4 : 0);
    const int cols = t->bn + (pd->wei_along_k ? 4 : 0);
    const int elems = t->stages * t->bk * (rows + cols);
    const int sums = t->slices / 2 * t->bm * t->bn;
    return (uint64_t)(elems > sums ? elems : sums) * sizeof(float);
}

static bool fits(const ocl_device_t *device, const tile_t *t, const ocl_pipeline_pd_t *pd,
        uint64_t local_bytes)
{
    const size_t along_x = device->max_group_item_sizes[0];
    return items_of(t) <= device->max_group_items && (!along_x || items_of(t) <= along_x) &&
           local_bytes_of(t, pd) <= local_bytes &&
           (pd->src_along_k || t->bm * t->bk >= (int)items_of(t) * pd->src_vec);
}

// Rows of an operand start at multiples of 4 elements, but perhaps for a common rest.
static bool is_aligned(const matmul_shape_t *s, prim_dim_t stride, const prim_dim_t *batch)
{
    bool is = stride % 4 == 0;
    for (int i = 0; i < s->nbatch; ++i) is = is && batch[i] % 4 == 0;
    return is;
}

static prim_status_t init_operands(ocl_pipeline_pd_t *p)
{
    prim_desc_t *const pd = &p->base;
    const matmul_shape_t *const s = &p->gemm.shape;
    REQUIRE(pd, s->src_k == 1 || s->k == 1 || s->src_m == 1 || s->m == 1,
            "src is contiguous neither along K nor along M");
    REQUIRE(pd, s->wei_n == 1 || s->n == 1 || s->wei_k == 1 || s->k == 1,
            "weights are contiguous neither along K nor along N");
    p->src_along_k = s->src_k == 1 || s->k == 1;
    p->wei_along_k = !(s->wei_n == 1 || s->n == 1);
    p->src_vec = is_aligned(s, s->src_k, s->src_batch) ? 4 : 1;
    p->wei_vec = is_aligned(s, s->wei_k, s->wei_batch) ? 4 : 1;
    return PRIM_SUCCESS;
}

// Products in a cycle of a compute unit. Its four schedulers need a warp each: fewer work-items
// leave some idle when the group is alone, and half of them when there are as many groups as a unit
// takes.
static ocl_tile_speed_t speed_of(const ocl_device_t *device, const tile_t *t)
{
    const double items = (double)items_of(t);
    const double full =
            (items < 128 ? 0.5 : 1) *
            prim__ocl_estimate_tile_rate(prim__ocl_estimate_lanes(device), t->bm, t->bn);
    const double alone = 0.9 * full * (items < 128 ? items / 128 : 1);
    const ocl_measured_values_t speeds = prim__ocl_measured_config(device,
            MEASURED_MATMUL_PIPELINE_TILES, (ocl_tune_params_t){{t->bm, t->bn, t->bk, t->stages}},
            (ocl_measured_values_t){{alone, full}});
    return (ocl_tile_speed_t){t->bm, t->bn, t->bk, speeds.values[0], speeds.values[1], false};
}

// Cycles of the cheapest tile, `slower` times slower than with aligned operands.
static double cycles_of(
        const ocl_pipeline_pd_t *p, const ocl_device_t *device, uint64_t local_bytes, double slower)
{
    const prim_dim_t longest = prim__ocl_gemm_longest(&p->gemm, &p->base, 1);
    double best = 0;
    for (int i = 0; i < NTILES; ++i) {
        if (!fits(device, &tiles[i], p, local_bytes)) continue;
        ocl_tile_speed_t speed = speed_of(device, &tiles[i]);
        speed.rate_alone /= slower;
        speed.rate_full /= slower;
        const double cycles = prim__ocl_tiling_cycles(device, &p->gemm.shape, &speed, longest);
        if (best == 0 || cycles < best) best = cycles;
    }
    return best;
}

// What exchanged sides cost beside the tiles: neighbours in a column of dst are stored, a sector of
// the cache for each element, and the wide side of a tile is src, which comes along k in copies of
// 4 bytes. For few columns that is what the low tiles were measured with.
static double swapped_cycles(
        const ocl_pipeline_pd_t *p, const ocl_device_t *device, double products)
{
    const prim_dim_t elems = prim__md_nelems(prim__pd_md(&p->base, PRIM_ARG_DST));
    const double store = prim__ocl_measured(device, MEASURED_MATMUL_PIPELINE_COLUMN_CYCLES, 4);
    const double slower =
            p->gemm.shape.m <= LOW_TILE
                    ? 1
                    : prim__ocl_measured(device, MEASURED_MATMUL_PIPELINE_SLOWER, 1.2);
    return slower * products + store * (double)elems / prim__ocl_estimate_units(device);
}

// dstᵀ = weiᵀ·srcᵀ, where tiles fit that much better: they are low and wide, for few rows.
static prim_status_t choose_sides(
        ocl_pipeline_pd_t *p, const ocl_device_t *device, uint64_t local_bytes)
{
    TRY(init_operands(p));
    if (!prim__ocl_gemm_may_swap(&p->gemm, &p->base)) return PRIM_SUCCESS;
    const double as_it_is = cycles_of(p, device, local_bytes, 1);
    prim__ocl_gemm_swap(&p->gemm.shape);
    TRY(init_operands(p));
    const double products = cycles_of(p, device, local_bytes, 1);
    p->is_swapped = swapped_cycles(p, device, products) < as_it_is;
    if (p->is_swapped) return PRIM_SUCCESS;
    prim__ocl_gemm_swap(&p->gemm.shape);
    return init_operands(p);
}

// Copies of 4 bytes make a product slower: weights across k that are not 16-byte aligned are copied
// to rows that are where that is faster.
static void choose_copy(ocl_pipeline_pd_t *p, const ocl_device_t *device, uint64_t local_bytes)
{
    const matmul_shape_t *const s = &p->gemm.shape;
    prim__ocl_align_init(&p->align, s, p->wei_along_k, sizeof(float));
    if (p->wei_along_k || p->wei_vec != 1 || p->is_swapped) return;
    const double slower =
            prim__ocl_measured(device, MEASURED_MATMUL_PIPELINE_SLOWER, 1.2); // more instructions
    ocl_align_t copy = p->align;
    prim__ocl_align_copy(&copy.wei, s, sizeof(float));
    if (!prim__ocl_align_fits(&copy) ||
            cycles_of(p, device, local_bytes, 1) + prim__ocl_align_cycles(&copy, device, false) >=
                    cycles_of(p, device, local_bytes, slower))
        return;
    p->align = copy;
    p->wei_vec = 4;
}

// The cheapest by the model that the device can hold.
static bool choose_tile(ocl_pipeline_pd_t *p, const ocl_device_t *device, uint64_t local_bytes)
{
    const prim_dim_t longest = prim__ocl_gemm_longest(&p->gemm, &p->base, 1);
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &p->base, OCL_TILING_PARAMS);
    for (int i = 0; i < NTILES; ++i) {
        if (!fits(device, &tiles[i], p, local_bytes)) continue;
        const ocl_tile_speed_t speed = speed_of(device, &tiles[i]);
        if (prim__ocl_tiling_offer(
                    &p->tiling, &tune, device, &p->gemm.shape, &speed, longest, tiles[i].stages))
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
    TRY(choose_sides(p, device, local_bytes(pd, p->copies_async)));
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
    const tile_t *const t = &tiles[pd->tile];
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
    prim__ocl_options_int(&options, "SRC_ALONG_K", pd->src_along_k);
    prim__ocl_options_int(&options, "WEI_ALONG_K", pd->wei_along_k);
    prim__ocl_options_int(&options, "SRC_EDGE", pd->src_along_k && s->m < t->bm);
    prim__ocl_options_int(&options, "WEI_EDGE", pd->wei_along_k && s->n < t->bn);
    prim__ocl_options_int(&options, "SRC_VEC", pd->src_along_k ? 1 : pd->src_vec);
    prim__ocl_options_int(&options, "WEI_VEC", pd->wei_along_k ? 1 : pd->wei_vec);
    prim__ocl_gemm_options(&options, &pd->gemm, &pd->base);
    if (pd->copies_async) prim__ocl_gemm_type_options(&options, &pd->base);
    prim__ocl_tiling_options(&options, &pd->tiling, &pd->base);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_matmul_pipeline_cl, &options, "matmul_pipeline"));
    prim__ocl_primitive_expect_local(p, local_bytes_of(&tiles[pd->tile], pd));
    TRY(prim__ocl_tiling_add_kernel(p, &pd->tiling, &pd->gemm));
    if (prim__ocl_align_copies(&pd->align)) TRY(prim__ocl_align_add_kernel(p, &pd->align));
    return prim__ocl_gemm_add_data(p, &pd->gemm);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_pipeline_pd_t *const pd = (const ocl_pipeline_pd_t *)primitive->pd;
    const matmul_shape_t *const s = &pd->gemm.shape;
    ocl_gemm_vectors_t vectors = {0};
    ocl_args_t args;
    if (prim__ocl_align_copies(&pd->align))
        TRY(prim__ocl_align_launch(p->kernels[p->nkernels - 1], &pd->align, s, ctx));
    prim__ocl_args_init(&args);
    prim__ocl_args_tensor(&args, ctx, pd->is_swapped ? PRIM_ARG_WEIGHTS : PRIM_ARG_SRC);
    const int src_skip =
            prim__ocl_tiling_align(&args, pd->src_along_k ? 1 : pd->src_vec, sizeof(float));
    prim__ocl_align_args(&args, ctx, &pd->align, pd->is_swapped ? PRIM_ARG_SRC : PRIM_ARG_WEIGHTS);
    const int wei_skip =
            prim__ocl_tiling_align(&args, pd->wei_along_k ? 1 : pd->wei_vec, sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i64(&args, pd->src_along_k ? s->src_m : s->src_k);
    prim__ocl_args_i64(&args, pd->align.wei.pitch);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->src_batch, 0);
    prim__ocl_gemm_args_batch(&args, &vectors, s, pd->align.wei.batch, 0);
    prim__ocl_args_i32(&args, src_skip);
    const ocl_tiling_launch_t launch = {items_of(&tiles[pd->tile]), src_skip, wei_skip};
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
