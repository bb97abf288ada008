// SPDX-License-Identifier: Apache-2.0
// Primitives inside primitives: the walk, copies and keys of nested descriptors, their scratchpad,
// what an execution hands on, and that users see one primitive.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/desc_key.h"
#include "fake_problem.h"
#include "nested_impls.h"
#include "support/unit_test.h"

// Allocations are counted, and the n-th fails.

static _Atomic long countdown, outstanding;

static void *allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    if (countdown > 0 && --countdown == 0) return NULL;
    ++outstanding;
    return aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
}

static void release(void *user, void *pointer)
{
    (void)user;
    --outstanding;
    free(pointer);
}

enum { N = 50, START = 3 };

static prim_engine_t *engine;

static int set_up(void **state)
{
    (void)state;
    engine = fake_open_cpu();
    nested_impls_reset();
    assert_int_equal(prim_set_primitive_cache_capacity(0), PRIM_SUCCESS);
    assert_int_equal(prim_set_primitive_cache_capacity(16), PRIM_SUCCESS);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    assert_int_equal(prim_set_primitive_cache_capacity(0), PRIM_SUCCESS);
    assert_int_equal(atomic_load(&ninner), 0);
    assert_int_equal(atomic_load(&nwrong), 0);
    prim_engine_destroy(engine);
    assert_int_equal(outstanding, 0);
    return 0;
}

/// src begins behind the start of its buffer.
static fake_problem_t problem_of(float alpha)
{
    fake_problem_t problem = fake_problem(N);
    problem.op.alg_kind = PRIM_ELTWISE_LINEAR;
    problem.op.u.eltwise.alpha = alpha;
    problem.tensors[0].md.offset0 = START;
    return problem;
}

static prim_attr_t *make_attr(prim_scratchpad_mode_t mode)
{
    const prim_memory_desc_t operand = fake_md("f32:a:50");
    prim_attr_t *attr = NULL;
    prim_post_ops_t *chain = NULL;
    assert_int_equal(prim_attr_create(&attr), PRIM_SUCCESS);
    assert_int_equal(prim_attr_set_scratchpad_mode(attr, mode), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_create(&chain), PRIM_SUCCESS);
    assert_int_equal(prim_post_ops_append_binary(chain, PRIM_BINARY_ADD, &operand), PRIM_SUCCESS);
    assert_int_equal(prim_attr_set_post_ops(attr, chain), PRIM_SUCCESS);
    prim_post_ops_destroy(chain);
    return attr;
}

static prim_desc_t *make_desc(const impl_t *const *list, float alpha, prim_scratchpad_mode_t mode)
{
    const fake_problem_t problem = problem_of(alpha);
    prim_attr_t *const attr = make_attr(mode);
    prim_desc_t *const pd = fake_desc(list, &problem, engine, attr);
    prim_attr_destroy(attr);
    return pd;
}

static const char *name_of(const prim_desc_t *pd)
{
    const char *name = NULL;
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name), PRIM_SUCCESS);
    return name;
}

static void the_walk_goes_through_the_inner_list(void **state)
{
    (void)state;
    static const char *const names[] = {
            "t:outer:two+fast", "t:outer:two+any", "t:outer:any", "t:outer:two+slow"};
    prim_desc_t *const pd = make_desc(outer_list, 2, PRIM_SCRATCHPAD_LIBRARY);
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        assert_string_equal(name_of(pd), names[i]);
        assert_int_equal(pd->is_slower, i == 3);
        const prim_status_t next = prim_desc_next_impl(pd);
        assert_int_equal(next, i < 3 ? PRIM_SUCCESS : PRIM_LAST_IMPL_REACHED);
    }
    assert_string_equal(prim_last_error(),
            "t:outer:two+slow is the last implementation that takes this eltwise");
    const char *declined = NULL;
    assert_int_equal(prim_desc_query(pd, PRIM_QUERY_DECLINED_STR, 0, &declined), PRIM_SUCCESS);
    assert_string_equal(declined, "t:inner:picky: the device has no patience\n"
                                  "t:inner:slow: another one is faster\n");
    prim_desc_destroy(pd);
}

static void nobody_inside_is_a_decline(void **state)
{
    (void)state;
    static const impl_t *const picky[] = {&inner_picky, NULL};
    static const impl_t *const *const lists[PRIM_GPU + 1] = {[PRIM_CPU] = picky};
    inner_schema.lists = lists;
    prim_desc_t *const pd = make_desc(outer_list, 2, PRIM_SCRATCHPAD_LIBRARY);
    assert_string_equal(name_of(pd), "t:outer:any");
    assert_int_equal(pd->nnested, 0);
    assert_non_null(
            strstr(pd->declined, "t:outer:two: no implementation of eltwise on cpu takes "
                                 "this problem: t:inner:picky: the device has no patience"));
    prim_desc_destroy(pd);
}

static void slower_ones_inside_come_last(void **state)
{
    (void)state;
    static const impl_t *const slow[] = {&inner_slow, NULL};
    static const impl_t *const *const lists[PRIM_GPU + 1] = {[PRIM_CPU] = slow};
    inner_schema.lists = lists;
    prim_desc_t *const pd = make_desc(outer_list, 2, PRIM_SCRATCHPAD_LIBRARY);
    assert_string_equal(name_of(pd), "t:outer:any");
    assert_int_equal(prim_desc_next_impl(pd), PRIM_SUCCESS);
    assert_string_equal(name_of(pd), "t:outer:two+slow");
    assert_int_equal(prim_desc_next_impl(pd), PRIM_LAST_IMPL_REACHED);
    prim_desc_destroy(pd);
}

static void the_generic_one_inside_may_be_left_out(void **state)
{
    (void)state;
    static const char *const names[] = {"t:outer:fussy+fast", "t:outer:any", "t:outer:fussy+slow"};
    prim_desc_t *pd = make_desc(fussy_list, 2, PRIM_SCRATCHPAD_LIBRARY);
    for (size_t i = 0; i < COUNT_OF(names); ++i) {
        assert_string_equal(name_of(pd), names[i]);
        assert_int_equal(prim_desc_next_impl(pd), i < 2 ? PRIM_SUCCESS : PRIM_LAST_IMPL_REACHED);
    }
    prim_desc_destroy(pd);

    static const impl_t *const picky[] = {&inner_picky, &inner_any, NULL};
    static const impl_t *const *const lists[PRIM_GPU + 1] = {[PRIM_CPU] = picky};
    inner_schema.lists = lists;
    pd = make_desc(fussy_list, 2, PRIM_SCRATCHPAD_LIBRARY);
    assert_string_equal(name_of(pd), "t:outer:any");
    assert_non_null(strstr(
            pd->declined, "t:outer:fussy: the nested problem has its generic implementation only"));
    prim_desc_destroy(pd);
}

static const char *identity(const prim_engine_t *of)
{
    (void)of;
    return "a device";
}

static void clones_and_keys_see_what_is_inside(void **state)
{
    (void)state;
    const engine_ops_t *const real_ops = engine->ops;
    engine_ops_t ops = *real_ops;
    ops.engine_identity = identity;
    engine->ops = &ops;
    prim_desc_t *const pd = make_desc(nesting_list, 2, PRIM_SCRATCHPAD_LIBRARY);
    prim_desc_t *const same = make_desc(nesting_list, 2, PRIM_SCRATCHPAD_LIBRARY);
    prim_desc_t *clone = NULL;
    assert_int_equal(prim_desc_clone(&clone, pd), PRIM_SUCCESS);
    assert_ptr_not_equal(clone->nested[FIRST], pd->nested[FIRST]);
    assert_true(prim__desc_equal(pd, same) && prim__desc_equal(pd, clone));
    assert_int_equal(pd->hash, same->hash);
    assert_memory_equal(pd->blob_id, same->blob_id, sizeof pd->blob_id);

    // The same in all but the implementation inside.
    assert_int_equal(prim_desc_next_impl(same), PRIM_SUCCESS);
    assert_string_equal(name_of(same), "t:outer:two+any");
    assert_true(pd->hash != same->hash);
    assert_true(pd->blob_id[0] != same->blob_id[0] && pd->blob_id[1] != same->blob_id[1]);
    same->hash = pd->hash; // equality must not rely on it
    assert_false(prim__desc_equal(pd, same));

    prim_desc_destroy(pd); // the clone has its own
    assert_string_equal(name_of(clone), "t:outer:two+fast");
    assert_int_equal(prim_desc_next_impl(clone), PRIM_SUCCESS);
    assert_string_equal(name_of(clone), "t:outer:two+any");
    prim_desc_destroy(clone);
    prim_desc_destroy(same);
    engine->ops = real_ops;
}

typedef struct {
    prim_t *primitive;
    prim_stream_t *stream;
    prim_memory_t *src, *dst, *operand, *scratchpad;
} rig_t;

static void rig_tensors(rig_t *rig, float first)
{
    prim_memory_desc_t src_md = problem_of(1).tensors[0].md;
    const prim_memory_desc_t md = fake_md("f32:a:50");
    rig->src = fake_memory(&src_md, engine);
    rig->dst = fake_memory(&md, engine);
    rig->operand = fake_memory(&md, engine);
    float values[START + N], addends[N];
    for (int i = 0; i < START + N; ++i) values[i] = i < START ? -1000 : first + (float)(i - START);
    for (int i = 0; i < N; ++i) addends[i] = (float)(100 * i);
    assert_int_equal(prim_memory_write(rig->src, values, sizeof values, 0), PRIM_SUCCESS);
    assert_int_equal(prim_memory_write(rig->operand, addends, sizeof addends, 0), PRIM_SUCCESS);
}

static void rig_init(rig_t *rig, prim_scratchpad_mode_t mode, unsigned flags)
{
    prim_desc_t *const pd = make_desc(nesting_list, 2, mode);
    memset(rig, 0, sizeof *rig);
    assert_int_equal(prim_create(&rig->primitive, pd), PRIM_SUCCESS);
    assert_int_equal(prim_stream_create(&rig->stream, engine, flags), PRIM_SUCCESS);
    if (mode == PRIM_SCRATCHPAD_USER) rig->scratchpad = fake_memory(&pd->scratchpad_md, engine);
    rig_tensors(rig, 0);
    prim_desc_destroy(pd);
}

static void rig_fini(rig_t *rig)
{
    prim_memory_destroy(rig->src);
    prim_memory_destroy(rig->dst);
    prim_memory_destroy(rig->operand);
    prim_memory_destroy(rig->scratchpad);
    prim_stream_destroy(rig->stream);
    prim_destroy(rig->primitive);
}

static prim_status_t rig_run(const rig_t *rig)
{
    const prim_arg_t args[] = {{PRIM_ARG_SRC, rig->src}, {PRIM_ARG_DST, rig->dst},
            {PRIM_ARG_ATTR_MULTIPLE_POST_OP(0) | PRIM_ARG_SRC_1, rig->operand},
            {PRIM_ARG_SCRATCHPAD, rig->scratchpad}};
    return prim_execute(rig->primitive, rig->stream, rig->scratchpad ? 4 : 3, args);
}

/// 2·(2·x + 1) + 1 + 100·i, for x = first + i
static void expect_result(const rig_t *rig, float first)
{
    float dst[N];
    assert_int_equal(prim_memory_read(rig->dst, dst, sizeof dst, 0), PRIM_SUCCESS);
    for (int i = 0; i < N; ++i)
        if (dst[i] != 4 * (first + (float)i) + 3 + (float)(100 * i)) atomic_fetch_add(&nwrong, 1);
}

static void scratchpads_lie_side_by_side(void **state)
{
    (void)state;
    static const prim_scratchpad_mode_t modes[] = {PRIM_SCRATCHPAD_LIBRARY, PRIM_SCRATCHPAD_USER};
    for (size_t i = 0; i < COUNT_OF(modes); ++i) {
        rig_t rig;
        rig_init(&rig, modes[i], PRIM_STREAM_IN_ORDER);
        // Two regions of the outer one, 200 bytes each, and one that the inner ones share.
        assert_int_equal(rig.primitive->pd->scratchpad_bytes, 256 + 256 + 200);
        for (int k = 0; k < 2; ++k) {
            assert_int_equal(rig.primitive->pd->nested[k]->scratchpad_bytes, 200);
            assert_int_equal(rig.primitive->pd->nested[k]->scratchpad_md.ndims, 0);
        }
        assert_int_equal(rig_run(&rig), PRIM_SUCCESS);
        expect_result(&rig, 0);
        rig_fini(&rig);
    }
}

static void equal_parents_are_one_primitive(void **state)
{
    (void)state;
    rig_t rig, other;
    rig_init(&rig, PRIM_SCRATCHPAD_LIBRARY, PRIM_STREAM_IN_ORDER);
    assert_int_equal(atomic_load(&ninner), 2);
    rig_init(&other, PRIM_SCRATCHPAD_LIBRARY, PRIM_STREAM_IN_ORDER);
    assert_ptr_equal(rig.primitive, other.primitive);
    assert_int_equal(atomic_load(&ninner), 2);
    rig_fini(&other);
    rig_fini(&rig);
    assert_int_equal(prim_set_primitive_cache_capacity(0), PRIM_SUCCESS);
    assert_int_equal(atomic_load(&ninner), 0); // they went with their parent
}

static void count_line(void *user, const char *line)
{
    int *const counts = user;
    counts[0] += strstr(line, "primitive,exec,cpu,eltwise,t:outer:two+fast,") != NULL;
    counts[1] += strstr(line, "primitive,exec") != NULL;
}

static void users_see_one_execution(void **state)
{
    (void)state;
    rig_t rig;
    rig_init(&rig, PRIM_SCRATCHPAD_LIBRARY, PRIM_STREAM_PROFILING);
    int counts[2] = {0}, ntimes = 0;
    assert_int_equal(prim_set_log_callback(count_line, counts), PRIM_SUCCESS);
    assert_int_equal(prim_set_verbose("profile_exec"), PRIM_SUCCESS);
    assert_int_equal(rig_run(&rig), PRIM_SUCCESS);
    assert_int_equal(prim_set_verbose("none"), PRIM_SUCCESS);
    assert_int_equal(prim_set_log_callback(NULL, NULL), PRIM_SUCCESS);
    assert_int_equal(counts[0], 1);
    assert_int_equal(counts[1], 1);
    assert_int_equal(prim_stream_get_profile(rig.stream, &ntimes, NULL), PRIM_SUCCESS);
    assert_int_equal(ntimes, 1);
    rig_fini(&rig);
}

static void recordings_capture_the_parent(void **state)
{
    (void)state;
    rig_t rig;
    rig_init(&rig, PRIM_SCRATCHPAD_LIBRARY, PRIM_STREAM_IN_ORDER);
    prim_recording_t *recording = NULL;
    int count = 0;
    assert_int_equal(prim_recording_begin(rig.stream), PRIM_SUCCESS);
    assert_int_equal(rig_run(&rig), PRIM_SUCCESS);
    assert_int_equal(prim_recording_end(&recording, rig.stream), PRIM_SUCCESS);
    assert_int_equal(prim_recording_get_count(recording, &count), PRIM_SUCCESS);
    assert_int_equal(count, 1);
    assert_int_equal(prim_recording_replay(recording, rig.stream, 0, NULL), PRIM_SUCCESS);
    expect_result(&rig, 0);
    prim_recording_destroy(recording);
    rig_fini(&rig);
}

static void an_empty_output_runs_nothing(void **state)
{
    (void)state;
    fake_problem_t problem = fake_problem(0);
    problem.op.alg_kind = PRIM_ELTWISE_LINEAR;
    prim_desc_t *const pd = fake_desc(nesting_list, &problem, engine, NULL);
    prim_t *primitive = NULL;
    assert_int_equal(prim_create(&primitive, pd), PRIM_SUCCESS);
    assert_int_equal(pd->nested_scratch_offset, 0);
    prim_destroy(primitive);
    prim_desc_destroy(pd);
}

enum { NTHREADS = 4, NROUNDS = 300 };

static void *run_often(void *argument)
{
    rig_t rig = *(const rig_t *)argument;
    static atomic_int next;
    const float first = (float)(10 * atomic_fetch_add(&next, 1));
    rig_tensors(&rig, first);
    for (int i = 0; i < NROUNDS; ++i) {
        if (rig_run(&rig) != PRIM_SUCCESS) atomic_fetch_add(&nwrong, 1);
        expect_result(&rig, first);
    }
    prim_memory_destroy(rig.src);
    prim_memory_destroy(rig.dst);
    prim_memory_destroy(rig.operand);
    return NULL;
}

static void many_threads_execute_one(void **state)
{
    (void)state;
    rig_t rig;
    pthread_t threads[NTHREADS];
    rig_init(&rig, PRIM_SCRATCHPAD_LIBRARY, PRIM_STREAM_IN_ORDER);
    for (int t = 0; t < NTHREADS; ++t)
        assert_int_equal(pthread_create(&threads[t], NULL, run_often, &rig), 0);
    for (int t = 0; t < NTHREADS; ++t) (void)pthread_join(threads[t], NULL);
    rig_fini(&rig);
}

/// A walk, a clone, a primitive; all of it is released.
static prim_status_t whole_life(const prim_attr_t *attr)
{
    const fake_problem_t problem = problem_of(2);
    prim_desc_t *pd = NULL, *clone = NULL;
    prim_t *primitive = NULL;
    prim_status_t st = prim__desc_create_from(
            &pd, outer_list, engine, NULL, &problem.op, problem.tensors, 2, attr);
    if (st == PRIM_SUCCESS) st = prim_desc_next_impl(pd);
    if (st == PRIM_SUCCESS) st = prim_desc_clone(&clone, pd);
    if (st == PRIM_SUCCESS) st = prim__primitive_create(&primitive, clone);
    prim_destroy(primitive);
    prim_desc_destroy(clone);
    prim_desc_destroy(pd);
    return st;
}

static void every_allocation_may_fail(void **state)
{
    (void)state;
    prim_attr_t *const attr = make_attr(PRIM_SCRATCHPAD_USER);
    const long before = outstanding;
    long nfailures = 0;
    prim_status_t st = PRIM_OUT_OF_MEMORY;
    for (; st != PRIM_SUCCESS; ++nfailures) {
        countdown = nfailures + 1;
        st = whole_life(attr);
        countdown = 0;
        assert_true(st == PRIM_SUCCESS || st == PRIM_OUT_OF_MEMORY);
        assert_int_equal(outstanding, before);
    }
    assert_true(nfailures > 40); // three descriptors each time, with their tensors and attributes
    prim_attr_destroy(attr);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    static const prim_allocator_t allocator = {.allocate = allocate, .release = release};
    if (prim_set_allocator(&allocator) != PRIM_SUCCESS) return 1;
    const struct CMUnitTest tests[] = {
            TEST(the_walk_goes_through_the_inner_list),
            TEST(nobody_inside_is_a_decline),
            TEST(slower_ones_inside_come_last),
            TEST(the_generic_one_inside_may_be_left_out),
            TEST(clones_and_keys_see_what_is_inside),
            TEST(scratchpads_lie_side_by_side),
            TEST(equal_parents_are_one_primitive),
            TEST(users_see_one_execution),
            TEST(recordings_capture_the_parent),
            TEST(an_empty_output_runs_nothing),
            TEST(many_threads_execute_one),
            TEST(every_allocation_may_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
