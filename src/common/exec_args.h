// SPDX-License-Identifier: Apache-2.0
// The arguments of prim_execute() against what the descriptor wants.
#ifndef PRIM_COMMON_EXEC_ARGS_H
#define PRIM_COMMON_EXEC_ARGS_H

#include "impl.h"

/// PRIM_INVALID_ARGUMENTS with a sentence unless every argument is there once, on the right engine,
/// with the right descriptor and a buffer. Allocates nothing.
prim_status_t prim__exec_args_check(const prim_desc_t *pd, int nargs, const prim_arg_t *args);

#endif
