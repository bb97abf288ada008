// SPDX-License-Identifier: Apache-2.0
// What the implementations of deconvolution begin with.
#include "deconv_shape.h"

prim_status_t prim__deconv_take_direct(prim_desc_t *pd)
{
    REQUIRE(pd, pd->op.alg_kind == PRIM_DECONVOLUTION_DIRECT,
            "the algorithm is Winograd's; this variant sums products directly");
    return PRIM_SUCCESS;
}
