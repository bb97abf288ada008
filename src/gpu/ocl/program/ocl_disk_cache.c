// SPDX-License-Identifier: Apache-2.0
// Finds and keeps the binaries of programs (ocl_program_binary) in the files of ocl_cache_entry.
#define _POSIX_C_SOURCE 200809L
#include "ocl_disk_cache.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/cache_folder.h"
#include "common/log.h"
#include "ocl_cache_entry.h"
#include "ocl_cache_guard.h"
#include "ocl_cache_trim.h"
#include "ocl_program_binary.h"

typedef enum {
    FOLDER,
    UNREADABLE,
    DAMAGED,
    FOREIGN,
    CRASHED,
    GAVE_UP,
    REFUSED,
    NO_BINARY,
    TOO_LARGE,
    UNWRITTEN
} cause_t;

static const char *const causes[] = {
        [FOLDER] = "the folder cannot be made or used, kernels are not kept",
        [UNREADABLE] =
                "an entry cannot be read or is not the user's own regular file, built from source",
        [DAMAGED] = "an entry is damaged, built from source",
        [FOREIGN] = "an entry is of another program or format, built from source",
        [CRASHED] = "a process died while it loaded an entry, built from source",
        [GAVE_UP] = "processes died while they loaded a program, it is not kept any more",
        [REFUSED] = "the driver refuses an entry, built from source",
        [NO_BINARY] = "the driver gives no binary, the program is not kept",
        [TOO_LARGE] = "a program is larger than the whole cache may be, it is not kept",
        [UNWRITTEN] = "an entry cannot be written, the program is not kept",
};

static void warn(const cache_folder_t *folder, cause_t cause, const char *name, const char *why)
{
    static cache_news_t news;
    if (!prim__cache_is_news(&news, folder, (int)cause)) return;
    prim__log(LOG_WARN, NULL, "warn,ocl_cache,%s,%s,%s%s%s", folder->path, name, causes[cause],
            why[0] ? ": " : "", why);
}

// What one call works with.
typedef struct {
    const ocl_engine_t *engine;
    const ocl_source_t *source;
    const char *options;
    cache_folder_t folder;
    ocl_cache_key_t key;
    char path[OCL_CACHE_PATH_BYTES];
} task_t;

// False when there is nothing to do: the cache is off, or there is no memory for the key.
static bool start(task_t *task, const ocl_engine_t *engine, const char *device_text,
        const ocl_source_t *source, const char *options)
{
    prim__cache_folder_get_safe(&task->folder);
    if (!device_text || task->folder.path[0] == '\0') return false;
    task->engine = engine;
    task->source = source;
    task->options = options;
    if (!prim__ocl_cache_key_init(&task->key, device_text, source, options)) return false;
    prim__ocl_cache_path(task->path, task->folder.path, task->key.name, ".clbin");
    return true;
}

static bool find_entry(const task_t *task, ocl_cache_entry_t *entry)
{
    const char *const name = task->source->name;
    switch (prim__ocl_cache_entry_read(entry, task->path, &task->key)) {
    case OCL_ENTRY_FOUND: return true;
    case OCL_ENTRY_MISSING: break;
    case OCL_ENTRY_UNREADABLE:
        // A folder that is not there yet is no fault; one whose path is barred is reported when
        // something is to be kept.
        if (errno != ENOTDIR) warn(&task->folder, UNREADABLE, name, strerror(errno));
        break;
    case OCL_ENTRY_DAMAGED: warn(&task->folder, DAMAGED, name, ""); break;
    case OCL_ENTRY_FOREIGN: warn(&task->folder, FOREIGN, name, ""); break;
    }
    return false;
}

static cl_program make_program(const task_t *task, const ocl_cache_entry_t *entry)
{
    cl_program program = NULL;
    const char *call = NULL;
    const cl_int code = prim__ocl_program_binary_load(
            &program, &call, task->engine, task->options, entry->binary, entry->binary_bytes);
    if (code == CL_SUCCESS) return program;
    warn(&task->folder, REFUSED, task->source->name, prim__ocl_code_name(code));
    return NULL;
}

cl_program prim__ocl_disk_cache_load(const ocl_engine_t *engine, const char *device_text,
        const ocl_source_t *source, const char *options)
{
    task_t task;
    ocl_cache_entry_t entry;
    ocl_cache_guard_t guard;
    cl_program program = NULL;
    if (!start(&task, engine, device_text, source, options)) return NULL;
    if (find_entry(&task, &entry)) {
        if (prim__ocl_cache_guard_enter(&guard, task.folder.path, task.key.name)) {
            program = make_program(&task, &entry);
            prim__ocl_cache_guard_leave(&guard);
        } else {
            warn(&task.folder, CRASHED, source->name, "");
            unlink(task.path);
        }
        prim__ocl_cache_entry_fini(&entry);
    }
    prim__ocl_cache_key_fini(&task.key);
    return program;
}

static void write_entry(const task_t *task, const unsigned char *binary, size_t nbytes)
{
    const char *const name = task->source->name;
    const cache_folder_t *const folder = &task->folder;
    bool is_written = prim__ocl_cache_entry_write(task->path, &task->key, binary, nbytes);
    if (!is_written && (errno == ENOENT || errno == ENOTDIR)) {
        if (!prim__cache_folder_make(folder)) {
            warn(folder, FOLDER, name, strerror(errno));
            return;
        }
        is_written = prim__ocl_cache_entry_write(task->path, &task->key, binary, nbytes);
    }
    if (!is_written) {
        warn(folder, errno == EROFS || errno == EACCES ? FOLDER : UNWRITTEN, name, strerror(errno));
        return;
    }
    char kept[OCL_CACHE_NAME_BYTES + 8];
    snprintf(kept, sizeof kept, "%s.clbin", task->key.name);
    prim__ocl_cache_trim(folder->path, folder->max_bytes, kept);
}

void prim__ocl_disk_cache_store(const ocl_engine_t *engine, const char *device_text,
        const ocl_source_t *source, const char *options, cl_program program)
{
    task_t task;
    if (!start(&task, engine, device_text, source, options)) return;
    if (prim__ocl_cache_guard_gave_up(task.folder.path, task.key.name)) {
        warn(&task.folder, GAVE_UP, source->name, "");
    } else {
        size_t nbytes = 0;
        unsigned char *binary = NULL;
        const char *call = NULL;
        const cl_int code = prim__ocl_program_binary_take(&binary, &nbytes, &call, engine, program);
        if (code != CL_SUCCESS || !binary)
            warn(&task.folder, NO_BINARY, source->name, "");
        else if (prim__ocl_cache_entry_bytes(&task.key, nbytes) > task.folder.max_bytes)
            warn(&task.folder, TOO_LARGE, source->name, "");
        else
            write_entry(&task, binary, nbytes);
        prim__free(binary);
    }
    prim__ocl_cache_key_fini(&task.key);
}
