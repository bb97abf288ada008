// SPDX-License-Identifier: Apache-2.0
// Descriptors made by hand, with fields that no function of the library writes: every function that
// takes a descriptor refuses them in every place, and reads no array by them. Meant to run under
// the address and the undefined-behaviour sanitizer, too.
#include <limits.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { MAX_TENSORS = 4, NBROKEN = 20 };

/// Number `i` of the ways to break `md`, which has at least one dimension.
static prim_memory_desc_t broken(const prim_memory_desc_t *md, int i)
{
    prim_memory_desc_t bad = *md;
    const prim_dim_t beyond = ((prim_dim_t)1 << 56) + 1;
    switch (i) {
    case 0: bad.ndims = 13; break;
    case 1: bad.ndims = 10000000; break;
    case 2: bad.ndims = INT_MIN; break;
    case 3: // blocks that are right as far as there are any
        bad.inner_nblks = 13;
        for (int b = 0; b < PRIM_MAX_NDIMS; ++b) {
            bad.inner_blks[b] = 1;
            bad.inner_idxs[b] = md->ndims > 1;
        }
        break;
    case 4: bad.inner_nblks = 1000; break;
    case 5: bad.inner_nblks = INT_MIN; break;
    case 6: bad.inner_nblks = 1; break; // of 0 elements
    case 7:
        bad.inner_nblks = 1;
        bad.inner_blks[0] = 1;
        bad.inner_idxs[0] = 1000;
        break;
    case 8: bad.dims[0] = INT64_MAX; break;
    case 9: bad.dims[0] = -1; break;
    case 10: bad.padded_dims[0] = INT64_MAX; break;
    case 11: bad.padded_offsets[0] = INT64_MAX; break;
    case 12: bad.offset0 = INT64_MAX; break;
    case 13: bad.offset0 = -1; break;
    case 14: bad.strides[0] = beyond; break;
    case 15: bad.strides[md->ndims - 1] = INT64_MIN + 1; break;
    case 16: bad.data_type = (prim_data_type_t)77; break;
    case 17: bad.format_kind = (prim_format_kind_t)-1; break;
    case 18: // no element, and padding that would be written
        bad.dims[0] = 0;
        bad.padded_dims[0] = 16;
        break;
    default: // an image with blocks of another rank
        bad.format_kind = PRIM_FORMAT_KIND_IMAGE2D;
        bad.inner_nblks = 1000;
    }
    return bad;
}

/// A creator with the tensors that it takes, as text for api_md() of the shapes below.
typedef struct {
    const char *name;
    int ntensors;
    int ndims[MAX_TENSORS];
    prim_dims_t dims[MAX_TENSORS];
    prim_status_t (*create)(
            prim_desc_t **pd, prim_engine_t *engine, const prim_memory_desc_t *const *mds);
} creator_t;

static const prim_dim_t ones[] = {1, 1}, zeros[] = {0, 0}, twos[] = {2, 2};

static prim_status_t reorder(
        prim_desc_t **pd, prim_engine_t *engine, const prim_memory_desc_t *const *mds)
{
    return prim_reorder_desc_create(pd, mds[0], engine, mds[1], engine, NULL);
}

static prim_status_t concat(
        prim_desc_t **pd, prim_engine_t *engine, const prim_memory_desc_t *const *mds)
{
    return prim_concat_desc_create(pd, engine, mds[2], 2, 1, mds, NULL);
}

static prim_status_t sum(
        prim_desc_t **pd, prim_engine_t *engine, const prim_memory_desc_t *const *mds)
{
    return prim_sum_desc_create(pd, engine, mds[2], 2, (const float[]){1, 2}, mds, NULL);
}

static prim_status_t conv(
        prim_desc_t **pd, prim_engine_t *engine, const prim_memory_desc_t *const *mds)
{
    return prim_convolution_forward_desc_create(pd, engine, PRIM_FORWARD_INFERENCE,
            PRIM_CONVOLUTION_DIRECT, mds[0], mds[1], mds[2], mds[3], ones, NULL, zeros, NULL, NULL);
}

static prim_status_t matmul(
        prim_desc_t **pd, prim_engine_t *engine, const prim_memory_desc_t *const *mds)
{
    return prim_matmul_desc_create(pd, engine, mds[0], mds[1], mds[2], mds[3], NULL);
}

static prim_status_t inner_product(
        prim_desc_t **pd, prim_engine_t *engine, const prim_memory_desc_t *const *mds)
{
    return prim_inner_product_forward_desc_create(
            pd, engine, PRIM_FORWARD_INFERENCE, mds[0], mds[1], mds[2], mds[3], NULL);
}

static prim_status_t pool(
        prim_desc_t **pd, prim_engine_t *engine, const prim_memory_desc_t *const *mds)
{
    return prim_pooling_forward_desc_create(pd, engine, PRIM_FORWARD_INFERENCE, PRIM_POOLING_MAX,
            mds[0], mds[1], twos, twos, NULL, zeros, NULL, NULL);
}

static prim_status_t eltwise(
        prim_desc_t **pd, prim_engine_t *engine, const prim_memory_desc_t *const *mds)
{
    return prim_eltwise_forward_desc_create(
            pd, engine, PRIM_FORWARD_INFERENCE, PRIM_ELTWISE_RELU, mds[0], mds[1], 0, 0, NULL);
}

static prim_status_t select(
        prim_desc_t **pd, prim_engine_t *engine, const prim_memory_desc_t *const *mds)
{
    prim_memory_desc_t condition = *mds[2];
    if (condition.data_type == PRIM_F32) condition.data_type = PRIM_S8;
    return prim_binary_desc_create(
            pd, engine, PRIM_BINARY_SELECT, mds[0], mds[1], &condition, mds[3], NULL);
}

static prim_status_t softmax(
        prim_desc_t **pd, prim_engine_t *engine, const prim_memory_desc_t *const *mds)
{
    return prim_softmax_forward_desc_create(
            pd, engine, PRIM_FORWARD_INFERENCE, PRIM_SOFTMAX_LOG, mds[0], mds[1], 1, NULL);
}

static prim_status_t bnorm(
        prim_desc_t **pd, prim_engine_t *engine, const prim_memory_desc_t *const *mds)
{
    return prim_batch_normalization_forward_desc_create(
            pd, engine, PRIM_FORWARD_TRAINING, mds[0], mds[1], 1e-5f, 0, NULL);
}

static prim_status_t resampling(
        prim_desc_t **pd, prim_engine_t *engine, const prim_memory_desc_t *const *mds)
{
    return prim_resampling_forward_desc_create(
            pd, engine, PRIM_FORWARD_INFERENCE, PRIM_RESAMPLING_LINEAR, NULL, mds[0], mds[1], NULL);
}

static prim_status_t prelu(
        prim_desc_t **pd, prim_engine_t *engine, const prim_memory_desc_t *const *mds)
{
    return prim_prelu_forward_desc_create(
            pd, engine, PRIM_FORWARD_INFERENCE, mds[0], mds[1], mds[2], NULL);
}

// A chain that refuses its operand is not appended to: nothing is created then.
static prim_status_t with_operand(
        prim_desc_t **pd, prim_engine_t *engine, const prim_memory_desc_t *const *mds)
{
    const prim_memory_desc_t md = api_md(2, (const prim_dim_t[]){2, 8}, PRIM_ab);
    prim_attr_t *attr = NULL;
    prim_post_ops_t *chain = NULL;
    api_expect(prim_attr_create(&attr), PRIM_SUCCESS);
    api_expect(prim_post_ops_create(&chain), PRIM_SUCCESS);
    prim_status_t st = prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, mds[0]);
    assert_int_equal(prim_post_ops_len(chain), st == PRIM_SUCCESS);
    if (st == PRIM_SUCCESS) {
        api_expect(prim_attr_set_post_ops(attr, chain), PRIM_SUCCESS);
        st = prim_eltwise_forward_desc_create(
                pd, engine, PRIM_FORWARD_INFERENCE, PRIM_ELTWISE_RELU, &md, &md, 0, 0, attr);
    }
    prim_post_ops_destroy(chain);
    prim_attr_destroy(attr);
    return st;
}

static const creator_t creators[] = {
        {"reorder", 2, {2, 2}, {{2, 8}, {2, 8}}, reorder},
        {"concat", 3, {2, 2, 2}, {{2, 8}, {2, 4}, {2, 12}}, concat},
        {"sum", 3, {2, 2, 2}, {{2, 8}, {2, 8}, {2, 8}}, sum},
        {"conv", 4, {4, 4, 1, 4}, {{2, 4, 5, 5}, {8, 4, 3, 3}, {8}, {2, 8, 3, 3}}, conv},
        {"matmul", 4, {2, 2, 2, 2}, {{2, 8}, {8, 4}, {1, 4}, {2, 4}}, matmul},
        {"inner product", 4, {2, 2, 1, 2}, {{2, 8}, {4, 8}, {4}, {2, 4}}, inner_product},
        {"pool", 2, {4, 4}, {{2, 4, 6, 6}, {2, 4, 3, 3}}, pool},
        {"eltwise", 2, {2, 2}, {{2, 8}, {2, 8}}, eltwise},
        {"select", 4, {2, 2, 2, 2}, {{2, 8}, {2, 8}, {2, 8}, {2, 8}}, select},
        {"softmax", 2, {2, 2}, {{2, 8}, {2, 8}}, softmax},
        {"bnorm", 2, {4, 4}, {{2, 4, 3, 3}, {2, 4, 3, 3}}, bnorm},
        {"resampling", 2, {4, 4}, {{2, 4, 3, 3}, {2, 4, 6, 6}}, resampling},
        {"prelu", 3, {2, 2, 2}, {{2, 8}, {1, 8}, {2, 8}}, prelu},
        {"post-op", 1, {2}, {{2, 8}}, with_operand},
};

static const prim_format_tag_t plain[] = {0, PRIM_a, PRIM_ab, PRIM_abc, PRIM_abcd};

static void check_creator(const creator_t *c, prim_engine_t *engine)
{
    prim_memory_desc_t sound[MAX_TENSORS];
    const prim_memory_desc_t *mds[MAX_TENSORS];
    for (int t = 0; t < c->ntensors; ++t) {
        sound[t] = api_md(c->ndims[t], c->dims[t], plain[c->ndims[t]]);
        mds[t] = &sound[t];
    }
    prim_desc_t *pd = NULL;
    api_expect(c->create(&pd, engine, mds), PRIM_SUCCESS);
    prim_desc_destroy(pd);
    for (int t = 0; t < c->ntensors; ++t) {
        for (int i = 0; i < NBROKEN; ++i) {
            const prim_memory_desc_t bad = broken(&sound[t], i);
            mds[t] = &bad;
            pd = UNTOUCHED(prim_desc_t *);
            if (c->create(&pd, engine, mds) != PRIM_INVALID_ARGUMENTS)
                fail_msg("%s takes tensor %d broken in way %d", c->name, t, i);
            assert_ptr_equal(pd, api_untouched());
        }
        mds[t] = &sound[t];
    }
}

static void operations_refuse_them(void **state)
{
    (void)state;
    for (int e = 0; api_engine(e); ++e) {
        for (size_t i = 0; i < sizeof creators / sizeof *creators; ++i)
            check_creator(&creators[i], api_engine(e));
    }
}

static void check_values(const prim_memory_desc_t *bad, const prim_memory_desc_t *sound)
{
    const prim_dim_t dims[PRIM_MAX_NDIMS] = {1, 1, 1, 1}, start[PRIM_MAX_NDIMS] = {0};
    const int order[PRIM_MAX_NDIMS] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11};
    prim_memory_desc_t out;
    size_t width, height, bytes = 4096;
    char text[64];
    unsigned char blob[4096];
    const prim_status_t refused = PRIM_INVALID_ARGUMENTS;
    api_expect(prim_memory_desc_submemory(&out, bad, dims, start), refused);
    api_expect(prim_memory_desc_reshape(&out, bad, 4, dims), refused);
    api_expect(prim_memory_desc_permute_axes(&out, bad, order), refused);
    api_expect(prim_memory_desc_get_image2d(bad, &width, &height), refused);
    api_expect(prim_memory_desc_get_tag(bad, text, sizeof text), refused);
    api_expect(prim_memory_desc_get_blob(bad, &bytes, blob), refused);
    prim_set_verbose(NULL); // another sentence
    assert_int_equal(prim_memory_desc_get_size(bad), 0);
    assert_string_not_equal(prim_last_error(), "levels is NULL");
    prim_memory_desc_t twin = *bad;
    assert_false(prim_memory_desc_equal(bad, sound));
    assert_false(prim_memory_desc_equal(sound, bad));
    assert_false(prim_memory_desc_equal(bad, &twin));
}

static void values_and_memories_refuse_them(void **state)
{
    (void)state;
    const prim_memory_desc_t sound[] = {api_md(4, (const prim_dim_t[]){2, 8, 3, 3}, PRIM_abcd),
            api_md(4, (const prim_dim_t[]){2, 8, 3, 3}, PRIM_nChw4c), api_vector(9)};
    for (size_t s = 0; s < sizeof sound / sizeof *sound; ++s) {
        for (int i = 0; i < NBROKEN; ++i) {
            if (s == 1 && i == 6) continue; // has one block, of 4
            const prim_memory_desc_t bad = broken(&sound[s], i);
            check_values(&bad, &sound[s]);
            for (int e = 0; api_engine(e); ++e) {
                prim_memory_t *memory = UNTOUCHED(prim_memory_t *);
                api_expect(
                        prim_memory_create(&memory, &bad, api_engine(e), PRIM_MEMORY_NONE), // none
                        PRIM_INVALID_ARGUMENTS);
                assert_ptr_equal(memory, api_untouched());
            }
        }
    }
}

// An image's blocks were copied before they were counted.
static void images_are_checked(void **state)
{
    (void)state;
    prim_memory_desc_t image;
    api_expect(prim_memory_desc_init_image2d(&image, 4, (const prim_dim_t[]){1, 4, 5, 5}, PRIM_F32),
            PRIM_SUCCESS);
    const int counts[] = {13, 1000, 1 << 20, -1};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        prim_memory_desc_t bad = image;
        bad.inner_nblks = counts[i];
        const prim_memory_desc_t *const mds[] = {&bad, &bad};
        for (int e = 0; api_engine(e); ++e) {
            prim_desc_t *pd = NULL;
            api_expect(eltwise(&pd, api_engine(e), mds), PRIM_INVALID_ARGUMENTS);
        }
    }
}

// A dst of 0 rows with a padding of 16: matmul would write them behind a buffer of no bytes.
static void empty_tensors_have_no_padding(void **state)
{
    (void)state;
    const prim_memory_desc_t src = api_md(2, (const prim_dim_t[]){0, 4}, PRIM_ab);
    const prim_memory_desc_t wei = api_md(2, (const prim_dim_t[]){4, 8}, PRIM_ab);
    const prim_memory_desc_t dst = api_md(2, (const prim_dim_t[]){0, 8}, PRIM_ab);
    for (int e = 0; api_engine(e); ++e) {
        prim_desc_t *pd = NULL;
        api_expect(prim_matmul_desc_create(&pd, api_engine(e), &src, &wei, NULL, &dst, NULL),
                PRIM_SUCCESS);
        prim_desc_destroy(pd);
        prim_memory_desc_t padded = dst;
        padded.padded_dims[0] = 16;
        api_expect(prim_matmul_desc_create(&pd, api_engine(e), &src, &wei, NULL, &padded, NULL),
                PRIM_INVALID_ARGUMENTS);
    }
}

// What is not known yet has no place, and no strides to read one from.
static void open_layouts_have_no_offset(void **state)
{
    (void)state;
    const prim_memory_desc_t md = api_md(2, (const prim_dim_t[]){2, 8}, PRIM_ab);
    prim_memory_desc_t any = api_md(2, (const prim_dim_t[]){2, 8}, PRIM_FORMAT_ANY);
    const prim_dim_t offsets[] = {1, -1, INT64_MAX, PRIM_RUNTIME_DIM_VAL};
    for (size_t i = 0; i < sizeof offsets / sizeof *offsets; ++i) {
        any.offset0 = offsets[i];
        for (int e = 0; api_engine(e); ++e) {
            const prim_memory_desc_t *const mds[] = {&md, &md, &any};
            prim_desc_t *pd = NULL;
            api_expect(sum(&pd, api_engine(e), mds), PRIM_INVALID_ARGUMENTS);
            api_expect(concat(&pd, api_engine(e), mds), PRIM_INVALID_ARGUMENTS);
        }
    }
}

// Operations without run-time dimensions refuse those of every tensor.
static void open_strides_are_noticed(void **state)
{
    (void)state;
    const prim_memory_desc_t md = api_md(2, (const prim_dim_t[]){2, 8}, PRIM_ab);
    prim_memory_desc_t open = md;
    open.strides[0] = PRIM_RUNTIME_DIM_VAL;
    const prim_memory_desc_t *const in_dst[] = {&md, &md, &open};
    prim_desc_t *pd = NULL;
    for (int e = 0; api_engine(e); ++e) {
        api_expect(sum(&pd, api_engine(e), in_dst), PRIM_INVALID_ARGUMENTS);
        api_expect(prim_binary_desc_create(
                           &pd, api_engine(e), PRIM_BINARY_ADD, &md, &md, NULL, &open, NULL),
                PRIM_UNIMPLEMENTED);
    }
}

static void indices_of_queries_may_be_anything(void **state)
{
    (void)state;
    const prim_memory_desc_t md = api_md(2, (const prim_dim_t[]){2, 8}, PRIM_ab);
    const prim_memory_desc_t *const mds[] = {&md, &md, &md};
    const int indices[] = {INT_MAX, INT_MAX - 1024, 1023, 1024, 2};
    prim_desc_t *pd = NULL;
    api_expect(sum(&pd, api_engine(0), mds), PRIM_SUCCESS);
    for (size_t i = 0; i < sizeof indices / sizeof *indices; ++i) {
        const prim_memory_desc_t *const src = prim_desc_query_md(pd, PRIM_QUERY_SRC_MD, indices[i]);
        assert_non_null(src);
        assert_int_equal(src->ndims, 0);
        assert_non_null(prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, indices[i]));
    }
    assert_null(prim_desc_query_md(pd, PRIM_QUERY_SRC_MD, INT_MIN));
    assert_null(prim_desc_query_md(pd, PRIM_QUERY_EXEC_ARG_MD, INT_MIN));
    prim_desc_destroy(pd);
}

// Two sources may reach further than 64 bits tell.
static void concat_counts_its_sources(void **state)
{
    (void)state;
    enum { N = 1023 };
    prim_memory_desc_t md;
    const prim_dim_t dims[] = {(prim_dim_t)1 << 56};
    api_expect(prim_memory_desc_init_by_tag(&md, 1, dims, PRIM_U8, PRIM_a), PRIM_SUCCESS);
    const prim_memory_desc_t *mds[N];
    for (int i = 0; i < N; ++i) mds[i] = &md;
    prim_desc_t *pd = NULL;
    const int counts[] = {2, 127, 128, 512, N};
    for (size_t i = 0; i < sizeof counts / sizeof *counts; ++i) {
        api_expect(prim_concat_desc_create(&pd, api_engine(0), NULL, counts[i], 0, mds, NULL),
                PRIM_INVALID_ARGUMENTS);
    }
}

static void walk(prim_status_t status, prim_desc_t *pd)
{
    api_expect(status, PRIM_SUCCESS);
    while (prim_desc_next_impl(pd) == PRIM_SUCCESS) continue;
    prim_desc_destroy(pd);
}

// Sizes near 2^31 in what implementations with 32-bit offsets choose: channels, then pixels.
static void sizes_near_32_bits(void **state)
{
    (void)state;
    const prim_dim_t images[] = {1, 2, 3, 7, 64, 4097};
    const prim_dim_t limits[] = {INT32_MAX, INT32_MAX - (1 << 16), INT32_MAX / 2, 0x7f000000};
    for (int e = 0; api_engine(e); ++e) {
        for (size_t i = 0; i < sizeof images / sizeof *images * 4; ++i) {
            const prim_dim_t n = images[i / 4], limit = limits[i % 4];
            for (prim_dim_t c = limit - 20; c <= limit + 3; ++c) {
                const prim_memory_desc_t last =
                        api_md(4, (const prim_dim_t[]){n, c, 1, 1}, PRIM_NHWC);
                const prim_memory_desc_t plane =
                        api_md(4, (const prim_dim_t[]){n, 1, 1, c}, PRIM_NCHW);
                const prim_memory_desc_t *const mds[][3] = {
                        {&last, &last, &last}, {&plane, &plane, &plane}};
                for (int t = 0; t < 2; ++t) {
                    prim_desc_t *pd = NULL;
                    prim_status_t st = bnorm(&pd, api_engine(e), mds[t]);
                    walk(st, pd);
                    st = prelu(&pd, api_engine(e), mds[t]);
                    walk(st, pd);
                }
            }
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(operations_refuse_them),
            cmocka_unit_test(values_and_memories_refuse_them),
            cmocka_unit_test(images_are_checked),
            cmocka_unit_test(empty_tensors_have_no_padding),
            cmocka_unit_test(open_layouts_have_no_offset),
            cmocka_unit_test(open_strides_are_noticed),
            cmocka_unit_test(indices_of_queries_may_be_anything),
            cmocka_unit_test(concat_counts_its_sources),
            cmocka_unit_test(sizes_near_32_bits),
    };
    return cmocka_run_group_tests(tests, api_open_engines, api_close_engines);
}
