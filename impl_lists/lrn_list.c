// SPDX-License-Identifier: Apache-2.0
// The implementations of local response normalisation and of its gradient, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_lrn_any;
extern const impl_t prim__ref_lrn_backward_any;
extern const impl_t prim__simd_lrn_row_vector;
extern const impl_t prim__simd_lrn_backward_row_vector;

static const impl_t *const cpu[] = {
        &prim__simd_lrn_row_vector, // f32, f16, bf16, plain layouts, beta 0.5, 0.75 or 1: vectors
        &prim__ref_lrn_any,         // every type, layout and window
        NULL,
};

static const impl_t *const cpu_backward[] = {
        &prim__simd_lrn_backward_row_vector, // the same
        &prim__ref_lrn_backward_any,         // every type, layout and window
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_lrn_nhwc_vector;
extern const impl_t prim__ocl_lrn_strided;
extern const impl_t prim__ocl_lrn_any;
extern const impl_t prim__ocl_lrn_backward_nhwc_vector;
extern const impl_t prim__ocl_lrn_backward_strided;
extern const impl_t prim__ocl_lrn_backward_any;

static const impl_t *const gpu[] = {
        &prim__ocl_lrn_nhwc_vector, // across channels, NHWC: vectors of channels
        &prim__ocl_lrn_strided,     // across channels, NCHW: the window moves along the channels
        &prim__ocl_lrn_any,         // every type, layout and window
        NULL,
};

static const impl_t *const gpu_backward[] = {
        &prim__ocl_lrn_backward_nhwc_vector, // across channels, NHWC: vectors of channels
        &prim__ocl_lrn_backward_strided,     // across channels, NCHW: the window moves along
        &prim__ocl_lrn_backward_any,         // every type, layout and window
        NULL,
};
#endif

const impl_t *const *const prim__lrn_forward_lists[] = LISTS(cpu, gpu);
const impl_t *const *const prim__lrn_backward_lists[] = LISTS(cpu_backward, gpu_backward);
