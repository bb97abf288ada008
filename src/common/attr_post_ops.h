// SPDX-License-Identifier: Apache-2.0
// Post-op chains as the attributes hold them: ownership and the check of kinds.
#ifndef PRIM_COMMON_ATTR_POST_OPS_H
#define PRIM_COMMON_ATTR_POST_OPS_H

#include "attr.h"

/// A copy in the caller's storage, which owns nothing yet. fini may be called on zeroes.
prim_status_t prim__post_ops_copy(prim_post_ops_t *post_ops, const prim_post_ops_t *from);
void prim__post_ops_fini(prim_post_ops_t *post_ops);

/// PRIM_UNIMPLEMENTED with a sentence if the chain holds a kind that is not in `allowed` (ALLOW_…).
prim_status_t prim__post_ops_check_kinds(
        const prim_post_ops_t *post_ops, const char *op, unsigned allowed);

/// PRIM_INVALID_ARGUMENTS unless `alg` is an eltwise algorithm and the parameters are in its range:
/// a clip needs alpha <= beta, relu and elu that use dst for the gradient alpha >= 0.
prim_status_t prim__eltwise_check(prim_alg_kind_t alg, float alpha, float beta);

#endif
