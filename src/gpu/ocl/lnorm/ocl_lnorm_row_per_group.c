// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of contiguous rows: one work-group, or a part of one, per row; on CPU-type
// devices one work-item per row.
#include "common/int_math.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_nest.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_lnorm.h"

extern const ocl_source_t prim__ocl_lnorm_row_per_group_cl;
extern const impl_t prim__ocl_lnorm_row_per_group;

enum {
    VEC = 4,
    MAX_GROUP = 1024, ///< work-items of a group
    MIN_ROW_ITEMS = 8,
    MAX_PER_ITEM = 8, ///< vectors of a row that a work-item keeps in registers
};

typedef struct {
    prim_desc_t base;
    ocl_nest_t nest; ///< tensor 0 dst, 1 src, 2 the statistics
    int64_t nrows, elems;
    int per_item; ///< vectors that a work-item keeps; 0: src is read three times
    int row_items, group_items;
} row_pd_t;

_Static_assert(offsetof(row_pd_t, base) == 0, "the base comes first");

/// The statistics with a last dimension of 1, so that their rank is that of src.
static prim_memory_desc_t stretch(const prim_memory_desc_t *stat, int ndims)
{
    prim_memory_desc_t md = *stat;
    md.ndims = ndims;
    md.dims[ndims - 1] = md.padded_dims[ndims - 1] = 1;
    md.padded_offsets[ndims - 1] = 0;
    md.strides[ndims - 1] = 1;
    return md;
}

/// Loops over the rows; the two innermost ones of the nest are of 1.
static prim_status_t init_nest(row_pd_t *wg)
{
    prim_desc_t *const pd = &wg->base;
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    const bool has_stat = prim__pd_has(pd, PRIM_ARG_MEAN);
    prim_memory_desc_t stat = {0};
    if (has_stat) {
        const prim_memory_desc_t *const md = prim__pd_md(pd, PRIM_ARG_MEAN);
        REQUIRE(pd, prim__md_is_plain(md) && !prim__md_is_padded(md),
                "mean or variance is blocked or padded");
        stat = stretch(md, dst->ndims);
    }
    const prim_memory_desc_t *const mds[] = {dst, prim__pd_md(pd, PRIM_ARG_SRC), &stat};
    loops_t loops;
    REQUIRE(pd, prim__ocl_loops_init_without(&loops, mds, has_stat ? 3 : 2, dst->ndims - 1),
            "src or dst has a blocked layout");
    REQUIRE(pd, loops.ntails == 0, "src or dst is padded");
    REQUIRE(pd, loops.n + 2 <= NEST_LOOPS,
            "the layouts make a nest of %d loops, at most %d are taken", loops.n + 2, NEST_LOOPS);
    prim__ocl_loops_pad(&loops, loops.n + 2);
    prim__ocl_loops_move(&loops, 0, loops.n - 1);
    prim__ocl_loops_move(&loops, 0, loops.n - 1);
    wg->nest = prim__ocl_nest(&loops);
    wg->nrows = prim__ocl_nest_outer(&wg->nest);
    return PRIM_SUCCESS;
}

static bool is_contiguous(const prim_desc_t *pd, int arg)
{
    const prim_memory_desc_t *const md = prim__pd_md(pd, arg);
    const int last = md->ndims - 1;
    return md->dims[last] == 1 || md->strides[last] == 1;
}

/// As many work-items a row as have two vectors each, and more where registers would not hold it.
static void choose_items(row_pd_t *wg, const ocl_device_t *device)
{
    const int64_t nvectors = prim__ceil_div(wg->elems, VEC);
    // Eight warps, as long as rows need no more.
    const int wanted = prim__ocl_measured_int(device, MEASURED_LNORM_GROUP_ITEMS, 8 * 32);
    const int64_t most =
            device->max_group_items < MAX_GROUP ? (int64_t)device->max_group_items : MAX_GROUP;
    wg->row_items = device->is_cpu ? 1 : MIN_ROW_ITEMS;
    if (!device->is_cpu)
        while (wg->row_items * 2 <= most &&
                (wg->row_items < wanted ? wg->row_items * 2 <= nvectors
                                        : wg->row_items * MAX_PER_ITEM < nvectors))
            wg->row_items *= 2;
    wg->group_items = wg->row_items;
    while (!device->is_cpu && wg->group_items < wanted && wg->group_items * 2 <= most)
        wg->group_items *= 2;
    wg->per_item = 1;
    while (wg->per_item <= MAX_PER_ITEM && (int64_t)wg->per_item * wg->row_items < nvectors)
        wg->per_item *= 2;
    if (wg->per_item > MAX_PER_ITEM) wg->per_item = 0;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    row_pd_t *const wg = (row_pd_t *)pd;
    TRY(prim__ocl_lnorm_init(pd));
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    REQUIRE(pd, !prim__md_is_empty(src), "src has no elements");
    REQUIRE(pd, !prim__post_ops_have_operand(&pd->attr.post_ops),
            "a post-op has an operand; this variant does not compute positions in dst");
    REQUIRE(pd, is_contiguous(pd, PRIM_ARG_SRC) && is_contiguous(pd, PRIM_ARG_DST),
            "src or dst is not contiguous along the last dimension");
    REQUIRE(pd, device->max_group_items >= MIN_ROW_ITEMS,
            "the device runs work-groups of at most %zu work-items, %d are needed",
            device->max_group_items, MIN_ROW_ITEMS);
    REQUIRE(pd, device->local_bytes >= MAX_GROUP * sizeof(float),
            "the device has less than %zu bytes of local memory", MAX_GROUP * sizeof(float));
    TRY(init_nest(wg));
    wg->elems = src->dims[src->ndims - 1];
    choose_items(wg, device);
    REQUIRE(pd, wg->elems / (wg->row_items * VEC) <= OCL_LONGEST_SUM,
            "rows of %lld elements: f32 loses precision in the sum of a work-item",
            (long long)wg->elems);
    return PRIM_SUCCESS;
}

static void add_options(ocl_options_t *options, const row_pd_t *wg)
{
    const prim_desc_t *const pd = &wg->base;
    const bool has_scale = prim__pd_has(pd, PRIM_ARG_SCALE);
    const bool has_shift = prim__pd_has(pd, PRIM_ARG_SHIFT);
    prim__ocl_options_src_dst(options, pd);
    const int parameter = has_scale ? PRIM_ARG_SCALE : PRIM_ARG_SHIFT;
    prim__ocl_options_type(options, "WEI",
            has_scale || has_shift ? prim__pd_md(pd, parameter)->data_type : PRIM_F32);
    prim__ocl_options_int(options, "WITH_SCALE", has_scale);
    prim__ocl_options_int(options, "WITH_SHIFT", has_shift);
    prim__ocl_options_int(options, "WITH_SCALES", pd->attr.nscales > 0);
    prim__ocl_options_int(options, "STATS", prim__ocl_lnorm_stats(pd));
    prim__ocl_options_int(options, "VEC", VEC);
    prim__ocl_options_int(options, "PER_ITEM", wg->per_item);
    prim__ocl_options_int(options, "ROW_ITEMS", wg->row_items);
    prim__ocl_options_int(options, "GROUP_ITEMS", wg->group_items);
    prim__ocl_options_int(
            options, "LANE_SHUFFLE", prim__ocl_device_trusts(pd->engine, OCL_FEATURE_LANE_SHUFFLE));
    prim__ocl_post_ops_options(options, pd, true);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const row_pd_t *const wg = (const row_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    add_options(&options, wg);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_lnorm_row_per_group_cl, &options, "lnorm_row_per_group"));
    TRY(prim__ocl_primitive_add_data(p, &wg->nest, sizeof wg->nest));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const row_pd_t *const wg = (const row_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_lnorm_args(&args, primitive->pd, ctx);
    prim__ocl_args_f32(&args, wg->base.op.u.norm.epsilon);
    prim__ocl_args_i64(&args, wg->elems);
    prim__ocl_args_i64(&args, wg->nrows);
    prim__ocl_args_post_ops(&args, ctx, p);
    const int64_t ngroups = prim__ceil_div(wg->nrows, wg->group_items / wg->row_items);
    const ocl_range_t range = prim__ocl_range_groups(ngroups, (size_t)wg->group_items);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

const impl_t prim__ocl_lnorm_row_per_group = {
        .name = "ocl:lnorm:row_per_group",
        .pd_size = sizeof(row_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
