// SPDX-License-Identifier: Apache-2.0
// From the arguments of a <op>_desc_create() to a descriptor: the checks of the schema's
// rules, in their order.
#include "schema_create.h"

#include <stdio.h>
#include <string.h>

#include "common/alloc.h"
#include "common/data_type.h"
#include "common/dispatch.h"
#include "common/post_ops_check.h"
#include "schema.h"
#include "schema_attr.h"

enum { NAME_BYTES = 32, FEW_TENSORS = 4 };

/// A problem on its way. `mds` is what `shapes` points to.
typedef struct {
    const op_schema_t *schema;
    const op_desc_t *op;
    const request_t *request;
    const prim_memory_desc_t *mds[MAX_RULES];
    prim_memory_desc_t channels, derived; ///< of the rules that make their tensors so
    shapes_t shapes;
    bool is_bound_to_hint; ///< takes a tensor that the implementation of the hint made
    depthwise_t depthwise; ///< of a chain with such a step
    prim_attr_t attr;      ///< with the tensor that this step reads
    bool has_depthwise;    ///< both are set, and attr is the draft's own
} draft_t;

static bool is_absent(const prim_memory_desc_t *md)
{
    return !md || prim__md_is_zero(md);
}

/// Forward is also the direction of what has none, so that its prop kinds are named.
static bool has_direction(prim_prop_kind_t prop_kind, direction_t direction)
{
    if (direction != FORWARD) return prim__direction_of(prop_kind) == direction;
    return prop_kind == PRIM_FORWARD_TRAINING || prop_kind == PRIM_FORWARD_INFERENCE;
}

static prim_status_t check_purpose(const op_schema_t *schema, const op_desc_t *op)
{
    static const char *const directions[] = {[FORWARD] = "forward",
            [BACKWARD] = "backward",
            [BACKWARD_WEIGHTS] = "backward weights"};
    CHECK(!schema->has_prop_kind || has_direction(op->prop_kind, schema->direction),
            "%s prop kind %d is not a %s one", schema->name, (int)op->prop_kind,
            directions[schema->direction]);
    CHECK(prim__schema_takes_alg(schema->algs, op->alg_kind), "algorithm %#x is not one of %s",
            (unsigned)op->alg_kind, schema->name);
    return PRIM_SUCCESS;
}

/// One tensor by itself: a good descriptor, and open only where the operation allows.
static prim_status_t check_tensor(const op_schema_t *schema, const tensor_rule_t *rule,
        const prim_memory_desc_t *md, const char *name)
{
    TRY(prim__md_check(md, name));
    CHECK(!prim__md_is_zero(md), "%s %s is absent (0 dimensions)", schema->name, name);
    CHECK(rule->flags & TENSOR_MAY_BE_ANY || !prim__md_is_any(md),
            "%s %s has layout any; it must be known", schema->name, name);
    if (!prim__md_has_runtime(md)) return PRIM_SUCCESS;
    CHECK(!(rule->flags & TENSOR_IS_FIXED), "%s %s has run-time dimensions", schema->name, name);
    if (!schema->takes_runtime)
        return prim__fail(PRIM_UNIMPLEMENTED, "%s takes no run-time dimensions", schema->name);
    CHECK(!prim__md_is_any(md), "%s %s has run-time dimensions and layout any", schema->name, name);
    return PRIM_SUCCESS;
}

static prim_status_t check_repeated(const draft_t *draft, const tensor_rule_t *rule)
{
    const request_t *const request = draft->request;
    CHECK(request->repeated, "%s_mds is NULL", rule->name);
    CHECK(request->nrepeated >= 1 && request->nrepeated <= MAX_REPEATED,
            "%s of %d tensors; 1..%d are possible", draft->schema->name, request->nrepeated,
            MAX_REPEATED);
    for (int i = 0; i < request->nrepeated; ++i) {
        char name[NAME_BYTES];
        CHECK(request->repeated[i], "%s_mds[%d] is NULL", rule->name, i);
        (void)snprintf(name, sizeof name, "%s %d", rule->name, i);
        TRY(check_tensor(draft->schema, rule, request->repeated[i], name));
    }
    return PRIM_SUCCESS;
}

/// What the caller passed for the rule's tensor, or left out.
static prim_status_t take_given(draft_t *draft, int i)
{
    const tensor_rule_t *const rule = &draft->schema->tensors[i];
    const prim_memory_desc_t *const md = draft->request->mds ? draft->request->mds[i] : NULL;
    const char *const op = draft->schema->name;
    if (rule->flags & TENSOR_REPEATED) {
        TRY(check_repeated(draft, rule));
        draft->mds[i] = draft->request->repeated[0];
        return PRIM_SUCCESS;
    }
    if (!prim__rule_applies(rule, draft->op)) {
        CHECK(is_absent(md), "%s takes no %s with %s", op, rule->name,
                prim_alg_kind_name(draft->op->alg_kind));
        return PRIM_SUCCESS;
    }
    if (rule->flags & TENSOR_OPTIONAL && is_absent(md)) return PRIM_SUCCESS;
    CHECK(md, "%s %s_md is NULL", op, rule->name);
    TRY(check_tensor(draft->schema, rule, md, rule->name));
    draft->mds[i] = md;
    return PRIM_SUCCESS;
}

static prim_status_t take_all(draft_t *draft)
{
    const int nrules = prim__schema_nrules(draft->schema);
    for (int i = 0; i < nrules; ++i)
        if (draft->schema->tensors[i].maker == MADE_BY_CALLER) TRY(take_given(draft, i));
    return PRIM_SUCCESS;
}

/// Equal dimensions of two tensors, each with its name.
static prim_status_t check_dims(const char *op, const char *name, const prim_memory_desc_t *md,
        const char *other_name, const prim_memory_desc_t *other)
{
    CHECK(md->ndims == other->ndims, "%s %s has %d dimensions, %s has %d", op, name, md->ndims,
            other_name, other->ndims);
    for (int d = 0; d < md->ndims; ++d)
        CHECK(md->dims[d] == other->dims[d], "%s %s has %lld in dimension %d, %s has %lld", op,
                name, (long long)md->dims[d], d, other_name, (long long)other->dims[d]);
    return PRIM_SUCCESS;
}

/// A hint is the forward pass of this problem, with tensors of its shapes.
static prim_status_t check_hint(const draft_t *draft)
{
    const prim_desc_t *const hint = draft->request->hint;
    const op_schema_t *const schema = draft->schema;
    if (!hint) return PRIM_SUCCESS;
    CHECK(hint->op.kind == schema->kind && prim__direction_of(hint->op.prop_kind) == FORWARD,
            "the hint of %s is not its forward pass but %s %s", schema->name,
            prim_primitive_kind_name(hint->op.kind), prim_prop_kind_name(hint->op.prop_kind));
    for (int i = 0; schema->tensors[i].arg != PRIM_ARG_UNDEF; ++i) {
        const tensor_rule_t *const rule = &schema->tensors[i];
        if (rule->hint == PRIM_ARG_UNDEF || !draft->mds[i]) continue;
        TRY(check_dims(schema->name, rule->name, draft->mds[i], "that of the hint",
                prim__pd_md(hint, rule->hint)));
    }
    return PRIM_SUCCESS;
}

/// Rows of the table of types that name the types of the first two tensors.
static prim_status_t check_types(const draft_t *draft)
{
    const op_schema_t *const schema = draft->schema;
    const prim_attr_t *const attr = draft->request->attr;
    if (!schema->types) return PRIM_SUCCESS;
    const prim_data_type_t src = draft->mds[0]->data_type, wei = draft->mds[1]->data_type;
    const product_types_t *row = schema->types;
    while (row->src != 0 && !(row->src >> src & 1 && row->wei >> wei & 1)) ++row;
    if (row->src == 0)
        return prim__fail(PRIM_UNIMPLEMENTED, "%s does not multiply src %s by weights %s",
                schema->name, prim_data_type_name(src), prim_data_type_name(wei));
    if (row->needs_fpmath && !(attr && attr->fpmath_applies_to_int))
        return prim__fail(PRIM_UNIMPLEMENTED,
                "%s of src %s by weights %s needs an fpmath mode that applies to integers",
                schema->name, prim_data_type_name(src), prim_data_type_name(wei));
    for (int i = 0; schema->tensors[i].arg != PRIM_ARG_UNDEF; ++i)
        if (draft->mds[i] && !prim__dt_is_supported(draft->mds[i]->data_type))
            return prim__fail(PRIM_UNIMPLEMENTED, "%s does not compute with data type %s",
                    schema->name, prim_data_type_name(draft->mds[i]->data_type));
    return PRIM_SUCCESS;
}

static size_t param_bytes(param_type_t type)
{
    switch (type) {
    case PARAM_INT64: return sizeof(int64_t);
    case PARAM_DIMS: return sizeof(prim_dims_t);
    case PARAM_FLOATS: return sizeof(resampling_params_t);
    default: return sizeof(int); // and of float and unsigned
    }
}

/// What a forward pass left in a workspace means something to the gradient of the same problem
/// alone.
static prim_status_t check_params_of_hint(const draft_t *draft)
{
    const op_schema_t *const schema = draft->schema;
    const op_desc_t *const op = draft->op, *const other = &draft->request->hint->op;
    CHECK(op->alg_kind == other->alg_kind, "%s is of %s, its hint of %s", schema->name,
            prim_alg_kind_name(op->alg_kind), prim_alg_kind_name(other->alg_kind));
    for (const param_rule_t *p = schema->params; p && p->name; ++p)
        CHECK(memcmp((const char *)op + p->offset, (const char *)other + p->offset,
                      param_bytes(p->type)) == 0,
                "%s and its hint differ in %s", schema->name, p->name);
    return PRIM_SUCCESS;
}

/// What only the implementation of the forward pass can say: the hint must be given.
static prim_status_t take_of_hint(draft_t *draft, int i)
{
    const op_schema_t *const schema = draft->schema;
    const tensor_rule_t *const rule = &schema->tensors[i];
    const prim_desc_t *const hint = draft->request->hint;
    CHECK(hint, "%s needs its forward pass as a hint, for the %s", schema->name, rule->name);
    CHECK(hint->engine == draft->request->engine, "%s and its hint are of two engines",
            schema->name);
    CHECK(prim__pd_has(hint, rule->hint), "the hint of %s makes no %s (prop kind %s)", schema->name,
            rule->name, prim_prop_kind_name(hint->op.prop_kind));
    TRY(check_params_of_hint(draft));
    draft->mds[i] = prim__pd_md(hint, rule->hint);
    draft->is_bound_to_hint = true;
    return PRIM_SUCCESS;
}

/// The tensor that the depthwise step adds or changes; NULL: none.
static const prim_memory_desc_t *find_fused(const depthwise_t *depthwise, int arg)
{
    switch (arg) {
    case PRIM_ARG_DST: return &depthwise->dst;
    case PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_WEIGHTS: return &depthwise->wei;
    case PRIM_ARG_ATTR_POST_OP_DW | PRIM_ARG_BIAS:
        return is_absent(&depthwise->bia) ? NULL : &depthwise->bia;
    default: return NULL;
    }
}

/// A depthwise convolution in the chain: dst becomes its dst, and the chain remembers what was dst.
static prim_status_t take_depthwise(draft_t *draft)
{
    const op_schema_t *const schema = draft->schema;
    const prim_attr_t *const attr = draft->request->attr;
    const int index = attr && schema->fuse ? prim__post_ops_find_depthwise(&attr->post_ops) : -1;
    if (index < 0) return PRIM_SUCCESS;
    TRY(prim__attr_copy(&draft->attr, attr));
    draft->has_depthwise = true;
    TRY(schema->fuse(&draft->depthwise, &draft->shapes, &attr->post_ops, index));
    for (int i = 0; schema->tensors[i].arg != PRIM_ARG_UNDEF; ++i) {
        const int arg = schema->tensors[i].arg;
        const prim_memory_desc_t *const md = find_fused(&draft->depthwise, arg);
        if (arg == PRIM_ARG_DST) draft->attr.post_ops.entries[index].src1_md = *draft->mds[i];
        if (md) draft->mds[i] = md;
    }
    return PRIM_SUCCESS;
}

/// The tensors that no caller gives: statistics, a second source like the first, a derived output.
static prim_status_t make_tensors(draft_t *draft)
{
    const prim_memory_desc_t *const first = draft->mds[0];
    for (int i = 0; draft->schema->tensors[i].arg != PRIM_ARG_UNDEF; ++i) {
        const tensor_rule_t *const rule = &draft->schema->tensors[i];
        if (!prim__rule_applies(rule, draft->op)) continue;
        if (rule->maker == MADE_LIKE_FIRST) draft->mds[i] = first;
        if (rule->maker == MADE_BY_HINT) TRY(take_of_hint(draft, i));
        if (rule->maker == MADE_PER_CHANNEL) {
            TRY(prim_memory_desc_init_by_tag(
                    &draft->channels, 1, &first->dims[1], PRIM_F32, PRIM_a));
            draft->mds[i] = &draft->channels;
        }
        if (rule->flags & TENSOR_OPTIONAL && draft->schema->derive) {
            draft->derived = draft->mds[i] ? *draft->mds[i] : (prim_memory_desc_t){0};
            TRY(draft->schema->derive(&draft->derived, &draft->shapes));
            draft->mds[i] = &draft->derived;
        }
    }
    return PRIM_SUCCESS;
}

static int count_tensors(const draft_t *draft)
{
    int n = draft->request->nrepeated;
    for (int i = 0; draft->schema->tensors[i].arg != PRIM_ARG_UNDEF; ++i)
        n += draft->mds[i] != NULL;
    return n;
}

/// Lists what is present, in the schema's order; returns how many.
static int list_tensors(tensor_t *tensors, const draft_t *draft)
{
    const request_t *const request = draft->request;
    int n = 0;
    for (int i = 0; draft->schema->tensors[i].arg != PRIM_ARG_UNDEF; ++i) {
        const tensor_rule_t *const rule = &draft->schema->tensors[i];
        if (!draft->mds[i]) continue;
        const bool is_repeated = rule->flags & TENSOR_REPEATED;
        for (int k = 0; k < (is_repeated ? request->nrepeated : 1); ++k) {
            const prim_memory_desc_t *const md = is_repeated ? request->repeated[k] : draft->mds[i];
            tensors[n++] = (tensor_t){
                    .arg = rule->arg + k,
                    .is_output = rule->flags & TENSOR_OUTPUT,
                    .is_on_peer = request->sides && request->sides[i] != request->engine,
                    .scale = is_repeated && request->factors ? request->factors[k] : 0,
                    .md = *md,
            };
        }
    }
    return n;
}

/// Positions that share an element can be read only.
static prim_status_t check_outputs(const draft_t *draft)
{
    const op_schema_t *const schema = draft->schema;
    for (int i = 0; schema->tensors[i].arg != PRIM_ARG_UNDEF; ++i) {
        const prim_memory_desc_t *const md = draft->mds[i];
        if (!md || !(schema->tensors[i].flags & TENSOR_OUTPUT)) continue;
        TRY(prim__md_check_output(md, schema->name, schema->tensors[i].name));
    }
    return PRIM_SUCCESS;
}

static prim_status_t check_all(draft_t *draft)
{
    TRY(take_all(draft));
    TRY(draft->schema->check(&draft->shapes));
    TRY(check_hint(draft));
    TRY(check_types(draft));
    TRY(make_tensors(draft));
    TRY(take_depthwise(draft));
    TRY(check_outputs(draft));
    return prim__schema_check_attr(&draft->shapes, draft->request->attr);
}

/// From a draft without mistakes to the descriptor.
static prim_status_t create_desc(prim_desc_t **pd, const draft_t *draft)
{
    const request_t *const request = draft->request;
    const prim_attr_t *const attr = draft->has_depthwise ? &draft->attr : request->attr;
    const int most = count_tensors(draft);
    tensor_t few[FEW_TENSORS], *many = NULL;
    if (most > FEW_TENSORS) {
        many = prim__calloc((size_t)most * sizeof *many);
        if (!many) return prim__fail_memory((size_t)most * sizeof *many);
    }
    tensor_t *const tensors = many ? many : few;
    const int n = list_tensors(tensors, draft);
    const impl_t *const *const list = prim__schema_list(draft->schema, request->engine->ops->kind);
    const prim_status_t st =
            request->hint ? prim__desc_create_backward(pd, list, request->engine, draft->op,
                                    tensors, n, attr, request->hint, draft->is_bound_to_hint)
                          : prim__desc_create_from(pd, list, request->engine, request->peer,
                                    draft->op, tensors, n, attr);
    prim__free(many);
    return st;
}

prim_status_t prim__op_create(
        prim_desc_t **pd, const op_schema_t *schema, const op_desc_t *op, const request_t *request)
{
    CHECK_NOT_NULL(pd);
    CHECK_NOT_NULL(request->engine);
    draft_t draft; // the descriptors and attributes in it are set where they are made
    draft.schema = schema;
    draft.op = op;
    draft.request = request;
    draft.is_bound_to_hint = draft.has_depthwise = false;
    memset(draft.mds, 0, sizeof draft.mds);
    draft.shapes = (shapes_t){schema, op, draft.mds, request->nrepeated, request->repeated};
    TRY(check_purpose(schema, op));
    prim_status_t st = PRIM_SUCCESS;
    TRY_OR(done, check_all(&draft));
    TRY_OR(done, create_desc(pd, &draft));

done:
    if (draft.has_depthwise) prim__attr_fini(&draft.attr);
    return st;
}

prim_status_t prim__check_same_dims(const shapes_t *shapes, int rule, int other_rule)
{
    const tensor_rule_t *const tensors = shapes->schema->tensors;
    return check_dims(shapes->schema->name, tensors[rule].name, shapes->mds[rule],
            tensors[other_rule].name, shapes->mds[other_rule]);
}
