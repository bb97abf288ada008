// SPDX-License-Identifier: Apache-2.0
// What the tests of the kernel cache share.
#define _XOPEN_SOURCE 700
#include "cache_rig.h"

#include <dirent.h>
#include <ftw.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "common/alloc.h"
#include "gpu/ocl/program/ocl_cache_guard.h"

cache_log_t cache_log;
static char folder[256];

static const char text[] = "__kernel void write(__global int *y) { y[get_global_id(0)] = N; }\n"
                           "__kernel void other(__global int *y) { y[get_global_id(0)] = -N; }\n";
const ocl_source_t cache_test_source = {"cache_test", text, sizeof text - 1};

static void listen(void *user, const char *line)
{
    (void)user;
    if (strstr(line, ",ocl,build,"))
        snprintf(cache_log.last_build, sizeof cache_log.last_build, "%s", line);
    cache_log.nsource += strstr(line, ",ocl,build,") && strstr(line, ",source,");
    cache_log.ndisk += strstr(line, ",ocl,build,") && strstr(line, ",disk,");
    if (!strstr(line, ",warn,ocl_cache,") && !strstr(line, ",warn,cache,")) return;
    ++cache_log.nwarn;
    snprintf(cache_log.last_warning, sizeof cache_log.last_warning, "%s", line);
}

void cache_rig_listen(void)
{
    prim_set_log_callback(listen, NULL);
    prim_set_verbose("warn,profile_create");
}

void cache_rig_forget(const char *new_folder)
{
    cache_log = (cache_log_t){0};
    assert_int_equal(prim_set_cache_dir(new_folder), PRIM_SUCCESS);
}

int cache_rig_open(void **state)
{
    (void)state;
    snprintf(folder, sizeof folder, "/tmp/prim_cache_test_XXXXXX");
    if (!mkdtemp(folder)) return -1;
    cache_rig_listen();
    cache_rig_forget(folder);
    return prim_set_cache_max_bytes((uint64_t)1 << 28) == PRIM_SUCCESS ? 0 : -1;
}

static int remove_one(const char *path, const struct stat *status, int type, struct FTW *where)
{
    (void)status;
    (void)type;
    (void)where;
    return remove(path);
}

int cache_rig_close(void **state)
{
    (void)state;
    prim_set_cache_dir("");
    prim_set_log_callback(NULL, NULL);
    return nftw(folder, remove_one, 8, FTW_DEPTH | FTW_PHYS);
}

const char *cache_rig_folder(void)
{
    return folder;
}

static ocl_options_t options_of(int n)
{
    ocl_options_t options;
    prim__ocl_options_init(&options);
    prim__ocl_options_int(&options, "N", n);
    return options;
}

ocl_options_t cache_rig_options(const prim_engine_t *engine, int n)
{
    ocl_options_t options = options_of(n);
    const ocl_device_t *const device = prim__ocl_device(engine);
    prim__ocl_kernel_add_options(&options, device);
    return options;
}

void cache_rig_run(int n)
{
    void *state = NULL;
    assert_int_equal(ocl_rig_open(&state), 0);
    const ocl_options_t options = options_of(n);
    int y = 0;
    const ocl_array_t array = {&y, sizeof y};
    // The kernel that was not there when the binary was taken has to be in it as well.
    ocl_rig_run_group(state, &cache_test_source, &options, "write", 1, &array, 1, NULL);
    assert_int_equal(y, n);
    ocl_rig_run_group(state, &cache_test_source, &options, "other", 1, &array, 1, NULL);
    assert_int_equal(y, -n);
    ocl_rig_close(&state);
}

void cache_rig_expect(int n, bool is_from_disk, int nwarnings)
{
    cache_log = (cache_log_t){0};
    cache_rig_run(n);
    if (cache_log.nwarn != nwarnings) fail_msg("%d × %s", cache_log.nwarn, cache_log.last_warning);
    assert_int_equal(cache_log.ndisk, is_from_disk ? 1 : 0);
    assert_int_equal(cache_log.nsource, is_from_disk ? 0 : 1);
}

ocl_cache_key_t cache_rig_key(int n, char *path)
{
    prim_engine_t *engine = NULL;
    assert_int_equal(prim_engine_create(&engine, PRIM_GPU, 0), PRIM_SUCCESS);
    const ocl_options_t options = cache_rig_options(engine, n);
    char *const device_text = prim__ocl_cache_key_of_device(prim__ocl_device(engine));
    assert_non_null(device_text);
    ocl_cache_key_t key;
    assert_true(prim__ocl_cache_key_init(&key, device_text, &cache_test_source, options.text));
    prim__free(device_text);
    prim_engine_destroy(engine);
    prim__ocl_cache_path(path, folder, key.name, ".clbin");
    return key;
}

void cache_rig_die_while_loading(const char *name)
{
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        ocl_cache_guard_t guard;
        _exit(prim__ocl_cache_guard_enter(&guard, folder, name) ? 0 : 1);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(cache_rig_count(".loading"), 1);
}

int cache_rig_count(const char *suffix)
{
    DIR *const dir = opendir(folder);
    assert_non_null(dir);
    int n = 0;
    for (const struct dirent *item; (item = readdir(dir)) != NULL;) {
        const size_t length = strlen(item->d_name), tail = strlen(suffix);
        n += length >= tail && strcmp(item->d_name + length - tail, suffix) == 0;
    }
    closedir(dir);
    return n;
}

unsigned char *cache_rig_read(const char *path, size_t *nbytes)
{
    FILE *const file = fopen(path, "rb");
    assert_non_null(file);
    assert_int_equal(fseek(file, 0, SEEK_END), 0);
    const long size = ftell(file);
    assert_true(size > 0);
    rewind(file);
    *nbytes = (size_t)size;
    unsigned char *const bytes = malloc(*nbytes);
    assert_non_null(bytes);
    assert_int_equal(fread(bytes, 1, *nbytes, file), *nbytes);
    fclose(file);
    return bytes;
}

void cache_rig_write(const char *path, const void *bytes, size_t nbytes)
{
    FILE *const file = fopen(path, "wb");
    assert_non_null(file);
    if (nbytes > 0) assert_int_equal(fwrite(bytes, 1, nbytes, file), nbytes);
    assert_int_equal(fclose(file), 0);
}
