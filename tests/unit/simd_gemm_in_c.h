// SPDX-License-Identifier: Apache-2.0
// A second build of simd_gemm.c: tiles_in_c() gives it micro-kernels.
#ifndef TESTS_SIMD_GEMM_IN_C_H
#define TESTS_SIMD_GEMM_IN_C_H

#define prim__simd_gemm_choose tiles_in_c
#define prim__simd_gemm_shape in_c_shape
#define prim__simd_gemm_scratch_bytes in_c_scratch_bytes
#define prim__simd_gemm_most_scratch_bytes in_c_most_scratch_bytes
#define prim__simd_gemm_strip_row in_c_strip_row
#define prim__simd_gemm_strip_bytes in_c_strip_bytes
#define prim__simd_gemm_serial in_c_serial
#define prim__simd_gemm_grid in_c_grid
#define prim__simd_gemm_part in_c_part
#define prim__simd_gemm_run in_c_run
#include "cpu/simd/simd_gemm.c" // NOLINT: another build of it
#include "cpu/simd/simd_gemm_levels.h"
#undef prim__simd_gemm_choose

#endif
