// SPDX-License-Identifier: Apache-2.0
// Detects the vector instruction set, once.
#include "x64_isa.h"

#include <stdatomic.h>

#include "common/environment.h"
#include "common/log.h"

static x64_isa_t best_isa(void)
{
#if PRIM_X64
    // These builtins also query whether the operating system saves the registers.
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma")) return X64_PORTABLE;
    if (!__builtin_cpu_supports("avx512f") || !__builtin_cpu_supports("avx512bw")) {
        return X64_ISA_AVX2;
    }
    if (!__builtin_cpu_supports("avx512vl") || !__builtin_cpu_supports("avx512dq")) {
        return X64_ISA_AVX2;
    }
    if (!__builtin_cpu_supports("avx512vnni")) return X64_ISA_AVX512;
    if (!__builtin_cpu_supports("avx512bf16")) return X64_ISA_AVX512_VNNI;
    return X64_ISA_AVX512_BF16;
#else
    return X64_PORTABLE;
#endif
}

static const char *const names[] = {[X64_PORTABLE] = "portable",
        [X64_ISA_AVX2] = "avx2",
        [X64_ISA_AVX512] = "avx512",
        [X64_ISA_AVX512_VNNI] = "avx512_vnni",
        [X64_ISA_AVX512_BF16] = "avx512_bf16"};

const char *prim__x64_isa_name(x64_isa_t isa)
{
    return names[isa];
}

static x64_isa_t allowed_isa(void)
{
    int limit = X64_ISA_AVX512_BF16;
    (void)prim__env_word(&limit, ENV_MAX_CPU_ISA, names, sizeof names / sizeof names[0]);
    return (x64_isa_t)limit;
}

x64_isa_t prim__x64_isa(void)
{
    static atomic_int known = -1; // racing threads find the same value
    int isa = atomic_load_explicit(&known, memory_order_relaxed);
    if (isa < 0) {
        const x64_isa_t best = best_isa(), allowed = allowed_isa();
        isa = (int)(best < allowed ? best : allowed);
        atomic_store_explicit(&known, isa, memory_order_relaxed);
        prim__log_environment();
    }
    return (x64_isa_t)isa;
}
