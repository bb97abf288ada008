// SPDX-License-Identifier: Apache-2.0
// Loop nests of tensors: every nest must reach the same pairs of elements as the descriptors do,
// once each, and exactly the padding of dst.
#include "gpu/ocl/kit/ocl_nest.h"

#include <string.h>

#include <prim/prim.h>

#include "support/unit_test.h"

enum { MAX_SPAN = 4096 };

static prim_memory_desc_t make_md(int ndims, const prim_dim_t *dims, const char *tag)
{
    prim_memory_desc_t md;
    assert_int_equal(
            prim_memory_desc_init_by_string_tag(&md, ndims, dims, PRIM_F32, tag), PRIM_SUCCESS);
    return md;
}

typedef struct {
    const char *name;
    int ndims;
    prim_dims_t dims, src_dims;
    const char *dst, *src;
    int n; ///< loops expected; 0: no nest
} case_t;

static const case_t cases[] = {
        {"one loop", 4, {2, 3, 4, 5}, {2, 3, 4, 5}, "abcd", "abcd", 1},
        {"transpose", 4, {2, 3, 4, 5}, {2, 3, 4, 5}, "acdb", "abcd", 3},
        {"blocks", 4, {2, 32, 3, 3}, {2, 32, 3, 3}, "aBcd16b", "abcd", 3},
        {"from blocks", 4, {2, 32, 3, 3}, {2, 32, 3, 3}, "acdb", "aBcd8b", 4},
        {"same blocks", 4, {2, 32, 3, 3}, {2, 32, 3, 3}, "aBcd8b", "aBcd8b", 1},
        {"nested blocks", 4, {2, 32, 3, 3}, {2, 32, 3, 3}, "aBcd16b", "aBcd4b", 4},
        {"padded dst", 4, {2, 5, 3, 3}, {2, 5, 3, 3}, "aBcd4b", "abcd", 4},
        {"padded src", 4, {2, 5, 3, 3}, {2, 5, 3, 3}, "acdb", "aBcd4b", 4},
        {"padded both", 4, {2, 5, 3, 3}, {2, 5, 3, 3}, "aBcd8b", "aBcd8b", 2},
        {"two padded", 4, {5, 6, 2, 2}, {5, 6, 2, 2}, "ABcd4b4a", "abcd", 5},
        {"split block", 4, {32, 32, 2, 1}, {32, 32, 2, 1}, "ABcd4b16a4b", "abcd", 6},
        {"one channel", 3, {2, 1, 3}, {2, 1, 3}, "aBc4b", "abc", 2},
        {"padded unlike", 4, {2, 3, 3, 3}, {2, 3, 3, 3}, "aBcd4b", "aBcd8b", 0},
        {"broadcast channel", 4, {2, 3, 4, 5}, {1, 3, 1, 1}, "abcd", "abcd", 3},
        {"broadcast all", 4, {2, 3, 4, 5}, {1, 1, 1, 1}, "abcd", "abcd", 1},
        {"broadcast channel, nhwc", 4, {2, 3, 4, 5}, {1, 3, 1, 1}, "acdb", "abcd", 2},
        {"broadcast to blocks", 4, {2, 8, 4, 5}, {1, 8, 1, 1}, "aBcd4b", "aBcd4b", 4},
        {"empty", 2, {0, 3}, {0, 3}, "ab", "ba", 1},
};

/// A short dimension of a large stride beside blocks of other tensors: what is beyond the dimension
/// has no offset, so that none overflows.
static void test_far_strides(void **state)
{
    (void)state;
    const prim_dim_t far = ((prim_dim_t)1 << 54) - 1;
    prim_memory_desc_t src;
    assert_int_equal(prim_memory_desc_init_by_strides(&src, 2, (const prim_dim_t[]){1, 8}, PRIM_F32,
                             (const prim_dim_t[]){far, 1}),
            PRIM_SUCCESS);
    const prim_memory_desc_t dst = make_md(2, (const prim_dim_t[]){1, 8}, "Ab4096a4096a4096a");
    const prim_memory_desc_t *const mds[] = {&dst, &src};
    loops_t loops;
    assert_true(prim__ocl_loops_init(&loops, mds, 2));
    for (int l = 0; l < loops.n; ++l) assert_true(loops.strides[1][l] >= 0);
}

/// For each dst offset of the buffer: the src offset it comes from, −1 nothing, −2 zero.
static void expect_by_descs(
        int64_t *from, const prim_memory_desc_t *dst, const prim_memory_desc_t *src)
{
    for (prim_dim_t i = 0; i < prim__md_nelems_padded(dst); ++i) {
        prim_dims_t at;
        prim__position(at, dst->ndims, dst->padded_dims, i);
        const int64_t to = prim__md_offset_padded(dst, at);
        bool is_inside = true;
        for (int d = 0; d < dst->ndims; ++d) {
            is_inside = is_inside && at[d] < dst->dims[d];
            if (src->dims[d] == 1) at[d] = 0;
        }
        from[to] = is_inside ? prim__md_offset(src, at) : -2;
    }
}

static void check_nest(const case_t *c, const loops_t *loops, const int64_t *from, int64_t nwritten)
{
    int64_t total = 1, nseen = 0;
    for (int l = 0; l < loops->n; ++l) total *= loops->extents[l];
    for (int64_t i = 0; i < total; ++i) {
        prim_dims_t at = {0};
        int64_t rest = i, to = 0, source = 0, tails[LOOPS_MAX_TAILS] = {0};
        for (int l = loops->n - 1; l >= 0; --l) {
            at[l] = rest % loops->extents[l];
            rest /= loops->extents[l];
            to += at[l] * loops->strides[0][l];
            source += at[l] * loops->strides[1][l];
            for (int k = 0; k < loops->ntails; ++k)
                tails[k] += at[l] * loops->tails[k].multipliers[l];
        }
        bool is_written = true;
        for (int k = 0; k < loops->ntails; ++k) {
            if (tails[k] < loops->tails[k].limit) continue;
            source = -2;
            is_written = is_written && loops->tails[k].is_in_dst;
        }
        if (!is_written) continue;
        ++nseen;
        if (to < 0 || to >= MAX_SPAN || from[to] != source)
            fail_msg("%s: element %lld of dst", c->name, (long long)to);
    }
    if (nseen != nwritten) fail_msg("%s: %lld elements", c->name, (long long)nseen);
}

static void test_nests(void **state)
{
    (void)state;
    static int64_t from[MAX_SPAN];
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; ++i) {
        const case_t *const c = &cases[i];
        const prim_memory_desc_t dst = make_md(c->ndims, c->dims, c->dst);
        const prim_memory_desc_t src = make_md(c->ndims, c->src_dims, c->src);
        loops_t loops;
        const bool is_nest =
                prim__ocl_loops_init(&loops, (const prim_memory_desc_t *const[]){&dst, &src}, 2);
        if (is_nest != (c->n > 0)) fail_msg("%s: a nest or not", c->name);
        if (!is_nest) continue;
        if (loops.n != c->n) fail_msg("%s: %d loops instead of %d", c->name, loops.n, c->n);
        memset(from, 0xff, sizeof from);
        expect_by_descs(from, &dst, &src);
        check_nest(c, &loops, from, prim__md_nelems_padded(&dst));
    }
}

static void test_without_axis(void **state)
{
    (void)state;
    const prim_memory_desc_t md = make_md(4, (prim_dims_t){2, 3, 4, 5}, "abcd");
    const prim_memory_desc_t *const mds[] = {&md, &md};
    loops_t loops;
    assert_true(prim__ocl_loops_init_without(&loops, mds, 2, 1));
    assert_int_equal(loops.n, 2);
    assert_int_equal(loops.extents[0], 2);
    assert_int_equal(loops.extents[1], 20);
    assert_int_equal(loops.strides[1][0], 60);
    assert_true(prim__ocl_loops_init_without(&loops, mds, 2, 3));
    assert_int_equal(loops.n, 1);
    assert_int_equal(loops.extents[0], 24);
    assert_int_equal(prim__ocl_loops_unit(&loops, 0), -1);
}

static void test_nest_of_kernel(void **state)
{
    (void)state;
    const prim_memory_desc_t dst = make_md(4, (prim_dims_t){2, 3, 4, 5}, "acdb");
    const prim_memory_desc_t src = make_md(4, (prim_dims_t){2, 3, 4, 5}, "abcd");
    loops_t loops;
    assert_true(prim__ocl_loops_init(&loops, (const prim_memory_desc_t *const[]){&dst, &src}, 2));
    const ocl_nest_t nest = prim__ocl_nest(&loops);
    assert_int_equal(nest.first_loop, 5);
    assert_int_equal(prim__ocl_nest_outer(&nest), 2);
    assert_int_equal(nest.extents[NEST_ROW], 20);
    assert_int_equal(nest.extents[NEST_INNER], 3);
    assert_int_equal(nest.strides[1][NEST_INNER], 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_nests),
            cmocka_unit_test(test_far_strides),
            cmocka_unit_test(test_without_axis),
            cmocka_unit_test(test_nest_of_kernel),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
