// SPDX-License-Identifier: Apache-2.0
// The table of all schemas.
#include "schema_table.h"

#include <assert.h>

#include "operations.h"
#include "schema.h"

#define DECLARE(kind, direction, stem) extern const op_schema_t prim__##stem##_schema;
FOR_EACH_PASS(DECLARE)

#define ENTRY(kind, direction, stem) [kind][direction] = &prim__##stem##_schema,
/// By kind, then by direction: what prim_ops.h offers. A schema that is not there does not link,
/// nor does one whose lists of implementations are not there.
static const op_schema_t *const schemas[][NDIRECTIONS] = {FOR_EACH_PASS(ENTRY)};

enum { NKINDS = sizeof schemas / sizeof *schemas };

const op_schema_t *prim__op_schema(prim_primitive_kind_t kind, direction_t direction)
{
    return (unsigned)kind < NKINDS ? schemas[kind][direction] : NULL;
}

const op_schema_t *prim__schema_of(const op_desc_t *op)
{
    const op_schema_t *const schema = prim__op_schema(op->kind, prim__direction_of(op->prop_kind));
    assert(schema);
    return schema;
}

const impl_t *const *prim__impl_list(
        prim_engine_kind_t engine, prim_primitive_kind_t kind, direction_t direction)
{
    return prim__schema_list(prim__op_schema(kind, direction), engine);
}
