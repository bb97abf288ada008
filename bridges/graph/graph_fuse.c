// SPDX-License-Identifier: Apache-2.0
// Graphs: which nodes one primitive computes together. A merged node stands where the later one
// stood, so that its other operands are computed by then.
#include "graph_internal.h"

#include <stdlib.h>
#include <string.h>

void graph__count_uses(const graph_t *graph, int *uses)
{
    memset(uses, 0, (size_t)graph->values.n * sizeof *uses);
    for (int i = 0; i < graph->nodes.n; ++i) {
        const graph_node_t *const node = graph__node(graph, i);
        if (node->is_absorbed) continue;
        for (int k = 0; k < node->ninputs; ++k)
            if (node->inputs[k] >= 0) uses[node->inputs[k]]++;
        for (int k = 0; k < node->npost_ops; ++k) {
            graph_value_t operands[GRAPH_MAX_OPERANDS];
            const int n = graph__operands(&node->post_ops[k], operands);
            for (int at = 0; at < n; ++at) uses[operands[at]]++;
        }
        for (int k = 0; k < node->nquants; ++k) uses[node->quants[k].value]++;
    }
}

/// Nodes whose results nobody reads, the last first.
static void drop_unused(graph_t *graph, int *uses)
{
    for (int i = graph->nodes.n - 1; i >= 0; --i) {
        graph_node_t *const node = graph__node(graph, i);
        if (node->is_absorbed || uses[node->output] || graph__value(graph, node->output)->is_output)
            continue;
        node->is_absorbed = true;
        for (int k = 0; k < node->ninputs; ++k)
            if (node->inputs[k] >= 0) uses[node->inputs[k]]--;
        for (int k = 0; k < node->nquants; ++k) uses[node->quants[k].value]--;
    }
}

int graph__sole_producer(const graph_t *graph, const int *uses, const graph_node_t *node, int k)
{
    const graph_value_t value = node->inputs[k];
    if (value < 0 || uses[value] != 1) return GRAPH_NO_NODE;
    const graph_node_value_t *const from = graph__value(graph, value);
    if (from->producer == GRAPH_NO_NODE || from->is_output || from->is_constant)
        return GRAPH_NO_NODE;
    return from->producer;
}

bool graph__has_shape_of(const graph_t *graph, graph_value_t a, graph_value_t b)
{
    const graph_node_value_t *const x = graph__value(graph, a), *const y = graph__value(graph, b);
    return x->ndims == y->ndims && !memcmp(x->dims, y->dims, (size_t)x->ndims * sizeof *x->dims);
}

void graph__absorb(graph_t *graph, int producer, int consumer, const graph_post_op_t *post_op)
{
    graph_node_t *const from = graph__node(graph, producer);
    graph_node_t *const to = graph__node(graph, consumer);
    const graph_value_t output = to->output;
    free(to->inputs);
    *to = *from;
    to->output = output;
    if (post_op) to->post_ops[to->npost_ops++] = *post_op;
    from->inputs = NULL;
    from->ninputs = 0;
    from->is_absorbed = true;
}

/// Whether the CPU engine's products compute the function in vectors; they take the others element
/// by element, where a step of its own is vectorised.
static bool is_simple(const graph_post_op_t *post_op)
{
    static const prim_alg_kind_t simple[] = {PRIM_ELTWISE_RELU, PRIM_ELTWISE_CLIP,
            PRIM_ELTWISE_CLIP_V2, PRIM_ELTWISE_LINEAR, PRIM_ELTWISE_HARDSIGMOID,
            PRIM_ELTWISE_HARDSWISH, PRIM_ELTWISE_SQUARE};
    for (size_t i = 0; i < sizeof simple / sizeof *simple; ++i)
        if (post_op->kind == PRIM_ELTWISE && post_op->alg == simple[i]) return true;
    return false;
}

/// A tensor of the result's shape and type that is added first: on the CPU engine the sums take it
/// in on their way to dst.
static bool is_residual(
        const graph_t *graph, const graph_node_t *node, const graph_post_op_t *post_op)
{
    return post_op->kind == PRIM_BINARY && post_op->alg == PRIM_BINARY_ADD &&
           node->npost_ops == 0 && graph__has_shape_of(graph, post_op->value, node->output) &&
           graph__value(graph, post_op->value)->data_type ==
                   graph__value(graph, node->output)->data_type;
}

/// What the CPU engine computes faster in one primitive than in two.
static bool pays_on_cpu(
        const graph_t *graph, const graph_node_t *node, const graph_post_op_t *post_op)
{
    switch (node->op) {
    case GRAPH_CONV:
    case GRAPH_MATMUL: return is_simple(post_op) || is_residual(graph, node, post_op);
    case GRAPH_DECONV:
    case GRAPH_INNER_PRODUCT: return is_simple(post_op);
    case GRAPH_BINARY:
        return is_simple(post_op) || (post_op->kind == PRIM_BINARY && node->npost_ops < 4);
    default: return true;
    }
}

/// Whether the node's primitive may compute `post_op` too.
static bool takes(const graph_t *graph, const graph_node_t *node, const graph_post_op_t *post_op)
{
    if (node->npost_ops == GRAPH_MAX_POST_OPS || graph__is_quantized(node)) return false;
    if (graph__is_byte(graph, node->output)) return false; // rounded and saturated before
    if (graph->is_cpu && !pays_on_cpu(graph, node, post_op)) return false;
    switch (graph__ops[node->op].post_ops) {
    case POST_OPS_ALL: return true;
    case POST_OPS_BINARY: return post_op->kind == PRIM_BINARY;
    case POST_OPS_RELU:
        return node->npost_ops == 0 && post_op->alg == PRIM_ELTWISE_RELU && post_op->alpha == 0;
    default: return false;
    }
}

static bool fuse_eltwise(graph_t *graph, const int *uses, int consumer)
{
    const graph_node_t *const node = graph__node(graph, consumer);
    const int producer = graph__sole_producer(graph, uses, node, 0);
    if (node->op != GRAPH_ELTWISE || node->npost_ops || producer == GRAPH_NO_NODE) return false;
    const graph_params_t *const p = &node->params;
    const graph_post_op_t post_op = {
            .kind = PRIM_ELTWISE, .alg = p->alg, .alpha = p->alpha, .beta = p->beta};
    if (!takes(graph, graph__node(graph, producer), &post_op)) return false;
    graph__absorb(graph, producer, consumer, &post_op);
    return true;
}

/// Whether a chain may compute op(x, y) as op(y, x).
static bool is_commutative(prim_alg_kind_t alg)
{
    return alg == PRIM_BINARY_ADD || alg == PRIM_BINARY_MUL || alg == PRIM_BINARY_MAX ||
           alg == PRIM_BINARY_MIN;
}

static bool fuse_binary(graph_t *graph, const int *uses, int consumer)
{
    const graph_node_t *const node = graph__node(graph, consumer);
    if (node->op != GRAPH_BINARY || node->npost_ops) return false;
    for (int k = 0; k < (is_commutative(node->params.alg) ? 2 : 1); ++k) {
        const int producer = graph__sole_producer(graph, uses, node, k);
        if (producer == GRAPH_NO_NODE) continue;
        if (!graph__has_shape_of(graph, node->inputs[k], node->output)) continue;
        const graph_post_op_t post_op = {
                .kind = PRIM_BINARY, .alg = node->params.alg, .value = node->inputs[1 - k]};
        if (!takes(graph, graph__node(graph, producer), &post_op)) continue;
        graph__absorb(graph, producer, consumer, &post_op);
        return true;
    }
    return false;
}

/// What an expansion repeats: the operands of post-ops are repeated anyhow.
static graph_value_t unexpanded(const graph_t *graph, graph_value_t value)
{
    const int producer = graph__value(graph, value)->producer;
    if (producer == GRAPH_NO_NODE) return value;
    const graph_node_t *const node = graph__node(graph, producer);
    const bool is = node->is_expansion && node->op == GRAPH_BINARY && !node->npost_ops &&
                    !node->nquants && !graph__value(graph, value)->is_output;
    return is ? node->inputs[0] : value;
}

/// The test for equality whose result nothing but this condition is, or NULL.
static graph_node_t *sole_equality(graph_t *graph, const int *uses, graph_value_t condition)
{
    const graph_value_t value = unexpanded(graph, condition);
    const graph_node_value_t *const v = graph__value(graph, value);
    if (v->producer == GRAPH_NO_NODE || v->is_output || v->is_constant) return NULL;
    if (uses[value] != 1 || uses[condition] != 1) return NULL;
    graph_node_t *const node = graph__node(graph, v->producer);
    const prim_alg_kind_t alg = node->params.alg;
    const bool is = node->op == GRAPH_BINARY && !node->npost_ops && !node->nquants &&
                    (alg == PRIM_BINARY_EQ || alg == PRIM_BINARY_NE);
    return is ? node : NULL;
}

/// A condition that holds where the given one does not, without a step more: of a constant it is
/// computed once, and a test for equality becomes its opposite. GRAPH_FAILED: others would take a
/// step of their own. (`<` is no opposite of `>=`, as neither holds beside a NaN.)
static graph_value_t negated(graph_t *graph, const int *uses, graph_value_t condition)
{
    const graph_value_t value = unexpanded(graph, condition);
    if (graph_is_constant(graph, value)) {
        const prim_dim_t one = 1;
        const int8_t zero = 0;
        return graph_compare(
                graph, PRIM_BINARY_EQ, value, graph_constant(graph, 1, &one, PRIM_S8, &zero));
    }
    graph_node_t *const equality = sole_equality(graph, uses, condition);
    if (!equality) return GRAPH_FAILED;
    equality->params.alg = equality->params.alg == PRIM_BINARY_EQ ? PRIM_BINARY_NE : PRIM_BINARY_EQ;
    return value;
}

/// What computes a source may compute the selection, too. A step among the post-ops keeps its own
/// value where the condition holds, so the other source needs the opposite condition.
static bool fuse_select(graph_t *graph, const int *uses, int consumer)
{
    const graph_node_t node = *graph__node(graph, consumer); // new constants move it
    if (node.op != GRAPH_SELECT || node.npost_ops) return false;
    // What is only repeated stays an operand, where the other source is computed.
    const int first = unexpanded(graph, node.inputs[0]) != node.inputs[0];
    for (int i = 0; i < 2; ++i) {
        const int k = i ^ first, producer = graph__sole_producer(graph, uses, &node, k);
        if (producer == GRAPH_NO_NODE) continue;
        graph_post_op_t post_op = {.kind = PRIM_BINARY,
                .alg = PRIM_BINARY_SELECT,
                .value = unexpanded(graph, node.inputs[1 - k]),
                .condition = unexpanded(graph, node.inputs[2])};
        if (!takes(graph, graph__node(graph, producer), &post_op)) continue;
        if (k == 1) post_op.condition = negated(graph, uses, node.inputs[2]);
        if (post_op.condition < 0) continue;
        graph__absorb(graph, producer, consumer, &post_op);
        return true;
    }
    return false;
}

/// The rules, in the order in which they are tried on a node; folding stands first.
static bool (*const rules[])(graph_t *graph, const int *uses, int consumer) = {
        graph__fold_norm,
        graph__fold_affine,
        graph__fold_dequantize,
        graph__fuse_quantize,
        graph__keep_bytes,
        graph__join_quantize,
        graph__make_linear,
        graph__fuse_gate,
        fuse_eltwise,
        fuse_binary,
        fuse_select,
};

/// Applies the first rule that fits the node, of those from `first` on; false if none does.
static bool fuse_node(graph_t *graph, const int *uses, int node, size_t first)
{
    if (graph__node(graph, node)->is_absorbed) return false;
    for (size_t r = first; r < sizeof rules / sizeof *rules; ++r)
        if (rules[r](graph, uses, node)) return true;
    return false;
}

prim_status_t graph__fuse(graph_t *graph, unsigned flags)
{
    const size_t first = flags & GRAPH_KEEP_NORMS ? 1 : 0;
    // Folding adds at most 16 values for a node.
    int *const uses = malloc((size_t)(graph->values.n + 16 * graph->nodes.n) * sizeof *uses);
    if (!uses) return PRIM_OUT_OF_MEMORY;
    graph__count_uses(graph, uses);
    drop_unused(graph, uses);
    const int nnodes = graph->nodes.n;
    for (int i = 0; i < nnodes; ++i)
        while (fuse_node(graph, uses, i, first)) graph__count_uses(graph, uses);
    drop_unused(graph, uses);
    free(uses);
    return graph->error[0] ? PRIM_INVALID_ARGUMENTS : PRIM_SUCCESS;
}
