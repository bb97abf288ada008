// SPDX-License-Identifier: Apache-2.0
// Buffers for tensors, greedy by size.
#include "net_plan.h"

#include <stdbool.h>

enum { NONE = -1 };

static bool is_free(const net_lifetime_t *tensors, int n, const net_lifetime_t *wanted, int buffer)
{
    for (int i = 0; i < n; ++i) {
        const net_lifetime_t *const t = &tensors[i];
        if (t->buffer == buffer && t->first <= wanted->last && wanted->first <= t->last)
            return false;
    }
    return true;
}

static net_lifetime_t *largest_without_buffer(net_lifetime_t *tensors, int n)
{
    net_lifetime_t *largest = NULL;
    for (int i = 0; i < n; ++i) {
        if (tensors[i].buffer != NONE) continue;
        if (!largest || tensors[i].bytes > largest->bytes) largest = &tensors[i];
    }
    return largest;
}

int net_plan(net_lifetime_t *tensors, int n, size_t *buffer_bytes)
{
    int nbuffers = 0;
    for (int i = 0; i < n; ++i) tensors[i].buffer = NONE;
    for (net_lifetime_t *t; (t = largest_without_buffer(tensors, n)) != NULL;) {
        // Buffers stand from the largest to the smallest: the last that is free wastes least.
        int best = NONE;
        for (int b = 0; b < nbuffers; ++b)
            if (is_free(tensors, n, t, b)) best = b;
        if (best == NONE) {
            best = nbuffers++;
            buffer_bytes[best] = t->bytes;
        }
        t->buffer = best;
    }
    return nbuffers;
}

size_t net_plan_live_bytes(const net_lifetime_t *tensors, int n, int nsteps)
{
    size_t most = 0;
    for (int step = 0; step < nsteps; ++step) {
        size_t live = 0;
        for (int i = 0; i < n; ++i)
            if (tensors[i].first <= step && step <= tensors[i].last) live += tensors[i].bytes;
        if (live > most) most = live;
    }
    return most;
}
