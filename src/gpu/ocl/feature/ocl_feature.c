// SPDX-License-Identifier: Apache-2.0
// Verdicts on optional features: claimed by the traits, read from disk, or found by a
// self-test now; kept in the engine.
#define _POSIX_C_SOURCE 200809L
#include "ocl_feature.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "common/alloc.h"
#include "common/cache_folder.h"
#include "common/fnv.h"
#include "common/log.h"
#include "gpu/ocl/device/ocl_svm_api.h"
#include "gpu/ocl/device/ocl_traits.h"
#include "gpu/ocl/program/ocl_cache_entry.h"
#include "gpu/ocl/program/ocl_cache_guard.h"
#include "gpu/ocl/program/ocl_cache_trim.h"
#include "ocl_selftest.h"

extern const ocl_source_t prim__ocl_selftest_async_copy_cl;
extern const ocl_source_t prim__ocl_selftest_cache_hints_cl;
extern const ocl_source_t prim__ocl_selftest_fast_exp2_cl;
extern const ocl_source_t prim__ocl_selftest_half_cl;
extern const ocl_source_t prim__ocl_selftest_image_cl;
extern const ocl_source_t prim__ocl_selftest_int_dot_cl;
extern const ocl_source_t prim__ocl_selftest_lane_shuffle_cl;
extern const ocl_source_t prim__ocl_selftest_large_local_cl;
extern const ocl_source_t prim__ocl_selftest_mma_cl;
extern const ocl_source_t prim__ocl_selftest_nontemporal_cl;
extern const ocl_source_t prim__ocl_selftest_packed_bf16_cl;
extern const ocl_source_t prim__ocl_selftest_packed_max_cl;
extern const ocl_source_t prim__ocl_selftest_subgroup_cl;
extern const ocl_source_t prim__ocl_selftest_svm_cl;
extern const ocl_source_t prim__ocl_selftest_group_wait_cl;
extern const ocl_source_t prim__ocl_selftest_wgmma_cl;

static bool claims_half(const ocl_device_t *device)
{
    return device->has_fp16;
}

static bool claims_images(const ocl_device_t *device)
{
    return device->has_images;
}

static bool claims_subgroups(const ocl_device_t *device)
{
    return device->has_subgroups;
}

static bool claims_shuffle(const ocl_device_t *device)
{
    return device->has_subgroups &&
           prim__ocl_device_has_extension(device, "cl_khr_subgroup_shuffle");
}

static bool claims_block(const ocl_device_t *device)
{
    return device->has_subgroups && prim__ocl_device_has_extension(device, "cl_intel_subgroups");
}

// 10 · major + minor of the instruction set behind inline PTX; 0: the compiler takes none.
static int ptx_capability(const ocl_device_t *device)
{
    return 10 * device->nv_capability_major + device->nv_capability_minor;
}

// Packed products by the extension; or dp4a, which is of PTX for 6.1 and later.
static bool claims_int_dot(const ocl_device_t *device)
{
    return prim__ocl_device_has_packed_dot(device) || ptx_capability(device) >= 61;
}

// cp.async is of PTX for 8.0 and later, and so are conversions to bf16.
static bool claims_async_copy(const ocl_device_t *device)
{
    return ptx_capability(device) >= 80;
}

// shfl.sync is of PTX 6.0, and every compiler for 7.0 and later knows it; likewise the orders and
// scopes of accesses to memory. Hints for the caches and ex2.approx are older, but were not tried
// on what came before.
static bool claims_ptx_7(const ocl_device_t *device)
{
    return ptx_capability(device) >= 70;
}

// Where waiting holds a core, groups do without.
static bool claims_group_wait(const ocl_device_t *device)
{
    return device->waits_hold_cores || claims_ptx_7(device);
}

// These instructions came with 9.0 and went with it.
static bool claims_wgmma(const ocl_device_t *device)
{
    return ptx_capability(device) == 90;
}

// What such devices report is what a kernel argument may have; arrays of a kernel may have more.
static bool claims_large_local(const ocl_device_t *device)
{
    return ptx_capability(device) >= 80;
}

// PTX for 9.0 and later.
static bool claims_packed_max(const ocl_device_t *device)
{
    return ptx_capability(device) >= 90;
}

// Processors have them, and the compilers of clang's family a name for them. Which stores pass by
// the caches is decided by the caches' size; where none is told, nothing asks. Mesa's translator to
// SPIR-V, which tells none, ends the process at the name of a prefetch.
static bool claims_nontemporal(const ocl_device_t *device)
{
    return device->is_cpu && device->cache_bytes > 0;
}

static const ocl_feature_row_t rows[OCL_NFEATURES] = {
        [OCL_FEATURE_HALF] = {"half", &prim__ocl_selftest_half_cl, claims_half,
                prim__ocl_selftest_half},
        [OCL_FEATURE_IMAGE_F32] = {"image_f32", &prim__ocl_selftest_image_cl, claims_images,
                prim__ocl_selftest_image_f32},
        [OCL_FEATURE_IMAGE_F16] = {"image_f16", &prim__ocl_selftest_image_cl, claims_images,
                prim__ocl_selftest_image_f16},
        [OCL_FEATURE_SVM] = {"svm", &prim__ocl_selftest_svm_cl, prim__ocl_svm_is_claimed,
                prim__ocl_selftest_svm},
        [OCL_FEATURE_SUBGROUPS] = {"subgroups", &prim__ocl_selftest_subgroup_cl, claims_subgroups,
                prim__ocl_selftest_subgroups},
        [OCL_FEATURE_SUBGROUP_SHUFFLE] = {"subgroup_shuffle", &prim__ocl_selftest_subgroup_cl,
                claims_shuffle, prim__ocl_selftest_subgroup_shuffle},
        [OCL_FEATURE_SUBGROUP_BLOCK] = {"subgroup_block", &prim__ocl_selftest_subgroup_cl,
                claims_block, prim__ocl_selftest_subgroup_block},
        [OCL_FEATURE_INT_DOT] = {"int_dot", &prim__ocl_selftest_int_dot_cl, claims_int_dot,
                prim__ocl_selftest_int_dot},
        [OCL_FEATURE_ASYNC_COPY] = {"async_copy", &prim__ocl_selftest_async_copy_cl,
                claims_async_copy, prim__ocl_selftest_async_copy},
        [OCL_FEATURE_LANE_SHUFFLE] = {"lane_shuffle", &prim__ocl_selftest_lane_shuffle_cl,
                claims_ptx_7, prim__ocl_selftest_lane_shuffle},
        [OCL_FEATURE_MMA_SYNC_F16] = {"mma_sync_f16", &prim__ocl_selftest_mma_cl, claims_async_copy,
                prim__ocl_selftest_mma_f16},
        [OCL_FEATURE_MMA_SYNC_BF16] = {"mma_sync_bf16", &prim__ocl_selftest_mma_cl,
                claims_async_copy, prim__ocl_selftest_mma_bf16},
        [OCL_FEATURE_MMA_SYNC_INT8] = {"mma_sync_int8", &prim__ocl_selftest_mma_cl,
                claims_async_copy, prim__ocl_selftest_mma_int8},
        [OCL_FEATURE_WGMMA_F16] = {"wgmma_f16", &prim__ocl_selftest_wgmma_cl, claims_wgmma,
                prim__ocl_selftest_wgmma_f16},
        [OCL_FEATURE_WGMMA_BF16] = {"wgmma_bf16", &prim__ocl_selftest_wgmma_cl, claims_wgmma,
                prim__ocl_selftest_wgmma_bf16},
        [OCL_FEATURE_WGMMA_INT8] = {"wgmma_int8", &prim__ocl_selftest_wgmma_cl, claims_wgmma,
                prim__ocl_selftest_wgmma_int8},
        [OCL_FEATURE_TENSOR_MAPS_F16] = {"tensor_maps_f16", &prim__ocl_selftest_wgmma_cl,
                claims_wgmma, prim__ocl_selftest_tensor_maps_f16},
        [OCL_FEATURE_TENSOR_MAPS_BF16] = {"tensor_maps_bf16", &prim__ocl_selftest_wgmma_cl,
                claims_wgmma, prim__ocl_selftest_tensor_maps_bf16},
        [OCL_FEATURE_TENSOR_MAPS_INT8] = {"tensor_maps_int8", &prim__ocl_selftest_wgmma_cl,
                claims_wgmma, prim__ocl_selftest_tensor_maps_int8},
        [OCL_FEATURE_LARGE_LOCAL] = {"large_local", &prim__ocl_selftest_large_local_cl,
                claims_large_local, prim__ocl_selftest_large_local},
        [OCL_FEATURE_NONTEMPORAL] = {"nontemporal", &prim__ocl_selftest_nontemporal_cl,
                claims_nontemporal, prim__ocl_selftest_nontemporal},
        [OCL_FEATURE_PACKED_MAX] = {"packed_max", &prim__ocl_selftest_packed_max_cl,
                claims_packed_max, prim__ocl_selftest_packed_max},
        [OCL_FEATURE_GROUP_WAIT] = {"group_wait", &prim__ocl_selftest_group_wait_cl,
                claims_group_wait, prim__ocl_selftest_group_wait},
        [OCL_FEATURE_CACHE_HINTS] = {"cache_hints", &prim__ocl_selftest_cache_hints_cl,
                claims_ptx_7, prim__ocl_selftest_cache_hints},
        [OCL_FEATURE_FAST_EXP2] = {"fast_exp2", &prim__ocl_selftest_fast_exp2_cl, claims_ptx_7,
                prim__ocl_selftest_fast_exp2},
        [OCL_FEATURE_PACKED_BF16] = {"packed_bf16", &prim__ocl_selftest_packed_bf16_cl,
                claims_async_copy, prim__ocl_selftest_packed_bf16},
};

struct ocl_features {
    pthread_mutex_t lock;                ///< one self-test at a time
    atomic_bool is_known[OCL_NFEATURES]; ///< set after its verdict, which is constant then
    ocl_verdict_t verdicts[OCL_NFEATURES];
    int nshortages[OCL_NFEATURES];
    char *texts[2]; ///< owned: of the distrusted, of the trusted; NULL until queried
};

// So often a test may fail for want of memory; then it counts, for this engine.
enum { MAX_SHORTAGES = 8 };

// Room for a line of each feature.
enum { TEXT_BYTES = OCL_NFEATURES * (OCL_WHY_BYTES + 128) };

prim_status_t prim__ocl_features_create(struct ocl_features **features)
{
    struct ocl_features *const f = prim__calloc(sizeof *f);
    if (!f) return prim__fail_memory(sizeof *f);
    if (pthread_mutex_init(&f->lock, NULL) != 0) {
        prim__free(f);
        return prim__fail(PRIM_RUNTIME_ERROR, "a mutex cannot be made");
    }
    *features = f;
    return PRIM_SUCCESS;
}

void prim__ocl_features_destroy(struct ocl_features *features)
{
    if (!features) return;
    for (int i = 0; i < 2; ++i) prim__free(features->texts[i]);
    pthread_mutex_destroy(&features->lock);
    prim__free(features);
}

const char *prim__ocl_feature_name(ocl_feature_t feature)
{
    return rows[feature].name;
}

// Where a verdict is kept: an entry of the cache whose "binary" is a line of text.
typedef struct {
    cache_folder_t folder;
    ocl_cache_key_t key;
    char path[OCL_CACHE_PATH_BYTES];
    bool is_on; ///< there is a folder, and memory for the key
} place_t;

static void place_init(place_t *place, const ocl_device_t *device, const ocl_feature_row_t *row)
{
    place->is_on = false;
    prim__cache_folder_get_safe(&place->folder);
    if (place->folder.path[0] == '\0') return;
    char *const device_text = prim__ocl_cache_key_of_device(device);
    if (!device_text) return;
    char options[64];
    (void)snprintf(options, sizeof options, "self-test %s", row->name);
    place->is_on = prim__ocl_cache_key_init(&place->key, device_text, row->source, options);
    prim__free(device_text);
    if (!place->is_on) return;
    prim__ocl_cache_path(place->path, place->folder.path, place->key.name, ".clbin");
}

static void place_fini(place_t *place)
{
    if (place->is_on) prim__ocl_cache_key_fini(&place->key);
}

enum { LINE_BYTES = OCL_WHY_BYTES + 32 };

// "1 32 \n": trusted, value, why.
static bool load(ocl_verdict_t *verdict, const place_t *place)
{
    ocl_cache_entry_t entry;
    if (!place->is_on ||
            prim__ocl_cache_entry_read(&entry, place->path, &place->key) != OCL_ENTRY_FOUND) {
        return false; // whatever is wrong with it, the test is run and replaces it
    }
    char line[LINE_BYTES] = "";
    const bool fits = entry.binary_bytes < sizeof line;
    if (fits) memcpy(line, entry.binary, entry.binary_bytes);
    prim__ocl_cache_entry_fini(&entry);
    int is_trusted = 0, value = 0, start = 0;
    if (!fits || sscanf(line, "%d %d %n", &is_trusted, &value, &start) != 2 || start == 0)
        return false;
    verdict->is_trusted = is_trusted == 1;
    verdict->value = value;
    (void)snprintf(verdict->why, sizeof verdict->why, "%s", line + start);
    return true;
}

static void store(const ocl_verdict_t *verdict, const place_t *place)
{
    char line[LINE_BYTES];
    const int length = snprintf(
            line, sizeof line, "%d %d %s", verdict->is_trusted, verdict->value, verdict->why);
    if (!place->is_on || length < 0 || !prim__cache_folder_make(&place->folder)) return;
    // A folder that takes nothing is reported by the programs that are to be kept there.
    if (prim__ocl_cache_entry_write(
                place->path, &place->key, (const unsigned char *)line, (size_t)length)) {
        prim__ocl_cache_trim(place->folder.path, place->folder.max_bytes, NULL);
    }
}

static void run(ocl_verdict_t *verdict, bool *is_transient, const ocl_engine_t *engine,
        const ocl_feature_row_t *row)
{
    ocl_selftest_t test = {.engine = engine, .source = row->source};
    verdict->is_trusted = row->check(&test);
    verdict->value = verdict->is_trusted ? test.value : 0;
    memcpy(verdict->why, test.why, sizeof verdict->why);
    *is_transient = test.is_transient;
    prim__ocl_selftest_fini(&test);
}

static void distrust(ocl_verdict_t *verdict, const char *why)
{
    (void)snprintf(verdict->why, sizeof verdict->why, "%s", why);
}

// The marker is set where the folder is there already, or can be made.
static void run_guarded(ocl_verdict_t *verdict, bool *is_transient, const ocl_engine_t *engine,
        const ocl_feature_row_t *row, const place_t *place)
{
    ocl_cache_guard_t guard = {.fd = -1};
    if (place->is_on) {
        const char *const folder = place->folder.path, *const name = place->key.name;
        (void)prim__cache_folder_make(&place->folder);
        if (prim__ocl_cache_guard_gave_up(folder, name)) {
            distrust(verdict, "two processes died in its self-test");
            return;
        }
        if (!prim__ocl_cache_guard_enter(&guard, folder, name)) {
            distrust(verdict, "a process died in its self-test");
            return;
        }
    }
    run(verdict, is_transient, engine, row);
    prim__ocl_cache_guard_leave(&guard);
    if (!*is_transient) store(verdict, place);
}

bool prim__ocl_feature_judge(
        ocl_verdict_t *verdict, const ocl_engine_t *engine, const ocl_feature_row_t *row)
{
    const double start_ms = prim__now_ms();
    bool is_transient = false;
    *verdict = (ocl_verdict_t){.is_claimed = row->is_claimed(&engine->device)};
    if (!verdict->is_claimed) {
        distrust(verdict, "the device does not have it");
        return true;
    }
    place_t place;
    place_init(&place, &engine->device, row);
    const bool is_from_disk = load(verdict, &place);
    if (!is_from_disk) run_guarded(verdict, &is_transient, engine, row, &place);
    place_fini(&place);
    prim__log(LOG_PROFILE_CREATE, NULL, "ocl,selftest,%s,%s,%s,%g", row->name,
            verdict->is_trusted ? "trusted" : "distrusted", is_from_disk ? "disk" : "run",
            prim__now_ms() - start_ms);
    if (!verdict->is_trusted) {
        prim__log(LOG_WARN, NULL, "warn,ocl_selftest,%s,%s is not used: %s", engine->device.name,
                row->name, verdict->why);
    }
    return !is_transient;
}

ocl_verdict_t prim__ocl_feature_verdict(const prim_engine_t *engine, ocl_feature_t feature)
{
    const ocl_engine_t *const e = prim__ocl_engine(engine);
    struct ocl_features *const f = e->features;
    if (atomic_load_explicit(&f->is_known[feature], memory_order_acquire))
        return f->verdicts[feature];
    pthread_mutex_lock(&f->lock);
    ocl_verdict_t verdict = f->verdicts[feature];
    if (!atomic_load_explicit(&f->is_known[feature], memory_order_relaxed)) {
        const bool is_final = prim__ocl_feature_judge(&verdict, e, &rows[feature]) ||
                              ++f->nshortages[feature] == MAX_SHORTAGES;
        if (is_final) f->verdicts[feature] = verdict;
        atomic_store_explicit(&f->is_known[feature], is_final, memory_order_release);
    }
    pthread_mutex_unlock(&f->lock);
    return verdict;
}

size_t prim__ocl_feature_local_bytes(const prim_engine_t *engine)
{
    const ocl_verdict_t large = prim__ocl_feature_verdict(engine, OCL_FEATURE_LARGE_LOCAL);
    return large.is_trusted ? (size_t)large.value * 1024 : prim__ocl_device(engine)->local_bytes;
}

bool prim__ocl_device_trusts(const prim_engine_t *engine, ocl_feature_t feature)
{
    const struct ocl_features *const f = prim__ocl_engine(engine)->features;
    if (atomic_load_explicit(&f->is_known[feature], memory_order_acquire))
        return f->verdicts[feature].is_trusted;
    return prim__ocl_feature_verdict(engine, feature).is_trusted;
}

bool prim__ocl_device_trusts_type(
        const prim_engine_t *engine, ocl_feature_t of_f16, prim_data_type_t type)
{
    static const prim_data_type_t types[] = {PRIM_F16, PRIM_BF16, PRIM_S8};
    const prim_data_type_t wanted = type == PRIM_U8 ? PRIM_S8 : type;
    for (int i = 0; i < 3; ++i)
        if (types[i] == wanted)
            return prim__ocl_device_trusts(engine, (ocl_feature_t)((int)of_f16 + i));
    return false;
}

// One line (one word) for each feature of the kind; `room` fits all of them.
static void write_text(char *text, size_t room, const ocl_verdict_t *verdicts, bool of_trusted)
{
    size_t length = 0;
    for (int i = 0; i < OCL_NFEATURES; ++i) {
        const ocl_verdict_t *const v = &verdicts[i];
        if (!v->is_claimed || v->is_trusted != of_trusted) continue;
        const int n = of_trusted ? snprintf(text + length, room - length, "%s%s", length ? " " : "",
                                           rows[i].name)
                                 : snprintf(text + length, room - length, "%s: %s\n", rows[i].name,
                                           v->why);
        length += (size_t)n;
    }
}

// All verdicts, final ones.
static prim_status_t judge_all(ocl_verdict_t *verdicts, const prim_engine_t *engine)
{
    struct ocl_features *const f = prim__ocl_engine(engine)->features;
    for (int i = 0; i < OCL_NFEATURES; ++i) {
        verdicts[i] = prim__ocl_feature_verdict(engine, (ocl_feature_t)i);
        if (!atomic_load_explicit(&f->is_known[i], memory_order_acquire)) {
            return prim__fail(PRIM_OUT_OF_MEMORY, "the self-test of %s cannot be run: %s",
                    rows[i].name, verdicts[i].why);
        }
    }
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_features_text(
        const char **text, const prim_engine_t *engine, bool of_trusted)
{
    struct ocl_features *const f = prim__ocl_engine(engine)->features;
    ocl_verdict_t verdicts[OCL_NFEATURES];
    TRY(judge_all(verdicts, engine));
    char *const made = prim__calloc(TEXT_BYTES);
    if (!made) return prim__fail_memory(TEXT_BYTES);
    write_text(made, TEXT_BYTES, verdicts, of_trusted);
    pthread_mutex_lock(&f->lock);
    char **place = &f->texts[of_trusted];
    char *const spare = *place ? made : NULL; // another thread was faster
    if (!*place) *place = made;
    *text = *place;
    pthread_mutex_unlock(&f->lock);
    prim__free(spare);
    return PRIM_SUCCESS;
}

static uint64_t hash_of(const ocl_feature_row_t *row)
{
    return prim__fnv64(FNV64_START, row->source->text, row->source->bytes);
}

prim_status_t prim__ocl_features_save(char **text, const prim_engine_t *engine)
{
    ocl_verdict_t verdicts[OCL_NFEATURES];
    TRY(judge_all(verdicts, engine));
    char *const made = prim__calloc(TEXT_BYTES);
    if (!made) return prim__fail_memory(TEXT_BYTES);
    size_t length = 0;
    for (int i = 0; i < OCL_NFEATURES; ++i) {
        const ocl_verdict_t *const v = &verdicts[i];
        if (!v->is_claimed) continue;
        length += (size_t)snprintf(made + length, TEXT_BYTES - length, "%s %llx %d %d %s\n",
                rows[i].name, (unsigned long long)hash_of(&rows[i]), v->is_trusted, v->value,
                v->why);
    }
    *text = made;
    return PRIM_SUCCESS;
}

// "name hash trusted value why", up to the line's end.
static void restore_line(struct ocl_features *f, const ocl_device_t *device, const char *line)
{
    char name[64];
    unsigned long long hash = 0;
    ocl_verdict_t v = {.is_claimed = true};
    int is_trusted = 0, start = 0;
    if (sscanf(line, "%63s %llx %d %d%n", name, &hash, &is_trusted, &v.value, &start) != 4) return;
    v.is_trusted = is_trusted == 1;
    const char *const why = line + start + (line[start] == ' ');
    (void)snprintf(v.why, sizeof v.why, "%.*s", (int)strcspn(why, "\n"), why);
    for (int i = 0; i < OCL_NFEATURES; ++i) {
        const bool is_it = strcmp(rows[i].name, name) == 0 && hash_of(&rows[i]) == hash;
        if (!is_it || !rows[i].is_claimed(device) || atomic_load(&f->is_known[i])) continue;
        f->verdicts[i] = v;
        atomic_store(&f->is_known[i], true);
    }
}

void prim__ocl_features_restore(const prim_engine_t *engine, const char *text)
{
    const ocl_engine_t *const e = prim__ocl_engine(engine);
    pthread_mutex_lock(&e->features->lock);
    for (const char *line = text; *line;) {
        restore_line(e->features, &e->device, line);
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
    pthread_mutex_unlock(&e->features->lock);
}
