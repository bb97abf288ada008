// SPDX-License-Identifier: Apache-2.0
#include "ocl_lrn_across.h"

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/lrn_shape.h"
#include "gpu/ocl/kit/ocl_channels.h"
#include "gpu/ocl/kit/ocl_single_kernel.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"

enum {
    MOST_HALF = 4,      ///< neighbours on each side, which stay in registers
    LEAST_SEGMENT = 16, ///< channels, beside which the window's neighbours are few
    VECTOR_BYTES = 16   ///< of a GPU's load
};

/// Tensors of the pass, src first.
static int list_tensors(const prim_memory_desc_t **mds, const prim_desc_t *pd)
{
    static const int args[] = {
            PRIM_ARG_SRC, PRIM_ARG_DST, PRIM_ARG_WORKSPACE, PRIM_ARG_DIFF_DST, PRIM_ARG_DIFF_SRC};
    int n = 0;
    for (size_t i = 0; i < sizeof args / sizeof *args; ++i)
        if (prim__pd_has(pd, args[i])) mds[n++] = prim__pd_md(pd, args[i]);
    return n;
}

static bool is_backward(const prim_desc_t *pd)
{
    return prim__pd_has(pd, PRIM_ARG_DIFF_DST);
}

static prim_status_t require(lrn_across_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    REQUIRE(base, base->op.alg_kind == PRIM_LRN_ACROSS_CHANNELS,
            "the window lies within a channel; this variant's lies across channels");
    TRY(is_backward(base) ? prim__pd_follow(base) : prim__lrn_resolve(base));
    const lrn_window_t window = prim__lrn_window(base);
    const prim_memory_desc_t *mds[5];
    const int n = list_tensors(mds, base);
    REQUIRE(base, window.half <= MOST_HALF, "local_size is %lld: the window is longer than %d",
            (long long)base->op.u.lrn.local_size, 2 * MOST_HALF + 1);
    REQUIRE(base, !prim__md_is_empty(mds[0]), "src has no elements");
    REQUIRE(base, prim__ocl_fits_i32(base), "a tensor has 2^31 elements or more");
    for (int i = 1; i < n; ++i)
        REQUIRE(base, prim__md_same_layout_moved(mds[0], mds[i]), "the tensors differ in layout");
    const int64_t channels = mds[0]->dims[1];
    pd->half = (int)window.half;
    pd->data = (ocl_lrn_across_data_t){.channels = (int32_t)channels,
            .plane = (int32_t)(prim__md_nelems(mds[0]) / (mds[0]->dims[0] * channels)),
            .factor = (float)window.factor,
            .beta = base->op.u.lrn.beta,
            .k = base->op.u.lrn.k};
    return PRIM_SUCCESS;
}

/// The longest vector, up to `most`, that divides n.
static int vector_of(int n, int most)
{
    while (n % most != 0) most /= 2;
    return most;
}

static int longest_vector(const prim_desc_t *pd, int most_bytes)
{
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    const size_t bytes = prim__dt_bytes(prim__pd_md(pd, PRIM_ARG_SRC)->data_type);
    return device->is_cpu ? (device->vector_width_f32 >= 8 ? 16 : 4) : most_bytes / (int)bytes;
}

prim_status_t prim__ocl_lrn_across_init_nchw(prim_desc_t *base, int most_bytes, int at_once)
{
    lrn_across_pd_t *const pd = (lrn_across_pd_t *)base;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    ocl_lrn_across_data_t *const data = &pd->data;
    TRY(require(pd));
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    REQUIRE(base, prim__md_is_row_major(src), "src is not contiguous (NCHW)");
    pd->vec = vector_of(data->plane, longest_vector(base, most_bytes));
    pd->at_once = at_once;
    const int64_t nvecs = src->dims[0] * (data->plane / pd->vec);
    // Work-items that keep a core, or a compute unit of a GPU, busy.
    const int unit_items = device->is_cpu
                                   ? prim__ocl_measured_int(device, MEASURED_LRN_CORE_ITEMS, 4)
                                   : prim__ocl_measured_int(device, MEASURED_LRN_UNIT_ITEMS, 2048);
    const int64_t wanted = (int64_t)prim__ocl_estimate_units(device) * unit_items;
    const int64_t fill = prim__ceil_div(wanted, nvecs);
    const int64_t share = prim__round_up(prim__ceil_div(data->channels, fill), at_once);
    data->segment = (int32_t)(share > LEAST_SEGMENT ? share : LEAST_SEGMENT);
    const int32_t nsegments = (int32_t)prim__ceil_div(data->channels, data->segment);
    data->nitems = (int32_t)(nvecs * nsegments);
    data->by_vecs = prim__ocl_divisor(data->plane / pd->vec);
    data->by_segments = prim__ocl_divisor(nsegments);
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_lrn_across_init_nhwc(prim_desc_t *base)
{
    static const char *const tags[] = {"ab", "acb", "acdb", "acdeb"};
    lrn_across_pd_t *const pd = (lrn_across_pd_t *)base;
    ocl_lrn_across_data_t *const data = &pd->data;
    TRY(require(pd));
    const prim_memory_desc_t *const src = prim__pd_md(base, PRIM_ARG_SRC);
    REQUIRE(base, prim__md_matches_tag(src, tags[src->ndims - 2]), "src is not contiguous (NHWC)");
    pd->vec = vector_of(data->channels, longest_vector(base, VECTOR_BYTES));
    data->nitems = (int32_t)(prim__md_nelems(src) / pd->vec);
    data->by_vecs = prim__ocl_divisor(data->channels / pd->vec);
    return PRIM_SUCCESS;
}

static int beta_option(float beta)
{
    return beta == 0.75F ? 75 : beta == 1.F ? 100 : beta == 0.5F ? 50 : 0;
}

prim_status_t prim__ocl_lrn_across_init(
        prim_t *primitive, const ocl_source_t *source, const char *name)
{
    const lrn_across_pd_t *const pd = (const lrn_across_pd_t *)primitive->pd;
    const prim_desc_t *const base = primitive->pd;
    const prim_data_type_t dt = prim__pd_md(base, PRIM_ARG_SRC)->data_type;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_type(&options, "SRC", dt);
    prim__ocl_options_type(&options, "WS", PRIM_F32);
    if (is_backward(base)) {
        prim__ocl_options_type(&options, "DIFF_DST", dt);
        prim__ocl_options_type(&options, "DIFF_SRC", dt);
    } else {
        prim__ocl_options_type(&options, "DST", dt);
        prim__ocl_options_int(&options, "WITH_WS", prim__pd_has(base, PRIM_ARG_WORKSPACE));
    }
    prim__ocl_options_int(&options, "VEC", pd->vec);
    prim__ocl_options_int(&options, "HALF", pd->half);
    prim__ocl_options_int(&options, "BETA", beta_option(pd->data.beta));
    if (pd->at_once > 0) prim__ocl_options_int(&options, "AT_ONCE", pd->at_once);
    return prim__ocl_single_init(primitive, &options, source, name, &pd->data, sizeof pd->data);
}

prim_status_t prim__ocl_lrn_across_execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    static const int forward[] = {PRIM_ARG_SRC, PRIM_ARG_WORKSPACE, PRIM_ARG_DST, 0};
    static const int backward[] = {
            PRIM_ARG_SRC, PRIM_ARG_DIFF_DST, PRIM_ARG_WORKSPACE, PRIM_ARG_DIFF_SRC, 0};
    const lrn_across_pd_t *const pd = (const lrn_across_pd_t *)primitive->pd;
    ocl_args_t args;
    prim__ocl_single_args(&args, primitive, ctx, is_backward(&pd->base) ? backward : forward);
    return prim__ocl_single_run(primitive, ctx, &args, pd->data.nitems);
}
