// SPDX-License-Identifier: Apache-2.0
// Parameters of ocl_shuffle_any.cl.
#ifndef CLH_SHARED_SHUFFLE_ANY_DATA_H
#define CLH_SHARED_SHUFFLE_ANY_DATA_H

#include "md_data.h"

typedef struct {
    ocl_md_t from, to;
    cl_long ngroups, group_elems;
    cl_int axis, elem_bytes;
} ocl_shuffle_any_data_t;

SHARED_BYTES(ocl_shuffle_any_data_t, 2 * sizeof(ocl_md_t) + 24);

#endif
