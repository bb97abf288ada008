// SPDX-License-Identifier: Apache-2.0
// The implementations of convolution, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_conv_any;
extern const impl_t prim__x64_conv_depthwise;
extern const impl_t prim__x64_conv_gemm;

static const impl_t *const cpu[] = {
        &prim__x64_conv_depthwise, // f32, f16, bf16, one filter a channel: sums along rows
        &prim__x64_conv_gemm,      // f32, f16, bf16: packed panels, vectors, cache blocks
        &prim__ref_conv_any,       // every type, layout and attribute
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_conv_any;
extern const impl_t prim__ocl_conv_broadcast;
extern const impl_t prim__ocl_conv_depthwise;
extern const impl_t prim__ocl_conv_depthwise_slide;
extern const impl_t prim__ocl_conv_igemm;
extern const impl_t prim__ocl_conv_image;
extern const impl_t prim__ocl_conv_image_depthwise;
extern const impl_t prim__ocl_conv_mma_depth;
extern const impl_t prim__ocl_conv_mma_tiled;
extern const impl_t prim__ocl_conv_pipeline;
extern const impl_t prim__ocl_conv_tiled;
extern const impl_t prim__ocl_conv_wgmma;
extern const impl_t prim__ocl_conv_wgmma_rows;
extern const impl_t prim__ocl_conv_winograd;

static const impl_t *const gpu[] = {
        &prim__ocl_conv_image_depthwise, // images, one filter a channel
        &prim__ocl_conv_image,           // images, any window
        &prim__ocl_conv_mma_depth,  // f16, bf16, channels last, few pixels: warps share the depth
        &prim__ocl_conv_wgmma,      // f16, bf16, channels last: matrix units that groups feed
        &prim__ocl_conv_wgmma_rows, // the same with few input channels: rows of taps, by registers
        &prim__ocl_conv_mma_tiled,  // f16, bf16, bytes, channels last: matrix units that warps feed
        &prim__ocl_conv_winograd,   // 3×3 of stride 1, floats: where fewer products are faster
        &prim__ocl_conv_depthwise_slide, // one filter a channel: windows slide down registers
        &prim__ocl_conv_depthwise,       // one filter a channel: vectors of channels or of pixels
        &prim__ocl_conv_broadcast, // CPU-type devices: register tiles, types up to 16 bits and f32
        &prim__ocl_conv_pipeline,  // f32, pixels or rows adjacent: copies that run on
        &prim__ocl_conv_igemm,     // local memory, plain layouts, floats: tiles by a cost model
        &prim__ocl_conv_tiled,     // local memory: implicit matrix product, any layout of channels
        &prim__ocl_conv_any,       // every layout and attribute, types up to 32 bits
        NULL,
};
#endif

const impl_t *const *const prim__conv_forward_lists[] = LISTS(cpu, gpu);
