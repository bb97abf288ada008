// SPDX-License-Identifier: Apache-2.0
// The implementations of matmul, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_matmul_any;
extern const impl_t prim__simd_matmul_gemm;
extern const impl_t prim__simd_matmul_gemv;

static const impl_t *const cpu[] = {
        &prim__simd_matmul_gemv, // f32, f16, bf16 with one or two rows or columns: the larger
                                 // operand is read once, where it lies
        &prim__simd_matmul_gemm, // f32, f16, bf16, 8-bit integers with zero points: packed panels,
                                 // cache blocking, SIMD, AVX-512 BF16 and VNNI, AMX
        &prim__ref_matmul_any,   // any types, layout and attributes
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_matmul_deferred;
extern const impl_t prim__ocl_matmul_outer_product;
extern const impl_t prim__ocl_matmul_mma_split_k;
extern const impl_t prim__ocl_matmul_mma_whole_k;
extern const impl_t prim__ocl_matmul_gemv_nt;
extern const impl_t prim__ocl_matmul_mma;
extern const impl_t prim__ocl_matmul_pipeline;
extern const impl_t prim__ocl_matmul_packed_cpu;
extern const impl_t prim__ocl_matmul_gemv_nn;
extern const impl_t prim__ocl_matmul_subgroup;
extern const impl_t prim__ocl_matmul_tiled;
extern const impl_t prim__ocl_matmul_wgmma_pingpong;
extern const impl_t prim__ocl_matmul_wgmma;
extern const impl_t prim__ocl_matmul_wgmma_gather;
extern const impl_t prim__ocl_matmul_any;

static const impl_t *const gpu[] = {
        &prim__ocl_matmul_deferred, // run-time dimensions: chooses one of these when the shapes are
                                    // known
        &prim__ocl_matmul_outer_product, // GPUs, little K: limited by the stores of dst
        &prim__ocl_matmul_mma_whole_k, // f16, bf16, K from 8 to 24, or 32 where rows are unaligned:
                                       // mma.sync, all of K in local memory, limited by the stores
                                       // of dst
        &prim__ocl_matmul_mma_split_k, // f16, bf16, 8-bit integers, M or N to 32 or few tiles:
                                       // mma.sync, operands from global memory, warps split K
        &prim__ocl_matmul_gemv_nt, // GPUs, M or N to 8, weights N×K: the larger operand is read
                                   // along K
        &prim__ocl_matmul_gemv_nn, // GPUs, M to 4, weights K×N: weights straight from global memory
        &prim__ocl_matmul_wgmma_pingpong, // f16, bf16: WGMMA, two teams take tiles in turns: one
                                          // multiplies while the other finishes and stores
        &prim__ocl_matmul_wgmma, // f16, bf16, 8-bit integers: WGMMA, tiles in local memory by
                                 // tensor maps (TMA)
        &prim__ocl_matmul_wgmma_gather, // the same for operands that are not 16-byte aligned:
                                        // work-items copy
        &prim__ocl_matmul_mma,      // f16, bf16, 8-bit integers: mma.sync, tiles in local memory by
                                    // cp.async
        &prim__ocl_matmul_pipeline, // f32, GPUs: tiles by cp.async in several stages
        &prim__ocl_matmul_subgroup, // GPUs with sub-group block reads: src broadcast in the
                                    // sub-group, no local memory
        &prim__ocl_matmul_tiled,    // GPUs: tiles in local memory and registers
        &prim__ocl_matmul_packed_cpu, // CPU-type devices: packed panels of weights, accumulators in
                                      // registers
        &prim__ocl_matmul_any,        // any types, layout and attributes
        NULL,
};
#endif

const impl_t *const *const prim__matmul_lists[] = LISTS(cpu, gpu);
