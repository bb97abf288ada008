// SPDX-License-Identifier: Apache-2.0
// What the parts of the layer share: the functions made of ocl_calls.txt, ocl_faults.c, and
// ocl_limits.c.
#ifndef PRIM_TESTS_OCL_FAULTS_CALLS_H
#define PRIM_TESTS_OCL_FAULTS_CALLS_H

#define CL_TARGET_OPENCL_VERSION 300
#define CL_USE_DEPRECATED_OPENCL_1_2_APIS
#include <CL/cl.h>

#include "ocl_faults.h"

typedef enum {
    OCL_CONTEXT,
    OCL_QUEUE,
    OCL_MEM,
    OCL_SAMPLER,
    OCL_PROGRAM,
    OCL_KERNEL,
    OCL_EVENT,
    OCL_SVM,
    OCL_USM,
    OCL_COMMAND_BUFFER,
    OCL_NKINDS
} ocl_kind_t;

typedef void (*function_t)(void);
typedef void(CL_CALLBACK *context_callback_t)(const char *, const void *, size_t, void *);
typedef void(CL_CALLBACK *mem_callback_t)(cl_mem, void *);
typedef void(CL_CALLBACK *program_callback_t)(cl_program, void *);
typedef void(CL_CALLBACK *event_callback_t)(cl_event, cl_int, void *);
// Of an extension that not every CL/cl_ext.h has.
typedef struct command_buffer *command_buffer_t;

typedef struct {
    const char *name;
    cl_int code;               ///< of an injected failure; 0: it cannot fail
    function_t stand_in;       ///< the layer's own
    _Atomic(function_t) found; ///< the real one, once it was asked for
} ocl_call_t;

extern ocl_call_t ocl_calls[];
extern const int ocl_ncalls;

/// The real function.
function_t ocl_call_real(ocl_call_t *call);
/// The real function of a name; NULL when the table lacks it.
function_t ocl_real(const char *name);
/// Whether this call is to fail: its code, else CL_SUCCESS.
cl_int ocl_call_fails(const ocl_call_t *call);
/// An object has so many references more.
void ocl_count(ocl_kind_t kind, const void *object, int change);

// ocl_fake_usm.c
/// A function of cl_intel_unified_shared_memory, or NULL.
function_t ocl_fake_usm_function(const char *name);
/// What the device says with the extension; `made` is its own answer's code.
cl_int ocl_fake_usm_info(cl_int made, cl_device_id device, cl_device_info what, size_t room,
        void *value, size_t *bytes);
/// Whether devices are to have it (ocl_limits.c).
bool ocl_limits_has_usm(void);

// What the table calls `before` and `after`.
void *ocl_after_clGetExtensionFunctionAddressForPlatform(
        void *made, cl_platform_id platform, const char *name);
cl_int ocl_after_clCreateKernelsInProgram(
        cl_int made, cl_program program, cl_uint room, cl_kernel *kernels, cl_uint *count);
void *ocl_after_clSVMAlloc(
        void *made, cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment);
void ocl_after_clSVMFree(cl_context context, void *pointer);
cl_int ocl_before_clMemFreeINTEL(cl_context context, void *pointer);
cl_int ocl_after_clGetDeviceInfo(cl_int made, cl_device_id device, cl_device_info what, size_t room,
        void *value, size_t *bytes);
cl_int ocl_after_clGetKernelWorkGroupInfo(cl_int made, cl_kernel kernel, cl_device_id device,
        cl_kernel_work_group_info what, size_t room, void *value, size_t *bytes);
cl_kernel ocl_after_clCreateKernel(
        cl_kernel made, cl_program program, const char *name, cl_int *code);
cl_int ocl_after_clSetKernelArg(
        cl_int made, cl_kernel kernel, cl_uint index, size_t size, const void *value);
cl_int ocl_before_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint ndims,
        const size_t *offset, const size_t *global, const size_t *local, cl_uint nwaits,
        const cl_event *waits, cl_event *event);

#endif
