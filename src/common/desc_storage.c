// SPDX-License-Identifier: Apache-2.0
// The storage of primitive descriptors: creation, copies, destruction.
#include "desc_storage.h"

#include <string.h>

#include "alloc.h"
#include "post_ops_check.h"

static void origin_release(desc_origin_t *origin)
{
    if (!origin || atomic_fetch_sub_explicit(&origin->nrefs, 1, memory_order_acq_rel) != 1) return;
    prim_desc_destroy(origin->hint);
    prim__free(origin);
}

// Field by field.
void prim__tensor_copy(tensor_t *to, const tensor_t *from)
{
    to->arg = from->arg;
    to->is_output = from->is_output;
    to->is_on_peer = from->is_on_peer;
    to->scale = from->scale;
    to->md = from->md;
    prim__md_normalize(&to->md);
}

static prim_status_t origin_create(desc_origin_t **out, const impl_t *const *list,
        const op_desc_t *op, const tensor_t *tensors, int ntensors)
{
    const size_t bytes = sizeof(desc_origin_t) + (size_t)ntensors * sizeof *tensors;
    desc_origin_t *const origin = prim__calloc(bytes);
    if (!origin) return prim__fail_memory(bytes);
    atomic_init(&origin->nrefs, 1);
    origin->list = list;
    // Field by field, as prim__tensor_copy(): the bytes between the fields are compared too.
    origin->op.kind = op->kind;
    origin->op.prop_kind = op->prop_kind;
    origin->op.alg_kind = op->alg_kind;
    memcpy(&origin->op.u, &op->u, sizeof op->u);
    origin->pd_bytes = sizeof(prim_desc_t);
    for (const impl_t *const *impl = list; *impl; ++impl)
        if ((*impl)->pd_size > origin->pd_bytes) origin->pd_bytes = (*impl)->pd_size;
    for (int i = 0; i < ntensors; ++i)
        if (!prim__md_is_zero(&tensors[i].md))
            prim__tensor_copy(&origin->tensors[origin->ntensors++], &tensors[i]);
    *out = origin;
    return PRIM_SUCCESS;
}

static prim_status_t alloc_tensors(prim_desc_t *pd)
{
    const size_t room = (size_t)pd->origin->ntensors + MAX_ADDED_OUTPUTS;
    pd->tensors = prim__calloc(room * sizeof *pd->tensors);
    return pd->tensors ? PRIM_SUCCESS : prim__fail_memory(room * sizeof *pd->tensors);
}

static const tensor_t *find_dst(const desc_origin_t *origin)
{
    for (int i = 0; i < origin->ntensors; ++i)
        if (origin->tensors[i].arg == PRIM_ARG_DST) return &origin->tensors[i];
    return NULL;
}

static prim_status_t init_attr(prim_desc_t *pd, const prim_attr_t *attr)
{
    if (!attr) {
        prim__attr_init(&pd->attr);
        return PRIM_SUCCESS;
    }
    TRY(prim__attr_copy(&pd->attr, attr));
    if (pd->attr.post_ops.len == 0) return PRIM_SUCCESS;
    const tensor_t *const dst = find_dst(pd->origin);
    if (!dst) return prim__fail(PRIM_UNIMPLEMENTED, "post-ops need a destination");
    prim_post_ops_t *const post_ops = &pd->attr.post_ops;
    TRY(prim__post_ops_resolve(post_ops, &dst->md));
    for (int i = 0; i < post_ops->len; ++i) {
        prim__md_normalize(&post_ops->entries[i].src1_md);
        prim__md_normalize(&post_ops->entries[i].src2_md);
    }
    return PRIM_SUCCESS;
}

static int count_quants(const prim_desc_t *pd)
{
    return pd->places.first_operand - pd->places.first_quant;
}

static prim_status_t alloc_quant_mds(prim_desc_t *pd)
{
    const size_t bytes = (size_t)count_quants(pd) * sizeof *pd->quant_mds;
    if (bytes == 0) return PRIM_SUCCESS;
    pd->quant_mds = prim__calloc(bytes);
    return pd->quant_mds ? PRIM_SUCCESS : prim__fail_memory(bytes);
}

/// One value for all: [1]. Else a dense tensor with the rank of the argument's, 1 where the mask
/// bit is clear; what is open until execution there is open here.
static prim_status_t init_quant_md(
        prim_memory_desc_t *md, const prim_desc_t *pd, const quant_t *quant)
{
    prim_dims_t dims = {1};
    int ndims = 1;
    for (int i = 0; quant->mask != 0 && i < pd->origin->ntensors; ++i) {
        const tensor_t *const tensor = &pd->origin->tensors[i];
        if (tensor->arg != quant->arg) continue;
        prim__quant_dims(dims, quant, &tensor->md);
        ndims = tensor->md.ndims;
    }
    TRY(prim_memory_desc_init_by_strides(md, ndims, dims, quant->data_type, NULL));
    prim__md_normalize(md);
    return PRIM_SUCCESS;
}

static prim_status_t init_quants(prim_desc_t *pd, const quant_t *quants, int nquants, int base_arg)
{
    for (int i = 0; i < nquants; ++i) {
        const int place = prim__arg_place(&pd->places, base_arg | quants[i].arg);
        if (place < 0) continue; // of a tensor that the problem has not
        TRY(init_quant_md(&pd->quant_mds[place - pd->places.first_quant], pd, &quants[i]));
    }
    return PRIM_SUCCESS;
}

/// Gives every argument its place, and scales and zero points their descriptors.
static prim_status_t init_places(prim_desc_t *pd)
{
    desc_origin_t *const origin = pd->origin;
    const prim_attr_t *const attr = &pd->attr;
    prim__places_init(&origin->places, origin->tensors, origin->ntensors, attr);
    pd->places = origin->places;
    TRY(alloc_quant_mds(pd));
    TRY(init_quants(pd, attr->scales, attr->nscales, PRIM_ARG_ATTR_SCALES));
    return init_quants(pd, attr->zero_points, attr->nzero_points, PRIM_ARG_ATTR_ZERO_POINTS);
}

prim_status_t prim__desc_alloc(prim_desc_t **out, const impl_t *const *list, prim_engine_t *engine,
        prim_engine_t *peer, const op_desc_t *op, const tensor_t *tensors, int ntensors,
        const prim_attr_t *attr)
{
    desc_origin_t *origin = NULL;
    TRY(origin_create(&origin, list, op, tensors, ntensors));
    prim_status_t st = PRIM_SUCCESS;
    prim_desc_t *const pd = prim__calloc(origin->pd_bytes);
    if (!pd) {
        st = prim__fail_memory(origin->pd_bytes);
        goto fail_origin;
    }
    pd->origin = origin;
    pd->position = -1;
    prim__engine_retain(engine);
    pd->engine = engine;
    if (peer) prim__engine_retain(peer);
    pd->peer = peer;

    TRY_OR(fail, alloc_tensors(pd));
    TRY_OR(fail, init_attr(pd, attr));
    TRY_OR(fail, init_places(pd));
    *out = pd;
    return PRIM_SUCCESS;

fail:
    prim_desc_destroy(pd);
    return st;
fail_origin:
    origin_release(origin);
    return st;
}

void prim__desc_drop_nested(prim_desc_t *pd)
{
    for (int i = 0; i < pd->nnested; ++i) {
        prim_desc_destroy(pd->nested[i]);
        pd->nested[i] = NULL;
    }
    pd->nnested = 0;
}

/// Frees what the descriptor owns, not itself.
static void fini(prim_desc_t *pd)
{
    prim__desc_drop_nested(pd);
    prim__free(pd->declined);
    prim__free(pd->tensors);
    prim__free(pd->quant_mds);
    prim__attr_fini(&pd->attr);
    prim__engine_release(pd->peer);
    prim__engine_release(pd->engine);
    origin_release(pd->origin);
}

void prim_desc_destroy(prim_desc_t *pd)
{
    if (!pd) return;
    fini(pd);
    prim__free(pd);
}

void prim__desc_replace(prim_desc_t *pd, prim_desc_t *from)
{
    fini(pd);
    memcpy(pd, from, from->origin->pd_bytes);
    prim__free(from);
}

/// Replaces what a copy by memcpy shares with its original by the copy's own.
static prim_status_t make_own(prim_desc_t *pd, const prim_desc_t *from)
{
    atomic_fetch_add_explicit(&pd->origin->nrefs, 1, memory_order_relaxed);
    prim__engine_retain(pd->engine);
    if (pd->peer) prim__engine_retain(pd->peer);
    pd->tensors = NULL;
    pd->declined = NULL;
    pd->quant_mds = NULL;
    pd->nnested = 0;
    pd->leading = NULL;
    memset(pd->nested, 0, sizeof pd->nested);
    memset(&pd->attr, 0, sizeof pd->attr);

    TRY(alloc_tensors(pd));
    memcpy(pd->tensors, from->tensors, (size_t)from->ntensors * sizeof *pd->tensors);
    if (from->declined) {
        pd->declined = prim__strdup(from->declined);
        if (!pd->declined) return prim__fail_memory(strlen(from->declined) + 1);
    }
    TRY(prim__attr_copy(&pd->attr, &from->attr));
    TRY(alloc_quant_mds(pd));
    const size_t quant_bytes = (size_t)count_quants(pd) * sizeof *pd->quant_mds;
    if (quant_bytes > 0) memcpy(pd->quant_mds, from->quant_mds, quant_bytes);
    for (; pd->nnested < from->nnested; ++pd->nnested)
        TRY(prim_desc_clone(&pd->nested[pd->nnested], from->nested[pd->nnested]));
    return PRIM_SUCCESS;
}

prim_status_t prim_desc_clone(prim_desc_t **out, const prim_desc_t *from)
{
    CHECK_NOT_NULL(out);
    CHECK_NOT_NULL(from);
    const size_t bytes = from->origin->pd_bytes;
    prim_desc_t *const pd = prim__calloc(bytes);
    if (!pd) return prim__fail_memory(bytes);
    memcpy(pd, from, bytes);
    prim_status_t st = PRIM_SUCCESS;
    TRY_OR(fail, make_own(pd, from));
    *out = pd;
    return PRIM_SUCCESS;

fail:
    prim_desc_destroy(pd);
    return st;
}

prim_status_t prim__desc_keep_hint(prim_desc_t *pd, const prim_desc_t *hint, bool is_bound)
{
    TRY(prim_desc_clone(&pd->origin->hint, hint));
    pd->origin->is_bound_to_hint = is_bound;
    return PRIM_SUCCESS;
}
