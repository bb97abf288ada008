// SPDX-License-Identifier: Apache-2.0
// x64:binary:row_vector: plain tensors of floats as one nest of loops. Rows of dst are contiguous,
// and each source is contiguous or constant along them; so are the operands of a chain, which
// count as further sources.
#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/ref/ref_finish.h"
#include "x64_convert.h"
#include "x64_eltwise_row.h"
#include "x64_isa.h"

extern const impl_t prim__x64_binary_row_vector;

enum {
    ROW = 512,          ///< elements that are computed at once, in the L1 cache
    CHUNK_ELEMS = 8192, ///< that pay for a thread, at least
    MAX_SOURCES = 6,
    NTENSORS = 1 + MAX_SOURCES,
};

/// n steps; strides in elements, of dst and then of each source.
typedef struct {
    prim_dim_t n, strides[NTENSORS];
} loop_t;

typedef struct {
    prim_desc_t base;
    int nsources, nloops;
    int args[MAX_SOURCES];        ///< of the sources
    loop_t loops[PRIM_MAX_NDIMS]; ///< the innermost comes last
} binary_pd_t;

_Static_assert(offsetof(binary_pd_t, base) == 0, "the base comes first");

static bool is_vectorised(prim_alg_kind_t alg)
{
    return alg == PRIM_BINARY_ADD || alg == PRIM_BINARY_SUB || alg == PRIM_BINARY_MUL ||
           alg == PRIM_BINARY_DIV || alg == PRIM_BINARY_MAX || alg == PRIM_BINARY_MIN;
}

static prim_status_t require_tensor(prim_desc_t *pd, const prim_memory_desc_t *md)
{
    REQUIRE(pd, prim__x64_takes_type(md->data_type), "a tensor is not f32, f16 or bf16");
    REQUIRE(pd, prim__md_is_plain(md) && !prim__md_is_padded(md), "a tensor is blocked or padded");
    REQUIRE(pd, !prim__md_has_runtime(md), "a size is known at execution only");
    return PRIM_SUCCESS;
}

static prim_status_t add_source(binary_pd_t *pd, int arg, const prim_memory_desc_t *md)
{
    REQUIRE(&pd->base, pd->nsources < MAX_SOURCES, "more than %d tensors are read", MAX_SOURCES);
    TRY(require_tensor(&pd->base, md));
    pd->args[pd->nsources++] = arg;
    const prim_memory_desc_t *const dst = prim__pd_md(&pd->base, PRIM_ARG_DST);
    for (int d = 0; d < dst->ndims; ++d)
        pd->loops[d].strides[pd->nsources] = md->dims[d] == 1 ? 0 : md->strides[d];
    return PRIM_SUCCESS;
}

/// The operands of the chain, whose steps are of these two kinds.
static prim_status_t add_chain(binary_pd_t *pd)
{
    const prim_post_ops_t *const chain = &pd->base.attr.post_ops;
    for (int i = 0; i < chain->len; ++i) {
        const post_op_t *const step = &chain->entries[i];
        if (step->kind == PRIM_ELTWISE) continue;
        REQUIRE(&pd->base, step->kind == PRIM_BINARY && is_vectorised(step->alg),
                "post-op %d is neither eltwise nor arithmetic", i);
        TRY(add_source(pd, prim__post_op_operand_arg(step, i), &step->src1_md));
    }
    return PRIM_SUCCESS;
}

/// Whether `outer` continues in every tensor where `inner` ends.
static bool continues(const loop_t *outer, const loop_t *inner, int ntensors)
{
    for (int t = 0; t < ntensors; ++t)
        if (outer->strides[t] != inner->strides[t] * inner->n) return false;
    return true;
}

/// Sorts the loops of dst's dimensions by its strides, the largest first, drops those of one step,
/// and joins neighbours.
static void make_nest(binary_pd_t *pd)
{
    const prim_memory_desc_t *const dst = prim__pd_md(&pd->base, PRIM_ARG_DST);
    loop_t *const loops = pd->loops;
    for (int d = 0; d < dst->ndims; ++d) {
        loop_t loop = loops[d];
        loop.n = dst->dims[d];
        loop.strides[0] = dst->strides[d];
        if (loop.n == 1) continue;
        int at = pd->nloops++;
        for (; at > 0 && loops[at - 1].strides[0] < loop.strides[0]; --at)
            loops[at] = loops[at - 1];
        loops[at] = loop;
    }
    if (pd->nloops == 0) loops[pd->nloops++] = (loop_t){1, {1}};
    for (int i = pd->nloops - 2; i >= 0; --i) {
        if (!continues(&loops[i], &loops[i + 1], 1 + pd->nsources)) continue;
        loops[i + 1].n *= loops[i].n;
        for (int k = i; k < pd->nloops - 1; ++k) loops[k] = loops[k + 1];
        --pd->nloops;
    }
}

static prim_status_t init_pd(prim_desc_t *base)
{
    binary_pd_t *const pd = (binary_pd_t *)base;
    REQUIRE(base, is_vectorised(base->op.alg_kind), "the algorithm is a comparison or select");
    REQUIRE(base,
            !prim__attr_scale(&base->attr, PRIM_ARG_SRC_0) &&
                    !prim__attr_scale(&base->attr, PRIM_ARG_SRC_1),
            "a source has a scale");
    TRY(prim__pd_follow(base));
    const prim_memory_desc_t *const dst = prim__pd_md(base, PRIM_ARG_DST);
    TRY(require_tensor(base, dst));
    REQUIRE(base, !prim__md_is_empty(dst), "dst has no elements");
    TRY(add_source(pd, PRIM_ARG_SRC_0, prim__pd_md(base, PRIM_ARG_SRC_0)));
    TRY(add_source(pd, PRIM_ARG_SRC_1, prim__pd_md(base, PRIM_ARG_SRC_1)));
    TRY(add_chain(pd));
    make_nest(pd);
    const loop_t *const row = &pd->loops[pd->nloops - 1];
    for (int t = 0; t <= pd->nsources; ++t)
        REQUIRE(base, row->strides[t] == 1 || (t > 0 && row->strides[t] == 0),
                "tensor %d is neither contiguous nor constant along the rows of dst", t);
    return PRIM_SUCCESS;
}

/// One execution. Pointers have offset0 added.
typedef struct {
    const binary_pd_t *pd;
    /// row[i] = row[i] op y[i], or op y[0] where `is_constant`.
    void (*compute)(
            float *row, const float *y, prim_alg_kind_t alg, bool is_constant, prim_dim_t n);
    void *pointers[NTENSORS];
    prim_data_type_t types[NTENSORS];
    prim_dim_t npieces; ///< of a row
    prim_dim_t nchunk;  ///< pieces that a thread takes at once
    prim_dim_t nall;    ///< pieces of all rows
} run_t;

X64_INLINE void compute_step(
        float *restrict row, const float *restrict y, prim_alg_kind_t alg, int step, prim_dim_t n)
{
    switch (alg) {
    case PRIM_BINARY_ADD:
        for (prim_dim_t i = 0; i < n; ++i) row[i] += y[i * step];
        return;
    case PRIM_BINARY_SUB:
        for (prim_dim_t i = 0; i < n; ++i) row[i] -= y[i * step];
        return;
    case PRIM_BINARY_MUL:
        for (prim_dim_t i = 0; i < n; ++i) row[i] *= y[i * step];
        return;
    case PRIM_BINARY_DIV:
        for (prim_dim_t i = 0; i < n; ++i) row[i] /= y[i * step];
        return;
    case PRIM_BINARY_MAX:
        for (prim_dim_t i = 0; i < n; ++i) row[i] = row[i] > y[i * step] ? row[i] : y[i * step];
        return;
    default:
        for (prim_dim_t i = 0; i < n; ++i) row[i] = row[i] < y[i * step] ? row[i] : y[i * step];
    }
}

X64_INLINE void compute(
        float *row, const float *y, prim_alg_kind_t alg, bool is_constant, prim_dim_t n)
{
    if (is_constant)
        compute_step(row, y, alg, 0, n);
    else
        compute_step(row, y, alg, 1, n);
}

static void compute_portable(
        float *row, const float *y, prim_alg_kind_t alg, bool is_constant, prim_dim_t n)
{
    compute(row, y, alg, is_constant, n);
}

#if PRIM_X64
X64_AVX2 static void compute_avx2(
        float *row, const float *y, prim_alg_kind_t alg, bool is_constant, prim_dim_t n)
{
    compute(row, y, alg, is_constant, n);
}

X64_AVX512 static void compute_avx512(
        float *row, const float *y, prim_alg_kind_t alg, bool is_constant, prim_dim_t n)
{
    compute(row, y, alg, is_constant, n);
}
#endif

static void choose_code(run_t *run)
{
    run->compute = compute_portable;
#if PRIM_X64
    const x64_isa_t isa = prim__x64_isa();
    if (isa == X64_PORTABLE) return;
    run->compute = isa == X64_ISA_AVX512 ? compute_avx512 : compute_avx2;
#endif
}

/// Elements of source t (1, 2, …) from `offset` on: one where it is constant along the row.
static const float *read_source(
        const run_t *run, float *room, int t, prim_dim_t offset, prim_dim_t n)
{
    const loop_t *const row = &run->pd->loops[run->pd->nloops - 1];
    return prim__x64_read_row(
            room, run->pointers[t], run->types[t], offset, row->strides[t] ? n : 1);
}

/// n ≤ ROW elements, at these offsets in each tensor.
static void compute_piece(const run_t *run, const prim_dim_t *offsets, prim_dim_t n)
{
    const binary_pd_t *const pd = run->pd;
    const loop_t *const loop = &pd->loops[pd->nloops - 1];
    const prim_post_ops_t *const chain = &pd->base.attr.post_ops;
    float row[ROW], room[ROW];
    const float *const x = read_source(run, room, 1, offsets[1], n);
    for (prim_dim_t i = 0; i < n; ++i) row[i] = x[i * loop->strides[1]];
    run->compute(row, read_source(run, room, 2, offsets[2], n), pd->base.op.alg_kind,
            loop->strides[2] == 0, n);
    int t = 3;
    for (int i = 0; i < chain->len; ++i) {
        const post_op_t *const step = &chain->entries[i];
        if (step->kind == PRIM_ELTWISE) {
            prim__x64_eltwise_row(step, row, n);
            continue;
        }
        const float *const y = read_source(run, room, t, offsets[t], n);
        run->compute(row, y, step->alg, loop->strides[t] == 0, n);
        ++t;
    }
    prim__x64_store_row(row, run->pointers[0], run->types[0], offsets[0], n);
}

static void compute_chunk(prim_dim_t chunk, void *arg)
{
    const run_t *const run = arg;
    const binary_pd_t *const pd = run->pd;
    const loop_t *const row = &pd->loops[pd->nloops - 1];
    const prim_dim_t past = prim__min((chunk + 1) * run->nchunk, run->nall);
    for (prim_dim_t piece = chunk * run->nchunk; piece < past; ++piece) {
        const prim_dim_t first = piece % run->npieces * ROW;
        prim_dim_t rest = piece / run->npieces, offsets[NTENSORS];
        for (int t = 0; t <= pd->nsources; ++t) offsets[t] = first * row->strides[t];
        for (int i = pd->nloops - 2; i >= 0; --i) {
            const prim_dim_t at = rest % pd->loops[i].n;
            rest /= pd->loops[i].n;
            for (int t = 0; t <= pd->nsources; ++t) offsets[t] += at * pd->loops[i].strides[t];
        }
        compute_piece(run, offsets, prim__min(row->n - first, ROW));
    }
}

/// Where tensor `arg` begins, and its type.
static void open_tensor(run_t *run, int t, const exec_ctx_t *ctx, int arg)
{
    const prim_memory_desc_t *const md = prim__ctx_md(ctx, &run->pd->base, arg);
    run->types[t] = md->data_type;
    run->pointers[t] = (char *)prim__ref_pointer(ctx, arg) +
                       md->offset0 * (prim_dim_t)prim_data_type_size(md->data_type);
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const binary_pd_t *const pd = (const binary_pd_t *)primitive->pd;
    const loop_t *const row = &pd->loops[pd->nloops - 1];
    run_t run = {.pd = pd, .npieces = prim__ceil_div(row->n, ROW)};
    open_tensor(&run, 0, ctx, PRIM_ARG_DST);
    for (int i = 0; i < pd->nsources; ++i) open_tensor(&run, 1 + i, ctx, pd->args[i]);
    run.nall = run.npieces;
    for (int i = 0; i < pd->nloops - 1; ++i) run.nall *= pd->loops[i].n;
    run.nchunk = prim__ceil_div(CHUNK_ELEMS, prim__min(row->n, ROW));
    choose_code(&run);
    prim__parallel_for(prim__ceil_div(run.nall, run.nchunk), compute_chunk, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__x64_binary_row_vector = {
        .name = "x64:binary:row_vector",
        .pd_size = sizeof(binary_pd_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
