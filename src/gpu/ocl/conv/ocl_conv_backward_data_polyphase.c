// SPDX-License-Identifier: Apache-2.0
// The gradient of convolution by src on OpenCL devices as forward convolutions, where an
// implementation other than ocl:conv:any takes them: the weights are transposed for them at each
// execution, unless they have one tap.
#include "common/conv_polyphase.h"
#include "common/data_type.h"
#include "gpu/ocl/clh/shared/conv_backward_data_polyphase_data.h"
#include "gpu/ocl/kit/ocl_md.h"
#include "gpu/ocl/kit/ocl_primitive.h"
#include "ocl_conv_transpose_blocks.h"

extern const ocl_source_t prim__ocl_conv_backward_data_polyphase_cl;
extern const impl_t prim__ocl_conv_backward_data_polyphase;

enum { KERNEL_TRANSPOSE, KERNEL_CLEAR };

enum { CLEAR_ELEMS = 8 }; ///< of a work-item, as in the kernel

typedef struct {
    prim_desc_t base;
    conv_polyphase_t polyphase;
    bool transposes_blocks; ///< the copies of the weights are blocked, and made by
                            ///< ocl_conv_transpose_blocks
} polyphase_pd_t;

_Static_assert(offsetof(polyphase_pd_t, base) == 0, "the base comes first");
_Static_assert((int)MAX_NESTED <= (int)OCL_MAX_DATA, "each phase has constant data");

/// As the convolutions of the device like them: matrix units and CPUs take vectors of channels.
static bool prefers_channels_last(const prim_desc_t *pd)
{
    const prim_data_type_t type = prim__pd_md(pd, PRIM_ARG_DIFF_DST)->data_type;
    return prim__ocl_device(pd->engine)->is_cpu || type == PRIM_F16 || type == PRIM_BF16;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    polyphase_pd_t *const pd = (polyphase_pd_t *)base;
    TRY(prim__ocl_require_types(base));
    TRY(prim__ocl_require_layouts(base, false));
    TRY(prim__conv_polyphase_init_pd(&pd->polyphase, base, prefers_channels_last(base)));
    REQUIRE(base,
            !pd->polyphase.leaves_zeros || prim__md_is_dense(prim__pd_md(base, PRIM_ARG_DIFF_SRC)),
            "diff_src has gaps, and elements that no window meets");
    pd->transposes_blocks =
            pd->polyphase.copies_weights && prim__ocl_conv_transposes_blocks(base, &pd->polyphase);
    return PRIM_SUCCESS;
}

static ocl_conv_transpose_data_t transpose_data(
        const prim_desc_t *pd, const conv_phase_t *phase, int slot)
{
    const prim_memory_desc_t *const from = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    const prim_memory_desc_t *const to = prim__nested_md(pd, slot, PRIM_ARG_WEIGHTS);
    conv_shape_t s;
    prim__conv_shape(&s, pd);
    prim_dim_t from_strides[6], to_strides[6];
    prim__conv_weights_strides(from_strides, from, s.has_groups);
    prim__conv_weights_strides(to_strides, to, s.has_groups);
    const int o_dim = s.has_groups;
    ocl_conv_transpose_data_t data = {.from = prim__ocl_md(from),
            .to = prim__ocl_md(to),
            .has_groups = s.has_groups,
            .fast_dim = to->strides[o_dim] <= to->strides[o_dim + 1] ? o_dim : o_dim + 1};
    if (to->inner_nblks > 0) data.fast_dim = (int)to->inner_idxs[to->inner_nblks - 1];
    for (int i = 0; i < CONV_NSPATIAL; ++i) {
        data.first_tap[i] = phase->dims[i].first_tap;
        data.tap_step[i] = phase->dims[i].tap_step;
        data.ntaps[i] = phase->dims[i].ntaps;
        data.from_strides[i] = from_strides[3 + i];
        data.to_strides[i] = to_strides[3 + i];
    }
    return data;
}

static prim_status_t init(prim_t *primitive)
{
    ocl_primitive_t *const p = (ocl_primitive_t *)primitive;
    const polyphase_pd_t *const pd = (const polyphase_pd_t *)primitive->pd;
    const conv_polyphase_t *const polyphase = &pd->polyphase;
    const prim_memory_desc_t *const diff_src = prim__pd_md(&pd->base, PRIM_ARG_DIFF_SRC);
    static const char *const names[] = {
            [KERNEL_TRANSPOSE] = "conv_transpose_weights", [KERNEL_CLEAR] = "conv_clear"};
    ocl_options_t options;
    if (!polyphase->copies_weights && !polyphase->leaves_zeros) return PRIM_SUCCESS;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "ELEM_BYTES", (int)prim__dt_bytes(diff_src->data_type));
    if (pd->transposes_blocks) TRY(prim__ocl_conv_transpose_blocks_init(p));
    for (int i = pd->transposes_blocks ? KERNEL_CLEAR : KERNEL_TRANSPOSE; i <= KERNEL_CLEAR; ++i)
        TRY(prim__ocl_primitive_add_kernel(
                p, &prim__ocl_conv_backward_data_polyphase_cl, &options, names[i]));
    for (int i = 0; i < polyphase->nphases && polyphase->copies_weights; ++i) {
        if (pd->transposes_blocks) {
            TRY(prim__ocl_conv_transpose_blocks_add(p, &polyphase->phases[i], i));
            continue;
        }
        const ocl_conv_transpose_data_t data = transpose_data(&pd->base, &polyphase->phases[i], i);
        TRY(prim__ocl_primitive_add_data(p, &data, sizeof data));
    }
    return PRIM_SUCCESS;
}

static prim_status_t clear(const ocl_primitive_t *p, const exec_ctx_t *ctx)
{
    const prim_memory_desc_t *const md = prim__pd_md(p->base.pd, PRIM_ARG_DIFF_SRC);
    const int64_t nelems = prim__md_nelems_padded(md);
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_DIFF_SRC);
    prim__ocl_args_i64(&args, nelems);
    const ocl_range_t range =
            prim__ocl_range_1d(p->kernels[KERNEL_CLEAR], (nelems + CLEAR_ELEMS - 1) / CLEAR_ELEMS);
    return prim__ocl_launch(ctx, p->kernels[KERNEL_CLEAR], &range, &args);
}

static prim_status_t transpose_weights(const ocl_primitive_t *p, const exec_ctx_t *ctx, int slot)
{
    const polyphase_pd_t *const pd = (const polyphase_pd_t *)p->base.pd;
    const prim_memory_desc_t *const to = prim__nested_md(&pd->base, slot, PRIM_ARG_WEIGHTS);
    const int first_tap = to->ndims - (prim__pd_md(&pd->base, PRIM_ARG_DIFF_SRC)->ndims - 2);
    int64_t npairs = 1;
    for (int d = 0; d < first_tap; ++d) npairs *= to->padded_dims[d];
    ocl_args_t args;
    prim__ocl_args_init(&args);
    prim__ocl_args_buffer(&args, p->data[slot]);
    prim__ocl_args_tensor(&args, ctx, PRIM_ARG_WEIGHTS);
    prim__ocl_args_scratchpad(
            &args, ctx, pd->polyphase.phases[slot].weights_bytes_at, prim__dt_bytes(to->data_type));
    const ocl_range_t range = pd->transposes_blocks
                                      ? prim__ocl_conv_transpose_blocks_range(&pd->base)
                                      : prim__ocl_range_1d(p->kernels[KERNEL_TRANSPOSE], npairs);
    return prim__ocl_launch(ctx, p->kernels[KERNEL_TRANSPOSE], &range, &args);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    const polyphase_pd_t *const pd = (const polyphase_pd_t *)primitive->pd;
    if (pd->polyphase.leaves_zeros) TRY(clear(p, ctx));
    for (int slot = 0; slot < pd->polyphase.nphases; ++slot) {
        if (pd->polyphase.copies_weights) TRY(transpose_weights(p, ctx, slot));
        TRY(prim__conv_polyphase_run(&pd->polyphase, primitive, ctx, slot));
    }
    return PRIM_SUCCESS;
}

const impl_t prim__ocl_conv_backward_data_polyphase = {
        .name = "ocl:conv:backward_data_polyphase",
        .pd_size = sizeof(polyphase_pd_t),
        .primitive_size = sizeof(ocl_primitive_t),
        .init_pd = init_pd,
        .init = init,
        .execute = execute,
        .fini = prim__ocl_primitive_fini,
        .nests = &prim__conv_forward_schema,
};
