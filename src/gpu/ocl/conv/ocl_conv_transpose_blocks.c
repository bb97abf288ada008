// SPDX-License-Identifier: Apache-2.0
// Host side of ocl_conv_transpose_blocks.cl.
#include "ocl_conv_transpose_blocks.h"

#include "common/data_type.h"
#include "common/int_math.h"
#include "gpu/ocl/clh/shared/conv_transpose_blocks_data.h"

extern const ocl_source_t prim__ocl_conv_transpose_blocks_cl;

/// Input channels and output channels that a work-item copies.
enum { BLOCK = 16, CHUNK = 16 };

/// Blocks of output channels (the dimension `o_dim`), and nothing else padded.
static bool has_blocks(const prim_memory_desc_t *md, int o_dim)
{
    bool has = md->inner_nblks == 1 && md->inner_blks[0] == BLOCK && md->inner_idxs[0] == o_dim;
    for (int d = 0; d < md->ndims; ++d)
        has = has && (d == o_dim || md->padded_dims[d] == md->dims[d]);
    return has;
}

bool prim__ocl_conv_transposes_blocks(const prim_desc_t *pd, const conv_polyphase_t *polyphase)
{
    conv_shape_t s;
    prim__conv_shape(&s, pd);
    bool transposes = prim__ocl_device(pd->engine)->is_cpu &&
                      prim__md_is_plain(prim__pd_md(pd, PRIM_ARG_WEIGHTS));
    for (int i = 0; i < polyphase->nphases; ++i)
        transposes =
                transposes && has_blocks(prim__nested_md(pd, i, PRIM_ARG_WEIGHTS), s.has_groups);
    return transposes;
}

prim_status_t prim__ocl_conv_transpose_blocks_init(ocl_primitive_t *p)
{
    const prim_data_type_t type = prim__pd_md(p->base.pd, PRIM_ARG_WEIGHTS)->data_type;
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "ELEM_BYTES", (int)prim__dt_bytes(type));
    prim__ocl_options_int(&options, "BLOCK", BLOCK);
    prim__ocl_options_int(&options, "CHUNK", CHUNK);
    return prim__ocl_primitive_add_kernel(
            p, &prim__ocl_conv_transpose_blocks_cl, &options, "conv_transpose_blocks");
}

static void init_sizes(ocl_conv_transpose_blocks_data_t *data, const conv_shape_t *s)
{
    *data = (ocl_conv_transpose_blocks_data_t){.oc = (cl_int)s->oc,
            .ic = (cl_int)s->ic,
            .nblocks = (cl_int)prim__ceil_div(s->ic, BLOCK),
            .nchunks = (cl_int)prim__ceil_div(s->oc, CHUNK)};
}

prim_status_t prim__ocl_conv_transpose_blocks_add(
        ocl_primitive_t *p, const conv_phase_t *phase, int slot)
{
    const prim_desc_t *const pd = p->base.pd;
    conv_shape_t s;
    prim__conv_shape(&s, pd);
    prim_dim_t from[6], to[6];
    prim__conv_weights_strides(from, prim__pd_md(pd, PRIM_ARG_WEIGHTS), s.has_groups);
    prim__conv_weights_strides(to, prim__nested_md(pd, slot, PRIM_ARG_WEIGHTS), s.has_groups);
    ocl_conv_transpose_blocks_data_t data;
    init_sizes(&data, &s);
    data.from_g = from[0];
    data.from_o = from[1];
    data.from_i = from[2];
    data.to_g = to[0];
    data.to_block = to[1];
    data.to_o = to[2];
    for (int i = 0; i < CONV_NSPATIAL; ++i) {
        data.first_tap[i] = phase->dims[i].first_tap;
        data.tap_step[i] = phase->dims[i].tap_step;
        data.ntaps[i] = phase->dims[i].ntaps;
        data.from_s[i] = from[3 + i];
        data.to_s[i] = to[3 + i];
    }
    return prim__ocl_primitive_add_data(p, &data, sizeof data);
}

ocl_range_t prim__ocl_conv_transpose_blocks_range(const prim_desc_t *pd)
{
    conv_shape_t s;
    prim__conv_shape(&s, pd);
    return prim__ocl_range_3d(
            s.g * prim__ceil_div(s.ic, BLOCK) * prim__ceil_div(s.oc, CHUNK), 1, 1, 1, 1, 1);
}
