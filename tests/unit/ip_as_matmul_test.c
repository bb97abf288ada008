// SPDX-License-Identifier: Apache-2.0
// Inner product as a nested matmul: which layouts are matrices, what they look like to the matmul,
// and which layout weights of layout `any` get.
#include <stdio.h>

#include "common/ip_as_matmul.h"
#include "fake_problem.h"
#include "support/unit_test.h"

static bool chooses_panels; ///< of 4 output channels, else columns one after the other
static int nfound_masks;    ///< the mask of the weights' scales

/// A matmul that takes everything.
static prim_status_t init_pd(prim_desc_t *pd)
{
    const quant_t *const scales = prim__attr_scale(&pd->attr, PRIM_ARG_WEIGHTS);
    nfound_masks = scales ? scales->mask : -1;
    TRY(prim__md_set_tag_if_any(
            prim__pd_md_mutable(pd, PRIM_ARG_WEIGHTS), chooses_panels ? "Ba4b" : "ba"));
    return PRIM_SUCCESS;
}

static const impl_t taker = {
        .name = "t:matmul:taker", .pd_size = sizeof(prim_desc_t), .init_pd = init_pd};
static const impl_t *const taker_list[] = {&taker, NULL};
static const impl_t *const *const taker_lists[PRIM_GPU + 1] = {[PRIM_CPU] = taker_list};

static op_schema_t matmul_schema; ///< with these lists

static bool is_along_k;

static prim_status_t ip_init_pd(prim_desc_t *pd)
{
    return prim__ip_as_matmul_init_pd(pd, is_along_k);
}

static const impl_t ip = {.name = "t:ip:matmul",
        .pd_size = sizeof(prim_desc_t),
        .init_pd = ip_init_pd,
        .nests = &matmul_schema,
        .nests_generic = true};
static const impl_t *const ip_list[] = {&ip, NULL};

static prim_engine_t *engine;

static int set_up(void **state)
{
    (void)state;
    engine = fake_open_cpu();
    matmul_schema = prim__matmul_schema;
    matmul_schema.lists = taker_lists;
    chooses_panels = is_along_k = false;
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    prim_engine_destroy(engine);
    return 0;
}

/// NULL when it is declined. `gap` elements lie behind each position of src.
static prim_desc_t *make(const char *src, const char *wei, const char *dst, prim_dim_t gap)
{
    const op_desc_t op = {.kind = PRIM_INNER_PRODUCT, .prop_kind = PRIM_FORWARD_INFERENCE};
    tensor_t tensors[] = {{.arg = PRIM_ARG_SRC, .md = fake_md(src)},
            {.arg = PRIM_ARG_WEIGHTS, .md = fake_md(wei)},
            {.arg = PRIM_ARG_BIAS, .md = fake_md("f32:a:8")},
            {.arg = PRIM_ARG_DST, .is_output = true, .md = fake_md(dst)}};
    if (gap > 0)
        for (int d = 0; d < 2; ++d) tensors[0].md.strides[d] *= 1 + gap;
    tensors[0].md.offset0 = tensors[0].md.format_kind == PRIM_FORMAT_KIND_BLOCKED ? 5 : 0;
    prim_attr_t *attr = NULL;
    prim_desc_t *pd = NULL;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    assert_int_equal(prim_attr_set_scales(attr, PRIM_ARG_WEIGHTS, 1, 0, NULL, PRIM_F32), 0);
    const prim_status_t st = prim__desc_create_from(
            &pd, ip_list, engine, NULL, &op, tensors, COUNT_OF(tensors), attr);
    prim_attr_destroy(attr);
    assert_true(st == PRIM_SUCCESS || st == PRIM_UNIMPLEMENTED);
    return pd;
}

static void expect_matrix(const prim_desc_t *pd, int arg, prim_dim_t rows, prim_dim_t columns,
        prim_dim_t row_stride, prim_dim_t column_stride)
{
    const prim_memory_desc_t *const md = prim__nested_md(pd, 0, arg);
    assert_int_equal(md->ndims, 2);
    assert_int_equal(md->dims[0], rows);
    assert_int_equal(md->dims[1], columns);
    assert_int_equal(md->strides[0], row_stride);
    assert_int_equal(md->strides[1], column_stride);
    assert_int_equal(md->offset0, prim__pd_md(pd, arg)->offset0);
}

static void expect_tag(const prim_desc_t *pd, const char *tag)
{
    char text[64];
    prim__md_tag_text(prim__pd_md(pd, PRIM_ARG_WEIGHTS), text);
    assert_string_equal(text, tag);
}

static void images_are_rows(void **state)
{
    (void)state;
    static const char *const tags[] = {"abcd", "acdb"};
    for (size_t i = 0; i < COUNT_OF(tags); ++i) {
        char src[64], wei[64];
        (void)snprintf(src, sizeof src, "f32:%s:2x3x4x5", tags[i]);
        (void)snprintf(wei, sizeof wei, "f32:%s:8x3x4x5", tags[i]);
        prim_desc_t *const pd = make(src, wei, "f32:ab:2x8", 0);
        expect_matrix(pd, PRIM_ARG_SRC, 2, 60, 60, 1);
        expect_matrix(pd, PRIM_ARG_WEIGHTS, 60, 8, 1, 60);
        expect_matrix(pd, PRIM_ARG_DST, 2, 8, 8, 1);
        assert_int_equal(prim__nested_md(pd, 0, PRIM_ARG_BIAS)->dims[0], 1);
        assert_int_equal(prim__nested_md(pd, 0, PRIM_ARG_BIAS)->dims[1], 8);
        assert_int_equal(nfound_masks, 2); // N is the second dimension of K×N
        prim_desc_destroy(pd);
    }
    // Columns of dst may lie one behind the other; weights may have panels of output channels.
    prim_desc_t *const pd = make("f32:abcd:2x3x4x5", "f32:Abcd4a:8x3x4x5", "f32:ba:2x8", 0);
    expect_matrix(pd, PRIM_ARG_DST, 2, 8, 1, 2);
    expect_matrix(pd, PRIM_ARG_WEIGHTS, 60, 8, 4, 240);
    assert_int_equal(prim__nested_md(pd, 0, PRIM_ARG_WEIGHTS)->inner_blks[0], 4);
    prim_desc_destroy(pd);
}

static void what_is_no_matrix_is_declined(void **state)
{
    (void)state;
    assert_null(make("f32:abcd:2x3x4x5", "f32:acdb:8x3x4x5", "f32:ab:2x8", 0));
    assert_null(make("f32:bacd:2x3x4x5", "f32:abcd:8x3x4x5", "f32:ab:2x8", 0));
    assert_null(make("f32:aBcd8b:2x3x4x5", "f32:abcd:8x3x4x5", "f32:ab:2x8", 0));
    assert_null(make("f32:abcd:2x3x4x5", "f32:aBcd8b:8x3x4x5", "f32:ab:2x8", 0));
    assert_null(make("f32:abcd:2x3x4x5", "f32:abcd:8x3x4x5", "f32:ab:2x8", 1));
    assert_null(make("f32:abcd:2x3x4x5", "f32:any:8x3x4x5", "f32:ab:2x8", 1));
    // One channel is no gap, whatever its stride.
    prim_desc_t *const pd = make("f32:abc:2x1x5", "f32:acb:8x1x5", "f32:ab:2x8", 0);
    expect_matrix(pd, PRIM_ARG_SRC, 2, 5, 5, 1);
    prim_desc_destroy(pd);
}

static void open_layouts_fit_each_other(void **state)
{
    (void)state;
    prim_desc_t *pd = make("f32:acdb:2x3x4x5", "f32:any:8x3x4x5", "f32:any:2x8", 0);
    expect_tag(pd, "acdb"); // output channels one after the other, each in the order of src
    expect_matrix(pd, PRIM_ARG_DST, 2, 8, 8, 1);
    prim_desc_destroy(pd);
    pd = make("f32:any:2x3x4x5", "f32:acdb:8x3x4x5", "f32:any:2x8", 0);
    assert_true(prim__md_matches_tag(prim__pd_md(pd, PRIM_ARG_SRC), "acdb"));
    prim_desc_destroy(pd);
    chooses_panels = true;
    pd = make("f32:acdb:2x3x4x5", "f32:any:8x3x4x5", "f32:any:2x8", 0);
    expect_tag(pd, "Acdb4a");
    prim_desc_destroy(pd);
    is_along_k = true; // the parent's wish comes first
    pd = make("f32:acdb:2x3x4x5", "f32:any:8x3x4x5", "f32:any:2x8", 0);
    expect_tag(pd, "acdb");
    prim_desc_destroy(pd);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
            TEST(images_are_rows),
            TEST(what_is_no_matrix_is_declined),
            TEST(open_layouts_fit_each_other),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
