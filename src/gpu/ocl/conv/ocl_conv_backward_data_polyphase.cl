// SPDX-License-Identifier: Apache-2.0
// What the gradient of convolution by src does beside its nested convolutions.
//
// conv_transpose_weights: the weights of a phase, its taps in reverse order, input and output channels exchanged. A
// work-item copies the taps of one pair of channels.
//   data           descriptors and taps
//   from, from_off [(G,) OC, IC, kernel…] of type data->from.dt
//   to, to_off     [(G,) IC, OC, taps…] of the same type; padding becomes 0
// Grid: x ≥ data->to.padded_dims of groups and channels multiplied. Numerics: values are moved.
//
// conv_clear: zeroes in place of elements that no phase writes.
//   to, first      `n` elements of ELEM_BYTES from number `first` on
// Grid: x ≥ n / CLEAR_ELEMS, rounded up.
// -D: ELEM_BYTES (2 or 4, of diff_src).
#ifndef ELEM_BYTES
#error "ocl_conv_backward_data_polyphase needs ELEM_BYTES"
#endif

#include "clh/elem.h"
#include "clh/io.h"
#include "clh/md.h"
#include "clh/shared/conv_backward_data_polyphase_data.h"

// Elements that a work-item clears, one of each of so many parts of the tensor.
#define CLEAR_ELEMS 8

__kernel void conv_transpose_weights(__constant const ocl_conv_transpose_data_t *data, __global const void *from, long from_off,
        __global void *to, long to_off)
{
    const int o_dim = data->has_groups, slow_dim = data->fast_dim == o_dim ? o_dim + 1 : o_dim;
    const long item = get_global_id(0), nfast = data->to.padded_dims[data->fast_dim];
    const long nslow = data->to.padded_dims[slow_dim], ngroups = data->has_groups ? data->to.padded_dims[0] : 1;
    if (item >= nfast * nslow * ngroups) return;
    long to_pos[MAX_NDIMS], from_pos[MAX_NDIMS];
    for (int d = 0; d < data->to.ndims; ++d) to_pos[d] = from_pos[d] = 0;
    const long row = div_long(item, nfast), group = div_long(row, nslow);
    if (data->has_groups) to_pos[0] = from_pos[0] = group;
    to_pos[data->fast_dim] = item - row * nfast;
    to_pos[slow_dim] = row - group * nslow;
    from_pos[o_dim] = to_pos[o_dim + 1];
    from_pos[o_dim + 1] = to_pos[o_dim];
    bool is_inside = group < (data->has_groups ? data->to.dims[0] : 1);
    is_inside = is_inside && to_pos[o_dim] < data->to.dims[o_dim] && to_pos[o_dim + 1] < data->to.dims[o_dim + 1];
    to_off += md_offset_padded(&data->to, to_pos);
    if (is_inside) from_off += md_offset(&data->from, from_pos);
    for (long d = 0; d < data->ntaps[0]; ++d) {
        for (long h = 0; h < data->ntaps[1]; ++h) {
            for (long w = 0; w < data->ntaps[2]; ++w) {
                const long tap_d = data->first_tap[0] + (data->ntaps[0] - 1 - d) * data->tap_step[0];
                const long tap_h = data->first_tap[1] + (data->ntaps[1] - 1 - h) * data->tap_step[1];
                const long tap_w = data->first_tap[2] + (data->ntaps[2] - 1 - w) * data->tap_step[2];
                float x = 0.0f;
                if (is_inside)
                    x = load_any(from, from_off + tap_d * data->from_strides[0] + tap_h * data->from_strides[1]
                            + tap_w * data->from_strides[2], data->from.dt);
                store_any(to, to_off + d * data->to_strides[0] + h * data->to_strides[1] + w * data->to_strides[2],
                        data->to.dt, x);
            }
        }
    }
}

__kernel void conv_clear(__global elem_t *to, long first, long n)
{
    const long step = (n + CLEAR_ELEMS - 1) / CLEAR_ELEMS, item = get_global_id(0);
    if (item >= step) return;
    to += first;
    for (long i = item; i < n; i += step) to[i] = 0;
}
