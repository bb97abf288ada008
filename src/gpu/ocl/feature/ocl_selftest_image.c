// SPDX-License-Identifier: Apache-2.0
// Self-tests of images of float and half. The values are small multiples of a power of two, so that
// every result is a number of either type.
#include "common/data_type.h"
#include "ocl_selftest.h"

enum { WIDTH = 7, HEIGHT = 5, CHANNELS = 4, NTEXELS = WIDTH * HEIGHT, GROUP = 64 };

static double src_at(int x, int y, int c)
{
    if (x >= WIDTH || y < 0) return 0; // what CLK_ADDRESS_CLAMP reads of RGBA
    return ((y * WIDTH + x) * CHANNELS + c) % 61 * 4 - 100;
}

static bool is_right(ocl_selftest_t *test, prim_data_type_t dt, const void *got)
{
    for (int i = 0; i < NTEXELS * CHANNELS; ++i) {
        const int c = i % CHANNELS, x = i / CHANNELS % WIDTH, y = i / CHANNELS / WIDTH;
        const double expected =
                2 * src_at(x, y, c) + src_at(x + 1, y, c) + 0.25 * src_at(x, y - 1, c);
        const double value = prim__load(got, dt, i);
        if (value != expected) {
            return prim__ocl_selftest_say(test, "texel (%d, %d), channel %d is %g instead of %g", x,
                    y, c, value, expected);
        }
    }
    return true;
}

static bool check(ocl_selftest_t *test, prim_data_type_t dt, cl_channel_type type)
{
    float src[NTEXELS * CHANNELS], got[NTEXELS * CHANNELS]; // room for either type
    for (int i = 0; i < NTEXELS * CHANNELS; ++i) {
        prim__store(src, dt, i, src_at(i / CHANNELS % WIDTH, i / CHANNELS / WIDTH, i % CHANNELS));
    }
    const cl_mem mems[] = {prim__ocl_selftest_image(test, type, WIDTH, HEIGHT, NULL),
            prim__ocl_selftest_image(test, type, WIDTH, HEIGHT, src)};
    return prim__ocl_selftest_build(test, "-cl-std=CL1.2") &&
           prim__ocl_selftest_run(test, "image_ops", GROUP, GROUP, mems, 2) &&
           prim__ocl_selftest_read_image(test, mems[0], WIDTH, HEIGHT, got) &&
           is_right(test, dt, got);
}

bool prim__ocl_selftest_image_f32(ocl_selftest_t *test)
{
    return check(test, PRIM_F32, CL_FLOAT);
}

bool prim__ocl_selftest_image_f16(ocl_selftest_t *test)
{
    return check(test, PRIM_F16, CL_HALF_FLOAT);
}
