// SPDX-License-Identifier: Apache-2.0
// The implementations of deconvolution and of its gradients, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_deconv_any;
extern const impl_t prim__ref_deconv_backward_data_any;
extern const impl_t prim__ref_deconv_backward_weights_any;
extern const impl_t prim__simd_deconv_conv;

static const impl_t *const cpu[] = {
        &prim__simd_deconv_conv, // f32, f16, bf16: what a variant of conv backward data takes,
                                 // nested; then bias and post-ops as binary
        &prim__ref_deconv_any,   // every type, layout and attribute
        NULL,
};

static const impl_t *const cpu_backward_data[] = {
        &prim__ref_deconv_backward_data_any, // every type and layout: what conv takes, nested, in
                                             // the order of that list
        NULL,
};

static const impl_t *const cpu_backward_weights[] = {
        &prim__ref_deconv_backward_weights_any, // every type and layout: what conv backward weights
                                                // takes, nested, in the order of that list
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_deconv_any;
extern const impl_t prim__ocl_deconv_backward_data_any;
extern const impl_t prim__ocl_deconv_backward_weights_any;
extern const impl_t prim__ocl_deconv_conv;
extern const impl_t prim__ocl_deconv_conv_bias;

static const impl_t *const gpu[] = {
        &prim__ocl_deconv_conv_bias, // floats: what a variant of conv backward data takes that adds
                                     // the bias itself, nested
        &prim__ocl_deconv_conv, // floats: what a variant of conv backward data takes, nested, in
                                // the order of that list; then bias and post-ops as binary
        &prim__ocl_deconv_any,  // every layout and attribute, types up to 32 bits
        NULL,
};

static const impl_t *const gpu_backward_data[] = {
        &prim__ocl_deconv_backward_data_any, // every layout, types up to 32 bits: what conv takes,
                                             // nested, in the order of that list
        NULL,
};

static const impl_t *const gpu_backward_weights[] = {
        &prim__ocl_deconv_backward_weights_any, // every layout, types up to 32 bits: what conv
                                                // backward weights takes, nested, in the order of
                                                // that list
        NULL,
};
#endif

const impl_t *const *const prim__deconv_forward_lists[] = LISTS(cpu, gpu);
const impl_t *const *const prim__deconv_backward_data_lists[] =
        LISTS(cpu_backward_data, gpu_backward_data);
const impl_t *const *const prim__deconv_backward_weights_lists[] =
        LISTS(cpu_backward_weights, gpu_backward_weights);
