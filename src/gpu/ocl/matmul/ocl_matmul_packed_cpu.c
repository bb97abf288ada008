// SPDX-License-Identifier: Apache-2.0
// Matmul on CPU-type OpenCL devices: panels of weights, rows in registers.
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "gpu/ocl/tune/ocl_tune.h"
#include "ocl_matmul_pack.h"

extern const ocl_source_t prim__ocl_matmul_packed_cpu_cl;
extern const impl_t prim__ocl_matmul_packed_cpu;

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    ocl_pack_t pack;
    int lanes, vectors; // of a panel, as in the .cl
    int items;          // for a core, at least, if there are rows for them
} ocl_packed_cpu_pd_t;

_Static_assert(offsetof(ocl_packed_cpu_pd_t, base) == 0, "the base comes first");

enum { ITEM_ROWS = 192 }; // of a work-item at most, as in the .cl

// Vectors as the device likes them.
static int choose_lanes(const ocl_device_t *device)
{
    return device->vector_width_f32 >= 16 ? 16 : device->vector_width_f32 >= 8 ? 8 : 4;
}

// Vectors of a panel of at least 8 columns: as many as the registers like, and few enough to leave
// little of the last panel empty.
static int choose_vectors(const ocl_device_t *device, int lanes, prim_dim_t n)
{
    static const int all[] = {4, 2, 1};
    int vectors = 0;
    double best = 0;
    for (int i = lanes == 16 ? 0 : 1; i < 3; ++i) {
        const int cols = lanes * all[i];
        const double cost =
                (double)prim__round_up(n, cols) * prim__ocl_register_tile_cost(device, all[i]);
        if (vectors && (cost >= best || cols < 8)) continue;
        vectors = all[i];
        best = cost;
    }
    return vectors;
}

// Rows that a work-item keeps in registers, as in the .cl.
static int rows_of_block(const ocl_packed_cpu_pd_t *p)
{
    return (p->lanes == 16 && p->vectors > 1 ? 24 : 12) / p->vectors;
}

// Gives weights of layout `any` the panels of the device, K in the order of
// `like`.
static prim_status_t set_weights(prim_desc_t *pd, const prim_memory_desc_t *like)
{
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    const int n_dim = wei->ndims - 1;
    if (!prim__md_is_any(wei)) return PRIM_SUCCESS;
    const int lanes = choose_lanes(prim__ocl_device(pd->engine));
    const int cols = lanes * choose_vectors(prim__ocl_device(pd->engine), lanes, wei->dims[n_dim]);
    // Weights that are adjusted on the way are packed again anyhow.
    const bool is_adjusted = prim__attr_zero_point(&pd->attr, PRIM_ARG_WEIGHTS) ||
                             prim__attr_scale(&pd->attr, PRIM_ARG_WEIGHTS);
    return prim__matmul_set_panels(wei, is_adjusted ? 0 : cols, like);
}

static prim_status_t init_pack(ocl_packed_cpu_pd_t *p)
{
    prim_desc_t *const pd = &p->base;
    const ocl_gemm_t *const gemm = &p->gemm;
    const matmul_shape_t *const s = &gemm->shape;
    const prim_data_type_t src_dt = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    const prim_data_type_t wei_dt = prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type;
    const bool is_src_adjusted =
            gemm->src_zps != GEMM_QUANT_NONE || gemm->src_scales == GEMM_QUANT_ELEMENTS;
    const bool is_wei_adjusted =
            gemm->wei_zps != GEMM_QUANT_NONE || gemm->wei_scales == GEMM_QUANT_ELEMENTS;
    p->pack.cols = p->lanes * p->vectors;
    p->pack.packs_src = src_dt != PRIM_F32 || is_src_adjusted;
    p->pack.panel_dt = is_wei_adjusted ? PRIM_F32 : wei_dt;
    const bool is_panels = s->wei_block == p->pack.cols && s->wei_k == p->pack.cols &&
                           s->wei_n == s->k * p->pack.cols;
    REQUIRE(pd, s->wei_block == 0 || (is_panels && !is_wei_adjusted),
            "weights are blocked, but not in the panel layout of this device");
    // Work-items that share a panel read rows of plain weights again and again, each on pages of
    // its own.
    p->pack.packs_wei = !is_panels && (is_wei_adjusted || s->wei_n != 1 || s->m > ITEM_ROWS);
    prim__ocl_pack_book(&p->pack, pd, s);
    return PRIM_SUCCESS;
}

// Work-items that a core gets.
static void choose_items(ocl_packed_cpu_pd_t *p, const ocl_device_t *device)
{
    // The last core is at most an eighth of the time behind.
    const int estimated = prim__ocl_measured_int(device, MEASURED_PACKED_CPU_CORE_ITEMS, 8);
    const int items[] = {estimated, 1, 2, 4, 16};
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &p->base, "items");
    for (int i = 0; i < 5; ++i)
        if (prim__ocl_tune_offer(&tune, i, (ocl_tune_params_t){{items[i]}})) p->items = items[i];
}

// The rest of init_pd, when all layouts are fixed.
static prim_status_t configure(prim_desc_t *pd)
{
    ocl_packed_cpu_pd_t *const p = (ocl_packed_cpu_pd_t *)pd;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const ocl_gemm_t *const gemm = &p->gemm;
    PREFER_OTHER_UNLESS(pd, device->is_cpu,
            "the device is a GPU: variants that stage tiles in local memory are faster");
    TRY(prim__ocl_gemm_init(&p->gemm, pd));
    REQUIRE(pd, !gemm->has_runtime,
            "M, N or K is known only at execution; this variant packs panels into a scratchpad of "
            "known size");
    // Zero points outside the type's range would make the sums of bytes inexact.
    const bool has_zps = gemm->src_zps != GEMM_QUANT_NONE || gemm->wei_zps != GEMM_QUANT_NONE;
    REQUIRE(pd, !gemm->is_int || !has_zps || prim__pd_md(pd, PRIM_ARG_DST)->data_type != PRIM_S32,
            "dst is s32, which must be exact, and zero points are set");
    const matmul_shape_t *const s = &gemm->shape;
    const double nproducts = (double)prim__matmul_nbatches(s) * (double)s->m * (double)s->n;
    // A program takes some 100 ms to compile; a core that is done with 10 products in a µs by the
    // generic kernel saves nothing below.
    const int few = prim__ocl_measured_int(device, MEASURED_PACKED_CPU_FEW_PRODUCTS, 1 << 15);
    PREFER_OTHER_UNLESS(pd, nproducts * (double)s->k >= few,
            "%.0f multiply-adds: building this program costs more than it saves",
            nproducts * (double)s->k);
    p->lanes = choose_lanes(device);
    p->vectors = choose_vectors(device, p->lanes, s->n);
    choose_items(p, device);
    return init_pack(p);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_packed_cpu_pd_t *const pd = (const ocl_packed_cpu_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "PANEL", pd->pack.panel_dt);
    prim__ocl_options_int(&options, "LANES", pd->lanes);
    prim__ocl_options_int(&options, "VECTORS", pd->vectors);
    const bool folds = pd->gemm.shape.k > prim__ocl_gemm_longest(&pd->gemm, &pd->base, 1);
    prim__ocl_options_int(&options, "FOLD", folds ? OCL_FOLD : 0);
    prim__ocl_options_int(&options, "WIDE_SUMS", folds);
    prim__ocl_gemm_options(&options, &pd->gemm, &pd->base);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_matmul_packed_cpu_cl, &options, "matmul_packed_cpu"));
    TRY(prim__ocl_pack_add_kernels(p, &pd->pack));
    return prim__ocl_gemm_add_data(p, &pd->gemm);
}

// Rows of a work-item: few enough for every core to get several work-items and for their part of
// src to stay in a second-level cache while panel after panel passes.
static prim_dim_t rows_of_item(const ocl_packed_cpu_pd_t *pd, prim_dim_t npanels)
{
    const matmul_shape_t *const s = &pd->gemm.shape;
    const prim_dim_t block = rows_of_block(pd), nblocks = prim__ceil_div(s->m, block);
    const prim_dim_t wanted = pd->items * prim__ocl_device(pd->base.engine)->compute_units;
    prim_dim_t nitems = prim__ceil_div(wanted, npanels * prim__matmul_nbatches(s));
    const prim_dim_t most = ITEM_ROWS / block;
    if (nitems < prim__ceil_div(nblocks, most)) nitems = prim__ceil_div(nblocks, most);
    return prim__ceil_div(nblocks, nitems < nblocks ? nitems : nblocks) * block;
}

// `src`, `wei`: where they were packed, if they were.
static prim_status_t multiply(const ocl_primitive_t *p, const exec_ctx_t *ctx,
        const ocl_packed_t *src, const ocl_packed_t *wei)
{
    const ocl_packed_cpu_pd_t *const pd = (const ocl_packed_cpu_pd_t *)p->base.pd;
    const ocl_pack_t *const pack = &pd->pack;
    const matmul_shape_t *const s = &pd->gemm.shape;
    ocl_gemm_vectors_t vectors = {0};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    if (pack->packs_src)
        prim__ocl_args_scratchpad(&args, ctx, pack->src_offset, sizeof(float));
    else
        prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    if (pack->packs_wei)
        prim__ocl_args_scratchpad(&args, ctx, pack->wei_offset, prim__dt_bytes(pack->panel_dt));
    else
        prim__ocl_args_tensor(&args, ctx, PRIM_ARG_WEIGHTS);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i64(&args, s->n);
    prim__ocl_args_i64(&args, s->k);
    prim__ocl_args_i64(&args, pack->packs_src ? s->k : s->src_m);
    prim__ocl_args_i64(&args, pack->packs_src ? 1 : s->src_k);
    const bool is_plain = !pack->packs_wei && s->wei_block == 0;
    prim__ocl_args_i64(&args, is_plain ? pack->cols : s->k * pack->cols);
    prim__ocl_args_i64(&args, is_plain ? s->wei_k : pack->cols);
    prim__ocl_args_i64(&args, s->dst_m);
    prim__ocl_args_i64(&args, s->dst_n);
    prim__ocl_gemm_args_batch(&args, &vectors, s, pack->packs_src ? src->batch : s->src_batch, 0);
    prim__ocl_gemm_args_batch(&args, &vectors, s, pack->packs_wei ? wei->batch : s->wei_batch, 0);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->dst_batch, 0);
    const prim_dim_t npanels = prim__ceil_div(s->n, pack->cols);
    const prim_dim_t nrows = rows_of_item(pd, npanels);
    prim__ocl_args_i32(&args, (int32_t)nrows);
    prim__ocl_gemm_args(&args, &vectors, &pd->gemm, s, p, ctx, false);
    const ocl_range_t range = prim__ocl_range_3d(
            npanels, prim__ceil_div(s->m, nrows), prim__matmul_nbatches(s), 1, 1, 1);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_packed_cpu_pd_t *const pd = (const ocl_packed_cpu_pd_t *)primitive->pd;
    if (prim__md_is_empty(prim__pd_md(primitive->pd, PRIM_ARG_DST))) return PRIM_SUCCESS;
    ocl_packed_t src = {{0}}, wei = {{0}};
    int kernel = 1;
    if (pd->pack.packs_src)
        TRY(prim__ocl_pack_src(&src, &pd->pack, &pd->gemm, p, p->kernels[kernel++], ctx));
    if (pd->pack.packs_wei)
        TRY(prim__ocl_pack_wei(&wei, &pd->pack, &pd->gemm, p, p->kernels[kernel], ctx));
    return multiply(p, ctx, &src, &wei);
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    static const int args[] = {PRIM_ARG_SRC, PRIM_ARG_BIAS, PRIM_ARG_DST};
    for (int i = 0; i < 3; ++i) {
        if (prim__pd_has(pd, args[i]))
            TRY(prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, args[i])));
    }
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    prim_memory_desc_t row_major = *wei;
    TRY(prim__md_set_row_major_if_any(&row_major));
    TRY(set_weights(pd, &row_major));
    return configure(pd);
}

const impl_t prim__ocl_matmul_packed_cpu = {
        .name = "ocl:matmul:packed_cpu",
        .pd_size = sizeof(ocl_packed_cpu_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
