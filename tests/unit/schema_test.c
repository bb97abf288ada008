// SPDX-License-Identifier: Apache-2.0
// The schemas: every operation of the public header has one, each is well-formed, and the walkers
// find every tensor of each.
#include <ctype.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "common/dispatch.h"
#include "common/ops/schema_attr.h"
#include "common/ops/schema_table.h"
#include "common/verbose_repro_words.h"
#include "fake_problem.h"
#include "schema_drafts.h"

enum { NKINDS = PRIM_GROUP_NORMALIZATION + 1 };

/// Ends of creators' names, and the direction that each is of.
static const struct {
    const char *end;
    direction_t direction;
} ends[] = {{"", FORWARD}, {"_forward", FORWARD}, {"_backward", BACKWARD},
        {"_backward_data", BACKWARD}, {"_backward_weights", BACKWARD_WEIGHTS}};

static void passes_have_directions(void **state)
{
    (void)state;
    static const struct {
        prim_prop_kind_t prop_kind;
        direction_t direction;
    } cases[] = {{PRIM_PROP_KIND_UNDEF, FORWARD}, {PRIM_FORWARD_TRAINING, FORWARD},
            {PRIM_FORWARD_INFERENCE, FORWARD}, {PRIM_BACKWARD, BACKWARD},
            {PRIM_BACKWARD_DATA, BACKWARD}, {PRIM_BACKWARD_WEIGHTS, BACKWARD_WEIGHTS},
            {PRIM_BACKWARD_BIAS, BACKWARD_WEIGHTS}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i)
        assert_int_equal(prim__direction_of(cases[i].prop_kind), cases[i].direction);
}

/// The schema that creator `name` ("softmax_forward") of prim_ops.h needs, or NULL.
static const op_schema_t *find_by_creator(const char *name)
{
    for (int kind = 0; kind < NKINDS; ++kind) {
        const char *const op = prim_primitive_kind_name((prim_primitive_kind_t)kind);
        const size_t len = op ? strlen(op) : 0;
        if (len == 0 || strncmp(name, op, len) != 0) continue;
        for (size_t i = 0; i < sizeof ends / sizeof *ends; ++i)
            if (strcmp(name + len, ends[i].end) == 0)
                return prim__op_schema((prim_primitive_kind_t)kind, ends[i].direction);
    }
    return NULL;
}

static void every_creator_of_the_header_has_a_schema(void **state)
{
    (void)state;
    FILE *const file = fopen(PRIM_OPS_HEADER, "r");
    assert_non_null(file);
    char line[256];
    int n = 0;
    while (fgets(line, sizeof line, file)) {
        char *const start = strstr(line, "PRIM_API prim_status_t prim_");
        char *const end = strstr(line, "_desc_create(");
        if (!start || !end) continue;
        *end = '\0';
        const char *const name = start + strlen("PRIM_API prim_status_t prim_");
        const op_schema_t *const schema = find_by_creator(name);
        if (!schema) fail_msg("prim_%s_desc_create() has no schema", name);
        if (!prim__impl_list(PRIM_CPU, schema->kind, schema->direction)[0])
            fail_msg("prim_%s_desc_create() has no implementation on the CPU", name);
        ++n;
    }
    (void)fclose(file);
    assert_true(n >= 13);
}

static void check_rule(const op_schema_t *schema, const tensor_rule_t *rule)
{
    const unsigned roles = rule->flags & (TENSOR_INPUT | TENSOR_OUTPUT);
    if (!rule->name || roles == 0 || roles == (TENSOR_INPUT | TENSOR_OUTPUT))
        fail_msg("%s: argument %d has no name, or no one role", schema->name, rule->arg);
    if (rule->follows != PRIM_ARG_UNDEF && !prim__schema_rule(schema, rule->follows))
        fail_msg("%s: %s follows a tensor that is not there", schema->name, rule->name);
    const op_schema_t *const forward = prim__op_schema(schema->kind, FORWARD);
    if (rule->hint != PRIM_ARG_UNDEF &&
            (schema == forward || !prim__schema_rule(forward, rule->hint)))
        fail_msg("%s: %s is compared with a tensor that no hint has", schema->name, rule->name);
    if (rule->maker == MADE_BY_HINT && rule->hint == PRIM_ARG_UNDEF)
        fail_msg("%s: %s is made by no tensor of the hint", schema->name, rule->name);
    for (const tensor_rule_t *other = schema->tensors; other != rule; ++other) {
        if (other->query == rule->query && other->query_index == rule->query_index)
            fail_msg("%s: %s and %s answer one query", schema->name, other->name, rule->name);
        if (other->arg == rule->arg && (other->flags & roles))
            fail_msg("%s: two rules for argument %d", schema->name, rule->arg);
    }
}

static void every_schema_is_well_formed(void **state)
{
    (void)state;
    int n = 0;
    for (int kind = 0; kind < NKINDS; ++kind) {
        for (int d = 0; d < NDIRECTIONS; ++d) {
            const op_schema_t *const schema =
                    prim__op_schema((prim_primitive_kind_t)kind, (direction_t)d);
            if (!schema) continue;
            assert_int_equal(schema->kind, kind);
            assert_int_equal(schema->direction, d);
            assert_non_null(schema->name);
            assert_non_null(schema->driver);
            assert_non_null(schema->check);
            assert_non_null(schema->repro[0].add);
            assert_true(prim__schema_nrules(schema) <= MAX_RULES);
            for (const tensor_rule_t *rule = schema->tensors; rule->arg != 0; ++rule)
                check_rule(schema, rule);
            ++n;
        }
    }
    assert_true(n >= 13);
    assert_null(prim__op_schema(PRIM_PRIMITIVE_UNDEF, FORWARD));
    assert_null(prim__op_schema((prim_primitive_kind_t)1000, FORWARD));
    assert_null(prim__impl_list(PRIM_CPU, PRIM_SOFTMAX, BACKWARD_WEIGHTS)[0]);
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    (void)pd;
    return PRIM_SUCCESS;
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    (void)primitive;
    (void)ctx;
    return PRIM_SUCCESS;
}

static const impl_t impl = {.name = "t:schema:any",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute};
static const impl_t *const list[] = {&impl, NULL};

static const prim_prop_kind_t prop_kinds[] = {[FORWARD] = PRIM_FORWARD_TRAINING,
        [BACKWARD] = PRIM_BACKWARD,
        [BACKWARD_WEIGHTS] = PRIM_BACKWARD_WEIGHTS};

/// Calls `body` for every schema there is.
static void for_each_schema(
        void (*body)(const op_schema_t *schema, prim_engine_t *engine), prim_engine_t *engine)
{
    for (int kind = 0; kind < NKINDS; ++kind) {
        for (int d = 0; d < NDIRECTIONS; ++d) {
            const op_schema_t *const schema =
                    prim__op_schema((prim_primitive_kind_t)kind, (direction_t)d);
            if (schema) body(schema, engine);
        }
    }
}

/// A problem with one tensor for each rule, of i + 1 elements; two for a repeated one.
static prim_desc_t *create_full(
        const op_schema_t *schema, prim_engine_t *engine, bool (*takes)(const tensor_rule_t *))
{
    tensor_t tensors[MAX_RULES + 1];
    op_desc_t op;
    int n = 0;
    memset(tensors, 0, sizeof tensors);
    memset(&op, 0, sizeof op);
    op.kind = schema->kind;
    op.prop_kind = prop_kinds[schema->direction];
    for (int i = 0; schema->tensors[i].arg != 0; ++i) {
        const tensor_rule_t *const rule = &schema->tensors[i];
        for (int k = 0; takes(rule) && k < (rule->flags & TENSOR_REPEATED ? 2 : 1); ++k) {
            const prim_dims_t dims = {1, 1, 1, i + 1};
            tensors[n].arg = rule->arg + k;
            tensors[n].is_output = rule->flags & TENSOR_OUTPUT;
            assert_int_equal(
                    prim_memory_desc_init_by_tag(&tensors[n++].md, 4, dims, PRIM_F32, PRIM_abcd),
                    0);
        }
    }
    prim_desc_t *pd = NULL;
    assert_int_equal(prim__desc_create_from(&pd, list, engine, NULL, &op, tensors, n, NULL), 0);
    return pd;
}

static bool takes_all(const tensor_rule_t *rule)
{
    (void)rule;
    return true;
}

/// Statistics are either inputs or outputs: an execution has each argument once.
static bool takes_each_once(const tensor_rule_t *rule)
{
    return !(rule->flags & TENSOR_OUTPUT && rule->when.no_flag != 0);
}

static void answers_its_queries(const op_schema_t *schema, prim_engine_t *engine)
{
    prim_desc_t *const pd = create_full(schema, engine, takes_all);
    for (int i = 0; schema->tensors[i].arg != 0; ++i) {
        const tensor_rule_t *const rule = &schema->tensors[i];
        const prim_memory_desc_t *md = prim_desc_query_md(pd, rule->query, rule->query_index);
        if (md->ndims != 4 || md->dims[3] != i + 1)
            fail_msg("%s: another tensor than %s answers", schema->name, rule->name);
        md = prim_desc_query_md(pd, rule->query, rule->query_index + 1);
        if (rule->flags & TENSOR_REPEATED) assert_int_equal(md->dims[3], i + 1);
    }
    assert_int_equal(prim_desc_query_md(pd, PRIM_QUERY_DST_MD, 9)->ndims, 0);
    if (schema->direction == FORWARD)
        assert_int_equal(prim_desc_query_md(pd, PRIM_QUERY_DIFF_DST_MD, 0)->ndims, 0);
    assert_null(prim_desc_query_md(pd, PRIM_QUERY_PROP_KIND, 0));
    prim_desc_destroy(pd);
}

static void every_tensor_answers_its_query(void **state)
{
    for_each_schema(answers_its_queries, *state);
}

/// Executes without argument `i`, and expects its name in the sentence.
static void misses(const prim_t *primitive, prim_stream_t *stream, const prim_desc_t *pd,
        const prim_arg_t *args, int i)
{
    prim_arg_t others[2 * MAX_RULES];
    char wanted[64];
    const op_schema_t *const schema = prim__schema_of(&pd->op);
    const tensor_rule_t *const rule = prim__schema_rule(schema, pd->tensors[i].arg);
    memcpy(others, args, (size_t)pd->ntensors * sizeof *args);
    others[i].arg = PRIM_ARG_MULTIPLE_DST; // what no operation names is ignored
    assert_int_equal(prim_execute(primitive, stream, pd->ntensors, others), PRIM_INVALID_ARGUMENTS);
    if (rule->flags & TENSOR_REPEATED)
        (void)snprintf(wanted, sizeof wanted, "(%s %d) is missing", rule->name,
                pd->tensors[i].arg - rule->arg);
    else
        (void)snprintf(wanted, sizeof wanted, "(%s) is missing", rule->name);
    if (!strstr(prim_last_error(), wanted))
        fail_msg("%s: \"%s\" lacks %s", schema->name, prim_last_error(), wanted);
}

static void names_its_missing_tensors(const op_schema_t *schema, prim_engine_t *engine)
{
    prim_stream_t *stream = NULL;
    assert_int_equal(prim_stream_create(&stream, engine, PRIM_STREAM_DEFAULT), PRIM_SUCCESS);
    prim_desc_t *const pd = create_full(schema, engine, takes_each_once);
    prim_t *primitive = NULL;
    prim_arg_t args[2 * MAX_RULES];
    assert_int_equal(prim_create(&primitive, pd), PRIM_SUCCESS);
    for (int i = 0; i < pd->ntensors; ++i)
        args[i] = (prim_arg_t){pd->tensors[i].arg, fake_memory(&pd->tensors[i].md, engine)};
    assert_int_equal(prim_execute(primitive, stream, pd->ntensors, args), PRIM_SUCCESS);
    for (int i = 0; i < pd->ntensors; ++i) misses(primitive, stream, pd, args, i);
    for (int i = 0; i < pd->ntensors; ++i) prim_memory_destroy(args[i].memory);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
    prim_stream_destroy(stream);
}

static void every_missing_tensor_is_named(void **state)
{
    for_each_schema(names_its_missing_tensors, *state);
    assert_int_equal(prim_set_primitive_cache_capacity(0), PRIM_SUCCESS);
    assert_int_equal(prim_set_primitive_cache_capacity(1024), PRIM_SUCCESS);
}

/// The names of the tensors that a problem with these parameters has: "src dst".
static void names_of(char *text, size_t bytes, const tensor_rule_t *rules, int alg, unsigned flags,
        prim_prop_kind_t prop_kind)
{
    op_desc_t op = {.prop_kind = prop_kind, .alg_kind = (prim_alg_kind_t)alg};
    op.u.norm.flags = flags;
    text[0] = '\0';
    for (; rules->arg != PRIM_ARG_UNDEF; ++rules) {
        const size_t used = strlen(text);
        if (prim__rule_applies(rules, &op))
            (void)snprintf(text + used, bytes - used, "%s%s%s", used ? " " : "", rules->name,
                    rules->flags & TENSOR_OUTPUT ? "'" : "");
    }
}

static void presence_goes_by_flag_algorithm_and_pass(void **state)
{
    (void)state;
    const tensor_rule_t *const bnorm = prim__op_schema(PRIM_BATCH_NORMALIZATION, FORWARD)->tensors;
    const tensor_rule_t *const pool = prim__op_schema(PRIM_POOLING, FORWARD)->tensors;
    const tensor_rule_t *const binary = prim__op_schema(PRIM_BINARY, FORWARD)->tensors;
    const prim_prop_kind_t train = PRIM_FORWARD_TRAINING, infer = PRIM_FORWARD_INFERENCE;
    const struct {
        const tensor_rule_t *rules;
        int alg;
        unsigned flags;
        prim_prop_kind_t prop_kind;
        const char *names; ///< outputs have a '
    } cases[] = {
            {bnorm, 0, 0, train, "src dst' mean' variance'"},
            {bnorm, 0, 0, infer, "src dst'"},
            {bnorm, 0, PRIM_USE_GLOBAL_STATS | PRIM_USE_SHIFT, train,
                    "src mean variance shift dst'"},
            {bnorm, 0, PRIM_FUSE_NORM_ADD_RELU | PRIM_USE_SCALE, train,
                    "src src1 scale dst' mean' variance' workspace'"},
            {bnorm, 0, PRIM_FUSE_NORM_RELU, infer, "src dst'"},
            {pool, PRIM_POOLING_MAX, 0, train, "src dst' workspace'"},
            {pool, PRIM_POOLING_MAX, 0, infer, "src dst'"},
            {pool, PRIM_POOLING_AVG_INCLUDE_PADDING, 0, train, "src dst'"},
            {binary, PRIM_BINARY_SELECT, 0, 0, "src0 src1 src2 dst'"},
            {binary, PRIM_BINARY_NE, 0, 0, "src0 src1 dst'"},
            {draft_rnn, DRAFT_RNN, 0, infer,
                    "src_layer src_iter weights_layer weights_iter bias dst_layer' dst_iter'"},
            {draft_rnn, DRAFT_LSTM, DRAFT_PEEPHOLE, train,
                    "src_layer src_iter src_iter_c weights_layer weights_iter weights_peephole "
                    "bias dst_layer' dst_iter' dst_iter_c' workspace'"},
            {draft_rnn, DRAFT_GRU, DRAFT_PEEPHOLE | DRAFT_PROJECTION, infer,
                    "src_layer src_iter weights_layer weights_iter bias dst_layer' dst_iter'"},
            {draft_rnn, DRAFT_AUGRU, 0, infer,
                    "src_layer src_iter attention weights_layer weights_iter bias dst_layer' "
                    "dst_iter'"},
            {draft_lnorm_backward, 0, PRIM_USE_SCALE | PRIM_USE_SHIFT, PRIM_BACKWARD,
                    "src mean variance scale diff_dst diff_src' diff_scale' diff_shift'"},
            {draft_lnorm_backward, 0, PRIM_USE_SCALE, PRIM_BACKWARD_DATA,
                    "src mean variance scale diff_dst diff_src'"},
            {draft_attention, 0, 0, 0, "queries keys values mask scale dst'"},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        char text[256];
        names_of(text, sizeof text, cases[i].rules, cases[i].alg, cases[i].flags,
                cases[i].prop_kind);
        assert_string_equal(text, cases[i].names);
    }
}

static prim_attr_t *attr;

static void set_scale(int arg, int mask)
{
    assert_int_equal(prim_attr_set_scales(attr, arg, mask, 0, NULL, PRIM_F32), PRIM_SUCCESS);
}

static prim_memory_desc_t make(int ndims, const prim_dims_t dims)
{
    prim_memory_desc_t md;
    assert_int_equal(prim_memory_desc_init_by_strides(&md, ndims, dims, PRIM_F32, NULL), 0);
    return md;
}

/// The status of the attributes for the operation whose tensors are all `md`; "" wants success.
static void judges(prim_primitive_kind_t kind, const prim_memory_desc_t *md, const char *sentence)
{
    const prim_memory_desc_t *const mds[] = {md, md, NULL, md};
    const prim_memory_desc_t *const sources[] = {md, md};
    const op_desc_t op = {.kind = kind};
    const shapes_t shapes = {prim__op_schema(kind, FORWARD), &op, mds, 2, sources};
    const prim_status_t st = prim__schema_check_attr(&shapes, attr);
    if (*sentence == '\0') {
        assert_int_equal(st, PRIM_SUCCESS);
        return;
    }
    assert_string_equal(prim_last_error(), sentence);
    assert_int_equal(st, strstr(sentence, "divide") ? PRIM_INVALID_ARGUMENTS : PRIM_UNIMPLEMENTED);
}

static void attributes_follow_the_rules(void **state)
{
    (void)state;
    const prim_memory_desc_t md = make(3, (prim_dims_t){4, 6, 8});
    const prim_dim_t groups[2] = {3, 8}, too_large[2] = {4, 8};
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    judges(PRIM_SUM, &md, "");
    set_scale(PRIM_ARG_SRC, 0);
    judges(PRIM_SUM, &md, "sum takes no scales");
    judges(PRIM_SOFTMAX, &md, "");
    judges(PRIM_MATMUL, &md, "");
    set_scale(PRIM_ARG_SRC, 2);
    judges(PRIM_SOFTMAX, &md, "softmax: scales of argument 1 cannot have mask 2");
    judges(PRIM_MATMUL, &md, "");
    set_scale(PRIM_ARG_SRC, 8);
    judges(PRIM_MATMUL, &md, "matmul: scales of argument 1 cannot have mask 8");
    set_scale(PRIM_ARG_SRC, 0);
    set_scale(PRIM_ARG_BIAS - 8, 0);
    judges(PRIM_SOFTMAX, &md, "softmax takes no scales for argument 33");
    prim_attr_set_scales(attr, PRIM_ARG_WEIGHTS, 6, 2, groups, PRIM_F32);
    judges(PRIM_MATMUL, &md, "");
    judges(PRIM_INNER_PRODUCT, &md, "inner product: scales of argument 33 take no groups");
    prim_attr_set_scales(attr, PRIM_ARG_WEIGHTS, 6, 2, too_large, PRIM_F32);
    judges(PRIM_MATMUL, &md,
            "matmul scales of argument 33: a group of 4 does not divide dimension 1 of 6");
    set_scale(PRIM_ARG_WEIGHTS, 1);
    judges(PRIM_CONVOLUTION, &md, "");
    set_scale(PRIM_ARG_WEIGHTS, 3); // with groups alone
    judges(PRIM_CONVOLUTION, &md, "convolution: scales of argument 33 cannot have mask 3");
    prim_attr_set_zero_points(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_S32);
    set_scale(PRIM_ARG_WEIGHTS, 1);
    judges(PRIM_INNER_PRODUCT, &md, "inner product takes no zero points");
    prim_attr_destroy(attr);
}

static void repeated_arguments_end(void **state)
{
    (void)state;
    const op_schema_t *const concat = prim__op_schema(PRIM_CONCAT, FORWARD);
    assert_null(prim__schema_rule(concat, PRIM_ARG_MULTIPLE_SRC - 1));
    assert_non_null(prim__schema_rule(concat, PRIM_ARG_MULTIPLE_SRC));
    assert_non_null(prim__schema_rule(concat, PRIM_ARG_MULTIPLE_DST - 1));
    assert_null(prim__schema_rule(concat, PRIM_ARG_MULTIPLE_DST));
}

static void repeated_tensors_have_scales_of_their_own(void **state)
{
    (void)state;
    const prim_memory_desc_t md = make(2, (prim_dims_t){4, 6});
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    set_scale(PRIM_ARG_MULTIPLE_SRC + 1, 0);
    judges(PRIM_CONCAT, &md, "");
    set_scale(PRIM_ARG_MULTIPLE_SRC + 2, 0);
    judges(PRIM_CONCAT, &md, "concat takes no scales for argument 1026");
    prim_attr_destroy(attr);
}

static void post_ops_follow_the_rules(void **state)
{
    (void)state;
    const prim_memory_desc_t md = make(1, (prim_dims_t){3});
    prim_post_ops_t *chain = NULL;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_create(&chain), PRIM_SUCCESS);
    prim_post_ops_append_eltwise(chain, PRIM_ELTWISE_RELU, 0, 0);
    prim_attr_set_post_ops(attr, chain);
    judges(PRIM_BATCH_NORMALIZATION, &md, "");
    judges(PRIM_PRELU, &md, "prelu takes no post-op eltwise (entry 0)");
    prim_post_ops_append_eltwise(chain, PRIM_ELTWISE_TANH, 0, 0);
    prim_attr_set_post_ops(attr, chain);
    judges(PRIM_BATCH_NORMALIZATION, &md,
            "batch normalization takes no eltwise_tanh post-op (entry 1)");
    prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, &md);
    prim_attr_set_post_ops(attr, chain);
    judges(PRIM_POOLING, &md, "");
    prim_post_ops_append_sum(chain, 1, 0, PRIM_DATA_TYPE_UNDEF);
    prim_attr_set_post_ops(attr, chain);
    judges(PRIM_POOLING, &md, "pooling takes no post-op sum (entry 3)");
    judges(PRIM_RESAMPLING, &md, "");
    prim_post_ops_append_prelu(chain, 0);
    prim_attr_set_post_ops(attr, chain);
    judges(PRIM_RESAMPLING, &md, "resampling takes no post-op prelu (entry 4)");
    judges(PRIM_MATMUL, &md, "");
    prim_post_ops_destroy(chain);
    prim_attr_destroy(attr);
}

static int open_engine(void **state)
{
    *state = fake_open_cpu();
    return 0;
}

static int close_engine(void **state)
{
    prim_engine_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(passes_have_directions),
            cmocka_unit_test(every_creator_of_the_header_has_a_schema),
            cmocka_unit_test(every_schema_is_well_formed),
            cmocka_unit_test(every_tensor_answers_its_query),
            cmocka_unit_test(every_missing_tensor_is_named),
            cmocka_unit_test(presence_goes_by_flag_algorithm_and_pass),
            cmocka_unit_test(attributes_follow_the_rules),
            cmocka_unit_test(repeated_arguments_end),
            cmocka_unit_test(repeated_tensors_have_scales_of_their_own),
            cmocka_unit_test(post_ops_follow_the_rules),
    };
    return cmocka_run_group_tests(tests, open_engine, close_engine);
}
