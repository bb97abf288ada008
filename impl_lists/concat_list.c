// SPDX-License-Identifier: Apache-2.0
// The implementations of concat, best first.
#include "impl_lists.h"

extern const impl_t prim__ref_concat_any;
extern const impl_t prim__simd_concat_copy_runs;

static const impl_t *const cpu[] = {
        &prim__simd_concat_copy_runs, // plain layouts: rows are copied; f32, f16, bf16, s8 and u8
                                      // converted in vectors
        &prim__ref_concat_any,        // every type and layout
        NULL,
};

#if PRIM_GPU_RUNTIME_OCL
extern const impl_t prim__ocl_concat_image;
extern const impl_t prim__ocl_concat_copy_runs;
extern const impl_t prim__ocl_concat_any;

static const impl_t *const gpu[] = {
        &prim__ocl_concat_image,     // images
        &prim__ocl_concat_copy_runs, // sources laid out like their part of dst: contiguous runs are
                                     // copied
        &prim__ocl_concat_any,       // every type and layout, any number of inputs
        NULL,
};
#endif

const impl_t *const *const prim__concat_lists[] = LISTS(cpu, gpu);
