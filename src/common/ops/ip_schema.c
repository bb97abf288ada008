// SPDX-License-Identifier: Apache-2.0
// Inner product: every output is a sum over all channels and positions of an image; its gradients
// are products of matrices, too. doc/primitives/inner_product.md has the rules in words.
#include "common/verbose_repro_words.h"
#include "product_rules.h"
#include "schema_create.h"

enum { SRC, WEI, BIA, DST, NTENSORS };

/// What is multiplied forward or is a gradient of that: places of the rules.
typedef struct {
    int src, wei, bia, dst; ///< bia −1: none
} places_t;

static prim_status_t check_ranks(const shapes_t *shapes, const places_t *at)
{
    const tensor_rule_t *const rules = shapes->schema->tensors;
    const int ndims = shapes->mds[at->src]->ndims;
    const prim_memory_desc_t *const bia = at->bia < 0 ? NULL : shapes->mds[at->bia];
    CHECK(ndims >= 2 && ndims <= 5, "inner product %s has %d dimensions, not 2 to 5",
            rules[at->src].name, ndims);
    CHECK(shapes->mds[at->wei]->ndims == ndims, "inner product %s have %d dimensions, %s has %d",
            rules[at->wei].name, shapes->mds[at->wei]->ndims, rules[at->src].name, ndims);
    CHECK(shapes->mds[at->dst]->ndims == 2, "inner product %s has %d dimensions, not 2",
            rules[at->dst].name, shapes->mds[at->dst]->ndims);
    CHECK(!bia || bia->ndims == 1, "inner product bias has %d dimensions, not 1", bia->ndims);
    return PRIM_SUCCESS;
}

static prim_status_t check_dims(const shapes_t *shapes, const places_t *at)
{
    const tensor_rule_t *const rules = shapes->schema->tensors;
    const prim_memory_desc_t *const src = shapes->mds[at->src], *const wei = shapes->mds[at->wei];
    const prim_memory_desc_t *const dst = shapes->mds[at->dst];
    const prim_memory_desc_t *const bia = at->bia < 0 ? NULL : shapes->mds[at->bia];
    TRY(check_ranks(shapes, at));
    for (int d = 1; d < src->ndims; ++d)
        CHECK(src->dims[d] == wei->dims[d],
                "inner product dimension %d is %lld in %s and %lld in %s", d,
                (long long)src->dims[d], rules[at->src].name, (long long)wei->dims[d],
                rules[at->wei].name);
    CHECK(dst->dims[0] == src->dims[0], "inner product N is %lld in %s and %lld in %s",
            (long long)src->dims[0], rules[at->src].name, (long long)dst->dims[0],
            rules[at->dst].name);
    CHECK(dst->dims[1] == wei->dims[0], "inner product OC is %lld in %s and %lld in %s",
            (long long)wei->dims[0], rules[at->wei].name, (long long)dst->dims[1],
            rules[at->dst].name);
    CHECK(!bia || bia->dims[0] == wei->dims[0], "inner product OC is %lld in %s and %lld in bias",
            (long long)wei->dims[0], rules[at->wei].name, (long long)bia->dims[0]);
    return PRIM_SUCCESS;
}

static prim_status_t check(const shapes_t *shapes)
{
    return check_dims(shapes, &(places_t){SRC, WEI, BIA, DST});
}

static prim_status_t check_backward_data(const shapes_t *shapes)
{
    TRY(check_dims(shapes,
            &(places_t){PRODUCT_DATA_DIFF_SRC, PRODUCT_DATA_WEI, -1, PRODUCT_DATA_DIFF_DST}));
    return prim__product_check_floats(shapes);
}

static prim_status_t check_backward_weights(const shapes_t *shapes)
{
    TRY(check_dims(shapes, &(places_t){PRODUCT_WEIGHTS_SRC, PRODUCT_WEIGHTS_DIFF_WEI,
                                   PRODUCT_WEIGHTS_DIFF_BIA, PRODUCT_WEIGHTS_DIFF_DST}));
    return prim__product_check_floats(shapes);
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
static const product_types_t backward_types[] = {{FLOAT_TYPES, FLOAT_TYPES, false}, {0}};

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
extern const impl_t *const *const prim__ip_backward_data_lists[];
extern const impl_t *const *const prim__ip_backward_weights_lists[];

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

const op_schema_t prim__ip_backward_data_schema = {
        .kind = PRIM_INNER_PRODUCT,
        .direction = BACKWARD,
        .name = "inner product backward data",
        .driver = "ip",
        .has_prop_kind = true,
        .tensors = prim__product_data_tensors,
        .types = backward_types,
        .check = check_backward_data,
        .repro = repro,
        .lists = prim__ip_backward_data_lists,
};

const op_schema_t prim__ip_backward_weights_schema = {
        .kind = PRIM_INNER_PRODUCT,
        .direction = BACKWARD_WEIGHTS,
        .name = "inner product backward weights",
        .driver = "ip",
        .has_prop_kind = true,
        .tensors = prim__product_weights_tensors,
        .types = backward_types,
        .check = check_backward_weights,
        .repro = repro,
        .lists = prim__ip_backward_weights_lists,
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

prim_status_t prim_inner_product_backward_data_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        const prim_memory_desc_t *diff_src_md, const prim_memory_desc_t *wei_md,
        const prim_memory_desc_t *diff_dst_md, const prim_desc_t *hint_fwd_pd,
        const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[PRODUCT_NDATA_TENSORS] = {
            [PRODUCT_DATA_DIFF_DST] = diff_dst_md,
            [PRODUCT_DATA_WEI] = wei_md,
            [PRODUCT_DATA_DIFF_SRC] = diff_src_md};
    const op_desc_t op = {.kind = PRIM_INNER_PRODUCT, .prop_kind = PRIM_BACKWARD_DATA};
    const request_t request = {.engine = engine, .mds = mds, .hint = hint_fwd_pd, .attr = attr};
    return prim__op_create(pd, &prim__ip_backward_data_schema, &op, &request);
}

prim_status_t prim_inner_product_backward_weights_desc_create(prim_desc_t **pd,
        prim_engine_t *engine, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *diff_wei_md, const prim_memory_desc_t *diff_bias_md,
        const prim_memory_desc_t *diff_dst_md, const prim_desc_t *hint_fwd_pd,
        const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[PRODUCT_NWEIGHTS_TENSORS] = {[PRODUCT_WEIGHTS_SRC] = src_md,
            [PRODUCT_WEIGHTS_DIFF_DST] = diff_dst_md,
            [PRODUCT_WEIGHTS_DIFF_WEI] = diff_wei_md,
            [PRODUCT_WEIGHTS_DIFF_BIA] = diff_bias_md};
    const op_desc_t op = {.kind = PRIM_INNER_PRODUCT, .prop_kind = PRIM_BACKWARD_WEIGHTS};
    const request_t request = {.engine = engine, .mds = mds, .hint = hint_fwd_pd, .attr = attr};
    return prim__op_create(pd, &prim__ip_backward_weights_schema, &op, &request);
}
