// SPDX-License-Identifier: Apache-2.0
// Direct convolution with few channels of dst: a work-item computes all of them for a few pixels.
#include "ocl_conv_direct.h"
#include "ocl_conv_direct_choice.h"

#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_post_ops.h"
#include "ocl_conv.h"

extern const ocl_source_t prim__ocl_conv_direct_cl;
extern const impl_t prim__ocl_conv_direct;

enum { ITEMS = OCL_CONV_DIRECT_ITEMS };

// ---- What the directions share -----------------------------------------------------------------

/// The most channels that make vectors of at most 16 bytes, without a rest.
static int most_vector_channels(const prim_memory_desc_t *md, prim_dim_t channels)
{
    int vec = md->strides[1] == 1 ? 16 / (int)prim__dt_bytes(md->data_type) : 1;
    for (; vec > 1; vec /= 2) {
        bool suits = channels % vec == 0;
        for (int d = 0; d < md->ndims; ++d)
            suits = suits && (d == 1 || md->dims[d] == 1 || md->strides[d] % vec == 0);
        if (suits) break;
    }
    return vec;
}

static void fill_strides(ocl_conv_direct_data_t *data, const ocl_conv_direct_pd_t *pd,
        const prim_memory_desc_t *src, const prim_memory_desc_t *dst)
{
    prim_dim_t from[5], to[5], wei[6];
    prim__conv_data_strides(from, src);
    prim__conv_data_strides(to, dst);
    prim__conv_weights_strides(wei, prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS), pd->shape.has_groups);
    data->src_n = from[0];
    data->src_c = from[1];
    data->src_h = from[2 + CONV_H];
    data->src_w = from[2 + CONV_W];
    data->dst_n = to[0];
    data->dst_c = to[1];
    data->dst_h = to[2 + CONV_H];
    data->dst_w = to[2 + CONV_W];
    data->wei_g = wei[0];
    data->wei_o = wei[pd->is_gradient ? 2 : 1];
    data->wei_i = wei[pd->is_gradient ? 1 : 2];
    data->wei_h = wei[3 + CONV_H];
    data->wei_w = wei[3 + CONV_W];
}

static void fill_axes(ocl_conv_direct_data_t *data, const ocl_conv_direct_axis_t *h,
        const ocl_conv_direct_axis_t *w)
{
    data->width = prim__ocl_divisor((int32_t)prim__ceil_div(w->out, w->move));
    data->phases_h = prim__ocl_divisor(h->nphases);
    data->phases_w = prim__ocl_divisor(w->nphases);
    data->taps = prim__ocl_divisor((int32_t)w->ntaps);
    data->src_height = (int32_t)h->in;
    data->src_width = (int32_t)w->in;
    data->taps_h = (int32_t)h->taps;
    data->taps_w = (int32_t)w->taps;
    data->step_h = (int32_t)h->step;
    data->step_w = (int32_t)w->step;
    data->stride_w = (int32_t)w->stride;
    data->dilation_w = (int32_t)w->dilation;
    data->move_h = (int32_t)h->move;
    data->move_w = (int32_t)w->move;
    for (int i = 0; i < CONV_DIRECT_PHASES; ++i) {
        data->rows[i] = h->phases[i];
        data->columns[i] = w->phases[i];
    }
}

static ocl_conv_direct_data_t data_of(const ocl_conv_direct_pd_t *pd, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst)
{
    const ocl_conv_direct_plan_t *const t = &pd->plan;
    ocl_conv_direct_data_t data = {.parts = prim__ocl_divisor((int32_t)t->nparts),
            .bands = prim__ocl_divisor((int32_t)t->nbands),
            .blocks = prim__ocl_divisor((int32_t)t->nblocks),
            .nitems = (int32_t)t->nitems,
            .ic = (int32_t)pd->problem.ic,
            .oc = (int32_t)pd->problem.oc,
            .ngroups = (int32_t)pd->problem.g,
            .ncolumns = (int32_t)t->ncolumns,
            .nspatial = pd->shape.nspatial};
    fill_axes(&data, &pd->problem.h, &pd->problem.w);
    fill_strides(&data, pd, src, dst);
    if (!pd->is_gradient) data.quant = prim__ocl_conv_quant(&pd->base);
    return data;
}

prim_status_t prim__ocl_conv_direct_book(ocl_conv_direct_pd_t *pd, int src, int dst)
{
    prim_desc_t *const base = &pd->base;
    ocl_conv_direct_problem_t *const p = &pd->problem;
    const prim_memory_desc_t *const from = prim__pd_md(base, src);
    const prim_memory_desc_t *const to = prim__pd_md(base, dst);
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    p->src_bytes = (int)prim__dt_bytes(from->data_type);
    p->dst_bytes = (int)prim__dt_bytes(to->data_type);
    p->src_pitch = from->strides[from->ndims - 1];
    p->dst_pitch = to->strides[to->ndims - 1];
    p->channels_run = from->strides[1] == 1 && to->strides[1] == 1;
    p->most_vec = most_vector_channels(from, p->ic);
    REQUIRE(base, prim__ocl_conv_direct_plan(&pd->plan, device, p),
            "a column of %lld taps is above 16, or the weights do not fit local memory",
            (long long)p->h.ntaps);
    REQUIRE(base,
            device->max_group_items >= ITEMS &&
                    (!device->max_group_item_sizes[0] || device->max_group_item_sizes[0] >= ITEMS),
            "work-groups of the device have less than %d work-items", (int)ITEMS);
    REQUIRE(base, pd->plan.ngroups < INT32_MAX / ITEMS, "dst has 2^31 pixels or more");
    pd->data = data_of(pd, from, to);
    pd->by_value = device->keeps_structs && base->attr.nscales == 0 && base->attr.nzero_points == 0;
    return PRIM_SUCCESS;
}

static bool has_dst_vectors(const ocl_conv_direct_pd_t *pd)
{
    const int n = pd->plan.ocb;
    return (n == 2 || n == 4 || n == 8) && pd->data.dst_c == 1 && pd->problem.oc % n == 0;
}

prim_status_t prim__ocl_conv_direct_init(prim_t *primitive, ocl_options_t *options)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_conv_direct_pd_t *const pd = (const ocl_conv_direct_pd_t *)primitive->pd;
    prim__ocl_options_int(options, "KH", pd->problem.h.ntaps);
    prim__ocl_options_int(options, "SH", pd->problem.h.stride);
    prim__ocl_options_int(options, "DH", pd->problem.h.dilation);
    prim__ocl_options_int(options, "TH", pd->plan.th);
    prim__ocl_options_int(options, "OCB", pd->plan.ocb);
    prim__ocl_options_int(options, "VEC", pd->plan.vec);
    prim__ocl_options_int(options, "COLUMNS", pd->plan.columns);
    prim__ocl_options_int(options, "GROUPS", pd->plan.groups);
    prim__ocl_options_int(options, "TEAMS", pd->plan.teams);
    prim__ocl_options_int(options, "DST_RUNS", has_dst_vectors(pd));
    prim__ocl_options_int(options, "LOCAL_FOURS", pd->plan.local_fours);
    prim__ocl_options_int(options, "ITEMS", ITEMS);
    prim__ocl_options_int(options, "SIZES_BY_VALUE", pd->by_value);
    prim__ocl_post_ops_options(options, &pd->base, true);
    TRY(prim__ocl_primitive_add_kernel(p, &prim__ocl_conv_direct_cl, options, "conv_direct"));
    if (!pd->by_value) TRY(prim__ocl_primitive_add_data(p, &pd->data, sizeof pd->data));
    return prim__ocl_primitive_add_post_ops(p);
}

prim_status_t prim__ocl_conv_direct_execute(
        const prim_t *primitive, const exec_ctx_t *ctx, int src, int dst)
{
    const int tensors[] = {src, PRIM_ARG_WEIGHTS, PRIM_ARG_BIAS, dst};
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const ocl_conv_direct_pd_t *const pd = (const ocl_conv_direct_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_args_init(&args);
    if (pd->by_value)
        prim__ocl_args_struct(&args, &pd->data, sizeof pd->data);
    else
        prim__ocl_args_buffer(&args, p->data[0]);
    for (int i = 0; i < 4; ++i) prim__ocl_args_tensor(&args, ctx, tensors[i]);
    prim__ocl_conv_args_quant(&args, ctx, &pd->base);
    prim__ocl_args_post_ops(&args, ctx, p);
    const ocl_range_t range = prim__ocl_range_groups(pd->plan.ngroups, ITEMS);
    return prim__ocl_launch(ctx, p->kernels[0], &range, &args);
}

// ---- Forward -----------------------------------------------------------------------------------

static prim_status_t require_problem(prim_desc_t *pd, const conv_shape_t *s)
{
    REQUIRE(pd, s->nspatial < 3, "three spatial dimensions; this variant takes one or two");
    TRY(prim__ocl_conv_require_typed(pd));
    TRY(prim__ocl_require_layouts(pd, false));
    REQUIRE(pd, !prim__ocl_conv_sums_integers(pd),
            "integers must be summed exactly; this variant accumulates in f32");
    return prim__ocl_conv_require_sizes(pd, s);
}

/// Channels last for 16-bit types, as the convolutions on matrix units, if all is open.
static prim_status_t set_layouts(prim_desc_t *pd)
{
    const prim_data_type_t type = prim__pd_md(pd, PRIM_ARG_SRC)->data_type;
    if (type == PRIM_F16 || type == PRIM_BF16) TRY(prim__conv_set_channels_last(pd));
    return prim__conv_set_row_major(pd);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    ocl_conv_direct_pd_t *const pd = (ocl_conv_direct_pd_t *)base;
    const conv_shape_t *const s = &pd->shape;
    prim__conv_shape(&pd->shape, base);
    TRY(prim__conv_take_direct(base));
    TRY(require_problem(base, s));
    TRY(set_layouts(base));
    TRY(prim__ocl_conv_require_plain(base));
    REQUIRE(base,
            !prim__md_is_empty(prim__pd_md(base, PRIM_ARG_SRC)) &&
                    !prim__md_is_empty(prim__pd_md(base, PRIM_ARG_DST)),
            "a tensor has no elements");
    pd->problem = (ocl_conv_direct_problem_t){.mb = s->mb,
            .g = s->g,
            .ic = s->ic,
            .oc = s->oc,
            .h = prim__ocl_conv_direct_forward(s, CONV_H),
            .w = prim__ocl_conv_direct_forward(s, CONV_W)};
    TRY(prim__ocl_conv_direct_book(pd, PRIM_ARG_SRC, PRIM_ARG_DST));
    return prim__ocl_conv_direct_prefer_cheaper(pd);
}

static prim_status_t init(prim_t *primitive)
{
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_conv_options(&options, primitive->pd);
    return prim__ocl_conv_direct_init(primitive, &options);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    return prim__ocl_conv_direct_execute(primitive, ctx, PRIM_ARG_SRC, PRIM_ARG_DST);
}

const impl_t prim__ocl_conv_direct = {
        .name = "ocl:conv:direct",
        .pd_size = sizeof(ocl_conv_direct_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
};
