// SPDX-License-Identifier: Apache-2.0
// What the typed variants of local response normalisation across channels share on the host.
#ifndef PRIM_OCL_LRN_ACROSS_H
#define PRIM_OCL_LRN_ACROSS_H

#include "gpu/ocl/clh/shared/lrn_across_data.h"
#include "gpu/ocl/kit/ocl_primitive.h"

typedef struct {
    prim_desc_t base;
    ocl_lrn_across_data_t data;
    int vec, half; ///< elements of a vector; neighbours of the window on each side
    int at_once;   ///< channels that a work-item loads together
} lrn_across_pd_t;

_Static_assert(offsetof(lrn_across_pd_t, base) == 0, "the base comes first");

/// init_pd of variants for NCHW, of which a work-item goes through a segment of the channels,
/// `at_once` of them together; its vectors have so many bytes at most.
prim_status_t prim__ocl_lrn_across_init_nchw(prim_desc_t *pd, int most_bytes, int at_once);
/// impl_t.init_pd of variants for NHWC.
prim_status_t prim__ocl_lrn_across_init_nhwc(prim_desc_t *pd);

/// impl_t.init.
prim_status_t prim__ocl_lrn_across_init(
        prim_t *primitive, const ocl_source_t *source, const char *name);
/// impl_t.execute.
prim_status_t prim__ocl_lrn_across_execute(const prim_t *primitive, const exec_ctx_t *ctx);

#endif
