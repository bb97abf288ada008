// SPDX-License-Identifier: Apache-2.0
// Inner product: checks of the arguments and the problem they make. doc/primitives/inner_product.md
// has the rules in words.
#include "data_type.h"
#include "impl.h"

static bool is_absent(const prim_memory_desc_t *bia)
{
    return !bia || prim__md_is_zero(bia);
}

static prim_status_t check_tensors(const prim_memory_desc_t *src, const prim_memory_desc_t *wei,
        const prim_memory_desc_t *bia, const prim_memory_desc_t *dst)
{
    TRY(prim__md_check(src, "src"));
    TRY(prim__md_check(wei, "weights"));
    if (!is_absent(bia)) TRY(prim__md_check(bia, "bias"));
    TRY(prim__md_check(dst, "dst"));
    CHECK(src->ndims >= 2 && src->ndims <= 5, "inner product src has %d dimensions, not 2 to 5",
            src->ndims);
    CHECK(wei->ndims == src->ndims, "inner product weights have %d dimensions, src has %d",
            wei->ndims, src->ndims);
    CHECK(dst->ndims == 2, "inner product dst has %d dimensions, not 2", dst->ndims);
    CHECK(is_absent(bia) || bia->ndims == 1, "inner product bias has %d dimensions, not 1",
            bia->ndims);
    if (prim__md_has_runtime(src) || prim__md_has_runtime(wei) || prim__md_has_runtime(dst) ||
            (!is_absent(bia) && prim__md_has_runtime(bia))) {
        return prim__fail(PRIM_UNIMPLEMENTED, "inner product takes no run-time dimensions");
    }
    return PRIM_SUCCESS;
}

static prim_status_t check_shapes(const prim_memory_desc_t *src, const prim_memory_desc_t *wei,
        const prim_memory_desc_t *bia, const prim_memory_desc_t *dst)
{
    for (int d = 1; d < src->ndims; d++) {
        CHECK(src->dims[d] == wei->dims[d],
                "inner product dimension %d is %lld in src and %lld in weights", d,
                (long long)src->dims[d], (long long)wei->dims[d]);
    }
    CHECK(dst->dims[0] == src->dims[0], "inner product N is %lld in src and %lld in dst",
            (long long)src->dims[0], (long long)dst->dims[0]);
    CHECK(dst->dims[1] == wei->dims[0], "inner product OC is %lld in weights and %lld in dst",
            (long long)wei->dims[0], (long long)dst->dims[1]);
    CHECK(is_absent(bia) || bia->dims[0] == wei->dims[0],
            "inner product OC is %lld in weights and %lld in bias", (long long)wei->dims[0],
            (long long)bia->dims[0]);
    return PRIM_SUCCESS;
}

static bool is_int8(prim_data_type_t dt)
{
    return dt == PRIM_S8 || dt == PRIM_U8;
}

static prim_status_t check_types(const prim_memory_desc_t *src, const prim_memory_desc_t *wei,
        const prim_memory_desc_t *bia, const prim_memory_desc_t *dst)
{
    const prim_data_type_t s = src->data_type, w = wei->data_type;
    const bool both_int = is_int8(s) && is_int8(w);
    if (!both_int && !(prim__dt_is_float(s) && prim__dt_is_float(w))) {
        return prim__fail(PRIM_UNIMPLEMENTED,
                "inner product does not multiply src %s by weights %s", prim_data_type_name(s),
                prim_data_type_name(w));
    }
    const prim_data_type_t types[] = {s, w, dst->data_type, is_absent(bia) ? s : bia->data_type};
    for (int i = 0; i < 4; i++) {
        if (prim__dt_is_supported(types[i])) continue;
        return prim__fail(PRIM_UNIMPLEMENTED, "inner product does not compute with data type %s",
                prim_data_type_name(types[i]));
    }
    return PRIM_SUCCESS;
}

static prim_status_t check_attr(const prim_attr_t *attr)
{
    static const quant_rule_t rules[] = {
            {.arg = PRIM_ARG_SRC, .nmasks = 1, .masks = {0}},
            {.arg = PRIM_ARG_WEIGHTS, .nmasks = 2, .masks = {0, 1}},
            {.arg = PRIM_ARG_DST, .nmasks = 1, .masks = {0}},
    };
    if (!attr) return PRIM_SUCCESS;
    TRY(prim__attr_check_kinds(attr, "inner product", ALLOW_SCALES | ALLOW_CHAIN));
    return prim__quants_check(attr->scales, attr->nscales, "scales", "inner product", rules, 3);
}

prim_status_t prim_inner_product_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *wei_md, const prim_memory_desc_t *bias_md,
        const prim_memory_desc_t *dst_md, const prim_attr_t *attr)
{
    CHECK_NOT_NULL(pd);
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(src_md);
    CHECK_NOT_NULL(wei_md);
    CHECK_NOT_NULL(dst_md);
    CHECK(prop_kind == PRIM_FORWARD_TRAINING || prop_kind == PRIM_FORWARD_INFERENCE,
            "inner product prop kind %d is not a forward one", (int)prop_kind);
    TRY(check_tensors(src_md, wei_md, bias_md, dst_md));
    TRY(check_shapes(src_md, wei_md, bias_md, dst_md));
    TRY(check_attr(attr));
    TRY(check_types(src_md, wei_md, bias_md, dst_md));

    const prim_memory_desc_t none = {0};
    const tensor_t tensors[] = {
            {.arg = PRIM_ARG_SRC, .md = *src_md},
            {.arg = PRIM_ARG_WEIGHTS, .md = *wei_md},
            {.arg = PRIM_ARG_BIAS, .md = is_absent(bias_md) ? none : *bias_md},
            {.arg = PRIM_ARG_DST, .is_output = true, .md = *dst_md},
    };
    const op_desc_t op = {.kind = PRIM_INNER_PRODUCT, .prop_kind = prop_kind};
    return prim__desc_create(pd, engine, NULL, &op, tensors, 4, attr);
}
