// SPDX-License-Identifier: Apache-2.0
// Reorder between layouts whose contiguous dimensions differ: tiles are transposed in local memory.
#include "ocl_reorder_transpose.h"

#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/tune/ocl_measured.h"

extern const ocl_source_t prim__ocl_reorder_transpose_cl;
extern const impl_t prim__ocl_reorder_transpose;

enum {
    MAX_TILE = 256, ///< extent of what a group on GPUs moves
    MIN_TILE = 16,  ///< the same
    SQUARE = 64,    ///< the same of the shorter side, or what fills lines of the cache
};

/// Bytes of neighbours in a row of a tile: two lines of a GPU's cache.
static int run_bytes_of(const ocl_device_t *device)
{
    return prim__ocl_measured_int(device, MEASURED_TRANSPOSE_RUN_BYTES, 2 * 128);
}

/// Work-items of a tile's group, eight warps; half as many where words are few.
static int tile_items_of(const ocl_device_t *device)
{
    return prim__ocl_measured_int(device, MEASURED_TRANSPOSE_GROUP_ITEMS, 8 * 32);
}

typedef enum { KERNEL_TILE, KERNEL_THIN } kernel_t;

static const char *const kernel_names[] = {
        [KERNEL_TILE] = "transpose_tile",
        [KERNEL_THIN] = "transpose_thin",
};

typedef struct {
    reorder_pd_t reorder;
    ocl_nest_t nest; ///< NEST_ROW is x, contiguous in src; NEST_INNER is y, contiguous in dst
    bool has_tails;
    kernel_t kernel;
    int64_t per_x, per_y;
    int tile_x, tile_y, tile_items; ///< of KERNEL_TILE
    int word_bytes;                 ///< the same: what its work-items move together
} transpose_pd_t;

_Static_assert(offsetof(transpose_pd_t, reorder) == 0, "the base comes first");

/// The largest tile of which the loop fills at least three quarters.
static int choose_tile(int64_t extent, int largest)
{
    int tile = largest;
    while (tile > MIN_TILE && extent < tile * 3 / 4) tile /= 2;
    return tile;
}

/// A tile of up to SQUARE a side, or of a run, and then as long as it may be
/// for its bytes: the more a work-item moves, the less its index arithmetic matters.
static void choose_tiles(
        transpose_pd_t *transpose, int64_t nx, int64_t ny, int64_t most_elems, int line_elems)
{
    int *const shorter = nx < ny ? &transpose->tile_x : &transpose->tile_y;
    int *const longer = nx < ny ? &transpose->tile_y : &transpose->tile_x;
    const int64_t n = nx < ny ? ny : nx;
    *shorter = choose_tile(prim__min(nx, ny), line_elems > SQUARE ? line_elems : SQUARE);
    while (*shorter > MIN_TILE && (int64_t)*shorter * *shorter > most_elems) *shorter /= 2;
    const int64_t most = most_elems / *shorter;
    *longer = choose_tile(n, most < MAX_TILE ? (int)most : MAX_TILE);
}

/// Whether elements are moved as they are, not as f32.
static bool is_raw(const transpose_pd_t *transpose)
{
    const prim_desc_t *const pd = &transpose->reorder.base;
    return prim__pd_md(pd, PRIM_ARG_FROM)->data_type == prim__pd_md(pd, PRIM_ARG_TO)->data_type &&
           prim__attr_is_plain(&pd->attr);
}

static size_t elem_bytes_of(const transpose_pd_t *transpose)
{
    const prim_desc_t *const pd = &transpose->reorder.base;
    return is_raw(transpose) ? prim__dt_bytes(prim__pd_md(pd, PRIM_ARG_FROM)->data_type)
                             : sizeof(float);
}

/// Elements of a tile: a run a side, or what lets two groups share the local memory of a unit,
/// padding included, or what leaves two tiles to every unit of the device.
static int64_t tile_elems(
        const transpose_pd_t *transpose, size_t elem_bytes, const ocl_device_t *device)
{
    const size_t least_bytes = MIN_TILE * MIN_TILE * sizeof(float);
    const size_t local_bytes = prim__ocl_feature_local_bytes(transpose->reorder.base.engine);
    const size_t run_bytes = (size_t)run_bytes_of(device);
    size_t bytes = run_bytes * run_bytes / elem_bytes;
    while (bytes > least_bytes && bytes * 5 / 2 > local_bytes) bytes /= 2;
    const ocl_nest_t *const nest = &transpose->nest;
    const int64_t nelems =
            nest->extents[NEST_ROW] * nest->extents[NEST_INNER] * prim__ocl_nest_outer(nest);
    while (bytes > least_bytes &&
            nelems * (int64_t)elem_bytes < 2 * (int64_t)bytes * device->compute_units)
        bytes /= 2;
    return (int64_t)(bytes / elem_bytes);
}

/// The widest words in which tiles may move: as aligned as the strides allow, and narrow enough
/// that every work-item has a square of them. Whether the tensors are aligned too is tested in the
/// kernel, which else moves single elements.
static void choose_words(transpose_pd_t *transpose, int tile_items)
{
    if (!is_raw(transpose)) return;
    const ocl_nest_t *const nest = &transpose->nest;
    const int64_t elem_bytes = (int64_t)elem_bytes_of(transpose);
    int64_t strides = nest->strides[1][NEST_INNER] | nest->strides[0][NEST_ROW];
    for (int i = 0; i < NEST_ROW; ++i) strides |= nest->strides[0][i] | nest->strides[1][i];
    const int64_t row_bytes = prim__min(transpose->tile_x, transpose->tile_y) * elem_bytes;
    const int64_t square_bytes = transpose->tile_x * transpose->tile_y * elem_bytes * elem_bytes;
    int word_bytes = row_bytes >= 8 * 16 ? 16 : 8; // fewer words in a row fall on the same banks
    while (word_bytes > 4 && (strides * elem_bytes % word_bytes != 0 ||
                                     square_bytes < word_bytes * word_bytes * tile_items / 2))
        word_bytes /= 2;
    transpose->word_bytes = word_bytes;
    const int64_t most_items = square_bytes / (word_bytes * word_bytes);
    if (most_items < tile_items && most_items >= tile_items / 2) transpose->tile_items /= 2;
}

static void choose_kernel(transpose_pd_t *transpose, const ocl_device_t *device)
{
    const int64_t nx = transpose->nest.extents[NEST_ROW];
    const int64_t ny = transpose->nest.extents[NEST_INNER];
    const int64_t shorter = prim__min(nx, ny);
    transpose->tile_x = transpose->tile_y = MIN_TILE;
    transpose->tile_items = tile_items_of(device);
    // From so many elements of the shorter loop on a tile, of 16 of them, is at least half full.
    const int short_elems =
            prim__ocl_measured_int(device, MEASURED_TRANSPOSE_SHORT_ELEMS, MIN_TILE / 2);
    transpose->word_bytes = 4;
    if (!device->is_cpu && shorter >= short_elems &&
            device->max_group_items >= (size_t)transpose->tile_items) {
        transpose->kernel = KERNEL_TILE;
        const size_t elem_bytes = elem_bytes_of(transpose);
        choose_tiles(transpose, nx, ny, tile_elems(transpose, elem_bytes, device),
                run_bytes_of(device) / (int)elem_bytes);
        choose_words(transpose, transpose->tile_items);
        transpose->per_x = transpose->tile_x;
        transpose->per_y = transpose->tile_y;
    } else {
        // Of the longer loop, what is worth the start of a work-item.
        const int64_t per_long =
                device->is_cpu ? prim__ocl_measured_int(device, MEASURED_TRANSPOSE_THIN_ELEMS, 1024)
                               : 1;
        transpose->kernel = KERNEL_THIN;
        transpose->per_x = nx < ny ? shorter : per_long;
        transpose->per_y = nx < ny ? per_long : shorter;
    }
}

prim_status_t prim__ocl_transpose_find(prim_desc_t *pd, ocl_nest_t *nest, bool *has_tails)
{
    const prim_memory_desc_t *const mds[] = {
            prim__pd_md(pd, PRIM_ARG_TO), prim__pd_md(pd, PRIM_ARG_FROM)};
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    REQUIRE(pd, pd->attr.post_ops.len == 0,
            "the sum post-op reads dst; this variant only writes it");
    REQUIRE(pd, !prim__ocl_reorder_has_masks(&pd->attr), "scales or zero points have a mask");
    loops_t loops;
    REQUIRE(pd, prim__ocl_loops_init(&loops, mds, 2),
            "the block sizes of src and dst do not divide each other");
    REQUIRE(pd, loops.n <= NEST_LOOPS, "the layouts make a nest of %d loops, at most %d are taken",
            loops.n, NEST_LOOPS);
    const int y = prim__ocl_loops_unit(&loops, 0);
    REQUIRE(pd, y >= 0, "no dimension of dst is contiguous");
    prim__ocl_loops_move(&loops, y, loops.n - 1);
    const int x = prim__ocl_loops_unit(&loops, 1);
    REQUIRE(pd, x >= 0, "no dimension of src is contiguous");
    REQUIRE(pd, x != loops.n - 1,
            "src and dst are contiguous along the same dimension: `reorder:copy_runs` takes that");
    prim__ocl_loops_move(&loops, x, loops.n - 2);
    *nest = prim__ocl_nest(&loops);
    *has_tails = loops.ntails > 0;
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    transpose_pd_t *const transpose = (transpose_pd_t *)pd;
    TRY(prim__ocl_transpose_find(pd, &transpose->nest, &transpose->has_tails));
    choose_kernel(transpose, prim__ocl_device(pd->engine));
    return prim__ocl_reorder_init_sides(pd);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const transpose_pd_t *const pd = (const transpose_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "SRC", prim__pd_md(primitive->pd, PRIM_ARG_FROM)->data_type);
    prim__ocl_options_type(&options, "DST", prim__pd_md(primitive->pd, PRIM_ARG_TO)->data_type);
    prim__ocl_options_int(&options, "VEC", 16);
    prim__ocl_options_int(&options, "WITH_QUANT", !prim__attr_is_plain(&primitive->pd->attr));
    prim__ocl_options_int(&options, "WITH_TAILS", pd->has_tails);
    prim__ocl_options_int(&options, "THIN", pd->kernel == KERNEL_THIN);
    prim__ocl_options_int(&options, "WORD_BYTES", pd->word_bytes);
    prim__ocl_options_int(&options, "TILE_X", pd->tile_x);
    prim__ocl_options_int(&options, "TILE_Y", pd->tile_y);
    prim__ocl_options_int(&options, "TILE_ITEMS", pd->tile_items);
    // On an NVIDIA H200 groups along y took 0.1334 ms for 0.1358 (f32), but 0.143 for 0.138 with
    // the largest tiles of bytes.
    prim__ocl_options_int(&options, "Y_FIRST", pd->tile_x < MAX_TILE || pd->tile_y < MAX_TILE);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_reorder_transpose_cl, &options, kernel_names[pd->kernel]));
    return prim__ocl_primitive_add_data(p, &pd->nest, sizeof pd->nest);
}

prim_status_t prim__ocl_transpose_execute(const prim_t *primitive, const exec_ctx_t *ctx,
        const ocl_nest_t *nest, const ocl_transpose_range_t *range)
{
    const ocl_kernel_t *const kernel = ((const ocl_primitive_t *)primitive)->kernels[0];
    const prim_attr_t *const attr = &primitive->pd->attr;
    const int64_t nitems = range->chunks_x * range->chunks_y * prim__ocl_nest_outer(nest);
    ocl_args_t args;
    TRY(prim__ocl_reorder_upload(primitive, ctx));
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, ((const ocl_primitive_t *)primitive)->data[0]);
    prim__ocl_reorder_args(&args, primitive, ctx);
    const int64_t sizes[] = {nest->extents[NEST_ROW], nest->extents[NEST_INNER],
            nest->strides[1][NEST_INNER], nest->strides[0][NEST_ROW], range->per_x, range->per_y,
            range->chunks_x, range->chunks_y, nitems};
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; ++i) prim__ocl_args_i64(&args, sizes[i]);
    if (!prim__attr_is_plain(attr)) prim__ocl_reorder_args_quants(&args, ctx, attr);
    const ocl_range_t launch = range->group_items
                                       ? prim__ocl_range_groups(nitems, (size_t)range->group_items)
                                       : prim__ocl_range_1d(kernel, nitems);
    TRY(prim__ocl_launch(ctx, kernel, &launch, &args));
    return prim__ocl_reorder_download(primitive, ctx);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const transpose_pd_t *const pd = (const transpose_pd_t *)primitive->pd;
    const ocl_nest_t *const nest = &pd->nest;
    const ocl_transpose_range_t range = {.per_x = pd->per_x,
            .per_y = pd->per_y,
            .chunks_x = prim__ceil_div(nest->extents[NEST_ROW], pd->per_x),
            .chunks_y = prim__ceil_div(nest->extents[NEST_INNER], pd->per_y),
            .group_items = pd->kernel == KERNEL_TILE ? pd->tile_items : 0};
    return prim__ocl_transpose_execute(primitive, ctx, nest, &range);
}

const impl_t prim__ocl_reorder_transpose = {
        .name = "ocl:reorder:transpose",
        .pd_size = sizeof(transpose_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
