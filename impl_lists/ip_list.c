// SPDX-License-Identifier: Apache-2.0
// The implementations of inner product and of its gradients, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_ip_any;
extern const impl_t prim__ref_ip_backward_data_any;
extern const impl_t prim__ref_ip_backward_weights_any;
extern const impl_t prim__simd_ip_backward_data_matmul;
extern const impl_t prim__simd_ip_backward_weights_matmul;
extern const impl_t prim__simd_ip_matmul;

static const impl_t *const cpu[] = {
        &prim__simd_ip_matmul, // what simd:matmul:gemm takes, nested
        &prim__ref_ip_any,     // any types, layout and attributes
        NULL,
};

static const impl_t *const cpu_backward_data[] = {
        &prim__simd_ip_backward_data_matmul, // what simd:matmul:gemm takes, nested
        &prim__ref_ip_backward_data_any,     // any types and layout
        NULL,
};

static const impl_t *const cpu_backward_weights[] = {
        &prim__simd_ip_backward_weights_matmul, // what simd:matmul:gemm takes, nested
        &prim__ref_ip_backward_weights_any,     // any types and layout
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_ip_any;
extern const impl_t prim__ocl_ip_backward_data_any;
extern const impl_t prim__ocl_ip_backward_data_matmul;
extern const impl_t prim__ocl_ip_backward_weights_any;
extern const impl_t prim__ocl_ip_backward_weights_matmul;
extern const impl_t prim__ocl_ip_image;
extern const impl_t prim__ocl_ip_matmul;

static const impl_t *const gpu[] = {
        &prim__ocl_ip_image,  // images
        &prim__ocl_ip_matmul, // what a variant of matmul takes, nested, in the order of that list
        &prim__ocl_ip_any,    // any types, layout and attributes
        NULL,
};

static const impl_t *const gpu_backward_data[] = {
        &prim__ocl_ip_backward_data_matmul, // what a variant of matmul takes, nested, in the order
                                            // of that list
        &prim__ocl_ip_backward_data_any,    // any types and layout
        NULL,
};

static const impl_t *const gpu_backward_weights[] = {
        &prim__ocl_ip_backward_weights_matmul, // what a variant of matmul takes, nested, in the
                                               // order of that list
        &prim__ocl_ip_backward_weights_any,    // any types and layout
        NULL,
};
#endif

const impl_t *const *const prim__ip_forward_lists[] = LISTS(cpu, gpu);
const impl_t *const *const prim__ip_backward_data_lists[] =
        LISTS(cpu_backward_data, gpu_backward_data);
const impl_t *const *const prim__ip_backward_weights_lists[] =
        LISTS(cpu_backward_weights, gpu_backward_weights);
