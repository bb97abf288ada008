// SPDX-License-Identifier: Apache-2.0
// The generic gradients of inner product on the device.
#include "ocl_ip_gradient.h"

#include <math.h>

#include "common/ip_layout.h"
#include "gpu/ocl/clh/shared/ip_gradient_data.h"
#include "gpu/ocl/kit/ocl_md.h"

extern const ocl_source_t prim__ocl_ip_gradient_cl;

/// A part has so many rows at least, and there are so many sums of parts at most: more work-items
/// than any device runs at once.
enum { LEAST_PART_ROWS = 16, MOST_SUMS = 1 << 18 };

static prim_status_t add_kernel(ocl_primitive_t *p, const char *name)
{
    ocl_options_t options;
    prim__ocl_options_init(&options);
    return prim__ocl_primitive_add_kernel(p, &prim__ocl_ip_gradient_cl, &options, name);
}

static prim_status_t launch(const ocl_primitive_t *p, const exec_ctx_t *ctx, int kernel,
        const ocl_args_t *args, int64_t nitems)
{
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[kernel], nitems);
    return prim__ocl_launch(ctx, p->kernels[kernel], &range, args);
}

// ---- Bias ------------------------------------------------------------------------------------

void prim__ocl_ip_bias_plan(ocl_ip_bias_t *bias, prim_desc_t *pd)
{
    const prim_memory_desc_t *const diff_dst = prim__pd_md(pd, PRIM_ARG_DIFF_DST);
    const int64_t nrows = diff_dst->dims[0], ncolumns = diff_dst->dims[1];
    *bias = (ocl_ip_bias_t){.is_wanted = prim__pd_has(pd, PRIM_ARG_DIFF_BIAS), .nparts = 1};
    if (!bias->is_wanted || ncolumns == 0) return;
    // As many parts as rows in each: both sums of a column take the same time.
    const int64_t fit = MOST_SUMS / ncolumns, even = (int64_t)sqrt((double)nrows);
    const int64_t most = fit < even ? fit : even;
    if (most < 2 || nrows / most < LEAST_PART_ROWS) return;
    bias->nparts = most;
    bias->parts_bytes_at = prim__pd_book_scratchpad(pd, (size_t)(ncolumns * most) * sizeof(float));
}

/// The sums of the parts: f32 [nparts, OC].
static prim_status_t init_parts(
        prim_memory_desc_t *md, const ocl_ip_bias_t *bias, const prim_desc_t *pd)
{
    const prim_dim_t ncolumns = prim__pd_md(pd, PRIM_ARG_DIFF_DST)->dims[1];
    return prim_memory_desc_init_by_tag(
            md, 2, (const prim_dim_t[]){bias->nparts, ncolumns}, PRIM_F32, PRIM_ab);
}

prim_status_t prim__ocl_ip_bias_init(ocl_primitive_t *p, const ocl_ip_bias_t *bias)
{
    const prim_desc_t *const pd = p->base.pd;
    if (!bias->is_wanted) return PRIM_SUCCESS;
    prim_memory_desc_t parts;
    TRY(init_parts(&parts, bias, pd));
    const ocl_md_t rows = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DIFF_DST));
    const ocl_md_t sums = prim__ocl_md(prim__pd_md(pd, PRIM_ARG_DIFF_BIAS));
    const bool has_parts = bias->nparts > 1;
    const ocl_ip_column_sums_data_t first = {rows, has_parts ? prim__ocl_md(&parts) : sums};
    TRY(add_kernel(p, "ip_column_sums"));
    TRY(prim__ocl_primitive_add_data(p, &first, sizeof first));
    if (!has_parts) return PRIM_SUCCESS;
    const ocl_ip_column_sums_data_t second = {prim__ocl_md(&parts), sums};
    return prim__ocl_primitive_add_data(p, &second, sizeof second);
}

prim_status_t prim__ocl_ip_bias_run(const ocl_primitive_t *p, const exec_ctx_t *ctx,
        const ocl_ip_bias_t *bias, int kernel, int data)
{
    const prim_desc_t *const pd = p->base.pd;
    if (!bias->is_wanted) return PRIM_SUCCESS;
    const int64_t nsums = prim__md_nelems_padded(prim__pd_md(pd, PRIM_ARG_DIFF_BIAS));
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[data]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_DST);
    if (bias->nparts > 1) {
        const int64_t nitems = bias->nparts * prim__pd_md(pd, PRIM_ARG_DIFF_DST)->dims[1];
        prim__ocl_args_scratchpad(&args, ctx, bias->parts_bytes_at, sizeof(float));
        TRY(launch(p, ctx, kernel, &args, nitems));
        prim__ocl_args_init(&args);
        prim__ocl_args_buffer(&args, p->data[data + 1]);
        prim__ocl_args_scratchpad(&args, ctx, bias->parts_bytes_at, sizeof(float));
    }
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_BIAS);
    return launch(p, ctx, kernel, &args, nsums);
}

// ---- Generic ---------------------------------------------------------------------------------

prim_status_t prim__ocl_ip_gradient_init_pd(prim_desc_t *pd)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    return prim__ip_set_layouts(pd);
}

static int64_t step_of(const prim_memory_desc_t *md, int dim)
{
    return prim__md_is_cut(md, dim) ? 0 : md->strides[dim];
}

prim_status_t prim__ocl_ip_gradient_init(ocl_primitive_t *p, int in, int out)
{
    const prim_desc_t *const pd = p->base.pd;
    const prim_memory_desc_t *const diff_dst = prim__pd_md(pd, PRIM_ARG_DIFF_DST);
    const int summed = out == PRIM_ARG_DIFF_SRC ? 1 : 0;
    const ocl_ip_gradient_data_t data = {.diff_dst = prim__ocl_md(diff_dst),
            .in = prim__ocl_md(prim__pd_md(pd, in)),
            .out = prim__ocl_md(prim__pd_md(pd, out)),
            .diff_step = step_of(diff_dst, summed),
            .in_step = step_of(prim__pd_md(pd, in), 0),
            .summed = summed};
    TRY(add_kernel(p, "ip_gradient"));
    return prim__ocl_primitive_add_data(p, &data, sizeof data);
}

prim_status_t prim__ocl_ip_gradient_run(
        const ocl_primitive_t *p, const exec_ctx_t *ctx, int in, int out)
{
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_DST);
    prim__ocl_args_tensor(&args, ctx, in);
    prim__ocl_args_tensor(&args, ctx, out);
    return launch(p, ctx, 0, &args, prim__md_nelems_padded(prim__pd_md(p->base.pd, out)));
}
