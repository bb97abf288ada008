// SPDX-License-Identifier: Apache-2.0
// Binary, generic: any types, layouts, broadcast and post-ops; one element of dst per work-item, padding included.
//
//   data                 descriptors, types of the scales
//   src0, src1 + _off    [dims or 1] of their types
//   src2, src2_off       [dims] s8, select only
//   dst, dst_off         [dims]; may be src0; padding becomes 0
//   scale0, scale1 + _off  one value each; null when not set
//   alg                  BINARY_…
// Grid: x ≥ data->dst.nelems_padded. Numerics: f32; integers to integers without attributes are
// exact. -D: those of clh/post_ops.h.
#include "clh/binary_int.h"
#include "clh/io.h"
#include "clh/md_item.h"
#include "clh/post_ops.h"
#include "clh/shared/binary_any_data.h"

__kernel void binary_any(__constant const ocl_binary_any_data_t *data, __global const void *src0,
        long src0_off, __global const void *src1, long src1_off, __global const void *src2,
        long src2_off, __global void *dst, long dst_off, __global const void *scale0,
        long scale0_off, __global const void *scale1, long scale1_off, int alg POST_OPS_PARAMS)
{
    POST_OPS_DECLARE;
    const long index = get_global_id(0);
    long pos[MAX_NDIMS];
    if (!md_begin_item(pos, &dst_off, &data->dst, dst, index)) return;
    src0_off += md_offset_broadcast(&data->src0, pos);
    src1_off += md_offset_broadcast(&data->src1, pos);
    bool takes_src1 = false;
    if (alg == BINARY_SELECT) {
        src2_off += md_offset(&data->src2, pos);
        takes_src1 = load_int_s8((__global const char *)src2, src2_off) == 0;
    }
    if (data->is_int) {
        const int a = load_int_any(src0, src0_off, data->src0.dt);
        const int b = load_int_any(src1, src1_off, data->src1.dt);
        store_int_any(dst, dst_off, data->dst.dt, takes_src1 ? b : binary_int(alg, a, b));
        return;
    }
    float a = load_any(src0, src0_off, data->src0.dt);
    float b = load_any(src1, src1_off, data->src1.dt);
    if (data->scale0_dt) a *= load_any(scale0, scale0_off, data->scale0_dt);
    if (data->scale1_dt) b *= load_any(scale1, scale1_off, data->scale1_dt);
    const float x = takes_src1 ? b : binary_op(alg, a, b);
    store_any(dst, dst_off, data->dst.dt, POST_OPS_APPLY(x, pos, dst, dst_off));
}
