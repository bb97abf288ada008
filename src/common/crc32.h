// SPDX-License-Identifier: Apache-2.0
// CRC-32 (IEEE 802.3, section 3.2.9): a checksum that detects every small damage.
#ifndef PRIM_COMMON_CRC32_H
#define PRIM_COMMON_CRC32_H

#include <stddef.h>
#include <stdint.h>

/// The CRC-32 of `nbytes` bytes. Up to 11 KiB (91607 bits with the checksum) the Hamming distance
/// is 4: one, two or three flipped bits always change it (Koopman, "32-Bit Cyclic Redundancy Codes
/// for Internet Applications", DSN 2002, table 1).
uint32_t prim__crc32(const void *bytes, size_t nbytes);

#endif
