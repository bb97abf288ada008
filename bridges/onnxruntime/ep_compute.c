// SPDX-License-Identifier: Apache-2.0
// Claimed groups: compiled for each shape they meet, the last few of which are kept, and run.
#include "ep_compute.h"

#include <stdlib.h>
#include <string.h>

#define TRY(call)                             \
    do {                                      \
        ort_status_t *const status_ = (call); \
        if (status_) return status_;          \
    } while (0)

static ort_status_t *fail_prim(void)
{
    return ort_fail(ORT_FAIL, "Prim: %s", prim_last_error());
}

static ort_status_t *no_memory(void)
{
    return ort_fail(ORT_FAIL, "Prim: no memory for a group of nodes");
}

static void free_plan(const compute_t *c, plan_t *plan)
{
    const char *const path = c->ep->options.profile;
    if (plan->profile && !ep_profile_write(plan->profile, plan->graph, path))
        ort_log(c->ep->logger, ORT_LOG_WARNING, "Prim: the profile %s cannot be written", path);
    ep_profile_destroy(plan->profile);
    graph_destroy(plan->graph);
    for (int i = 0; plan->memories && i < c->model->ninputs + c->model->noutputs; ++i)
        prim_memory_destroy(plan->memories[i]);
    free(plan->memories);
    free(plan->inputs);
    free(plan->outputs);
    free(plan->dims);
    *plan = (plan_t){.graph = NULL};
}

/// Graphs have no tensors without dimensions: scalars have one, of 1.
static const prim_dim_t one = 1;

static graph_value_t add_constant(graph_t *graph, const onnx_value_t *value)
{
    return graph_constant(graph, value->ndims ? value->ndims : 1, value->ndims ? value->dims : &one,
            onnx_data_type(value->element_type), value->data);
}

static bool is_tensor_constant(const onnx_value_t *value)
{
    return value->is_constant && value->data &&
           onnx_data_type(value->element_type) != PRIM_DATA_TYPE_UNDEF;
}

/// The f32 tensor in the type that the session computes in.
static graph_value_t in_own_type(const compute_t *c, graph_t *graph, graph_value_t value)
{
    return graph_data_type(graph, value) == PRIM_F32
                   ? graph_convert(graph, value, c->ep->options.f32)
                   : value;
}

/// Adds the model's inputs, constants and nodes to the graph.
static ort_status_t *build_graph(const compute_t *c, plan_t *plan, graph_value_t *values)
{
    const onnx_model_t *const model = c->model;
    const int64_t *dims = plan->dims;
    for (int v = 0; v < model->nvalues; ++v)
        values[v] = is_tensor_constant(&model->values[v])
                            ? add_constant(plan->graph, &model->values[v])
                            : GRAPH_ABSENT;
    for (int i = 0; i < model->ninputs; ++i) {
        const onnx_value_t *const input = &model->values[model->inputs[i]];
        plan->inputs[i] = graph_input(plan->graph, input->ndims ? input->ndims : 1,
                input->ndims ? dims : &one, onnx_data_type(input->element_type));
        values[model->inputs[i]] = in_own_type(c, plan->graph, plan->inputs[i]);
        dims += input->ndims;
    }
    for (int i = 0; i < model->nnodes; ++i) {
        const onnx_node_t *const node = &model->nodes[i];
        const onnx_builder_t builder = {plan->graph, model, node, values, c->ep->options.f32};
        const onnx_op_t *const op = onnx_find_op(model, node);
        if (!op) return ort_fail(ORT_FAIL, "Prim: %s was claimed, and is not taken", node->op);
        op->build(&builder);
    }
    for (int i = 0; i < model->noutputs; ++i) {
        const int v = model->outputs[i];
        const prim_data_type_t type = onnx_data_type(model->values[v].element_type);
        plan->outputs[i] = graph_output(plan->graph, graph_convert(plan->graph, values[v], type));
    }
    return NULL;
}

static ort_status_t *compile_graph(const compute_t *c, plan_t *plan)
{
    graph_value_t *const values = malloc((size_t)(c->model->nvalues + 1) * sizeof *values);
    if (!values) return no_memory();
    ort_status_t *status =
            graph_create(&plan->graph, c->ep->engine) == PRIM_SUCCESS ? NULL : fail_prim();
    if (!status) status = build_graph(c, plan, values);
    free(values);
    if (!status && graph_compile(plan->graph, c->ep->options.tuning) != PRIM_SUCCESS)
        status = ort_fail(ORT_FAIL, "Prim: %s", graph_error(plan->graph));
    return status;
}

static ort_status_t *make_plan(const compute_t *c, plan_t *plan, const int64_t *dims)
{
    plan->dims = malloc((size_t)(c->ndims + 1) * sizeof *dims);
    plan->inputs = calloc((size_t)c->model->ninputs + 1, sizeof *plan->inputs);
    plan->outputs = calloc((size_t)c->model->noutputs + 1, sizeof *plan->outputs);
    if (!plan->dims || !plan->inputs || !plan->outputs) return no_memory();
    memcpy(plan->dims, dims, (size_t)c->ndims * sizeof *dims);
    TRY(compile_graph(c, plan));
    if (c->ep->options.profile[0] && !(plan->profile = ep_profile_create(plan->graph)))
        return no_memory();
    if (!c->ep->is_device || c->ep->space) return NULL;
    plan->memories =
            calloc((size_t)(c->model->ninputs + c->model->noutputs + 1), sizeof *plan->memories);
    if (!plan->memories) return no_memory();
    return ep_device_prepare(c, plan) == PRIM_SUCCESS ? NULL : fail_prim();
}

/// The plan for the shapes, which is made where it is not there.
static ort_status_t *find_plan(compute_t *c, const int64_t *dims, plan_t **found)
{
    plan_t *oldest = c->plans;
    for (plan_t *p = c->plans; p < c->plans + MAX_PLANS; ++p) {
        const bool fits = p->graph && memcmp(p->dims, dims, (size_t)c->ndims * sizeof *dims) == 0;
        if (fits) *found = p;
        if (fits) return NULL;
        if (p->last_use < oldest->last_use) oldest = p;
    }
    free_plan(c, oldest);
    ort_status_t *const status = make_plan(c, oldest, dims);
    if (status) {
        free_plan(c, oldest);
        return status;
    }
    *found = oldest;
    return NULL;
}

/// A tensor of the runtime's: its elements and, where `dims` is not NULL, its shape of `ndims`.
static ort_status_t *open_tensor(const ort_value_t *value, int ndims, int64_t *dims, void **data)
{
    ort_tensor_info_t *info = NULL;
    size_t n = 0;
    TRY(ORT_TRY_CALL(ORT_VALUE_TENSOR_INFO, const ort_value_t *, ort_tensor_info_t **)(
            value, &info));
    ort_status_t *status =
            ORT_TRY_CALL(ORT_TENSOR_NDIMS, const ort_tensor_info_t *, size_t *)(info, &n);
    if (!status && n != (size_t)ndims)
        status =
                ort_fail(ORT_INVALID_ARGUMENT, "Prim: a tensor of %zu dimensions for %d", n, ndims);
    if (!status)
        status = ORT_TRY_CALL(ORT_TENSOR_DIMS, const ort_tensor_info_t *, int64_t *, size_t)(
                info, dims, n);
    ORT_CALL(ort_api, ORT_RELEASE_TENSOR_INFO, void, ort_tensor_info_t *)(info);
    if (!status)
        status = ORT_TRY_CALL(ORT_GET_TENSOR_DATA, const ort_value_t *, void **)(value, data);
    return status;
}

static ort_status_t *open_inputs(
        const compute_t *c, ort_kernel_context_t *context, int64_t *dims, void **data)
{
    for (int i = 0; i < c->model->ninputs; ++i) {
        const int ndims = c->model->values[c->model->inputs[i]].ndims;
        const ort_value_t *value = NULL;
        TRY(ORT_TRY_CALL(ORT_CONTEXT_INPUT, const ort_kernel_context_t *, size_t,
                const ort_value_t **)(context, c->inputs[i], &value));
        TRY(open_tensor(value, ndims, dims, &data[i]));
        dims += ndims;
    }
    return NULL;
}

static ort_status_t *open_outputs(
        const compute_t *c, ort_kernel_context_t *context, const plan_t *plan, void **data)
{
    for (int i = 0; i < c->model->noutputs; ++i) {
        ort_value_t *value = NULL;
        const bool is_scalar = c->model->values[c->model->outputs[i]].ndims == 0;
        const int ndims = is_scalar ? 0 : graph_ndims(plan->graph, plan->outputs[i]);
        TRY(ORT_TRY_CALL(ORT_CONTEXT_OUTPUT, ort_kernel_context_t *, size_t, const int64_t *,
                size_t, ort_value_t **)(context, c->outputs[i],
                graph_dims(plan->graph, plan->outputs[i]), (size_t)ndims, &value));
        TRY(ORT_TRY_CALL(ORT_GET_TENSOR_DATA, ort_value_t *, void **)(value, &data[i]));
    }
    return NULL;
}

static prim_status_t bind_all(graph_t *graph, int n, const graph_value_t *values, void *const *data)
{
    for (int i = 0; i < n; ++i) {
        const prim_status_t status = graph_bind(graph, values[i], data[i], 0);
        if (status != PRIM_SUCCESS) return status;
    }
    return PRIM_SUCCESS;
}

prim_status_t ep_run_bound(const compute_t *c, plan_t *plan)
{
    const prim_status_t status = plan->profile
                                         ? ep_profile_run(plan->profile, plan->graph, c->stream)
                                         : graph_run(plan->graph, c->stream);
    return status == PRIM_SUCCESS ? prim_stream_wait(c->stream) : status;
}

/// Runs the plan on the tensors, inputs first.
static prim_status_t run_plan(const compute_t *c, plan_t *plan, void *const *data)
{
    const int ninputs = c->model->ninputs, noutputs = c->model->noutputs;
    if (c->ep->space) return ep_space_run(c, plan, data);
    if (c->ep->is_device) return ep_device_run(c, plan, data);
    prim_status_t status = bind_all(plan->graph, ninputs, plan->inputs, data);
    if (status == PRIM_SUCCESS)
        status = bind_all(plan->graph, noutputs, plan->outputs, data + ninputs);
    return status == PRIM_SUCCESS ? ep_run_bound(c, plan) : status;
}

static ort_status_t *compute_locked(
        compute_t *c, ort_kernel_context_t *context, int64_t *dims, void **data)
{
    plan_t *plan = NULL;
    TRY(open_inputs(c, context, dims, data));
    TRY(find_plan(c, dims, &plan));
    plan->last_use = ++c->nuses;
    TRY(open_outputs(c, context, plan, data + c->model->ninputs));
    return run_plan(c, plan, data) == PRIM_SUCCESS ? NULL : fail_prim();
}

static ort_status_t *compute(ort_compute_t *self, void *state, ort_kernel_context_t *context)
{
    (void)self;
    compute_t *const c = state;
    int64_t *const dims = calloc((size_t)c->ndims + 1, sizeof *dims);
    void **const data = calloc((size_t)(c->model->ninputs + c->model->noutputs + 1), sizeof *data);
    ort_status_t *status = dims && data ? NULL : no_memory();
    if (!status) {
        pthread_mutex_lock(&c->lock);
        status = compute_locked(c, context, dims, data);
        pthread_mutex_unlock(&c->lock);
    }
    free(dims);
    free(data);
    return status;
}

static ort_status_t *create_state(ort_compute_t *self, ort_compute_context_t *context, void **state)
{
    (void)context;
    *state = self;
    return NULL;
}

static void release_state(ort_compute_t *self, void *state)
{
    (void)self;
    (void)state; // the compute object itself
}

static void destroy_compute(compute_t *c)
{
    if (!c) return;
    if (c->model)
        for (int i = 0; i < MAX_PLANS; ++i) free_plan(c, &c->plans[i]);
    onnx_model_destroy(c->model);
    prim_stream_destroy(c->stream);
    pthread_mutex_destroy(&c->lock);
    free(c->inputs);
    free(c->outputs);
    free(c->kept);
    free(c);
}

/// Where the fused node has the values of that name in its lists.
static ort_status_t *find_places(const onnx_model_t *model, const ort_node_t *fused, int count_slot,
        int items_slot, int n, const int *values, size_t *places)
{
    size_t count = 0;
    TRY(ORT_TRY_CALL(count_slot, const ort_node_t *, size_t *)(fused, &count));
    const ort_value_info_t **const infos = calloc(count + 1, sizeof *infos);
    if (!infos) return no_memory();
    ort_status_t *status = ORT_TRY_CALL(
            items_slot, const ort_node_t *, const ort_value_info_t **, size_t)(fused, infos, count);
    for (int i = 0; i < n && !status; ++i) {
        size_t place = count;
        for (size_t k = 0; k < count && !status; ++k) {
            const char *name = NULL;
            status = ORT_TRY_CALL(ORT_VALUE_INFO_NAME, const ort_value_info_t *, const char **)(
                    infos[k], &name);
            if (!status && strcmp(name, model->values[values[i]].name) == 0) place = k;
        }
        if (!status && place == count)
            status = ort_fail(
                    ORT_FAIL, "Prim: the fused node lacks %s", model->values[values[i]].name);
        places[i] = place;
    }
    free(infos);
    return status;
}

/// Constants are no inputs of the group.
static void drop_constant_inputs(onnx_model_t *model)
{
    int n = 0;
    for (int i = 0; i < model->ninputs; ++i)
        if (!model->values[model->inputs[i]].is_constant) model->inputs[n++] = model->inputs[i];
    model->ninputs = n;
}

/// Which of the group's tensors may stay on the device.
static ort_status_t *find_kept(compute_t *c)
{
    const onnx_model_t *const model = c->model;
    c->kept = calloc((size_t)(model->ninputs + model->noutputs + 1), sizeof *c->kept);
    if (!c->kept) return no_memory();
    for (int i = 0; i < model->ninputs + model->noutputs; ++i) {
        const bool is_input = i < model->ninputs;
        const int v = is_input ? model->inputs[i] : model->outputs[i - model->ninputs];
        c->kept[i] = ep_residents_find(c->ep->residents, model->values[v].name);
        ep_residents_count(c->ep->residents, c->kept[i], is_input);
    }
    return NULL;
}

static ort_status_t *init_compute(compute_t *c, const ort_graph_t *graph, const ort_node_t *fused)
{
    c->base = (ort_compute_t){ORT_VERSION, create_state, compute, release_state};
    TRY(onnx_model_read(&c->model, graph, true));
    drop_constant_inputs(c->model);
    c->inputs = calloc((size_t)c->model->ninputs + 1, sizeof *c->inputs);
    c->outputs = calloc((size_t)c->model->noutputs + 1, sizeof *c->outputs);
    if (!c->inputs || !c->outputs) return no_memory();
    for (int i = 0; i < c->model->ninputs; ++i)
        c->ndims += c->model->values[c->model->inputs[i]].ndims;
    TRY(find_places(c->model, fused, ORT_NODE_NINPUTS, ORT_NODE_INPUTS, c->model->ninputs,
            c->model->inputs, c->inputs));
    TRY(find_places(c->model, fused, ORT_NODE_NOUTPUTS, ORT_NODE_OUTPUTS, c->model->noutputs,
            c->model->outputs, c->outputs));
    TRY(find_kept(c));
    return prim_stream_create(&c->stream, c->ep->engine, PRIM_STREAM_IN_ORDER) == PRIM_SUCCESS
                   ? NULL
                   : fail_prim();
}

static ort_status_t *make_compute(
        const ep_t *ep, const ort_graph_t *graph, const ort_node_t *fused, ort_compute_t **made)
{
    compute_t *const c = calloc(1, sizeof *c);
    if (!c) return no_memory();
    c->ep = ep;
    pthread_mutex_init(&c->lock, NULL);
    ort_status_t *const status = init_compute(c, graph, fused);
    if (status)
        destroy_compute(c);
    else
        *made = &c->base;
    return status;
}

ort_status_t *ep_compile(ort_ep_t *self, const ort_graph_t **graphs, const ort_node_t **fused_nodes,
        size_t count, ort_compute_t **computes, ort_node_t **context_nodes)
{
    (void)context_nodes;
    for (size_t i = 0; i < count; ++i) {
        ort_status_t *const status =
                make_compute((const ep_t *)self, graphs[i], fused_nodes[i], &computes[i]);
        if (!status) continue;
        ep_release_computes(self, computes, i);
        for (size_t k = 0; k < i; ++k) computes[k] = NULL;
        return status;
    }
    return NULL;
}

void ep_release_computes(ort_ep_t *self, ort_compute_t **computes, size_t count)
{
    (void)self;
    for (size_t i = 0; i < count; ++i) destroy_compute((compute_t *)computes[i]);
}
