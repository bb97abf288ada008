// SPDX-License-Identifier: Apache-2.0
// Guards the loading of a binary, in which some drivers crash: a marker beside the entry, locked
// while its owner lives. Who finds one without an owner knows that a process died there.
#ifndef PRIM_OCL_CACHE_GUARD_H
#define PRIM_OCL_CACHE_GUARD_H

#include "ocl_cache_entry.h"

typedef struct {
    int fd; ///< of the locked marker, or -1
    char path[OCL_CACHE_PATH_BYTES];
} ocl_cache_guard_t;

/// Sets the marker "<name>.loading". False when one without an owner was there: it is taken away
/// and counted in "<name>.crashed", and the entry must not be loaded. Where no marker can be
/// written, or while another thread or process loads the same entry, loading goes on unguarded.
bool prim__ocl_cache_guard_enter(ocl_cache_guard_t *guard, const char *folder, const char *name);
/// Takes the marker away, if there is one.
void prim__ocl_cache_guard_leave(ocl_cache_guard_t *guard);

/// Whether so many processes died while loading this program that it is kept no longer.
bool prim__ocl_cache_guard_gave_up(const char *folder, const char *name);

#endif
