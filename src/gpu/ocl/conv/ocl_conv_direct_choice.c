// SPDX-License-Identifier: Apache-2.0
// The choice of direct convolutions: their cost model against those of matrix products.
#include "ocl_conv_direct_choice.h"

#include <math.h>

#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_conv_backward_data_depthwise_plan.h"
#include "ocl_conv_backward_data_few_channels_plan.h"
#include "ocl_conv_depthwise_sliding_plan.h"
#include "ocl_conv_igemm.h"
#include "ocl_conv_pipeline.h"
#include "ocl_conv_taps.h"
#include "ocl_conv_wgmma_few_channels.h"
#include "ocl_conv_wgmma_operands.h"

/// In a group, of the kernel's src and dst: no more were measured. Where sums are long, those of
/// single taps or matrix products are faster: 5×3 taps of 253 channels 4 times.
enum { MOST_SRC_CHANNELS = 32, MOST_DST_CHANNELS = 16 };
enum { MOST_STRIDE = 4 }; ///< of what keeps its window in registers

static double least_of(double a, double b)
{
    return a < b ? a : b;
}

static bool is_dense(const conv_shape_t *s, int dim)
{
    return s->dilation[dim] == 1 || s->kernel[dim] == 1;
}

/// Whether windows neither have gaps nor move further than the kernels that keep a window in
/// registers are made for.
static bool slides(const conv_shape_t *s)
{
    return is_dense(s, CONV_H) && is_dense(s, CONV_W) && s->stride[CONV_H] <= MOST_STRIDE &&
           s->stride[CONV_W] <= MOST_STRIDE;
}

/// Whether matrix units take it: 16 bits, channels innermost.
static bool is_for_units(const ocl_conv_direct_pd_t *pd)
{
    const prim_data_type_t type = prim__conv_md(&pd->base, PRIM_ARG_SRC)->data_type;
    return (type == PRIM_F16 || type == PRIM_BF16) && pd->problem.channels_run &&
           prim__conv_md(&pd->base, PRIM_ARG_WEIGHTS)->data_type == type &&
           prim__ocl_conv_wgmma_is_claimed(&pd->base);
}

/// Local memory of `pipeline`, or 0 where that does not take the problem.
static size_t pipeline_bytes(const ocl_conv_direct_pd_t *pd)
{
    const prim_engine_t *const engine = pd->base.engine;
    const bool is_f32 = prim__conv_md(&pd->base, PRIM_ARG_SRC)->data_type == PRIM_F32 &&
                        prim__conv_md(&pd->base, PRIM_ARG_WEIGHTS)->data_type == PRIM_F32;
    const bool has_copies = is_f32 && !pd->problem.channels_run &&
                            prim__ocl_device(engine)->nv_capability_major >= 8;
    return has_copies ? prim__ocl_conv_pipeline_bytes(engine) : 0;
}

/// `kn2row` and `backward_data_col2im`, which a window of one tap does not need.
static double taps_cycles(const ocl_conv_direct_pd_t *pd)
{
    if (prim__conv_taps(&pd->shape) == 1) return INFINITY;
    return prim__ocl_conv_taps_cycles(pd->base.engine, &pd->shape, pd->is_gradient);
}

// ---- Forward -----------------------------------------------------------------------------------

/// `wgmma`, with the copy of src where pixels are no multiples of 16 bytes.
static double wgmma_cycles(const prim_desc_t *pd)
{
    const ocl_device_t *const device = prim__ocl_device(pd->engine);
    ocl_conv_wgmma_pd_t other = {.base = *pd};
    ocl_tune_t tune = {.pd = &other.base};
    prim__ocl_conv_wgmma_set_operands(&other, false);
    ocl_conv_wgmma_product_t product =
            prim__ocl_conv_wgmma_product(&other, prim__ocl_conv_wgmma_leaves_registers(pd));
    product.has_unit = true;
    if (!prim__ocl_conv_wgmma_plan(
                &other.plan, &tune, device, prim__ocl_feature_local_bytes(pd->engine), &product))
        return INFINITY;
    if (other.packs.src.nitems == 0) return other.plan.cycles;
    return other.plan.cycles +
           prim__ocl_conv_move_cycles(device, prim__ocl_conv_wgmma_copied_bytes(&other), 1);
}

static double pipeline_cycles(const ocl_conv_direct_pd_t *pd, size_t bytes)
{
    const conv_shape_t *const s = &pd->shape;
    const ocl_conv_product_t product = {.g = s->g,
            .m = s->oc,
            .n = s->mb * prim__conv_out_elems(s),
            .ntaps = prim__conv_taps(s),
            .channels = s->ic,
            .is_flat = prim__ocl_conv_igemm_wants_table(s),
            .may_split = true,
            .pipeline_bytes = bytes};
    ocl_conv_plan_t plan;
    const bool fits = prim__ocl_conv_plan(&plan, NULL, prim__ocl_device(pd->base.engine), &product);
    return fits ? plan.cycles : INFINITY;
}

static double forward_cycles(const ocl_conv_direct_pd_t *pd)
{
    const prim_desc_t *const base = &pd->base;
    const size_t bytes = pipeline_bytes(pd);
    if (bytes > 0) return least_of(pipeline_cycles(pd, bytes), taps_cycles(pd));
    const double igemm = prim__ocl_conv_igemm_cycles(base);
    if (!is_for_units(pd)) return igemm;
    return least_of(prim__ocl_conv_few_channels_cycles(base), wgmma_cycles(base));
}

// ---- By src ------------------------------------------------------------------------------------

/// `backward_data_few_channels`, whose model counts from its first loads on; INFINITY where it does
/// not take the problem.
static double few_channels_cycles(const ocl_conv_direct_pd_t *pd)
{
    const int most_channels = 8, most_taps = 11;
    const conv_shape_t *const s = &pd->shape;
    ocl_conv_few_src_plan_t plan;
    if (s->g > 1 || s->ic > most_channels || !slides(s)) return INFINITY;
    if (s->kernel[CONV_H] > most_taps || s->kernel[CONV_W] > most_taps) return INFINITY;
    if (prim__ocl_conv_few_src_block_sums(s) > OCL_CONV_FEW_SRC_MOST_SUMS) return INFINITY;
    const ocl_device_t *const device = prim__ocl_device(pd->base.engine);
    if (!prim__ocl_conv_few_src_plan(&plan, device, s, pd->problem.most_vec)) return INFINITY;
    return plan.cycles + prim__ocl_conv_direct_start_cycles(device);
}

static double gradient_cycles(const ocl_conv_direct_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    const prim_engine_t *const engine = pd->base.engine;
    const ocl_device_t *const device = prim__ocl_device(engine);
    const double product =
            is_for_units(pd) ? prim__ocl_conv_few_src_wgmma_cycles(device, s,
                                       prim__ocl_feature_local_bytes(engine), pd->problem.dst_bytes)
                             : prim__ocl_conv_few_src_phases_cycles(device, s, pipeline_bytes(pd));
    const double taps = pipeline_bytes(pd) > 0 ? taps_cycles(pd) : INFINITY;
    return least_of(least_of(few_channels_cycles(pd), taps), product * (double)s->g);
}

// ---- Both --------------------------------------------------------------------------------------

/// Whether a kernel made for groups of one channel keeps its windows in registers.
static bool is_for_depthwise(const ocl_conv_direct_pd_t *pd)
{
    const conv_shape_t *const s = &pd->shape;
    if (!slides(s)) return false;
    if (!pd->is_gradient) return prim__ocl_conv_depthwise_sliding_fits(s);
    return s->g > 1 && prim__ocl_conv_backward_data_depthwise_fits(s);
}

prim_status_t prim__ocl_conv_direct_prefer_cheaper(ocl_conv_direct_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const ocl_device_t *const device = prim__ocl_device(base->engine);
    PREFER_OTHER_UNLESS(base, !device->is_cpu,
            "the device is CPU-type: convolutions with vectors of pixels are faster there");
    PREFER_OTHER_UNLESS(base,
            pd->problem.ic <= MOST_SRC_CHANNELS && pd->problem.oc <= MOST_DST_CHANNELS,
            "groups of %lld channels by %lld: this variant is measured up to %d by %d",
            (long long)pd->problem.ic, (long long)pd->problem.oc, (int)MOST_SRC_CHANNELS,
            (int)MOST_DST_CHANNELS);
    if (pd->problem.ic == 1 && pd->problem.oc == 1) {
        PREFER_OTHER_UNLESS(base, !is_for_depthwise(pd),
                "depthwise, and the window fits registers: it slides there");
        return PRIM_SUCCESS;
    }
    const double slower = prim__ocl_measured(device, MEASURED_CONV_DIRECT_PRODUCT_SLOWER, 1);
    const double product = pd->is_gradient ? gradient_cycles(pd) : forward_cycles(pd);
    PREFER_OTHER_UNLESS(base, pd->plan.cycles <= slower * product,
            "%.0f cycles; as a matrix product it is expected to take %.0f", pd->plan.cycles,
            product);
    return PRIM_SUCCESS;
}
