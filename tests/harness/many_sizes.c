// SPDX-License-Identifier: Apache-2.0
// Programs do not multiply with input sizes. A small network is created, without any cache, for one
// size and for fifty: the fifty build the programs of the one. Around the sizes at which dispatch
// changes to another implementation, a layer builds the programs of each implementation it goes
// through, and of one further shape of it: some (ocl:pool:nchw_vector) have narrower vectors for
// rows that are shorter than the wide ones. On GPUs that holds for all sizes: products have tiles
// of several sizes there, and the best one for a shape is up to a third faster than the next
// (doc/performance_convolution.md). Run: many_sizes
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <prim/prim.h>

enum {
    NSIZES = 50,
    COMMON_SIZE = 64,
    SMALL_SIZE = 7,
    MAX_LAYERS = 16,
    MAX_IMPLS = 8,
    MAX_SHAPES = 2
};

#define DO(call)                                                                   \
    do {                                                                           \
        if ((call) != PRIM_SUCCESS) {                                              \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, prim_last_error()); \
            exit(1);                                                               \
        }                                                                          \
    } while (0)

// What the engine that is being filled has gone through.
static struct {
    int nbuilds;            // since the engine was made
    int layer;              // of the network, from 0
    int nimpls[MAX_LAYERS]; // that the layer used at some size
    struct {
        const char *name;
        int nshapes; // sizes at which it built something
    } impls[MAX_LAYERS][MAX_IMPLS];
    int nfaults;
} run;

static void note(void *user, const char *line)
{
    (void)user;
    run.nbuilds += strstr(line, ",ocl,build,") != NULL;
}

// Notes that the layer uses the implementation, and whether it built something for it.
static void note_impl(const char *name, bool has_built)
{
    int i = 0, *const n = &run.nimpls[run.layer];
    while (i < *n && strcmp(run.impls[run.layer][i].name, name) != 0) ++i;
    if (i == MAX_IMPLS) {
        ++run.nfaults;
        return;
    }
    if (i == *n) run.impls[run.layer][(*n)++].name = name;
    if (!has_built || ++run.impls[run.layer][i].nshapes <= MAX_SHAPES) return;
    printf("layer %d builds programs of %s for a third shape\n", run.layer, name);
    ++run.nfaults;
}

// Creates the primitive of the next layer, and with it its programs; the descriptor of its output
// is for the one after it.
static prim_memory_desc_t create(prim_desc_t *pd)
{
    prim_t *primitive = NULL;
    const char *impl = NULL;
    DO(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &impl));
    const int nbefore = run.nbuilds;
    DO(prim_create(&primitive, pd));
    note_impl(impl, run.nbuilds > nbefore);
    ++run.layer;
    const prim_memory_desc_t dst = *prim_desc_query_md(pd, PRIM_QUERY_DST_MD, 0);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
    return dst;
}

static prim_memory_desc_t any(int ndims, const prim_dim_t *dims)
{
    prim_memory_desc_t md;
    DO(prim_memory_desc_init_by_tag(&md, ndims, dims, PRIM_F32, PRIM_FORMAT_ANY));
    return md;
}

static prim_attr_t *with_relu(void)
{
    prim_attr_t *attr = NULL;
    prim_post_ops_t *post_ops = NULL;
    DO(prim_attr_create(&attr));
    DO(prim_post_ops_create(&post_ops));
    DO(prim_post_ops_append_eltwise(post_ops, PRIM_ELTWISE_RELU, 0, 0));
    DO(prim_attr_set_post_ops(attr, post_ops));
    prim_post_ops_destroy(post_ops);
    return attr;
}

// A square kernel, padded so that stride 1 keeps the size.
static prim_memory_desc_t conv(prim_engine_t *engine, const prim_memory_desc_t *src, prim_dim_t oc,
        prim_dim_t kernel, prim_dim_t stride, const prim_attr_t *attr)
{
    const prim_dim_t pad = kernel / 2, in = src->dims[2];
    const prim_dim_t out = (in + 2 * pad - kernel) / stride + 1;
    const prim_dim_t wei_dims[] = {oc, src->dims[1], kernel, kernel};
    const prim_dim_t dst_dims[] = {src->dims[0], oc, out, out};
    const prim_memory_desc_t wei = any(4, wei_dims), bias = any(1, &oc), dst = any(4, dst_dims);
    const prim_dim_t strides[] = {stride, stride}, pads[] = {pad, pad};
    prim_desc_t *pd = NULL;
    DO(prim_convolution_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
            PRIM_CONVOLUTION_AUTO, src, &wei, &bias, &dst, strides, NULL, pads, pads, attr));
    return create(pd);
}

static prim_memory_desc_t pool(prim_engine_t *engine, const prim_memory_desc_t *src,
        prim_alg_kind_t alg, prim_dim_t kernel, prim_dim_t stride)
{
    const prim_dim_t out = (src->dims[2] - kernel) / stride + 1;
    const prim_dim_t dst_dims[] = {src->dims[0], src->dims[1], out, out};
    const prim_dim_t kernels[] = {kernel, kernel}, strides[] = {stride, stride}, none[] = {0, 0};
    const prim_memory_desc_t dst = any(4, dst_dims);
    prim_desc_t *pd = NULL;
    DO(prim_pooling_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE, alg, src, &dst,
            strides, kernels, none, none, none, NULL));
    return create(pd);
}

static prim_memory_desc_t matmul(
        prim_engine_t *engine, prim_dim_t m, prim_dim_t k, prim_dim_t n, const prim_attr_t *attr)
{
    const prim_dim_t src_dims[] = {m, k}, wei_dims[] = {k, n}, dst_dims[] = {m, n};
    const prim_memory_desc_t src = any(2, src_dims), wei = any(2, wei_dims), dst = any(2, dst_dims);
    prim_desc_t *pd = NULL;
    DO(prim_matmul_desc_create(&pd, engine, &src, &wei, NULL, &dst, attr));
    return create(pd);
}

static void softmax(prim_engine_t *engine, const prim_memory_desc_t *md)
{
    prim_desc_t *pd = NULL;
    DO(prim_softmax_forward_desc_create(
            &pd, engine, PRIM_FORWARD_INFERENCE, PRIM_SOFTMAX_ACCURATE, md, md, 1, NULL));
    create(pd);
}

// Images of size × size; a batch of `size` rows behind it.
static void create_net(prim_engine_t *engine, prim_dim_t size)
{
    prim_attr_t *const relu = with_relu();
    prim_memory_desc_t image;
    const prim_dim_t dims[] = {1, 3, size, size};
    DO(prim_memory_desc_init_by_tag(&image, 4, dims, PRIM_F32, PRIM_NCHW));
    prim_memory_desc_t x = conv(engine, &image, 16, 3, 2, relu);
    x = pool(engine, &x, PRIM_POOLING_MAX, 2, 1);
    x = conv(engine, &x, 32, 1, 1, NULL);
    prim_desc_t *eltwise = NULL;
    DO(prim_eltwise_forward_desc_create(
            &eltwise, engine, PRIM_FORWARD_INFERENCE, PRIM_ELTWISE_TANH, &x, &x, 0, 0, NULL));
    x = create(eltwise);
    x = conv(engine, &x, 32, 3, 1, relu);
    pool(engine, &x, PRIM_POOLING_AVG_INCLUDE_PADDING, x.dims[2], 1);
    matmul(engine, size, 32, 64, relu);
    const prim_memory_desc_t scores = matmul(engine, size, 64, 10, NULL);
    softmax(engine, &scores);
    prim_attr_destroy(relu);
}

// Programs that a fresh engine builds for sizes first … first + n - 1.
static int count(int first, int n)
{
    prim_engine_t *engine = NULL;
    memset(&run, 0, sizeof run);
    DO(prim_engine_create(&engine, PRIM_GPU, 0));
    for (int i = 0; i < n; ++i) {
        run.layer = 0;
        create_net(engine, first + i);
    }
    prim_engine_destroy(engine);
    int nimpls = 0;
    for (int l = 0; l < run.layer; ++l) nimpls += run.nimpls[l];
    printf("%d sizes from %d: %d programs, %d layers, %d implementations\n", n, first, run.nbuilds,
            run.layer, nimpls);
    return run.nfaults == 0 && run.nbuilds > 0 ? run.nbuilds : -1;
}

static bool has_tiles_for_shapes(void)
{
    prim_engine_t *engine = NULL;
    const char *kind = NULL;
    DO(prim_engine_create(&engine, PRIM_GPU, 0));
    DO(prim_engine_query(engine, PRIM_ENGINE_QUERY_KIND_STR, (void *)&kind));
    const bool is_gpu = strcmp(kind, "gpu") == 0;
    prim_engine_destroy(engine);
    return is_gpu;
}

int main(void)
{
    DO(prim_set_cache_dir(""));
    DO(prim_set_log_callback(note, NULL));
    DO(prim_set_verbose("profile_create"));
    const int none = count(COMMON_SIZE, 1), nall = count(COMMON_SIZE, NSIZES);
    const int nsmall = count(SMALL_SIZE, NSIZES);
    return none < 0 || nall < none || nsmall < 0 || (nall > none && !has_tiles_for_shapes());
}
