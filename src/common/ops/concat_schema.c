// SPDX-License-Identifier: Apache-2.0
// Concatenation along one axis. doc/primitives/concat.md has the rules in words.
#include "common/verbose_repro_words.h"
#include "schema.h"
#include "schema_create.h"

enum { SRC, DST, NTENSORS };

static prim_status_t check_source(
        const prim_memory_desc_t *md, int index, const prim_memory_desc_t *first, int axis)
{
    CHECK(md->ndims == first->ndims, "src %d has %d dimensions, src 0 has %d", index, md->ndims,
            first->ndims);
    for (int d = 0; d < md->ndims; ++d)
        CHECK(d == axis || md->dims[d] == first->dims[d],
                "dimension %d of src %d is %lld, of src 0 %lld", d, index, (long long)md->dims[d],
                (long long)first->dims[d]);
    return PRIM_SUCCESS;
}

/// The dimensions that the sources make.
static prim_status_t add_up(prim_dims_t dims, const shapes_t *shapes)
{
    const int axis = shapes->op->u.axis.axis;
    const prim_memory_desc_t *const first = shapes->mds[SRC];
    for (int d = 0; d < first->ndims; ++d) dims[d] = d == axis ? 0 : first->dims[d];
    for (int i = 0; i < shapes->nrepeated; ++i)
        CHECK(prim__dim_add(&dims[axis], dims[axis], shapes->repeated[i]->dims[axis]),
                "the sources of concat reach beyond 2^63 in dimension %d", axis);
    return PRIM_SUCCESS;
}

static prim_status_t check(const shapes_t *shapes)
{
    const int axis = shapes->op->u.axis.axis;
    const prim_memory_desc_t *const first = shapes->mds[SRC], *const dst = shapes->mds[DST];
    CHECK(axis >= 0 && axis < first->ndims, "concat axis %d is outside 0..%d", axis,
            first->ndims - 1);
    for (int i = 0; i < shapes->nrepeated; ++i)
        TRY(check_source(shapes->repeated[i], i, first, axis));
    prim_dims_t dims;
    TRY(add_up(dims, shapes));
    if (!dst) return PRIM_SUCCESS;
    CHECK(dst->ndims == first->ndims, "dst has %d dimensions, the sources have %d", dst->ndims,
            first->ndims);
    for (int d = 0; d < dst->ndims; ++d)
        CHECK(dst->dims[d] == dims[d], "dimension %d of dst is %lld, the sources make it %lld", d,
                (long long)dst->dims[d], (long long)dims[d]);
    return PRIM_SUCCESS;
}

static prim_status_t derive(prim_memory_desc_t *dst, const shapes_t *shapes)
{
    const prim_memory_desc_t *const first = shapes->mds[SRC];
    prim_dims_t dims;
    TRY(add_up(dims, shapes));
    if (prim__md_is_zero(dst))
        TRY(prim_memory_desc_init_by_tag(
                dst, first->ndims, dims, first->data_type, PRIM_FORMAT_ANY));
    return prim__md_set_like_if_any(dst, first);
}

static const tensor_rule_t tensors[] = {
        [SRC] = {.arg = PRIM_ARG_MULTIPLE_SRC,
                .name = "src",
                .flags = TENSOR_INPUT | TENSOR_REPEATED,
                .query = PRIM_QUERY_SRC_MD,
                .scales = MASK_COMMON},
        [DST] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_OUTPUT | TENSOR_OPTIONAL | TENSOR_MAY_BE_ANY | TENSOR_IS_FIXED,
                .follows = PRIM_ARG_MULTIPLE_SRC,
                .query = PRIM_QUERY_DST_MD},
        {0},
};

static const param_rule_t params[] = {
        {"axis", PARAM_INT, offsetof(op_desc_t, u.axis.axis), PRIM_QUERY_AXIS_S32, true, NULL},
        {0},
};

static const repro_word_t repro[] = {
        {.add = prim__repro_type, .text = " --sdt=", .arg = PRIM_ARG_MULTIPLE_SRC},
        {.add = prim__repro_type, .text = " --ddt=", .arg = PRIM_ARG_DST},
        {.add = prim__repro_tags, .text = " --stag=", .arg = PRIM_ARG_MULTIPLE_SRC},
        {.add = prim__repro_tag, .text = " --dtag=", .arg = PRIM_ARG_DST},
        {.add = prim__repro_int, .text = " --axis=", .offset = offsetof(op_desc_t, u.axis.axis)},
        {.is_attr = true},
        {.add = prim__repro_shapes, .text = " ", .arg = PRIM_ARG_MULTIPLE_SRC},
        {0},
};

extern const impl_t *const *const prim__concat_lists[];

const op_schema_t prim__concat_schema = {
        .kind = PRIM_CONCAT,
        .direction = FORWARD,
        .name = "concat",
        .driver = "concat",
        .tensors = tensors,
        .params = params,
        .check = check,
        .derive = derive,
        .repro = repro,
        .lists = prim__concat_lists,
};

prim_status_t prim_concat_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        const prim_memory_desc_t *dst_md, int n, int axis, const prim_memory_desc_t *const *src_mds,
        const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NTENSORS] = {[DST] = dst_md};
    op_desc_t op = {.kind = PRIM_CONCAT};
    op.u.axis.axis = axis;
    const request_t request = {
            .engine = engine, .mds = mds, .nrepeated = n, .repeated = src_mds, .attr = attr};
    return prim__op_create(pd, &prim__concat_schema, &op, &request);
}
