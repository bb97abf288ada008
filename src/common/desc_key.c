// SPDX-License-Identifier: Apache-2.0
// Equality and hash of primitive descriptors: the key of the primitive cache.
#include "desc_key.h"

#include <string.h>

#include "desc_storage.h"

static uint64_t mix(uint64_t hash, uint64_t word)
{
    // Multiplicative mixing with a fold: every input bit reaches the low bits that pick a bucket.
    hash = (hash ^ word) * UINT64_C(0x9e3779b97f4a7c15);
    return hash ^ (hash >> 32);
}

static uint64_t mix_bytes(uint64_t hash, const void *data, size_t bytes)
{
    const char *const base = data;
    size_t i = 0;
    for (; i + 8 <= bytes; i += 8) {
        uint64_t word;
        memcpy(&word, base + i, 8);
        hash = mix(hash, word);
    }
    uint64_t rest = 0;
    memcpy(&rest, base + i, bytes - i);
    return bytes > i ? mix(hash, rest) : hash;
}

static uint64_t mix_md(uint64_t hash, const prim_memory_desc_t *md)
{
    const size_t dims_bytes = (size_t)md->ndims * sizeof(prim_dim_t);
    const size_t blks_bytes = (size_t)md->inner_nblks * sizeof(prim_dim_t);
    hash = mix(hash, (uint64_t)md->ndims | (uint64_t)md->data_type << 8 |
                             (uint64_t)md->format_kind << 16 | (uint64_t)md->inner_nblks << 24);
    hash = mix(hash, (uint64_t)md->offset0);
    hash = mix_bytes(hash, md->dims, dims_bytes);
    hash = mix_bytes(hash, md->padded_dims, dims_bytes);
    hash = mix_bytes(hash, md->padded_offsets, dims_bytes);
    hash = mix_bytes(hash, md->strides, dims_bytes);
    hash = mix_bytes(hash, md->inner_blks, blks_bytes);
    return mix_bytes(hash, md->inner_idxs, blks_bytes);
}

static uint64_t mix_float(uint64_t hash, float value)
{
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return mix(hash, bits);
}

static uint64_t mix_quants(uint64_t hash, const quant_t *quants, int nquants)
{
    for (int i = 0; i < nquants; ++i) {
        const quant_t *const q = &quants[i];
        hash = mix(hash, (uint64_t)q->arg << 32 | (uint64_t)(unsigned)q->mask);
        hash = mix(hash, (uint64_t)q->data_type << 32 | (uint64_t)q->ngroups);
        hash = mix_bytes(hash, q->groups, (size_t)q->ngroups * sizeof *q->groups);
    }
    return hash;
}

static uint64_t mix_post_ops(uint64_t hash, const prim_post_ops_t *post_ops)
{
    for (int i = 0; i < post_ops->len; ++i) {
        const post_op_t *const p = &post_ops->entries[i];
        hash = mix(hash, (uint64_t)p->kind << 32 | (uint64_t)p->alg);
        hash = mix(hash, (uint64_t)(uint32_t)p->zero_point << 32 | (uint64_t)p->data_type);
        hash = mix(hash, (uint64_t)(unsigned)p->mask | (uint64_t)p->weights_type << 32);
        hash = mix(hash, (uint64_t)p->bias_type);
        hash = mix(mix(mix(hash, (uint64_t)p->kernel), (uint64_t)p->stride), (uint64_t)p->padding);
        hash = mix_float(mix_float(mix_float(hash, p->alpha), p->beta), p->scale);
        hash = mix_md(mix_md(hash, &p->src1_md), &p->src2_md);
    }
    return hash;
}

/// What is the same in every process.
static uint64_t mix_problem(uint64_t hash, const prim_desc_t *pd)
{
    const prim_attr_t *const attr = &pd->attr;
    hash = mix(mix(hash, pd->scratchpad_bytes), pd->choice);
    hash = mix_bytes(hash, &pd->op, sizeof pd->op);
    for (int i = 0; i < pd->ntensors; ++i) {
        const tensor_t *const t = &pd->tensors[i];
        hash = mix(hash,
                (uint64_t)t->arg | (uint64_t)t->is_output << 32 | (uint64_t)t->is_on_peer << 33);
        hash = mix_md(mix_float(hash, t->scale), &t->md);
    }
    hash = mix(hash, (uint64_t)attr->scratchpad_mode | (uint64_t)attr->fpmath_mode << 8 |
                             (uint64_t)attr->accumulation_mode << 16 |
                             (uint64_t)attr->fpmath_applies_to_int << 24 |
                             (uint64_t)attr->is_deterministic << 25);
    hash = mix_quants(hash, attr->scales, attr->nscales);
    hash = mix_quants(mix(hash, 1), attr->zero_points, attr->nzero_points);
    return mix_post_ops(hash, &attr->post_ops);
}

/// The forward pass that a backward one depends on, not by its tensors alone; NULL: none.
static const prim_desc_t *binding_hint(const prim_desc_t *pd)
{
    return pd->origin->is_bound_to_hint ? pd->origin->hint : NULL;
}

uint64_t prim__desc_hash(const prim_desc_t *pd)
{
    const prim_desc_t *const hint = binding_hint(pd);
    uint64_t hash = mix(0, (uint64_t)(uintptr_t)pd->impl);
    hash = mix(hash, (uint64_t)(uintptr_t)pd->engine);
    hash = mix(hash, (uint64_t)(uintptr_t)pd->peer);
    if (hint) hash = mix(hash, hint->hash);
    for (int i = 0; i < pd->nnested; ++i) hash = mix(hash, pd->nested[i]->hash);
    return mix_problem(hash, pd);
}

static const char *identity_of(const prim_desc_t *pd)
{
    const engine_ops_t *const ops = pd->engine->ops;
    return ops->engine_identity ? ops->engine_identity(pd->engine) : NULL;
}

bool prim__desc_has_blob_id(const prim_desc_t *pd)
{
    return identity_of(pd) != NULL;
}

void prim__desc_set_blob_id(prim_desc_t *pd)
{
    const char *const identity = identity_of(pd);
    const prim_desc_t *const hint = binding_hint(pd);
    pd->blob_id[0] = pd->blob_id[1] = 0;
    if (!identity) return;
    for (uint64_t i = 0; i < 2; ++i) {
        uint64_t hash = mix_bytes(mix(0, i + 1), identity, strlen(identity));
        hash = mix_bytes(hash, pd->impl->name, strlen(pd->impl->name));
        if (pd->peer) hash = mix(hash, (uint64_t)pd->peer->ops->kind);
        if (hint) hash = mix(hash, hint->blob_id[i]);
        for (int k = 0; k < pd->nnested; ++k) hash = mix(hash, pd->nested[k]->blob_id[i]);
        pd->blob_id[i] = mix_problem(hash, pd);
    }
}

/// By bits, so that NaN equals itself and −0 differs from 0.
static bool same_float(float a, float b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

static bool same_md(const prim_memory_desc_t *a, const prim_memory_desc_t *b)
{
    return memcmp(a, b, sizeof *a) == 0;
}

static bool same_quants(const quant_t *a, const quant_t *b, int nquants)
{
    for (int i = 0; i < nquants; ++i) {
        const size_t groups_bytes = (size_t)a[i].ngroups * sizeof *a[i].groups;
        if (a[i].arg != b[i].arg || a[i].mask != b[i].mask || a[i].data_type != b[i].data_type ||
                a[i].ngroups != b[i].ngroups || memcmp(a[i].groups, b[i].groups, groups_bytes) != 0)
            return false;
    }
    return true;
}

static bool same_post_ops(const prim_post_ops_t *a, const prim_post_ops_t *b)
{
    if (a->len != b->len) return false;
    for (int i = 0; i < a->len; ++i) {
        const post_op_t *const p = &a->entries[i];
        const post_op_t *const q = &b->entries[i];
        if (p->kind != q->kind || p->alg != q->alg || p->zero_point != q->zero_point ||
                p->data_type != q->data_type || p->mask != q->mask || p->kernel != q->kernel ||
                p->stride != q->stride || p->padding != q->padding ||
                p->weights_type != q->weights_type || p->bias_type != q->bias_type ||
                !same_float(p->alpha, q->alpha) || !same_float(p->beta, q->beta) ||
                !same_float(p->scale, q->scale) || !prim__md_equal(&p->src1_md, &q->src1_md) ||
                !prim__md_equal(&p->src2_md, &q->src2_md))
            return false;
    }
    return true;
}

static bool same_attr(const prim_attr_t *a, const prim_attr_t *b)
{
    return a->scratchpad_mode == b->scratchpad_mode && a->fpmath_mode == b->fpmath_mode &&
           a->fpmath_applies_to_int == b->fpmath_applies_to_int &&
           a->is_deterministic == b->is_deterministic &&
           a->accumulation_mode == b->accumulation_mode && a->nscales == b->nscales &&
           a->nzero_points == b->nzero_points && same_quants(a->scales, b->scales, a->nscales) &&
           same_quants(a->zero_points, b->zero_points, a->nzero_points) &&
           same_post_ops(&a->post_ops, &b->post_ops);
}

static bool same_tensors(const prim_desc_t *a, const prim_desc_t *b)
{
    for (int i = 0; i < a->ntensors; ++i) {
        const tensor_t *const t = &a->tensors[i];
        const tensor_t *const u = &b->tensors[i];
        if (t->arg != u->arg || t->is_output != u->is_output || t->is_on_peer != u->is_on_peer ||
                !same_float(t->scale, u->scale) || !same_md(&t->md, &u->md))
            return false;
    }
    return true;
}

static bool same_nested(const prim_desc_t *a, const prim_desc_t *b)
{
    if (a->nnested != b->nnested) return false;
    for (int i = 0; i < a->nnested; ++i)
        if (!prim__desc_equal(a->nested[i], b->nested[i])) return false;
    return true;
}

static bool same_hints(const prim_desc_t *a, const prim_desc_t *b)
{
    const prim_desc_t *const hint = binding_hint(a), *const other = binding_hint(b);
    return hint && other ? prim__desc_equal(hint, other) : !hint && !other;
}

bool prim__desc_equal(const prim_desc_t *a, const prim_desc_t *b)
{
    if (a == b) return true;
    return a->hash == b->hash && a->impl == b->impl && a->engine == b->engine &&
           a->peer == b->peer && a->scratchpad_bytes == b->scratchpad_bytes &&
           a->choice == b->choice && a->ntensors == b->ntensors &&
           memcmp(&a->op, &b->op, sizeof a->op) == 0 && same_tensors(a, b) &&
           same_attr(&a->attr, &b->attr) && same_nested(a, b) && same_hints(a, b);
}
