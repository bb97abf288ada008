// SPDX-License-Identifier: Apache-2.0
// The gradient of convolution by src on the CPU as forward convolutions, for the types that
// simd:conv:gemm and simd:conv:depthwise take: the weights are turned for them at each execution,
// unless they have one tap.
#include <string.h>

#include "common/conv_polyphase.h"
#include "common/data_type.h"
#include "common/int_math.h"
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
    TRY(prim__ref_require_types(base));
    TRY(prim__conv_polyphase_init_pd(&pd->polyphase, base, true));
    REQUIRE(base,
            !pd->polyphase.leaves_zeros || prim__md_is_dense(prim__pd_md(base, PRIM_ARG_DIFF_SRC)),
            "diff_src has gaps, and elements that no window meets");
    return PRIM_SUCCESS;
}

/// Output channels whose taps are copied together, so that they stay in the L1 cache.
enum { CHUNK = 16 };

/// The weights of a phase on their way to its convolution.
typedef struct {
    const conv_phase_t *phase;
    const prim_memory_desc_t *from_md, *to_md;
    const char *from;
    char *to;
    conv_shape_t shape;
    size_t elem_bytes;
    prim_dim_t from_strides[6], to_strides[6]; ///< g, o, i and the spatial ones of either side
    prim_dim_t block;                          ///< input channels side by side in the copy
    prim_dim_t elems;            ///< of as many output channels each, which are a word there
    prim_dim_t nblocks, nchunks; ///< of a group
} turn_t;

/// `n` elements side by side, from elements `step` apart.
static void copy_run(char *to, const char *from, prim_dim_t step, prim_dim_t n, size_t elem_bytes)
{
    if (step == 1) {
        memcpy(to, from, (size_t)n * elem_bytes);
        return;
    }
    for (prim_dim_t i = 0; i < n; ++i)
        memcpy(to + (size_t)i * elem_bytes, from + (size_t)(i * step) * elem_bytes, elem_bytes);
}

/// The same of two rows in turn.
static void interleave(
        uint16_t *restrict to, const uint16_t *first, const uint16_t *second, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; ++i) {
        to[2 * i] = first[i];
        to[2 * i + 1] = second[i];
    }
}

/// `n` input channels of a word's output channels, which are `from_o` elements apart.
static void copy_words(const turn_t *t, char *to, const char *from, prim_dim_t from_o, prim_dim_t n)
{
    const size_t bytes = t->elem_bytes;
    const prim_dim_t step = t->from_strides[2], elems = t->elems;
    if (elems == 1) {
        copy_run(to, from, step, n, bytes);
    } else if (elems == 2 && bytes == 2 && step == 1) {
        interleave((uint16_t *)(void *)to, (const uint16_t *)(const void *)from,
                (const uint16_t *)(const void *)from + from_o, n);
    } else {
        for (prim_dim_t i = 0; i < n * elems; ++i)
            memcpy(to + (size_t)i * bytes,
                    from + (size_t)(i / elems * step + i % elems * from_o) * bytes, bytes);
    }
}

/// `n` input channels of the output channels o0..o0+no, all taps in reverse order.
static void turn_taps(
        const turn_t *t, const char *from, char *to, prim_dim_t n, prim_dim_t o0, prim_dim_t no)
{
    const conv_phase_dim_t *const dims = t->phase->dims;
    const size_t bytes = t->elem_bytes;
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
                for (prim_dim_t o = o0; o < o0 + no; o += t->elems)
                    copy_words(t, to + (size_t)(to_at + o / t->elems * t->to_strides[2]) * bytes,
                            from + (size_t)(from_at + o * t->from_strides[1]) * bytes,
                            t->from_strides[1], n);
            }
}

/// A block of input channels, of a chunk of output channels.
static void turn_block(prim_dim_t index, void *arg)
{
    const turn_t *const t = arg;
    const prim_dim_t chunk = index % t->nchunks, block = index / t->nchunks % t->nblocks;
    const prim_dim_t group = index / t->nchunks / t->nblocks;
    const prim_dim_t i = block * t->block, o = chunk * CHUNK;
    const prim_dim_t from_at =
            t->from_md->offset0 + group * t->from_strides[0] + i * t->from_strides[2];
    const prim_dim_t to_at = group * t->to_strides[0] + block * t->to_strides[1];
    turn_taps(t, t->from + (size_t)from_at * t->elem_bytes, t->to + (size_t)to_at * t->elem_bytes,
            prim__min(t->shape.ic - i, t->block), o, prim__min(t->shape.oc - o, CHUNK));
}

/// All output channels of one input channel of a group, wherever the layouts have them.
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
                t->to + (size_t)prim__md_offset(t->to_md, to) * t->elem_bytes, 1, 0, 1);
    }
}

/// Whether the copy is plain but for blocks of its output channels, the input channels of the
/// weights, and of words inside these.
static bool has_blocks(const turn_t *t)
{
    const prim_memory_desc_t *const to = t->to_md;
    const int first = t->shape.has_groups, n = to->inner_nblks;
    if (!prim__md_is_plain(t->from_md) || n > 2) return false;
    return (n == 0 || to->inner_idxs[0] == first) &&
           (n < 2 || (to->inner_idxs[1] == first + 1 && t->shape.oc % to->inner_blks[1] == 0));
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
    t.elems = 1;
    if (!has_blocks(&t)) {
        prim__parallel_for(t.shape.g * t.shape.ic, turn_channel, &t);
        return;
    }
    t.block = t.to_md->inner_nblks ? t.to_md->inner_blks[0] : 1;
    if (t.to_md->inner_nblks == 2) t.elems = t.to_md->inner_blks[1];
    t.nblocks = prim__ceil_div(t.shape.ic, t.block);
    t.nchunks = prim__ceil_div(t.shape.oc, CHUNK);
    prim__parallel_for(t.shape.g * t.nblocks * t.nchunks, turn_block, &t);
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

const impl_t prim__simd_conv_backward_data_polyphase = {
        .name = "simd:conv:backward_data_polyphase",
        .pd_size = sizeof(polyphase_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
        .nests = &prim__conv_forward_schema,
};
