// SPDX-License-Identifier: Apache-2.0
// Long sums of one work-item: PIECE terms are added one after the other in f32, before their sum is added to the others',
// so that the rounding error grows with PIECE and with the number of pieces instead of the number of terms.
#ifndef CLH_PIECE_SUM_H
#define CLH_PIECE_SUM_H

#define PIECE 4096

// `piece` has `nterms` terms, fewer than PIECE, that are not in `whole` yet.
typedef struct {
    float whole, piece;
    int nterms;
} piece_sum_t;

static inline void piece_sum_count(piece_sum_t *s)
{
    if (++s->nterms < PIECE) return;
    s->whole += s->piece;
    s->piece = 0.0f;
    s->nterms = 0;
}

static inline void piece_sum_add(piece_sum_t *s, float x)
{
    s->piece += x;
    piece_sum_count(s);
}

// Adds x·y, rounded once.
static inline void piece_sum_add_product(piece_sum_t *s, float x, float y)
{
    s->piece = fma(x, y, s->piece);
    piece_sum_count(s);
}

static inline float piece_sum_of(const piece_sum_t *s)
{
    return s->whole + s->piece;
}

#endif
