// SPDX-License-Identifier: Apache-2.0
// prim_sum_desc_create(): checks a weighted sum of tensors of one shape and derives dst.
#include "alloc.h"
#include "impl.h"

/// The argument numbers of inputs end where those of outputs begin.
enum { MAX_INPUTS = PRIM_ARG_MULTIPLE_DST - PRIM_ARG_MULTIPLE_SRC };

static prim_status_t check_source(
        const prim_memory_desc_t *md, int index, const prim_memory_desc_t *first)
{
    CHECK(md != NULL, "src_mds[%d] is NULL", index);
    TRY(prim__md_check(md, "a source of sum"));
    CHECK(md->ndims > 0, "src %d of sum is absent (0 dimensions)", index);
    CHECK(prim__md_same_dims(md, first), "src %d and src 0 of sum differ in shape", index);
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
    return prim__fail(PRIM_UNIMPLEMENTED, "sum does not take run-time dimensions");
}

static prim_status_t derive_dst(
        prim_memory_desc_t *dst, const prim_memory_desc_t *given, const prim_memory_desc_t *first)
{
    if (!given || given->ndims == 0) {
        TRY(prim_memory_desc_init_by_tag(
                dst, first->ndims, first->dims, first->data_type, PRIM_FORMAT_ANY));
    } else {
        CHECK(prim__md_same_dims(given, first), "dst and the sources of sum differ in shape");
        *dst = *given;
    }
    return prim__md_set_like_if_any(dst, first);
}

prim_status_t prim_sum_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        const prim_memory_desc_t *dst_md, int n, const float *scales,
        const prim_memory_desc_t *const *src_mds, const prim_attr_t *attr)
{
    CHECK_NOT_NULL(pd);
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(scales);
    CHECK_NOT_NULL(src_mds);
    CHECK(n >= 1 && n <= MAX_INPUTS, "sum of %d tensors; 1..%d are possible", n, MAX_INPUTS);
    CHECK(src_mds[0] != NULL, "src_mds[0] is NULL");
    for (int i = 0; i < n; ++i) TRY(check_source(src_mds[i], i, src_mds[0]));
    prim_memory_desc_t dst;
    TRY(check_runtime(n, src_mds, dst_md));
    TRY(derive_dst(&dst, dst_md, src_mds[0]));
    if (attr) TRY(prim__attr_check_kinds(attr, "sum", 0));

    const op_desc_t op = {.kind = PRIM_SUM};
    const size_t bytes = ((size_t)n + 1) * sizeof(tensor_t);
    tensor_t *tensors = prim__calloc(bytes);
    if (!tensors) return prim__fail_memory(bytes);
    for (int i = 0; i < n; ++i) {
        tensors[i] =
                (tensor_t){.arg = PRIM_ARG_MULTIPLE_SRC + i, .scale = scales[i], .md = *src_mds[i]};
    }
    tensors[n] = (tensor_t){.arg = PRIM_ARG_DST, .is_output = true, .md = dst};
    const prim_status_t st = prim__desc_create(pd, engine, NULL, &op, tensors, n + 1, attr);
    prim__free(tensors);
    return st;
}
