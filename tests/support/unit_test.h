// SPDX-License-Identifier: Apache-2.0
// What every cmocka program here includes, in the order that cmocka asks for.
#ifndef PRIM_TESTS_SUPPORT_UNIT_TEST_H
#define PRIM_TESTS_SUPPORT_UNIT_TEST_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

/// Number of entries of an array.
#define COUNT_OF(array) (sizeof(array) / sizeof((array)[0]))

#endif
