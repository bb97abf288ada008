// SPDX-License-Identifier: Apache-2.0
// Softmax: what the OpenCL implementations share on the host.
#ifndef PRIM_OCL_SOFTMAX_H
#define PRIM_OCL_SOFTMAX_H

#include "gpu/ocl/kit/ocl_nest.h"
#include "gpu/ocl/kit/ocl_primitive.h"

/// Of the typed variants.
typedef struct {
    prim_desc_t base;
    ocl_nest_t nest; ///< tensor 0 dst, 1 src
    int64_t axis_elems;
    int64_t nitems;                            ///< of the launch; rows for the work-group variant
    int vec, per_item, row_items, group_items; ///< as the variant uses them
} softmax_pd_t;

_Static_assert(offsetof(softmax_pd_t, base) == 0, "the base comes first");

/// Types, layouts, a layout for dst if it is `any` (init_pd).
prim_status_t prim__ocl_softmax_init(prim_desc_t *pd);
/// What typed variants need beside: plain layouts, post-ops without operands, few loops. Fills
/// `loops` with all dimensions but the axis.
prim_status_t prim__ocl_softmax_init_loops(prim_desc_t *pd, loops_t *loops);
/// Puts the axis and one more loop (−1: a loop of 1) behind the others, the axis last or last but
/// one, and makes the nest of it.
void prim__ocl_softmax_init_nest(prim_desc_t *pd, loops_t *loops, int inner);
/// Both, for an axis of at least one element that is innermost; and the number of rows.
prim_status_t prim__ocl_softmax_init_rows(prim_desc_t *pd);
/// Distance of neighbours along the axis.
int64_t prim__ocl_softmax_axis_stride(const prim_desc_t *pd, int arg);
/// Adds SRC, DST, IS_LOG, WITH_SCALES and the post-ops' options.
void prim__ocl_softmax_options(ocl_options_t *options, const prim_desc_t *pd);
/// Adds the options of clh/softmax_row.h besides.
void prim__ocl_softmax_row_options(ocl_options_t *options, const prim_desc_t *pd, bool is_raw);
/// Adds src, dst, the two scales and their types.
void prim__ocl_softmax_args(ocl_args_t *args, const prim_desc_t *pd, const exec_ctx_t *ctx);

#endif
