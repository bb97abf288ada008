// SPDX-License-Identifier: Apache-2.0
// The kernel cache on disk, whole: programs on fresh engines, with everything that can be wrong
// with the folder or an entry. Run with "worker <folder> <n>" it is the other process of some
// tests: it gets n programs, and its exit status is how many it had to build.
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "cache_rig.h"
#include "gpu/ocl/program/ocl_cache_guard.h"

static void the_second_time_is_from_disk(void **state)
{
    (void)state;
    cache_rig_expect(1, false, 0);
    assert_int_equal(cache_rig_count(".clbin"), 1);
    cache_rig_expect(1, true, 0);
    cache_rig_expect(2, false, 0); // other options
    assert_int_equal(cache_rig_count(".clbin"), 2);
    assert_int_equal(cache_rig_count(".loading") + cache_rig_count(".tmp"), 0);
}

static void off_keeps_nothing(void **state)
{
    (void)state;
    cache_rig_forget("");
    cache_rig_expect(1, false, 0);
    cache_rig_expect(1, false, 0);
    assert_int_equal(cache_rig_count(".clbin"), 0);
}

static void a_missing_folder_is_made(void **state)
{
    (void)state;
    char deep[512];
    snprintf(deep, sizeof deep, "%s/a/b/c", cache_rig_folder());
    cache_rig_forget(deep);
    cache_rig_expect(1, false, 0);
    cache_rig_expect(1, true, 0);
    struct stat status;
    assert_int_equal(stat(deep, &status), 0);
    assert_int_equal(status.st_mode & 0777, 0700);
}

// A folder that root cannot write to either: its path leads through a regular file.
static void a_barred_folder_costs_one_line(void **state)
{
    (void)state;
    char barred[600], file[512];
    snprintf(file, sizeof file, "%s/file", cache_rig_folder());
    cache_rig_write(file, "x", 1);
    snprintf(barred, sizeof barred, "%s/folder", file);
    cache_rig_forget(barred);
    cache_rig_expect(1, false, 1);
    assert_non_null(strstr(cache_log.last_warning, "the folder cannot be made or used"));
    cache_rig_expect(1, false, 0); // said once
    cache_rig_expect(2, false, 0);
    cache_rig_forget(file); // a file in place of the folder itself
    cache_rig_expect(1, false, 1);
}

// Puts `bytes` in place of the entry of program 1, expects one warning and a build, and the entry
// to be good again.
static void expect_repair(
        const char *path, const void *bytes, size_t nbytes, const char *part_of_warning)
{
    cache_rig_write(path, bytes, nbytes);
    cache_rig_forget(cache_rig_folder());
    cache_rig_expect(1, false, 1);
    if (!strstr(cache_log.last_warning, part_of_warning))
        fail_msg("\"%s\" lacks \"%s\"", cache_log.last_warning, part_of_warning);
    cache_rig_expect(1, true, 0);
}

static void truncated_entries_are_replaced(void **state)
{
    (void)state;
    cache_rig_run(1);
    char path[OCL_CACHE_PATH_BYTES];
    ocl_cache_key_t key = cache_rig_key(1, path);
    size_t nbytes = 0;
    unsigned char *const bytes = cache_rig_read(path, &nbytes);
    const size_t lengths[] = {0, 1, 8, 39, 40, 40 + key.bytes - 1, 40 + key.bytes,
            40 + key.bytes + 1, nbytes / 2, nbytes - 1};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; ++i)
        expect_repair(path, bytes, lengths[i], "is damaged");
    free(bytes);
    prim__ocl_cache_key_fini(&key);
}

static void flipped_bits_are_noticed(void **state)
{
    (void)state;
    cache_rig_run(1);
    char path[OCL_CACHE_PATH_BYTES];
    ocl_cache_key_t key = cache_rig_key(1, path);
    size_t nbytes = 0;
    unsigned char *const bytes = cache_rig_read(path, &nbytes);
    const struct {
        size_t at;
        const char *warning;
    } flips[] = {{0, "of another program or format"}, {8, "of another program or format"},
            {12, "of another program or format"}, {16, "is damaged"}, {24, "is damaged"},
            {32, "is damaged"}, {40, "is damaged"}, {40 + key.bytes, "is damaged"},
            {nbytes - 1, "is damaged"}};
    for (size_t i = 0; i < sizeof flips / sizeof flips[0]; ++i) {
        bytes[flips[i].at] ^= 0x10;
        expect_repair(path, bytes, nbytes, flips[i].warning);
        bytes[flips[i].at] ^= 0x10;
    }
    free(bytes);
    prim__ocl_cache_key_fini(&key);
}

static void entries_of_other_keys_are_not_taken(void **state)
{
    (void)state;
    char path[OCL_CACHE_PATH_BYTES], other_path[OCL_CACHE_PATH_BYTES];
    cache_rig_run(2);
    ocl_cache_key_t key = cache_rig_key(1, path), other = cache_rig_key(2, other_path);
    size_t nbytes = 0;
    unsigned char *const bytes = cache_rig_read(other_path, &nbytes);
    expect_repair(path, bytes, nbytes, "of another program or format");
    expect_repair(path, "no entry, but longer than the header of one", 43, "of another program");
    free(bytes);
    prim__ocl_cache_key_fini(&key);
    prim__ocl_cache_key_fini(&other);
}

// Something that is no file where the entry should be: it can neither be read nor replaced.
static void a_folder_in_place_of_an_entry(void **state)
{
    (void)state;
    char path[OCL_CACHE_PATH_BYTES], inner[OCL_CACHE_PATH_BYTES + 8];
    ocl_cache_key_t key = cache_rig_key(1, path);
    assert_int_equal(mkdir(path, 0700), 0);
    snprintf(inner, sizeof inner, "%s/file", path);
    cache_rig_write(inner, "x", 1);
    cache_rig_expect(1, false, 2);
    assert_non_null(strstr(cache_log.last_warning, "cannot be written"));
    assert_int_equal(cache_rig_count(".tmp"), 0);
    assert_int_equal(remove(inner), 0);
    assert_int_equal(remove(path), 0);
    assert_int_equal(mkfifo(path, 0600), 0); // nobody writes to it: opening it must not wait
    cache_rig_forget(cache_rig_folder());
    cache_rig_expect(1, false, 1);
    cache_rig_expect(1, true, 0);
    prim__ocl_cache_key_fini(&key);
}

static uint64_t bytes_of_entry(int n)
{
    char path[OCL_CACHE_PATH_BYTES];
    ocl_cache_key_t key = cache_rig_key(n, path);
    prim__ocl_cache_key_fini(&key);
    struct stat status;
    return stat(path, &status) == 0 ? (uint64_t)status.st_size : 0;
}

static void the_size_is_limited(void **state)
{
    (void)state;
    enum { NPROGRAMS = 4 };
    cache_rig_run(1);
    const uint64_t limit = 2 * bytes_of_entry(1); // binaries of a driver differ in size
    assert_int_equal(prim_set_cache_max_bytes(limit), PRIM_SUCCESS);
    for (int n = 2; n <= NPROGRAMS; ++n) {
        cache_rig_expect(n, false, 0);
        uint64_t sum = 0;
        for (int i = 1; i <= n; ++i) sum += bytes_of_entry(i);
        assert_true(sum <= limit && bytes_of_entry(n) > 0);
    }
    assert_true(cache_rig_count(".clbin") < NPROGRAMS);
    cache_rig_expect(NPROGRAMS, true, 0);
    assert_int_equal(prim_set_cache_max_bytes(100), PRIM_SUCCESS);
    cache_rig_expect(5, false, 1);
    assert_non_null(strstr(cache_log.last_warning, "larger than the whole cache"));
}

static void a_crash_is_not_repeated(void **state)
{
    (void)state;
    char path[OCL_CACHE_PATH_BYTES];
    ocl_cache_key_t key = cache_rig_key(1, path);
    cache_rig_run(1);
    cache_rig_die_while_loading(key.name);
    cache_rig_forget(cache_rig_folder());
    cache_rig_expect(1, false, 1);
    assert_non_null(strstr(cache_log.last_warning, "a process died while it loaded an entry"));
    assert_int_equal(cache_rig_count(".loading"), 0);
    cache_rig_expect(1, true, 0); // built anew, and kept
    cache_rig_die_while_loading(key.name);
    cache_rig_forget(cache_rig_folder());
    cache_rig_expect(1, false, 2);
    assert_non_null(strstr(cache_log.last_warning, "it is not kept any more"));
    assert_int_equal(cache_rig_count(".clbin"), 0);
    cache_rig_expect(1, false, 0);
    assert_int_equal(cache_rig_count(".clbin"), 0);
    cache_rig_expect(2, false, 0); // others are
    assert_int_equal(cache_rig_count(".clbin"), 1);
    prim__ocl_cache_key_fini(&key);
}

static void who_still_loads_has_not_crashed(void **state)
{
    (void)state;
    char path[OCL_CACHE_PATH_BYTES];
    ocl_cache_key_t key = cache_rig_key(1, path);
    cache_rig_run(1);
    ocl_cache_guard_t guard;
    assert_true(prim__ocl_cache_guard_enter(&guard, cache_rig_folder(), key.name));
    assert_int_equal(cache_rig_count(".loading"), 1);
    cache_rig_expect(1, true, 0);
    assert_int_equal(cache_rig_count(".loading"), 1);
    prim__ocl_cache_guard_leave(&guard);
    assert_int_equal(cache_rig_count(".loading"), 0);
    prim__ocl_cache_key_fini(&key);
}

static const char *self;

enum { NOBODY = 65534 };
static char driver_folder[] = "/tmp/prim_cache_driver_XXXXXX";

/// Becomes somebody for whom the folder is read-only: root may write everywhere. The driver, which
/// does not find its home then, gets a folder of its own.
static bool become_nobody(void)
{
    return setenv("POCL_CACHE_DIR", driver_folder, 1) == 0 && setenv("HOME", "/", 1) == 0 &&
           setgid(NOBODY) == 0 && setuid(NOBODY) == 0;
}

static pid_t start_worker_as(bool is_nobody, int nprograms)
{
    char count[16];
    snprintf(count, sizeof count, "%d", nprograms);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        if (is_nobody && !become_nobody()) _exit(126);
        execl(self, self, "worker", cache_rig_folder(), count, (char *)NULL);
        _exit(126);
    }
    return child;
}

static pid_t start_worker(int nprograms)
{
    return start_worker_as(false, nprograms);
}

static int end_worker(pid_t child)
{
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

// Drivers refuse rubbish politely (PoCL), or end the process (rusticl of Mesa 22); then the next
// one has to know better.
static void what_the_driver_refuses_is_replaced(void **state)
{
    (void)state;
    char path[OCL_CACHE_PATH_BYTES];
    ocl_cache_key_t key = cache_rig_key(1, path);
    assert_true(prim__ocl_cache_entry_write(path, &key, (const unsigned char *)"rubbish", 7));
    int status = 0;
    const pid_t child = start_worker(1);
    assert_int_equal(waitpid(child, &status, 0), child);
    if (WIFSIGNALED(status)) {
        cache_rig_expect(1, false, 1);
        assert_non_null(strstr(cache_log.last_warning, "a process died while it loaded an entry"));
    } else {
        assert_int_equal(WEXITSTATUS(status), 1 + 64); // built, with a warning
    }
    cache_rig_expect(1, true, 0);
    prim__ocl_cache_key_fini(&key);
}

static void a_second_process_builds_nothing(void **state)
{
    (void)state;
    assert_int_equal(end_worker(start_worker(3)), 3);
    assert_int_equal(end_worker(start_worker(3)), 0);
}

static void processes_share_the_folder(void **state)
{
    (void)state;
    enum { NPROCESSES = 3, NPROGRAMS = 4 };
    pid_t workers[NPROCESSES];
    for (int i = 0; i < NPROCESSES; ++i) workers[i] = start_worker(NPROGRAMS);
    for (int i = 0; i < NPROCESSES; ++i) assert_true(end_worker(workers[i]) <= NPROGRAMS);
    assert_int_equal(cache_rig_count(".clbin"), NPROGRAMS);
    assert_int_equal(cache_rig_count(".tmp") + cache_rig_count(".loading"), 0);
    assert_int_equal(end_worker(start_worker(NPROGRAMS)), 0);
}

// What is kept there serves, what is not costs one line. As root the reader is another user, and
// the folder is given to it.
static void a_read_only_folder_still_serves(void **state)
{
    (void)state;
    char path[OCL_CACHE_PATH_BYTES];
    ocl_cache_key_t key = cache_rig_key(1, path);
    cache_rig_run(1);
    char command[64];
    assert_non_null(mkdtemp(driver_folder));
    assert_int_equal(chmod(driver_folder, 0777), 0);
    assert_int_equal(chmod(path, 0444), 0);
    assert_int_equal(chmod(cache_rig_folder(), 0555), 0);
    const uid_t reader = geteuid() == 0 ? NOBODY : geteuid();
    assert_int_equal(chown(path, reader, (gid_t)-1), 0);
    assert_int_equal(chown(cache_rig_folder(), reader, (gid_t)-1), 0);
    const int status = end_worker(start_worker_as(geteuid() == 0, 2));
    assert_int_equal(chown(path, geteuid(), (gid_t)-1), 0);
    assert_int_equal(chown(cache_rig_folder(), geteuid(), (gid_t)-1), 0);
    assert_int_equal(chmod(cache_rig_folder(), 0700), 0);
    prim__ocl_cache_key_fini(&key);
    snprintf(command, sizeof command, "rm -r %s", driver_folder);
    assert_int_equal(system(command), 0);
    if (status == 126) {
        print_message("the test program is not for other users to run\n");
        skip();
    }
    assert_int_equal(status, 1 + 64); // the second program, with a warning
    assert_int_equal(cache_rig_count(".clbin"), 1);
    cache_rig_expect(1, true, 0);
}

static bool is_disk_full;

ssize_t __real_write(int fd, const void *bytes, size_t nbytes);
ssize_t __wrap_write(int fd, const void *bytes, size_t nbytes);

/// What the library writes with (the linker's --wrap): a limit on files would end the driver.
ssize_t __wrap_write(int fd, const void *bytes, size_t nbytes)
{
    if (!is_disk_full) return __real_write(fd, bytes, nbytes);
    if (nbytes > 100) return __real_write(fd, bytes, 100);
    errno = ENOSPC;
    return -1;
}

static void a_full_disk_costs_one_line(void **state)
{
    (void)state;
    is_disk_full = true;
    cache_rig_expect(3, false, 1);
    assert_non_null(strstr(cache_log.last_warning, "an entry cannot be written"));
    assert_non_null(strstr(cache_log.last_warning, strerror(ENOSPC)));
    assert_int_equal(cache_rig_count(".clbin") + cache_rig_count(".tmp"), 0);
    is_disk_full = false;
    cache_rig_expect(3, false, 0);
    is_disk_full = true; // no marker can be written either
    cache_rig_expect(3, true, 0);
    is_disk_full = false;
    assert_int_equal(cache_rig_count(".loading"), 0);
}

static int work(const char *folder, int nprograms)
{
    cache_rig_listen();
    cache_rig_forget(folder);
    for (int n = 1; n <= nprograms; ++n) cache_rig_run(n);
    return cache_log.nsource + 64 * cache_log.nwarn;
}

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc == 4 && strcmp(argv[1], "worker") == 0) return work(argv[2], atoi(argv[3]));
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, cache_rig_open, cache_rig_close)
    const struct CMUnitTest tests[] = {
            IN_FOLDER(the_second_time_is_from_disk),
            IN_FOLDER(off_keeps_nothing),
            IN_FOLDER(a_missing_folder_is_made),
            IN_FOLDER(a_barred_folder_costs_one_line),
            IN_FOLDER(truncated_entries_are_replaced),
            IN_FOLDER(flipped_bits_are_noticed),
            IN_FOLDER(entries_of_other_keys_are_not_taken),
            IN_FOLDER(a_folder_in_place_of_an_entry),
            IN_FOLDER(the_size_is_limited),
            IN_FOLDER(a_crash_is_not_repeated),
            IN_FOLDER(who_still_loads_has_not_crashed),
            IN_FOLDER(what_the_driver_refuses_is_replaced),
            IN_FOLDER(a_second_process_builds_nothing),
            IN_FOLDER(processes_share_the_folder),
            IN_FOLDER(a_read_only_folder_still_serves),
            IN_FOLDER(a_full_disk_costs_one_line),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
