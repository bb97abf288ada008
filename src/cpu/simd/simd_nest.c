// SPDX-License-Identifier: Apache-2.0
// Nests of loops: built from strides, walked by all threads.
#include "simd_nest.h"

#include "common/int_math.h"
#include "common/parallel.h"

/// Elements that pay for a thread, at least.
enum { CHUNK_ELEMS = 8 * SIMD_ROW };

/// Whether `outer` continues in every tensor where `inner` ends.
static bool continues(const simd_loop_t *outer, const simd_loop_t *inner, int ntensors)
{
    for (int t = 0; t < ntensors; ++t) {
        if (outer->strides[t] != inner->strides[t] * inner->n) return false;
    }
    return true;
}

static void merge_loops(simd_nest_t *nest)
{
    simd_loop_t *const loops = nest->loops;
    for (int i = nest->nloops - 2; i >= 0; --i) {
        if (!continues(&loops[i], &loops[i + 1], nest->ntensors)) continue;
        loops[i + 1].n *= loops[i].n;
        for (int k = i; k < nest->nloops - 1; ++k) loops[k] = loops[k + 1];
        --nest->nloops;
    }
}

// Sorts the loops by the first tensor's strides, the largest first, and leaves out single steps.
void prim__simd_nest_make(simd_nest_t *nest, const prim_memory_desc_t *const *tensors, int ntensors)
{
    const prim_memory_desc_t *const dst = tensors[0];
    *nest = (simd_nest_t){.ntensors = ntensors};
    for (int d = 0; d < dst->ndims; ++d) {
        simd_loop_t loop = {.n = dst->dims[d]};
        for (int t = 0; t < nest->ntensors; ++t)
            loop.strides[t] = tensors[t]->dims[d] == 1 ? 0 : tensors[t]->strides[d];
        if (loop.n == 1) continue;
        int at = nest->nloops++;
        for (; at > 0 && nest->loops[at - 1].strides[0] < loop.strides[0]; --at)
            nest->loops[at] = nest->loops[at - 1];
        nest->loops[at] = loop;
    }
    if (nest->nloops == 0) nest->loops[nest->nloops++] = (simd_loop_t){.n = 1};
    merge_loops(nest);
}

/// Whether all tensors are one array, whatever its layout.
static bool are_alike(const prim_memory_desc_t *const *tensors, int ntensors)
{
    if (!prim__md_is_dense(tensors[0])) return false;
    for (int t = 1; t < ntensors; ++t) {
        if (!prim__md_same_dims(tensors[t], tensors[0])) return false;
        if (!prim__md_same_layout_moved(tensors[t], tensors[0])) return false;
    }
    return true;
}

prim_status_t prim__simd_nest_init(
        simd_nest_t *nest, prim_desc_t *pd, const prim_memory_desc_t *const *tensors, int ntensors)
{
    REQUIRE(pd, ntensors <= SIMD_NEST_TENSORS, "%d tensors: at most %d are walked at once",
            ntensors, SIMD_NEST_TENSORS);
    for (int t = 0; t < ntensors; ++t)
        REQUIRE(pd, !prim__md_has_runtime(tensors[t]), "a dimension is known only at execution");
    *nest = (simd_nest_t){.ntensors = ntensors};
    if (are_alike(tensors, ntensors)) {
        nest->nloops = 1;
        nest->loops[0].n = prim__md_nelems_padded(tensors[0]);
        for (int t = 0; t < ntensors; ++t) nest->loops[0].strides[t] = 1;
        return PRIM_SUCCESS;
    }
    for (int t = 0; t < ntensors; ++t)
        REQUIRE(pd, prim__md_is_plain(tensors[t]) && !prim__md_is_padded(tensors[t]),
                "a tensor is blocked or padded, and another one has another layout");
    prim__simd_nest_make(nest, tensors, ntensors);
    return PRIM_SUCCESS;
}

prim_status_t prim__simd_nest_init_around(simd_nest_t *nest, prim_dim_t *strides, prim_desc_t *pd,
        const prim_memory_desc_t *const *tensors, int ntensors, int axis)
{
    REQUIRE(pd, ntensors <= SIMD_NEST_TENSORS, "%d tensors: at most %d are walked at once",
            ntensors, SIMD_NEST_TENSORS);
    prim_memory_desc_t outer[SIMD_NEST_TENSORS];
    const prim_memory_desc_t *pointers[SIMD_NEST_TENSORS];
    for (int t = 0; t < ntensors; ++t) {
        REQUIRE(pd, !prim__md_has_runtime(tensors[t]), "a dimension is known only at execution");
        REQUIRE(pd, prim__md_is_plain(tensors[t]) && !prim__md_is_padded(tensors[t]),
                "a tensor is blocked or padded");
        strides[t] = tensors[t]->dims[axis] == 1 ? 0 : tensors[t]->strides[axis];
        outer[t] = *tensors[t];
        outer[t].dims[axis] = 1;
        pointers[t] = &outer[t];
    }
    prim__simd_nest_make(nest, pointers, ntensors);
    return PRIM_SUCCESS;
}

void prim__simd_ncdhw_strides(prim_dim_t strides[SIMD_NCDHW], const prim_memory_desc_t *md)
{
    const int nabsent = SIMD_NCDHW - md->ndims;
    for (int d = 0; d < SIMD_NCDHW; ++d) strides[d] = 0;
    for (int d = 0; d < md->ndims; ++d)
        strides[d < 2 ? d : d + nabsent] = md->dims[d] == 1 ? 0 : md->strides[d];
}

void prim__simd_ncdhw_sizes(prim_dim_t sizes[SIMD_NCDHW], const prim_memory_desc_t *md)
{
    for (int d = 0; d < SIMD_NCDHW; ++d) sizes[d] = 1;
    for (int d = 0; d < md->ndims; ++d) sizes[d < 2 ? d : d + SIMD_NCDHW - md->ndims] = md->dims[d];
}

const prim_dim_t *prim__simd_nest_strides(const simd_nest_t *nest)
{
    return nest->loops[nest->nloops - 1].strides;
}

prim_dim_t prim__simd_nest_nelems(const simd_nest_t *nest)
{
    prim_dim_t nelems = 1;
    for (int i = 0; i < nest->nloops; ++i) nelems *= nest->loops[i].n;
    return nelems;
}

void prim__simd_nest_offsets(const simd_nest_t *nest, prim_dim_t index, prim_dim_t *offsets)
{
    for (int t = 0; t < nest->ntensors; ++t) offsets[t] = 0;
    for (int i = nest->nloops - 1; i >= 0; --i) {
        const simd_loop_t *const loop = &nest->loops[i];
        const prim_dim_t at = index % loop->n;
        index /= loop->n;
        for (int t = 0; t < nest->ntensors; ++t) offsets[t] += at * loop->strides[t];
    }
}

typedef struct {
    const simd_nest_t *nest;
    simd_row_body_t *body;
    void *arg;
    prim_dim_t row_elems;
    prim_dim_t npieces; ///< of the innermost loop
    prim_dim_t nchunk;  ///< pieces that a thread takes at once
    prim_dim_t nall;    ///< pieces of all loops
} walk_t;

/// Where the outer loops stand, and the offsets that belong to it.
typedef struct {
    prim_dim_t at[PRIM_MAX_NDIMS], offsets[SIMD_NEST_TENSORS];
} place_t;

static void place_init(place_t *place, const simd_nest_t *nest, prim_dim_t index)
{
    *place = (place_t){{0}, {0}};
    for (int i = nest->nloops - 2; i >= 0; --i) {
        const simd_loop_t *const loop = &nest->loops[i];
        place->at[i] = index % loop->n;
        index /= loop->n;
        for (int t = 0; t < nest->ntensors; ++t)
            place->offsets[t] += place->at[i] * loop->strides[t];
    }
}

static void place_advance(place_t *place, const simd_nest_t *nest)
{
    for (int i = nest->nloops - 2; i >= 0; --i) {
        const simd_loop_t *const loop = &nest->loops[i];
        const bool is_past = ++place->at[i] == loop->n;
        for (int t = 0; t < nest->ntensors; ++t)
            place->offsets[t] += is_past ? loop->strides[t] * (1 - loop->n) : loop->strides[t];
        if (!is_past) return;
        place->at[i] = 0;
    }
}

static void walk_chunk(prim_dim_t chunk, void *arg)
{
    const walk_t *const walk = arg;
    const simd_nest_t *const nest = walk->nest;
    const simd_loop_t *const row = &nest->loops[nest->nloops - 1];
    const prim_dim_t start = chunk * walk->nchunk;
    const prim_dim_t past = prim__min(start + walk->nchunk, walk->nall);
    prim_dim_t piece = start % walk->npieces;
    place_t place;
    place_init(&place, nest, start / walk->npieces);
    for (prim_dim_t i = start; i < past; ++i) {
        const prim_dim_t first = piece * walk->row_elems;
        prim_dim_t offsets[SIMD_NEST_TENSORS];
        for (int t = 0; t < nest->ntensors; ++t)
            offsets[t] = place.offsets[t] + first * row->strides[t];
        walk->body(offsets, prim__min(row->n - first, walk->row_elems), walk->arg);
        if (++piece < walk->npieces) continue;
        piece = 0;
        place_advance(&place, nest);
    }
}

void prim__simd_nest_walk_by(const simd_nest_t *nest, prim_dim_t row_elems, prim_dim_t nrows,
        simd_row_body_t *body, void *arg)
{
    const simd_loop_t *const row = &nest->loops[nest->nloops - 1];
    if (row->n == 0) return;
    walk_t walk = {.nest = nest,
            .body = body,
            .arg = arg,
            .row_elems = row_elems,
            .npieces = prim__ceil_div(row->n, row_elems),
            .nchunk = nrows};
    walk.nall = walk.npieces;
    for (int i = 0; i < nest->nloops - 1; ++i) walk.nall *= nest->loops[i].n;
    prim__parallel_for(prim__ceil_div(walk.nall, walk.nchunk), walk_chunk, &walk);
}

void prim__simd_nest_walk(const simd_nest_t *nest, simd_row_body_t *body, void *arg)
{
    const prim_dim_t n = prim__max(prim__min(nest->loops[nest->nloops - 1].n, SIMD_ROW), 1);
    prim__simd_nest_walk_by(nest, SIMD_ROW, prim__ceil_div(CHUNK_ELEMS, n), body, arg);
}
