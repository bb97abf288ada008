// SPDX-License-Identifier: Apache-2.0
// diff_src of normalisations of NHWC, VEC channels at once: factor·diff_dst − slope·(src − mean) − rest. -D: VEC.
#ifndef CLH_NORM_GRADIENT_H
#define CLH_NORM_GRADIENT_H

#include "clh/vec.h"

typedef struct {
    floatv mean, factor, slope, rest;
} norm_gradient_t;

// x, y: of src and of diff_dst.
static inline floatv norm_gradient_of(const norm_gradient_t *g, floatv x, floatv y)
{
    return g->factor * y - g->slope * (x - g->mean) - g->rest;
}

#endif
