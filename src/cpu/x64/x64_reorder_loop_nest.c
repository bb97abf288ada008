// SPDX-License-Identifier: Apache-2.0
// x64:reorder:loop_nest: both layouts as one nest of loops with constant strides. A dimension that
// blocks cut counts as two loops, its last, incomplete block as a nest of its own. The innermost
// loop writes contiguous elements; the next one reads them, so that lines of src are used whole.
#include "common/data_type.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "x64_reorder_row.h"

extern const impl_t prim__x64_reorder_loop_nest;

typedef struct {
    prim_desc_t base;
    x64_reorder_row_t row;
} reorder_pd_t;

_Static_assert(offsetof(reorder_pd_t, base) == 0, "the base comes first");

/// n steps; strides in elements.
typedef struct {
    prim_dim_t n, src, dst;
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
    const char *src;
    char *dst;
    prim_dim_t src_bytes, dst_bytes; ///< of an element
    prim_dim_t src_start, dst_start;
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
    x64_reorder_row_t *const row = &((reorder_pd_t *)pd)->row;
    REQUIRE(pd, prim__attr_is_plain(&pd->attr), "there are scales, zero points or a sum");
    REQUIRE(pd, !prim__md_has_runtime(src) && !prim__md_has_runtime(dst),
            "a dimension or stride is known at execution only");
    REQUIRE(pd, !prim__md_is_empty(src), "the tensors are empty");
    *row = prim__x64_reorder_row(src->data_type, dst->data_type);
    REQUIRE(pd, *row, "%s to %s is neither a copy nor between f32 and bf16",
            prim_data_type_name(src->data_type), prim_data_type_name(dst->data_type));
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

static void add_loop(nest_t *nest, prim_dim_t n, prim_dim_t src, prim_dim_t dst)
{
    if (n > 1) nest->loops[nest->nloops++] = (loop_t){n, src, dst};
}

/// Adds the whole blocks of a dimension, or what its last block holds. Whether there is anything.
static bool add_dim(nest_t *nest, int dim, bool is_tail)
{
    const prim_memory_desc_t *const src = prim__pd_md(&nest->pd->base, PRIM_ARG_FROM);
    const prim_memory_desc_t *const dst = prim__pd_md(&nest->pd->base, PRIM_ARG_TO);
    const prim_dim_t from = block_of(src, dim), block = from > 1 ? from : block_of(dst, dim);
    const prim_dim_t nblocks = src->dims[dim] / block, rest = src->dims[dim] % block;
    prim_dim_t src_block, src_elem, dst_block, dst_elem;
    get_strides(&src_block, &src_elem, src, dim, block);
    get_strides(&dst_block, &dst_elem, dst, dim, block);
    if (is_tail) {
        nest->src_start += nblocks * src_block;
        nest->dst_start += nblocks * dst_block;
        add_loop(nest, rest, src_elem, dst_elem);
        return rest > 0;
    }
    add_loop(nest, nblocks, src_block, dst_block);
    add_loop(nest, block, src_elem, dst_elem);
    return nblocks > 0;
}

static void swap(loop_t *a, loop_t *b)
{
    const loop_t held = *a;
    *a = *b;
    *b = held;
}

/// Joins loops of which one continues where the other ends.
static void merge(nest_t *nest)
{
    for (int i = 0; i < nest->nloops; ++i)
        for (int j = 0; j < nest->nloops; ++j) {
            const loop_t *const outer = &nest->loops[i];
            loop_t *const inner = &nest->loops[j];
            if (i == j || outer->src != inner->src * inner->n ||
                    outer->dst != inner->dst * inner->n)
                continue;
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
    const bool evicts_src = inner->src * nest->src_bytes % SET_BYTES == 0;
    const bool evicts_dst = reader->dst * nest->dst_bytes % SET_BYTES == 0;
    nest->chunk = inner->src == 1 ? inner->n : CHUNK;
    if (inner->dst != 1 || !evicts_src) return;
    if (reader->src == 1 && !evicts_dst)
        swap(inner, reader);
    else
        nest->chunk = FEW_LINES;
}

/// Outer loops in the order of dst, then the loop that reads contiguous elements, then the one that
/// writes them.
static void order(nest_t *nest)
{
    merge(nest);
    if (nest->nloops == 0) nest->loops[nest->nloops++] = (loop_t){1, 1, 1};
    loop_t *const loops = nest->loops;
    const int last = nest->nloops - 1;
    for (int i = 0; i < last; ++i)
        for (int j = i + 1; j <= last; ++j)
            if (loops[j].dst > loops[i].dst) swap(&loops[i], &loops[j]);
    int reader = last - 1;
    for (int i = last - 2; i >= 0; --i)
        if (loops[i].src < loops[reader].src) reader = i;
    for (int i = reader; i >= 0 && i < last - 1; ++i) swap(&loops[i], &loops[i + 1]);
    if (last > 0 && loops[last].n < SHORT_LOOP && loops[last - 1].n > loops[last].n)
        swap(&loops[last - 1], &loops[last]);
    choose_chunk(nest);
    nest->nouter = 1;
    for (int i = 0; i < last; ++i) nest->nouter *= loops[i].n;
}

/// Steps start..end−1 of the outer loops, each with elements first..first+n−1 of the innermost.
static void run_rows(
        const nest_t *nest, prim_dim_t start, prim_dim_t end, prim_dim_t first, prim_dim_t n)
{
    const int nouter = nest->nloops - 1;
    const loop_t *const inner = &nest->loops[nouter];
    prim_dim_t at[MAX_LOOPS];
    prim_dim_t src = nest->src_start + first * inner->src;
    prim_dim_t dst = nest->dst_start + first * inner->dst;
    prim_dim_t rest = start;
    for (int i = nouter - 1; i >= 0; --i) {
        at[i] = rest % nest->loops[i].n;
        rest /= nest->loops[i].n;
        src += at[i] * nest->loops[i].src;
        dst += at[i] * nest->loops[i].dst;
    }
    for (prim_dim_t step = start; step < end; ++step) {
        nest->pd->row(nest->dst + dst * nest->dst_bytes, inner->dst,
                nest->src + src * nest->src_bytes, inner->src, n);
        for (int i = nouter - 1; i >= 0; --i) {
            const loop_t *const loop = &nest->loops[i];
            src += loop->src;
            dst += loop->dst;
            if (++at[i] < loop->n) break;
            src -= loop->n * loop->src;
            dst -= loop->n * loop->dst;
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
    void *const to = prim__ref_pointer(ctx, PRIM_ARG_TO);
    // Every choice of whole blocks (bit clear) and last, incomplete ones is a nest of its own.
    for (unsigned tails = 0; tails < 1U << src->ndims; ++tails) {
        nest_t nest = {.pd = (const reorder_pd_t *)pd,
                .src = prim__ref_pointer(ctx, PRIM_ARG_FROM),
                .dst = to,
                .src_bytes = (prim_dim_t)prim__dt_bytes(src->data_type),
                .dst_bytes = (prim_dim_t)prim__dt_bytes(dst->data_type),
                .src_start = src->offset0,
                .dst_start = dst->offset0};
        bool has_elems = true;
        for (int d = 0; d < src->ndims && has_elems; ++d)
            has_elems = add_dim(&nest, d, tails >> d & 1);
        if (!has_elems) continue;
        order(&nest);
        const prim_dim_t nelems = nest.nouter * nest.loops[nest.nloops - 1].n;
        prim__parallel(nelems < MIN_PARALLEL_ELEMS ? 1 : 0, run_share, &nest);
    }
    prim__ref_clear_padding(to, dst);
    return PRIM_SUCCESS;
}

const impl_t prim__x64_reorder_loop_nest = {
        .name = "x64:reorder:loop_nest",
        .pd_size = sizeof(reorder_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
