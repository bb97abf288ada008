// SPDX-License-Identifier: Apache-2.0
// Requirements, build options and launch of resampling by integer factors.
#include "ocl_resampling_scale.h"

#include "common/int_math.h"

enum { MAX_SCALE = 4 };

static bool is_scale(int32_t in, int32_t out)
{
    return out % in == 0 && out / in <= MAX_SCALE;
}

prim_status_t prim__ocl_scale_require(ocl_scale_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    ocl_scale_data_t *const data = &pd->data;
    ocl_resampling_data_t shape = {.nspatial = 0};
    TRY(prim__ocl_resampling_require(base, &shape));
    REQUIRE(base, base->attr.post_ops.len == 0, "post-ops are set; this variant takes none");
    REQUIRE(base, shape.axes[0].in == shape.axes[0].out, "OD differs from ID");
    REQUIRE(base,
            is_scale(shape.axes[1].in, shape.axes[1].out) &&
                    is_scale(shape.axes[2].in, shape.axes[2].out),
            "OH/IH or OW/IW is not an integer from 1 to %d", MAX_SCALE);
    REQUIRE(base,
            shape.src.run == shape.dst.run &&
                    shape.src.padded_channels == shape.dst.padded_channels,
            "src and dst are blocked or padded by different numbers of channels");
    pd->scale_h = shape.axes[1].out / shape.axes[1].in;
    pd->scale_w = shape.axes[2].out / shape.axes[2].in;
    *data = (ocl_scale_data_t){.src = shape.src,
            .dst = shape.dst,
            .in_h = shape.axes[1].in,
            .in_w = shape.axes[2].in,
            .out_h = shape.axes[1].out,
            .out_w = shape.axes[2].out,
            .depth = prim__ocl_divisor(shape.axes[0].in),
            .blocks = prim__ocl_divisor(shape.dst.padded_channels / shape.dst.run)};
    return PRIM_SUCCESS;
}

int32_t prim__ocl_scale_blocks(const ocl_scale_pd_t *pd, int32_t in, int scale)
{
    return pd->base.op.alg_kind == PRIM_RESAMPLING_LINEAR && scale > 1 ? in + 1 : in;
}

void prim__ocl_scale_split(ocl_scale_pd_t *pd, int32_t nvecs, int32_t npieces)
{
    ocl_scale_data_t *const data = &pd->data;
    const int32_t nrows = prim__ocl_scale_blocks(pd, data->in_h, pd->scale_h);
    data->vecs = prim__ocl_divisor(nvecs);
    data->pieces = prim__ocl_divisor(npieces);
    data->bands = prim__ocl_divisor((int32_t)prim__ceil_div(nrows, pd->rows));
    data->nitems = (int32_t)prim__pd_md(&pd->base, PRIM_ARG_DST)->dims[0] * data->blocks.n *
                   data->depth.n * data->bands.n * npieces * nvecs;
}

void prim__ocl_scale_options(ocl_options_t *options, const ocl_scale_pd_t *pd)
{
    const prim_desc_t *const base = &pd->base;
    prim__ocl_options_src_dst(options, base);
    prim__ocl_options_int(options, "LINEAR", base->op.alg_kind == PRIM_RESAMPLING_LINEAR);
    prim__ocl_options_int(options, "VEC", pd->vec);
    prim__ocl_options_int(options, "SCALE_H", pd->scale_h);
    prim__ocl_options_int(options, "SCALE_W", pd->scale_w);
}

prim_status_t prim__ocl_scale_init(
        prim_t *primitive, const ocl_source_t *source, const char *kernel)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_scale_pd_t *const pd = (const ocl_scale_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_scale_options(&options, pd);
    prim__ocl_options_int(&options, "ROWS", pd->rows);
    if (pd->cols) prim__ocl_options_int(&options, "COLS", pd->cols);
    TRY(prim__ocl_primitive_add_kernel(p, source, &options, kernel));
    return prim__ocl_primitive_add_data(p, &pd->data, sizeof pd->data);
}

prim_status_t prim__ocl_scale_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_scale_pd_t *const pd = (const ocl_scale_pd_t *)primitive->pd;
    return prim__ocl_resampling_execute(primitive, ctx, pd->data.nitems);
}
