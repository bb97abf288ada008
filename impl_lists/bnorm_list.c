// SPDX-License-Identifier: Apache-2.0
// The implementations of batch normalization, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_bnorm_any;
extern const impl_t prim__simd_bnorm_two_pass;

static const impl_t *const cpu[] = {
        &prim__simd_bnorm_two_pass, // f32, f16, bf16, contiguous, NHWC or NCHW: rows in vectors
        &prim__ref_bnorm_any,       // every type, layout and flag
        NULL,
};

extern const impl_t prim__ref_bnorm_backward_any;
extern const impl_t prim__simd_bnorm_backward_two_pass;

static const impl_t *const cpu_backward[] = {
        &prim__simd_bnorm_backward_two_pass, // f32, f16, bf16, contiguous, NHWC or NCHW: the same
        &prim__ref_bnorm_backward_any,       // every type, layout and flag
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_bnorm_image;
extern const impl_t prim__ocl_bnorm_channel_per_group;
extern const impl_t prim__ocl_bnorm_nchw_multi_group;
extern const impl_t prim__ocl_bnorm_nchw_channel_per_group;
extern const impl_t prim__ocl_bnorm_nhwc_two_pass;
extern const impl_t prim__ocl_bnorm_nhwc_vector;
extern const impl_t prim__ocl_bnorm_any;

static const impl_t *const gpu[] = {
        &prim__ocl_bnorm_image,             // images, statistics given
        &prim__ocl_bnorm_channel_per_group, // training, few elements a channel, GPUs: one launch
        &prim__ocl_bnorm_nchw_multi_group,  // training, NCHW beyond the cache: work-groups share a
                                            // channel, src read once
        &prim__ocl_bnorm_nchw_channel_per_group, // NCHW: one kernel over the planes of a channel
        &prim__ocl_bnorm_nhwc_two_pass,          // training, NHWC, GPUs: statistics front to back,
                                                 // normalisation back to front
        &prim__ocl_bnorm_nhwc_vector, // NHWC and channel-blocked layouts: vectors of channels
        &prim__ocl_bnorm_any,         // every type, layout and flag
        NULL,
};

extern const impl_t prim__ocl_bnorm_backward_nchw_two_pass;
extern const impl_t prim__ocl_bnorm_backward_nhwc_two_pass;
extern const impl_t prim__ocl_bnorm_backward_any;

static const impl_t *const gpu_backward[] = {
        &prim__ocl_bnorm_backward_nchw_two_pass, // NCHW: sums of planes, then diff_src
        &prim__ocl_bnorm_backward_nhwc_two_pass, // NHWC, whole vectors of channels: the same
        &prim__ocl_bnorm_backward_any,           // every type, layout and flag
        NULL,
};
#endif

const impl_t *const *const prim__bnorm_forward_lists[] = LISTS(cpu, gpu);
const impl_t *const *const prim__bnorm_backward_lists[] = LISTS(cpu_backward, gpu_backward);
