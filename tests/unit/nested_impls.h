// SPDX-License-Identifier: Apache-2.0
// Implementations that nest, for nested_test: t:outer:two runs the inner operation twice, with what
// is between in its scratchpad, and t:outer:any runs by itself. Inside there is t:inner:fast, which
// has a scratchpad that it leaves filled with garbage, and t:inner:any, which is the same;
// t:inner:picky declines, and t:inner:slow knows a faster one.
#ifndef NESTED_IMPLS_H
#define NESTED_IMPLS_H

#include "common/nested.h"

enum { FIRST, SECOND }; // slots of t:outer:two

extern atomic_int ninner; ///< primitives of the inner operation that live
extern atomic_int nwrong; ///< what was found wrong during executions

/// Of eltwise, with the list of the inner operation.
extern op_schema_t inner_schema;
extern const impl_t inner_picky, inner_slow, inner_any;
extern const impl_t *const outer_list[];   ///< t:outer:two, t:outer:any
extern const impl_t *const nesting_list[]; ///< t:outer:two alone

extern const impl_t *const fussy_list[]; ///< t:outer:fussy, without t:inner:any; t:outer:any

/// Puts inner_schema and nwrong to their beginnings.
void nested_impls_reset(void);

#endif
