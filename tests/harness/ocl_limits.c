// SPDX-License-Identifier: Apache-2.0
// Makes a device look small: smaller answers to queries, and launches beyond the limits refused
// with the codes a small device gives.
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "ocl_faults_calls.h"

enum { MAX_LOCALS = 1 << 14 };

/// Local memory that a kernel was given as an argument.
typedef struct {
    cl_kernel kernel;
    cl_uint index;
    size_t bytes;
} local_arg_t;

static struct {
    pthread_mutex_t lock; ///< guards all of it
    bool is_read;
    ocl_limits_t limits;
    int nlocals;
    local_arg_t locals[MAX_LOCALS];
} small = {.lock = PTHREAD_MUTEX_INITIALIZER};

static size_t from_environment(const char *name)
{
    const char *const text = getenv(name);
    return text ? (size_t)strtoull(text, NULL, 10) : 0;
}

static ocl_limits_t get(void)
{
    pthread_mutex_lock(&small.lock);
    if (!small.is_read) {
        small.limits.group_items = from_environment("PRIM_TEST_GROUP_ITEMS");
        small.limits.local_bytes = from_environment("PRIM_TEST_LOCAL_BYTES");
        small.limits.cache_bytes = from_environment("PRIM_TEST_CACHE_BYTES");
        small.limits.kernel_items = from_environment("PRIM_TEST_KERNEL_ITEMS");
        small.limits.is_gpu = from_environment("PRIM_TEST_IS_GPU") != 0;
        small.limits.has_usm = from_environment("PRIM_TEST_USM") != 0;
        small.is_read = true;
    }
    const ocl_limits_t limits = small.limits;
    pthread_mutex_unlock(&small.lock);
    return limits;
}

void ocl_limits_set(const ocl_limits_t *limits)
{
    pthread_mutex_lock(&small.lock);
    small.is_read = true;
    small.limits = *limits;
    pthread_mutex_unlock(&small.lock);
}

bool ocl_limits_has_usm(void)
{
    return get().has_usm;
}

/// An array of n numbers of a query, none above the limit.
static void cut_sizes(void *value, size_t n, size_t limit)
{
    for (size_t i = 0; i < n; ++i) {
        size_t number;
        memcpy(&number, (char *)value + i * sizeof number, sizeof number);
        if (number > limit) memcpy((char *)value + i * sizeof limit, &limit, sizeof limit);
    }
}

/// The same of a size of memory.
static void cut_bytes(void *value, cl_ulong limit)
{
    cl_ulong number;
    memcpy(&number, value, sizeof number);
    if (number > limit) memcpy(value, &limit, sizeof limit);
}

cl_int ocl_after_clGetDeviceInfo(cl_int made, cl_device_id device, cl_device_info what, size_t room,
        void *value, size_t *bytes)
{
    const ocl_limits_t limits = get();
    if (limits.has_usm) made = ocl_fake_usm_info(made, device, what, room, value, bytes);
    if (made != CL_SUCCESS || !value) return made;
    if (limits.group_items && what == CL_DEVICE_MAX_WORK_GROUP_SIZE)
        cut_sizes(value, 1, limits.group_items);
    if (limits.group_items && what == CL_DEVICE_MAX_WORK_ITEM_SIZES && room >= 3 * sizeof(size_t))
        cut_sizes(value, 3, limits.group_items);
    if (limits.local_bytes && what == CL_DEVICE_LOCAL_MEM_SIZE)
        cut_bytes(value, limits.local_bytes);
    if (limits.cache_bytes && what == CL_DEVICE_GLOBAL_MEM_CACHE_SIZE)
        cut_bytes(value, limits.cache_bytes);
    const cl_device_type type = CL_DEVICE_TYPE_GPU;
    const cl_device_local_mem_type local = CL_LOCAL;
    if (limits.is_gpu && what == CL_DEVICE_TYPE) memcpy(value, &type, sizeof type);
    if (limits.is_gpu && what == CL_DEVICE_LOCAL_MEM_TYPE) memcpy(value, &local, sizeof local);
    return made;
}

typedef cl_int (*query_t)(
        cl_kernel, cl_device_id, cl_kernel_work_group_info, size_t, void *, size_t *);

/// The largest group of a kernel; 0: as it is. Kernels that need many registers are good for
/// smaller groups than their device, unless they name the group they need.
static size_t limit_of(cl_kernel kernel, cl_device_id device)
{
    const ocl_limits_t limits = get();
    const query_t query = (query_t)ocl_real("clGetKernelWorkGroupInfo");
    size_t needed[3] = {0};
    if (limits.kernel_items == 0) return limits.group_items;
    if (query(kernel, device, CL_KERNEL_COMPILE_WORK_GROUP_SIZE, sizeof needed, needed, NULL) ==
                    CL_SUCCESS &&
            needed[0] > 0)
        return limits.group_items;
    return limits.kernel_items;
}

cl_int ocl_after_clGetKernelWorkGroupInfo(cl_int made, cl_kernel kernel, cl_device_id device,
        cl_kernel_work_group_info what, size_t room, void *value, size_t *bytes)
{
    (void)room, (void)bytes;
    if (made != CL_SUCCESS || !value || what != CL_KERNEL_WORK_GROUP_SIZE) return made;
    const size_t limit = limit_of(kernel, device);
    if (limit) cut_sizes(value, 1, limit);
    return made;
}

cl_kernel ocl_after_clCreateKernel(
        cl_kernel made, cl_program program, const char *name, cl_int *code)
{
    (void)program, (void)name, (void)code;
    pthread_mutex_lock(&small.lock);
    for (int i = small.nlocals - 1; i >= 0; --i) // of a kernel that is gone, at the same address
        if (small.locals[i].kernel == made) small.locals[i] = small.locals[--small.nlocals];
    pthread_mutex_unlock(&small.lock);
    return made;
}

static void note_local(cl_kernel kernel, cl_uint index, size_t bytes)
{
    int i = 0;
    while (i < small.nlocals &&
            (small.locals[i].kernel != kernel || small.locals[i].index != index))
        ++i;
    if (i == MAX_LOCALS) abort();
    if (i == small.nlocals) ++small.nlocals;
    small.locals[i] = (local_arg_t){kernel, index, bytes};
}

cl_int ocl_after_clSetKernelArg(
        cl_int made, cl_kernel kernel, cl_uint index, size_t size, const void *value)
{
    // A NULL with a size may also be a NULL buffer, of the size of a handle: few bytes too many.
    if (made != CL_SUCCESS || value || get().local_bytes == 0) return made;
    pthread_mutex_lock(&small.lock);
    note_local(kernel, index, size);
    pthread_mutex_unlock(&small.lock);
    return made;
}

/// Local memory of a launch: the kernel's own and what it was given. Drivers tell the first, some
/// both, so that the sum would count it twice: the larger of both is what is needed at least.
static size_t local_bytes_of(cl_kernel kernel)
{
    const query_t query = (query_t)ocl_real("clGetKernelWorkGroupInfo");
    cl_ulong told = 0;
    if (query(kernel, NULL, CL_KERNEL_LOCAL_MEM_SIZE, sizeof told, &told, NULL) != CL_SUCCESS)
        told = 0;
    size_t given = 0;
    pthread_mutex_lock(&small.lock);
    for (int i = 0; i < small.nlocals; ++i)
        if (small.locals[i].kernel == kernel) given += small.locals[i].bytes;
    pthread_mutex_unlock(&small.lock);
    return told > given ? (size_t)told : given;
}

cl_int ocl_before_clEnqueueNDRangeKernel(cl_command_queue queue, cl_kernel kernel, cl_uint ndims,
        const size_t *offset, const size_t *global, const size_t *local, cl_uint nwaits,
        const cl_event *waits, cl_event *event)
{
    (void)queue, (void)offset, (void)global, (void)nwaits, (void)waits, (void)event;
    const ocl_limits_t limits = get();
    const size_t limit = limit_of(kernel, NULL);
    size_t items = 1;
    for (cl_uint d = 0; limit && local && d < ndims; ++d) {
        if (limits.group_items && local[d] > limits.group_items) return CL_INVALID_WORK_ITEM_SIZE;
        items *= local[d];
    }
    if (limit && items > limit) return CL_INVALID_WORK_GROUP_SIZE;
    if (limits.local_bytes && local_bytes_of(kernel) > limits.local_bytes)
        return CL_OUT_OF_RESOURCES;
    return CL_SUCCESS;
}
