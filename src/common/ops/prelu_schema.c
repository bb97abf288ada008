// SPDX-License-Identifier: Apache-2.0
// PReLU, whose slopes broadcast over src, and its gradients. doc/primitives/prelu.md has the rules
// in words.
#include "common/data_type.h"
#include "common/verbose_repro_words.h"
#include "schema.h"
#include "schema_create.h"

enum { SRC, WEI, DST, NTENSORS };
enum { DIFF_DST = WEI + 1, DIFF_SRC, DIFF_WEI, NBACKWARD_TENSORS };

static prim_status_t check_weights(const shapes_t *shapes)
{
    const prim_memory_desc_t *const src = shapes->mds[SRC], *const wei = shapes->mds[WEI];
    CHECK(wei->ndims == src->ndims, "prelu weights have %d dimensions, src has %d", wei->ndims,
            src->ndims);
    for (int d = 0; d < src->ndims; ++d)
        CHECK(wei->dims[d] == src->dims[d] || wei->dims[d] == 1,
                "prelu weights have %lld in dimension %d, neither 1 nor src's %lld",
                (long long)wei->dims[d], d, (long long)src->dims[d]);
    return PRIM_SUCCESS;
}

static prim_status_t check(const shapes_t *shapes)
{
    TRY(prim__check_same_dims(shapes, DST, SRC));
    return check_weights(shapes);
}

/// A gradient has the shape and the type of the tensor that it belongs to.
static prim_status_t check_gradient(const shapes_t *shapes, int gradient, int of)
{
    const tensor_rule_t *const rules = shapes->schema->tensors;
    const prim_data_type_t dt = shapes->mds[of]->data_type, own = shapes->mds[gradient]->data_type;
    TRY(prim__check_same_dims(shapes, gradient, of));
    if (prim__dt_is_integer(dt))
        return prim__fail(PRIM_UNIMPLEMENTED, "prelu backward takes no integers: %s is %s",
                rules[of].name, prim_data_type_name(dt));
    if (own != dt)
        return prim__fail(PRIM_UNIMPLEMENTED, "prelu backward %s is %s, %s is %s",
                rules[gradient].name, prim_data_type_name(own), rules[of].name,
                prim_data_type_name(dt));
    return PRIM_SUCCESS;
}

static prim_status_t check_backward(const shapes_t *shapes)
{
    TRY(check_weights(shapes));
    TRY(check_gradient(shapes, DIFF_DST, SRC));
    TRY(check_gradient(shapes, DIFF_SRC, SRC));
    return check_gradient(shapes, DIFF_WEI, WEI);
}

static const tensor_rule_t tensors[] = {
        [SRC] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT,
                .query = PRIM_QUERY_SRC_MD},
        [WEI] = {.arg = PRIM_ARG_WEIGHTS,
                .name = "weights",
                .log_name = "wei",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .query = PRIM_QUERY_WEIGHTS_MD},
        [DST] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .in_place = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DST_MD},
        {0},
};

static const tensor_rule_t backward_tensors[] = {
        [SRC] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT,
                .hint = PRIM_ARG_SRC,
                .query = PRIM_QUERY_SRC_MD},
        [WEI] = {.arg = PRIM_ARG_WEIGHTS,
                .name = "weights",
                .log_name = "wei",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .hint = PRIM_ARG_WEIGHTS,
                .query = PRIM_QUERY_WEIGHTS_MD},
        [DIFF_DST] = {.arg = PRIM_ARG_DIFF_DST,
                .name = "diff_dst",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .hint = PRIM_ARG_DST,
                .query = PRIM_QUERY_DIFF_DST_MD},
        [DIFF_SRC] = {.arg = PRIM_ARG_DIFF_SRC,
                .name = "diff_src",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .hint = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DIFF_SRC_MD},
        [DIFF_WEI] = {.arg = PRIM_ARG_DIFF_WEIGHTS,
                .name = "diff_weights",
                .log_name = "diff_wei",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_WEIGHTS,
                .hint = PRIM_ARG_WEIGHTS,
                .query = PRIM_QUERY_DIFF_WEIGHTS_MD},
        {0},
};

static const repro_word_t repro[] = {
        {.add = prim__repro_dir},
        {.add = prim__repro_type, .text = " --sdt=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_type, .text = ":", .arg = PRIM_ARG_WEIGHTS},
        {.add = prim__repro_tag, .text = " --stag=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_tag, .text = ":", .arg = PRIM_ARG_WEIGHTS},
        {.is_attr = true},
        {.add = prim__repro_shape, .text = " ", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_shape, .text = ":", .arg = PRIM_ARG_WEIGHTS},
        {0},
};

extern const impl_t *const *const prim__prelu_forward_lists[];
extern const impl_t *const *const prim__prelu_backward_lists[];

const op_schema_t prim__prelu_forward_schema = {
        .kind = PRIM_PRELU,
        .direction = FORWARD,
        .name = "prelu",
        .driver = "prelu",
        .has_prop_kind = true,
        .tensors = tensors,
        .check = check,
        .repro = repro,
        .lists = prim__prelu_forward_lists,
};

const op_schema_t prim__prelu_backward_schema = {
        .kind = PRIM_PRELU,
        .direction = BACKWARD,
        .name = "prelu backward",
        .driver = "prelu",
        .has_prop_kind = true,
        .tensors = backward_tensors,
        .check = check_backward,
        .repro = repro,
        .lists = prim__prelu_backward_lists,
};

prim_status_t prim_prelu_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *wei_md, const prim_memory_desc_t *dst_md, const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NTENSORS] = {
            [SRC] = src_md, [WEI] = wei_md, [DST] = dst_md};
    const op_desc_t op = {.kind = PRIM_PRELU, .prop_kind = prop_kind};
    const request_t request = {.engine = engine, .mds = mds, .attr = attr};
    return prim__op_create(pd, &prim__prelu_forward_schema, &op, &request);
}

prim_status_t prim_prelu_backward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        const prim_memory_desc_t *src_md, const prim_memory_desc_t *wei_md,
        const prim_memory_desc_t *diff_src_md, const prim_memory_desc_t *diff_wei_md,
        const prim_memory_desc_t *diff_dst_md, const prim_desc_t *hint_fwd_pd,
        const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NBACKWARD_TENSORS] = {[SRC] = src_md,
            [WEI] = wei_md,
            [DIFF_DST] = diff_dst_md,
            [DIFF_SRC] = diff_src_md,
            [DIFF_WEI] = diff_wei_md};
    const op_desc_t op = {.kind = PRIM_PRELU, .prop_kind = PRIM_BACKWARD};
    const request_t request = {.engine = engine, .mds = mds, .hint = hint_fwd_pd, .attr = attr};
    return prim__op_create(pd, &prim__prelu_backward_schema, &op, &request);
}
