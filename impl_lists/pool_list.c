// SPDX-License-Identifier: Apache-2.0
// The implementations of pooling and of its gradient, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_pool_any;
extern const impl_t prim__simd_pool_row_vector;
extern const impl_t prim__simd_pool_backward_nchw_vector;
extern const impl_t prim__ref_pool_backward_any;
extern const impl_t prim__simd_pool_backward_nhwc_vector;

static const impl_t *const cpu[] = {
        &prim__simd_pool_row_vector, // f32, f16, bf16, s8, u8, NCHW or NHWC: vectors of results
        &prim__ref_pool_any,         // every type, layout, window and post-op
        NULL,
};

static const impl_t *const cpu_backward[] = {
        &prim__simd_pool_backward_nhwc_vector, // f32, f16, bf16, NHWC: vectors of channels
        &prim__simd_pool_backward_nchw_vector, // f32, f16, bf16, plain layouts: plane by plane
        &prim__ref_pool_backward_any,          // every type, layout and window
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_pool_image;
extern const impl_t prim__ocl_pool_nchw_global;
extern const impl_t prim__ocl_pool_nhwc_global;
extern const impl_t prim__ocl_pool_nchw_tile;
extern const impl_t prim__ocl_pool_nhwc_tile;
extern const impl_t prim__ocl_pool_nchw_cpu;
extern const impl_t prim__ocl_pool_nchw_vector;
extern const impl_t prim__ocl_pool_nhwc_vector;
extern const impl_t prim__ocl_pool_any;
extern const impl_t prim__ocl_pool_backward_nchw_global;
extern const impl_t prim__ocl_pool_backward_nhwc_global;
extern const impl_t prim__ocl_pool_backward_nchw_tile;
extern const impl_t prim__ocl_pool_backward_nchw_tile_pairs;
extern const impl_t prim__ocl_pool_backward_nhwc_tile;
extern const impl_t prim__ocl_pool_backward_nhwc_tile_pairs;
extern const impl_t prim__ocl_pool_backward_nhwc_vector;
extern const impl_t prim__ocl_pool_backward_any;

static const impl_t *const gpu[] = {
        &prim__ocl_pool_image,       // images
        &prim__ocl_pool_nchw_global, // one window over the whole plane, NCHW
        &prim__ocl_pool_nhwc_global, // one window over the whole plane, NHWC and channel-blocked,
                                     // GPUs
        &prim__ocl_pool_nchw_tile,   // NCHW, stride 1 or 2, GPUs: a work-item makes a block of
                                     // windows
        &prim__ocl_pool_nhwc_tile,   // NHWC and channel-blocked, GPUs: a work-item makes a block of
                                     // windows
        &prim__ocl_pool_nchw_cpu, // NCHW, stride 1 or 2, CPU-type devices: rows are reduced first,
                                  // then columns
        &prim__ocl_pool_nchw_vector, // NCHW, stride 1 or 2: vectors of neighbouring windows
        &prim__ocl_pool_nhwc_vector, // NHWC and channel-blocked: vectors of channels
        &prim__ocl_pool_any,         // every type, layout, window and post-op
        NULL,
};

static const impl_t *const gpu_backward[] = {
        &prim__ocl_pool_backward_nchw_global,     // one window that is the whole plane, NCHW
        &prim__ocl_pool_backward_nhwc_global,     // the same, NHWC and channel-blocked, GPUs
        &prim__ocl_pool_backward_nchw_tile_pairs, // maxima of small windows, f16 and bf16, NCHW,
                                                  // GPUs: a tile of a plane by pairs of columns
        &prim__ocl_pool_backward_nhwc_tile_pairs, // the same, NHWC and channel-blocked: by pairs of
                                                  // channels
        &prim__ocl_pool_backward_nchw_tile,   // small windows, NCHW: a work-item makes a tile of a
                                              // plane
        &prim__ocl_pool_backward_nhwc_tile,   // small windows, NHWC and channel-blocked: a tile of
                                              // vectors
        &prim__ocl_pool_backward_nhwc_vector, // any windows: vectors of channels
        &prim__ocl_pool_backward_any,         // every type, layout and window
        NULL,
};
#endif

const impl_t *const *const prim__pool_forward_lists[] = LISTS(cpu, gpu);
const impl_t *const *const prim__pool_backward_lists[] = LISTS(cpu_backward, gpu_backward);
