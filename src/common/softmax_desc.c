// SPDX-License-Identifier: Apache-2.0
// prim_softmax_forward_desc_create(): checks a softmax or log-softmax along one axis.
#include "impl.h"

static prim_status_t check_tensors(
        const prim_memory_desc_t *src, const prim_memory_desc_t *dst, int axis)
{
    TRY(prim__md_check(src, "src"));
    TRY(prim__md_check(dst, "dst"));
    CHECK(src->ndims > 0, "src of softmax is absent (0 dimensions)");
    CHECK(src->ndims == dst->ndims, "src has %d dimensions, dst has %d", src->ndims, dst->ndims);
    for (int d = 0; d < src->ndims; ++d) {
        CHECK(src->dims[d] == dst->dims[d], "dimension %d of src is %lld, of dst %lld", d,
                (long long)src->dims[d], (long long)dst->dims[d]);
    }
    CHECK(axis >= 0 && axis < src->ndims, "softmax axis %d is outside 0..%d", axis, src->ndims - 1);
    CHECK(!prim__md_is_any(src), "the layout of src must be known, not any");
    return PRIM_SUCCESS;
}

static prim_status_t check_attr(const prim_attr_t *attr)
{
    static const quant_rule_t rules[] = {
            {.arg = PRIM_ARG_SRC, .nmasks = 1},
            {.arg = PRIM_ARG_DST, .nmasks = 1},
    };
    if (!attr) return PRIM_SUCCESS;
    TRY(prim__attr_check_kinds(attr, "softmax", ALLOW_SCALES | ALLOW_ELTWISE | ALLOW_BINARY));
    return prim__quants_check(attr->scales, attr->nscales, "scales", "softmax", rules, 2);
}

prim_status_t prim_softmax_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, int axis, const prim_attr_t *attr)
{
    CHECK_NOT_NULL(pd);
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(src_md);
    CHECK_NOT_NULL(dst_md);
    CHECK(prop_kind == PRIM_FORWARD_TRAINING || prop_kind == PRIM_FORWARD_INFERENCE,
            "%d is no forward prop kind", (int)prop_kind);
    CHECK(alg == PRIM_SOFTMAX_ACCURATE || alg == PRIM_SOFTMAX_LOG, "0x%x is no softmax algorithm",
            (unsigned)alg);
    TRY(check_tensors(src_md, dst_md, axis));
    if (prim__md_has_runtime(src_md) || prim__md_has_runtime(dst_md)) {
        return prim__fail(PRIM_UNIMPLEMENTED, "softmax does not take run-time dimensions");
    }
    TRY(check_attr(attr));

    op_desc_t op = {.kind = PRIM_SOFTMAX, .prop_kind = prop_kind, .alg_kind = alg};
    op.u.axis.axis = axis;
    const tensor_t tensors[] = {
            {.arg = PRIM_ARG_SRC, .md = *src_md},
            {.arg = PRIM_ARG_DST, .is_output = true, .md = *dst_md},
    };
    return prim__desc_create(pd, engine, NULL, &op, tensors, 2, attr);
}
