// SPDX-License-Identifier: Apache-2.0
// What the self-tests of optional features start from: build, make buffers and images, run, read.
// Nothing here touches prim_last_error(): a test that fails is an answer, not an error.
//
//     bool prim__ocl_selftest_half(ocl_selftest_t *test)
//     {
//         const cl_mem y = prim__ocl_selftest_buffer(test, NULL, sizeof got);
//         return prim__ocl_selftest_build(test, "-cl-std=CL1.2") &&
//                prim__ocl_selftest_run(test, "half_ops", N, &y, 1) &&
//                prim__ocl_selftest_read(test, y, got, sizeof got) && is_right(test, got);
//     }
#ifndef PRIM_OCL_SELFTEST_H
#define PRIM_OCL_SELFTEST_H

#include "ocl_feature.h"

enum { OCL_SELFTEST_MEMS = 8, OCL_SELFTEST_PARTS = 8 };

typedef struct ocl_selftest {
    const ocl_engine_t *engine;
    const ocl_source_t *source;
    cl_program program; ///< owned; NULL until it is built
    int nmems;
    cl_mem mems[OCL_SELFTEST_MEMS]; ///< owned
    bool is_transient;              ///< it failed for want of memory: no verdict
    int value;                      ///< for ocl_verdict_t
    char why[OCL_WHY_BYTES];        ///< the first complaint
} ocl_selftest_t;

/// Each returns false (NULL) after a complaint, also when it gets the NULL of one that failed.
bool prim__ocl_selftest_build(ocl_selftest_t *test, const char *options);
/// A buffer with `bytes` of `data`, or zeros for NULL.
cl_mem prim__ocl_selftest_buffer(ocl_selftest_t *test, const void *data, size_t bytes);
/// An RGBA image of float (CL_FLOAT) or half (CL_HALF_FLOAT) texels, dense in `data`, or undefined.
cl_mem prim__ocl_selftest_image(
        ocl_selftest_t *test, cl_channel_type type, size_t width, size_t height, const void *data);
/// Runs a kernel, whose parameters are the mems, in groups of `group` work-items (≤ the device's
/// limit, which every device has at 64 or more) and waits.
bool prim__ocl_selftest_run(ocl_selftest_t *test, const char *kernel, size_t nitems, size_t group,
        const cl_mem *mems, int nmems);
/// The last step of it, for a kernel whose arguments are set.
bool prim__ocl_selftest_enqueue(
        ocl_selftest_t *test, cl_kernel kernel, size_t nitems, size_t group);
bool prim__ocl_selftest_read(ocl_selftest_t *test, cl_mem buffer, void *data, size_t bytes);
bool prim__ocl_selftest_read_image(
        ocl_selftest_t *test, cl_mem image, size_t width, size_t height, void *data);

/// A test of several programs: calls check(part, i) for i = 0..n−1 (n ≤ OCL_SELFTEST_PARTS), each
/// with a test of its own and on a thread of its own, since nearly all of the time goes into
/// building. True when every part is right; else the complaint is that of the first part that is
/// not.
bool prim__ocl_selftest_parts(
        ocl_selftest_t *test, int n, bool (*check)(ocl_selftest_t *part, int i));

/// Complains; always false.
bool prim__ocl_selftest_say(ocl_selftest_t *test, const char *format, ...) PRIM_PRINTF(2, 3);

/// The same of a call that failed; want of memory makes the test transient.
bool prim__ocl_selftest_say_code(ocl_selftest_t *test, const char *call, cl_int code);

/// Releases what the test made.
void prim__ocl_selftest_fini(ocl_selftest_t *test);

/// @name The tests
/// @{
bool prim__ocl_selftest_half(ocl_selftest_t *test);
bool prim__ocl_selftest_image_f32(ocl_selftest_t *test);
bool prim__ocl_selftest_image_f16(ocl_selftest_t *test);
bool prim__ocl_selftest_svm(ocl_selftest_t *test);
bool prim__ocl_selftest_subgroups(ocl_selftest_t *test);
bool prim__ocl_selftest_subgroup_shuffle(ocl_selftest_t *test);
bool prim__ocl_selftest_int_dot(ocl_selftest_t *test);
bool prim__ocl_selftest_subgroup_block(ocl_selftest_t *test);
bool prim__ocl_selftest_async_copy(ocl_selftest_t *test);
bool prim__ocl_selftest_lane_shuffle(ocl_selftest_t *test);
bool prim__ocl_selftest_mma_f16(ocl_selftest_t *test);
bool prim__ocl_selftest_mma_bf16(ocl_selftest_t *test);
bool prim__ocl_selftest_mma_int8(ocl_selftest_t *test);
bool prim__ocl_selftest_wgmma_f16(ocl_selftest_t *test);
bool prim__ocl_selftest_wgmma_bf16(ocl_selftest_t *test);
bool prim__ocl_selftest_wgmma_int8(ocl_selftest_t *test);
bool prim__ocl_selftest_tensor_maps_f16(ocl_selftest_t *test);
bool prim__ocl_selftest_tensor_maps_bf16(ocl_selftest_t *test);
bool prim__ocl_selftest_tensor_maps_int8(ocl_selftest_t *test);
bool prim__ocl_selftest_large_local(ocl_selftest_t *test);
bool prim__ocl_selftest_nontemporal(ocl_selftest_t *test);
bool prim__ocl_selftest_packed_bf16(ocl_selftest_t *test);
bool prim__ocl_selftest_packed_max(ocl_selftest_t *test);
bool prim__ocl_selftest_group_wait(ocl_selftest_t *test);
bool prim__ocl_selftest_cache_hints(ocl_selftest_t *test);
bool prim__ocl_selftest_fast_exp2(ocl_selftest_t *test);
/// @}

#endif
