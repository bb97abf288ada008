// SPDX-License-Identifier: Apache-2.0
// One convolution with a fused ReLU, from plain NCHW data to the result: engine, stream, tensors,
// descriptor, weights reordered once into the layout the implementation chose, execution.
// Usage: getting_started [cpu | gpu[:index]]
#include <math.h>

#include "example.h"

enum { N = 1, IC = 3, IH = 32, IW = 32, OC = 16, KH = 3, KW = 3 };

/// Makes a tensor and copies `values` (dense, in the descriptor's own order) into it.
static prim_memory_t *tensor(
        prim_engine_t *engine, const prim_memory_desc_t *md, const float *values)
{
    prim_memory_t *memory = NULL;
    DO(prim_memory_create(&memory, md, engine, PRIM_MEMORY_ALLOCATE));
    if (values) DO(prim_memory_write(memory, values, prim_memory_desc_get_size(md), 0));
    return memory;
}

/// The weights in the layout that the convolution wants.
static prim_memory_t *reordered(prim_engine_t *engine, prim_stream_t *stream, prim_memory_t *from,
        const prim_memory_desc_t *to_md)
{
    prim_memory_t *const to = tensor(engine, to_md, NULL);
    prim_desc_t *pd = NULL;
    prim_t *reorder = NULL;
    DO(prim_reorder_desc_create(&pd, prim_memory_get_desc(from), engine, to_md, engine, NULL));
    DO(prim_create(&reorder, pd));
    const prim_arg_t args[] = {{PRIM_ARG_FROM, from}, {PRIM_ARG_TO, to}};
    DO(prim_execute(reorder, stream, 2, args));
    prim_destroy(reorder);
    prim_desc_destroy(pd);
    return to;
}

/// The formula, for one output element, to check what the device says.
static double expected(const float *src, const float *wei, int oc, int oh, int ow)
{
    double sum = 0;
    for (int ic = 0; ic < IC; ++ic)
        for (int kh = 0; kh < KH; ++kh)
            for (int kw = 0; kw < KW; ++kw) {
                const int ih = oh + kh - 1, iw = ow + kw - 1;
                if (ih < 0 || ih >= IH || iw < 0 || iw >= IW) continue;
                sum += (double)src[(ic * IH + ih) * IW + iw] *
                       (double)wei[((oc * IC + ic) * KH + kh) * KW + kw];
            }
    return sum > 0 ? sum : 0;
}

static void fill(float *values, size_t n, size_t step, size_t period, float shift)
{
    for (size_t i = 0; i < n; ++i) values[i] = (float)((i * step) % period) / 8 - shift;
}

/// How far the tensor is from the formula.
static double worst_difference(const prim_memory_t *dst, const float *src, const float *wei)
{
    static float result[OC * IH * IW];
    double worst = 0;
    DO(prim_memory_read(dst, result, sizeof result, 0));
    for (int i = 0; i < OC * IH * IW; ++i) {
        const double want = expected(src, wei, i / (IH * IW), i / IW % IH, i % IW);
        worst = fmax(worst, fabs(want - (double)result[i]));
    }
    return worst;
}

/// Attributes that fuse a ReLU into a primitive.
static prim_attr_t *with_relu(void)
{
    prim_post_ops_t *post_ops = NULL;
    prim_attr_t *attr = NULL;
    DO(prim_post_ops_create(&post_ops));
    DO(prim_post_ops_append_eltwise(post_ops, PRIM_ELTWISE_RELU, 0, 0));
    DO(prim_attr_create(&attr));
    DO(prim_attr_set_post_ops(attr, post_ops));
    prim_post_ops_destroy(post_ops);
    return attr;
}

int main(int argc, char **argv)
{
    prim_engine_t *const engine = example_engine(argc, argv);
    prim_stream_t *stream = NULL;
    DO(prim_stream_create(&stream, engine, PRIM_STREAM_IN_ORDER));
    printf("engine: %s\n", prim_engine_name(engine));

    static float src_values[N * IC * IH * IW], wei_values[OC * IC * KH * KW];
    fill(src_values, sizeof src_values / sizeof *src_values, 7, 17, 1);
    fill(wei_values, sizeof wei_values / sizeof *wei_values, 5, 13, 0.75f);

    // Describe the tensors. The weights may take whatever layout is fastest.
    prim_memory_desc_t src_md, wei_md, wei_any_md, dst_md;
    const prim_dim_t wei_dims[] = {OC, IC, KH, KW};
    DO(prim_memory_desc_init_by_tag(
            &src_md, 4, (const prim_dim_t[]){N, IC, IH, IW}, PRIM_F32, PRIM_NCHW));
    DO(prim_memory_desc_init_by_tag(&wei_md, 4, wei_dims, PRIM_F32, PRIM_OIHW));
    DO(prim_memory_desc_init_by_tag(&wei_any_md, 4, wei_dims, PRIM_F32, PRIM_FORMAT_ANY));
    DO(prim_memory_desc_init_by_tag(
            &dst_md, 4, (const prim_dim_t[]){N, OC, IH, IW}, PRIM_F32, PRIM_NCHW));

    prim_attr_t *const attr = with_relu();
    prim_desc_t *pd = NULL;
    DO(prim_convolution_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
            PRIM_CONVOLUTION_DIRECT, &src_md, &wei_any_md, NULL, &dst_md,
            (const prim_dim_t[]){1, 1}, NULL, (const prim_dim_t[]){1, 1}, NULL, attr));
    const char *name = NULL;
    DO(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name));
    printf("implementation: %s\n", name);

    prim_t *convolution = NULL;
    DO(prim_create(&convolution, pd));
    prim_memory_t *const src = tensor(engine, &src_md, src_values);
    prim_memory_t *const wei = tensor(engine, &wei_md, wei_values);
    prim_memory_t *const wei_packed =
            reordered(engine, stream, wei, prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 0));
    prim_memory_t *const dst = tensor(engine, &dst_md, NULL);

    const prim_arg_t args[] = {
            {PRIM_ARG_SRC, src}, {PRIM_ARG_WEIGHTS, wei_packed}, {PRIM_ARG_DST, dst}};
    DO(prim_execute(convolution, stream, 3, args));
    DO(prim_stream_wait(stream));

    const double worst = worst_difference(dst, src_values, wei_values);
    printf("largest difference from the formula: %g\n", worst);

    prim_memory_destroy(dst);
    prim_memory_destroy(wei_packed);
    prim_memory_destroy(wei);
    prim_memory_destroy(src);
    prim_destroy(convolution);
    prim_desc_destroy(pd);
    prim_attr_destroy(attr);
    prim_stream_destroy(stream);
    prim_engine_destroy(engine);
    // Every product is a multiple of 1/64 below 1, every sum of 27 of them exact in f32.
    return worst == 0 ? 0 : 1;
}
