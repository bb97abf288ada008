// SPDX-License-Identifier: Apache-2.0
// A weighted sum of tensors of one shape. doc/primitives/sum.md has the rules in words.
#include "common/verbose_repro_words.h"
#include "schema.h"
#include "schema_create.h"

enum { SRC, DST, NTENSORS };

static prim_status_t check(const shapes_t *shapes)
{
    const prim_memory_desc_t *const first = shapes->mds[SRC], *const dst = shapes->mds[DST];
    for (int i = 0; i < shapes->nrepeated; ++i)
        CHECK(prim__md_same_dims(shapes->repeated[i], first),
                "src %d and src 0 of sum differ in shape", i);
    CHECK(!dst || prim__md_same_dims(dst, first), "dst and the sources of sum differ in shape");
    return PRIM_SUCCESS;
}

static prim_status_t derive(prim_memory_desc_t *dst, const shapes_t *shapes)
{
    const prim_memory_desc_t *const first = shapes->mds[SRC];
    if (prim__md_is_zero(dst))
        TRY(prim_memory_desc_init_by_tag(
                dst, first->ndims, first->dims, first->data_type, PRIM_FORMAT_ANY));
    return prim__md_set_like_if_any(dst, first);
}

static const tensor_rule_t tensors[] = {
        [SRC] = {.arg = PRIM_ARG_MULTIPLE_SRC,
                .name = "src",
                .flags = TENSOR_INPUT | TENSOR_REPEATED | TENSOR_IS_FIXED,
                .query = PRIM_QUERY_SRC_MD},
        [DST] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_OUTPUT | TENSOR_OPTIONAL | TENSOR_MAY_BE_ANY | TENSOR_IS_FIXED,
                .follows = PRIM_ARG_MULTIPLE_SRC,
                .in_place = PRIM_ARG_MULTIPLE_SRC,
                .query = PRIM_QUERY_DST_MD},
        {0},
};

static void add_factors(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    bool is_first = true;
    for (int i = 0; i < pd->ntensors; ++i) {
        if (pd->tensors[i].is_output) continue;
        prim__text_add(out, "%s%.9g", is_first ? word->text : ":", (double)pd->tensors[i].scale);
        is_first = false;
    }
}

static const repro_word_t repro[] = {
        {.add = prim__repro_types, .text = " --sdt=", .arg = PRIM_ARG_MULTIPLE_SRC},
        {.add = prim__repro_type, .text = " --ddt=", .arg = PRIM_ARG_DST},
        {.add = prim__repro_tags, .text = " --stag=", .arg = PRIM_ARG_MULTIPLE_SRC},
        {.add = prim__repro_tag, .text = " --dtag=", .arg = PRIM_ARG_DST},
        {.add = add_factors, .text = " --scales="},
        {.is_attr = true},
        {.add = prim__repro_shape, .text = " ", .arg = PRIM_ARG_DST},
        {0},
};

extern const impl_t *const *const prim__sum_lists[];

const op_schema_t prim__sum_schema = {
        .kind = PRIM_SUM,
        .direction = FORWARD,
        .name = "sum",
        .driver = "sum",
        .tensors = tensors,
        .check = check,
        .derive = derive,
        .repro = repro,
        .lists = prim__sum_lists,
};

prim_status_t prim_sum_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        const prim_memory_desc_t *dst_md, int n, const float *scales,
        const prim_memory_desc_t *const *src_mds, const prim_attr_t *attr)
{
    CHECK_NOT_NULL(scales);
    const prim_memory_desc_t *const mds[NTENSORS] = {[DST] = dst_md};
    const op_desc_t op = {.kind = PRIM_SUM};
    const request_t request = {.engine = engine,
            .mds = mds,
            .nrepeated = n,
            .repeated = src_mds,
            .factors = scales,
            .attr = attr};
    return prim__op_create(pd, &prim__sum_schema, &op, &request);
}
