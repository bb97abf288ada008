// SPDX-License-Identifier: Apache-2.0
// Matmul with small M of f16, bf16 and 8-bit integers by `mma.sync`: warps split K, weights go
// straight from global memory to registers. Small N as well: dstᵀ = weiᵀ·srcᵀ has few rows.
#include "ocl_matmul_mma_split_k.h"

#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_matrix_units.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_matmul_mma.h"
#include "ocl_matmul_reduce.h"

extern const ocl_source_t prim__ocl_matmul_mma_split_k_cl;
extern const impl_t prim__ocl_matmul_mma_split_k;

typedef struct {
    prim_desc_t base;
    ocl_gemm_t gemm;
    ocl_tiling_t tiling;
    int warps, ahead; // as in the .cl
    int registers;    // the most of a work-item, 0: any number
    bool has_unit;
    bool is_swapped; // rows of src are its columns of weights, and the reverse
    bool src_along_k, wei_along_k;
    bool src_is_aligned, wei_is_aligned; // as in the .cl, but for memory's own offsets
} ocl_mma_split_k_pd_t;

_Static_assert(offsetof(ocl_mma_split_k_pd_t, base) == 0, "the base comes first");

// RESIDENT: groups of a unit that have enough blocks in flight for the memory's bandwidth.
enum { MAX_ROWS = 32, MAX_WARPS = 8, BLOCK_BYTES = 64, RESIDENT = 3 };

static const int columns[] = {32, 16}; // of a group

enum { NCHOICES = sizeof columns / sizeof columns[0] };

static int elem_bytes(const prim_desc_t *pd)
{
    return (int)prim_data_type_size(prim__pd_md(pd, PRIM_ARG_SRC)->data_type);
}

// The tensors of the product that is computed.
static int src_arg(const ocl_mma_split_k_pd_t *p)
{
    return p->is_swapped ? PRIM_ARG_WEIGHTS : PRIM_ARG_SRC;
}

static int wei_arg(const ocl_mma_split_k_pd_t *p)
{
    return p->is_swapped ? PRIM_ARG_SRC : PRIM_ARG_WEIGHTS;
}

static int rows_of(const matmul_shape_t *s)
{
    return s->m <= 8 ? 8 : s->m <= 16 ? 16 : 32;
}

// As in the .cl.
static uint64_t local_bytes_of(const ocl_mma_split_k_pd_t *p)
{
    return (uint64_t)(p->warps * p->tiling.bm * (p->tiling.bn + 4)) * sizeof(float);
}

// What keeps memory busy: the only group of a compute unit has many blocks in flight, of several
// the units hold as many as they can.
static void choose_warps(ocl_mma_split_k_pd_t *p, const ocl_device_t *device)
{
    const matmul_shape_t *const s = &p->gemm.shape;
    const ocl_range_t range = prim__ocl_tiling_range(&p->tiling, s, 0, 0, 1);
    const size_t ngroups = range.global[0] * range.global[1];
    const size_t units = (size_t)(unsigned)device->compute_units;
    const bool are_many = ngroups > units;
    const bool is_tall = p->tiling.bm == MAX_ROWS;
    const int depth = BLOCK_BYTES / elem_bytes(&p->base);
    p->warps = MAX_WARPS;
    // A warp without a block but waits for the others.
    while (p->warps > 2 && (prim_dim_t)p->warps / 2 * depth >= s->k) p->warps /= 2;
    if (are_many && is_tall &&
            p->warps > MAX_WARPS / 2) // half as many, for the registers of a second group
        p->warps = prim__ocl_measured_int(device, MEASURED_MMA_SPLIT_K_WARPS, MAX_WARPS / 2);
    // Two groups of a unit have registers for a block more than three have.
    const int blocks = ngroups > units * (RESIDENT - 1) ? 1 : 2;
    p->ahead = !are_many ? prim__ocl_measured_int(device, MEASURED_MMA_SPLIT_K_AHEAD_ALONE, 4)
               : is_tall ? prim__ocl_measured_int(device, MEASURED_MMA_SPLIT_K_AHEAD_TALL, 2)
                         : prim__ocl_measured_int(device, MEASURED_MMA_SPLIT_K_AHEAD, 1) * blocks;
    p->registers = ngroups > units * (RESIDENT - 1) && !is_tall
                           ? prim__ocl_device_registers_for(device, RESIDENT, p->warps * 32)
                           : 0;
}

// A group is as fast as memory: bytes of weights in a cycle of a compute unit. Its share of the
// memory's bandwidth is about a byte for eight of its lanes; columns share what they read of src.
static double weights_bytes(const ocl_device_t *device, int bn)
{
    const double share = prim__ocl_estimate_lanes(device) / 8.;
    return prim__ocl_measured_config(device, MEASURED_MATMUL_MMA_SPLIT_K_COLUMNS,
            (ocl_tune_params_t){{bn}}, (ocl_measured_values_t){{share * bn / (bn + 4)}})
            .values[0];
}

static void choose_tiling(ocl_mma_split_k_pd_t *p, const ocl_device_t *device)
{
    const matmul_shape_t *const s = &p->gemm.shape;
    const int rows = rows_of(s), bytes = elem_bytes(&p->base);
    const prim_dim_t longest = prim__ocl_gemm_longest(&p->gemm, &p->base, 1);
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &p->base, OCL_TILING_PARAMS);
    for (int i = 0; i < NCHOICES; ++i) {
        const double rate = weights_bytes(device, columns[i]) / bytes * rows;
        const ocl_tile_speed_t speed = {rows, columns[i], BLOCK_BYTES / bytes * MAX_WARPS, rate,
                rate, true, false, 0, RESIDENT};
        (void)prim__ocl_tiling_offer(&p->tiling, &tune, device, s, &speed, longest, 1);
    }
    choose_warps(p, device);
}

// Each warp has some four blocks.
static int least_depth_of(const ocl_device_t *device)
{
    return prim__ocl_measured_int(
            device, MEASURED_MMA_SPLIT_K_LEAST_DEPTH, 4 * MAX_WARPS * BLOCK_BYTES / 2 / 4);
}

// Few tiles for each compute unit, and few blocks for each warp: that operands are read again for
// each tile, and at any address, costs less than the stages of other variants, which wait for
// memory one after the other. Few rows of weights along K are for `gemv_nt`.
static bool is_small(const ocl_mma_split_k_pd_t *p, const ocl_device_t *device)
{
    const matmul_shape_t *const s = &p->gemm.shape;
    const bool is_aligned = p->src_is_aligned && p->wei_is_aligned;
    const prim_dim_t ntiles = prim__matmul_nbatches(s) * prim__ceil_div(s->m, rows_of(s)) *
                              prim__ceil_div(s->n, columns[0]);
    const int most_tiles =
            is_aligned
                    ? prim__ocl_measured_int(device, MEASURED_MMA_SPLIT_K_UNIT_TILES, 1)
                    : prim__ocl_measured_int(device, MEASURED_MMA_SPLIT_K_UNIT_UNALIGNED_TILES, 3);
    const int most_blocks = prim__ocl_measured_int(device, MEASURED_MMA_SPLIT_K_WARP_BLOCKS, 4);
    const int least_depth = is_aligned ? least_depth_of(device) : 1;
    return ntiles <= (prim_dim_t)prim__ocl_estimate_units(device) * most_tiles &&
           s->k >= least_depth &&
           s->k <= (prim_dim_t)most_blocks * MAX_WARPS * BLOCK_BYTES / elem_bytes(&p->base) &&
           (s->m >= 8 / 2 || !p->wei_along_k);
}

// Of how many columns (N, the rows of the transposed product) others are faster, which load tiles
// by tensor maps: those need aligned rows, and copy small weights that are not. Along k that is
// from 17 on where rows of src and weights are aligned. Weights across k are loaded element by
// element here: from 17 on where rows of src are aligned, from 9 on where those of the weights are,
// too. Of bytes each column costs twice as much.
static prim_status_t prefer_few_columns(const ocl_mma_split_k_pd_t *p, prim_desc_t *pd)
{
    const matmul_shape_t *const s = &p->gemm.shape;
    const prim_dim_t pack = 16 / elem_bytes(pd);
    const bool are_even =
            p->src_along_k ? p->src_is_aligned : s->m % pack == 0 && s->src_k % pack == 0;
    const int most = p->src_along_k || !are_even ? 16 : 8;
    PREFER_OTHER_UNLESS(pd, elem_bytes(pd) == 2 || (p->src_along_k && s->m <= most),
            "N = %lld columns of bytes: above 16, or not contiguous along K, tiles in local memory "
            "are as fast",
            (long long)s->m);
    PREFER_OTHER_UNLESS(pd, !p->wei_is_aligned || (p->src_along_k && !are_even) || s->m <= most,
            "N = %lld, above %d, and rows of src are 16-byte aligned: tiles in local memory are as "
            "fast",
            (long long)s->m, most);
    return PRIM_SUCCESS;
}

bool prim__ocl_mma_split_k_suits_unaligned(
        const ocl_device_t *device, const matmul_shape_t *s, bool wei_along_k)
{
    enum { MOST_ROWS = 16, MOST_EVEN_ROWS = 8 };
    const prim_dim_t ntiles = prim__matmul_nbatches(s) * prim__ceil_div(s->n, columns[0]);
    const bool is_odd = (wei_along_k ? s->wei_n : s->wei_k) % 2 != 0 || s->src_m % 2 != 0;
    const bool are_many = ntiles >= (prim_dim_t)prim__ocl_estimate_units(device);
    // One row, and two of weights across k, are for single work-items.
    return s->m >= (wei_along_k ? 2 : 3) && s->m <= MOST_ROWS &&
           (is_odd || (s->m <= MOST_EVEN_ROWS && (wei_along_k || are_many)));
}

static prim_status_t prefer_others(const ocl_mma_split_k_pd_t *p, prim_desc_t *pd)
{
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const matmul_shape_t *const s = &p->gemm.shape;
    if (is_small(p, device)) return PRIM_SUCCESS;
    if (p->is_swapped) TRY(prefer_few_columns(p, pd));
    PREFER_OTHER_UNLESS(pd,
            p->is_swapped || (p->wei_is_aligned && (p->src_is_aligned || s->m <= 8)) ||
                    (elem_bytes(pd) == 2 &&
                            prim__ocl_mma_split_k_suits_unaligned(device, s, p->wei_along_k)),
            "weights, or more than 8 rows of src, are not 16-byte aligned, and there are many: "
            "loads of any address are slow");
    const int most_rows = prim__ocl_measured_int(device, MEASURED_MMA_SPLIT_K_MOST_ROWS, MAX_ROWS);
    PREFER_OTHER_UNLESS(pd, s->m <= most_rows,
            "M = %lld: above %d rows, weights are reused enough to be staged in local memory",
            (long long)s->m, most_rows);
    const int least_depth = least_depth_of(device);
    PREFER_OTHER_UNLESS(pd, s->k >= least_depth,
            "K = %lld: below %d there is too little to split among the warps", (long long)s->k,
            least_depth);
    // Of the unit's 8 columns at least half are in use.
    const int least_rows =
            prim__ocl_measured_int(device, MEASURED_MMA_SPLIT_K_LEAST_BYTE_ROWS, 8 / 2);
    PREFER_OTHER_UNLESS(pd, elem_bytes(pd) == 2 || s->m >= least_rows,
            "M = %lld: below %d rows of 8-bit integers, `gemv_nt` is as fast", (long long)s->m,
            least_rows);
    return PRIM_SUCCESS;
}

// Few columns, and rows along k that are read once.
static bool swaps(const ocl_mma_split_k_pd_t *p)
{
    const matmul_shape_t *const s = &p->gemm.shape;
    return s->n <= MAX_ROWS && s->m > MAX_ROWS && s->src_k == 1 &&
           (s->wei_k == 1 || s->wei_n == 1) && prim__ocl_gemm_may_swap(&p->gemm, &p->base);
}

static prim_status_t init_operands(ocl_mma_split_k_pd_t *p)
{
    prim_desc_t *const pd = &p->base;
    const matmul_shape_t *const s = &p->gemm.shape;
    const size_t bytes = (size_t)elem_bytes(pd);
    const prim_dim_t pack = 16 / (prim_dim_t)bytes;
    const bool is_across = s->wei_n == 1 || s->n == 1, is_along = s->wei_k == 1 || s->k == 1;
    p->wei_along_k = bytes == 1 || p->is_swapped ? is_along : !is_across;
    p->src_along_k = s->src_k == 1 || s->k == 1;
    REQUIRE(pd, p->src_along_k || p->is_swapped, "src is not contiguous along K (stride %lld)",
            (long long)s->src_k);
    REQUIRE(pd, is_along || is_across, "weights are contiguous neither along K nor along N");
    p->src_is_aligned = p->src_along_k && s->k % pack == 0 &&
                        prim__ocl_mma_is_even(s, s->src_m, s->src_batch, bytes);
    // Units read bytes along k: a work-item that does not find them so loads them one by one.
    p->wei_is_aligned =
            (p->wei_along_k || bytes > 1) && (p->wei_along_k ? s->k : s->n) % pack == 0 &&
            prim__ocl_mma_is_even(s, p->wei_along_k ? s->wei_n : s->wei_k, s->wei_batch, bytes);
    return PRIM_SUCCESS;
}

// The rest of init_pd, when all layouts are fixed.
static prim_status_t configure(prim_desc_t *pd)
{
    ocl_mma_split_k_pd_t *const p = (ocl_mma_split_k_pd_t *)pd;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    TRY(prim__ocl_mma_init_types(&p->gemm, pd));
    REQUIRE(pd, p->gemm.src_zps == GEMM_QUANT_NONE && p->gemm.wei_zps == GEMM_QUANT_NONE,
            "zero points are set; this variant takes none");
    p->is_swapped = swaps(p);
    if (p->is_swapped) prim__ocl_gemm_swap(&p->gemm.shape);
    TRY(init_operands(p));
    TRY(prefer_others(p, pd));
    p->has_unit = prim__ocl_has_mma(pd);
    TRY(prim__ocl_prefer_matrix_units(pd, p->has_unit));
    choose_tiling(p, device);
    REQUIRE(pd,
            device->max_group_items >= (size_t)p->warps * 32 &&
                    device->local_bytes >= local_bytes_of(p),
            "the work-groups or the local memory of the device are too small");
    prim__ocl_tiling_book(&p->tiling, pd, &p->gemm);
    return PRIM_SUCCESS;
}

// For the unit, weights are the first operand.
static void add_types(ocl_options_t *options, const ocl_mma_split_k_pd_t *p)
{
    const prim_data_type_t src = prim__pd_md(&p->base, src_arg(p))->data_type;
    const prim_data_type_t wei = prim__pd_md(&p->base, wei_arg(p))->data_type;
    prim__ocl_options_int(options, "MMA_TYPE", src == PRIM_U8 ? PRIM_S8 : src);
    prim__ocl_options_int(options, "SRC_IS_U8", wei == PRIM_U8);
    prim__ocl_options_int(options, "WEI_IS_U8", src == PRIM_U8);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_mma_split_k_pd_t *const pd = (const ocl_mma_split_k_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "MMA", pd->has_unit);
    add_types(&options, pd);
    prim__ocl_options_int(&options, "BM", pd->tiling.bm);
    prim__ocl_options_int(&options, "BN", pd->tiling.bn);
    prim__ocl_options_int(&options, "WARPS", pd->warps);
    prim__ocl_options_int(&options, "AHEAD", pd->ahead);
    prim__ocl_options_int(&options, "SRC_ALONG_K", pd->src_along_k);
    prim__ocl_options_int(&options, "WEI_ALONG_K", pd->wei_along_k);
    prim__ocl_options_int(&options, "MMA_ACROSS_BYTES", 128);
    prim__ocl_options_int(&options, "ASYNC_COPY", pd->has_unit);
    prim__ocl_options_int(&options, "COPY_16_KEEPS", 0);
    prim__ocl_options_registers(&options, pd->registers);
    prim__ocl_gemm_options(&options, &pd->gemm, &pd->base);
    prim__ocl_tiling_options(&options, &pd->tiling, &pd->base);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_matmul_mma_split_k_cl, &options, "matmul_mma_split_k"));
    prim__ocl_primitive_expect_local(p, local_bytes_of(pd));
    TRY(prim__ocl_tiling_add_kernel(p, &pd->tiling, &pd->gemm));
    return prim__ocl_gemm_add_data(p, &pd->gemm);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_mma_split_k_pd_t *const pd = (const ocl_mma_split_k_pd_t *)primitive->pd;
    const matmul_shape_t *const s = &pd->gemm.shape;
    const size_t bytes = (size_t)elem_bytes(&pd->base);
    bool src_is_aligned = pd->src_is_aligned, wei_is_aligned = pd->wei_is_aligned;
    ocl_gemm_vectors_t vectors = {0};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_tensor(&args, ctx, src_arg(pd));
    src_is_aligned = src_is_aligned && prim__ocl_tiling_starts_aligned(&args, bytes);
    prim__ocl_args_tensor(&args, ctx, wei_arg(pd));
    wei_is_aligned = wei_is_aligned && prim__ocl_tiling_starts_aligned(&args, bytes);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_i64(&args, pd->src_along_k ? s->src_m : s->src_k);
    prim__ocl_args_i64(&args, pd->wei_along_k ? s->wei_n : s->wei_k);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->src_batch, 0);
    prim__ocl_gemm_args_batch(&args, &vectors, s, s->wei_batch, 0);
    prim__ocl_args_i32(&args, src_is_aligned);
    prim__ocl_args_i32(&args, wei_is_aligned);
    const ocl_tiling_launch_t launch = {(size_t)pd->warps * 32, 0, 0};
    return prim__ocl_tiling_run(p, ctx, &args, &vectors, &pd->tiling, &pd->gemm, &launch);
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gemm_set_along_k(pd));
    return configure(pd);
}

const impl_t prim__ocl_matmul_mma_split_k = {
        .name = "ocl:matmul:mma_split_k",
        .pd_size = sizeof(ocl_mma_split_k_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
