// SPDX-License-Identifier: Apache-2.0
// The weights of a phase of the gradient of convolution by src, for CPU-type devices and nested convolutions whose
// weights are blocked by their output channels: taps in reverse order, input and output channels exchanged. A
// work-item copies all taps of BLOCK input channels of CHUNK output channels, which stay in the L1 cache.
//
//   data           strides and taps
//   from, from_off weights by strides, elements of ELEM_BYTES
//   to, to_off     [(G,) IC/BLOCK, taps…, OC, BLOCK] by strides; input channels that do not exist become 0
// Grid: x = groups · nblocks · nchunks; work-groups of one work-item. Numerics: values are moved.
// -D: ELEM_BYTES (2 or 4), BLOCK (16), CHUNK.
#if !defined(ELEM_BYTES) || !defined(BLOCK) || !defined(CHUNK)
#error "ocl_conv_transpose_blocks needs ELEM_BYTES, BLOCK, CHUNK"
#endif
#if BLOCK != 16
#error "blocks are vectors of 16"
#endif

#include "clh/elem.h"
#include "clh/shared/conv_transpose_blocks_data.h"

// `n` of the BLOCK channels exist, `step` apart.
static inline void copy_block(__global const elem_t *from, long step, int n, __global elem_t *to)
{
    if (n == BLOCK && step == 1) {
        vstore16(vload16(0, from), 0, to);
        return;
    }
    for (int i = 0; i < n; ++i) to[i] = from[i * step];
    for (int i = n; i < BLOCK; ++i) to[i] = 0;
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void conv_transpose_blocks(
        __constant const ocl_conv_transpose_blocks_data_t *data, __global const elem_t *from, long from_off,
        __global elem_t *to, long to_off)
{
    const int item = (int)get_global_id(0), chunk = item % data->nchunks, row = item / data->nchunks;
    const int block = row % data->nblocks, g = row / data->nblocks;
    const int start = chunk * CHUNK, past = min(start + CHUNK, data->oc);
    const int n = min(data->ic - block * BLOCK, BLOCK);
    from += from_off + g * data->from_g + block * BLOCK * data->from_i;
    to += to_off + g * data->to_g + block * data->to_block;
    for (long d = 0; d < data->ntaps[0]; ++d) {
        for (long h = 0; h < data->ntaps[1]; ++h) {
            for (long w = 0; w < data->ntaps[2]; ++w) {
                const long tap_d = data->first_tap[0] + (data->ntaps[0] - 1 - d) * data->tap_step[0];
                const long tap_h = data->first_tap[1] + (data->ntaps[1] - 1 - h) * data->tap_step[1];
                const long tap_w = data->first_tap[2] + (data->ntaps[2] - 1 - w) * data->tap_step[2];
                __global const elem_t *x =
                        from + tap_d * data->from_s[0] + tap_h * data->from_s[1] + tap_w * data->from_s[2];
                __global elem_t *y = to + d * data->to_s[0] + h * data->to_s[1] + w * data->to_s[2];
                for (int o = start; o < past; ++o)
                    copy_block(x + o * data->from_o, data->from_i, n, y + o * data->to_o);
            }
        }
    }
}
