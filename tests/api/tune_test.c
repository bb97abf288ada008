// SPDX-License-Identifier: Apache-2.0
// Tuning by the public functions: modes, texts, and the file between processes, also where it is
// damaged, read-only or cannot be. Run with "worker" it is another process that makes a descriptor
// in mode full; its exit status tells how many problems it tuned, and 16 for each warning.
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "api_fixture.h"

enum { WARNING = 16, FAILED = 200, NOT_RUN = 126, TEXT_BYTES = 1 << 16 };

static int ntuned, nwarn;
static char last_warning[512], self_path[4096], folder[256];

static void listen(void *user, const char *line)
{
    (void)user;
    ntuned += strstr(line, ",ocl,tuned,") != NULL;
    if (!strstr(line, ",warn,ocl_tune,") && !strstr(line, ",warn,cache,")) return;
    ++nwarn;
    (void)snprintf(last_warning, sizeof last_warning, "%s", line);
}

static void forget(void)
{
    ntuned = nwarn = 0;
    last_warning[0] = '\0';
}

static prim_engine_t *new_gpu(void)
{
    prim_engine_t *engine = NULL;
    api_expect(prim_engine_create(&engine, PRIM_GPU, 0), PRIM_SUCCESS);
    return engine;
}

static void expect_sentence(const char *part)
{
    if (!strstr(prim_last_error(), part)) fail_msg("\"%s\" lacks %s", prim_last_error(), part);
}

/// A matrix product that is worth choosing for, of `m` rows.
static prim_status_t make_product(prim_engine_t *engine, prim_dim_t m, prim_tune_mode_t mode)
{
    const prim_dim_t dims[3][2] = {{m, 64}, {64, 64}, {m, 64}};
    prim_memory_desc_t mds[3];
    prim_attr_t *attr = NULL;
    prim_desc_t *pd = NULL;
    for (int i = 0; i < 3; ++i) mds[i] = api_md(2, dims[i], PRIM_ab);
    prim_status_t st = prim_attr_create(&attr);
    if (st == PRIM_SUCCESS) st = prim_attr_set_tune(attr, mode);
    if (st == PRIM_SUCCESS)
        st = prim_matmul_desc_create(&pd, engine, &mds[0], &mds[1], NULL, &mds[2], attr);
    prim_desc_destroy(pd);
    prim_attr_destroy(attr);
    return st;
}

/// For free().
static char *export_text(prim_engine_t *engine)
{
    size_t bytes = 0;
    api_expect(prim_tune_export(engine, &bytes, NULL), PRIM_SUCCESS);
    assert_true(bytes > 0);
    char *const text = malloc(bytes);
    assert_non_null(text);
    api_expect(prim_tune_export(engine, &bytes, text), PRIM_SUCCESS);
    assert_int_equal(bytes, strlen(text) + 1);
    return text;
}

static int count_results(const char *text)
{
    int n = 0;
    for (const char *at = text; (at = strstr(at, " | model ")) != NULL; ++at) ++n;
    return n;
}

static int results_of(prim_engine_t *engine)
{
    char *const text = export_text(engine);
    const int n = count_results(text);
    free(text);
    return n;
}

static void modes_are_set_and_got(void **state)
{
    (void)state;
    prim_tune_mode_t mode = PRIM_TUNE_FULL;
    prim_attr_t *attr = NULL, *clone = NULL;
    api_expect(prim_get_default_tune(&mode), PRIM_SUCCESS);
    assert_int_equal(mode, PRIM_TUNE_NONE);
    api_expect(prim_get_default_tune(NULL), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_set_default_tune((prim_tune_mode_t)3), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_set_default_tune((prim_tune_mode_t)-1), PRIM_INVALID_ARGUMENTS);
    expect_sentence("-1 is not a tuning mode");
    api_expect(prim_set_default_tune(PRIM_TUNE_QUICK), PRIM_SUCCESS);
    api_expect(prim_attr_create(&attr), PRIM_SUCCESS);
    api_expect(prim_set_default_tune(PRIM_TUNE_NONE), PRIM_SUCCESS);
    api_expect(prim_attr_get_tune(attr, &mode), PRIM_SUCCESS);
    assert_int_equal(mode, PRIM_TUNE_QUICK);
    api_expect(prim_attr_set_tune(attr, PRIM_TUNE_FULL), PRIM_SUCCESS);
    api_expect(prim_attr_set_tune(attr, (prim_tune_mode_t)7), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_attr_set_tune(NULL, PRIM_TUNE_FULL), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_attr_get_tune(NULL, &mode), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_attr_get_tune(attr, NULL), PRIM_INVALID_ARGUMENTS);
    assert_int_equal(mode, PRIM_TUNE_QUICK);
    api_expect(prim_attr_clone(&clone, attr), PRIM_SUCCESS);
    api_expect(prim_attr_get_tune(clone, &mode), PRIM_SUCCESS);
    assert_int_equal(mode, PRIM_TUNE_FULL);
    prim_attr_destroy(attr);
    prim_attr_destroy(clone);
}

static void arguments_are_checked(void **state)
{
    (void)state;
    prim_engine_t *cpu = NULL, *const gpu = new_gpu();
    size_t bytes = 7;
    char text[8] = "1234567";
    api_expect(prim_engine_create(&cpu, PRIM_CPU, 0), PRIM_SUCCESS);
    api_expect(prim_tune_export(cpu, &bytes, text), PRIM_UNIMPLEMENTED);
    expect_sentence("cpu engines have nothing to tune");
    api_expect(prim_tune_import(cpu, ""), PRIM_UNIMPLEMENTED);
    api_expect(prim_tune_clear(cpu), PRIM_UNIMPLEMENTED);
    api_expect(make_product(cpu, 64, PRIM_TUNE_FULL), PRIM_SUCCESS);
    prim_engine_destroy(cpu);
    api_expect(prim_tune_export(NULL, &bytes, text), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_tune_export(gpu, NULL, text), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_tune_export(gpu, &bytes, text), PRIM_INVALID_ARGUMENTS);
    expect_sentence("the buffer 7");
    assert_int_equal(bytes, 7);
    assert_string_equal(text, "1234567");
    api_expect(prim_tune_import(NULL, text), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_tune_import(gpu, NULL), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_tune_clear(NULL), PRIM_INVALID_ARGUMENTS);
    api_expect(prim_tune_import(gpu, ""), PRIM_SUCCESS);
    prim_engine_destroy(gpu);
}

static int count_files(const char *suffix)
{
    DIR *const dir = opendir(folder);
    assert_non_null(dir);
    int n = 0;
    for (const struct dirent *item; (item = readdir(dir)) != NULL;) {
        const size_t length = strlen(item->d_name), tail = strlen(suffix);
        n += length > tail && strcmp(item->d_name + length - tail, suffix) == 0;
    }
    closedir(dir);
    return n;
}

/// The path of the one file of results.
static void find_file(char *path, size_t bytes)
{
    DIR *const dir = opendir(folder);
    assert_non_null(dir);
    path[0] = '\0';
    for (const struct dirent *item; (item = readdir(dir)) != NULL;) {
        const size_t length = strlen(item->d_name);
        if (length > 5 && strcmp(item->d_name + length - 5, ".tune") == 0)
            (void)snprintf(path, bytes, "%s/%s", folder, item->d_name);
    }
    closedir(dir);
    assert_true(path[0] != '\0');
}

static void results_are_exported_and_imported(void **state)
{
    (void)state;
    prim_engine_t *const engine = new_gpu();
    assert_int_equal(results_of(engine), 0);
    api_expect(make_product(engine, 64, PRIM_TUNE_QUICK), PRIM_SUCCESS);
    assert_int_equal(ntuned, 1);
    api_expect(make_product(engine, 64, PRIM_TUNE_QUICK), PRIM_SUCCESS);
    assert_int_equal(ntuned, 1);
    char *const first = export_text(engine);
    assert_int_equal(count_results(first), 1);
    api_expect(prim_tune_clear(engine), PRIM_SUCCESS);
    assert_int_equal(results_of(engine), 0);
    assert_int_equal(count_files(".tune"), 0);
    api_expect(make_product(engine, 128, PRIM_TUNE_QUICK), PRIM_SUCCESS);
    assert_int_equal(ntuned, 2);
    char *const second = export_text(engine);
    // Two texts behind each other are one.
    api_expect(prim_tune_clear(engine), PRIM_SUCCESS);
    char *const both = malloc(strlen(first) + strlen(second) + 1);
    assert_non_null(both);
    strcat(strcpy(both, first), second);
    api_expect(prim_tune_import(engine, both), PRIM_SUCCESS);
    assert_int_equal(results_of(engine), 2);
    prim_engine_destroy(engine);
    // And in the file, for the next engine and process.
    prim_engine_t *const next = new_gpu();
    assert_int_equal(results_of(next), 2);
    api_expect(make_product(next, 64, PRIM_TUNE_QUICK), PRIM_SUCCESS);
    api_expect(make_product(next, 128, PRIM_TUNE_QUICK), PRIM_SUCCESS);
    assert_int_equal(ntuned, 2);
    assert_int_equal(nwarn, 0);
    prim_engine_destroy(next);
    free(both);
    free(first);
    free(second);
}

/// Whether a product of 64×64×64 goes to `ocl:matmul:packed_cpu`.
static bool packs(prim_engine_t *engine)
{
    const prim_dim_t dims[] = {64, 64};
    const prim_memory_desc_t md = api_md(2, dims, PRIM_ab);
    const char *name = NULL;
    prim_desc_t *pd = NULL;
    api_expect(prim_matmul_desc_create(&pd, engine, &md, &md, NULL, &md, NULL), PRIM_SUCCESS);
    api_expect(prim_desc_query(pd, PRIM_QUERY_IMPL_INFO_STR, 0, &name), PRIM_SUCCESS);
    const bool is = strcmp(name, "ocl:matmul:packed_cpu") == 0;
    prim_desc_destroy(pd);
    return is;
}

/// Imports a line below the device's.
static void import_line(prim_engine_t *engine, const char *line)
{
    char *const head = export_text(engine);
    char *const device = strstr(head, "device ");
    assert_non_null(device);
    *strchr(device, '\n') = '\0';
    char text[1024];
    (void)snprintf(text, sizeof text, "%s\n%s\n", device, line);
    api_expect(prim_tune_import(engine, text), PRIM_SUCCESS);
    free(head);
}

/// A measured number of the user's own: kept like a result, and it counts for the next engine.
static void measured_numbers_are_taken(void **state)
{
    (void)state;
    prim_engine_t *engine = new_gpu();
    if (!packs(engine)) {
        prim_engine_destroy(engine);
        skip(); // its numbers are for CPU-type devices
    }
    import_line(engine, "ocl:matmul:packed_cpu | limit few_products | 1073741824 products");
    assert_true(packs(engine)); // an engine does not change
    prim_engine_destroy(engine);
    engine = new_gpu();
    assert_false(packs(engine));
    char *const text = export_text(engine);
    assert_non_null(strstr(text, "packed_cpu | limit few_products | 1073741824 products\n"));
    free(text);
    // Of two the last one counts.
    import_line(engine, "ocl:matmul:packed_cpu | limit few_products | 9 products");
    prim_engine_destroy(engine);
    engine = new_gpu();
    assert_true(packs(engine));
    assert_int_equal(nwarn, 0);
    prim_engine_destroy(engine);
}

static void bad_texts_change_nothing(void **state)
{
    (void)state;
    prim_engine_t *const engine = new_gpu();
    api_expect(make_product(engine, 64, PRIM_TUNE_QUICK), PRIM_SUCCESS);
    char *const before = export_text(engine);
    char text[4096];
    (void)snprintf(text, sizeof text, "%socl:a | b | c=1 | 1 ns | model 1 ns | full\nx\n", before);
    api_expect(prim_tune_import(engine, text), PRIM_INVALID_ARGUMENTS);
    expect_sentence("line 6 of the tuning results: it has neither six nor three fields");
    char *const after = export_text(engine);
    assert_string_equal(before, after);
    // What is another device's is no fault, but nothing is taken, and the log says so.
    forget();
    (void)snprintf(
            text, sizeof text, "device Another; one\nocl:a | b | c=1 | 1 ns | model 1 ns | full\n");
    api_expect(prim_tune_import(engine, text), PRIM_SUCCESS);
    assert_int_equal(nwarn, 1);
    assert_non_null(strstr(last_warning, "none of 1 imported results"));
    assert_int_equal(results_of(engine), 1);
    free(before);
    free(after);
    prim_engine_destroy(engine);
}

static char driver_folder[] = "/tmp/prim_tune_driver_XXXXXX";

static int run_worker(bool as_another_user)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setenv("PRIM_CACHE_DIR", folder, 1);
        if (as_another_user) {
            // Drivers keep files of their own.
            setenv("HOME", "/tmp", 1);
            setenv("POCL_CACHE_DIR", driver_folder, 1);
            if (setgid(65534) != 0 || setuid(65534) != 0) _exit(FAILED);
        }
        execl(self_path, self_path, "worker", (char *)NULL);
        _exit(NOT_RUN);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status));
    return WEXITSTATUS(status);
}

static void another_process_tunes_nothing(void **state)
{
    (void)state;
    assert_int_equal(run_worker(false), 1);
    assert_int_equal(run_worker(false), 0);
    assert_int_equal(count_files(".tune"), 1);
    assert_int_equal(count_files(".tmp"), 0);
}

static void write_file(const char *path, const char *text)
{
    FILE *const file = fopen(path, "w");
    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

static void a_damaged_file_costs_one_line(void **state)
{
    (void)state;
    char path[600], text[TEXT_BYTES];
    prim_engine_t *const engine = new_gpu();
    api_expect(make_product(engine, 64, PRIM_TUNE_FULL), PRIM_SUCCESS);
    char *const good = export_text(engine);
    prim_engine_destroy(engine);
    find_file(path, sizeof path);
    // What is right in it serves.
    (void)snprintf(text, sizeof text, "%sgarbage\n\x01\x02\n", good);
    write_file(path, text);
    assert_int_equal(run_worker(false), WARNING);
    // What is cut is tuned again, and the file is right then.
    (void)snprintf(text, sizeof text, "%.*s", (int)strlen(good) - 20, good);
    write_file(path, text);
    assert_int_equal(run_worker(false), 1 + WARNING);
    assert_int_equal(run_worker(false), 0);
    // The file of another driver under this name.
    (void)snprintf(text, sizeof text, "%s", good);
    memcpy(strstr(text, "device ") + 7, "XXXX", 4);
    write_file(path, text);
    assert_int_equal(run_worker(false), 1 + WARNING);
    assert_int_equal(run_worker(false), 0);
    free(good);
}

static void a_read_only_folder_still_serves(void **state)
{
    (void)state;
    char path[600];
    assert_int_equal(run_worker(false), 1);
    find_file(path, sizeof path);
    char command[64];
    const bool is_root = geteuid() == 0;
    assert_non_null(mkdtemp(driver_folder));
    assert_int_equal(chmod(driver_folder, 0777), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    const uid_t reader = is_root ? 65534 : geteuid(); // it takes from folders of its own only
    assert_int_equal(chown(folder, reader, (gid_t)-1), 0);
    assert_int_equal(chown(path, reader, (gid_t)-1), 0);
    const int filled = run_worker(is_root);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(remove(path), 0);
    assert_int_equal(chmod(folder, 0555), 0);
    const int empty = run_worker(is_root);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(chown(folder, geteuid(), (gid_t)-1), 0);
    (void)snprintf(command, sizeof command, "rm -r %s", driver_folder);
    assert_int_equal(system(command), 0);
    if (filled == NOT_RUN) {
        print_message("the test program is not for other users to run\n");
        skip();
    }
    assert_int_equal(filled, 0);
    assert_int_equal(empty, 1 + WARNING);
}

// Results that another user may have written are not read, and none are left there.
static void a_shared_folder_is_not_used(void **state)
{
    (void)state;
    assert_int_equal(run_worker(false), 1);
    assert_int_equal(run_worker(false), 0);
    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(run_worker(false), 1 + WARNING);
    assert_int_equal(chmod(folder, 0755), 0);
    assert_int_equal(run_worker(false), 0);
    char path[600];
    find_file(path, sizeof path);
    assert_int_equal(chmod(path, 0666), 0);
    assert_int_equal(run_worker(false), 1 + WARNING);
    assert_int_equal(run_worker(false), 0);
}

static void without_a_folder_the_engine_remembers(void **state)
{
    (void)state;
    char path[600];
    const char *const places[] = {"", path};
    (void)snprintf(path, sizeof path, "%s/file", folder);
    write_file(path, "x");
    (void)snprintf(path, sizeof path, "%s/file/folder", folder);
    for (int i = 0; i < 2; ++i) {
        forget();
        api_expect(prim_set_cache_dir(places[i]), PRIM_SUCCESS);
        prim_engine_t *engine = new_gpu();
        api_expect(make_product(engine, 64, PRIM_TUNE_QUICK), PRIM_SUCCESS);
        api_expect(make_product(engine, 64, PRIM_TUNE_QUICK), PRIM_SUCCESS);
        api_expect(make_product(engine, 128, PRIM_TUNE_QUICK), PRIM_SUCCESS);
        assert_int_equal(ntuned, 2);
        assert_int_equal(results_of(engine), 2);
        assert_int_equal(nwarn, i); // off is no fault; what cannot be is told once
        prim_engine_destroy(engine);
        engine = new_gpu();
        assert_int_equal(results_of(engine), 0);
        prim_engine_destroy(engine);
    }
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status, (void)type, (void)where;
    return remove(path);
}

static int open_folder(void **state)
{
    (void)state;
    (void)snprintf(folder, sizeof folder, "/tmp/prim_tune_test_XXXXXX");
    if (!mkdtemp(folder) || chmod(folder, 0755) != 0) return -1;
    forget();
    prim_set_log_callback(listen, NULL);
    prim_set_verbose("warn,profile_create");
    return prim_set_cache_dir(folder) == PRIM_SUCCESS ? 0 : -1;
}

static int close_folder(void **state)
{
    (void)state;
    prim_set_cache_dir("");
    prim_set_log_callback(NULL, NULL);
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

static int work(void)
{
    prim_engine_t *engine = NULL;
    prim_set_log_callback(listen, NULL);
    prim_set_verbose("warn,profile_create");
    prim_status_t st = prim_engine_create(&engine, PRIM_GPU, 0);
    if (st == PRIM_SUCCESS) st = make_product(engine, 64, PRIM_TUNE_FULL);
    if (st != PRIM_SUCCESS) return FAILED;
    prim_engine_destroy(engine);
    return ntuned + WARNING * nwarn;
}

#define IN_FOLDER(test) cmocka_unit_test_setup_teardown(test, open_folder, close_folder)

int main(int argc, char **argv)
{
    if (argc == 2 && strcmp(argv[1], "worker") == 0) return work();
    (void)snprintf(self_path, sizeof self_path, "%s", argv[0]);
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(modes_are_set_and_got),
            IN_FOLDER(arguments_are_checked),
            IN_FOLDER(results_are_exported_and_imported),
            IN_FOLDER(measured_numbers_are_taken),
            IN_FOLDER(bad_texts_change_nothing),
            IN_FOLDER(another_process_tunes_nothing),
            IN_FOLDER(a_damaged_file_costs_one_line),
            IN_FOLDER(a_read_only_folder_still_serves),
            IN_FOLDER(a_shared_folder_is_not_used),
            IN_FOLDER(without_a_folder_the_engine_remembers),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
