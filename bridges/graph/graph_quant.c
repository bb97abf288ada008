// SPDX-License-Identifier: Apache-2.0
// Graphs: quantised tensors. Builders make conversions with scales and zero points; fusing turns
// dequantise, convolve, quantise into one primitive of integers.
#include "graph_internal.h"

#include <stdlib.h>
#include <string.h>

/// Adds a scale or zero point of argument `arg` to the node of `output`.
static void add_quant(graph_t *graph, graph_value_t output, graph_quant_t quant)
{
    if (output < 0 || quant.value < 0) return;
    graph_node_t *const node = graph__node(graph, graph__value(graph, output)->producer);
    const graph_node_value_t *const values = graph__value(graph, quant.value);
    if (values->ndims == 1 && values->dims[0] == 1) quant.mask = 0;
    node->quants[node->nquants++] = quant;
    if (!values->is_constant) graph__value(graph, output)->is_constant = false;
}

static bool is_failed(graph_value_t src, graph_value_t scale, graph_value_t zero_point)
{
    return src < 0 || scale == GRAPH_FAILED || zero_point == GRAPH_FAILED;
}

/// Whether the value is a constant of zeros, as symmetric quantisation has them for zero points.
static bool is_zero(const graph_t *graph, graph_value_t value)
{
    const graph_node_value_t *const v = graph__value(graph, value);
    if (!v->data) return false;
    prim_dim_t bytes = (prim_dim_t)prim_data_type_size(v->data_type);
    for (int d = 0; d < v->ndims; ++d) bytes *= v->dims[d];
    for (prim_dim_t i = 0; i < bytes; ++i)
        if (((const char *)v->data)[i]) return false;
    return true;
}

static graph_value_t convert(graph_t *graph, graph_value_t src, prim_data_type_t data_type)
{
    const graph_node_value_t in = *graph__value(graph, src);
    return graph__add_node(graph, GRAPH_CONVERT, 1, &src, NULL, in.ndims, in.dims, data_type);
}

/// The quotient is rounded before the zero point is added, which takes a step of its own.
graph_value_t graph_quantize(graph_t *graph, graph_value_t src, graph_value_t scale,
        graph_value_t zero_point, int axis, prim_data_type_t data_type)
{
    if (is_failed(src, scale, zero_point)) return GRAPH_FAILED;
    if (zero_point >= 0 && is_zero(graph, zero_point)) zero_point = GRAPH_ABSENT;
    const bool has_zero_point = zero_point >= 0;
    graph_value_t y = convert(graph, src, has_zero_point ? PRIM_S32 : data_type);
    add_quant(graph, y, (graph_quant_t){PRIM_ARG_DST, false, 1 << axis, scale});
    if (y < 0 || !has_zero_point) return y;
    y = convert(graph, y, data_type);
    add_quant(graph, y, (graph_quant_t){PRIM_ARG_DST, true, 1 << axis, zero_point});
    return y;
}

graph_value_t graph_dequantize(graph_t *graph, graph_value_t src, graph_value_t scale,
        graph_value_t zero_point, int axis, prim_data_type_t data_type)
{
    if (is_failed(src, scale, zero_point)) return GRAPH_FAILED;
    const graph_value_t y = convert(graph, src, data_type);
    add_quant(graph, y, (graph_quant_t){PRIM_ARG_SRC, false, 1 << axis, scale});
    if (zero_point >= 0 && !is_zero(graph, zero_point))
        add_quant(graph, y, (graph_quant_t){PRIM_ARG_SRC, true, 1 << axis, zero_point});
    return y;
}

/// A dequantised tensor as integers with their scale and zero point.
typedef struct {
    graph_value_t value; ///< of 8 bits, in the shape of the dequantised tensor
    int nquants;
    graph_quant_t quants[2];
} integers_t;

/// What `mask`, of the view's input, is of its result; −1: no mask says it.
static int mask_behind(const graph_t *graph, const graph_node_t *view, int mask)
{
    const graph_node_value_t *const from = graph__value(graph, view->inputs[0]);
    const graph_node_value_t *const to = graph__value(graph, view->output);
    const int more = to->ndims - from->ndims;
    if (mask == 0) return 0;
    if (view->op == GRAPH_TRANSPOSE) {
        for (int d = 0; d < from->ndims; ++d)
            if (mask == 1 << d) return 1 << view->params.order[d];
        return -1;
    }
    if (more < 0) return -1;
    const size_t bytes = (size_t)from->ndims * sizeof *from->dims;
    bool is_prefixed = memcmp(to->dims + more, from->dims, bytes) == 0;
    for (int d = 0; d < more; ++d) is_prefixed = is_prefixed && to->dims[d] == 1;
    if (is_prefixed) return mask << more;
    // Weights of groups: [G·O, …] as [G, O, …].
    const bool is_split = more == 1 && to->dims[0] * to->dims[1] == from->dims[0] &&
                          memcmp(to->dims + 2, from->dims + 1, bytes - sizeof *from->dims) == 0;
    return is_split && mask == 1 ? 3 : -1;
}

/// Finds the integers behind a dequantised tensor, and behind one view of it, that are argument
/// `arg` of a product.
static bool find_integers(const graph_t *graph, graph_value_t value, int arg, integers_t *found,
        const graph_node_t **view)
{
    *view = NULL;
    int producer = value < 0 ? GRAPH_NO_NODE : graph__value(graph, value)->producer;
    if (producer == GRAPH_NO_NODE) return false;
    const graph_node_t *node = graph__node(graph, producer);
    if (node->op == GRAPH_RESHAPE || node->op == GRAPH_TRANSPOSE) {
        *view = node;
        producer = graph__value(graph, node->inputs[0])->producer;
        if (producer == GRAPH_NO_NODE) return false;
        node = graph__node(graph, producer);
    }
    if (node->op != GRAPH_CONVERT || node->npost_ops || graph__is_quantized(node) ||
            !graph__is_byte(graph, node->inputs[0]))
        return false;
    found->value = node->inputs[0];
    found->nquants = node->nquants;
    memcpy(found->quants, node->quants, (size_t)node->nquants * sizeof *node->quants);
    for (int i = 0; i < found->nquants; ++i) {
        found->quants[i].arg = arg;
        if (!*view) continue;
        found->quants[i].mask = mask_behind(graph, *view, found->quants[i].mask);
        if (found->quants[i].mask < 0) return false;
    }
    return true;
}

/// Whether the primitive takes these masks (prim_ops.h): of sources one value; of weights also one
/// for each output channel or column, of a convolution's zero points one.
static bool takes_masks(const graph_t *graph, const graph_node_t *node, const integers_t *operands)
{
    const int ndims = graph_ndims(graph, node->inputs[1]);
    const bool is_grouped = ndims > graph_ndims(graph, node->inputs[0]);
    const int each = node->op == GRAPH_MATMUL ? 1 << (ndims - 1) : is_grouped ? 3 : 1;
    for (int i = 0; i < operands[0].nquants; ++i)
        if (operands[0].quants[i].mask) return false;
    for (int i = 0; i < operands[1].nquants; ++i) {
        const graph_quant_t *const q = &operands[1].quants[i];
        const bool takes_each = !q->is_zero_point || node->op == GRAPH_MATMUL;
        if (q->mask && (q->mask != each || !takes_each)) return false;
    }
    return true;
}

static bool has_scales(const integers_t *operands)
{
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < operands[k].nquants; ++i)
            if (!operands[k].quants[i].is_zero_point) return true;
    return false;
}

/// A descriptor of the node's product of these integers, with a result of floats.
static prim_status_t try_integers(const graph_t *graph, const graph_node_t *node,
        const integers_t *operands, prim_desc_t **pd)
{
    prim_memory_desc_t mds[3], dst_md;
    const prim_memory_desc_t *pointers[3] = {NULL, NULL, NULL};
    prim_attr_t *attr = NULL;
    prim_status_t status = prim_attr_create(&attr);
    for (int k = 0; k < 2 && status == PRIM_SUCCESS; ++k)
        status = graph__set_quants(graph, operands[k].nquants, operands[k].quants, attr);
    for (int k = 0; k < node->ninputs && k < 3 && status == PRIM_SUCCESS; ++k) {
        if (node->inputs[k] < 0) continue;
        status = graph__row_major(graph, &mds[k], node->inputs[k]);
        if (k < 2) mds[k].data_type = graph_data_type(graph, operands[k].value);
        pointers[k] = &mds[k];
    }
    if (status == PRIM_SUCCESS) status = graph__row_major(graph, &dst_md, node->output);
    const graph_problem_t problem = {graph->engine, node, pointers, &dst_md, attr};
    if (status == PRIM_SUCCESS) status = graph__ops[node->op].create(pd, &problem);
    prim_attr_destroy(attr);
    return status;
}

/// On the CPU engine floats are faster than the reference's integers; but only integers are exact,
/// which counts where scales are absent.
static bool wants_integers(
        const graph_t *graph, const graph_node_t *node, const integers_t *operands)
{
    if (!graph->is_cpu || !has_scales(operands)) return true;
    prim_desc_t *pd = NULL;
    const char *name = "ref:";
    if (try_integers(graph, node, operands, &pd) == PRIM_SUCCESS)
        (void)prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name);
    const bool is_native = strncmp(name, "ref:", 4) != 0;
    prim_desc_destroy(pd);
    return is_native;
}

/// The view over the integers.
static graph_value_t viewed(graph_t *graph, graph_value_t value, const graph_node_t *view)
{
    if (!view) return value;
    const graph_params_t params = view->params;
    const graph_node_value_t to = *graph__value(graph, view->output);
    return graph__add_node(
            graph, view->op, 1, &value, &params, to.ndims, to.dims, graph_data_type(graph, value));
}

bool graph__fold_dequantize(graph_t *graph, const int *uses, int consumer)
{
    (void)uses; // the dequantised tensor may have other readers
    integers_t operands[2];
    const graph_node_t *views[2];
    const graph_node_t *const node = graph__node(graph, consumer);
    if ((node->op != GRAPH_CONV && node->op != GRAPH_MATMUL) || node->nquants) return false;
    if (!find_integers(graph, node->inputs[0], PRIM_ARG_SRC, &operands[0], &views[0]) ||
            !find_integers(graph, node->inputs[1], PRIM_ARG_WEIGHTS, &operands[1], &views[1]))
        return false;
    if (!takes_masks(graph, node, operands) || !wants_integers(graph, node, operands)) return false;
    // Adding nodes moves them all.
    const graph_node_t copies[] = {
            views[0] ? *views[0] : (graph_node_t){0}, views[1] ? *views[1] : (graph_node_t){0}};
    for (int k = 0; k < 2; ++k)
        operands[k].value = viewed(graph, operands[k].value, views[k] ? &copies[k] : NULL);
    if (operands[0].value < 0 || operands[1].value < 0) return false; // the sentence is kept
    graph_node_t *const folded = graph__node(graph, consumer);
    for (int k = 0; k < 2; ++k) {
        folded->inputs[k] = operands[k].value;
        for (int i = 0; i < operands[k].nquants; ++i)
            folded->quants[folded->nquants++] = operands[k].quants[i];
    }
    graph->stats.nfused++;
    return true;
}

/// A conversion to integers behind a product of integers.
bool graph__fuse_quantize(graph_t *graph, const int *uses, int consumer)
{
    const graph_node_t node = *graph__node(graph, consumer);
    if (node.op != GRAPH_CONVERT || node.npost_ops) return false;
    const int producer = graph__sole_producer(graph, uses, &node, 0);
    if (producer == GRAPH_NO_NODE) return false;
    const graph_node_t *const from = graph__node(graph, producer);
    const prim_data_type_t type = graph_data_type(graph, node.output);
    if ((from->op != GRAPH_CONV && from->op != GRAPH_MATMUL) ||
            !graph__is_byte(graph, from->inputs[0]) ||
            from->nquants + node.nquants > GRAPH_MAX_QUANTS)
        return false;
    if (type != PRIM_S8 && type != PRIM_U8 && type != PRIM_S32) return false;
    for (int i = 0; i < node.nquants; ++i)
        if (node.quants[i].arg != PRIM_ARG_DST || node.quants[i].mask) return false;
    graph__absorb(graph, producer, consumer, NULL);
    graph_node_t *const fused = graph__node(graph, consumer);
    for (int i = 0; i < node.nquants; ++i) fused->quants[fused->nquants++] = node.quants[i];
    graph->stats.nfused++;
    return true;
}

bool graph__chooses_output(const graph_t *graph, const graph_node_t *node)
{
    return graph->is_cpu && node->op == GRAPH_CONV && graph__is_byte(graph, node->inputs[0]);
}
