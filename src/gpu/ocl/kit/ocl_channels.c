// SPDX-License-Identifier: Apache-2.0
// Strides of N, C, D, H, W from memory descriptors.
#include "ocl_channels.h"

#include "common/int_math.h"
#include "ocl_md.h"

// Padding is that of the channel block and nothing else.
static bool has_channel_padding_only(const prim_memory_desc_t *md)
{
    const prim_dim_t block = md->inner_nblks == 1 ? md->inner_blks[0] : 1;
    for (int d = 0; d < md->ndims; ++d) {
        const prim_dim_t whole = d == 1 ? prim__round_up(md->dims[d], block) : md->dims[d];
        if (md->padded_dims[d] != whole || md->padded_offsets[d] != 0) return false;
    }
    return true;
}

bool prim__ocl_channels_init(ocl_channels_t *channels, const prim_memory_desc_t *md)
{
    if (md->ndims < 2 || md->ndims > 5 || md->format_kind != PRIM_FORMAT_KIND_BLOCKED) return false;
    if (md->inner_nblks > 1 || (md->inner_nblks == 1 && md->inner_idxs[0] != 1)) return false;
    if (!has_channel_padding_only(md) || prim__md_span_elems(md) > OCL_I32_ELEMS) return false;
    int32_t strides[5] = {0};
    for (int d = 0; d < md->ndims; ++d) {
        // The stride along a dimension of 1 is never used and may be anything.
        if (md->dims[d] > 1 || (d == 1 && md->padded_dims[1] > 1))
            strides[d] = (int32_t)md->strides[d];
    }
    *channels = (ocl_channels_t){.channels = (int32_t)md->dims[1],
            .padded_channels = (int32_t)md->padded_dims[1],
            .run = 1,
            .block = strides[1],
            .n = strides[0],
            .d = md->ndims == 5 ? strides[2] : 0,
            .h = md->ndims >= 4 ? strides[md->ndims - 2] : 0,
            .w = md->ndims >= 3 ? strides[md->ndims - 1] : 0};
    if (md->inner_nblks == 1) channels->run = (int32_t)md->inner_blks[0];
    if (md->inner_nblks == 0 && channels->block == 1) channels->run = channels->channels;
    return true;
}

int prim__ocl_channels_vec(const ocl_channels_t *tensors, int n, int most)
{
    int vec = 1;
    for (int wider = 2; wider <= most; wider *= 2) {
        for (int i = 0; i < n; ++i) {
            const bool is_plain = tensors[i].padded_channels == tensors[i].channels;
            if (tensors[i].run % wider != 0) return vec;
            if (is_plain && tensors[i].channels % wider != 0) return vec;
        }
        vec = wider;
    }
    return vec;
}

int32_t prim__ocl_channels_flat_stride(const prim_memory_desc_t *md)
{
    prim_dim_t innermost = 1, expected = -1;
    for (int d = md->ndims - 1; d >= 2; --d) {
        if (md->dims[d] == 1) continue;
        if (expected < 0)
            innermost = md->strides[d];
        else if (md->strides[d] != expected)
            return 0;
        expected = md->strides[d] * md->dims[d];
    }
    return (int32_t)innermost;
}

// With 2^(l−1) < n ≤ 2^l and factor = ⌊2^(31+l)/n⌋ + 1 it is 2^(31+l) < factor·n ≤ 2^(31+l) + 2^l,
// so that x·factor / 2^(31+l) has the integer part of x / n for every x < 2³¹; and factor < 2³² for
// n > 1.
ocl_divisor_t prim__ocl_divisor(int32_t n)
{
    if (n == 1) return (ocl_divisor_t){.factor = 0, .own = UINT32_MAX, .shift = 0, .n = 1};
    int32_t l = 1;
    while ((INT64_C(1) << l) < n) ++l;
    return (ocl_divisor_t){.factor = (uint32_t)(((uint64_t)1 << (31 + l)) / (uint64_t)n + 1),
            .own = 0,
            .shift = l - 1,
            .n = n};
}

bool prim__ocl_channels_has_rows(const ocl_channels_t *tensor, int32_t width)
{
    return tensor->run == 1 && (tensor->w == 1 || width == 1);
}

bool prim__ocl_channels_are_nhwc(
        const ocl_channels_t *tensor, int32_t step, int32_t batch, int32_t spatial)
{
    const int32_t channels = tensor->channels;
    return tensor->padded_channels == channels && (tensor->run == channels || channels == 1) &&
           (spatial == 1 || step == channels) && (batch == 1 || tensor->n == spatial * channels);
}
