// SPDX-License-Identifier: Apache-2.0
// Which tensors of a network may share a buffer: those that are never alive at the same time.
#ifndef EXAMPLES_NET_PLAN_H
#define EXAMPLES_NET_PLAN_H

#include <stddef.h>

/// A tensor that step `first` writes and step `last` ≥ first is the last to use.
typedef struct {
    size_t bytes;
    int first, last;
    int buffer; ///< which one it gets
} net_lifetime_t;

/// Gives each of `n` tensors a buffer; `buffer_bytes` (room for n) receives their sizes. Returns
/// how many there are. The largest tensors choose first and later ones fill the gaps in time
/// (Pisarchyk and Lee, "Efficient Memory Management for Deep Neural Net Inference", 2020, section
/// 4.3).
int net_plan(net_lifetime_t *tensors, int n, size_t *buffer_bytes);
/// The most bytes that are alive at once, among `nsteps` steps: no plan needs less.
size_t net_plan_live_bytes(const net_lifetime_t *tensors, int n, int nsteps);

#endif
