// SPDX-License-Identifier: Apache-2.0
// The gradient of a convolution by src as forward convolutions, one for each phase of the strides.
#include "conv_polyphase.h"

#include "data_type.h"
#include "int_math.h"

static prim_dim_t greatest_divisor(prim_dim_t a, prim_dim_t b)
{
    while (b > 0) {
        const prim_dim_t rest = a % b;
        a = b;
        b = rest;
    }
    return a;
}

void prim__conv_phase_dim(conv_phase_dim_t *p, const conv_shape_t *s, int dim, prim_dim_t start)
{
    const prim_dim_t stride = s->stride[dim], dilation = s->dilation[dim];
    const prim_dim_t common = greatest_divisor(stride, dilation);
    *p = (conv_phase_dim_t){.tap_step = stride / common,
            .dilation = dilation / common,
            .src_start = start,
            .src_elems = prim__ceil_div(s->in[dim] - start, stride)};
    // x = start + stride·m meets tap k at y = (x + pad − k·dilation)/stride where that is whole.
    const prim_dim_t ncandidates = p->tap_step < s->kernel[dim] ? p->tap_step : s->kernel[dim];
    while (p->first_tap < ncandidates &&
            (start + s->pad[dim] - p->first_tap * dilation) % stride != 0)
        ++p->first_tap;
    if (p->first_tap == ncandidates) return;
    p->ntaps = (s->kernel[dim] - 1 - p->first_tap) / p->tap_step + 1;
    // Reversed, tap j of the phase lies at y = m + j·dilation − shift.
    const prim_dim_t first_y = (start + s->pad[dim] - p->first_tap * dilation) / stride;
    const prim_dim_t reach = (p->ntaps - 1) * p->dilation, shift = reach - first_y;
    p->pad_l = shift > 0 ? shift : 0;
    p->dst_start = shift < 0 ? -shift : 0;
    p->dst_elems = s->out[dim] - p->dst_start;
    p->pad_r = p->src_elems - 1 + reach - p->pad_l - (p->dst_elems - 1);
    if (p->pad_r < 0) {
        p->dst_elems += p->pad_r;
        p->pad_r = 0;
    }
    if (p->dst_elems <= 0) p->ntaps = 0;
}

/// Phases, with taps or without, that are looked at.
enum { MAX_STARTS = 256 };

/// Lists the phases that have taps and elements.
static prim_status_t list_phases(
        conv_polyphase_t *polyphase, prim_desc_t *pd, const conv_shape_t *s)
{
    prim_dim_t nstarts[CONV_NSPATIAL], room = MAX_STARTS;
    for (int i = 0; i < CONV_NSPATIAL; ++i) {
        nstarts[i] = s->stride[i] < s->in[i] ? s->stride[i] : s->in[i];
        REQUIRE(pd, nstarts[i] <= room, "strides have more than %d phases", (int)MAX_STARTS);
        room /= nstarts[i];
    }
    prim_dim_t start[CONV_NSPATIAL];
    for (start[CONV_D] = 0; start[CONV_D] < nstarts[CONV_D]; ++start[CONV_D])
        for (start[CONV_H] = 0; start[CONV_H] < nstarts[CONV_H]; ++start[CONV_H])
            for (start[CONV_W] = 0; start[CONV_W] < nstarts[CONV_W]; ++start[CONV_W]) {
                conv_phase_t phase = {.weights_bytes_at = 0};
                bool has_taps = true;
                for (int i = 0; i < CONV_NSPATIAL; ++i) {
                    prim__conv_phase_dim(&phase.dims[i], s, i, start[i]);
                    has_taps = has_taps && phase.dims[i].ntaps > 0;
                }
                polyphase->leaves_zeros = polyphase->leaves_zeros || !has_taps;
                if (!has_taps) continue;
                REQUIRE(pd, polyphase->nphases < MAX_NESTED,
                        "strides have more than %d phases with taps", (int)MAX_NESTED);
                polyphase->phases[polyphase->nphases++] = phase;
            }
    REQUIRE(pd, polyphase->nphases > 0, "no window meets an element of src");
    return PRIM_SUCCESS;
}

// ---- Descriptors -----------------------------------------------------------------------------

/// Every `step`-th element of a spatial dimension from `start` on.
static void take_part(prim_memory_desc_t *md, int dim, prim_dim_t elems, prim_dim_t step)
{
    md->dims[dim] = md->padded_dims[dim] = elems;
    md->strides[dim] *= step;
}

/// Output and input channels change places, taps are those of the phase; the layout is open.
static prim_memory_desc_t transposed_weights(
        const prim_memory_desc_t *wei, const conv_shape_t *s, const conv_phase_t *phase)
{
    prim_memory_desc_t md = {
            .ndims = wei->ndims, .data_type = wei->data_type, .format_kind = PRIM_FORMAT_KIND_ANY};
    const int o_dim = s->has_groups, first = o_dim + 2;
    if (s->has_groups) md.dims[0] = s->g;
    md.dims[o_dim] = s->ic;
    md.dims[o_dim + 1] = s->oc;
    for (int i = 0; i < s->nspatial; ++i)
        md.dims[first + i] = phase->dims[CONV_NSPATIAL - s->nspatial + i].ntaps;
    for (int d = 0; d < md.ndims; ++d) md.padded_dims[d] = md.dims[d];
    return md;
}

static void swap(prim_dim_t *a, prim_dim_t *b)
{
    const prim_dim_t first = *a;
    *a = *b;
    *b = first;
}

/// The same memory with two dimensions in each other's place.
static void swap_dims(prim_memory_desc_t *md, int a, int b)
{
    swap(&md->dims[a], &md->dims[b]);
    swap(&md->padded_dims[a], &md->padded_dims[b]);
    swap(&md->padded_offsets[a], &md->padded_offsets[b]);
    swap(&md->strides[a], &md->strides[b]);
    for (int i = 0; i < md->inner_nblks; ++i) {
        const prim_dim_t dim = md->inner_idxs[i];
        md->inner_idxs[i] = dim == a ? b : dim == b ? a : dim;
    }
}

/// The convolution of a phase, and where its views start.
static prim_status_t nest(
        conv_polyphase_t *polyphase, prim_desc_t *pd, const conv_shape_t *s, int slot)
{
    conv_phase_t *const phase = &polyphase->phases[slot];
    const prim_memory_desc_t *const wei = prim__pd_md(pd, PRIM_ARG_WEIGHTS);
    prim_memory_desc_t src = *prim__pd_md(pd, PRIM_ARG_DIFF_DST);
    prim_memory_desc_t dst = *prim__pd_md(pd, PRIM_ARG_DIFF_SRC);
    prim_memory_desc_t transposed = transposed_weights(wei, s, phase);
    op_desc_t op = {.kind = PRIM_CONVOLUTION,
            .prop_kind = PRIM_FORWARD_TRAINING,
            .alg_kind = pd->op.alg_kind};
    if (op.alg_kind == PRIM_CONVOLUTION_AUTO && polyphase->nphases > 1)
        op.alg_kind = PRIM_CONVOLUTION_DIRECT; // one algorithm for all phases
    prim_dim_t src_at = 0, dst_at = 0;
    for (int i = 0; i < s->nspatial; ++i) {
        const int dim = CONV_NSPATIAL - s->nspatial + i;
        const conv_phase_dim_t *const p = &phase->dims[dim];
        src_at += p->dst_start * src.strides[2 + i];
        dst_at += p->src_start * dst.strides[2 + i];
        take_part(&src, 2 + i, p->dst_elems, 1);
        take_part(&dst, 2 + i, p->src_elems, s->stride[dim]);
        op.u.spatial.strides[i] = 1;
        op.u.spatial.dilates[i] = p->dilation - 1;
        op.u.spatial.pad_l[i] = p->pad_l;
        op.u.spatial.pad_r[i] = p->pad_r;
    }
    phase->diff_dst_bytes_at = (size_t)src_at * prim__dt_bytes(src.data_type);
    phase->diff_src_bytes_at = (size_t)dst_at * prim__dt_bytes(dst.data_type);
    if (!polyphase->copies_weights && !prim__md_is_any(wei)) {
        transposed = *wei;
        swap_dims(&transposed, s->has_groups, s->has_groups + 1);
    }
    const prim_memory_desc_t *const mds[] = {&src, &transposed, NULL, &dst};
    prim_attr_t attr;
    prim_status_t st = PRIM_SUCCESS;
    TRY_OR(done, prim__nested_attr_init(&attr, pd));
    const request_t request = {.mds = mds, .attr = &attr};
    TRY_OR(done, prim__nested_desc(pd, slot, pd->impl->nests, &op, &request));
    if (polyphase->copies_weights)
        phase->weights_bytes_at = prim__pd_book_scratchpad(
                pd, prim__md_bytes(prim__nested_md(pd, slot, PRIM_ARG_WEIGHTS)));

done:
    prim__attr_fini(&attr);
    return st;
}

// ---- Layouts ---------------------------------------------------------------------------------

/// Plain, or in blocks of channels alone, from its first element on.
static prim_status_t require_data(prim_desc_t *pd, int arg)
{
    const prim_memory_desc_t *const md = prim__pd_md(pd, arg);
    for (int d = 0; d < md->ndims; ++d)
        REQUIRE(pd, md->padded_offsets[d] == 0 && (d == 1 || md->padded_dims[d] == md->dims[d]),
                "diff_src or diff_dst is padded other than in its channels");
    for (int i = 0; i < md->inner_nblks; ++i)
        REQUIRE(pd, md->inner_idxs[i] == 1,
                "diff_src or diff_dst is blocked other than by channels");
    return PRIM_SUCCESS;
}

/// The copy steps over taps by strides.
static prim_status_t require_weights(prim_desc_t *pd, const prim_memory_desc_t *md, int first_tap)
{
    for (int d = 0; d < md->ndims; ++d)
        REQUIRE(pd, md->padded_offsets[d] == 0,
                "weights are a view whose first element lies behind padding");
    for (int i = 0; i < md->inner_nblks; ++i)
        REQUIRE(pd, md->inner_idxs[i] < first_tap, "weights are blocked in a spatial dimension");
    return PRIM_SUCCESS;
}

/// Weights that are copied in any case are laid out as the data.
static prim_status_t set_copied_weights(prim_desc_t *pd, const conv_shape_t *s)
{
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    const prim_memory_desc_t *const diff_src = prim__pd_md(pd, PRIM_ARG_DIFF_SRC);
    const bool is_last = diff_src->inner_nblks == 0 && diff_src->strides[1] == 1 && s->ic > 1;
    if (is_last) TRY(prim__conv_set_weights_channels_last(pd));
    return prim__md_set_row_major_if_any(wei);
}

static prim_status_t set_data_layouts(prim_desc_t *pd, bool prefers_channels_last)
{
    prim_memory_desc_t *const diff_src = prim__pd_md_mutable(pd, PRIM_ARG_DIFF_SRC);
    prim_memory_desc_t *const diff_dst = prim__pd_md_mutable(pd, PRIM_ARG_DIFF_DST);
    if (prefers_channels_last) return prim__conv_set_channels_last(pd);
    if (!prim__md_is_any(diff_dst)) TRY(prim__md_set_like_if_any(diff_src, diff_dst));
    TRY(prim__md_set_row_major_if_any(diff_src));
    return prim__md_set_like_if_any(diff_dst, diff_src);
}

prim_status_t prim__conv_polyphase_init_pd(
        conv_polyphase_t *polyphase, prim_desc_t *pd, bool prefers_channels_last)
{
    prim_memory_desc_t *const wei = prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS);
    conv_shape_t s;
    prim__conv_shape(&s, pd);
    *polyphase = (conv_polyphase_t){.copies_weights = prim__conv_taps(&s) > 1};
    TRY(prim__conv_require_no_bias(pd));
    REQUIRE(pd,
            !prim__md_is_empty(prim__pd_md(pd, PRIM_ARG_DIFF_SRC)) &&
                    !prim__md_is_empty(prim__pd_md(pd, PRIM_ARG_DIFF_DST)),
            "a tensor is empty");
    TRY(set_data_layouts(pd, prefers_channels_last));
    TRY(require_data(pd, PRIM_ARG_DIFF_SRC));
    TRY(require_data(pd, PRIM_ARG_DIFF_DST));
    TRY(list_phases(polyphase, pd, &s));
    if (polyphase->copies_weights) TRY(set_copied_weights(pd, &s));
    if (!prim__md_is_any(wei)) TRY(require_weights(pd, wei, s.has_groups + 2));
    for (int slot = 0; slot < polyphase->nphases; ++slot) {
        TRY(nest(polyphase, pd, &s, slot));
        TRY(require_weights(pd, prim__nested_md(pd, slot, PRIM_ARG_WEIGHTS), s.has_groups + 2));
    }
    pd->op.alg_kind = pd->nested[0]->op.alg_kind;
    if (!prim__md_is_any(wei)) return PRIM_SUCCESS;
    *wei = *prim__nested_md(pd, 0, PRIM_ARG_WEIGHTS);
    swap_dims(wei, s.has_groups, s.has_groups + 1);
    return PRIM_SUCCESS;
}

prim_status_t prim__conv_polyphase_run(
        const conv_polyphase_t *polyphase, const prim_t *primitive, const exec_ctx_t *ctx, int slot)
{
    const conv_phase_t *const phase = &polyphase->phases[slot];
    const int weights = polyphase->copies_weights ? PRIM_ARG_SCRATCHPAD : PRIM_ARG_WEIGHTS;
    nested_run_t run;
    prim__nested_begin(&run, primitive, ctx, slot);
    prim__nested_pass_view(&run, PRIM_ARG_SRC, PRIM_ARG_DIFF_DST, phase->diff_dst_bytes_at);
    prim__nested_pass_view(&run, PRIM_ARG_WEIGHTS, weights, phase->weights_bytes_at);
    prim__nested_pass_view(&run, PRIM_ARG_DST, PRIM_ARG_DIFF_SRC, phase->diff_src_bytes_at);
    return prim__nested_execute(&run);
}
