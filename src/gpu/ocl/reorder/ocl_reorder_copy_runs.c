// SPDX-License-Identifier: Apache-2.0
// Reorder between layouts that share a contiguous dimension: contiguous runs are copied
// (ocl_nest_copy.h).
#include "gpu/ocl/kit/ocl_nest_copy.h"
#include "ocl_reorder_sides.h"

extern const impl_t prim__ocl_reorder_copy_runs;

typedef struct {
    reorder_pd_t reorder;
    ocl_nest_t nest;
    bool has_tails;
    int vec;
    ocl_pieces_t pieces;
} rows_pd_t;

_Static_assert(offsetof(rows_pd_t, reorder) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *pd)
{
    rows_pd_t *const rows = (rows_pd_t *)pd;
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_FROM);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_TO);
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    REQUIRE(pd, pd->attr.post_ops.len == 0,
            "the sum post-op reads dst; this variant only writes it");
    REQUIRE(pd, !prim__ocl_reorder_has_masks(&pd->attr), "scales or zero points have a mask");
    loops_t loops;
    const prim_memory_desc_t *const mds[] = {dst, src};
    REQUIRE(pd, prim__ocl_loops_init(&loops, mds, 2),
            "the block sizes of src and dst do not divide each other");
    REQUIRE(pd, loops.n <= NEST_LOOPS, "the layouts make a nest of %d loops, at most %d are taken",
            loops.n, NEST_LOOPS);
    const int inner = prim__ocl_loops_unit(&loops, 0);
    REQUIRE(pd, inner >= 0 && loops.strides[1][inner] == 1,
            "src and dst are not contiguous along the same dimension");
    prim__ocl_loops_move(&loops, inner, loops.n - 1);
    rows->nest = prim__ocl_nest(&loops);
    rows->has_tails = loops.ntails > 0;
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    rows->vec = prim__ocl_nest_copy_vec(device, src->data_type, dst->data_type);
    rows->pieces = prim__ocl_pieces(&rows->nest, device, rows->vec);
    return prim__ocl_reorder_init_sides(pd);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const rows_pd_t *const pd = (const rows_pd_t *)primitive->pd;
    const ocl_nest_copy_t copy = {.src = PRIM_ARG_FROM,
            .dst = PRIM_ARG_TO,
            .vec = pd->vec,
            .with_quant = !prim__attr_is_plain(&primitive->pd->attr),
            .with_tails = pd->has_tails,
            .run = pd->pieces.n_inner};
    TRY(prim__ocl_nest_copy_add_kernel(p, &copy));
    return prim__ocl_primitive_add_data(p, &pd->nest, sizeof pd->nest);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const rows_pd_t *const pd = (const rows_pd_t *)primitive->pd;
    const prim_attr_t *const attr = &primitive->pd->attr;
    ocl_args_t args;
    TRY(prim__ocl_reorder_upload(primitive, ctx));
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_reorder_args(&args, primitive, ctx);
    prim__ocl_args_pieces(&args, &pd->pieces);
    if (!prim__attr_is_plain(attr)) prim__ocl_reorder_args_quants(&args, ctx, attr);
    const ocl_range_t range = prim__ocl_range_pieces(p->kernels[0], &pd->pieces);
    TRY(prim__ocl_launch(ctx, p->kernels[0], &range, &args));
    return prim__ocl_reorder_download(primitive, ctx);
}

const impl_t prim__ocl_reorder_copy_runs = {
        .name = "ocl:reorder:copy_runs",
        .pd_size = sizeof(rows_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
