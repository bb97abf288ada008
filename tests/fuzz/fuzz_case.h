// SPDX-License-Identifier: Apache-2.0
// Random problems of every operation: those of benchdnn's smoke inputs, changed. Its drivers call
// the functions of prim_ops.h, so that a new operation brings its own.
#ifndef PRIM_TESTS_FUZZ_CASE_H
#define PRIM_TESTS_FUZZ_CASE_H

#include "core/bench_case.h"
#include "fuzz_input.h"

/// Keeps some cases of every driver. Ends the program with a sentence if it finds none of one.
void fuzz_cases_read(void);
void fuzz_cases_free(void);

/// One of them, options and sizes changed here and there; valid until the next call.
const prb_t *fuzz_case(fuzz_input_t *in);

#endif
