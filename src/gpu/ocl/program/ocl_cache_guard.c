// SPDX-License-Identifier: Apache-2.0
// The marker around the loading of a binary. A lock rather than the process id in it shows whether
// its owner lives: ids are used again, soon so in containers.
#define _DEFAULT_SOURCE
#include "ocl_cache_guard.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

// One crash may have been anything (a signal, a power cut); a binary built anew that crashes again
// is the driver's fault.
enum { MAX_CRASHES = 2 };

static void count_crash(const char *folder, const char *name)
{
    char path[OCL_CACHE_PATH_BYTES];
    prim__ocl_cache_path(path, folder, name, ".crashed");
    const int fd = prim__cache_file_open(path, O_WRONLY | O_CREAT | O_APPEND);
    if (fd < 0) return;
    const ssize_t written = write(fd, "x", 1);
    (void)written; // uncounted: one more try
    close(fd);
}

bool prim__ocl_cache_guard_gave_up(const char *folder, const char *name)
{
    char path[OCL_CACHE_PATH_BYTES];
    prim__ocl_cache_path(path, folder, name, ".crashed");
    const int fd = prim__cache_file_open(path, O_RDONLY);
    if (fd < 0) return false;
    struct stat status;
    const bool gave_up = fstat(fd, &status) == 0 && status.st_size >= MAX_CRASHES;
    close(fd);
    return gave_up;
}

// Whether an existing marker has lost its owner. An empty one is about to be locked by its owner;
// one without a link was taken away by its owner after it was opened here.
static bool is_stale(const char *path)
{
    const int fd = prim__cache_file_open(path, O_RDWR);
    if (fd < 0) return false;
    struct stat status;
    const bool stale = flock(fd, LOCK_EX | LOCK_NB) == 0 && fstat(fd, &status) == 0 &&
                       status.st_size > 0 && status.st_nlink > 0;
    if (stale) unlink(path);
    close(fd);
    return stale;
}

bool prim__ocl_cache_guard_enter(ocl_cache_guard_t *guard, const char *folder, const char *name)
{
    prim__ocl_cache_path(guard->path, folder, name, ".loading");
    guard->fd = open(guard->path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (guard->fd < 0) {
        if (!is_stale(guard->path)) return true;
        count_crash(folder, name);
        return false;
    }
    char text[32];
    const int length = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (flock(guard->fd, LOCK_EX | LOCK_NB) != 0 ||
            write(guard->fd, text, (size_t)length) != length) {
        prim__ocl_cache_guard_leave(guard); // no locks, or no room, here
    }
    return true;
}

void prim__ocl_cache_guard_leave(ocl_cache_guard_t *guard)
{
    if (guard->fd < 0) return;
    unlink(guard->path);
    close(guard->fd);
    guard->fd = -1;
}
