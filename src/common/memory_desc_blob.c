// SPDX-License-Identifier: Apache-2.0
// Memory descriptors as bytes that outlive the process.
#include <stddef.h>
#include <string.h>

#include "crc32.h"
#include "memory_desc.h"
#include "prim/prim.h"

enum { FORMAT_VERSION = 2 }; // 1 had no checksum

/// The serialised form. Every byte of it is a field: no padding.
typedef struct {
    char magic[4];
    uint16_t major, minor, patch;
    uint16_t md_bytes;
    uint32_t byte_order;
    uint32_t format_version;
    uint32_t checksum; ///< CRC-32 of the whole blob with 0 in this place
    prim_memory_desc_t md;
} blob_t;

_Static_assert(sizeof(prim_memory_desc_t) == 24 + 6 * sizeof(prim_dims_t), "padding in a blob");
_Static_assert(sizeof(blob_t) == 24 + sizeof(prim_memory_desc_t), "padding in a blob");

static blob_t blob_header(void)
{
    return (blob_t){.magic = {'P', 'R', 'M', 'D'},
            .major = PRIM_VERSION_MAJOR,
            .minor = PRIM_VERSION_MINOR,
            .patch = PRIM_VERSION_PATCH,
            .md_bytes = sizeof(prim_memory_desc_t),
            .byte_order = 0x01020304,
            .format_version = FORMAT_VERSION};
}

static uint32_t checksum_of(blob_t blob)
{
    blob.checksum = 0;
    return prim__crc32(&blob, sizeof blob);
}

prim_status_t prim_memory_desc_get_blob(
        const prim_memory_desc_t *md, size_t *size_bytes, void *blob)
{
    CHECK_NOT_NULL(size_bytes);
    TRY(prim__md_check(md, "md"));
    if (blob) {
        CHECK(*size_bytes >= sizeof(blob_t), "the blob needs %zu bytes, there are %zu",
                sizeof(blob_t), *size_bytes);
        blob_t full = blob_header();
        full.md = *md;
        prim__md_normalize(&full.md);
        full.checksum = checksum_of(full);
        memcpy(blob, &full, sizeof full);
    }
    *size_bytes = sizeof(blob_t);
    return PRIM_SUCCESS;
}

prim_status_t prim_memory_desc_init_by_blob(
        prim_memory_desc_t *md, size_t size_bytes, const void *blob)
{
    CHECK_NOT_NULL(md);
    CHECK_NOT_NULL(blob);
    CHECK(size_bytes == sizeof(blob_t), "a blob has %zu bytes, not %zu", sizeof(blob_t),
            size_bytes);
    blob_t full;
    memcpy(&full, blob, sizeof full);
    const blob_t expected = blob_header();
    CHECK(memcmp(&full, &expected, offsetof(blob_t, checksum)) == 0,
            "the blob was not written by this version of the library");
    CHECK(full.checksum == checksum_of(full), "the blob is damaged: its checksum differs");
    TRY(prim__md_check(&full.md, "blob"));
    prim__md_normalize(&full.md);
    *md = full.md;
    return PRIM_SUCCESS;
}
