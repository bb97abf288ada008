// SPDX-License-Identifier: Apache-2.0
// What the data of the typed kernels of convolution begins and ends with.
#ifndef CLH_SHARED_CONV_DATA_H
#define CLH_SHARED_CONV_DATA_H

#include "quant_data.h"

#define NSPATIAL 3 // depth, height, width; missing ones count as 1 element, 1 tap, stride 1

typedef struct {
    cl_long src_n, src_c, src_s[NSPATIAL]; // strides; src_c and dst_c are of a block of 16 channels
    cl_long dst_n, dst_c, dst_s[NSPATIAL]; // where the channels of the tensor are contiguous
    cl_long src_span;                      // elements of src that may be read, from src_off on
    cl_int in[NSPATIAL], out[NSPATIAL], taps[NSPATIAL], stride[NSPATIAL];
    cl_int dilation[NSPATIAL], pad[NSPATIAL]; // dilation 1 is dense
    cl_int ic, oc;                            // of a group
    cl_int oc_padded; // oc in the memory of dst; more than oc only if there is one group
    cl_int nspatial;
} ocl_conv_geo_t;

SHARED_BYTES(ocl_conv_geo_t, 8 * (5 + 2 * NSPATIAL) + 4 * (6 * NSPATIAL + 4));

typedef struct {
    ocl_quant_t dst_scales, dst_zps;
    cl_int src_scales_dt, wei_scales_dt; // DT_UNDEF: not set
    cl_int wei_scale_step;               // 1: one for each channel of dst
    cl_int reserved;
} ocl_conv_quant_t;

SHARED_BYTES(ocl_conv_quant_t, 2 * sizeof(ocl_quant_t) + 4 * 4);

#endif
