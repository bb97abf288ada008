// SPDX-License-Identifier: Apache-2.0
// Channels and rows of a work-item, by the registers that weights and sums take.
#include "ocl_conv_backward_data_depthwise_plan.h"

#include "common/int_math.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"

/// A work-item keeps the weights of its channels in registers: those of four channels up to
/// QUAD_TAPS, of two up to PAIR_TAPS. Beside more taps than that its tile has SHORT_TILE elements
/// of diff_src, else LONG_TILE.
enum { QUAD_TAPS = 9, PAIR_TAPS = 25, LONG_TILE = 8, SHORT_TILE = 2 };

static prim_dim_t taps_of(const conv_shape_t *s)
{
    return s->kernel[CONV_H] * s->kernel[CONV_W];
}

bool prim__ocl_conv_backward_data_depthwise_fits(const conv_shape_t *s)
{
    return s->kernel[CONV_H] <= OCL_CONV_DEPTHWISE_MOST_TAPS &&
           s->kernel[CONV_W] <= OCL_CONV_DEPTHWISE_MOST_TAPS_OF_ROW &&
           taps_of(s) <= OCL_CONV_DEPTHWISE_MOST_TAPS;
}

static int vector_channels(const conv_shape_t *s, int most_vec)
{
    const prim_dim_t taps = taps_of(s);
    int vec = taps <= QUAD_TAPS ? 4 : taps <= PAIR_TAPS ? 2 : 1;
    while (vec > 1 && (vec > most_vec || s->g % vec != 0)) vec /= 2;
    return vec;
}

/// Tiles that cover `in` elements from the last multiple of the stride in the padding on.
static prim_dim_t count_tiles(const conv_shape_t *s, int dim, int tile)
{
    return prim__ceil_div(s->in[dim] + s->pad[dim] % s->stride[dim], tile);
}

/// The longest slide that leaves every compute unit enough work-items to hide its loads.
static int rows_of(const ocl_device_t *device, const conv_shape_t *s, int tw, int vec)
{
    const prim_dim_t unit_items = prim__ocl_measured_int(device,
            MEASURED_CONV_DEPTHWISE_SLIDING_UNIT_ITEMS, 8 * prim__ocl_estimate_lanes(device));
    const prim_dim_t enough = unit_items * device->compute_units;
    const prim_dim_t nelems = s->mb * s->g * s->in[CONV_H] * s->in[CONV_W];
    const int stride = (int)s->stride[CONV_H];
    int nslides = (taps_of(s) > PAIR_TAPS ? SHORT_TILE : LONG_TILE) / (tw * stride);
    while (nslides > 1 &&
            (nslides * stride > s->in[CONV_H] || nelems / (nslides * stride * tw * vec) < enough))
        nslides /= 2;
    return (nslides > 1 ? nslides : 1) * stride;
}

ocl_conv_backward_data_depthwise_plan_t prim__ocl_conv_backward_data_depthwise_plan(
        const ocl_device_t *device, const conv_shape_t *s, int most_vec)
{
    const int stride_w = (int)s->stride[CONV_W];
    ocl_conv_backward_data_depthwise_plan_t plan = {.vec = vector_channels(s, most_vec)};
    plan.tw = stride_w > 1 ? stride_w : most_vec > 0 && s->in[CONV_W] > 1 ? 2 : 1;
    plan.th = rows_of(device, s, plan.tw, plan.vec);
    plan.nbands = count_tiles(s, CONV_H, plan.th);
    plan.ncolumns = count_tiles(s, CONV_W, plan.tw);
    plan.nitems = s->mb * (s->g / plan.vec) * plan.nbands * plan.ncolumns;
    return plan;
}
