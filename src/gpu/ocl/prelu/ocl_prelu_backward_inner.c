// SPDX-License-Identifier: Apache-2.0
// Gradients of PReLU where the weights are constant along contiguous rows of src: both in one pass
// over src and diff_dst.
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/kit/ocl_reduction_loops.h"
#include "gpu/ocl/kit/ocl_sums.h"
#include "gpu/ocl/tune/ocl_estimate.h"

extern const ocl_source_t prim__ocl_prelu_backward_inner_cl;
extern const impl_t prim__ocl_prelu_backward_inner;

enum { KERNEL_ROWS, KERNEL_JOIN };
enum { LOOPS_SRC, LOOPS_WEI };

/// Vectors that a work-item takes at once; so many times that before others share its row; and
/// work-items of a group on GPUs.
enum { AT_ONCE = 4, LEAST_VECTORS = 4, GROUP = 256 };

typedef struct {
    prim_desc_t base;
    ocl_reduction_data_t data; ///< diff_weights is the dst of a sum
    int vec, group_items, row_items;
    size_t slices_bytes_at; ///< of the scratchpad
} prelu_rows_pd_t;

_Static_assert(offsetof(prelu_rows_pd_t, base) == 0, "the base comes first");

static prim_status_t require_layouts(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    TRY(prim__pd_follow(pd));
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    REQUIRE(pd, !prim__md_is_empty(src), "src has no elements");
    REQUIRE(pd, !prim__md_is_padded(src) && !prim__md_is_padded(wei), "src or weights are padded");
    REQUIRE(pd, prim__ocl_fits_i32(pd), "a tensor has 2^31 elements or more");
    REQUIRE(pd,
            prim__md_same_layout_moved(src, prim__pd_md(pd, PRIM_ARG_DIFF_DST)) &&
                    prim__md_same_layout_moved(src, prim__pd_md(pd, PRIM_ARG_DIFF_SRC)),
            "diff_dst or diff_src has another layout than src");
    REQUIRE(pd, prim__md_same_layout_moved(wei, prim__pd_md(pd, PRIM_ARG_DIFF_WEIGHTS)),
            "diff_weights have another layout than the weights");
    return PRIM_SUCCESS;
}

static prim_status_t set_loops(prelu_rows_pd_t *pd, const loops_t *loops)
{
    const int inner = loops->n - 1;
    TRY(prim__ocl_reduction_loops(&pd->data, &pd->base, loops, pd->vec));
    REQUIRE(&pd->base,
            loops->strides[LOOPS_SRC][inner] == 1 && loops->strides[LOOPS_WEI][inner] == 0,
            "the weights are not constant along a contiguous dimension of src");
    return PRIM_SUCCESS;
}

/// So many work-items share a row that each has a few vectors; few rows are cut into slices.
static void set_rows(prelu_rows_pd_t *pd)
{
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    const int64_t nvectors = prim__ceil_div(pd->data.nouter * pd->data.inner, pd->vec);
    const int64_t units = prim__ocl_estimate_units(device);
    const int64_t wanted = device->is_cpu ? 4 * units : 8 * units * GROUP;
    pd->group_items = device->is_cpu || device->max_group_items < GROUP ? 1 : GROUP;
    pd->row_items = 1;
    while (pd->row_items < pd->group_items && pd->row_items * LEAST_VECTORS < nvectors)
        pd->row_items *= 2;
    const int64_t per_pass = (int64_t)pd->row_items * AT_ONCE;
    const int64_t useful = prim__ceil_div(nvectors, per_pass * LEAST_VECTORS);
    const int64_t fill = prim__ceil_div(wanted, pd->data.ndst * pd->row_items);
    const int64_t by_length = prim__ceil_div(nvectors, per_pass * OCL_FOLD);
    const int64_t n = fill < useful ? fill : useful;
    pd->data.nslices = n > by_length ? n : by_length;
    if (pd->data.nslices > 1)
        pd->slices_bytes_at = prim__pd_book_scratchpad(
                &pd->base, (size_t)(pd->data.ndst * pd->data.nslices) * sizeof(float));
}

static prim_status_t init_pd(prim_desc_t *base)
{
    prelu_rows_pd_t *const pd = (prelu_rows_pd_t *)base;
    TRY(require_layouts(base));
    const prim_memory_desc_t *const mds[] = {
            prim__pd_md(base, PRIM_ARG_SRC), prim__pd_md(base, PRIM_ARG_WEIGHTS)};
    loops_t loops;
    REQUIRE(base, prim__ocl_loops_init(&loops, mds, 2) && loops.ntails == 0,
            "the blocks of src and weights have no common loops");
    const bool is_short = prim__dt_bytes(mds[0]->data_type) < 4;
    pd->vec = prim__ocl_device(base->engine)->is_cpu ? 16 : is_short ? 8 : 4;
    TRY(set_loops(pd, &loops));
    pd->data.ndst = prim__md_nelems(mds[1]);
    pd->data.nreduced = prim__md_nelems(mds[0]) / pd->data.ndst;
    pd->data.p = 1.F;
    set_rows(pd);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prelu_rows_pd_t *const pd = (const prelu_rows_pd_t *)primitive->pd;
    const ocl_source_t *const source = &prim__ocl_prelu_backward_inner_cl;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "SRC", prim__pd_md(&pd->base, PRIM_ARG_SRC)->data_type);
    prim__ocl_options_type(&options, "DST", prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS)->data_type);
    prim__ocl_options_int(&options, "ALG", PRIM_REDUCTION_SUM);
    prim__ocl_options_int(&options, "POWER", 1);
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "AT_ONCE", AT_ONCE);
    prim__ocl_options_int(&options, "INTEGERS", 0);
    prim__ocl_options_int(&options, "ONE_LOOP", pd->data.nloops <= 1);
    prim__ocl_options_int(&options, "HAS_SLICES", pd->data.nslices > 1);
    prim__ocl_options_int(&options, "COUNTED", 0);
    prim__ocl_options_int(&options, "RELAXED_ATOMICS", 0);
    prim__ocl_options_int(&options, "GROUP_ITEMS", pd->group_items);
    prim__ocl_options_int(&options, "ROW_ITEMS", pd->row_items);
    prim__ocl_options_int(&options, "PEELS", 0);
    prim__ocl_options_int(&options, "PACKED_MAX", 0);
    prim__ocl_post_ops_options(&options, &pd->base, true);
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, "prelu_backward_inner"));
    if (pd->data.nslices > 1)
        TRY(prim__ocl_primitive_add_kernel(p, source, &options, "reduction_join_slices"));
    return prim__ocl_primitive_add_data(p, &pd->data, sizeof pd->data);
}

/// As many groups as `nrows` rows take.
static prim_status_t launch(const ocl_primitive_t *p, const prelu_rows_pd_t *pd,
        const exec_ctx_t *ctx, int kernel, int64_t nrows, const ocl_args_t *args)
{
    const ocl_range_t range = prim__ocl_range_groups(
            prim__ceil_div(nrows, pd->group_items / pd->row_items), (size_t)pd->group_items);
    return prim__ocl_launch(ctx, p->kernels[kernel], &range, args);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prelu_rows_pd_t *const pd = (const prelu_rows_pd_t *)primitive->pd;
    const bool has_slices = pd->data.nslices > 1;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_WEIGHTS);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_DST);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SRC);
    if (has_slices)
        prim__ocl_args_scratchpad(&args, ctx, pd->slices_bytes_at, sizeof(float));
    else
        prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_WEIGHTS);
    TRY(launch(p, pd, ctx, KERNEL_ROWS, pd->data.ndst * pd->data.nslices, &args));
    if (!has_slices) return PRIM_SUCCESS;

    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_scratchpad(&args, ctx, pd->slices_bytes_at, sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_WEIGHTS);
    return launch(p, pd, ctx, KERNEL_JOIN, pd->data.ndst, &args);
}

const impl_t prim__ocl_prelu_backward_inner = {
        .name = "ocl:prelu:backward_inner",
        .pd_size = sizeof(prelu_rows_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
