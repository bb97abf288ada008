// SPDX-License-Identifier: Apache-2.0
// Stores past the caches, for devices that are processors (feature `nontemporal`): a store of a
// whole vector that is written once and not read soon. An ordinary store reads the line of the cache
// first and throws another line out of it.
//
// Such stores of a work-item are seen by itself in order. Others see them once the launch is over: the
// thread that ran the group takes or leaves a lock then, and locked instructions wait for them.
// Partial lines go out as such, so an item writes its lines whole, and in order.
// Where such stores pay, so does asking for lines that are wanted soon.
#ifndef CLH_NONTEMPORAL_H
#define CLH_NONTEMPORAL_H

#if !defined(__has_builtin)
#error "the compiler does not tell what it has"
#elif !__has_builtin(__builtin_nontemporal_store) || !__has_builtin(__builtin_prefetch)
#error "the compiler has no stores past the caches, or asks for no lines ahead"
#endif

// x, a vector of type V, to an address that is aligned to it.
#define STORE_PAST(V, x, p) __builtin_nontemporal_store(x, (__global V *)(p))

// Asks for the line of the cache that p points into, which need not be there.
#define FETCH_LINE(p) __builtin_prefetch((const void *)(size_t)(p))

#endif
