// SPDX-License-Identifier: Apache-2.0
// Graphs: a tensor times a function of itself is one function: x·sigmoid(x) is swish, and hardswish
// is often written x·clip(x + 3, 0, 6)/6.
#include "graph_internal.h"

#include <math.h>
#include <stdlib.h>

/// The function that x·g(x) is, but for a factor, and the nodes that compute g.
typedef struct {
    prim_alg_kind_t alg;
    float alpha, beta, factor;
    int nodes[2], n;
} gate_t;

/// The node of an element-wise function that only one other reads; GRAPH_NO_NODE: none is there.
static int function_of(const graph_t *graph, const int *uses, graph_value_t value)
{
    const graph_node_value_t *const v = graph__value(graph, value);
    if (uses[value] != 1 || v->is_output || v->producer == GRAPH_NO_NODE) return GRAPH_NO_NODE;
    const graph_node_t *const node = graph__node(graph, v->producer);
    return node->op == GRAPH_ELTWISE && node->npost_ops == 0 ? v->producer : GRAPH_NO_NODE;
}

/// Whether `g` is clip(a·x + b, 0, c), with c > 0.
static bool read_clip(
        const graph_t *graph, const int *uses, int clip, graph_value_t x, gate_t *gate)
{
    const graph_params_t *const bounds = &graph__node(graph, clip)->params;
    const int linear = function_of(graph, uses, graph__node(graph, clip)->inputs[0]);
    if (linear == GRAPH_NO_NODE || bounds->alpha != 0 || !(bounds->beta > 0)) return false;
    const graph_node_t *const node = graph__node(graph, linear);
    if (node->params.alg != PRIM_ELTWISE_LINEAR || node->inputs[0] != x) return false;
    const float c = bounds->beta;
    *gate = (gate_t){PRIM_ELTWISE_HARDSWISH, node->params.alpha / c, node->params.beta / c, c,
            {clip, linear}, 2};
    return true;
}

static bool read_gate(
        const graph_t *graph, const int *uses, graph_value_t g, graph_value_t x, gate_t *gate)
{
    const int function = function_of(graph, uses, g);
    if (function == GRAPH_NO_NODE) return false;
    const graph_node_t *const node = graph__node(graph, function);
    const prim_alg_kind_t alg = node->params.alg;
    if (alg == PRIM_ELTWISE_CLIP || alg == PRIM_ELTWISE_CLIP_V2)
        return read_clip(graph, uses, function, x, gate);
    if (node->inputs[0] != x || (alg != PRIM_ELTWISE_HARDSIGMOID && alg != PRIM_ELTWISE_LOGISTIC))
        return false;
    const bool is_hard = alg == PRIM_ELTWISE_HARDSIGMOID;
    *gate = (gate_t){is_hard ? PRIM_ELTWISE_HARDSWISH : PRIM_ELTWISE_SWISH,
            is_hard ? node->params.alpha : 1, is_hard ? node->params.beta : 0, 1, {function}, 1};
    return true;
}

/// Whether the node divides `value` by `factor`.
static bool divides(
        const graph_t *graph, const graph_node_t *node, graph_value_t value, float factor)
{
    float c = 0;
    const int k = node->op == GRAPH_BINARY && node->inputs[0] == value ? 1 : 0;
    if (node->is_absorbed || node->op != GRAPH_BINARY || node->npost_ops) return false;
    if (node->inputs[1 - k] != value || !graph__read_number(graph, node->inputs[k], &c))
        return false;
    if (!graph__has_shape_of(graph, value, node->output)) return false;
    const bool is_quotient = node->params.alg == PRIM_BINARY_DIV && k == 1;
    if (!is_quotient && node->params.alg != PRIM_BINARY_MUL) return false;
    return fabsf((is_quotient ? c : 1 / c) - factor) <= 1e-6f * factor;
}

/// The node that divides the product by the gate's factor; the product itself if that is 1.
static int last_node(const graph_t *graph, const int *uses, int product, float factor)
{
    const graph_value_t value = graph__node(graph, product)->output;
    if (factor == 1) return product;
    if (uses[value] != 1 || graph__value(graph, value)->is_output) return GRAPH_NO_NODE;
    for (int i = product + 1; i < graph->nodes.n; ++i)
        if (divides(graph, graph__node(graph, i), value, factor)) return i;
    return GRAPH_NO_NODE;
}

static void replace(graph_t *graph, int product, int last, graph_value_t x, const gate_t *gate)
{
    if (last != product) graph__node(graph, product)->is_absorbed = true;
    for (int i = 0; i < gate->n; ++i) graph__node(graph, gate->nodes[i])->is_absorbed = true;
    graph_node_t *const node = graph__node(graph, last);
    node->op = GRAPH_ELTWISE;
    node->params = (graph_params_t){.alg = gate->alg, .alpha = gate->alpha, .beta = gate->beta};
    node->ninputs = 1;
    node->inputs[0] = x;
    graph->stats.nfused += gate->n;
}

bool graph__fuse_gate(graph_t *graph, const int *uses, int consumer)
{
    gate_t gate;
    const graph_node_t *const node = graph__node(graph, consumer);
    if (node->op != GRAPH_BINARY || node->params.alg != PRIM_BINARY_MUL || node->npost_ops)
        return false;
    for (int k = 0; k < 2; ++k) {
        const graph_value_t x = node->inputs[k];
        if (!graph__has_shape_of(graph, x, node->output) ||
                !read_gate(graph, uses, node->inputs[1 - k], x, &gate))
            continue;
        const int last = last_node(graph, uses, consumer, gate.factor);
        if (last == GRAPH_NO_NODE) continue;
        replace(graph, consumer, last, x, &gate);
        return true;
    }
    return false;
}
