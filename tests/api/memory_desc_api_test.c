// SPDX-License-Identifier: Apache-2.0
// Memory descriptors as prim.h promises them: every refusal, and outputs untouched by it.
#include "untouched.h"

static const prim_dims_t dims = {2, 8, 5, 6};
static prim_memory_desc_t nchw, blocked, any, absent, broken, image;

static int make_some(void **state)
{
    (void)state;
    memset(&absent, 0, sizeof absent);
    if (prim_memory_desc_init_by_tag(&nchw, 4, dims, PRIM_F32, PRIM_NCHW)) return 1;
    if (prim_memory_desc_init_by_tag(&blocked, 4, dims, PRIM_F32, PRIM_nChw4c)) return 1;
    if (prim_memory_desc_init_by_tag(&any, 4, dims, PRIM_F32, PRIM_FORMAT_ANY)) return 1;
    if (prim_memory_desc_init_image2d(&image, 4, dims, PRIM_F16)) return 1;
    broken = nchw;
    broken.strides[0] = -1;
    return 0;
}

static void init_by_tag(void **state)
{
    (void)state;
    prim_memory_desc_t md;
    fill_pattern(&md, sizeof md);
    assert_refused(prim_memory_desc_init_by_tag(NULL, 4, dims, PRIM_F32, PRIM_NCHW));
    assert_refused(prim_memory_desc_init_by_tag(&md, 4, NULL, PRIM_F32, PRIM_NCHW));
    assert_refused(prim_memory_desc_init_by_tag(&md, 0, dims, PRIM_F32, PRIM_FORMAT_ANY));
    assert_refused(prim_memory_desc_init_by_tag(&md, -1, dims, PRIM_F32, PRIM_FORMAT_ANY));
    assert_refused(prim_memory_desc_init_by_tag(&md, 13, dims, PRIM_F32, PRIM_FORMAT_ANY));
    assert_refused(prim_memory_desc_init_by_tag(&md, 3, dims, PRIM_F32, PRIM_NCHW));
    assert_refused(prim_memory_desc_init_by_tag(&md, 4, dims, PRIM_DATA_TYPE_UNDEF, PRIM_NCHW));
    assert_refused(prim_memory_desc_init_by_tag(&md, 4, dims, (prim_data_type_t)16, PRIM_NCHW));
    assert_refused(prim_memory_desc_init_by_tag(&md, 4, dims, PRIM_F32, PRIM_FORMAT_TAG_UNDEF));
    assert_refused(prim_memory_desc_init_by_tag(&md, 4, dims, PRIM_F32, (prim_format_tag_t)-1));
    assert_refused(prim_memory_desc_init_by_tag(&md, 4, dims, PRIM_F32, (prim_format_tag_t)9999));
    const prim_dims_t negative = {2, -8, 5, 6}, huge = {INT64_MAX, 1, 1, 2};
    assert_refused(prim_memory_desc_init_by_tag(&md, 4, negative, PRIM_F32, PRIM_NCHW));
    assert_refused(prim_memory_desc_init_by_tag(&md, 4, huge, PRIM_F32, PRIM_NCHW));
    assert_refused(prim_memory_desc_init_by_tag(&md, 4, huge, PRIM_F32, PRIM_FORMAT_ANY));
    const prim_dims_t almost = {1, INT64_MAX - 1, 1, 1}; // rounding up to a block leaves 64 bits
    assert_refused(prim_memory_desc_init_by_tag(&md, 4, almost, PRIM_S8, PRIM_nChw4c));
    const prim_dims_t runtime = {2, PRIM_RUNTIME_DIM_VAL, 5, 6};
    assert_refused(prim_memory_desc_init_by_tag(&md, 4, runtime, PRIM_F32, PRIM_nChw4c));
    assert_pattern(&md, sizeof md);
    assert_int_equal(
            prim_memory_desc_init_by_tag(&md, 4, runtime, PRIM_F32, PRIM_NCHW), PRIM_SUCCESS);
    assert_true(prim_memory_desc_get_size(&md) == PRIM_RUNTIME_SIZE_VAL);
}

static void init_by_string_tag(void **state)
{
    (void)state;
    prim_memory_desc_t md;
    fill_pattern(&md, sizeof md);
    assert_refused(prim_memory_desc_init_by_string_tag(NULL, 4, dims, PRIM_F32, "nchw"));
    assert_refused(prim_memory_desc_init_by_string_tag(&md, 4, dims, PRIM_F32, NULL));
    assert_refused(prim_memory_desc_init_by_string_tag(&md, 4, NULL, PRIM_F32, "nchw"));
    assert_refused(prim_memory_desc_init_by_string_tag(&md, 4, dims, PRIM_F32, ""));
    assert_refused(prim_memory_desc_init_by_string_tag(&md, 4, dims, PRIM_F32, "undef"));
    assert_refused(prim_memory_desc_init_by_string_tag(&md, 4, dims, PRIM_F32, "abc"));
    assert_refused(prim_memory_desc_init_by_string_tag(&md, 4, dims, PRIM_F32, "aBcd"));
    assert_refused(prim_memory_desc_init_by_string_tag(&md, 13, dims, PRIM_F32, "any"));
    assert_refused(prim_memory_desc_init_by_string_tag(
            &md, 4, dims, PRIM_S8, "aBcd999999b999999b999999b999999b"));
    assert_pattern(&md, sizeof md);
    assert_int_equal(
            prim_memory_desc_init_by_string_tag(&md, 4, dims, PRIM_F32, "nChw4c"), PRIM_SUCCESS);
    assert_true(prim_memory_desc_equal(&md, &blocked));
}

static void init_by_strides(void **state)
{
    (void)state;
    prim_memory_desc_t md;
    fill_pattern(&md, sizeof md);
    const prim_dims_t good = {240, 30, 6, 1}, overlapping = {239, 30, 6, 1};
    const prim_dims_t negative = {240, 30, 6, -1};
    assert_refused(prim_memory_desc_init_by_strides(NULL, 4, dims, PRIM_F32, good));
    assert_refused(prim_memory_desc_init_by_strides(&md, 4, NULL, PRIM_F32, good));
    assert_refused(prim_memory_desc_init_by_strides(&md, 0, dims, PRIM_F32, good));
    assert_refused(prim_memory_desc_init_by_strides(&md, 4, dims, PRIM_F32, overlapping));
    assert_refused(prim_memory_desc_init_by_strides(&md, 4, dims, PRIM_F32, negative));
    assert_refused(prim_memory_desc_init_by_strides(&md, 4, dims, (prim_data_type_t)77, good));
    assert_pattern(&md, sizeof md);
    assert_int_equal(prim_memory_desc_init_by_strides(&md, 4, dims, PRIM_F32, good), PRIM_SUCCESS);
    assert_true(prim_memory_desc_equal(&md, &nchw));
}

static void init_image2d(void **state)
{
    (void)state;
    prim_memory_desc_t md;
    fill_pattern(&md, sizeof md);
    const prim_dims_t empty = {2, 0, 5, 6}, runtime = {2, PRIM_RUNTIME_DIM_VAL, 5, 6};
    const prim_dims_t huge = {INT64_MAX, 1, 1, 2}, almost = {INT64_MAX / 4 - 1};
    assert_refused(prim_memory_desc_init_image2d(NULL, 4, dims, PRIM_F32));
    assert_refused(prim_memory_desc_init_image2d(&md, 4, NULL, PRIM_F32));
    assert_refused(prim_memory_desc_init_image2d(&md, 0, dims, PRIM_F32));
    assert_refused(prim_memory_desc_init_image2d(&md, 4, empty, PRIM_F32));
    assert_refused(prim_memory_desc_init_image2d(&md, 4, runtime, PRIM_F32));
    assert_refused(prim_memory_desc_init_image2d(&md, 4, huge, PRIM_F32));
    assert_refused(prim_memory_desc_init_image2d(&md, 1, almost, PRIM_F32));
    assert_fails(prim_memory_desc_init_image2d(&md, 5, (prim_dims_t){1, 1, 1, 1, 1}, PRIM_F32),
            PRIM_UNIMPLEMENTED);
    assert_fails(prim_memory_desc_init_image2d(&md, 4, dims, PRIM_BF16), PRIM_UNIMPLEMENTED);
    assert_fails(prim_memory_desc_init_by_string_tag(&md, 4, dims, PRIM_S8, "image"),
            PRIM_UNIMPLEMENTED);
    assert_pattern(&md, sizeof md);
    assert_int_equal(
            prim_memory_desc_init_by_string_tag(&md, 4, dims, PRIM_F16, "image"), PRIM_SUCCESS);
    assert_true(prim_memory_desc_equal(&md, &image));
    assert_int_equal(md.format_kind, PRIM_FORMAT_KIND_IMAGE2D);
    char text[16];
    assert_int_equal(prim_memory_desc_get_tag(&md, text, sizeof text), PRIM_SUCCESS);
    assert_string_equal(text, "image");
}

static void expect_image(int ndims, const prim_dim_t *shape, size_t width, size_t height)
{
    prim_memory_desc_t md;
    size_t got_width = 0, got_height = 0;
    assert_int_equal(prim_memory_desc_init_image2d(&md, ndims, shape, PRIM_F32), PRIM_SUCCESS);
    assert_int_equal(prim_memory_desc_get_image2d(&md, &got_width, &got_height), PRIM_SUCCESS);
    assert_int_equal(got_width, width);
    assert_int_equal(got_height, height);
    assert_int_equal(prim_memory_desc_get_size(&md), width * height * 4 * sizeof(float));
}

static void images_have_sizes(void **state)
{
    (void)state;
    expect_image(4, (prim_dims_t){2, 9, 5, 7}, 3 * 7, 2 * 5);
    expect_image(3, (prim_dims_t){2, 9, 7}, 3 * 7, 2);
    expect_image(2, (prim_dims_t){5, 9}, 3, 5);
    expect_image(1, (prim_dims_t){9}, 3, 1);
    expect_image(1, (prim_dims_t){8192}, 2048, 1);
    expect_image(1, (prim_dims_t){8193}, 2048, 2);

    size_t width = 7, height = 8;
    prim_memory_desc_t forged = image;
    forged.strides[0] *= 2;
    assert_refused(prim_memory_desc_get_image2d(NULL, &width, &height));
    assert_refused(prim_memory_desc_get_image2d(&image, NULL, &height));
    assert_refused(prim_memory_desc_get_image2d(&image, &width, NULL));
    assert_refused(prim_memory_desc_get_image2d(&nchw, &width, &height));
    assert_refused(prim_memory_desc_get_image2d(&any, &width, &height));
    assert_refused(prim_memory_desc_get_image2d(&forged, &width, &height));
    assert_int_equal(width, 7);
    assert_int_equal(height, 8);
}

static void images_have_no_views(void **state)
{
    (void)state;
    prim_memory_desc_t md;
    fill_pattern(&md, sizeof md);
    const prim_dims_t one = {1, 8, 5, 6}, start = {0}, other = {2, 8, 30, 1};
    const int identity[] = {0, 1, 2, 3};
    assert_fails(prim_memory_desc_submemory(&md, &image, one, start), PRIM_UNIMPLEMENTED);
    assert_fails(prim_memory_desc_reshape(&md, &image, 4, other), PRIM_UNIMPLEMENTED);
    assert_fails(prim_memory_desc_permute_axes(&md, &image, identity), PRIM_UNIMPLEMENTED);
    assert_pattern(&md, sizeof md);
    assert_false(prim_memory_desc_equal(&image, &nchw));
}

static void submemory(void **state)
{
    (void)state;
    prim_memory_desc_t md;
    fill_pattern(&md, sizeof md);
    const prim_dims_t half = {1, 4, 5, 6}, offsets = {1, 4, 0, 0}, odd = {1, 3, 0, 0};
    assert_refused(prim_memory_desc_submemory(NULL, &nchw, half, offsets));
    assert_refused(prim_memory_desc_submemory(&md, NULL, half, offsets));
    assert_refused(prim_memory_desc_submemory(&md, &nchw, NULL, offsets));
    assert_refused(prim_memory_desc_submemory(&md, &nchw, half, NULL));
    assert_refused(prim_memory_desc_submemory(&md, &nchw, dims, offsets));
    assert_refused(prim_memory_desc_submemory(&md, &any, half, offsets));
    assert_refused(prim_memory_desc_submemory(&md, &absent, half, offsets));
    assert_refused(prim_memory_desc_submemory(&md, &broken, half, offsets));
    assert_fails(prim_memory_desc_submemory(&md, &blocked, half, odd), PRIM_UNIMPLEMENTED);
    assert_pattern(&md, sizeof md);
    assert_int_equal(prim_memory_desc_submemory(&md, &blocked, half, offsets), PRIM_SUCCESS);
    assert_int_equal(md.offset0, 240 + 120);
}

static void reshape(void **state)
{
    (void)state;
    prim_memory_desc_t md;
    fill_pattern(&md, sizeof md);
    const prim_dims_t flat = {480}, other = {481}, negative = {-480};
    assert_refused(prim_memory_desc_reshape(NULL, &nchw, 1, flat));
    assert_refused(prim_memory_desc_reshape(&md, NULL, 1, flat));
    assert_refused(prim_memory_desc_reshape(&md, &nchw, 1, NULL));
    assert_refused(prim_memory_desc_reshape(&md, &nchw, 0, flat));
    assert_refused(prim_memory_desc_reshape(&md, &nchw, 13, flat));
    assert_refused(prim_memory_desc_reshape(&md, &nchw, 1, other));
    assert_refused(prim_memory_desc_reshape(&md, &nchw, 1, negative));
    assert_refused(prim_memory_desc_reshape(&md, &blocked, 1, flat));
    assert_refused(prim_memory_desc_reshape(&md, &absent, 1, flat));
    assert_refused(prim_memory_desc_reshape(&md, &broken, 1, flat));
    const prim_dims_t runtime = {PRIM_RUNTIME_DIM_VAL};
    assert_fails(prim_memory_desc_reshape(&md, &nchw, 1, runtime), PRIM_UNIMPLEMENTED);
    assert_pattern(&md, sizeof md);
    assert_int_equal(prim_memory_desc_reshape(&md, &nchw, 1, flat), PRIM_SUCCESS);
}

static void permute_axes(void **state)
{
    (void)state;
    prim_memory_desc_t md;
    fill_pattern(&md, sizeof md);
    const int good[] = {0, 2, 3, 1}, twice[] = {0, 1, 1, 2}, outside[] = {0, 1, 2, 4};
    assert_refused(prim_memory_desc_permute_axes(NULL, &nchw, good));
    assert_refused(prim_memory_desc_permute_axes(&md, NULL, good));
    assert_refused(prim_memory_desc_permute_axes(&md, &nchw, NULL));
    assert_refused(prim_memory_desc_permute_axes(&md, &nchw, twice));
    assert_refused(prim_memory_desc_permute_axes(&md, &nchw, outside));
    assert_refused(prim_memory_desc_permute_axes(&md, &absent, good));
    assert_refused(prim_memory_desc_permute_axes(&md, &broken, good));
    assert_pattern(&md, sizeof md);
    assert_int_equal(prim_memory_desc_permute_axes(&md, &nchw, good), PRIM_SUCCESS);
}

static void questions(void **state)
{
    (void)state;
    assert_int_equal(prim_memory_desc_get_size(NULL), 0);
    assert_int_equal(prim_memory_desc_get_size(&absent), 0);
    assert_int_equal(prim_memory_desc_get_size(&any), 0);
    assert_int_equal(prim_memory_desc_get_size(&nchw), 480 * 4);
    assert_true(prim_memory_desc_equal(&nchw, &nchw));
    assert_false(prim_memory_desc_equal(&nchw, &blocked));
    assert_false(prim_memory_desc_equal(&nchw, NULL));
    assert_false(prim_memory_desc_equal(NULL, &nchw));
    assert_true(prim_memory_desc_equal(NULL, NULL));

    char text[16];
    fill_pattern(text, sizeof text);
    assert_refused(prim_memory_desc_get_tag(NULL, text, sizeof text));
    assert_refused(prim_memory_desc_get_tag(&nchw, NULL, sizeof text));
    assert_refused(prim_memory_desc_get_tag(&nchw, text, 4));
    assert_refused(prim_memory_desc_get_tag(&nchw, text, 0));
    assert_refused(prim_memory_desc_get_tag(&broken, text, sizeof text));
    assert_pattern(text, sizeof text);
    assert_int_equal(prim_memory_desc_get_tag(&nchw, text, 5), PRIM_SUCCESS);
    assert_string_equal(text, "abcd");
    assert_int_equal(prim_memory_desc_get_tag(&any, text, sizeof text), PRIM_SUCCESS);
    assert_string_equal(text, "any");
    assert_int_equal(prim_memory_desc_get_tag(&absent, text, 1), PRIM_SUCCESS);
    assert_string_equal(text, "");
}

enum { BLOB_BYTES = 1024 };

static void blobs_travel(void **state)
{
    (void)state;
    const prim_memory_desc_t *const mds[] = {&nchw, &blocked, &any, &absent, &image};
    for (size_t i = 0; i < COUNT_OF(mds); ++i) {
        unsigned char blob[BLOB_BYTES];
        fill_pattern(blob, sizeof blob);
        size_t bytes = 0;
        assert_int_equal(prim_memory_desc_get_blob(mds[i], &bytes, NULL), PRIM_SUCCESS);
        assert_true(bytes > 0 && bytes < sizeof blob);
        size_t room = sizeof blob;
        assert_int_equal(prim_memory_desc_get_blob(mds[i], &room, blob), PRIM_SUCCESS);
        assert_int_equal(room, bytes);
        assert_pattern(blob + bytes, sizeof blob - bytes);
        prim_memory_desc_t md;
        assert_int_equal(prim_memory_desc_init_by_blob(&md, bytes, blob), PRIM_SUCCESS);
        assert_memory_equal(&md, mds[i], sizeof md);
    }
}

static void bad_blobs_are_refused(void **state)
{
    (void)state;
    unsigned char blob[BLOB_BYTES], untouched[BLOB_BYTES];
    size_t bytes = sizeof blob;
    fill_pattern(untouched, sizeof untouched);
    assert_refused(prim_memory_desc_get_blob(NULL, &bytes, blob));
    assert_refused(prim_memory_desc_get_blob(&nchw, NULL, blob));
    assert_refused(prim_memory_desc_get_blob(&broken, &bytes, blob));
    assert_int_equal(bytes, sizeof blob);
    assert_int_equal(prim_memory_desc_get_blob(&nchw, &bytes, blob), PRIM_SUCCESS);
    size_t too_small = bytes - 1;
    assert_refused(prim_memory_desc_get_blob(&nchw, &too_small, untouched));
    assert_int_equal(too_small, bytes - 1);
    assert_pattern(untouched, sizeof untouched);

    prim_memory_desc_t md;
    fill_pattern(&md, sizeof md);
    assert_refused(prim_memory_desc_init_by_blob(NULL, bytes, blob));
    assert_refused(prim_memory_desc_init_by_blob(&md, bytes, NULL));
    assert_refused(prim_memory_desc_init_by_blob(&md, bytes - 1, blob));
    assert_refused(prim_memory_desc_init_by_blob(&md, bytes + 1, blob));
    assert_refused(prim_memory_desc_init_by_blob(&md, 0, blob));
    blob[24] = 99; // 99 dimensions, and not the checksum of such
    assert_refused(prim_memory_desc_init_by_blob(&md, bytes, blob));
    assert_pattern(&md, sizeof md);
}

static void flip(unsigned char *blob, size_t bit)
{
    blob[bit / 8] = (unsigned char)(blob[bit / 8] ^ 1u << bit % 8);
}

// Every bit alone, and, of one descriptor, with each of the 64 bits behind it and some far away.
static void flipped_bits_are_noticed(void **state)
{
    (void)state;
    const prim_memory_desc_t *const mds[] = {&nchw, &blocked, &any, &absent, &image};
    for (size_t i = 0; i < COUNT_OF(mds); ++i) {
        unsigned char blob[BLOB_BYTES];
        size_t bytes = sizeof blob;
        assert_int_equal(prim_memory_desc_get_blob(mds[i], &bytes, blob), PRIM_SUCCESS);
        prim_memory_desc_t md;
        fill_pattern(&md, sizeof md);
        for (size_t bit = 0; bit < 8 * bytes; ++bit) {
            flip(blob, bit);
            assert_int_equal(
                    prim_memory_desc_init_by_blob(&md, bytes, blob), PRIM_INVALID_ARGUMENTS);
            const size_t end = mds[i] == &blocked ? 8 * bytes : 0;
            for (size_t other = bit + 1; other < end; other += other < bit + 64 ? 1 : 997) {
                flip(blob, other);
                assert_int_equal(
                        prim_memory_desc_init_by_blob(&md, bytes, blob), PRIM_INVALID_ARGUMENTS);
                flip(blob, other);
            }
            flip(blob, bit);
        }
        assert_pattern(&md, sizeof md);
        assert_int_equal(prim_memory_desc_init_by_blob(&md, bytes, blob), PRIM_SUCCESS);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(init_by_tag),
            cmocka_unit_test(init_by_string_tag),
            cmocka_unit_test(init_by_strides),
            cmocka_unit_test(init_image2d),
            cmocka_unit_test(images_have_sizes),
            cmocka_unit_test(images_have_no_views),
            cmocka_unit_test(submemory),
            cmocka_unit_test(reshape),
            cmocka_unit_test(permute_axes),
            cmocka_unit_test(questions),
            cmocka_unit_test(blobs_travel),
            cmocka_unit_test(bad_blobs_are_refused),
            cmocka_unit_test(flipped_bits_are_noticed),
    };
    return cmocka_run_group_tests(tests, make_some, NULL);
}
