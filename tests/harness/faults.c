// SPDX-License-Identifier: Apache-2.0
// faults [part of a name [step [offset]]]: whole lives of OpenCL engines, those of the runtime and
// one of each scenario, in which the n-th OpenCL call fails, n = 1, 2, … until a life passes
// without a failure; once with the code that suits the call and once with CL_OUT_OF_HOST_MEMORY.
// Where lives are slow, n = 1, 1 + step, … with the first code and those halfway between with the
// second: with a step of 2 each call fails once, and with an offset of 1 beside it once with the
// other code. `quick` stands for all names but those of long lives. Each time
// - the function of the library that met the failure says success and is right all the same, or
//   fails with the status that the code asks for and a sentence that names the call;
// - the same call, made again, succeeds, and the life goes on to the right results;
// - at the end neither OpenCL objects nor memory are left.
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "faults_life.h"
#include "ocl_faults.h"

static atomic_long outstanding; ///< allocated and not yet released

static void *counted_allocate(void *user, size_t bytes, size_t alignment)
{
    (void)user;
    void *const pointer = aligned_alloc(alignment, (bytes + alignment - 1) / alignment * alignment);
    if (pointer) ++outstanding;
    return pointer;
}

static void counted_release(void *user, void *pointer)
{
    (void)user;
    --outstanding;
    free(pointer);
}

/// What the library has to make of a code.
static bool is_right_status(prim_status_t st, const char *failed, cl_int code)
{
    const bool is_query = strcmp(failed, "clGetPlatformIDs") == 0 ||
                          strcmp(failed, "clGetDeviceIDs") == 0 ||
                          strcmp(failed, "clGetDeviceInfo") == 0;
    // A device that does not answer is none, and engine 0 of none is the caller's mistake.
    if (is_query && st == PRIM_INVALID_ARGUMENTS)
        return strstr(prim_last_error(), "does not exist") != NULL;
    // A binary that the driver refuses is the blob's fault.
    if (st == PRIM_INVALID_ARGUMENTS && strstr(prim_last_error(), "the driver refuses"))
        return code == CL_INVALID_BINARY || code == CL_BUILD_PROGRAM_FAILURE;
    const bool is_memory =
            code == CL_OUT_OF_HOST_MEMORY || code == CL_MEM_OBJECT_ALLOCATION_FAILURE;
    // CL_OUT_OF_RESOURCES may be either: it depends on what the call was to do.
    if (st == PRIM_OUT_OF_MEMORY) return is_memory || code == CL_OUT_OF_RESOURCES;
    return st == PRIM_RUNTIME_ERROR && !is_memory;
}

static bool is_right_failure(
        const char *life_name, const char *step_name, prim_status_t st, const char *failed)
{
    const char *const sentence = prim_last_error();
    const cl_int code = ocl_faults_code();
    if (is_right_status(st, failed, code) &&
            (st == PRIM_INVALID_ARGUMENTS || strstr(sentence, failed)))
        return true;
    printf("%s, %s: %s failed with %d, and the status is %s (%s)\n", life_name, step_name, failed,
            code, prim_status_name(st), sentence);
    return false;
}

typedef enum { UNTOUCHED, SURVIVED, BAD } verdict_t;

static bool complain(const char *name, const char *step, const char *failed, const char *what)
{
    printf("%s, %s: after a failure of %s %s (%s)\n", name, step, failed ? failed : "nothing", what,
            prim_last_error());
    return false;
}

/// One step, and once more if the failure made it fail. `*failed` is the call that has failed.
static bool step_is_right(
        life_t *life, const life_kind_t *kind, const step_t *step, const char **failed)
{
    const char *const failed_before = *failed;
    const prim_status_t st = step->run(life);
    if (!*failed && ocl_faults_failed()) *failed = ocl_faults_disarm();
    if (st == PRIM_SUCCESS) return true; // what it made is compared at the end
    if (!*failed || failed_before)
        return complain(kind->name, step->name, *failed, "a later step fails");
    if (!is_right_failure(kind->name, step->name, st, *failed)) return false;
    if (step->run(life) == PRIM_SUCCESS) return true;
    return complain(kind->name, step->name, *failed, "the second try fails too");
}

static bool nothing_is_left(const char *name, const char *failed)
{
    char text[256];
    if (ocl_faults_live(text, sizeof text) == 0 && outstanding == 0) return true;
    printf("%s: after a failure of %s: %s; %ld allocations are left\n", name,
            failed ? failed : "nothing", text, (long)outstanding);
    return false;
}

/// Runs a life whose n-th call fails.
static verdict_t run_life(const life_kind_t *kind, long n, cl_int code, uint64_t *expected)
{
    life_t life = {.kind = kind};
    const char *failed = NULL;
    bool is_good = kind->prepare ? kind->prepare(&life) : true;
    for (const step_t *step = kind->steps; is_good && step->run; ++step) {
        if (step == kind->steps + kind->first_step)
            ocl_faults_arm(&(ocl_fault_t){.nth = n, .code = code});
        is_good = step_is_right(&life, kind, step, &failed);
    }
    life_end(&life); // may meet the failure too
    const char *const failed_at_end = ocl_faults_disarm();
    if (!failed) failed = failed_at_end;
    if (kind->finish) kind->finish(&life);
    if (is_good && *expected == 0) *expected = life.sum;
    if (is_good && life.sum != *expected)
        is_good = complain(kind->name, "the results", failed, "are wrong");
    // A broken life ends the test, and what it leaves is its own fault.
    if (is_good) is_good = nothing_is_left(kind->name, failed);
    if (!is_good) return BAD;
    return failed ? SURVIVED : UNTOUCHED;
}

/// Number of calls that failed, from `first` on, until none did; -1 when one was not survived.
static long survived(
        const life_kind_t *kind, long first, long step, cl_int code, uint64_t *expected)
{
    enum { MAX_CALLS = 5000 };
    for (long n = first; n < MAX_CALLS; n += step) {
        const verdict_t verdict = run_life(kind, n, code, expected);
        if (verdict == BAD) printf("%s: call %ld\n", kind->name, n);
        if (verdict != SURVIVED) return verdict == BAD ? -1 : (n - first) / step;
    }
    return -1;
}

/// One life without a failure: fills caches, and says what is right.
static bool first_life(const life_kind_t *kind, uint64_t *expected)
{
    return run_life(kind, 0, 0, expected) == UNTOUCHED && *expected != 0;
}

static double now_s(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool check(const life_kind_t *kind, long step, long offset)
{
    uint64_t expected = 0;
    const double start = now_s();
    bool is_good = first_life(kind, &expected);
    const long suited = is_good ? survived(kind, 1 + offset, step, 0, &expected) : -1;
    const long halfway = (offset + step / 2) % step;
    const long memory =
            suited > 0 ? survived(kind, 1 + halfway, step, CL_OUT_OF_HOST_MEMORY, &expected) : -1;
    is_good = suited > 0 && memory > 0;
    printf("%-4s %s: survived %ld and %ld failing calls, %.1f s\n", is_good ? "ok" : "BAD",
            kind->name, suited, memory, now_s() - start);
    fflush(stdout);
    return is_good;
}

static int npassed, nfailed;

/// A life whose name has the part; without one or with `quick`, all that are not long.
static void check_if_wanted(const life_kind_t *kind, const char *part, long step, long offset)
{
    if (part ? !strstr(kind->name, part) : strncmp(kind->name, "long", 4) == 0) return;
    const bool is_good = check(kind, step, offset);
    npassed += is_good;
    nfailed += !is_good;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type, (void)where;
    return remove(path);
}

int main(int argc, char **argv)
{
    const prim_allocator_t allocator = {counted_allocate, counted_release, NULL};
    char folder[] = "/tmp/prim_faults_XXXXXX";
    // Primitives in the cache would outlive the life that is checked for leaks.
    if (!mkdtemp(folder) || prim_set_cache_dir(folder) != PRIM_SUCCESS ||
            prim_set_allocator(&allocator) != PRIM_SUCCESS ||
            prim_set_primitive_cache_capacity(0) != PRIM_SUCCESS ||
            prim_set_verbose("none") != PRIM_SUCCESS) {
        printf("%s\n", prim_last_error());
        return 2;
    }
    if (!scenarios_read(PRIM_GPU)) return 2;
    const long step = argc > 2 ? atol(argv[2]) : 1, offset = argc > 3 ? atol(argv[3]) : 0;
    const char *const part = argc > 1 && strcmp(argv[1], "quick") != 0 ? argv[1] : NULL;
    for (const life_kind_t *kind = life_kinds; kind->name; ++kind)
        check_if_wanted(kind, part, step, offset);
    for (int i = 0; i < nscenarios; ++i) {
        life_kind_t kind = life_of_scenario;
        kind.name = kind.scenario = scenarios[i].name;
        check_if_wanted(&kind, part, step, offset);
    }
    nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    printf("%d passed, %d failed\n", npassed, nfailed);
    return nfailed != 0 || npassed == 0;
}
