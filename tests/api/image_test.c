// SPDX-License-Identifier: Apache-2.0
// Images: memories of the library and of the application, mapping, what is refused, and a chain
// that goes through an image.
#include <prim/prim_ocl.h>

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { N = 2, C = 5, H = 3, W = 4, NELEMS = N * C * H * W, WIDTH = 2 * W, HEIGHT = N * H };
enum { ROWS_ELEMS = WIDTH * HEIGHT * 4 };

static const prim_dim_t dims[] = {N, C, H, W};
static prim_memory_desc_t image_md, plain_md;

/// The first OpenCL engine; the tests need one with images.
static prim_engine_t *gpu(void)
{
    prim_engine_t *const engine = api_engine(1);
    assert_non_null(engine);
    return engine;
}

static int open_all(void **state)
{
    if (prim_memory_desc_init_image2d(&image_md, 4, dims, PRIM_F32) != PRIM_SUCCESS) return -1;
    if (prim_memory_desc_init_by_tag(&plain_md, 4, dims, PRIM_F32, PRIM_NCHW) != PRIM_SUCCESS)
        return -1;
    return api_open_engines(state);
}

/// Where an element lies in the rows of the image, by the formula of prim.h.
static int place(int n, int c, int h, int w)
{
    const int x = c / 4 * W + w, y = n * H + h;
    return (y * WIDTH + x) * 4 + c % 4;
}

static float value(int n, int c, int h, int w)
{
    return (float)(((n * C + c) * H + h) * W + w) - 50.f;
}

static cl_mem new_image(cl_channel_type type, size_t width, size_t height)
{
    cl_context context = NULL;
    cl_int code = CL_SUCCESS;
    api_expect(prim_ocl_engine_get_context(gpu(), &context), PRIM_SUCCESS);
    const cl_image_format format = {CL_RGBA, type};
    const cl_image_desc desc = {
            .image_type = CL_MEM_OBJECT_IMAGE2D, .image_width = width, .image_height = height};
    const cl_mem image = clCreateImage(context, CL_MEM_READ_WRITE, &format, &desc, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    return image;
}

static void cpu_engines_have_no_images(void **state)
{
    (void)state;
    prim_memory_t *memory = UNTOUCHED(prim_memory_t *);
    api_expect(prim_memory_create(&memory, &image_md, api_engine(0), PRIM_MEMORY_ALLOCATE),
            PRIM_UNIMPLEMENTED);
    assert_ptr_equal(memory, UNTOUCHED(prim_memory_t *));
    prim_desc_t *pd = UNTOUCHED(prim_desc_t *);
    api_expect(
            prim_reorder_desc_create(&pd, &plain_md, api_engine(0), &image_md, api_engine(0), NULL),
            PRIM_UNIMPLEMENTED);
    assert_non_null(strstr(prim_last_error(), "image"));
    assert_ptr_equal(pd, UNTOUCHED(prim_desc_t *));
}

static void mapping_shows_rows(void **state)
{
    (void)state;
    prim_memory_t *memory = api_memory(&image_md, gpu());
    void *first = NULL, *second = UNTOUCHED(void *);
    api_expect(prim_memory_map_data(memory, &first), PRIM_SUCCESS);
    for (int i = 0; i < N * H * WIDTH; ++i)
        for (int lane = 0; lane < 4; ++lane) {
            const bool is_padding = i % WIDTH >= W && lane > 0;
            if (is_padding) assert_true(((float *)first)[i * 4 + lane] == 0.f);
        }
    api_expect(prim_memory_map_data(memory, &second), PRIM_INVALID_ARGUMENTS);
    assert_ptr_equal(second, UNTOUCHED(void *));
    api_expect(prim_memory_unmap_data(memory, &second), PRIM_INVALID_ARGUMENTS);
    for (int i = 0; i < ROWS_ELEMS; ++i) ((float *)first)[i] = (float)i;
    api_expect(prim_memory_unmap_data(memory, first), PRIM_SUCCESS);
    api_expect(prim_memory_unmap_data(memory, first), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_memory_map_data(memory, &second), PRIM_SUCCESS);
    for (int i = 0; i < ROWS_ELEMS; ++i) assert_true(((float *)second)[i] == (float)i);
    prim_memory_destroy(memory); // while it is mapped
}

/// Host data go into rows of texels and back as a mapping shows them.
static void host_data_go_in_and_out(void **state)
{
    (void)state;
    prim_memory_t *const memory = api_memory(&image_md, gpu());
    static float in[ROWS_ELEMS], out[ROWS_ELEMS];
    for (int i = 0; i < ROWS_ELEMS; ++i) in[i] = (float)i;
    api_expect(prim_memory_write(memory, in, sizeof in, 0), PRIM_SUCCESS);
    in[5] = -1.f;
    api_expect(prim_memory_write(memory, in + 5, sizeof in[5], 5 * sizeof in[5]), PRIM_SUCCESS);
    api_expect(prim_memory_read(memory, out, sizeof out, 0), PRIM_SUCCESS);
    assert_memory_equal(out, in, sizeof in);
    prim_memory_destroy(memory);
}

static void fill_plain(prim_memory_t *memory)
{
    void *data = NULL;
    api_expect(prim_memory_map_data(memory, &data), PRIM_SUCCESS);
    for (int i = 0; i < NELEMS; ++i)
        ((float *)data)[i] = value(i / (C * H * W), i / (H * W) % C, i / W % H, i % W);
    api_expect(prim_memory_unmap_data(memory, data), PRIM_SUCCESS);
}

static void run(prim_desc_t *pd, prim_stream_t *stream, prim_memory_t *src, prim_memory_t *dst)
{
    prim_t *primitive = NULL;
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_DST, dst}};
    api_expect(prim_create(&primitive, pd), PRIM_SUCCESS);
    api_expect(prim_execute(primitive, stream, 2, args), PRIM_SUCCESS);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
}

static prim_desc_t *reorder_desc(const prim_memory_desc_t *src, const prim_memory_desc_t *dst)
{
    prim_desc_t *pd = NULL;
    api_expect(prim_reorder_desc_create(&pd, src, gpu(), dst, gpu(), NULL), PRIM_SUCCESS);
    return pd;
}

/// buffer → the application's image, larger than the tensor → relu → buffer.
static void buffers_and_images_mix(void **state)
{
    (void)state;
    const cl_mem image = new_image(CL_FLOAT, WIDTH + 3, HEIGHT + 2);
    prim_memory_t *from = NULL;
    api_expect(prim_ocl_memory_create(&from, &image_md, gpu(), image, 0), PRIM_SUCCESS);
    cl_mem borrowed = NULL;
    size_t offset = 1;
    api_expect(prim_ocl_memory_get_buffer(from, &borrowed, &offset), PRIM_SUCCESS);
    assert_ptr_equal(borrowed, image);
    assert_int_equal(offset, 0);
    prim_memory_t *src = api_memory(&plain_md, gpu()), *dst = api_memory(&plain_md, gpu());
    prim_memory_t *const to = api_memory(&image_md, gpu());
    prim_stream_t *const stream = api_stream(gpu());
    fill_plain(src);
    run(reorder_desc(&plain_md, &image_md), stream, src, from);
    prim_desc_t *relu = NULL;
    api_expect(prim_eltwise_forward_desc_create(&relu, gpu(), PRIM_FORWARD_INFERENCE,
                       PRIM_ELTWISE_RELU, &image_md, &image_md, 0, 0, NULL),
            PRIM_SUCCESS);
    run(relu, stream, from, to);
    run(reorder_desc(&image_md, &plain_md), stream, to, dst);

    void *data = NULL, *rows = NULL;
    api_expect(prim_memory_map_data(dst, &data), PRIM_SUCCESS);
    api_expect(prim_memory_map_data(from, &rows), PRIM_SUCCESS);
    for (int i = 0; i < NELEMS; ++i) {
        const int n = i / (C * H * W), c = i / (H * W) % C, h = i / W % H, w = i % W;
        const float x = value(n, c, h, w);
        assert_true(((float *)data)[i] == (x > 0 ? x : 0));
        assert_true(((float *)rows)[place(n, c, h, w)] == x);
    }
    api_expect(prim_memory_unmap_data(dst, data), PRIM_SUCCESS);
    api_expect(prim_memory_unmap_data(from, rows), PRIM_SUCCESS);
    prim_stream_destroy(stream);
    prim_memory_t *const all[] = {src, dst, from, to};
    for (int i = 0; i < 4; ++i) prim_memory_destroy(all[i]);
    clReleaseMemObject(image);
}

enum { WEI_ELEMS = C * C * 3 * 3 };

/// Writes small integers, so that sums of products are exact.
static void fill_small(prim_memory_t *memory, int n)
{
    void *data = NULL;
    api_expect(prim_memory_map_data(memory, &data), PRIM_SUCCESS);
    for (int i = 0; i < n; ++i) ((float *)data)[i] = (float)(i * 7 % 5 - 2);
    api_expect(prim_memory_unmap_data(memory, data), PRIM_SUCCESS);
}

/// dst = conv3x3(src) with fixed weights; both of `md`, which tells what it runs on.
static void convolve(const prim_memory_desc_t *md, prim_stream_t *stream, prim_memory_t *src,
        prim_memory_t *dst, bool on_images)
{
    const prim_dim_t one[] = {1, 1}, wei_dims[] = {C, C, 3, 3};
    prim_memory_desc_t any;
    const prim_memory_desc_t oihw = api_md(4, wei_dims, PRIM_OIHW);
    prim_desc_t *pd = NULL;
    prim_t *conv = NULL;
    const char *name = NULL;
    api_expect(prim_memory_desc_init_by_tag(&any, 4, wei_dims, PRIM_F32, PRIM_FORMAT_ANY),
            PRIM_SUCCESS);
    api_expect(prim_convolution_forward_desc_create(&pd, gpu(), PRIM_FORWARD_INFERENCE,
                       PRIM_CONVOLUTION_AUTO, md, &any, NULL, md, one, NULL, one, NULL, NULL),
            PRIM_SUCCESS);
    api_expect(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name), PRIM_SUCCESS);
    assert_true((strcmp(name, "ocl:conv:image") == 0) == on_images);
    const prim_memory_desc_t wei_md = *prim_desc_query_md(pd, PRIM_QUERY_WEIGHTS_MD, 0);
    prim_memory_t *const plain = api_memory(&oihw, gpu()), *const wei = api_memory(&wei_md, gpu());
    fill_small(plain, WEI_ELEMS);
    run(reorder_desc(&oihw, &wei_md), stream, plain, wei);
    api_expect(prim_create(&conv, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, src}, {PRIM_ARG_WEIGHTS, wei}, {PRIM_ARG_DST, dst}};
    api_expect(prim_execute(conv, stream, 3, args), PRIM_SUCCESS);
    api_expect(prim_stream_wait(stream), PRIM_SUCCESS);
    prim_destroy(conv);
    prim_desc_destroy(pd);
    prim_memory_destroy(plain);
    prim_memory_destroy(wei);
}

/// A convolution between images, a reorder, a convolution between buffers; and all in buffers.
static void networks_mix_buffers_and_images(void **state)
{
    (void)state;
    prim_stream_t *const stream = api_stream(gpu());
    prim_memory_t *const src = api_memory(&plain_md, gpu()), *const mid =
                                                                     api_memory(&plain_md, gpu());
    prim_memory_t *got = api_memory(&plain_md, gpu()), *expected = api_memory(&plain_md, gpu());
    prim_memory_t *const src_image = api_memory(&image_md, gpu());
    prim_memory_t *const mid_image = api_memory(&image_md, gpu());
    fill_small(src, NELEMS);
    convolve(&plain_md, stream, src, mid, false);
    convolve(&plain_md, stream, mid, expected, false);

    run(reorder_desc(&plain_md, &image_md), stream, src, src_image);
    convolve(&image_md, stream, src_image, mid_image, true);
    run(reorder_desc(&image_md, &plain_md), stream, mid_image, mid);
    convolve(&plain_md, stream, mid, got, false);

    void *a = NULL, *b = NULL;
    api_expect(prim_memory_map_data(got, &a), PRIM_SUCCESS);
    api_expect(prim_memory_map_data(expected, &b), PRIM_SUCCESS);
    assert_memory_equal(a, b, NELEMS * sizeof(float));
    api_expect(prim_memory_unmap_data(got, a), PRIM_SUCCESS);
    api_expect(prim_memory_unmap_data(expected, b), PRIM_SUCCESS);
    prim_memory_t *const all[] = {src, mid, got, expected, src_image, mid_image};
    for (size_t i = 0; i < sizeof all / sizeof *all; ++i) prim_memory_destroy(all[i]);
    prim_stream_destroy(stream);
}

static void foreign_images_are_checked(void **state)
{
    (void)state;
    prim_memory_t *memory = UNTOUCHED(prim_memory_t *), **out = &memory;
    cl_context context = NULL;
    cl_int code = CL_SUCCESS;
    api_expect(prim_ocl_engine_get_context(gpu(), &context), PRIM_SUCCESS);
    const cl_mem good = new_image(CL_FLOAT, WIDTH, HEIGHT);
    const cl_mem narrow = new_image(CL_FLOAT, WIDTH - 1, HEIGHT);
    const cl_mem flat = new_image(CL_FLOAT, WIDTH, HEIGHT - 1);
    const cl_mem half = new_image(CL_HALF_FLOAT, WIDTH, HEIGHT);
    const cl_mem buffer = clCreateBuffer(context, CL_MEM_READ_WRITE, 4096, NULL, &code);
    assert_int_equal(code, CL_SUCCESS);
    const cl_mem bad[] = {narrow, flat, half, buffer};
    for (int i = 0; i < 4; ++i)
        api_expect(
                prim_ocl_memory_create(out, &image_md, gpu(), bad[i], 0), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_memory_create(out, &image_md, gpu(), good, 16), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_ocl_memory_create(out, &plain_md, gpu(), good, 0), PRIM_INVALID_ARGUMENTS);
    assert_ptr_equal(memory, UNTOUCHED(prim_memory_t *));
    api_expect(prim_memory_create(out, &image_md, gpu(), PRIM_MEMORY_NONE), PRIM_SUCCESS);
    void *pointer = UNTOUCHED(void *);
    api_expect(prim_memory_map_data(memory, &pointer), PRIM_INVALID_ARGUMENTS);
    assert_ptr_equal(pointer, UNTOUCHED(void *));
    api_expect(prim_memory_set_data_handle(memory, narrow), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_memory_set_data_handle_at(memory, good, 16), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_memory_set_data_handle(memory, good), PRIM_SUCCESS);
    prim_memory_destroy(memory);
    for (int i = 0; i < 4; ++i) clReleaseMemObject(bad[i]);
    clReleaseMemObject(good);
}

static void dst_is_not_read(void **state)
{
    (void)state;
    prim_memory_t *const memory = api_memory(&image_md, gpu());
    prim_stream_t *const stream = api_stream(gpu());
    prim_desc_t *pd = NULL;
    prim_t *relu = NULL;
    api_expect(prim_eltwise_forward_desc_create(&pd, gpu(), PRIM_FORWARD_INFERENCE,
                       PRIM_ELTWISE_RELU, &image_md, &image_md, 0, 0, NULL),
            PRIM_SUCCESS);
    api_expect(prim_create(&relu, pd), PRIM_SUCCESS);
    const prim_arg_t args[] = {{PRIM_ARG_SRC, memory}, {PRIM_ARG_DST, memory}};
    api_expect(prim_execute(relu, stream, 2, args), PRIM_INVALID_ARGUMENTS);
    prim_destroy(relu);
    prim_desc_destroy(pd);
    prim_stream_destroy(stream);
    prim_memory_destroy(memory);
}

/// Nobody takes a buffer for an image: each operation declines, with the reason of every
/// implementation.
static void mixed_kinds_are_declined(void **state)
{
    (void)state;
    prim_desc_t *pd = UNTOUCHED(prim_desc_t *);
    api_expect(prim_eltwise_forward_desc_create(&pd, gpu(), PRIM_FORWARD_INFERENCE,
                       PRIM_ELTWISE_RELU, &image_md, &plain_md, 0, 0, NULL),
            PRIM_UNIMPLEMENTED);
    assert_non_null(
            strstr(prim_last_error(), "a tensor is a buffer; this variant takes an image there"));
    assert_non_null(strstr(prim_last_error(), "a tensor is an image; this variant takes buffers"));
    api_expect(prim_prelu_forward_desc_create(
                       &pd, gpu(), PRIM_FORWARD_INFERENCE, &image_md, &plain_md, &plain_md, NULL),
            PRIM_UNIMPLEMENTED);
    assert_ptr_equal(pd, UNTOUCHED(prim_desc_t *));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(cpu_engines_have_no_images),
            cmocka_unit_test(mapping_shows_rows),
            cmocka_unit_test(host_data_go_in_and_out),
            cmocka_unit_test(buffers_and_images_mix),
            cmocka_unit_test(networks_mix_buffers_and_images),
            cmocka_unit_test(foreign_images_are_checked),
            cmocka_unit_test(dst_is_not_read),
            cmocka_unit_test(mixed_kinds_are_declined),
    };
    return cmocka_run_group_tests(tests, open_all, api_close_engines);
}
