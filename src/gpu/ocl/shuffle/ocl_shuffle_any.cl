// SPDX-License-Identifier: Apache-2.0
// Shuffle, generic, in both directions: any type, axis and layout; one element of the output per work-item, padding
// included.
//
//   data             descriptors of the tensors; the axis, its groups and the channels of one
//   from, from_off   [dims] of type data->from.dt
//   to, to_off       [dims] of the same type; padding becomes 0
// Grid: x ≥ data->to.nelems_padded. Numerics: elements are copied as they are.
// -D: none.
#include "clh/md_item.h"
#include "clh/shared/shuffle_any_data.h"

__kernel void shuffle_any(__constant const ocl_shuffle_any_data_t *data, __global const void *from, long from_off,
        __global void *to, long to_off)
{
    const long index = get_global_id(0);
    long pos[MAX_NDIMS];
    if (!md_begin_item(pos, &to_off, &data->to, to, index)) return;
    const long channel = pos[data->axis];
    pos[data->axis] = channel % data->ngroups * data->group_elems + channel / data->ngroups;
    from_off += md_offset(&data->from, pos);
    if (data->elem_bytes == 4)
        ((__global uint *)to)[to_off] = ((__global const uint *)from)[from_off];
    else if (data->elem_bytes == 2)
        ((__global ushort *)to)[to_off] = ((__global const ushort *)from)[from_off];
    else
        ((__global uchar *)to)[to_off] = ((__global const uchar *)from)[from_off];
}
