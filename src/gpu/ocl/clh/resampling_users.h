// SPDX-License-Identifier: Apache-2.0
// The gradient of resampling looks the other way: which elements of diff_dst an element of diff_src is a part of, and
// with what weight. Positions as in clh/resampling.h, in integers of type POSITION_T, which hold (2·out + 3)·in.
// -D: POSITION_T = long unless given.
#ifndef CLH_RESAMPLING_USERS_H
#define CLH_RESAMPLING_USERS_H

#include "clh/types.h"

#if !defined(POSITION_T)
#define POSITION_T long
#define POSITION_DIV div_long
#endif

// The elements begin ≤ y < end along one dimension.
typedef struct {
    POSITION_T begin, end;
} users_t;

// ⌈n / d⌉, 0 for negative n.
static inline POSITION_T users_ceil(POSITION_T n, POSITION_T d)
{
    return n > 0 ? POSITION_DIV(n + d - 1, d) : 0;
}

// Those whose position rounds to x.
static inline users_t nearest_users(POSITION_T x, POSITION_T in, POSITION_T out)
{
    const users_t u = {users_ceil(2 * out * x - in, 2 * in), min(users_ceil(2 * out * (x + 1) - in, 2 * in), out)};
    return u;
}

// Those whose position is less than 1 from x; positions beyond a border are less than 1 from the element there.
static inline users_t linear_users(POSITION_T x, POSITION_T in, POSITION_T out)
{
    const POSITION_T from = out * (2 * x - 1) - in;
    const users_t u = {from < 0 ? 0 : POSITION_DIV(from, 2 * in) + 1,
            min(users_ceil(out * (2 * x + 3) - in, 2 * in), out)};
    return u;
}

// The weight of x in element y: a quotient of integers, so that small ones are exact to their own last bits.
static inline float linear_weight(POSITION_T x, POSITION_T y, POSITION_T in, POSITION_T out)
{
    const POSITION_T unit = 2 * out; // positions are in units of 1 / (2·out)
    const POSITION_T position = min(max((2 * y + 1) * in - out, (POSITION_T)0), (in - 1) * unit);
    const POSITION_T distance = position - x * unit;
    // unit − |distance|; of an absolute value a compiler may make what Oclgrind does not know
    return (float)min(unit - distance, unit + distance) / (float)unit;
}

#endif
