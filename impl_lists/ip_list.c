// SPDX-License-Identifier: Apache-2.0
// The implementations of inner product, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_ip_any;
extern const impl_t prim__x64_ip_matmul;

static const impl_t *const cpu[] = {
        &prim__x64_ip_matmul, // what x64:matmul:gemm takes, nested: f32, f16, bf16
        &prim__ref_ip_any,    // any types, layout and attributes
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_ip_mma_split_k;
extern const impl_t prim__ocl_ip_gemv_nt;
extern const impl_t prim__ocl_ip_image;
extern const impl_t prim__ocl_ip_mma;
extern const impl_t prim__ocl_ip_pipeline;
extern const impl_t prim__ocl_ip_packed_cpu;
extern const impl_t prim__ocl_ip_gemv_nn;
extern const impl_t prim__ocl_ip_tiled;
extern const impl_t prim__ocl_ip_wgmma;
extern const impl_t prim__ocl_ip_wgmma_gather;
extern const impl_t prim__ocl_ip_any;

static const impl_t *const gpu[] = {
        &prim__ocl_ip_image,        // images
        &prim__ocl_ip_mma_split_k,  // f16, bf16, 8-bit integers, M to 32: mma.sync, weights
                                    // from global memory, warps split K
        &prim__ocl_ip_gemv_nt,      // GPUs, M to 8, weights N×K: each column of weights is read
                                    // along K
        &prim__ocl_ip_gemv_nn,      // GPUs, M to 4, weights K×N: weights straight from global
                                    // memory
        &prim__ocl_ip_wgmma,        // f16, bf16, 8-bit integers: WGMMA, tiles in local memory
                                    // by tensor maps (TMA)
        &prim__ocl_ip_wgmma_gather, // the same for operands that are not 16-byte
                                    // aligned: work-items copy
        &prim__ocl_ip_mma,          // f16, bf16, 8-bit integers: mma.sync, tiles in local memory
                                    // by cp.async
        &prim__ocl_ip_pipeline,     // f32, GPUs: tiles by cp.async in several stages
        &prim__ocl_ip_tiled,        // GPUs: tiles in local memory and registers
        &prim__ocl_ip_packed_cpu,   // CPU-type devices: packed panels of weights, accumulators
                                    // in registers
        &prim__ocl_ip_any,          // any types, layout and attributes
        NULL,
};
#endif

const impl_t *const *const prim__ip_forward_lists[] = LISTS(cpu, gpu);
