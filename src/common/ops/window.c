// SPDX-License-Identifier: Apache-2.0
// Windows that slide over images.
#include "window.h"

void prim__window_take(
        spatial_params_t *p, const window_arrays_t *arrays, const prim_memory_desc_t *src)
{
    const int nspatial = src->ndims >= 3 && src->ndims <= 5 ? src->ndims - 2 : 0;
    for (int i = 0; i < nspatial; ++i) {
        p->strides[i] = arrays->strides[i];
        p->dilates[i] = arrays->dilates ? arrays->dilates[i] : 0;
        p->pad_l[i] = arrays->pad_l[i];
        p->pad_r[i] = arrays->pad_r ? arrays->pad_r[i] : arrays->pad_l[i];
        if (arrays->kernel) p->kernel[i] = arrays->kernel[i];
    }
}

prim_dim_t prim__window_extent(const spatial_params_t *p, int i, prim_dim_t kernel)
{
    return (kernel - 1) * (p->dilates[i] + 1) + 1;
}

prim_dim_t prim__window_out(const spatial_params_t *p, int i, prim_dim_t kernel, prim_dim_t in)
{
    const prim_dim_t room = in - prim__window_extent(p, i, kernel) + p->pad_l[i] + p->pad_r[i];
    return room < 0 ? 0 : room / p->strides[i] + 1;
}

/// Whether some window of this dimension has all its taps in the padding. Only windows that start
/// in the front padding can skip over src (when the dilation does); all others are told by their
/// ends.
static bool has_hollow_window(const spatial_params_t *p, int i, prim_dim_t in, prim_dim_t out)
{
    if (out == 0) return false;
    if (in == 0 || p->pad_l[i] >= prim__window_extent(p, i, p->kernel[i])) return true;
    if ((out - 1) * p->strides[i] - p->pad_l[i] >= in) return true;
    const prim_dim_t step = p->dilates[i] + 1;
    if (step <= in) return false;
    for (prim_dim_t o = 0; o < out; ++o) {
        const prim_dim_t before = p->pad_l[i] - o * p->strides[i];
        if (before <= 0) break;
        const prim_dim_t taps = (before + step - 1) / step;
        if (taps >= p->kernel[i] || taps * step - before >= in) return true;
    }
    return false;
}

bool prim__window_is_hollow(
        const spatial_params_t *p, const prim_memory_desc_t *src, const prim_memory_desc_t *dst)
{
    for (int i = 0; i < src->ndims - 2; ++i)
        if (has_hollow_window(p, i, src->dims[2 + i], dst->dims[2 + i])) return true;
    return false;
}
