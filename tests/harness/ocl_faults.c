// SPDX-License-Identifier: Apache-2.0
// Decides which calls fail, counts references, and finds the functions behind the layer.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ocl_faults_calls.h"

enum { MAX_OBJECTS = 1 << 16 };

typedef struct {
    const void *handle; ///< NULL: free
    ocl_kind_t kind;
    int nrefs;
} object_t;

static struct {
    pthread_mutex_t lock; ///< guards all of it
    ocl_fault_t fault;    ///< nth 0: none
    long nseen;           ///< calls that counted since it was armed
    const char *failed;   ///< the first that failed
    cl_int code;
    int nobjects;            ///< objects[nobjects …] were never used
    long nstray[OCL_NKINDS]; ///< references given back that nobody had
    object_t objects[MAX_OBJECTS];
} layer = {.lock = PTHREAD_MUTEX_INITIALIZER};

static function_t as_function(void *address)
{
    union {
        void *address;
        function_t function;
    } both = {address};
    return both.function;
}

static ocl_call_t *call_of(const char *name)
{
    for (int i = 0; i < ocl_ncalls; ++i)
        if (strcmp(ocl_calls[i].name, name) == 0) return &ocl_calls[i];
    return NULL;
}

function_t ocl_call_real(ocl_call_t *call)
{
    function_t found = atomic_load(&call->found);
    if (found) return found;
    void *address = dlsym(RTLD_NEXT, call->name);
    if (!address) { // a program all of whose calls are the layer's need not have the library
        void *const library = dlopen("libOpenCL.so.1", RTLD_NOW | RTLD_LOCAL);
        if (library) address = dlsym(library, call->name);
    }
    if (!address) {
        fprintf(stderr, "ocl_faults: there is no %s\n", call->name);
        abort();
    }
    found = as_function(address);
    atomic_store(&call->found, found);
    return found;
}

function_t ocl_real(const char *name)
{
    ocl_call_t *const call = call_of(name);
    return call ? ocl_call_real(call) : NULL;
}

void ocl_faults_arm(const ocl_fault_t *fault)
{
    pthread_mutex_lock(&layer.lock);
    layer.fault = *fault;
    layer.nseen = 0;
    layer.failed = NULL;
    pthread_mutex_unlock(&layer.lock);
}

const char *ocl_faults_failed(void)
{
    pthread_mutex_lock(&layer.lock);
    const char *const failed = layer.failed;
    pthread_mutex_unlock(&layer.lock);
    return failed;
}

const char *ocl_faults_disarm(void)
{
    pthread_mutex_lock(&layer.lock);
    layer.fault = (ocl_fault_t){0};
    const char *const failed = layer.failed;
    layer.failed = NULL;
    pthread_mutex_unlock(&layer.lock);
    return failed;
}

cl_int ocl_faults_code(void)
{
    pthread_mutex_lock(&layer.lock);
    const cl_int code = layer.code;
    pthread_mutex_unlock(&layer.lock);
    return code;
}

static bool is_struck(const ocl_call_t *call)
{
    const ocl_fault_t *const fault = &layer.fault;
    if (fault->nth == 0 || call->code == 0) return false;
    if (fault->only && strcmp(fault->only, call->name) != 0) return false;
    ++layer.nseen;
    return layer.nseen == fault->nth || (fault->is_lasting && layer.nseen > fault->nth);
}

cl_int ocl_call_fails(const ocl_call_t *call)
{
    cl_int code = CL_SUCCESS;
    pthread_mutex_lock(&layer.lock);
    if (is_struck(call)) {
        code = layer.fault.code ? layer.fault.code : call->code;
        if (!layer.failed) {
            layer.failed = call->name;
            layer.code = code;
        }
    }
    pthread_mutex_unlock(&layer.lock);
    return code;
}

static object_t *find(ocl_kind_t kind, const void *handle)
{
    for (int i = 0; i < layer.nobjects; ++i)
        if (layer.objects[i].handle == handle && (!handle || layer.objects[i].kind == kind))
            return &layer.objects[i];
    return NULL;
}

static object_t *add(ocl_kind_t kind, const void *handle)
{
    object_t *object = find(kind, NULL);
    if (!object) {
        if (layer.nobjects == MAX_OBJECTS) abort();
        object = &layer.objects[layer.nobjects++];
    }
    *object = (object_t){handle, kind, 0};
    return object;
}

void ocl_count(ocl_kind_t kind, const void *handle, int change)
{
    if (!handle) return;
    pthread_mutex_lock(&layer.lock);
    object_t *object = find(kind, handle);
    if (!object && change > 0) object = add(kind, handle);
    if (!object) {
        ++layer.nstray[kind];
    } else {
        object->nrefs += change;
        if (object->nrefs == 0) object->handle = NULL;
    }
    pthread_mutex_unlock(&layer.lock);
}

long ocl_faults_live(char *text, size_t room)
{
    static const char *const names[OCL_NKINDS] = {"contexts", "queues", "memory objects",
            "samplers", "programs", "kernels", "events", "SVM pointers", "USM pointers",
            "command buffers"};
    long live[OCL_NKINDS] = {0}, sum = 0;
    size_t used = 0;
    pthread_mutex_lock(&layer.lock);
    for (int i = 0; i < layer.nobjects; ++i)
        if (layer.objects[i].handle) live[layer.objects[i].kind] += layer.objects[i].nrefs;
    text[0] = '\0';
    for (int kind = 0; kind < OCL_NKINDS; ++kind) {
        const long nstray = layer.nstray[kind];
        sum += live[kind] + nstray;
        if (live[kind] + nstray == 0 || used + 1 >= room) continue;
        const int n = snprintf(text + used, room - used, "%s%ld %s, %ld released too often",
                used ? "; " : "", live[kind], names[kind], nstray);
        used += n > 0 ? (size_t)n : 0;
    }
    pthread_mutex_unlock(&layer.lock);
    return sum;
}

void *ocl_after_clGetExtensionFunctionAddressForPlatform(
        void *made, cl_platform_id platform, const char *name)
{
    (void)platform;
    ocl_call_t *const call = call_of(name);
    function_t found = as_function(made);
    if (!made && ocl_limits_has_usm()) found = ocl_fake_usm_function(name);
    if (!found || !call) return made;
    atomic_store(&call->found, found);
    union {
        function_t function;
        void *address;
    } both = {call->stand_in};
    return both.address;
}

cl_int ocl_before_clMemFreeINTEL(cl_context context, void *pointer)
{
    (void)context;
    ocl_count(OCL_USM, pointer, -1);
    return CL_SUCCESS;
}

cl_int ocl_after_clCreateKernelsInProgram(
        cl_int made, cl_program program, cl_uint room, cl_kernel *kernels, cl_uint *count)
{
    (void)program;
    if (made != CL_SUCCESS || !kernels) return made;
    // Whoever gives an array asks how much of it was filled.
    if (!count) abort();
    for (cl_uint i = 0; i < *count && i < room; ++i) ocl_count(OCL_KERNEL, kernels[i], 1);
    return made;
}

void *ocl_after_clSVMAlloc(
        void *made, cl_context context, cl_svm_mem_flags flags, size_t size, cl_uint alignment)
{
    (void)context, (void)flags, (void)size, (void)alignment;
    if (made) ocl_count(OCL_SVM, made, 1);
    return made;
}

void ocl_after_clSVMFree(cl_context context, void *pointer)
{
    (void)context;
    ocl_count(OCL_SVM, pointer, -1);
}
