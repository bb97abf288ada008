// SPDX-License-Identifier: Apache-2.0
// Attributes as the implementations read them.
#ifndef PRIM_COMMON_ATTR_H
#define PRIM_COMMON_ATTR_H

#include "attr_post_ops.h"
#include "attr_quant.h"
#include "status.h"

struct prim_attr {
    prim_scratchpad_mode_t scratchpad_mode;
    prim_fpmath_mode_t fpmath_mode;
    bool fpmath_applies_to_int;
    bool is_deterministic;
    prim_accumulation_mode_t accumulation_mode;
    prim_tune_mode_t tune_mode; ///< how a descriptor comes about, no part of what it is
    int nscales, nzero_points;
    quant_t *scales, *zero_points; ///< owned, sorted by arg
    prim_post_ops_t post_ops;
};

/// Fresh attributes in the caller's storage; fini frees what they own and may be called on zeroes.
void prim__attr_init(prim_attr_t *attr);
prim_status_t prim__attr_copy(prim_attr_t *attr, const prim_attr_t *from);
void prim__attr_fini(prim_attr_t *attr);

/// No scale, zero point or post-op at all.
bool prim__attr_is_plain(const prim_attr_t *attr);

#endif
