// SPDX-License-Identifier: Apache-2.0
// Reads, verifies and writes the files of the cache on disk.
#define _POSIX_C_SOURCE 200809L
#include "ocl_cache_entry.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/fnv.h"

enum { FORMAT_VERSION = 1 };

// All of it but the checksum is under the checksum, and so are key and binary.
typedef struct {
    char magic[8];
    uint32_t version, header_bytes;
    uint64_t key_bytes, binary_bytes, checksum;
} header_t;

static const char magic[8] = {'P', 'R', 'I', 'M', 'K', 'R', 'N', '\n'};

// A hit renews the time of use only when it is older: the order of eviction need not be finer.
enum { TOUCH_SECONDS = 600 };

void prim__ocl_cache_path(char *path, const char *folder, const char *name, const char *suffix)
{
    snprintf(path, OCL_CACHE_PATH_BYTES, "%s/%s%s", folder, name, suffix);
}

static bool read_all(int fd, unsigned char *bytes, size_t nbytes)
{
    while (nbytes > 0) {
        const ssize_t n = read(fd, bytes, nbytes);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        bytes += n;
        nbytes -= (size_t)n;
    }
    return true;
}

static uint64_t checksum_of(header_t header, const void *key, const void *binary)
{
    header.checksum = 0;
    uint64_t sum = prim__fnv64(FNV64_START, &header, sizeof header);
    sum = prim__fnv64(sum, key, header.key_bytes);
    return prim__fnv64(sum, binary, header.binary_bytes);
}

ocl_entry_state_t prim__ocl_cache_entry_parse(
        ocl_entry_view_t *view, const unsigned char *bytes, size_t nbytes)
{
    header_t header;
    if (nbytes < sizeof header) return OCL_ENTRY_DAMAGED;
    memcpy(&header, bytes, sizeof header);
    if (memcmp(header.magic, magic, sizeof magic) != 0 || header.version != FORMAT_VERSION ||
            header.header_bytes != sizeof header) {
        return OCL_ENTRY_FOREIGN;
    }
    const uint64_t rest = nbytes - sizeof header;
    if (header.key_bytes > rest || header.binary_bytes != rest - header.key_bytes ||
            header.binary_bytes == 0) {
        return OCL_ENTRY_DAMAGED;
    }
    const unsigned char *const key = bytes + sizeof header, *const binary = key + header.key_bytes;
    if (checksum_of(header, key, binary) != header.checksum) return OCL_ENTRY_DAMAGED;
    *view = (ocl_entry_view_t){
            (const char *)key, binary, (size_t)header.key_bytes, (size_t)header.binary_bytes};
    return OCL_ENTRY_FOUND;
}

static ocl_entry_state_t verify(
        ocl_cache_entry_t *entry, unsigned char *file, size_t bytes, const ocl_cache_key_t *key)
{
    ocl_entry_view_t view;
    const ocl_entry_state_t state = prim__ocl_cache_entry_parse(&view, file, bytes);
    if (state != OCL_ENTRY_FOUND) return state;
    if (view.key_bytes != key->bytes || memcmp(view.key, key->text, key->bytes) != 0)
        return OCL_ENTRY_FOREIGN;
    *entry = (ocl_cache_entry_t){file, view.binary, view.binary_bytes};
    return OCL_ENTRY_FOUND;
}

static void touch(int fd, const struct stat *status)
{
    // Without the permission the order of eviction suffers, nothing else.
    if (time(NULL) - status->st_mtime > TOUCH_SECONDS) (void)futimens(fd, NULL);
}

static ocl_entry_state_t read_open(ocl_cache_entry_t *entry, int fd, const ocl_cache_key_t *key)
{
    struct stat status;
    if (fstat(fd, &status) != 0) return OCL_ENTRY_UNREADABLE;
    const size_t bytes = (size_t)status.st_size;
    if (bytes == 0) return OCL_ENTRY_DAMAGED;
    unsigned char *const file = prim__malloc_aligned(bytes);
    if (!file) return OCL_ENTRY_MISSING; // then from source, which may need less
    const ocl_entry_state_t state =
            read_all(fd, file, bytes) ? verify(entry, file, bytes, key) : OCL_ENTRY_UNREADABLE;
    if (state == OCL_ENTRY_FOUND)
        touch(fd, &status);
    else
        prim__free(file);
    return state;
}

ocl_entry_state_t prim__ocl_cache_entry_read(
        ocl_cache_entry_t *entry, const char *path, const ocl_cache_key_t *key)
{
    const int fd = prim__cache_file_open(path, O_RDONLY);
    if (fd < 0) return errno == ENOENT ? OCL_ENTRY_MISSING : OCL_ENTRY_UNREADABLE;
    const ocl_entry_state_t state = read_open(entry, fd, key);
    const int kept = errno;
    close(fd);
    errno = kept;
    return state;
}

void prim__ocl_cache_entry_fini(ocl_cache_entry_t *entry)
{
    prim__free(entry->file);
    *entry = (ocl_cache_entry_t){0};
}

uint64_t prim__ocl_cache_entry_bytes(const ocl_cache_key_t *key, size_t binary_bytes)
{
    return (uint64_t)sizeof(header_t) + key->bytes + binary_bytes;
}

static header_t make_header(
        const ocl_cache_key_t *key, const unsigned char *binary, size_t binary_bytes)
{
    header_t header = {.version = FORMAT_VERSION,
            .header_bytes = sizeof header,
            .key_bytes = key->bytes,
            .binary_bytes = binary_bytes};
    memcpy(header.magic, magic, sizeof magic);
    header.checksum = checksum_of(header, key->text, binary);
    return header;
}

void prim__ocl_cache_entry_pack(unsigned char *bytes, const ocl_cache_key_t *key,
        const unsigned char *binary, size_t binary_bytes)
{
    const header_t header = make_header(key, binary, binary_bytes);
    memcpy(bytes, &header, sizeof header);
    memcpy(bytes + sizeof header, key->text, key->bytes);
    memcpy(bytes + sizeof header + key->bytes, binary, binary_bytes);
}

bool prim__ocl_cache_entry_write(const char *path, const ocl_cache_key_t *key,
        const unsigned char *binary, size_t binary_bytes)
{
    const header_t header = make_header(key, binary, binary_bytes);
    const cache_part_t parts[] = {
            {&header, sizeof header}, {key->text, key->bytes}, {binary, binary_bytes}};
    return prim__cache_file_replace(path, parts, 3);
}
