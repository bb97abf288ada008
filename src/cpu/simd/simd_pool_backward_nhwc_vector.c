// SPDX-License-Identifier: Apache-2.0
// simd:pool:backward_nhwc_vector: the gradient of pooling of floats with channels innermost. An
// element of diff_src adds up what the windows over it pass on, in vectors of channels.
#include "common/conv_shape.h"
#include "common/data_type.h"
#include "common/int_math.h"
#include "common/parallel.h"
#include "common/pool_shape.h"
#include "cpu/cpu_isa.h"
#include "simd_float_rows.h"

extern const impl_t prim__simd_pool_backward_nhwc_vector;

/// Channels that are added up at once.
enum { PIECE = 512 };

static prim_status_t init_pd(prim_desc_t *pd)
{
    static const int args[] = {PRIM_ARG_DIFF_SRC, PRIM_ARG_DIFF_DST, PRIM_ARG_WORKSPACE};
    TRY(prim__pd_follow_gradients(pd));
    for (int i = 0; i < 3; ++i) {
        if (!prim__pd_has(pd, args[i])) continue;
        const prim_memory_desc_t *const md = prim__pd_md(pd, args[i]);
        REQUIRE(pd, args[i] == PRIM_ARG_WORKSPACE || prim__simd_takes_float(md->data_type),
                "diff_src or diff_dst is not f32, f16 or bf16");
        REQUIRE(pd, prim__md_is_plain(md) && md->strides[1] == 1,
                "channels of diff_src, diff_dst or the workspace are not contiguous");
        REQUIRE(pd, !prim__md_is_empty(md), "a tensor has no elements");
    }
    return PRIM_SUCCESS;
}

/// A tensor; data with offset0 added.
typedef struct {
    void *data;
    prim_data_type_t dt;
    prim_dim_t strides[5]; ///< n, c, d, h, w
} tensor_data_t;

/// One execution.
typedef struct {
    prim_alg_kind_t alg;
    pool_axis_t axes[3];
    prim_dim_t nchannels;
    float volume; ///< of the kernel
    tensor_data_t diff_src, diff_dst, workspace;
} run_t;

/// A window over an element of diff_src: its channels' offset without them, the tap that the
/// element is, and what an average is divided by.
typedef struct {
    prim_dim_t diff_dst_at, workspace_at, tap;
    float divisor;
} window_t;

/// The window at `o` as the element at `x` meets it; false where dilation steps over that.
static bool find_window(const run_t *run, window_t *window, prim_dim_t image, const prim_dim_t x[3],
        const prim_dim_t o[3])
{
    float ntaps = 1;
    *window = (window_t){.diff_dst_at = image * run->diff_dst.strides[0],
            .workspace_at = image * run->workspace.strides[0]};
    for (int a = 0; a < 3; ++a) {
        const pool_axis_t *const axis = &run->axes[a];
        const prim_dim_t distance = x[a] + axis->pad - o[a] * axis->stride;
        if (distance % axis->step != 0) return false;
        window->tap = window->tap * axis->kernel + distance / axis->step;
        window->diff_dst_at += o[a] * run->diff_dst.strides[2 + a];
        window->workspace_at += o[a] * run->workspace.strides[2 + a];
        ntaps *= (float)prim__pooling_count_taps(axis, o[a]);
    }
    window->divisor = run->alg == PRIM_POOLING_AVG_INCLUDE_PADDING ? run->volume : ntaps;
    return true;
}

X64_INLINE void add_quotients(float *restrict sums, const float *restrict y, float by, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; ++i) sums[i] += y[i] / by;
}

X64_INLINE void add_winners_u8(float *restrict sums, const float *restrict y,
        const uint8_t *restrict winners, int tap, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; ++i) {
        const float x = y[i];
        sums[i] += winners[i] == tap ? x : 0.0F;
    }
}

X64_INLINE void add_winners_s32(float *restrict sums, const float *restrict y,
        const int32_t *restrict winners, int tap, prim_dim_t n)
{
    for (prim_dim_t i = 0; i < n; ++i) {
        const float x = y[i];
        sums[i] += winners[i] == tap ? x : 0.0F;
    }
}

/// Adds the window's share of n channels from `c` on.
X64_INLINE void add_window(
        const run_t *run, float *sums, const window_t *window, prim_dim_t c, prim_dim_t n)
{
    float room[PIECE];
    const prim_dim_t workspace_at = window->workspace_at + c;
    const float *const y = prim__simd_read_row(
            room, run->diff_dst.data, run->diff_dst.dt, window->diff_dst_at + c, n);
    if (run->alg != PRIM_POOLING_MAX)
        add_quotients(sums, y, window->divisor, n);
    else if (run->workspace.dt == PRIM_U8)
        add_winners_u8(
                sums, y, (const uint8_t *)run->workspace.data + workspace_at, (int)window->tap, n);
    else
        add_winners_s32(
                sums, y, (const int32_t *)run->workspace.data + workspace_at, (int)window->tap, n);
}

X64_INLINE void sum_windows(const run_t *run, float *sums, prim_dim_t image, const prim_dim_t x[3],
        prim_dim_t c, prim_dim_t n)
{
    prim_dim_t begin[3], end[3], o[3];
    for (int a = 0; a < 3; ++a) prim__pooling_windows(&run->axes[a], x[a], &begin[a], &end[a]);
    for (prim_dim_t i = 0; i < n; ++i) sums[i] = 0.0F;
    for (o[0] = begin[0]; o[0] < end[0]; ++o[0])
        for (o[1] = begin[1]; o[1] < end[1]; ++o[1])
            for (o[2] = begin[2]; o[2] < end[2]; ++o[2]) {
                window_t window;
                if (find_window(run, &window, image, x, o)) add_window(run, sums, &window, c, n);
            }
}

/// A row of diff_src along its last dimension.
X64_INLINE void differentiate_row(const run_t *run, prim_dim_t index)
{
    const tensor_data_t *const to = &run->diff_src;
    const prim_dim_t height = run->axes[1].in, depth = run->axes[0].in;
    const prim_dim_t image = index / height / depth;
    prim_dim_t x[3] = {index / height % depth, index % height, 0};
    float sums[PIECE];
    for (; x[2] < run->axes[2].in; ++x[2]) {
        const prim_dim_t at = image * to->strides[0] + x[0] * to->strides[2] +
                              x[1] * to->strides[3] + x[2] * to->strides[4];
        for (prim_dim_t c = 0; c < run->nchannels; c += PIECE) {
            const prim_dim_t n = prim__min(run->nchannels - c, PIECE);
            sum_windows(run, sums, image, x, c, n);
            prim__simd_store_row(sums, to->data, to->dt, at + c, n);
        }
    }
}

static void differentiate_row_portable(prim_dim_t index, void *arg)
{
    differentiate_row(arg, index);
}

#if PRIM_X64
X64_AVX2 static void differentiate_row_avx2(prim_dim_t index, void *arg)
{
    differentiate_row(arg, index);
}

X64_AVX512 static void differentiate_row_avx512(prim_dim_t index, void *arg)
{
    differentiate_row(arg, index);
}
#endif

static void differentiate_rows(run_t *run, prim_dim_t nrows)
{
#if PRIM_X64
    const cpu_isa_t isa = prim__cpu_isa();
    if (isa >= CPU_ISA_AVX512) {
        prim__parallel_for(nrows, differentiate_row_avx512, run);
        return;
    }
    if (isa == CPU_ISA_AVX2) {
        prim__parallel_for(nrows, differentiate_row_avx2, run);
        return;
    }
#endif
    prim__parallel_for(nrows, differentiate_row_portable, run);
}

static tensor_data_t take(const prim_desc_t *pd, const exec_ctx_t *ctx, int arg)
{
    const prim_memory_desc_t *const md = prim__pd_md(pd, arg);
    tensor_data_t tensor = {prim__simd_tensor(pd, ctx, arg), md->data_type, {0}};
    prim__conv_data_strides(tensor.strides, md);
    return tensor;
}

static prim_status_t execute(const prim_t *primitive, const exec_ctx_t *ctx)
{
    const prim_desc_t *const pd = primitive->pd;
    const prim_memory_desc_t *const diff_src = prim__pd_md(pd, PRIM_ARG_DIFF_SRC);
    run_t run = {.alg = pd->op.alg_kind,
            .nchannels = diff_src->dims[1],
            .volume = 1,
            .diff_src = take(pd, ctx, PRIM_ARG_DIFF_SRC),
            .diff_dst = take(pd, ctx, PRIM_ARG_DIFF_DST)};
    if (prim__pd_has(pd, PRIM_ARG_WORKSPACE)) run.workspace = take(pd, ctx, PRIM_ARG_WORKSPACE);
    prim__pooling_axes(run.axes, pd);
    for (int a = 0; a < 3; ++a) run.volume *= (float)run.axes[a].kernel;
    differentiate_rows(&run, diff_src->dims[0] * run.axes[0].in * run.axes[1].in);
    return PRIM_SUCCESS;
}

const impl_t prim__simd_pool_backward_nhwc_vector = {
        .name = "simd:pool:backward_nhwc_vector",
        .pd_size = sizeof(prim_desc_t),
        .primitive_size = sizeof(prim_t),
        .init_pd = init_pd,
        .execute = execute,
};
