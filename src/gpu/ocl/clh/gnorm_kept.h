// SPDX-License-Identifier: Apache-2.0
// Vectors that a work-item of group normalisation keeps in local memory.
// -D: GROUP_ITEMS; those of clh/async_copy.h; ASYNC_COPY: 1 only for vectors of 16 bytes.
#ifndef CLH_GNORM_KEPT_H
#define CLH_GNORM_KEPT_H

#include "clh/async_copy.h"

// What a work-item keeps in local memory: its k-th vector of an array of GROUP_ITEMS for each k.
#define LOCAL_AT(to, k) ((to)[(k) * GROUP_ITEMS + (int)get_local_id(0)])
// LOCAL_COPY(to, place, k, load, p, i): it becomes load(p, i); place: copy_place(&LOCAL_AT(to, 0)).
#if ASYNC_COPY
#define LOCAL_COPY(to, place, k, load, p, i) copy_16((place) + (k) * GROUP_ITEMS * 16, (p) + (i))
#else
#define LOCAL_COPY(to, place, k, load, p, i) ((void)(place), LOCAL_AT(to, k) = load(p, i))
#endif

#endif
