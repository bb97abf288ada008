// SPDX-License-Identifier: Apache-2.0
// The folder and the size of the cache on disk: settings of the process behind one lock.
#define _POSIX_C_SOURCE 200809L
#include "cache_folder.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "environment.h"
#include "log.h"
#include "prim/prim.h"

#define DEFAULT_MAX_BYTES (UINT64_C(256) << 20)

static struct {
    pthread_mutex_t lock;
    bool has_folder, has_max_bytes; ///< chosen, by the caller or from the environment
    cache_folder_t now;
} settings = {.lock = PTHREAD_MUTEX_INITIALIZER};

/// Joins both parts; what does not fit leaves "" (no cache) and false.
static bool set_path(const char *base, const char *below)
{
    const int length = snprintf(settings.now.path, CACHE_FOLDER_BYTES, "%s%s", base, below);
    const bool fits = length >= 0 && length < CACHE_FOLDER_BYTES;
    if (!fits) settings.now.path[0] = '\0';
    return fits;
}

/// PRIM_CACHE_DIR (empty: off), else $XDG_CACHE_HOME/prim, else $HOME/.cache/prim, else off. What
/// XDG_CACHE_HOME holds counts only when it is absolute (XDG Base Directory Specification).
static bool take_default_folder(void)
{
    const char *const own = prim__env_text(ENV_CACHE_DIR);
    const char *const xdg = prim__env_text(ENV_XDG_CACHE_HOME);
    const char *const home = prim__env_text(ENV_HOME);
    settings.now.path[0] = '\0';
    if (own) return set_path(own, "");
    if (xdg && xdg[0] == '/') return set_path(xdg, "/prim");
    return home && home[0] == '/' && set_path(home, "/.cache/prim");
}

void prim__cache_folder_get(cache_folder_t *folder)
{
    bool has_folder = true;
    pthread_mutex_lock(&settings.lock);
    if (!settings.has_folder) has_folder = take_default_folder();
    if (!settings.has_max_bytes) {
        settings.now.max_bytes = DEFAULT_MAX_BYTES;
        (void)prim__env_bytes(&settings.now.max_bytes, ENV_CACHE_MAX_BYTES);
    }
    settings.has_folder = settings.has_max_bytes = true;
    *folder = settings.now;
    pthread_mutex_unlock(&settings.lock);
    if (!has_folder) {
        prim__log(LOG_WARN, NULL,
                "warn,cache,no folder: neither PRIM_CACHE_DIR nor HOME names one that can be used");
    }
    prim__log_environment();
}

/// Why the process must not take code from what `status` describes; NULL when it may.
static const char *danger_in(const struct stat *status)
{
    if (status->st_uid != geteuid()) return "belongs to another user";
    if (status->st_mode & (S_IWGRP | S_IWOTH)) return "may be written to by other users";
    return NULL;
}

/// The same for a folder; NULL too when there is none yet. A link to a folder of the user's own is
/// safe unless another user can lead it elsewhere.
static const char *danger_in_folder(const char *path, struct stat *status)
{
    if (lstat(path, status) != 0) return NULL;
    if (S_ISLNK(status->st_mode)) {
        if (status->st_uid != geteuid()) return "is a symbolic link of another user";
        if (stat(path, status) != 0) return NULL;
    }
    return S_ISDIR(status->st_mode) ? danger_in(status) : NULL;
}

enum { UNSAFE };

void prim__cache_folder_get_safe(cache_folder_t *folder)
{
    static cache_news_t news;
    struct stat status;
    prim__cache_folder_get(folder);
    if (folder->path[0] == '\0') return;
    const char *const danger = danger_in_folder(folder->path, &status);
    if (!danger) return;
    if (prim__cache_is_news(&news, folder, UNSAFE)) {
        prim__log(LOG_WARN, NULL,
                "warn,cache,%s,the folder is not used: it %s (owner %ld, mode %04o; this process "
                "runs as user %ld and takes code from its own private folders only)",
                folder->path, danger, (long)status.st_uid, (unsigned)status.st_mode & 07777U,
                (long)geteuid());
    }
    folder->path[0] = '\0';
}

bool prim__cache_folder_make(const cache_folder_t *folder)
{
    char path[CACHE_FOLDER_BYTES];
    memcpy(path, folder->path, sizeof path);
    for (char *c = path + 1; *c; ++c) {
        if (*c != '/') continue;
        *c = '\0';
        if (mkdir(path, 0700) != 0 && errno != EEXIST && errno != EROFS && errno != EACCES)
            return false;
        *c = '/';
    }
    if (mkdir(path, 0700) == 0) return true;
    struct stat status;
    if (errno == EEXIST && danger_in_folder(path, &status)) errno = EPERM;
    return errno == EEXIST;
}

int prim__cache_file_open(const char *path, int flags)
{
    const int fd = open(path, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC, 0600);
    if (fd < 0) return -1;
    struct stat status;
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && !danger_in(&status)) return fd;
    close(fd);
    errno = EPERM;
    return -1;
}

static bool write_all(int fd, const void *data, size_t nbytes)
{
    const unsigned char *bytes = data;
    while (nbytes > 0) {
        const ssize_t n = write(fd, bytes, nbytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes += n;
        nbytes -= (size_t)n;
    }
    return true;
}

// "<path>.<pid>-<count>-<time>.tmp": unlike any other thread's and process's, also where several
// process-id namespaces share the folder.
static void temporary_path(char *temporary, size_t bytes, const char *path)
{
    static atomic_uint count;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    snprintf(temporary, bytes, "%s.%ld-%u-%09ld.tmp", path, (long)getpid(),
            atomic_fetch_add(&count, 1), now.tv_nsec);
}

bool prim__cache_file_replace(const char *path, const cache_part_t *parts, int nparts)
{
    char temporary[CACHE_FILE_BYTES + 64];
    temporary_path(temporary, sizeof temporary, path);
    const int fd = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0) return false;
    bool is_good = true;
    for (int i = 0; i < nparts && is_good; ++i)
        is_good = write_all(fd, parts[i].bytes, parts[i].nbytes);
    int kept = errno;
    if (close(fd) != 0 && is_good) {
        kept = errno;
        is_good = false;
    }
    if (is_good && rename(temporary, path) != 0) {
        kept = errno;
        is_good = false;
    }
    if (!is_good) unlink(temporary);
    errno = kept;
    return is_good;
}

bool prim__cache_is_news(cache_news_t *news, const cache_folder_t *folder, int cause)
{
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    pthread_mutex_lock(&lock);
    if (news->generation != folder->generation) news->told = 0;
    news->generation = folder->generation;
    const bool is_news = (news->told & 1U << cause) == 0;
    news->told |= 1U << cause;
    pthread_mutex_unlock(&lock);
    return is_news;
}

prim_status_t prim_set_cache_dir(const char *dir)
{
    CHECK(!dir || strlen(dir) < CACHE_FOLDER_BYTES,
            "the cache folder's name is longer than %d bytes", CACHE_FOLDER_BYTES - 1);
    pthread_mutex_lock(&settings.lock);
    settings.has_folder = dir != NULL;
    if (dir) set_path(dir, "");
    ++settings.now.generation;
    pthread_mutex_unlock(&settings.lock);
    return PRIM_SUCCESS;
}

prim_status_t prim_get_cache_dir(char *dir, size_t dir_bytes)
{
    CHECK_NOT_NULL(dir);
    cache_folder_t folder;
    prim__cache_folder_get(&folder);
    const size_t bytes = strlen(folder.path) + 1;
    CHECK(dir_bytes >= bytes, "the name of the cache folder has %zu bytes, the buffer %zu", bytes,
            dir_bytes);
    memcpy(dir, folder.path, bytes);
    return PRIM_SUCCESS;
}

prim_status_t prim_set_cache_max_bytes(uint64_t max_bytes)
{
    pthread_mutex_lock(&settings.lock);
    settings.has_max_bytes = true;
    settings.now.max_bytes = max_bytes;
    pthread_mutex_unlock(&settings.lock);
    return PRIM_SUCCESS;
}

prim_status_t prim_get_cache_max_bytes(uint64_t *max_bytes)
{
    CHECK_NOT_NULL(max_bytes);
    cache_folder_t folder;
    prim__cache_folder_get(&folder);
    *max_bytes = folder.max_bytes;
    return PRIM_SUCCESS;
}
