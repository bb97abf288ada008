// SPDX-License-Identifier: Apache-2.0
// simd:conv:backward_weights_nhwc_depthwise: the gradients of weights and bias of a depthwise
// convolution with channels last. Padded planes of pixels are multiplied element by element; sums
// of the same channel are added up in the end. The strips are split, and the splits are added in
// their order, whatever the number of threads.
#include <string.h>

#include "common/data_type.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "simd_conv_finish.h"
#include "simd_conv_padding.h"
#include "simd_conv_phases.h"
#include "simd_float_rows.h"
#include "simd_periodic.h"
#include "simd_rows.h"

extern const impl_t prim__simd_conv_backward_weights_nhwc_depthwise;

/// Fixed at creation.
typedef struct {
    prim_desc_t base;
    simd_conv_planes_t src, diff_dst; ///< of one width
    prim_dim_t block, nblocks;        ///< channels whose planes are copied together
    prim_dim_t nstrips;               ///< of the rows of a plane of diff_dst
    prim_dim_t nsplits;
    prim_dim_t ntaps;
    prim_dim_t src_elems, dst_elems, sums_elems; ///< in a thread's scratch
    bool has_padding;                            ///< windows reach beyond src
    int nthr;
    size_t thread_bytes, scratch_offset, sums_offset, ones_offset,
            taps_offset; ///< in the scratchpad
} conv_pd_t;

_Static_assert(offsetof(conv_pd_t, base) == 0, "the base comes first");

static prim_status_t check_problem(prim_desc_t *pd, const conv_shape_t *s)
{
    REQUIRE(pd, s->has_groups && s->ic == 1 && s->oc == 1,
            "not depthwise: a group has %lld input and %lld output channels", (long long)s->ic,
            (long long)s->oc);
    TRY(prim__conv_set_channels_last(pd));
    TRY(prim__conv_set_row_major(pd)); // diff_weights and the bias are left
    TRY(prim__simd_conv_require_weights_gradient(pd));
    REQUIRE(pd,
            prim__pd_md(pd, PRIM_ARG_SRC)->strides[1] == 1 &&
                    prim__pd_md(pd, PRIM_ARG_DIFF_DST)->strides[1] == 1,
            "the channels of src or diff_dst are not contiguous");
    return PRIM_SUCCESS;
}

/// Channels until vectors begin with the same one again.
static prim_dim_t period_of(prim_dim_t nchannels)
{
    prim_dim_t period = nchannels;
    while (period % SIMD_PERIODIC_SLACK != 0) period += nchannels;
    return period;
}

/// All channels, whose pixels are copied at once, while their sums stay in the L1 cache and a strip
/// has several rows; else whole vectors of them, and those that are left are a block of their own.
static void choose_blocks(conv_pd_t *pd, const conv_shape_t *s)
{
    enum { VECTOR = 16, MOST = 64, SUMS = 1 << 14, ROW_ELEMS = 1 << 14 };
    simd_conv_planes_t one;
    prim__simd_conv_planes_init(&one, s, 1);
    const prim_dim_t nsums = (pd->ntaps + 1) * period_of(s->g);
    const bool fits = nsums <= SUMS && one.plane_elems * s->kernel[CONV_D] * s->g <= ROW_ELEMS;
    pd->block = fits || s->g < VECTOR ? s->g : prim__min(s->g / VECTOR * VECTOR, MOST);
    pd->nblocks = prim__ceil_div(s->g, pd->block);
    const prim_dim_t last = s->g - (pd->nblocks - 1) * pd->block;
    const prim_dim_t period = prim__max(period_of(pd->block), period_of(last));
    pd->sums_elems = (pd->ntaps + 1) * period;
}

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
    pd->diff_dst.plane_elems = rows * pd->src.width;
    const prim_dim_t src = pd->src.plane_elems * s->kernel[CONV_D] * pd->block;
    const prim_dim_t diff_dst = pd->diff_dst.plane_elems * pd->block;
    pd->src_elems = prim__round_up(src, SIMD_PERIODIC_SLACK) + SIMD_PERIODIC_SLACK;
    pd->dst_elems = prim__round_up(diff_dst, SIMD_PERIODIC_SLACK);
}

/// As many rows of diff_dst as the L2 cache holds with what they meet of src.
static prim_status_t choose_strips(conv_pd_t *pd, const conv_shape_t *s)
{
    enum { STRIP_ELEMS = 3 << 15, MOST_ELEMS = 1 << 17, MOST_SPLITS = 16 };
    prim_dim_t rows = s->out[CONV_H];
    for (set_planes(pd, s, rows); rows > 1 && pd->src_elems + pd->dst_elems > STRIP_ELEMS;
            set_planes(pd, s, rows))
        rows = prim__ceil_div(rows, 2);
    REQUIRE(&pd->base, pd->src_elems + pd->dst_elems <= MOST_ELEMS,
            "a row of diff_dst and src under it have %lld elements, more than %d",
            (long long)(pd->src_elems + pd->dst_elems), MOST_ELEMS);
    pd->nstrips = prim__ceil_div(s->out[CONV_H], rows);
    pd->nsplits = prim__min(s->mb * s->out[CONV_D] * pd->nstrips, MOST_SPLITS);
    return PRIM_SUCCESS;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    conv_pd_t *const pd = (conv_pd_t *)base;
    conv_shape_t s;
    prim__conv_shape(&s, base);
    TRY(prim__conv_take_direct(base));
    TRY(check_problem(base, &s));
    PREFER_OTHER_UNLESS(base, s.g > 1, "the rows of one channel are vectors");
    pd->ntaps = prim__conv_taps(&s);
    choose_blocks(pd, &s);
    TRY(choose_strips(pd, &s));
    pd->has_padding = prim__simd_conv_has_padding(&s);
    pd->nthr = prim__planned_threads();
    pd->thread_bytes =
            (size_t)(pd->src_elems + 2 * pd->dst_elems + prim__round_up(pd->sums_elems, 16)) *
            sizeof(float);
    pd->scratch_offset = prim__pd_book_scratchpad(base, pd->thread_bytes * (size_t)pd->nthr);
    const prim_dim_t nsums = pd->nsplits * (pd->ntaps + 1) * s.g;
    pd->sums_offset = prim__pd_book_scratchpad(base, (size_t)nsums * sizeof(float));
    pd->ones_offset = prim__pd_book_scratchpad(base, (size_t)pd->dst_elems * sizeof(float));
    pd->taps_offset = prim__pd_book_scratchpad(base, 2 * (size_t)pd->ntaps * sizeof(prim_dim_t));
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const conv_pd_t *pd;
    const simd_periodic_code_t *code;
    const simd_rows_code_t *rows;
    simd_conv_source_t src, diff_dst;
    simd_conv_padding_t padding;
    float *ones;
    float *sums;      ///< [split][taps + 1][channels]
    prim_dim_t *taps; ///< of a block, then of the last
    char *scratch;
    void *wei, *bias;
} run_t;

/// A block of channels of a split under work.
typedef struct {
    const run_t *run;
    simd_conv_strip_t at;
    prim_dim_t nchannels;
    const prim_dim_t *taps;
    float *x, *y, *sums;
    int32_t *mask;
} block_t;

/// Where the planes have pixels of diff_dst: beyond them 0 may meet an infinity of src.
static void fill_mask(const block_t *block)
{
    const simd_conv_planes_t *const planes = &block->run->pd->diff_dst;
    const conv_shape_t *const s = &planes->shape;
    const prim_dim_t nrows = prim__min(planes->rows, s->out[CONV_H] - block->at.oh);
    for (prim_dim_t i = 0; i < block->run->pd->dst_elems; ++i) {
        const prim_dim_t pixel = i / block->nchannels;
        const bool is_inside =
                pixel / planes->width < nrows && pixel % planes->width < s->out[CONV_W];
        block->mask[i] = is_inside ? -1 : 0;
    }
}

/// Adds the products of one strip.
static void add_strip(const block_t *block)
{
    static const prim_dim_t origin = 0;
    const run_t *const run = block->run;
    const conv_pd_t *const pd = run->pd;
    prim__simd_conv_copy_phases(&pd->src, &run->src, &block->at, block->nchannels, block->x);
    prim__simd_conv_copy_phases(
            &pd->diff_dst, &run->diff_dst, &block->at, block->nchannels, block->y);
    const prim_dim_t nsrc = pd->src.plane_elems * pd->src.shape.kernel[CONV_D] * block->nchannels;
    simd_periodic_dots_t dots = {.x = block->x,
            .y = block->y,
            .taps = block->taps,
            .ntaps = pd->ntaps,
            .period = period_of(block->nchannels),
            .n = pd->diff_dst.plane_elems * block->nchannels,
            .sums = block->sums};
    if (!run->rows->all_finite(block->x, nsrc + SIMD_PERIODIC_SLACK)) {
        fill_mask(block);
        dots.mask = block->mask;
    }
    run->code->dots(&dots);
    if (!run->bias) return;
    dots.x = run->ones;
    dots.taps = &origin;
    dots.ntaps = 1;
    dots.mask = NULL;
    dots.sums = block->sums + pd->ntaps * dots.period;
    run->code->dots(&dots);
}

/// Sums of the same channel become one.
static void add_periods(const block_t *block, float *to, prim_dim_t step)
{
    const prim_dim_t n = block->nchannels, period = period_of(n);
    const float *sums = block->sums;
    for (prim_dim_t t = 0; t <= block->run->pd->ntaps; ++t, to += step, sums += period) {
        memcpy(to, sums, (size_t)n * sizeof *to);
        for (prim_dim_t i = n; i < period; ++i) to[i % n] += sums[i];
    }
}

/// A block of channels of a split: `index` counts them.
static void add_split(const run_t *run, prim_dim_t index, float *room)
{
    const conv_pd_t *const pd = run->pd;
    const conv_shape_t *const s = &pd->src.shape;
    const prim_dim_t channel = index % pd->nblocks * pd->block, split = index / pd->nblocks;
    const bool is_last = index % pd->nblocks == pd->nblocks - 1;
    block_t block = {.run = run,
            .nchannels = prim__min(s->g - channel, pd->block),
            .taps = run->taps + (is_last ? pd->ntaps : 0),
            .x = room,
            .y = room + pd->src_elems,
            .sums = room + pd->src_elems + pd->dst_elems};
    block.mask = (int32_t *)(void *)(block.sums + prim__round_up(pd->sums_elems, 16));
    memset(room, 0, pd->thread_bytes);
    prim_dim_t part, past;
    prim__balance211(
            s->mb * s->out[CONV_D] * pd->nstrips, (int)pd->nsplits, (int)split, &part, &past);
    for (; part < past; ++part) {
        block.at = (simd_conv_strip_t){.image = part / pd->nstrips / s->out[CONV_D],
                .channel = channel,
                .od = part / pd->nstrips % s->out[CONV_D],
                .oh = part % pd->nstrips * pd->src.rows};
        add_strip(&block);
    }
    add_periods(&block, run->sums + split * (pd->ntaps + 1) * s->g + channel, s->g);
}

/// Blocks of splits, one after the other.
static void work_on_splits(int ithr, int nthr, void *arg)
{
    const run_t *const run = arg;
    const conv_pd_t *const pd = run->pd;
    float *const room = (float *)(void *)(run->scratch + (size_t)ithr * pd->thread_bytes);
    prim_dim_t start, end;
    prim__balance211(pd->nsplits * pd->nblocks, nthr, ithr, &start, &end);
    for (prim_dim_t i = start; i < end; ++i) add_split(run, i, room);
}

/// The sum of all splits.
static float total(const run_t *run, prim_dim_t tap, prim_dim_t channel)
{
    const prim_dim_t nchannels = run->pd->src.shape.g;
    const prim_dim_t next = (run->pd->ntaps + 1) * nchannels;
    const float *const sums = run->sums + tap * nchannels + channel;
    float sum = sums[0];
    for (prim_dim_t i = 1; i < run->pd->nsplits; ++i) sum += sums[i * next];
    return sum;
}

/// The gradients of one channel.
static void store_channel(prim_dim_t channel, void *arg)
{
    const run_t *const run = arg;
    const conv_pd_t *const pd = run->pd;
    const conv_shape_t *const s = &pd->src.shape;
    const prim_memory_desc_t *const md = prim__pd_md(&pd->base, PRIM_ARG_DIFF_WEIGHTS);
    prim_dim_t w[6];
    prim__conv_weights_strides(w, md, s->has_groups);
    for (prim_dim_t tap = 0; tap < pd->ntaps; ++tap) {
        float sum = total(run, tap, channel);
        if (pd->has_padding) prim__simd_conv_padding_mend(&run->padding, channel, tap, 0, &sum, 1);
        const prim_dim_t kw = tap % s->kernel[CONV_W], rest = tap / s->kernel[CONV_W];
        const prim_dim_t at = md->offset0 + channel * w[0] + rest / s->kernel[CONV_H] * w[3] +
                              rest % s->kernel[CONV_H] * w[4] + kw * w[5];
        prim__simd_store_row(&sum, run->wei, md->data_type, at, 1);
    }
    if (!run->bias) return;
    const prim_memory_desc_t *const bias = prim__pd_md(&pd->base, PRIM_ARG_DIFF_BIAS);
    prim__store(run->bias, bias->data_type, bias->offset0 + channel * bias->strides[0],
            (double)total(run, pd->ntaps, channel));
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const conv_pd_t *const pd = (const conv_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    char *const scratchpad = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
    run_t run = {.pd = pd,
            .code = SIMD_CHOOSE(prim__simd_periodic_code),
            .rows = SIMD_CHOOSE(prim__simd_rows_code),
            .src = {.array = prim__simd_array(base, ctx, PRIM_ARG_SRC)},
            .diff_dst = {.array = prim__simd_array(base, ctx, PRIM_ARG_DIFF_DST)},
            .ones = (float *)(void *)(scratchpad + pd->ones_offset),
            .sums = (float *)(void *)(scratchpad + pd->sums_offset),
            .taps = (prim_dim_t *)(void *)(scratchpad + pd->taps_offset),
            .scratch = scratchpad + pd->scratch_offset,
            .wei = prim__ref_pointer(ctx, PRIM_ARG_DIFF_WEIGHTS)};
    prim__conv_data_strides(run.src.strides, prim__pd_md(base, PRIM_ARG_SRC));
    prim__conv_data_strides(run.diff_dst.strides, prim__pd_md(base, PRIM_ARG_DIFF_DST));
    if (prim__pd_has(base, PRIM_ARG_DIFF_BIAS))
        run.bias = prim__ref_pointer(ctx, PRIM_ARG_DIFF_BIAS);
    for (prim_dim_t i = 0; i < pd->dst_elems; ++i) run.ones[i] = 1.0F;
    prim__simd_conv_planes_all_taps(&pd->src, run.taps, pd->block);
    prim__simd_conv_planes_all_taps(
            &pd->src, run.taps + pd->ntaps, pd->src.shape.g - (pd->nblocks - 1) * pd->block);
    prim__parallel(pd->nthr, work_on_splits, &run);
    if (pd->has_padding) prim__simd_conv_padding_init(&run.padding, base, ctx);
    prim__parallel_for(pd->src.shape.g, store_channel, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_conv_backward_weights_nhwc_depthwise = {
        .name = "simd:conv:backward_weights_nhwc_depthwise",
        .pd_size = sizeof(conv_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
