// SPDX-License-Identifier: Apache-2.0
// Host memory: alignment, zeroes, the user's allocator, and every allocation failing in turn.
#include "common/alloc.h"

#include <stdalign.h>
#include <stdlib.h>
#include <string.h>

#include "prim/prim.h"
#include "support/unit_test.h"

/// An allocator that counts, keeps the alignment it was asked for, and fails at the n-th call.
typedef struct {
    int ncalls, nreleased;
    int fail_at; ///< from this call on; 0: never
    size_t last_alignment;
} counting_t;

static void *counting_allocate(void *user, size_t bytes, size_t alignment)
{
    counting_t *const counting = user;
    ++counting->ncalls;
    counting->last_alignment = alignment;
    if (counting->fail_at > 0 && counting->ncalls >= counting->fail_at) return NULL;
    const size_t rounded = (bytes + alignment - 1) / alignment * alignment;
    void *const pointer = aligned_alloc(alignment, rounded);
    if (pointer) memset(pointer, 0xcc, bytes);
    return pointer;
}

static void counting_release(void *user, void *pointer)
{
    ((counting_t *)user)->nreleased++;
    assert_non_null(pointer);
    free(pointer);
}

static int back_to_system(void **state)
{
    (void)state;
    return prim_set_allocator(NULL) != PRIM_SUCCESS;
}

static void system_memory(void **state)
{
    (void)state;
    static const size_t sizes[] = {1, 7, 64, 65, 4096, 1 << 20};
    for (size_t i = 0; i < COUNT_OF(sizes); ++i) {
        unsigned char *const zeroed = prim__calloc(sizes[i]);
        unsigned char *const aligned = prim__malloc_aligned(sizes[i]);
        assert_non_null(zeroed);
        assert_non_null(aligned);
        assert_int_equal((uintptr_t)zeroed % alignof(max_align_t), 0);
        assert_int_equal((uintptr_t)aligned % 64, 0);
        for (size_t j = 0; j < sizes[i]; ++j) assert_int_equal(zeroed[j], 0);
        memset(aligned, 1, sizes[i]);
        prim__free(zeroed);
        prim__free(aligned);
    }
    assert_null(prim__calloc(0));
    assert_null(prim__malloc_aligned(0));
    assert_null(prim__calloc(SIZE_MAX));
    assert_null(prim__malloc_aligned((size_t)PTRDIFF_MAX + 1));
    prim__free(NULL);
    char *const copy = prim__strdup("text");
    assert_string_equal(copy, "text");
    prim__free(copy);
    char *const empty = prim__strdup("");
    assert_string_equal(empty, "");
    prim__free(empty);
}

static void the_users_allocator(void **state)
{
    (void)state;
    counting_t counting = {0};
    const prim_allocator_t allocator = {counting_allocate, counting_release, &counting};
    assert_int_equal(prim_set_allocator(&allocator), PRIM_SUCCESS);
    unsigned char *const zeroed = prim__calloc(100);
    assert_int_equal(counting.last_alignment, alignof(max_align_t));
    for (int i = 0; i < 100; ++i) assert_int_equal(zeroed[i], 0);
    void *const aligned = prim__malloc_aligned(100);
    assert_int_equal(counting.last_alignment, 64);
    char *const copy = prim__strdup("abc");
    assert_int_equal(counting.ncalls, 3);
    // What no object can have is not even asked for.
    assert_null(prim__calloc(0));
    assert_null(prim__malloc_aligned((size_t)PTRDIFF_MAX + 1));
    assert_int_equal(counting.ncalls, 3);

    // While anything is outstanding the hook stays.
    assert_int_equal(prim_set_allocator(NULL), PRIM_INVALID_ARGUMENTS);
    prim__free(zeroed);
    prim__free(aligned);
    assert_int_equal(prim_set_allocator(NULL), PRIM_INVALID_ARGUMENTS);
    assert_string_equal(prim_last_error(), "1 blocks of library memory are outstanding");
    prim__free(copy);
    assert_int_equal(counting.nreleased, 3);
    assert_int_equal(prim_set_allocator(NULL), PRIM_SUCCESS);

    void *const system = prim__calloc(8);
    assert_int_equal(prim_set_allocator(&allocator), PRIM_INVALID_ARGUMENTS);
    prim__free(system);
    assert_int_equal(counting.ncalls, 3);
}

static void failures_do_not_count_as_outstanding(void **state)
{
    (void)state;
    counting_t counting = {.fail_at = 1};
    const prim_allocator_t allocator = {counting_allocate, counting_release, &counting};
    assert_int_equal(prim_set_allocator(&allocator), PRIM_SUCCESS);
    assert_null(prim__calloc(8));
    assert_null(prim__malloc_aligned(8));
    assert_null(prim__strdup("x"));
    assert_int_equal(counting.ncalls, 3);
    assert_int_equal(prim_set_allocator(NULL), PRIM_SUCCESS);
    assert_int_equal(counting.nreleased, 0);
}

static void half_an_allocator_is_none(void **state)
{
    (void)state;
    const prim_allocator_t no_release = {counting_allocate, NULL, NULL};
    const prim_allocator_t no_allocate = {NULL, counting_release, NULL};
    assert_int_equal(prim_set_allocator(&no_release), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(prim_set_allocator(&no_allocate), PRIM_INVALID_ARGUMENTS);
}

/// Builds attributes with everything that allocates; frees what it made.
static prim_status_t build_attributes(void)
{
    prim_status_t st = PRIM_SUCCESS;
    prim_attr_t *attr = NULL, *clone = NULL;
    prim_post_ops_t *chain = NULL, *chain_clone = NULL;
    prim_memory_desc_t md;
    prim_memory_desc_init_by_tag(&md, 1, (prim_dims_t){3}, PRIM_F32, PRIM_a);

    if (!st) st = prim_attr_create(&attr);
    if (!st) st = prim_attr_set_scales(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_F32);
    if (!st) st = prim_attr_set_scales(attr, PRIM_ARG_DST, 0, 0, NULL, PRIM_F32);
    if (!st) st = prim_attr_set_zero_points(attr, PRIM_ARG_SRC, 0, 0, NULL, PRIM_S32);
    if (!st) st = prim_post_ops_create(&chain);
    if (!st) st = prim_post_ops_append_sum(chain, 1, 0, PRIM_DATA_TYPE_UNDEF);
    if (!st) st = prim_post_ops_append_eltwise(chain, PRIM_ELTWISE_RELU, 0, 0);
    if (!st) st = prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, &md);
    if (!st) st = prim_post_ops_append_prelu(chain, 0);
    if (!st) st = prim_post_ops_clone(&chain_clone, chain);
    if (!st) st = prim_attr_set_post_ops(attr, chain_clone);
    if (!st) st = prim_attr_clone(&clone, attr);
    if (st) {
        // What failed left its object as it was.
        assert_true(prim_post_ops_len(chain) <= 4);
        assert_null(clone);
    }
    prim_attr_destroy(clone);
    prim_post_ops_destroy(chain_clone);
    prim_post_ops_destroy(chain);
    prim_attr_destroy(attr);
    return st;
}

static void every_allocation_fails_in_turn(void **state)
{
    (void)state;
    int n = 1;
    for (; n < 100; ++n) {
        counting_t counting = {.fail_at = n};
        const prim_allocator_t allocator = {counting_allocate, counting_release, &counting};
        assert_int_equal(prim_set_allocator(&allocator), PRIM_SUCCESS);
        const prim_status_t st = build_attributes();
        // Success here also says that nothing leaked.
        assert_int_equal(prim_set_allocator(NULL), PRIM_SUCCESS);
        if (st == PRIM_SUCCESS) break;
        assert_int_equal(st, PRIM_OUT_OF_MEMORY);
        assert_memory_equal(prim_last_error(), "no memory for ", strlen("no memory for "));
    }
    assert_int_equal(n, 17); // the sixteen allocations above were all reached
}

int main(void)
{
    prim_set_verbose("none"); // the failures are meant
    const struct CMUnitTest tests[] = {
            cmocka_unit_test_teardown(system_memory, back_to_system),
            cmocka_unit_test_teardown(the_users_allocator, back_to_system),
            cmocka_unit_test_teardown(failures_do_not_count_as_outstanding, back_to_system),
            cmocka_unit_test_teardown(half_an_allocator_is_none, back_to_system),
            cmocka_unit_test_teardown(every_allocation_fails_in_turn, back_to_system),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
