// SPDX-License-Identifier: Apache-2.0
// simd:reorder:loop_nest: both layouts as one nest of loops with constant strides. A dimension that
// blocks cut counts as two loops, its last, incomplete block as a nest of its own. The innermost
// loop writes contiguous elements; the next one reads them, so that lines of src are used whole.
#include "common/data_type.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "simd_copy_row.h"
#include "simd_reorder_row.h"

extern const impl_t prim__simd_reorder_loop_nest;

typedef struct {
    prim_desc_t base;
    simd_copy_row_t row; ///< NULL: types are converted in vectors, or elements quantised
} reorder_pd_t;

_Static_assert(offsetof(reorder_pd_t, base) == 0, "the base comes first");

enum { SRC = SIMD_REORDER_SRC, DST = SIMD_REORDER_DST, NSIDES = SIMD_REORDER_SIDES };

/// n steps; strides in elements of each side.
typedef struct {
    prim_dim_t n, strides[NSIDES];
} loop_t;

enum {
    MAX_LOOPS = 2 * PRIM_MAX_NDIMS,
    CHUNK = 64,       ///< steps of an innermost loop whose cache lines stay in the L1 cache
    FEW_LINES = 8,    ///< of them where all lines fall into one set of it
    SET_BYTES = 1024, ///< strides that are multiples use at most a quarter of the sets
    SHORT_LOOP = 8,   ///< steps that do not pay for the call of a row
    MIN_PARALLEL_ELEMS = 1 << 14,
};

/// Offsets in elements. The innermost loop comes last.
typedef struct {
    const reorder_pd_t *pd;
    const simd_reorder_t *convert;
    prim_dim_t bytes[DST + 1]; ///< of an element
    prim_dim_t start[NSIDES];
    loop_t loops[MAX_LOOPS];
    int nloops;
    prim_dim_t nouter; ///< steps of all loops but the innermost
    prim_dim_t chunk;  ///< steps of the innermost before the outer ones go on
} nest_t;

/// Size of the one block that cuts a dimension: 1 for none, 0 for several.
static prim_dim_t block_of(const prim_memory_desc_t *md, int dim)
{
    prim_dim_t block = 1;
    for (int i = 0; i < md->inner_nblks; ++i)
        if (md->inner_idxs[i] == dim) block = block == 1 ? md->inner_blks[i] : 0;
    return block;
}

static prim_status_t init_pd(prim_desc_t *pd)
{
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_FROM);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_TO);
    simd_copy_row_t *const row = &((reorder_pd_t *)pd)->row;
    REQUIRE(pd, !prim__md_has_runtime(src) && !prim__md_has_runtime(dst),
            "a dimension or stride is known at execution only");
    REQUIRE(pd, !prim__md_is_empty(src), "the tensors are empty");
    *row = NULL;
    if (prim__attr_is_plain(&pd->attr) && src->data_type == dst->data_type)
        *row = prim__simd_copy_row(src->data_type);
    if (!*row) TRY(prim__simd_reorder_require(pd));
    for (int d = 0; d < src->ndims; ++d) {
        const prim_dim_t from = block_of(src, d), to = block_of(dst, d);
        REQUIRE(pd, from > 0 && to > 0 && (from == 1 || to == 1 || from == to),
                "dimension %d is cut by several blocks, or by different ones in src and dst", d);
        REQUIRE(pd, src->padded_offsets[d] == 0 && dst->padded_offsets[d] == 0,
                "dimension %d begins inside its padding", d);
    }
    return PRIM_SUCCESS;
}

/// Strides of a dimension's blocks of `block` elements, and of the elements of one.
static void get_strides(prim_dim_t *of_blocks, prim_dim_t *of_elems, const prim_memory_desc_t *md,
        int dim, prim_dim_t block)
{
    *of_blocks = md->strides[dim];
    *of_elems = 1;
    for (int i = md->inner_nblks - 1; i >= 0; --i) {
        if (md->inner_idxs[i] == dim) return;
        *of_elems *= md->inner_blks[i];
    }
    *of_elems = md->strides[dim];
    *of_blocks = md->strides[dim] * block;
}

static void add_loop(nest_t *nest, prim_dim_t n, const prim_dim_t *strides)
{
    if (n <= 1) return;
    loop_t *const loop = &nest->loops[nest->nloops++];
    loop->n = n;
    for (int s = 0; s < NSIDES; ++s) loop->strides[s] = strides[s];
}

/// Adds the whole blocks of a dimension, or what its last block holds. Whether there is anything.
static bool add_dim(nest_t *nest, int dim, bool is_tail)
{
    const prim_memory_desc_t *const src = prim__pd_md(&nest->pd->base, PRIM_ARG_FROM);
    const prim_memory_desc_t *const dst = prim__pd_md(&nest->pd->base, PRIM_ARG_TO);
    const prim_dim_t from = block_of(src, dim), block = from > 1 ? from : block_of(dst, dim);
    const prim_dim_t nblocks = src->dims[dim] / block, rest = src->dims[dim] % block;
    prim_dim_t of_blocks[NSIDES], of_elems[NSIDES];
    get_strides(&of_blocks[SRC], &of_elems[SRC], src, dim, block);
    get_strides(&of_blocks[DST], &of_elems[DST], dst, dim, block);
    for (int k = 0; k < NSIDES - SIMD_REORDER_SRC_SCALE; ++k) {
        of_elems[SIMD_REORDER_SRC_SCALE + k] = nest->convert->scale_strides[k][dim];
        of_blocks[SIMD_REORDER_SRC_SCALE + k] = nest->convert->scale_strides[k][dim] * block;
    }
    if (is_tail) {
        for (int s = 0; s < NSIDES; ++s) nest->start[s] += nblocks * of_blocks[s];
        add_loop(nest, rest, of_elems);
        return rest > 0;
    }
    add_loop(nest, nblocks, of_blocks);
    add_loop(nest, block, of_elems);
    return nblocks > 0;
}

static void swap(loop_t *a, loop_t *b)
{
    const loop_t held = *a;
    *a = *b;
    *b = held;
}

static bool continues(const loop_t *outer, const loop_t *inner)
{
    for (int s = 0; s < NSIDES; ++s)
        if (outer->strides[s] != inner->strides[s] * inner->n) return false;
    return true;
}

/// Joins loops of which one continues where the other ends.
static void merge(nest_t *nest)
{
    for (int i = 0; i < nest->nloops; ++i)
        for (int j = 0; j < nest->nloops; ++j) {
            const loop_t *const outer = &nest->loops[i];
            loop_t *const inner = &nest->loops[j];
            if (i == j || !continues(outer, inner)) continue;
            inner->n *= outer->n;
            nest->loops[i] = nest->loops[--nest->nloops];
            i = -1; // begin anew
            break;
        }
}

/// Reading or writing along the innermost loop touches a line a step unless it is contiguous; lines
/// that a cache set cannot hold are evicted before the next outer step uses them again. Then the
/// other side is better the strided one.
static void choose_chunk(nest_t *nest)
{
    loop_t *const inner = &nest->loops[nest->nloops - 1];
    loop_t *const reader = nest->nloops > 1 ? inner - 1 : inner;
    const bool evicts_src = inner->strides[SRC] * nest->bytes[SRC] % SET_BYTES == 0;
    const bool evicts_dst = reader->strides[DST] * nest->bytes[DST] % SET_BYTES == 0;
    nest->chunk = inner->strides[SRC] == 1 ? inner->n : CHUNK;
    if (inner->strides[DST] != 1 || !evicts_src) return;
    if (reader->strides[SRC] == 1 && !evicts_dst)
        swap(inner, reader);
    else
        nest->chunk = FEW_LINES;
}

/// Outer loops in the order of dst, then the loop that reads contiguous elements, then the one that
/// writes them.
static void order(nest_t *nest)
{
    merge(nest);
    if (nest->nloops == 0) nest->loops[nest->nloops++] = (loop_t){1, {1, 1, 0, 0}};
    loop_t *const loops = nest->loops;
    const int last = nest->nloops - 1;
    for (int i = 0; i < last; ++i)
        for (int j = i + 1; j <= last; ++j)
            if (loops[j].strides[DST] > loops[i].strides[DST]) swap(&loops[i], &loops[j]);
    int reader = last - 1;
    for (int i = last - 2; i >= 0; --i)
        if (loops[i].strides[SRC] < loops[reader].strides[SRC]) reader = i;
    for (int i = reader; i >= 0 && i < last - 1; ++i) swap(&loops[i], &loops[i + 1]);
    if (last > 0 && loops[last].n < SHORT_LOOP && loops[last - 1].n > loops[last].n)
        swap(&loops[last - 1], &loops[last]);
    choose_chunk(nest);
    nest->nouter = 1;
    for (int i = 0; i < last; ++i) nest->nouter *= loops[i].n;
}

/// n elements of the innermost loop at these offsets.
static void run_row(const nest_t *nest, const prim_dim_t *offsets, prim_dim_t n)
{
    const prim_dim_t *const strides = nest->loops[nest->nloops - 1].strides;
    if (!nest->pd->row) {
        prim__simd_reorder_row(nest->convert, offsets, strides, n);
        return;
    }
    const simd_array_t *const arrays = nest->convert->arrays;
    nest->pd->row(arrays[DST].base + offsets[DST] * nest->bytes[DST], strides[DST],
            arrays[SRC].base + offsets[SRC] * nest->bytes[SRC], strides[SRC], n);
}

/// Steps start..end−1 of the outer loops, each with elements first..first+n−1 of the innermost.
static void run_rows(
        const nest_t *nest, prim_dim_t start, prim_dim_t end, prim_dim_t first, prim_dim_t n)
{
    const int nouter = nest->nloops - 1;
    const loop_t *const inner = &nest->loops[nouter];
    prim_dim_t at[MAX_LOOPS], offsets[NSIDES];
    for (int s = 0; s < NSIDES; ++s) offsets[s] = nest->start[s] + first * inner->strides[s];
    prim_dim_t rest = start;
    for (int i = nouter - 1; i >= 0; --i) {
        at[i] = rest % nest->loops[i].n;
        rest /= nest->loops[i].n;
        for (int s = 0; s < NSIDES; ++s) offsets[s] += at[i] * nest->loops[i].strides[s];
    }
    for (prim_dim_t step = start; step < end; ++step) {
        run_row(nest, offsets, n);
        for (int i = nouter - 1; i >= 0; --i) {
            const loop_t *const loop = &nest->loops[i];
            const bool is_past = ++at[i] == loop->n;
            for (int s = 0; s < NSIDES; ++s)
                offsets[s] += is_past ? loop->strides[s] * (1 - loop->n) : loop->strides[s];
            if (!is_past) break;
            at[i] = 0;
        }
    }
}

static void run_share(int ithr, int nthr, void *arg)
{
    const nest_t *const nest = arg;
    const loop_t *const inner = &nest->loops[nest->nloops - 1];
    prim_dim_t start, end;
    if (nest->nouter == 1) {
        prim__balance211(inner->n, nthr, ithr, &start, &end);
        if (start < end) run_rows(nest, 0, 1, start, end - start);
        return;
    }
    prim__balance211(nest->nouter, nthr, ithr, &start, &end);
    for (prim_dim_t first = 0; first < inner->n; first += nest->chunk) {
        const prim_dim_t rest = inner->n - first, n = rest < nest->chunk ? rest : nest->chunk;
        run_rows(nest, start, end, first, n);
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    const prim_memory_desc_t *const src = prim__pd_md(pd, PRIM_ARG_FROM);
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_TO);
    simd_reorder_t convert;
    prim__simd_reorder_init(&convert, pd, ctx);
    // Every choice of whole blocks (bit clear) and last, incomplete ones is a nest of its own.
    for (unsigned tails = 0; tails < 1U << src->ndims; ++tails) {
        nest_t nest = {.pd = (const reorder_pd_t *)pd,
                .convert = &convert,
                .bytes = {(prim_dim_t)prim__dt_bytes(src->data_type),
                        (prim_dim_t)prim__dt_bytes(dst->data_type)},
                .start = {src->offset0, dst->offset0}};
        bool has_elems = true;
        for (int d = 0; d < src->ndims && has_elems; ++d)
            has_elems = add_dim(&nest, d, tails >> d & 1);
        if (!has_elems) continue;
        order(&nest);
        const prim_dim_t nelems = nest.nouter * nest.loops[nest.nloops - 1].n;
        prim__parallel(nelems < MIN_PARALLEL_ELEMS ? 1 : 0, run_share, &nest);
    }
    prim__ref_clear_padding(convert.arrays[DST].base, dst);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_reorder_loop_nest = {
        .name = "simd:reorder:loop_nest",
        .pd_size = sizeof(reorder_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
