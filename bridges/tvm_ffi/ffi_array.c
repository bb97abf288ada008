// SPDX-License-Identifier: Apache-2.0
// Tensors that Prim owns, on any engine, and copies between them and the host.
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "ffi.h"

/// A tensor in memory of the library. On OpenCL its data points to `buffer`, as TVM's do to theirs.
typedef struct {
    void *buffer; // first: the descriptor of an OpenCL tensor begins with the cl_mem
    DLManagedTensor managed;
    prim_memory_t *memory;
    int64_t shape[PRIM_MAX_NDIMS], strides[PRIM_MAX_NDIMS];
} array_t;

static void delete_array(DLManagedTensor *managed)
{
    array_t *array = managed->manager_ctx;
    prim_memory_destroy(array->memory);
    free(array);
}

static prim_status_t describe_array(array_t *array, prim_engine_t *engine,
        const TVMFFIByteArray *engine_name, const prim_memory_desc_t *md, DLDataType type)
{
    prim_engine_kind_t kind;
    prim_status_t status = prim_engine_get_kind(engine, &kind);
    if (!status) status = prim_memory_create(&array->memory, md, engine, PRIM_MEMORY_ALLOCATE);
    if (!status) status = prim_memory_get_data_handle(array->memory, &array->buffer);
    if (status) return status;
    memcpy(array->shape, md->dims, sizeof array->shape);
    memcpy(array->strides, md->strides, sizeof array->strides);
    const bool is_gpu = kind == PRIM_GPU;
    const int index = is_gpu && engine_name->size > 4 ? atoi(engine_name->data + 4) : 0;
    array->managed = (DLManagedTensor){
            .dl_tensor = {.data = is_gpu ? (void *)array : array->buffer,
                    .device = {.device_type = is_gpu ? kDLOpenCL : kDLCPU, .device_id = index},
                    .ndim = md->ndims,
                    .dtype = type,
                    .shape = array->shape,
                    .strides = array->strides},
            .manager_ctx = array,
            .deleter = delete_array};
    return PRIM_SUCCESS;
}

static prim_status_t shape_of(
        ffi_call_t *call, int *ndims, prim_dims_t dims, const TVMFFIAny *value)
{
    const int64_t n = ffi_list_length(value);
    bool is_list = n >= 0 && n <= PRIM_MAX_NDIMS;
    for (int64_t d = 0; is_list && d < n; ++d) is_list = ffi_list_int(&dims[d], value, d);
    *ndims = (int)n;
    return is_list ? PRIM_SUCCESS
                   : ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                             "a shape is up to 12 integers");
}

/// A type of DLPack, or its name.
static bool as_type(DLDataType *type, const TVMFFIAny *value)
{
    TVMFFIByteArray name;
    if (value->type_index == kTVMFFIDataType) {
        *type = value->v_dtype;
        return true;
    }
    return ffi_as_string(&name, value) && TVMFFIDataTypeFromString(&name, type) == 0;
}

/// empty(shape, type, engine): a tensor with undefined contents.
static prim_status_t empty(ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    prim_dims_t dims = {0};
    int ndims = 0;
    DLDataType type;
    TVMFFIByteArray name;
    if (nargs != 3 || !as_type(&type, &args[1]) || !ffi_as_string(&name, &args[2]))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                "empty takes a shape, a type and an engine");
    const prim_data_type_t data_type = ffi_data_type(type);
    if (data_type == PRIM_DATA_TYPE_UNDEF)
        return ffi_fail(
                call, PRIM_INVALID_ARGUMENTS, "TypeError", "Prim has no tensors of that type");
    prim_engine_t *engine;
    prim_stream_t *stream;
    prim_memory_desc_t md;
    prim_status_t status = shape_of(call, &ndims, dims, &args[0]);
    if (!status) status = ffi_engine_find(&engine, &stream, &name);
    static const prim_dim_t one = 1;
    if (!status)
        status = prim_memory_desc_init_by_strides(
                &md, ndims ? ndims : 1, ndims ? dims : &one, data_type, NULL);
    if (status) return status;

    array_t *array = calloc(1, sizeof *array);
    if (!array) return ffi_fail(call, PRIM_OUT_OF_MEMORY, NULL, "no memory for a tensor");
    TVMFFIObjectHandle tensor;
    status = describe_array(array, engine, &name, &md, type);
    array->managed.dl_tensor.ndim = ndims;
    if (!status && TVMFFITensorFromDLPack(&array->managed, 0, 0, &tensor))
        status = ffi_fail(call, PRIM_RUNTIME_ERROR, NULL, "TVM FFI does not take a tensor");
    if (status) {
        prim_memory_destroy(array->memory);
        free(array);
        return status;
    }
    *result = (TVMFFIAny){.type_index = kTVMFFITensor, .v_obj = tensor};
    return PRIM_SUCCESS;
}

/// Another shape of a contiguous tensor, with as many elements.
static prim_status_t set_shape(
        ffi_call_t *call, DLTensor *tensor, prim_dims_t dims, prim_dims_t strides, int ndims)
{
    const int64_t elems = ffi_elems(tensor);
    const bool is_contiguous = ffi_is_contiguous(tensor);
    tensor->ndim = ndims;
    tensor->shape = dims;
    tensor->strides = strides;
    for (int d = ndims - 1; d >= 0; --d)
        strides[d] = d == ndims - 1 ? 1 : strides[d + 1] * dims[d + 1];
    if (is_contiguous && ffi_elems(tensor) == elems) return PRIM_SUCCESS;
    return ffi_fail(
            call, PRIM_INVALID_ARGUMENTS, NULL, "view: the shape has another number of elements");
}

/// view(tensor, type[, shape]): the same bytes as elements of another type of the same size.
static prim_status_t view(ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    DLDataType type;
    if (nargs < 2 || nargs > 3 || args[0].type_index != kTVMFFITensor || !as_type(&type, &args[1]))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError",
                "view takes a tensor, a type and a shape");
    DLTensor prototype = *ffi_as_tensor(&args[0]);
    if (prototype.dtype.bits * prototype.dtype.lanes != type.bits * type.lanes)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, NULL, "view: the types have different sizes");
    prototype.dtype = type;
    prim_dims_t dims, strides;
    int ndims;
    prim_status_t status = nargs == 3 ? shape_of(call, &ndims, dims, &args[2]) : PRIM_SUCCESS;
    if (!status && nargs == 3) status = set_shape(call, &prototype, dims, strides, ndims);
    if (status) return status;
    TVMFFIObjectHandle made;
    if (TVMFFITensorCreateUnsafeView(args[0].v_obj, &prototype, &made))
        return ffi_fail(call, PRIM_RUNTIME_ERROR, NULL, "TVM FFI makes no view");
    *result = (TVMFFIAny){.type_index = kTVMFFITensor, .v_obj = made};
    return PRIM_SUCCESS;
}

/// The memory of a tensor on its device, to be read or written.
static prim_status_t open_device(prim_memory_t **memory, ffi_call_t *call, const DLTensor *tensor)
{
    prim_engine_t *engine;
    prim_stream_t *stream;
    bool is_own, copies;
    prim_memory_desc_t md;
    prim_status_t status = ffi_describe(call, &md, tensor);
    if (!status)
        status = ffi_engine_of_buffer(
                &engine, &stream, &is_own, *(void *const *)tensor->data, tensor->device.device_id);
    return status ? status : ffi_memory_create(memory, &copies, engine, tensor, &md);
}

/// copy(from, to) between the host and a device, or within the host: contiguous tensors of one
/// shape and type.
static prim_status_t copy(ffi_call_t *call, const TVMFFIAny *args, int nargs, TVMFFIAny *result)
{
    (void)result;
    const DLTensor *from = nargs == 2 ? ffi_as_tensor(&args[0]) : NULL,
                   *to = from ? ffi_as_tensor(&args[1]) : NULL;
    if (!from || !to)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError", "copy takes two tensors");
    const size_t bytes = (size_t)ffi_elems(from) * from->dtype.bits / 8;
    const bool alike =
            from->ndim == to->ndim && memcmp(&from->dtype, &to->dtype, sizeof from->dtype) == 0 &&
            (from->ndim == 0 || memcmp(from->shape, to->shape,
                                        (size_t)from->ndim * sizeof from->shape[0]) == 0);
    if (!alike || !ffi_is_contiguous(from) || !ffi_is_contiguous(to))
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, NULL,
                "copy: the tensors differ, or are not contiguous");
    const bool reads = from->device.device_type == kDLOpenCL,
               writes = to->device.device_type == kDLOpenCL;
    if ((!reads && from->device.device_type != kDLCPU) ||
            (!writes && to->device.device_type != kDLCPU) || (reads && writes))
        return ffi_fail(
                call, PRIM_UNIMPLEMENTED, NULL, "copy: one of the tensors has to be the host's");
    if (bytes == 0) return PRIM_SUCCESS;
    const void *source = (const char *)from->data + from->byte_offset;
    void *target = (char *)to->data + to->byte_offset;
    if (!reads && !writes) {
        memmove(target, source, bytes);
        return PRIM_SUCCESS;
    }
    prim_memory_t *memory = NULL;
    prim_status_t status = open_device(&memory, call, reads ? from : to);
    if (!status)
        status = reads ? prim_memory_read(memory, target, bytes, 0)
                       : prim_memory_write(memory, source, bytes, 0);
    prim_memory_destroy(memory);
    return status;
}

const ffi_service_t ffi_array_services[] = {
        {"empty", empty}, {"view", view}, {"copy", copy}, {NULL, NULL}};
