// SPDX-License-Identifier: Apache-2.0
// support_page [FILE]: prints doc/support.md from the schemas and from what the implementations
// take, or, given the file, tells whether it is that page.
#include "support_page.h"

#include <stdlib.h>
#include <string.h>

#include "common/ops/schema.h"
#include "common/ops/schema_table.h"
#include "operations.h"

static const char head[] =
        "# Support\n\n"
        "A reference, written by the test program `support_page` from the schemas and lists: do "
        "not "
        "edit. What each operation\n"
        "computes stands on its page ([primitives/](primitives/)), and who computes it in\n"
        "[implementations.md](implementations.md).\n\n"
        "## Tensors\n\n"
        "In parentheses: optional, or present under a flag, an algorithm or in training alone. A "
        "star: the layout may be `any`.\n\n"
        "| pass | tensors | in place | run-time dimensions |\n|---|---|---|---|\n";

static const char attributes[] =
        "\n## Attributes\n\n"
        "Masks of scales and zero points: one value for the tensor, one for each channel "
        "(dimension 1), one for each output\nchannel, any set of dimensions, groups along the "
        "last two.\n\n"
        "| pass | scales | zero points | post-ops |\n|---|---|---|---|\n";

static const char *name_of(const tensor_rule_t *rule)
{
    return prim__rule_log_name(rule);
}

static bool is_conditional(const tensor_rule_t *rule)
{
    const presence_t *const when = &rule->when;
    return rule->flags & TENSOR_OPTIONAL || rule->maker == MADE_BY_POST_OP || when->any_flag != 0 ||
           when->no_flag != 0 || when->algs || when->prop_kind != PRIM_PROP_KIND_UNDEF;
}

static void write_tensor(FILE *out, const tensor_rule_t *rule)
{
    const char *const star = rule->flags & TENSOR_MAY_BE_ANY ? "\\*" : "";
    const char *const more = rule->flags & TENSOR_REPEATED ? " …" : "";
    fprintf(out, is_conditional(rule) ? "(%s%s%s)" : "%s%s%s", name_of(rule), star, more);
}

/// Inputs, an arrow, outputs.
static void write_tensors(FILE *out, const op_schema_t *schema)
{
    const char *separator = " ";
    for (const tensor_rule_t *rule = schema->tensors; rule->arg; ++rule) {
        if (rule->flags & (TENSOR_OUTPUT | TENSOR_OF_NESTED)) continue;
        fprintf(out, "%s", separator);
        write_tensor(out, rule);
        separator = ", ";
    }
    separator = " → ";
    for (const tensor_rule_t *rule = schema->tensors; rule->arg; ++rule) {
        if (!(rule->flags & TENSOR_OUTPUT)) continue;
        fprintf(out, "%s", separator);
        write_tensor(out, rule);
        separator = ", ";
    }
    fprintf(out, " |");
}

static void write_in_place(FILE *out, const op_schema_t *schema)
{
    const char *separator = " ";
    for (const tensor_rule_t *rule = schema->tensors; rule->arg; ++rule) {
        if (!rule->in_place) continue;
        fprintf(out, "%s%s on %s", separator, name_of(rule),
                name_of(prim__schema_rule(schema, rule->in_place)));
        separator = ", ";
    }
    fprintf(out, " |");
}

static void write_masks(FILE *out, const op_schema_t *schema, size_t offset)
{
    static const struct {
        unsigned mask;
        const char *word;
    } words[] = {{MASK_COMMON, "one"}, {MASK_CHANNELS, "channels"}, {MASK_OUTPUTS, "outputs"},
            {MASK_ANY, "any"}, {MASK_GROUPS, "groups"}};
    const char *separator = " ";
    for (const tensor_rule_t *rule = schema->tensors; rule->arg; ++rule) {
        const unsigned masks = *(const unsigned *)(const void *)((const char *)rule + offset);
        if (masks == 0) continue;
        fprintf(out, "%s%s: ", separator, name_of(rule));
        const char *comma = "";
        for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
            if (!(masks & words[i].mask)) continue;
            fprintf(out, "%s%s", comma, words[i].word);
            comma = ", ";
        }
        separator = "; ";
    }
    fprintf(out, " |");
}

static void write_post_ops(FILE *out, const op_schema_t *schema)
{
    static const struct {
        unsigned bit;
        const char *word;
    } words[] = {{ALLOW_SUM, "sum"}, {ALLOW_ELTWISE, "eltwise"}, {ALLOW_BINARY, "binary"},
            {ALLOW_PRELU, "prelu"}, {ALLOW_DEPTHWISE, "depthwise convolution"}};
    const char *separator = " ";
    for (size_t i = 0; i < sizeof words / sizeof *words; ++i) {
        if (!(schema->post_ops & words[i].bit)) continue;
        fprintf(out, "%s%s", separator, words[i].word);
        separator = ", ";
        const prim_alg_kind_t *alg = words[i].bit == ALLOW_ELTWISE ? schema->eltwise_algs : NULL;
        for (; alg && *alg != PRIM_ALG_UNDEF; ++alg)
            fprintf(out, " (%s)", prim_alg_kind_name(*alg));
    }
    fprintf(out, " |\n");
}

static void write_page(FILE *out)
{
#define PASS(kind, direction, stem) {kind, direction},
    static const struct {
        prim_primitive_kind_t kind;
        direction_t direction;
    } passes[] = {FOR_EACH_PASS(PASS)};
    enum { NPASSES = sizeof passes / sizeof *passes };
    fputs(head, out);
    for (int i = 0; i < NPASSES; ++i) {
        const op_schema_t *const schema = prim__op_schema(passes[i].kind, passes[i].direction);
        fprintf(out, "| %s |", schema->name);
        write_tensors(out, schema);
        write_in_place(out, schema);
        fprintf(out, " %s |\n", schema->takes_runtime ? "yes" : "");
    }
    fputs(attributes, out);
    for (int i = 0; i < NPASSES; ++i) {
        const op_schema_t *const schema = prim__op_schema(passes[i].kind, passes[i].direction);
        fprintf(out, "| %s |", schema->name);
        write_masks(out, schema, offsetof(tensor_rule_t, scales));
        write_masks(out, schema, offsetof(tensor_rule_t, zero_points));
        write_post_ops(out, schema);
    }
    support_write_types(out);
}

int main(int argc, char **argv)
{
    static char page[1 << 16], given[1 << 16];
    FILE *const out = tmpfile();
    if (!out) return 2;
    write_page(out);
    rewind(out);
    page[fread(page, 1, sizeof page - 1, out)] = 0;
    fclose(out);
    if (argc < 2) {
        fputs(page, stdout);
        return 0;
    }
    FILE *const file = fopen(argv[1], "r");
    if (!file) return 2;
    given[fread(given, 1, sizeof given - 1, file)] = 0;
    fclose(file);
    if (strcmp(page, given) == 0) return 0;
    printf("%s is not up to date: build/release/tests/hygiene/support_page > doc/support.md\n",
            argv[1]);
    return 1;
}
