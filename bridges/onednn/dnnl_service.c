// SPDX-License-Identifier: Apache-2.0
// Version, log, defaults, primitive cache, and oneDNN's control of its code generator, which Prim
// does not have.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "dnnl_bridge.h"

dnnl_status_t bridge_lacks(const char *function, const char *what)
{
    char sentence[256] = "";
    const char *const parts[] = {function, ": Prim has no ", what};
    for (size_t i = 0; i < sizeof parts / sizeof *parts; ++i)
        strncat(sentence, parts[i], sizeof sentence - 1 - strlen(sentence));
    return prim_report_failure(PRIM_UNIMPLEMENTED, sentence);
}

const dnnl_version_t *dnnl_version(void)
{
    // The interface is that of the headers; Prim's own version stands where oneDNN has its
    // revision.
    static const dnnl_version_t version = {.major = DNNL_VERSION_MAJOR,
            .minor = DNNL_VERSION_MINOR,
            .patch = DNNL_VERSION_PATCH,
            .hash = "prim-" BRIDGE_PRIM_VERSION,
            .cpu_runtime = DNNL_CPU_RUNTIME,
            .gpu_runtime = DNNL_GPU_RUNTIME};
    return &version;
}

/// ONEDNN_VERBOSE or DNNL_VERBOSE, unless PRIM_VERBOSE, which Prim reads, says more.
static void read_verbose(void)
{
    const char *levels = getenv("ONEDNN_VERBOSE");
    if (!levels) levels = getenv("DNNL_VERBOSE");
    if (!levels || getenv("PRIM_VERBOSE") || prim_set_verbose(levels) == PRIM_SUCCESS) return;
    // Failures are logged unless the log is off: here nobody else would hear of it.
    prim_report_failure(
            PRIM_RUNTIME_ERROR, "ONEDNN_VERBOSE has words that Prim's log does not know");
}

void bridge_read_environment(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, read_verbose);
}

dnnl_status_t dnnl_set_verbose(int level)
{
    static const char *const levels[] = {"0", "1", "2"};
    bridge_read_environment(); // now, so that it does not come after this call
    if (level < 0 || level > 2)
        return prim_report_failure(PRIM_INVALID_ARGUMENTS, "the level is not 0, 1 or 2");
    return prim_set_verbose(levels[level]);
}

dnnl_status_t dnnl_verbose_profiling_enabled(int *enabled)
{
    (void)enabled;
    return bridge_lacks(__func__, "a way to ask for its log levels");
}

dnnl_status_t dnnl_get_default_fpmath_mode(dnnl_fpmath_mode_t *mode)
{
    return prim_get_default_fpmath_mode((prim_fpmath_mode_t *)mode);
}

dnnl_status_t dnnl_set_default_fpmath_mode(dnnl_fpmath_mode_t mode)
{
    return prim_set_default_fpmath_mode(mode);
}

dnnl_status_t dnnl_get_primitive_cache_capacity(int *capacity)
{
    return prim_get_primitive_cache_capacity(capacity);
}

dnnl_status_t dnnl_set_primitive_cache_capacity(int capacity)
{
    return prim_set_primitive_cache_capacity(capacity);
}

dnnl_status_t dnnl_set_jit_dump(int enable)
{
    return enable ? bridge_lacks(__func__, "code generator to dump") : dnnl_success;
}

dnnl_status_t dnnl_set_jit_profiling_flags(unsigned flags)
{
    return flags ? bridge_lacks(__func__, "code generator to profile") : dnnl_success;
}

dnnl_status_t dnnl_set_jit_profiling_jitdumpdir(const char *dir)
{
    (void)dir;
    return bridge_lacks(__func__, "code generator to profile");
}

dnnl_status_t dnnl_set_max_cpu_isa(dnnl_cpu_isa_t isa)
{
    return isa == dnnl_cpu_isa_default
                   ? dnnl_success
                   : bridge_lacks(__func__, "limit of the instruction set at run time");
}

dnnl_cpu_isa_t dnnl_get_effective_cpu_isa(void)
{
    prim_engine_t *cpu = NULL;
    const char *isa = "";
    dnnl_cpu_isa_t result = dnnl_cpu_isa_default;
    if (prim_engine_create(&cpu, PRIM_CPU, 0) != PRIM_SUCCESS) return result;
    if (prim_engine_query(cpu, PRIM_ENGINE_QUERY_ISA_STR, &isa) == PRIM_SUCCESS) {
        if (strcmp(isa, "avx2") == 0) result = dnnl_cpu_isa_avx2;
        if (strcmp(isa, "avx512") == 0) result = dnnl_cpu_isa_avx512_core;
        if (strcmp(isa, "avx512_vnni") == 0) result = dnnl_cpu_isa_avx512_core_vnni;
        if (strcmp(isa, "avx512_bf16") == 0) result = dnnl_cpu_isa_avx512_core_bf16;
        if (strcmp(isa, "avx512_amx") == 0) result = dnnl_cpu_isa_avx10_1_512_amx;
    }
    prim_engine_destroy(cpu);
    return result;
}

dnnl_status_t dnnl_set_cpu_isa_hints(dnnl_cpu_isa_hints_t isa_hints)
{
    return isa_hints == dnnl_cpu_isa_no_hints ? dnnl_success
                                              : bridge_lacks(__func__, "hints to take");
}

dnnl_cpu_isa_hints_t dnnl_get_cpu_isa_hints(void)
{
    return dnnl_cpu_isa_no_hints;
}
