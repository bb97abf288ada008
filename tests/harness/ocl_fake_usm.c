// SPDX-License-Identifier: Apache-2.0
// Stands in for cl_intel_unified_shared_memory on a device that has fine-grained SVM and not the
// extension: the same calls, on memory of clSVMAlloc(). Memory "of the device" can be read by the
// host all the same.
#include <pthread.h>
#include <string.h>

#include "ocl_faults_calls.h"

enum { MAX_ALLOCATIONS = 256, QUERY_HOST = 0x4190, QUERY_SHARED = 0x4192 };
enum { INFO_TYPE = 0x419A, INFO_BASE, INFO_BYTES, INFO_DEVICE };
enum { TYPE_UNKNOWN = 0x4196, TYPE_HOST, TYPE_DEVICE, TYPE_SHARED };

static const char extension[] = " cl_intel_unified_shared_memory";

typedef struct {
    char *base; ///< NULL: free
    size_t bytes;
    cl_uint type;
    cl_device_id device;
} allocation_t;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static allocation_t allocations[MAX_ALLOCATIONS];

static void *allocate(cl_context context, cl_device_id device, cl_uint type, size_t bytes,
        cl_uint alignment, cl_int *code)
{
    typedef void *(*alloc_t)(cl_context, cl_svm_mem_flags, size_t, cl_uint);
    const alloc_t alloc = (alloc_t)ocl_real("clSVMAlloc");
    void *const made = alloc(context, CL_MEM_READ_WRITE, bytes, alignment);
    bool is_kept = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; made && !is_kept && i < MAX_ALLOCATIONS; ++i) {
        is_kept = !allocations[i].base;
        if (is_kept) allocations[i] = (allocation_t){made, bytes, type, device};
    }
    pthread_mutex_unlock(&lock);
    if (code) *code = is_kept ? CL_SUCCESS : CL_OUT_OF_RESOURCES;
    return is_kept ? made : NULL;
}

static void *alloc_host(cl_context context, const cl_ulong *properties, size_t bytes,
        cl_uint alignment, cl_int *code)
{
    (void)properties;
    return allocate(context, NULL, TYPE_HOST, bytes, alignment, code);
}

static void *alloc_device(cl_context context, cl_device_id device, const cl_ulong *properties,
        size_t bytes, cl_uint alignment, cl_int *code)
{
    (void)properties;
    return allocate(context, device, TYPE_DEVICE, bytes, alignment, code);
}

static void *alloc_shared(cl_context context, cl_device_id device, const cl_ulong *properties,
        size_t bytes, cl_uint alignment, cl_int *code)
{
    (void)properties;
    return allocate(context, device, TYPE_SHARED, bytes, alignment, code);
}

static cl_int release(cl_context context, void *pointer)
{
    typedef void (*free_t)(cl_context, void *);
    const free_t free_svm = (free_t)ocl_real("clSVMFree");
    bool is_found = false;
    pthread_mutex_lock(&lock);
    for (int i = 0; !is_found && i < MAX_ALLOCATIONS; ++i) {
        is_found = allocations[i].base == pointer;
        if (is_found) allocations[i].base = NULL;
    }
    pthread_mutex_unlock(&lock);
    if (!is_found) return CL_INVALID_VALUE;
    free_svm(context, pointer);
    return CL_SUCCESS;
}

static allocation_t around(const char *pointer)
{
    allocation_t found = {.type = TYPE_UNKNOWN};
    pthread_mutex_lock(&lock);
    for (int i = 0; i < MAX_ALLOCATIONS; ++i) {
        const allocation_t *const a = &allocations[i];
        if (a->base && pointer >= a->base && pointer < a->base + a->bytes) found = *a;
    }
    pthread_mutex_unlock(&lock);
    return found;
}

static cl_int get_info(cl_context context, const void *pointer, cl_uint what, size_t room,
        void *value, size_t *bytes)
{
    (void)context;
    const allocation_t a = around(pointer);
    const struct {
        const void *value;
        size_t bytes;
    } answers[] = {{&a.type, sizeof a.type}, {&a.base, sizeof a.base}, {&a.bytes, sizeof a.bytes},
            {&a.device, sizeof a.device}};
    if (what < INFO_TYPE || what > INFO_DEVICE) return CL_INVALID_VALUE;
    const size_t size = answers[what - INFO_TYPE].bytes;
    if (value && room < size) return CL_INVALID_VALUE;
    if (value) memcpy(value, answers[what - INFO_TYPE].value, size);
    if (bytes) *bytes = size;
    return CL_SUCCESS;
}

// SVM's own functions have the same parameters.
static const struct {
    const char *name;
    function_t function; ///< NULL: the function `svm` of OpenCL 2.0
    const char *svm;
} functions[] = {
        {"clHostMemAllocINTEL", (function_t)alloc_host, NULL},
        {"clDeviceMemAllocINTEL", (function_t)alloc_device, NULL},
        {"clSharedMemAllocINTEL", (function_t)alloc_shared, NULL},
        {"clMemFreeINTEL", (function_t)release, NULL},
        {"clGetMemAllocInfoINTEL", (function_t)get_info, NULL},
        {"clSetKernelArgMemPointerINTEL", NULL, "clSetKernelArgSVMPointer"},
        {"clEnqueueMemFillINTEL", NULL, "clEnqueueSVMMemFill"},
        {"clEnqueueMemcpyINTEL", NULL, "clEnqueueSVMMemcpy"},
};

function_t ocl_fake_usm_function(const char *name)
{
    for (size_t i = 0; i < sizeof functions / sizeof *functions; ++i) {
        if (strcmp(functions[i].name, name) != 0) continue;
        return functions[i].function ? functions[i].function : ocl_real(functions[i].svm);
    }
    return NULL;
}

static bool has_svm(cl_device_id device)
{
    typedef cl_int (*query_t)(cl_device_id, cl_device_info, size_t, void *, size_t *);
    cl_device_svm_capabilities svm = 0;
    const query_t query = (query_t)ocl_real("clGetDeviceInfo");
    return query(device, CL_DEVICE_SVM_CAPABILITIES, sizeof svm, &svm, NULL) == CL_SUCCESS &&
           (svm & CL_DEVICE_SVM_FINE_GRAIN_BUFFER);
}

static bool has_extension(cl_device_id device)
{
    typedef cl_int (*query_t)(cl_device_id, cl_device_info, size_t, void *, size_t *);
    char text[16384] = "";
    const query_t query = (query_t)ocl_real("clGetDeviceInfo");
    return query(device, CL_DEVICE_EXTENSIONS, sizeof text, text, NULL) == CL_SUCCESS &&
           strstr(text, extension + 1);
}

// The text with one word more.
static void add_extension(size_t room, char *text, size_t *bytes)
{
    const size_t length = sizeof extension - 1;
    if (text && strlen(text) + length < room) strcat(text, extension);
    if (bytes) *bytes += length;
}

cl_int ocl_fake_usm_info(cl_int made, cl_device_id device, cl_device_info what, size_t room,
        void *value, size_t *bytes)
{
    const bool is_text = what == CL_DEVICE_EXTENSIONS;
    const bool is_access = what >= QUERY_HOST && what <= QUERY_SHARED;
    if ((!is_text && !is_access) || !has_svm(device) || has_extension(device)) return made;
    if (is_text && made == CL_SUCCESS) add_extension(room, value, bytes);
    if (!is_access) return made;
    const cl_ulong can_access = 1;
    if (value && room >= sizeof can_access) memcpy(value, &can_access, sizeof can_access);
    if (bytes) *bytes = sizeof can_access;
    return CL_SUCCESS;
}
