// SPDX-License-Identifier: Apache-2.0
// Places in one buffer for storages that live at different times.
#ifndef GRAPH_PLACE_H
#define GRAPH_PLACE_H

#include "graph_internal.h"

/// Finds the most that is alive at once, in each storage's life (peak_bytes) and in all.
size_t graph__find_peaks(graph_storage_t *const *storages, int n, int nsteps);

/// Gives storages with peaks their offsets, in an order of its own; returns the bytes of the
/// buffer. `beside` has room for n; `live_bytes`: the most that is alive at once.
size_t graph__place(graph_storage_t **storages, int n, graph_storage_t **beside, size_t live_bytes);

#endif
