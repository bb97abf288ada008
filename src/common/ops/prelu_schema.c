// SPDX-License-Identifier: Apache-2.0
// PReLU, whose slopes broadcast over src. doc/primitives/prelu.md has the rules in words.
#include "repro.h"
#include "schema.h"

enum { SRC, WEI, DST, NTENSORS };

static prim_status_t check(const shapes_t *shapes)
{
    const prim_memory_desc_t *const src = shapes->mds[SRC], *const wei = shapes->mds[WEI];
    TRY(prim__check_same_dims(shapes, DST, SRC));
    CHECK(wei->ndims == src->ndims, "prelu weights have %d dimensions, src has %d", wei->ndims,
            src->ndims);
    for (int d = 0; d < src->ndims; ++d)
        CHECK(wei->dims[d] == src->dims[d] || wei->dims[d] == 1,
                "prelu weights have %lld in dimension %d, neither 1 nor src's %lld",
                (long long)wei->dims[d], d, (long long)src->dims[d]);
    return PRIM_SUCCESS;
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
