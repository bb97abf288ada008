// SPDX-License-Identifier: Apache-2.0
// simd:conv:backward_weights_direct: the gradients of a convolution's weights and bias as dot
// products of planes: of diff_dst, and of what each tap shows of src. The strips are split, and the
// splits are added in their order, whatever the number of threads.
#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "cpu/ref/ref_row.h"
#include "simd_conv_cost.h"
#include "simd_conv_finish.h"
#include "simd_conv_padding.h"
#include "simd_conv_planes.h"
#include "simd_direct.h"
#include "simd_float_rows.h"

extern const impl_t prim__simd_conv_backward_weights_direct;

/// Fixed at creation.
typedef struct {
    prim_desc_t base;
    simd_conv_planes_t src, diff_dst; ///< of one width; a plane of diff_dst has zeros at the end
    prim_dim_t nstrips;               ///< of the rows of a plane of diff_dst
    prim_dim_t nplanes, ntaps;        ///< of src in a group; of a plane
    prim_dim_t nsums;                 ///< of a split: those of weights, then of the bias
    prim_dim_t nsplits;
    prim_dim_t ngroups; ///< whose planes are copied together
    bool has_padding;   ///< windows reach beyond src
    int nthr;
    size_t thread_bytes, scratch_offset, sums_offset, mask_offset,
            taps_offset; ///< in the scratchpad
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

/// Planes of diff_dst with rows as wide as those of src.
static void set_planes(conv_pd_t *pd, const conv_shape_t *s, prim_dim_t rows)
{
    prim__simd_conv_planes_init(&pd->src, s, rows);
    conv_shape_t dst = *s;
    for (int d = 0; d < CONV_NSPATIAL; ++d) {
        dst.in[d] = s->out[d];
        dst.kernel[d] = dst.stride[d] = dst.dilation[d] = 1;
        dst.pad[d] = 0;
    }
    prim__simd_conv_planes_init(&pd->diff_dst, &dst, rows);
    pd->diff_dst.width = pd->src.width;
    pd->diff_dst.plane_elems = prim__round_up(rows * pd->src.width, SIMD_DIRECT_SLACK);
}

static prim_dim_t strip_elems(const conv_pd_t *pd)
{
    const conv_shape_t *const s = &pd->src.shape;
    const prim_dim_t src = prim__simd_conv_planes_elems(&pd->src, pd->ngroups * s->ic);
    return prim__round_up(src, SIMD_DIRECT_SLACK) + pd->ngroups * s->oc * pd->diff_dst.plane_elems;
}

/// As many rows of diff_dst as the L2 cache holds with what they meet of src.
static prim_status_t choose_strips(conv_pd_t *pd, const conv_shape_t *s)
{
    enum { STRIP_ELEMS = 1 << 16, MOST_SPLITS = 16, MOST_PARTIAL_BYTES = 1 << 24 };
    prim_dim_t rows = s->out[CONV_H];
    pd->ngroups = prim__simd_conv_weights_groups(&pd->base, s);
    for (set_planes(pd, s, rows); rows > 1 && strip_elems(pd) > STRIP_ELEMS;
            set_planes(pd, s, rows))
        rows = prim__ceil_div(rows, 2);
    REQUIRE(&pd->base, strip_elems(pd) <= STRIP_ELEMS,
            "a row of diff_dst and src under it have %lld elements, more than %d",
            (long long)strip_elems(pd), STRIP_ELEMS);
    pd->nstrips = prim__ceil_div(s->out[CONV_H], rows);
    const prim_dim_t most = MOST_PARTIAL_BYTES / (s->g * pd->nsums * (prim_dim_t)sizeof(float));
    const prim_dim_t nparts = s->mb * s->out[CONV_D] * pd->nstrips;
    pd->nsplits = prim__max(prim__min(prim__min(nparts, MOST_SPLITS), most), 1);
    return PRIM_SUCCESS;
}

static prim_status_t prefer_the_cheapest(prim_desc_t *pd, const conv_shape_t *s)
{
    const double direct = prim__simd_conv_weights_direct_cycles(pd, s);
    const double gemm = prim__simd_conv_weights_gemm_cycles(pd, s);
    PREFER_OTHER_UNLESS(pd, 1.3 * direct < gemm,
            "a matrix product is expected to take %.0f cycles a pixel, this variant %.0f", gemm,
            direct);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    conv_shape_t s;
    prim__conv_shape(&s, base);
    TRY(prim__conv_take_direct(base));
    TRY(prim__conv_set_channels_last(base));
    TRY(prim__conv_set_row_major(base)); // diff_weights and the bias are left
    TRY(prim__simd_conv_require_weights_gradient(base));
    TRY(prefer_the_cheapest(base, &s));
    pd->nplanes = s.ic * s.kernel[CONV_D];
    pd->ntaps = s.kernel[CONV_H] * s.kernel[CONV_W];
    pd->nsums = s.oc * (pd->nplanes * pd->ntaps + 1);
    TRY(choose_strips(pd, &s));
    pd->has_padding = prim__simd_conv_has_padding(&s);
    pd->nthr = prim__planned_threads();
    pd->thread_bytes = (size_t)strip_elems(pd) * sizeof(float);
    pd->scratch_offset = prim__pd_book_scratchpad(base, pd->thread_bytes * (size_t)pd->nthr);
    const prim_dim_t nsums = pd->nsplits * s.g * pd->nsums;
    pd->sums_offset = prim__pd_book_scratchpad(base, (size_t)nsums * sizeof(float));
    // Bits to keep of a strip and of the last, and ones, which sum the bias.
    pd->mask_offset =
            prim__pd_book_scratchpad(base, 3 * (size_t)pd->diff_dst.plane_elems * sizeof(float));
    pd->taps_offset = prim__pd_book_scratchpad(base, (size_t)pd->ntaps * sizeof(prim_dim_t));
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const conv_pd_t *pd;
    const simd_direct_code_t *code;
    simd_conv_source_t src, diff_dst;
    simd_conv_padding_t padding;
    int32_t *masks;     ///< of a strip, then of the last, which may have fewer rows
    float *ones, *sums; ///< sums: [split][group][channel][planes·taps + 1]
    prim_dim_t *taps;
    char *scratch;
    void *wei, *bias;
} run_t;

/// Adds the products of a block of output channels with all taps, and with ones.
static void add_block(const run_t *run, simd_direct_dots_t dots, const float *x, int nchannels)
{
    static const prim_dim_t origin = 0;
    const conv_pd_t *const pd = run->pd;
    for (prim_dim_t i = 0; i < pd->nplanes; ++i) {
        dots.x = x + i * pd->src.plane_elems;
        for (prim_dim_t t = 0; t < pd->ntaps; t += SIMD_DIRECT_TAPS) {
            const int n = (int)prim__min(pd->ntaps - t, SIMD_DIRECT_TAPS);
            dots.taps = run->taps + t;
            run->code->dots(&dots, nchannels, n);
            dots.sums += n;
        }
    }
    dots.x = run->ones;
    dots.taps = &origin;
    run->code->dots(&dots, nchannels, 1);
}

/// Adds the dot products of a group's planes x and y to its sums.
static void add_group(
        const run_t *run, const int32_t *mask, float *sums, const float *x, const float *y)
{
    const conv_pd_t *const pd = run->pd;
    const prim_dim_t oc = pd->src.shape.oc;
    simd_direct_dots_t dots = {.y_row = pd->diff_dst.plane_elems,
            .mask = mask,
            .n = pd->diff_dst.rows * pd->src.width,
            .sums_row = pd->nplanes * pd->ntaps + 1};
    for (prim_dim_t o = 0; o < oc; o += SIMD_DIRECT_CHANNELS) {
        dots.y = y + o * dots.y_row;
        dots.sums = sums + o * dots.sums_row;
        add_block(run, dots, x, (int)prim__min(oc - o, SIMD_DIRECT_CHANNELS));
    }
}

/// The same of one strip for the groups group..group+ngroups, whose sums follow each other.
static void add_strip(const run_t *run, const simd_conv_strip_t *strip, prim_dim_t group,
        prim_dim_t ngroups, float *sums, float *x)
{
    const conv_pd_t *const pd = run->pd;
    const conv_shape_t *const s = &pd->src.shape;
    simd_conv_strip_t at = *strip;
    const prim_dim_t nsrc = prim__simd_conv_planes_elems(&pd->src, pd->ngroups * s->ic);
    float *const y = x + prim__round_up(nsrc, SIMD_DIRECT_SLACK);
    at.channel = group * s->ic;
    prim__simd_conv_copy_planes(&pd->src, &run->src, &at, ngroups * s->ic, x);
    at.channel = group * s->oc;
    prim__simd_conv_copy_planes(&pd->diff_dst, &run->diff_dst, &at, ngroups * s->oc, y);
    const bool is_last = strip->oh + pd->src.rows >= s->out[CONV_H];
    const int32_t *const mask = run->masks + (is_last ? pd->diff_dst.plane_elems : 0);
    for (prim_dim_t g = 0; g < ngroups; ++g)
        add_group(run, mask, sums + g * pd->nsums, x + g * pd->nplanes * pd->src.plane_elems,
                y + g * s->oc * pd->diff_dst.plane_elems);
}

/// Some groups of a split: `index` counts them.
static void add_split(const run_t *run, prim_dim_t index, float *room)
{
    const conv_pd_t *const pd = run->pd;
    const conv_shape_t *const s = &pd->src.shape;
    const prim_dim_t nblocks = prim__ceil_div(s->g, pd->ngroups);
    const prim_dim_t group = index % nblocks * pd->ngroups;
    const prim_dim_t ngroups = prim__min(s->g - group, pd->ngroups);
    float *const sums = run->sums + (index / nblocks * s->g + group) * pd->nsums;
    memset(sums, 0, (size_t)(ngroups * pd->nsums) * sizeof *sums);
    prim_dim_t part, past;
    prim__balance211(s->mb * s->out[CONV_D] * pd->nstrips, (int)pd->nsplits, (int)(index / nblocks),
            &part, &past);
    for (; part < past; ++part) {
        simd_conv_strip_t strip = {.od = part / pd->nstrips % s->out[CONV_D]};
        strip.image = part / pd->nstrips / s->out[CONV_D];
        strip.oh = part % pd->nstrips * pd->src.rows;
        add_strip(run, &strip, group, ngroups, sums, room);
    }
}

/// Groups of splits, one after the other.
static void work_on_splits(int ithr, int nthr, void *arg)
{
    const run_t *const run = arg;
    const conv_pd_t *const pd = run->pd;
    float *const room = (float *)(void *)(run->scratch + (size_t)ithr * pd->thread_bytes);
    const prim_dim_t nblocks = prim__ceil_div(pd->src.shape.g, pd->ngroups);
    prim_dim_t start, end;
    prim__balance211(pd->nsplits * nblocks, nthr, ithr, &start, &end);
    if (start < end) memset(room, 0, pd->thread_bytes);
    for (prim_dim_t i = start; i < end; ++i) add_split(run, i, room);
}

/// The sum of all splits.
static float total(const run_t *run, prim_dim_t index)
{
    const prim_dim_t next = run->pd->src.shape.g * run->pd->nsums;
    float sum = run->sums[index];
    for (prim_dim_t i = 1; i < run->pd->nsplits; ++i) sum += run->sums[index + i * next];
    return sum;
}

/// The gradients that belong to one output channel.
static void store_channel(prim_dim_t channel, void *arg)
{
    const run_t *const run = arg;
    const conv_pd_t *const pd = run->pd;
    const conv_shape_t *const s = &pd->src.shape;
    const prim_memory_desc_t *const md = prim__pd_md(&pd->base, PRIM_ARG_DIFF_WEIGHTS);
    const simd_convert_code_t *const convert = SIMD_CHOOSE(prim__simd_convert_code);
    prim_dim_t w[6], index = channel * (pd->nplanes * pd->ntaps + 1);
    const simd_array_t wei = {run->wei, md->data_type};
    prim__conv_weights_strides(w, md, s->has_groups);
    for (prim_dim_t i = 0; i < pd->nplanes; ++i) {
        const prim_dim_t at = md->offset0 + channel / s->oc * w[0] + channel % s->oc * w[1] +
                              i / s->kernel[CONV_D] * w[2] + i % s->kernel[CONV_D] * w[3];
        for (prim_dim_t t = 0, n; t < pd->ntaps; t += n, index += n) {
            float row[REF_ROW_ELEMS];
            n = prim__min(s->kernel[CONV_W] - t % s->kernel[CONV_W], REF_ROW_ELEMS);
            for (prim_dim_t k = 0; k < n; ++k) {
                row[k] = total(run, index + k);
                if (!pd->has_padding) continue;
                prim__simd_conv_padding_mend(&run->padding, channel,
                        i % s->kernel[CONV_D] * pd->ntaps + t + k, i / s->kernel[CONV_D], &row[k],
                        1);
            }
            prim__simd_write(convert, &wei,
                    at + t / s->kernel[CONV_W] * w[4] + t % s->kernel[CONV_W] * w[5], w[5], row, n);
        }
    }
    if (!run->bias) return;
    const prim_memory_desc_t *const bias = prim__pd_md(&pd->base, PRIM_ARG_DIFF_BIAS);
    prim__store(run->bias, bias->data_type, bias->offset0 + channel * bias->strides[0],
            (double)total(run, index));
}

/// Where planes with nrows rows have pixels: 0 may meet an infinity of src elsewhere.
static void fill_mask(const simd_conv_planes_t *planes, prim_dim_t nrows, int32_t *mask)
{
    for (prim_dim_t i = 0; i < planes->plane_elems; ++i) {
        const bool is_pixel =
                i < nrows * planes->width && i % planes->width < planes->shape.out[CONV_W];
        mask[i] = is_pixel ? -1 : 0;
    }
}

static void fill_tables(const run_t *run)
{
    const simd_conv_planes_t *const planes = &run->pd->diff_dst;
    const prim_dim_t before = (run->pd->nstrips - 1) * planes->rows;
    fill_mask(planes, planes->rows, run->masks);
    fill_mask(planes, planes->shape.out[CONV_H] - before, run->masks + planes->plane_elems);
    for (prim_dim_t i = 0; i < planes->plane_elems; ++i) run->ones[i] = 1.0F;
    prim__simd_conv_planes_taps(&run->pd->src, run->taps);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    char *const scratchpad = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    run_t run = {.pd = pd,
            .code = SIMD_CHOOSE(prim__simd_direct_code),
            .src = {.array = prim__simd_array(base, ctx, PRIM_ARG_SRC)},
            .diff_dst = {.array = prim__simd_array(base, ctx, PRIM_ARG_DIFF_DST)},
            .masks = (int32_t *)(void *)(scratchpad + pd->mask_offset),
            .sums = (float *)(void *)(scratchpad + pd->sums_offset),
            .taps = (prim_dim_t *)(void *)(scratchpad + pd->taps_offset),
            .scratch = scratchpad + pd->scratch_offset,
            .wei = prim__ref_pointer(ctx, PRIM_ARG_DIFF_WEIGHTS)};
    run.ones = (float *)(void *)(run.masks + 2 * pd->diff_dst.plane_elems);
    prim__conv_data_strides(run.src.strides, prim__pd_md(base, PRIM_ARG_SRC));
    prim__conv_data_strides(run.diff_dst.strides, prim__pd_md(base, PRIM_ARG_DIFF_DST));
    if (prim__pd_has(base, PRIM_ARG_DIFF_BIAS))
        run.bias = prim__ref_pointer(ctx, PRIM_ARG_DIFF_BIAS);
    fill_tables(&run);
    prim__parallel(pd->nthr, work_on_splits, &run);
    if (pd->has_padding) prim__simd_conv_padding_init(&run.padding, base, ctx);
    prim__parallel_for(pd->src.shape.g * pd->src.shape.oc, store_channel, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_conv_backward_weights_direct = {
        .name = "simd:conv:backward_weights_direct",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
