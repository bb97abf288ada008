// SPDX-License-Identifier: Apache-2.0
// How init_pd says no: it cannot, or another implementation is faster.
#ifndef PRIM_COMMON_DECLINE_H
#define PRIM_COMMON_DECLINE_H

#include <stdbool.h>

#include "compiler.h"
#include "prim/prim_types.h"

/// Ends init_pd: this implementation cannot do it. The sentence, with arguments as printf's, is for
/// somebody who wonders why: it names the tensor or the parameter and the value that did not fit.
#define REQUIRE(pd, condition, ...)                                \
    do {                                                           \
        if (!(condition)) return prim__decline((pd), __VA_ARGS__); \
    } while (0)

/// Ends init_pd in the first pass over the list: it could, but another one is faster.
#define PREFER_OTHER_UNLESS(pd, condition, ...)                                                \
    do {                                                                                       \
        if (!(condition) && !prim__may_be_slower(pd)) return prim__decline((pd), __VA_ARGS__); \
    } while (0)

/// Keeps the sentence, printf's format and arguments, and returns PRIM_UNIMPLEMENTED.
prim_status_t prim__decline(prim_desc_t *pd, const char *format, ...) PRIM_PRINTF(2, 3);
/// Notes that the implementation expects another one to be faster; returns whether to go on.
bool prim__may_be_slower(prim_desc_t *pd);

#endif
