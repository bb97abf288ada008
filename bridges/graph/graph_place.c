// SPDX-License-Identifier: Apache-2.0
// Graphs: places in one buffer for storages that live at different times. One after the other
// chooses the lowest gap among those that are alive at the same time, the largest first or those of
// the fullest step first, whichever needs the smaller buffer (Pisarchyk and Lee, "Efficient Memory
// Management for Deep Neural Net Inference", 2020, sections 5.1 and 5.2). Where that leaves gaps,
// the order is improved step by step: the storage that ends highest chooses earlier.
#include "graph_place.h"

#include <stdint.h>
#include <stdlib.h>

enum {
    MAX_PASSES = 300,
    MAX_PAIRS = 1 << 24
}; ///< of looks of one storage at another, in all passes

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

/// Gives all `n` their places in the order they are in; returns the bytes of the buffer.
static size_t place(graph_storage_t **storages, int n, graph_storage_t **beside)
{
    size_t bytes = 0;
    for (int i = 0; i < n; ++i) {
        storages[i]->offset_bytes = lowest_gap(storages[i], storages, i, beside);
        const size_t end = storages[i]->offset_bytes + aligned(storages[i]->bytes);
        if (end > bytes) bytes = end;
    }
    return bytes;
}

size_t graph__find_peaks(graph_storage_t *const *storages, int n, int nsteps)
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

static int highest(graph_storage_t *const *storages, int n)
{
    int at = 0;
    size_t most = 0;
    for (int i = 0; i < n; ++i) {
        const size_t end = storages[i]->offset_bytes + storages[i]->bytes;
        if (end > most) at = i;
        if (end > most) most = end;
    }
    return at;
}

/// Takes the one at `from` to `to`; those between give way.
static void move(graph_storage_t **storages, int from, int to)
{
    graph_storage_t *const moved = storages[from];
    const int step = from < to ? 1 : -1;
    for (int i = from; i != to; i += step) storages[i] = storages[i + step];
    storages[to] = moved;
}

/// The next of a fixed sequence of numbers, below `end`: every run plans alike.
static int draw(uint32_t *state, int end)
{
    *state = *state * 1664525u + 1013904223u;
    return (int)((*state >> 8) % (uint32_t)end);
}

/// Lets storages that end highest choose earlier, as long as the buffer, of `bytes` in the order
/// they are in, is larger than `enough`; returns its bytes then. Where the first of all ends
/// highest, another one moves.
static size_t improve(
        graph_storage_t **storages, int n, graph_storage_t **beside, size_t bytes, size_t enough)
{
    const int64_t passes = MAX_PAIRS / ((int64_t)n * n + 1);
    uint32_t state = 1;
    for (int pass = 0; pass < MAX_PASSES && pass < passes && bytes > enough; ++pass) {
        const int top = highest(storages, n), from = top > 0 ? top : draw(&state, n);
        const int to = from > 0 ? draw(&state, from) : 0;
        move(storages, from, to);
        const size_t now = place(storages, n, beside);
        if (now <= bytes) {
            bytes = now;
            continue;
        }
        move(storages, to, from);
        (void)place(storages, n, beside);
    }
    return bytes;
}

size_t graph__place(graph_storage_t **storages, int n, graph_storage_t **beside, size_t live_bytes)
{
    qsort(storages, (size_t)n, sizeof *storages, by_size);
    const size_t one = place(storages, n, beside);
    qsort(storages, (size_t)n, sizeof *storages, by_step);
    size_t bytes = place(storages, n, beside);
    if (one < bytes) {
        qsort(storages, (size_t)n, sizeof *storages, by_size);
        bytes = place(storages, n, beside);
    }
    // What alignment may take is not looked for.
    return improve(storages, n, beside, bytes, live_bytes + (size_t)n * ALIGNMENT_BYTES);
}
