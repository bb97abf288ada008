// SPDX-License-Identifier: Apache-2.0
// What the vectors of eltwise leave out.
#include "simd_eltwise.h"

bool prim__simd_takes_eltwise(prim_alg_kind_t alg)
{
    return alg != PRIM_ELTWISE_POW;
}
