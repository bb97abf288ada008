// SPDX-License-Identifier: Apache-2.0
// PReLU: checks of the arguments and the problem they make. doc/primitives/prelu.md has the rules
// in words.
#include "impl.h"

#include <string.h>

static prim_status_t check_shapes(
        const prim_memory_desc_t *src, const prim_memory_desc_t *wei, const prim_memory_desc_t *dst)
{
    CHECK(src->ndims > 0, "prelu src is absent");
    CHECK(wei->ndims == src->ndims && dst->ndims == src->ndims,
            "prelu src, weights and dst have %d, %d and %d dimensions", src->ndims, wei->ndims,
            dst->ndims);
    CHECK(!prim__md_is_any(src), "prelu src has layout any; it must be known");
    if (prim__md_has_runtime(src) || prim__md_has_runtime(wei) || prim__md_has_runtime(dst))
        return prim__fail(PRIM_UNIMPLEMENTED, "prelu takes no run-time dimensions");
    for (int d = 0; d < src->ndims; ++d) {
        CHECK(dst->dims[d] == src->dims[d], "prelu dst has %lld in dimension %d, src has %lld",
                (long long)dst->dims[d], d, (long long)src->dims[d]);
        CHECK(wei->dims[d] == src->dims[d] || wei->dims[d] == 1,
                "prelu weights have %lld in dimension %d, neither 1 nor src's %lld",
                (long long)wei->dims[d], d, (long long)src->dims[d]);
    }
    return PRIM_SUCCESS;
}

prim_status_t prim_prelu_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *wei_md, const prim_memory_desc_t *dst_md, const prim_attr_t *attr)
{
    CHECK_NOT_NULL(pd);
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(src_md);
    CHECK_NOT_NULL(wei_md);
    CHECK_NOT_NULL(dst_md);
    CHECK(prop_kind == PRIM_FORWARD_TRAINING || prop_kind == PRIM_FORWARD_INFERENCE,
            "prelu prop kind %d is not a forward one", (int)prop_kind);
    TRY(prim__md_check(src_md, "src"));
    TRY(prim__md_check(wei_md, "weights"));
    TRY(prim__md_check(dst_md, "dst"));
    TRY(check_shapes(src_md, wei_md, dst_md));
    if (attr) TRY(prim__attr_check_kinds(attr, "prelu", 0));

    op_desc_t op;
    memset(&op, 0, sizeof op);
    op.kind = PRIM_PRELU;
    op.prop_kind = prop_kind;
    const tensor_t tensors[] = {
            {.arg = PRIM_ARG_SRC, .md = *src_md},
            {.arg = PRIM_ARG_WEIGHTS, .md = *wei_md},
            {.arg = PRIM_ARG_DST, .is_output = true, .md = *dst_md},
    };
    return prim__desc_create(pd, engine, NULL, &op, tensors, 3, attr);
}
