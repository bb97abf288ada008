// SPDX-License-Identifier: Apache-2.0
// Matmul on GPUs: tiles in local memory and registers.
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/tune/ocl_tune.h"
#include "ocl_gemm.h"

extern const ocl_source_t prim__ocl_matmul_tiled_cl;
extern const impl_t prim__ocl_matmul_tiled;

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    int tile;    // number of the choice of tile sizes
    int pack;    // steps of k in an element of a tile: 4 of 8-bit integers, else 1
    int int_dot; // how they are multiplied, as in clh/int_dot.h
    int fold;    // steps of k between additions to the totals; 0: one sum takes all
} ocl_tiled_pd_t;

_Static_assert(offsetof(ocl_tiled_pd_t, base) == 0, "the base comes first");

// Tiles of a group and of a work-item, largest first; all in steps of 16 along k.
static const struct {
    int bm, bn, tm, tn;
} tiles[] = {
        {128, 128, 8, 8}, // enough work for every compute unit
        {64, 64, 4, 4},   // less
        {16, 128, 1, 8},  // few rows
        {32, 32, 4, 4},   // devices with groups of 64
};

enum { LARGE, MEDIUM, FLAT, SMALL, NTILES, BK = 16 };

static int items_of(int tile)
{
    return tiles[tile].bm / tiles[tile].tm * (tiles[tile].bn / tiles[tile].tn);
}

static uint64_t local_bytes_of(const ocl_tiled_pd_t *p, int tile)
{
    const uint64_t operands = (uint64_t)(tiles[tile].bm + tiles[tile].bn + 8) * BK * sizeof(float);
    if (p->fold == 0) return operands;
    // A round of totals.
    return operands + (uint64_t)(tiles[tile].bm / tiles[tile].tm * tiles[tile].bn) *
                              (p->gemm.is_int ? sizeof(int64_t) : sizeof(float));
}

static bool fits(const ocl_tiled_pd_t *p, int tile)
{
    const ocl_device_t *const device = prim__ocl_device(p->base.engine);
    // Twice as many sums find no registers in the large tile.
    if (p->fold > 0 && tile == LARGE) return false;
    const size_t items = (size_t)items_of(tile);
    const size_t along_x = device->max_group_item_sizes[0];
    return items <= device->max_group_items && (along_x == 0 || items <= along_x) &&
           local_bytes_of(p, tile) <= device->local_bytes;
}

static prim_dim_t ngroups(const matmul_shape_t *s, int tile)
{
    const prim_dim_t m = prim__ceil_div(s->m, tiles[tile].bm);
    const prim_dim_t n = prim__ceil_div(s->n, tiles[tile].bn);
    return prim__matmul_nbatches(s) * m * n;
}

// The largest tile that leaves no compute unit without one.
static int estimate_tile(const ocl_tiled_pd_t *p)
{
    const matmul_shape_t *const s = &p->gemm.shape;
    if (!p->gemm.has_runtime && s->m <= tiles[FLAT].bm && fits(p, FLAT)) return FLAT;
    if (p->gemm.has_runtime || !fits(p, LARGE)) return fits(p, MEDIUM) ? MEDIUM : SMALL;
    return ngroups(s, LARGE) >= prim__ocl_device(p->base.engine)->compute_units ? LARGE : MEDIUM;
}

static int choose_tile(ocl_tiled_pd_t *p)
{
    const int estimated = estimate_tile(p);
    if (p->gemm.has_runtime) return estimated;
    int chosen = estimated;
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &p->base, "bm bn tm tn");
    for (int i = 0; i < NTILES; ++i) {
        const ocl_tune_params_t params = {{tiles[i].bm, tiles[i].bn, tiles[i].tm, tiles[i].tn}};
        if (!fits(p, i)) continue;
        if (prim__ocl_tune_offer(&tune, i != estimated, params)) chosen = i;
    }
    return chosen;
}

// One sum takes all, unless K is too long for it, or unknown.
static void choose_fold(ocl_tiled_pd_t *p)
{
    const prim_memory_desc_t *const src = prim__pd_md(&p->base, PRIM_ARG_SRC);
    const prim_dim_t k = p->gemm.has_runtime ? src->dims[src->ndims - 1] : p->gemm.shape.k;
    const bool is_unknown = k == PRIM_RUNTIME_DIM_VAL;
    p->fold = is_unknown || k > prim__ocl_gemm_longest(&p->gemm, &p->base, 1) ? OCL_FOLD : 0;
}

// Bytes that zero points are subtracted from are bytes no more.
static void choose_pack(ocl_tiled_pd_t *p)
{
    const bool packs = p->gemm.is_int && p->gemm.src_zps == GEMM_QUANT_NONE &&
                       p->gemm.wei_zps == GEMM_QUANT_NONE;
    p->pack = packs ? 4 : 1;
    if (packs) p->int_dot = prim__ocl_feature_verdict(p->base.engine, OCL_FEATURE_INT_DOT).value;
}

// The rest of init_pd, when all layouts are fixed.
static prim_status_t configure(prim_desc_t *pd)
{
    ocl_tiled_pd_t *const p = (ocl_tiled_pd_t *)pd;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    PREFER_OTHER_UNLESS(
            pd, !device->is_cpu, "the device is CPU-type: staging in local memory gains nothing");
    TRY(prim__ocl_gemm_init(&p->gemm, pd));
    REQUIRE(pd, p->gemm.has_runtime || p->gemm.shape.wei_block == 0,
            "weights have a blocked layout");
    choose_fold(p);
    REQUIRE(pd, fits(p, SMALL), "no tile fits the work-groups and the local memory of the device");
    p->tile = choose_tile(p);
    choose_pack(p);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_tiled_pd_t *const pd = (const ocl_tiled_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_gemm_options_init(&options, &pd->base, pd->int_dot);
    prim__ocl_options_int(&options, "PACK", pd->pack);
    prim__ocl_options_int(&options, "BM", tiles[pd->tile].bm);
    prim__ocl_options_int(&options, "BN", tiles[pd->tile].bn);
    prim__ocl_options_int(&options, "BK", BK);
    prim__ocl_options_int(&options, "TM", tiles[pd->tile].tm);
    prim__ocl_options_int(&options, "TN", tiles[pd->tile].tn);
    prim__ocl_options_int(&options, "FOLD", pd->fold);
    prim__ocl_options_int(&options, "WIDE_SUMS", pd->fold > 0);
    prim__ocl_gemm_options(&options, &pd->gemm, &pd->base);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_matmul_tiled_cl, &options, "matmul_tiled"));
    prim__ocl_primitive_expect_local(p, local_bytes_of(pd, pd->tile));
    return prim__ocl_gemm_add_data(p, &pd->gemm);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_tiled_pd_t *const pd = (const ocl_tiled_pd_t *)primitive->pd;
    const matmul_shape_t s = prim__ocl_gemm_shape(&pd->gemm, &pd->base, ctx);
    ocl_gemm_vectors_t vectors = {0};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_gemm_args_operands(&args, &vectors, &s, ctx);
    prim__ocl_gemm_args(&args, &vectors, &pd->gemm, &s, p, ctx, false);
    const ocl_range_t range =
            prim__ocl_range_groups(ngroups(&s, pd->tile), (size_t)items_of(pd->tile));
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    static const int args[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS, PRIM_ARG_DST};
    for (int i = 0; i < 4; ++i) {
        if (prim__pd_has(pd, args[i]))
            TRY(prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, args[i])));
    }
    return configure(pd);
}

const impl_t prim__ocl_matmul_tiled = {
        .name = "ocl:matmul:tiled",
        .pd_size = sizeof(ocl_tiled_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
