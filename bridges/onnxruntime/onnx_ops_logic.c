// SPDX-License-Identifier: Apache-2.0
// Comparisons and booleans, which are bytes of 0 or 1, and the choice by them.
#include "onnx_ops.h"

#include <string.h>

static const struct {
    const char *op;
    prim_alg_kind_t alg;
    bool is_of_booleans;
} comparisons[] = {
        {"And", PRIM_BINARY_MIN, true},
        {"Equal", PRIM_BINARY_EQ, false},
        {"Greater", PRIM_BINARY_GT, false},
        {"GreaterOrEqual", PRIM_BINARY_GE, false},
        {"Less", PRIM_BINARY_LT, false},
        {"LessOrEqual", PRIM_BINARY_LE, false},
        {"Or", PRIM_BINARY_MAX, true},
        {"Xor", PRIM_BINARY_NE, true},
};

static int find(const onnx_node_t *node)
{
    int k = 0;
    while (strcmp(comparisons[k].op, node->op) != 0) ++k;
    return k;
}

/// Both operands are floats, or both booleans; integers of 32 bits are compared as f32 there.
static bool accepts_comparison(const onnx_model_t *model, const onnx_node_t *node)
{
    const bool is_of_booleans = comparisons[find(node)].is_of_booleans;
    for (int i = 0; i < 2; ++i) {
        const onnx_value_t *const value = onnx_input(model, node, i);
        if (!value || !onnx_is_tensor(value)) return false;
        if (is_of_booleans ? value->element_type != ORT_BOOL : !onnx_is_float(value->element_type))
            return false;
    }
    return true;
}

static void build_comparison(const onnx_builder_t *b)
{
    onnx_set(b, 0,
            graph_compare(b->graph, comparisons[find(b->node)].alg, onnx_in(b, 0), onnx_in(b, 1)));
}

static bool accepts_where(const onnx_model_t *model, const onnx_node_t *node)
{
    const onnx_value_t *const cond = onnx_input(model, node, 0);
    if (cond->element_type != ORT_BOOL) return false;
    for (int i = 1; i < 3; ++i) {
        const onnx_value_t *const value = onnx_input(model, node, i);
        if (!value || value->ndims < 0 || !onnx_is_float(value->element_type)) return false;
    }
    return true;
}

static void build_where(const onnx_builder_t *b)
{
    onnx_set(b, 0, graph_select(b->graph, onnx_in(b, 0), onnx_in(b, 1), onnx_in(b, 2)));
}

const onnx_op_t onnx_logic_ops[] = {
        {"And", accepts_comparison, build_comparison, ONNX_OWN_RULE},
        {"Equal", accepts_comparison, build_comparison, ONNX_OWN_RULE},
        {"Greater", accepts_comparison, build_comparison, ONNX_OWN_RULE},
        {"GreaterOrEqual", accepts_comparison, build_comparison, ONNX_OWN_RULE},
        {"Less", accepts_comparison, build_comparison, ONNX_OWN_RULE},
        {"LessOrEqual", accepts_comparison, build_comparison, ONNX_OWN_RULE},
        {"Or", accepts_comparison, build_comparison, ONNX_OWN_RULE},
        {"Where", accepts_where, build_where, ONNX_OWN_RULE},
        {"Xor", accepts_comparison, build_comparison, ONNX_OWN_RULE},
        {NULL, NULL, NULL, ONNX_FLOATS},
};
