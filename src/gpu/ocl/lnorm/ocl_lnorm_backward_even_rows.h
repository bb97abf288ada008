// SPDX-License-Identifier: Apache-2.0
// The gradients of layer normalisation of rows at even distances, which a kernel of few registers
// takes (ocl_lnorm_backward_even_rows.cl).
#ifndef PRIM_OCL_LNORM_BACKWARD_EVEN_ROWS_H
#define PRIM_OCL_LNORM_BACKWARD_EVEN_ROWS_H

#include "ocl_lnorm_backward.h"

/// Builds the kernel; `options` are those of ocl_lnorm_backward_row_per_group.cl, and so are its
/// parameters.
prim_status_t prim__ocl_lnorm_backward_add_even_rows(
        ocl_primitive_t *p, const ocl_options_t *options);

#endif
