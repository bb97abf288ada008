// SPDX-License-Identifier: Apache-2.0
// The storage of primitive descriptors: what they share and own, copies, destruction. For those
// that make descriptors.
#ifndef PRIM_COMMON_DESC_STORAGE_H
#define PRIM_COMMON_DESC_STORAGE_H

#include "impl.h"

/// See desc_origin_t in desc.h.
struct desc_origin {
    atomic_int nrefs;
    const impl_t *const *list;
    size_t pd_bytes; ///< the largest pd_size of the list: a descriptor can become any of them
    op_desc_t op;
    prim_desc_t *hint; ///< owned copy of a backward problem's forward pass; NULL: none was given
    /// Takes a tensor that the forward pass's implementation made: none but its own will do.
    bool is_bound_to_hint;
    arg_places_t places; ///< before an implementation adds outputs
    int ntensors;
    tensor_t tensors[];
};

/// A descriptor of the problem without an implementation.
prim_status_t prim__desc_alloc(prim_desc_t **out, const impl_t *const *list, prim_engine_t *engine,
        prim_engine_t *peer, const op_desc_t *op, const tensor_t *tensors, int ntensors,
        const prim_attr_t *attr);
/// Keeps a copy of the hint, which init_pd then finds by prim__pd_hint().
prim_status_t prim__desc_keep_hint(prim_desc_t *pd, const prim_desc_t *hint, bool is_bound);
/// Moves `from` to `pd`; `from` is destroyed.
void prim__desc_replace(prim_desc_t *pd, prim_desc_t *from);
/// Destroys the nested descriptors.
void prim__desc_drop_nested(prim_desc_t *pd);

/// Copies to zeroed storage, so that the bytes between the fields stay zero.
void prim__tensor_copy(tensor_t *to, const tensor_t *from);

#endif
