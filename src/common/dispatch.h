// SPDX-License-Identifier: Apache-2.0
// Dispatch over a list of implementations. For the creation by schemas, nested problems, and the
// tests that bring a list of their own.
#ifndef PRIM_COMMON_DISPATCH_H
#define PRIM_COMMON_DISPATCH_H

#include "impl.h"

/// Takes a checked problem and finds the first implementation of `list` that accepts it. `tensors`
/// in the order of the schema's rules; absent ones (ndims 0) are left out. `attr` NULL means
/// defaults. `peer` is NULL but for cross-engine reorders. Resolves post-ops against the tensor dst
/// (PRIM_ARG_DST).
prim_status_t prim__desc_create_from(prim_desc_t **out, const impl_t *const *list,
        prim_engine_t *engine, prim_engine_t *peer, const op_desc_t *op, const tensor_t *tensors,
        int ntensors, const prim_attr_t *attr);

/// The same for a backward problem, which keeps a copy of the descriptor of its forward pass. One
/// that is bound to it is another problem for each problem and implementation of the hint.
prim_status_t prim__desc_create_backward(prim_desc_t **out, const impl_t *const *list,
        prim_engine_t *engine, const op_desc_t *op, const tensor_t *tensors, int ntensors,
        const prim_attr_t *attr, const prim_desc_t *hint, bool is_bound);

/// Adds the lines of `text`, each "name: reason\n", to pd->declined; those in it already are left
/// out.
prim_status_t prim__desc_add_declined(prim_desc_t *pd, const char *text);

/// Moves `pd` on to the next implementation that accepts. PRIM_LAST_IMPL_REACHED (without a
/// sentence) when there is none; after any failure `pd` is good for destruction only.
prim_status_t prim__dispatch_next(prim_desc_t *pd);

/// Asks the implementation of `pd` once more about the problem it was given, for what init_pd looks
/// at beside it has changed. After a failure `pd` is good for destruction only.
prim_status_t prim__desc_redo(prim_desc_t *pd);

#endif
