// SPDX-License-Identifier: Apache-2.0
// The half of support_page that asks the implementations. benchdnn's headers and the schemas have
// names in common.
#ifndef PRIM_TESTS_SUPPORT_PAGE_H
#define PRIM_TESTS_SUPPORT_PAGE_H

#include <stdio.h>

/// The section of data types: of each pass on each engine, those that its scenario may have.
void support_write_types(FILE *out);

#endif
