// SPDX-License-Identifier: Apache-2.0
// Element types: sizes, classes, and conversion to and from double, in software for the short ones.
#ifndef PRIM_COMMON_DATA_TYPE_H
#define PRIM_COMMON_DATA_TYPE_H

#include "prim/prim_types.h"

/// Storage bytes of one element; 0 for undef. 4-bit types count 1.
size_t prim__dt_bytes(prim_data_type_t dt);

/// s32, s8, u8, s4, u4, boolean.
bool prim__dt_is_integer(prim_data_type_t dt);

/// s8 and u8.
bool prim__dt_is_int8(prim_data_type_t dt);

/// f16, bf16, f32, f64 and the 8-bit and 4-bit floats.
bool prim__dt_is_float(prim_data_type_t dt);

/// A type this library computes with: f32, f16, bf16, s32, s8, u8, f64, f8_e5m2, f8_e4m3. The rest
/// is known by name only.
bool prim__dt_is_supported(prim_data_type_t dt);

/// The lowest finite value of a supported type.
double prim__dt_lowest(prim_data_type_t dt);

/// Element `index` of an array of `dt`, exactly. `dt` must be supported.
double prim__load(const void *base, prim_data_type_t dt, prim_dim_t index);

/// Stores with rounding to nearest even; integers saturate (NaN becomes 0), floats overflow as the
/// type says (f16 and bf16 to infinity, f8_e4m3 to NaN).
void prim__store(void *base, prim_data_type_t dt, prim_dim_t index, double value);

#endif
