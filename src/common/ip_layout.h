// SPDX-License-Identifier: Apache-2.0
// Layouts `any` of inner products, in all directions.
#ifndef PRIM_COMMON_IP_LAYOUT_H
#define PRIM_COMMON_IP_LAYOUT_H

#include "impl.h"

/// For init_pd: the images (src or its gradient) and the weights (or theirs) get one order of
/// dimensions, that of the known one of them, so that rows are dense in both; else and everything
/// else is row-major.
prim_status_t prim__ip_set_layouts(prim_desc_t *pd);

#endif
