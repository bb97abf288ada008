// SPDX-License-Identifier: Apache-2.0
// Graphs: one buffer for the intermediate tensors and scratchpads, and the place of each in it.
#include "graph_internal.h"
#include "graph_place.h"

#include <stdlib.h>

static prim_status_t make_buffer(graph_t *graph)
{
    const prim_dim_t bytes = (prim_dim_t)graph->stats.buffer_bytes;
    prim_memory_desc_t md;
    prim_status_t status = prim_memory_desc_init_by_strides(&md, 1, &bytes, PRIM_U8, NULL);
    if (status == PRIM_SUCCESS)
        status = prim_memory_create(&graph->buffer, &md, graph->engine, PRIM_MEMORY_ALLOCATE);
    if (status != PRIM_SUCCESS) graph__fail(graph, "intermediate tensors: %s", prim_last_error());
    void *handle = NULL;
    if (status == PRIM_SUCCESS) status = prim_memory_get_data_handle(graph->buffer, &handle);
    for (int i = 0; i < graph->tensors.n && status == PRIM_SUCCESS; ++i) {
        const graph_tensor_t *const tensor = graph__tensor(graph, i);
        const graph_storage_t *const storage = graph__storage(graph, tensor->storage);
        if (storage->kind == STORAGE_PLANNED && storage->first >= 0)
            status = prim_memory_set_data_handle_at(tensor->memory, handle, storage->offset_bytes);
    }
    return status;
}

prim_status_t graph__plan(graph_t *graph)
{
    const size_t room = (size_t)graph->storages.n + 1;
    graph_storage_t **const planned = malloc(2 * room * sizeof *planned);
    if (!planned) return PRIM_OUT_OF_MEMORY;
    int n = 0;
    for (int i = 0; i < graph->storages.n; ++i) {
        graph_storage_t *const storage = graph__storage(graph, i);
        if (storage->kind != STORAGE_PLANNED || storage->first < 0) continue;
        graph->stats.activation_bytes += storage->bytes;
        planned[n++] = storage;
    }
    graph->stats.live_bytes = graph__find_peaks(planned, n, graph->steps.n);
    graph->stats.buffer_bytes = graph__place(planned, n, planned + room, graph->stats.live_bytes);
    free(planned);
    return graph->stats.buffer_bytes ? make_buffer(graph) : PRIM_SUCCESS;
}
