// SPDX-License-Identifier: Apache-2.0
// An element-wise operation on two tensors that broadcast, or select, which takes a condition as a
// third. doc/primitives/binary.md has the rules in words.
#include "common/verbose_repro_words.h"
#include "schema.h"
#include "schema_create.h"

enum { SRC0, SRC1, COND, DST, NTENSORS };

static prim_status_t check_condition(const shapes_t *shapes)
{
    const prim_memory_desc_t *const cond = shapes->mds[COND];
    if (!cond) return PRIM_SUCCESS;
    CHECK(cond->data_type == PRIM_S8, "src2, the condition of select, is %s, not s8",
            prim_data_type_name(cond->data_type));
    return prim__check_same_dims(shapes, COND, DST);
}

static prim_status_t check(const shapes_t *shapes)
{
    const prim_memory_desc_t *const src0 = shapes->mds[SRC0], *const src1 = shapes->mds[SRC1];
    const prim_memory_desc_t *const dst = shapes->mds[DST];
    CHECK(src0->ndims == dst->ndims, "src0 has %d dimensions, dst has %d", src0->ndims, dst->ndims);
    CHECK(src1->ndims == dst->ndims, "src1 has %d dimensions, dst has %d", src1->ndims, dst->ndims);
    for (int d = 0; d < dst->ndims; ++d) {
        const prim_dim_t a = src0->dims[d], b = src1->dims[d];
        CHECK(a == b || a == 1 || b == 1,
                "dimension %d of src0 is %lld, of src1 %lld: neither equal nor 1", d, (long long)a,
                (long long)b);
        const prim_dim_t both = a == 1 ? b : a;
        CHECK(dst->dims[d] == both, "dimension %d of dst is %lld, the sources make it %lld", d,
                (long long)dst->dims[d], (long long)both);
    }
    return check_condition(shapes);
}

static const prim_alg_kind_t select_alone[] = {PRIM_BINARY_SELECT, PRIM_ALG_UNDEF};

static const tensor_rule_t tensors[] = {
        [SRC0] = {.arg = PRIM_ARG_SRC_0,
                .name = "src0",
                .flags = TENSOR_INPUT,
                .query = PRIM_QUERY_SRC_MD,
                .scales = MASK_COMMON},
        [SRC1] = {.arg = PRIM_ARG_SRC_1,
                .name = "src1",
                .flags = TENSOR_INPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC_0,
                .query = PRIM_QUERY_SRC_MD,
                .query_index = 1,
                .scales = MASK_COMMON},
        [COND] = {.arg = PRIM_ARG_SRC_2,
                .name = "src2",
                .flags = TENSOR_INPUT,
                .when = {.algs = select_alone},
                .query = PRIM_QUERY_SRC_MD,
                .query_index = 2},
        [DST] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC_0,
                .or_follows = PRIM_ARG_SRC_1,
                .in_place = PRIM_ARG_SRC_0,
                .query = PRIM_QUERY_DST_MD},
        {0},
};

static const prim_alg_kind_t algs[] = {PRIM_BINARY_ADD, PRIM_BINARY_MUL, PRIM_BINARY_MAX,
        PRIM_BINARY_MIN, PRIM_BINARY_DIV, PRIM_BINARY_SUB, PRIM_BINARY_GE, PRIM_BINARY_GT,
        PRIM_BINARY_LE, PRIM_BINARY_LT, PRIM_BINARY_EQ, PRIM_BINARY_NE, PRIM_BINARY_SELECT,
        PRIM_ALG_UNDEF};

static const repro_word_t repro[] = {
        {.add = prim__repro_type, .text = " --sdt=", .arg = PRIM_ARG_SRC_0},
        {.add = prim__repro_type, .text = ":", .arg = PRIM_ARG_SRC_1},
        {.add = prim__repro_type, .text = " --ddt=", .arg = PRIM_ARG_DST},
        {.add = prim__repro_tag, .text = " --stag=", .arg = PRIM_ARG_SRC_0},
        {.add = prim__repro_tag, .text = ":", .arg = PRIM_ARG_SRC_1},
        {.add = prim__repro_tag, .text = " --dtag=", .arg = PRIM_ARG_DST},
        {.add = prim__repro_alg, .text = " --alg="},
        {.is_attr = true},
        {.add = prim__repro_shape, .text = " ", .arg = PRIM_ARG_SRC_0},
        {.add = prim__repro_shape, .text = ":", .arg = PRIM_ARG_SRC_1},
        {0},
};

extern const impl_t *const *const prim__binary_lists[];

const op_schema_t prim__binary_schema = {
        .kind = PRIM_BINARY,
        .direction = FORWARD,
        .name = "binary",
        .driver = "binary",
        .algs = algs,
        .tensors = tensors,
        .post_ops = ALLOW_SUM | ALLOW_ELTWISE | ALLOW_BINARY,
        .check = check,
        .repro = repro,
        .lists = prim__binary_lists,
};

prim_status_t prim_binary_desc_create(prim_desc_t **pd, prim_engine_t *engine, prim_alg_kind_t alg,
        const prim_memory_desc_t *src0_md, const prim_memory_desc_t *src1_md,
        const prim_memory_desc_t *src2_md, const prim_memory_desc_t *dst_md,
        const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NTENSORS] = {
            [SRC0] = src0_md, [SRC1] = src1_md, [COND] = src2_md, [DST] = dst_md};
    const op_desc_t op = {.kind = PRIM_BINARY, .alg_kind = alg};
    const request_t request = {.engine = engine, .mds = mds, .attr = attr};
    return prim__op_create(pd, &prim__binary_schema, &op, &request);
}
