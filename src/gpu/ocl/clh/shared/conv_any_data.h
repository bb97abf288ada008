// SPDX-License-Identifier: Apache-2.0
// Descriptors, scales and shapes of ocl_conv_any.cl and ocl_deconv_any.cl.
#ifndef CLH_SHARED_CONV_ANY_DATA_H
#define CLH_SHARED_CONV_ANY_DATA_H

#include "conv_data.h"

typedef struct {
    ocl_md_t src, wei, bia, dst;
    ocl_quant_t src_scales, wei_scales, dst_scales, src_zps, wei_zps, dst_zps;
    cl_long ic, oc; // of one group
    cl_long in[NSPATIAL], taps[NSPATIAL], stride[NSPATIAL], dilation[NSPATIAL], pad[NSPATIAL];
    cl_int nspatial, has_groups;
    cl_int sums_integers; // src and wei are integers
    cl_int is_exact;      // and so is all that follows
} ocl_conv_any_data_t;

SHARED_BYTES(ocl_conv_any_data_t, 4 * sizeof(ocl_md_t) + 6 * sizeof(ocl_quant_t) + 8 * (2 + 5 * NSPATIAL) + 4 * 4);

#endif
