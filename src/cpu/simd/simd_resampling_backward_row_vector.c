// SPDX-License-Identifier: Apache-2.0
// simd:resampling:backward_row_vector: the gradient of nearest and linear. Rows of diff_dst are
// added up with their weights in vectors, along channels (NHWC), or along pixels (NCHW), which are
// then joined by the table of the width.
#include <string.h>

#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "simd_binary.h"
#include "simd_convert.h"
#include "simd_nest.h"
#include "simd_rows.h"

extern const impl_t prim__simd_resampling_backward_row_vector;

enum { CHANNELS = 1, DEPTH = 2, HEIGHT = 3, WIDTH = 4, NDIMS = SIMD_NCDHW };
enum {
    NDST = 4096,         ///< the longest row of diff_dst
    CHUNK_ELEMS = 16384, ///< that pay for a thread
};

/// The elements begin ≤ y < end along a dimension of diff_dst that one of diff_src is a part of.
typedef struct {
    prim_dim_t begin, end;
    float *shares; ///< shares[y − begin] is its weight in y
} users_t;

/// A tensor as an image.
typedef struct {
    prim_dim_t sizes[NDIMS], strides[NDIMS];
} image_t;

typedef struct {
    prim_desc_t base;
    bool is_last;     ///< channels are innermost: rows go along them
    image_t src, dst; ///< diff_src and diff_dst
} resampling_pd_t;

_Static_assert(offsetof(resampling_pd_t, base) == 0, "the base comes first");

static prim_status_t take_image(prim_desc_t *base, image_t *image, const prim_memory_desc_t *md)
{
    REQUIRE(base, prim__simd_takes_type(md->data_type),
            "diff_src or diff_dst is not f32, f16 or bf16");
    REQUIRE(base, prim__md_is_plain(md) && !prim__md_is_padded(md),
            "a tensor is blocked or padded");
    REQUIRE(base, !prim__md_has_runtime(md), "a dimension is known only at execution");
    REQUIRE(base, !prim__md_is_empty(md), "a tensor has no elements");
    prim__simd_ncdhw_strides(image->strides, md);
    prim__simd_ncdhw_sizes(image->sizes, md);
    return PRIM_SUCCESS;
}

/// Of linear each element of diff_dst is in the lists of two of diff_src, at most.
static size_t table_bytes(const resampling_pd_t *pd)
{
    size_t bytes = 0;
    for (int d = DEPTH; d <= WIDTH; ++d)
        bytes += (size_t)pd->src.sizes[d] * sizeof(users_t) +
                 (size_t)pd->dst.sizes[d] * 2 * sizeof(float);
    return bytes;
}

static prim_status_t init_pd(prim_desc_t *base)
{
    resampling_pd_t *const pd = (resampling_pd_t *)base;
    TRY(prim__pd_follow_gradients(base));
    TRY(take_image(base, &pd->src, prim__pd_md(base, PRIM_ARG_DIFF_SRC)));
    TRY(take_image(base, &pd->dst, prim__pd_md(base, PRIM_ARG_DIFF_DST)));
    (void)prim__pd_book_scratchpad(base, table_bytes(pd));
    pd->is_last = pd->dst.strides[CHANNELS] == 1 && pd->src.strides[CHANNELS] == 1;
    if (pd->is_last) return PRIM_SUCCESS;
    const bool has_rows = pd->dst.strides[WIDTH] == (pd->dst.sizes[WIDTH] > 1);
    REQUIRE(base, has_rows && pd->src.strides[WIDTH] <= 1,
            "neither channels nor pixels of diff_src and diff_dst are contiguous");
    REQUIRE(base, pd->dst.sizes[WIDTH] <= NDST, "diff_dst has rows of %lld pixels, more than %d",
            (long long)pd->dst.sizes[WIDTH], NDST);
    return PRIM_SUCCESS;
}

/// One execution.
typedef struct {
    const resampling_pd_t *pd;
    bool is_linear;
    const simd_convert_code_t *convert;
    const simd_rows_code_t *rows;
    const simd_binary_code_t *binary;
    simd_array_t diff_src, diff_dst;
    users_t *users[NDIMS]; ///< by element of diff_src along dimensions DEPTH, HEIGHT, WIDTH
    prim_dim_t nrows;
} run_t;

/// ⌈n / d⌉, 0 for negative n.
static prim_dim_t ceil_or_zero(prim_dim_t n, prim_dim_t d)
{
    return n > 0 ? prim__ceil_div(n, d) : 0;
}

/// The formulas of cpu/ref: nearest takes x where x ≤ (y + ½)·in/out < x + 1, and linear looks at
/// (y + ½)·in/out − ½, which lies less than 1 from x; so does what lies beyond it at a border.
static void find_users(users_t *u, bool is_linear, prim_dim_t x, prim_dim_t in, prim_dim_t out)
{
    if (is_linear) {
        const prim_dim_t from = out * (2 * x - 1) - in;
        u->begin = from < 0 ? 0 : from / (2 * in) + 1;
        u->end = ceil_or_zero(out * (2 * x + 3) - in, 2 * in);
    } else {
        u->begin = ceil_or_zero(2 * out * x - in, 2 * in);
        u->end = ceil_or_zero(2 * out * (x + 1) - in, 2 * in);
    }
    u->end = prim__max(prim__min(u->end, out), u->begin);
}

/// The weight of x in element y of linear, rounded from the exact fraction.
static float share_in(prim_dim_t x, prim_dim_t y, prim_dim_t in, prim_dim_t out)
{
    const prim_dim_t unit = 2 * out; // positions are multiples of 1 / unit
    const prim_dim_t position = prim__max(prim__min((2 * y + 1) * in - out, (in - 1) * unit), 0);
    const prim_dim_t distance = position - x * unit;
    return (float)((double)(unit - (distance < 0 ? -distance : distance)) / (double)unit);
}

/// Fills the tables, which follow each other in the scratchpad, the shares behind them.
static void make_tables(run_t *run, void *scratchpad)
{
    const prim_dim_t *const in = run->pd->src.sizes, *const out = run->pd->dst.sizes;
    users_t *next = scratchpad;
    float *shares = (float *)(next + in[DEPTH] + in[HEIGHT] + in[WIDTH]);
    for (int d = DEPTH; d <= WIDTH; ++d) {
        run->users[d] = next;
        for (prim_dim_t x = 0; x < in[d]; ++x, ++next) {
            next->shares = shares;
            find_users(next, run->is_linear, x, in[d], out[d]);
            for (prim_dim_t y = next->begin; y < next->end; ++y)
                *shares++ = run->is_linear ? share_in(x, y, in[d], out[d]) : 1;
        }
    }
}

/// sum = weight·(n elements of diff_dst from `offset` on), added to what is there unless it is the
/// first.
static void add_row(
        const run_t *run, float *sum, prim_dim_t offset, float weight, bool is_first, prim_dim_t n)
{
    for (prim_dim_t at = 0; at < n; at += SIMD_ROW) {
        float room[SIMD_ROW];
        const prim_dim_t count = prim__min(n - at, SIMD_ROW);
        const float *const x =
                prim__simd_read(run->convert, room, &run->diff_dst, offset + at, 1, count);
        if (is_first)
            run->rows->scale(sum + at, x, weight, count);
        else
            run->binary->add_scaled(sum + at, x, weight, 0, count);
    }
}

/// The sum of n elements of all rows of diff_dst that the users of three dimensions name.
static void add_users(
        const run_t *run, float *sum, const users_t *u, prim_dim_t offset, prim_dim_t n)
{
    const prim_dim_t *const strides = run->pd->dst.strides;
    bool is_first = true;
    for (prim_dim_t z = u[0].begin; z < u[0].end; ++z) {
        for (prim_dim_t y = u[1].begin; y < u[1].end; ++y) {
            const float weight = u[0].shares[z - u[0].begin] * u[1].shares[y - u[1].begin];
            const prim_dim_t line = offset + z * strides[DEPTH] + y * strides[HEIGHT];
            for (prim_dim_t x = u[2].begin; x < u[2].end; ++x) {
                const float share = u[2].shares[x - u[2].begin];
                add_row(run, sum, line + x * strides[WIDTH], weight * share, is_first, n);
                is_first = false;
            }
        }
    }
    if (is_first) memset(sum, 0, (size_t)n * sizeof *sum);
}

static void differentiate_channels(
        const run_t *run, const users_t *u, prim_dim_t from, prim_dim_t to)
{
    const prim_dim_t nchannels = run->pd->src.sizes[CHANNELS];
    for (prim_dim_t c = 0; c < nchannels; c += SIMD_ROW) {
        float row[SIMD_ROW];
        const prim_dim_t n = prim__min(nchannels - c, SIMD_ROW);
        add_users(run, row, u, from + c, n);
        prim__simd_write(run->convert, &run->diff_src, to + c, 1, row, n);
    }
}

static void differentiate_pixels(const run_t *run, users_t *u, prim_dim_t from, prim_dim_t to)
{
    const resampling_pd_t *const pd = run->pd;
    float pixels[NDST], one = 1;
    u[2] = (users_t){0, 1, &one};
    add_users(run, pixels, u, from, pd->dst.sizes[WIDTH]);
    for (prim_dim_t at = 0; at < pd->src.sizes[WIDTH]; at += SIMD_ROW) {
        float row[SIMD_ROW];
        const prim_dim_t n = prim__min(pd->src.sizes[WIDTH] - at, SIMD_ROW);
        for (prim_dim_t i = 0; i < n; ++i) {
            const users_t *const joined = &run->users[WIDTH][at + i];
            float sum = 0;
            for (prim_dim_t y = joined->begin; y < joined->end; ++y)
                sum += pixels[y] * joined->shares[y - joined->begin];
            row[i] = sum;
        }
        prim__simd_write(run->convert, &run->diff_src, to + at, 1, row, n);
    }
}

/// Rows of diff_src, split over threads.
static void differentiate_rows(int ithr, int nthr, void *arg)
{
    const run_t *const run = arg;
    const resampling_pd_t *const pd = run->pd;
    prim_dim_t start, end;
    prim__balance211(run->nrows, nthr, ithr, &start, &end);
    for (prim_dim_t i = start; i < end; ++i) {
        prim_dim_t at[NDIMS] = {0}, rest = i, from = 0, to = 0;
        users_t users[3];
        for (int d = pd->is_last ? WIDTH : HEIGHT; d >= 0; --d) {
            if (pd->is_last && d == CHANNELS) continue;
            at[d] = rest % pd->src.sizes[d];
            rest /= pd->src.sizes[d];
            to += at[d] * pd->src.strides[d];
            if (d < DEPTH) from += at[d] * pd->dst.strides[d];
        }
        for (int d = DEPTH; d <= WIDTH; ++d) users[d - DEPTH] = run->users[d][at[d]];
        if (pd->is_last)
            differentiate_channels(run, users, from, to);
        else
            differentiate_pixels(run, users, from, to);
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const resampling_pd_t *const pd = (const resampling_pd_t *)primitive->pd;
    const prim_desc_t *const base = &pd->base;
    run_t run = {.pd = pd,
            .is_linear = base->op.alg_kind == PRIM_RESAMPLING_LINEAR,
            .convert = SIMD_CHOOSE(prim__simd_convert_code),
            .rows = SIMD_CHOOSE(prim__simd_rows_code),
            .binary = SIMD_CHOOSE(prim__simd_binary_code),
            .diff_src = prim__simd_array(base, ctx, PRIM_ARG_DIFF_SRC),
            .diff_dst = prim__simd_array(base, ctx, PRIM_ARG_DIFF_DST)};
    make_tables(&run, prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD));
    const prim_dim_t nsrc = prim__md_nelems(prim__pd_md(base, PRIM_ARG_DIFF_SRC));
    const prim_dim_t ndst = prim__md_nelems(prim__pd_md(base, PRIM_ARG_DIFF_DST));
    run.nrows = nsrc / pd->src.sizes[pd->is_last ? CHANNELS : WIDTH];
    const prim_dim_t nchunks = prim__max(nsrc, ndst) / CHUNK_ELEMS + 1;
    prim__parallel((int)prim__min(nchunks, prim__max_threads()), differentiate_rows, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_resampling_backward_row_vector = {
        .name = "simd:resampling:backward_row_vector",
        .pd_size = sizeof(resampling_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
