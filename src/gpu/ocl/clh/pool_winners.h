// SPDX-License-Identifier: Apache-2.0
// Maxima with their indices in the window, row-major over the kernel: the first of equal ones in the order of calls; a
// NaN never wins.
// -D: WITH_WS (else all this is left out), KH, KW (window), those of clh/vec.h.
#ifndef CLH_POOL_WINNERS_H
#define CLH_POOL_WINNERS_H

#include "clh/vec.h"

#if defined(WITH_WS) && WITH_WS && defined(KH)

typedef struct {
    floatv x;
    intv winner;
} winners_t;

static inline void take_winner(winners_t *acc, floatv x, intv index)
{
    const intv wins = x > acc->x;
    acc->winner = select(acc->winner, index, wins);
    acc->x = select(acc->x, x, wins);
}

// Of windows at row h0 and columns w0, from plane kd on: the first tap inside src is the index until something is
// greater than -INFINITY.
static inline winners_t first_winners(int kd, int h0, intv w0)
{
    const winners_t y = {(floatv)(-INFINITY), (kd * KH + max(-h0, 0)) * KW + max(-w0, (intv)(0))};
    return y;
}

// Where a tap before the border holds what the nearest one inside holds, it wins instead of that.
static inline intv winners_inside(intv winner, int h0, int w0)
{
    if (h0 >= 0 && w0 >= 0) return winner;
    const intv plane = winner / (KH * KW), row = winner / KW - plane * KH, col = winner % KW;
    return (plane * KH + max(row, (intv)(-h0))) * KW + max(col, (intv)(-w0));
}

#endif

#endif
