// SPDX-License-Identifier: Apache-2.0
// Linear resampling by 2 × 2 of NCHW on CPU-type devices.
#include "common/int_math.h"
#include "gpu/ocl/kit/ocl_nontemporal.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "ocl_resampling_scale.h"

extern const ocl_source_t prim__ocl_resampling_nchw_double_cpu_cl;
extern const impl_t prim__ocl_resampling_nchw_double_cpu;

_Static_assert(offsetof(ocl_scale_pd_t, base) == 0, "the base comes first");

enum { VEC = 16 };

static bool has_rows(const ocl_channels_t *tensor)
{
    return tensor->run == 1 && tensor->w == 1;
}

static void choose_bands(ocl_scale_pd_t *pd, const ocl_device_t *device)
{
    ocl_scale_data_t *const data = &pd->data;
    const int64_t nplanes =
            prim__pd_md(&pd->base, PRIM_ARG_DST)->dims[0] * (int64_t)data->blocks.n * data->depth.n;
    const int64_t wanted = prim__ocl_estimate_core_items(device);
    const int64_t nbands = nplanes >= wanted ? 1 : prim__ceil_div(wanted, nplanes);
    const int64_t npairs = data->in_h + 1;
    pd->rows = (int)prim__ceil_div(npairs, nbands);
    data->band_rows = pd->rows;
    prim__ocl_scale_split(pd, 1, 1);
}

static prim_status_t init_pd(prim_desc_t *base)
{
    ocl_scale_pd_t *const pd = (ocl_scale_pd_t *)base;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    TRY(prim__ocl_scale_require(pd));
    REQUIRE(base, base->op.alg_kind == PRIM_RESAMPLING_LINEAR, "the algorithm is not linear");
    REQUIRE(base, pd->scale_h == 2 && pd->scale_w == 2, "OH or OW is not twice IH or IW");
    REQUIRE(base, has_rows(&pd->data.src) && has_rows(&pd->data.dst),
            "rows of src or dst are not contiguous (NCHW)");
    REQUIRE(base, pd->data.in_w >= VEC, "rows of src are shorter than a vector of %d", VEC);
    pd->vec = VEC;
    pd->cols = 0;
    choose_bands(pd, device);
    PREFER_OTHER_UNLESS(base, device->is_cpu,
            "the device is a GPU: this variant gives one work-item many rows");
    PREFER_OTHER_UNLESS(
            base, device->vector_width_f32 >= 8, "the device has vectors of fewer than 8 floats");
    return PRIM_SUCCESS;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const ocl_scale_pd_t *const pd = (const ocl_scale_pd_t *)primitive->pd;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_scale_options(&options, pd);
    prim__ocl_nontemporal_options(&options, &pd->base, PRIM_ARG_DST, pd->data.out_w);
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_resampling_nchw_double_cpu_cl, &options, "resampling_nchw_double_cpu"));
    return prim__ocl_primitive_add_data(p, &pd->data, sizeof pd->data);
}

const impl_t prim__ocl_resampling_nchw_double_cpu = {
        .name = "ocl:resampling:nchw_double_cpu",
        .pd_size = sizeof(ocl_scale_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = prim__ocl_scale_execute,
        .fini = prim__ocl_primitive_fini,
};
