// SPDX-License-Identifier: Apache-2.0
// simd:resampling:row_vector: nearest and linear. Rows of src are added up with their weights in
// vectors, along channels (NHWC), or along pixels (NCHW), whose neighbours are then joined by a
// table of the width.
#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "simd_chain.h"
#include "simd_rows.h"

extern const impl_t prim__simd_resampling_row_vector;

enum { DST, SRC, OPERANDS };
enum { CHANNELS = 1, WIDTH = 4, NDIMS = SIMD_NCDHW };
enum {
    NSRC = 4096,         ///< the longest row of src
    CHUNK_ELEMS = 16384, ///< that pay for a thread
};

typedef struct {
    prim_desc_t base;
    bool is_last; ///< channels are innermost: rows go along them
    int ntensors;
    prim_dim_t strides[SIMD_NEST_TENSORS][NDIMS];
    prim_dim_t in[NDIMS], out[NDIMS];
} resampling_pd_t;

_Static_assert(offsetof(resampling_pd_t, base) == 0, "the base comes first");

/// What an element of dst is made of along one dimension. Both shares are rounded from the exact
/// fractions: 1 − share would lose the digits of a small one.
typedef struct {
    prim_dim_t left, right; ///< equal where one element has all the weight
    float left_share, right_share;
} source_t;

static prim_status_t init_pd(prim_desc_t *base)
{
    resampling_pd_t *const pd = (resampling_pd_t *)base;
    TRY(prim__pd_follow(base));
    const prim_memory_desc_t *tensors[SIMD_NEST_TENSORS] = {
            prim__pd_md(base, PRIM_ARG_DST), prim__pd_md(base, PRIM_ARG_SRC)};
    pd->ntensors = OPERANDS;
    for (int t = DST; t <= SRC; ++t)
        REQUIRE(base, prim__simd_takes_type(tensors[t]->data_type),
                "src or dst is not f32, f16, bf16, s8 or u8");
    TRY(prim__simd_chain_add(base, tensors, &pd->ntensors));
    for (int t = 0; t < pd->ntensors; ++t) {
        REQUIRE(base, prim__md_is_plain(tensors[t]) && !prim__md_is_padded(tensors[t]),
                "a tensor is blocked or padded");
        REQUIRE(base, !prim__md_has_runtime(tensors[t]), "a dimension is known only at execution");
        prim__simd_ncdhw_strides(pd->strides[t], tensors[t]);
    }
    REQUIRE(base, !prim__md_is_empty(tensors[DST]), "dst has no elements");
    prim__simd_ncdhw_sizes(pd->out, tensors[DST]);
    prim__simd_ncdhw_sizes(pd->in, tensors[SRC]);
    pd->is_last = pd->strides[DST][CHANNELS] == 1 && pd->strides[SRC][CHANNELS] == 1;
    if (pd->is_last) return PRIM_SUCCESS;
    const bool has_rows = pd->strides[SRC][WIDTH] == (pd->in[WIDTH] > 1);
    REQUIRE(base, has_rows && pd->strides[DST][WIDTH] <= 1,
            "neither channels nor pixels of src and dst are contiguous");
    REQUIRE(base, pd->in[WIDTH] <= NSRC, "src has rows of %lld pixels, more than %d",
            (long long)pd->in[WIDTH], NSRC);
    (void)prim__pd_book_scratchpad(base, (size_t)pd->out[WIDTH] * sizeof(source_t));
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const resampling_pd_t *pd;
    bool is_linear;
    const simd_rows_code_t *rows;
    simd_array_t dst, src;
    source_t *columns; ///< of NCHW: for each pixel of a row of dst, in the scratchpad
    simd_chain_t chain;
    prim_dim_t nrows;
} run_t;

/// The formulas of cpu/ref: positions are multiples of 1/(2·out), without rounding.
static source_t find_source(const run_t *run, int d, prim_dim_t y)
{
    const prim_dim_t in = run->pd->in[d], out = run->pd->out[d];
    if (!run->is_linear) {
        const prim_dim_t at = (2 * y + 1) * in / (2 * out);
        return (source_t){at, at, 1, 0};
    }
    const prim_dim_t position = (2 * y + 1) * in - out, left = position / (2 * out);
    if (position <= 0) return (source_t){0, 0, 1, 0};
    if (left >= in - 1) return (source_t){in - 1, in - 1, 1, 0};
    // A neighbour of no weight may be an infinity.
    if (position % (2 * out) == 0) return (source_t){left, left, 1, 0};
    const double whole = (double)(2 * out), right = (double)(position % (2 * out));
    return (source_t){left, left + 1, (float)((whole - right) / whole), (float)(right / whole)};
}

/// The rows of src that a row of dst is made of: corner k takes the right element along dimension d
/// where bit d is set.
typedef struct {
    const run_t *run;
    source_t sources[NDIMS];
    prim_dim_t offset; ///< of the image and channel
} corners_t;

/// sum = Σ weight·(n elements of src) over the corners.
static void add_corners(const corners_t *c, float *sum, prim_dim_t n)
{
    const run_t *const run = c->run;
    const int last = run->pd->is_last ? WIDTH : WIDTH - 1;
    bool is_first = true;
    for (int corner = 0; corner < 1 << (last - 1); ++corner) {
        float weight = 1, room[SIMD_ROW];
        prim_dim_t offset = c->offset;
        bool is_there = true;
        for (int d = 2; d <= last; ++d) {
            const source_t *const s = &c->sources[d];
            const bool is_right = corner >> (d - 2) & 1;
            is_there = is_there && !(is_right && s->left == s->right);
            offset += (is_right ? s->right : s->left) * run->pd->strides[SRC][d];
            weight *= is_right ? s->right_share : s->left_share;
        }
        if (!is_there) continue;
        for (prim_dim_t at = 0; at < n; at += SIMD_ROW) {
            const prim_dim_t count = prim__min(n - at, SIMD_ROW);
            const float *const x =
                    prim__simd_read(run->chain.convert, room, &run->src, offset + at, 1, count);
            if (is_first)
                run->rows->scale(sum + at, x, weight, count);
            else
                run->chain.binary->add_scaled(sum + at, x, weight, 0, count);
        }
        is_first = false;
    }
}

/// n elements of dst from `at` on along `axis`.
static void finish(const run_t *run, float *row, const prim_dim_t *at, int axis, prim_dim_t n)
{
    const resampling_pd_t *const pd = run->pd;
    prim_dim_t offsets[SIMD_NEST_TENSORS], strides[SIMD_NEST_TENSORS];
    for (int t = 0; t < pd->ntensors; ++t) {
        strides[t] = pd->strides[t][axis];
        offsets[t] = 0;
        for (int d = 0; d < NDIMS; ++d) offsets[t] += at[d] * pd->strides[t][d];
    }
    prim__simd_chain_row(&run->chain, row, offsets, strides, n);
    prim__simd_write(run->chain.convert, &run->dst, offsets[DST], strides[DST], row, n);
}

static void resample_channels(corners_t *c, prim_dim_t *at)
{
    const resampling_pd_t *const pd = c->run->pd;
    const prim_dim_t image = c->offset;
    for (at[CHANNELS] = 0; at[CHANNELS] < pd->out[CHANNELS]; at[CHANNELS] += SIMD_ROW) {
        float row[SIMD_ROW];
        const prim_dim_t n = prim__min(pd->out[CHANNELS] - at[CHANNELS], SIMD_ROW);
        c->offset = image + at[CHANNELS];
        add_corners(c, row, n);
        finish(c->run, row, at, CHANNELS, n);
    }
}

static void resample_pixels(corners_t *c, prim_dim_t *at)
{
    const run_t *const run = c->run;
    float pixels[NSRC];
    add_corners(c, pixels, run->pd->in[WIDTH]);
    for (at[WIDTH] = 0; at[WIDTH] < run->pd->out[WIDTH]; at[WIDTH] += SIMD_ROW) {
        float row[SIMD_ROW];
        const prim_dim_t n = prim__min(run->pd->out[WIDTH] - at[WIDTH], SIMD_ROW);
        const source_t *const columns = run->columns + at[WIDTH];
        for (prim_dim_t i = 0; i < n; ++i) {
            const source_t *const s = &columns[i];
            row[i] = pixels[s->left];
            if (s->left != s->right)
                row[i] = row[i] * s->left_share + pixels[s->right] * s->right_share;
        }
        finish(run, row, at, WIDTH, n);
    }
}

/// Rows of dst, split over threads.
static void resample_rows(int ithr, int nthr, void *arg)
{
    const run_t *const run = arg;
    const resampling_pd_t *const pd = run->pd;
    const int inner = pd->is_last ? WIDTH : WIDTH - 1;
    corners_t corners = {.run = run};
    prim_dim_t start, end;
    prim__balance211(run->nrows, nthr, ithr, &start, &end);
    for (prim_dim_t i = start; i < end; ++i) {
        prim_dim_t at[NDIMS] = {0}, rest = i;
        for (int d = inner; d >= 2; --d) {
            at[d] = rest % pd->out[d];
            rest /= pd->out[d];
            corners.sources[d] = find_source(run, d, at[d]);
        }
        at[1] = pd->is_last ? 0 : rest % pd->out[1];
        at[0] = pd->is_last ? rest : rest / pd->out[1];
        corners.offset = at[0] * pd->strides[SRC][0] + at[1] * pd->strides[SRC][1];
        if (pd->is_last)
            resample_channels(&corners, at);
        else
            resample_pixels(&corners, at);
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const resampling_pd_t *const pd = (const resampling_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    run_t run = {.pd = pd,
            .is_linear = base->op.alg_kind == PRIM_RESAMPLING_LINEAR,
            .rows = SIMD_CHOOSE(prim__simd_rows_code),
            .dst = prim__simd_array(base, ctx, PRIM_ARG_DST),
            .src = prim__simd_array(base, ctx, PRIM_ARG_SRC)};
    if (!pd->is_last) {
        run.columns = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD);
        for (prim_dim_t i = 0; i < pd->out[WIDTH]; ++i)
            run.columns[i] = find_source(&run, WIDTH, i);
    }
    prim__simd_chain_init(&run.chain, base, ctx, OPERANDS);
    const prim_dim_t nelems = prim__md_nelems(prim__pd_md(base, PRIM_ARG_DST));
    run.nrows = nelems / pd->out[pd->is_last ? CHANNELS : WIDTH];
    const prim_dim_t nchunks = nelems / CHUNK_ELEMS + 1;
    prim__parallel((int)prim__min(nchunks, prim__max_threads()), resample_rows, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_resampling_row_vector = {
        .name = "simd:resampling:row_vector",
        .pd_size = sizeof(resampling_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
