// SPDX-License-Identifier: Apache-2.0
// prim_concat_desc_create(): checks a concatenation along one axis and derives dst.
#include "alloc.h"
#include "impl.h"
#include "memory_desc.h"

/// The argument numbers of inputs end where those of outputs begin.
enum { MAX_INPUTS = PRIM_ARG_MULTIPLE_DST - PRIM_ARG_MULTIPLE_SRC };

static prim_status_t check_source(
        const prim_memory_desc_t *md, int index, const prim_memory_desc_t *first, int axis)
{
    CHECK(md != NULL, "src_mds[%d] is NULL", index);
    TRY(prim__md_check(md, "a source of concat"));
    CHECK(md->ndims > 0, "src %d of concat is absent (0 dimensions)", index);
    CHECK(md->ndims == first->ndims, "src %d has %d dimensions, src 0 has %d", index, md->ndims,
            first->ndims);
    CHECK(axis >= 0 && axis < md->ndims, "concat axis %d is outside 0..%d", axis, md->ndims - 1);
    for (int d = 0; d < md->ndims; ++d) {
        CHECK(d == axis || md->dims[d] == first->dims[d],
                "dimension %d of src %d is %lld, of src 0 %lld", d, index, (long long)md->dims[d],
                (long long)first->dims[d]);
    }
    CHECK(!prim__md_is_any(md), "the layout of src %d must be known, not any", index);
    return PRIM_SUCCESS;
}

static prim_status_t check_runtime(
        int n, const prim_memory_desc_t *const *src_mds, const prim_memory_desc_t *dst_md)
{
    if (dst_md) TRY(prim__md_check(dst_md, "dst"));
    bool has_runtime = dst_md && prim__md_has_runtime(dst_md);
    for (int i = 0; i < n; ++i) has_runtime = has_runtime || prim__md_has_runtime(src_mds[i]);
    if (!has_runtime) return PRIM_SUCCESS;
    return prim__fail(PRIM_UNIMPLEMENTED, "concat does not take run-time dimensions");
}

/// dst as given, or row by row what the sources make of it.
static prim_status_t derive_dst(prim_memory_desc_t *dst, const prim_memory_desc_t *given, int n,
        int axis, const prim_memory_desc_t *const *src_mds)
{
    prim_dims_t dims;
    const prim_memory_desc_t *first = src_mds[0];
    for (int d = 0; d < first->ndims; ++d) dims[d] = d == axis ? 0 : first->dims[d];
    for (int i = 0; i < n; ++i)
        CHECK(prim__dim_add(&dims[axis], dims[axis], src_mds[i]->dims[axis]),
                "the sources of concat reach beyond 2^63 in dimension %d", axis);
    if (!given || given->ndims == 0) {
        TRY(prim_memory_desc_init_by_tag(
                dst, first->ndims, dims, first->data_type, PRIM_FORMAT_ANY));
    } else {
        CHECK(given->ndims == first->ndims, "dst has %d dimensions, the sources have %d",
                given->ndims, first->ndims);
        for (int d = 0; d < first->ndims; ++d) {
            CHECK(given->dims[d] == dims[d],
                    "dimension %d of dst is %lld, the sources make it %lld", d,
                    (long long)given->dims[d], (long long)dims[d]);
        }
        *dst = *given;
    }
    return prim__md_set_like_if_any(dst, first);
}

static prim_status_t check_attr(const prim_attr_t *attr, int n)
{
    if (!attr) return PRIM_SUCCESS;
    TRY(prim__attr_check_kinds(attr, "concat", ALLOW_SCALES));
    for (int i = 0; i < attr->nscales; ++i) {
        const quant_t *scale = &attr->scales[i];
        const int input = scale->arg - PRIM_ARG_MULTIPLE_SRC;
        if (input < 0 || input >= n || scale->mask != 0 || scale->ngroups != 0) {
            return prim__fail(PRIM_UNIMPLEMENTED,
                    "concat takes scales of its sources with mask 0, not argument %d with mask %d",
                    scale->arg, scale->mask);
        }
    }
    return PRIM_SUCCESS;
}

prim_status_t prim_concat_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        const prim_memory_desc_t *dst_md, int n, int axis, const prim_memory_desc_t *const *src_mds,
        const prim_attr_t *attr)
{
    CHECK_NOT_NULL(pd);
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(src_mds);
    CHECK(n >= 1 && n <= MAX_INPUTS, "concat of %d tensors; 1..%d are possible", n, MAX_INPUTS);
    CHECK(src_mds[0] != NULL, "src_mds[0] is NULL");
    for (int i = 0; i < n; ++i) TRY(check_source(src_mds[i], i, src_mds[0], axis));
    TRY(check_runtime(n, src_mds, dst_md));
    prim_memory_desc_t dst;
    TRY(derive_dst(&dst, dst_md, n, axis, src_mds));
    TRY(check_attr(attr, n));

    op_desc_t op = {.kind = PRIM_CONCAT};
    op.u.axis.axis = axis;
    const size_t bytes = ((size_t)n + 1) * sizeof(tensor_t);
    tensor_t *tensors = prim__calloc(bytes);
    if (!tensors) return prim__fail_memory(bytes);
    for (int i = 0; i < n; ++i)
        tensors[i] = (tensor_t){.arg = PRIM_ARG_MULTIPLE_SRC + i, .md = *src_mds[i]};
    tensors[n] = (tensor_t){.arg = PRIM_ARG_DST, .is_output = true, .md = dst};
    const prim_status_t st = prim__desc_create(pd, engine, NULL, &op, tensors, n + 1, attr);
    prim__free(tensors);
    return st;
}
