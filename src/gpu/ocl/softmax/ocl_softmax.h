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

/// What work-groups that share a row keep of it in registers: their work-items, the vectors of
/// each, and the registers that it gets for that (0: as many as it takes).
typedef struct {
    int32_t items, vectors, registers;
} ocl_softmax_kept_t;

/// `is_short`: elements of 16 bits.
ocl_softmax_kept_t prim__ocl_softmax_kept(const ocl_device_t *device, bool is_short);

/// The segments of a row that work-groups share: how many, and the elements of all but the last.
typedef struct {
    int32_t count, elems;
} ocl_softmax_pieces_t;

/// Of equal length, in full cache lines, for rows of `n` elements of which a work-group holds
/// `most` vectors of `vec` elements.
ocl_softmax_pieces_t prim__ocl_softmax_pieces(int64_t n, int32_t most, int vec);

/// Types, layouts, a layout for dst if it is `any` (init_pd).
prim_status_t prim__ocl_softmax_init(prim_desc_t *pd);
/// The same and the nest of the typed variants, for plain layouts and post-ops without operands:
/// rows along a contiguous axis of at least one element and their number, or columns (ocl_nest.h).
prim_status_t prim__ocl_softmax_init_rows(prim_desc_t *pd);
prim_status_t prim__ocl_softmax_init_columns(prim_desc_t *pd);
/// Adds SRC, DST, IS_LOG, WITH_SCALES and the post-ops' options.
void prim__ocl_softmax_options(ocl_options_t *options, const prim_desc_t *pd);
/// Adds the options of clh/softmax_row.h besides, but for PER_ITEM.
void prim__ocl_softmax_row_options(
        ocl_options_t *options, const prim_desc_t *pd, bool is_raw, bool peels);
/// Adds src, dst, the two scales and their types.
void prim__ocl_softmax_args(ocl_args_t *args, const prim_desc_t *pd, const exec_ctx_t *ctx);

#endif
