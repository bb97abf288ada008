// SPDX-License-Identifier: Apache-2.0
// Graphs: compiling, buffers of the caller, running.
#include "graph_internal.h"

prim_status_t graph_compile(graph_t *graph, unsigned flags)
{
    if (graph->is_compiled || graph->error[0]) return PRIM_INVALID_ARGUMENTS;
    graph->is_compiled = true;
    if (flags & GRAPH_TUNE_QUICK) graph->tune = PRIM_TUNE_QUICK;
    if (flags & GRAPH_TUNE_FULL) graph->tune = PRIM_TUNE_FULL;
    prim_status_t status = graph__fuse(graph, flags);
    if (status == PRIM_SUCCESS) status = graph__lower(graph);
    if (status == PRIM_SUCCESS) status = graph__plan(graph);
    if (status != PRIM_SUCCESS) graph__fail_status(graph, "compiling", status);
    return status;
}

/// The storage in which the caller has the value; −1: none. An output that is a view of an input
/// has a tensor in that one's storage, too; the copy for the caller comes last.
static int bound_storage(const graph_t *graph, graph_value_t value)
{
    for (int i = graph->tensors.n - 1; i >= 0; --i) {
        const graph_tensor_t *const tensor = graph__tensor(graph, i);
        if (tensor->value == value && graph__storage(graph, tensor->storage)->kind == STORAGE_BOUND)
            return tensor->storage;
    }
    return -1;
}

prim_status_t graph_bind(graph_t *graph, graph_value_t value, void *handle, size_t offset_bytes)
{
    if (value < 0 || value >= graph->values.n || graph->error[0]) return PRIM_INVALID_ARGUMENTS;
    const graph_node_value_t *const bound = graph__value(graph, value);
    const int storage = bound_storage(graph, value);
    if ((!bound->is_input && !bound->is_output) || storage < 0) return PRIM_INVALID_ARGUMENTS;
    for (int i = 0; i < graph->tensors.n; ++i) {
        const graph_tensor_t *const tensor = graph__tensor(graph, i);
        if (tensor->storage != storage) continue;
        const prim_status_t status =
                prim_memory_set_data_handle_at(tensor->memory, handle, offset_bytes);
        if (status != PRIM_SUCCESS) return status;
    }
    return PRIM_SUCCESS;
}

static prim_status_t execute(const graph_t *graph, prim_stream_t *stream, int index)
{
    const graph_step_t *const step = &((graph_step_t *)graph->steps.items)[index];
    return prim_execute(step->primitive, stream, step->nargs, step->args);
}

prim_status_t graph_run_one(graph_t *graph, prim_stream_t *stream, int index)
{
    if (!graph->is_compiled || graph->error[0] || index < 0 || index >= graph->steps.n)
        return PRIM_INVALID_ARGUMENTS;
    return execute(graph, stream, index);
}

static prim_status_t execute_all(graph_t *graph, prim_stream_t *stream)
{
    for (int i = 0; i < graph->steps.n; ++i) {
        const prim_status_t status = execute(graph, stream, i);
        if (status != PRIM_SUCCESS) return status;
    }
    return PRIM_SUCCESS;
}

/// Captures the steps once: a replay costs the host less. PRIM_UNIMPLEMENTED on streams that
/// cannot be recorded.
static prim_status_t record(graph_t *graph, prim_stream_t *stream)
{
    prim_status_t status = prim_recording_begin(stream);
    if (status != PRIM_SUCCESS) return status;
    const prim_status_t captured = execute_all(graph, stream);
    status = prim_recording_end(&graph->recording, stream);
    return captured == PRIM_SUCCESS ? status : captured;
}

prim_status_t graph_submit(graph_t *graph, prim_stream_t *stream)
{
    if (!graph->is_compiled || graph->error[0]) return PRIM_INVALID_ARGUMENTS;
    return execute_all(graph, stream);
}

prim_status_t graph_run(graph_t *graph, prim_stream_t *stream)
{
    if (!graph->is_compiled || graph->error[0]) return PRIM_INVALID_ARGUMENTS;
    if (graph->steps.n == 0) return PRIM_SUCCESS;
    if (!graph->recording) {
        const prim_status_t status = record(graph, stream);
        if (status == PRIM_UNIMPLEMENTED) return execute_all(graph, stream);
        if (status != PRIM_SUCCESS) return status;
    }
    return prim_recording_replay(graph->recording, stream, 0, NULL);
}

const char *graph_impl_name(const graph_t *graph, int index, graph_value_t *value)
{
    if (index < 0 || index >= graph->steps.n) return NULL;
    const prim_desc_t *pd = NULL;
    const char *name = NULL;
    const graph_step_t *const step = &((graph_step_t *)graph->steps.items)[index];
    if (prim_get_desc(step->primitive, &pd) != PRIM_SUCCESS ||
            prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name) != PRIM_SUCCESS)
        return NULL;
    if (value) *value = step->value;
    return name;
}
