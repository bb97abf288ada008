// SPDX-License-Identifier: Apache-2.0
// Tensors start anywhere: products and convolutions whose src, weights and dst start at each of the
// first 16 elements of a buffer, told by memories (offsets of a buffer, pointers) and by
// descriptors (offset0 of a window), with rows at multiples of 16 bytes and not, by every
// implementation that takes the problem. Results are exact; what lies beside dst, and between its
// rows, must stay. Run: starts cpu|gpu [few|all [part of a problem's name]]; `few`, for devices
// that compile slowly, if nothing is said.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "product_rig.h"

enum { NSTARTS = 16, MAX_IMPLS = 24 };

static int nfaults;
static const char *filter = "";

// Where each tensor starts in execution i: all, then one of them off, then all different.
static int start_of(int tensor, int i)
{
    static const int steps[RIG_TENSORS] = {1, 5, 7};
    if (i < 4) return i == 0 || tensor == i - 1 ? (i + 2) % 4 : 0;
    return i * steps[tensor] % NSTARTS;
}

static void execute(const rig_t *rig, const prim_t *primitive, tensor_t *t, int i)
{
    for (int a = 0; a < RIG_TENSORS; ++a) {
        if (!t[a].buffer) continue;
        rig_put(&t[a], rig, start_of(a, i));
        rig_fill(&t[a], a == RIG_TENSORS - 1 ? 0 : a + 1);
    }
    const prim_arg_t args[] = {{PRIM_ARG_SRC, t[0].memory}, {PRIM_ARG_DST, t[2].memory},
            {PRIM_ARG_WEIGHTS, t[1].memory}};
    MUST(prim_execute(primitive, rig->stream, t[1].buffer ? 3 : 2, args));
    MUST(prim_stream_wait(rig->stream));
}

static void check_impl(const rig_t *rig, const problem_t *p, const prim_desc_t *pd, tensor_t *t,
        const double *want)
{
    prim_t *primitive = NULL;
    const char *name = NULL;
    MUST(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name));
    MUST(prim_create(&primitive, pd));
    bool is_right = true;
    for (int i = 0; i < NSTARTS && is_right; ++i) {
        execute(rig, primitive, t, i);
        is_right = rig_check(&t[2], want);
        if (!is_right)
            printf("  starts of src, weights, dst: %d, %d, %d\n", start_of(0, i), start_of(1, i),
                    start_of(2, i));
    }
    printf("%-4s %s, %s\n", is_right ? "ok" : "BAD", p->name, name);
    fflush(stdout);
    nfaults += !is_right;
    prim_destroy(primitive);
}

// Weights are told from the index as src is, but between other limits.
static void make_tensors(tensor_t *t, const rig_t *rig, const problem_t *p)
{
    const prim_memory_desc_t *const mds[] = {&p->src, p->has_wei ? &p->wei : NULL, &p->dst};
    for (int a = 0; a < RIG_TENSORS; ++a) {
        t[a] = (tensor_t){0};
        if (!mds[a]) continue;
        if (!rig_make(&t[a], rig, mds[a], NSTARTS)) exit(1);
        t[a].low = a == 1 ? -p->high : p->low;
        t[a].high = p->high;
    }
}

// All implementations that take the problem.
static void check_problem(const rig_t *rig, const problem_t *p)
{
    tensor_t t[RIG_TENSORS];
    prim_desc_t *pd = NULL;
    if (!strstr(p->name, filter)) return;
    make_tensors(t, rig, p);
    const prim_dim_t n = rig_nelems(&p->dst);
    double *const want = malloc((size_t)n * sizeof *want);
    if (!want) exit(1);
    for (prim_dim_t i = 0; i < n; ++i) want[i] = p->want(p, i);
    MUST(p->create(&pd, rig->engine, p));
    for (int i = 0; i < MAX_IMPLS; ++i) {
        check_impl(rig, p, pd, t, want);
        if (prim_desc_next_impl(pd) != PRIM_SUCCESS) break;
    }
    prim_desc_destroy(pd);
    free(want);
    for (int a = 0; a < RIG_TENSORS; ++a) rig_free(&t[a]);
}

// The window of `md` that leaves out `start` of the last dimension's room: offset0 is `start`.
static prim_memory_desc_t window(int ndims, const prim_dim_t *dims, prim_data_type_t dt,
        const prim_dim_t *strides, int start)
{
    prim_memory_desc_t md = rig_md(ndims, dims, dt, strides);
    md.offset0 = start;
    return md;
}

typedef struct {
    const char *name;
    prim_data_type_t src, wei, dst;
} types_t;

static const types_t types[] = {
        {"f32", PRIM_F32, PRIM_F32, PRIM_F32},
        {"f16", PRIM_F16, PRIM_F16, PRIM_F16},
        {"s8", PRIM_S8, PRIM_S8, PRIM_S32},
        {"bf16", PRIM_BF16, PRIM_BF16, PRIM_F32},
        {"u8:s8", PRIM_U8, PRIM_S8, PRIM_F32},
};

// `pad`: elements between rows; 1 makes distances odd. `start`: of all descriptors.
static void check_matmul(
        const rig_t *rig, const types_t *t, prim_dim_t m, bool is_across, int pad, int start)
{
    enum { K = 144, N = 80 };
    char name[96];
    snprintf(name, sizeof name, "matmul %s, %d rows, weights %s, rows %d further apart, offset0 %d",
            t->name, (int)m, is_across ? "KxN" : "NxK", pad, start);
    const prim_dim_t k_pitch = K + pad, n_pitch = N + pad;
    const prim_dim_t src_dims[] = {m, K}, wei_dims[] = {K, N}, dst_dims[] = {m, N};
    const prim_dim_t src_strides[] = {k_pitch, 1}, dst_strides[] = {n_pitch, 1};
    const prim_dim_t across[] = {n_pitch, 1}, along[] = {1, k_pitch};
    const problem_t p = {.name = name,
            .src = window(2, src_dims, t->src, src_strides, start),
            .wei = window(2, wei_dims, t->wei, is_across ? across : along, start),
            .dst = window(2, dst_dims, t->dst, dst_strides, start),
            .has_wei = true,
            .low = t->src == PRIM_U8 ? 0 : -1,
            .high = 1,
            .create = rig_create_matmul,
            .want = rig_want_matmul};
    check_problem(rig, &p);
}

// `pad`: channels (channels last) or columns between neighbours.
static void check_conv(
        const rig_t *rig, const types_t *t, bool is_last, int ic, int oc, int pad, int start)
{
    enum { MB = 2, H = 9, W = 10 };
    char name[96];
    snprintf(name, sizeof name,
            "convolution %s %s, %d to %d channels, %d further apart, offset0 %d", t->name,
            is_last ? "nhwc" : "nchw", ic, oc, pad, start);
    const prim_dim_t src_dims[] = {MB, ic, H, W}, dst_dims[] = {MB, oc, H, W};
    const prim_dim_t wei_dims[] = {oc, ic, 3, 3};
    const prim_dim_t c = ic + pad, o = oc + pad, w = W + pad;
    const prim_dim_t src_last[] = {H * W * c, 1, W * c, c}, dst_last[] = {H * W * o, 1, W * o, o};
    const prim_dim_t src_plane[] = {ic * H * w, H * w, w, 1},
                     dst_plane[] = {oc * H * w, H * w, w, 1};
    const prim_dim_t wei_last[] = {9 * ic, 1, 3 * ic, ic};
    const problem_t p = {.name = name,
            .src = window(4, src_dims, t->src, is_last ? src_last : src_plane, start),
            .wei = window(4, wei_dims, t->wei, is_last ? wei_last : NULL, start),
            .dst = window(4, dst_dims, t->dst, is_last ? dst_last : dst_plane, start),
            .has_wei = true,
            .low = t->src == PRIM_U8 ? 0 : -1,
            .high = 1,
            .create = rig_create_conv,
            .want = rig_want_conv};
    check_problem(rig, &p);
}

// One filter a channel; no gaps, so that only the start takes tensors off the bounds of vectors.
static void check_depthwise(const rig_t *rig, const types_t *t, bool is_last)
{
    enum { MB = 2, C = 12, H = 9, W = 8 };
    char name[96];
    snprintf(name, sizeof name, "depthwise convolution %s %s", t->name, is_last ? "nhwc" : "nchw");
    const prim_dim_t dims[] = {MB, C, H, W}, wei_dims[] = {C, 1, 1, 3, 3};
    const prim_dim_t last[] = {H * W * C, 1, W * C, C}, wei_last[] = {1, 1, 1, 3 * C, C};
    const problem_t p = {.name = name,
            .src = rig_md(4, dims, t->src, is_last ? last : NULL),
            .wei = rig_md(5, wei_dims, t->wei, is_last ? wei_last : NULL),
            .dst = rig_md(4, dims, t->dst, is_last ? last : NULL),
            .has_wei = true,
            .low = t->src == PRIM_U8 ? 0 : -1,
            .high = 1,
            .create = rig_create_conv,
            .want = rig_want_conv};
    check_problem(rig, &p);
}

static void check_few(const rig_t *rig)
{
    check_matmul(rig, &types[0], 67, true, 0, 0);
    check_matmul(rig, &types[1], 67, true, 16, 3);
    check_matmul(rig, &types[1], 67, true, 1, 0);
    check_matmul(rig, &types[2], 67, false, 16, 0);
    check_conv(rig, &types[0], false, 5, 18, 1, 3);
    check_conv(rig, &types[1], true, 16, 24, 0, 0);
    check_depthwise(rig, &types[0], false);
    check_depthwise(rig, &types[1], true);
}

static void check_all(const rig_t *rig)
{
    for (size_t i = 0; i < sizeof types / sizeof types[0]; ++i) {
        check_depthwise(rig, &types[i], false);
        check_depthwise(rig, &types[i], true);
        for (int c = 0; c < 8; ++c) {
            const int pad = c & 1 ? 1 : 16, start = c & 2 ? 3 : 0;
            check_matmul(rig, &types[i], 267, c & 4, pad, start);
            check_matmul(rig, &types[i], 2, c & 4, pad, start);
            check_conv(rig, &types[i], c & 4, c & 4 ? 32 : 5, 40, pad == 1 ? 1 : 0, start);
        }
    }
}

int main(int argc, char **argv)
{
    rig_t rig;
    const bool is_gpu = argc > 1 && strcmp(argv[1], "gpu") == 0;
    if (!rig_open(&rig, is_gpu ? PRIM_GPU : PRIM_CPU)) {
        printf("skipped: there is no such device\n");
        return 77;
    }
    if (argc > 3) filter = argv[3];
    if (argc > 2 && strcmp(argv[2], "all") == 0)
        check_all(&rig);
    else
        check_few(&rig);
    rig_close(&rig);
    printf("%d faults\n", nfaults);
    return nfaults > 0;
}
