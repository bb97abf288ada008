// SPDX-License-Identifier: Apache-2.0
// The longest exact sums of products of 8-bit integers.
#include "ocl_sums.h"

// The largest |x|, or |x − zero point|.
static int64_t largest(prim_data_type_t dt, bool has_zp)
{
    return dt == PRIM_U8 || has_zp ? 255 : 128;
}

int64_t prim__ocl_longest_s32(
        prim_data_type_t src, bool src_has_zp, prim_data_type_t wei, bool wei_has_zp)
{
    return INT32_MAX / (largest(src, src_has_zp) * largest(wei, wei_has_zp));
}
