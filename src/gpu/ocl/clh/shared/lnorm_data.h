// SPDX-License-Identifier: Apache-2.0
// What the kernels of layer normalisation share with the host: descriptors of the generic ones, and what
// becomes of the statistics.
#ifndef CLH_SHARED_LNORM_DATA_H
#define CLH_SHARED_LNORM_DATA_H

#include "md_data.h"

// Mean and variance of a row: computed and dropped, computed and written, or read.
#define LNORM_STATS_LOCAL 0
#define LNORM_STATS_OUTPUT 1
#define LNORM_STATS_GIVEN 2

typedef struct {
    ocl_md_t src, dst, stat;
    cl_int stats;              // LNORM_STATS_…
    cl_int scale_dt, shift_dt; // DT_UNDEF: none
    cl_float epsilon;
} ocl_lnorm_any_data_t;

SHARED_BYTES(ocl_lnorm_any_data_t, 3 * sizeof(ocl_md_t) + 16);

typedef struct {
    ocl_md_t src, diff_dst, diff_src, stat;
    cl_int are_constants; // mean and variance do not depend on src
    cl_int scale_dt, diff_scale_dt, diff_shift_dt; // DT_UNDEF: none
    cl_float epsilon;
    cl_int reserved;
} ocl_lnorm_backward_any_data_t;

SHARED_BYTES(ocl_lnorm_backward_any_data_t, 4 * sizeof(ocl_md_t) + 24);

#endif
