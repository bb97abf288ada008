// SPDX-License-Identifier: Apache-2.0
// Keys of the primitive cache and of blobs, byte by byte: whatever of a descriptor is changed,
// hash, equality and blob id must see it. What they may pass over is listed here, so that a new
// field is looked at unless it is listed too.
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "common/desc_key.h"
#include "fake_problem.h"
#include "support/unit_test.h"

static prim_status_t init_pd(prim_desc_t *pd)
{
    return prim__md_set_row_major_if_any(prim__pd_md_mutable(pd, PRIM_ARG_DST));
}

static const impl_t impl = {
        .name = "t:key:any", .pd_size = sizeof(prim_desc_t), .init_pd = init_pd};
static const impl_t *const list[] = {&impl, NULL};

static const char *identity_text = "a device, a driver";

static const char *identity(const prim_engine_t *of)
{
    (void)of;
    return identity_text;
}

static prim_engine_t *engine;
static engine_ops_t ops; ///< the CPU engine's, with an identity
static const engine_ops_t *real_ops;
static prim_desc_t *a, *b; ///< equal until a test changes b

static void set_attr(prim_attr_t *attr)
{
    const prim_dims_t groups = {2, 4};
    prim_post_ops_t *chain = NULL;
    const prim_memory_desc_t operand = fake_md("s8:a:1"), condition = fake_md("s8:a:6");
    assert_int_equal(prim_attr_set_scales(attr, PRIM_ARG_SRC, 3, 2, groups, PRIM_F16), 0);
    assert_int_equal(prim_attr_set_scales(attr, PRIM_ARG_DST, 1, 0, NULL, PRIM_F32), 0);
    assert_int_equal(prim_attr_set_zero_points(attr, PRIM_ARG_SRC, 3, 2, groups, PRIM_S8), 0);
    assert_int_equal(prim_post_ops_create(&chain), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_append_sum(chain, 2.0f, 3, PRIM_F32), 0);
    assert_int_equal(prim_post_ops_append_eltwise(chain, PRIM_ELTWISE_LINEAR, 2.0f, 3.0f), 0);
    assert_int_equal(prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, &operand), 0);
    assert_int_equal(prim_post_ops_append_prelu(chain, 1), 0);
    assert_int_equal(
            prim_post_ops_append_binary_v2(chain, PRIM_BINARY_SELECT, &operand, &condition), 0);
    assert_int_equal(prim_attr_set_post_ops(attr, chain), 0);
    prim_post_ops_destroy(chain);
}

static int set_up(void **state)
{
    (void)state;
    engine = fake_open_cpu();
    prim_attr_t attr;
    prim__attr_init(&attr);
    set_attr(&attr);
    fake_problem_t problem = fake_problem(6);
    problem.tensors[0].md = fake_md("f32:a:6");
    a = fake_desc(list, &problem, engine, &attr);
    prim__attr_fini(&attr);
    real_ops = engine->ops;
    ops = *real_ops;
    ops.engine_identity = identity;
    engine->ops = &ops;
    a->hash = prim__desc_hash(a);
    prim__desc_set_blob_id(a);
    assert_int_equal(prim_desc_clone(&b, a), PRIM_SUCCESS);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    prim_desc_destroy(a);
    prim_desc_destroy(b);
    engine->ops = real_ops;
    prim_engine_destroy(engine);
    return 0;
}

enum { IN_HASH = 1, IN_EQUAL = 2, IN_BLOB = 4, IN_ALL = 7 };

// What of the three sees that b is not a.
static int seen_by(void)
{
    int seen = prim__desc_hash(b) != a->hash ? IN_HASH : 0;
    b->hash = a->hash; // equality must not rely on it
    if (!prim__desc_equal(a, b)) seen |= IN_EQUAL;
    prim__desc_set_blob_id(b);
    if (b->blob_id[0] != a->blob_id[0] && b->blob_id[1] != a->blob_id[1]) seen |= IN_BLOB;
    return seen;
}

// Bytes of a struct that need not be seen, or that a test changes in another way.
typedef struct {
    size_t start, end;
} gap_t;
#define GAP(type, field)                                                        \
    {                                                                           \
        offsetof(type, field), offsetof(type, field) + sizeof((type *)0)->field \
    }
#define GAP_UNTIL(type, field, next)                                           \
    {                                                                          \
        offsetof(type, field) + sizeof((type *)0)->field, offsetof(type, next) \
    }

static bool is_in_gap(size_t at, const gap_t *gaps, size_t ngaps)
{
    for (size_t i = 0; i < ngaps; ++i)
        if (at >= gaps[i].start && at < gaps[i].end) return true;
    return false;
}

// Changes each byte of a part of b, one after the other.
static void walk(const char *name, void *part, size_t bytes, const gap_t *gaps, size_t ngaps)
{
    unsigned char *const byte = part;
    for (size_t i = 0; i < bytes; ++i) {
        if (is_in_gap(i, gaps, ngaps)) continue;
        byte[i] ^= 1;
        const int seen = seen_by();
        byte[i] ^= 1;
        if (seen != IN_ALL)
            fail_msg("byte %zu of %s:%s%s%s does not see it", i, name,
                    seen & IN_HASH ? "" : " the hash", seen & IN_EQUAL ? "" : " equality",
                    seen & IN_BLOB ? "" : " the blob's id");
    }
    assert_int_equal(prim__desc_hash(b), a->hash);
    assert_true(prim__desc_equal(a, b));
}

static void twins_are_equal(void **state)
{
    (void)state;
    assert_int_equal(seen_by(), 0);
    b->attr.tune_mode = PRIM_TUNE_FULL; // how it came about, not what it is
    assert_int_equal(seen_by(), 0);
}

static void the_operation(void **state)
{
    (void)state;
    walk("op_desc_t", &b->op, sizeof b->op, NULL, 0);
    walk("scratchpad_bytes", &b->scratchpad_bytes, sizeof b->scratchpad_bytes, NULL, 0);
    walk("choice", &b->choice, sizeof b->choice, NULL, 0);
}

static void tensors(void **state)
{
    (void)state;
    static const gap_t gaps[] = {GAP_UNTIL(tensor_t, is_on_peer, scale),
            GAP_UNTIL(tensor_t, scale, md), GAP(tensor_t, md)};
    for (int i = 0; i < b->ntensors; ++i)
        walk("tensor_t", &b->tensors[i], sizeof b->tensors[i], gaps, COUNT_OF(gaps));
}

// Only the first ndims entries mean something; sizes of arrays are changed by themselves.
static void walk_md(const char *name, prim_memory_desc_t *md)
{
    const size_t used = (size_t)md->ndims * sizeof(prim_dim_t);
    prim_dim_t *const arrays[] = {md->dims, md->padded_dims, md->padded_offsets, md->strides};
    for (size_t i = 0; i < COUNT_OF(arrays); ++i) walk(name, arrays[i], used, NULL, 0);
    walk(name, &md->offset0, sizeof md->offset0, NULL, 0);
    walk(name, &md->data_type, sizeof md->data_type, NULL, 0);
    walk(name, &md->format_kind, 1, NULL, 0);
}

static void descriptors_of_tensors(void **state)
{
    (void)state;
    for (int i = 0; i < b->ntensors; ++i) walk_md("md of a tensor", &b->tensors[i].md);
    prim_memory_desc_t *const md = &b->tensors[0].md;
    const prim_memory_desc_t kept = *md;
    *md = fake_md("f32:ab:6x1");
    assert_int_equal(seen_by(), IN_ALL);
    *md = kept;
    md->inner_nblks = 1;
    md->inner_blks[0] = 6;
    assert_int_equal(seen_by(), IN_ALL);
    *md = kept;
    assert_int_equal(seen_by(), 0);
}

// The entries of the blocks of two layouts that are the same else.
static void blocks_of_tensors(void **state)
{
    (void)state;
    prim_memory_desc_t *const mine = &a->tensors[0].md, *const md = &b->tensors[0].md;
    *mine = *md = fake_md("f32:AB4a2b:8x8");
    a->hash = prim__desc_hash(a);
    prim__desc_set_blob_id(a);
    walk_md("blocked md", md);
    walk("inner_blks", md->inner_blks, 2 * sizeof *md->inner_blks, NULL, 0);
    walk("inner_idxs", md->inner_idxs, 2 * sizeof *md->inner_idxs, NULL, 0);
}

static void attributes(void **state)
{
    (void)state;
    static const gap_t gaps[] = {GAP_UNTIL(prim_attr_t, is_deterministic, accumulation_mode),
            GAP(prim_attr_t, tune_mode), GAP(prim_attr_t, nscales), GAP(prim_attr_t, nzero_points),
            GAP_UNTIL(prim_attr_t, nzero_points, scales), GAP(prim_attr_t, scales),
            GAP(prim_attr_t, zero_points), GAP(prim_attr_t, post_ops)};
    // The modes are small numbers: a byte of each is hashed.
    const size_t modes[] = {offsetof(prim_attr_t, scratchpad_mode),
            offsetof(prim_attr_t, fpmath_mode), offsetof(prim_attr_t, fpmath_applies_to_int),
            offsetof(prim_attr_t, is_deterministic), offsetof(prim_attr_t, accumulation_mode)};
    for (size_t i = 0; i < sizeof(prim_attr_t); ++i) {
        bool is_low = is_in_gap(i, gaps, COUNT_OF(gaps));
        for (size_t k = 0; k < COUNT_OF(modes); ++k)
            is_low = is_low || (i > modes[k] && i < modes[k] + sizeof(int) && k != 2 && k != 3);
        if (!is_low) walk("prim_attr_t", (unsigned char *)&b->attr + i, 1, NULL, 0);
    }
}

static void scales_and_zero_points(void **state)
{
    (void)state;
    // Of an entry with groups, and how many entries and groups there are.
    static const gap_t gaps[] = {GAP(quant_t, ngroups), GAP_UNTIL(quant_t, ngroups, groups)};
    walk("a scale", &b->attr.scales[0], sizeof *b->attr.scales, gaps, COUNT_OF(gaps));
    walk("a zero point", &b->attr.zero_points[0], sizeof(quant_t), gaps, COUNT_OF(gaps));
    int *const counts[] = {&b->attr.nscales, &b->attr.nzero_points, &b->attr.scales[0].ngroups,
            &b->attr.zero_points[0].ngroups};
    for (size_t i = 0; i < COUNT_OF(counts); ++i) {
        --*counts[i];
        assert_int_equal(seen_by(), IN_ALL);
        ++*counts[i];
    }
    // A scale is no zero point.
    quant_t *const scales = b->attr.scales;
    b->attr.scales = b->attr.zero_points;
    b->attr.zero_points = scales;
    b->attr.nscales = 1;
    b->attr.nzero_points = 2;
    assert_int_equal(seen_by(), IN_ALL);
    b->attr.zero_points = b->attr.scales;
    b->attr.scales = scales;
    // Nor if the two lists are the same one after the other.
    quant_t moved[] = {scales[1], b->attr.zero_points[0]};
    quant_t *const zero_points = b->attr.zero_points;
    b->attr.zero_points = moved;
    assert_int_equal(seen_by(), IN_ALL);
    b->attr.zero_points = zero_points;
    b->attr.nscales = 2;
    b->attr.nzero_points = 1;
    assert_int_equal(seen_by(), 0);
}

static void another_operand(prim_memory_desc_t *operand)
{
    const prim_memory_desc_t kept = *operand;
    static const char *const others[] = {"u8:a:1", "s8:a:3", "s8:ab:1x1"};
    for (size_t i = 0; i < COUNT_OF(others); ++i) {
        *operand = fake_md(others[i]);
        assert_int_equal(seen_by(), IN_ALL);
        *operand = kept;
    }
    operand->offset0 = 1;
    assert_int_equal(seen_by(), IN_ALL);
    *operand = kept;
}

static void post_ops(void **state)
{
    (void)state;
    static const gap_t gaps[] = {GAP(post_op_t, src1_md)}; // both operands: below
    _Static_assert(offsetof(post_op_t, src1_md) == 10 * sizeof(int) + 3 * sizeof(prim_dim_t),
            "bytes between the members are nobody's");
    for (int i = 0; i < b->attr.post_ops.len; ++i)
        walk("post_op_t", &b->attr.post_ops.entries[i], offsetof(post_op_t, src1_md), gaps,
                COUNT_OF(gaps));
    post_op_t *const entries = b->attr.post_ops.entries;
    another_operand(&entries[2].src1_md);
    another_operand(&entries[4].src1_md);
    another_operand(&entries[4].src2_md);
    --b->attr.post_ops.len;
    assert_int_equal(seen_by(), IN_ALL);
    ++b->attr.post_ops.len;
}

static void where_and_by_what(void **state)
{
    (void)state;
    prim_engine_t other = *engine;
    const impl_t namesake = impl;
    impl_t another = impl;
    another.name = "t:key:other";
    b->engine = &other; // the same device: its blobs serve
    assert_int_equal(seen_by(), IN_HASH | IN_EQUAL);
    b->engine = engine;
    b->impl = &namesake;
    assert_int_equal(seen_by(), IN_HASH | IN_EQUAL);
    b->impl = &another;
    assert_int_equal(seen_by(), IN_ALL);
    b->impl = a->impl;
    b->peer = &other;
    assert_int_equal(seen_by(), IN_ALL);
    b->peer = NULL;
    identity_text = "a device, another driver";
    assert_int_equal(seen_by(), IN_BLOB);
    identity_text = "a device, a driver";
    assert_int_equal(seen_by(), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_setup_teardown(twins_are_equal, set_up, tear_down),
            cmocka_unit_test_setup_teardown(the_operation, set_up, tear_down),
            cmocka_unit_test_setup_teardown(tensors, set_up, tear_down),
            cmocka_unit_test_setup_teardown(descriptors_of_tensors, set_up, tear_down),
            cmocka_unit_test_setup_teardown(blocks_of_tensors, set_up, tear_down),
            cmocka_unit_test_setup_teardown(attributes, set_up, tear_down),
            cmocka_unit_test_setup_teardown(scales_and_zero_points, set_up, tear_down),
            cmocka_unit_test_setup_teardown(post_ops, set_up, tear_down),
            cmocka_unit_test_setup_teardown(where_and_by_what, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
