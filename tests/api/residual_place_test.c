// SPDX-License-Identifier: Apache-2.0
// Convolutions that add a residual where it and dst begin anywhere in their buffers, through the
// first implementation and the one that reads it where it writes dst: windows of channels, whose
// pixels lie as far apart as those of all channels.
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { CHANNELS = 16, ALL_CHANNELS = 24, HEIGHT = 2, WIDTH = 3 };
enum { PIXELS = HEIGHT * WIDTH, ELEMENTS = ALL_CHANNELS * PIXELS };

typedef struct {
    prim_dim_t dst, residual; ///< the first channel of the window
} places_t;

// Of f16, NHWC.
static prim_memory_desc_t image(prim_dim_t channels)
{
    prim_memory_desc_t md = api_md(4, (const prim_dim_t[]){1, channels, HEIGHT, WIDTH}, PRIM_acdb);
    prim_memory_desc_t half = md;
    api_expect(prim_memory_desc_init_by_strides(&half, 4, md.dims, PRIM_F16, md.strides),
            PRIM_SUCCESS);
    return half;
}

static prim_memory_desc_t window(prim_dim_t first)
{
    const prim_memory_desc_t all = image(ALL_CHANNELS);
    prim_memory_desc_t md;
    api_expect(
            prim_memory_desc_submemory(&md, &all, (const prim_dim_t[]){1, CHANNELS, HEIGHT, WIDTH},
                    (const prim_dim_t[]){0, first, 0, 0}),
            PRIM_SUCCESS);
    return md;
}

// f16 of an integer below 64.
static uint16_t half_of(int x)
{
    if (x == 0) return 0;
    int exponent = 0;
    while (x >> exponent > 1) ++exponent;
    return (uint16_t)((exponent + 15) << 10 | (x - (1 << exponent)) << (10 - exponent));
}

typedef struct {
    prim_memory_t *all; ///< the buffer of all channels
    prim_memory_t *window;
} tensor_t;

// All elements i of the buffer are value(i).
static tensor_t tensor(
        prim_engine_t *engine, const prim_memory_desc_t *md, int n, int (*value)(int))
{
    const prim_memory_desc_t all = image(ALL_CHANNELS);
    tensor_t t = {api_memory(&all, engine), NULL};
    uint16_t *values = NULL;
    void *handle = NULL;
    api_expect(prim_memory_map_data(t.all, (void **)&values), PRIM_SUCCESS);
    for (int i = 0; i < n; ++i) values[i] = half_of(value(i));
    api_expect(prim_memory_unmap_data(t.all, values), PRIM_SUCCESS);
    api_expect(prim_memory_get_data_handle(t.all, &handle), PRIM_SUCCESS);
    api_expect(prim_memory_create(&t.window, md, engine, handle), PRIM_SUCCESS);
    return t;
}

static void destroy(tensor_t t)
{
    prim_memory_destroy(t.window);
    prim_memory_destroy(t.all);
}

static int src_value(int i)
{
    return i % 7;
}

static int residual_value(int i)
{
    return i % 31;
}

static int untouched(int i)
{
    (void)i;
    return 63;
}

// Each output channel is twice the input channel of its number.
static prim_memory_t *weights(prim_engine_t *engine, const prim_memory_desc_t *md)
{
    prim_memory_t *const memory = api_memory(md, engine);
    uint16_t *values = NULL;
    api_expect(prim_memory_map_data(memory, (void **)&values), PRIM_SUCCESS);
    for (int i = 0; i < CHANNELS * CHANNELS; ++i)
        values[i] = half_of(i / CHANNELS == i % CHANNELS ? 2 : 0);
    api_expect(prim_memory_unmap_data(memory, values), PRIM_SUCCESS);
    return memory;
}

static void check_dst(const tensor_t *dst, const places_t *at)
{
    uint16_t *got = NULL;
    api_expect(prim_memory_map_data(dst->all, (void **)&got), PRIM_SUCCESS);
    for (int i = 0; i < ELEMENTS; ++i) {
        const int pixel = i / ALL_CHANNELS, c = i % ALL_CHANNELS - (int)at->dst;
        const int beside = pixel * ALL_CHANNELS + (int)at->residual + c;
        const int sum = 2 * src_value(pixel * CHANNELS + c) + residual_value(beside);
        assert_int_equal(got[i], half_of(c >= 0 && c < CHANNELS ? sum : 63));
    }
    api_expect(prim_memory_unmap_data(dst->all, got), PRIM_SUCCESS);
}

static void run(const prim_desc_t *pd, prim_engine_t *engine, const places_t *at)
{
    const prim_memory_desc_t src_md = image(CHANNELS), dst_md = window(at->dst);
    const prim_memory_desc_t beside_md = window(at->residual);
    const prim_memory_desc_t *const wei_md = prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 0);
    const tensor_t src = tensor(engine, &src_md, CHANNELS * PIXELS, src_value);
    const tensor_t dst = tensor(engine, &dst_md, ELEMENTS, untouched);
    const tensor_t residual = tensor(engine, &beside_md, ELEMENTS, residual_value);
    prim_memory_t *const wei = weights(engine, wei_md);
    prim_stream_t *const stream = api_stream(engine);
    prim_t *primitive = NULL;
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src.window}, {PRIM_ARG_WEIGHTS, wei},
            {PRIM_ARG_DST, dst.window},
            {PRIM_ARG_ATTR_MULTIPLE_POST_OP(0) | PRIM_ARG_SRC_1, residual.window}};
    api_expect(prim_execute(primitive, stream, 4, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
    check_dst(&dst, at);
    prim_destroy(primitive);
    prim_stream_destroy(stream);
    prim_memory_destroy(wei);
    destroy(src);
    destroy(dst);
    destroy(residual);
}

static prim_desc_t *describe(prim_engine_t *engine, const places_t *at)
{
    const prim_memory_desc_t src = image(CHANNELS), dst = window(at->dst);
    const prim_memory_desc_t residual = window(at->residual);
    const prim_dim_t dims[] = {CHANNELS, CHANNELS, 1, 1}, ones[] = {1, 1}, none[] = {0, 0};
    prim_memory_desc_t wei;
    prim_post_ops_t *chain = NULL;
    prim_attr_t *attr = NULL;
    prim_desc_t *pd = NULL;
    api_expect(prim_memory_desc_init_by_tag(&wei, 4, dims, PRIM_F16, PRIM_acdb), PRIM_SUCCESS);
    api_expect(prim_post_ops_create(&chain), PRIM_SUCCESS);
    api_expect(prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, &residual), PRIM_SUCCESS);
    api_expect(prim_attr_create(&attr), PRIM_SUCCESS);
    api_expect(prim_attr_set_post_ops(attr, chain), PRIM_SUCCESS);
    api_expect(
            prim_convolution_forward_desc_create(&pd, engine, PRIM_FORWARD_INFERENCE,
                    PRIM_CONVOLUTION_DIRECT, &src, &wei, NULL, &dst, ones, NULL, none, none, attr),
            PRIM_SUCCESS);
    prim_attr_destroy(attr);
    prim_post_ops_destroy(chain);
    return pd;
}

static void residuals_begin_anywhere(void **state)
{
    (void)state;
    // Multiples of 16 bytes, dst between two, the residual between two.
    static const places_t places[] = {{8, 0}, {0, 8}, {5, 8}, {8, 3}};
    bool is_missing = false;
    for (int e = 0; api_engine(e); ++e) {
        for (size_t i = 0; i < sizeof places / sizeof *places; ++i) {
            prim_desc_t *const pd = describe(api_engine(e), &places[i]);
            bool has_wgmma = false, is_first = true;
            do {
                const char *name = NULL;
                api_expect(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name), PRIM_SUCCESS);
                const bool is_wgmma = strcmp(name, "ocl:conv:wgmma") == 0;
                if (is_first || is_wgmma) run(pd, api_engine(e), &places[i]);
                has_wgmma = has_wgmma || is_wgmma;
                is_first = false;
            } while (prim_desc_next_impl(pd) == PRIM_SUCCESS);
            prim_engine_kind_t kind = PRIM_CPU;
            api_expect(prim_engine_get_kind(api_engine(e), &kind), PRIM_SUCCESS);
            is_missing = is_missing || (kind == PRIM_GPU && !has_wgmma);
            prim_desc_destroy(pd);
        }
    }
    if (is_missing) skip(); // a device has too little local memory for it
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(residuals_begin_anywhere)};
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
