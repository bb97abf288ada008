// SPDX-License-Identifier: Apache-2.0
// Compiler extensions beyond C11, under one name each.
#ifndef PRIM_COMMON_COMPILER_H
#define PRIM_COMMON_COMPILER_H

#include <stddef.h> // C has no empty translation units, and headers must compile alone

/// Lets the compiler compare the arguments from `first_index` on with the format, as printf's are.
#if defined(__GNUC__)
#define PRIM_PRINTF(format_index, first_index) \
    __attribute__((format(printf, format_index, first_index)))
#else
#define PRIM_PRINTF(format_index, first_index)
#endif

#endif
