// SPDX-License-Identifier: Apache-2.0
// FNV-1a: a fast hash, as checksum of data kept outside the process.
#include "fnv.h"

uint64_t prim__fnv64(uint64_t hash, const void *bytes, size_t nbytes)
{
    const unsigned char *const p = bytes;
    for (size_t i = 0; i < nbytes; ++i) hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    return hash;
}
