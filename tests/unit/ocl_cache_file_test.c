// SPDX-License-Identifier: Apache-2.0
// The files of the kernel cache without a device: keys, every bit of an entry, concurrent writers,
// a full disk, time of use, and the order of eviction.
#define _XOPEN_SOURCE 700
#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/fnv.h"
#include "gpu/ocl/program/ocl_cache_entry.h"
#include "gpu/ocl/program/ocl_cache_trim.h"

static char folder[64];
static const ocl_source_t source = {"stem", "text", 4};

static int open_folder(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/prim_cache_file_XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int close_folder(void **state)
{
    (void)state;
    prim__ocl_cache_trim(folder, 0, NULL);
    return rmdir(folder); // fails the test if anything else was left
}

static ocl_cache_key_t make_key(const char *device, const ocl_source_t *of, const char *options)
{
    ocl_cache_key_t key;
    assert_true(prim__ocl_cache_key_init(&key, device, of, options));
    return key;
}

// Values computed by the definition, with integers of any length, in another language.
static void hashes_have_known_values(void **state)
{
    (void)state;
    assert_true(prim__fnv64(FNV64_START, "foobar", 6) == UINT64_C(0x85944171f73967e8));
    ocl_cache_key_t key = make_key("device\n", &source, "-DA=1");
    assert_int_equal(key.bytes, 37);
    assert_memory_equal(key.text, "device\noptions -DA=1\nsource stem\ntext", 37);
    assert_string_equal(key.name, "b12b9f3d77fe32dbfc546b7c6c9b084a");
    prim__ocl_cache_key_fini(&key);
}

static void every_part_makes_another_name(void **state)
{
    (void)state;
    const ocl_source_t other_name = {"stem2", "text", 4}, other_text = {"stem", "texu", 4};
    ocl_cache_key_t keys[] = {make_key("d", &source, "-DA"), make_key("e", &source, "-DA"),
            make_key("d", &source, "-DB"), make_key("d", &other_name, "-DA"),
            make_key("d", &other_text, "-DA")};
    enum { NKEYS = sizeof keys / sizeof keys[0] };
    for (int i = 0; i < NKEYS; ++i) {
        assert_int_equal(strlen(keys[i].name), 32);
        for (int j = 0; j < i; ++j) assert_string_not_equal(keys[i].name, keys[j].name);
    }
    for (int i = 0; i < NKEYS; ++i) prim__ocl_cache_key_fini(&keys[i]);
}

static void write_file(const char *path, const void *bytes, size_t nbytes)
{
    const int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0600);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, bytes, nbytes), (ssize_t)nbytes);
    close(fd);
}

static void every_flipped_bit_and_every_cut_is_noticed(void **state)
{
    (void)state;
    enum { BINARY_BYTES = 100, ROOM = 1024 };
    unsigned char binary[BINARY_BYTES], bytes[ROOM];
    for (int i = 0; i < BINARY_BYTES; ++i) binary[i] = (unsigned char)(i * 37);
    ocl_cache_key_t key = make_key("device", &source, "-DA");
    char path[OCL_CACHE_PATH_BYTES];
    prim__ocl_cache_path(path, folder, key.name, ".clbin");
    ocl_cache_entry_t entry;
    assert_int_equal(prim__ocl_cache_entry_read(&entry, path, &key), OCL_ENTRY_MISSING);
    assert_true(prim__ocl_cache_entry_write(path, &key, binary, sizeof binary));
    assert_int_equal(prim__ocl_cache_entry_read(&entry, path, &key), OCL_ENTRY_FOUND);
    assert_int_equal(entry.binary_bytes, BINARY_BYTES);
    assert_memory_equal(entry.binary, binary, BINARY_BYTES);
    prim__ocl_cache_entry_fini(&entry);

    const int fd = open(path, O_RDONLY);
    const ssize_t nbytes = read(fd, bytes, ROOM);
    close(fd);
    assert_int_equal(nbytes, (ssize_t)prim__ocl_cache_entry_bytes(&key, BINARY_BYTES));
    for (ssize_t bit = 0; bit < 8 * nbytes; ++bit) {
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
        write_file(path, bytes, (size_t)nbytes);
        const ocl_entry_state_t found = prim__ocl_cache_entry_read(&entry, path, &key);
        if (found != OCL_ENTRY_DAMAGED && found != OCL_ENTRY_FOREIGN)
            fail_msg("bit %ld: %d", (long)bit, (int)found);
        bytes[bit / 8] ^= (unsigned char)(1 << bit % 8);
    }
    for (ssize_t length = 0; length < nbytes; ++length) {
        write_file(path, bytes, (size_t)length);
        assert_int_equal(prim__ocl_cache_entry_read(&entry, path, &key), OCL_ENTRY_DAMAGED);
    }
    bytes[nbytes] = 0; // and one byte too many
    write_file(path, bytes, (size_t)nbytes + 1);
    assert_int_equal(prim__ocl_cache_entry_read(&entry, path, &key), OCL_ENTRY_DAMAGED);
    prim__ocl_cache_key_fini(&key);
}

static void a_full_disk_leaves_nothing(void **state)
{
    (void)state;
    static const unsigned char binary[5000];
    ocl_cache_key_t key = make_key("device", &source, "-DA");
    char path[OCL_CACHE_PATH_BYTES];
    prim__ocl_cache_path(path, folder, key.name, ".clbin");
    struct rlimit before;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*const handler)(int) = signal(SIGXFSZ, SIG_IGN);
    struct rlimit limit = before;
    limit.rlim_cur = 1000;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &limit), 0);
    const bool is_written = prim__ocl_cache_entry_write(path, &key, binary, sizeof binary);
    const int code = errno;
    setrlimit(RLIMIT_FSIZE, &before);
    signal(SIGXFSZ, handler);
    assert_false(is_written);
    assert_int_equal(code, EFBIG);
    assert_int_equal(rmdir(folder), 0); // only an empty folder goes
    assert_int_equal(mkdir(folder, 0700), 0);
    prim__ocl_cache_key_fini(&key);
}

// Writes entries of its own content, and reads: whole ones of any of the writers.
static int write_and_read(const ocl_cache_key_t *key, const char *path, int who)
{
    enum { NBYTES = 20000, NROUNDS = 100 };
    static unsigned char binary[NBYTES];
    memset(binary, who, NBYTES);
    for (int round = 0; round < NROUNDS; ++round) {
        ocl_cache_entry_t entry;
        if (!prim__ocl_cache_entry_write(path, key, binary, NBYTES)) return 1;
        if (prim__ocl_cache_entry_read(&entry, path, key) != OCL_ENTRY_FOUND) return 2;
        for (int i = 0; i < NBYTES; ++i)
            if (entry.binary[i] != entry.binary[0]) return 3;
        prim__ocl_cache_entry_fini(&entry);
    }
    return 0;
}

static void writers_replace_each_other(void **state)
{
    (void)state;
    enum { NWRITERS = 4 };
    ocl_cache_key_t key = make_key("device", &source, "-DA");
    char path[OCL_CACHE_PATH_BYTES];
    prim__ocl_cache_path(path, folder, key.name, ".clbin");
    pid_t writers[NWRITERS];
    for (int i = 0; i < NWRITERS; ++i) {
        writers[i] = fork();
        assert_true(writers[i] >= 0);
        if (writers[i] == 0) _exit(write_and_read(&key, path, i));
    }
    for (int i = 0; i < NWRITERS; ++i) {
        int status = 0;
        assert_int_equal(waitpid(writers[i], &status, 0), writers[i]);
        assert_int_equal(status, 0);
    }
    prim__ocl_cache_key_fini(&key);
}

static void set_age(const char *path, long seconds)
{
    struct timespec times[2];
    clock_gettime(CLOCK_REALTIME, &times[0]);
    times[0].tv_sec -= seconds;
    times[1] = times[0];
    assert_int_equal(utimensat(AT_FDCWD, path, times, 0), 0);
}

static long age_of(const char *path)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return (long)(time(NULL) - status.st_mtime);
}

static void a_hit_renews_the_time_of_use(void **state)
{
    (void)state;
    ocl_cache_key_t key = make_key("device", &source, "-DA");
    char path[OCL_CACHE_PATH_BYTES];
    prim__ocl_cache_path(path, folder, key.name, ".clbin");
    assert_true(prim__ocl_cache_entry_write(path, &key, (const unsigned char *)"b", 1));
    ocl_cache_entry_t entry;
    set_age(path, 100000);
    assert_int_equal(prim__ocl_cache_entry_read(&entry, path, &key), OCL_ENTRY_FOUND);
    prim__ocl_cache_entry_fini(&entry);
    assert_true(age_of(path) < 1000);
    set_age(path, 300); // lately enough
    assert_int_equal(prim__ocl_cache_entry_read(&entry, path, &key), OCL_ENTRY_FOUND);
    prim__ocl_cache_entry_fini(&entry);
    assert_true(age_of(path) >= 300);
    prim__ocl_cache_key_fini(&key);
}

static const char *put(const char *name, size_t nbytes, long age)
{
    static char path[OCL_CACHE_PATH_BYTES];
    static const char zeros[1000];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    write_file(path, zeros, nbytes);
    set_age(path, age);
    return path;
}

static bool is_there(const char *name)
{
    char path[OCL_CACHE_PATH_BYTES];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return access(path, F_OK) == 0;
}

#define DIGITS "0123456789abcdef0123456789abcde"

static void the_least_recently_used_goes_first(void **state)
{
    (void)state;
    static const char *const names[] = {DIGITS "0.clbin", DIGITS "1.clbin", DIGITS "2.clbin",
            DIGITS "3.clbin", DIGITS "4.crashed"};
    static const long ages[] = {50, 5000, 10, 500, 90000};
    for (int i = 0; i < 5; ++i) put(names[i], i < 4 ? 100 : 1, ages[i]);
    prim__ocl_cache_trim(folder, 401, NULL);
    for (int i = 0; i < 5; ++i) assert_true(is_there(names[i]));
    prim__ocl_cache_trim(folder, 300, names[1]); // 4 and then 1 are the oldest, 1 stays
    assert_true(is_there(names[0]) && is_there(names[1]) && is_there(names[2]));
    assert_false(is_there(names[3]) || is_there(names[4]));
    prim__ocl_cache_trim(folder, 299, NULL);
    assert_true(is_there(names[0]) && is_there(names[2]) && !is_there(names[1]));
    prim__ocl_cache_trim(folder, 100, NULL);
    assert_true(is_there(names[2]) && !is_there(names[0]));
    prim__ocl_cache_trim(folder, 0, NULL);
    assert_false(is_there(names[2]));
}

static void leftovers_go_and_foreign_files_stay(void **state)
{
    (void)state;
    static const char *const foreign[] = {"notes.txt", "0123.clbin", DIGITS "0.clbin.bak"};
    static const char *const old[] = {DIGITS "0.clbin.7-0-1.tmp", DIGITS "0.loading"};
    static const char *const young[] = {DIGITS "1.clbin.7-0-1.tmp", DIGITS "1.loading"};
    for (int i = 0; i < 3; ++i) put(foreign[i], 10, 100000);
    for (int i = 0; i < 2; ++i) put(old[i], 10, 7200);
    for (int i = 0; i < 2; ++i) put(young[i], 10, 60);
    prim__ocl_cache_trim(folder, 0, NULL);
    for (int i = 0; i < 2; ++i) assert_true(!is_there(old[i]) && is_there(young[i]));
    for (int i = 0; i < 2; ++i) assert_int_equal(unlink(put(young[i], 1, 0)), 0);
    for (int i = 0; i < 3; ++i) {
        assert_true(is_there(foreign[i]));
        assert_int_equal(unlink(put(foreign[i], 1, 0)), 0);
    }
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, open_folder, close_folder)
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(hashes_have_known_values),
            cmocka_unit_test(every_part_makes_another_name),
            IN_FOLDER(every_flipped_bit_and_every_cut_is_noticed),
            IN_FOLDER(a_full_disk_leaves_nothing),
            IN_FOLDER(writers_replace_each_other),
            IN_FOLDER(a_hit_renews_the_time_of_use),
            IN_FOLDER(the_least_recently_used_goes_first),
            IN_FOLDER(leftovers_go_and_foreign_files_stay),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
