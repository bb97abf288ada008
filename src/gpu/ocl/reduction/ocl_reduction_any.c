// SPDX-License-Identifier: Apache-2.0
// Reduction, generic: one program for every problem; types, layouts, dimensions, algorithm and
// post-ops are run-time arguments.
#include "gpu/ocl/clh/shared/reduction_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_post_ops.h"

extern const ocl_source_t prim__ocl_reduction_any_cl;
extern const impl_t prim__ocl_reduction_any;

enum { KERNEL_PARTS, KERNEL_DST };

/// A part has so many elements at least, and there are so many parts at most, and of one element of
/// dst: enough work-items for every device, and few parts to join.
enum { LEAST_PART_ELEMS = 64, MOST_PARTS = 16384, MOST_OF_ELEMENT = 1024, PART_BYTES = 8 };

typedef struct {
    prim_desc_t base;
    int64_t nreduced, nparts;
    size_t parts_bytes_at; ///< of the scratchpad
} reduction_pd_t;

_Static_assert(offsetof(reduction_pd_t, base) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *base)
{
    reduction_pd_t *const pd = (reduction_pd_t *)base;
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__pd_follow(base));
    const int64_t ndst = prim__md_nelems(prim__pd_md(base, PRIM_ARG_DST));
    pd->nparts = 1;
    if (ndst == 0) return PRIM_SUCCESS;
    pd->nreduced = prim__md_nelems(prim__pd_md(base, PRIM_ARG_SRC)) / ndst;
    const int64_t fit = MOST_PARTS / ndst, useful = pd->nreduced / LEAST_PART_ELEMS;
    const int64_t most = fit < useful ? fit : useful;
    if (most <= 1) return PRIM_SUCCESS;
    pd->nparts = most < MOST_OF_ELEMENT ? most : MOST_OF_ELEMENT;
    pd->parts_bytes_at =
            prim__pd_book_scratchpad(base, (size_t)(ndst * pd->nparts) * (size_t)PART_BYTES);
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const reduction_pd_t *const pd = (const reduction_pd_t *)primitive->pd;
    const ocl_source_t *const source = &prim__ocl_reduction_any_cl;
    const reduction_params_t *const params = &pd->base.op.u.reduction;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_post_ops_options(&options, primitive->pd, false);
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, "reduction_any_parts"));
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, "reduction_any"));
    const ocl_reduction_any_data_t data = {
            .src = prim__ocl_md(prim__pd_md(&pd->base, PRIM_ARG_SRC)),
            .dst = prim__ocl_md(prim__pd_md(&pd->base, PRIM_ARG_DST)),
            .nreduced = pd->nreduced,
            .nparts = pd->nparts,
            .alg = (int32_t)pd->base.op.alg_kind,
            .p = params->p,
            .eps = params->eps};
    TRY(prim__ocl_primitive_add_data(p, &data, sizeof data));
    return prim__ocl_primitive_add_post_ops(p);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const reduction_pd_t *const pd = (const reduction_pd_t *)primitive->pd;
    const prim_memory_desc_t *const dst = prim__pd_md(primitive->pd, PRIM_ARG_DST);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    if (pd->nparts > 1) {
        prim__ocl_args_scratchpad(&args, ctx, pd->parts_bytes_at, PART_BYTES);
        const ocl_range_t parts =
                prim__ocl_range_1d(p->kernels[KERNEL_PARTS], prim__md_nelems(dst) * pd->nparts);
        TRY(prim__ocl_launch(ctx, p->kernels[KERNEL_PARTS], &parts, &args));
    } else {
        prim__ocl_args_nothing(&args);
    }
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DST);
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range =
            prim__ocl_range_1d(p->kernels[KERNEL_DST], prim__md_nelems_padded(dst));
    return prim__ocl_launch(ctx, p->kernels[KERNEL_DST], &range, &args);
}

const impl_t prim__ocl_reduction_any = {
        .name = "ocl:reduction:any",
        .pd_size = sizeof(reduction_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
