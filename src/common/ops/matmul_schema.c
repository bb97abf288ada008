// SPDX-License-Identifier: Apache-2.0
// Matmul, with broadcast batch dimensions and dimensions that are known at execution only.
// doc/primitives/matmul.md has the rules in words.
#include "common/verbose_repro_words.h"
#include "product_rules.h"
#include "schema_create.h"

enum { SRC, WEI, BIA, DST, NTENSORS };

static prim_status_t check_ranks(const shapes_t *shapes)
{
    const int ndims = shapes->mds[SRC]->ndims;
    const prim_memory_desc_t *const bia = shapes->mds[BIA];
    CHECK(ndims >= 2, "matmul src has %d dimensions, not 2 to %d", ndims, PRIM_MAX_NDIMS);
    CHECK(shapes->mds[WEI]->ndims == ndims, "matmul weights have %d dimensions, src has %d",
            shapes->mds[WEI]->ndims, ndims);
    CHECK(shapes->mds[DST]->ndims == ndims, "matmul dst has %d dimensions, src has %d",
            shapes->mds[DST]->ndims, ndims);
    CHECK(!bia || bia->ndims == ndims, "matmul bias has %d dimensions, dst has %d", bia->ndims,
            ndims);
    return PRIM_SUCCESS;
}

/// What dst has in a batch dimension: -1 when src and weights do not go together.
static prim_dim_t broadcast(prim_dim_t src, prim_dim_t wei)
{
    if (src == PRIM_RUNTIME_DIM_VAL || wei == PRIM_RUNTIME_DIM_VAL) return PRIM_RUNTIME_DIM_VAL;
    if (src == wei || wei == 1) return src;
    return src == 1 ? wei : -1;
}

static prim_status_t check_batch(
        const prim_memory_desc_t *src, const prim_memory_desc_t *wei, const prim_memory_desc_t *dst)
{
    for (int d = 0; d < src->ndims - 2; ++d) {
        const prim_dim_t expected = broadcast(src->dims[d], wei->dims[d]);
        CHECK(expected != -1, "matmul batch dimension %d is %lld in src and %lld in weights", d,
                (long long)src->dims[d], (long long)wei->dims[d]);
        CHECK(dst->dims[d] == expected,
                "matmul batch dimension %d is %lld in dst, where src and weights give %lld", d,
                (long long)dst->dims[d], (long long)expected);
    }
    return PRIM_SUCCESS;
}

/// Also at execution, with the dimensions that were open filled in.
static prim_status_t check(const shapes_t *shapes)
{
    const prim_memory_desc_t *const src = shapes->mds[SRC], *const wei = shapes->mds[WEI];
    const prim_memory_desc_t *const bia = shapes->mds[BIA], *const dst = shapes->mds[DST];
    TRY(check_ranks(shapes));
    const int m = src->ndims - 2, n = src->ndims - 1;
    CHECK(src->dims[n] == wei->dims[m], "matmul K is %lld in src and %lld in weights",
            (long long)src->dims[n], (long long)wei->dims[m]);
    CHECK(dst->dims[m] == src->dims[m], "matmul M is %lld in src and %lld in dst",
            (long long)src->dims[m], (long long)dst->dims[m]);
    CHECK(dst->dims[n] == wei->dims[n], "matmul N is %lld in weights and %lld in dst",
            (long long)wei->dims[n], (long long)dst->dims[n]);
    TRY(check_batch(src, wei, dst));
    for (int d = 0; bia && d <= n; ++d)
        CHECK(bia->dims[d] == 1 || bia->dims[d] == dst->dims[d],
                "matmul bias: dimension %d is %lld where dst has %lld, and not 1", d,
                (long long)bia->dims[d], (long long)dst->dims[d]);
    return PRIM_SUCCESS;
}

static const tensor_rule_t tensors[] = {
        [SRC] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .query = PRIM_QUERY_SRC_MD,
                .scales = MASK_ANY | MASK_GROUPS,
                .zero_points = MASK_ANY | MASK_GROUPS},
        [WEI] = {.arg = PRIM_ARG_WEIGHTS,
                .name = "weights",
                .log_name = "wei",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .query = PRIM_QUERY_WEIGHTS_MD,
                .scales = MASK_ANY | MASK_GROUPS,
                .zero_points = MASK_ANY | MASK_GROUPS},
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
                .scales = MASK_ANY | MASK_GROUPS,
                .zero_points = MASK_ANY | MASK_GROUPS},
        {0},
};

static const product_types_t types[] = {
        {INT8_TYPES, INT8_TYPES, false},
        {FLOAT_TYPES, FLOAT_TYPES, false},
        {FLOAT_TYPES, INT8_TYPES, true},
        {0},
};

static void add_masks(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    const int src_mask = prim__repro_runtime_mask(pd, word->arg);
    const int wei_mask = prim__repro_runtime_mask(pd, PRIM_ARG_WEIGHTS);
    if (src_mask != 0 || wei_mask != 0)
        prim__text_add(out, " --runtime_dims_masks=%d:%d", src_mask, wei_mask);
    if (prim__pd_has(pd, PRIM_ARG_BIAS))
        prim__text_add(out, " --bia_mask=%d",
                prim__repro_broadcast_mask(
                        prim__pd_md(pd, PRIM_ARG_BIAS), prim__pd_md(pd, PRIM_ARG_DST)));
}

static const int strided[] = {PRIM_ARG_SRC, PRIM_ARG_WEIGHTS, PRIM_ARG_DST, PRIM_ARG_UNDEF};

static const repro_word_t repro[] = {
        {.add = prim__repro_type, .text = " --dt=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_type, .text = ":", .arg = PRIM_ARG_WEIGHTS},
        {.add = prim__repro_type, .text = ":", .arg = PRIM_ARG_DST},
        {.add = prim__repro_type, .text = " --bia-dt=", .arg = PRIM_ARG_BIAS},
        {.add = prim__repro_holes, .text = " --stag=", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_holes, .text = " --wtag=", .arg = PRIM_ARG_WEIGHTS},
        {.add = prim__repro_holes, .text = " --dtag=", .arg = PRIM_ARG_DST},
        {.add = prim__repro_strides, .args = strided},
        {.add = add_masks, .arg = PRIM_ARG_SRC},
        {.is_attr = true},
        {.add = prim__repro_shape, .text = " ", .arg = PRIM_ARG_SRC},
        {.add = prim__repro_shape, .text = ":", .arg = PRIM_ARG_WEIGHTS},
        {0},
};

extern const impl_t *const *const prim__matmul_lists[];

const op_schema_t prim__matmul_schema = {
        .kind = PRIM_MATMUL,
        .direction = FORWARD,
        .name = "matmul",
        .driver = "matmul",
        .sums_products = true,
        .takes_runtime = true,
        .outputs_are_last = true,
        .tensors = tensors,
        .types = types,
        .post_ops = ALLOW_CHAIN,
        .check = check,
        .repro = repro,
        .lists = prim__matmul_lists,
};

prim_status_t prim_matmul_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        const prim_memory_desc_t *src_md, const prim_memory_desc_t *wei_md,
        const prim_memory_desc_t *bias_md, const prim_memory_desc_t *dst_md,
        const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NTENSORS] = {
            [SRC] = src_md, [WEI] = wei_md, [BIA] = bias_md, [DST] = dst_md};
    const op_desc_t op = {.kind = PRIM_MATMUL};
    const request_t request = {.engine = engine, .mds = mds, .attr = attr};
    return prim__op_create(pd, &prim__matmul_schema, &op, &request);
}
