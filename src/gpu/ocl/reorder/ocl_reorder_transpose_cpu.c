// SPDX-License-Identifier: Apache-2.0
// Reorder on CPU-type devices between layouts whose contiguous dimensions differ: square blocks are
// transposed in registers.
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_nontemporal.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_reorder_transpose.h"

extern const ocl_source_t prim__ocl_reorder_transpose_cpu_cl;
extern const impl_t prim__ocl_reorder_transpose_cpu;

enum {
    BLOCK = 16,        ///< elements of a side of a block at least, as in the .cl
    LINE_BYTES = 64,   ///< of a row of a block that is moved as words
    MOST_BLOCKS = 4,   ///< blocks of a tile along y
    PAGE_BYTES = 4096, ///< of memory, on most processors
};

typedef struct {
    reorder_pd_t reorder;
    ocl_nest_t nest;
    bool has_tails;
    int side;   ///< elements of a side of a block
    int blocks; ///< blocks of a tile along y
    int across; ///< the same along x
    ocl_transpose_range_t range;
} transpose_pd_t;

_Static_assert(offsetof(transpose_pd_t, reorder) == 0, "the base comes first");

/// What a work-item takes: bands of `blocks` blocks, as many as stay in a second-level cache and
/// leave several work-items to every core; along x a page of src, so that dst has few.
static void choose_pieces(transpose_pd_t *pd, const ocl_device_t *device)
{
    const int64_t nx = pd->nest.extents[NEST_ROW], ny = pd->nest.extents[NEST_INNER];
    const int64_t band = prim__min(ny, pd->blocks * pd->side);
    const int64_t nelems = nx * ny * prim__ocl_nest_outer(&pd->nest);
    const int core_items = prim__ocl_measured_int(device, MEASURED_TRANSPOSE_CPU_CORE_ITEMS, 8);
    const int item_bytes =
            prim__ocl_measured_int(device, MEASURED_TRANSPOSE_CPU_ITEM_BYTES, 512 << 10);
    const int x_bytes = prim__ocl_measured_int(device, MEASURED_TRANSPOSE_CPU_X_BYTES, PAGE_BYTES);
    const int64_t share = nelems / ((int64_t)device->compute_units * core_items);
    const int64_t bytes =
            (int64_t)prim__dt_bytes(prim__pd_md(&pd->reorder.base, PRIM_ARG_TO)->data_type);
    const int64_t wanted = prim__min(item_bytes / bytes, share);
    const int64_t tile_x = (int64_t)pd->across * pd->side;
    int64_t per_x = prim__min(x_bytes / bytes, wanted / band) / tile_x * tile_x;
    per_x = prim__min(nx, prim__max(per_x, tile_x));
    pd->range.per_x = per_x;
    pd->range.per_y = prim__min(ny, prim__max(wanted / per_x / band, 1) * band);
    pd->range.chunks_x = nx / per_x;
    pd->range.chunks_y = ny / pd->range.per_y;
    pd->range.group_items = 1;
}

/// Blocks of a tile along y: two adjacent cache lines of dst (0.7 to 1 times the bandwidth of
/// memcpy, with one line 0.6 to 0.7), unless the rows of src then lie in more pages than the
/// hardware prefetcher follows (bytes in rows of 8 KiB: 0.58 with 64 rows, 0.44 with 128).
static int choose_blocks(const transpose_pd_t *pd, int64_t src_bytes, int64_t dst_bytes)
{
    const ocl_device_t *const device = prim__ocl_device(pd->reorder.base.engine);
    const int run_bytes =
            prim__ocl_measured_int(device, MEASURED_TRANSPOSE_CPU_RUN_BYTES, 2 * LINE_BYTES);
    const int npages = prim__ocl_measured_int(device, MEASURED_TRANSPOSE_CPU_PAGES, 64);
    const int64_t step = prim__min(pd->nest.strides[1][NEST_INNER] * src_bytes, PAGE_BYTES);
    int64_t blocks = prim__min(run_bytes / (pd->side * dst_bytes), MOST_BLOCKS);
    while (blocks > 1 && blocks * pd->side * step > (int64_t)npages * PAGE_BYTES) blocks /= 2;
    return (int)blocks;
}

/// Blocks of a tile along x. Prefetches are fastest in the order of memory: rows of 256 bytes as a
/// whole (NHWC to NCHW, 64 channels: 0.90 of memcpy, by two blocks 0.73). Short elements need so
/// many rows for a cache line of dst that the hardware prefetcher does not follow all of them.
static int choose_across(const ocl_device_t *device, int64_t nx, int side)
{
    const int whole = prim__ocl_measured_int(device, MEASURED_TRANSPOSE_CPU_WHOLE_BLOCKS, 4);
    if (nx <= (int64_t)whole * side) return (int)(nx / side);
    // Two lines of src; of short elements more, for there are more rows.
    return side == BLOCK ? prim__ocl_measured_int(device, MEASURED_TRANSPOSE_CPU_ACROSS, 2)
           : side == 2 * BLOCK
                   ? prim__ocl_measured_int(device, MEASURED_TRANSPOSE_CPU_ACROSS_2_BYTES, 8)
                   : prim__ocl_measured_int(device, MEASURED_TRANSPOSE_CPU_ACROSS_1_BYTE, 4);
}

/// Elements of 16 or 8 bits that are not converted are transposed as 32-bit words, where blocks of
/// whole cache lines fit.
static void choose_block(transpose_pd_t *pd, const prim_desc_t *base)
{
    const prim_memory_desc_t *const from = prim__pd_md(base, PRIM_ARG_FROM);
    const prim_memory_desc_t *const to = prim__pd_md(base, PRIM_ARG_TO);
    const int64_t nx = pd->nest.extents[NEST_ROW], ny = pd->nest.extents[NEST_INNER];
    const size_t bytes = prim__dt_bytes(to->data_type);
    const int line = LINE_BYTES / (int)bytes;
    const bool only_moves = from->data_type == to->data_type && prim__attr_is_plain(&base->attr);
    // Where vectors are short, as on llvmpipe (Mesa 22.3), such blocks take minutes to compile.
    const bool is_wide = prim__ocl_device(base->engine)->vector_width_f32 >= 8;
    const bool has_words = is_wide && only_moves && bytes <= 2 && nx >= line && ny >= line;
    pd->side = has_words ? line : BLOCK;
    pd->blocks = choose_blocks(pd, (int64_t)prim__dt_bytes(from->data_type), (int64_t)bytes);
    pd->across = choose_across(prim__ocl_device(base->engine), nx, pd->side);
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    transpose_pd_t *const blocks = (transpose_pd_t *)pd;
    TRY(prim__ocl_transpose_find(pd, &blocks->nest, &blocks->has_tails));
    const int64_t nx = blocks->nest.extents[NEST_ROW], ny = blocks->nest.extents[NEST_INNER];
    REQUIRE(pd, nx >= BLOCK && ny >= BLOCK,
            "a contiguous run of src or dst is shorter than a block of %d", BLOCK);
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    PREFER_OTHER_UNLESS(pd, device->is_cpu,
            "the device is a GPU: `reorder:transpose` transposes tiles in local memory");
    choose_block(blocks, pd);
    choose_pieces(blocks, device);
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
    prim__ocl_options_int(&options, "VEC", BLOCK);
    prim__ocl_options_int(&options, "WITH_QUANT", !prim__attr_is_plain(&primitive->pd->attr));
    prim__ocl_options_int(&options, "WITH_TAILS", pd->has_tails);
    prim__ocl_options_int(&options, "BLOCKS", pd->blocks);
    prim__ocl_options_int(&options, "ACROSS", pd->across);
    prim__ocl_options_int(&options, "SIDE", pd->side);
    const bool has_registers = pd->side != BLOCK || prim__ocl_device(primitive->pd->engine)->is_cpu;
    prim__ocl_options_int(&options, "IN_REGISTERS", has_registers);
    prim__ocl_nontemporal_options(&options, primitive->pd, PRIM_ARG_TO,
            prim__min(pd->blocks * pd->side, pd->range.per_y));
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_reorder_transpose_cpu_cl, &options, "transpose_blocks"));
    return prim__ocl_primitive_add_data(p, &pd->nest, sizeof pd->nest);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const transpose_pd_t *const pd = (const transpose_pd_t *)primitive->pd;
    return prim__ocl_transpose_execute(primitive, ctx, &pd->nest, &pd->range);
}

const impl_t prim__ocl_reorder_transpose_cpu = {
        .name = "ocl:reorder:transpose_cpu",
        .pd_size = sizeof(transpose_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
