// SPDX-License-Identifier: Apache-2.0
// Which options each implementation is known to take: tests/harness/impl_options/<driver>, so that
// one that is lost is noticed.
#ifndef PRIM_TESTS_IMPL_OPTIONS_H
#define PRIM_TESTS_IMPL_OPTIONS_H

#include "impl_pool.h"

/// Prints a section of such a file: the name, then a line for each axis with its values.
void impl_options_print(const pool_t *pool, int impl, const bool *has);

/// Compares with the file in `folder`; counts, and prints if it `prints`, the options that the
/// implementation took once and declines now, the device's gaps apart. -1 when it has no section.
int impl_options_lost(
        const pool_t *pool, int impl, const bool *has, const char *folder, bool prints);

/// Prints the options of the pool that the implementation declines.
void impl_options_print_declined(const pool_t *pool, int impl, const bool *has);

#endif
