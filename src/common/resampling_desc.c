// SPDX-License-Identifier: Apache-2.0
// Resampling: checks of the arguments and the problem they make. doc/primitives/resampling.md has
// the rules in words.
#include "impl.h"

#include <math.h>
#include <string.h>

static prim_status_t check_src(const prim_memory_desc_t *src)
{
    TRY(prim__md_check(src, "src"));
    CHECK(src->ndims >= 3 && src->ndims <= 5, "resampling src has %d dimensions, not 3, 4 or 5",
            src->ndims);
    CHECK(!prim__md_is_any(src), "resampling src has layout any; it must be known");
    if (prim__md_has_runtime(src))
        return prim__fail(PRIM_UNIMPLEMENTED, "resampling takes no run-time dimensions");
    return PRIM_SUCCESS;
}

static prim_status_t check_dst(const prim_memory_desc_t *dst, const prim_memory_desc_t *src)
{
    TRY(prim__md_check(dst, "dst"));
    CHECK(dst->ndims == src->ndims, "resampling dst has %d dimensions, src has %d", dst->ndims,
            src->ndims);
    if (prim__md_has_runtime(dst))
        return prim__fail(PRIM_UNIMPLEMENTED, "resampling takes no run-time dimensions");
    for (int d = 0; d < 2; ++d)
        CHECK(dst->dims[d] == src->dims[d], "resampling dst has %lld in dimension %d, src has %lld",
                (long long)dst->dims[d], d, (long long)src->dims[d]);
    for (int d = 2; d < src->ndims; ++d)
        CHECK(src->dims[d] > 0 || dst->dims[d] == 0,
                "resampling makes %lld elements out of 0 in dimension %d", (long long)dst->dims[d],
                d);
    return PRIM_SUCCESS;
}

// The size that a factor gives, in float as the factors are: 3·(2/3) is 2, not 1.
static prim_dim_t scaled(prim_dim_t in, float factor)
{
    return (prim_dim_t)((float)in * factor);
}

static prim_status_t check_factors(const float *factors, int nspatial)
{
    for (int i = 0; i < nspatial; ++i)
        CHECK(isfinite(factors[i]) && factors[i] > 0.f && factors[i] < 0x1p20f,
                "resampling factor %g is not in 0..2^20", (double)factors[i]);
    return PRIM_SUCCESS;
}

// A factor speaks of dst if it gives its size or comes as near as rounding allows.
static prim_status_t check_factors_fit(
        const float *factors, const prim_memory_desc_t *src, const prim_memory_desc_t *dst)
{
    for (int d = 2; d < src->ndims; ++d)
        CHECK(fabs((double)src->dims[d] * (double)factors[d - 2] - (double)dst->dims[d]) < 1.,
                "resampling factor %g does not make %lld out of %lld", (double)factors[d - 2],
                (long long)dst->dims[d], (long long)src->dims[d]);
    return PRIM_SUCCESS;
}

static prim_status_t derive_dst(
        prim_memory_desc_t *dst, const prim_memory_desc_t *src, const float *factors)
{
    prim_dims_t dims = {src->dims[0], src->dims[1]};
    for (int d = 2; d < src->ndims; ++d) {
        CHECK(src->dims[d] < (prim_dim_t)1 << 40, "resampling src dimension %d is too large", d);
        dims[d] = scaled(src->dims[d], factors[d - 2]);
    }
    return prim_memory_desc_init_by_tag(dst, src->ndims, dims, src->data_type, PRIM_FORMAT_ANY);
}

prim_status_t prim_resampling_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const float *factors,
        const prim_memory_desc_t *src_md, const prim_memory_desc_t *dst_md, const prim_attr_t *attr)
{
    CHECK_NOT_NULL(pd);
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(src_md);
    CHECK(dst_md || factors, "resampling has neither dst_md nor factors");
    CHECK(prop_kind == PRIM_FORWARD_TRAINING || prop_kind == PRIM_FORWARD_INFERENCE,
            "resampling prop kind %d is not a forward one", (int)prop_kind);
    CHECK(alg == PRIM_RESAMPLING_NEAREST || alg == PRIM_RESAMPLING_LINEAR,
            "algorithm %#x is not one of resampling", (unsigned)alg);
    TRY(check_src(src_md));
    const int nspatial = src_md->ndims - 2;
    if (factors) TRY(check_factors(factors, nspatial));
    prim_memory_desc_t dst;
    if (dst_md)
        dst = *dst_md;
    else
        TRY(derive_dst(&dst, src_md, factors));
    TRY(check_dst(&dst, src_md));
    if (factors) TRY(check_factors_fit(factors, src_md, &dst));
    if (attr)
        TRY(prim__attr_check_kinds(attr, "resampling", ALLOW_SUM | ALLOW_ELTWISE | ALLOW_BINARY));

    op_desc_t op;
    memset(&op, 0, sizeof op);
    op.kind = PRIM_RESAMPLING;
    op.prop_kind = prop_kind;
    op.alg_kind = alg;
    for (int i = 0; i < nspatial; ++i) {
        const prim_dim_t in = src_md->dims[2 + i];
        op.u.resampling.factors[i] = factors  ? factors[i]
                                     : in > 0 ? (float)dst.dims[2 + i] / (float)in
                                              : 1.f;
    }
    const tensor_t tensors[] = {
            {.arg = PRIM_ARG_SRC, .md = *src_md},
            {.arg = PRIM_ARG_DST, .is_output = true, .md = dst},
    };
    return prim__desc_create(pd, engine, NULL, &op, tensors, 2, attr);
}
