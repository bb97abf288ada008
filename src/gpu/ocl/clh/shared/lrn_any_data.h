// SPDX-License-Identifier: Apache-2.0
// Parameters of ocl_lrn_any.cl and ocl_lrn_backward_any.cl.
#ifndef CLH_SHARED_LRN_ANY_DATA_H
#define CLH_SHARED_LRN_ANY_DATA_H

#include "md_data.h"

// `to` is dst or diff_src; `diff_dst` is absent forward, `ws` in inference.
typedef struct {
    ocl_md_t src, diff_dst, ws, to;
    cl_long reach;            // elements of the window on each side
    cl_int first_dim, naxes;  // the dimensions along which it lies
    cl_float factor, beta, k; // alpha / n
    cl_int reserved;
} ocl_lrn_any_data_t;

SHARED_BYTES(ocl_lrn_any_data_t, 4 * sizeof(ocl_md_t) + 32);

#endif
