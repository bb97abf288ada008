// SPDX-License-Identifier: Apache-2.0
// The implementations of resampling and of its gradient, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_resampling_any;
extern const impl_t prim__simd_resampling_row_vector;
extern const impl_t prim__ref_resampling_backward_any;
extern const impl_t prim__simd_resampling_backward_row_vector;

static const impl_t *const cpu[] = {
        &prim__simd_resampling_row_vector, // f32, f16, bf16, s8, u8, NCHW or NHWC: rows in vectors
        &prim__ref_resampling_any,         // every type, layout and post-op
        NULL,
};

static const impl_t *const cpu_backward[] = {
        &prim__simd_resampling_backward_row_vector, // f32, f16, bf16, NCHW or NHWC: rows in vectors
        &prim__ref_resampling_backward_any,         // every type and layout
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_resampling_image;
extern const impl_t prim__ocl_resampling_nchw_vector;
extern const impl_t prim__ocl_resampling_nhwc_vector;
extern const impl_t prim__ocl_resampling_any;
extern const impl_t prim__ocl_resampling_nhwc_integer;
extern const impl_t prim__ocl_resampling_nchw_integer;
extern const impl_t prim__ocl_resampling_nchw_double_cpu;
extern const impl_t prim__ocl_resampling_backward_nchw_integer;
extern const impl_t prim__ocl_resampling_backward_nhwc_integer;
extern const impl_t prim__ocl_resampling_backward_nhwc_vector;
extern const impl_t prim__ocl_resampling_backward_any;

static const impl_t *const gpu[] = {
        &prim__ocl_resampling_image,           // images
        &prim__ocl_resampling_nchw_integer,    // integer scale factors, NCHW, GPUs
        &prim__ocl_resampling_nhwc_integer,    // integer scale factors, NHWC and channel-blocked,
                                               // GPUs
        &prim__ocl_resampling_nchw_double_cpu, // linear with factor 2, NCHW, CPU-type devices: rows
                                               // of src in pairs
        &prim__ocl_resampling_nchw_vector,     // NCHW; factor 2 in vectors
        &prim__ocl_resampling_nhwc_vector,     // NHWC and channel-blocked: vectors of channels
        &prim__ocl_resampling_any,             // every type, layout and post-op
        NULL,
};

static const impl_t *const gpu_backward[] = {
        &prim__ocl_resampling_backward_nchw_integer, // integer scale factors, NCHW, GPUs
        &prim__ocl_resampling_backward_nhwc_integer, // integer scale factors, vectors of channels,
                                                     // GPUs
        &prim__ocl_resampling_backward_nhwc_vector,  // vectors of channels; others one by one
        &prim__ocl_resampling_backward_any,          // every type and layout
        NULL,
};
#endif

const impl_t *const *const prim__resampling_forward_lists[] = LISTS(cpu, gpu);
const impl_t *const *const prim__resampling_backward_lists[] = LISTS(cpu_backward, gpu_backward);
