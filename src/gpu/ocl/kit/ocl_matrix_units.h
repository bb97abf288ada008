// SPDX-License-Identifier: Apache-2.0
// For init_pd of variants that are written for matrix units, and run without them when asked for.
#ifndef PRIM_OCL_MATRIX_UNITS_H
#define PRIM_OCL_MATRIX_UNITS_H

#include "ocl_primitive.h"

/// Whether clh/mma.h multiplies elements of src's type on the device's matrix units.
bool prim__ocl_has_mma(const prim_desc_t *pd);
/// Prefers other variants where `has_unit` is false.
prim_status_t prim__ocl_prefer_matrix_units(prim_desc_t *pd, bool has_unit);

#endif
