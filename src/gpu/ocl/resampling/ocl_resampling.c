// SPDX-License-Identifier: Apache-2.0
// Requirements, build options and launch that the typed implementations of resampling share.
#include "ocl_resampling.h"

prim_status_t prim__ocl_resampling_require(prim_desc_t *pd, ocl_resampling_data_t *data)
{
    TRY(prim__ocl_require_types(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    REQUIRE(pd, src->data_type != PRIM_S32, "src is s32; this variant computes in f32");
    TRY(prim__pd_follow(pd));
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    REQUIRE(pd, !prim__md_is_empty(dst), "dst has no elements");
    REQUIRE(pd,
            prim__ocl_channels_init(&data->src, src) && prim__ocl_channels_init(&data->dst, dst),
            "a tensor is blocked or padded along another dimension than the channels, or spans "
            "2^31 elements");
    data->nspatial = src->ndims - 2;
    for (int a = 0; a < 3; ++a) {
        const int d = a - 3 + src->ndims;
        const prim_dim_t in = d < 2 ? 1 : src->dims[d], out = d < 2 ? 1 : dst->dims[d];
        REQUIRE(pd, (2 * out + 1) * in <= INT32_MAX,
                "a dimension is so large that positions do not fit 32 bits");
        data->axes[a].in = (int32_t)in;
        data->axes[a].out = (int32_t)out;
    }
    return PRIM_SUCCESS;
}

void prim__ocl_resampling_options(ocl_options_t *options, const prim_desc_t *pd)
{
    prim__ocl_options_src_dst(options, pd);
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    prim__ocl_options_int(options, "LINEAR", pd->op.alg_kind == PRIM_RESAMPLING_LINEAR);
    prim__ocl_options_int(options, "HAS_DEPTH", src->ndims == 5 && src->dims[2] > 1);
    prim__ocl_post_ops_options(options, pd, true);
}

prim_status_t prim__ocl_resampling_execute(
        const prim_t *primitive, const exec_ctx_t *ctx, int32_t nitems)
{
    static const int tensors[] = {PRIM_ARG_SRC, PRIM_ARG_DST, 0};
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, tensors);
    return prim__ocl_single_run(primitive, ctx, &args, nitems);
}
