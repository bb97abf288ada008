// SPDX-License-Identifier: Apache-2.0
// Channels and rows of a work-item, by the registers that weights and sums take.
#include "ocl_conv_depthwise_sliding_plan.h"

#include "common/int_math.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"

enum { MOST_TAPS = 49, MOST_TAPS_OF_ROW = 7 };
/// A work-item keeps the weights of its channels in registers: those of four channels up to
/// QUAD_TAPS, of two up to PAIR_TAPS. Beside more taps than that its tile has SHORT_TILE elements
/// of dst, else LONG_TILE.
enum { QUAD_TAPS = 9, PAIR_TAPS = 25, LONG_TILE = 8, SHORT_TILE = 2 };

static prim_dim_t taps_of(const conv_shape_t *s)
{
    return s->kernel[CONV_H] * s->kernel[CONV_W];
}

bool prim__ocl_conv_depthwise_sliding_fits(const conv_shape_t *s)
{
    return taps_of(s) <= MOST_TAPS && s->kernel[CONV_W] <= MOST_TAPS_OF_ROW;
}

static int vector_channels(const conv_shape_t *s, int most_vec)
{
    const prim_dim_t taps = taps_of(s);
    int vec = taps <= QUAD_TAPS ? 4 : taps <= PAIR_TAPS ? 2 : 1;
    while (vec > 1 && (vec > most_vec || s->g % vec != 0)) vec /= 2;
    return vec;
}

/// The longest slide that leaves every compute unit enough work-items to hide its loads.
ocl_conv_depthwise_sliding_plan_t prim__ocl_conv_depthwise_sliding_plan(
        const ocl_device_t *device, const conv_shape_t *s, int most_vec, int columns)
{
    const prim_dim_t unit_items = prim__ocl_measured_int(device,
            MEASURED_CONV_DEPTHWISE_SLIDING_UNIT_ITEMS, 8 * prim__ocl_estimate_lanes(device));
    const prim_dim_t enough = unit_items * device->compute_units;
    const prim_dim_t noutputs = s->mb * s->g * prim__conv_out_elems(s);
    ocl_conv_depthwise_sliding_plan_t plan = {.vec = vector_channels(s, most_vec)};
    // Windows of stride 2 share few rows: vectors of channels gain nothing from longer slides.
    const bool is_short = taps_of(s) > PAIR_TAPS || (plan.vec > 1 && s->stride[CONV_H] > 1);
    const int longest = is_short ? SHORT_TILE : LONG_TILE;
    plan.tw = most_vec > 0 && s->out[CONV_W] > 1 ? 2 : columns;
    if (plan.tw > longest) plan.tw = longest;
    plan.th = longest / plan.tw;
    while (plan.th > 1 &&
            (plan.th > s->out[CONV_H] || noutputs / (plan.th * plan.tw * plan.vec) < enough))
        plan.th /= 2;
    plan.nbands = prim__ceil_div(s->out[CONV_H], plan.th);
    plan.ncolumns = prim__ceil_div(s->out[CONV_W], plan.tw);
    plan.nitems = s->mb * (s->g / plan.vec) * plan.nbands * plan.ncolumns;
    return plan;
}
