// SPDX-License-Identifier: Apache-2.0
// A layer in front of the OpenCL API, for tests: it lets chosen calls fail, counts the references
// of every OpenCL object, and can make any device look small (ocl_limits.c). It defines the cl…
// functions of ocl_calls.txt itself and passes them on to the next ones the loader knows. Linked
// into a program (target ocl_faults) it serves the program and its shared libraries; the same as a
// shared object (target ocl_faults_preload) serves any program through LD_PRELOAD.
//
//     ocl_faults_arm(&(ocl_fault_t){.nth = 7});  // the seventh call from here on fails
//     const prim_status_t st = prim_execute(…);
//     const char *failed = ocl_faults_disarm();  // "clSetKernelArg", NULL if it did not come to it
//
// All functions may be called by any thread.
#ifndef PRIM_TESTS_OCL_FAULTS_H
#define PRIM_TESTS_OCL_FAULTS_H

#include <CL/cl.h>
#include <stdbool.h>
#include <stddef.h>

/// Which calls fail. A call that fails is not passed on, but for those that release an object.
typedef struct {
    long nth;         ///< from 1, among those that count from now on
    bool is_lasting;  ///< all after it fail too
    const char *only; ///< calls of this function alone count; NULL: all do
    cl_int code;      ///< what they return; 0: what the table has for the function
} ocl_fault_t;

void ocl_faults_arm(const ocl_fault_t *fault);
/// The function of the first call that failed since ocl_faults_arm(), or NULL.
const char *ocl_faults_failed(void);
/// Back to normal; returns the same and forgets it.
const char *ocl_faults_disarm(void);
/// The code it failed with.
cl_int ocl_faults_code(void);

/// References to OpenCL objects that were made or taken through the layer and not yet given back,
/// and references given back that nobody had. `text` gets them by kind: "2 events, 1 kernel".
long ocl_faults_live(char *text, size_t room);

/// What devices say of themselves and what launches are held to; zeros: as it is.
typedef struct {
    size_t group_items; ///< work-items of a group, in sum and in each dimension
    size_t local_bytes;
    size_t cache_bytes;  ///< of global memory: 1 makes every tensor larger than the cache
    size_t kernel_items; ///< the same of a kernel that does not say which group it needs
    bool is_gpu;         ///< of type GPU, with local memory of its own
    bool has_usm;        ///< cl_intel_unified_shared_memory, by SVM where the device lacks it
} ocl_limits_t;

/// From now on; engines ask their device when they are created. Before the first call the limits
/// are those of the environment: PRIM_TEST_GROUP_ITEMS, PRIM_TEST_LOCAL_BYTES,
/// PRIM_TEST_CACHE_BYTES, PRIM_TEST_KERNEL_ITEMS, PRIM_TEST_IS_GPU, PRIM_TEST_USM.
void ocl_limits_set(const ocl_limits_t *limits);

#endif
