// SPDX-License-Identifier: Apache-2.0
// Loop nests of element-wise kernels; twin of ocl_nest_t in ocl_nest.h. Eight loops: an item takes
// a piece of the two innermost ones (places 6 and 7, chosen by the host) and one index of the rest.
// Tensor 0 is dst.
#ifndef CLH_NEST_H
#define CLH_NEST_H

#include "clh/types.h"

#define NEST_LOOPS 8
#define NEST_ROW 6
#define NEST_INNER 7
#define NEST_TENSORS 4
#define NEST_TAILS 2

typedef struct {
    long extents[NEST_LOOPS];
    long strides[NEST_TENSORS][NEST_LOOPS];
    long multipliers[NEST_TAILS][NEST_LOOPS]; // tail k: Σ multipliers·index ≥ limits is padding
    long limits[NEST_TAILS];
    int is_in_dst[NEST_TAILS]; // dst has the padding: 0 goes there
    int first_loop;            // loops before it have extent 1
    int reserved;
} nest_t;

// Where the outer loops stand: offsets of the tensors, indices along the tails.
typedef struct {
    long offs[NEST_TENSORS];
    long tails[NEST_TAILS];
} nest_at_t;

// `index` counts over the loops before NEST_ROW, row-major.
static inline nest_at_t nest_at(__constant const nest_t *nest, long index)
{
    nest_at_t at = {{0, 0, 0, 0}, {0, 0}};
    for (int l = NEST_ROW - 1; l >= nest->first_loop; --l) {
        // What remains for the outermost loop is its index.
        const long quotient = l > nest->first_loop ? div_long(index, nest->extents[l]) : 0;
        const long i = index - quotient * nest->extents[l];
        for (int t = 0; t < NEST_TENSORS; ++t) at.offs[t] += i * nest->strides[t][l];
        for (int k = 0; k < NEST_TAILS; ++k) at.tails[k] += i * nest->multipliers[k][l];
        index = quotient;
    }
    return at;
}

#endif
