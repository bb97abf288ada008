// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of convolutions as implicit matrix products: ocl_conv_igemm.cl, ocl_conv_igemm_sum.cl
// and ocl_conv_pipeline.cl.
#ifndef CLH_SHARED_CONV_IGEMM_DATA_H
#define CLH_SHARED_CONV_IGEMM_DATA_H

#include "conv_data.h"

#define IGEMM_TAP_BITS 31 // of a step's taps: depth first, a bit for each tap of a dimension

// One step of K, tap by tap and within a tap by input channel.
typedef struct {
    cl_int src_off; // what it adds to the offset in src
    cl_int wei_off; // its offset in the weights
    cl_int taps;    // a bit for each dimension: its tap
    cl_int reserved;
} ocl_conv_igemm_step_t;

SHARED_BYTES(ocl_conv_igemm_step_t, 16);

typedef struct {
    ocl_conv_geo_t geo;                // src_c, dst_c: of one channel
    cl_long src_g, wei_g, dst_g;       // distances of groups
    cl_long wei_s[NSPATIAL], wei_i;
    cl_long npartial;                  // elements of a split, which are those of dst
    cl_int npixels, ndepth;
    cl_int ntiles_m, ntiles_n;         // of a group of channels
    cl_int nslices, nslices_c;         // of K, BK each; of those, in one tap
    cl_int split_slices, nsplits;
    cl_int ngroups, reserved;
    ocl_conv_quant_t quant;
} ocl_conv_igemm_data_t;

SHARED_BYTES(ocl_conv_igemm_data_t, sizeof(ocl_conv_geo_t) + 8 * (5 + NSPATIAL) + 4 * 10 + sizeof(ocl_conv_quant_t));

// A product of several that one launch computes. Without slices of K it stores zeros.
typedef struct {
    ocl_conv_igemm_data_t sizes;
    cl_long depth_off;                     // of its steps, in the table of all
    cl_long src_off, wei_off, dst_off;     // of its parts of the tensors
    cl_long partial_off;                   // of its partial sums
} ocl_conv_igemm_phase_t;

SHARED_BYTES(ocl_conv_igemm_phase_t, sizeof(ocl_conv_igemm_data_t) + 8 * 5);

#endif
