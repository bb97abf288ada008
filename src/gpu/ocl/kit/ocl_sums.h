// SPDX-License-Identifier: Apache-2.0
// How long a sum may be before its parts are added up on their own (doc/numerics.md, "Long sums").
#ifndef PRIM_OCL_SUMS_H
#define PRIM_OCL_SUMS_H

#include <stdbool.h>
#include <stdint.h>

#include <prim/prim_types.h>

enum {
    /// The most terms that are summed sequentially in f32.
    OCL_LONGEST_SUM = 65536,
    /// The same where a kernel folds its sums as it goes, of floats or of products of bytes.
    OCL_FOLD = 32768,
};

/// How many products of 8-bit integers s32 holds the sum of, whatever their values; zero points are
/// taken to be of the type of their tensor.
int64_t prim__ocl_longest_s32(
        prim_data_type_t src, bool src_has_zp, prim_data_type_t wei, bool wei_has_zp);

#endif
