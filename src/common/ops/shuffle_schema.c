// SPDX-License-Identifier: Apache-2.0
// The channels of an axis in another order, and back. doc/primitives/shuffle.md has the rules in
// words.
#include "common/data_type.h"
#include "common/verbose_repro_words.h"
#include "schema.h"
#include "schema_create.h"

enum { FROM, TO, NTENSORS };

static prim_status_t check(const shapes_t *shapes)
{
    const shuffle_params_t *const p = &shapes->op->u.shuffle;
    const prim_memory_desc_t *const from = shapes->mds[FROM], *const to = shapes->mds[TO];
    const tensor_rule_t *const rules = shapes->schema->tensors;
    TRY(prim__check_same_dims(shapes, TO, FROM));
    CHECK(p->axis >= 0 && p->axis < from->ndims, "shuffle axis %d is outside 0..%d", p->axis,
            from->ndims - 1);
    CHECK(p->group_size >= 1, "shuffle group size %lld is below 1", (long long)p->group_size);
    CHECK(from->dims[p->axis] % p->group_size == 0,
            "shuffle group size %lld does not divide dimension %d, which is %lld",
            (long long)p->group_size, p->axis, (long long)from->dims[p->axis]);
    if (from->data_type != to->data_type)
        return prim__fail(PRIM_UNIMPLEMENTED, "shuffle %s is %s, %s is %s", rules[FROM].name,
                prim_data_type_name(from->data_type), rules[TO].name,
                prim_data_type_name(to->data_type));
    return PRIM_SUCCESS;
}

static const tensor_rule_t forward_tensors[] = {
        [FROM] = {.arg = PRIM_ARG_SRC,
                .name = "src",
                .flags = TENSOR_INPUT,
                .query = PRIM_QUERY_SRC_MD},
        [TO] = {.arg = PRIM_ARG_DST,
                .name = "dst",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DST_MD},
        {0},
};

static const tensor_rule_t backward_tensors[] = {
        [FROM] = {.arg = PRIM_ARG_DIFF_DST,
                .name = "diff_dst",
                .flags = TENSOR_INPUT,
                .hint = PRIM_ARG_DST,
                .query = PRIM_QUERY_DIFF_DST_MD},
        [TO] = {.arg = PRIM_ARG_DIFF_SRC,
                .name = "diff_src",
                .flags = TENSOR_OUTPUT | TENSOR_MAY_BE_ANY,
                .follows = PRIM_ARG_DIFF_DST,
                .hint = PRIM_ARG_SRC,
                .query = PRIM_QUERY_DIFF_SRC_MD},
        {0},
};

static const param_rule_t params[] = {
        {"axis", PARAM_INT, offsetof(op_desc_t, u.shuffle.axis), PRIM_QUERY_AXIS_S32, true, NULL},
        {"group", PARAM_INT64, offsetof(op_desc_t, u.shuffle.group_size), PRIM_QUERY_GROUP_SIZE_S64,
                true, NULL},
        {0},
};

static void repro_group(text_buffer_t *out, const prim_desc_t *pd, const repro_word_t *word)
{
    prim__text_add(out, "%s%lld", word->text, (long long)pd->op.u.shuffle.group_size);
}

#define REPRO(from)                                                                             \
    {                                                                                           \
        {.add = prim__repro_dir}, {.add = prim__repro_type, .text = " --dt=", .arg = (from)},   \
                {.add = prim__repro_tag, .text = " --tag=", .arg = (from)},                     \
                {.add = repro_group, .text = " --group="},                                      \
                {.add = prim__repro_int,                                                        \
                        .text = " --axis=",                                                     \
                        .offset = offsetof(op_desc_t, u.shuffle.axis)},                         \
                {.is_attr = true}, {.add = prim__repro_shape, .text = " ", .arg = (from)}, {0}, \
    }

static const repro_word_t forward_repro[] = REPRO(PRIM_ARG_SRC);
static const repro_word_t backward_repro[] = REPRO(PRIM_ARG_DIFF_DST);

extern const impl_t *const *const prim__shuffle_forward_lists[];
extern const impl_t *const *const prim__shuffle_backward_lists[];

const op_schema_t prim__shuffle_forward_schema = {
        .kind = PRIM_SHUFFLE,
        .direction = FORWARD,
        .name = "shuffle",
        .driver = "shuffle",
        .has_prop_kind = true,
        .tensors = forward_tensors,
        .params = params,
        .check = check,
        .repro = forward_repro,
        .lists = prim__shuffle_forward_lists,
};

const op_schema_t prim__shuffle_backward_schema = {
        .kind = PRIM_SHUFFLE,
        .direction = BACKWARD,
        .name = "shuffle backward",
        .driver = "shuffle",
        .has_prop_kind = true,
        .tensors = backward_tensors,
        .params = params,
        .check = check,
        .repro = backward_repro,
        .lists = prim__shuffle_backward_lists,
};

static op_desc_t problem(prim_prop_kind_t prop_kind, int axis, prim_dim_t group_size)
{
    op_desc_t op = {.kind = PRIM_SHUFFLE, .prop_kind = prop_kind};
    op.u.shuffle.axis = axis;
    op.u.shuffle.group_size = group_size;
    return op;
}

prim_status_t prim_shuffle_forward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        prim_prop_kind_t prop_kind, const prim_memory_desc_t *src_md,
        const prim_memory_desc_t *dst_md, int axis, prim_dim_t group_size, const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NTENSORS] = {[FROM] = src_md, [TO] = dst_md};
    const op_desc_t op = problem(prop_kind, axis, group_size);
    const request_t request = {.engine = engine, .mds = mds, .attr = attr};
    return prim__op_create(pd, &prim__shuffle_forward_schema, &op, &request);
}

prim_status_t prim_shuffle_backward_desc_create(prim_desc_t **pd, prim_engine_t *engine,
        const prim_memory_desc_t *diff_src_md, const prim_memory_desc_t *diff_dst_md, int axis,
        prim_dim_t group_size, const prim_desc_t *hint_fwd_pd, const prim_attr_t *attr)
{
    const prim_memory_desc_t *const mds[NTENSORS] = {[FROM] = diff_dst_md, [TO] = diff_src_md};
    const op_desc_t op = problem(PRIM_BACKWARD_DATA, axis, group_size);
    const request_t request = {.engine = engine, .mds = mds, .hint = hint_fwd_pd, .attr = attr};
    return prim__op_create(pd, &prim__shuffle_backward_schema, &op, &request);
}
