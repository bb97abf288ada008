// SPDX-License-Identifier: Apache-2.0
// Creation of a problem by its schema.
#ifndef PRIM_COMMON_OPS_SCHEMA_CREATE_H
#define PRIM_COMMON_OPS_SCHEMA_CREATE_H

#include "schema.h"

/// The request of a creation, before anything is checked.
typedef struct {
    prim_engine_t *engine;
    prim_engine_t *const *sides; ///< the engine of each rule's tensor; NULL: all on `engine`
    prim_engine_t *peer;         ///< the other one of `sides`, or NULL
    const prim_memory_desc_t *const
            *mds; ///< one for each rule, as the caller passed it; may be NULL
    int nrepeated;
    const prim_memory_desc_t *const *repeated; ///< of the repeated tensor
    const float *factors;                      ///< sum: of each of them
    const prim_desc_t *hint; ///< the forward pass of a backward one; NULL: nothing to compare with
    const prim_attr_t *attr;
} request_t;

/// Checks everything and creates the descriptor of a problem.
prim_status_t prim__op_create(
        prim_desc_t **pd, const op_schema_t *schema, const op_desc_t *op, const request_t *request);

/// @name For `check`
/// @{

/// PRIM_INVALID_ARGUMENTS with a sentence unless the tensors of two rules have equal dimensions.
prim_status_t prim__check_same_dims(const shapes_t *shapes, int rule, int other_rule);

/// @}

#endif
