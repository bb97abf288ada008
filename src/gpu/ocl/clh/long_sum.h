// SPDX-License-Identifier: Apache-2.0
// Sums of one work-item in two levels, so that long ones keep their digits.
#ifndef CLH_LONG_SUM_H
#define CLH_LONG_SUM_H

// Terms added up before their sum joins the whole.
#define LONG_SUM_PIECE 1024L

typedef struct {
    float piece, sum;
} long_sum_t;

// Adds term number `index`, counted from 0.
static inline void long_sum_add(long_sum_t *s, float x, long index)
{
    s->piece += x;
    if ((index & (LONG_SUM_PIECE - 1)) != LONG_SUM_PIECE - 1) return;
    s->sum += s->piece;
    s->piece = 0.0f;
}

static inline float long_sum_of(const long_sum_t *s)
{
    return s->sum + s->piece;
}

#endif
