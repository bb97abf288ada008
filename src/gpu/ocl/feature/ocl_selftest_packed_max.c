// SPDX-License-Identifier: Apache-2.0
// Self-test of maxima and minima of pairs of 16 bits.
#include "ocl_selftest.h"

enum { NITEMS = 256, NOPS = 6 };

// Numbers of f16 and bf16 of either sign, infinities and NaN among them.
static uint32_t x_at(int i)
{
    static const uint32_t special[] = {
            0x7c00fc00u, 0x3c007e01u, 0xfe003c00u, 0x7f80ff80u, 0x3f807fc1u, 0xffc03f80u};
    enum { NSPECIAL = sizeof special / sizeof special[0] };
    return i < NSPECIAL ? special[i] : (uint32_t)i * 2654435761u + 12345u;
}

static uint16_t signed_max(uint16_t a, uint16_t b)
{
    return (int16_t)a > (int16_t)b ? a : b;
}

static uint16_t unsigned_max(uint16_t a, uint16_t b)
{
    return a > b ? a : b;
}

/// Bits whose order as integers is that of the numbers.
static int rank(uint16_t bits)
{
    return bits & 0x8000u ? -(bits & 0x7fff) : bits;
}

static bool is_nan(uint16_t bits, uint16_t infinity)
{
    return (bits & 0x7fffu) > infinity;
}

/// NaN where either is.
static uint16_t float_end(uint16_t a, uint16_t b, uint16_t infinity, bool is_max)
{
    if (is_nan(a, infinity)) return a;
    if (is_nan(b, infinity)) return b;
    return (rank(a) > rank(b)) == is_max ? a : b;
}

enum { F16_INFINITY = 0x7c00, BF16_INFINITY = 0x7f80 };

static uint16_t infinity_of(int op)
{
    return op < 4 ? F16_INFINITY : BF16_INFINITY;
}

static uint16_t expected_of(int op, uint16_t a, uint16_t b)
{
    if (op == 0) return signed_max(a, b);
    return op == 1 ? unsigned_max(a, b) : float_end(a, b, infinity_of(op), op % 2 == 0);
}

static bool is_same(int op, uint16_t got, uint16_t expected)
{
    if (got == expected) return true;
    return op >= 2 && is_nan(expected, infinity_of(op)) && is_nan(got, infinity_of(op));
}

static bool is_right(ocl_selftest_t *test, const uint32_t *got)
{
    static const char *const names[NOPS] = {"signed maxima", "unsigned maxima", "maxima as f16",
            "minima as f16", "maxima as bf16", "minima as bf16"};
    for (int i = 0; i < NITEMS * NOPS; ++i) {
        const int op = i % NOPS;
        const uint32_t a = x_at(i / NOPS), b = x_at(i / NOPS + 1);
        const uint16_t low = expected_of(op, (uint16_t)a, (uint16_t)b);
        const uint16_t high = expected_of(op, (uint16_t)(a >> 16), (uint16_t)(b >> 16));
        if (!is_same(op, (uint16_t)got[i], low) || !is_same(op, (uint16_t)(got[i] >> 16), high)) {
            return prim__ocl_selftest_say(test, "%s of %#x and %#x are %#x, not %#x", names[op], a,
                    b, got[i], (uint32_t)high << 16 | low);
        }
    }
    return true;
}

bool prim__ocl_selftest_packed_max(ocl_selftest_t *test)
{
    uint32_t x[NITEMS + 1], got[NOPS * NITEMS];
    for (int i = 0; i <= NITEMS; ++i) x[i] = x_at(i);
    const cl_mem mems[] = {prim__ocl_selftest_buffer(test, NULL, sizeof got),
            prim__ocl_selftest_buffer(test, x, sizeof x)};
    return prim__ocl_selftest_build(test, "-cl-std=CL1.2 -DPACKED_MAX=1") &&
           prim__ocl_selftest_run(test, "packed_ops", NITEMS, 64, mems, 2) &&
           prim__ocl_selftest_read(test, mems[0], got, sizeof got) && is_right(test, got);
}
