// SPDX-License-Identifier: Apache-2.0
// Requirements, build options and launch of the gradient of resampling.
#include "ocl_resampling_backward.h"

#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_sums.h"

_Static_assert(offsetof(ocl_resampling_backward_pd_t, base) == 0, "the base comes first");

static prim_status_t take_axes(ocl_resampling_backward_pd_t *pd)
{
    const prim_memory_desc_t *const diff_src = prim__pd_md(&pd->base, PRIM_ARG_DIFF_SRC);
    const prim_memory_desc_t *const diff_dst = prim__pd_md(&pd->base, PRIM_ARG_DIFF_DST);
    for (int a = 0; a < 3; ++a) {
        const int d = a - 3 + diff_src->ndims;
        const prim_dim_t in = d < 2 ? 1 : diff_src->dims[d], out = d < 2 ? 1 : diff_dst->dims[d];
        REQUIRE(&pd->base, (2 * out + 3) * (in + 2) <= INT32_MAX,
                "a dimension is so large that positions do not fit 32 bits");
        REQUIRE(&pd->base, out / in <= OCL_LONGEST_SUM / 4,
                "so many elements are made of one that f32 loses precision in their sum");
        pd->data.axes[a] = (ocl_resize_t){.in = (int32_t)in, .out = (int32_t)out};
    }
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_resampling_backward_require(ocl_resampling_backward_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__pd_follow_gradients(base));
    const prim_memory_desc_t *const diff_src = prim__pd_md(base, PRIM_ARG_DIFF_SRC);
    const prim_memory_desc_t *const diff_dst = prim__pd_md(base, PRIM_ARG_DIFF_DST);
    REQUIRE(base, !prim__md_is_empty(diff_src) && !prim__md_is_empty(diff_dst),
            "diff_src or diff_dst has no elements");
    REQUIRE(base,
            prim__ocl_channels_init(&pd->data.diff_src, diff_src) &&
                    prim__ocl_channels_init(&pd->data.diff_dst, diff_dst),
            "a tensor is blocked or padded along another dimension than the channels, or spans "
            "2^31 elements");
    return take_axes(pd);
}

enum { MAX_SCALE = 4 };

/// out over in; 0 unless that is an integer from 1 to MAX_SCALE.
static int scale_of(const ocl_resize_t *axis)
{
    return axis->out % axis->in == 0 && axis->out / axis->in <= MAX_SCALE ? axis->out / axis->in
                                                                          : 0;
}

prim_status_t prim__ocl_resampling_backward_require_integer(ocl_resampling_backward_pd_t *pd)
{
    const ocl_resize_t *const axes = pd->data.axes;
    pd->scale_h = scale_of(&axes[1]);
    pd->scale_w = scale_of(&axes[2]);
    REQUIRE(&pd->base, axes[0].in == axes[0].out, "OD differs from ID");
    REQUIRE(&pd->base, pd->scale_h > 0 && pd->scale_w > 0,
            "OH/IH or OW/IW is not an integer from 1 to %d", MAX_SCALE);
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_resampling_backward_split(
        ocl_resampling_backward_pd_t *pd, int32_t nblocks, int32_t nvecs, int32_t ncols)
{
    ocl_resampling_backward_data_t *const data = &pd->data;
    const int32_t nrows = (int32_t)prim__ceil_div(data->axes[1].in, pd->rows);
    const double nplanes = (double)prim__pd_md(&pd->base, PRIM_ARG_DIFF_SRC)->dims[0] * nblocks *
                           nvecs * data->axes[0].in;
    REQUIRE(&pd->base, nplanes * nrows * ncols <= INT32_MAX, "more than 2^31 work-items");
    data->nitems = (int32_t)(nplanes * nrows * ncols);
    data->by_vecs = prim__ocl_divisor(nvecs);
    data->by_cols = prim__ocl_divisor(ncols);
    data->by_rows = prim__ocl_divisor(nrows);
    data->by_depth = prim__ocl_divisor(data->axes[0].in);
    data->by_blocks = prim__ocl_divisor(nblocks);
    return PRIM_SUCCESS;
}

void prim__ocl_resampling_backward_options(
        ocl_options_t *options, const ocl_resampling_backward_pd_t *pd)
{
    const prim_desc_t *const base = &pd->base;
    prim__ocl_options_init(options);
    prim__ocl_options_type(options, "DIFF_DST", prim__pd_md(base, PRIM_ARG_DIFF_DST)->data_type);
    prim__ocl_options_type(options, "DIFF_SRC", prim__pd_md(base, PRIM_ARG_DIFF_SRC)->data_type);
    prim__ocl_options_int(options, "VEC", pd->vec);
    prim__ocl_options_int(options, "LINEAR", base->op.alg_kind == PRIM_RESAMPLING_LINEAR);
}

prim_status_t prim__ocl_resampling_backward_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int tensors[] = {PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC, 0};
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    return prim__ocl_single_run(primitive, ctx, &args,
            ((const ocl_resampling_backward_pd_t *)primitive->pd)->data.nitems);
}
