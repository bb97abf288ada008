// SPDX-License-Identifier: Apache-2.0
// Matmul: checks of the arguments and the problem they make. doc/primitives/matmul.md has the rules
// in words.
#include "data_type.h"
#include "impl.h"

static bool is_absent(const prim_memory_desc_t *bia)
{
    return !bia || prim__md_is_zero(bia);
}

static prim_status_t check_ranks(const prim_memory_desc_t *src, const prim_memory_desc_t *wei,
        const prim_memory_desc_t *bia, const prim_memory_desc_t *dst)
{
    const int ndims = src->ndims;
    CHECK(ndims >= 2, "matmul src has %d dimensions, not 2 to %d", ndims, PRIM_MAX_NDIMS);
    CHECK(wei->ndims == ndims, "matmul weights have %d dimensions, src has %d", wei->ndims, ndims);
    CHECK(dst->ndims == ndims, "matmul dst has %d dimensions, src has %d", dst->ndims, ndims);
    CHECK(is_absent(bia) || bia->ndims == ndims, "matmul bias has %d dimensions, dst has %d",
            bia->ndims, ndims);
    return PRIM_SUCCESS;
}

// What dst has in a batch dimension: -1 when src and weights do not go together.
static prim_dim_t broadcast(prim_dim_t src, prim_dim_t wei)
{
    if (src == PRIM_RUNTIME_DIM_VAL || wei == PRIM_RUNTIME_DIM_VAL) return PRIM_RUNTIME_DIM_VAL;
    if (src == wei || wei == 1) return src;
    return src == 1 ? wei : -1;
}

static prim_status_t check_batch(
        const prim_memory_desc_t *src, const prim_memory_desc_t *wei, const prim_memory_desc_t *dst)
{
    for (int d = 0; d < src->ndims - 2; d++) {
        const prim_dim_t expected = broadcast(src->dims[d], wei->dims[d]);
        CHECK(expected != -1, "matmul batch dimension %d is %lld in src and %lld in weights", d,
                (long long)src->dims[d], (long long)wei->dims[d]);
        CHECK(dst->dims[d] == expected,
                "matmul batch dimension %d is %lld in dst, where src and weights give %lld", d,
                (long long)dst->dims[d], (long long)expected);
    }
    return PRIM_SUCCESS;
}

static prim_status_t check_shapes(const prim_memory_desc_t *src, const prim_memory_desc_t *wei,
        const prim_memory_desc_t *bia, const prim_memory_desc_t *dst)
{
    TRY(check_ranks(src, wei, bia, dst));
    const int m = src->ndims - 2, n = src->ndims - 1;
    CHECK(src->dims[n] == wei->dims[m], "matmul K is %lld in src and %lld in weights",
            (long long)src->dims[n], (long long)wei->dims[m]);
    CHECK(dst->dims[m] == src->dims[m], "matmul M is %lld in src and %lld in dst",
            (long long)src->dims[m], (long long)dst->dims[m]);
    CHECK(dst->dims[n] == wei->dims[n], "matmul N is %lld in weights and %lld in dst",
            (long long)wei->dims[n], (long long)dst->dims[n]);
    TRY(check_batch(src, wei, dst));
    for (int d = 0; !is_absent(bia) && d <= n; d++) {
        CHECK(bia->dims[d] == 1 || bia->dims[d] == dst->dims[d],
                "matmul bias has %lld in dimension %d, neither 1 nor dst's %lld",
                (long long)bia->dims[d], d, (long long)dst->dims[d]);
    }
    return PRIM_SUCCESS;
}

static prim_status_t check_tensor(const prim_memory_desc_t *md, const char *name)
{
    TRY(prim__md_check(md, name));
    CHECK(!prim__md_is_any(md) || !prim__md_has_runtime(md),
            "matmul %s has run-time dimensions and layout any", name);
    return PRIM_SUCCESS;
}

static bool is_int8(prim_data_type_t dt)
{
    return dt == PRIM_S8 || dt == PRIM_U8;
}

static prim_status_t check_types(const prim_memory_desc_t *src, const prim_memory_desc_t *wei,
        const prim_memory_desc_t *bia, const prim_memory_desc_t *dst, const prim_attr_t *attr)
{
    const prim_data_type_t s = src->data_type, w = wei->data_type;
    const bool both_int = is_int8(s) && is_int8(w);
    const bool both_float = prim__dt_is_float(s) && prim__dt_is_float(w);
    const bool weights_only = prim__dt_is_float(s) && is_int8(w);
    if (!both_int && !both_float && !weights_only) {
        return prim__fail(PRIM_UNIMPLEMENTED, "matmul does not multiply src %s by weights %s",
                prim_data_type_name(s), prim_data_type_name(w));
    }
    if (weights_only && !(attr && attr->fpmath_applies_to_int)) {
        return prim__fail(PRIM_UNIMPLEMENTED,
                "matmul of src %s by weights %s needs an fpmath mode that applies to integers",
                prim_data_type_name(s), prim_data_type_name(w));
    }
    const prim_data_type_t types[] = {s, w, dst->data_type, is_absent(bia) ? s : bia->data_type};
    for (int i = 0; i < 4; i++) {
        if (prim__dt_is_supported(types[i])) continue;
        return prim__fail(PRIM_UNIMPLEMENTED, "matmul does not compute with data type %s",
                prim_data_type_name(types[i]));
    }
    return PRIM_SUCCESS;
}

static const prim_memory_desc_t *find_md(const tensor_t *tensors, int ntensors, int arg)
{
    for (int i = 0; i < ntensors; i++) {
        if (tensors[i].arg == arg) return &tensors[i].md;
    }
    return NULL;
}

// Groups divide the last two dimensions as far as these are known.
static prim_status_t check_groups(
        const quant_t *quant, const char *what, const prim_memory_desc_t *md)
{
    for (int i = 0; i < quant->ngroups; i++) {
        const int d = md->ndims - quant->ngroups + i;
        const prim_dim_t group = quant->groups[i], dim = md->dims[d];
        CHECK(group > 0 && (dim == PRIM_RUNTIME_DIM_VAL || dim % group == 0),
                "matmul %s of argument %d: a group of %lld does not divide dimension %d of %lld",
                what, quant->arg, (long long)group, d, (long long)dim);
    }
    return PRIM_SUCCESS;
}

static prim_status_t check_quants(
        const quant_t *quants, int nquants, const char *what, const tensor_t *tensors, int ntensors)
{
    for (int i = 0; i < nquants; i++) {
        const quant_t *const quant = &quants[i];
        const prim_memory_desc_t *const md = find_md(tensors, ntensors, quant->arg);
        if (!md || quant->arg == PRIM_ARG_BIAS) {
            return prim__fail(
                    PRIM_UNIMPLEMENTED, "matmul does not take %s of argument %d", what, quant->arg);
        }
        if (quant->mask < 0 || quant->mask >> md->ndims) {
            return prim__fail(PRIM_UNIMPLEMENTED,
                    "matmul does not take %s of argument %d with mask %d for %d dimensions", what,
                    quant->arg, quant->mask, md->ndims);
        }
        TRY(check_groups(quant, what, md));
    }
    return PRIM_SUCCESS;
}

static prim_status_t check_attr(const prim_attr_t *attr, const tensor_t *tensors, int ntensors)
{
    if (!attr) return PRIM_SUCCESS;
    TRY(prim__attr_check_kinds(attr, "matmul", ALLOW_SCALES | ALLOW_ZERO_POINTS | ALLOW_CHAIN));
    TRY(check_quants(attr->scales, attr->nscales, "scales", tensors, ntensors));
    return check_quants(attr->zero_points, attr->nzero_points, "zero points", tensors, ntensors);
}

prim_status_t prim_matmul_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        const prim_memory_desc_t *src_md, const prim_memory_desc_t *wei_md,
        const prim_memory_desc_t *bias_md, const prim_memory_desc_t *dst_md,
        const prim_attr_t *attr)
{
    CHECK_NOT_NULL(pd);
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(src_md);
    CHECK_NOT_NULL(wei_md);
    CHECK_NOT_NULL(dst_md);
    TRY(check_tensor(src_md, "src"));
    TRY(check_tensor(wei_md, "weights"));
    if (!is_absent(bias_md)) TRY(check_tensor(bias_md, "bias"));
    TRY(check_tensor(dst_md, "dst"));
    TRY(check_shapes(src_md, wei_md, bias_md, dst_md));

    const prim_memory_desc_t none = {0};
    const tensor_t tensors[] = {
            {.arg = PRIM_ARG_SRC, .md = *src_md},
            {.arg = PRIM_ARG_WEIGHTS, .md = *wei_md},
            {.arg = PRIM_ARG_BIAS, .md = is_absent(bias_md) ? none : *bias_md},
            {.arg = PRIM_ARG_DST, .is_output = true, .md = *dst_md},
    };
    TRY(check_attr(attr, tensors, 4));
    TRY(check_types(src_md, wei_md, bias_md, dst_md, attr));
    const op_desc_t op = {.kind = PRIM_MATMUL};
    return prim__desc_create(pd, engine, NULL, &op, tensors, 4, attr);
}
