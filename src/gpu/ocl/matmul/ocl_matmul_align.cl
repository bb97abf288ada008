// SPDX-License-Identifier: Apache-2.0
// Copies src, weights or both so that rows start at multiples of 16 bytes, as tensor maps (TMA) and copies of 16
// bytes need them. One launch copies both. A work-item puts together 16 bytes of a row from two aligned loads of
// 16 bytes.
//
//   src, src_off   elements of ELEM_BYTES bytes, from any address on
//   wei, wei_off   the same
//   to, to_off     bytes, from a multiple of 16 on: rows of src, [product][row][row_vecs · 16 bytes], then those of
//                  weights; what follows a row's last element is undefined
//   src_rows, wei_rows   clh/shared/matmul_align_data.h
// Grid: x = ceil(src_rows.nvecs / (256 · 8)) + ceil(wei_rows.nvecs / (256 · 8)) work-groups of 256 work-items.
// Numerics: bytes are copied.
// -D: ELEM_BYTES; WIDE_LOADS (clh/unaligned.h); RELAXED_ATOMICS=0 (clh/align_rows.h).
// No device of CI reads so; checked with: -cl-std=CL1.2 -DELEM_BYTES=2 -DWIDE_LOADS=1 -DRELAXED_ATOMICS=0
#ifndef ELEM_BYTES
#error "ocl_matmul_align needs ELEM_BYTES"
#endif

#include "clh/align_rows.h"

#define ITEMS 256
#define GROUP_VECS (ITEMS * ALIGN_AT_ONCE)

__attribute__((reqd_work_group_size(ITEMS, 1, 1))) __kernel void matmul_align(__global const uchar *src,
        long src_off, __global const uchar *wei, long wei_off, __global uchar *to, long to_off,
        ocl_align_rows_t src_rows, ocl_align_rows_t wei_rows)
{
    const int group = (int)get_group_id(0);
    const int src_groups = (src_rows.nvecs + GROUP_VECS - 1) / GROUP_VECS;
    __global uint4 *vecs = (__global uint4 *)(to + to_off);
    const int item = (int)get_local_id(0);
    if (group < src_groups) {
        align_vecs(src + src_off * ELEM_BYTES, &src_rows, group * GROUP_VECS + item, ITEMS, vecs, ALIGN_AT_ONCE);
    } else {
        align_vecs(wei + wei_off * ELEM_BYTES, &wei_rows, (group - src_groups) * GROUP_VECS + item, ITEMS,
                vecs + src_rows.nvecs, ALIGN_AT_ONCE);
    }
}
