// SPDX-License-Identifier: Apache-2.0
// One source, every instruction set: a file simd_<name>_code.c is compiled once for each level of
// the architecture (CMakeLists.txt), with SIMD_LEVEL set and the compiler's options of that level.
// It exports one const table of functions, named by SIMD_NAME; callers take that of the processor
// by SIMD_CHOOSE. x86-64 has levels 0 to 2, 64-bit ARM 0 and 3, other processors the first alone.
#ifndef PRIM_CPU_SIMD_LEVEL_H
#define PRIM_CPU_SIMD_LEVEL_H

#include "cpu/cpu_isa.h"

#ifndef SIMD_LEVEL
#define SIMD_LEVEL 0 // CPU_ISA_PORTABLE
#endif

#if SIMD_LEVEL == 0
#define SIMD_NAME(name) name##_portable
#elif SIMD_LEVEL == 1
#define SIMD_NAME(name) name##_avx2
#elif SIMD_LEVEL == 2
#define SIMD_NAME(name) name##_avx512
#else
#define SIMD_NAME(name) name##_neon
#endif

#if PRIM_X64
/// Declares the tables of all levels.
#define SIMD_DECLARE(type, name)       \
    extern const type name##_portable; \
    extern const type name##_avx2;     \
    extern const type name##_avx512
/// The address of this processor's.
#define SIMD_CHOOSE(name)                                      \
    (prim__cpu_isa() >= CPU_ISA_AVX512        ? &name##_avx512 \
            : prim__cpu_isa() == CPU_ISA_AVX2 ? &name##_avx2   \
                                              : &name##_portable)
#elif PRIM_NEON
#define SIMD_DECLARE(type, name)       \
    extern const type name##_portable; \
    extern const type name##_neon
#define SIMD_CHOOSE(name) (prim__cpu_isa() == CPU_ISA_NEON ? &name##_neon : &name##_portable)
#else
#define SIMD_DECLARE(type, name) extern const type name##_portable
#define SIMD_CHOOSE(name) (&name##_portable)
#endif

#endif
