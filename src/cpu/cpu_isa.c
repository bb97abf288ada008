// SPDX-License-Identifier: Apache-2.0
// Detects the vector instruction set, once.
#include "cpu_isa.h"

#include <stdatomic.h>

#include "common/environment.h"
#include "common/log.h"

static cpu_isa_t best_isa(void)
{
#if PRIM_X64
    // These builtins also query whether the operating system saves the registers.
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return CPU_ISA_PORTABLE;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw")) {
        return CPU_ISA_AVX2;
    }
    if (!__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq")) {
        return CPU_ISA_AVX2;
    }
    if (!__builtin_cpu_supports("avx512vnni")) return CPU_ISA_AVX512;
    if (!__builtin_cpu_supports("avx512bf16")) return CPU_ISA_AVX512_VNNI;
    return CPU_ISA_AVX512_BF16;
#elif PRIM_NEON
    return CPU_ISA_NEON;
#else
    return CPU_ISA_PORTABLE;
#endif
}

static const char *const names[] = {[CPU_ISA_PORTABLE] = "portable",
#if PRIM_NEON
        [CPU_ISA_NEON] = "neon"};
#else
        [CPU_ISA_AVX2] = "avx2",
        [CPU_ISA_AVX512] = "avx512",
        [CPU_ISA_AVX512_VNNI] = "avx512_vnni",
        [CPU_ISA_AVX512_BF16] = "avx512_bf16"};
#endif

const char *prim__cpu_isa_name(cpu_isa_t isa)
{
    return names[isa];
}

static cpu_isa_t allowed_isa(void)
{
    int limit = CPU_ISA_BEST;
    (void)prim__env_word(&limit, ENV_MAX_CPU_ISA, names, sizeof names / sizeof names[0]);
    return (cpu_isa_t)limit;
}

cpu_isa_t prim__cpu_isa(void)
{
    static atomic_int known = -1; // racing threads find the same value
    int isa = atomic_load_explicit(&known, memory_order_relaxed);
    if (isa < 0) {
        const cpu_isa_t best = best_isa(), allowed = allowed_isa();
        isa = (int)(best < allowed ? best : allowed);
        atomic_store_explicit(&known, isa, memory_order_relaxed);
        prim__log_environment();
    }
    return (cpu_isa_t)isa;
}
