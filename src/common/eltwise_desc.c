// SPDX-License-Identifier: Apache-2.0
// prim_eltwise_forward_desc_create(): checks a function applied element by element.
#include <string.h>

#include "attr_post_ops.h"
#include "data_type.h"
#include "impl.h"

static bool takes_integers(prim_alg_kind_t alg)
{
    return alg == PRIM_ELTWISE_RELU || alg == PRIM_ELTWISE_LINEAR || alg == PRIM_ELTWISE_CLIP ||
           alg == PRIM_ELTWISE_CLIP_V2;
}

static prim_status_t check_alg(
        prim_alg_kind_t alg, prim_data_type_t src_dt, float alpha, float beta)
{
    TRY(prim__eltwise_check(alg, alpha, beta));
    CHECK(!prim__dt_is_integer(src_dt) || takes_integers(alg),
            "%s does not take %s: integers take relu, linear and clip", prim_alg_kind_name(alg),
            prim_data_type_name(src_dt));
    return PRIM_SUCCESS;
}

static prim_status_t check_tensors(const prim_memory_desc_t *src, const prim_memory_desc_t *dst)
{
    TRY(prim__md_check(src, "src"));
    TRY(prim__md_check(dst, "dst"));
    CHECK(src->ndims > 0, "src of eltwise is absent (0 dimensions)");
    CHECK(src->ndims == dst->ndims, "src has %d dimensions, dst has %d", src->ndims, dst->ndims);
    for (int d = 0; d < src->ndims; ++d) {
        CHECK(src->dims[d] == dst->dims[d], "dimension %d of src is %lld, of dst %lld", d,
                (long long)src->dims[d], (long long)dst->dims[d]);
    }
    CHECK(!prim__md_is_any(src), "the layout of src must be known, not any");
    return PRIM_SUCCESS;
}

prim_status_t prim_eltwise_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, float alpha, float beta, const prim_attr_t *attr)
{
    CHECK_NOT_NULL(pd);
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(src_md);
    CHECK_NOT_NULL(dst_md);
    CHECK(prop_kind == PRIM_FORWARD_TRAINING || prop_kind == PRIM_FORWARD_INFERENCE,
            "%d is no forward prop kind", (int)prop_kind);
    TRY(check_tensors(src_md, dst_md));
    TRY(check_alg(alg, src_md->data_type, alpha, beta));
    if (prim__md_has_runtime(src_md) || prim__md_has_runtime(dst_md)) {
        return prim__fail(PRIM_UNIMPLEMENTED, "eltwise does not take run-time dimensions");
    }
    if (attr) TRY(prim__attr_check_kinds(attr, "eltwise", ALLOW_BINARY));

    op_desc_t op;
    memset(&op, 0, sizeof op); // with the bytes between its fields: they are compared
    op.kind = PRIM_ELTWISE;
    op.prop_kind = prop_kind;
    op.alg_kind = alg;
    op.u.eltwise.alpha = alpha;
    op.u.eltwise.beta = beta;
    const tensor_t tensors[] = {
            {.arg = PRIM_ARG_SRC, .md = *src_md},
            {.arg = PRIM_ARG_DST, .is_output = true, .md = *dst_md},
    };
    return prim__desc_create(pd, engine, NULL, &op, tensors, 2, attr);
}
