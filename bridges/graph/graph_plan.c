// SPDX-License-Identifier: Apache-2.0
// Graphs: places in one buffer for the intermediate tensors and scratchpads. One after the other
// chooses the lowest gap among those that are alive at the same time, the largest first or those of
// the fullest step first, whichever needs the smaller buffer (Pisarchyk and Lee, "Efficient Memory
// Management for Deep Neural Net Inference", 2020, sections 5.1 and 5.2).
#include "graph_internal.h"

#include <stdlib.h>

/// Where places begin: what vector loads and cache lines like.
enum { ALIGNMENT_BYTES = 512 };

static size_t aligned(size_t bytes)
{
    return (bytes + ALIGNMENT_BYTES - 1) / ALIGNMENT_BYTES * ALIGNMENT_BYTES;
}

static int by_size(const void *a, const void *b)
{
    const graph_storage_t *const x = *(graph_storage_t *const *)a;
    const graph_storage_t *const y = *(graph_storage_t *const *)b;
    if (x->bytes != y->bytes) return x->bytes < y->bytes ? 1 : -1;
    return x->first - y->first;
}

static int by_step(const void *a, const void *b)
{
    const graph_storage_t *const x = *(graph_storage_t *const *)a;
    const graph_storage_t *const y = *(graph_storage_t *const *)b;
    if (x->peak_bytes != y->peak_bytes) return x->peak_bytes < y->peak_bytes ? 1 : -1;
    return by_size(a, b);
}

static int by_offset(const void *a, const void *b)
{
    const graph_storage_t *const x = *(graph_storage_t *const *)a;
    const graph_storage_t *const y = *(graph_storage_t *const *)b;
    return (x->offset_bytes > y->offset_bytes) - (x->offset_bytes < y->offset_bytes);
}

/// The lowest gap for `wanted` beside the `n` that have places; `beside` has room for n.
static size_t lowest_gap(const graph_storage_t *wanted, graph_storage_t *const *placed, int n,
        graph_storage_t **beside)
{
    size_t nbeside = 0, offset = 0;
    for (int i = 0; i < n; ++i)
        if (placed[i]->first <= wanted->last && wanted->first <= placed[i]->last)
            beside[nbeside++] = placed[i];
    qsort(beside, nbeside, sizeof *beside, by_offset);
    for (size_t i = 0; i < nbeside; ++i) {
        if (beside[i]->offset_bytes >= offset + aligned(wanted->bytes)) break;
        const size_t end = beside[i]->offset_bytes + aligned(beside[i]->bytes);
        if (end > offset) offset = end;
    }
    return offset;
}

static size_t live_bytes(graph_storage_t *const *storages, int n, int step)
{
    size_t bytes = 0;
    for (int i = 0; i < n; ++i)
        if (storages[i]->first <= step && step <= storages[i]->last) bytes += storages[i]->bytes;
    return bytes;
}

typedef int (*order_t)(const void *a, const void *b);

/// Gives all `n` their places in that order; returns the bytes of the buffer.
static size_t place(graph_storage_t **storages, int n, graph_storage_t **beside, order_t order)
{
    size_t bytes = 0;
    qsort(storages, (size_t)n, sizeof *storages, order);
    for (int i = 0; i < n; ++i) {
        storages[i]->offset_bytes = lowest_gap(storages[i], storages, i, beside);
        const size_t end = storages[i]->offset_bytes + aligned(storages[i]->bytes);
        if (end > bytes) bytes = end;
    }
    return bytes;
}

/// Finds the most that is alive at once, in each storage's life and in all.
static size_t find_peaks(graph_storage_t *const *storages, int n, int nsteps)
{
    size_t most = 0;
    for (int s = 0; s < nsteps; ++s) {
        const size_t bytes = live_bytes(storages, n, s);
        if (bytes > most) most = bytes;
        for (int i = 0; i < n; ++i) {
            const bool is_alive = storages[i]->first <= s && s <= storages[i]->last;
            if (is_alive && bytes > storages[i]->peak_bytes) storages[i]->peak_bytes = bytes;
        }
    }
    return most;
}

static size_t place_best(graph_storage_t **storages, int n, graph_storage_t **beside)
{
    const size_t one = place(storages, n, beside, by_size);
    const size_t other = place(storages, n, beside, by_step);
    return other <= one ? other : place(storages, n, beside, by_size);
}

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
    graph->stats.live_bytes = find_peaks(planned, n, graph->steps.n);
    graph->stats.buffer_bytes = place_best(planned, n, planned + room);
    free(planned);
    return graph->stats.buffer_bytes ? make_buffer(graph) : PRIM_SUCCESS;
}
