// SPDX-License-Identifier: Apache-2.0
// Loops of a tensor that is summed, or compared, along some of its dimensions: what reduction and
// the gradients of PReLU's weights hand to clh/reduction_loops.h.
#ifndef PRIM_OCL_REDUCTION_LOOPS_H
#define PRIM_OCL_REDUCTION_LOOPS_H

#include "common/impl.h"
#include "gpu/ocl/clh/shared/reduction_data.h"
#include "ocl_loops.h"

/// Fills the extents and strides of `data` for vectors of `vec` elements from loops over src
/// (tensor 0) and what it is reduced to (tensor 1, which stays where a loop is reduced). The
/// innermost loop, of whichever kind, becomes data->inner alone. Declines where there are more
/// loops than REDUCTION_LOOPS.
prim_status_t prim__ocl_reduction_loops(
        ocl_reduction_data_t *data, prim_desc_t *pd, const loops_t *loops, int vec);

#endif
