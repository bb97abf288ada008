// SPDX-License-Identifier: Apache-2.0
// The functions of int_math.h for calls that were not inlined.
#include "int_math.h"

extern inline int64_t prim__ceil_div(int64_t a, int64_t b);
extern inline int64_t prim__round_up(int64_t a, int64_t step);
extern inline int64_t prim__min(int64_t a, int64_t b);
extern inline int64_t prim__max(int64_t a, int64_t b);
