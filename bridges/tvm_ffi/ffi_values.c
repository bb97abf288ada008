// SPDX-License-Identifier: Apache-2.0
// Values of TVM FFI: numbers, strings, lists, tensors, types.
#include "ffi.h"

#include <string.h>

const DLTensor *ffi_as_tensor(const TVMFFIAny *value)
{
    if (value->type_index == kTVMFFIDLTensorPtr) return value->v_ptr;
    if (value->type_index == kTVMFFITensor) return (const void *)(value->v_obj + 1);
    return NULL;
}

bool ffi_as_string(TVMFFIByteArray *string, const TVMFFIAny *value)
{
    switch (value->type_index) {
    case kTVMFFIRawStr:
        *string = (TVMFFIByteArray){value->v_c_str, strlen(value->v_c_str)};
        return true;
    case kTVMFFISmallStr:
        *string = (TVMFFIByteArray){value->v_bytes, value->small_str_len};
        return true;
    case kTVMFFIStr:
        *string = *(const TVMFFIByteArray *)(const void *)(value->v_obj + 1);
        return true;
    default: return false;
    }
}

bool ffi_string_is(const TVMFFIByteArray *string, const char *text)
{
    return string->size == strlen(text) && memcmp(string->data, text, string->size) == 0;
}

bool ffi_as_int(int64_t *number, const TVMFFIAny *value)
{
    if (value->type_index != kTVMFFIInt && value->type_index != kTVMFFIBool) return false;
    *number = value->v_int64;
    return true;
}

bool ffi_as_double(double *number, const TVMFFIAny *value)
{
    int64_t integer;
    if (value->type_index == kTVMFFIFloat)
        *number = value->v_float64;
    else if (ffi_as_int(&integer, value))
        *number = (double)integer;
    else
        return false;
    return true;
}

static const TVMFFISeqCell *as_sequence(const TVMFFIAny *value)
{
    if (value->type_index != kTVMFFIArray && value->type_index != kTVMFFIList) return NULL;
    return (const void *)(value->v_obj + 1);
}

static const TVMFFIShapeCell *as_shape(const TVMFFIAny *value)
{
    return value->type_index == kTVMFFIShape ? (const void *)(value->v_obj + 1) : NULL;
}

int64_t ffi_list_length(const TVMFFIAny *value)
{
    double number;
    if (ffi_as_double(&number, value)) return 1;
    if (as_shape(value)) return (int64_t)as_shape(value)->size;
    return as_sequence(value) ? as_sequence(value)->size : -1;
}

bool ffi_list_int(int64_t *number, const TVMFFIAny *value, int64_t index)
{
    if (as_sequence(value))
        return ffi_as_int(number, (const TVMFFIAny *)as_sequence(value)->data + index);
    if (!as_shape(value)) return ffi_as_int(number, value);
    *number = as_shape(value)->data[index];
    return true;
}

bool ffi_list_double(double *number, const TVMFFIAny *value, int64_t index)
{
    if (as_sequence(value))
        return ffi_as_double(number, (const TVMFFIAny *)as_sequence(value)->data + index);
    int64_t integer;
    if (!as_shape(value)) return ffi_as_double(number, value);
    if (!ffi_list_int(&integer, value, index)) return false;
    *number = (double)integer;
    return true;
}

static const struct {
    prim_data_type_t type;
    uint8_t code, bits;
} types[] = {
        {PRIM_F16, kDLFloat, 16},
        {PRIM_BF16, kDLBfloat, 16},
        {PRIM_F32, kDLFloat, 32},
        {PRIM_F64, kDLFloat, 64},
        {PRIM_S32, kDLInt, 32},
        {PRIM_S8, kDLInt, 8},
        {PRIM_U8, kDLUInt, 8},
        {PRIM_BOOLEAN, kDLBool, 8},
        {PRIM_F8_E5M2, kDLFloat8_e5m2, 8},
        {PRIM_F8_E4M3, kDLFloat8_e4m3fn, 8},
};
enum { NTYPES = sizeof types / sizeof types[0] };

prim_data_type_t ffi_data_type(DLDataType type)
{
    for (int i = 0; i < NTYPES; ++i) {
        if (types[i].code == type.code && types[i].bits == type.bits && type.lanes == 1)
            return types[i].type;
    }
    return PRIM_DATA_TYPE_UNDEF;
}

DLDataType ffi_dl_type(prim_data_type_t type)
{
    for (int i = 0; i < NTYPES; ++i) {
        if (types[i].type == type) return (DLDataType){types[i].code, types[i].bits, 1};
    }
    return (DLDataType){kDLOpaqueHandle, 0, 0};
}

int64_t ffi_elems(const DLTensor *tensor)
{
    int64_t elems = 1;
    for (int d = 0; d < tensor->ndim; ++d) elems *= tensor->shape[d];
    return elems;
}

bool ffi_is_contiguous(const DLTensor *tensor)
{
    if (!tensor->strides) return true;
    int64_t stride = 1;
    for (int d = tensor->ndim - 1; d >= 0; --d) {
        if (tensor->shape[d] != 1 && tensor->strides[d] != stride) return ffi_elems(tensor) == 0;
        stride *= tensor->shape[d];
    }
    return true;
}

static const char *type_name(char *text, size_t bytes, DLDataType type)
{
    TVMFFIAny string = {.type_index = kTVMFFINone};
    TVMFFIByteArray name = {"?", 1};
    if (!TVMFFIDataTypeToString(&type, &string)) ffi_as_string(&name, &string);
    const size_t length = name.size < bytes - 1 ? name.size : bytes - 1;
    memcpy(text, name.data, length);
    text[length] = '\0';
    if (string.type_index >= kTVMFFIStaticObjectBegin) TVMFFIObjectDecRef(string.v_obj);
    return text;
}

prim_status_t ffi_describe(ffi_call_t *call, prim_memory_desc_t *md, const DLTensor *tensor)
{
    char name[32];
    const prim_data_type_t type = ffi_data_type(tensor->dtype);
    if (type == PRIM_DATA_TYPE_UNDEF)
        return ffi_fail(call, PRIM_INVALID_ARGUMENTS, "TypeError", "Prim has no tensors of type %s",
                type_name(name, sizeof name, tensor->dtype));
    static const prim_dim_t one = 1;
    if (tensor->ndim == 0) return prim_memory_desc_init_by_strides(md, 1, &one, type, NULL);
    // Strides of tensors without elements, and of dimensions of 1, mean nothing in DLPack, and may
    // be 0.
    const bool dense = ffi_is_contiguous(tensor);
    prim_dims_t strides = {0};
    for (int d = 0; !dense && d < tensor->ndim && d < PRIM_MAX_NDIMS; ++d)
        strides[d] = tensor->shape[d] == 1 ? 1 : tensor->strides[d];
    return prim_memory_desc_init_by_strides(
            md, tensor->ndim, tensor->shape, type, dense ? NULL : strides);
}
