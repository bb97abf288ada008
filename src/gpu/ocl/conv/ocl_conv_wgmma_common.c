// SPDX-License-Identifier: Apache-2.0
// What convolutions by WGMMA and `mma.sync` share: requirements, options, the arguments of the
// epilogue; the launches of ocl_conv_wgmma.cl.
#include "ocl_conv_wgmma_common.h"

#include "common/data_type.h"
#include "gpu/ocl/kit/ocl_post_ops.h"

extern const ocl_source_t prim__ocl_conv_wgmma_cl;

enum { CHUNK = OCL_CONV_WGMMA_CHUNK };
enum { MAPS_BYTES = 256 }; ///< of the tensor maps of a group

static prim_status_t require_types(prim_desc_t *pd, bool takes_bytes)
{
    const prim_data_type_t src = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    const prim_data_type_t wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS)->data_type;
    TRY(prim__ocl_conv_require_floats(pd));
    if (takes_bytes && prim__dt_is_int8(src) && prim__dt_is_int8(wei)) return PRIM_SUCCESS;
    REQUIRE(pd, src == wei && (src == PRIM_F16 || src == PRIM_BF16),
            "src is %s and weights are %s; this variant takes f16 or bf16 for both",
            prim_data_type_name(src), prim_data_type_name(wei));
    return PRIM_SUCCESS;
}

static prim_status_t set_layouts(prim_desc_t *pd, const conv_shape_t *s)
{
    static const char *const data[] = {"acb", "acdb", "acdeb"};
    static const char *const weights[] = {"acb", "acdb", "acdeb"};
    static const char *const grouped[] = {"abdc", "abdec", "abdefc"};
    prim_memory_desc_t *const src = prim__pd_md_mutable(pd, PRIM_ARG_SRC);
    prim_memory_desc_t *const dst = prim__pd_md_mutable(pd, PRIM_ARG_DST);
    const char *const *tags = s->has_groups ? grouped : weights;
    TRY(prim__md_set_tag_if_any(src, data[s->nspatial - 1]));
    TRY(prim__md_set_tag_if_any(dst, data[s->nspatial - 1]));
    TRY(prim__md_set_tag_if_any(prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS), tags[s->nspatial - 1]));
    if (!prim__pd_has(pd, PRIM_ARG_BIAS)) return PRIM_SUCCESS;
    return prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_BIAS));
}

static prim_status_t require_layouts(prim_desc_t *pd, const conv_shape_t *s)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    TRY(prim__ocl_conv_require_plain(pd));
    REQUIRE(pd, !prim__md_is_empty(src) && !prim__md_is_empty(dst), "a tensor has no elements");
    REQUIRE(pd, src->strides[1] == 1 || s->g * s->ic == 1,
            "src is not contiguous along channels (NHWC)");
    REQUIRE(pd, dst->strides[1] == 1 || s->g * s->oc == 1,
            "dst is not contiguous along channels (NHWC)");
    const prim_dim_t limit = INT32_MAX / 2, channels = s->g * (s->ic + CHUNK);
    const prim_dim_t in = s->mb * s->in[CONV_D] * s->in[CONV_H] * s->in[CONV_W];
    REQUIRE(pd, in < limit / channels && s->oc * prim__conv_taps(s) < limit / channels,
            "a tensor spans 2^31 elements once channels are padded to tiles");
    REQUIRE(pd, s->mb * prim__conv_out_elems(s) < limit,
            "dst has 2^31 pixels or more (N·OD·OH·OW)");
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_conv_mma_begin(prim_desc_t *pd, conv_shape_t *shape, bool takes_bytes)
{
    prim__conv_shape(shape, pd);
    TRY(prim__conv_take_direct(pd));
    TRY(require_types(pd, takes_bytes));
    TRY(prim__ocl_require_layouts(pd, false));
    TRY(prim__ocl_conv_require_sizes(pd, shape));
    TRY(set_layouts(pd, shape));
    return require_layouts(pd, shape);
}

bool prim__ocl_conv_wgmma_is_claimed(const prim_desc_t *pd)
{
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    return device->nv_capability_major == 9 && device->nv_capability_minor == 0;
}

// The step whose operand work-items load where they store dst, in a chain of a few instructions;
// −1: none.
static int step_beside(const prim_desc_t *pd)
{
    const prim_post_ops_t *const chain = &pd->attr.post_ops;
    bool is_short = chain->len <= 3;
    for (int i = 0; i < chain->len; ++i)
        is_short = is_short && prim__ocl_post_op_is_short(&chain->entries[i]);
    return is_short ? prim__ocl_post_ops_beside_dst(pd) : -1;
}

static bool has_short_epilogue(const prim_desc_t *pd)
{
    return prim__ocl_conv_has_short_epilogue(pd) || step_beside(pd) >= 0;
}

bool prim__ocl_conv_wgmma_leaves_registers(const prim_desc_t *pd)
{
    const prim_data_type_t dst = prim__pd_md(pd, PRIM_ARG_DST)->data_type;
    return has_short_epilogue(pd) && pd->attr.nscales == 0 && pd->attr.nzero_points == 0 &&
           (dst == PRIM_F32 || dst == PRIM_F16 || dst == PRIM_BF16);
}

bool prim__ocl_conv_wgmma_reads_beside(const prim_desc_t *pd)
{
    return prim__ocl_conv_wgmma_leaves_registers(pd) && step_beside(pd) >= 0;
}

// Channels to whose sums the epilogue applies a chain at once, by way of local memory.
static int vector_width(const prim_desc_t *pd)
{
    const prim_data_type_t dst = prim__pd_md(pd, PRIM_ARG_DST)->data_type;
    const bool fits = pd->attr.nscales == 0 && pd->attr.nzero_points == 0 &&
                      (dst == PRIM_F32 || dst == PRIM_F16 || dst == PRIM_BF16);
    const bool has_long_chain = pd->attr.post_ops.len > 0 && !has_short_epilogue(pd);
    return fits && has_long_chain && prim__ocl_post_ops_take_vectors(pd) ? 4 : 1;
}

bool prim__ocl_conv_wgmma_has_dst_chunks(const prim_desc_t *pd)
{
    conv_shape_t s;
    prim__conv_shape(&s, pd);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    bool has = s.oc % CHUNK == 0;
    for (int d = 0; d < dst->ndims; ++d)
        has = has && (d == 1 || dst->dims[d] == 1 || dst->strides[d] % CHUNK == 0);
    return has;
}

void prim__ocl_conv_wgmma_options(ocl_options_t *options, const prim_desc_t *pd, bool has_unit)
{
    prim__ocl_options_init(options);
    prim__ocl_options_int(options, "RETARGET", has_unit);
    prim__ocl_options_int(options, "MMA_TYPE", (int)prim__pd_md(pd, PRIM_ARG_SRC)->data_type);
    prim__ocl_options_int(options, "SRC_IS_U8", 0);
    prim__ocl_options_int(options, "WEI_IS_U8", 0);
    prim__ocl_options_int(options, "WEI_ALONG_K", 1);
    prim__ocl_options_int(options, "MMA_ACROSS_BYTES", 128);
    prim__ocl_conv_options(options, pd);
    prim__ocl_options_int(options, "HAS_SHORT_EPILOGUE", has_short_epilogue(pd));
    prim__ocl_options_int(options, "DST_CHUNKS", prim__ocl_conv_wgmma_has_dst_chunks(pd));
    const bool reads = prim__ocl_conv_wgmma_reads_beside(pd);
    const int width = vector_width(pd);
    if (width == 1) prim__ocl_post_ops_options_beside(options, pd, reads ? step_beside(pd) : -1);
    prim__ocl_post_ops_options_vectors(options, pd, width, 1);
}

prim_status_t prim__ocl_conv_wgmma_add(
        ocl_primitive_t *p, const ocl_options_t *options, const ocl_conv_wgmma_plan_t *plan)
{
    static const char *const names[] = {"conv_wgmma", "conv_wgmma_sum"};
    for (int sum = 0; sum <= (plan->nsplits > 1); ++sum) {
        ocl_options_t own = *options;
        prim__ocl_options_int(&own, "ADDS_SPLITS", sum);
        TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_conv_wgmma_cl, &own, names[sum]));
    }
    return PRIM_SUCCESS;
}

void prim__ocl_conv_wgmma_args_epilogue(
        ocl_args_t *args, const exec_ctx_t *ctx, const ocl_primitive_t *p, cl_mem quant)
{
    const prim_desc_t *const pd = p->base.pd;
    if (prim__pd_has(pd, PRIM_ARG_BIAS)) prim__ocl_args_tensor(args, ctx, PRIM_ARG_BIAS);
    if (pd->attr.nscales > 0 || pd->attr.nzero_points > 0) prim__ocl_args_buffer(args, quant);
    prim__ocl_conv_args_quant(args, ctx, pd);
    prim__ocl_args_post_ops(args, ctx, p);
}

size_t prim__ocl_conv_wgmma_book_maps(prim_desc_t *pd, const ocl_conv_wgmma_plan_t *plan)
{
    return prim__pd_book_scratchpad(pd, (size_t)plan->ngroups * MAPS_BYTES + 127);
}

static void args_scratch(ocl_args_t *args, const exec_ctx_t *ctx, const ocl_conv_wgmma_run_t *run)
{
    if (run->plan->nsplits > 1 || run->plan->has_boxes)
        prim__ocl_args_scratchpad(args, ctx, run->partial_offset, 1);
    else
        prim__ocl_args_nothing(args);
}

static prim_status_t sum_splits(
        const ocl_primitive_t *p, const exec_ctx_t *ctx, const ocl_conv_wgmma_run_t *run)
{
    const ocl_conv_wgmma_plan_t *const plan = run->plan;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    args_scratch(&args, ctx, run);
    prim__ocl_args_tensor(&args, ctx, run->dst);
    prim__ocl_conv_wgmma_args_epilogue(&args, ctx, p, run->quant);
    const int64_t nfours = (int64_t)plan->ntiles * plan->bm * plan->bn / 4;
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[1], nfours);
    return prim__ocl_launch(ctx, p->kernels[1], &range, &args);
}

static void args_operands(ocl_args_t *args, ocl_conv_starts_t *starts, const exec_ctx_t *ctx,
        const ocl_conv_wgmma_run_t *run)
{
    prim__ocl_args_struct(args, starts, sizeof *starts);
    if (run->is_src_packed)
        prim__ocl_args_scratchpad(args, ctx, run->src_offset, OCL_CONV_WGMMA_BYTES);
    else
        prim__ocl_args_tensor(args, ctx, run->src);
    starts->src = prim__ocl_args_take_i64(args);
    if (run->is_wei_packed)
        prim__ocl_args_scratchpad(args, ctx, run->wei_offset, OCL_CONV_WGMMA_BYTES);
    else
        prim__ocl_args_tensor(args, ctx, PRIM_ARG_WEIGHTS);
    starts->wei = prim__ocl_args_take_i64(args);
    prim__ocl_args_tensor(args, ctx, run->dst);
    starts->dst = prim__ocl_args_take_i64(args);
    args_scratch(args, ctx, run);
    starts->partial = prim__ocl_args_take_i64(args);
    starts->maps = starts->partial + (int64_t)run->maps_offset - (int64_t)run->partial_offset;
}

prim_status_t prim__ocl_conv_wgmma_run(
        const ocl_primitive_t *p, const exec_ctx_t *ctx, const ocl_conv_wgmma_run_t *run)
{
    const ocl_conv_wgmma_plan_t *const plan = run->plan;
    ocl_args_t args;
    ocl_conv_starts_t starts;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[0]);
    args_operands(&args, &starts, ctx, run);
    prim__ocl_conv_wgmma_args_epilogue(&args, ctx, p, run->quant);
    const size_t nitems = (size_t)(plan->bm / 64 * 128 + plan->copiers);
    const ocl_range_t range = prim__ocl_range_groups(plan->ngroups, nitems);
    TRY(prim__ocl_launch(ctx, p->kernels[0], &range, &args));
    return plan->nsplits > 1 ? sum_splits(p, ctx, run) : PRIM_SUCCESS;
}
