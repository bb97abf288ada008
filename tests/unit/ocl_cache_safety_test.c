// SPDX-License-Identifier: Apache-2.0
// The kernel cache takes code from the user's own private folder only, and follows no links there.
#define _XOPEN_SOURCE 700
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "cache_rig.h"

enum { NOBODY = 65534 };

// The folder holds a good entry, is not used, and nothing in it changes.
static void expect_unused(const char *why)
{
    cache_rig_forget(cache_rig_folder());
    cache_rig_expect(1, false, 1);
    if (!strstr(cache_log.last_warning, why))
        fail_msg("\"%s\" lacks \"%s\"", cache_log.last_warning, why);
    cache_rig_expect(2, false, 0); // said once
    assert_int_equal(cache_rig_count(".clbin"), 1);
}

static void a_folder_that_others_may_write_to_is_not_used(void **state)
{
    (void)state;
    cache_rig_run(1);
    const mode_t modes[] = {0777, 01777, 0770, 0720, 0702};
    for (size_t i = 0; i < sizeof modes / sizeof modes[0]; ++i) {
        assert_int_equal(chmod(cache_rig_folder(), modes[i]), 0);
        expect_unused("the folder is not used: it may be written to by other users");
    }
    assert_int_equal(chmod(cache_rig_folder(), 0755), 0);
    cache_rig_forget(cache_rig_folder());
    cache_rig_expect(1, true, 0);
}

static void another_users_folder_is_not_used(void **state)
{
    (void)state;
    if (geteuid() != 0) {
        print_message("only root can give a folder away\n");
        skip();
    }
    cache_rig_run(1);
    assert_int_equal(chown(cache_rig_folder(), NOBODY, (gid_t)-1), 0);
    expect_unused("the folder is not used: it belongs to another user (owner 65534, mode 0700");
    assert_int_equal(chown(cache_rig_folder(), 0, (gid_t)-1), 0);

    char link[300];
    snprintf(link, sizeof link, "%s.link", cache_rig_folder());
    assert_int_equal(symlink(cache_rig_folder(), link), 0);
    cache_rig_forget(link); // one's own link to one's own folder is fine
    cache_rig_expect(1, true, 0);
    assert_int_equal(lchown(link, NOBODY, (gid_t)-1), 0);
    cache_rig_forget(link);
    cache_rig_expect(1, false, 1);
    assert_non_null(strstr(cache_log.last_warning, "is a symbolic link of another user"));
    assert_int_equal(unlink(link), 0);
}

// A good entry, moved elsewhere and led to by a link; then one that is not safe itself.
static void entries_that_others_may_have_made_are_not_loaded(void **state)
{
    (void)state;
    char path[OCL_CACHE_PATH_BYTES], elsewhere[OCL_CACHE_PATH_BYTES + 8];
    ocl_cache_key_t key = cache_rig_key(1, path);
    cache_rig_run(1);
    snprintf(elsewhere, sizeof elsewhere, "%s.moved", path);
    assert_int_equal(rename(path, elsewhere), 0);
    assert_int_equal(symlink(elsewhere, path), 0);
    cache_rig_forget(cache_rig_folder());
    cache_rig_expect(1, false, 1);
    assert_non_null(strstr(cache_log.last_warning, "is not the user's own regular file"));
    struct stat status;
    assert_int_equal(lstat(path, &status), 0);
    assert_true(S_ISREG(status.st_mode)); // the entry was built anew, in place of the link
    assert_int_equal(status.st_mode & 0777, 0600);
    cache_rig_expect(1, true, 0);

    assert_int_equal(chmod(path, 0666), 0);
    cache_rig_forget(cache_rig_folder());
    cache_rig_expect(1, false, 1);
    cache_rig_expect(1, true, 0);
    if (geteuid() == 0) {
        assert_int_equal(chown(path, NOBODY, (gid_t)-1), 0);
        cache_rig_forget(cache_rig_folder());
        cache_rig_expect(1, false, 1);
        cache_rig_expect(1, true, 0);
    }
    prim__ocl_cache_key_fini(&key);
}

// "<hash>.crashed" must neither lead a write elsewhere nor make us wait for a reader.
static void markers_do_not_lead_elsewhere(void **state)
{
    (void)state;
    char path[OCL_CACHE_PATH_BYTES], crashed[OCL_CACHE_PATH_BYTES], loading[OCL_CACHE_PATH_BYTES],
            victim[512];
    ocl_cache_key_t key = cache_rig_key(1, path);
    prim__ocl_cache_path(crashed, cache_rig_folder(), key.name, ".crashed");
    prim__ocl_cache_path(loading, cache_rig_folder(), key.name, ".loading");
    snprintf(victim, sizeof victim, "%s/victim", cache_rig_folder());
    cache_rig_run(1);
    cache_rig_write(victim, "xxx", 3); // as a count it would say "not kept any more"
    assert_int_equal(symlink(victim, crashed), 0);
    cache_rig_die_while_loading(key.name);
    cache_rig_forget(cache_rig_folder());
    cache_rig_expect(1, false, 1);
    struct stat status;
    assert_int_equal(stat(victim, &status), 0);
    assert_int_equal(status.st_size, 3);
    assert_int_equal(unlink(crashed), 0);

    alarm(60); // a pipe that nobody reads: opening it for writing would wait for ever
    assert_int_equal(mkfifo(crashed, 0600), 0);
    cache_rig_die_while_loading(key.name);
    cache_rig_forget(cache_rig_folder());
    cache_rig_expect(1, false, 1);
    assert_int_equal(mkfifo(loading, 0600), 0);
    cache_rig_expect(1, true, 0);
    alarm(0);

    assert_int_equal(unlink(loading), 0);
    assert_int_equal(
            symlink(victim, loading), 0); // not empty, not locked: a dead owner's, if followed
    cache_rig_expect(1, true, 0);
    prim__ocl_cache_key_fini(&key);
}

int main(void)
{
#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, cache_rig_open, cache_rig_close)
    const struct CMUnitTest tests[] = {
            IN_FOLDER(a_folder_that_others_may_write_to_is_not_used),
            IN_FOLDER(another_users_folder_is_not_used),
            IN_FOLDER(entries_that_others_may_have_made_are_not_loaded),
            IN_FOLDER(markers_do_not_lead_elsewhere),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
