// SPDX-License-Identifier: Apache-2.0
// The walk over windows across channels. Where channels are contiguous, windows are shifted rows;
// else rows of the last 2·half + 1 channels are kept.
#include "simd_lrn.h"

#include "common/data_type.h"
#include "common/int_math.h"
#include "simd_lrn_within.h"

static prim_status_t require_problem(simd_lrn_pd_t *pd)
{
    prim_desc_t *const base = &pd->base;
    const float beta = base->op.u.lrn.beta;
    REQUIRE(base, beta == 0.5F || beta == 0.75F || beta == 1.0F,
            "beta is %g, neither 0.5 nor 0.75 nor 1", (double)beta);
    pd->power = beta == 0.5F   ? SIMD_LRN_HALF
                : beta == 1.0F ? SIMD_LRN_ONE
                               : SIMD_LRN_THREE_QUARTERS;
    pd->half = prim__lrn_window(base).half;
    REQUIRE(base, 2 * pd->half + 1 <= SIMD_LRN_WINDOW, "a window is %lld wide, more than %d",
            (long long)(2 * pd->half + 1), SIMD_LRN_WINDOW);
    return PRIM_SUCCESS;
}

prim_status_t prim__simd_lrn_init_pd(simd_lrn_pd_t *pd, const int *args)
{
    prim_desc_t *const base = &pd->base;
    const prim_memory_desc_t *tensors[SIMD_LRN_TENSORS];
    TRY(require_problem(pd));
    for (pd->ntensors = 0; args[pd->ntensors]; ++pd->ntensors) {
        const prim_memory_desc_t *const md = prim__pd_md(base, args[pd->ntensors]);
        REQUIRE(base, prim__simd_takes_type(md->data_type), "a tensor is not f32, f16 or bf16");
        tensors[pd->ntensors] = md;
        pd->args[pd->ntensors] = args[pd->ntensors];
    }
    REQUIRE(base, !prim__md_is_empty(tensors[0]), "the tensors are empty");
    pd->nchannels = tensors[0]->dims[1];
    if (base->op.alg_kind == PRIM_LRN_WITHIN_CHANNEL)
        return prim__simd_lrn_within_init_pd(pd, tensors);
    TRY(prim__simd_nest_init_around(&pd->nest, pd->strides, base, tensors, pd->ntensors, 1));
    pd->is_last = true;
    for (int t = 0; t < pd->ntensors; ++t) pd->is_last = pd->is_last && pd->strides[t] == 1;
    for (int t = 0; t < pd->ntensors; ++t)
        pd->row_strides[t] = pd->is_last ? 1 : prim__simd_nest_strides(&pd->nest)[t];
    return PRIM_SUCCESS;
}

const float *prim__simd_lrn_read(
        const simd_lrn_run_t *run, float *room, int tensor, const prim_dim_t *offsets, prim_dim_t n)
{
    return prim__simd_read(run->convert, room, &run->arrays[tensor], offsets[tensor],
            run->pd->row_strides[tensor], n);
}

void prim__simd_lrn_write(const simd_lrn_run_t *run, const float *row, int tensor,
        const prim_dim_t *offsets, prim_dim_t n)
{
    prim__simd_write(run->convert, &run->arrays[tensor], offsets[tensor],
            run->pd->row_strides[tensor], row, n);
}

/// The offsets of channel c beside those of channel 0.
static void move(const simd_lrn_run_t *run, prim_dim_t *to, const prim_dim_t *from, prim_dim_t c)
{
    for (int t = 0; t < run->pd->ntensors; ++t) to[t] = from[t] + c * run->pd->strides[t];
}

/// All channels of a pixel.
static void compute_pixel(const simd_lrn_run_t *run, const prim_dim_t *pixel)
{
    enum { HALO = SIMD_LRN_WINDOW / 2 };
    const simd_lrn_pd_t *const pd = run->pd;
    for (prim_dim_t first = 0; first < pd->nchannels; first += SIMD_LRN_ROW) {
        // Channels first − half to first + n + half − 1; 0 where there are none.
        float terms[SIMD_LRN_ROW + 2 * HALO] = {0}, sums[SIMD_LRN_ROW] = {0};
        prim_dim_t offsets[SIMD_LRN_TENSORS];
        const prim_dim_t n = prim__min(pd->nchannels - first, SIMD_LRN_ROW);
        const prim_dim_t begin = prim__max(first - pd->half, 0);
        const prim_dim_t past = prim__min(first + n + pd->half, pd->nchannels);
        for (prim_dim_t c = begin; c < past; c += SIMD_LRN_ROW) {
            move(run, offsets, pixel, c);
            run->term(run, terms + (c - (first - pd->half)), offsets,
                    prim__min(past - c, SIMD_LRN_ROW));
        }
        for (prim_dim_t j = 0; j < 2 * pd->half + 1; ++j) run->columns->add(sums, terms + j, n);
        move(run, offsets, pixel, first);
        run->finish(run, sums, offsets, n);
    }
}

static void compute_pixels(const prim_dim_t *offsets, prim_dim_t n, void *arg)
{
    const simd_lrn_run_t *const run = arg;
    const prim_dim_t *const strides = prim__simd_nest_strides(&run->pd->nest);
    for (prim_dim_t i = 0; i < n; ++i) {
        prim_dim_t pixel[SIMD_LRN_TENSORS];
        for (int t = 0; t < run->pd->ntensors; ++t) pixel[t] = offsets[t] + i * strides[t];
        compute_pixel(run, pixel);
    }
}

/// All channels of n neighbouring pixels.
static void compute_columns(const prim_dim_t *columns, prim_dim_t n, void *arg)
{
    const simd_lrn_run_t *const run = arg;
    const simd_lrn_pd_t *const pd = run->pd;
    const prim_dim_t window = 2 * pd->half + 1;
    float terms[SIMD_LRN_WINDOW][SIMD_LRN_ROW];
    prim_dim_t offsets[SIMD_LRN_TENSORS];
    for (prim_dim_t next = 0; next < pd->nchannels + pd->half; ++next) {
        const prim_dim_t c = next - pd->half;
        if (next < pd->nchannels) {
            move(run, offsets, columns, next);
            run->term(run, terms[next % window], offsets, n);
        }
        if (c < 0) continue;
        float sums[SIMD_LRN_ROW] = {0};
        for (prim_dim_t k = prim__max(c - pd->half, 0); k <= prim__min(next, pd->nchannels - 1);
                ++k)
            run->columns->add(sums, terms[k % window], n);
        move(run, offsets, columns, c);
        run->finish(run, sums, offsets, n);
    }
}

void prim__simd_lrn_run(simd_lrn_run_t *run, const simd_lrn_pd_t *pd, const exec_ctx_t *ctx)
{
    enum { PIXEL_ELEMS = 8192 };
    const lrn_window_t window = prim__lrn_window(&pd->base);
    run->pd = pd;
    run->convert = SIMD_CHOOSE(prim__simd_convert_code);
    run->binary = SIMD_CHOOSE(prim__simd_binary_code);
    run->columns = SIMD_CHOOSE(prim__simd_columns_code);
    run->code = SIMD_CHOOSE(prim__simd_lrn_code);
    run->k = pd->base.op.u.lrn.k;
    run->factor = (float)window.factor;
    for (int t = 0; t < pd->ntensors; ++t)
        run->arrays[t] = prim__simd_array(&pd->base, ctx, pd->args[t]);
    if (pd->base.op.alg_kind == PRIM_LRN_WITHIN_CHANNEL)
        prim__simd_lrn_within_run(run);
    else if (pd->is_last)
        prim__simd_nest_walk_by(
                &pd->nest, prim__ceil_div(PIXEL_ELEMS, pd->nchannels), 1, compute_pixels, run);
    else
        prim__simd_nest_walk_by(&pd->nest, SIMD_LRN_ROW, 1, compute_columns, run);
}
