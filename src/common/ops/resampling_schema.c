// SPDX-License-Identifier: Apache-2.0
// Resampling, another size by nearest neighbours or interpolation, and its gradient.
// doc/primitives/resampling.md has the rules in words.
#include <math.h>

#include "common/data_type.h"
#include "common/verbose_repro_words.h"
#include "schema.h"
#include "schema_create.h"

enum { SRC, DST, NTENSORS };
enum { DIFF_DST, DIFF_SRC, NBACKWARD_TENSORS };

/// The images of a pass, by their rules: src and dst, or their gradients.
static prim_status_t check_dst(const shapes_t *shapes, int src_rule, int dst_rule)
{
    const prim_memory_desc_t *const src = shapes->mds[src_rule], *const dst = shapes->mds[dst_rule];
    const char *const from = shapes->schema->tensors[src_rule].name;
    const char *const to = shapes->schema->tensors[dst_rule].name;
    CHECK(dst->ndims == src->ndims, "resampling %s has %d dimensions, %s has %d", to, dst->ndims,
            from, src->ndims);
    for (int d = 0; d < 2; ++d)
        CHECK(dst->dims[d] == src->dims[d], "resampling %s has %lld in dimension %d, %s has %lld",
                to, (long long)dst->dims[d], d, from, (long long)src->dims[d]);
    for (int d = 2; d < src->ndims; ++d)
        CHECK(src->dims[d] > 0 || dst->dims[d] == 0,
                "resampling makes %lld elements out of 0 in dimension %d", (long long)dst->dims[d],
                d);
    return PRIM_SUCCESS;
}

static prim_status_t check_rank(const shapes_t *shapes, int src_rule)
{
    const int ndims = shapes->mds[src_rule]->ndims;
    CHECK(ndims >= 3 && ndims <= 5, "resampling %s has %d dimensions, not 3, 4 or 5",
            shapes->schema->tensors[src_rule].name, ndims);
    return PRIM_SUCCESS;
}

static prim_status_t check(const shapes_t *shapes)
{
    TRY(check_rank(shapes, SRC));
    return shapes->mds[DST] ? check_dst(shapes, SRC, DST) : PRIM_SUCCESS;
}

static prim_status_t check_backward(const shapes_t *shapes)
{
    TRY(check_rank(shapes, DIFF_SRC));
    TRY(check_dst(shapes, DIFF_SRC, DIFF_DST));
    for (int i = 0; i < NBACKWARD_TENSORS; ++i) {
        const prim_data_type_t dt = shapes->mds[i]->data_type;
        if (prim__dt_is_integer(dt))
            return prim__fail(PRIM_UNIMPLEMENTED, "resampling backward takes no integers: %s is %s",
                    shapes->schema->tensors[i].name, prim_data_type_name(dt));
    }
    return PRIM_SUCCESS;
}

/// The size that a factor gives, in float as the factors are: 3·(2/3) is 2, not 1.
static prim_dim_t scaled(prim_dim_t in, float factor)
{
    return (prim_dim_t)((float)in * factor);
}

static prim_status_t derive(prim_memory_desc_t *dst, const shapes_t *shapes)
{
    const prim_memory_desc_t *const src = shapes->mds[SRC];
    if (!prim__md_is_zero(dst)) return PRIM_SUCCESS;
    prim_dims_t dims = {src->dims[0], src->dims[1]};
    for (int d = 2; d < src->ndims; ++d) {
        CHECK(src->dims[d] < (prim_dim_t)1 << 40, "resampling src dimension %d is too large", d);
        dims[d] = scaled(src->dims[d], shapes->op->u.resampling.factors[d - 2]);
    }
    TRY(prim_memory_desc_init_by_tag(dst, src->ndims, dims, src->data_type, PRIM_FORMAT_ANY));
    return prim__md_check(dst, "resampling dst");
}

static const tensor_rule_t tensors[] = {
        [SRC] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT | TENSOR_IS_FIXED,
                .query = PRIM_QUERY_SRC_MD},
        [DST] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_OUTPUT | TENSOR_OPTIONAL | TENSOR_MAY_BE_ANY | TENSOR_IS_FIXED,
                .follows = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DST_MD},
        {0},
};

static const tensor_rule_t backward_tensors[] = {
        [DIFF_DST] = {.arg = PRIM_ARG_DIFF_DST,
                .name = "diff_dst",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY | TENSOR_IS_FIXED,
                .follows = PRIM_ARG_DIFF_SRC,
                .hint = PRIM_ARG_DST,
                .query = PRIM_QUERY_DIFF_DST_MD},
        [DIFF_SRC] = {.arg = PRIM_ARG_DIFF_SRC,
                .name = "diff_src",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY | TENSOR_IS_FIXED,
                .follows = PRIM_ARG_DIFF_DST,
                .hint = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DIFF_SRC_MD},
        {0},
};

static const param_rule_t params[] = {
        {"factors", PARAM_FLOATS, offsetof(op_desc_t, u.resampling.factors), PRIM_QUERY_FACTORS,
                false, NULL},
        {0},
};

static const prim_alg_kind_t algs[] = {
        PRIM_RESAMPLING_NEAREST, PRIM_RESAMPLING_LINEAR, PRIM_ALG_UNDEF};

static void add_sizes(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    const bool is_backward = word->arg == PRIM_ARG_DIFF_SRC;
    const prim_memory_desc_t *const src = prim__pd_md(pd, word->arg);
    const prim_memory_desc_t *const dst =
            prim__pd_md(pd, is_backward ? PRIM_ARG_DIFF_DST : PRIM_ARG_DST);
    const int n = src->ndims - 2;
    for (int i = 0; i < n; ++i)
        prim__text_add(out, "_i%c%lldo%c%lld", prim__repro_letter(i, n),
                (long long)src->dims[2 + i], prim__repro_letter(i, n), (long long)dst->dims[2 + i]);
}

#define REPRO(src, dst)                                                                       \
    {                                                                                         \
        {.add = prim__repro_dir}, {.add = prim__repro_type, .text = " --sdt=", .arg = (src)}, \
                {.add = prim__repro_type, .text = " --ddt=", .arg = (dst)},                   \
                {.add = prim__repro_tag, .text = " --tag=", .arg = (src)},                    \
                {.add = prim__repro_alg, .text = " --alg="}, {.is_attr = true},               \
                {.add = prim__repro_images, .text = " ", .arg = (src)},                       \
                {.add = add_sizes, .arg = (src)}, {0},                                        \
    }

static const repro_word_t forward_repro[] = REPRO(PRIM_ARG_SRC, PRIM_ARG_DST);
static const repro_word_t backward_repro[] = REPRO(PRIM_ARG_DIFF_SRC, PRIM_ARG_DIFF_DST);

extern const impl_t *const *const prim__resampling_forward_lists[];
extern const impl_t *const *const prim__resampling_backward_lists[];

const op_schema_t prim__resampling_forward_schema = {
        .kind = PRIM_RESAMPLING,
        .direction = FORWARD,
        .name = "resampling",
        .driver = "resampling",
        .has_prop_kind = true,
        .algs = algs,
        .tensors = tensors,
        .params = params,
        .post_ops = ALLOW_SUM | ALLOW_ELTWISE | ALLOW_BINARY,
        .check = check,
        .derive = derive,
        .repro = forward_repro,
        .lists = prim__resampling_forward_lists,
};

const op_schema_t prim__resampling_backward_schema = {
        .kind = PRIM_RESAMPLING,
        .direction = BACKWARD,
        .name = "resampling backward",
        .driver = "resampling",
        .has_prop_kind = true,
        .algs = algs,
        .tensors = backward_tensors,
        .params = params,
        .check = check_backward,
        .repro = backward_repro,
        .lists = prim__resampling_backward_lists,
};

/// A factor speaks of dst if it gives its size or comes as near as rounding allows.
static prim_status_t check_factor(float factor, prim_dim_t in, const prim_dim_t *out)
{
    CHECK(isfinite(factor) && factor > 0.F && factor < 0x1p20F,
            "resampling factor %g is not in 0..2^20", (double)factor);
    CHECK(!out || fabs((double)in * (double)factor - (double)*out) < 1.,
            "resampling factor %g does not make %lld out of %lld", (double)factor,
            (long long)(out ? *out : 0), (long long)in);
    return PRIM_SUCCESS;
}

/// The factors as given, or those that make dst out of src (1 where nothing can tell).
static prim_status_t take_factors(float own[3], const float *factors, const prim_memory_desc_t *src,
        const prim_memory_desc_t *dst)
{
    const int nspatial = src->ndims >= 3 && src->ndims <= 5 ? src->ndims - 2 : 0;
    const bool has_dst = dst && dst->ndims == src->ndims;
    for (int i = 0; i < nspatial; ++i) {
        const prim_dim_t in = src->dims[2 + i];
        const prim_dim_t *const out = has_dst ? &dst->dims[2 + i] : NULL;
        if (factors) TRY(check_factor(factors[i], in, out));
        own[i] = factors ? factors[i] : out && in > 0 ? (float)*out / (float)in : 1.F;
    }
    return PRIM_SUCCESS;
}

prim_status_t prim_resampling_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, prim_alg_kind_t alg, const float *factors,
        const prim_memory_desc_t *src_md, const prim_memory_desc_t *dst_md, const prim_attr_t *attr)
{
    CHECK_NOT_NULL(src_md);
    CHECK(factors || (dst_md && dst_md->ndims != 0), "resampling has neither dst_md nor factors");
    const prim_memory_desc_t *const mds[NTENSORS] = {[SRC] = src_md, [DST] = dst_md};
    op_desc_t op = {.kind = PRIM_RESAMPLING, .prop_kind = prop_kind, .alg_kind = alg};
    TRY(take_factors(op.u.resampling.factors, factors, src_md, dst_md));
    const request_t request = {.engine = engine, .mds = mds, .attr = attr};
    return prim__op_create(pd, &prim__resampling_forward_schema, &op, &request);
}

prim_status_t prim_resampling_backward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_alg_kind_t alg, const float *factors, const prim_memory_desc_t *diff_src_md,
        const prim_memory_desc_t *diff_dst_md, const prim_desc_t *hint_fwd_pd,
        const prim_attr_t *attr)
{
    CHECK_NOT_NULL(diff_src_md);
    CHECK_NOT_NULL(diff_dst_md);
    const prim_memory_desc_t *const mds[NBACKWARD_TENSORS] = {
            [DIFF_DST] = diff_dst_md, [DIFF_SRC] = diff_src_md};
    op_desc_t op = {.kind = PRIM_RESAMPLING, .prop_kind = PRIM_BACKWARD_DATA, .alg_kind = alg};
    TRY(take_factors(op.u.resampling.factors, factors, diff_src_md, diff_dst_md));
    const request_t request = {.engine = engine, .mds = mds, .hint = hint_fwd_pd, .attr = attr};
    return prim__op_create(pd, &prim__resampling_backward_schema, &op, &request);
}
