// SPDX-License-Identifier: Apache-2.0
// Cache blobs: the built programs of a primitive as bytes for the caller to store. This file writes
// and checks the header (problem, implementation, device, checksum); the payload is the backend's.
#include <string.h>

#include "alloc.h"
#include "desc_key.h"
#include "fnv.h"
#include "impl.h"

enum { FORMAT_VERSION = 1 };

static const char magic[8] = {'P', 'R', 'I', 'M', 'B', 'L', 'B', '\n'};

// All of it but the checksum is under the checksum, and so is what follows.
typedef struct {
    char magic[8];
    uint32_t version, header_bytes;
    uint64_t id[2]; ///< prim_desc.blob_id
    uint64_t payload_bytes, checksum;
} header_t;

static uint64_t checksum_of(header_t header, const void *payload)
{
    header.checksum = 0;
    const uint64_t sum = prim__fnv64(FNV64_START, &header, sizeof header);
    return prim__fnv64(sum, payload, header.payload_bytes);
}

static prim_status_t require_blobs(const prim_desc_t *pd)
{
    if (prim__desc_has_blob_id(pd)) return PRIM_SUCCESS;
    return prim__fail(PRIM_UNIMPLEMENTED, "primitives of %s have no programs to keep in a blob",
            pd->engine->name);
}

static prim_status_t fill(
        const prim_desc_t *pd, void *blob, size_t room, const void *payload, size_t payload_bytes)
{
    header_t header = {.version = FORMAT_VERSION,
            .header_bytes = sizeof header,
            .id = {pd->blob_id[0], pd->blob_id[1]},
            .payload_bytes = payload_bytes};
    CHECK(room >= sizeof header + payload_bytes, "the blob has %zu bytes, the buffer %zu",
            sizeof header + payload_bytes, room);
    memcpy(header.magic, magic, sizeof magic);
    header.checksum = checksum_of(header, payload);
    memcpy(blob, &header, sizeof header);
    memcpy((char *)blob + sizeof header, payload, payload_bytes);
    return PRIM_SUCCESS;
}

prim_status_t prim_get_cache_blob(const prim_t *primitive, size_t *bytes, void *blob)
{
    CHECK_NOT_NULL(primitive);
    CHECK_NOT_NULL(bytes);
    TRY(require_blobs(primitive->pd));
    unsigned char *payload = NULL;
    size_t payload_bytes = 0;
    TRY(primitive->pd->engine->ops->programs_export(&payload, &payload_bytes, primitive));
    const prim_status_t st =
            blob ? fill(primitive->pd, blob, *bytes, payload, payload_bytes) : PRIM_SUCCESS;
    prim__free(payload);
    if (st == PRIM_SUCCESS) *bytes = sizeof(header_t) + payload_bytes;
    return st;
}

static prim_status_t check(const prim_desc_t *pd, size_t bytes, const void *blob)
{
    header_t header;
    CHECK(bytes >= sizeof header, "the blob is truncated: it has %zu bytes", bytes);
    memcpy(&header, blob, sizeof header);
    CHECK(memcmp(header.magic, magic, sizeof magic) == 0 && header.version == FORMAT_VERSION &&
                    header.header_bytes == sizeof header,
            "the blob was not written by this library, or its format is that of another version");
    CHECK(header.payload_bytes == bytes - sizeof header,
            "the blob is truncated or too long: it says %llu bytes and has %zu",
            (unsigned long long)header.payload_bytes + sizeof header, bytes);
    CHECK(checksum_of(header, (const char *)blob + sizeof header) == header.checksum,
            "the blob is damaged: its checksum differs");
    CHECK(header.id[0] == pd->blob_id[0] && header.id[1] == pd->blob_id[1],
            "the blob belongs to another problem, implementation, device, driver or library");
    return PRIM_SUCCESS;
}

prim_status_t prim_create_from_cache_blob(
        prim_t **primitive, const prim_desc_t *pd, size_t bytes, const void *blob)
{
    CHECK_NOT_NULL(primitive);
    CHECK_NOT_NULL(pd);
    CHECK_NOT_NULL(blob);
    TRY(require_blobs(pd));
    TRY(check(pd, bytes, blob));
    TRY(pd->engine->ops->programs_import(
            pd->engine, (const unsigned char *)blob + sizeof(header_t), bytes - sizeof(header_t)));
    return prim_create(primitive, pd);
}
