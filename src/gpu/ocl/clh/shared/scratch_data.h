// SPDX-License-Identifier: Apache-2.0
// Local memory that kernels get as a parameter, in floats: the host asks for as many as these
// expressions say of all work-items of a group, and a kernel steps through it by the same ones.
#ifndef CLH_SHARED_SCRATCH_DATA_H
#define CLH_SHARED_SCRATCH_DATA_H

// `width` floats of each work-item. Those of work-item i begin at SCRATCH_OF_ITEMS(i, width).
#define SCRATCH_OF_ITEMS(nitems, width) ((nitems) * (width))

// Of a group that is one of several of a row: a float of each work-item, and behind them what the
// row's groups say together, a maximum and a sum.
enum { SCRATCH_COLLECTED = 2 };
#define SCRATCH_COLLECTED_AT(nitems) SCRATCH_OF_ITEMS(nitems, 1)
#define SCRATCH_OF_A_ROW(nitems) (SCRATCH_COLLECTED_AT(nitems) + SCRATCH_COLLECTED)

#endif
