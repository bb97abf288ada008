// SPDX-License-Identifier: Apache-2.0
// The forward pass of group normalisation of contiguous NHWC: centres of the sums, and what follows normalisation.
//
//   LAST_PARAMS   kernel parameters: the scales of src and dst, one value each, with their `long` offsets; the types of
//                 both (DT_UNDEF: not set); POST_OPS
//   LAST_STEPS    initialises a last_steps_t from them
// -D: WITH_SCALES: of src or dst; DST; those of clh/gnorm_nhwc.h, clh/post_ops.h.
#ifndef CLH_GNORM_NHWC_FORWARD_H
#define CLH_GNORM_NHWC_FORWARD_H

#if !defined(WITH_SCALES) || !defined(DST_DT)
#error "clh/gnorm_nhwc_forward.h needs WITH_SCALES, DST"
#endif

#include "clh/gnorm_nhwc.h"
#include "clh/post_ops.h"

#define STORED(name) dst_##name
#define STORED_PREFIX(suffix) DST##suffix
#include "clh/stored_vec.inc"

// The centre of channel c's group in image n: the median of three elements, for one may be far off.
static inline float centre_of(
        SIZES_SPACE const ocl_gnorm_nhwc_data_t *data, __global const SRC_T *src, int n, int c)
{
    const int size = data->group_channels, first = (int)((uint)c / (uint)size) * size, spatial = data->spatial;
    src += (long)n * spatial * data->channels + first;
    const float x = SRC_LOAD(src, (long)(spatial / 4) * data->channels);
    const float y = SRC_LOAD(src, (long)(spatial / 2) * data->channels + size / 2);
    const float z = SRC_LOAD(src, (long)(spatial - 1) * data->channels + size - 1);
    return fmax(fmin(x, y), fmin(fmax(x, y), z));
}

#define LAST_PARAMS \
    __global const void *src_scale, long src_scale_off, __global const void *dst_scale, long dst_scale_off, \
            int src_scale_dt, int dst_scale_dt POST_OPS_PARAMS
#define SCALED(type, scale, off, otherwise) (WITH_SCALES && (type) ? load_any(scale, off, type) : (otherwise))

#if WITH_POST_OPS
#define LAST_POST_OPS , {po_table, {0}, {0}}
#else
#define LAST_POST_OPS
#endif
#define LAST_STEPS \
    { \
        SCALED(src_scale_dt, src_scale, src_scale_off, 1.0f), \
                SCALED(dst_scale_dt, dst_scale, dst_scale_off, 1.0f) LAST_POST_OPS \
    }

// What follows normalisation, scale and shift.
typedef struct {
    float mul, div; // scales of src and dst
#if WITH_POST_OPS
    post_ops_t po;
#endif
} last_steps_t;

static inline floatv finished(const last_steps_t *last, floatv y)
{
#if WITH_SCALES
    y *= last->mul;
#endif
#if WITH_POST_OPS
    float values[VEC];
    vstorev(y, values);
    for (int i = 0; i < VEC; ++i) values[i] = post_ops_apply(&last->po, values[i], 0, 0, 0);
    y = vloadv(values);
#endif
#if WITH_SCALES
    y /= last->div;
#endif
    return y;
}

#endif
