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
        for (int k = 0; k < node->npost_ops; ++k)
            if (node->post_ops[k].kind == PRIM_BINARY) uses[node->post_ops[k].value]++;
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

static bool has_shape_of(const graph_t *graph, graph_value_t a, graph_value_t b)
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

/// Whether the node's primitive may compute `post_op` too.
static bool takes(const graph_node_t *node, const graph_post_op_t *post_op)
{
    if (node->npost_ops == GRAPH_MAX_POST_OPS || graph__is_quantized(node)) return false;
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
    const graph_post_op_t post_op = {PRIM_ELTWISE, p->alg, p->alpha, p->beta, GRAPH_ABSENT};
    if (!takes(graph__node(graph, producer), &post_op)) return false;
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
        if (!has_shape_of(graph, node->inputs[k], node->output)) continue;
        const graph_post_op_t post_op = {PRIM_BINARY, node->params.alg, 0, 0, node->inputs[1 - k]};
        if (!takes(graph__node(graph, producer), &post_op)) continue;
        graph__absorb(graph, producer, consumer, &post_op);
        return true;
    }
    return false;
}

/// `value` [C] as [C, 1, …] or, of grouped weights, [G, C/G, 1, …].
static graph_value_t per_output_channel(
        graph_t *graph, graph_value_t value, graph_value_t wei, bool is_grouped)
{
    const graph_node_value_t w = *graph__value(graph, wei);
    prim_dims_t dims = {0};
    for (int d = 0; d < w.ndims; ++d) dims[d] = d < 1 + is_grouped ? w.dims[d] : 1;
    return graph_reshape(graph, value, w.ndims, dims);
}

/// The factor of each channel: scale/√(variance + epsilon).
static graph_value_t norm_factor(graph_t *graph, const graph_node_t *norm)
{
    graph_value_t factor =
            graph_eltwise(graph, norm->inputs[4], PRIM_ELTWISE_LINEAR, 1, norm->params.alpha);
    factor = graph_eltwise(graph, factor, PRIM_ELTWISE_POW, 1, -0.5f);
    const graph_value_t scale = norm->inputs[1];
    return scale < 0 ? factor : graph_binary(graph, PRIM_BINARY_MUL, factor, scale);
}

/// The bias behind the normalisation: (bia − mean)·factor + shift.
static graph_value_t norm_bias(
        graph_t *graph, const graph_node_t *norm, graph_value_t bia, graph_value_t factor)
{
    const graph_value_t mean = norm->inputs[3], shift = norm->inputs[2];
    graph_value_t sum = bia < 0 ? graph_eltwise(graph, mean, PRIM_ELTWISE_LINEAR, -1, 0)
                                : graph_binary(graph, PRIM_BINARY_SUB, bia, mean);
    sum = graph_binary(graph, PRIM_BINARY_MUL, sum, factor);
    return shift < 0 ? sum : graph_binary(graph, PRIM_BINARY_ADD, sum, shift);
}

/// Batch normalisation with constant statistics after a convolution with constant weights becomes
/// part of these.
static bool fold_norm(graph_t *graph, const int *uses, int consumer)
{
    const graph_node_t norm = *graph__node(graph, consumer);
    if (norm.op != GRAPH_BATCH_NORM) return false;
    const int producer = graph__sole_producer(graph, uses, &norm, 0);
    if (producer == GRAPH_NO_NODE) return false;
    const graph_node_t conv = *graph__node(graph, producer);
    if (conv.op != GRAPH_CONV || conv.npost_ops) return false;
    for (int k = 1; k < 5; ++k)
        if (norm.inputs[k] >= 0 && !graph_is_constant(graph, norm.inputs[k])) return false;
    const graph_value_t wei = conv.inputs[1], bia = conv.inputs[2];
    if (!graph_is_constant(graph, wei) || (bia >= 0 && !graph_is_constant(graph, bia)))
        return false;
    const bool is_grouped = graph_ndims(graph, wei) > graph_ndims(graph, conv.inputs[0]);
    const graph_value_t factor = norm_factor(graph, &norm);
    const graph_value_t new_bia = norm_bias(graph, &norm, bia, factor);
    const graph_value_t new_wei = graph_binary(
            graph, PRIM_BINARY_MUL, wei, per_output_channel(graph, factor, wei, is_grouped));
    if (new_wei < 0 || new_bia < 0) return false; // compiling fails with the sentence
    graph__absorb(graph, producer, consumer, NULL);
    graph__node(graph, consumer)->inputs[1] = new_wei;
    graph__node(graph, consumer)->inputs[2] = new_bia;
    graph->stats.nfused++;
    return true;
}

/// The rules, in the order in which they are tried on a node; folding stands first.
static bool (*const rules[])(graph_t *graph, const int *uses, int consumer) = {
        fold_norm,
        graph__fold_dequantize,
        graph__fuse_quantize,
        fuse_eltwise,
        fuse_binary,
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
    // Folding adds at most 8 values for a node.
    int *const uses = malloc((size_t)(graph->values.n + 8 * graph->nodes.n) * sizeof *uses);
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
