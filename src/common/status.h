// SPDX-License-Identifier: Apache-2.0
// Status handling: one sentence for each failure, and the two ways a function passes one on.
#ifndef PRIM_COMMON_STATUS_H
#define PRIM_COMMON_STATUS_H

#include "compiler.h"
#include "prim/prim_types.h"

/// Keeps the sentence as the thread's last error, logs it at level `error` (runtime errors, memory)
/// or `check` (the caller's mistakes), and returns `status`: `return prim__fail(…)`.
prim_status_t prim__fail(prim_status_t status, const char *format, ...) PRIM_PRINTF(2, 3);

/// prim__fail(PRIM_OUT_OF_MEMORY, …) with the number of bytes that could not be had.
prim_status_t prim__fail_memory(size_t bytes);

/// From begin to end the thread's failures are those of an attempt that may fail: they are not
/// logged, and afterwards prim_last_error() returns what it did before. Attempts do not nest.
void prim__attempt_begin(void);
void prim__attempt_end(void);
bool prim__is_attempt(void);

/// Return early with a failure, while this function owns nothing.
#define TRY(expression)                                    \
    do {                                                   \
        const prim_status_t try_status = (expression);     \
        if (try_status != PRIM_SUCCESS) return try_status; \
    } while (0)

/// Leave through `label` with a failure in the local `st`, once this function owns something.
#define TRY_OR(label, expression)           \
    do {                                    \
        st = (expression);                  \
        if (st != PRIM_SUCCESS) goto label; \
    } while (0)

/// The caller's mistake, at the public boundary: CHECK(x >= 0, "x %d is negative", x).
#define CHECK(condition, ...)                                \
    do {                                                     \
        if (!(condition)) {                                  \
            prim__fail(PRIM_INVALID_ARGUMENTS, __VA_ARGS__); \
            return PRIM_INVALID_ARGUMENTS;                   \
        }                                                    \
    } while (0)

#define CHECK_NOT_NULL(pointer) CHECK((pointer) != NULL, #pointer " is NULL")

#endif
