// SPDX-License-Identifier: Apache-2.0
// Split-K: room for the partial sums, and the kernel that reduces them.
#include "ocl_matmul_reduce.h"
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_gemm_tile.h"

extern const ocl_source_t prim__ocl_matmul_reduce_cl;

enum { MOST_COUNTED = 24 }; // splits, as in clh/gemm_splits.h

// A row of partial sums: whole vectors of 16 bytes.
static prim_dim_t pitch_of(const matmul_shape_t *shape)
{
    return prim__round_up(shape->n, 4);
}

static prim_dim_t ntiles(const matmul_shape_t *s, int bm, int bn)
{
    return prim__matmul_nbatches(s) * prim__ceil_div(s->m, bm) * prim__ceil_div(s->n, bn);
}

// Kernels for unaligned starts have smaller tiles, or one row and column of tiles more.
static bool have_counters(const ocl_tiling_t *tiling, const matmul_shape_t *s)
{
    const int bm = tiling->bm < 64 ? tiling->bm : 64, bn = tiling->bn < 64 ? tiling->bn : 64;
    return 4 * ntiles(s, bm, bn) <= OCL_NCOUNTERS;
}

// Groups wait for each other where all have a compute unit of their own.
static int polls_of(const ocl_tiling_t *tiling, const matmul_shape_t *s, const ocl_device_t *device)
{
    const prim_dim_t ngroups = ntiles(s, tiling->bm, tiling->bn) * tiling->nsplits;
    if (device->waits_hold_cores || ngroups > prim__ocl_estimate_units(device)) return 0;
    return prim__ocl_measured_int(device, MEASURED_BARRIER_POLLS, 256);
}

// A sum of sums fits the type of one.
static bool fits_sum(const ocl_gemm_t *gemm, const prim_desc_t *pd)
{
    return !gemm->is_int || gemm->shape.k <= prim__ocl_gemm_longest(gemm, pd, 1);
}

void prim__ocl_tiling_book(ocl_tiling_t *tiling, prim_desc_t *pd, const ocl_gemm_t *gemm)
{
    if (tiling->nsplits <= 1) return;
    const matmul_shape_t *const s = &gemm->shape;
    const prim_dim_t nelems = prim__matmul_nbatches(s) * s->m * pitch_of(s) * tiling->nsplits;
    tiling->partial_offset = prim__pd_book_scratchpad(pd, (size_t)nelems * sizeof(float));
    tiling->sums_in_kernel = tiling->nsplits <= MOST_COUNTED && have_counters(tiling, s) &&
                             fits_sum(gemm, pd) &&
                             prim__ocl_device_trusts(pd->engine, OCL_FEATURE_GROUP_WAIT);
    tiling->max_polls = polls_of(tiling, s, prim__ocl_device(pd->engine));
}

static bool is_summed_in_kernel(const ocl_tiling_t *tiling, const exec_ctx_t *ctx)
{
    return tiling->sums_in_kernel && prim__ocl_has_counters(ctx);
}

prim_status_t prim__ocl_tiling_args_counters(
        ocl_args_t *args, const ocl_tiling_t *tiling, const exec_ctx_t *ctx)
{
    if (is_summed_in_kernel(tiling, ctx))
        TRY(prim__ocl_args_counters(args, ctx));
    else
        prim__ocl_args_buffer(args, NULL);
    prim__ocl_args_i32(args, tiling->max_polls);
    return PRIM_SUCCESS;
}

void prim__ocl_tiling_options(
        ocl_options_t *options, const ocl_tiling_t *tiling, const prim_desc_t *pd)
{
    const bool waits = (tiling->sums_in_kernel || tiling->waits) &&
                       !prim__ocl_device(pd->engine)->waits_hold_cores;
    prim__ocl_options_int(options, "RELAXED_ATOMICS", waits);
    prim__ocl_options_int(options, "SPLITS", tiling->nsplits > 1);
}

prim_status_t prim__ocl_tiling_add_kernel(
        ocl_primitive_t *primitive, const ocl_tiling_t *tiling, const ocl_gemm_t *gemm)
{
    if (tiling->nsplits <= 1) return PRIM_SUCCESS;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "WIDE_SUMS", 1);
    prim__ocl_gemm_options(&options, gemm, primitive->base.pd);
    return prim__ocl_primitive_add_kernel(
            primitive, &prim__ocl_matmul_reduce_cl, &options, "matmul_reduce");
}

void prim__ocl_tiling_args_partial(
        ocl_args_t *args, const ocl_tiling_t *tiling, const exec_ctx_t *ctx)
{
    if (tiling->nsplits > 1) {
        prim__ocl_args_scratchpad(args, ctx, tiling->partial_offset, sizeof(float));
        return;
    }
    prim__ocl_args_nothing(args);
}

prim_status_t prim__ocl_tiling_reduce(const ocl_primitive_t *primitive, const ocl_tiling_t *tiling,
        const ocl_gemm_t *gemm, const exec_ctx_t *ctx)
{
    if (tiling->nsplits <= 1 || is_summed_in_kernel(tiling, ctx)) return PRIM_SUCCESS;
    const matmul_shape_t *const s = &gemm->shape;
    ocl_gemm_vectors_t vectors = {0};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_tiling_args_partial(&args, tiling, ctx);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i32(&args, (int32_t)s->n);
    prim__ocl_args_i32(&args, tiling->nsplits);
    prim__ocl_args_i64(&args, s->dst_m);
    prim__ocl_args_i64(&args, s->dst_n);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->dst_batch, 0);
    prim__ocl_gemm_args(&args, &vectors, gemm, s, primitive, ctx, false);
    const ocl_kernel_t *const kernel = primitive->kernels[1];
    const size_t items = prim__ocl_group_items(kernel, 128);
    const ocl_range_t range = prim__ocl_range_3d(s->n, s->m, prim__matmul_nbatches(s), items, 1, 1);
    return prim__ocl_launch(ctx, kernel, &range, &args);
}
