// SPDX-License-Identifier: Apache-2.0
// What the typed variants of local response normalisation across channels share: the power, and the terms of windows.
// -D: VEC, HALF (neighbours of the window on each side), BETA = 75: beta is 0.75, 100: 1, 50: 0.5, 0: any other; SRC
// and, of a gradient, DIFF_DST and DIFF_SRC (prim__ocl_options_type()).
#ifndef CLH_LRN_ACROSS_H
#define CLH_LRN_ACROSS_H

#if !defined(HALF) || !defined(BETA)
#error "clh/lrn_across.h needs HALF, BETA"
#endif

#include "clh/always_inline.h"
#include "clh/channels.h"
#include "clh/shared/lrn_across_data.h"
#include "clh/vec.h"

#define DIFF_DST_LOADV VEC_FORM(DIFF_DST, LOAD)
#define DIFF_SRC_STOREV VEC_FORM(DIFF_SRC, STORE)

// The vector `at` elements from p, where `is_aligned`, a constant, says that vectors are aligned there.
#define LOAD_AT(prefix, p, at) \
    VEC_FORM(prefix, LOAD)(is_aligned ? AS_ALIGNED(VEC_NAME(prefix, _, T), VEC, (p) + (at)) : (p) + (at), 0)
#define STORE_AT(prefix, p, at, x) \
    VEC_FORM(prefix, STORE)(is_aligned ? AS_ALIGNED(VEC_NAME(prefix, _, T), VEC, (p) + (at)) : (p) + (at), 0, x)

// w^(−beta): roots take a third of the instructions of pow().
static inline floatv lrn_power(floatv w, float beta)
{
    if (BETA == 75) return 1.0f / (sqrt(w) * sqrt(sqrt(w)));
    if (BETA == 50) return 1.0f / sqrt(w);
    return BETA == 100 ? 1.0f / w : pow(w, (floatv)(-beta));
}

// What the gradient needs of an element.
typedef struct {
    floatv x, own; // src, and what diff_dst passes on to the element itself
    floatv term;   // what it adds to the sums of the windows over it
} lrn_terms_t;

#if defined(DIFF_DST_DT)
static inline lrn_terms_t lrn_terms(floatv x, floatv g, floatv w, float beta)
{
    lrn_terms_t t;
    t.x = x;
    t.own = g * lrn_power(w, beta);
    t.term = t.own * x / w;
    return t;
}
#endif

#endif
