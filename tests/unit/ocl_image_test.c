// SPDX-License-Identifier: Apache-2.0
// Images on devices with narrow limits, without f16 images, without images: each is a sentence, at
// the memory and at the primitive descriptor.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "gpu/ocl/kit/ocl_image_pd.h"
#include "ocl_rig.h"

static const prim_dim_t dims[] = {2, 9, 5, 7}; // 21 x 10 texels

static prim_memory_desc_t image(prim_data_type_t dt)
{
    prim_memory_desc_t md;
    assert_int_equal(prim_memory_desc_init_image2d(&md, 4, dims, dt), PRIM_SUCCESS);
    return md;
}

/// What memory and descriptor say: both succeed, or both are unimplemented with `sentence`.
static void expect(const ocl_rig_t *rig, prim_data_type_t dt, const char *sentence)
{
    const prim_memory_desc_t md = image(dt);
    const prim_status_t expected = sentence ? PRIM_UNIMPLEMENTED : PRIM_SUCCESS;
    prim_memory_t *memory = NULL;
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_memory_create(&memory, &md, rig->engine, PRIM_MEMORY_ALLOCATE), expected);
    if (sentence) assert_non_null(strstr(prim_last_error(), sentence));
    assert_int_equal(prim_eltwise_forward_desc_create(&pd, rig->engine, PRIM_FORWARD_INFERENCE,
                             PRIM_ELTWISE_TANH, &md, &md, 0, 0, NULL),
            expected);
    if (sentence) assert_non_null(strstr(prim_last_error(), sentence));
    prim_memory_destroy(memory);
    prim_desc_destroy(pd);
}

static void limits_are_sentences(void **state)
{
    const ocl_rig_t *const rig = *state;
    ocl_engine_t *const engine = prim__ocl_engine(rig->engine);
    const ocl_engine_t whole = *engine;
    engine->device.max_image2d_width = 21;
    engine->device.max_image2d_height = 10;
    expect(rig, PRIM_F32, NULL);
    engine->device.max_image2d_width = 20;
    expect(rig, PRIM_F32, "21 x 10 texels exceeds the device's 20 x 10");
    engine->device.max_image2d_width = 21;
    engine->device.max_image2d_height = 9;
    expect(rig, PRIM_F16, "21 x 10 texels exceeds the device's 21 x 9");
    engine->device.max_image2d_height = whole.device.max_image2d_height;
    engine->has_f16_images = false;
    expect(rig, PRIM_F32, NULL);
    expect(rig, PRIM_F16, "has no images of f16");
    engine->device.has_images = false;
    expect(rig, PRIM_F32, "has no images");
    engine->device.has_images = whole.device.has_images;
    engine->has_f16_images = whole.has_f16_images;
    engine->device.max_image2d_width = whole.device.max_image2d_width;
    expect(rig, PRIM_F16, NULL);
}

static void only_some_devices_prefer_images(void **state)
{
    (void)state;
    ocl_device_t device = {.has_images = true, .has_unified_memory = true};
    assert_true(prim__ocl_device_prefers_images(&device));
    device.is_cpu = true;
    assert_false(prim__ocl_device_prefers_images(&device));
    device = (ocl_device_t){.has_images = true, .has_unified_memory = true};
    device.has_dedicated_local = true;
    assert_false(prim__ocl_device_prefers_images(&device));
    device = (ocl_device_t){.has_images = true};
    assert_false(prim__ocl_device_prefers_images(&device));
    device = (ocl_device_t){.has_unified_memory = true};
    assert_false(prim__ocl_device_prefers_images(&device));
}

static void shapes_name_every_dimension(void **state)
{
    (void)state;
    const prim_dim_t many[] = {9000};
    prim_memory_desc_t md = image(PRIM_F32);
    ocl_image_t s = prim__ocl_image_shape(&md);
    const ocl_image_t whole = {2, 9, 5, 7, 21, 10, 0};
    assert_memory_equal(&s, &whole, sizeof s);
    assert_int_equal(prim_memory_desc_init_image2d(&md, 2, dims, PRIM_F32), PRIM_SUCCESS);
    s = prim__ocl_image_shape(&md);
    const ocl_image_t matrix = {2, 9, 1, 1, 3, 2, 0};
    assert_memory_equal(&s, &matrix, sizeof s);
    assert_int_equal(prim_memory_desc_init_image2d(&md, 1, many, PRIM_F32), PRIM_SUCCESS);
    s = prim__ocl_image_shape(&md);
    const ocl_image_t vector = {1, 9000, 1, 1, 2048, 2, 2048};
    assert_memory_equal(&s, &vector, sizeof s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(limits_are_sentences),
            cmocka_unit_test(only_some_devices_prefer_images),
            cmocka_unit_test(shapes_name_every_dimension),
    };
    return cmocka_run_group_tests(tests, ocl_rig_open, ocl_rig_close);
}
