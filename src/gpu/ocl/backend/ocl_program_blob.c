// SPDX-License-Identifier: Apache-2.0
// Payload of a cache blob: the number of programs (8 bytes), and for each the bytes of its entry (8
// bytes) and the entry (doc/kernel_cache.md). An entry's key holds options and source, so that a
// program finds its place in any engine of the same device, driver and library.
#include "ocl_program_blob.h"

#include <string.h>

#include "common/alloc.h"
#include "common/cache_folder.h"
#include "common/log.h"
#include "gpu/ocl/kit/ocl_primitive.h"
#include "gpu/ocl/program/ocl_cache_entry.h"
#include "gpu/ocl/program/ocl_cache_guard.h"
#include "gpu/ocl/program/ocl_program_binary.h"

// One program to be written to a payload.
typedef struct {
    cl_program program; ///< borrowed
    ocl_cache_key_t key;
    unsigned char *binary; ///< owned
    size_t nbytes;
} part_t;

// Of a primitive and those inside it.
enum { MAX_PARTS = 4 * OCL_MAX_KERNELS };

typedef struct {
    int nparts;
    part_t parts[MAX_PARTS];
} parts_t;

static void parts_fini(parts_t *parts)
{
    for (int i = 0; i < parts->nparts; ++i) {
        prim__ocl_cache_key_fini(&parts->parts[i].key);
        prim__free(parts->parts[i].binary);
    }
}

static bool has_part(const parts_t *parts, cl_program program)
{
    for (int i = 0; i < parts->nparts; ++i) {
        if (parts->parts[i].program == program) return true;
    }
    return false;
}

static prim_status_t add_part(parts_t *parts, const prim_engine_t *engine, cl_program program)
{
    const ocl_source_t *source = NULL;
    const char *options = NULL;
    if (!prim__ocl_program_describe(&source, &options, engine, program))
        return prim__fail(PRIM_RUNTIME_ERROR, "a program is not the engine's");
    if (parts->nparts == MAX_PARTS)
        return prim__fail(
                PRIM_UNIMPLEMENTED, "a primitive of more than %d programs", (int)MAX_PARTS);
    part_t *const part = &parts->parts[parts->nparts++];
    part->program = program;
    if (!prim__ocl_cache_key_init(
                &part->key, prim__ocl_program_device_text(engine), source, options)) {
        return prim__fail_memory(source->bytes);
    }
    const char *call = NULL;
    const cl_int code = prim__ocl_program_binary_take(
            &part->binary, &part->nbytes, &call, prim__ocl_engine(engine), program);
    if (code != CL_SUCCESS) return prim__ocl_fail(code, call);
    if (part->binary) return PRIM_SUCCESS;
    return prim__fail(PRIM_UNIMPLEMENTED, "the driver gives no binary of %s", source->name);
}

static prim_status_t collect_kernel(
        parts_t *parts, const prim_t *primitive, const ocl_kernel_t *kernel)
{
    cl_program program = NULL;
    TRY(prim__ocl_kernel_get_program(&program, kernel));
    if (has_part(parts, program)) return PRIM_SUCCESS;
    return add_part(parts, primitive->pd->engine, program);
}

static prim_status_t collect(parts_t *parts, const prim_t *primitive)
{
    const ocl_primitive_t *const p = (const ocl_primitive_t *)primitive;
    for (int i = 0; i < p->nkernels; ++i) TRY(collect_kernel(parts, primitive, p->kernels[i]));
    const ocl_kernel_t *const other = p->on_demand ? prim__ocl_on_demand_peek(p->on_demand) : NULL;
    if (other) TRY(collect_kernel(parts, primitive, other));
    for (int i = 0; i < primitive->pd->nnested; ++i) TRY(collect(parts, primitive->nested[i]));
    return PRIM_SUCCESS;
}

static unsigned char *put_u64(unsigned char *to, uint64_t value)
{
    memcpy(to, &value, sizeof value);
    return to + sizeof value;
}

static prim_status_t pack(unsigned char **payload, size_t *payload_bytes, const parts_t *parts)
{
    size_t bytes = sizeof(uint64_t);
    for (int i = 0; i < parts->nparts; ++i) {
        const part_t *const part = &parts->parts[i];
        bytes += sizeof(uint64_t) + prim__ocl_cache_entry_bytes(&part->key, part->nbytes);
    }
    unsigned char *const made = prim__malloc_aligned(bytes);
    if (!made) return prim__fail_memory(bytes);
    unsigned char *to = put_u64(made, (uint64_t)parts->nparts);
    for (int i = 0; i < parts->nparts; ++i) {
        const part_t *const part = &parts->parts[i];
        const uint64_t entry_bytes = prim__ocl_cache_entry_bytes(&part->key, part->nbytes);
        to = put_u64(to, entry_bytes);
        prim__ocl_cache_entry_pack(to, &part->key, part->binary, part->nbytes);
        to += entry_bytes;
    }
    *payload = made;
    *payload_bytes = bytes;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_programs_export(
        unsigned char **payload, size_t *payload_bytes, const prim_t *primitive)
{
    parts_t parts = {0};
    prim_status_t st = collect(&parts, primitive);
    if (st == PRIM_SUCCESS) st = pack(payload, payload_bytes, &parts);
    parts_fini(&parts);
    return st;
}

// What an entry's key says, after the device's part.
typedef struct {
    char *text;          ///< owned: options and name, each zero-terminated
    const char *options; ///< in `text`
    ocl_source_t source; ///< its name in `text`, its text in the entry
} origin_t;

// The text up to `end` behind the prefix `word`; NULL when it is not there.
static const char *take_word(const char **from, const char *end, const char *word, size_t *length)
{
    const size_t prefix = strlen(word);
    if ((size_t)(end - *from) < prefix || memcmp(*from, word, prefix) != 0) return NULL;
    const char *const start = *from + prefix;
    const char *const stop = memchr(start, '\n', (size_t)(end - start));
    if (!stop) return NULL;
    *length = (size_t)(stop - start);
    *from = stop + 1;
    return start;
}

static prim_status_t origin_init(
        origin_t *origin, const ocl_entry_view_t *view, const char *device_text)
{
    const size_t device_bytes = strlen(device_text);
    CHECK(view->key_bytes >= device_bytes && memcmp(view->key, device_text, device_bytes) == 0,
            "the blob holds a program of another device, driver or library");
    const char *at = view->key + device_bytes, *end = view->key + view->key_bytes;
    size_t options_length = 0, name_length = 0;
    const char *const options = take_word(&at, end, "options ", &options_length);
    const char *const name = options ? take_word(&at, end, "source ", &name_length) : NULL;
    CHECK(name, "the blob holds a program without a name");
    char *const text = prim__calloc(options_length + name_length + 2);
    if (!text) return prim__fail_memory(options_length + name_length + 2);
    memcpy(text, options, options_length);
    memcpy(text + options_length + 1, name, name_length);
    *origin = (origin_t){text, text, {text + options_length + 1, at, (size_t)(end - at)}};
    return PRIM_SUCCESS;
}

// Whether a driver speaks of the program that it was given, rather than of itself.
static bool is_refusal(cl_int code)
{
    switch (code) {
    case CL_INVALID_BINARY:
    case CL_INVALID_BUILD_OPTIONS: // the key's options are none of this library's
    case CL_INVALID_VALUE:
    case CL_BUILD_PROGRAM_FAILURE:
    case CL_INVALID_PROGRAM_EXECUTABLE:
    case CL_INVALID_KERNEL_DEFINITION: return true;
    default: return false;
    }
}

// Sets the marker of the cache folder around the loading, where there is a folder.
static prim_status_t load_guarded(cl_program *program, const prim_engine_t *engine,
        const origin_t *origin, const ocl_entry_view_t *view)
{
    ocl_cache_guard_t guard = {.fd = -1};
    cache_folder_t folder;
    ocl_cache_key_t key;
    prim__cache_folder_get_safe(&folder);
    const char *const device_text = prim__ocl_program_device_text(engine);
    if (folder.path[0] != '\0') {
        if (!prim__ocl_cache_key_init(&key, device_text, &origin->source, origin->options))
            return prim__fail_memory(view->key_bytes);
        const bool is_safe = !prim__ocl_cache_guard_gave_up(folder.path, key.name) &&
                             prim__ocl_cache_guard_enter(&guard, folder.path, key.name);
        prim__ocl_cache_key_fini(&key);
        CHECK(is_safe, "a process crashed while loading %s; the blob is not used",
                origin->source.name);
    }
    const char *call = NULL;
    const cl_int code = prim__ocl_program_binary_load(program, &call, prim__ocl_engine(engine),
            origin->options, view->binary, view->binary_bytes);
    prim__ocl_cache_guard_leave(&guard);
    if (code == CL_SUCCESS) return PRIM_SUCCESS;
    if (!is_refusal(code)) return prim__ocl_fail(code, call);
    return prim__fail(PRIM_INVALID_ARGUMENTS, "the driver refuses the blob's program %s: %s: %s",
            origin->source.name, call, prim__ocl_code_name(code));
}

static prim_status_t import_one(const prim_engine_t *engine, const ocl_entry_view_t *view)
{
    const double start_ms = prim__now_ms();
    origin_t origin;
    TRY(origin_init(&origin, view, prim__ocl_program_device_text(engine)));
    prim_status_t st = PRIM_SUCCESS;
    cl_program program = NULL;
    if (prim__ocl_program_is_there(engine, &origin.source, origin.options)) goto done;
    TRY_OR(done, load_guarded(&program, engine, &origin, view));
    prim__log(LOG_PROFILE_CREATE, NULL, "ocl,build,%s,blob,%g,%s", origin.source.name,
            prim__now_ms() - start_ms, origin.options);
    st = prim__ocl_program_adopt(engine, &origin.source, origin.options, program);

done:
    prim__free(origin.text);
    return st;
}

// Takes the next entry off the payload.
static prim_status_t next_entry(
        ocl_entry_view_t *view, const unsigned char **at, const unsigned char *end)
{
    uint64_t bytes = 0;
    CHECK((size_t)(end - *at) >= sizeof bytes, "the blob ends before its last program");
    memcpy(&bytes, *at, sizeof bytes);
    *at += sizeof bytes;
    CHECK(bytes <= (uint64_t)(end - *at), "the blob ends inside a program");
    CHECK(prim__ocl_cache_entry_parse(view, *at, (size_t)bytes) == OCL_ENTRY_FOUND,
            "the blob holds a damaged program");
    *at += bytes;
    return PRIM_SUCCESS;
}

// All entries are looked at before the first is loaded.
prim_status_t prim__ocl_programs_import(
        prim_engine_t *engine, const unsigned char *payload, size_t payload_bytes)
{
    const unsigned char *at = payload, *end = payload + payload_bytes;
    ocl_entry_view_t views[MAX_PARTS];
    uint64_t n = 0;
    CHECK(payload_bytes >= sizeof n, "the blob is empty");
    memcpy(&n, at, sizeof n);
    at += sizeof n;
    CHECK(n <= MAX_PARTS, "the blob claims to hold %llu programs", (unsigned long long)n);
    for (uint64_t i = 0; i < n; ++i) TRY(next_entry(&views[i], &at, end));
    CHECK(at == end, "the blob has bytes after its last program");
    for (uint64_t i = 0; i < n; ++i) TRY(import_one(engine, &views[i]));
    return PRIM_SUCCESS;
}
