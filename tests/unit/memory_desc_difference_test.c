// SPDX-License-Identifier: Apache-2.0
// The sentence about two descriptors that differ names the first difference and both values.
#include "common/memory_desc_difference.h"

#include <string.h>

#include "prim/prim.h"
#include "support/unit_test.h"

static prim_memory_desc_t make(int ndims, const prim_dim_t *dims, const char *tag)
{
    prim_memory_desc_t md;
    assert_int_equal(
            prim_memory_desc_init_by_string_tag(&md, ndims, dims, PRIM_F32, tag), PRIM_SUCCESS);
    return md;
}

static void expect(
        const prim_memory_desc_t *md, const prim_memory_desc_t *wanted, const char *sentence)
{
    char text[640];
    prim__md_difference(text, sizeof text, md, wanted);
    assert_string_equal(text, sentence);
}

static void every_field_is_told(void **state)
{
    (void)state;
    const prim_dim_t dims[] = {2, 3, 4, 5}, other[] = {2, 3, 6, 5};
    const prim_memory_desc_t nchw = make(4, dims, "abcd");
    prim_memory_desc_t md = make(3, dims, "abc");
    expect(&md, &nchw, "3 dimensions instead of 4");
    md = nchw;
    md.data_type = PRIM_BF16;
    expect(&md, &nchw, "type bf16 instead of f32");
    md = make(4, other, "acdb");
    expect(&md, &nchw, "dims 2x3x6x5 instead of 2x3x4x5");
    md = make(4, dims, "acdb");
    expect(&md, &nchw, "layout acdb instead of abcd");
    md = make(4, dims, "aBcd4b");
    expect(&md, &nchw, "layout aBcd4b instead of abcd");
    md = make(4, dims, "image");
    expect(&md, &nchw, "layout kind image2d instead of buffer");
    md = nchw;
    md.offset0 = 7;
    expect(&md, &nchw, "offset0 7 instead of 0");
    md = nchw;
    md.padded_offsets[1] = 1;
    expect(&md, &nchw, "padded_offsets 0x1x0x0 instead of 0x0x0x0");
    md = nchw;
    md.padded_dims[3] = 8;
    expect(&md, &nchw, "padded_dims 2x3x4x8 instead of 2x3x4x5");
    md = nchw;
    md.strides[0] = 100; // rows that lie further apart have no name
    expect(&md, &nchw, "strides 100x20x5x1 instead of 60x20x5x1");
}

/// What the primitive leaves open until execution is no difference; what it fixes is.
static void open_values_do_not_count(void **state)
{
    (void)state;
    const prim_dim_t open[] = {PRIM_RUNTIME_DIM_VAL, 4}, dims[] = {3, 5};
    const prim_memory_desc_t wanted = make(2, open, "ab"), md = make(2, dims, "ab");
    expect(&md, &wanted, "dims 3x5 instead of rx4");
    const prim_dim_t good[] = {3, 4}, strides[] = {8, 1};
    prim_memory_desc_t far;
    assert_int_equal(prim_memory_desc_init_by_strides(&far, 2, good, PRIM_F32, strides), 0);
    expect(&far, &wanted, "strides 8x1 instead of 4x1");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(every_field_is_told),
            cmocka_unit_test(open_values_do_not_count),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
