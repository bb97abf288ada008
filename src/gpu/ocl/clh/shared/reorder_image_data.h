// SPDX-License-Identifier: Apache-2.0
// The descriptor of the buffer of ocl_reorder_image.cl.
#ifndef CLH_SHARED_REORDER_IMAGE_DATA_H
#define CLH_SHARED_REORDER_IMAGE_DATA_H

#include "md_data.h"

typedef struct {
    ocl_md_t buffer;
} ocl_reorder_image_data_t;

SHARED_BYTES(ocl_reorder_image_data_t, sizeof(ocl_md_t));

#endif
