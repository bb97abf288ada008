// SPDX-License-Identifier: Apache-2.0
// Tensors whose bytes, or elements, lie more than 2^31 and 2^32 behind their start, a few rows of
// them with gaps between: products, convolutions, relu and reorders of them, by every
// implementation that takes them, are right, or declined. One tensor of a problem at a time is far.
// Run: far cpu|gpu [all]; `all`: also 2^32 elements of four bytes, 17 GB. Skips, with a sentence,
// what the device has no memory for; ends with 77 where that was everything.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "product_rig.h"

enum { MAX_IMPLS = 24, MARGIN = 16 };

static int nfaults, nchecked;

static bool execute(const rig_t *rig, const prim_t *primitive, tensor_t *t, const double *want)
{
    for (int a = 0; a < RIG_TENSORS; ++a) {
        if (t[a].buffer) rig_fill_slices(&t[a], rig, a == RIG_TENSORS - 1 ? 0 : a + 1, MARGIN);
    }
    const prim_arg_t args[] = {{PRIM_ARG_SRC, t[0].memory}, {PRIM_ARG_DST, t[2].memory},
            {PRIM_ARG_WEIGHTS, t[1].memory}};
    MUST(prim_execute(primitive, rig->stream, t[1].buffer ? 3 : 2, args));
    MUST(prim_stream_wait(rig->stream));
    return rig_check_slices(&t[2], rig, want, MARGIN);
}

static void check_impls(
        const rig_t *rig, const problem_t *p, prim_desc_t *pd, tensor_t *t, const double *want)
{
    for (int i = 0; i < MAX_IMPLS; ++i) {
        prim_t *primitive = NULL;
        const char *name = NULL;
        MUST(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name));
        MUST(prim_create(&primitive, pd));
        const bool is_right = execute(rig, primitive, t, want);
        printf("%-4s %s, %s\n", is_right ? "ok" : "BAD", p->name, name);
        fflush(stdout);
        nfaults += !is_right;
        ++nchecked;
        prim_destroy(primitive);
        if (prim_desc_next_impl(pd) != PRIM_SUCCESS) break;
    }
}

static bool make_tensors(tensor_t *t, const rig_t *rig, const problem_t *p)
{
    const prim_memory_desc_t *const mds[] = {&p->src, p->has_wei ? &p->wei : NULL, &p->dst};
    bool is_there = true;
    for (int a = 0; a < RIG_TENSORS; ++a) {
        t[a] = (tensor_t){0};
        if (!mds[a] || !is_there) continue;
        is_there = rig_make(&t[a], rig, mds[a], 0);
        t[a].low = a == 1 ? -p->high : p->low;
        t[a].high = p->high;
        if (is_there) rig_put(&t[a], rig, 0);
    }
    return is_there;
}

static void check_problem(const rig_t *rig, const problem_t *p)
{
    tensor_t t[RIG_TENSORS];
    prim_desc_t *pd = NULL;
    const prim_dim_t n = rig_nelems(&p->dst);
    double *const want = malloc((size_t)n * sizeof *want);
    if (!want) exit(1);
    for (prim_dim_t i = 0; i < n; ++i) want[i] = p->want(p, i);
    if (!make_tensors(t, rig, p)) {
        printf("skipped: %s\n", p->name);
    } else {
        MUST(p->create(&pd, rig->engine, p));
        check_impls(rig, p, pd, t, want);
        prim_desc_destroy(pd);
    }
    free(want);
    for (int a = 0; a < RIG_TENSORS; ++a) rig_free(&t[a]);
}

// `far`: which tensor's rows are `pitch` elements apart.
static void check_matmul(const rig_t *rig, prim_data_type_t dt, int far, prim_dim_t pitch)
{
    enum { M = 9, K = 72, N = 40 };
    static const char *const names[] = {"src", "weights", "dst"};
    char name[96];
    snprintf(name, sizeof name, "matmul %s, %s by %lld", prim_data_type_name(dt), names[far],
            (long long)pitch);
    const prim_dim_t src_dims[] = {M, K}, wei_dims[] = {K, N}, dst_dims[] = {M, N};
    const prim_dim_t src_far[] = {pitch, 1}, wei_far[] = {pitch / 8 / 8 * 8, 1},
                     dst_far[] = {pitch, 1};
    const bool is_int = prim_data_type_size(dt) == 1;
    const problem_t p = {.name = name,
            .src = rig_md(2, src_dims, dt, far == 0 ? src_far : NULL),
            .wei = rig_md(2, wei_dims, dt, far == 1 ? wei_far : NULL),
            .dst = rig_md(2, dst_dims, is_int ? PRIM_S32 : dt, far == 2 ? dst_far : NULL),
            .has_wei = true,
            .low = -1,
            .high = 1,
            .create = rig_create_matmul,
            .want = rig_want_matmul};
    check_problem(rig, &p);
}

// Images far apart, of src or of dst.
static void check_conv(
        const rig_t *rig, prim_data_type_t dt, int far, bool is_last, prim_dim_t pitch)
{
    enum { MB = 9, C = 16, H = 6, W = 8 };
    char name[96];
    snprintf(name, sizeof name, "convolution %s %s, %s by %lld", prim_data_type_name(dt),
            is_last ? "nhwc" : "nchw", far ? "dst" : "src", (long long)pitch);
    const prim_dim_t dims[] = {MB, C, H, W}, wei_dims[] = {C, C, 3, 3};
    const prim_dim_t last[] = {H * W * C, 1, W * C, C}, last_far[] = {pitch, 1, W * C, C};
    const prim_dim_t plane[] = {H * W * C, H * W, W, 1}, plane_far[] = {pitch, H * W, W, 1};
    const prim_dim_t wei_last[] = {9 * C, 1, 3 * C, C};
    const prim_dim_t *const near_strides = is_last ? last : plane;
    const prim_dim_t *const far_strides = is_last ? last_far : plane_far;
    const problem_t p = {.name = name,
            .src = rig_md(4, dims, dt, far ? near_strides : far_strides),
            .wei = rig_md(4, wei_dims, dt, is_last ? wei_last : NULL),
            .dst = rig_md(4, dims, dt, far ? far_strides : near_strides),
            .has_wei = true,
            .low = -1,
            .high = 1,
            .create = rig_create_conv,
            .want = rig_want_conv};
    check_problem(rig, &p);
}

static void check_rows(const rig_t *rig, prim_data_type_t dt, int far, prim_dim_t pitch)
{
    const prim_dim_t dims[] = {9, 3, 40}, strides[] = {pitch, 48, 1};
    for (int op = 0; op < 2; ++op) {
        char name[96];
        snprintf(name, sizeof name, "%s %s, %s by %lld", op ? "reorder" : "relu",
                prim_data_type_name(dt), far ? "dst" : "src", (long long)pitch);
        const problem_t p = {.name = name,
                .src = rig_md(3, dims, dt, far ? NULL : strides),
                .dst = rig_md(3, dims, dt, far ? strides : NULL),
                .low = -3,
                .high = 3,
                .create = op ? rig_create_reorder : rig_create_relu,
                .want = op ? rig_want_reorder : rig_want_relu};
        check_problem(rig, &p);
    }
}

static void check(const rig_t *rig, prim_data_type_t dt, prim_dim_t pitch)
{
    for (int far = 0; far < 3; ++far) check_matmul(rig, dt, far, pitch);
    check_rows(rig, dt, 0, pitch);
    check_rows(rig, dt, 1, pitch);
    if (dt == PRIM_S8) return;
    for (int c = 0; c < 4; ++c) check_conv(rig, dt, c & 1, c & 2, pitch);
}

int main(int argc, char **argv)
{
    // Nine rows: the fourth lies behind 2^31, the seventh behind 2^32; `short_way`: the sixth
    // behind 2^31, less than 2^32 in all, which more devices have. Multiples of 16.
    static const prim_dim_t way = 715827888, short_way = 429496736;
    rig_t rig;
    const bool is_gpu = argc > 1 && strcmp(argv[1], "gpu") == 0;
    if (!rig_open(&rig, is_gpu ? PRIM_GPU : PRIM_CPU)) {
        printf("skipped: there is no such device\n");
        return 77;
    }
    check(&rig, PRIM_F32, short_way / 4);
    check(&rig, PRIM_F32, way / 4);
    check(&rig, PRIM_F16, way / 2);
    check(&rig, PRIM_S8, way);
    if (argc > 2 && strcmp(argv[2], "all") == 0) {
        check(&rig, PRIM_F16, way);
        check(&rig, PRIM_F32, way);
    }
    rig_close(&rig);
    printf("%d checked, %d faults\n", nchecked, nfaults);
    return nfaults > 0 ? 1 : nchecked > 0 ? 0 : 77;
}
