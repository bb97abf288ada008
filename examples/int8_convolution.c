// SPDX-License-Identifier: Apache-2.0
// A quantised convolution: u8 activations with a zero point, s8 weights with one scale a channel,
// s32 sums, u8 result. Checked against the quantisation formula in integers. Usage:
// int8_convolution [cpu | gpu[:index]]
#include <math.h>

#include "example.h"

enum { IC = 16, OC = 8, SIZE = 12, KERNEL = 3 };

static const float src_scale = 0.5f, dst_scale = 4;
static const int32_t src_zero_point = 5, dst_zero_point = 3;

static prim_memory_t *tensor(prim_engine_t *engine, int ndims, const prim_dim_t *dims,
        prim_data_type_t data_type, prim_format_tag_t tag, const void *values)
{
    prim_memory_desc_t md;
    prim_memory_t *memory = NULL;
    DO(prim_memory_desc_init_by_tag(&md, ndims, dims, data_type, tag));
    DO(prim_memory_create(&memory, &md, engine, PRIM_MEMORY_ALLOCATE));
    if (values) DO(prim_memory_write(memory, values, prim_memory_desc_get_size(&md), 0));
    return memory;
}

static prim_attr_t *quantisation(void)
{
    prim_attr_t *attr = NULL;
    prim_post_ops_t *post_ops = NULL;
    DO(prim_attr_create(&attr));
    DO(prim_attr_set_scales(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_F32));
    DO(prim_attr_set_scales(attr, PRIM_ARG_WEIGHTS, 1, 0, NULL, PRIM_F32)); // per output channel
    DO(prim_attr_set_scales(attr, PRIM_ARG_DST, 0, 0, NULL, PRIM_F32));
    DO(prim_attr_set_zero_points(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_S32));
    DO(prim_attr_set_zero_points(attr, PRIM_ARG_DST, 0, 0, NULL, PRIM_S32));
    DO(prim_post_ops_create(&post_ops));
    DO(prim_post_ops_append_eltwise(post_ops, PRIM_ELTWISE_RELU, 0, 0));
    DO(prim_attr_set_post_ops(attr, post_ops));
    prim_post_ops_destroy(post_ops);
    return attr;
}

/// What dst(oc, y, x) must be: relu(scales·Σ(src − zp)·wei)/scale + zp, to nearest even, saturated
static uint8_t expected(
        const uint8_t *src, const int8_t *wei, const float *wei_scales, int oc, int y, int x)
{
    int32_t sum = 0;
    for (int ic = 0; ic < IC; ++ic)
        for (int kh = 0; kh < KERNEL; ++kh)
            for (int kw = 0; kw < KERNEL; ++kw) {
                const int h = y + kh - 1, w = x + kw - 1;
                if (h < 0 || h >= SIZE || w < 0 || w >= SIZE) continue;
                sum += (src[(ic * SIZE + h) * SIZE + w] - src_zero_point) *
                       wei[((oc * IC + ic) * KERNEL + kh) * KERNEL + kw];
            }
    const float value = fmaxf((float)sum * src_scale * wei_scales[oc], 0) / dst_scale;
    return (uint8_t)fminf(fmaxf(rintf(value + (float)dst_zero_point), 0), 255);
}

int main(int argc, char **argv)
{
    prim_engine_t *const engine = example_engine(argc, argv);
    prim_stream_t *stream = NULL;
    DO(prim_stream_create(&stream, engine, PRIM_STREAM_IN_ORDER));

    static uint8_t src_values[IC * SIZE * SIZE];
    static int8_t wei_values[OC * IC * KERNEL * KERNEL];
    float wei_scales[OC];
    for (size_t i = 0; i < sizeof src_values; ++i) src_values[i] = (uint8_t)(i * 7 % 23);
    for (size_t i = 0; i < sizeof wei_values; ++i) wei_values[i] = (int8_t)(i * 5 % 19) - 9;
    for (int i = 0; i < OC; ++i) wei_scales[i] = i % 2 ? 0.25f : 0.5f;

    const prim_dim_t src_dims[] = {1, IC, SIZE, SIZE}, dst_dims[] = {1, OC, SIZE, SIZE};
    const prim_dim_t wei_dims[] = {OC, IC, KERNEL, KERNEL}, one[] = {1}, channels[] = {OC};
    prim_memory_t *const src = tensor(engine, 4, src_dims, PRIM_U8, PRIM_NCHW, src_values);
    prim_memory_t *const wei = tensor(engine, 4, wei_dims, PRIM_S8, PRIM_OIHW, wei_values);
    prim_memory_t *const dst = tensor(engine, 4, dst_dims, PRIM_U8, PRIM_NCHW, NULL);
    prim_memory_t *const scales[] = {tensor(engine, 1, one, PRIM_F32, PRIM_a, &src_scale),
            tensor(engine, 1, channels, PRIM_F32, PRIM_a, wei_scales),
            tensor(engine, 1, one, PRIM_F32, PRIM_a, &dst_scale)};
    prim_memory_t *const zero_points[] = {tensor(engine, 1, one, PRIM_S32, PRIM_a, &src_zero_point),
            tensor(engine, 1, one, PRIM_S32, PRIM_a, &dst_zero_point)};

    prim_attr_t *const attr = quantisation();
    prim_desc_t *pd = NULL;
    prim_t *convolution = NULL;
    DO(prim_convolution_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
            PRIM_CONVOLUTION_DIRECT, prim_memory_get_desc(src), prim_memory_get_desc(wei), NULL,
            prim_memory_get_desc(dst), (const prim_dim_t[]){1, 1}, NULL, (const prim_dim_t[]){1, 1},
            NULL, attr));
    DO(prim_create(&convolution, pd));
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_WEIGHTS, wei}, {PRIM_ARG_DST, dst},
            {PRIM_ARG_ATTR_SCALES | PRIM_ARG_SRC, scales[0]},
            {PRIM_ARG_ATTR_SCALES | PRIM_ARG_WEIGHTS, scales[1]},
            {PRIM_ARG_ATTR_SCALES | PRIM_ARG_DST, scales[2]},
            {PRIM_ARG_ATTR_ZERO_POINTS | PRIM_ARG_SRC, zero_points[0]},
            {PRIM_ARG_ATTR_ZERO_POINTS | PRIM_ARG_DST, zero_points[1]}};
    DO(prim_execute(convolution, stream, (int)(sizeof args / sizeof *args), args));
    DO(prim_stream_wait(stream));

    static uint8_t result[OC * SIZE * SIZE];
    int nwrong = 0;
    DO(prim_memory_read(dst, result, sizeof result, 0));
    for (int i = 0; i < OC * SIZE * SIZE; ++i)
        nwrong += result[i] != expected(src_values, wei_values, wei_scales, i / (SIZE * SIZE),
                                       i / SIZE % SIZE, i % SIZE);
    printf("%s: %d of %d values wrong\n", prim_engine_name(engine), nwrong, OC * SIZE * SIZE);

    for (int i = 0; i < 3; ++i) prim_memory_destroy(scales[i]);
    for (int i = 0; i < 2; ++i) prim_memory_destroy(zero_points[i]);
    prim_memory_destroy(dst);
    prim_memory_destroy(wei);
    prim_memory_destroy(src);
    prim_destroy(convolution);
    prim_desc_destroy(pd);
    prim_attr_destroy(attr);
    prim_stream_destroy(stream);
    prim_engine_destroy(engine);
    return nwrong != 0;
}
