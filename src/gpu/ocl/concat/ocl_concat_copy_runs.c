// SPDX-License-Identifier: Apache-2.0
// Concat where each source shares a contiguous dimension with its part of dst: contiguous runs are
// copied (ocl_nest_copy.h).
#include "common/alloc.h"
#include "gpu/ocl/kit/ocl_multi_launch.h"
#include "gpu/ocl/kit/ocl_nest_copy.h"
#include "gpu/ocl/kit/ocl_quant.h"

extern const impl_t prim__ocl_concat_copy_runs;

typedef struct {
    prim_desc_t base;
    int vec;
    bool has_tails;
    int64_t run; ///< elements of the shortest run
} concat_pd_t;

_Static_assert(offsetof(concat_pd_t, base) == 0, "the base comes first");

/// One source: its launch, and where its window starts in dst.
typedef struct {
    ocl_pieces_t pieces;
    int64_t window_elems;
} part_t;

typedef struct {
    ocl_multi_launch_t many; ///< a nest for each source
    part_t *parts;           ///< owned
} concat_t;

_Static_assert(offsetof(concat_t, many) == 0, "the base comes first");

/// The part of dst from index `start` along the axis on that has src's shape. False when an inner
/// block would be cut.
static bool get_window(prim_memory_desc_t *window, const prim_memory_desc_t *dst,
        const prim_memory_desc_t *src, int axis, prim_dim_t start)
{
    prim_dim_t block = 1;
    for (int b = 0; b < dst->inner_nblks; ++b)
        block *= dst->inner_idxs[b] == axis ? dst->inner_blks[b] : 1;
    const prim_dim_t end = start + src->dims[axis];
    const bool is_last = end == dst->dims[axis];
    if (start % block != 0 || (end % block != 0 && !is_last)) return false;
    *window = *dst;
    window->dims[axis] = src->dims[axis];
    window->padded_dims[axis] = is_last ? dst->padded_dims[axis] - start : src->dims[axis];
    window->offset0 += start / block * dst->strides[axis];
    return true;
}

/// The loops of source `i`, whose window starts at `start`; the run last. False when there are
/// none.
static bool get_loops(
        loops_t *loops, int64_t *window_elems, const prim_desc_t *pd, int i, prim_dim_t start)
{
    const prim_memory_desc_t *const src = &pd->tensors[i].md, *const dst =
                                                                      prim__pd_md(pd, PRIM_ARG_DST);
    prim_memory_desc_t window;
    if (!get_window(&window, dst, src, pd->op.u.axis.axis, start)) return false;
    *window_elems = window.offset0 - dst->offset0;
    const prim_memory_desc_t *const mds[] = {&window, src};
    if (!prim__ocl_loops_init(loops, mds, 2) || loops->n > NEST_LOOPS) return false;
    const int inner = prim__ocl_loops_unit(loops, 0);
    if (inner < 0 || loops->strides[1][inner] != 1) return false;
    prim__ocl_loops_move(loops, inner, loops->n - 1);
    return true;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    concat_pd_t *const concat = (concat_pd_t *)pd;
    const prim_memory_desc_t *const first = &pd->tensors[0].md, *const dst = prim__pd_md(
                                                                        pd, PRIM_ARG_DST);
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    REQUIRE(pd, !prim__md_is_empty(dst), "dst has no elements");
    prim_dim_t start = 0;
    for (int i = 0; i < pd->ntensors - 1; ++i) {
        const prim_memory_desc_t *const src = &pd->tensors[i].md;
        REQUIRE(pd, src->data_type == first->data_type, "the sources differ in data type");
        if (prim__md_is_empty(src)) continue;
        loops_t loops;
        int64_t window_elems;
        REQUIRE(pd, get_loops(&loops, &window_elems, pd, i, start),
                "source %d and its part of dst share no contiguous dimension, or their layouts "
                "need too many loops",
                i);
        concat->has_tails = concat->has_tails || loops.ntails > 0;
        const int64_t run = loops.extents[loops.n - 1];
        if (concat->run == 0 || run < concat->run) concat->run = run;
        start += src->dims[pd->op.u.axis.axis];
    }
    concat->vec =
            prim__ocl_nest_copy_vec(prim__ocl_device(pd->engine), first->data_type, dst->data_type);
    return PRIM_SUCCESS;
}

/// One nest for each source that has elements; the others keep parts of zeros.
static prim_status_t add_parts(concat_t *concat, const prim_desc_t *pd)
{
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const int n = pd->ntensors - 1;
    const size_t bytes = (size_t)n * sizeof(part_t);
    concat->parts = prim__calloc(bytes);
    if (!concat->parts) return prim__fail_memory(bytes);
    TRY(prim__ocl_multi_launch_reserve(&concat->many, n));
    prim_dim_t start = 0;
    for (int i = 0; i < n; ++i) {
        if (prim__md_is_empty(&pd->tensors[i].md)) continue;
        loops_t loops;
        (void)get_loops(&loops, &concat->parts[i].window_elems, pd, i, start);
        ocl_nest_t nest = prim__ocl_nest(&loops);
        concat->parts[i].pieces = prim__ocl_pieces(&nest, device, ((const concat_pd_t *)pd)->vec);
        TRY(prim__ocl_multi_launch_add(&concat->many, &nest, sizeof nest));
        start += pd->tensors[i].md.dims[pd->op.u.axis.axis];
    }
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    concat_t *const concat = (concat_t *)primitive;
    const concat_pd_t *const pd = (const concat_pd_t *)primitive->pd;
    const ocl_nest_copy_t copy = {.src = pd->base.tensors[0].arg,
            .dst = PRIM_ARG_DST,
            .vec = pd->vec,
            .with_quant = pd->base.attr.nscales > 0,
            .with_tails = pd->has_tails,
            .run = pd->run};
    TRY(prim__ocl_nest_copy_add_kernel(&concat->many.base, &copy));
    return add_parts(concat, primitive->pd);
}

static void fini(prim_t *primitive)
{
    concat_t *const concat = (concat_t *)primitive;
    prim__free(concat->parts);
    concat->parts = NULL;
    prim__ocl_multi_launch_fini(primitive);
}

/// The scale of a source, as the first of the four attributes that the copy takes.
static void add_scale(ocl_args_t *args, const prim_desc_t *pd, const exec_ctx_t *ctx, int arg)
{
    const quant_t *const scale = prim__attr_scale(&pd->attr, arg);
    prim__ocl_args_scales(args, ctx, arg);
    for (int i = 0; i < 3; ++i) {
        prim__ocl_args_nothing(args);
    }
    prim__ocl_args_i32(args, scale ? (int32_t)scale->data_type : PRIM_DATA_TYPE_UNDEF);
    for (int i = 0; i < 3; ++i) prim__ocl_args_i32(args, PRIM_DATA_TYPE_UNDEF);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const concat_t *const concat = (const concat_t *)primitive;
    const prim_desc_t *const pd = primitive->pd;
    const ocl_kernel_t *const kernel = concat->many.base.kernels[0];
    int launch = 0;
    for (int i = 0; i < pd->ntensors - 1; ++i) {
        const part_t *const part = &concat->parts[i];
        if (part->pieces.nitems == 0) continue;
        ocl_args_t args;
        prim__ocl_args_init(&args);
        prim__ocl_args_buffer(&args, concat->many.launches[launch++]);
        prim__ocl_args_tensor(&args, ctx, pd->tensors[i].arg);
        prim__ocl_args_tensor_from(&args, ctx, PRIM_ARG_DST, part->window_elems);
        prim__ocl_args_pieces(&args, &part->pieces);
        if (pd->attr.nscales > 0) add_scale(&args, pd, ctx, pd->tensors[i].arg);
        const ocl_range_t range = prim__ocl_range_pieces(kernel, &part->pieces);
        TRY(prim__ocl_launch(ctx, kernel, &range, &args));
    }
    return PRIM_SUCCESS;
}

const impl_t prim__ocl_concat_copy_runs = {
        .name = "ocl:concat:copy_runs",
        .pd_size = sizeof(concat_pd_t),
        .primitive_size = sizeof(concat_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = fini,
};
