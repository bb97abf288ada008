// SPDX-License-Identifier: Apache-2.0
// Keys of programs in the cache on disk. Hashes: Fowler, Noll, Vo, "The FNV Non-Cryptographic Hash
// Algorithm" (IETF draft-eastlake-fnv).
#include "ocl_cache_key.h"

#include <stdio.h>
#include <string.h>

#include "common/alloc.h"
#include "prim/prim.h"

enum { DEVICE_TEXT_BYTES = 2048 };

// Multiplies by the prime 2^88 + 0x13b, modulo 2^128.
static void times_prime(uint64_t *high, uint64_t *low)
{
    const uint64_t factor = 0x13b;
    const uint64_t bottom = (*low & UINT32_MAX) * factor;
    const uint64_t middle = (*low >> 32) * factor + (bottom >> 32);
    *high = *high * factor + (middle >> 32) + (*low << 24);
    *low = middle << 32 | (bottom & UINT32_MAX);
}

static void write_name(ocl_cache_key_t *key)
{
    uint64_t high = UINT64_C(0x6c62272e07bb0142), low = UINT64_C(0x62b821756295c58d);
    for (size_t i = 0; i < key->bytes; ++i) {
        low ^= (unsigned char)key->text[i];
        times_prime(&high, &low);
    }
    snprintf(key->name, sizeof key->name, "%016llx%016llx", (unsigned long long)high,
            (unsigned long long)low);
}

char *prim__ocl_cache_key_of_device(const ocl_device_t *device)
{
    const prim_version_t *const version = prim_version();
    const char *const format = "prim %d.%d.%d %s\ndevice %s\nvendor %s\ndevice version %s\n"
                               "driver %s\nplatform %s\nplatform version %s\npointer bits %d %d\n";
    char text[DEVICE_TEXT_BYTES];
    const int length = snprintf(text, sizeof text, format, version->major, version->minor,
            version->patch, version->hash, device->name, device->vendor, device->device_version,
            device->driver_version, device->platform_name, device->platform_version,
            (int)(8 * sizeof(void *)), device->address_bits);
    return length > 0 && (size_t)length < sizeof text ? prim__strdup(text) : NULL;
}

bool prim__ocl_cache_key_init(ocl_cache_key_t *key, const char *device_text,
        const ocl_source_t *source, const char *options)
{
    const char *const parts[] = {device_text, "options ", options, "\nsource ", source->name, "\n"};
    enum { NPARTS = sizeof parts / sizeof parts[0] };
    size_t bytes = source->bytes;
    for (int i = 0; i < NPARTS; ++i) bytes += strlen(parts[i]);
    *key = (ocl_cache_key_t){.text = prim__calloc(bytes), .bytes = bytes};
    if (!key->text) return false;
    char *at = key->text;
    for (int i = 0; i < NPARTS; ++i) {
        const size_t length = strlen(parts[i]);
        memcpy(at, parts[i], length);
        at += length;
    }
    memcpy(at, source->text, source->bytes);
    write_name(key);
    return true;
}

void prim__ocl_cache_key_fini(ocl_cache_key_t *key)
{
    prim__free(key->text);
    *key = (ocl_cache_key_t){0};
}
