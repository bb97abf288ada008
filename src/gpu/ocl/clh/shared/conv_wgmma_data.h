// SPDX-License-Identifier: Apache-2.0
// Shapes and strides of the convolutions on WGMMA: ocl_conv_wgmma.cl and ocl_conv_wgmma_few_channels.cl.
#ifndef CLH_SHARED_CONV_WGMMA_DATA_H
#define CLH_SHARED_CONV_WGMMA_DATA_H

#include "conv_data.h"

// The problem as boxes of tensor maps see it; triples are width, height, images.
typedef struct {
    cl_long src_s[3];                    // strides of src, bytes
    cl_long dst_s[3];                    // of dst, elements
    cl_int src_size[3], dst_size[3];
    cl_int box[3];                       // of dst, a tile
    cl_int ntiles[3];                    // tiles of pixels; without MAPS all along x
    cl_int step[2], pad[2], tap_step[2]; // of positions in src; step: of a pixel of dst
    cl_int element_step[2];              // of neighbours of a box in src
    cl_int taps_x, ntaps;
    cl_int channels, filter_channels;    // of src, of a filter
    cl_int slices_c;                     // slices of a tap
    cl_int reserved;
} ocl_conv_boxes_t;

SHARED_BYTES(ocl_conv_boxes_t, 6 * 8 + 26 * 4);

typedef struct {
    ocl_conv_geo_t geo;            // src_c, dst_c: of one channel
    cl_long src_g, wei_g, dst_g;   // distances of groups
    cl_long wei_o;                 // of filters
    cl_int npixels, ngroups;       // groups of channels
    cl_int ntiles, ntiles_n;       // tiles of all, of a group's channels
    cl_int nslices, split_slices, nsplits;
    cl_int slice_taps, slice_rest; // a slice of K is so many taps, and channels
    cl_int ndepth;                 // elements of K
    ocl_conv_boxes_t boxes;
} ocl_conv_wgmma_data_t;

SHARED_BYTES(ocl_conv_wgmma_data_t, sizeof(ocl_conv_geo_t) + 4 * 8 + 10 * 4 + sizeof(ocl_conv_boxes_t));

#define CONV_MAX_PHASES 16

// A phase of the strides of a gradient by src: diff_src[m·stride + start] is the convolution of diff_dst[m + first −
// t·dilation] with the weights' taps first_tap + t·tap_step. Pairs are width, height.
typedef struct {
    cl_long dst_off;               // of its first pixel, elements
    cl_int dst_size[2];            // its pixels of an image
    cl_int first[2], first_tap[2];
    cl_int taps_x, nslices, split_slices, reserved;
} ocl_conv_phase_t;

SHARED_BYTES(ocl_conv_phase_t, 8 + 10 * 4);

// The same as one problem: convolutions of diff_dst (src) with diff_src as dst, the numbers of tiles those of the
// largest phase.
typedef struct {
    ocl_conv_wgmma_data_t base; // boxes: tap_step is the dilation; taps_x, ntaps are those of the weights
    cl_long wei_tap[2];         // distances of taps
    cl_int wei_step[2];         // tap_step
    cl_int nphases, reserved;
    ocl_conv_phase_t phases[CONV_MAX_PHASES];
} ocl_conv_phases_data_t;

SHARED_BYTES(ocl_conv_phases_data_t,
        sizeof(ocl_conv_wgmma_data_t) + 2 * 8 + 4 * 4 + CONV_MAX_PHASES * sizeof(ocl_conv_phase_t));

// Where tensors and scratch memory start. By value, together: each parameter costs time at every launch.
typedef struct {
    cl_long src, wei, dst; // elements
    cl_long partial, maps; // bytes
} ocl_conv_starts_t;

SHARED_BYTES(ocl_conv_starts_t, 5 * 8);

typedef struct {
    ocl_conv_wgmma_data_t base;  // boxes: unsimplified, one tile
    cl_long starts[3];           // of src, wei, dst; known at execution
    cl_long wei_c, wei_s[2];     // strides of channels and taps: width, height
    cl_int row_elems, reserved;  // taps of a row with their channels
} ocl_conv_rows_data_t;

SHARED_BYTES(ocl_conv_rows_data_t, sizeof(ocl_conv_wgmma_data_t) + 6 * 8 + 2 * 4);

#endif
