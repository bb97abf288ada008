// SPDX-License-Identifier: Apache-2.0
// A tuning run: the candidates of a problem are built, checked against the generic kernel, timed.
#ifndef PRIM_OCL_TUNE_RUN_H
#define PRIM_OCL_TUNE_RUN_H

#include "common/impl.h"

/// See engine_ops_t.desc_tune. The problem is run without scales, zero points and post-ops, which
/// come after the sums, so that one result serves all of them.
bool prim__ocl_desc_tune(const prim_desc_t *pd);

#endif
