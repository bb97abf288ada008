// SPDX-License-Identifier: Apache-2.0
// Copies of src (NHWC) and of weights with the channels of each group padded by zeros to chunks of 16 bytes, for
// kernels whose tensor maps and asynchronous copies read nothing shorter. A work-item writes a chunk. One launch
// copies both tensors, or one of them.
//
//   packs                shapes and strides; a tensor of no items is not touched
//   src, src_off         elements of 16 bits
//   src_to, src_to_off   the copy, [N, in…, G, channels], from the next multiple of 128 bytes on
//                  the channels may be the elements under a row of a window, whose pixels are contiguous
//   wei, wei_off, wei_to, wei_to_off   the same of the weights: [G, OC, kernel…, channels]; or of diff_dst, as of src
// Grid: x ≥ packs->src.nitems + packs->wei.nitems. Numerics: values are moved.
// -D: none.
#include "clh/divide.h"
#include "clh/packed_start.h"
#include "clh/shared/conv_pack_chunks_data.h"

ALWAYS_INLINE void pack_chunk(__constant const ocl_conv_pack_t *pack, int item,
        __global const ushort *from, __global ushort *to)
{
    int rest = item;
    const int c = divide_off(&rest, pack->chunks) * PACK_CHUNK;
    const int nchannels = pack->channels - c;
    int at = c + pack->row_first; // in a row
    from += c * pack->from_c + pack->row_first;
#pragma unroll
    for (int d = PACK_DIMS - 1; d >= 0; --d) {
        const int index = divide_off(&rest, pack->size[d]);
        from += index * pack->from_s[d];
        if (d == PACK_WIDTH) at += index * (int)pack->from_s[d];
    }
    ushort x[PACK_CHUNK];
#pragma unroll
    for (int i = 0; i < PACK_CHUNK; ++i) {
        const bool is_in_row = pack->row_elems == 0 || (uint)(at + i) < (uint)pack->row_elems;
        x[i] = i < nchannels && is_in_row ? from[i * pack->from_c] : (ushort)0;
    }
    *((__global uint4 *)packed_start(to) + item) = as_uint4(vload8(0, x));
}

__kernel void conv_pack_chunks(__constant const ocl_conv_packs_t *packs, __global const ushort *src,
        long src_off, __global ushort *src_to, long src_to_off, __global const ushort *wei,
        long wei_off, __global ushort *wei_to, long wei_to_off)
{
    const int item = (int)get_global_id(0), first_wei = packs->src.nitems;
    if (item < first_wei)
        pack_chunk(&packs->src, item, src + src_off, src_to + src_to_off);
    else if (item - first_wei < packs->wei.nitems)
        pack_chunk(&packs->wei, item - first_wei, wei + wei_off, wei_to + wei_to_off);
}
