// SPDX-License-Identifier: Apache-2.0
// x64:sum:dense: Σ scales[i]·src_i of floats, where all tensors are contiguous and of one layout.
#include "common/int_math.h"
#include "common/parallel.h"
#include "cpu/cpu_isa.h"
#include "cpu/ref/ref_finish.h"
#include "x64_convert.h"

extern const impl_t prim__x64_sum_dense;

/// Elements of a row in the caches, and of a thread's smallest share.
enum { ROW = 512, CHUNK = 8 * ROW };

static prim_status_t init_pd(prim_desc_t *pd)
{
    const prim_memory_desc_t *const dst = prim__pd_md(pd, PRIM_ARG_DST);
    REQUIRE(pd, prim__md_is_dense(dst) && !prim__md_is_padded(dst), "dst has gaps");
    for (int i = 0; i < pd->ntensors; ++i) {
        const prim_memory_desc_t *const md = &pd->tensors[i].md;
        REQUIRE(pd, prim__x64_takes_type(md->data_type), "a tensor is not f32, f16 or bf16");
        REQUIRE(pd, prim__md_same_layout_moved(md, dst), "tensor %d and dst differ in layout", i);
    }
    (void)prim__pd_book_scratchpad(pd, (size_t)pd->ntensors * sizeof(void *));
    return PRIM_SUCCESS;
}

/// One execution. Data have offset0 added.
typedef struct {
    const prim_desc_t *pd;
    void (*add_scaled)(float *sums, const float *x, float scale, prim_dim_t n);
    const void **sources; ///< in the scratchpad
    void *dst;
    prim_dim_t nelems;
} run_t;

X64_INLINE void add_scaled(float *restrict sums, const float *restrict x, float scale, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; ++i) sums[i] += scale * x[i];
}

static void add_scaled_portable(float *sums, const float *x, float scale, prim_dim_t n)
{
    add_scaled(sums, x, scale, n);
}

#if PRIM_X64
X64_AVX2 static void add_scaled_avx2(float *sums, const float *x, float scale, prim_dim_t n)
{
    add_scaled(sums, x, scale, n);
}

X64_AVX512 static void add_scaled_avx512(float *sums, const float *x, float scale, prim_dim_t n)
{
    add_scaled(sums, x, scale, n);
}
#endif

static void choose_code(run_t *run)
{
    run->add_scaled = add_scaled_portable;
#if PRIM_X64
    const cpu_isa_t isa = prim__cpu_isa();
    if (isa == CPU_ISA_PORTABLE) return;
    run->add_scaled = isa >= CPU_ISA_AVX512 ? add_scaled_avx512 : add_scaled_avx2;
#endif
}

static void sum_chunk(prim_dim_t chunk, void *arg)
{
    const run_t *const run = arg;
    const prim_dim_t past = prim__min((chunk + 1) * CHUNK, run->nelems);
    for (prim_dim_t at = chunk * CHUNK; at < past; at += ROW) {
        const prim_dim_t n = prim__min(past - at, ROW);
        float room[ROW], sums[ROW] = {0};
        for (int i = 0; i < run->pd->ntensors - 1; ++i) {
            const tensor_t *const src = &run->pd->tensors[i];
            const float *const x =
                    prim__x64_read_row(room, run->sources[i], src->md.data_type, at, n);
            run->add_scaled(sums, x, src->scale, n);
        }
        // dst may have the memory of a source, whose row has been read.
        prim__x64_store_row(sums, run->dst, prim__pd_md(run->pd, PRIM_ARG_DST)->data_type, at, n);
    }
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    run_t run = {.pd = pd,
            .sources = prim__ref_pointer(ctx, PRIM_ARG_SCRATCHPAD),
            .dst = prim__x64_tensor(pd, ctx, PRIM_ARG_DST),
            .nelems = prim__md_nelems(prim__pd_md(pd, PRIM_ARG_DST))};
    for (int i = 0; i < pd->ntensors - 1; ++i)
        run.sources[i] = prim__x64_tensor(pd, ctx, pd->tensors[i].arg);
    choose_code(&run);
    prim__parallel_for(prim__ceil_div(run.nelems, CHUNK), sum_chunk, &run);
    return PRIM_SUCCESS;
}

const impl_t prim__x64_sum_dense = {
        .name = "x64:sum:dense",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
