// SPDX-License-Identifier: Apache-2.0
// Sets of data types for the tables of products (product_types_t).
#ifndef PRIM_COMMON_OPS_PRODUCT_TYPES_H
#define PRIM_COMMON_OPS_PRODUCT_TYPES_H

#include "schema.h"

#define INT8_TYPES (1U << PRIM_S8 | 1U << PRIM_U8)
/// Every floating-point type; those that the library only stores are refused with their name.
#define FLOAT_TYPES                                                                            \
    (1U << PRIM_F16 | 1U << PRIM_BF16 | 1U << PRIM_F32 | 1U << PRIM_F64 | 1U << PRIM_F8_E5M2 | \
            1U << PRIM_F8_E4M3 | 1U << PRIM_F4_E2M1 | 1U << PRIM_F4_E3M0)

#endif
