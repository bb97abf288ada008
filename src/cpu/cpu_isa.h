// SPDX-License-Identifier: Apache-2.0
// Which vector instructions the processor has, and the macros that compile a function for them.
// What names an instruction set of x86-64 is left out for other processors.
#ifndef PRIM_CPU_ISA_H
#define PRIM_CPU_ISA_H

#if defined(__x86_64__) && defined(__GNUC__)
#define PRIM_X64 1 ///< intrinsics and target attributes are there
#include <immintrin.h>
/// In front of a function that uses the instructions of one level. Call it only after
/// prim__cpu_isa() has said that the level is there. Helpers it calls in its inner loop carry the
/// same macro and X64_INLINE, so that they become part of it.
#define X64_AVX2 __attribute__((target("avx2,fma,f16c")))
#define X64_AVX512 __attribute__((target("avx512f,avx512bw,avx512vl,avx512dq,avx2,fma,f16c")))
#define X64_INLINE static inline __attribute__((always_inline, unused))
/// In front of a loop of constant length that must leave its arrays in registers.
#if defined(__clang__)
#define X64_UNROLL _Pragma("clang loop unroll(full)")
#else
#define X64_UNROLL _Pragma("GCC unroll 32")
#endif
#else
#define PRIM_X64 0
#define X64_INLINE static inline
#endif

#if defined(__aarch64__) && defined(__GNUC__) && !defined(__AARCH64EB__)
#define PRIM_NEON 1 ///< the intrinsics of Advanced SIMD are there
#include <arm_neon.h>
#else
#define PRIM_NEON 0
#endif

typedef enum {
    CPU_ISA_PORTABLE, ///< nothing beyond C
#if PRIM_NEON
    CPU_ISA_NEON, ///< Advanced SIMD, which all 64-bit ARM processors have
    CPU_ISA_BEST = CPU_ISA_NEON
#else
    CPU_ISA_AVX2,        ///< AVX2, FMA, F16C
    CPU_ISA_AVX512,      ///< F, BW, VL, DQ on top
    CPU_ISA_AVX512_VNNI, ///< and sums of products of bytes
    CPU_ISA_AVX512_BF16, ///< and of bf16
    CPU_ISA_AVX512_AMX,  ///< and tiles of both
    CPU_ISA_BEST = CPU_ISA_AVX512_AMX
#endif
} cpu_isa_t;

/// The best level of this processor, lowered by PRIM_MAX_CPU_ISA (read once). Each level has what
/// those below it have: compare with >=.
cpu_isa_t prim__cpu_isa(void);

/// Vectors of 512 bits that a core multiplies and adds in a cycle, for estimates: 1 where it takes
/// their halves one after the other (AMD's family 19h, Zen 4), else 2.
int prim__cpu_wide_products(void);

/// The word of PRIM_MAX_CPU_ISA for it. Borrowed, lives for ever.
const char *prim__cpu_isa_name(cpu_isa_t isa);

#endif
