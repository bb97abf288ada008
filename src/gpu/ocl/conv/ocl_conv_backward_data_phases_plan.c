// SPDX-License-Identifier: Apache-2.0
// Counts of the phases of the strides, and the cost of elements that no tap meets.
#include "ocl_conv_backward_data_phases_plan.h"

#include "common/conv_polyphase.h"
#include "common/int_math.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_conv_plan.h"

static void add_phase(
        ocl_conv_phases_t *phases, const conv_shape_t *s, const prim_dim_t start[CONV_NSPATIAL])
{
    int64_t ntaps = 1, npixels = s->mb;
    for (int i = 0; i < CONV_NSPATIAL; ++i) {
        conv_phase_dim_t dim;
        prim__conv_phase_dim(&dim, s, i, start[i]);
        ntaps *= dim.ntaps;
        npixels *= dim.src_elems;
    }
    ++phases->nphases;
    if (ntaps == 0) {
        phases->nempty += npixels * s->g * s->ic;
        return;
    }
    ++phases->nmeeting;
    phases->ntaps += ntaps;
    phases->most_taps = prim__max(phases->most_taps, ntaps);
    phases->most_pixels = prim__max(phases->most_pixels, npixels);
}

ocl_conv_phases_t prim__ocl_conv_phases(const conv_shape_t *s)
{
    ocl_conv_phases_t phases = {.nphases = 0};
    prim_dim_t at[CONV_NSPATIAL], n[CONV_NSPATIAL];
    for (int i = 0; i < CONV_NSPATIAL; ++i) n[i] = prim__min(s->stride[i], s->in[i]);
    for (at[CONV_D] = 0; at[CONV_D] < n[CONV_D]; ++at[CONV_D])
        for (at[CONV_H] = 0; at[CONV_H] < n[CONV_H]; ++at[CONV_H])
            for (at[CONV_W] = 0; at[CONV_W] < n[CONV_W]; ++at[CONV_W]) add_phase(&phases, s, at);
    return phases;
}

ocl_conv_empty_cycles_t prim__ocl_conv_empty_cycles(
        const ocl_device_t *device, int64_t nempty, double bytes)
{
    // A store of one element: three instructions.
    const double each = prim__ocl_measured(device, MEASURED_CONV_PHASES_EMPTY_CYCLES, 3);
    return (ocl_conv_empty_cycles_t){
            .one_by_one = each * (double)nempty / prim__ocl_estimate_units(device),
            .cleared = prim__ocl_conv_move_cycles(device, bytes, 2)};
}
