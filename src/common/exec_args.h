// SPDX-License-Identifier: Apache-2.0
// Resolves the arguments of prim_execute(), and checks them against the descriptor.
#ifndef PRIM_COMMON_EXEC_ARGS_H
#define PRIM_COMMON_EXEC_ARGS_H

#include "impl.h"

/// Puts the memories of the arguments to their places, NULL where the problem has no argument, and
/// checks them: PRIM_INVALID_ARGUMENTS with a sentence unless every argument is there once, on the
/// right engine, with the right descriptor and a buffer. Further arguments are ignored. `memory`
/// holds pd->places.nplaces. Allocates nothing.
prim_status_t prim__exec_args_resolve(
        prim_memory_t **memory, const prim_desc_t *pd, int nargs, const prim_arg_t *args);

#endif
