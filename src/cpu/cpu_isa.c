// SPDX-License-Identifier: Apache-2.0
// Detects the vector instruction set, once.
#if defined(__linux__) && !defined(_GNU_SOURCE)
#define _GNU_SOURCE 1 // syscall()
#endif
#include "cpu_isa.h"

#include <stdatomic.h>

#include "common/environment.h"
#include "common/log.h"

#if PRIM_X64
#include <cpuid.h>
#if defined(__linux__)
#include <sys/syscall.h>
#include <unistd.h>
#endif

#if defined(X64_AMX_IN_C)
static bool may_use_tiles(void)
{
    return true;
}
#elif defined(__linux__) && defined(SYS_arch_prctl)
/// Tiles, and their products of bf16 and of bytes. The kernel of the operating system enlarges a
/// thread's saved state for processes alone that ask for it.
static bool may_use_tiles(void)
{
    enum { BF16 = 1 << 22, TILE = 1 << 24, INT8 = 1 << 25, ALL = BF16 | TILE | INT8 };
    enum { ARCH_REQ_XCOMP_PERM = 0x1023, XFEATURE_XTILEDATA = 18 };
    unsigned eax, ebx, ecx, edx;
    return __get_cpuid_count(7, 0, &eax, &ebx, &ecx, &edx) && (edx & ALL) == ALL &&
           syscall(SYS_arch_prctl, ARCH_REQ_XCOMP_PERM, XFEATURE_XTILEDATA) == 0;
}
#else
static bool may_use_tiles(void)
{
    return false;
}
#endif
#endif

#if PRIM_X64
static bool has_halves(void)
{
    enum { AMD = 0x68747541, FAMILY = 0x19 }; // "Auth"
    unsigned eax, ebx, ecx, edx;
    if (!__get_cpuid(0, &eax, &ebx, &ecx, &edx) || ebx != AMD) return false;
    return __get_cpuid(1, &eax, &ebx, &ecx, &edx) &&
           (eax >> 8 & 0xf) + (eax >> 20 & 0xff) == FAMILY;
}
#endif

int prim__cpu_wide_products(void)
{
#if PRIM_X64
    return has_halves() ? 1 : 2;
#else
    return 2;
#endif
}

/// The best up to `allowed`.
static cpu_isa_t best_isa(cpu_isa_t allowed)
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
    if (allowed >= CPU_ISA_AVX512_AMX && may_use_tiles()) return CPU_ISA_AVX512_AMX;
    return CPU_ISA_AVX512_BF16;
#elif PRIM_NEON
    (void)allowed;
    return CPU_ISA_NEON;
#else
    (void)allowed;
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
        [CPU_ISA_AVX512_BF16] = "avx512_bf16",
        [CPU_ISA_AVX512_AMX] = "avx512_amx"};
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
        const cpu_isa_t allowed = allowed_isa(), best = best_isa(allowed);
        isa = (int)(best < allowed ? best : allowed);
        atomic_store_explicit(&known, isa, memory_order_relaxed);
        prim__log_environment();
    }
    return (cpu_isa_t)isa;
}
