// SPDX-License-Identifier: Apache-2.0
// Queries of the CPU engine: name, instruction sets and caches of the processor.
#define _DEFAULT_SOURCE // sysconf and its names
#include <string.h>
#include <unistd.h>

#include "common/parallel.h"
#include "cpu/cpu_engine.h"
#include "cpu/cpu_isa.h"
#include "cpu_engine_query.h"

#if PRIM_X64
#include <cpuid.h>

// Where cpuid leaves letters: four registers in a row.
typedef union {
    unsigned registers[4];
    char letters[16];
} leaf_t;

void prim__cpu_engine_identify(cpu_engine_t *engine)
{
    leaf_t id;
    unsigned highest = 0;
    // "GenuineIntel" is in ebx, edx, ecx.
    if (!__get_cpuid(0, &highest, &id.registers[0], &id.registers[2], &id.registers[1])) return;
    memcpy(engine->vendor, id.letters, 12);
    for (unsigned i = 0; i < 3; ++i) {
        if (!__get_cpuid(0x80000002 + i, &id.registers[0], &id.registers[1], &id.registers[2],
                    &id.registers[3]))
            return;
        memcpy(engine->model + sizeof id * i, id.letters, sizeof id);
    }
}
#else
void prim__cpu_engine_identify(cpu_engine_t *engine)
{
    (void)engine;
}
#endif

static const char *runtime_name(prim_runtime_t runtime)
{
    return runtime == PRIM_RUNTIME_OMP          ? "openmp"
           : runtime == PRIM_RUNTIME_THREADPOOL ? "threadpool"
                                                : "sequential";
}

static const char *isa_name(void)
{
    return prim__cpu_isa_name(prim__cpu_isa());
}

/// 0 where the system does not report it.
static int64_t system_number(int name)
{
    const long value = name >= 0 ? sysconf(name) : 0;
    return value > 0 ? value : 0;
}

#if defined(_SC_LEVEL3_CACHE_SIZE)
static int64_t cache_bytes(void)
{
    const int64_t l3 = system_number(_SC_LEVEL3_CACHE_SIZE);
    return l3 ? l3 : system_number(_SC_LEVEL2_CACHE_SIZE);
}
#define CACHE_LINE _SC_LEVEL1_DCACHE_LINESIZE
#else
static int64_t cache_bytes(void)
{
    return 0;
}
#define CACHE_LINE (-1)
#endif

static prim_status_t query_memory(const prim_engine_t *base, bool is_total, int64_t *bytes)
{
    size_t total = 0, largest = 0;
    TRY(base->ops->engine_get_memory_limits(base, &total, &largest));
    *bytes = (int64_t)(is_total ? total : largest);
    return PRIM_SUCCESS;
}

/// Answers with a value of the type that the query's suffix names.
#define ANSWER(type, value)        \
    do {                           \
        *(type *)result = (value); \
        return PRIM_SUCCESS;       \
    } while (0)

prim_status_t prim__cpu_engine_query(
        const prim_engine_t *base, prim_engine_query_t what, void *result)
{
    const cpu_engine_t *const engine = (const cpu_engine_t *)base;
    switch (what) {
    case PRIM_ENGINE_QUERY_VENDOR_STR: ANSWER(const char *, engine->vendor);
    case PRIM_ENGINE_QUERY_DEVICE_VERSION_STR: ANSWER(const char *, engine->model);
    case PRIM_ENGINE_QUERY_PLATFORM_STR: ANSWER(const char *, runtime_name(base->ops->runtime));
    case PRIM_ENGINE_QUERY_KIND_STR: ANSWER(const char *, "cpu");
    case PRIM_ENGINE_QUERY_ISA_STR: ANSWER(const char *, isa_name());
    case PRIM_ENGINE_QUERY_COMPUTE_UNITS_S32: ANSWER(int, prim__max_threads());
    case PRIM_ENGINE_QUERY_ADDRESS_BITS_S32: ANSWER(int, (int)(8 * sizeof(void *)));
    case PRIM_ENGINE_QUERY_GLOBAL_BYTES_S64: return query_memory(base, true, result);
    case PRIM_ENGINE_QUERY_MAX_ALLOCATION_BYTES_S64: return query_memory(base, false, result);
    case PRIM_ENGINE_QUERY_CACHE_BYTES_S64: ANSWER(int64_t, cache_bytes());
    case PRIM_ENGINE_QUERY_CACHE_LINE_BYTES_S32: ANSWER(int, (int)system_number(CACHE_LINE));
    case PRIM_ENGINE_QUERY_HAS_UNIFIED_MEMORY_BOOL: ANSWER(bool, true);
    default: return prim__fail(PRIM_UNIMPLEMENTED, "the CPU engine has no property %d", (int)what);
    }
}
