// SPDX-License-Identifier: Apache-2.0
// Direct convolutions of few channels of dst as ocl_conv_direct.cl computes them, forward ones and
// gradients by src: their phases, their tiles, and the cost model that chooses these.
#ifndef PRIM_OCL_CONV_DIRECT_PLAN_H
#define PRIM_OCL_CONV_DIRECT_PLAN_H

#include "common/conv_shape.h"
#include "gpu/ocl/clh/shared/conv_direct_data.h"
#include "gpu/ocl/device/ocl_device.h"

enum { OCL_CONV_DIRECT_ITEMS = 128 }; ///< of a work-group

/// One dimension of the planes. `in` and `out` are of the kernel's src and dst; neighbours of a
/// phase meet windows `stride` apart, whose taps are `dilation` apart.
typedef struct {
    prim_dim_t in, out, stride, dilation;
    prim_dim_t taps, ntaps; ///< of the weights; of a phase, at most
    prim_dim_t step;        ///< between taps of a phase, in the weights
    prim_dim_t move;        ///< from one row of dst to the next of its phase
    int nphases;
    ocl_conv_direct_phase_t phases[CONV_DIRECT_PHASES];
} ocl_conv_direct_axis_t;

/// Plain data. `ic` and `oc` are channels of a group in the kernel's src and dst.
typedef struct {
    prim_dim_t mb, g, ic, oc;
    ocl_conv_direct_axis_t h, w;
    int src_bytes, dst_bytes;        ///< of an element
    prim_dim_t src_pitch, dst_pitch; ///< elements between columns
    bool channels_run;               ///< channels are contiguous in src and dst
    int most_vec;                    ///< channels of src that may be loaded together
} ocl_conv_direct_problem_t;

/// What a work-item and a work-group compute.
typedef struct {
    int th, ocb;         ///< rows and channels of dst of a work-item
    int nloads;          ///< rows of src that these meet
    int vec, columns;    ///< channels and columns of src that it loads together
    int groups;          ///< of channels, adjacent in a work-group
    int teams;           ///< that share the columns of src of the same pixels
    prim_dim_t ncolumns; ///< of a window, in all channels, `vec` together
    prim_dim_t nblocks, nbands, nitems, nparts, ngroups;
    prim_dim_t nfours; ///< vectors of four weights
    int local_fours;   ///< vectors of four weights in local memory, a power of two
    double cycles;     ///< what the model expects of a compute unit
} ocl_conv_direct_plan_t;

/// The dimension `dim` of a forward convolution, or of a gradient by src. The latter needs strides
/// up to CONV_DIRECT_PHASES.
ocl_conv_direct_axis_t prim__ocl_conv_direct_forward(const conv_shape_t *shape, int dim);
ocl_conv_direct_axis_t prim__ocl_conv_direct_gradient(const conv_shape_t *shape, int dim);

/// The tile that the model expects the least of; false where no tile fits registers and local
/// memory.
bool prim__ocl_conv_direct_plan(ocl_conv_direct_plan_t *plan, const ocl_device_t *device,
        const ocl_conv_direct_problem_t *problem);

/// Cycles before the first columns are there and after the last sums: of any such kernel.
double prim__ocl_conv_direct_start_cycles(const ocl_device_t *device);

#endif
