// SPDX-License-Identifier: Apache-2.0
// Graphs: creation, values, running.
#include "graph_internal.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *graph__append(graph_array_t *array, size_t item_bytes)
{
    if (array->n == array->room) {
        const int room = array->room ? 2 * array->room : 16;
        void *const items = realloc(array->items, (size_t)room * item_bytes);
        if (!items) return NULL;
        array->items = items;
        array->room = room;
    }
    void *const item = (char *)array->items + (size_t)array->n++ * item_bytes;
    memset(item, 0, item_bytes);
    return item;
}

graph_value_t graph__fail(graph_t *graph, const char *format, ...)
{
    if (graph->error[0]) return GRAPH_FAILED;
    va_list values;
    va_start(values, format);
    vsnprintf(graph->error, sizeof graph->error, format, values);
    va_end(values);
    return GRAPH_FAILED;
}

void graph__fail_status(graph_t *graph, const char *what, prim_status_t status)
{
    graph__fail(
            graph, "%s: %s", what, status == PRIM_OUT_OF_MEMORY ? "no memory" : prim_last_error());
}

prim_status_t graph_create(graph_t **graph, prim_engine_t *engine)
{
    if (!graph) return PRIM_INVALID_ARGUMENTS;
    graph_t *const made = calloc(1, sizeof *made);
    if (!made) return PRIM_OUT_OF_MEMORY;
    const prim_status_t status = prim_stream_create(&made->stream, engine, PRIM_STREAM_IN_ORDER);
    if (status != PRIM_SUCCESS) {
        free(made);
        return status;
    }
    prim_engine_kind_t kind = PRIM_CPU;
    (void)prim_engine_get_kind(engine, &kind);
    made->is_cpu = kind == PRIM_CPU;
    made->engine = engine;
    *graph = made;
    return PRIM_SUCCESS;
}

void graph_destroy(graph_t *graph)
{
    if (!graph) return;
    prim_recording_destroy(graph->recording);
    for (int i = 0; i < graph->steps.n; ++i) {
        graph_step_t *const step = &((graph_step_t *)graph->steps.items)[i];
        prim_desc_destroy(step->pd);
        prim_destroy(step->primitive);
        free(step->args);
    }
    for (int i = 0; i < graph->tensors.n; ++i)
        prim_memory_destroy(((graph_tensor_t *)graph->tensors.items)[i].memory);
    for (int i = 0; i < graph->nodes.n; ++i) free(graph__node(graph, i)->inputs);
    for (int i = 0; i < graph->values.n; ++i) free(graph__value(graph, i)->data);
    prim_memory_destroy(graph->buffer);
    prim_stream_destroy(graph->stream);
    free(graph->values.items);
    free(graph->nodes.items);
    free(graph->tensors.items);
    free(graph->storages.items);
    free(graph->steps.items);
    free(graph);
}

const char *graph_error(const graph_t *graph)
{
    return graph->error;
}

int graph_ndims(const graph_t *graph, graph_value_t value)
{
    return value < 0 ? 0 : graph__value(graph, value)->ndims;
}

const prim_dim_t *graph_dims(const graph_t *graph, graph_value_t value)
{
    return value < 0 ? NULL : graph__value(graph, value)->dims;
}

prim_data_type_t graph_data_type(const graph_t *graph, graph_value_t value)
{
    return value < 0 ? PRIM_DATA_TYPE_UNDEF : graph__value(graph, value)->data_type;
}

bool graph_is_constant(const graph_t *graph, graph_value_t value)
{
    return value >= 0 && graph__value(graph, value)->is_constant;
}

graph_stats_t graph_stats(const graph_t *graph)
{
    return graph->stats;
}
