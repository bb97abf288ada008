// SPDX-License-Identifier: Apache-2.0
// Graphs: quantisation outside of products. The CPU engine divides, rounds and adds the zero point
// in one primitive of vectors, behind the arithmetic before it where there is any.
#include "graph_internal.h"

#include <stdlib.h>

/// round(src / scale), halves to even, + zero, in bytes.
typedef struct {
    graph_value_t src, scale;
    int rounding; ///< node that makes integers of 32 bits before the zero point; or GRAPH_NO_NODE
    float zero;
} quantization_t;

/// Whether the node is a conversion with one number for its result, a scale or a zero point.
static bool converts_by(const graph_node_t *node, bool is_zero_point)
{
    const graph_quant_t *const quant = node->quants;
    return node->op == GRAPH_CONVERT && !node->npost_ops && node->nquants == 1 &&
           quant->arg == PRIM_ARG_DST && !quant->mask && quant->is_zero_point == is_zero_point;
}

/// Reads a constant byte that the caller gave.
static bool read_byte(const graph_t *graph, graph_value_t value, float *number)
{
    const graph_node_value_t *const v = graph__value(graph, value);
    if (!v->data || !graph__is_byte(graph, value)) return false;
    *number = v->data_type == PRIM_S8 ? *(const int8_t *)v->data : *(const uint8_t *)v->data;
    return true;
}

static bool read_quantization(
        const graph_t *graph, const int *uses, const graph_node_t *node, quantization_t *q)
{
    const graph_node_t *scaling = node;
    *q = (quantization_t){.rounding = GRAPH_NO_NODE};
    if (!graph__is_byte(graph, node->output)) return false;
    if (converts_by(node, true)) {
        q->rounding = graph__sole_producer(graph, uses, node, 0);
        if (q->rounding == GRAPH_NO_NODE || !read_byte(graph, node->quants[0].value, &q->zero))
            return false;
        scaling = graph__node(graph, q->rounding);
        if (graph_data_type(graph, scaling->output) != PRIM_S32) return false;
    }
    if (!converts_by(scaling, false)) return false;
    q->src = scaling->inputs[0];
    q->scale = scaling->quants[0].value;
    return graph_data_type(graph, q->src) == PRIM_F32 && !graph_is_constant(graph, q->src) &&
           graph_data_type(graph, q->scale) == PRIM_F32;
}

/// The binary operation that alone makes src for the quantisation, and has room for it behind its
/// post-ops; else GRAPH_NO_NODE.
static int arithmetic_before(const graph_t *graph, const int *uses, const graph_node_t *node)
{
    const int producer = graph__sole_producer(graph, uses, node, 0);
    if (producer == GRAPH_NO_NODE) return GRAPH_NO_NODE;
    const graph_node_t *const from = graph__node(graph, producer);
    const bool takes =
            from->op == GRAPH_BINARY && !from->nquants && from->npost_ops + 3 <= GRAPH_MAX_POST_OPS;
    return takes ? producer : GRAPH_NO_NODE;
}

static void append(graph_node_t *node, prim_alg_kind_t alg, float alpha, float beta)
{
    node->post_ops[node->npost_ops++] =
            (graph_post_op_t){.kind = PRIM_ELTWISE, .alg = alg, .alpha = alpha, .beta = beta};
}

/// The consumer becomes src / scale.
static bool make_quotient(graph_t *graph, int consumer, graph_value_t src, graph_value_t scale)
{
    graph_value_t *const inputs = malloc(2 * sizeof *inputs);
    graph_node_t *const node = graph__node(graph, consumer);
    if (!inputs) return graph__fail(graph, "no memory for another node") >= 0;
    inputs[0] = src;
    inputs[1] = scale;
    free(node->inputs);
    *node = (graph_node_t){.op = GRAPH_BINARY,
            .ninputs = 2,
            .inputs = inputs,
            .output = node->output,
            .params = {.alg = PRIM_BINARY_DIV}};
    return true;
}

bool graph__join_quantize(graph_t *graph, const int *uses, int consumer)
{
    quantization_t q;
    if (!graph->is_cpu || !read_quantization(graph, uses, graph__node(graph, consumer), &q))
        return false;
    const bool is_rounded = q.rounding != GRAPH_NO_NODE;
    const int scaling = is_rounded ? q.rounding : consumer;
    const int before = arithmetic_before(graph, uses, graph__node(graph, scaling));
    if (before == GRAPH_NO_NODE && !is_rounded) return false;
    const graph_value_t scale = graph__with_rank(graph, q.scale, graph_ndims(graph, q.src));
    if (scale < 0) return false; // the sentence is kept
    const graph_post_op_t quotient = {.kind = PRIM_BINARY, .alg = PRIM_BINARY_DIV, .value = scale};
    if (before != GRAPH_NO_NODE)
        graph__absorb(graph, before, consumer, &quotient);
    else if (!make_quotient(graph, consumer, q.src, scale))
        return false;
    if (is_rounded) {
        append(graph__node(graph, consumer), PRIM_ELTWISE_ROUND, 0, 0);
        append(graph__node(graph, consumer), PRIM_ELTWISE_LINEAR, 1, q.zero);
        graph__node(graph, q.rounding)->is_absorbed = true;
    }
    graph->stats.nfused++;
    return true;
}

/// The bytes of which `value` is the dequantised tensor, by the scale and zero point of `q`;
/// GRAPH_ABSENT: it is none.
static graph_value_t bytes_of(
        const graph_t *graph, graph_value_t value, const quantization_t *q, prim_data_type_t type)
{
    const int producer = graph__value(graph, value)->producer;
    if (producer == GRAPH_NO_NODE) return GRAPH_ABSENT;
    const graph_node_t *const node = graph__node(graph, producer);
    float wanted = 0, scale = 0, zero = 0;
    if (node->op != GRAPH_CONVERT || node->npost_ops ||
            !graph__read_number(graph, q->scale, &wanted))
        return GRAPH_ABSENT;
    for (int i = 0; i < node->nquants; ++i) {
        const graph_quant_t *const quant = &node->quants[i];
        if (quant->arg != PRIM_ARG_SRC || quant->mask) return GRAPH_ABSENT;
        if (quant->is_zero_point ? !read_byte(graph, quant->value, &zero)
                                 : !graph__read_number(graph, quant->value, &scale))
            return GRAPH_ABSENT;
    }
    const bool is_same =
            scale == wanted && zero == q->zero && graph_data_type(graph, node->inputs[0]) == type;
    return is_same ? node->inputs[0] : GRAPH_ABSENT;
}

/// Whether the results are elements of the inputs, chosen by their order or place.
static bool chooses_elements(const graph_node_t *node)
{
    if (node->npost_ops || node->nquants) return false;
    return node->op == GRAPH_CONCAT ||
           (node->op == GRAPH_POOL && node->params.alg == PRIM_POOLING_MAX);
}

bool graph__keep_bytes(graph_t *graph, const int *uses, int consumer)
{
    quantization_t q;
    const graph_node_t *const node = graph__node(graph, consumer);
    if (!graph->is_cpu || !read_quantization(graph, uses, node, &q)) return false;
    const int scaling = q.rounding == GRAPH_NO_NODE ? consumer : q.rounding;
    const int producer = graph__sole_producer(graph, uses, graph__node(graph, scaling), 0);
    if (producer == GRAPH_NO_NODE) return false;
    const graph_node_t *const choice = graph__node(graph, producer);
    const prim_data_type_t type = graph_data_type(graph, node->output);
    if (!chooses_elements(choice)) return false;
    for (int i = 0; i < choice->ninputs; ++i)
        if (bytes_of(graph, choice->inputs[i], &q, type) < 0) return false;
    for (int i = 0; i < choice->ninputs; ++i)
        choice->inputs[i] = bytes_of(graph, choice->inputs[i], &q, type);
    graph__absorb(graph, producer, consumer, NULL);
    if (q.rounding != GRAPH_NO_NODE) graph__node(graph, q.rounding)->is_absorbed = true;
    graph->stats.nfused++;
    return true;
}
