// SPDX-License-Identifier: Apache-2.0
// Matmul with small M and weights K×N on GPUs, limited by the bandwidth of the weights.
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_gemm_tile.h"
#include "ocl_matmul_reduce.h"

extern const ocl_source_t prim__ocl_matmul_gemv_nn_cl;
extern const impl_t prim__ocl_matmul_gemv_nn;

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    ocl_tiling_t tiling;
    int cols;                      // columns of a work-item
    int vec;                       // elements of weights that are read at once
    int deep;                      // work-items of a group along k
    bool is_unaligned, loads_wide; // UNALIGNED, WIDE_LOADS of the .cl
} ocl_gemv_nn_pd_t;

_Static_assert(offsetof(ocl_gemv_nn_pd_t, base) == 0, "the base comes first");

enum { MAX_ROWS = 4, DEPTH = 64 }; // MAX_ROWS: registers hold sums of no more

// Where it is but possible, a device compiles it for one number of rows, for small groups.
static int rows_of(const matmul_shape_t *s, const ocl_device_t *device)
{
    if (device->is_cpu) return 4;
    int rows = 1;
    while (rows < MAX_ROWS && rows < s->m) rows *= 2;
    return rows;
}

enum { LANES = 32 }; // work-items of a group along the columns

// Columns of a work-item: 16 bytes, or 8 where elements are bytes.
static int cols_of(size_t elem_bytes)
{
    return elem_bytes == 4 ? 4 : 8;
}

static int deep_of(const ocl_device_t *device)
{
    return (device->is_cpu ? 64 : 256) / LANES;
}

// With more loads of short elements in flight registers run out.
static int ahead_of(const ocl_device_t *device, int cols)
{
    if (device->is_cpu) return 1;
    return cols == 8 ? prim__ocl_measured_int(device, MEASURED_GEMV_NN_AHEAD_SHORT, 6)
                     : prim__ocl_measured_int(device, MEASURED_GEMV_NN_AHEAD, 8);
}

// As in the .cl.
static uint64_t local_bytes_of(const ocl_gemv_nn_pd_t *p)
{
    return (uint64_t)(p->tiling.bn * p->deep * p->tiling.bm) * sizeof(float);
}

// A group is as fast as memory: bytes of weights in a cycle of a compute unit that has one group or
// several. A unit's share of the memory's bandwidth is about a byte for eight of its lanes, and one
// group has too few loads in flight to get more than two thirds of it.
static ocl_tile_speed_t speed_of(const ocl_device_t *device, int rows, int cols, double elem_bytes)
{
    const double share = prim__ocl_estimate_lanes(device) / 8.;
    const double alone =
            prim__ocl_measured(device, MEASURED_GEMV_NN_ALONE_BYTES, share * 2 / 3) / elem_bytes;
    const double full = prim__ocl_measured(device, MEASURED_GEMV_NN_FULL_BYTES, share) / elem_bytes;
    return (ocl_tile_speed_t){
            rows, cols * LANES, DEPTH, alone * rows, full * rows, true, false, 0, 0};
}

static void choose_tiling(ocl_gemv_nn_pd_t *p)
{
    const prim_desc_t *const pd = &p->base;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const matmul_shape_t *const s = &p->gemm.shape;
    const int rows = rows_of(s, device);
    const size_t elem_bytes = prim_data_type_size(prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type);
    p->cols = cols_of(elem_bytes);
    p->vec = prim__ocl_gemm_are_multiples(s, s->wei_k, s->wei_batch, p->cols) ? p->cols : 1;
    p->deep = deep_of(device);
    p->loads_wide = prim__ocl_device_trusts(pd->engine, OCL_FEATURE_ASYNC_COPY);
    // Neighbouring work-items read neighbouring elements of 4 bytes as fast one by one.
    p->is_unaligned = p->vec == 1 && elem_bytes < 4 && (p->loads_wide || device->is_cpu);
    const ocl_tile_speed_t speed = speed_of(device, rows, p->cols, (double)elem_bytes);
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &p->base, OCL_TILING_PARAMS);
    const prim_dim_t longest = prim__ocl_gemm_longest(&p->gemm, pd, p->deep);
    (void)prim__ocl_tiling_offer(&p->tiling, &tune, device, s, &speed, longest, 1);
}

// The rest of init_pd, when all layouts are fixed.
static prim_status_t configure(prim_desc_t *pd)
{
    ocl_gemv_nn_pd_t *const p = (ocl_gemv_nn_pd_t *)pd;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    ocl_gemm_t *const gemm = &p->gemm;
    const matmul_shape_t *const s = &gemm->shape;
    PREFER_OTHER_UNLESS(
            pd, !device->is_cpu, "the device is CPU-type: staging in local memory gains nothing");
    TRY(prim__ocl_gemm_init(gemm, pd));
    REQUIRE(pd, !gemm->has_runtime,
            "M, N or K is known only at execution; this variant is chosen by M");
    REQUIRE(pd, s->wei_block == 0, "weights have a blocked layout");
    REQUIRE(pd, s->wei_n == 1 || s->n == 1, "weights are not contiguous along N (stride %lld)",
            (long long)s->wei_n);
    REQUIRE(pd,
            gemm->src_zps == GEMM_QUANT_NONE && gemm->wei_zps == GEMM_QUANT_NONE &&
                    gemm->src_scales != GEMM_QUANT_ELEMENTS &&
                    gemm->wei_scales != GEMM_QUANT_ELEMENTS,
            "scales vary along K, or zero points are set");
    REQUIRE(pd, prim__ocl_tiling_fits(s), "M, N or K is 2^31 or more");
    const int most_rows = prim__ocl_measured_int(device, MEASURED_GEMV_NN_MOST_ROWS, MAX_ROWS);
    PREFER_OTHER_UNLESS(pd, s->m <= most_rows,
            "M = %lld: above %d rows, weights are reused enough to be staged in local memory",
            (long long)s->m, most_rows);
    choose_tiling(p);
    REQUIRE(pd, device->max_group_items >= 256 && device->local_bytes >= local_bytes_of(p),
            "the work-groups or the local memory of the device are too small");
    prim__ocl_tiling_book(&p->tiling, pd, &p->gemm);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_gemv_nn_pd_t *const pd = (const ocl_gemv_nn_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "SRC", prim__pd_md(&pd->base, PRIM_ARG_SRC)->data_type);
    prim__ocl_options_type(&options, "WEI", prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS)->data_type);
    prim__ocl_options_int(&options, "BM", pd->tiling.bm);
    prim__ocl_options_int(&options, "BN", pd->tiling.bn);
    prim__ocl_options_int(&options, "COLS", pd->cols);
    prim__ocl_options_int(&options, "WEI_VEC", pd->vec > 1);
    prim__ocl_options_int(&options, "UNALIGNED", pd->is_unaligned);
    prim__ocl_options_int(&options, "WIDE_LOADS", pd->loads_wide);
    prim__ocl_options_int(&options, "DEEP", pd->deep);
    prim__ocl_options_int(&options, "AHEAD", ahead_of(prim__ocl_device(pd->base.engine), pd->cols));
    prim__ocl_gemm_options(&options, &pd->gemm, &pd->base);
    prim__ocl_tiling_options(&options, &pd->tiling, &pd->base);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_matmul_gemv_nn_cl, &options, "matmul_gemv_nn"));
    prim__ocl_primitive_expect_local(p, local_bytes_of(pd));
    TRY(prim__ocl_tiling_add_kernel(p, &pd->tiling, &pd->gemm));
    return prim__ocl_gemm_add_data(p, &pd->gemm);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_gemv_nn_pd_t *const pd = (const ocl_gemv_nn_pd_t *)primitive->pd;
    const matmul_shape_t *const s = &pd->gemm.shape;
    ocl_gemm_vectors_t vectors = {0};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_WEIGHTS);
    const int wei_skip = prim__ocl_tiling_align(&args, pd->vec,
            prim_data_type_size(prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS)->data_type));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i64(&args, s->src_m);
    prim__ocl_args_i64(&args, s->src_k);
    prim__ocl_args_i64(&args, s->wei_k);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->src_batch, 0);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->wei_batch, 0);
    const ocl_tiling_launch_t launch = {(size_t)(LANES * pd->deep), 0, wei_skip};
    return prim__ocl_tiling_run(p, ctx, &args, &vectors, &pd->tiling, &pd->gemm, &launch);
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gemm_set_row_major(pd));
    return configure(pd);
}

const impl_t prim__ocl_matmul_gemv_nn = {
        .name = "ocl:matmul:gemv_nn",
        .pd_size = sizeof(ocl_gemv_nn_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
