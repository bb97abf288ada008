// SPDX-License-Identifier: Apache-2.0
// The table of all schemas.
#ifndef PRIM_COMMON_OPS_SCHEMA_TABLE_H
#define PRIM_COMMON_OPS_SCHEMA_TABLE_H

#include "schema.h"

/// NULL when the library does not know the operation in that direction.
const op_schema_t *prim__op_schema(prim_primitive_kind_t kind, direction_t direction);
/// The schema of a problem, which always has one.
const op_schema_t *prim__schema_of(const op_desc_t *op);

/// The implementations of one pass of an operation on a kind of engine, best first, NULL-terminated
/// (impl_lists/). What the library does not know has an empty list.
const impl_t *const *prim__impl_list(
        prim_engine_kind_t engine, prim_primitive_kind_t kind, direction_t direction);

#endif
