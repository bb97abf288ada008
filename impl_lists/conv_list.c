// SPDX-License-Identifier: Apache-2.0
// The implementations of convolution and of its gradients, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_conv_any;
extern const impl_t prim__ref_conv_backward_data_any;
extern const impl_t prim__ref_conv_backward_weights_any;
extern const impl_t prim__ref_conv_depthwise_post_op;
extern const impl_t prim__simd_conv_backward_data_col2im;
extern const impl_t prim__simd_conv_backward_data_polyphase;
extern const impl_t prim__simd_conv_backward_weights_direct;
extern const impl_t prim__simd_conv_backward_weights_gemm;
extern const impl_t prim__simd_conv_backward_weights_nhwc_depthwise;
extern const impl_t prim__simd_conv_backward_weights_nhwc_direct;
extern const impl_t prim__simd_conv_depthwise;
extern const impl_t prim__simd_conv_direct;
extern const impl_t prim__simd_conv_gemm;
extern const impl_t prim__simd_conv_nhwc_depthwise;
extern const impl_t prim__simd_conv_nhwc_direct;
extern const impl_t prim__simd_conv_winograd;

static const impl_t *const cpu[] = {
        &prim__ref_conv_depthwise_post_op, // nested: 1×1 windows, then a depthwise convolution that
                                           // is one of the post-ops; no other one takes it
        &prim__simd_conv_nhwc_depthwise, // f32, f16, bf16, depthwise, channels last: padded planes
                                         // of pixels, SIMD along pixels and channels
        &prim__simd_conv_winograd, // f32, f16, bf16, 3×3 of stride 1, channels last: where fewer
                                   // multiplications pay
        &prim__simd_conv_nhwc_direct, // f32, f16, bf16, u8, channels last: pixels read where they
                                      // are; few channels, or where vectors are halves
        &prim__simd_conv_direct, // f32, f16, bf16: padded planes, SIMD along pixels; few channels
                                 // or short rows
        &prim__simd_conv_depthwise, // f32, f16, bf16, s8, u8 with a zero point of src: depthwise,
                                    // SIMD along channels (NHWC) or rows (NCHW)
        &prim__simd_conv_gemm, // f32, f16, bf16, s8, u8 with a zero point of src: implicit im2col
                               // into packed panels, cache blocking, SIMD
        &prim__ref_conv_any,   // every type, layout and attribute
        NULL,
};

static const impl_t *const cpu_backward_data[] = {
        &prim__simd_conv_backward_data_col2im, // f32, f16, bf16, few channels of src, many of dst:
                                               // a product over these, whose rows are added up
        &prim__simd_conv_backward_data_polyphase, // nested: a forward convolution for each phase of
                                                  // the strides
        &prim__ref_conv_backward_data_any,        // every type and layout
        NULL,
};

static const impl_t *const cpu_backward_weights[] = {
        &prim__simd_conv_backward_weights_nhwc_depthwise, // f32, f16, bf16, depthwise, NHWC:
                                                          // padded planes of pixels
        &prim__simd_conv_backward_weights_nhwc_direct,    // f32, f16, bf16, NHWC: outer products of
                                                          // pixels; few channels
        &prim__simd_conv_backward_weights_direct, // f32, f16, bf16: dot products of padded planes;
                                                  // few channels
        &prim__simd_conv_backward_weights_gemm, // f32, f16, bf16: pixels as the depth of a product
        &prim__ref_conv_backward_weights_any,   // every type and layout
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_conv_any;
extern const impl_t prim__ocl_conv_backward_data_any;
extern const impl_t prim__ocl_conv_backward_data_col2im;
extern const impl_t prim__ocl_conv_backward_data_depthwise;
extern const impl_t prim__ocl_conv_backward_data_direct;
extern const impl_t prim__ocl_conv_backward_data_few_channels;
extern const impl_t prim__ocl_conv_backward_data_phases;
extern const impl_t prim__ocl_conv_backward_data_polyphase;
extern const impl_t prim__ocl_conv_backward_data_wgmma;
extern const impl_t prim__ocl_conv_backward_weights_any;
extern const impl_t prim__ocl_conv_backward_weights_depthwise;
extern const impl_t prim__ocl_conv_backward_weights_mma;
extern const impl_t prim__ocl_conv_backward_weights_packed_cpu;
extern const impl_t prim__ocl_conv_backward_weights_tiled;
extern const impl_t prim__ocl_conv_backward_weights_wgmma;
extern const impl_t prim__ocl_conv_backward_weights_winograd;
extern const impl_t prim__ocl_conv_broadcast;
extern const impl_t prim__ocl_conv_depthwise;
extern const impl_t prim__ocl_conv_depthwise_post_op;
extern const impl_t prim__ocl_conv_depthwise_sliding;
extern const impl_t prim__ocl_conv_direct;
extern const impl_t prim__ocl_conv_igemm;
extern const impl_t prim__ocl_conv_image;
extern const impl_t prim__ocl_conv_image_depthwise;
extern const impl_t prim__ocl_conv_kn2row;
extern const impl_t prim__ocl_conv_mma_split_k;
extern const impl_t prim__ocl_conv_mma_tiled;
extern const impl_t prim__ocl_conv_pipeline;
extern const impl_t prim__ocl_conv_tiled;
extern const impl_t prim__ocl_conv_wgmma;
extern const impl_t prim__ocl_conv_wgmma_few_channels;
extern const impl_t prim__ocl_conv_winograd;

static const impl_t *const gpu[] = {
        &prim__ocl_conv_depthwise_post_op, // nested: 1×1 windows, then a depthwise convolution that
                                           // is one of the post-ops; no other one takes it
        &prim__ocl_conv_image_depthwise, // images, depthwise
        &prim__ocl_conv_image,           // images, any window
        &prim__ocl_conv_direct,      // GPUs: few channels of dst, all of them and several pixels in
                                     // registers
        &prim__ocl_conv_mma_split_k, // f16, bf16, NHWC, few pixels: mma.sync, the warps split K
        &prim__ocl_conv_wgmma,       // f16, bf16, NHWC: WGMMA, operands staged in local memory
        &prim__ocl_conv_wgmma_few_channels, // f16, bf16, NHWC, few input channels: WGMMA, pixels
                                            // from registers
        &prim__ocl_conv_mma_tiled, // f16, bf16, 8-bit integers, NHWC: mma.sync fed by cp.async
        &prim__ocl_conv_kn2row,   // f32, GPUs, few output channels: nested products of single taps,
                                  // and their sums
        &prim__ocl_conv_winograd, // 3×3 of stride 1, floats: where fewer multiplications pay
        &prim__ocl_conv_depthwise_sliding, // depthwise, GPUs: a sliding window in registers
        &prim__ocl_conv_depthwise,         // depthwise: vectors of channels or of pixels
        &prim__ocl_conv_broadcast, // CPU-type devices: register tiles, src broadcast against
                                   // vectors of weights
        &prim__ocl_conv_pipeline,  // f32, GPUs: implicit GEMM, tiles by cp.async in several stages
        &prim__ocl_conv_igemm,     // floats, plain layouts: implicit GEMM, tile by a cost model
        &prim__ocl_conv_tiled,     // any layout: implicit GEMM over tables of offsets
        &prim__ocl_conv_any,       // every layout and attribute, types up to 32 bits
        NULL,
};

static const impl_t *const gpu_backward_data[] = {
        &prim__ocl_conv_backward_data_direct,       // GPUs: few channels of diff_src, a direct
                                                    // convolution for each phase of the strides
        &prim__ocl_conv_backward_data_depthwise,    // depthwise, GPUs: tiles slide down diff_dst
        &prim__ocl_conv_backward_data_few_channels, // GPUs: all channels of diff_src, if few, in
                                                    // registers
        &prim__ocl_conv_backward_data_col2im, // f32, GPUs, few channels of src, many of dst: nested
                                              // products of single taps, and their sums
        &prim__ocl_conv_backward_data_wgmma, // f16, bf16, NHWC: WGMMA, all phases of the strides in
                                             // one launch
        &prim__ocl_conv_backward_data_phases, // f32, GPUs: implicit GEMM, all phases of the strides
                                              // in one launch
        &prim__ocl_conv_backward_data_polyphase, // nested: a forward convolution for each phase of
                                                 // the strides
        &prim__ocl_conv_backward_data_any,       // every layout, types up to 32 bits
        NULL,
};

static const impl_t *const gpu_backward_weights[] = {
        &prim__ocl_conv_backward_weights_depthwise, // depthwise: windows slide down strips
        &prim__ocl_conv_backward_weights_wgmma, // f16, bf16, NHWC: WGMMA, boxes of pixels by tensor
                                                // maps
        &prim__ocl_conv_backward_weights_mma,   // f16, bf16, NHWC: mma.sync, split over the pixels
        &prim__ocl_conv_backward_weights_winograd,   // 3×3 of stride 1, floats: where fewer
                                                     // multiplications pay
        &prim__ocl_conv_backward_weights_packed_cpu, // CPU-type devices: panels packed by
                                                     // work-items
        &prim__ocl_conv_backward_weights_tiled, // floats, plain layouts: implicit GEMM, split alike
        &prim__ocl_conv_backward_weights_any,   // every layout, types up to 32 bits
        NULL,
};
#endif

const impl_t *const *const prim__conv_forward_lists[] = LISTS(cpu, gpu);
const impl_t *const *const prim__conv_backward_data_lists[] =
        LISTS(cpu_backward_data, gpu_backward_data);
const impl_t *const *const prim__conv_backward_weights_lists[] =
        LISTS(cpu_backward_weights, gpu_backward_weights);
