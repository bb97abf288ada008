// SPDX-License-Identifier: Apache-2.0
// Matmul of f16, bf16 and 8-bit integers by WGMMA.
#include "ocl_matmul_wgmma.h"

#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_matrix_units.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_matmul_pingpong.h"
#include "ocl_matmul_reduce.h"
#include "ocl_matmul_transpose.h"

extern const ocl_source_t prim__ocl_matmul_wgmma_cl;
extern const ocl_source_t prim__ocl_matmul_wgmma_pingpong_cl;
extern const impl_t prim__ocl_matmul_wgmma;

typedef struct {
    int bm, bn, stages;
    bool pingpong;
} tile_t;

enum {
    DEPTH_BYTES = 128,
    MAPS_BYTES = 256,
    MOST_GROUPS = 1 << 20, // that copies_await() of clh/align_rows.h counts
};

static const tile_t tiles[] = {
        {128, 256, 4, false},                       // large products
        {192, 256, 4, false}, {128, 192, 5, false}, // where such tiles just fill the device
        {128, 128, 3, false},                       // two to a compute unit
        {128, 128, 6, false},                       // one, whose copies come in time
        {64, 128, 4, false},                        // small ones, two to a compute unit
        {128, 64, 4, false},                        // few columns
        {128, 128, 5, true},                        // in turns
        {64, 64, 3, false},                         // the fewest, and where units are plain C
        {64, 64, 2, true},                          // in turns where units are plain C
};

enum { NTILES = sizeof tiles / sizeof tiles[0], ANY_START = 3, SMALLEST = NTILES - 2 };

// Of a tile that two teams take in turns: theirs, and those that copy.
static size_t items_of(const tile_t *t)
{
    const size_t multipliers = (size_t)(t->bm / 64 * 128);
    return t->pingpong ? 2 * multipliers + 128 : multipliers;
}

// Plain C exchanges words between work-items in local memory.
static uint64_t local_bytes_of(const tile_t *t, bool has_unit)
{
    return (uint64_t)(t->stages * (t->bm + t->bn) * DEPTH_BYTES + 512) +
           (has_unit ? 0 : 16 * items_of(t));
}

static bool fits(const ocl_device_t *device, const tile_t *t, bool has_unit, uint64_t local_bytes)
{
    const size_t along_x = device->max_group_item_sizes[0];
    return items_of(t) <= device->max_group_items && (!along_x || items_of(t) <= along_x) &&
           local_bytes_of(t, has_unit) <= local_bytes;
}

// A matrix of one row has any stride: one that tensor maps can hold.
static prim_dim_t stride_of(prim_dim_t stride, prim_dim_t nrows, prim_dim_t width, prim_dim_t unit)
{
    return nrows == 1 ? prim__round_up(width + unit, unit) : stride;
}

static prim_status_t init_operands(ocl_wgmma_pd_t *p, prim_dim_t bytes)
{
    prim_desc_t *const pd = &p->base;
    const matmul_shape_t *const s = &p->gemm.shape;
    const prim_dim_t unit = 16 / bytes;
    p->wei_along_k = bytes == 1 || !(s->wei_n == 1 || s->n == 1);
    p->transposes_wei = bytes == 1 && s->wei_k != 1 && s->k != 1 && prim__ocl_transpose_takes(s);
    REQUIRE(pd, s->m > 0 && s->n > 0 && s->k > 0, "M, N or K is 0");
    REQUIRE(pd, s->src_k == 1 || s->k == 1, "src is not contiguous along K (stride %lld)",
            (long long)s->src_k);
    REQUIRE(pd, !p->wei_along_k || p->transposes_wei || s->wei_k == 1 || s->k == 1,
            "weights are contiguous neither along K nor along N (8-bit: N×K, or a single matrix of "
            "K×N)");
    prim__ocl_align_init(&p->align, s, p->wei_along_k, (size_t)bytes);
    ocl_align_operand_t *const src = &p->align.src, *const wei = &p->align.wei;
    src->pitch = stride_of(src->pitch, src->nrows, src->row_elems, unit);
    wei->pitch = p->transposes_wei ? prim__ocl_transpose_pitch(s)
                                   : stride_of(wei->pitch, wei->nrows, wei->row_elems, unit);
    return PRIM_SUCCESS;
}

// Whether rows, products and the start of an operand are at multiples of 16 bytes, and rows do not
// lie on each other: the strides of tensor maps are positive.
static bool is_aligned_operand(
        const ocl_align_operand_t *operand, const matmul_shape_t *s, prim_dim_t offset0, int bytes)
{
    return operand->pitch > 0 &&
           prim__ocl_mma_is_even(s, operand->pitch, operand->batch, (size_t)bytes) &&
           offset0 * bytes % 16 == 0;
}

// Tensor maps need that: other operands are copied first. Where the start of memory is known only
// at execution, there is a second kernel.
static void choose_copies(ocl_wgmma_pd_t *p, int bytes)
{
    const prim_desc_t *const pd = &p->base;
    const matmul_shape_t *const s = &p->gemm.shape;
    if (!is_aligned_operand(&p->align.src, s, prim__pd_md(pd, PRIM_ARG_SRC)->offset0, bytes))
        prim__ocl_align_copy(&p->align.src, s, (size_t)bytes);
    if (!p->transposes_wei && !is_aligned_operand(&p->align.wei, s,
                                      prim__pd_md(pd, PRIM_ARG_WEIGHTS)->offset0, bytes))
        prim__ocl_align_copy(&p->align.wei, s, (size_t)bytes);
}

// Products of f16 in a cycle of a compute unit with one group, and with as many as it holds; bytes
// are twice as fast. Copies of single work-items reach 0.6 of those by tensor maps, and 0 where
// their addresses and the sums need more registers than there are.
static ocl_tile_speed_t speed_of(
        bool by_maps, const ocl_device_t *device, const tile_t *t, int elem_bytes)
{
    enum { ALONE, FULL, GATHER };
    // A warp group's matrix unit has 16 times the products of the lanes.
    const double rate =
            prim__ocl_estimate_tile_rate(16. * prim__ocl_estimate_lanes(device), t->bm, t->bn);
    const ocl_measured_values_t speeds = prim__ocl_measured_config(device,
            MEASURED_MATMUL_WGMMA_TILES, (ocl_tune_params_t){{t->bm, t->bn, t->stages}},
            (ocl_measured_values_t){{rate, rate, t->bm > 128 ? 0 : 0.6 * rate}});
    const double faster = 2.0 / elem_bytes;
    return (ocl_tile_speed_t){t->bm, t->bn, DEPTH_BYTES / elem_bytes,
            speeds.values[by_maps ? ALONE : GATHER] * faster,
            speeds.values[by_maps ? FULL : GATHER] * faster, false, false, 0, 0};
}

// Whether sums may go out as 16 bits from registers, whatever dst starts at: is_raw_target().
static bool is_raw_target(const ocl_wgmma_pd_t *p)
{
    return prim__ocl_mma_short_type(&p->gemm, &p->base) != PRIM_DATA_TYPE_UNDEF &&
           p->gemm.shape.dst_m % 8 == 0 && p->gemm.shape.n % 8 == 0;
}

// A work-group takes several tiles one by one where it fills a compute unit and leaves local memory
// to the next tile's copies.
static bool takes_several(const ocl_wgmma_pd_t *p, const tile_t *t)
{
    return (!p->has_unit || (t->bm == 128 && t->bn == 256)) &&
           prim__matmul_nbatches(&p->gemm.shape) == 1 && is_raw_target(p);
}

// How many times slower teams in turns are where a row of a stage, 128 bytes, may lie in two lines
// of the cache: their tiles read more of it for each product than larger ones.
static double line_slowdown(const ocl_wgmma_pd_t *p)
{
    const prim_dim_t bytes = (prim_dim_t)p->align.elem_bytes;
    const double both =
            prim__ocl_measured(prim__ocl_device(p->base.engine), MEASURED_MATMUL_PINGPONG_LINES, 1);
    const int noperands = (p->align.src.pitch * bytes % DEPTH_BYTES != 0) +
                          (p->align.wei.pitch * bytes % DEPTH_BYTES != 0);
    return 1 + (both - 1) * noperands / 2;
}

// Cycles of an element that bias and post-ops take by way of local memory: of 40 words, as its sum.
static double finish_of(const ocl_wgmma_pd_t *p)
{
    const prim_desc_t *const pd = &p->base;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    if (pd->attr.post_ops.len == 0 && !prim__pd_has(pd, PRIM_ARG_BIAS)) return 0;
    return prim__ocl_measured(
            device, MEASURED_MATMUL_FINISH_CYCLES, 40. / prim__ocl_estimate_lanes(device));
}

// Whether the device can hold the tile; `speed`: how fast it is there, of `by_maps` or of
// work-items that copy.
static bool offers(
        const ocl_wgmma_pd_t *p, int tile, bool by_maps, bool pingpong, ocl_tile_speed_t *speed)
{
    const bool is_plain_c = tiles[tile].stages < 3;
    if (tiles[tile].pingpong != pingpong || (p->has_unit && is_plain_c)) return false;
    const prim_engine_t *const engine = p->base.engine;
    const tile_t *const t = &tiles[tile];
    const int bytes = (int)p->align.elem_bytes;
    *speed = speed_of(by_maps && p->has_unit, prim__ocl_device(engine), t, bytes);
    speed->overlaps_ends = t->pingpong || (by_maps && takes_several(p, t));
    speed->takes_all_k = t->pingpong;
    speed->finish = t->pingpong ? 0 : finish_of(p);
    const double slower = t->pingpong ? line_slowdown(p) : 1;
    speed->rate_alone /= slower;
    speed->rate_full /= slower;
    // Sums of rows and columns would not find registers beside the products', and need a second
    // group that multiplies meanwhile.
    const bool is_tight =
            prim__ocl_mma_has_zero_points(&p->gemm) && (t->bm * t->bn > 128 * 128 || t->stages > 4);
    return speed->rate_full > 0 && !is_tight &&
           fits(prim__ocl_device(engine), t, p->has_unit, prim__ocl_feature_local_bytes(engine));
}

// The cheapest by the model that the device can hold.
static bool choose_tile(ocl_wgmma_pd_t *p)
{
    const prim_dim_t longest = prim__ocl_gemm_longest(&p->gemm, &p->base, 1);
    ocl_tune_t tune;
    prim__ocl_tune_start(&tune, &p->base, OCL_TILING_PARAMS);
    for (int i = p->has_unit ? 0 : SMALLEST; i < NTILES; ++i) {
        ocl_tile_speed_t speed;
        if (!offers(p, i, p->has_maps, p->pingpong, &speed)) continue;
        if (prim__ocl_tiling_offer(&p->tiling, &tune, prim__ocl_device(p->base.engine),
                    &p->gemm.shape, &speed, longest, tiles[i].stages))
            p->tile = i;
    }
    return prim__ocl_tune_has_choice(&tune);
}

// Cycles of the cheapest tile, `slower` times slower than with operands that are aligned.
static double cycles_of(const ocl_wgmma_pd_t *p, bool by_maps, bool pingpong, double slower)
{
    const prim_dim_t longest = prim__ocl_gemm_longest(&p->gemm, &p->base, 1);
    double best = 0;
    for (int i = p->has_unit ? 0 : SMALLEST; i < NTILES; ++i) {
        ocl_tile_speed_t speed;
        if (!offers(p, i, by_maps, pingpong, &speed)) continue;
        speed.rate_alone /= slower;
        speed.rate_full /= slower;
        const double cycles = prim__ocl_tiling_cycles(
                prim__ocl_device(p->base.engine), &p->gemm.shape, &speed, longest);
        if (best == 0 || cycles < best) best = cycles;
    }
    return best;
}

// Asynchronous copies of aligned rows are faster, but the rows have to be copied first.
static prim_status_t prefer_gather(ocl_wgmma_pd_t *p, prim_desc_t *pd)
{
    const matmul_shape_t *const s = &p->gemm.shape;
    if (!prim__ocl_align_copies(&p->align)) return PRIM_SUCCESS;
    REQUIRE(pd, prim__ocl_align_fits(&p->align),
            "rows are not 16-byte aligned, and copies would have 2^31 or more vectors");
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    p->aligns_itself = !p->transposes_wei && prim__ocl_align_by_product(&p->align, pd);
    const double copies = prim__ocl_align_cycles(&p->align, device, p->aligns_itself);
    const double slower = prim__ocl_align_slowdown(&p->align, s, device, p->transposes_wei);
    PREFER_OTHER_UNLESS(pd,
            cycles_of(p, true, false, 1) + copies <= cycles_of(p, false, false, slower),
            "rows of src or weights are not 16-byte aligned, and to copy them takes longer than it "
            "gains");
    return PRIM_SUCCESS;
}

// Of the kernel that takes tensors with any start.
static int any_start_of(const ocl_wgmma_pd_t *pd)
{
    return pd->has_unit ? ANY_START : SMALLEST;
}

static ocl_range_t range_of(const ocl_wgmma_pd_t *pd, int tile)
{
    ocl_tiling_t tiling = pd->tiling;
    tiling.bm = tiles[tile].bm;
    tiling.bn = tiles[tile].bn;
    return prim__ocl_tiling_range(&tiling, &pd->gemm.shape, 0, 0, items_of(&tiles[tile]));
}

// As many groups as compute units, where they take several tiles.
static void limit_groups(ocl_range_t *range, const ocl_wgmma_pd_t *pd, const ocl_args_t *dst_args)
{
    const size_t units = (size_t)prim__ocl_device(pd->base.engine)->compute_units;
    const bool can =
            pd->pingpong || (takes_several(pd, &tiles[pd->tile]) && pd->tiling.nsplits == 1 &&
                                    prim__ocl_tiling_place(dst_args, 2) % 8 == 0);
    if (can && range->global[0] > units * range->local[0])
        range->global[0] = units * range->local[0];
}

// What is known of the units; by the traits first: self-tests run last.
static prim_status_t init_units(ocl_wgmma_pd_t *p, bool by_maps)
{
    prim_desc_t *const pd = &p->base;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const prim_data_type_t type = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    p->has_unit = device->nv_capability_major == 9 && device->nv_capability_minor == 0 &&
                  prim__ocl_device_trusts_type(pd->engine, OCL_FEATURE_WGMMA_F16, type);
    p->has_maps = by_maps;
    REQUIRE(pd,
            !by_maps || !p->has_unit ||
                    prim__ocl_device_trusts_type(pd->engine, OCL_FEATURE_TENSOR_MAPS_F16, type),
            "tensor maps (TMA) did not pass their self-test");
    TRY(prim__ocl_prefer_matrix_units(pd, p->has_unit));
    return PRIM_SUCCESS;
}

// In the order in which they are added: product, sum of splits, and these.
static void number_kernels(ocl_wgmma_pd_t *p)
{
    int n = p->tiling.nsplits > 1 ? 2 : 1;
    p->transpose_kernel = p->transposes_wei ? n++ : 0;
    p->align_kernel = prim__ocl_align_copies(&p->align) ? n++ : 0;
    p->can_start_anywhere =
            p->pingpong ||
            (p->has_maps &&
                    (p->align.src.nvecs == 0 || (p->align.wei.nvecs == 0 && !p->transposes_wei)));
}

static size_t ngroups_of(const ocl_range_t *range)
{
    return range->global[0] / range->local[0] * range->global[1];
}

static void book(ocl_wgmma_pd_t *p, prim_desc_t *pd)
{
    prim__ocl_tiling_book(&p->tiling, pd, &p->gemm);
    p->tiling.waits = p->aligns_itself;
    prim__ocl_align_book(&p->align, pd);
    if (p->has_maps) {
        const ocl_range_t range = range_of(p, p->tile);
        p->maps_offset = prim__pd_book_scratchpad(pd, ngroups_of(&range) * MAPS_BYTES + 127);
    }
    if (p->transposes_wei)
        p->turned_offset =
                prim__pd_book_scratchpad(pd, (size_t)(p->gemm.shape.n * p->align.wei.pitch));
}

// Teams that take tiles in turns are for tiles whose ends take long.
static prim_status_t prefer_pingpong(ocl_wgmma_pd_t *p, prim_desc_t *pd)
{
    if (!p->pingpong) return PRIM_SUCCESS;
    TRY(prim__ocl_pingpong_takes(p));
    const size_t dst_bytes = prim_data_type_size(prim__pd_md(pd, PRIM_ARG_DST)->data_type);
    PREFER_OTHER_UNLESS(pd,
            prim__ocl_pingpong_is_bound_by_stores(&p->gemm.shape, p->align.elem_bytes, dst_bytes) ||
                    cycles_of(p, true, true, 1) < cycles_of(p, true, false, 1),
            "work-groups with one tile at a time are faster");
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_wgmma_init_pd(prim_desc_t *pd, ocl_wgmma_kind_t kind)
{
    ocl_wgmma_pd_t *const p = (ocl_wgmma_pd_t *)pd;
    const bool by_maps = kind != OCL_WGMMA_GATHER;
    const int bytes = (int)prim_data_type_size(prim__pd_md(pd, PRIM_ARG_SRC)->data_type);
    p->pingpong = kind == OCL_WGMMA_PINGPONG;
    TRY(prim__ocl_mma_init_types(&p->gemm, pd));
    TRY(init_operands(p, bytes));
    TRY(init_units(p, by_maps));
    if (by_maps) choose_copies(p, bytes);
    TRY(prefer_gather(p, pd));
    TRY(prefer_pingpong(p, pd));
    REQUIRE(pd, choose_tile(p), "no tile fits the work-groups and the local memory of the device");
    book(p, pd);
    number_kernels(p);
    return PRIM_SUCCESS;
}

// Launches what copies operands.
static prim_status_t launch_copies(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const ocl_wgmma_pd_t *const pd = (const ocl_wgmma_pd_t *)p->base.pd;
    const matmul_shape_t *const s = &pd->gemm.shape;
    if (pd->align_kernel)
        TRY(prim__ocl_align_launch(p->kernels[pd->align_kernel], &pd->align, s, ctx));
    if (pd->transpose_kernel)
        TRY(prim__ocl_transpose_launch(
                p->kernels[pd->transpose_kernel], s, ctx, pd->turned_offset));
    return PRIM_SUCCESS;
}

// Those of ocl_matmul_wgmma.cl alone.
static void wgmma_options(ocl_options_t *options, const ocl_wgmma_pd_t *pd, bool by_maps)
{
    prim__ocl_options_int(options, "MAPS", by_maps);
    prim__ocl_options_int(options, "ALIGNS", by_maps && pd->aligns_itself);
    prim__ocl_options_int(options, "SHORT_DT",
            pd->tiling.nsplits > 1 ? 0 : (int)prim__ocl_mma_short_type(&pd->gemm, &pd->base));
    prim__ocl_mma_zero_point_options(options, &pd->gemm, &pd->base);
    const int width = prim__ocl_gemm_vector_width(&pd->gemm, &pd->base);
    prim__ocl_gemm_options_vectors(options, &pd->gemm, &pd->base, width);
    // Elsewhere the same program serves all types: it is there for tests.
    if (pd->has_unit || width > 1) prim__ocl_gemm_type_options(options, &pd->base);
}

static void build_options(ocl_options_t *options, const ocl_wgmma_pd_t *pd, int tile, bool by_maps)
{
    const tile_t *const t = &tiles[tile];
    prim__ocl_options_init(options);
    prim__ocl_options_int(options, "RETARGET", pd->has_unit);
    prim__ocl_options_int(options, "ASYNC_COPY", pd->has_unit);
    prim__ocl_options_int(options, "COPY_16_KEEPS", 0);
    prim__ocl_options_int(options, "MMA_ACROSS_BYTES", DEPTH_BYTES);
    prim__ocl_mma_type_options(options, &pd->base);
    prim__ocl_options_int(options, "BM", t->bm);
    prim__ocl_options_int(options, "BN", t->bn);
    prim__ocl_options_int(options, "STAGES", t->stages);
    prim__ocl_options_int(options, "WEI_ALONG_K", pd->wei_along_k);
    if (t->pingpong)
        prim__ocl_pingpong_options(options, pd);
    else
        wgmma_options(options, pd, by_maps);
    prim__ocl_tiling_options(options, &pd->tiling, &pd->base);
}

static prim_status_t add_product(ocl_primitive_t *p, const ocl_wgmma_pd_t *pd)
{
    ocl_options_t options;
    build_options(&options, pd, pd->tile, pd->has_maps);
    if (pd->pingpong)
        return prim__ocl_primitive_add_kernel(
                p, &prim__ocl_matmul_wgmma_pingpong_cl, &options, "matmul_wgmma_pingpong");
    return prim__ocl_primitive_add_kernel(p, &prim__ocl_matmul_wgmma_cl, &options, "matmul_wgmma");
}

prim_status_t prim__ocl_wgmma_init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_wgmma_pd_t *const pd = (const ocl_wgmma_pd_t *)primitive->pd;
    ocl_options_t options;
    TRY(add_product(p, pd));
    TRY(prim__ocl_tiling_add_kernel(p, &pd->tiling, &pd->gemm));
    if (pd->can_start_anywhere) {
        build_options(&options, pd, any_start_of(pd), false);
        TRY(prim__ocl_primitive_add_on_demand(
                p, &prim__ocl_matmul_wgmma_cl, &options, "matmul_wgmma"));
    }
    if (pd->transpose_kernel) TRY(prim__ocl_transpose_add_kernel(p));
    if (pd->align_kernel) TRY(prim__ocl_align_add_kernel(p, &pd->align));
    return prim__ocl_gemm_add_data(p, &pd->gemm);
}

// Whether the tensor that was added last starts at a multiple of 16 bytes.
static bool is_aligned(const ocl_args_t *args, const ocl_wgmma_pd_t *pd)
{
    const size_t bytes = pd->align.elem_bytes;
    return prim__ocl_tiling_place(args, bytes) * (int64_t)bytes % 16 == 0;
}

// The kernel of tensor maps, or, where tensors start anywhere, the one whose work-items copy.
static prim_status_t choose_kernel(const ocl_kernel_t **kernel, ocl_range_t *range,
        const ocl_primitive_t *p, bool by_maps, const ocl_args_t *dst_args)
{
    const ocl_wgmma_pd_t *const pd = (const ocl_wgmma_pd_t *)p->base.pd;
    const bool is_other = pd->has_maps && !by_maps;
    *range = range_of(pd, is_other ? any_start_of(pd) : pd->tile);
    if (by_maps) limit_groups(range, pd, dst_args);
    *kernel = p->kernels[0];
    return is_other ? prim__ocl_on_demand_get(kernel, p->on_demand) : PRIM_SUCCESS;
}

prim_status_t prim__ocl_wgmma_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_wgmma_pd_t *const pd = (const ocl_wgmma_pd_t *)primitive->pd;
    const matmul_shape_t *const s = &pd->gemm.shape;
    ocl_gemm_vectors_t vectors = {0};
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_align_args(&args, ctx, &pd->align, PRIM_ARG_SRC);
    bool by_maps = pd->has_maps && is_aligned(&args, pd);
    if (pd->transposes_wei)
        prim__ocl_args_scratchpad(&args, ctx, pd->turned_offset, 1);
    else
        prim__ocl_align_args(&args, ctx, &pd->align, PRIM_ARG_WEIGHTS);
    by_maps = by_maps && is_aligned(&args, pd);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    by_maps = by_maps && (!pd->pingpong || prim__ocl_pingpong_stores(pd, &args));
    ocl_range_t range;
    const ocl_kernel_t *kernel = NULL;
    TRY(choose_kernel(&kernel, &range, p, by_maps, &args));
    prim__ocl_args_i64(&args, pd->align.src.pitch);
    prim__ocl_args_i64(&args, pd->align.wei.pitch);
    prim__ocl_gemm_args_batch(&args, &vectors, s, pd->align.src.batch, 0);
    prim__ocl_gemm_args_batch(&args, &vectors, s, pd->align.wei.batch, 0);
    if (by_maps) prim__ocl_args_scratchpad(&args, ctx, pd->maps_offset, 1);
    const bool by_product = by_maps && pd->aligns_itself && prim__ocl_has_counters(ctx) &&
                            ngroups_of(&range) < MOST_GROUPS;
    ocl_align_rows_t rows[2];
    if (by_maps && pd->aligns_itself)
        TRY(prim__ocl_align_args_product(&args, rows, &pd->align, s,
                prim__ocl_device(pd->base.engine), ctx, ngroups_of(&range), by_product));
    if (!by_product) TRY(launch_copies(p, ctx));
    TRY(prim__ocl_tiling_args(&args, &vectors, &pd->tiling, &pd->gemm, p, ctx, 0));
    TRY(prim__ocl_launch(ctx, kernel, &range, &args));
    return prim__ocl_tiling_reduce(p, &pd->tiling, &pd->gemm, ctx);
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_gemm_set_for_units(pd));
    return prim__ocl_wgmma_init_pd(pd, OCL_WGMMA_MAPS);
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
