// SPDX-License-Identifier: Apache-2.0
// Graphs: what constants behind a product do becomes part of its weights and bias.
#include "graph_internal.h"

#include <string.h>

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

/// Batch normalisation with constant statistics behind a convolution with constant weights becomes
/// part of these.
bool graph__fold_norm(graph_t *graph, const int *uses, int consumer)
{
    const graph_node_t norm = *graph__node(graph, consumer);
    if (norm.op != GRAPH_BATCH_NORM) return false;
    const int producer = graph__sole_producer(graph, uses, &norm, 0);
    if (producer == GRAPH_NO_NODE) return false;
    const graph_node_t conv = *graph__node(graph, producer);
    if ((conv.op != GRAPH_CONV && conv.op != GRAPH_DECONV) || conv.npost_ops || conv.nquants)
        return false;
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

/// Whether `value` has one element, or one for each index of dimension `axis` of `like` alone.
static bool is_along(const graph_t *graph, graph_value_t value, graph_value_t like, int axis)
{
    const graph_node_value_t *const v = graph__value(graph, value);
    const graph_node_value_t *const l = graph__value(graph, like);
    if (v->ndims != l->ndims) return false;
    for (int d = 0; d < v->ndims; ++d)
        if (v->dims[d] != 1 && (d != axis || v->dims[d] != l->dims[d])) return false;
    return true;
}

/// The constant as a list: [1] or [size].
static graph_value_t as_list(graph_t *graph, graph_value_t value, int axis)
{
    const prim_dim_t n = graph_dims(graph, value)[axis];
    return graph_reshape(graph, value, 1, &n);
}

/// Bias [size] behind the operation; absent where nothing is added to nothing.
static graph_value_t new_bias(
        graph_t *graph, prim_alg_kind_t alg, graph_value_t bia, graph_value_t list, prim_dim_t size)
{
    if (bia >= 0) return graph_binary(graph, alg, bia, list);
    if (alg == PRIM_BINARY_MUL) return bia;
    if (alg == PRIM_BINARY_SUB) list = graph_eltwise(graph, list, PRIM_ELTWISE_LINEAR, -1, 0);
    return graph_expand(graph, list, 1, &size);
}

/// Weights times the list of factors: of a convolution along its output channels.
static graph_value_t new_weights(graph_t *graph, const graph_node_t *conv, graph_value_t list)
{
    const graph_value_t wei = conv->inputs[1];
    const bool is_grouped = graph_ndims(graph, wei) > graph_ndims(graph, conv->inputs[0]);
    if (graph_dims(graph, list)[0] != 1) list = per_output_channel(graph, list, wei, is_grouped);
    return graph_binary(graph, PRIM_BINARY_MUL, wei, list);
}

/// The number of the input that is a constant along the channels; −1 if none is.
static int constant_operand(const graph_t *graph, const graph_node_t *node)
{
    const prim_alg_kind_t alg = node->params.alg;
    const bool is_mul = alg == PRIM_BINARY_MUL, is_add = alg == PRIM_BINARY_ADD;
    if (node->op != GRAPH_BINARY || node->npost_ops) return -1;
    if (!is_mul && !is_add && alg != PRIM_BINARY_SUB) return -1;
    for (int k = 1; k >= (alg == PRIM_BINARY_SUB ? 1 : 0); --k)
        if (graph_is_constant(graph, node->inputs[k]) &&
                is_along(graph, node->inputs[k], node->output, 1) &&
                graph__has_shape_of(graph, node->inputs[1 - k], node->output))
            return k;
    return -1;
}

static bool is_constant_or_absent(const graph_t *graph, graph_value_t value)
{
    return value < 0 || graph_is_constant(graph, value);
}

/// A constant for each channel, or one for all, that is multiplied, added or subtracted behind a
/// convolution with constant weights.
static bool fold_behind_conv(graph_t *graph, int producer, int consumer, int operand)
{
    const graph_node_t conv = *graph__node(graph, producer), node = *graph__node(graph, consumer);
    if (conv.npost_ops || conv.nquants || !graph_is_constant(graph, conv.inputs[1]) ||
            !is_constant_or_absent(graph, conv.inputs[2]))
        return false;
    const prim_alg_kind_t alg = node.params.alg;
    const graph_value_t list = as_list(graph, node.inputs[operand], 1);
    if (list < 0) return false; // the sentence is kept
    const prim_dim_t channels = graph_dims(graph, node.output)[1];
    const graph_value_t bia = new_bias(graph, alg, conv.inputs[2], list, channels);
    const graph_value_t wei =
            alg == PRIM_BINARY_MUL ? new_weights(graph, &conv, list) : conv.inputs[1];
    if (wei < 0 || bia == GRAPH_FAILED) return false;
    graph__absorb(graph, producer, consumer, NULL);
    graph__node(graph, consumer)->inputs[1] = wei;
    graph__node(graph, consumer)->inputs[2] = bia;
    return true;
}

/// A constant row that is added behind a product becomes its bias.
static bool add_behind_matmul(graph_t *graph, int producer, int consumer)
{
    const graph_node_t product = *graph__node(graph, producer);
    const graph_node_t node = *graph__node(graph, consumer);
    const int last = graph_ndims(graph, node.output) - 1;
    if (product.npost_ops || product.nquants || product.inputs[2] >= 0) return false;
    for (int k = 0; k < 2; ++k) {
        const graph_value_t bia = node.inputs[k];
        if (!graph_is_constant(graph, bia) || !is_along(graph, bia, node.output, last) ||
                !graph__has_shape_of(graph, node.inputs[1 - k], node.output))
            continue;
        graph__absorb(graph, producer, consumer, NULL);
        graph__node(graph, consumer)->inputs[2] = bia;
        return true;
    }
    return false;
}

/// The producer of the input that is no constant.
static int producer_of(const graph_t *graph, const int *uses, const graph_node_t *node)
{
    const int k = graph_is_constant(graph, node->inputs[0]) ? 1 : 0;
    return graph__sole_producer(graph, uses, node, k);
}

bool graph__fold_affine(graph_t *graph, const int *uses, int consumer)
{
    const graph_node_t node = *graph__node(graph, consumer);
    if (node.op != GRAPH_BINARY || node.npost_ops) return false;
    const int producer = producer_of(graph, uses, &node);
    if (producer == GRAPH_NO_NODE) return false;
    const graph_op_t op = graph__node(graph, producer)->op;
    const int operand = constant_operand(graph, &node);
    bool is_folded = false;
    if (op == GRAPH_MATMUL && node.params.alg == PRIM_BINARY_ADD)
        is_folded = add_behind_matmul(graph, producer, consumer);
    if ((op == GRAPH_CONV || op == GRAPH_DECONV) && operand >= 0)
        is_folded = fold_behind_conv(graph, producer, consumer, operand);
    if (is_folded) graph->stats.nfused++;
    return is_folded;
}

bool graph__read_number(const graph_t *graph, graph_value_t value, float *number)
{
    const graph_node_value_t *v = graph__value(graph, value);
    for (int d = 0; d < v->ndims; ++d)
        if (v->dims[d] != 1) return false;
    for (int steps = 0; steps < 2 && !v->data && v->producer != GRAPH_NO_NODE; ++steps) {
        const graph_node_t *const node = graph__node(graph, v->producer);
        if ((node->op != GRAPH_CONVERT && node->op != GRAPH_RESHAPE) || node->nquants) return false;
        v = graph__value(graph, node->inputs[0]);
    }
    if (!v->data || v->data_type != PRIM_F32) return false;
    *number = *(const float *)v->data;
    return true;
}

/// Arithmetic with one number is a linear function, which reads one tensor less.
bool graph__make_linear(graph_t *graph, const int *uses, int consumer)
{
    (void)uses;
    float c = 0;
    graph_node_t *const node = graph__node(graph, consumer);
    if (node->op != GRAPH_BINARY || node->npost_ops || node->nquants) return false;
    const prim_alg_kind_t alg = node->params.alg;
    const int k = graph_is_constant(graph, node->inputs[1]) ? 1 : 0;
    const bool is_reversed = alg == PRIM_BINARY_SUB && k == 0; // c − x
    if (alg != PRIM_BINARY_ADD && alg != PRIM_BINARY_MUL && alg != PRIM_BINARY_SUB) return false;
    if (!graph_is_constant(graph, node->inputs[k]) ||
            graph_is_constant(graph, node->inputs[1 - k]) ||
            !graph__has_shape_of(graph, node->inputs[1 - k], node->output) ||
            !graph__read_number(graph, node->inputs[k], &c))
        return false;
    node->op = GRAPH_ELTWISE;
    node->inputs[0] = node->inputs[1 - k];
    node->ninputs = 1;
    node->params = (graph_params_t){.alg = PRIM_ELTWISE_LINEAR};
    node->params.alpha = alg == PRIM_BINARY_MUL ? c : is_reversed ? -1 : 1;
    node->params.beta = alg == PRIM_BINARY_ADD   ? c
                        : alg == PRIM_BINARY_MUL ? 0
                        : is_reversed            ? c
                                                 : -c;
    return true;
}
