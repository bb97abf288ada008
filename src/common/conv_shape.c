// SPDX-License-Identifier: Apache-2.0
// The sizes of a convolution by name, read from its descriptor.
#include "conv_shape.h"

#include "int_math.h"

const prim_memory_desc_t *prim__conv_md(const prim_desc_t *pd, int arg)
{
    return prim__pd_md(pd, prim__pd_arg_or_diff(pd, arg));
}

void prim__conv_shape(conv_shape_t *shape, const prim_desc_t *pd)
{
    const prim_memory_desc_t *const src = prim__conv_md(pd, PRIM_ARG_SRC);
    const prim_memory_desc_t *const wei = prim__conv_md(pd, PRIM_ARG_WEIGHTS);
    const prim_memory_desc_t *const dst = prim__conv_md(pd, PRIM_ARG_DST);
    const spatial_params_t *const p = &pd->op.u.spatial;
    *shape = (conv_shape_t){0};
    shape->nspatial = src->ndims - 2;
    shape->has_groups = wei->ndims == src->ndims + 1;
    shape->mb = src->dims[0];
    shape->g = shape->has_groups ? wei->dims[0] : 1;
    shape->oc = wei->dims[shape->has_groups + 0];
    shape->ic = wei->dims[shape->has_groups + 1];
    for (int s = 0; s < CONV_NSPATIAL; ++s) {
        const int i = s - (CONV_NSPATIAL - shape->nspatial);
        const bool is_there = i >= 0;
        shape->in[s] = is_there ? src->dims[2 + i] : 1;
        shape->out[s] = is_there ? dst->dims[2 + i] : 1;
        shape->kernel[s] = is_there ? wei->dims[shape->has_groups + 2 + i] : 1;
        shape->stride[s] = is_there ? p->strides[i] : 1;
        shape->dilation[s] = is_there ? p->dilates[i] + 1 : 1;
        shape->pad[s] = is_there ? p->pad_l[i] : 0;
    }
}

prim_status_t prim__conv_take_direct(prim_desc_t *pd)
{
    REQUIRE(pd, pd->op.alg_kind != PRIM_CONVOLUTION_WINOGRAD,
            "the algorithm is Winograd's; this variant convolves directly");
    pd->op.alg_kind = PRIM_CONVOLUTION_DIRECT;
    return PRIM_SUCCESS;
}

static prim_memory_desc_t *md_mutable(prim_desc_t *pd, int arg)
{
    return prim__pd_md_mutable(pd, prim__pd_arg_or_diff(pd, arg));
}

prim_status_t prim__conv_set_row_major(prim_desc_t *pd)
{
    prim_memory_desc_t *const src = md_mutable(pd, PRIM_ARG_SRC);
    prim_memory_desc_t *const dst = md_mutable(pd, PRIM_ARG_DST);
    if (!prim__md_is_any(dst)) TRY(prim__md_set_like_if_any(src, dst));
    TRY(prim__md_set_row_major_if_any(src));
    TRY(prim__md_set_like_if_any(dst, src));
    TRY(prim__md_set_row_major_if_any(md_mutable(pd, PRIM_ARG_WEIGHTS)));
    const int bias = prim__pd_arg_or_diff(pd, PRIM_ARG_BIAS);
    if (!prim__pd_has(pd, bias)) return PRIM_SUCCESS;
    return prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, bias));
}

prim_status_t prim__conv_set_channels_last(prim_desc_t *pd)
{
    static const char *const tags[] = {"acb", "acdb", "acdeb"};
    prim_memory_desc_t *const src = md_mutable(pd, PRIM_ARG_SRC);
    prim_memory_desc_t *const dst = md_mutable(pd, PRIM_ARG_DST);
    if (!prim__md_is_any(dst)) TRY(prim__md_set_like_if_any(src, dst));
    TRY(prim__md_set_tag_if_any(src, tags[src->ndims - 3]));
    return prim__md_set_like_if_any(dst, src);
}

prim_status_t prim__conv_set_weights_channels_last(prim_desc_t *pd)
{
    static const char *const tags[2][3] = {{"acb", "acdb", "acdeb"}, {"abdc", "abdec", "abdefc"}};
    const int nspatial = prim__conv_md(pd, PRIM_ARG_SRC)->ndims - 2;
    prim_memory_desc_t *const wei = md_mutable(pd, PRIM_ARG_WEIGHTS);
    const bool has_groups = wei->ndims == nspatial + 3;
    return prim__md_set_tag_if_any(wei, tags[has_groups][nspatial - 1]);
}

prim_status_t prim__conv_require_no_bias(prim_desc_t *pd)
{
    REQUIRE(pd, !prim__pd_has(pd, PRIM_ARG_BIAS), "a bias is added to the gradient");
    return PRIM_SUCCESS;
}

prim_dim_t prim__conv_taps(const conv_shape_t *shape)
{
    return shape->kernel[CONV_D] * shape->kernel[CONV_H] * shape->kernel[CONV_W];
}

prim_dim_t prim__conv_out_elems(const conv_shape_t *shape)
{
    return shape->out[CONV_D] * shape->out[CONV_H] * shape->out[CONV_W];
}

bool prim__conv_is_pointwise(const conv_shape_t *shape)
{
    for (int s = 0; s < CONV_NSPATIAL; ++s) {
        if (shape->kernel[s] != 1 || shape->stride[s] != 1 || shape->pad[s] != 0) return false;
        if (shape->in[s] != shape->out[s]) return false;
    }
    return true;
}

void prim__conv_data_strides(prim_dim_t strides[5], const prim_memory_desc_t *md)
{
    strides[0] = md->strides[0];
    strides[1] = md->strides[1];
    for (int s = 0; s < CONV_NSPATIAL; ++s) {
        const int i = s - (CONV_NSPATIAL - (md->ndims - 2));
        strides[2 + s] = i >= 0 ? md->strides[2 + i] : 0;
    }
}

void prim__conv_weights_strides(
        prim_dim_t strides[6], const prim_memory_desc_t *md, bool has_groups)
{
    const int first = has_groups ? 1 : 0;
    strides[0] = has_groups ? md->strides[0] : 0;
    strides[1] = md->strides[first];
    strides[2] = md->strides[first + 1];
    for (int s = 0; s < CONV_NSPATIAL; ++s) {
        const int i = s - (CONV_NSPATIAL - (md->ndims - first - 2));
        strides[3 + s] = i >= 0 ? md->strides[first + 2 + i] : 0;
    }
}

void prim__conv_valid_range(
        const conv_shape_t *shape, int dim, prim_dim_t tap, prim_dim_t *first, prim_dim_t *last)
{
    const prim_dim_t stride = shape->stride[dim];
    const prim_dim_t shift = shape->pad[dim] - tap * shape->dilation[dim];
    // o·stride ≥ shift, and o·stride < in + shift.
    const prim_dim_t low = shift > 0 ? prim__ceil_div(shift, stride) : 0;
    const prim_dim_t room = shape->in[dim] + shift;
    const prim_dim_t high = room > 0 ? prim__ceil_div(room, stride) : 0;
    *last = high < shape->out[dim] ? high : shape->out[dim];
    *first = low < *last ? low : *last;
}
