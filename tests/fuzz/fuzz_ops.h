// SPDX-License-Identifier: Apache-2.0
// Random problems for the functions that create primitive descriptors.
#ifndef PRIM_TESTS_FUZZ_OPS_H
#define PRIM_TESTS_FUZZ_OPS_H

#include "fuzz_md.h"

/// Random attributes for a destination of this shape; NULL half of the time. The caller destroys
/// them.
prim_attr_t *fuzz_attr(fuzz_input_t *in, int ndims, const prim_dim_t *dims);

/// Prints each implementation that is reached and each refusal (scripts/draw_corpus.py).
extern bool fuzz_tells;

/// Where fuzz_params.c draws from while a driver creates a descriptor; NULL: nothing is changed.
extern fuzz_input_t *fuzz_params_input;

/// Creates a descriptor of a random problem, most often a sensible one, on one of the engines; asks
/// it everything, walks through its implementations, destroys it.
void fuzz_op_call(fuzz_input_t *in, prim_engine_t *const *engines, int nengines);

#endif
