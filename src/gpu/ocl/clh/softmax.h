// SPDX-License-Identifier: Apache-2.0
// Epilogue of softmax: from e^(x − max) or x − max to the stored element.
// -D: DST (prim__ocl_options_type()), IS_LOG, WITH_SCALES, those of clh/post_ops.h.
#ifndef CLH_SOFTMAX_H
#define CLH_SOFTMAX_H

#if !defined(SRC_DT) || !defined(DST_DT) || !defined(IS_LOG) || !defined(WITH_SCALES)
#error "clh/softmax.h needs SRC, DST, IS_LOG, WITH_SCALES"
#endif

#include "clh/io_vec.h"
#include "clh/post_ops.h"

#define SOFTMAX_SCALE_PARAMS \
    __global const void *src_scale, long src_scale_off, __global const void *dst_scale, \
            long dst_scale_off, int src_scale_dt, int dst_scale_dt

// What the rows share: the factor of the source's scale, the divisor of the destination's.
typedef struct {
    float mul, div;
#if WITH_POST_OPS
    post_ops_t po;
#endif
} softmax_end_t;

// Fills it from the kernel's parameters: `const softmax_end_t end = SOFTMAX_END;`
#define SOFTMAX_MUL \
    (WITH_SCALES && src_scale_dt ? load_any(src_scale, src_scale_off, src_scale_dt) : 1.0f)
#define SOFTMAX_DIV \
    (WITH_SCALES && dst_scale_dt ? load_any(dst_scale, dst_scale_off, dst_scale_dt) : 1.0f)
#if WITH_POST_OPS
#define SOFTMAX_END {SOFTMAX_MUL, SOFTMAX_DIV, {po_table, {0}, {0}}}
#else
#define SOFTMAX_END {SOFTMAX_MUL, SOFTMAX_DIV}
#endif

// Whether stores are free of scales and post-ops.
#define SOFTMAX_IS_BARE (!WITH_SCALES && !WITH_POST_OPS)

// Scale, post-ops, scale.
static inline float softmax_finish(const softmax_end_t *end, float y, __global DST_T *dst)
{
#if WITH_POST_OPS
    const post_ops_t po = end->po;
#endif
    y *= end->mul;
    return POST_OPS_APPLY(y, 0, dst, 0) / end->div;
}

#endif
