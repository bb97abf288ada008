// SPDX-License-Identifier: Apache-2.0
// Keys of programs on disk and of tuning results, without a device: whatever a binary or the best
// configuration depends on makes another key.
#include <string.h>

#include "common/alloc.h"
#include "common/impl.h"
#include "gpu/ocl/program/ocl_cache_key.h"
#include "gpu/ocl/tune/ocl_tune_key.h"
#include "support/unit_test.h"

static ocl_device_t a_device(void)
{
    // Literals of the test's own; nothing frees a device that was not initialised.
    static char name[] = "GPU", vendor[] = "Maker", version[] = "OpenCL 3.0", driver[] = "1.2";
    static char platform[] = "P", platform_version[] = "OpenCL 3.0 P";
    return (ocl_device_t){.name = name,
            .vendor = vendor,
            .device_version = version,
            .driver_version = driver,
            .platform_name = platform,
            .platform_version = platform_version,
            .address_bits = 64};
}

static void device_texts_tell_devices_apart(void **state)
{
    (void)state;
    static char other[] = "other";
    ocl_device_t device = a_device();
    char *const text = prim__ocl_cache_key_of_device(&device);
    assert_non_null(text);
    char **const words[] = {&device.name, &device.vendor, &device.device_version,
            &device.driver_version, &device.platform_name, &device.platform_version};
    for (size_t i = 0; i <= COUNT_OF(words); ++i) {
        device = a_device();
        if (i < COUNT_OF(words))
            *words[i] = other;
        else
            device.address_bits = 32;
        char *const changed = prim__ocl_cache_key_of_device(&device);
        assert_non_null(changed);
        assert_string_not_equal(changed, text);
        prim__free(changed);
    }
    prim__free(text);
}

static void tuning_results_belong_to_a_device_and_driver(void **state)
{
    (void)state;
    static char other[] = "other";
    char text[OCL_TUNE_DEVICE_BYTES], changed[OCL_TUNE_DEVICE_BYTES];
    char name[OCL_TUNE_FILE_BYTES], changed_name[OCL_TUNE_FILE_BYTES];
    ocl_device_t device = a_device();
    char **const words[] = {
            &device.name, &device.vendor, &device.driver_version, &device.platform_version};
    prim__ocl_tune_device(text, &device);
    prim__ocl_tune_file_name(name, text);
    for (size_t i = 0; i < COUNT_OF(words); ++i) {
        device = a_device();
        *words[i] = other;
        prim__ocl_tune_device(changed, &device);
        assert_string_not_equal(changed, text);
        prim__ocl_tune_file_name(changed_name, changed);
        assert_string_not_equal(changed_name, name);
    }
}

typedef struct {
    const char *device, *options;
    ocl_source_t source;
} program_t;

static void name_of(char *name, const program_t *program)
{
    ocl_cache_key_t key;
    assert_true(
            prim__ocl_cache_key_init(&key, program->device, &program->source, program->options));
    memcpy(name, key.name, sizeof key.name);
    prim__ocl_cache_key_fini(&key);
}

static void programs_have_names_of_their_own(void **state)
{
    (void)state;
    const program_t programs[] = {
            {"device", "-DA=1", {"source", "text", 4}},
            {"devicf", "-DA=1", {"source", "text", 4}},
            {"device", "-DA=2", {"source", "text", 4}},
            {"device", "-DA=1 ", {"source", "text", 4}},
            {"device", "-DA=1", {"sourcf", "text", 4}},
            {"device", "-DA=1", {"source", "texs", 4}},
            {"device", "-DA=1", {"source", "text", 3}},
            {"device", "", {"source", "text", 4}},
    };
    char names[COUNT_OF(programs)][OCL_CACHE_NAME_BYTES];
    for (size_t i = 0; i < COUNT_OF(programs); ++i) {
        name_of(names[i], &programs[i]);
        assert_int_equal(strlen(names[i]), OCL_CACHE_NAME_BYTES - 1);
        for (size_t j = 0; j < i; ++j) assert_string_not_equal(names[i], names[j]);
    }
    char again[OCL_CACHE_NAME_BYTES];
    name_of(again, &programs[0]);
    assert_string_equal(again, names[0]);
}

// A product as a bucket sees it.
static prim_desc_t *make_product(prim_engine_t *engine, const prim_attr_t *attr)
{
    const prim_dims_t src = {100, 64}, wei = {64, 40}, dst = {100, 40};
    prim_memory_desc_t mds[3];
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_memory_desc_init_by_tag(&mds[0], 2, src, PRIM_F32, PRIM_ab), 0);
    assert_int_equal(prim_memory_desc_init_by_tag(&mds[1], 2, wei, PRIM_F32, PRIM_ab), 0);
    assert_int_equal(prim_memory_desc_init_by_tag(&mds[2], 2, dst, PRIM_F32, PRIM_ab), 0);
    assert_int_equal(
            prim_matmul_desc_create(&pd, engine, &mds[0], &mds[1], NULL, &mds[2], attr), 0);
    return pd;
}

static void expect_other_bucket(const char *what, const prim_desc_t *pd, const char *bucket)
{
    char text[OCL_TUNE_BUCKET_BYTES];
    prim__ocl_tune_bucket(text, pd);
    if (strcmp(text, bucket) == 0) fail_msg("%s changes nothing in %s", what, text);
}

static void buckets_tell_tensors_apart(void **state)
{
    char bucket[OCL_TUNE_BUCKET_BYTES], text[OCL_TUNE_BUCKET_BYTES];
    prim_desc_t *const pd = make_product(*state, NULL);
    prim__ocl_tune_bucket(bucket, pd);
    assert_string_equal(bucket, "src:f32:ab:104x64 wei:f32:ab:64x40 dst:f32:ab:104x40");
    for (int i = 0; i < pd->ntensors; ++i) {
        tensor_t *const tensor = &pd->tensors[i];
        const tensor_t kept = *tensor;
        tensor->md.data_type = PRIM_F16;
        expect_other_bucket("a type", pd, bucket);
        *tensor = kept;
        tensor->md.strides[0] = 1;
        tensor->md.strides[1] = tensor->md.dims[0];
        expect_other_bucket("a layout", pd, bucket);
        *tensor = kept;
        tensor->md.dims[1] = tensor->md.padded_dims[1] = 1024;
        expect_other_bucket("a size", pd, bucket);
        *tensor = kept;
        tensor->arg = PRIM_ARG_BIAS;
        expect_other_bucket("an argument", pd, bucket);
        *tensor = kept;
        tensor->md.dims[0] += 1; // rounds up to the same
        tensor->md.padded_dims[0] += 1;
        prim__ocl_tune_bucket(text, pd);
        assert_int_equal(strcmp(text, bucket) == 0, i != 1);
        *tensor = kept;
    }
    prim_desc_destroy(pd);
}

static void buckets_tell_operations_apart(void **state)
{
    char bucket[OCL_TUNE_BUCKET_BYTES];
    prim_desc_t *const pd = make_product(*state, NULL);
    prim__ocl_tune_bucket(bucket, pd);
    pd->attr.fpmath_mode = PRIM_FPMATH_TF32;
    expect_other_bucket("the mode of arithmetic", pd, bucket);
    pd->attr.fpmath_mode = PRIM_FPMATH_STRICT;
    pd->attr.accumulation_mode = PRIM_ACCUMULATION_F16;
    expect_other_bucket("the type of sums", pd, bucket);
    pd->attr.accumulation_mode = PRIM_ACCUMULATION_STRICT;
    pd->op.alg_kind = PRIM_ELTWISE_RELU;
    expect_other_bucket("the algorithm", pd, bucket);
    pd->op.alg_kind = PRIM_ALG_UNDEF;

    pd->op.kind = PRIM_SOFTMAX;
    prim__ocl_tune_bucket(bucket, pd);
    pd->op.u.axis.axis = 1;
    expect_other_bucket("the axis", pd, bucket);
    pd->op.u.axis.axis = 0;

    pd->op.kind = PRIM_CONVOLUTION;
    for (int i = 0; i < pd->ntensors; ++i) {
        const prim_dims_t dims = {4, 8, 6};
        assert_int_equal(
                prim_memory_desc_init_by_tag(&pd->tensors[i].md, 3, dims, PRIM_F32, PRIM_abc), 0);
    }
    pd->op.u.spatial.strides[0] = 1;
    prim__ocl_tune_bucket(bucket, pd);
    pd->op.u.spatial.strides[0] = 2;
    expect_other_bucket("the stride", pd, bucket);
    pd->op.u.spatial.strides[0] = 1;
    pd->op.u.spatial.dilates[0] = 1;
    expect_other_bucket("the dilation", pd, bucket);
    prim_desc_destroy(pd);
}

static int open_engine(void **state)
{
    return prim_engine_create((prim_engine_t **)state, PRIM_CPU, 0) == PRIM_SUCCESS ? 0 : -1;
}

static int close_engine(void **state)
{
    prim_engine_destroy(*state);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(device_texts_tell_devices_apart),
            cmocka_unit_test(tuning_results_belong_to_a_device_and_driver),
            cmocka_unit_test(programs_have_names_of_their_own),
            cmocka_unit_test_setup_teardown(buckets_tell_tensors_apart, open_engine, close_engine),
            cmocka_unit_test_setup_teardown(
                    buckets_tell_operations_apart, open_engine, close_engine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
