// SPDX-License-Identifier: Apache-2.0
// The pool of buffers on the first device: fit, waste, reuse only after the queues, limit, numbers.
#define _POSIX_C_SOURCE 200809L
#include "gpu/ocl/memory/ocl_buffer_pool.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "gpu/ocl/device/ocl_engine.h"
#include "ocl_rig.h"

enum { KIB = 1 << 10, MIB = 1 << 20 };

// A pool with one queue, whose work waits for `gate` once it is shut.
typedef struct {
    cl_context context;
    cl_device_id device;
    ocl_buffer_pool_t *pool;
    cl_command_queue queue;
    ocl_watched_queue_t watched;
    cl_event gate;
} fixture_t;

static cl_command_queue new_queue(const fixture_t *f)
{
    cl_int code = CL_SUCCESS;
    const cl_command_queue queue = clCreateCommandQueue(f->context, f->device, 0, &code);
    assert_int_equal(code, CL_SUCCESS);
    return queue;
}

static void open_fixture(fixture_t *f, void **state)
{
    const ocl_rig_t *const rig = *state;
    const ocl_engine_t *const engine = prim__ocl_engine(rig->engine);
    *f = (fixture_t){.context = engine->context, .device = engine->device.id};
    assert_int_equal(prim__ocl_buffer_pool_create(&f->pool, f->context, &engine->device), 0);
    f->queue = new_queue(f);
    prim__ocl_buffer_pool_add_queue(f->pool, &f->watched, f->queue);
}

static void close_fixture(fixture_t *f)
{
    assert_int_equal(clFinish(f->queue), CL_SUCCESS);
    prim__ocl_buffer_pool_remove_queue(f->pool, &f->watched, true);
    clReleaseCommandQueue(f->queue);
    prim__ocl_buffer_pool_destroy(f->pool);
}

static cl_mem acquire(const fixture_t *f, size_t bytes)
{
    cl_mem buffer = NULL;
    if (prim__ocl_buffer_pool_acquire(&buffer, f->pool, bytes) != PRIM_SUCCESS)
        fail_msg("%s", prim_last_error());
    return buffer;
}

static void release(const fixture_t *f, cl_mem buffer)
{
    prim__ocl_buffer_pool_release(f->pool, buffer);
}

static void finish(fixture_t *f)
{
    const uint64_t moment = prim__ocl_buffer_pool_now(f->pool);
    assert_int_equal(clFinish(f->queue), CL_SUCCESS);
    prim__ocl_buffer_pool_queue_passed(f->pool, &f->watched, moment);
}

// Buffers of these sizes at rest, which no queue uses any more.
static void rest(fixture_t *f, const size_t *bytes, int n)
{
    cl_mem buffers[8];
    for (int i = 0; i < n; ++i) buffers[i] = acquire(f, bytes[i]);
    for (int i = 0; i < n; ++i) release(f, buffers[i]);
    finish(f);
}

static prim_memory_stats_t stats_of(const fixture_t *f)
{
    prim_memory_stats_t stats;
    prim__ocl_buffer_pool_get_stats(f->pool, &stats);
    return stats;
}

static size_t size_of(cl_mem buffer)
{
    size_t bytes = 0;
    assert_int_equal(
            clGetMemObjectInfo(buffer, CL_MEM_SIZE, sizeof bytes, &bytes, NULL), CL_SUCCESS);
    return bytes;
}

static void new_buffers_have_the_size_asked_for(void **state)
{
    static const size_t sizes[] = {1, 100, 4096, 1000003};
    fixture_t f;
    open_fixture(&f, state);
    for (int i = 0; i < 4; ++i) {
        const cl_mem buffer = acquire(&f, sizes[i]);
        assert_int_equal(size_of(buffer), sizes[i]);
        release(&f, buffer);
        prim__ocl_buffer_pool_trim(f.pool);
    }
    close_fixture(&f);
}

static void the_best_fit_within_the_bound_is_taken(void **state)
{
    static const size_t resting[] = {MIB, 1100 * KIB, 2 * MIB, 1150 * KIB, 6 * KIB};
    static const struct {
        size_t asked, given;
    } cases[] = {{MIB, MIB}, {MIB - 1, MIB}, {MIB + 1, 1100 * KIB}, {1024, 1024},
            {2 * KIB, 6 * KIB}, {1100 * KIB + 1, 1150 * KIB}, {1500 * KIB, 1500 * KIB},
            {1900 * KIB, 2 * MIB},
            // an eighth of it, and one byte more than an eighth
            {1864136, 2 * MIB}, {1864135, 1864135}, {2 * MIB + 1, 2 * MIB + 1}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; ++i) {
        fixture_t f;
        open_fixture(&f, state);
        rest(&f, resting, 5);
        const cl_mem buffer = acquire(&f, cases[i].asked);
        assert_int_equal(size_of(buffer), cases[i].given);
        const prim_memory_stats_t stats = stats_of(&f);
        assert_int_equal(stats.in_use_bytes, cases[i].given);
        assert_int_equal(stats.requested_bytes, cases[i].asked);
        assert_int_equal(stats.nreused, cases[i].given != cases[i].asked || cases[i].asked == MIB);
        release(&f, buffer);
        close_fixture(&f);
    }
}

static void shut_gate(fixture_t *f)
{
    cl_int code = CL_SUCCESS;
    f->gate = clCreateUserEvent(f->context, &code);
    assert_int_equal(code, CL_SUCCESS);
    assert_int_equal(clEnqueueMarkerWithWaitList(f->queue, 1, &f->gate, NULL), CL_SUCCESS);
}

static void open_gate(fixture_t *f)
{
    assert_int_equal(clSetUserEventStatus(f->gate, CL_COMPLETE), CL_SUCCESS);
    clReleaseEvent(f->gate);
}

static void buffers_under_way_are_not_given_out(void **state)
{
    fixture_t f;
    open_fixture(&f, state);
    const cl_uint seven = 7;
    const cl_mem first = acquire(&f, MIB);
    shut_gate(&f);
    assert_int_equal(
            clEnqueueFillBuffer(f.queue, first, &seven, sizeof seven, 0, MIB, 0, NULL, NULL),
            CL_SUCCESS);
    release(&f, first);
    for (int round = 0; round < 3; ++round) { // the marker of the first round is asked again
        const cl_mem second = acquire(&f, MIB);
        assert_ptr_not_equal(second, first);
        release(&f, second);
    }
    open_gate(&f);
    finish(&f);
    const cl_mem third = acquire(&f, MIB);
    assert_true(stats_of(&f).nreused == 1);
    release(&f, third);
    close_fixture(&f);
}

// Nobody told the pool: markers in the queue do.
static void markers_tell_that_a_queue_is_past(void **state)
{
    fixture_t f;
    open_fixture(&f, state);
    const cl_mem first = acquire(&f, MIB);
    shut_gate(&f);
    release(&f, first);
    const cl_mem second = acquire(&f, MIB); // enqueues the marker
    assert_ptr_not_equal(second, first);
    open_gate(&f);
    assert_int_equal(clFinish(f.queue), CL_SUCCESS);
    // Some drivers set the marker's state a little after clFinish().
    const struct timespec millisecond = {0, 1000000};
    for (int i = 0; i < 1000 && stats_of(&f).nreused == 0; ++i) {
        release(&f, acquire(&f, MIB));
        nanosleep(&millisecond, NULL);
    }
    assert_int_equal(stats_of(&f).nreused, 1);
    release(&f, second);
    close_fixture(&f);
}

static void every_queue_counts(void **state)
{
    fixture_t f;
    open_fixture(&f, state);
    const cl_mem first = acquire(&f, MIB);
    shut_gate(&f);
    ocl_watched_queue_t other = {.next = NULL};
    const cl_command_queue queue = new_queue(&f);
    prim__ocl_buffer_pool_add_queue(f.pool, &other, queue);
    release(&f, first);
    const uint64_t moment = prim__ocl_buffer_pool_now(f.pool);
    prim__ocl_buffer_pool_queue_passed(f.pool, &other, moment);
    const cl_mem second = acquire(&f, MIB); // the first queue has not passed
    assert_ptr_not_equal(second, first);
    // A queue that goes was finished, and does not count any more.
    open_gate(&f);
    finish(&f);
    prim__ocl_buffer_pool_remove_queue(f.pool, &other, true);
    const cl_mem third = acquire(&f, MIB);
    assert_ptr_equal(third, first);
    release(&f, second);
    release(&f, third);
    clReleaseCommandQueue(queue);
    close_fixture(&f);
}

// What may still be used by commands of a queue that could not be finished is given up.
static void a_lost_queue_takes_its_buffers_along(void **state)
{
    fixture_t f;
    open_fixture(&f, state);
    ocl_watched_queue_t lost = {.next = NULL};
    const cl_command_queue queue = new_queue(&f);
    prim__ocl_buffer_pool_add_queue(f.pool, &lost, queue);
    const cl_mem in_use = acquire(&f, 2 * MIB);
    rest(&f, (const size_t[]){MIB}, 1);
    prim__ocl_buffer_pool_remove_queue(f.pool, &lost, false);
    assert_int_equal(stats_of(&f).nidle_buffers, 0);
    assert_int_equal(stats_of(&f).reserved_bytes, 2 * MIB);
    release(&f, in_use);
    assert_int_equal(stats_of(&f).reserved_bytes, 0);
    clReleaseCommandQueue(queue);
    close_fixture(&f);
}

static void shared_buffers_are_not_used_again(void **state)
{
    fixture_t f;
    open_fixture(&f, state);
    const cl_mem shared = acquire(&f, MIB);
    prim__ocl_buffer_pool_share(f.pool, shared);
    assert_int_equal(clRetainMemObject(shared), CL_SUCCESS);
    release(&f, shared);
    assert_int_equal(stats_of(&f).reserved_bytes, 0);
    assert_int_equal(size_of(shared), MIB); // the application's reference holds
    clReleaseMemObject(shared);
    prim__ocl_buffer_pool_share(f.pool, NULL); // not the pool's
    close_fixture(&f);
}

static void what_is_held_stays_within_the_peak(void **state)
{
    fixture_t f;
    open_fixture(&f, state);
    rest(&f, (const size_t[]){40 * MIB, 10 * MIB}, 2);
    assert_int_equal(stats_of(&f).reserved_bytes, 50 * MIB);
    const cl_mem a = acquire(&f, 20 * MIB); // the oldest goes for it
    assert_int_equal(stats_of(&f).reserved_bytes, 30 * MIB);
    assert_int_equal(stats_of(&f).nidle_buffers, 1);
    const cl_mem b = acquire(&f, 30 * MIB);
    assert_int_equal(stats_of(&f).reserved_bytes, 50 * MIB);
    release(&f, a);
    release(&f, b);
    assert_int_equal(stats_of(&f).peak_in_use_bytes, 50 * MIB);
    assert_int_equal(stats_of(&f).peak_reserved_bytes, 50 * MIB);

    prim__ocl_buffer_pool_trim(f.pool);
    prim_memory_stats_t stats = stats_of(&f);
    assert_int_equal(stats.reserved_bytes, 0);
    assert_int_equal(stats.nidle_buffers, 0);
    assert_int_equal(stats.peak_in_use_bytes, 0);
    assert_int_equal(stats.peak_reserved_bytes, 0);
    // Small ones may rest whatever the peak was.
    for (int i = 0; i < 8; ++i) release(&f, acquire(&f, (size_t)(i + 1) * 512 * KIB));
    stats = stats_of(&f);
    assert_int_equal(stats.nidle_buffers, 8);
    assert_int_equal(stats.reserved_bytes, 18 * MIB);
    assert_int_equal(stats.peak_in_use_bytes, 4 * MIB);
    close_fixture(&f);
}

static void expect_refusal(const fixture_t *f, size_t bytes, const char *sentence)
{
    const prim_memory_stats_t before = stats_of(f);
    cl_mem buffer = NULL;
    assert_int_equal(prim__ocl_buffer_pool_acquire(&buffer, f->pool, bytes), PRIM_OUT_OF_MEMORY);
    assert_null(buffer);
    if (!strstr(prim_last_error(), sentence))
        fail_msg("\"%s\" lacks \"%s\"", prim_last_error(), sentence);
    const prim_memory_stats_t after = stats_of(f);
    assert_memory_equal(&after, &before, sizeof after);
}

static void the_limit_holds(void **state)
{
    fixture_t f;
    open_fixture(&f, state);
    prim__ocl_buffer_pool_set_limit(f.pool, 3 * MIB);
    assert_int_equal(stats_of(&f).limit_bytes, 3 * MIB);
    const cl_mem a = acquire(&f, 2 * MIB);
    expect_refusal(&f, MIB + 1,
            "1048577 bytes beside the 2097152 in use exceed the engine's "
            "memory limit of 3145728 bytes");
    const cl_mem b = acquire(&f, MIB);
    expect_refusal(&f, 1, "limit");
    release(&f, b);
    const cl_mem c = acquire(&f, 512 * KIB); // b must go, whether its queue has passed or not
    assert_int_equal(stats_of(&f).reserved_bytes, 2 * MIB + 512 * KIB);
    release(&f, c);
    prim__ocl_buffer_pool_set_limit(f.pool, MIB); // what is in use stays
    assert_int_equal(stats_of(&f).reserved_bytes, 2 * MIB);
    expect_refusal(&f, 1, "limit");
    prim__ocl_buffer_pool_set_limit(f.pool, 0);
    release(&f, acquire(&f, 4 * MIB));
    release(&f, a);
    close_fixture(&f);
}

static void the_device_is_the_last_limit(void **state)
{
    const ocl_rig_t *const rig = *state;
    const size_t largest = (size_t)prim__ocl_engine(rig->engine)->device.max_allocation_bytes;
    fixture_t f;
    open_fixture(&f, state);
    expect_refusal(&f, largest + 1, "are more than the device allocates at once");
    expect_refusal(&f, SIZE_MAX, "18446744073709551615 bytes");
    assert_int_equal(prim__ocl_buffer_pool_book(f.pool, largest + 1), PRIM_OUT_OF_MEMORY);
    close_fixture(&f);
}

static void other_memory_is_booked(void **state)
{
    fixture_t f;
    open_fixture(&f, state);
    prim__ocl_buffer_pool_set_limit(f.pool, 3 * MIB);
    assert_int_equal(prim__ocl_buffer_pool_book(f.pool, 2 * MIB), PRIM_SUCCESS);
    prim_memory_stats_t stats = stats_of(&f);
    assert_int_equal(stats.in_use_bytes, 2 * MIB);
    assert_int_equal(stats.reserved_bytes, 2 * MIB);
    assert_int_equal(stats.nbuffers, 0);
    assert_int_equal(prim__ocl_buffer_pool_book(f.pool, 2 * MIB), PRIM_OUT_OF_MEMORY);
    expect_refusal(&f, 2 * MIB, "limit");
    prim__ocl_buffer_pool_unbook(f.pool, 2 * MIB);
    stats = stats_of(&f);
    assert_int_equal(stats.in_use_bytes, 0);
    assert_int_equal(stats.reserved_bytes, 0);
    assert_int_equal(stats.peak_in_use_bytes, 2 * MIB);
    close_fixture(&f);
}

enum { NTHREADS = 4, NROUNDS = 300, NWORDS = 1024 };

typedef struct {
    fixture_t *f;
    unsigned seed;
    int nfailures;
} worker_t;

// Fills a buffer, reads it back and lets go of it, all without waiting: a buffer that went to
// another thread's queue too early would be read with the wrong words.
static void *fill_and_read(void *arg)
{
    worker_t *const w = arg;
    static _Thread_local cl_uint read[NROUNDS][2];
    cl_int code = CL_SUCCESS;
    ocl_watched_queue_t watched = {.next = NULL};
    const cl_command_queue queue = clCreateCommandQueue(w->f->context, w->f->device, 0, &code);
    if (code != CL_SUCCESS) return &w->nfailures;
    prim__ocl_buffer_pool_add_queue(w->f->pool, &watched, queue);
    for (cl_uint i = 0; i < NROUNDS; ++i) {
        const cl_uint word = w->seed + i;
        const size_t bytes = NWORDS * sizeof(cl_uint) * (1 + i % 3);
        cl_mem buffer = NULL;
        if (prim__ocl_buffer_pool_acquire(&buffer, w->f->pool, bytes) != PRIM_SUCCESS) {
            ++w->nfailures;
            continue;
        }
        w->nfailures += clEnqueueFillBuffer(queue, buffer, &word, sizeof word, 0, bytes, 0, NULL,
                                NULL) != CL_SUCCESS;
        w->nfailures += clEnqueueReadBuffer(queue, buffer, CL_FALSE, 0, 4, &read[i][0], 0, NULL,
                                NULL) != CL_SUCCESS;
        w->nfailures += clEnqueueReadBuffer(queue, buffer, CL_FALSE, bytes - 4, 4, &read[i][1], 0,
                                NULL, NULL) != CL_SUCCESS;
        prim__ocl_buffer_pool_release(w->f->pool, buffer);
        if (i % 7 == 0) clFlush(queue);
    }
    clFinish(queue);
    prim__ocl_buffer_pool_remove_queue(w->f->pool, &watched, true);
    clReleaseCommandQueue(queue);
    for (cl_uint i = 0; i < NROUNDS; ++i)
        w->nfailures += read[i][0] != w->seed + i || read[i][1] != w->seed + i;
    return NULL;
}

static void threads_do_not_mix_buffers(void **state)
{
    fixture_t f;
    open_fixture(&f, state);
    pthread_t threads[NTHREADS];
    worker_t workers[NTHREADS];
    for (unsigned i = 0; i < NTHREADS; ++i) {
        workers[i] = (worker_t){.f = &f, .seed = (i + 1) * 1000000};
        assert_int_equal(pthread_create(&threads[i], NULL, fill_and_read, &workers[i]), 0);
    }
    for (int i = 0; i < NTHREADS; ++i) {
        void *early = NULL;
        pthread_join(threads[i], &early);
        assert_null(early);
        assert_int_equal(workers[i].nfailures, 0);
    }
    // Where the device was slow no buffer was past before; all are now.
    cl_mem buffer = NULL;
    assert_int_equal(
            prim__ocl_buffer_pool_acquire(&buffer, f.pool, NWORDS * sizeof(cl_uint)), PRIM_SUCCESS);
    prim__ocl_buffer_pool_release(f.pool, buffer);
    const prim_memory_stats_t stats = stats_of(&f);
    assert_int_equal(stats.in_use_bytes, 0);
    assert_int_equal(stats.ncreated + stats.nreused, NTHREADS * NROUNDS + 1);
    assert_true(stats.nreused > 0);
    close_fixture(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(new_buffers_have_the_size_asked_for),
            cmocka_unit_test(the_best_fit_within_the_bound_is_taken),
            cmocka_unit_test(buffers_under_way_are_not_given_out),
            cmocka_unit_test(markers_tell_that_a_queue_is_past),
            cmocka_unit_test(every_queue_counts),
            cmocka_unit_test(a_lost_queue_takes_its_buffers_along),
            cmocka_unit_test(shared_buffers_are_not_used_again),
            cmocka_unit_test(what_is_held_stays_within_the_peak),
            cmocka_unit_test(the_limit_holds),
            cmocka_unit_test(the_device_is_the_last_limit),
            cmocka_unit_test(other_memory_is_booked),
            cmocka_unit_test(threads_do_not_mix_buffers),
    };
    return cmocka_run_group_tests(tests, ocl_rig_open, ocl_rig_close);
}
