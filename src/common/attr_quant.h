// SPDX-License-Identifier: Apache-2.0
// Scales and zero points as attributes hold them.
#ifndef PRIM_COMMON_ATTR_QUANT_H
#define PRIM_COMMON_ATTR_QUANT_H

#include "prim/prim.h"

/// Scales or zero points of one argument. The values come at execution.
typedef struct {
    int arg; ///< PRIM_ARG_…
    int mask;
    prim_data_type_t data_type;
    int ngroups;          ///< 0, or 2 with `groups`
    prim_dim_t groups[2]; ///< block of the last two dimensions that shares a value
} quant_t;

/// The setting for an argument, or NULL when it is not set.
const quant_t *prim__attr_scale(const prim_attr_t *attr, int arg);
const quant_t *prim__attr_zero_point(const prim_attr_t *attr, int arg);

/// Whether one value serves the whole tensor; also where there is no setting (NULL).
bool prim__quant_is_common(const quant_t *quant);

/// The shape that the values of `quant` have for a tensor of `md`: dims (groups applied) with 1
/// where the mask bit is clear. Returns the number of values.
prim_dim_t prim__quant_dims(prim_dims_t dims, const quant_t *quant, const prim_memory_desc_t *md);

#endif
