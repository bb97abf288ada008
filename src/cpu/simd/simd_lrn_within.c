// SPDX-License-Identifier: Apache-2.0
// Windows within a channel, in vectors along the width, or along channels where they are
// contiguous. A row is a few pixels of a block of channels; the sums of windows along the width are
// sums of rows that are shifted by pixels, those along the height are sums of such rows.
#include <string.h>

#include "common/int_math.h"
#include "common/parallel.h"
#include "simd_columns.h"
#include "simd_lrn.h"
#include "simd_lrn_within.h"

enum { N, C, D, H, W };
enum {
    ROW = 512,                      ///< elements of a row
    BLOCK = 64,                     ///< channels of a row, at most
    BAND = 64,                      ///< rows of pixels of a task
    HALO = SIMD_LRN_WINDOW / 2 * 2, ///< pixels beyond both ends of a row, at most
    PADDED = ROW + HALO * BLOCK,
};

prim_status_t prim__simd_lrn_within_init_pd(
        simd_lrn_pd_t *pd, const prim_memory_desc_t *const *tensors)
{
    prim_desc_t *const base = &pd->base;
    simd_lrn_within_t *const within = &pd->within;
    REQUIRE(base, tensors[0]->ndims >= 3, "there are no pixels");
    prim__simd_ncdhw_sizes(within->sizes, tensors[0]);
    bool are_last = pd->nchannels > 1, are_dense = true;
    for (int t = 0; t < pd->ntensors; ++t) {
        REQUIRE(base, !prim__md_has_runtime(tensors[t]), "a dimension is known only at execution");
        REQUIRE(base, prim__md_is_plain(tensors[t]) && !prim__md_is_padded(tensors[t]),
                "a tensor is blocked or padded");
        prim__simd_ncdhw_strides(within->strides[t], tensors[t]);
        are_last = are_last && within->strides[t][C] == 1;
        are_dense = are_dense && within->strides[t][W] == pd->nchannels;
    }
    within->block = are_last ? prim__min(pd->nchannels, BLOCK) : 1;
    within->npixels = prim__min(ROW / within->block, within->sizes[W]);
    within->is_run = !are_last || (are_dense && within->block == pd->nchannels);
    for (int t = 0; t < pd->ntensors; ++t)
        pd->row_strides[t] = are_last ? 1 : within->strides[t][W];
    return PRIM_SUCCESS;
}

/// A band of rows first_row.. of pixels first.., of some channels and one depth.
typedef struct {
    prim_dim_t offsets[SIMD_LRN_TENSORS]; ///< of the first channel at depth, row and pixel 0
    prim_dim_t nchannels, depth, first, npixels, first_row, nrows;
} task_t;

/// The n-th of pieces of `size` of a dimension: where it begins, and its length.
static prim_dim_t take_piece(
        prim_dim_t *index, prim_dim_t *length, prim_dim_t elems, prim_dim_t size)
{
    const prim_dim_t npieces = prim__ceil_div(elems, size);
    const prim_dim_t begin = *index % npieces * size;
    *index /= npieces;
    *length = prim__min(elems - begin, size);
    return begin;
}

static task_t find_task(const simd_lrn_pd_t *pd, prim_dim_t index)
{
    const simd_lrn_within_t *const within = &pd->within;
    const prim_dim_t *const sizes = within->sizes;
    task_t task;
    task.first = take_piece(&index, &task.npixels, sizes[W], within->npixels);
    task.first_row = take_piece(&index, &task.nrows, sizes[H], BAND);
    task.depth = index % sizes[D];
    index /= sizes[D];
    const prim_dim_t channel = take_piece(&index, &task.nchannels, sizes[C], within->block);
    for (int t = 0; t < pd->ntensors; ++t)
        task.offsets[t] = index * within->strides[t][N] + channel * within->strides[t][C];
    return task;
}

static prim_dim_t count_tasks(const simd_lrn_within_t *within)
{
    const prim_dim_t *const sizes = within->sizes;
    return sizes[N] * prim__ceil_div(sizes[C], within->block) * sizes[D] *
           prim__ceil_div(sizes[H], BAND) * prim__ceil_div(sizes[W], within->npixels);
}

/// Calls the body for pixels first..past−1 of a row of the image.
static void visit_row(const simd_lrn_run_t *run, const task_t *task, simd_lrn_finish_t *body,
        float *row, const prim_dim_t *position, prim_dim_t past)
{
    const simd_lrn_within_t *const within = &run->pd->within;
    const prim_dim_t npixels = within->is_run ? SIMD_LRN_ROW / task->nchannels : 1;
    for (prim_dim_t w = position[W]; w < past; w += npixels) {
        prim_dim_t offsets[SIMD_LRN_TENSORS];
        for (int t = 0; t < run->pd->ntensors; ++t) {
            const prim_dim_t *const strides = within->strides[t];
            offsets[t] = task->offsets[t] + position[D] * strides[D] + position[H] * strides[H] +
                         w * strides[W];
        }
        body(run, row + (w - position[W]) * task->nchannels, offsets,
                prim__min(past - w, npixels) * task->nchannels);
    }
}

/// sums += the windows along the width of a row of terms, which `terms` has room for; its pixels
/// beyond the image are 0.
static void add_windows(const simd_lrn_run_t *run, const task_t *task, float *sums, float *terms,
        prim_dim_t depth, prim_dim_t height)
{
    const prim_dim_t half = run->pd->half, begin = task->first - half;
    const prim_dim_t position[] = {[D] = depth, [H] = height, [W] = prim__max(begin, 0)};
    const prim_dim_t past = prim__min(task->first + task->npixels + half, run->pd->within.sizes[W]);
    visit_row(
            run, task, run->term, terms + (position[W] - begin) * task->nchannels, position, past);
    for (prim_dim_t k = 0; k < 2 * half + 1; ++k)
        run->columns->add(sums, terms + k * task->nchannels, task->npixels * task->nchannels);
}

/// The same over the window along the depth.
static void sum_plane_windows(
        const simd_lrn_run_t *run, const task_t *task, float *sums, float *terms, prim_dim_t height)
{
    const prim_dim_t half = run->pd->half;
    const prim_dim_t past = prim__min(task->depth + half + 1, run->pd->within.sizes[D]);
    memset(sums, 0, (size_t)(task->npixels * task->nchannels) * sizeof *sums);
    for (prim_dim_t d = prim__max(task->depth - half, 0); d < past; ++d)
        add_windows(run, task, sums, terms, d, height);
}

/// Rows of sums of the window along the width and the depth are kept as long as windows along the
/// height have them.
static void compute_task(prim_dim_t index, void *arg)
{
    const simd_lrn_run_t *const run = arg;
    const task_t task = find_task(run->pd, index);
    const prim_dim_t half = run->pd->half, window = 2 * half + 1;
    const prim_dim_t height = run->pd->within.sizes[H], n = task.npixels * task.nchannels;
    const prim_dim_t past = task.first_row + task.nrows;
    float terms[PADDED] = {0}, rows[SIMD_LRN_WINDOW][ROW];
    for (prim_dim_t next = prim__max(task.first_row - half, 0); next < past + half; ++next) {
        const prim_dim_t h = next - half;
        if (next < height) sum_plane_windows(run, &task, rows[next % window], terms, next);
        if (h < task.first_row) continue;
        float sums[ROW] = {0};
        for (prim_dim_t k = prim__max(h - half, 0); k <= prim__min(next, height - 1); ++k)
            run->columns->add(sums, rows[k % window], n);
        const prim_dim_t position[] = {[D] = task.depth, [H] = h, [W] = task.first};
        visit_row(run, &task, run->finish, sums, position, task.first + task.npixels);
    }
}

void prim__simd_lrn_within_run(simd_lrn_run_t *run)
{
    prim__parallel_for(count_tasks(&run->pd->within), compute_task, run);
}
