// SPDX-License-Identifier: Apache-2.0
// Self-test of conversions of pairs of floats to bf16.
#include "ocl_selftest.h"

enum { NITEMS = 128, NELEMS = 2 * NITEMS };

// Ties to the even neighbour below and above, what lies beside them, overflow, numbers below the
// normal ones, infinities, NaN; then any bits.
static const uint32_t special[] = {0x3f808000u, 0x3f818000u, 0x3f808001u, 0x3f807fffu, 0xbf818000u,
        0x7f7fffffu, 0xff7fffffu, 0x00000001u, 0x00008000u, 0x00018000u, 0x80012345u, 0x007fffffu,
        0x7f800000u, 0xff800000u, 0x7fc00001u, 0xff800001u, 0x80000000u};
enum { NSPECIAL = sizeof special / sizeof special[0] };

static uint32_t bits_at(int i)
{
    return i < NSPECIAL ? special[i] : (uint32_t)i * 2654435761u;
}

static bool is_nan(uint32_t bits)
{
    return (bits & 0x7fffffffu) > 0x7f800000u;
}

static bool is_right(ocl_selftest_t *test, const uint16_t *got)
{
    for (int i = 0; i < NELEMS; ++i) {
        const uint32_t bits = bits_at(i), own = got[i];
        const uint32_t expected = (bits + 0x7fffu + (bits >> 16 & 1u)) >> 16;
        if (is_nan(bits) ? !is_nan(own << 16) : own != expected) {
            return prim__ocl_selftest_say(test, "bf16 of %#x is %#x, not %#x", bits, own, expected);
        }
    }
    return true;
}

bool prim__ocl_selftest_packed_bf16(ocl_selftest_t *test)
{
    uint32_t x[NELEMS];
    uint16_t got[NELEMS];
    for (int i = 0; i < NELEMS; ++i) x[i] = bits_at(i);
    const cl_mem mems[] = {prim__ocl_selftest_buffer(test, NULL, sizeof got),
            prim__ocl_selftest_buffer(test, x, sizeof x)};
    return prim__ocl_selftest_build(test, "-cl-std=CL1.2 -DPACKED_BF16=1") &&
           prim__ocl_selftest_run(test, "pack_bf16", NITEMS, 64, mems, 2) &&
           prim__ocl_selftest_read(test, mems[0], got, sizeof got) && is_right(test, got);
}
