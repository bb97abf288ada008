// SPDX-License-Identifier: Apache-2.0
// For tests of refusals: an output filled with a pattern, and the check that it still holds it.
#ifndef PRIM_TESTS_API_UNTOUCHED_H
#define PRIM_TESTS_API_UNTOUCHED_H

#include <string.h>

#include "prim/prim.h"
#include "support/unit_test.h"

enum { PATTERN = 0x5a };

static inline void fill_pattern(void *object, size_t bytes)
{
    memset(object, PATTERN, bytes);
}

static inline void assert_pattern(const void *object, size_t bytes)
{
    for (size_t i = 0; i < bytes; ++i)
        assert_int_equal(((const unsigned char *)object)[i], PATTERN);
}

/// The status, and a sentence of this very failure in prim_last_error(). Afterwards the last error
/// is another one again, so that a silent failure shows.
static inline void assert_fails(prim_status_t got, prim_status_t expected)
{
    assert_int_equal(got, expected);
    assert_string_not_equal(prim_last_error(), "levels is NULL");
    assert_string_not_equal(prim_last_error(), "");
    prim_set_verbose(NULL);
    assert_string_equal(prim_last_error(), "levels is NULL");
}

static inline void assert_refused(prim_status_t got)
{
    assert_fails(got, PRIM_INVALID_ARGUMENTS);
}

#endif
