// SPDX-License-Identifier: Apache-2.0
// FNV-1a (Fowler, Noll, Vo, IETF draft-eastlake-fnv): a fast hash, as checksum of data kept outside
// the process.
#ifndef PRIM_COMMON_FNV_H
#define PRIM_COMMON_FNV_H

#include <stddef.h>
#include <stdint.h>

#define FNV64_START UINT64_C(0xcbf29ce484222325)

/// FNV-1a of 64 bits, continued from `hash`; start with FNV64_START. Every change of a single byte
/// changes it.
uint64_t prim__fnv64(uint64_t hash, const void *bytes, size_t nbytes);

#endif
