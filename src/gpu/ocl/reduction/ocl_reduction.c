// SPDX-License-Identifier: Apache-2.0
#include "ocl_reduction.h"

#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/kit/ocl_reduction_loops.h"
#include "gpu/ocl/tune/ocl_estimate.h"

enum { KERNEL_SRC, KERNEL_JOIN };
enum { LOOPS_SRC, LOOPS_DST };

static prim_status_t require_types(prim_desc_t *pd)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_post_ops_t *const post_ops = &pd->attr.post_ops;
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    TRY(prim__pd_follow(pd));
    REQUIRE(pd, !prim__dt_is_integer(src->data_type) || prim__dt_is_int8(src->data_type),
            "src is %s, which floats do not hold", prim_data_type_name(src->data_type));
    for (int i = 0; i < post_ops->len; ++i)
        REQUIRE(pd, !prim__post_op_has_operand(&post_ops->entries[i]),
                "post-op %d has an operand; this variant has no positions for it", i);
    REQUIRE(pd, !prim__md_is_empty(src), "src has no elements");
    REQUIRE(pd, prim__ocl_fits_i32(pd), "a tensor has 2^31 elements or more");
    return PRIM_SUCCESS;
}

bool prim__ocl_reduction_has_integers(const prim_desc_t *pd)
{
    return prim__dt_is_int8(prim__pd_md(pd, PRIM_ARG_SRC)->data_type) &&
           pd->op.alg_kind != PRIM_REDUCTION_MUL;
}

int prim__ocl_reduction_at_once(const ocl_reduction_pd_t *pd)
{
    const size_t src_bytes = prim__dt_bytes(prim__pd_md(&pd->base, PRIM_ARG_SRC)->data_type);
    const bool is_short = (size_t)pd->vec * src_bytes < REDUCTION_SHORT_BYTES;
    return is_short && pd->vec < 4 ? REDUCTION_SHORT_AT_ONCE : REDUCTION_AT_ONCE;
}

static size_t slice_bytes(const ocl_reduction_pd_t *pd)
{
    return prim__ocl_reduction_has_integers(&pd->base) ? sizeof(int64_t) : sizeof(float);
}

/// Elements of a vector: where it stays, GPUs take as many as rows consist of, for those of other
/// rows would begin anywhere.
static int choose_vec(const ocl_reduction_pd_t *pd, const loops_t *loops, bool inner_is_reduced)
{
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    const prim_memory_desc_t *const src = prim__pd_md(&pd->base, PRIM_ARG_SRC);
    if (device->is_cpu) return 16;
    int vec = (int)(16 / prim__dt_bytes(src->data_type));
    if (inner_is_reduced) return vec;
    while (vec > 1 && loops->extents[loops->n - 1] % vec != 0) vec /= 2;
    for (int l = 0; l < loops->n - 1; ++l)
        while (loops->strides[LOOPS_SRC][l] % vec != 0) vec /= 2;
    return vec;
}

/// The contiguous loop of src must be the innermost one, of one kind.
static prim_status_t set_loops(ocl_reduction_pd_t *pd, const loops_t *loops, bool inner_is_reduced)
{
    prim_desc_t *const base = &pd->base;
    ocl_reduction_data_t *const data = &pd->data;
    const int inner = loops->n - 1;
    TRY(prim__ocl_reduction_loops(data, base, loops, pd->vec));
    REQUIRE(base, loops->strides[LOOPS_SRC][inner] == 1, "no dimension of src is contiguous");
    const int64_t in_dst = loops->strides[LOOPS_DST][inner];
    if (inner_is_reduced)
        REQUIRE(base, in_dst == 0, "the contiguous dimension of src is not reduced");
    else
        REQUIRE(base, in_dst == 1, "the contiguous dimension of src is not contiguous in dst");
    if (!inner_is_reduced) {
        data->kept_extents[data->nkept] = data->inner;
        data->kept_src[data->nkept] = data->kept_dst[data->nkept] = 1;
        ++data->nkept;
    }
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_reduction_init_pd(ocl_reduction_pd_t *pd, bool inner_is_reduced)
{
    prim_desc_t *const base = &pd->base;
    TRY(require_types(base));
    const prim_memory_desc_t *const mds[] = {
            prim__pd_md(base, PRIM_ARG_SRC), prim__pd_md(base, PRIM_ARG_DST)};
    loops_t loops;
    REQUIRE(base, !prim__md_is_padded(mds[0]) && !prim__md_is_padded(mds[1]),
            "src or dst is padded");
    REQUIRE(base, prim__ocl_loops_init(&loops, mds, 2) && loops.ntails == 0,
            "the blocks of src and dst have no common loops");
    pd->vec = choose_vec(pd, &loops, inner_is_reduced);
    TRY(set_loops(pd, &loops, inner_is_reduced));
    pd->peels = inner_is_reduced && pd->data.nloops == 0 && !pd->data.is_whole &&
                !prim__ocl_device(base->engine)->is_cpu;
    pd->data.src_span = prim__md_span_elems(mds[0]) - mds[0]->offset0;
    pd->data.ndst = prim__md_nelems(mds[1]);
    pd->data.nreduced = prim__md_nelems(mds[0]) / pd->data.ndst;
    pd->data.p = base->op.u.reduction.p;
    pd->data.eps = base->op.u.reduction.eps;
    return PRIM_SUCCESS;
}

/// A GPU takes slices if it has less than UNIT_GROUPS groups for a compute unit, and MOST_WAVES
/// times as many at most: the last groups of many short ones end at the same time.
enum { UNIT_GROUPS = 8, CORE_ITEMS = 4, MOST_WAVES = 2 };

static int64_t count_slices(const ocl_reduction_pd_t *pd, int64_t ngroups, int64_t useful)
{
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    const int64_t units = prim__ocl_estimate_units(device);
    const int64_t wanted = units * (device->is_cpu ? CORE_ITEMS : UNIT_GROUPS);
    if (ngroups >= wanted) return 1;
    const int64_t fill = prim__ceil_div(wanted * (device->is_cpu ? 1 : MOST_WAVES), ngroups);
    return fill < useful ? fill : useful;
}

void prim__ocl_reduction_set_slices(
        ocl_reduction_pd_t *pd, int64_t ngroups, int64_t useful, int64_t needed)
{
    const int64_t n = count_slices(pd, ngroups, useful);
    const int64_t ndst = pd->data.ndst, nslices = n > needed ? n : needed;
    pd->data.nslices = nslices;
    if (nslices == 1) return;
    pd->slices_bytes_at =
            prim__pd_book_scratchpad(&pd->base, (size_t)(ndst * nslices) * slice_bytes(pd));
    const bool is_cpu = prim__ocl_device(pd->base.engine)->is_cpu;
    pd->join_group_items = is_cpu ? 1 : pd->group_items;
    int columns = 1;
    while (2 * columns <= ndst && columns < REDUCTION_JOINED && columns < pd->join_group_items)
        columns *= 2;
    pd->join_row_items = pd->join_group_items / columns;
}

static void add_options(ocl_options_t *options, const ocl_reduction_pd_t *pd)
{
    const prim_alg_kind_t alg = pd->base.op.alg_kind;
    const float p = pd->data.p;
    prim__ocl_options_init(options);
    prim__ocl_options_src_dst(options, &pd->base);
    prim__ocl_options_int(options, "ALG", (int)alg);
    const int power = alg < PRIM_REDUCTION_NORM_LP_MAX || p == 1.F ? 1 : p == 2.F ? 2 : 0;
    prim__ocl_options_int(options, "POWER", power);
    prim__ocl_options_int(options, "VEC", pd->vec);
    // Arithmetic decides of other powers, and a program with many of them takes seconds to build.
    prim__ocl_options_int(options, "AT_ONCE", power == 0 ? 1 : prim__ocl_reduction_at_once(pd));
    prim__ocl_options_int(options, "PEELS", pd->peels);
    prim__ocl_options_int(options, "INTEGERS", prim__ocl_reduction_has_integers(&pd->base));
    prim__ocl_options_int(options, "ONE_LOOP", pd->data.nloops <= 1);
    prim__ocl_options_int(options, "HAS_SLICES", pd->data.nslices > 1);
    prim__ocl_post_ops_options(options, &pd->base, true);
}

static prim_status_t add_kernel(ocl_primitive_t *p, const ocl_source_t *source, const char *name,
        int group_items, int row_items)
{
    ocl_options_t options;
    add_options(&options, (const ocl_reduction_pd_t *)p->base.pd);
    prim__ocl_options_int(&options, "GROUP_ITEMS", group_items);
    prim__ocl_options_int(&options, "ROW_ITEMS", row_items);
    return prim__ocl_primitive_add_kernel(p, source, &options, name);
}

prim_status_t prim__ocl_reduction_init(
        prim_t *primitive, const ocl_source_t *source, const char *name)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_reduction_pd_t *const pd = (const ocl_reduction_pd_t *)primitive->pd;
    TRY(add_kernel(p, source, name, pd->group_items, pd->row_items));
    if (pd->data.nslices > 1)
        TRY(add_kernel(
                p, source, "reduction_join_slices", pd->join_group_items, pd->join_row_items));
    TRY(prim__ocl_primitive_add_data(p, &pd->data, sizeof pd->data));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t join_slices(
        const ocl_primitive_t *p, const ocl_reduction_pd_t *pd, const exec_ctx_t *ctx)
{
    const int per_group = pd->join_group_items / pd->join_row_items;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_scratchpad(&args, ctx, pd->slices_bytes_at, slice_bytes(pd));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range = prim__ocl_range_groups(
            prim__ceil_div(pd->data.ndst, per_group), (size_t)pd->join_group_items);
    return prim__ocl_launch(ctx, p->kernels[KERNEL_JOIN], &range, &args);
}

prim_status_t prim__ocl_reduction_execute(
        const prim_t *primitive, const exec_ctx_t *ctx, int64_t ngroups)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_reduction_pd_t *const pd = (const ocl_reduction_pd_t *)primitive->pd;
    const bool has_slices = pd->data.nslices > 1;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    if (has_slices) {
        prim__ocl_args_scratchpad(&args, ctx, pd->slices_bytes_at, slice_bytes(pd));
    } else {
        prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
        prim__ocl_args_post_ops(&args, ctx, p);
    }
    const ocl_range_t range = prim__ocl_range_groups(ngroups, (size_t)pd->group_items);
    TRY(prim__ocl_launch(ctx, p->kernels[KERNEL_SRC], &range, &args));
    return has_slices ? join_slices(p, pd, ctx) : PRIM_SUCCESS;
}
