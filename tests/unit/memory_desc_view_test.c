// SPDX-License-Identifier: Apache-2.0
// Views: a window, a reshape or a transposition must address the very elements of its parent.
#include <string.h>

#include "common/memory_desc.h"
#include "prim/prim.h"
#include "support/unit_test.h"

static prim_memory_desc_t make(int ndims, const prim_dim_t *dims, const char *tag)
{
    prim_memory_desc_t md;
    assert_int_equal(
            prim_memory_desc_init_by_string_tag(&md, ndims, dims, PRIM_F32, tag), PRIM_SUCCESS);
    return md;
}

/// Every element of the window is the parent's element, counted from the offsets.
static void check_window(const prim_memory_desc_t *window, const prim_memory_desc_t *parent,
        const prim_dim_t *offsets)
{
    const prim_dim_t n = prim__md_nelems(window);
    for (prim_dim_t i = 0; i < n; ++i) {
        prim_dims_t position, in_parent;
        prim__position(position, window->ndims, window->dims, i);
        for (int d = 0; d < window->ndims; ++d) in_parent[d] = position[d] + offsets[d];
        assert_int_equal(prim__md_offset(window, position), prim__md_offset(parent, in_parent));
    }
    assert_int_equal(prim__md_check(window, "window"), PRIM_SUCCESS);
    assert_true(prim__md_span_elems(window) <= prim__md_span_elems(parent));
}

typedef struct {
    const char *tag;
    prim_dims_t parent, dims, offsets;
    prim_status_t status;
} window_case_t;

static const window_case_t windows[] = {
        {"abcd", {2, 8, 5, 6}, {1, 3, 2, 2}, {1, 5, 3, 4}, PRIM_SUCCESS},
        {"abcd", {2, 8, 5, 6}, {2, 8, 5, 6}, {0, 0, 0, 0}, PRIM_SUCCESS},
        {"acdb", {2, 8, 5, 6}, {1, 1, 5, 6}, {1, 7, 0, 0}, PRIM_SUCCESS},
        {"abcd", {2, 8, 5, 6}, {0, 3, 2, 2}, {2, 5, 3, 4}, PRIM_SUCCESS},
        {"aBcd4b", {2, 10, 5, 6}, {2, 4, 5, 6}, {0, 4, 0, 0}, PRIM_SUCCESS},
        {"aBcd4b", {2, 10, 5, 6}, {1, 6, 2, 3}, {1, 4, 1, 2}, PRIM_SUCCESS},
        {"aBcd4b", {2, 10, 5, 6}, {2, 2, 5, 6}, {0, 8, 0, 0}, PRIM_SUCCESS},
        {"ABcd2b4a2b", {6, 9, 2, 2}, {2, 5, 1, 1}, {4, 4, 0, 1}, PRIM_SUCCESS},
        {"aBcd4b", {2, 10, 5, 6}, {2, 3, 5, 6}, {0, 4, 0, 0}, PRIM_UNIMPLEMENTED},
        {"aBcd4b", {2, 10, 5, 6}, {2, 4, 5, 6}, {0, 2, 0, 0}, PRIM_UNIMPLEMENTED},
        {"aBcd4b", {2, 10, 5, 6}, {2, 1, 5, 6}, {0, 9, 0, 0}, PRIM_UNIMPLEMENTED},
        {"abcd", {2, 8, 5, 6}, {1, 4, 2, 2}, {1, 5, 3, 4}, PRIM_INVALID_ARGUMENTS},
        {"abcd", {2, 8, 5, 6}, {1, 3, 2, 2}, {2, 5, 3, 4}, PRIM_INVALID_ARGUMENTS},
        {"abcd", {2, 8, 5, 6}, {1, 3, 2, 2}, {-1, 5, 3, 4}, PRIM_INVALID_ARGUMENTS},
        {"abcd", {2, 8, 5, 6}, {1, -3, 2, 2}, {1, 5, 3, 4}, PRIM_INVALID_ARGUMENTS},
        {"abcd", {2, 8, 5, 6}, {1, 3, 2, 2}, {INT64_MAX, 5, 3, 4}, PRIM_INVALID_ARGUMENTS},
        {"abcd", {2, 8, 5, 6}, {1, INT64_MAX, 2, 2}, {1, 5, 3, 4}, PRIM_INVALID_ARGUMENTS},
        {"abcd", {2, 8, 5, 6}, {1, PRIM_RUNTIME_DIM_VAL, 2, 2}, {1, 5, 3, 4},
                PRIM_INVALID_ARGUMENTS},
        {"any", {2, 8, 5, 6}, {1, 3, 2, 2}, {1, 5, 3, 4}, PRIM_INVALID_ARGUMENTS},
        {"abcd", {2, PRIM_RUNTIME_DIM_VAL, 5, 6}, {1, 3, 2, 2}, {1, 5, 3, 4}, PRIM_UNIMPLEMENTED},
};

static void windows_address_their_parent(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(windows); ++i) {
        const window_case_t *const c = &windows[i];
        const prim_memory_desc_t parent = make(4, c->parent, c->tag);
        prim_memory_desc_t window;
        const prim_status_t st = prim_memory_desc_submemory(&window, &parent, c->dims, c->offsets);
        if (st != c->status) fail_msg("window %zu: %d, %s", i, (int)st, prim_last_error());
        if (st != PRIM_SUCCESS) continue;
        assert_memory_equal(window.dims, c->dims, sizeof window.dims);
        check_window(&window, &parent, c->offsets);
    }
}

static void windows_of_windows(void **state)
{
    (void)state;
    const prim_memory_desc_t parent = make(4, (prim_dims_t){2, 10, 5, 6}, "aBcd4b");
    prim_memory_desc_t md;
    const prim_dims_t first = {0, 4, 1, 2}, second = {1, 4, 1, 1}, both = {1, 8, 2, 3};
    assert_int_equal(prim_memory_desc_submemory(&md, &parent, (prim_dims_t){2, 6, 3, 4}, first),
            PRIM_SUCCESS);
    assert_int_equal(prim_memory_desc_submemory(&md, &md, (prim_dims_t){1, 2, 1, 2}, second),
            PRIM_SUCCESS); // in place
    assert_int_equal(md.padded_dims[1], 4);
    check_window(&md, &parent, both);
}

/// A parent that itself starts inside its padding (no function here makes one).
static void windows_of_shifted_tensors(void **state)
{
    (void)state;
    prim_memory_desc_t parent = make(2, (prim_dims_t){3, 12}, "aB4b"), md;
    parent.dims[1] = 6;
    parent.padded_offsets[1] = 4;
    const prim_dims_t offsets = {1, 4};
    assert_int_equal(
            prim_memory_desc_submemory(&md, &parent, (prim_dims_t){2, 2}, offsets), PRIM_SUCCESS);
    assert_int_equal(md.padded_offsets[1], 0);
    assert_int_equal(md.padded_dims[1], 4);
    check_window(&md, &parent, offsets);
    parent.padded_offsets[1] = 3;
    assert_int_equal(prim_memory_desc_submemory(&md, &parent, (prim_dims_t){2, 2}, offsets),
            PRIM_UNIMPLEMENTED);
}

static void transposition(void **state)
{
    (void)state;
    static const int permutation[4] = {2, 0, 3, 1};
    static const char *const tags[] = {"abcd", "cdba", "aBcd4b", "ABcd2b4a2b"};
    for (size_t i = 0; i < COUNT_OF(tags); ++i) {
        const prim_memory_desc_t in = make(4, (prim_dims_t){3, 5, 2, 4}, tags[i]);
        prim_memory_desc_t out;
        assert_int_equal(prim_memory_desc_permute_axes(&out, &in, permutation), PRIM_SUCCESS);
        for (prim_dim_t n = 0; n < prim__md_nelems(&in); ++n) {
            prim_dims_t position, moved;
            prim__position(position, 4, in.dims, n);
            for (int d = 0; d < 4; ++d) moved[permutation[d]] = position[d];
            assert_int_equal(prim__md_offset(&out, moved), prim__md_offset(&in, position));
        }
        assert_int_equal(prim__md_check(&out, "out"), PRIM_SUCCESS);
    }
    const prim_memory_desc_t nchw = make(4, (prim_dims_t){2, 3, 4, 5}, "nchw");
    prim_memory_desc_t out = nchw;
    assert_int_equal(prim_memory_desc_permute_axes(&out, &out, (int[]){0, 3, 1, 2}), PRIM_SUCCESS);
    const prim_memory_desc_t expected = make(4, (prim_dims_t){2, 4, 5, 3}, "adbc");
    assert_memory_equal(&out, &expected, sizeof out);

    const prim_memory_desc_t any = make(3, (prim_dims_t){2, PRIM_RUNTIME_DIM_VAL, 4}, "any");
    assert_int_equal(prim_memory_desc_permute_axes(&out, &any, (int[]){1, 0, 2}), PRIM_SUCCESS);
    assert_true(out.dims[0] == PRIM_RUNTIME_DIM_VAL && out.dims[1] == 2 && prim__md_is_any(&out));
    static const int bad[][3] = {{0, 1, 3}, {0, 1, 1}, {-1, 0, 1}, {0, 0, 0}};
    for (size_t i = 0; i < COUNT_OF(bad); ++i) {
        assert_int_equal(prim_memory_desc_permute_axes(&out, &any, bad[i]), PRIM_INVALID_ARGUMENTS);
    }
}

typedef struct {
    const char *tag;
    int nin;
    prim_dims_t in;
    int nout;
    prim_dims_t out;
    const char *out_tag; ///< NULL: would copy; "": possible, but strides without a name
} reshape_case_t;

static const reshape_case_t reshapes[] = {
        // the same shape, whatever the layout
        {"acdb", 4, {2, 3, 4, 5}, 4, {2, 3, 4, 5}, "acdb"},
        {"aBcd4b", 4, {2, 3, 4, 5}, 4, {2, 3, 4, 5}, "aBcd4b"},
        // ones come and go
        {"ab", 2, {3, 5}, 4, {1, 3, 1, 5}, "abcd"},
        {"ab", 2, {3, 5}, 5, {3, 5, 1, 1, 1}, "abcde"},
        {"abcd", 4, {1, 3, 1, 5}, 2, {3, 5}, "ab"},
        {"acdb", 4, {1, 3, 4, 5}, 3, {3, 4, 5}, "bca"},
        {"ba", 2, {3, 5}, 3, {3, 1, 5}, "bca"},
        {"a", 1, {1}, 3, {1, 1, 1}, "abc"},
        {"abc", 3, {1, 1, 1}, 1, {1}, "a"},
        // dense neighbours merge and split
        {"abcd", 4, {2, 3, 4, 5}, 1, {120}, "a"},
        {"abcd", 4, {2, 3, 4, 5}, 2, {6, 20}, "ab"},
        {"a", 1, {120}, 4, {2, 3, 4, 5}, "abcd"},
        {"abc", 3, {4, 9, 5}, 3, {6, 6, 5}, "abc"},
        {"abc", 3, {4, 9, 5}, 4, {6, 1, 6, 5}, "abcd"},
        {"acdb", 4, {2, 3, 4, 5}, 3, {2, 3, 20}, "acb"},
        {"ba", 2, {6, 5}, 3, {2, 3, 5}, "cab"},
        {"cab", 3, {2, 3, 5}, 2, {6, 5}, "ba"},
        // no neighbours in memory
        {"acdb", 4, {2, 3, 4, 5}, 3, {2, 12, 5}, NULL},
        {"ba", 2, {3, 5}, 1, {15}, NULL},
        {"acb", 3, {2, 3, 4}, 2, {6, 4}, NULL},
        // blocked dimensions
        {"aBcd4b", 4, {2, 8, 3, 5}, 3, {2, 8, 15}, "aBc4b"},
        {"aBcd4b", 4, {2, 8, 3, 5}, 5, {1, 2, 8, 3, 5}, "abCde4c"},
        {"aBcd4b", 4, {2, 7, 3, 5}, 3, {2, 7, 15}, "aBc4b"},
        {"aB4b", 2, {3, 8}, 3, {3, 2, 4}, "abC4c"},
        {"aB4b", 2, {3, 16}, 3, {3, 2, 8}, "abC4c"},
        {"aB2b4b", 2, {3, 16}, 3, {3, 2, 8}, "abC2c4c"},
        {"aB4b", 2, {3, 8}, 1, {24}, "A4a"},
        {"Ab4a", 2, {8, 3}, 3, {2, 4, 3}, "aBc4b"},
        {"aB4b", 2, {3, 8}, 3, {3, 4, 2}, NULL},
        {"aB4b", 2, {3, 7}, 1, {21}, NULL},
        {"Ab4a", 2, {8, 3}, 1, {24}, NULL},
        // a padded dimension of 1 keeps a place
        {"aBcd4b", 4, {2, 1, 3, 5}, 3, {2, 1, 15}, "aBc4b"},
        {"aBcd4b", 4, {1, 1, 3, 5}, 5, {1, 1, 1, 3, 5}, "aBcde4b"},
        {"aBcd4b", 4, {1, 1, 3, 5}, 3, {1, 3, 5}, "Abc4a"},
        {"aBcd4b", 4, {2, 1, 3, 5}, 3, {2, 3, 5}, NULL},
        {"aBcd4b", 4, {2, 1, 3, 5}, 2, {6, 5}, NULL},
        {"aB4b", 2, {5, 1}, 1, {5}, NULL},
        // empty tensors hold nothing that could move
        {"ba", 2, {0, 5}, 2, {7, 0}, "ab"},
        {"aB4b", 2, {0, 5}, 3, {2, 0, 3}, "abc"},
        // `any` stays `any`
        {"any", 2, {3, 4}, 2, {2, 6}, "any"},
        {"any", 2, {3, 4}, 2, {2, 5}, NULL},
        // not as many elements
        {"ab", 2, {3, 5}, 2, {3, 4}, NULL},
        {"ab", 2, {3, 5}, 1, {0}, NULL},
        {"ab", 2, {3, 5}, 1, {-15}, NULL},
        {"ab", 2, {4, 4}, 2, {(prim_dim_t)1 << 62, 4}, NULL},
        {"ab", 2, {3, 5}, 0, {0}, NULL},
        {"ab", 2, {3, 5}, 13, {0}, NULL},
};

/// Behind the last element of a parent with padding: what has no element has none of that, either.
static void empty_windows_have_no_padding(void **state)
{
    (void)state;
    prim_memory_desc_t parent = make(2, (prim_dims_t){5, 4}, "ab"), window;
    parent.padded_dims[0] = 8;
    assert_int_equal(prim__md_check(&parent, "parent"), PRIM_SUCCESS);
    const prim_dims_t none = {0, 4}, end = {5, 0}, last = {2, 4}, before = {3, 0};
    assert_int_equal(prim_memory_desc_submemory(&window, &parent, none, end), PRIM_SUCCESS);
    assert_int_equal(prim__md_check(&window, "window"), PRIM_SUCCESS);
    assert_int_equal(window.padded_dims[0], 0);
    assert_int_equal(prim_memory_desc_get_size(&window), 0);
    assert_int_equal(prim_memory_desc_submemory(&window, &parent, last, before), PRIM_SUCCESS);
    assert_int_equal(window.padded_dims[0], 5);

    // The stride of a dimension of 1 may lead as far as a tensor may reach, and no further.
    const prim_dims_t one = {1, 4}, behind = {1, 0}, far = {(prim_dim_t)1 << 54, 1},
                      near = {1 << 20, 1};
    assert_int_equal(
            prim_memory_desc_init_by_strides(&parent, 2, one, PRIM_F32, far), PRIM_SUCCESS);
    assert_int_equal(
            prim_memory_desc_submemory(&window, &parent, none, behind), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(
            prim_memory_desc_init_by_strides(&parent, 2, one, PRIM_F32, near), PRIM_SUCCESS);
    assert_int_equal(prim_memory_desc_submemory(&window, &parent, none, behind), PRIM_SUCCESS);
    assert_int_equal(window.offset0, 1 << 20);
}

/// Element i in row-major order of either shape lies at the same offset.
static void check_same_elements(const prim_memory_desc_t *out, const prim_memory_desc_t *in)
{
    for (prim_dim_t i = 0; i < prim__md_nelems(in); ++i) {
        prim_dims_t a, b;
        prim__position(a, in->ndims, in->dims, i);
        prim__position(b, out->ndims, out->dims, i);
        assert_int_equal(prim__md_offset(in, a), prim__md_offset(out, b));
    }
    assert_int_equal(prim__md_check(out, "out"), PRIM_SUCCESS);
    assert_int_equal(prim_memory_desc_get_size(out), prim_memory_desc_get_size(in));
}

static void reshapes_keep_every_element(void **state)
{
    (void)state;
    for (size_t i = 0; i < COUNT_OF(reshapes); ++i) {
        const reshape_case_t *const c = &reshapes[i];
        const prim_memory_desc_t in = make(c->nin, c->in, c->tag);
        prim_memory_desc_t out;
        const prim_status_t st = prim_memory_desc_reshape(&out, &in, c->nout, c->out);
        if (st != (c->out_tag ? PRIM_SUCCESS : PRIM_INVALID_ARGUMENTS))
            fail_msg("reshape %zu: %d, %s", i, (int)st, prim_last_error());
        if (st != PRIM_SUCCESS) continue;
        char text[64];
        prim__md_tag_text(&out, text);
        if (strcmp(text, c->out_tag) != 0) fail_msg("reshape %zu: %s", i, text);
        assert_memory_equal(out.dims, c->out, sizeof out.dims);
        if (!prim__md_is_any(&in)) check_same_elements(&out, &in);
    }
}

static void reshapes_of_windows(void **state)
{
    (void)state;
    // Rows of 5 inside rows of 6: the rows merge with what is outside them, not with each other.
    const prim_memory_desc_t parent = make(3, (prim_dims_t){2, 4, 6}, "abc");
    prim_memory_desc_t window, out;
    assert_int_equal(prim_memory_desc_submemory(
                             &window, &parent, (prim_dims_t){2, 4, 5}, (prim_dims_t){0, 0, 1}),
            PRIM_SUCCESS);
    assert_int_equal(prim_memory_desc_reshape(&out, &window, 2, (prim_dims_t){8, 5}), PRIM_SUCCESS);
    check_same_elements(&out, &window);
    assert_int_equal(out.offset0, 1);
    assert_int_equal(prim_memory_desc_reshape(&out, &window, 2, (prim_dims_t){2, 20}),
            PRIM_INVALID_ARGUMENTS);
    assert_int_equal(prim_memory_desc_reshape(&window, &window, 3, (prim_dims_t){4, 2, 5}),
            PRIM_SUCCESS); // in place
    assert_int_equal(window.strides[0], 12);
}

static void reshapes_of_broadcasts(void **state)
{
    (void)state;
    prim_memory_desc_t in, out;
    assert_int_equal(prim_memory_desc_init_by_strides(
                             &in, 3, (prim_dims_t){6, 4, 5}, PRIM_F32, (prim_dims_t){0, 0, 1}),
            PRIM_SUCCESS);
    assert_int_equal(prim_memory_desc_reshape(&out, &in, 2, (prim_dims_t){24, 5}), PRIM_SUCCESS);
    check_same_elements(&out, &in);
    assert_int_equal(
            prim_memory_desc_reshape(&out, &in, 4, (prim_dims_t){2, 3, 4, 5}), PRIM_SUCCESS);
    check_same_elements(&out, &in);
    assert_int_equal(
            prim_memory_desc_reshape(&out, &in, 2, (prim_dims_t){6, 20}), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(
            prim_memory_desc_submemory(&out, &in, (prim_dims_t){2, 4, 3}, (prim_dims_t){3, 0, 1}),
            PRIM_SUCCESS);
    assert_int_equal(out.offset0, 1);
    assert_int_equal(prim_memory_desc_get_size(&out), 4 * sizeof(float));
}

static void broadcasts_are_known(void **state)
{
    (void)state;
    static const struct {
        prim_dims_t dims, strides;
        int dim;
    } rows[] = {{{4, 2}, {0, 7}, 0}, {{4, 2}, {1, 0}, 1}, {{1, 2}, {0, 1}, -1},
            {{0, 2}, {1, 0}, -1}, {{4, 2}, {2, 1}, -1}, {{PRIM_RUNTIME_DIM_VAL, 2}, {0, 1}, -1},
            {{PRIM_RUNTIME_DIM_VAL, 2}, {1, 0}, 1}};
    for (size_t i = 0; i < COUNT_OF(rows); ++i) {
        prim_memory_desc_t md;
        assert_int_equal(
                prim_memory_desc_init_by_strides(&md, 2, rows[i].dims, PRIM_F32, rows[i].strides),
                PRIM_SUCCESS);
        const bool is_broadcast = rows[i].dim >= 0;
        assert_int_equal(prim__md_broadcast_dim(&md), rows[i].dim);
        assert_int_equal(prim__md_is_broadcast(&md), is_broadcast);
        assert_int_equal(prim__md_check_output(&md, "matmul", "dst"),
                is_broadcast ? PRIM_INVALID_ARGUMENTS : PRIM_SUCCESS);
    }
    // The first one ends where a dense one would, and is none.
    prim_memory_desc_t full;
    assert_int_equal(
            prim_memory_desc_init_by_strides(&full, 2, rows[0].dims, PRIM_F32, rows[0].strides),
            PRIM_SUCCESS);
    assert_int_equal(prim__md_span_elems(&full), prim__md_nelems(&full));
    assert_false(prim__md_is_dense(&full));
    // Of a blocked tensor the stride is that of whole blocks.
    prim_memory_desc_t blocked = make(2, (prim_dims_t){9, 3}, "Ab4a");
    blocked.strides[0] = 0;
    assert_int_equal(prim__md_check(&blocked, "md"), PRIM_SUCCESS);
    assert_int_equal(prim__md_broadcast_dim(&blocked), 0);
    blocked = make(2, (prim_dims_t){4, 3}, "Ab4a");
    blocked.strides[0] = 0;
    assert_int_equal(prim__md_broadcast_dim(&blocked), -1);
    const prim_memory_desc_t any = make(2, (prim_dims_t){4, 3}, "any"), absent = {0};
    assert_false(prim__md_is_broadcast(&any) || prim__md_is_broadcast(&absent));
}

static void run_time_dimensions_are_not_reshaped(void **state)
{
    (void)state;
    const prim_memory_desc_t in = make(2, (prim_dims_t){PRIM_RUNTIME_DIM_VAL, 4}, "ab");
    const prim_memory_desc_t known = make(2, (prim_dims_t){3, 4}, "ab");
    prim_memory_desc_t out;
    assert_int_equal(
            prim_memory_desc_reshape(&out, &in, 2, (prim_dims_t){3, 4}), PRIM_UNIMPLEMENTED);
    assert_int_equal(
            prim_memory_desc_reshape(&out, &known, 2, (prim_dims_t){PRIM_RUNTIME_DIM_VAL, 4}),
            PRIM_UNIMPLEMENTED);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(windows_address_their_parent),
            cmocka_unit_test(windows_of_windows),
            cmocka_unit_test(windows_of_shifted_tensors),
            cmocka_unit_test(transposition),
            cmocka_unit_test(empty_windows_have_no_padding),
            cmocka_unit_test(reshapes_keep_every_element),
            cmocka_unit_test(reshapes_of_windows),
            cmocka_unit_test(reshapes_of_broadcasts),
            cmocka_unit_test(broadcasts_are_known),
            cmocka_unit_test(run_time_dimensions_are_not_reshaped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
