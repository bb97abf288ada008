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
    const ort_node_t **nodes, **members; ///< the latter of the group at hand
    bool *is_taken, *is_member, *is_claimed;
    int *stages, *groups; ///< of each node
    int *producers;       ///< of each value, or −1
    int *marks;           ///< room for one of each node
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

/// Tells what the group of `n` nodes costs, and whether it is taken.
static void log_estimate(
        const ep_t *ep, const onnx_node_t *first, size_t n, const ep_estimate_t *e, bool is_claimed)
{
    const char *const what = is_claimed ? "is taken" : "is left to the host";
    if (!e->is_known)
        ort_log(ep->logger, ORT_LOG_INFO,
                "Prim: a group of %zu nodes from %s on %s: its shapes are not known yet", n,
                first->op, what);
    else
        ort_log(ep->logger, ORT_LOG_INFO,
                "Prim: a group of %zu nodes from %s on %s: an estimated %.0f us here and %.0f us "
                "for moving %.0f bytes, %.0f us on the host%s",
                n, first->op, what, e->engine_us, e->move_us, e->moved_bytes, e->host_us,
                e->computes ? "" : "; it only moves elements");
}

/// Claims the group whose root is node `first` if it is worth it.
static ort_status_t *claim_group(const ep_t *ep, claim_t *c, ort_support_t *support, int first)
{
    const ort_fusion_options_t options = {ORT_VERSION, true};
    const onnx_model_t *const model = c->model;
    const ort_node_t **const members = c->members;
    size_t n = 0;
    for (int i = 0; i < model->nnodes; ++i) {
        c->is_member[i] = c->is_taken[i] && root(c->groups, i) == first;
        if (c->is_member[i]) members[n++] = c->nodes[i];
    }
    const ep_estimate_t estimate = ep_estimate(&ep->machine, model, c->is_member);
    const bool is_claimed = ep->options.takes_all || ep_is_worth(&estimate, &ep->machine);
    log_estimate(ep, &model->nodes[first], n, &estimate, is_claimed);
    if (!is_claimed) return NULL;
    for (int i = 0; i < model->nnodes; ++i) c->is_claimed[i] = c->is_claimed[i] || c->is_member[i];
    return ORT_CALL(ort_ep_api, ORT_EP_CLAIM_NODES, ort_status_t *, ort_support_t *,
            const ort_node_t *const *, size_t,
            const ort_fusion_options_t *)(support, members, n, &options);
}

/// Whether a node has bodies, whose readers of this graph's values are not seen.
static ort_status_t *has_bodies(const claim_t *c, bool *found)
{
    *found = false;
    for (int i = 0; i < c->model->nnodes && !*found; ++i) {
        size_t n = 0;
        ort_status_t *const status =
                ORT_TRY_CALL(ORT_NODE_NSUBGRAPHS, const ort_node_t *, size_t *)(c->nodes[i], &n);
        if (status) return status;
        *found = n > 0;
    }
    return NULL;
}

/// How many groups read value `v` beside the one that makes it; `*by_host`: whether others do.
static int count_readers(const claim_t *c, int v, bool *by_host)
{
    const onnx_model_t *const model = c->model;
    const int own = root(c->groups, c->producers[v]);
    int n = 0;
    for (int i = 0; i < model->noutputs; ++i) *by_host = *by_host || model->outputs[i] == v;
    for (int i = 0; i < model->nnodes; ++i) {
        bool reads = false;
        for (int k = 0; k < model->nodes[i].ninputs; ++k)
            reads = reads || model->nodes[i].inputs[k] == v;
        if (!reads) continue;
        const int group = root(c->groups, i);
        *by_host = *by_host || !c->is_claimed[i];
        if (!c->is_claimed[i] || group == own || c->marks[group] == v + 1) continue;
        c->marks[group] = v + 1;
        n++;
    }
    return n;
}

/// Finds the values that groups hand to each other, which may stay on the device.
static ort_status_t *keep_values(const ep_t *ep, const claim_t *c)
{
    int nkept = 0, nalone = 0;
    bool any = false;
    ort_status_t *const status = has_bodies(c, &any);
    if (status) return status;
    for (int v = 0; v < c->model->nvalues; ++v) {
        bool by_host = any;
        if (c->producers[v] < 0 || !c->is_claimed[c->producers[v]]) continue;
        const int nreaders = count_readers(c, v, &by_host);
        if (nreaders == 0) continue;
        if (!ep_residents_add(ep->residents, c->model->values[v].name, nreaders, by_host))
            return ort_fail(ORT_FAIL, "Prim: no memory for the nodes of a graph");
        nkept++;
        nalone += !by_host;
    }
    if (nkept)
        ort_log(ep->logger, ORT_LOG_INFO,
                "Prim: %d tensors stay on the device between groups, %d of them there alone", nkept,
                nalone);
    return NULL;
}

static ort_status_t *claim_groups(const ep_t *ep, claim_t *c, ort_support_t *support)
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
    ort_status_t *status = NULL;
    for (int i = 0; i < model->nnodes && !status; ++i)
        if (c->is_taken[i] && root(c->groups, i) == i) status = claim_group(ep, c, support, i);
    return status;
}

static ort_status_t *read_nodes(const ort_graph_t *graph, int n, const ort_node_t **nodes)
{
    return ORT_TRY_CALL(ORT_GRAPH_NODES, const ort_graph_t *, const ort_node_t **, size_t)(
            graph, nodes, (size_t)n);
}

ort_status_t *ep_claim(ort_ep_t *self, const ort_graph_t *graph, ort_support_t *support)
{
    const ort_node_t *parent = NULL;
    ort_status_t *status = ORT_TRY_CALL(ORT_GRAPH_PARENT, const ort_graph_t *, const ort_node_t **)(
            graph, &parent);
    if (status || (!parent && ((ep_t *)self)->has_claimed)) return status;
    ((ep_t *)self)->has_claimed = ((ep_t *)self)->has_claimed || !parent;
    onnx_model_t *model = NULL;
    status = onnx_model_read(&model, graph, false);
    if (status || model->nnodes == 0) {
        onnx_model_destroy(model);
        return status;
    }
    const size_t n = (size_t)model->nnodes + 1, nvalues = (size_t)model->nvalues + 1;
    claim_t c = {model, calloc(n, sizeof *c.nodes), calloc(n, sizeof *c.members),
            calloc(n, sizeof *c.is_taken), calloc(n, sizeof *c.is_member),
            calloc(n, sizeof *c.is_claimed), calloc(n, sizeof *c.stages),
            calloc(n, sizeof *c.groups), calloc(nvalues, sizeof *c.producers),
            calloc(n, sizeof *c.marks)};
    if (!c.nodes || !c.members || !c.is_taken || !c.is_member || !c.is_claimed || !c.stages ||
            !c.groups || !c.producers || !c.marks)
        status = ort_fail(ORT_FAIL, "Prim: no memory for the nodes of a graph");
    if (!status) status = read_nodes(graph, model->nnodes, c.nodes);
    if (!status) status = claim_groups((const ep_t *)self, &c, support);
    if (!status && !parent && ((ep_t *)self)->residents)
        status = keep_values((const ep_t *)self, &c);
    free(c.nodes);
    free(c.members);
    free(c.is_taken);
    free(c.is_member);
    free(c.is_claimed);
    free(c.marks);
    free(c.stages);
    free(c.groups);
    free(c.producers);
    onnx_model_destroy(model);
    return status;
}
