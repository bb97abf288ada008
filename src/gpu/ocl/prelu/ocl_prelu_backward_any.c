// SPDX-License-Identifier: Apache-2.0
// Gradients of PReLU, generic: one program for every problem; types, layouts and broadcast are
// run-time arguments.
#include "common/ops/schema.h"
#include "gpu/ocl/clh/shared/prelu_backward_any_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_primitive.h"

extern const ocl_source_t prim__ocl_prelu_backward_any_cl;
extern const impl_t prim__ocl_prelu_backward_any;

enum { KERNEL_SRC, KERNEL_PARTS, KERNEL_WEIGHTS, NKERNELS };

/// A part has so many elements at least, and there are so many parts at most: enough work-items for
/// every device, and short sums of parts.
enum { LEAST_PART_ELEMS = 64, MOST_PARTS = 16384 };

typedef struct {
    prim_desc_t base;
    int64_t nweights, nsharing, nparts;
    size_t parts_bytes_at; ///< of the scratchpad
} prelu_backward_pd_t;

_Static_assert(offsetof(prelu_backward_pd_t, base) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *base)
{
    prelu_backward_pd_t *const pd = (prelu_backward_pd_t *)base;
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__pd_follow(base));
    pd->nweights = prim__md_nelems(prim__pd_md(base, PRIM_ARG_WEIGHTS));
    if (pd->nweights == 0) return PRIM_SUCCESS;
    pd->nsharing = prim__md_nelems(prim__pd_md(base, PRIM_ARG_SRC)) / pd->nweights;
    const int64_t fit = MOST_PARTS / pd->nweights, useful = pd->nsharing / LEAST_PART_ELEMS;
    const int64_t most = fit < useful ? fit : useful;
    pd->nparts = most > 1 ? most : 1;
    pd->parts_bytes_at = prim__pd_book_scratchpad(
            base, (size_t)pd->nweights * (size_t)pd->nparts * sizeof(float));
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    static const char *const names[NKERNELS] = {[KERNEL_SRC] = "prelu_backward_any",
            [KERNEL_PARTS] = "prelu_backward_any_parts",
            [KERNEL_WEIGHTS] = "prelu_backward_any_weights"};
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const prelu_backward_pd_t *const pd = (const prelu_backward_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    for (int i = 0; i < NKERNELS; ++i)
        TRY(prim__ocl_primitive_add_kernel(
                p, &prim__ocl_prelu_backward_any_cl, &options, names[i]));
    const ocl_prelu_backward_any_data_t data = {
            .src = prim__ocl_md(prim__pd_md(base, PRIM_ARG_SRC)),
            .wei = prim__ocl_md(prim__pd_md(base, PRIM_ARG_WEIGHTS)),
            .diff_dst = prim__ocl_md(prim__pd_md(base, PRIM_ARG_DIFF_DST)),
            .diff_src = prim__ocl_md(prim__pd_md(base, PRIM_ARG_DIFF_SRC)),
            .diff_wei = prim__ocl_md(prim__pd_md(base, PRIM_ARG_DIFF_WEIGHTS)),
            .nweights = pd->nweights,
            .nsharing = pd->nsharing,
            .nparts = pd->nparts};
    return prim__ocl_primitive_add_data(p, &data, sizeof data);
}

static prim_status_t launch(const ocl_primitive_t *p, const exec_ctx_t *ctx, int kernel,
        const ocl_args_t *args, int64_t nitems)
{
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[kernel], nitems);
    return prim__ocl_launch(ctx, p->kernels[kernel], &range, args);
}

static prim_status_t run_by_src(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const prim_memory_desc_t *const md = prim__pd_md(p->base.pd, PRIM_ARG_DIFF_SRC);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_WEIGHTS);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_DST);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SRC);
    return launch(p, ctx, KERNEL_SRC, &args, prim__md_nelems_padded(md));
}

static prim_status_t run_by_weights(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const prelu_backward_pd_t *const pd = (const prelu_backward_pd_t *)p->base.pd;
    const prim_memory_desc_t *const md = prim__pd_md(&pd->base, PRIM_ARG_DIFF_WEIGHTS);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_SRC);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_DST);
    prim__ocl_args_scratchpad(&args, ctx, pd->parts_bytes_at, sizeof(float));
    TRY(launch(p, ctx, KERNEL_PARTS, &args, pd->nweights * pd->nparts));

    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_scratchpad(&args, ctx, pd->parts_bytes_at, sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_WEIGHTS);
    return launch(p, ctx, KERNEL_WEIGHTS, &args, prim__md_nelems_padded(md));
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const prelu_backward_pd_t *const pd = (const prelu_backward_pd_t *)primitive->pd;
    TRY(run_by_src(p, ctx));
    return pd->nweights > 0 ? run_by_weights(p, ctx) : PRIM_SUCCESS;
}

const impl_t prim__ocl_prelu_backward_any = {
        .name = "ocl:prelu:backward_any",
        .pd_size = sizeof(prelu_backward_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
