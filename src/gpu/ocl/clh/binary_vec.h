// SPDX-License-Identifier: Apache-2.0
// Vectors of the sources of a binary operation: LOAD0(p, i), LOAD1(p, i), from element i of p on.
// -D: SRC0, SRC1 (prim__ocl_options_type()), VEC = 4, 8 or 16.
#ifndef CLH_BINARY_VEC_H
#define CLH_BINARY_VEC_H

#include "clh/vec.h"

#if VEC == 4
#define LOAD0 SRC0_LOAD4
#define LOAD1 SRC1_LOAD4
#elif VEC == 8
#define LOAD0 SRC0_LOAD8
#define LOAD1 SRC1_LOAD8
#elif VEC == 16
#define LOAD0 SRC0_LOAD16
#define LOAD1 SRC1_LOAD16
#else
#error "VEC is not 4, 8 or 16"
#endif

#endif
