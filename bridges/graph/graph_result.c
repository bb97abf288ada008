// SPDX-License-Identifier: Apache-2.0
// Graphs: the layout in which the result of a node is asked for.
#include "graph_internal.h"

#define TRY(call)                                    \
    do {                                             \
        const prim_status_t status_ = (call);        \
        if (status_ != PRIM_SUCCESS) return status_; \
    } while (0)

prim_status_t graph__any(const graph_t *graph, prim_memory_desc_t *md, graph_value_t value)
{
    const graph_node_value_t *const v = graph__value(graph, value);
    return prim_memory_desc_init_by_tag(md, v->ndims, v->dims, v->data_type, PRIM_FORMAT_ANY);
}

static bool reads(const graph_node_t *node, graph_value_t value)
{
    if (node->is_absorbed) return false;
    for (int i = 0; i < node->ninputs; ++i)
        if (node->inputs[i] == value) return true;
    for (int i = 0; i < node->npost_ops; ++i) {
        graph_value_t operands[GRAPH_MAX_OPERANDS];
        for (int k = graph__operands(&node->post_ops[i], operands); k-- > 0;)
            if (operands[k] == value) return true;
    }
    for (int i = 0; i < node->nquants; ++i)
        if (node->quants[i].value == value) return true;
    return false;
}

/// The transposition that alone reads the result of a product and leaves its rows whole; NULL:
/// there is none.
static const graph_node_t *transposition_of(const graph_t *graph, const graph_node_t *node)
{
    const graph_node_t *found = NULL;
    if (node->op != GRAPH_MATMUL) return NULL;
    for (int i = 0; i < graph->nodes.n; ++i) {
        const graph_node_t *const other = graph__node(graph, i);
        if (!reads(other, node->output)) continue;
        if (found || other->op != GRAPH_TRANSPOSE) return NULL;
        found = other;
    }
    const int last = graph__value(graph, node->output)->ndims - 1;
    return found && found->params.order[last] == last ? found : NULL;
}

/// The layout that is row-major once the node has transposed it.
static prim_status_t transposed_md(
        const graph_t *graph, const graph_node_t *transposition, prim_memory_desc_t *md)
{
    prim_memory_desc_t plain;
    int back[PRIM_MAX_NDIMS];
    TRY(graph__row_major(graph, &plain, transposition->output));
    for (int d = 0; d < graph__value(graph, transposition->output)->ndims; ++d)
        back[transposition->params.order[d]] = d;
    return prim_memory_desc_permute_axes(md, &plain, back);
}

/// Row-major outputs, conversions as their input lies unless it has holes, products as their
/// transposition is to lie, else what the implementation likes.
prim_status_t graph__result_md(
        const graph_t *graph, const graph_node_t *node, prim_memory_desc_t *md)
{
    const graph_node_value_t *const value = graph__value(graph, node->output);
    if (value->is_output && !graph__chooses_output(graph, node))
        return graph__row_major(graph, md, node->output);
    const graph_node_t *const transposition = transposition_of(graph, node);
    if (transposition) return transposed_md(graph, transposition, md);
    if (node->op != GRAPH_CONVERT) return graph__any(graph, md, node->output);
    TRY(graph__row_major(graph, md, node->output));
    prim_memory_desc_t alike = *graph__md_of(graph, graph__value(graph, node->inputs[0])->tensor);
    alike.data_type = value->data_type;
    if (prim_memory_desc_get_size(&alike) == prim_memory_desc_get_size(md)) *md = alike;
    return PRIM_SUCCESS;
}
