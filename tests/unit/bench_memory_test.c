// SPDX-License-Identifier: Apache-2.0
// benchdnn's own memories and layouts: what is written behind a tensor or left in its padding is
// noticed, and elements lie where the layout says.
#include <stdlib.h>
#include <string.h>

#include "core/bench_layout.h"
#include "core/bench_memory.h"
#include "support/unit_test.h"

static prim_memory_desc_t make(
        int ndims, const prim_dim_t *dims, prim_data_type_t dt, const char *tag)
{
    prim_memory_desc_t md;
    assert_int_equal(prim_memory_desc_init_by_string_tag(&md, ndims, dims, dt, tag), PRIM_SUCCESS);
    return md;
}

static void the_guard_is_watched(void **state)
{
    (void)state;
    const prim_memory_desc_t md = make(2, (prim_dims_t){3, 5}, PRIM_F16, "ab");
    static const size_t places[] = {0, 1, 63, 64, GUARD_BYTES / 2, GUARD_BYTES - 1};
    prim_engine_t *engine = NULL;
    arg_memory_t *memory = NULL;
    assert_int_equal(prim_engine_create(&engine, PRIM_CPU, 0), PRIM_SUCCESS);
    assert_int_equal(arg_memory_create(&memory, &md, engine, POISON), PRIM_SUCCESS);
    unsigned char *const bytes = arg_memory_map(memory);
    assert_non_null(bytes);
    assert_int_equal(memory->bytes, 30);
    memset(bytes, 0, memory->bytes);
    assert_true(arg_memory_guard_holds(memory, bytes, POISON));
    for (size_t i = 0; i < COUNT_OF(places); ++i) {
        bytes[memory->bytes + places[i]] ^= 1;
        assert_false(arg_memory_guard_holds(memory, bytes, POISON));
        bytes[memory->bytes + places[i]] ^= 1;
    }
    assert_true(arg_memory_guard_holds(memory, bytes, POISON));
    assert_int_equal(arg_memory_unmap(memory, bytes), PRIM_SUCCESS);
    arg_memory_destroy(memory);
    prim_engine_destroy(engine);
}

static void dirty_padding_is_counted(void **state)
{
    (void)state;
    static const struct {
        const char *tag;
        long long dirty;
    } rows[] = {{"abc", 0}, {"aBc8b", 2 * 3 * 5}, {"abC4c", 2 * 5 * 3}, {"aBC8b4c", 2 * (64 - 25)}};
    for (size_t r = 0; r < COUNT_OF(rows); ++r) {
        const prim_memory_desc_t md = make(3, (prim_dims_t){2, 5, 5}, PRIM_BF16, rows[r].tag);
        const size_t bytes = prim_memory_desc_get_size(&md);
        unsigned char *const buffer = malloc(bytes);
        double values[50], back[50];
        assert_non_null(buffer);
        memset(buffer, 0xff, bytes);
        for (int i = 0; i < 50; ++i) values[i] = i;
        layout_store(&md, PRIM_BF16, buffer, values);
        assert_int_equal(layout_count_dirty_padding(&md, buffer), rows[r].dirty);
        layout_clear_padding(&md, buffer);
        assert_int_equal(layout_count_dirty_padding(&md, buffer), 0);
        layout_load(&md, PRIM_BF16, buffer, back);
        assert_memory_equal(back, values, sizeof values);
        free(buffer);
    }
}

static void elements_lie_where_the_layout_says(void **state)
{
    (void)state;
    // 4 x 6 in blocks of 2 x 3, columns of a block adjacent or rows.
    static const struct {
        const char *tag;
        int down, right; ///< inside a block
    } rows[] = {{"AB2a3b", 3, 1}, {"AB3b2a", 1, 2}};
    for (size_t r = 0; r < COUNT_OF(rows); ++r) {
        const prim_memory_desc_t md = make(2, (prim_dims_t){4, 6}, PRIM_F32, rows[r].tag);
        double values[24], back[24];
        float buffer[24];
        for (int i = 0; i < 24; ++i) values[i] = i;
        layout_store(&md, PRIM_F32, buffer, values);
        for (int i = 0; i < 4; ++i) {
            for (int j = 0; j < 6; ++j) {
                const int block = i / 2 * 2 + j / 3;
                const int place = block * 6 + i % 2 * rows[r].down + j % 3 * rows[r].right;
                assert_true(buffer[place] == (float)(i * 6 + j));
            }
        }
        layout_load(&md, PRIM_F32, buffer, back);
        assert_memory_equal(back, values, sizeof values);
    }
}

/// Of [3, 2, 4] without its first and last dimension two elements are left.
static void broadcasts_have_one_value(void **state)
{
    (void)state;
    double values[24], back[24];
    float buffer[] = {-1, -1, -1};
    prim_memory_desc_t md = make(3, (prim_dims_t){3, 2, 4}, PRIM_F32, "abc");
    for (int i = 0; i < 24; ++i) values[i] = i + 1;
    layout_share_values(&md, values);
    for (int i = 0; i < 24; ++i) assert_true(values[i] == i + 1);
    md.strides[0] = md.strides[2] = 0;
    md.strides[1] = 1;
    layout_share_values(&md, values);
    for (int i = 0; i < 24; ++i) assert_true(values[i] == (i / 4 % 2 ? 5 : 1));
    layout_store(&md, PRIM_F32, buffer, values);
    assert_true(buffer[0] == 1 && buffer[1] == 5 && buffer[2] == -1);
    layout_load(&md, PRIM_F32, buffer, back);
    assert_memory_equal(back, values, sizeof values);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(the_guard_is_watched),
            cmocka_unit_test(dirty_padding_is_counted),
            cmocka_unit_test(elements_lie_where_the_layout_says),
            cmocka_unit_test(broadcasts_have_one_value),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
