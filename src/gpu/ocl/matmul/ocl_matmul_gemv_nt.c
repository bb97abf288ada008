// SPDX-License-Identifier: Apache-2.0
// Matmul with small M and weights N×K on GPUs, limited by the bandwidth of the weights.
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_gemm_tile.h"
#include "ocl_matmul_gemv_plan.h"
#include "ocl_matmul_reduce.h"

extern const ocl_source_t prim__ocl_matmul_gemv_nt_cl;
extern const impl_t prim__ocl_matmul_gemv_nt;

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    ocl_tiling_t tiling;
    int cols;                      // columns of a work-item
    int lanes;                     // work-items of a column
    int ahead, chunk;              // as in the .cl
    int int_dot;                   // as in clh/int_dot.h
    bool is_unaligned, loads_wide; // UNALIGNED, WIDE_LOADS of the .cl
    bool is_swapped;               // rows of src are its columns of weights, and the reverse
} ocl_gemv_nt_pd_t;

_Static_assert(offsetof(ocl_gemv_nt_pd_t, base) == 0, "the base comes first");

enum { MAX_ROWS = 8, TEAMS = 8 };

// By rows, for a work-item: columns, times 16 bytes of weights in flight, and of a row in local
// memory at a time (0: caches hold all rows).
typedef struct {
    int rows, cols, loads, chunk;
} choice_t;

// On CPU-type devices, one work-item per core: the same kernels with less to compile.
static const choice_t cpu_choices[] = {{1, 2, 2, 16}, {4, 2, 2, 0}, {8, 2, 2, 0}};

enum { NCHOICES = 4, NCPU_CHOICES = sizeof cpu_choices / sizeof cpu_choices[0] };

// For 1, 2, 4, 8 rows. Two columns share the loads of a row, four loads hide the memory's latency,
// and 4 to 8 KiB of a row fit beside those of other groups. Rows of short elements are half as
// long: the caches hold several of them, and more loads or columns take the place of local memory.
static choice_t gpu_choice(const ocl_device_t *device, int i, bool is_short)
{
    const int rows = 1 << i;
    const bool by_cache = is_short && rows > 1;
    const int cols = rows == 1 ? 1 : by_cache && rows == MAX_ROWS ? 4 : 2;
    const int loads = by_cache && rows < MAX_ROWS ? 8 : 4;
    const int chunk = by_cache ? 0 : rows > 1 ? 256 : 512;
    const ocl_measured_values_t all = prim__ocl_measured_config(device,
            MEASURED_MATMUL_GEMV_NT_ROWS, (ocl_tune_params_t){{rows, is_short}},
            (ocl_measured_values_t){{cols, loads, chunk}});
    return (choice_t){rows, (int)all.values[0], (int)all.values[1], (int)all.values[2]};
}

static uint64_t local_bytes_of(const ocl_gemv_nt_pd_t *p)
{
    const int sums = p->tiling.bm * p->tiling.bn * (p->lanes + 2) * (int)sizeof(float);
    const int rows = p->tiling.bm * p->chunk * 16;
    return (uint64_t)(sums > rows ? sums : rows);
}

// Work-items that share a column.
static int lanes_of(const ocl_device_t *device)
{
    return device->is_cpu ? 8 : 32;
}

// More columns save loads of src, as long as there is about a group for each compute unit.
static int cols_of(const ocl_gemv_nt_pd_t *p, const ocl_device_t *device, int wanted)
{
    const prim_dim_t units = device->compute_units > 0 ? device->compute_units : 1;
    const prim_dim_t work = prim__matmul_nbatches(&p->gemm.shape) * p->gemm.shape.n;
    int cols = wanted;
    while (cols > 1 && work < units * TEAMS * cols * 7 / 8) cols /= 2;
    return cols;
}

static void choose(ocl_gemv_nt_pd_t *p, const ocl_device_t *device, const choice_t *choice)
{
    p->lanes = lanes_of(device);
    p->cols = cols_of(p, device, choice->cols);
    p->ahead = choice->loads / p->cols;
    p->chunk = choice->chunk;
    p->tiling = (ocl_tiling_t){.bm = choice->rows, .bn = TEAMS * p->cols};
}

// A group is as fast as memory: bytes of weights in a cycle of a compute unit, as in `gemv_nn`.
// Columns that are too few for the device are split along K.
static void choose_splits(ocl_gemv_nt_pd_t *p, const ocl_device_t *device, size_t elem_bytes)
{
    const double share = prim__ocl_estimate_lanes(device) / 8.;
    const double rows = (double)p->tiling.bm / (double)elem_bytes;
    const double alone =
            prim__ocl_measured(device, MEASURED_GEMV_NN_ALONE_BYTES, share * 2 / 3) * rows;
    const double full = prim__ocl_measured(device, MEASURED_GEMV_NN_FULL_BYTES, share) * rows;
    const ocl_tile_speed_t speed = {p->tiling.bm, p->tiling.bn, p->lanes * 16 / (int)elem_bytes,
            alone, full, true, false, 0, 0};
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &p->base, OCL_TILING_PARAMS);
    (void)prim__ocl_tiling_offer(&p->tiling, &tune, device, &p->gemm.shape, &speed,
            prim__ocl_gemm_longest(&p->gemm, &p->base, p->lanes), 1);
}

// Whether rows of src or columns of weights start at no multiples of 16 bytes, and such loads are
// known: that is where the compiler's loads may read what lies beside a tensor, and processors.
static bool is_unaligned(const ocl_gemv_nt_pd_t *p, const ocl_device_t *device, size_t elem_bytes)
{
    const prim_desc_t *const pd = &p->base;
    const matmul_shape_t *const s = &p->gemm.shape;
    if (prim_data_type_size(prim__pd_md(pd, PRIM_ARG_SRC)->data_type) != elem_bytes ||
            s->src_k != 1 || (!p->loads_wide && !device->is_cpu))
        return false;
    return !prim__ocl_gemv_is_aligned_along_k(s, prim__pd_md(pd, PRIM_ARG_SRC)->offset0,
            prim__pd_md(pd, PRIM_ARG_WEIGHTS)->offset0, elem_bytes);
}

// Rows up to which weights are not read so often that local memory pays.
static int most_rows_of(const ocl_device_t *device, size_t wei_bytes)
{
    return wei_bytes < 4
                   ? prim__ocl_measured_int(device, MEASURED_GEMV_NT_MOST_SHORT_ROWS, MAX_ROWS / 2)
                   : prim__ocl_measured_int(device, MEASURED_GEMV_NT_MOST_ROWS, MAX_ROWS);
}

// The fewest rows that are enough, or fewer where local memory is short.
static bool choose_tile(ocl_gemv_nt_pd_t *p, const ocl_device_t *device)
{
    const size_t bytes = prim_data_type_size(prim__pd_md(&p->base, PRIM_ARG_WEIGHTS)->data_type);
    choice_t all[NCHOICES];
    const int n = device->is_cpu ? NCPU_CHOICES : NCHOICES;
    for (int k = 0; k < n; ++k)
        all[k] = device->is_cpu ? cpu_choices[k] : gpu_choice(device, k, bytes < 4);
    int i = 0;
    while (i < n - 1 && all[i].rows < p->gemm.shape.m) ++i;
    for (; i >= 0; --i) {
        choose(p, device, &all[i]);
        if (local_bytes_of(p) <= device->local_bytes) return true;
    }
    return false;
}

// Few columns, many rows, and a depth that occupies the work-items: dstᵀ = weiᵀ·srcᵀ has few rows.
// Of short elements, more than a few columns are for matrix units.
static bool swaps(const ocl_gemv_nt_pd_t *p, const ocl_device_t *device)
{
    const prim_desc_t *const pd = &p->base;
    const matmul_shape_t *const s = &p->gemm.shape;
    const size_t bytes = prim_data_type_size(prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type);
    const prim_dim_t row_bytes = s->k * (prim_dim_t)bytes;
    const int most_short =
            prim__ocl_measured_int(device, MEASURED_GEMV_NT_MOST_SHORT_COLUMNS, MAX_ROWS / 4);
    if (bytes < 4 && s->n > most_short) return false;
    return row_bytes >= lanes_of(device) * 16 / 2 && s->n <= MAX_ROWS && s->m > MAX_ROWS &&
           s->wei_k == 1 && s->src_k == 1 &&
           prim__pd_md(pd, PRIM_ARG_SRC)->data_type ==
                   prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type &&
           prim__ocl_gemm_may_swap(&p->gemm, pd);
}

// Many rows are staged for each group of columns: that pays where their loads are aligned and each
// work-item has several columns.
static prim_status_t prefer_few_rows(ocl_gemv_nt_pd_t *p, const ocl_device_t *device, size_t bytes)
{
    prim_desc_t *const pd = &p->base;
    const matmul_shape_t *const s = &p->gemm.shape;
    if (bytes < 4) return PRIM_SUCCESS;
    const int most = prim__ocl_measured_int(device, MEASURED_GEMV_NT_MOST_SINGLE_ROWS, 4);
    PREFER_OTHER_UNLESS(pd, s->m <= most || !is_unaligned(p, device, bytes),
            "%lld rows or columns, above %d, that are not 16-byte aligned: tiles in local memory "
            "are faster",
            (long long)s->m, most);
    PREFER_OTHER_UNLESS(pd, s->m <= most || p->cols > 1,
            "%lld rows or columns, above %d, and too few of the other operand to share their loads",
            (long long)s->m, most);
    return PRIM_SUCCESS;
}

// The rest of init_pd, when all layouts are fixed.
static prim_status_t configure(prim_desc_t *pd)
{
    ocl_gemv_nt_pd_t *const p = (ocl_gemv_nt_pd_t *)pd;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    ocl_gemm_t *const gemm = &p->gemm;
    matmul_shape_t *const s = &gemm->shape;
    const prim_data_type_t src_dt = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    const prim_data_type_t wei_dt = prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type;
    PREFER_OTHER_UNLESS(pd, !device->is_cpu,
            "the device is CPU-type: this variant needs many work-items per core");
    TRY(prim__ocl_gemm_init(gemm, pd));
    REQUIRE(pd, !gemm->has_runtime,
            "M, N or K is known only at execution; this variant is chosen by M");
    REQUIRE(pd, s->wei_block == 0, "weights have a blocked layout");
    REQUIRE(pd, s->wei_k == 1 || s->k == 1, "weights are not contiguous along K (stride %lld)",
            (long long)s->wei_k);
    REQUIRE(pd,
            gemm->src_zps == GEMM_QUANT_NONE && gemm->wei_zps == GEMM_QUANT_NONE &&
                    gemm->src_scales != GEMM_QUANT_ELEMENTS &&
                    gemm->wei_scales != GEMM_QUANT_ELEMENTS,
            "scales vary along K, or zero points are set");
    REQUIRE(pd, prim__ocl_tiling_fits(s), "M, N or K is 2^31 or more");
    REQUIRE(pd, s->k <= prim__ocl_gemm_longest(gemm, pd, lanes_of(device)),
            "K = %lld is too long for the partial sums of a work-item", (long long)s->k);
    p->loads_wide = prim__ocl_device_trusts(pd->engine, OCL_FEATURE_ASYNC_COPY);
    prim__ocl_gemv_drop_distances(s);
    p->is_swapped = swaps(p, device);
    if (p->is_swapped) prim__ocl_gemm_swap(s);
    PREFER_OTHER_UNLESS(pd,
            p->is_swapped || s->m <= most_rows_of(device, prim_data_type_size(wei_dt)),
            "M = %lld: with so many rows, weights are reused enough to be staged in local memory",
            (long long)s->m);
    PREFER_OTHER_UNLESS(pd,
            prim_data_type_size(src_dt) == prim_data_type_size(wei_dt) && s->src_k == 1,
            "src is not contiguous along K (stride %lld), or its type is not as wide as that of "
            "the weights: its elements would be loaded one by one",
            (long long)s->src_k);
    REQUIRE(pd, choose_tile(p, device) && device->max_group_items >= (size_t)(TEAMS * p->lanes),
            "the work-groups or the local memory of the device are too small");
    const size_t elem_bytes = prim_data_type_size(wei_dt);
    TRY(prefer_few_rows(p, device, elem_bytes));
    choose_splits(p, device, elem_bytes);
    prim__ocl_tiling_book(&p->tiling, pd, gemm);
    p->is_unaligned = is_unaligned(p, device, elem_bytes);
    if (gemm->is_int) p->int_dot = prim__ocl_feature_verdict(pd->engine, OCL_FEATURE_INT_DOT).value;
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_gemv_nt_pd_t *const pd = (const ocl_gemv_nt_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_gemm_options_init(&options, &pd->base, pd->int_dot);
    prim__ocl_options_int(&options, "BM", pd->tiling.bm);
    prim__ocl_options_int(&options, "COLS", pd->cols);
    prim__ocl_options_int(&options, "CHUNK", pd->chunk);
    prim__ocl_options_int(&options, "LANES", pd->lanes);
    prim__ocl_options_int(&options, "BN", pd->tiling.bn);
    prim__ocl_options_int(&options, "AHEAD", pd->ahead);
    prim__ocl_options_int(&options, "UNALIGNED", pd->is_unaligned);
    prim__ocl_options_int(&options, "WIDE_LOADS", pd->loads_wide);
    prim__ocl_gemm_options(&options, &pd->gemm, &pd->base);
    prim__ocl_tiling_options(&options, &pd->tiling, &pd->base);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_matmul_gemv_nt_cl, &options, "matmul_gemv_nt"));
    prim__ocl_primitive_expect_local(p, local_bytes_of(pd));
    TRY(prim__ocl_tiling_add_kernel(p, &pd->tiling, &pd->gemm));
    return prim__ocl_gemm_add_data(p, &pd->gemm);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_gemv_nt_pd_t *const pd = (const ocl_gemv_nt_pd_t *)primitive->pd;
    const matmul_shape_t *const s = &pd->gemm.shape;
    ocl_gemm_vectors_t vectors = {0};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_tensor(&args, ctx, pd->is_swapped ? PRIM_ARG_WEIGHTS : PRIM_ARG_SRC);
    prim__ocl_args_tensor(&args, ctx, pd->is_swapped ? PRIM_ARG_SRC : PRIM_ARG_WEIGHTS);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i64(&args, s->src_m);
    prim__ocl_args_i64(&args, s->src_k);
    prim__ocl_args_i64(&args, s->wei_n);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->src_batch, 0);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->wei_batch, 0);
    const ocl_tiling_launch_t launch = {(size_t)(TEAMS * pd->lanes), 0, 0};
    return prim__ocl_tiling_run(p, ctx, &args, &vectors, &pd->tiling, &pd->gemm, &launch);
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gemm_set_along_k(pd));
    return configure(pd);
}

const impl_t prim__ocl_matmul_gemv_nt = {
        .name = "ocl:matmul:gemv_nt",
        .pd_size = sizeof(ocl_gemv_nt_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
