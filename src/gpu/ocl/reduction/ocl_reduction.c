// SPDX-License-Identifier: Apache-2.0
#include "ocl_reduction.h"

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/post_ops_check.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "gpu/ocl/kit/ocl_raw_vec.h"
#include "gpu/ocl/kit/ocl_reduction_loops.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"

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
        REQUIRE(pd, prim__post_op_noperands(&post_ops->entries[i]) == 0,
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
    return pd->has_few_groups || (is_short && pd->vec < 4) ? REDUCTION_MORE_AT_ONCE
                                                           : REDUCTION_AT_ONCE;
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

static const double EVEN = 0.9; ///< share of the units' time that is enough

/// Slices by which all units of a GPU have nearly the same number of groups.
static int64_t even_slices(int64_t ngroups, int64_t units, int64_t least)
{
    int64_t best = 1;
    double best_share = 0.;
    for (int64_t wanted = least; wanted <= 4 * least && best_share < EVEN; ++wanted) {
        const int64_t n = wanted * units < ngroups ? 1 : wanted * units / ngroups;
        const int64_t rounds = prim__ceil_div(ngroups * n, units);
        const double share = (double)(ngroups * n) / (double)(rounds * units);
        if (share <= best_share) continue;
        best = n;
        best_share = share;
    }
    return best;
}

/// Groups of a GPU's unit with slices, at least: few of them where each has many loads in flight,
/// so that there is little to join. The last groups of many short ones end at the same time.
static int least_unit_groups(const ocl_reduction_pd_t *pd, const ocl_device_t *device)
{
    return pd->has_few_groups
                   ? prim__ocl_measured_int(device, MEASURED_REDUCTION_OUTER_UNIT_GROUPS, 2)
                   : prim__ocl_measured_int(device, MEASURED_REDUCTION_INNER_UNIT_GROUPS, 8);
}

static int64_t count_slices(const ocl_reduction_pd_t *pd, int64_t ngroups, int64_t useful)
{
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    const int64_t units = prim__ocl_estimate_units(device);
    const int64_t many = units * (device->is_cpu ? prim__ocl_measured_int(
                                                           device, MEASURED_REDUCTION_CORE_ITEMS, 4)
                                                 : prim__ocl_measured_int(device,
                                                           MEASURED_REDUCTION_MANY_UNIT_GROUPS, 8));
    if (ngroups >= many) return 1;
    const int64_t fill = device->is_cpu
                                 ? prim__ceil_div(many, ngroups)
                                 : even_slices(ngroups, units, least_unit_groups(pd, device));
    return fill < useful ? fill : useful;
}

/// Whether groups see by a counter that they are the last of a tile. Processors start a second
/// kernel in less time than their atomics take.
static bool counts_groups(const prim_desc_t *pd, int64_t ntiles)
{
    return ntiles <= OCL_NCOUNTERS && !prim__ocl_device(pd->engine)->is_cpu &&
           prim__ocl_device_trusts(pd->engine, OCL_FEATURE_GROUP_WAIT);
}

void prim__ocl_reduction_set_slices(
        ocl_reduction_pd_t *pd, int64_t ngroups, int64_t ntiles, int64_t useful, int64_t needed)
{
    const int64_t n = count_slices(pd, ngroups, useful);
    const int64_t ndst = pd->data.ndst, nslices = n > needed ? n : needed;
    pd->data.nslices = nslices;
    if (nslices == 1) return;
    pd->is_counted = counts_groups(&pd->base, ntiles);
    pd->slices_bytes_at =
            prim__pd_book_scratchpad(&pd->base, (size_t)(ndst * nslices) * slice_bytes(pd));
    const bool is_cpu = prim__ocl_device(pd->base.engine)->is_cpu;
    pd->join_group_items = is_cpu ? 1 : pd->group_items;
    int columns = 1;
    while (2 * columns <= ndst && columns < REDUCTION_JOINED && columns < pd->join_group_items)
        columns *= 2;
    pd->join_row_items = pd->join_group_items / columns;
}

/// Whether vectors are compared as they are stored, pairs at once.
static bool has_packed_max(const ocl_reduction_pd_t *pd)
{
    const prim_desc_t *const base = &pd->base;
    const prim_alg_kind_t alg = base->op.alg_kind;
    const prim_data_type_t src = prim__pd_md(base, PRIM_ARG_SRC)->data_type;
    return (alg == PRIM_REDUCTION_MAX || alg == PRIM_REDUCTION_MIN) &&
           (src == PRIM_F16 || src == PRIM_BF16) && pd->vec == 8 && !pd->peels &&
           prim__ocl_device(base->engine)->splits_unaligned &&
           prim__ocl_device_trusts(base->engine, OCL_FEATURE_PACKED_MAX);
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
    prim__ocl_raw_vec_options(options, &pd->base,
            prim__ocl_is_raw(&pd->base) && pd->vec == prim__ocl_raw_vec(&pd->base));
    prim__ocl_options_int(options, "PEELS", pd->peels);
    prim__ocl_options_int(options, "PACKED_MAX", has_packed_max(pd));
    prim__ocl_options_int(options, "INTEGERS", prim__ocl_reduction_has_integers(&pd->base));
    prim__ocl_options_int(options, "ONE_LOOP", pd->data.nloops <= 1);
    prim__ocl_options_int(options, "HAS_SLICES", pd->data.nslices > 1);
    prim__ocl_options_int(options, "COUNTED", pd->is_counted);
    prim__ocl_options_int(options, "RELAXED_ATOMICS",
            pd->is_counted && !prim__ocl_device(pd->base.engine)->waits_hold_cores);
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
    const bool is_alone = !has_slices || (pd->is_counted && prim__ocl_has_counters(ctx));
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    if (has_slices) prim__ocl_args_scratchpad(&args, ctx, pd->slices_bytes_at, slice_bytes(pd));
    if (!has_slices || pd->is_counted) prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    if (pd->is_counted && is_alone)
        TRY(prim__ocl_args_counters(&args, ctx));
    else if (pd->is_counted)
        prim__ocl_args_buffer(&args, NULL);
    if (!has_slices || pd->is_counted) prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range = prim__ocl_range_groups(ngroups, (size_t)pd->group_items);
    TRY(prim__ocl_launch(ctx, p->kernels[KERNEL_SRC], &range, &args));
    return is_alone ? PRIM_SUCCESS : join_slices(p, pd, ctx);
}
