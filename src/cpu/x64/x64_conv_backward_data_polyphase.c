// SPDX-License-Identifier: Apache-2.0
// The gradient of convolution by src on the CPU as forward convolutions, for the types that
// x64:conv:gemm and x64:conv:depthwise take: the weights are turned for them at each execution,
// unless they have one tap.
#include <string.h>

#include "common/conv_polyphase.h"
#include "common/data_type.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"

typedef struct {
    prim_desc_t base;
    conv_polyphase_t polyphase;
} polyphase_pd_t;

_Static_assert(offsetof(polyphase_pd_t, base) == 0, "the base comes first");

static prim_status_t init_pd(prim_desc_t *base)
{
    polyphase_pd_t *const pd = (polyphase_pd_t *)base;
    REQUIRE(base, prim__ref_takes_types(base),
            "a tensor has a data type that is stored but not computed with");
    TRY(prim__conv_polyphase_init_pd(&pd->polyphase, base, true));
    REQUIRE(base,
            !pd->polyphase.leaves_zeros || prim__md_is_dense(prim__pd_md(base, PRIM_ARG_DIFF_SRC)),
            "diff_src has gaps, and elements that no window meets");
    return PRIM_SUCCESS;
}

/// The weights of a phase on their way to its convolution.
typedef struct {
    const conv_phase_t *phase;
    const prim_memory_desc_t *from_md, *to_md;
    const char *from;
    char *to;
    conv_shape_t shape;
    size_t elem_bytes;
    prim_dim_t from_strides[6], to_strides[6]; ///< the spatial ones are the last three
} turn_t;

/// The taps of a pair of channels, in reverse order.
static void turn_taps(const turn_t *t, const char *from, char *to)
{
    const conv_phase_dim_t *const dims = t->phase->dims;
    prim_dim_t at[CONV_NSPATIAL];
    for (at[CONV_D] = 0; at[CONV_D] < dims[CONV_D].ntaps; ++at[CONV_D])
        for (at[CONV_H] = 0; at[CONV_H] < dims[CONV_H].ntaps; ++at[CONV_H])
            for (at[CONV_W] = 0; at[CONV_W] < dims[CONV_W].ntaps; ++at[CONV_W]) {
                prim_dim_t from_at = 0, to_at = 0;
                for (int i = 0; i < CONV_NSPATIAL; ++i) {
                    const prim_dim_t tap =
                            dims[i].first_tap + (dims[i].ntaps - 1 - at[i]) * dims[i].tap_step;
                    from_at += tap * t->from_strides[3 + i];
                    to_at += at[i] * t->to_strides[3 + i];
                }
                memcpy(to + (size_t)to_at * t->elem_bytes, from + (size_t)from_at * t->elem_bytes,
                        t->elem_bytes);
            }
}

/// All output channels of one input channel of a group.
static void turn_channel(prim_dim_t index, void *arg)
{
    const turn_t *const t = arg;
    const int o_dim = t->shape.has_groups;
    prim_dims_t from = {0}, to = {0};
    if (o_dim) from[0] = to[0] = index / t->shape.ic;
    from[o_dim + 1] = to[o_dim] = index % t->shape.ic;
    for (prim_dim_t o = 0; o < t->shape.oc; ++o) {
        from[o_dim] = to[o_dim + 1] = o;
        turn_taps(t, t->from + (size_t)prim__md_offset(t->from_md, from) * t->elem_bytes,
                t->to + (size_t)prim__md_offset(t->to_md, to) * t->elem_bytes);
    }
}

static void turn_weights(const polyphase_pd_t *pd, const exec_ctx_t *ctx, int slot)
{
    turn_t t = {.phase = &pd->polyphase.phases[slot],
            .from_md = prim__pd_md(&pd->base, PRIM_ARG_WEIGHTS),
            .to_md = prim__nested_md(&pd->base, slot, PRIM_ARG_WEIGHTS),
            .from = prim__ref_pointer(ctx, PRIM_ARG_WEIGHTS),
            .to = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD)};
    t.elem_bytes = prim__dt_bytes(t.from_md->data_type);
    t.to += t.phase->weights_bytes_at;
    prim__conv_shape(&t.shape, &pd->base);
    prim__conv_weights_strides(t.from_strides, t.from_md, t.shape.has_groups);
    prim__conv_weights_strides(t.to_strides, t.to_md, t.shape.has_groups);
    if (prim__md_is_padded(t.to_md)) memset(t.to, 0, prim__md_bytes(t.to_md));
    prim__parallel_for(t.shape.g * t.shape.ic, turn_channel, &t);
}

static void clear(const prim_desc_t *pd, const exec_ctx_t *ctx)
{
    const prim_memory_desc_t *const md = prim__pd_md(pd, PRIM_ARG_DIFF_SRC);
    const size_t elem_bytes = prim__dt_bytes(md->data_type);
    char *const data = prim__ref_pointer(ctx, PRIM_ARG_DIFF_SRC);
    memset(data + (size_t)md->offset0 * elem_bytes, 0,
            (size_t)prim__md_nelems_padded(md) * elem_bytes);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const polyphase_pd_t *const pd = (const polyphase_pd_t *)primitive->pd;
    if (pd->polyphase.leaves_zeros) clear(primitive->pd, ctx);
    for (int slot = 0; slot < pd->polyphase.nphases; ++slot) {
        if (pd->polyphase.copies_weights) turn_weights(pd, ctx, slot);
        TRY(prim__conv_polyphase_run(&pd->polyphase, primitive, ctx, slot));
    }
    return PRIM_SUCCESS;
}

const impl_t prim__x64_conv_backward_data_polyphase = {
        .name = "x64:conv:backward_data_polyphase",
        .pd_size = sizeof(polyphase_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
        .nests = &prim__conv_forward_schema,
};
