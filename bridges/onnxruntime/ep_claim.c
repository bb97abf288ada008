// SPDX-License-Identifier: Apache-2.0
// Which nodes the provider takes. A group becomes one node of the runtime's, so no path may leave
// it and come back: a node's stage counts how often its longest way has gone from a node that is
// taken to one that is not, and a group holds connected nodes of one stage.
#include "ep.h"

#include <stdlib.h>
#include <string.h>

/// The state of claiming.
typedef struct {
    const onnx_model_t *model;
    const ort_node_t **nodes;
    bool *is_taken;
    int *stages, *groups; ///< of each node
    int *producers;       ///< of each value, or −1
} claim_t;

static int max_int(int a, int b)
{
    return a > b ? a : b;
}

/// The stage of each node, from those of its producers, which stand before it.
static void find_stages(claim_t *c)
{
    for (int i = 0; i < c->model->nnodes; ++i) {
        const onnx_node_t *const node = &c->model->nodes[i];
        for (int k = 0; k < node->ninputs; ++k) {
            const int from = node->inputs[k] < 0 ? -1 : c->producers[node->inputs[k]];
            if (from < 0) continue;
            const bool leaves = c->is_taken[from] && !c->is_taken[i];
            c->stages[i] = max_int(c->stages[i], c->stages[from] + leaves);
        }
    }
}

static int root(const int *groups, int i)
{
    while (groups[i] != i) i = groups[i];
    return i;
}

/// Joins taken nodes of one stage that share a value.
static void find_groups(claim_t *c)
{
    for (int i = 0; i < c->model->nnodes; ++i) {
        const onnx_node_t *const node = &c->model->nodes[i];
        c->groups[i] = i;
        for (int k = 0; k < node->ninputs && c->is_taken[i]; ++k) {
            const int from = node->inputs[k] < 0 ? -1 : c->producers[node->inputs[k]];
            if (from >= 0 && c->is_taken[from] && c->stages[from] == c->stages[i])
                c->groups[root(c->groups, i)] = root(c->groups, from);
        }
    }
}

/// Claims the group whose root is node `first`.
static ort_status_t *claim_group(
        const claim_t *c, ort_support_t *support, int first, const ort_node_t **members)
{
    const ort_fusion_options_t options = {ORT_VERSION, true};
    size_t n = 0;
    for (int i = 0; i < c->model->nnodes; ++i)
        if (c->is_taken[i] && root(c->groups, i) == first) members[n++] = c->nodes[i];
    return ORT_CALL(ort_ep_api, ORT_EP_CLAIM_NODES, ort_status_t *, ort_support_t *,
            const ort_node_t *const *, size_t,
            const ort_fusion_options_t *)(support, members, n, &options);
}

static ort_status_t *claim_groups(claim_t *c, ort_support_t *support)
{
    const onnx_model_t *const model = c->model;
    for (int v = 0; v < model->nvalues; ++v) c->producers[v] = -1;
    for (int i = 0; i < model->nnodes; ++i) {
        c->is_taken[i] = onnx_find_op(model, &model->nodes[i]) != NULL;
        for (int k = 0; k < model->nodes[i].noutputs; ++k)
            if (model->nodes[i].outputs[k] >= 0) c->producers[model->nodes[i].outputs[k]] = i;
    }
    find_stages(c);
    find_groups(c);
    const ort_node_t **const members = calloc((size_t)model->nnodes + 1, sizeof *members);
    if (!members) return ort_fail(ORT_FAIL, "Prim: no memory for a group of nodes");
    ort_status_t *status = NULL;
    for (int i = 0; i < model->nnodes && !status; ++i)
        if (c->is_taken[i] && root(c->groups, i) == i) status = claim_group(c, support, i, members);
    free(members);
    return status;
}

static ort_status_t *read_nodes(const ort_graph_t *graph, int n, const ort_node_t **nodes)
{
    return ORT_TRY_CALL(ORT_GRAPH_NODES, const ort_graph_t *, const ort_node_t **, size_t)(
            graph, nodes, (size_t)n);
}

ort_status_t *ep_claim(ort_ep_t *self, const ort_graph_t *graph, ort_support_t *support)
{
    // The runtime asks again after it has inlined functions, and then gives groups names that it
    // has given before (1.23), which ends the session.
    if (((ep_t *)self)->has_compiled) return NULL;
    onnx_model_t *model = NULL;
    ort_status_t *status = onnx_model_read(&model, graph, false);
    if (status || model->nnodes == 0) {
        onnx_model_destroy(model);
        return status;
    }
    const size_t n = (size_t)model->nnodes + 1, nvalues = (size_t)model->nvalues + 1;
    claim_t c = {model, calloc(n, sizeof *c.nodes), calloc(n, sizeof *c.is_taken),
            calloc(n, sizeof *c.stages), calloc(n, sizeof *c.groups),
            calloc(nvalues, sizeof *c.producers)};
    if (!c.nodes || !c.is_taken || !c.stages || !c.groups || !c.producers)
        status = ort_fail(ORT_FAIL, "Prim: no memory for the nodes of a graph");
    if (!status) status = read_nodes(graph, model->nnodes, c.nodes);
    if (!status) status = claim_groups(&c, support);
    free(c.nodes);
    free(c.is_taken);
    free(c.stages);
    free(c.groups);
    free(c.producers);
    onnx_model_destroy(model);
    return status;
}
