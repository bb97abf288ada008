// SPDX-License-Identifier: Apache-2.0
// A copy of the weights whose input and output channels have changed places.
#include "ocl_conv_swap_channels.h"

#include "gpu/ocl/clh/shared/conv_backward_data_polyphase_data.h"
#include "gpu/ocl/kit/ocl_md.h"

extern const ocl_source_t prim__ocl_conv_backward_data_polyphase_cl;

prim_status_t prim__ocl_conv_swapped_md(prim_memory_desc_t *copy, const prim_memory_desc_t *weights,
        const conv_shape_t *s, const char *tag)
{
    const int o = s->has_groups;
    *copy = (prim_memory_desc_t){.ndims = weights->ndims,
            .data_type = weights->data_type,
            .format_kind = PRIM_FORMAT_KIND_ANY};
    for (int d = 0; d < weights->ndims; ++d)
        copy->dims[d] = copy->padded_dims[d] = weights->dims[d];
    copy->dims[o] = copy->padded_dims[o] = s->ic;
    copy->dims[o + 1] = copy->padded_dims[o + 1] = s->oc;
    return prim__md_set_tag_if_any(copy, tag);
}

/// The kernel reverses the taps, here twice.
static ocl_conv_transpose_data_t data_of(const prim_desc_t *pd, const prim_memory_desc_t *copy)
{
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    conv_shape_t s;
    prim__conv_shape(&s, pd);
    prim_dim_t from[6], to[6];
    prim__conv_weights_strides(from, wei, s.has_groups);
    prim__conv_weights_strides(to, copy, s.has_groups);
    ocl_conv_transpose_data_t data = {.from = prim__ocl_md(wei),
            .to = prim__ocl_md(copy),
            .has_groups = s.has_groups,
            .fast_dim = s.has_groups};
    for (int i = 0; i < CONV_NSPATIAL; ++i) {
        data.first_tap[i] = s.kernel[i] - 1;
        data.tap_step[i] = -1;
        data.ntaps[i] = s.kernel[i];
        data.from_strides[i] = from[3 + i];
        data.to_strides[i] = to[3 + i];
    }
    return data;
}

prim_status_t prim__ocl_conv_swap_channels_init(ocl_primitive_t *p, const prim_memory_desc_t *copy)
{
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "ELEM_BYTES", (int)sizeof(float));
    TRY(prim__ocl_primitive_add_kernel(
            p, &prim__ocl_conv_backward_data_polyphase_cl, &options, "conv_transpose_weights"));
    const ocl_conv_transpose_data_t data = data_of(p->base.pd, copy);
    return prim__ocl_primitive_add_data(p, &data, sizeof data);
}

prim_status_t prim__ocl_conv_swap_channels(
        const ocl_primitive_t *p, const exec_ctx_t *ctx, int kernel, int data, size_t offset)
{
    conv_shape_t s;
    prim__conv_shape(&s, p->base.pd);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[data]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_WEIGHTS);
    prim__ocl_args_scratchpad(&args, ctx, offset, sizeof(float));
    const ocl_range_t range = prim__ocl_range_1d(p->kernels[kernel], s.g * s.oc * s.ic);
    return prim__ocl_launch(ctx, p->kernels[kernel], &range, &args);
}
