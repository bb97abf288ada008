// SPDX-License-Identifier: Apache-2.0
// Layer normalisation of rows at even distances, which a kernel of fewer instructions takes
// (ocl_lnorm_even_rows.cl).
#ifndef PRIM_OCL_LNORM_EVEN_ROWS_H
#define PRIM_OCL_LNORM_EVEN_ROWS_H

#include "ocl_lnorm.h"

/// Builds the kernel, for rows that are even (prim__ocl_lnorm_are_even()) and stay in registers,
/// without post-ops and scales; `options` are those of ocl_lnorm_row_per_group.cl, and so are its
/// parameters.
prim_status_t prim__ocl_lnorm_add_even_rows(ocl_primitive_t *p, const ocl_options_t *options);

#endif
