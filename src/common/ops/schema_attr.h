// SPDX-License-Identifier: Apache-2.0
// Attributes against a schema.
#ifndef PRIM_COMMON_OPS_SCHEMA_ATTR_H
#define PRIM_COMMON_OPS_SCHEMA_ATTR_H

#include "schema.h"

/// Scales, zero points and post-ops against the schema's rules; `attr` may be NULL.
prim_status_t prim__schema_check_attr(const shapes_t *shapes, const prim_attr_t *attr);

#endif
