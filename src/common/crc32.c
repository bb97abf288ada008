// SPDX-License-Identifier: Apache-2.0
// CRC-32: a checksum that detects every small damage.
#include "crc32.h"

uint32_t prim__crc32(const void *bytes, size_t nbytes)
{
    const uint32_t polynomial = UINT32_C(0xedb88320); // its bits in reverse, as the bytes' are
    const unsigned char *const p = bytes;
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < nbytes; ++i) {
        crc ^= p[i];
        for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ (crc & 1 ? polynomial : 0);
    }
    return ~crc;
}
