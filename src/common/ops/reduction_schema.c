// SPDX-License-Identifier: Apache-2.0
// Reduction: maxima, minima, sums, products, means and norms along any dimensions.
// doc/primitives/reduction.md has the rules in words.
#include <math.h>

#include "common/data_type.h"
#include "common/verbose_repro_words.h"
#include "schema.h"
#include "schema_create.h"

enum { SRC, DST, NTENSORS };

static prim_status_t check_norm(const shapes_t *shapes)
{
    const reduction_params_t *const r = &shapes->op->u.reduction;
    const prim_data_type_t dt = shapes->mds[SRC]->data_type;
    CHECK(r->p >= 1 && isfinite(r->p), "reduction by a norm has p %g, not a number from 1 on",
            (double)r->p);
    CHECK(!isnan(r->eps), "reduction by a norm has eps NaN");
    CHECK(prim__dt_is_float(dt), "reduction by a norm has src of %s, no floating-point type",
            prim_data_type_name(dt));
    return PRIM_SUCCESS;
}

static prim_status_t check(const shapes_t *shapes)
{
    const prim_memory_desc_t *const src = shapes->mds[SRC], *const dst = shapes->mds[DST];
    bool reduces = false;
    CHECK(dst->ndims == src->ndims, "reduction dst has %d dimensions, src has %d", dst->ndims,
            src->ndims);
    for (int d = 0; d < src->ndims; ++d) {
        const prim_dim_t from = src->dims[d], to = dst->dims[d];
        CHECK(to == from || to == 1, "reduction dst has %lld in dimension %d, neither 1 nor %lld",
                (long long)to, d, (long long)from);
        reduces = reduces || to != from;
    }
    CHECK(reduces, "reduction dst has the dimensions of src: nothing is reduced");
    return shapes->op->alg_kind >= PRIM_REDUCTION_NORM_LP_MAX ? check_norm(shapes) : PRIM_SUCCESS;
}

static const tensor_rule_t tensors[] = {
        [SRC] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT,
                .query = PRIM_QUERY_SRC_MD},
        [DST] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DST_MD},
        {0},
};

static const param_rule_t params[] = {
        {"p", PARAM_FLOAT, offsetof(op_desc_t, u.reduction.p), PRIM_QUERY_P_F32, true, NULL},
        {"eps", PARAM_FLOAT, offsetof(op_desc_t, u.reduction.eps), PRIM_QUERY_EPSILON_F32, true,
                NULL},
        {0},
};

static const prim_alg_kind_t algs[] = {PRIM_REDUCTION_MAX, PRIM_REDUCTION_MIN, PRIM_REDUCTION_SUM,
        PRIM_REDUCTION_MUL, PRIM_REDUCTION_MEAN, PRIM_REDUCTION_NORM_LP_MAX,
        PRIM_REDUCTION_NORM_LP_SUM, PRIM_REDUCTION_NORM_LP_POWER_P_MAX,
        PRIM_REDUCTION_NORM_LP_POWER_P_SUM, PRIM_ALG_UNDEF};

static const repro_word_t repro[] = {
        {.add = prim__repro_type, .text = " --sdt=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_type, .text = " --ddt=", .arg = PRIM_ARG_DST},
        {.add = prim__repro_tag, .text = " --stag=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_tag, .text = " --dtag=", .arg = PRIM_ARG_DST},
        {.add = prim__repro_alg, .text = " --alg="},
        {.add = prim__repro_float, .text = " --p=", .offset = offsetof(op_desc_t, u.reduction.p)},
        {.add = prim__repro_float,
                .text = " --eps=",
                .offset = offsetof(op_desc_t, u.reduction.eps)},
        {.is_attr = true},
        {.add = prim__repro_shape, .text = " ", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_shape, .text = ":", .arg = PRIM_ARG_DST},
        {0},
};

extern const impl_t *const *const prim__reduction_lists[];

const op_schema_t prim__reduction_schema = {
        .kind = PRIM_REDUCTION,
        .direction = FORWARD,
        .name = "reduction",
        .driver = "reduction",
        .algs = algs,
        .tensors = tensors,
        .params = params,
        .post_ops = ALLOW_SUM | ALLOW_ELTWISE | ALLOW_BINARY,
        .check = check,
        .repro = repro,
        .lists = prim__reduction_lists,
};

prim_status_t prim_reduction_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_alg_kind_t alg, const prim_memory_desc_t *src_md, const prim_memory_desc_t *dst_md,
        float p, float eps, const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NTENSORS] = {[SRC] = src_md, [DST] = dst_md};
    op_desc_t op = {.kind = PRIM_REDUCTION, .alg_kind = alg};
    op.u.reduction = (reduction_params_t){.p = p, .eps = eps};
    const request_t request = {.engine = engine, .mds = mds, .attr = attr};
    return prim__op_create(pd, &prim__reduction_schema, &op, &request);
}
