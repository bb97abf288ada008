// SPDX-License-Identifier: Apache-2.0
// Non-temporal stores and prefetches for CPU-type devices (feature `nontemporal`). A non-temporal store writes a full
// vector that is not read soon without reading its cache line first, and without evicting another line.
//
// Such stores of a work-item are seen by itself in order. Others see them once the launch is over: the
// thread that ran the work-group acquires or releases a lock then, and locked instructions wait for them.
// Partial lines are written as such, so a work-item writes full lines, and in order.
// Where such stores pay, prefetches do too; -DPREFETCHES=1 is for kernels that only prefetch, because their stores are no
// full lines: a mixture of non-temporal and ordinary stores, in rows of 224 bytes, took three times as long as
// ordinary ones alone.
#ifndef CLH_NONTEMPORAL_H
#define CLH_NONTEMPORAL_H

#if defined(NONTEMPORAL) || defined(PREFETCHES)

#if !defined(__has_builtin)
#error "the compiler does not tell what it has"
#elif !__has_builtin(__builtin_nontemporal_store) || !__has_builtin(__builtin_prefetch)
#error "the compiler has no non-temporal stores or no prefetches"
#endif

// x, a vector of type V, to an address that is aligned to it.
#define STORE_NONTEMPORAL(V, x, p) __builtin_nontemporal_store(x, (__global V *)(p))

// Asks for the line of the cache that p points into, which need not be there.
#define PREFETCH_LINE(p) __builtin_prefetch((const void *)(size_t)(p))

// For sequential reads: prefetches a line of the next 16 KiB, from its four pages alternately. Lines of several pages
// arrive faster than those of one, and a hardware prefetcher stops at the end of a page (98 MiB, two cores of a Xeon:
// 7.5 ms; with prefetches 8 KiB ahead 5.5; so 4.5).
static inline void prefetch_ahead(__global const void *p)
{
    const size_t at = (size_t)p, line = (at >> 6) & 255;
    PREFETCH_LINE((at & ~(size_t)16383) + 16384 + (line & 3) * 4096 + (line >> 2) * 64);
}

#endif

#endif
