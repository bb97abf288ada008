// SPDX-License-Identifier: Apache-2.0
// A shuffle in either direction as one permutation: the gradient is the same operation with the
// number of groups and the channels of a group swapped.
#ifndef PRIM_COMMON_SHUFFLE_PASS_H
#define PRIM_COMMON_SHUFFLE_PASS_H

#include "impl.h"

/// Channel u·C/ngroups + v of argument `from` becomes channel v·ngroups + u of argument `to`.
typedef struct {
    int from, to;
    prim_dim_t ngroups;
} shuffle_pass_t;

/// What a shuffle's descriptor asks for.
shuffle_pass_t prim__shuffle_pass(const prim_desc_t *pd);

#endif
