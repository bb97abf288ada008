// SPDX-License-Identifier: Apache-2.0
// Loop nests as kernels see them, and how they are split among work-items.
#include "ocl_nest.h"

#include "common/int_math.h"
#include "gpu/ocl/tune/ocl_estimate.h"
#include "gpu/ocl/tune/ocl_measured.h"

#include <string.h>

ocl_nest_t prim__ocl_nest(const loops_t *loops)
{
    loops_t padded = *loops;
    ocl_nest_t nest;
    memset(&nest, 0, sizeof nest);
    nest.first_loop = NEST_LOOPS - loops->n < NEST_ROW ? NEST_LOOPS - loops->n : NEST_ROW;
    prim__ocl_loops_pad(&padded, NEST_LOOPS);
    memcpy(nest.extents, padded.extents, sizeof nest.extents);
    for (int t = 0; t < LOOPS_MAX_TENSORS; ++t)
        memcpy(nest.strides[t], padded.strides[t], sizeof nest.strides[t]);
    for (int k = 0; k < LOOPS_MAX_TAILS; ++k) nest.limits[k] = INT64_MAX;
    for (int k = 0; k < padded.ntails; ++k) {
        memcpy(nest.multipliers[k], padded.tails[k].multipliers, sizeof nest.multipliers[k]);
        nest.limits[k] = padded.tails[k].limit;
        nest.is_in_dst[k] = padded.tails[k].is_in_dst;
    }
    return nest;
}

int64_t prim__ocl_nest_outer(const ocl_nest_t *nest)
{
    int64_t outer = 1;
    for (int l = 0; l < NEST_ROW; ++l) outer *= nest->extents[l];
    return outer;
}

/// The loops outside the axis of plain tensors without padding, of which a nest has room for two
/// more.
static prim_status_t loops_outside(
        prim_desc_t *pd, loops_t *loops, const prim_memory_desc_t *const *mds, int n, int axis)
{
    REQUIRE(pd, prim__ocl_loops_init_without(loops, mds, n, axis),
            "a tensor has a blocked layout; this variant takes plain ones");
    REQUIRE(pd, loops->ntails == 0, "a tensor is padded");
    REQUIRE(pd, loops->n + 2 <= NEST_LOOPS,
            "the layouts make a nest of %d loops, at most %d are taken", loops->n + 2, NEST_LOOPS);
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_nest_rows(
        prim_desc_t *pd, ocl_nest_t *nest, const prim_memory_desc_t *const *mds, int n, int axis)
{
    loops_t loops;
    TRY(loops_outside(pd, &loops, mds, n, axis));
    for (int i = 0; i < n; ++i)
        REQUIRE(pd, mds[i]->dims[axis] == 1 || mds[i]->strides[axis] == 1,
                "a tensor is not contiguous along axis %d", axis);
    prim__ocl_loops_pad(&loops, loops.n + 2);
    prim__ocl_loops_move(&loops, 0, loops.n - 1);
    prim__ocl_loops_move(&loops, 0, loops.n - 1);
    *nest = prim__ocl_nest(&loops);
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_nest_columns(
        prim_desc_t *pd, ocl_nest_t *nest, const prim_memory_desc_t *const *mds, int n, int axis)
{
    loops_t loops;
    TRY(loops_outside(pd, &loops, mds, n, axis));
    const int inner = prim__ocl_loops_unit(&loops, 0);
    for (int i = 0; i < n; ++i)
        REQUIRE(pd, inner >= 0 && loops.strides[i][inner] == 1,
                "the tensors share no contiguous dimension other than axis %d", axis);
    prim__ocl_loops_move(&loops, inner, loops.n - 1);
    prim__ocl_loops_pad(&loops, loops.n + 1);
    prim__ocl_loops_move(&loops, 0, loops.n - 2);
    loops.extents[loops.n - 2] = mds[0]->dims[axis];
    for (int i = 0; i < n; ++i) loops.strides[i][loops.n - 2] = mds[i]->strides[axis];
    *nest = prim__ocl_nest(&loops);
    return PRIM_SUCCESS;
}

/// Elements a work-item of a CPU-type device takes of `total`: no more than stay in the first-level
/// cache (32 KiB of f32), no less than are worth its start (some 100 ns), and several work-items
/// for each core, so that none waits long for the last.
static int64_t piece_elems(int64_t total, const ocl_device_t *device)
{
    const int least = prim__ocl_measured_int(device, MEASURED_PIECE_LEAST_ELEMS, 512);
    const int most = prim__ocl_measured_int(device, MEASURED_PIECE_MOST_ELEMS, 8192);
    const int core_items = prim__ocl_measured_int(device, MEASURED_PIECE_CORE_ITEMS, 8);
    const int64_t share = total / ((int64_t)device->compute_units * core_items);
    if (share > most) return most;
    return share < least ? least : share;
}

enum { MOST_ROWS = 8 };

/// Cuts a nest of one loop into up to MOST_ROWS rows of whole vectors.
static void cut_array(ocl_nest_t *nest, int vec)
{
    if (nest->extents[NEST_ROW] != 1 || prim__ocl_nest_outer(nest) != 1) return;
    int64_t rows = MOST_ROWS;
    while (rows > 1 && nest->extents[NEST_INNER] % (rows * vec) != 0) rows /= 2;
    const int64_t inner = nest->extents[NEST_INNER] / rows;
    nest->extents[NEST_ROW] = rows;
    nest->extents[NEST_INNER] = inner;
    for (int t = 0; t < LOOPS_MAX_TENSORS; ++t)
        nest->strides[t][NEST_ROW] = nest->strides[t][NEST_INNER] * inner;
    for (int k = 0; k < LOOPS_MAX_TAILS; ++k)
        nest->multipliers[k][NEST_ROW] = nest->multipliers[k][NEST_INNER] * inner;
}

/// Rows a work-item of a GPU takes, as long as there are enough work-items to hide the memory's
/// latency: twice as many as a compute unit holds, which is 16 for each of its lanes.
static int64_t gpu_rows(int64_t nvectors, int64_t n_row, const ocl_device_t *device)
{
    const int64_t wanted =
            (int64_t)device->compute_units * prim__ocl_measured_int(device, MEASURED_UNIT_VECTORS,
                                                     32 * prim__ocl_estimate_lanes(device));
    int64_t rows = MOST_ROWS;
    while (rows > 1 && (nvectors / rows < wanted || n_row < rows)) rows /= 2;
    return rows;
}

ocl_pieces_t prim__ocl_pieces(ocl_nest_t *nest, const ocl_device_t *device, int vec)
{
    if (!device->is_cpu) cut_array(nest, vec);
    const int64_t n_inner = nest->extents[NEST_INNER], n_row = nest->extents[NEST_ROW];
    const int64_t outer = prim__ocl_nest_outer(nest);
    ocl_pieces_t pieces = {.n_inner = n_inner, .n_row = n_row, .per_inner = vec, .per_row = 1};
    if (device->is_cpu) {
        pieces.per_inner = piece_elems(n_inner * n_row * outer, device);
        if (n_inner > 0 && pieces.per_inner > n_inner) {
            pieces.per_row = pieces.per_inner / n_inner;
            pieces.per_inner = n_inner;
        }
    } else {
        pieces.per_row = gpu_rows(prim__ceil_div(n_inner, vec) * n_row * outer, n_row, device);
    }
    pieces.chunks_inner = prim__ceil_div(n_inner, pieces.per_inner);
    pieces.chunks_row = prim__ceil_div(n_row, pieces.per_row);
    pieces.nitems = pieces.chunks_inner * pieces.chunks_row * outer;
    return pieces;
}

void prim__ocl_args_pieces(ocl_args_t *args, const ocl_pieces_t *pieces)
{
    prim__ocl_args_i64(args, pieces->n_inner);
    prim__ocl_args_i64(args, pieces->n_row);
    prim__ocl_args_i64(args, pieces->per_inner);
    prim__ocl_args_i64(args, pieces->per_row);
    prim__ocl_args_i64(args, pieces->chunks_inner);
    prim__ocl_args_i64(args, pieces->chunks_row);
    prim__ocl_args_i64(args, pieces->nitems);
}

ocl_range_t prim__ocl_range_pieces(const ocl_kernel_t *kernel, const ocl_pieces_t *pieces)
{
    // A piece keeps a core busy: no larger groups there.
    if (kernel->device->is_cpu) return prim__ocl_range_groups(pieces->nitems, 1);
    return prim__ocl_range_1d(kernel, pieces->nitems);
}
