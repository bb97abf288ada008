// SPDX-License-Identifier: Apache-2.0
// Self-test of arithmetic of pairs of 16 bits: maxima and minima, sums, which are equal, bytes as
// pairs.
#include "common/data_type.h"
#include "ocl_selftest.h"

enum { NITEMS = 256, NOPS = 11 };

/// Where those of floats begin, and those that are bf16.
enum { MAX_F16 = 2, MAX_BF16 = 4, EQUAL_F16 = 6, ADD_F16, ADD_BF16, BYTES_01, BYTES_23 };

// Numbers of f16 and bf16 of either sign, infinities, NaN, numbers below the normal ones and zeros
// among them.
static uint32_t x_at(int i)
{
    static const uint32_t special[] = {0x7c00fc00u, 0x3c007e01u, 0xfe003c00u, 0x7f80ff80u,
            0x3f807fc1u, 0xffc03f80u, 0x00030008u, 0x00038008u, 0x80000003u, 0x00008003u};
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

static bool is_bf16(int op)
{
    return op == MAX_BF16 || op == MAX_BF16 + 1 || op == ADD_BF16;
}

static uint16_t infinity_of(int op)
{
    return is_bf16(op) ? BF16_INFINITY : F16_INFINITY;
}

static uint16_t sum_of(prim_data_type_t dt, uint16_t a, uint16_t b)
{
    uint16_t sum;
    prim__store(&sum, dt, 0, prim__load(&a, dt, 0) + prim__load(&b, dt, 0));
    return sum;
}

static uint16_t expected_of(int op, uint16_t a, uint16_t b)
{
    switch (op) {
    case 0: return signed_max(a, b);
    case 1: return unsigned_max(a, b);
    case EQUAL_F16: return prim__load(&a, PRIM_F16, 0) == prim__load(&b, PRIM_F16, 0) ? 0xffffu : 0;
    case ADD_F16: return sum_of(PRIM_F16, a, b);
    case ADD_BF16: return sum_of(PRIM_BF16, a, b);
    default: return float_end(a, b, infinity_of(op), op % 2 == 0);
    }
}

/// Of a pair of words.
static uint32_t expected_word(int op, uint32_t a, uint32_t b)
{
    if (op == BYTES_01 || op == BYTES_23) {
        const uint32_t pair = op == BYTES_01 ? a & 0xffffu : a >> 16;
        return (pair & 0xffu) | (pair & 0xff00u) << 8;
    }
    return (uint32_t)expected_of(op, (uint16_t)(a >> 16), (uint16_t)(b >> 16)) << 16 |
           expected_of(op, (uint16_t)a, (uint16_t)b);
}

static bool is_same(int op, uint16_t got, uint16_t expected)
{
    if (got == expected) return true;
    const bool is_float = op >= MAX_F16 && op <= ADD_BF16 && op != EQUAL_F16;
    return is_float && is_nan(expected, infinity_of(op)) && is_nan(got, infinity_of(op));
}

static bool is_right(ocl_selftest_t *test, const uint32_t *got)
{
    static const char *const names[NOPS] = {"signed maxima", "unsigned maxima", "maxima as f16",
            "minima as f16", "maxima as bf16", "minima as bf16", "equal ones as f16", "sums as f16",
            "sums as bf16", "two bytes", "two other bytes"};
    for (int i = 0; i < NITEMS * NOPS; ++i) {
        const int op = i % NOPS;
        const uint32_t a = x_at(i / NOPS), b = x_at(i / NOPS + 1), word = expected_word(op, a, b);
        if (!is_same(op, (uint16_t)got[i], (uint16_t)word) ||
                !is_same(op, (uint16_t)(got[i] >> 16), (uint16_t)(word >> 16))) {
            return prim__ocl_selftest_say(
                    test, "%s of %#x and %#x are %#x, not %#x", names[op], a, b, got[i], word);
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
