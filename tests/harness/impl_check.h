// SPDX-License-Identifier: Apache-2.0
// Runs problems of a pool through implementations until every option that each takes was touched.
#ifndef PRIM_TESTS_IMPL_CHECK_H
#define PRIM_TESTS_IMPL_CHECK_H

#include "impl_pool.h"

/// What came of one implementation.
typedef struct {
    int accepted;            ///< problems of the pool that it takes
    int run, passed, failed; ///< distinct problems
    int mistrusted, skipped; ///< proved nothing: constant results, no memory
    bool *has;               ///< options it takes; edges of its tiles are options too
    bool *touched;           ///< by problems that passed
    bool *doubted;           ///< by problems with results that are right, but nearly all zeros
} impl_result_t;

/// results[i] becomes what came of implementation impls[i]; all share the processes of benchdnn,
/// for to open a device may take longer than a problem. At least `least` problems have to pass. No
/// more styles than `nstyles` (0: any number) are compiled for the sake of the options they touch.
void impl_check(impl_result_t *results, const pool_t *pool, const int *impls, int n, int least,
        int nstyles);
void impl_result_free(impl_result_t *result);

/// How many options the implementation takes, and how many of them passed. `edges`: of tiles; else
/// all others.
int impl_count(const pool_t *pool, const bool *set, bool edges);

#endif
