// SPDX-License-Identifier: Apache-2.0
// Cache blobs of engines: the results of the self-tests, for the application to store.
#include <string.h>

#include "common/alloc.h"
#include "common/fnv.h"
#include "gpu/ocl/device/ocl_engine.h"
#include "gpu/ocl/feature/ocl_feature.h"
#include "gpu/ocl/program/ocl_cache_key.h"
#include "prim/prim_ocl.h"

enum { FORMAT_VERSION = 1 };

static const char magic[8] = {'P', 'R', 'I', 'M', 'E', 'N', 'G', '\n'};

typedef struct {
    uint64_t halves[2];
} id_t;

// Lines of prim__ocl_features_save() follow.
typedef struct {
    char magic[8];
    uint32_t version, header_bytes;
    id_t id;
    uint64_t text_bytes, checksum;
} header_t;

static uint64_t checksum_of(header_t header, const void *text)
{
    header.checksum = 0;
    const uint64_t sum = prim__fnv64(FNV64_START, &header, sizeof header);
    return prim__fnv64(sum, text, header.text_bytes);
}

static id_t id_of(const char *device_text)
{
    const size_t length = strlen(device_text);
    const uint64_t other = prim__fnv64(FNV64_START, magic, sizeof magic);
    return (id_t){{prim__fnv64(FNV64_START, device_text, length),
            prim__fnv64(other, device_text, length)}};
}

// The two-call pattern: the size alone, or the bytes where they fit.
static prim_status_t copy_out(size_t *bytes, uint8_t *to, const void *from, size_t nbytes)
{
    if (to) {
        CHECK(*bytes >= nbytes, "the blob has %zu bytes, the buffer %zu", nbytes, *bytes);
        memcpy(to, from, nbytes);
    }
    *bytes = nbytes;
    return PRIM_SUCCESS;
}

prim_status_t prim_ocl_engine_get_cache_blob_id(cl_device_id device, size_t *bytes, uint8_t *id)
{
    CHECK_NOT_NULL(device);
    CHECK_NOT_NULL(bytes);
    cl_platform_id platform = NULL;
    ocl_device_t traits;
    OCL_TRY(clGetDeviceInfo(device, CL_DEVICE_PLATFORM, sizeof platform, &platform, NULL));
    TRY(prim__ocl_device_init(&traits, platform, device));
    char *const text = prim__ocl_cache_key_of_device(&traits);
    prim__ocl_device_fini(&traits);
    if (!text) return prim__fail_memory(0);
    const id_t made = id_of(text);
    prim__free(text);
    return copy_out(bytes, id, &made, sizeof made);
}

static prim_status_t require_ocl(const prim_engine_t *engine)
{
    CHECK(prim__ocl_is_engine(engine), "engine is not an OpenCL engine");
    if (prim__ocl_program_device_text(engine)) return PRIM_SUCCESS;
    return prim__fail(PRIM_UNIMPLEMENTED, "device %s cannot be told from others", engine->name);
}

prim_status_t prim_ocl_engine_get_cache_blob(
        const prim_engine_t *engine, size_t *bytes, uint8_t *blob)
{
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(bytes);
    TRY(require_ocl(engine));
    char *text = NULL;
    TRY(prim__ocl_features_save(&text, engine));
    header_t header = {.version = FORMAT_VERSION,
            .header_bytes = sizeof header,
            .id = id_of(prim__ocl_program_device_text(engine)),
            .text_bytes = strlen(text)};
    memcpy(header.magic, magic, sizeof magic);
    header.checksum = checksum_of(header, text);
    const size_t nbytes = sizeof header + header.text_bytes;
    prim_status_t st = PRIM_SUCCESS;
    uint8_t *const made = prim__calloc(nbytes);
    if (!made) {
        st = prim__fail_memory(nbytes);
        goto done;
    }
    memcpy(made, &header, sizeof header);
    memcpy(made + sizeof header, text, header.text_bytes);
    st = copy_out(bytes, blob, made, nbytes);

done:
    prim__free(made);
    prim__free(text);
    return st;
}

static prim_status_t check(const prim_engine_t *engine, size_t bytes, const uint8_t *blob)
{
    header_t header;
    CHECK(bytes >= sizeof header, "the blob is truncated: it has %zu bytes", bytes);
    memcpy(&header, blob, sizeof header);
    CHECK(memcmp(header.magic, magic, sizeof magic) == 0 && header.version == FORMAT_VERSION &&
                    header.header_bytes == sizeof header,
            "the blob was not written by an engine of this library, or its format is that of "
            "another version");
    CHECK(header.text_bytes == bytes - sizeof header, "the blob is truncated or too long");
    CHECK(checksum_of(header, blob + sizeof header) == header.checksum,
            "the blob is damaged: its checksum differs");
    const id_t id = id_of(prim__ocl_program_device_text(engine));
    CHECK(memcmp(&id, &header.id, sizeof id) == 0,
            "the blob belongs to another device, driver or library");
    return PRIM_SUCCESS;
}

static prim_status_t restore(const prim_engine_t *engine, size_t bytes, const uint8_t *blob)
{
    TRY(require_ocl(engine));
    TRY(check(engine, bytes, blob));
    const size_t length = bytes - sizeof(header_t);
    char *const text = prim__calloc(length + 1);
    if (!text) return prim__fail_memory(length + 1);
    memcpy(text, blob + sizeof(header_t), length);
    prim__ocl_features_restore(engine, text);
    prim__free(text);
    return PRIM_SUCCESS;
}

prim_status_t prim_ocl_engine_create_from_cache_blob(prim_engine_t **engine, cl_device_id device,
        cl_context context, size_t bytes, const uint8_t *blob)
{
    CHECK_NOT_NULL(engine);
    CHECK_NOT_NULL(blob);
    prim_engine_t *made = NULL;
    TRY(prim_ocl_engine_create(&made, device, context));
    const prim_status_t st = restore(made, bytes, blob);
    if (st != PRIM_SUCCESS) {
        prim_engine_destroy(made);
        return st;
    }
    *engine = made;
    return PRIM_SUCCESS;
}
