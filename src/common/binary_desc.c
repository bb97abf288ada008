// SPDX-License-Identifier: Apache-2.0
// prim_binary_desc_create(): checks an element-wise operation on two tensors that broadcast.
#include "impl.h"

static prim_status_t check_source(
        const prim_memory_desc_t *md, const char *name, const prim_memory_desc_t *dst)
{
    TRY(prim__md_check(md, name));
    CHECK(md->ndims == dst->ndims, "%s has %d dimensions, dst has %d", name, md->ndims, dst->ndims);
    return PRIM_SUCCESS;
}

static prim_status_t check_shapes(const prim_memory_desc_t *src0, const prim_memory_desc_t *src1,
        const prim_memory_desc_t *dst)
{
    for (int d = 0; d < dst->ndims; ++d) {
        const prim_dim_t a = src0->dims[d], b = src1->dims[d];
        CHECK(a == b || a == 1 || b == 1,
                "dimension %d of src0 is %lld, of src1 %lld: neither equal nor 1", d, (long long)a,
                (long long)b);
        const prim_dim_t both = a == 1 ? b : a;
        CHECK(dst->dims[d] == both, "dimension %d of dst is %lld, the sources make it %lld", d,
                (long long)dst->dims[d], (long long)both);
    }
    return PRIM_SUCCESS;
}

static prim_status_t check_condition(
        prim_alg_kind_t alg, const prim_memory_desc_t *src2, const prim_memory_desc_t *dst)
{
    const bool is_there = src2 && src2->ndims != 0;
    if (alg != PRIM_BINARY_SELECT) {
        CHECK(!is_there, "src2 belongs to select only");
        return PRIM_SUCCESS;
    }
    CHECK(is_there, "select needs src2, the condition");
    TRY(check_source(src2, "src2", dst));
    CHECK(src2->data_type == PRIM_S8, "src2, the condition of select, is %s, not s8",
            prim_data_type_name(src2->data_type));
    CHECK(prim__md_same_dims(src2, dst),
            "src2, the condition of select, differs from dst in shape");
    CHECK(!prim__md_is_any(src2), "the layout of src2 must be known, not any");
    return PRIM_SUCCESS;
}

static prim_status_t check_attr(const prim_attr_t *attr)
{
    static const quant_rule_t rules[] = {
            {.arg = PRIM_ARG_SRC_0, .nmasks = 1},
            {.arg = PRIM_ARG_SRC_1, .nmasks = 1},
    };
    if (!attr) return PRIM_SUCCESS;
    TRY(prim__attr_check_kinds(
            attr, "binary", ALLOW_SCALES | ALLOW_SUM | ALLOW_ELTWISE | ALLOW_BINARY));
    return prim__quants_check(attr->scales, attr->nscales, "scales", "binary", rules, 2);
}

prim_status_t prim_binary_desc_create(prim_desc_t **pd, prim_engine_t *engine, prim_alg_kind_t alg,
        const prim_memory_desc_t *src0_md, const prim_memory_desc_t *src1_md,
        const prim_memory_desc_t *src2_md, const prim_memory_desc_t *dst_md,
        const prim_attr_t *attr)
{
    CHECK_NOT_NULL(pd);
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(src0_md);
    CHECK_NOT_NULL(src1_md);
    CHECK_NOT_NULL(dst_md);
    CHECK(alg >= PRIM_BINARY_ADD && alg <= PRIM_BINARY_SELECT, "0x%x is no binary algorithm",
            (unsigned)alg);
    TRY(prim__md_check(dst_md, "dst"));
    CHECK(dst_md->ndims > 0, "dst of binary is absent (0 dimensions)");
    TRY(check_source(src0_md, "src0", dst_md));
    TRY(check_source(src1_md, "src1", dst_md));
    TRY(check_shapes(src0_md, src1_md, dst_md));
    TRY(check_condition(alg, src2_md, dst_md));
    CHECK(!prim__md_is_any(src0_md), "the layout of src0 must be known, not any");
    if (prim__md_has_runtime(src0_md) || prim__md_has_runtime(src1_md) ||
            prim__md_has_runtime(dst_md) || (src2_md && prim__md_has_runtime(src2_md))) {
        return prim__fail(PRIM_UNIMPLEMENTED, "binary does not take run-time dimensions");
    }
    TRY(check_attr(attr));

    const op_desc_t op = {.kind = PRIM_BINARY, .alg_kind = alg};
    tensor_t tensors[4] = {
            {.arg = PRIM_ARG_SRC_0, .md = *src0_md},
            {.arg = PRIM_ARG_SRC_1, .md = *src1_md},
    };
    int n = 2;
    if (alg == PRIM_BINARY_SELECT) tensors[n++] = (tensor_t){.arg = PRIM_ARG_SRC_2, .md = *src2_md};
    tensors[n++] = (tensor_t){.arg = PRIM_ARG_DST, .is_output = true, .md = *dst_md};
    return prim__desc_create(pd, engine, NULL, &op, tensors, n, attr);
}
