// SPDX-License-Identifier: Apache-2.0
// Inner product: every output is a sum over all channels and positions of an image.
// doc/primitives/inner_product.md has the rules in words.
#include "product_types.h"
#include "repro.h"

enum { SRC, WEI, BIA, DST, NTENSORS };

static prim_status_t check_ranks(const shapes_t *shapes)
{
    const int ndims = shapes->mds[SRC]->ndims;
    const prim_memory_desc_t *const bia = shapes->mds[BIA];
    CHECK(ndims >= 2 && ndims <= 5, "inner product src has %d dimensions, not 2 to 5", ndims);
    CHECK(shapes->mds[WEI]->ndims == ndims, "inner product weights have %d dimensions, src has %d",
            shapes->mds[WEI]->ndims, ndims);
    CHECK(shapes->mds[DST]->ndims == 2, "inner product dst has %d dimensions, not 2",
            shapes->mds[DST]->ndims);
    CHECK(!bia || bia->ndims == 1, "inner product bias has %d dimensions, not 1", bia->ndims);
    return PRIM_SUCCESS;
}

static prim_status_t check(const shapes_t *shapes)
{
    const prim_memory_desc_t *const src = shapes->mds[SRC], *const wei = shapes->mds[WEI];
    const prim_memory_desc_t *const bia = shapes->mds[BIA], *const dst = shapes->mds[DST];
    TRY(check_ranks(shapes));
    for (int d = 1; d < src->ndims; ++d)
        CHECK(src->dims[d] == wei->dims[d],
                "inner product dimension %d is %lld in src and %lld in weights", d,
                (long long)src->dims[d], (long long)wei->dims[d]);
    CHECK(dst->dims[0] == src->dims[0], "inner product N is %lld in src and %lld in dst",
            (long long)src->dims[0], (long long)dst->dims[0]);
    CHECK(dst->dims[1] == wei->dims[0], "inner product OC is %lld in weights and %lld in dst",
            (long long)wei->dims[0], (long long)dst->dims[1]);
    CHECK(!bia || bia->dims[0] == wei->dims[0],
            "inner product OC is %lld in weights and %lld in bias", (long long)wei->dims[0],
            (long long)bia->dims[0]);
    return PRIM_SUCCESS;
}

static const tensor_rule_t tensors[] = {
        [SRC] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .query = PRIM_QUERY_SRC_MD,
                .scales = MASK_COMMON},
        [WEI] = {.arg = PRIM_ARG_WEIGHTS,
                .name = "weights",
                .log_name = "wei",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .query = PRIM_QUERY_WEIGHTS_MD,
                .scales = MASK_COMMON | MASK_OUTPUTS},
        [BIA] = {.arg = PRIM_ARG_BIAS,
                .name = "bias",
                .log_name = "bia",
                .flags = TENSOR_INPUT | TENSOR_OPTIONAL | TENSOR_MAY_BE_ANY,
                .query = PRIM_QUERY_WEIGHTS_MD,
                .query_index = 1},
        [DST] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .query = PRIM_QUERY_DST_MD,
                .scales = MASK_COMMON},
        {0},
};

static const product_types_t types[] = {
        {INT8_TYPES, INT8_TYPES, false}, {FLOAT_TYPES, FLOAT_TYPES, false}, {0}};

static const repro_word_t repro[] = {
        {.add = prim__repro_dir},
        {.add = prim__repro_type, .text = " --dt=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_type, .text = ":", .arg = PRIM_ARG_WEIGHTS},
        {.add = prim__repro_type, .text = ":", .arg = PRIM_ARG_DST},
        {.add = prim__repro_type, .text = " --bia-dt=", .arg = PRIM_ARG_BIAS},
        {.add = prim__repro_tag, .text = " --stag=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_tag, .text = " --wtag=", .arg = PRIM_ARG_WEIGHTS},
        {.add = prim__repro_tag, .text = " --dtag=", .arg = PRIM_ARG_DST},
        {.is_attr = true},
        {.add = prim__repro_images, .text = " ", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_outputs, .arg = PRIM_ARG_DST},
        {.add = prim__repro_inputs, .arg = PRIM_ARG_SRC},
        {0},
};

extern const impl_t *const *const prim__ip_forward_lists[];

const op_schema_t prim__ip_forward_schema = {
        .kind = PRIM_INNER_PRODUCT,
        .direction = FORWARD,
        .name = "inner product",
        .driver = "ip",
        .sums_products = true,
        .has_prop_kind = true,
        .tensors = tensors,
        .types = types,
        .post_ops = ALLOW_CHAIN,
        .check = check,
        .repro = repro,
        .lists = prim__ip_forward_lists,
};

prim_status_t prim_inner_product_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *wei_md, const prim_memory_desc_t *bias_md,
        const prim_memory_desc_t *dst_md, const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NTENSORS] = {
            [SRC] = src_md, [WEI] = wei_md, [BIA] = bias_md, [DST] = dst_md};
    const op_desc_t op = {.kind = PRIM_INNER_PRODUCT, .prop_kind = prop_kind};
    const request_t request = {.engine = engine, .mds = mds, .attr = attr};
    return prim__op_create(pd, &prim__ip_forward_schema, &op, &request);
}
