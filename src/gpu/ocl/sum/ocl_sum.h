// SPDX-License-Identifier: Apache-2.0
// Sum: what the OpenCL implementations share on the host.
#ifndef PRIM_OCL_SUM_H
#define PRIM_OCL_SUM_H

#include "gpu/ocl/clh/shared/sum_any_data.h"
#include "gpu/ocl/kit/ocl_multi_launch.h"

typedef struct {
    prim_desc_t base;
    int ninputs, nlaunches;
    size_t partial_offset_bytes; ///< in the scratchpad, if there are several launches
    int vec;
    int64_t per_item; ///< elements, of the dense variant
    bool is_mixed;    ///< inputs of several types
} sum_pd_t;

_Static_assert(offsetof(sum_pd_t, base) == 0, "the base comes first");

/// Checks types and layouts, counts launches, books the partial sum (init_pd, last step).
prim_status_t prim__ocl_sum_init(prim_desc_t *pd);
/// Inputs of launch `launch`.
int prim__ocl_sum_count(const sum_pd_t *pd, int launch);
/// Adds p0, o0 … p7, o7, s0 … s7; with `with_types` t0 … t7; count, partial, partial_off, reads,
/// writes, dst, dst_off.
void prim__ocl_sum_args(
        ocl_args_t *args, const sum_pd_t *pd, const exec_ctx_t *ctx, int launch, bool with_types);

#endif
