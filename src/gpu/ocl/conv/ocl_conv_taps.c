// SPDX-License-Identifier: Apache-2.0
// Convolutions as products of single taps: a nested 1×1 convolution, and a kernel that adds.
#include "ocl_conv_taps.h"

#include <math.h>

#include "common/conv_polyphase.h"
#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/clh/shared/conv_taps_data.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"
#include "ocl_conv.h"
#include "ocl_conv_backward_data_phases_plan.h"
#include "ocl_conv_igemm.h"
#include "ocl_conv_pipeline.h"
#include "ocl_conv_plan.h"
#include "ocl_conv_swap_channels.h"
#include "ocl_conv_winograd.h"

extern const ocl_source_t prim__ocl_conv_taps_cl;

enum { KERNEL_SUM, KERNEL_SWAP };
enum { DATA_SWAP };      ///< constant data
enum { PRODUCTS };       ///< nested
enum { MOST_MIB = 512 }; ///< of products
/// Winograd's F(4×4, 3×3) multiplies so many times less.
static const double winograd_gain = 4;

/// Channels of the result and of the other tensor, in a group, and positions of the other.
typedef struct {
    prim_dim_t result, other, positions;
} taps_size_t;

static taps_size_t size_of(const conv_shape_t *s, bool is_backward)
{
    const prim_dim_t in = s->in[CONV_D] * s->in[CONV_H] * s->in[CONV_W];
    return is_backward ? (taps_size_t){s->ic, s->oc, prim__conv_out_elems(s)}
                       : (taps_size_t){s->oc, s->ic, in};
}

// ---- What it expects ---------------------------------------------------------------------------

static double products_bytes(const conv_shape_t *s, const taps_size_t *size)
{
    return 4. * (double)(s->mb * s->g) * (double)(size->result * prim__conv_taps(s)) *
           (double)size->positions;
}

/// The plan of a product on the engine; its cycles are INFINITY where no tile fits.
static ocl_conv_plan_t plan_of(const prim_engine_t *engine, ocl_conv_product_t product)
{
    ocl_conv_plan_t plan;
    product.may_split = true;
    product.longest = prim__ocl_conv_longest(product.ntaps * product.channels);
    product.pipeline_bytes = prim__ocl_conv_pipeline_bytes(engine);
    if (!prim__ocl_conv_plan(&plan, NULL, prim__ocl_device(engine), &product))
        plan.cycles = INFINITY;
    return plan;
}

double prim__ocl_conv_taps_cycles(
        const prim_engine_t *engine, const conv_shape_t *s, bool is_backward)
{
    const taps_size_t size = size_of(s, is_backward);
    const ocl_conv_product_t product = {.g = s->g,
            .m = size.result * prim__conv_taps(s),
            .n = s->mb * size.positions,
            .ntaps = 1,
            .channels = size.other};
    // What the product stores and the sum reads, which waits for it.
    const double bytes = 2 * products_bytes(s, &size);
    return plan_of(engine, product).cycles +
           prim__ocl_conv_move_cycles(prim__ocl_device(engine), bytes, 2);
}

/// What a matrix product of whole windows takes, whose rows are the few channels.
static double forward_cycles(const prim_engine_t *engine, const conv_shape_t *s)
{
    const ocl_conv_product_t product = {.g = s->g,
            .m = s->oc,
            .n = s->mb * prim__conv_out_elems(s),
            .ntaps = prim__conv_taps(s),
            .channels = s->ic,
            .is_flat = prim__ocl_conv_igemm_wants_table(s)};
    return plan_of(engine, product).cycles;
}

/// The same by all phases of the strides, of which most have fewer taps than the longest.
static double backward_cycles(const prim_engine_t *engine, const conv_shape_t *s)
{
    const ocl_conv_phases_t phases = prim__ocl_conv_phases(s);
    if (phases.nmeeting == 0) return 0;
    conv_shape_t turned = *s;
    turned.ic = s->oc;
    turned.oc = s->ic;
    const ocl_conv_product_t product = {.g = s->g * phases.nmeeting,
            .m = s->ic,
            .n = phases.most_pixels,
            .ntaps = prim__ceil_div(phases.ntaps, phases.nmeeting),
            .channels = s->oc,
            .is_flat = prim__ocl_conv_igemm_wants_table(&turned)};
    const ocl_conv_plan_t plan = plan_of(engine, product);
    const double share = (double)phases.ntaps / (double)(phases.nmeeting * product.ntaps);
    return prim__ocl_conv_plan_slowed(prim__ocl_device(engine), &plan, share);
}

static double windows_cycles(const prim_engine_t *engine, const conv_shape_t *s, bool is_backward)
{
    const double cycles = is_backward ? backward_cycles(engine, s) : forward_cycles(engine, s);
    return prim__ocl_winograd_suits(s) ? cycles / winograd_gain : cycles;
}

static prim_status_t prefer_cheaper(const ocl_conv_taps_pd_t *pd, prim_desc_t *base)
{
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    PREFER_OTHER_UNLESS(base,
            device->has_dedicated_local &&
                    prim__ocl_device_trusts(base->engine, OCL_FEATURE_ASYNC_COPY),
            "the device has no local memory of its own, or no asynchronous copies (`cp.async`)");
    const double taps = prim__ocl_conv_taps_cycles(base->engine, &pd->shape, pd->is_backward);
    const double windows = windows_cycles(base->engine, &pd->shape, pd->is_backward);
    PREFER_OTHER_UNLESS(base, taps < windows,
            "%.0f cycles for products of single taps and their sums; a product of whole windows is "
            "expected to take %.0f",
            taps, windows);
    return PRIM_SUCCESS;
}

// ---- What it takes -----------------------------------------------------------------------------

static prim_status_t require_problem(ocl_conv_taps_pd_t *pd)
{
    static const int args[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_DST};
    prim_desc_t *const base = &pd->base;
    const conv_shape_t *const s = &pd->shape;
    for (int i = 0; i < 3; ++i) {
        const prim_memory_desc_t *const md = prim__conv_md(base, args[i]);
        REQUIRE(base, md->data_type == PRIM_F32, "a tensor is %s; this variant takes f32",
                prim_data_type_name(md->data_type));
        REQUIRE(base, !prim__md_is_empty(md), "a tensor is empty");
    }
    if (pd->is_backward) TRY(prim__conv_require_no_bias(base));
    REQUIRE(base, base->attr.nscales == 0 && base->attr.nzero_points == 0,
            "scales or zero points are set; this variant takes none");
    REQUIRE(base, prim__conv_taps(s) > 1,
            "the window has one tap: it is a matrix product as it is");
    REQUIRE(base, s->ic > 1 || s->oc > 1, "the convolution is depthwise");
    const taps_size_t size = size_of(s, pd->is_backward);
    REQUIRE(base, products_bytes(s, &size) <= MOST_MIB * 1048576.,
            "the products of single taps take %.0f MiB, more than %d",
            products_bytes(s, &size) / (1 << 20), (int)MOST_MIB);
    return PRIM_SUCCESS;
}

/// Forward, weights of layout `any` become what the product reads.
static prim_status_t set_layouts(ocl_conv_taps_pd_t *pd)
{
    static const char *const tags[2][3] = {{"bac", "bacd", "bacde"}, {"acbd", "acbde", "acbdef"}};
    static const int args[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_DST};
    prim_desc_t *const base = &pd->base;
    const conv_shape_t *const s = &pd->shape;
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__ocl_conv_require_sizes(base, s));
    if (!pd->is_backward)
        TRY(prim__md_set_tag_if_any(
                prim__pd_md_mutable(base, PRIM_ARG_WEIGHTS), tags[s->has_groups][s->nspatial - 1]));
    TRY(prim__conv_set_row_major(base));
    for (int i = 0; i < 3; ++i) {
        const prim_memory_desc_t *const md = prim__conv_md(base, args[i]);
        REQUIRE(base, prim__md_is_plain(md), "a tensor has a blocked layout");
        TRY(prim__ocl_conv_require_origin(base, md));
    }
    REQUIRE(base,
            !prim__pd_has(base, PRIM_ARG_BIAS) ||
                    prim__md_is_dense(prim__pd_md(base, PRIM_ARG_BIAS)),
            "bias is not contiguous");
    REQUIRE(base, prim__ocl_fits_i32(base),
            "a tensor spans 2^31 elements; this variant indexes with 32 bits");
    return PRIM_SUCCESS;
}

/// Weights as the product reads them: channels of the other tensor, then those of the result, then
/// taps.
static bool lies_by_other(const ocl_conv_taps_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    prim_memory_desc_t wei = *prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS);
    if (pd->is_backward) return prim__md_is_row_major(&wei);
    const int o = s->has_groups;
    const prim_dim_t stride = wei.strides[o];
    wei.dims[o] = wei.padded_dims[o] = s->ic;
    wei.strides[o] = wei.strides[o + 1];
    wei.dims[o + 1] = wei.padded_dims[o + 1] = s->oc;
    wei.strides[o + 1] = stride;
    return prim__md_is_row_major(&wei);
}

/// A copy is dense, whatever strides the weights have.
static prim_status_t choose_weights(ocl_conv_taps_pd_t *pd)
{
    static const char *const tags[2][3] = {{"abc", "abcd", "abcde"}, {"abcd", "abcde", "abcdef"}};
    prim_desc_t *const base = &pd->base;
    const conv_shape_t *const s = &pd->shape;
    if (lies_by_other(pd)) return PRIM_SUCCESS;
    REQUIRE(base, !pd->is_backward, "weights are not row-major");
    pd->copies_weights = true;
    TRY(prim__ocl_conv_swapped_md(&pd->copy, prim__pd_md(base, PRIM_ARG_WEIGHTS), s,
            tags[s->has_groups][s->nspatial - 1]));
    pd->copy_offset = prim__pd_book_scratchpad(base, prim__md_bytes(&pd->copy));
    return PRIM_SUCCESS;
}

// ---- The product -------------------------------------------------------------------------------

/// [(G,) result·taps, other, 1…].
static prim_memory_desc_t weights_md(const ocl_conv_taps_pd_t *pd, const taps_size_t *size)
{
    const prim_dim_t rows = size->result * prim__conv_taps(&pd->shape);
    prim_memory_desc_t md = *prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS);
    const int o = pd->shape.has_groups;
    if (o) md.strides[0] = rows * size->other;
    md.dims[o] = rows;
    md.strides[o] = 1;
    md.dims[o + 1] = size->other;
    md.strides[o + 1] = rows;
    for (int d = o + 2; d < md.ndims; ++d) md.dims[d] = md.strides[d] = 1;
    for (int d = 0; d < md.ndims; ++d) md.padded_dims[d] = md.dims[d];
    if (pd->copies_weights) md.offset0 = 0;
    return md;
}

static prim_memory_desc_t products_md(
        const prim_memory_desc_t *other, const conv_shape_t *s, const taps_size_t *size)
{
    prim_memory_desc_t md = {
            .ndims = other->ndims, .data_type = PRIM_F32, .format_kind = PRIM_FORMAT_KIND_ANY};
    for (int d = 0; d < md.ndims; ++d) md.dims[d] = md.padded_dims[d] = other->dims[d];
    md.dims[1] = md.padded_dims[1] = s->g * size->result * prim__conv_taps(s);
    return md;
}

static prim_status_t nest(ocl_conv_taps_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const taps_size_t size = size_of(&pd->shape, pd->is_backward);
    const prim_memory_desc_t *const other =
            prim__conv_md(base, pd->is_backward ? PRIM_ARG_DST : PRIM_ARG_SRC);
    const prim_memory_desc_t weights = weights_md(pd, &size);
    prim_memory_desc_t products = products_md(other, &pd->shape, &size);
    TRY(prim__md_set_row_major_if_any(&products));
    const prim_memory_desc_t *const mds[] = {other, &weights, NULL, &products};
    op_desc_t op = {.kind = PRIM_CONVOLUTION,
            .prop_kind = PRIM_FORWARD_INFERENCE,
            .alg_kind = PRIM_CONVOLUTION_DIRECT};
    for (int i = 0; i < pd->shape.nspatial; ++i) op.u.spatial.strides[i] = 1;
    prim_attr_t attr;
    prim_status_t st = PRIM_SUCCESS;
    TRY_OR(done, prim__nested_attr_init(&attr, base));
    attr.post_ops.len = 0;
    const request_t request = {.mds = mds, .attr = &attr};
    TRY_OR(done, prim__nested_desc(base, PRODUCTS, &prim__conv_forward_schema, &op, &request));
    pd->products_offset = prim__pd_book_scratchpad(base, prim__md_bytes(&products));

done:
    prim__attr_fini(&attr);
    return st;
}

prim_status_t prim__ocl_conv_taps_init_pd(ocl_conv_taps_pd_t *pd, bool is_backward)
{
    prim_desc_t *const base = &pd->base;
    pd->is_backward = is_backward;
    prim__conv_shape(&pd->shape, base);
    TRY(prim__conv_take_direct(base));
    TRY(prim__ocl_require_types(base));
    TRY(require_problem(pd));
    TRY(set_layouts(pd));
    TRY(choose_weights(pd));
    TRY(prefer_cheaper(pd, base));
    return nest(pd);
}

// ---- The sum -----------------------------------------------------------------------------------

static void fill_dim(ocl_conv_taps_data_t *data, const ocl_conv_taps_pd_t *pd, int d)
{
    const conv_shape_t *const s = &pd->shape;
    conv_phase_dim_t phase;
    prim__conv_phase_dim(&phase, s, d, 0);
    data->out[d] = prim__ocl_divisor((int32_t)(pd->is_backward ? s->in[d] : s->out[d]));
    data->in[d] = (int32_t)(pd->is_backward ? s->out[d] : s->in[d]);
    data->taps[d] = (int32_t)s->kernel[d];
    data->stride[d] = prim__ocl_divisor((int32_t)s->stride[d]);
    data->dilation[d] = (int32_t)s->dilation[d];
    data->pad[d] = (int32_t)s->pad[d];
    data->tap_step[d] = (int32_t)(pd->is_backward ? phase.tap_step : 1);
    data->place_step[d] = (int32_t)(pd->is_backward ? -phase.dilation : s->dilation[d]);
}

static ocl_conv_taps_data_t data_of(const ocl_conv_taps_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const taps_size_t size = size_of(s, pd->is_backward);
    const prim_memory_desc_t *const md =
            prim__conv_md(&pd->base, pd->is_backward ? PRIM_ARG_SRC : PRIM_ARG_DST);
    prim_dim_t strides[5];
    prim__conv_data_strides(strides, md);
    ocl_conv_taps_data_t data = {.dst_n = strides[0],
            .dst_c = strides[1],
            .channels = prim__ocl_divisor((int32_t)(s->g * size.result)),
            .nelems = (int32_t)prim__md_nelems(md),
            .nspatial = s->nspatial};
    for (int d = 0; d < CONV_NSPATIAL; ++d) {
        data.dst_s[d] = strides[2 + d];
        fill_dim(&data, pd, d);
    }
    return data;
}

prim_status_t prim__ocl_conv_taps_init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_conv_taps_pd_t *const pd = (const ocl_conv_taps_pd_t *)primitive->pd;
    const conv_shape_t *const s = &pd->shape;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "DST", PRIM_F32);
    prim__ocl_options_weights(&options, &pd->base);
    prim__ocl_options_int(&options, "HAS_QUANT", 0);
    prim__ocl_options_int(&options, "BACKWARD", pd->is_backward);
    prim__ocl_options_int(&options, "HAS_DEPTH", s->nspatial == 3);
    prim__ocl_options_int(&options, "STRIDED",
            s->stride[CONV_D] > 1 || s->stride[CONV_H] > 1 || s->stride[CONV_W] > 1);
    prim__ocl_post_ops_options(&options, &pd->base, true);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_conv_taps_cl, &options, "conv_taps"));
    TRY(prim__ocl_primitive_add_post_ops(p));
    return pd->copies_weights ? prim__ocl_conv_swap_channels_init(p, &pd->copy) : PRIM_SUCCESS;
}

static prim_status_t multiply(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_conv_taps_pd_t *const pd = (const ocl_conv_taps_pd_t *)primitive->pd;
    nested_run_t run;
    prim__nested_begin(&run, primitive, ctx, PRODUCTS);
    prim__nested_pass(&run, PRIM_ARG_SRC, pd->is_backward ? PRIM_ARG_DIFF_DST : PRIM_ARG_SRC);
    if (pd->copies_weights)
        prim__nested_pass_view(&run, PRIM_ARG_WEIGHTS, PRIM_ARG_SCRATCHPAD, pd->copy_offset);
    else
        prim__nested_pass(&run, PRIM_ARG_WEIGHTS, PRIM_ARG_WEIGHTS);
    prim__nested_pass_view(&run, PRIM_ARG_DST, PRIM_ARG_SCRATCHPAD, pd->products_offset);
    return prim__nested_execute(&run);
}

prim_status_t prim__ocl_conv_taps_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_conv_taps_pd_t *const pd = (const ocl_conv_taps_pd_t *)primitive->pd;
    if (pd->copies_weights)
        TRY(prim__ocl_conv_swap_channels(p, ctx, KERNEL_SWAP, DATA_SWAP, pd->copy_offset));
    TRY(multiply(primitive, ctx));
    const ocl_conv_taps_data_t data = data_of(pd);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_struct(&args, &data, sizeof data);
    prim__ocl_args_scratchpad(&args, ctx, pd->products_offset, sizeof(float));
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_BIAS);
    prim__ocl_args_tensor(&args, ctx, pd->is_backward ? PRIM_ARG_DIFF_SRC : PRIM_ARG_DST);
    return prim__ocl_single_run(primitive, ctx, &args, data.nelems);
}
