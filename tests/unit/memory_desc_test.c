// SPDX-License-Identifier: Apache-2.0
// Memory descriptors: sizes, offsets, predicates, layouts for `any`, and the check of foreign ones.
#include "common/memory_desc.h"

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

static prim_memory_desc_t make_strided(int ndims, const prim_dim_t *dims, const prim_dim_t *strides)
{
    prim_memory_desc_t md;
    assert_int_equal(
            prim_memory_desc_init_by_strides(&md, ndims, dims, PRIM_F32, strides), PRIM_SUCCESS);
    return md;
}

typedef struct {
    const char *tag;
    int ndims;
    prim_dims_t dims;
    prim_data_type_t dt;
    size_t bytes;
} size_case_t;

static const size_case_t size_cases[] = {
        {"ab", 2, {3, 5}, PRIM_F32, 60},
        {"ba", 2, {3, 5}, PRIM_F16, 30},
        {"nChw16c", 4, {2, 17, 4, 5}, PRIM_S8, 1280},
        {"OIhw4i4o", 4, {5, 3, 2, 2}, PRIM_F64, 1024},
        {"ab", 2, {0, 5}, PRIM_F32, 0},
        {"aB8b", 2, {3, 0}, PRIM_F32, 0},
        {"any", 2, {3, 5}, PRIM_F32, 0},
        {"ab", 2, {PRIM_RUNTIME_DIM_VAL, 5}, PRIM_F32, PRIM_RUNTIME_SIZE_VAL},
        {"a", 1, {3}, PRIM_S4, 3},
};

static void sizes(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(size_cases); ++i) {
        const size_case_t *const c = &size_cases[i];
        prim_memory_desc_t md;
        assert_int_equal(prim_memory_desc_init_by_string_tag(&md, c->ndims, c->dims, c->dt, c->tag),
                PRIM_SUCCESS);
        assert_int_equal(prim_memory_desc_get_size(&md), c->bytes);
    }
    const prim_memory_desc_t gaps = make_strided(2, (prim_dims_t){3, 5}, (prim_dims_t){8, 1});
    assert_int_equal(prim_memory_desc_get_size(&gaps), (2 * 8 + 5) * 4);
    const prim_memory_desc_t unknown =
            make_strided(2, (prim_dims_t){3, 5}, (prim_dims_t){PRIM_RUNTIME_DIM_VAL, 1});
    assert_true(prim_memory_desc_get_size(&unknown) == PRIM_RUNTIME_SIZE_VAL);
    const prim_memory_desc_t absent = {0};
    assert_int_equal(prim_memory_desc_get_size(&absent), 0);
}

typedef struct {
    int ndims;
    prim_dims_t dims, strides;
    bool is_sound;
} strides_case_t;

static const strides_case_t strides_cases[] = {
        {2, {3, 5}, {5, 1}, true},
        {2, {3, 5}, {1, 3}, true},
        {2, {3, 5}, {100, 7}, true},
        {2, {3, 5}, {4, 1}, false},
        {2, {3, 5}, {1, 2}, false},
        {2, {3, 5}, {1, 1}, false},
        {2, {3, 5}, {0, 1}, true}, // broadcasts: 0 in front, behind, between, everywhere
        {2, {3, 5}, {1, 0}, true},
        {3, {2, 3, 5}, {5, 0, 1}, true},
        {2, {3, 5}, {0, 0}, true},
        {3, {2, 3, 5}, {0, 4, 1}, false}, // what is left overlaps
        {3, {2, 3, 5}, {1, 0, 1}, false},
        {2, {1, 5}, {0, 1}, true},
        {2, {1, 5}, {3, 1}, true},
        {2, {0, 5}, {0, 0}, true},
        {2, {2, 2}, {3, 2}, true}, // 0 2 3 5: interleaved, no element twice
        {2, {2, 2}, {2, 2}, false},
        {2, {3, 5}, {-5, 1}, false},
        {2, {3, 5}, {5, -1}, false},
        {2, {3, 5}, {PRIM_RUNTIME_DIM_VAL, 1}, true},
        {2, {PRIM_RUNTIME_DIM_VAL, 5}, {1, 1}, true}, // nobody can tell yet
        {3, {2, 3, 4}, {12, 4, 1}, true},
        {3, {2, 3, 4}, {12, 1, 3}, true},
        {3, {2, 3, 4}, {11, 4, 1}, false},
        {1, {INT64_MAX}, {1}, false},
        {1, {((prim_dim_t)1 << 54) + 1}, {1}, false}, // 2^56 bytes are the most
        {1, {(prim_dim_t)1 << 54}, {1}, true},
        {2, {2, 1}, {((prim_dim_t)1 << 54) - 1, 1}, true},
        {2, {2, 1}, {(prim_dim_t)1 << 54, 1}, false},
        {1, {2}, {INT64_MAX}, false},
        {2, {1 << 27, 1 << 27}, {1 << 27, 1}, true},
        {2, {1 << 28, 1 << 27}, {1 << 27, 1}, false},
        {2, {(prim_dim_t)1 << 32, 1 << 30}, {1 << 30, 1}, false},
        // strides that no element is addressed by
        {2, {1, 8}, {(prim_dim_t)1 << 54, 1}, true},
        {2, {1, 8}, {((prim_dim_t)1 << 54) + 1, 1}, false},
        {2, {1, 8}, {INT64_MAX, 1}, false},
        {2, {0, 8}, {INT64_MAX, 1}, false},
        {2, {0, 6}, {1, INT64_MAX}, false},
        {3, {0, 3, 3}, {1, INT64_MAX - 1, 1}, false},
        {3, {2, 3, 0}, {INT64_MAX - 1, 4, 1}, false},
        {2, {(prim_dim_t)1 << 40, 0}, {(prim_dim_t)1 << 20, 1}, false},
        {2, {(prim_dim_t)1 << 40, 0}, {(prim_dim_t)1 << 14, 1}, true},
        {2, {PRIM_RUNTIME_DIM_VAL, 8}, {INT64_MAX, 1}, false},
        {3, {PRIM_RUNTIME_DIM_VAL, 1 << 30, 8}, {1, 1 << 30, 1}, false},
};

static void strides_may_not_overlap(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(strides_cases); ++i) {
        const strides_case_t *const c = &strides_cases[i];
        prim_memory_desc_t md;
        const prim_status_t st =
                prim_memory_desc_init_by_strides(&md, c->ndims, c->dims, PRIM_F32, c->strides);
        if (st != (c->is_sound ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS))
            fail_msg("strides case %zu: %s", i, prim_last_error());
        if (st != PRIM_SUCCESS) continue;
        assert_memory_equal(md.strides, c->strides, sizeof md.strides);
        assert_memory_equal(md.padded_dims, c->dims, sizeof md.dims);
    }
}

static void missing_strides_are_row_major(void **state)
{
    (void)state;
    const prim_memory_desc_t a = make_strided(3, (prim_dims_t){2, 3, 4}, NULL);
    const prim_memory_desc_t b = make(3, (prim_dims_t){2, 3, 4}, "abc");
    assert_memory_equal(&a, &b, sizeof a);
}

/// The offset from the definition: the index is cut block by block, outermost block last.
static prim_dim_t offset_by_definition(const prim_memory_desc_t *md, const prim_dim_t *position)
{
    prim_dims_t block = {0}, rest;
    for (int d = 0; d < md->ndims; ++d) {
        block[d] = 1;
        rest[d] = position[d] + md->padded_offsets[d];
    }
    for (int i = 0; i < md->inner_nblks; ++i) block[md->inner_idxs[i]] *= md->inner_blks[i];
    prim_dim_t offset = md->offset0, inner = 0;
    for (int d = 0; d < md->ndims; ++d) {
        offset += rest[d] / block[d] * md->strides[d];
        rest[d] %= block[d];
    }
    for (int i = 0; i < md->inner_nblks; ++i) {
        const prim_dim_t d = md->inner_idxs[i];
        block[d] /= md->inner_blks[i];
        inner = inner * md->inner_blks[i] + rest[d] / block[d];
        rest[d] %= block[d];
    }
    return offset + inner;
}

typedef struct {
    const char *tag;
    int ndims;
    prim_dims_t dims;
} shape_t;

static const shape_t shapes[] = {
        {"a", 1, {7}},
        {"cab", 3, {2, 3, 4}},
        {"nhwc", 4, {2, 5, 3, 4}},
        {"nChw4c", 4, {2, 7, 3, 2}},
        {"OIhw4i4o", 4, {9, 5, 2, 3}},
        {"ABcd4b8a2b", 4, {17, 9, 2, 1}},
        {"gOIhw2i4o2i", 5, {2, 5, 7, 1, 2}},
        {"aB2b3b5b", 2, {2, 31}},
        {"BA4a2b2a", 2, {9, 5}},
        {"lkjihgfedcba", 12, {1, 2, 1, 2, 1, 2, 1, 2, 1, 2, 1, 3}},
};

/// All positions of the padded tensor: the offsets are those of the definition, and of a dense
/// layout they are 0..n−1, each once.
static void check_offsets(const prim_memory_desc_t *md)
{
    enum { MAX_ELEMS = 4096 };
    unsigned char seen[MAX_ELEMS] = {0};
    const prim_dim_t n = prim__md_nelems_padded(md);
    assert_true(n > 0 && n <= MAX_ELEMS && prim__md_span_elems(md) == n);
    for (prim_dim_t i = 0; i < n; ++i) {
        prim_dims_t position;
        prim__position(position, md->ndims, md->padded_dims, i);
        assert_int_equal(prim__index(md->ndims, md->padded_dims, position), i);
        const prim_dim_t offset = prim__md_offset_padded(md, position);
        assert_int_equal(offset, offset_by_definition(md, position));
        assert_int_equal(offset, prim__md_offset(md, position));
        assert_true(offset >= 0 && offset < n);
        ++seen[offset];
    }
    for (prim_dim_t i = 0; i < n; ++i) assert_int_equal(seen[i], 1);
}

static void offsets_fill_dense_layouts(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(shapes); ++i) {
        const prim_memory_desc_t md = make(shapes[i].ndims, shapes[i].dims, shapes[i].tag);
        assert_true(prim__md_is_dense(&md));
        check_offsets(&md);
    }
}

static void offsets_count_from_offset0(void **state)
{
    (void)state;
    prim_memory_desc_t md = make(4, (prim_dims_t){2, 7, 3, 2}, "nChw4c");
    md.offset0 = 100;
    md.padded_offsets[1] = 1;
    assert_int_equal(prim__md_offset(&md, (prim_dims_t){0, 0, 0, 0}), 101);
    assert_int_equal(prim__md_offset(&md, (prim_dims_t){0, 3, 0, 0}), 100 + 24);
    assert_int_equal(prim__md_offset_padded(&md, (prim_dims_t){1, 7, 2, 1}), 100 + 95);
    assert_int_equal(prim__md_span_elems(&md), 196);
    assert_int_equal(prim_memory_desc_get_size(&md), 196 * 4);
    assert_true(prim__md_is_dense(&md));
}

static void predicates(void **state)
{
    (void)state;
    const prim_dims_t dims = {2, 5, 3, 3};
    const prim_memory_desc_t absent = {0};
    const prim_memory_desc_t any = make(4, dims, "any"), plain = make(4, dims, "abcd");
    const prim_memory_desc_t last = make(4, dims, "acdb"), blocked = make(4, dims, "aBcd4b");
    const prim_memory_desc_t gaps = make_strided(4, dims, (prim_dims_t){100, 20, 6, 1});
    const prim_memory_desc_t runtime = make(2, (prim_dims_t){PRIM_RUNTIME_DIM_VAL, 3}, "ab");
    const prim_memory_desc_t runtime_any = make(2, (prim_dims_t){PRIM_RUNTIME_DIM_VAL, 0}, "any");
    const prim_memory_desc_t empty = make(2, (prim_dims_t){0, 3}, "ab");

    assert_true(prim__md_is_zero(&absent));
    assert_false(prim__md_is_zero(&any));
    assert_true(prim__md_is_any(&any));
    assert_false(prim__md_is_any(&absent));
    assert_false(prim__md_is_any(&plain));

    assert_true(prim__md_has_runtime(&runtime));
    assert_true(prim__md_has_runtime(&runtime_any));
    assert_false(prim__md_has_runtime(&plain));

    assert_true(prim__md_is_plain(&plain) && prim__md_is_plain(&gaps));
    assert_false(prim__md_is_plain(&blocked) || prim__md_is_plain(&any));
    assert_false(prim__md_is_plain(&absent));
    for (int d = 0; d < 4; ++d) {
        assert_false(prim__md_is_cut(&plain, d));
        assert_int_equal(prim__md_is_cut(&blocked, d), d == 1);
    }

    assert_true(prim__md_is_dense(&plain) && prim__md_is_dense(&last));
    assert_true(prim__md_is_dense(&blocked) && prim__md_is_dense(&empty));
    assert_false(prim__md_is_dense(&gaps) || prim__md_is_dense(&any));
    assert_false(prim__md_is_dense(&runtime) || prim__md_is_dense(&absent));

    assert_true(prim__md_is_row_major(&plain) && prim__md_is_row_major(&runtime));
    assert_false(prim__md_is_row_major(&last) || prim__md_is_row_major(&gaps));
    assert_false(prim__md_is_row_major(&blocked) || prim__md_is_row_major(&any));
    assert_false(prim__md_is_row_major(&absent));

    assert_true(prim__md_is_padded(&blocked));
    assert_false(prim__md_is_padded(&plain) || prim__md_is_padded(&absent));
    assert_true(prim__md_is_empty(&empty));
    assert_false(prim__md_is_empty(&plain) || prim__md_is_empty(&absent));

    assert_true(prim__md_same_dims(&plain, &blocked));
    assert_false(prim__md_same_dims(&plain, &empty));
    assert_int_equal(prim__md_nelems(&blocked), 90);
    assert_int_equal(prim__md_nelems_padded(&blocked), 144);
    assert_int_equal(prim__md_nelems(&empty), 0);
    assert_int_equal(prim__md_nelems(&absent), 0);
    assert_true(prim__md_nelems(&runtime) == PRIM_RUNTIME_DIM_VAL);
    assert_int_equal(prim__md_nelems(&runtime_any), 0);
}

static void same_layout_whatever_the_type(void **state)
{
    (void)state;
    const prim_dims_t dims = {1, 5, 3, 3};
    prim_memory_desc_t a = make(4, dims, "aBcd4b"), b = a;
    b.data_type = PRIM_S8;
    assert_true(prim__md_same_layout(&a, &b));
    b.strides[0] = 12345; // of an extent of 1: nothing lies there
    assert_true(prim__md_same_layout(&a, &b));
    ++b.strides[2];
    assert_false(prim__md_same_layout(&a, &b));
    b = a;
    b.offset0 = 4;
    assert_false(prim__md_same_layout(&a, &b));
    b = make(4, dims, "aBcd8b");
    assert_false(prim__md_same_layout(&a, &b));
    b = a;
    b.padded_offsets[1] = 2; // elsewhere in the same padding
    assert_false(prim__md_same_layout(&a, &b));
    b = make(4, dims, "any");
    assert_false(prim__md_same_layout(&b, &b));
}

static void equality_ignores_what_is_unused(void **state)
{
    (void)state;
    const prim_dims_t dims = {2, 5, 3, 3};
    const prim_memory_desc_t plain = make(4, dims, "abcd"), any = make(4, dims, "any");
    prim_memory_desc_t b = plain;
    b.dims[4] = b.strides[11] = b.inner_blks[0] = 99;
    assert_true(prim_memory_desc_equal(&plain, &b));
    b = any;
    b.strides[0] = b.inner_nblks = 3;
    assert_true(prim_memory_desc_equal(&any, &b));
    b = plain;
    b.data_type = PRIM_S32;
    assert_false(prim_memory_desc_equal(&plain, &b));
    assert_false(prim_memory_desc_equal(&plain, &any));
    b = any;
    ++b.dims[3];
    assert_false(prim_memory_desc_equal(&any, &b));
    prim_memory_desc_t absent = {0}, other_absent = {0};
    other_absent.data_type = PRIM_F32;
    assert_true(prim_memory_desc_equal(&absent, &other_absent));
    assert_false(prim_memory_desc_equal(&absent, &plain));
    assert_true(prim_memory_desc_equal(NULL, NULL));
    assert_false(prim_memory_desc_equal(NULL, &plain));
    assert_false(prim_memory_desc_equal(&plain, NULL));
}

static void normal_form_is_the_same_bytes(void **state)
{
    (void)state;
    const prim_memory_desc_t made = make(3, (prim_dims_t){2, 5, 3}, "aBc4b");
    prim_memory_desc_t dirty;
    memset(&dirty, 0x77, sizeof dirty);
    dirty.ndims = made.ndims;
    dirty.data_type = made.data_type;
    dirty.offset0 = made.offset0;
    dirty.format_kind = made.format_kind;
    dirty.inner_nblks = made.inner_nblks;
    for (int d = 0; d < 3; ++d) {
        dirty.dims[d] = made.dims[d];
        dirty.padded_dims[d] = made.padded_dims[d];
        dirty.padded_offsets[d] = 0;
        dirty.strides[d] = made.strides[d];
    }
    dirty.inner_blks[0] = 4;
    dirty.inner_idxs[0] = 1;
    prim__md_normalize(&dirty);
    assert_memory_equal(&dirty, &made, sizeof made);

    const prim_memory_desc_t any = make(3, (prim_dims_t){2, 5, 3}, "any");
    dirty = any;
    dirty.strides[0] = dirty.offset0 = dirty.dims[5] = 8;
    prim__md_normalize(&dirty);
    assert_memory_equal(&dirty, &any, sizeof any);
    dirty = any;
    dirty.ndims = 0;
    prim__md_normalize(&dirty);
    assert_memory_equal(&dirty, &(prim_memory_desc_t){0}, sizeof any);
}

static void layouts_for_any(void **state)
{
    (void)state;
    const prim_dims_t dims = {2, 5, 3, 4};
    const prim_memory_desc_t any = make(4, dims, "any"), plain = make(4, dims, "abcd");
    prim_memory_desc_t md = any;
    assert_int_equal(prim__md_set_tag_if_any(&md, "nChw8c"), PRIM_SUCCESS);
    assert_true(prim__md_matches_tag(&md, "aBcd8b"));
    assert_int_equal(prim__md_set_tag_if_any(&md, "abcd"), PRIM_SUCCESS); // no longer any
    assert_true(prim__md_matches_tag(&md, "aBcd8b"));
    md = any;
    assert_int_equal(prim__md_set_row_major_if_any(&md), PRIM_SUCCESS);
    assert_memory_equal(&md, &plain, sizeof md);
    md = any;
    assert_int_equal(prim__md_set_tag_if_any(&md, "abc"), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(prim__md_set_tag_if_any(&md, "zzz"), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(prim__md_set_like_if_any(&md, &any), PRIM_INVALID_ARGUMENTS);
    assert_memory_equal(&md, &any, sizeof md);

    // The order of a tensor of another shape and with gaps, dense.
    const prim_memory_desc_t gaps =
            make_strided(4, (prim_dims_t){7, 2, 2, 2}, (prim_dims_t){1, 900, 30, 100});
    assert_int_equal(prim__md_set_like_if_any(&md, &gaps), PRIM_SUCCESS);
    assert_true(prim__md_matches_tag(&md, "bdca"));
    md = any;
    const prim_memory_desc_t blocked = make(4, (prim_dims_t){1, 9, 2, 2}, "ABcd4b2a");
    assert_int_equal(prim__md_set_like_if_any(&md, &blocked), PRIM_SUCCESS);
    assert_true(prim__md_matches_tag(&md, "ABcd4b2a"));
    prim_memory_desc_t absent = {0};
    assert_int_equal(prim__md_set_like_if_any(&absent, &blocked), PRIM_SUCCESS);
    assert_true(prim__md_is_zero(&absent));
}

/// One field of a sound descriptor broken at a time.
static void foreign_descriptors_are_checked(void **state)
{
    (void)state;
    const prim_memory_desc_t sound = make(3, (prim_dims_t){2, 5, 3}, "aBc4b");
    assert_int_equal(prim__md_check(&sound, "x"), PRIM_SUCCESS);
    assert_int_equal(prim__md_check(&(prim_memory_desc_t){0}, "x"), PRIM_SUCCESS);
    enum { NCASES = 35, FIRST_IMAGE = 24, FIRST_ANY = 28, FIRST_EMPTY = 30 };
    prim_memory_desc_t bad[NCASES], image;
    assert_int_equal(
            prim_memory_desc_init_image2d(&image, 4, (prim_dims_t){1, 4, 5, 5}, PRIM_F32), 0);
    for (int i = 0; i < NCASES; ++i) {
        bad[i] = i < FIRST_IMAGE   ? sound
                 : i < FIRST_ANY   ? image
                 : i < FIRST_EMPTY ? make(3, (prim_dims_t){2, 5, 3}, "any")
                                   : make(2, (prim_dims_t){0, 8}, "ab");
    }
    bad[0].ndims = -1;
    bad[1].ndims = 13;
    bad[2].data_type = PRIM_DATA_TYPE_UNDEF;
    bad[3].data_type = (prim_data_type_t)16;
    bad[4].dims[0] = -1;
    bad[5].padded_dims[1] = 4;
    bad[6].padded_dims[1] = 7;
    bad[7].padded_offsets[1] = -1;
    bad[8].padded_offsets[1] = 4;
    bad[9].offset0 = -1;
    bad[10].format_kind = PRIM_FORMAT_KIND_OPAQUE;
    bad[11].format_kind = PRIM_FORMAT_KIND_UNDEF;
    bad[12].format_kind = (prim_format_kind_t)7;
    bad[13].inner_nblks = -1;
    bad[14].inner_nblks = 13;
    bad[15].inner_blks[0] = 0;
    bad[16].inner_idxs[0] = 3;
    bad[17].inner_idxs[0] = -1;
    bad[18].strides[0] = -4;
    bad[19].strides[2] = 3; // into the block
    bad[20].strides[1] = 8; // into the third dimension
    bad[21].strides[0] = INT64_MAX;
    bad[22].offset0 = INT64_MAX;
    bad[23].dims[0] = PRIM_RUNTIME_DIM_VAL;
    bad[24].inner_nblks = 13;
    bad[25].inner_nblks = 1000;
    bad[26].inner_nblks = -1;
    bad[27].inner_idxs[0] = 12;
    bad[28].offset0 = 1;
    bad[29].offset0 = PRIM_RUNTIME_DIM_VAL;
    bad[30].padded_dims[0] = 16;
    bad[31].strides[0] = INT64_MAX;
    bad[32].offset0 = (prim_dim_t)1 << 54;
    bad[33].inner_nblks = 1;
    bad[33].inner_blks[0] = (prim_dim_t)1 << 60;
    bad[33].inner_idxs[0] = 0;
    bad[34] = bad[33];
    bad[34].inner_blks[0] = 1000000; // a block of more than six digits
    for (int i = 0; i < NCASES; ++i) {
        if (prim__md_check(&bad[i], "the tensor") != PRIM_INVALID_ARGUMENTS)
            fail_msg("broken descriptor %d is taken", i);
        assert_non_null(strstr(prim_last_error(), "the tensor"));
    }
    assert_int_equal(prim__md_check(NULL, "the tensor"), PRIM_INVALID_ARGUMENTS);
    assert_string_equal(prim_last_error(), "the tensor is NULL");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(sizes),
            cmocka_unit_test(strides_may_not_overlap),
            cmocka_unit_test(missing_strides_are_row_major),
            cmocka_unit_test(offsets_fill_dense_layouts),
            cmocka_unit_test(offsets_count_from_offset0),
            cmocka_unit_test(predicates),
            cmocka_unit_test(same_layout_whatever_the_type),
            cmocka_unit_test(equality_ignores_what_is_unused),
            cmocka_unit_test(normal_form_is_the_same_bytes),
            cmocka_unit_test(layouts_for_any),
            cmocka_unit_test(foreign_descriptors_are_checked),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
