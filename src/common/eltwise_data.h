// SPDX-License-Identifier: Apache-2.0
// What the gradient of an eltwise function is computed from.
#ifndef PRIM_COMMON_ELTWISE_DATA_H
#define PRIM_COMMON_ELTWISE_DATA_H

#include "impl.h"

/// PRIM_ARG_DST of the algorithms that compute the gradient from the forward pass's result,
/// PRIM_ARG_SRC of all others.
int prim__eltwise_data_arg(prim_alg_kind_t alg);

#endif
