// SPDX-License-Identifier: Apache-2.0
// The implementations of group normalization, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_gnorm_any;
extern const impl_t prim__simd_gnorm_nchw_vector;
extern const impl_t prim__simd_gnorm_nhwc_vector;

static const impl_t *const cpu[] = {
        &prim__simd_gnorm_nchw_vector, // f32, f16, bf16, s8, u8, row-major: vectors along groups
        &prim__simd_gnorm_nhwc_vector, // the same types, channels-last: vectors along channels
        &prim__ref_gnorm_any,          // every type, layout, flag and post-op
        NULL,
};

extern const impl_t prim__ref_gnorm_backward_any;
extern const impl_t prim__simd_gnorm_backward_nchw_vector;
extern const impl_t prim__simd_gnorm_backward_nhwc_vector;

static const impl_t *const cpu_backward[] = {
        &prim__simd_gnorm_backward_nchw_vector, // f32, f16, bf16, row-major: vectors along planes
        &prim__simd_gnorm_backward_nhwc_vector, // the same types, channels-last: along channels
        &prim__ref_gnorm_backward_any,          // every type, layout and flag
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_gnorm_row_per_group;
extern const impl_t prim__ocl_gnorm_nhwc_multi_group;
extern const impl_t prim__ocl_gnorm_nhwc_two_pass;
extern const impl_t prim__ocl_gnorm_any;

static const impl_t *const gpu[] = {
        &prim__ocl_gnorm_row_per_group, // NCHW: a work-group for each group of an image's channels
        &prim__ocl_gnorm_nhwc_multi_group, // NHWC, statistics from src, beyond the cache:
                                           // work-groups share an image, src is read once
        &prim__ocl_gnorm_nhwc_two_pass, // NHWC: statistics of slices of an image, then the result
        &prim__ocl_gnorm_any,           // every type, layout, flag and post-op
        NULL,
};

extern const impl_t prim__ocl_gnorm_backward_row_per_group;
extern const impl_t prim__ocl_gnorm_backward_nhwc_multi_group;
extern const impl_t prim__ocl_gnorm_backward_nhwc_two_pass;
extern const impl_t prim__ocl_gnorm_backward_any;

static const impl_t *const gpu_backward[] = {
        &prim__ocl_gnorm_backward_row_per_group, // NCHW: a work-group for each group of an image's
                                                 // channels
        &prim__ocl_gnorm_backward_nhwc_multi_group, // NHWC, statistics of src, beyond the cache:
                                                    // work-groups share an image, all is read once
        &prim__ocl_gnorm_backward_nhwc_two_pass,    // NHWC: sums over slices of an image, then
                                                    // diff_src
        &prim__ocl_gnorm_backward_any,              // every type, layout and flag
        NULL,
};
#endif

const impl_t *const *const prim__gnorm_forward_lists[] = LISTS(cpu, gpu);
const impl_t *const *const prim__gnorm_backward_lists[] = LISTS(cpu_backward, gpu_backward);
