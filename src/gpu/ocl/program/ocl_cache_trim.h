// SPDX-License-Identifier: Apache-2.0
// Keeps the cache on disk below its limit.
#ifndef PRIM_OCL_CACHE_TRIM_H
#define PRIM_OCL_CACHE_TRIM_H

#include "common/status.h"

/// Removes entries, the least recently used first, until those left take at most `max_bytes`; never
/// the one called `kept` ("<name>.clbin", or NULL). What dead writers left goes too. Files that are
/// not the cache's are not touched. Other processes may do the same at the same time.
void prim__ocl_cache_trim(const char *folder, uint64_t max_bytes, const char *kept);

#endif
