// SPDX-License-Identifier: Apache-2.0
// Kernels: creation, arguments and enqueueing under the kernel's lock; launch ranges.
#include "ocl_kernel.h"

#include "common/alloc.h"
#include "gpu/ocl/memory/ocl_svm.h"
#include "gpu/ocl/memory/ocl_usm.h"
#include "gpu/ocl/program/ocl_retarget.h"
#include "gpu/ocl/queue/ocl_submission.h"
#include "gpu/ocl/tune/ocl_measured.h"
#include "ocl_params.h"

// What a kernel holds for an argument since the last launch.
typedef struct {
    unsigned bytes, kind;
    uint64_t bits;
} shadow_t;

struct ocl_kernel_state {
    pthread_mutex_t lock; ///< guards the arguments, from the first set to the enqueue
    cl_kernel handle;
    ocl_params_t params; ///< constant after creation
    shadow_t shadows[OCL_MAX_ARGS];
};

static uint64_t query_u64(cl_kernel kernel, cl_device_id device, cl_kernel_work_group_info what)
{
    uint64_t value = 0;
    const cl_int code = clGetKernelWorkGroupInfo(kernel, device, what, sizeof value, &value, NULL);
    return code == CL_SUCCESS ? value : 0;
}

static prim_status_t query_limits(ocl_kernel_t *kernel)
{
    const cl_kernel handle = kernel->state->handle;
    const cl_device_id device = kernel->device->id;
    size_t max_items = 0, multiple = 0;
    OCL_TRY(clGetKernelWorkGroupInfo(
            handle, device, CL_KERNEL_WORK_GROUP_SIZE, sizeof max_items, &max_items, NULL));
    OCL_TRY(clGetKernelWorkGroupInfo(handle, device, CL_KERNEL_PREFERRED_WORK_GROUP_SIZE_MULTIPLE,
            sizeof multiple, &multiple, NULL));
    // The device's limit as well: the traits may have been lowered (ocl_device.h).
    if (max_items > kernel->device->max_group_items) max_items = kernel->device->max_group_items;
    kernel->max_group_items = max_items ? max_items : 1;
    kernel->group_items_multiple = multiple ? multiple : 1;
    kernel->local_bytes = query_u64(handle, device, CL_KERNEL_LOCAL_MEM_SIZE);
    kernel->private_bytes = query_u64(handle, device, CL_KERNEL_PRIVATE_MEM_SIZE);
    return PRIM_SUCCESS;
}

void prim__ocl_kernel_add_options(ocl_options_t *options, const ocl_device_t *device)
{
    if (device->splits_unaligned) prim__ocl_options_int(options, "SPLITS_UNALIGNED", 1);
    const int registers = device->nv_group_registers;
    if (registers > 0) prim__ocl_options_int(options, "GROUP_REGISTERS", registers);
    // Not where ocl_retarget.c reads and changes the PTX that comes out.
    if (!prim__ocl_retarget_is_wanted(options->text)) prim__ocl_options_arg_info(options);
}

// `kernel` has its state allocated and its lock made.
static prim_status_t make(ocl_kernel_t *kernel, const prim_engine_t *engine,
        const ocl_source_t *source, const ocl_options_t *options)
{
    cl_program program = NULL;
    ocl_options_t all = *options;
    prim__ocl_kernel_add_options(&all, kernel->device);
    if (all.has_overflowed) {
        return prim__fail(PRIM_RUNTIME_ERROR, "the build options of %s are too long", source->name);
    }
    TRY(prim__ocl_program_get(&program, engine, source, all.text));
    cl_int code = CL_SUCCESS;
    kernel->state->handle = clCreateKernel(program, kernel->name, &code);
    if (code == CL_SUCCESS) prim__ocl_program_was_used(engine, program);
    clReleaseProgram(program);
    if (code != CL_SUCCESS) return prim__ocl_fail(code, "clCreateKernel");
    TRY(prim__ocl_params_init(&kernel->state->params, kernel->state->handle, kernel->name));
    return query_limits(kernel);
}

// A kernel without its cl_kernel.
static prim_status_t allocate(ocl_kernel_t **kernel, const char *name, const ocl_device_t *device)
{
    const size_t bytes = sizeof(ocl_kernel_t) + sizeof(struct ocl_kernel_state);
    ocl_kernel_t *const k = prim__calloc(bytes);
    if (!k) return prim__fail_memory(bytes);
    struct ocl_kernel_state *const state = (struct ocl_kernel_state *)(void *)(k + 1);
    if (pthread_mutex_init(&state->lock, NULL) != 0) {
        prim__free(k);
        return prim__fail(PRIM_RUNTIME_ERROR, "a mutex cannot be made");
    }
    k->name = name;
    k->device = device;
    k->state = state;
    *kernel = k;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_kernel_create(ocl_kernel_t **kernel, const prim_engine_t *engine,
        const ocl_source_t *source, const ocl_options_t *options, const char *name)
{
    ocl_kernel_t *k = NULL;
    TRY(allocate(&k, name, prim__ocl_device(engine)));
    const prim_status_t st = make(k, engine, source, options);
    if (st != PRIM_SUCCESS) {
        prim__ocl_kernel_destroy(k);
        return st;
    }
    *kernel = k;
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_kernel_clone(ocl_kernel_t **clone, const ocl_kernel_t *kernel)
{
    cl_program program = NULL;
    TRY(prim__ocl_kernel_get_program(&program, kernel));
    ocl_kernel_t *k = NULL;
    TRY(allocate(&k, kernel->name, kernel->device));
    cl_int code = CL_SUCCESS;
    k->state->handle = clCreateKernel(program, kernel->name, &code);
    if (code != CL_SUCCESS) {
        k->state->handle = NULL;
        prim__ocl_kernel_destroy(k);
        return prim__ocl_fail(code, "clCreateKernel");
    }
    k->state->params = kernel->state->params;
    k->max_group_items = kernel->max_group_items;
    k->group_items_multiple = kernel->group_items_multiple;
    k->local_bytes = kernel->local_bytes;
    k->private_bytes = kernel->private_bytes;
    *clone = k;
    return PRIM_SUCCESS;
}

void prim__ocl_kernel_destroy(ocl_kernel_t *kernel)
{
    if (!kernel) return;
    if (kernel->state->handle) clReleaseKernel(kernel->state->handle);
    pthread_mutex_destroy(&kernel->state->lock);
    prim__free(kernel);
}

prim_status_t prim__ocl_kernel_get_program(cl_program *program, const ocl_kernel_t *kernel)
{
    OCL_TRY(clGetKernelInfo(
            kernel->state->handle, CL_KERNEL_PROGRAM, sizeof *program, program, NULL));
    return PRIM_SUCCESS;
}

static prim_status_t set_pointer(const ocl_kernel_t *kernel, cl_uint i, const ocl_arg_t *arg)
{
    const cl_kernel handle = kernel->state->handle;
    return arg->kind == OCL_ARG_SVM
                   ? prim__ocl_svm_set_arg(handle, i, arg->value.pointer)
                   : prim__ocl_usm_set_arg(kernel->device, handle, i, arg->value.pointer);
}

static prim_status_t set_value(const ocl_kernel_t *kernel, int i, const ocl_arg_t *arg)
{
    const void *const value = arg->kind == OCL_ARG_STRUCT  ? arg->value.pointer
                              : arg->kind == OCL_ARG_LOCAL ? NULL
                                                           : &arg->value;
    const cl_int code = clSetKernelArg(kernel->state->handle, (cl_uint)i, arg->bytes, value);
    if (code == CL_SUCCESS) return PRIM_SUCCESS;
    if (code != CL_INVALID_ARG_VALUE && code != CL_INVALID_ARG_SIZE) {
        return prim__ocl_fail(code, "clSetKernelArg");
    }
    return prim__ocl_params_fail(&kernel->state->params, kernel->name, i, arg, code);
}

static bool takes(const ocl_kernel_t *kernel, int i, const ocl_arg_t *arg)
{
    return kernel->state->params.accepted[i] >> arg->kind & 1;
}

// Setting an argument costs as much as the rest of a launch on some drivers, so unchanged numbers
// are not set again. Buffers always are: a new buffer may have the handle of one that was freed.
static prim_status_t set_arg(const ocl_kernel_t *kernel, int i, const ocl_arg_t *arg)
{
    const unsigned kept =
            1u << OCL_ARG_I32 | 1u << OCL_ARG_I64 | 1u << OCL_ARG_F32 | 1u << OCL_ARG_LOCAL;
    shadow_t *const shadow = &kernel->state->shadows[i];
    const bool is_kept = kept >> arg->kind & 1u;
    if (is_kept && shadow->kind == arg->kind && shadow->bytes == arg->bytes &&
            shadow->bits == arg->value.bits) {
        return PRIM_SUCCESS;
    }
    shadow->kind = OCL_ARG_NONE;
    if (!takes(kernel, i, arg)) {
        return prim__ocl_params_fail(&kernel->state->params, kernel->name, i, arg, CL_SUCCESS);
    }
    const bool is_pointer = arg->kind == OCL_ARG_SVM || arg->kind == OCL_ARG_USM;
    TRY(is_pointer ? set_pointer(kernel, (cl_uint)i, arg) : set_value(kernel, i, arg));
    if (is_kept) *shadow = (shadow_t){arg->bytes, arg->kind, arg->value.bits};
    return PRIM_SUCCESS;
}

static prim_status_t set_args(const ocl_kernel_t *kernel, const ocl_args_t *args)
{
    TRY(prim__ocl_params_check_count(&kernel->state->params, kernel->name, args));
    for (int i = 0; i < args->nargs; ++i) TRY(set_arg(kernel, i, &args->entries[i]));
    return PRIM_SUCCESS;
}

// Values and local memory are set, so that the driver judges their sizes.
static prim_status_t check_args(const ocl_kernel_t *kernel, const ocl_args_t *args)
{
    const unsigned set = 1u << OCL_ARG_I32 | 1u << OCL_ARG_I64 | 1u << OCL_ARG_F32 |
                         1u << OCL_ARG_LOCAL | 1u << OCL_ARG_STRUCT;
    const ocl_params_t *const params = &kernel->state->params;
    TRY(prim__ocl_params_check_count(params, kernel->name, args));
    for (int i = 0; i < args->nargs; ++i) {
        const ocl_arg_t *const arg = &args->entries[i];
        if (!takes(kernel, i, arg))
            return prim__ocl_params_fail(params, kernel->name, i, arg, CL_SUCCESS);
        if (set >> arg->kind & 1u) TRY(set_arg(kernel, i, arg));
    }
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_kernel_set_i64(const ocl_kernel_t *kernel, int i, int64_t value)
{
    kernel->state->shadows[i].kind = OCL_ARG_NONE;
    OCL_TRY(clSetKernelArg(kernel->state->handle, (cl_uint)i, sizeof value, &value));
    return PRIM_SUCCESS;
}

prim_status_t prim__ocl_kernel_check_args(const ocl_kernel_t *kernel, const ocl_args_t *args)
{
    pthread_mutex_lock(&kernel->state->lock);
    const prim_status_t st = check_args(kernel, args);
    pthread_mutex_unlock(&kernel->state->lock);
    return st;
}

size_t prim__ocl_group_items(const ocl_kernel_t *kernel, size_t wanted)
{
    size_t limit = kernel->max_group_items;
    const size_t device_limit = kernel->device->max_group_item_sizes[0];
    if (device_limit && device_limit < limit) limit = device_limit;
    if (wanted < limit) limit = wanted;
    size_t items = 1;
    while (items * 2 <= limit) items *= 2;
    return items;
}

static size_t round_up(int64_t n, size_t multiple)
{
    return ((size_t)n + multiple - 1) / multiple * multiple;
}

/// Two sizes only, for devices that compile a kernel for each (`compiles_each_group`): large groups
/// of many work-items, and small ones of few, so that every core gets some.
static int core_group_items(const ocl_device_t *device, int64_t nitems)
{
    return nitems < prim__ocl_measured_int(device, MEASURED_CORE_MANY_ITEMS, 1 << 16)
                   ? prim__ocl_measured_int(device, MEASURED_CORE_FEW_GROUP_ITEMS, 64)
                   : prim__ocl_measured_int(device, MEASURED_CORE_GROUP_ITEMS, 1024);
}

static ocl_range_t range_of(const ocl_kernel_t *kernel, int64_t nitems, int wanted)
{
    const ocl_device_t *const device = kernel->device;
    const int items = device->compiles_each_group ? core_group_items(device, nitems) : wanted;
    const size_t local = prim__ocl_group_items(kernel, (size_t)items);
    return (ocl_range_t){1, {round_up(nitems, local)}, {local}};
}

ocl_range_t prim__ocl_range_1d(const ocl_kernel_t *kernel, int64_t nitems)
{
    // Eight warps.
    return range_of(
            kernel, nitems, prim__ocl_measured_int(kernel->device, MEASURED_GROUP_ITEMS, 8 * 32));
}

ocl_range_t prim__ocl_range_short(const ocl_kernel_t *kernel, int64_t nitems)
{
    // Four warps, the schedulers of a compute unit.
    return range_of(kernel, nitems,
            prim__ocl_measured_int(kernel->device, MEASURED_SHORT_GROUP_ITEMS, 4 * 32));
}

ocl_range_t prim__ocl_range_groups(int64_t ngroups, size_t local)
{
    return (ocl_range_t){1, {(size_t)ngroups * local}, {local}};
}

ocl_range_t prim__ocl_range_3d(int64_t nx, int64_t ny, int64_t nz, size_t lx, size_t ly, size_t lz)
{
    return (ocl_range_t){3, {round_up(nx, lx), round_up(ny, ly), round_up(nz, lz)}, {lx, ly, lz}};
}

static prim_status_t fail_launch(cl_int code, const char *name)
{
    const bool is_memory =
            code == CL_OUT_OF_HOST_MEMORY || code == CL_MEM_OBJECT_ALLOCATION_FAILURE;
    return prim__fail(is_memory ? PRIM_OUT_OF_MEMORY : PRIM_RUNTIME_ERROR,
            "clEnqueueNDRangeKernel of %s failed: %s (%d)", name, prim__ocl_code_name(code),
            (int)code);
}

static cl_int enqueue(
        const ocl_command_t *command, const ocl_kernel_t *kernel, const ocl_range_t *range)
{
    return clEnqueueNDRangeKernel(command->queue, kernel->state->handle, (cl_uint)range->ndims,
            NULL, range->global, range->local[0] ? range->local : NULL, command->nwaits,
            command->waits, command->event_out);
}

prim_status_t prim__ocl_kernel_set_args(const ocl_kernel_t *kernel, const ocl_args_t *args)
{
    return set_args(kernel, args);
}

prim_status_t prim__ocl_kernel_enqueue_prepared(
        const exec_ctx_t *ctx, const ocl_kernel_t *kernel, const ocl_range_t *range)
{
    ocl_command_t command;
    TRY(prim__ocl_command_begin(&command, ctx));
    const cl_int code = enqueue(&command, kernel, range);
    if (code != CL_SUCCESS) return fail_launch(code, kernel->name);
    return prim__ocl_command_end(&command, ctx);
}

prim_status_t prim__ocl_kernel_enqueue(const exec_ctx_t *ctx, const ocl_kernel_t *kernel,
        const ocl_range_t *range, const ocl_args_t *args)
{
    ocl_command_t command;
    TRY(prim__ocl_command_begin(&command, ctx));
    cl_int code = CL_SUCCESS;
    pthread_mutex_lock(&kernel->state->lock);
    const prim_status_t st = set_args(kernel, args);
    if (st == PRIM_SUCCESS) code = enqueue(&command, kernel, range);
    pthread_mutex_unlock(&kernel->state->lock);
    if (st != PRIM_SUCCESS) return st;
    if (code != CL_SUCCESS) return fail_launch(code, kernel->name);
    return prim__ocl_command_end(&command, ctx);
}
