// SPDX-License-Identifier: Apache-2.0
#include "eltwise_data.h"

int prim__eltwise_data_arg(prim_alg_kind_t alg)
{
    const bool takes_dst =
            alg >= PRIM_ELTWISE_RELU_USE_DST_FOR_BWD && alg <= PRIM_ELTWISE_CLIP_V2_USE_DST_FOR_BWD;
    return takes_dst ? PRIM_ARG_DST : PRIM_ARG_SRC;
}
