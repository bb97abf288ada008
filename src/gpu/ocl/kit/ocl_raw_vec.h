// SPDX-License-Identifier: Apache-2.0
// Host side of clh/raw_vec.h: vectors that work-items keep as they are stored. For operations from
// PRIM_ARG_SRC to PRIM_ARG_DST.
#ifndef PRIM_OCL_RAW_VEC_H
#define PRIM_OCL_RAW_VEC_H

#include "common/impl.h"
#include "gpu/ocl/program/ocl_options.h"

/// Elements of a vector: 8 where both types are shorter than 4 bytes, else 4.
int prim__ocl_raw_vec(const prim_desc_t *pd);
/// Whether vectors are kept as they are stored (-DIS_RAW): one floating-point type, on a device
/// that takes unaligned vectors apart.
bool prim__ocl_is_raw(const prim_desc_t *pd);
/// Adds IS_RAW and CACHE_HINTS.
void prim__ocl_raw_vec_options(ocl_options_t *options, const prim_desc_t *pd, bool is_raw);

#endif
