// SPDX-License-Identifier: Apache-2.0
// Reads and replaces the file of tuning results.
#define _DEFAULT_SOURCE
#include "ocl_tune_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/log.h"
#include "ocl_tune_key.h"
#include "ocl_tune_text.h"

enum { MAX_FILE_BYTES = 16 << 20 };

static void path_of(char *path, const cache_folder_t *folder, const char *device)
{
    char name[OCL_TUNE_FILE_BYTES];
    prim__ocl_tune_file_name(name, device);
    (void)snprintf(path, CACHE_FILE_BYTES, "%s/%s", folder->path, name);
}

typedef enum { UNREADABLE, DAMAGED, FOREIGN, UNWRITTEN, UNREMOVED } cause_t;

static const char *const causes[] = {
        [UNREADABLE] = "the file of tuning results cannot be read",
        [DAMAGED] = "lines of tuning results are not right",
        [FOREIGN] = "tuning results are of another device, driver or library",
        [UNWRITTEN] = "tuning results are not kept",
        [UNREMOVED] = "the file of tuning results cannot be removed",
};

static void warn(const cache_folder_t *folder, cause_t cause, const char *path, const char *why)
{
    static cache_news_t news;
    if (!prim__cache_is_news(&news, folder, (int)cause)) return;
    prim__log(LOG_WARN, NULL, "warn,ocl_tune,%s,%s%s%s", path, causes[cause], why[0] ? ": " : "",
            why);
}

/// The whole file, for prim__free(); NULL with 0 in errno when there is none worth a word.
static char *read_file(size_t *nbytes, const char *path)
{
    const int fd = prim__cache_file_open(path, O_RDONLY);
    struct stat status;
    char *text = NULL;
    if (fd < 0) {
        if (errno == ENOENT || errno == ENOTDIR) errno = 0;
        return NULL;
    }
    int fault = 0;
    if (fstat(fd, &status) != 0) {
        fault = errno;
    } else if (status.st_size > MAX_FILE_BYTES) {
        fault = EFBIG;
    } else {
        text = prim__malloc_aligned((size_t)status.st_size + 1);
        if (!text) fault = ENOMEM;
    }
    size_t done = 0;
    while (text && done < (size_t)status.st_size) {
        const ssize_t n = read(fd, text + done, (size_t)status.st_size - done);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fault = errno;
        if (n <= 0) break;
        done += (size_t)n;
    }
    close(fd);
    if (fault) {
        prim__free(text);
        text = NULL;
    }
    *nbytes = done;
    errno = fault;
    return text;
}

static bool read_path(ocl_tune_results_t *results, const cache_folder_t *folder, const char *path,
        const char *device)
{
    size_t nbytes = 0;
    char *const text = read_file(&nbytes, path);
    if (!text) {
        if (errno == ENOMEM) return false;
        if (errno) warn(folder, UNREADABLE, path, strerror(errno));
        return true;
    }
    const ocl_tune_parsed_t parsed = prim__ocl_tune_text_parse(results, text, nbytes, device, NULL);
    prim__free(text);
    char why[128];
    if (parsed.nfaults > 0) {
        (void)snprintf(why, sizeof why, "%d are left out, the first is line %d: %s", parsed.nfaults,
                parsed.line, parsed.why);
        warn(folder, DAMAGED, path, why);
    } else if (parsed.nforeign > 0) {
        warn(folder, FOREIGN, path, "");
    }
    return parsed.has_memory;
}

bool prim__ocl_tune_file_read(
        ocl_tune_results_t *results, const cache_folder_t *folder, const char *device)
{
    char path[CACHE_FILE_BYTES];
    path_of(path, folder, device);
    return read_path(results, folder, path, device);
}

/// Excludes other processes, and other engines of this one, from here to close(); -1 without locks.
static int lock(const char *path)
{
    char lock_path[CACHE_FILE_BYTES + 8];
    (void)snprintf(lock_path, sizeof lock_path, "%s.lock", path);
    const int fd = prim__cache_file_open(lock_path, O_RDWR | O_CREAT);
    while (fd >= 0 && flock(fd, LOCK_EX) != 0 && errno == EINTR) {
    }
    return fd;
}

static void merge_locked(const ocl_tune_results_t *results, bool are_final,
        const cache_folder_t *folder, const char *path, const char *device)
{
    ocl_tune_results_t all = {0};
    char *text = NULL;
    if (read_path(&all, folder, path, device) &&
            prim__ocl_tune_results_merge(&all, results, are_final))
        text = prim__ocl_tune_text_print(&all, device);
    if (!text)
        warn(folder, UNWRITTEN, path, "no memory");
    else if (!prim__cache_file_replace(path, &(cache_part_t){text, strlen(text)}, 1))
        warn(folder, UNWRITTEN, path, strerror(errno));
    prim__free(text);
    prim__ocl_tune_results_fini(&all);
}

void prim__ocl_tune_file_merge(const ocl_tune_results_t *results, bool are_final,
        const cache_folder_t *folder, const char *device)
{
    char path[CACHE_FILE_BYTES];
    path_of(path, folder, device);
    if (!prim__cache_folder_make(folder)) {
        warn(folder, UNWRITTEN, path, strerror(errno));
        return;
    }
    const int fd = lock(path);
    merge_locked(results, are_final, folder, path, device);
    if (fd >= 0) close(fd);
}

void prim__ocl_tune_file_remove(const cache_folder_t *folder, const char *device)
{
    char path[CACHE_FILE_BYTES];
    path_of(path, folder, device);
    const int fd = lock(path);
    if (unlink(path) != 0 && errno != ENOENT && errno != ENOTDIR)
        warn(folder, UNREMOVED, path, strerror(errno));
    if (fd >= 0) close(fd);
}
